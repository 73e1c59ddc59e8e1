//! Branches that leave loops: what stands in them runs at most once each time that a loop is run. Those that leave the
//! procedure outside of loops: what is behind them runs where they do not.

use std::borrow::Cow;

use crate::expr::{Expr, Symbol};
use crate::facts::{Guard, GuardRange};
use crate::ir::visit::jumps;
use crate::ir::{If, Jump, Stmt};
use crate::symbols::Level;

/// Whether the program ends in a call of that name.
pub(super) type Ends<'e> = &'e dyn Fn(&str) -> bool;

/// How often a condition holds of which one arm leaves the loops around: in one iteration of all that a run of these
/// has at most. Where a procedure ends the program outside of its loops, at most one of all its calls does: none counts.
/// `None` where no arm leaves, or both do.
pub(super) fn share(
    (then, otherwise): (&[Stmt], &[Stmt]),
    (levels, is_main): (&[Level], bool),
    ends: Ends<'_>,
) -> Option<Expr> {
    let (left, leaves_if) = match (left(then, ends), left(otherwise, ends)) {
        (Some(left), None) => (left, true),
        (None, Some(left)) => (left, false),
        _ => return None,
    };
    let from = match left {
        Left::Innermost => levels.len().checked_sub(1)?,
        Left::All | Left::Program => 0,
    };
    let once = match levels {
        [] if left == Left::Program && !is_main => Expr::from(0.0),
        [] => return None,
        [.., _] => once(levels, from).or_else(|| once(levels, levels.len() - 1))?,
    };
    Some(match leaves_if {
        true => once,
        false => Expr::from(1.0) - once,
    })
}

/// Which arm of a branch ends the program in loops, and the other one does not. A run comes to that once.
pub(super) fn ends_program(
    (then, otherwise): (&[Stmt], &[Stmt]),
    levels: &[Level],
    ends: Ends<'_>,
) -> Option<bool> {
    let is_in_loops = !levels.is_empty();
    match (left(then, ends), left(otherwise, ends)) {
        (Some(_), None) => (is_in_loops && leaves_program(then, ends)).then_some(true),
        (None, Some(_)) => (is_in_loops && leaves_program(otherwise, ends)).then_some(false),
        _ => None,
    }
}

/// Whether statements leave the procedure at their end, with all loops around.
pub(super) fn leaves_all(statements: &[Stmt], ends: Ends<'_>) -> bool {
    left(statements, ends).is_some_and(|left| left != Left::Innermost)
}

/// Whether statements end the program, whichever way they take.
pub(super) fn leaves_program(statements: &[Stmt], ends: Ends<'_>) -> bool {
    left(statements, ends) == Some(Left::Program)
}

/// The loops that statements leave.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Left {
    Innermost,
    All,
    /// With the whole program.
    Program,
}

/// What statements leave, whichever way they take. What stands behind the first that leaves, such as the second semicolon of
/// `FAIL();`, does not run.
fn left(statements: &[Stmt], ends: Ends<'_>) -> Option<Left> {
    statements.iter().find_map(|statement| match statement {
        Stmt::Jump { kind, .. } => Some(match kind {
            Jump::Exit => Some(Left::Innermost),
            Jump::Return => Some(Left::All),
            Jump::Stop => Some(Left::Program),
            Jump::Cycle | Jump::Goto => None,
        }),
        Stmt::If(branch) => {
            let arms = [&branch.then, &branch.otherwise].map(|arm| left(arm, ends));
            let [then, otherwise] = arms;
            Some(Some(then?.min(otherwise?)))
        }
        Stmt::Call { name, .. } => ends(name).then_some(Some(Left::Program)),
        _ => None,
    })?
}

/// The share of the iterations of these loops that are the first one of each from a level on.
pub(super) fn once(levels: &[Level], from: usize) -> Option<Expr> {
    let counted: Vec<_> = levels.iter().map(|level| &level.counted).collect();
    let first = |level: &Level| GuardRange {
        variable: level.counted.variable.clone(),
        lower: Some(level.counted.lower.clone()),
        upper: Some(level.counted.lower.clone()),
    };
    let levels = levels.get(from..).filter(|left| !left.is_empty())?;
    Guard::Inside(levels.iter().map(first).collect()).share(&counted)
}

/// Whether statements outside of loops leave the procedure.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Leaves {
    Never,
    Sometimes,
    Always,
}

fn leaves(statements: &[Stmt]) -> Leaves {
    let mut found = Leaves::Never;
    for stmt in statements {
        let own = match stmt {
            Stmt::Jump {
                kind: Jump::Return | Jump::Stop,
                ..
            } => Leaves::Always,
            Stmt::If(branch) => match [&branch.then, &branch.otherwise].map(|arm| leaves(arm)) {
                [a, b] if a == b => a,
                _ => Leaves::Sometimes,
            },
            _ => Leaves::Never,
        };
        match own {
            Leaves::Always => return Leaves::Always,
            Leaves::Sometimes => found = Leaves::Sometimes,
            Leaves::Never => {}
        }
    }
    found
}

/// Whether one of the arms may leave the procedure.
pub(super) fn may_leave(branch: &If) -> bool {
    let arms = [&branch.then, &branch.otherwise].map(|arm| leaves(arm));
    arms != [Leaves::Never; 2]
}

/// Whether the program may end in statements, in loops or not.
pub(super) fn may_end(block: &[Stmt]) -> bool {
    jumps(block, |kind| kind == Jump::Stop)
}

/// Which arm of a branch always leaves the procedure, where the other one does not.
pub(super) fn leaving_arm(branch: &If) -> Option<bool> {
    match [&branch.then, &branch.otherwise].map(|arm| leaves(arm) == Leaves::Always) {
        [true, false] => Some(true),
        [false, true] => Some(false),
        _ => None,
    }
}

/// The arms of a branch of which one always leaves the procedure, with what is behind the branch in the other one.
pub(super) fn with_rest<'s>(branch: &'s If, rest: &'s [Stmt]) -> Option<[Cow<'s, [Stmt]>; 2]> {
    let goes_on = |arm: &'s [Stmt]| match arm {
        [] => Cow::Borrowed(rest),
        _ => Cow::Owned([arm, rest].concat()),
    };
    let (then, otherwise) = (&branch.then[..], &branch.otherwise[..]);
    Some(match leaving_arm(branch)? {
        true => [Cow::Borrowed(then), goes_on(otherwise)],
        false => [goes_on(then), Cow::Borrowed(otherwise)],
    })
}

/// How often control gets behind a branch, by how often it gets to the ends of its arms.
pub(super) fn stays(probability: &Symbol, [then, otherwise]: [Expr; 2]) -> Expr {
    if then == otherwise {
        return then;
    }
    let taken = Expr::from(probability.clone());
    // Not expanded: behind many branches that would be a sum over all ways.
    taken.clone() * then + (Expr::from(1.0) - taken) * otherwise
}
