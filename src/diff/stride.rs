//! How the innermost loop walks through an array.

use serde::{Deserialize, Serialize};

use crate::expr::Expr;
use crate::report::static_report::{ArrayReport, SubscriptReport};

/// From one iteration to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stride {
    /// It stays where it is.
    None,
    /// To the neighbour.
    Unit,
    Strided,
    /// To where data says.
    Gather,
}

impl Stride {
    /// Of an array that a loop with this variable refers to.
    pub fn of(array: &ArrayReport, variable: &str) -> Stride {
        let mut subscripts = (array.subscripts.iter()).map(|subscript| step(subscript, variable));
        let first = subscripts.next();
        let outer: Vec<Step> = subscripts.collect();
        match first {
            _ if outer.contains(&Step::Gather) => Stride::Gather,
            Some(Step::Gather) => Stride::Gather,
            _ if outer.iter().any(|step| *step != Step::By(0)) => Stride::Strided,
            None | Some(Step::By(0)) => Stride::None,
            Some(Step::By(1 | -1)) => Stride::Unit,
            Some(Step::By(_) | Step::Other) => Stride::Strided,
        }
    }
}

/// Which dimension each of these loops walks through, outermost loop first; dimensions are counted from one, the
/// contiguous one first, and loops that stay where they are have none.
pub fn order(array: &ArrayReport, variables: &[&str]) -> Vec<usize> {
    let dimension = |variable: &&str| {
        let mut subscripts = array.subscripts.iter();
        let walked = subscripts.position(|subscript| step(subscript, variable) != Step::By(0));
        walked.map(|dimension| dimension + 1)
    };
    variables.iter().filter_map(dimension).collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    By(i64),
    Other,
    Gather,
}

/// Whether data says which element is meant.
pub fn is_gather(array: &ArrayReport) -> bool {
    array.subscripts.iter().any(SubscriptReport::is_gather)
}

/// What one more of the variable adds to a subscript. Data that does not mention the variable is the same in all iterations.
fn step(subscript: &SubscriptReport, variable: &str) -> Step {
    if subscript.is_gather() {
        return match subscript.is_of_call() && !subscript.mentions(variable) {
            true => Step::By(0),
            false => Step::Gather,
        };
    }
    let Some(value) = subscript.value() else {
        return Step::Other;
    };
    let next = Expr::symbol(variable) + 1.0;
    match value.with(variable, &next).distance(&value) {
        Some(steps) if steps.fract() == 0.0 => Step::By(steps as i64),
        _ => Step::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_those_of_one_more_iteration() {
        for (subscript, expected) in [
            ("i", Step::By(1)),
            ("2*i + j - 1", Step::By(2)),
            ("j", Step::By(0)),
            ("n*i", Step::Other),
            ("i*i", Step::Other),
            ("n - i", Step::By(-1)),
            ("gather(idx(i))", Step::Gather),
            ("gather(idx(j))", Step::By(0)),
            ("gather(k)", Step::Gather),
        ] {
            assert_eq!(
                step(&subscript.to_string().into(), "i"),
                expected,
                "{subscript}"
            );
        }
    }
}
