//! Choices between several ways by a whole number: `switch`, `select case`, and conditionals one after the other that ask
//! for values of the same number. Compilers make jumps of them, and no vectors of loops around them.

use crate::ir::{BinaryOp, Function, If, Stmt, Value};
use crate::literal::{DEPTH, literal};

/// From so many values on, GCC makes a `switch` of conditionals (`if-to-switch`).
const LEAST_ARMS: usize = 3;

/// How many of them code has.
pub fn count(function: &Function, body: &[Stmt]) -> u32 {
    let inside = |block: &[Stmt]| count(function, block);
    let of = |statement: &Stmt| match statement {
        Stmt::If(first) => {
            let mut arms = arms(function, first);
            let own = u32::from(arms.len() >= LEAST_ARMS);
            if arms.is_empty() {
                arms.push(first);
            }
            let then: u32 = arms.iter().map(|arm| inside(&arm.then)).sum();
            // What stands otherwise in all arms but the last is the next arm.
            let otherwise = arms.last().map_or(0, |last| inside(&last.otherwise));
            own + then + otherwise
        }
        Stmt::Loop(inner) => inside(&inner.body),
        Stmt::Opaque { inner, .. } => inside(inner),
        _ => 0,
    };
    body.iter().map(of).sum()
}

/// A conditional and those in its place otherwise, as long as all ask for values of one number.
fn arms<'i>(function: &Function, first: &'i If) -> Vec<&'i If> {
    let mut found = Vec::new();
    let mut next = Some(first);
    let mut subject = None;
    while let Some(arm) = next {
        match subject_of(function, &arm.condition) {
            Some(asked) if subject.is_none_or(|known| known == asked) => subject = Some(asked),
            _ => break,
        }
        found.push(arm);
        next = match &arm.otherwise[..] {
            [Stmt::If(inner)] => Some(inner),
            _ => None,
        };
    }
    found
}

/// The number of which a condition asks whether it is one of several that literals give.
fn subject_of<'v>(function: &Function, condition: &'v Value) -> Option<&'v Value> {
    match condition {
        Value::Binary(BinaryOp::Equal, one, other) => {
            literal(function, other, DEPTH).map(|_| &**one)
        }
        Value::Binary(BinaryOp::Or, one, other) => {
            let (one, other) = (subject_of(function, one)?, subject_of(function, other)?);
            (one == other).then_some(one)
        }
        _ => None,
    }
}
