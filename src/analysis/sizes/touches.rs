//! Which statements can make a difference to what comes first: the walk for one variable passes over all others.

use rustc_hash::FxHashSet;

use super::places::PlaceId;
use crate::calls::ProcedureId;
use crate::ir::visit::{calls_of, values_of};
use crate::ir::{Jump, Stmt, Value};

/// What a statement mentions, with all that stands in it.
pub struct Touches {
    places: Vec<PlaceId>,
    calls: Vec<ProcedureId>,
    /// Whether a branch in it does nothing but return.
    may_leave: bool,
    /// Of each block in it.
    inner: Vec<Vec<Touches>>,
}

impl Touches {
    /// Of each statement of a block. `places` are those that a value stands for, `called` what a name calls.
    pub fn of(
        block: &[Stmt],
        places: &dyn Fn(&Value) -> Vec<PlaceId>,
        called: &dyn Fn(&str) -> Vec<ProcedureId>,
    ) -> Vec<Touches> {
        let of = |stmt: &Stmt| {
            let (mut own, mut calls) = (FxHashSet::default(), FxHashSet::default());
            values_of(stmt, &mut |value| own.extend(places(value)));
            calls_of(stmt, &mut |name, _| calls.extend(called(name)));
            let inner: Vec<Vec<Touches>> = blocks(stmt)
                .into_iter()
                .map(|block| Touches::of(block, places, called))
                .collect();
            for touches in inner.iter().flatten() {
                own.extend(touches.places.iter().copied());
                calls.extend(touches.calls.iter().copied());
            }
            let mut own: Vec<PlaceId> = own.into_iter().collect();
            own.sort_unstable();
            Touches {
                places: own,
                calls: calls.into_iter().collect(),
                may_leave: blocks(stmt).into_iter().any(is_bare_return)
                    || inner.iter().flatten().any(|touches| touches.may_leave),
                inner,
            }
        };
        block.iter().map(of).collect()
    }

    /// Whether the walk for this variable has to look into the statement. `mentioned` is what procedures mention, with what
    /// they call.
    pub fn matter(&self, place: PlaceId, mentioned: &[FxHashSet<PlaceId>]) -> bool {
        self.may_leave
            || self.places.binary_search(&place).is_ok()
            || self
                .calls
                .iter()
                .any(|callee| mentioned[callee.at()].contains(&place))
    }

    /// Of its block at this place: a loop has one, a branch has two.
    pub fn inner(&self, block: usize) -> &[Touches] {
        &self.inner[block]
    }

    pub fn places(&self) -> &[PlaceId] {
        &self.places
    }

    pub fn calls(&self) -> &[ProcedureId] {
        &self.calls
    }
}

/// The blocks that stand in a statement.
fn blocks(stmt: &Stmt) -> Vec<&[Stmt]> {
    match stmt {
        Stmt::If(branch) => vec![&branch.then, &branch.otherwise],
        Stmt::Loop(inner) => vec![&inner.body],
        Stmt::Opaque { inner, .. } => vec![inner],
        Stmt::Assign { .. }
        | Stmt::Call { .. }
        | Stmt::Jump { .. }
        | Stmt::Mark { .. }
        | Stmt::Evaluate { .. } => Vec::new(),
    }
}

/// Whether a block does nothing but return.
pub fn is_bare_return(block: &[Stmt]) -> bool {
    matches!(
        block,
        [Stmt::Jump {
            kind: Jump::Return,
            ..
        }]
    )
}
