//! Why the sides of a row differ, as causes with amounts that add up to the difference.
//!
//! An amount stands only where its arithmetic closes; what no cause accounts for is [`Cause::Unexplained`],
//! with its size: `closed` adds it, so that the amounts of a row always sum to traced less static (guide:
//! compare, "Reasons that add up").

use serde::Serialize;
use strum::{EnumMessage, IntoStaticStr, VariantArray};

use super::tolerance::{EQUAL, are_equal, are_near};

/// What accounts for a part of a difference. Texts are those of JSON.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, EnumMessage, IntoStaticStr, VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Cause {
    /// Loads and stores have another width than the elements.
    AccessWidth,
    /// Accesses of the loops around are distributed among other trips of the innermost loop.
    AccessesAround,
    /// A branch is taken in another share of the iterations.
    Branch,
    /// Loads of constants of the program.
    Constants,
    /// Products by two that became sums.
    Doubled,
    /// The nest was executed more or less often.
    Executions,
    /// Calls with constant arguments that the compiler evaluated.
    FoldedCalls,
    /// Operations that do not change in a loop and are done outside it.
    Hoisted,
    /// Iterations that would not enter the loop inside, and that the compiler left out.
    IdleRounds,
    /// Another number of iterations, each of which does the same.
    Iterations,
    /// What the iteration before has loaded or stored, and elements that the iteration has written, stay in registers.
    Kept,
    /// A loop was left before its known bound.
    LeftEarly,
    /// The loop's own iterations agree; those of the loop around it do not.
    LoopAround,
    /// Iterations that do not enter the loop inside, where operands are constants.
    NotEntered,
    /// Each element is accessed once per iteration, or outside the loop that it does not change in.
    OnceEach,
    /// Accesses to data outside the nest's arrays.
    OtherData,
    /// The value of a parameter in the bounds of loops.
    Parameter,
    /// Loads of pointers and structures that say where the arrays are.
    Pointers,
    /// Divisions that became multiplications by an exact reciprocal.
    Reciprocals,
    /// Operations that repeat others on the same operands and are done once.
    Repeated,
    /// What a library function did in place of a loop.
    ReplacedByCall,
    /// The traced figure is known to this resolution only.
    Resolution,
    /// As many in all as the source has, distributed over other iterations.
    SharedOut,
    /// Accesses by the stack pointer and to the stack: spills, saved registers, locals.
    Stack,
    /// What no cause accounts for.
    Unexplained,
}

impl Cause {
    /// As in JSON.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// In one sentence.
    pub fn meaning(self) -> &'static str {
        self.get_documentation().unwrap_or_default()
    }
}

/// A part of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Reason {
    pub code: Cause,
    /// In the unit of the row; negative where the run has less.
    pub amount: f64,
}

/// How the sides of a row compare.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    Exact,
    /// They differ by no more than 2 % of the larger.
    Near,
    Differs,
    /// A side has no number, or one that is not certain.
    #[default]
    Unknown,
}

impl State {
    /// Of both sides; `is_certain` unless the traced one has a star.
    pub(super) fn of(sides: Option<(f64, f64)>, is_certain: bool) -> State {
        match sides.filter(|_| is_certain) {
            None => State::Unknown,
            Some((predicted, traced)) if are_equal(predicted, traced) => State::Exact,
            Some((predicted, traced)) if are_near(predicted, traced) => State::Near,
            Some(_) => State::Differs,
        }
    }
}

/// Why the sides of a row differ: in words, and what of it has an amount.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Explanation {
    pub words: String,
    pub parts: Vec<Reason>,
}

impl Explanation {
    /// Words for which nothing adds up.
    pub fn without_amount(words: impl Into<String>) -> Explanation {
        Explanation::of(words, [])
    }

    pub fn of(
        words: impl Into<String>,
        parts: impl IntoIterator<Item = (Cause, f64)>,
    ) -> Explanation {
        let reason = |(code, amount)| Reason { code, amount };
        Explanation {
            words: words.into(),
            parts: parts.into_iter().map(reason).collect(),
        }
    }
}

/// The parts, each cause once, with what they leave of the difference.
pub(super) fn closed(parts: &[Reason], (predicted, traced): (f64, f64)) -> Vec<Reason> {
    let negligible = EQUAL * predicted.abs().max(traced.abs());
    let is_something = |amount: f64| amount.is_finite() && amount.abs() > negligible;
    let mut all: Vec<Reason> = Vec::new();
    for part in parts.iter().filter(|part| part.amount.is_finite()) {
        match all.iter_mut().find(|known| known.code == part.code) {
            Some(known) => known.amount += part.amount,
            None => all.push(*part),
        }
    }
    all.retain(|part| is_something(part.amount));
    let explained: f64 = all.iter().map(|part| part.amount).sum();
    let rest = Reason {
        code: Cause::Unexplained,
        amount: traced - predicted - explained,
    };
    all.extend(Some(rest).filter(|rest| is_something(rest.amount)));
    all
}
