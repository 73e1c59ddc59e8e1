//! What has to be checked before advice is followed.

use std::fmt;

use super::Context;
use crate::analysis::dependence::order::{self, Doubt, Order};

/// Something that the dependences do not say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Check {
    /// Of the order of iterations.
    Order(Doubt),
    /// The loop of this variable holds other code, which has to be moved into a loop of its own first.
    SplitFirst(String),
    /// The loop of this variable is parallel and would be no more the outermost one.
    Parallel(String),
    /// All other uses of the array have to change, too: it is used in so many other nests.
    OtherUses { array: String, nests: usize },
    /// There may be no work that does not wait for this.
    Independent(String),
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Check::Order(Doubt::SharedStorage(a, b)) => {
                write!(f, "whether {a} and {b} share storage")
            }
            Check::Order(Doubt::Carried(name)) => write!(
                f,
                "whether {name} is a sum or similar, whose order of operations may change"
            ),
            Check::Order(Doubt::Obstacle(what)) => write!(f, "what is not understood: {what}"),
            Check::SplitFirst(variable) => {
                write!(
                    f,
                    "loop {variable} must be split first: it contains other code"
                )
            }
            Check::Parallel(variable) => write!(
                f,
                "loop {variable} is parallel and would no longer be outermost"
            ),
            Check::Independent(name) => write!(f, "what does not wait for {name}"),
            Check::OtherUses { array, nests: 0 } => write!(f, "all uses of {array} have to change"),
            Check::OtherUses { array, nests } => write!(
                f,
                "all uses of {array} have to change, those in {nests} other nests of the function too"
            ),
        }
    }
}

/// What is known of the order of a nest's iterations; `None` if it may not change at all, as where they write text.
pub(super) fn order(context: &Context, nest: usize) -> Option<Order> {
    let chain = &context.nests[nest].nest;
    let own = chain.own;
    if chain.contents.iter().any(|content| content.texts > 0) {
        return None;
    }
    Order::of(context.function(nest), &context.loops(nest), own)
}

/// What the order leaves open.
pub(super) fn doubts(order: &Order) -> Vec<Check> {
    order.doubts.iter().cloned().map(Check::Order).collect()
}

/// What has to be done before a nest can be alone in its loops; `None` if that is not legal.
pub(super) fn alone(context: &Context, nest: usize) -> Option<Option<Check>> {
    let chain = &context.nests[nest].nest;
    // Blocks are inside of sweeps.
    if chain.own <= chain.sweeps {
        return Some(None);
    }
    let loops = context.loops(nest);
    let outermost = loops[chain.sweeps].variable.to_string();
    order::may_split(context.function(nest), &loops, chain.own)
        .then_some(Some(Check::SplitFirst(outermost)))
}
