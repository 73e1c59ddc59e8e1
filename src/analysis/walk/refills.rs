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
use crate::ir::{BinaryOp, Stmt, Type, Value, VarId};
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

/// How often a time comes to the end of a period: where what is left of the period is less than a step of it
/// (`mod(time, interval) < step`), or less than it was (`mod(time - step, interval) > mod(time, interval)`), or where more
/// whole periods are over (`int(time/interval) > int(before/interval)`).
pub(super) fn share_of_time(
    condition: &Value,
    meaning: &dyn Fn(&str) -> Option<Meaning>,
    is_real: &dyn Fn(&Value) -> bool,
    changes: &dyn Fn(VarId) -> bool,
) -> Option<Expr> {
    let Value::Binary(op, left, right) = condition.unconverted() else {
        return None;
    };
    if *op == BinaryOp::And {
        let mut sides = [left, right].into_iter();
        return sides.find_map(|side| share_of_time(side, meaning, is_real, changes));
    }
    let any_changes = |value: &Value| {
        let mut used = BTreeSet::new();
        variables_of(value, &mut used);
        used.into_iter().any(changes)
    };
    let is_period = |of: &Periods| {
        let is_time = is_real(of.time) && is_real(of.period);
        is_time && any_changes(of.time) && !any_changes(of.period)
    };
    let periods = |side| Periods::of(side, meaning).filter(is_period);
    let comes = match [left, right].map(|side| periods(side)) {
        [Some(now), None] => now.ends_within_step(*op) && is_real(right),
        [Some(left), Some(right)] => left.ends_between(*op, &right),
        _ => false,
    };
    comes.then(|| Expr::from(1.0 / NOMINAL))
}

/// What a value says of a time in units of a period.
struct Periods<'v> {
    time: &'v Value,
    period: &'v Value,
    part: Part,
}

/// What is left when a time is divided by a period, or how many whole ones there are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Rest,
    Whole,
}

impl<'v> Periods<'v> {
    fn of(value: &'v Value, meaning: &dyn Fn(&str) -> Option<Meaning>) -> Option<Periods<'v>> {
        use Meaning::{Floor, Modulo, Nearest, Remainder, Truncated};
        let rest = |time, period| Periods {
            time,
            period,
            part: Part::Rest,
        };
        let whole = |quotient: &'v Value| match quotient.unconverted() {
            Value::Binary(BinaryOp::Divide, time, period) => Some(Periods {
                time,
                period,
                part: Part::Whole,
            }),
            _ => None,
        };
        match value {
            Value::Binary(BinaryOp::Remainder, time, period) => Some(rest(time, period)),
            Value::Call {
                name, arguments, ..
            } => match (meaning(name)?, &arguments[..]) {
                (Remainder | Modulo, [time, period]) => Some(rest(time, period)),
                (Floor | Truncated | Nearest, [quotient, ..]) => whole(quotient),
                _ => None,
            },
            // A real number that becomes a whole one.
            Value::Convert(Type::Integer(..), inner) => {
                whole(inner).or_else(|| Self::of(inner, meaning))
            }
            Value::Convert(_, inner) => Self::of(inner, meaning),
            _ => None,
        }
    }

    /// Whether a comparison asks if less of the period is over than something.
    fn ends_within_step(&self, op: BinaryOp) -> bool {
        self.part == Part::Rest && matches!(op, BinaryOp::Less | BinaryOp::LessOrEqual)
    }

    /// Whether a comparison asks if a period has ended between two times.
    fn ends_between(&self, op: BinaryOp, other: &Periods) -> bool {
        use BinaryOp::{Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
        if self.period != other.period || self.part != other.part {
            return false;
        }
        match (self.part, op) {
            (Part::Whole, NotEqual) => self.time != other.time,
            (Part::Whole, Greater) => other.is_before(self),
            (Part::Whole, Less) => self.is_before(other),
            // Of the earlier time, more of its period was over.
            (Part::Rest, Greater | GreaterOrEqual) => self.is_before(other),
            (Part::Rest, Less | LessOrEqual) => other.is_before(self),
            _ => false,
        }
    }

    /// Whether one time is the other without a step: `time - step` of `time`, `time` of `time + step`.
    fn is_before(&self, later: &Periods) -> bool {
        let without = |value: &Value, op, of: &Value| match value.unconverted() {
            Value::Binary(found, from, step) if *found == op => {
                let is_step = !matches!(step.unconverted(), Value::Unary(..));
                is_step && from.unconverted() == of.unconverted()
            }
            _ => false,
        };
        without(self.time, BinaryOp::Subtract, later.time)
            || without(later.time, BinaryOp::Add, self.time)
    }
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
