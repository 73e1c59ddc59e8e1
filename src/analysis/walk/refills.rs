//! Branches that start anew what a counter has used up, and those that something comes to from time to time.
//!
//! ```text
//! if (next >= N) { fill(words); next = 0; } return words[next++];          once in N times
//! if (time >= output) { write(); output = output + interval; }             as often as a period of which nothing is known
//! ```

use std::collections::BTreeSet;

use crate::expr::Expr;
use crate::guesses::NOMINAL;
use crate::intrinsics::Meaning;
use crate::ir::visit::{InLoop, statements, variables_of};
use crate::ir::{BinaryOp, Stmt, Value, VarId};
use crate::symbols::Symbols;

/// How often a condition holds that a counter has come to its end, behind which it begins again, or that a time has come,
/// behind which the next one is set; `None` where it asks something else. `body` is the whole procedure.
pub(super) fn share(
    symbols: &mut Symbols,
    condition: &Value,
    (then, otherwise): (&[Stmt], &[Stmt]),
    body: &[Stmt],
) -> Option<Expr> {
    let (counter, end, is_beyond) = reached(condition)?;
    if !otherwise.is_empty() {
        return None;
    }
    if is_next(counter, end, then) {
        return Some(Expr::from(1.0 / NOMINAL));
    }
    let first = then.iter().rev().find_map(|stmt| set(stmt, counter));
    let Value::Integer(first) = first?.unconverted() else {
        return None;
    };
    let step = only_step(counter, then, body)?;
    let end = symbols.expression(end)?;
    let uses = (end - (*first as f64) + f64::from(u8::from(is_beyond))).quotient(Expr::from(step));
    Some(Expr::from(1.0).quotient(Expr::max([uses, Expr::from(1.0)])))
}

/// How often a real number is a multiple of a period, as far as steps of it tell: `mod(time, interval) < step`.
pub(super) fn share_of_time(
    condition: &Value,
    meaning: &dyn Fn(&str) -> Option<Meaning>,
    is_real: &dyn Fn(&Value) -> bool,
    changes: &dyn Fn(VarId) -> bool,
) -> Option<Expr> {
    let Value::Binary(BinaryOp::Less | BinaryOp::LessOrEqual, left, right) =
        condition.unconverted()
    else {
        return None;
    };
    let (dividend, divisor) = match left.unconverted() {
        Value::Binary(BinaryOp::Remainder, dividend, divisor) => (&**dividend, &**divisor),
        Value::Call {
            name, arguments, ..
        } => match (meaning(name), &arguments[..]) {
            (Some(Meaning::Remainder | Meaning::Modulo), [dividend, divisor]) => {
                (dividend, divisor)
            }
            _ => return None,
        },
        _ => return None,
    };
    let any_changes = |value: &Value| {
        let mut used = BTreeSet::new();
        variables_of(value, &mut used);
        used.into_iter().any(changes)
    };
    let is_time = is_real(dividend) && is_real(divisor) && is_real(right);
    let is_period = any_changes(dividend) && !any_changes(divisor);
    (is_time && is_period).then(|| Expr::from(1.0 / NOMINAL))
}

/// What has come to an end, that end, and whether it has to be beyond it.
fn reached(condition: &Value) -> Option<(&Value, &Value, bool)> {
    use BinaryOp::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual};
    let Value::Binary(op, left, right) = condition.unconverted() else {
        return None;
    };
    let (left, right) = (left.unconverted(), right.unconverted());
    let is_place = |value: &Value| matches!(value, Value::Variable(_) | Value::Element { .. });
    match op {
        GreaterOrEqual | Equal if is_place(left) => Some((left, right, false)),
        Greater if is_place(left) => Some((left, right, true)),
        LessOrEqual if is_place(right) => Some((right, left, false)),
        Less if is_place(right) => Some((right, left, true)),
        _ => None,
    }
}

/// Whether statements set the time that has come to a later one.
fn is_next(now: &Value, time: &Value, then: &[Stmt]) -> bool {
    then.iter().any(|stmt| {
        let Some(Value::Binary(BinaryOp::Add, left, right)) = set(stmt, time) else {
            return false;
        };
        let sides = [(left, right), (right, left)];
        sides.into_iter().any(|(from, more)| {
            let from = from.unconverted();
            (from == time || from == now) && !matches!(more.unconverted(), Value::Integer(1))
        })
    })
}

/// The value that a statement gives a place.
fn set<'s>(stmt: &'s Stmt, place: &Value) -> Option<&'s Value> {
    match stmt {
        Stmt::Assign { target, value, .. } if target == place => Some(value.unconverted()),
        _ => None,
    }
}

/// What is added to a counter outside of the branch that sets it back, if nothing else sets it.
fn only_step(counter: &Value, then: &[Stmt], body: &[Stmt]) -> Option<f64> {
    let mut inside = 0;
    statements(then, InLoop::No, &mut |stmt, _| {
        inside += usize::from(set(stmt, counter).is_some());
    });
    let (mut all, mut steps) = (0, Vec::new());
    statements(body, InLoop::No, &mut |stmt, _| {
        let Some(value) = set(stmt, counter) else {
            return;
        };
        all += 1;
        if let Value::Binary(BinaryOp::Add, left, right) = value {
            let by = match (left.unconverted(), right.unconverted()) {
                (from, Value::Integer(by)) | (Value::Integer(by), from) if from == counter => *by,
                _ => return,
            };
            steps.push(by);
        }
    });
    match steps[..] {
        [step] if step > 0 && all == inside + 1 => Some(step as f64),
        _ => None,
    }
}
