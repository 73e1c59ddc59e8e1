//! Integer values of the source as symbolic expressions: bounds, steps, subscripts.

use std::collections::BTreeSet;

use super::facts::{Constant, Origin};
use super::symbols::{Known, Start, Symbols};
use crate::expr::{self, Comparison, Expr, Node, Symbol};
use crate::intrinsics::Meaning;
use crate::ir::visit::{each_value, variables_of};
use crate::ir::{
    self, BinaryOp, ConstantOrigin, Function, Role, Type, UnaryOp, Value, VarId, fold,
};

/// `a < b ? a : b` and its relatives are the smaller or the larger of both.
pub fn extreme_of(
    comparison: Comparison,
    [left, right]: [&Expr; 2],
    [then, otherwise]: [&Expr; 2],
) -> Option<Expr> {
    let both = || [then.clone(), otherwise.clone()];
    let is_less = match comparison {
        Comparison::Less | Comparison::LessOrEqual => true,
        Comparison::Greater | Comparison::GreaterOrEqual => false,
        _ => return None,
    };
    let takes_left = match (left == then, right == otherwise) {
        (true, true) => true,
        _ if left == otherwise && right == then => false,
        _ => return None,
    };
    Some(match is_less == takes_left {
        true => Expr::min(both()),
        false => Expr::max(both()),
    })
}

/// Whether a whole number that a comparison turns back at a limit is the smaller of both values, as `x >= n ? 2*n - 2 - x : x`
/// is, or the larger one, as `x < 0 ? -x : x`; two sides are `apart`. The values come closer by two for each by which the sides
/// do, and are the same at the limit or just before it.
fn turns_back(comparison: Comparison, apart: &Expr, [then, otherwise]: [&Expr; 2]) -> Option<bool> {
    let further = (then - otherwise).expand();
    let beyond = |by: f64| (&further + &(apart.clone() * by)).expand().as_number();
    // The sides as they are, or each in place of the other.
    let (comparison, rest) = match (beyond(2.0), beyond(-2.0)) {
        (Some(rest), _) => (comparison, rest),
        (_, Some(rest)) => (comparison.turned(), rest),
        _ => return None,
    };
    let (is_min, rests) = match comparison {
        Comparison::Less => (false, -2.0..=0.0),
        Comparison::LessOrEqual => (false, 0.0..=2.0),
        Comparison::Greater => (true, 0.0..=2.0),
        Comparison::GreaterOrEqual => (true, -2.0..=0.0),
        Comparison::Equal | Comparison::NotEqual => return None,
    };
    rests.contains(&rest).then_some(is_min)
}

/// What a whole number is that a comparison keeps from passing a limit, two sides being `apart`: the smaller or the larger of
/// both values, as of `a < b ? b : a`, and of `a >= b ? b - 1 : a`. One that is kept from passing another limit, too,
/// `a < b ? b : a > c ? c : a`, is taken to have that beyond this one.
pub fn limited(
    comparison: Comparison,
    apart: &Expr,
    [then, otherwise]: [&Expr; 2],
) -> Option<Expr> {
    let (is_greater, slack) = match comparison {
        Comparison::Less => (false, -1.0),
        Comparison::LessOrEqual => (false, 1.0),
        Comparison::Greater => (true, 1.0),
        Comparison::GreaterOrEqual => (true, -1.0),
        Comparison::Equal | Comparison::NotEqual => return None,
    };
    let is_min = |then: &Expr, otherwise: &Expr| {
        let further = (otherwise - then).expand();
        let is_by = |expr: Expr| {
            let by = (apart - &expr).expand().as_number();
            by.is_some_and(|by| by == 0.0 || by == slack)
        };
        match (is_by(further.clone()), is_by(-further)) {
            (true, _) => Some(is_greater),
            (_, true) => Some(!is_greater),
            _ => None,
        }
    };
    let beyond = |limits: &Expr, is_min: &dyn Fn(&Expr) -> Option<bool>| {
        let Node::Call(function @ (expr::Function::Min | expr::Function::Max), values) =
            limits.node()
        else {
            return None;
        };
        let found = values.iter().find_map(is_min)?;
        (found != (*function == expr::Function::Min)).then_some(found)
    };
    let found = is_min(then, otherwise)
        .or_else(|| beyond(otherwise, &|value| is_min(then, value)))
        .or_else(|| beyond(then, &|value| is_min(value, otherwise)))
        .or_else(|| turns_back(comparison, apart, [then, otherwise]))
        .or_else(|| {
            let turned = |value: &Expr| turns_back(comparison, apart, [then, value]);
            beyond(otherwise, &turned)
        })?;
    let both = [then.clone(), otherwise.clone()];
    Some(match found {
        true => Expr::min(both),
        false => Expr::max(both),
    })
}

impl Symbols<'_> {
    /// The value as an expression over loop variables and symbols; `None` if it changes in the loops
    /// in a way that cannot be expressed.
    pub fn expression(&mut self, value: &Value) -> Option<Expr> {
        match value {
            Value::Integer(n) => Some(Expr::from(*n)),
            Value::Real(x, 4) => Some(Expr::from(fold::in_single(*x))),
            Value::Real(x, _) => Some(Expr::from(*x)),
            Value::Logical(b) => Some(Expr::from(f64::from(u8::from(*b)))),
            Value::Variable(id) => self.variable(*id),
            Value::Unary(op @ (UnaryOp::Negate | UnaryOp::Complement), operand)
                if self.is_integer(operand) =>
            {
                let negative = -self.expression(operand)?;
                let result = match op {
                    UnaryOp::Complement => negative - 1.0,
                    _ => negative,
                };
                self.in_type(BinaryOp::Subtract, [operand, operand], result)
                    .or_else(|| self.text_symbol(value))
            }
            Value::Unary(UnaryOp::Negate, operand) => Some(-self.expression(operand)?),
            Value::Unary(UnaryOp::Not, _) if truth(value, self.function).is_some() => {
                self.operand(value)
            }
            Value::Binary(op, left, right) => self
                .binary(*op, left, right)
                .or_else(|| self.text_symbol(value)),
            Value::Convert(ty, operand) if self.is_integer(value) => {
                self.stored(ty, operand).or_else(|| self.text_symbol(value))
            }
            Value::Call {
                name,
                arguments,
                ty,
            } => self
                .call(name, arguments)
                .map(|result| self.fitted(ty, result))
                .or_else(|| self.text_symbol(value)),
            Value::Select(condition, then, otherwise) => self
                .select(condition, then, otherwise)
                .or_else(|| self.text_symbol(value)),
            _ => self.text_symbol(value),
        }
    }

    /// A bound or step. One that divides by what changes in the loops around is not taken: in the
    /// middle of their ranges, where an estimate would look, the divisor may be zero.
    pub fn bound(&mut self, value: &Value) -> Option<Expr> {
        let expr = self.expression(value)?;
        let names = self
            .loops
            .iter()
            .map(|id| self.function.variable(*id).name.as_str());
        let names: Vec<&str> = names.collect();
        (!divides_by(&expr, &names)).then_some(expr)
    }

    fn variable(&mut self, id: VarId) -> Option<Expr> {
        let variable = self.function.variable(id);
        if !self.loops.contains(&id) {
            match self.known.get(&id) {
                // How often it has been advanced, data or other branches say.
                Some(Known::Is(_)) if self.halting.contains(&id) && !self.may_move => return None,
                Some(Known::Is(expr)) => return Some(expr.clone()),
                Some(Known::Changes { depth, .. }) => return self.moving(id, *depth),
                Some(Known::Points(_) | Known::OneOf(_)) => return None,
                None => {}
            }
            let origin = match variable.role {
                Role::Constant(ConstantOrigin::Macro) => Origin::Macro,
                Role::Constant(_) => Origin::Constant,
                _ => Origin::Assigned,
            };
            let value = variable
                .constant
                .as_ref()
                .filter(|_| !self.set.contains(&id))
                .or_else(|| self.assigned_once.get(&id)?.as_ref())
                .filter(|value| {
                    self.is_of_constants(value) || !is_from_reals(value, self.function)
                });
            let symbol = Symbol::source(&variable.name);
            if let Some(value) = value
                && !self.constants.contains_key(&symbol)
            {
                let value = value.clone();
                let constant = |value| Constant {
                    symbol: symbol.clone(),
                    value,
                    origin,
                };
                // Reserved before the value is looked at: constants that refer to each other end here.
                let placeholder = constant(Expr::from(symbol.clone()));
                self.constants.insert(symbol.clone(), placeholder);
                // Of real numbers nothing but their number says more than the whole program does.
                let is_from_reals = is_from_reals(&value, self.function);
                let mentioned = is_from_reals.then(|| self.mentioned.clone());
                let found = self.expression(&value).filter(|v| !v.mentions(&symbol));
                match found.filter(|v| !is_from_reals || v.as_number().is_some()) {
                    Some(value) => self.constants.insert(symbol.clone(), constant(value)),
                    None => {
                        if let Some(mentioned) = mentioned {
                            self.mentioned = mentioned;
                        }
                        self.constants.remove(&symbol)
                    }
                };
            }
            self.mentioned
                .entry(symbol)
                .or_insert_with(|| Value::Variable(id));
        }
        let symbol = Expr::symbol(&variable.name);
        let start = self.starts.get(&id).filter(|_| self.loops.contains(&id));
        Some(match start {
            Some(Start::Exact(by)) => symbol + by.clone(),
            Some(Start::Estimated(by)) if self.may_move => symbol + by.clone(),
            _ => symbol,
        })
    }

    /// Whether a value is made of literals and named constants alone that the user does not set.
    fn is_of_constants(&self, value: &Value) -> bool {
        let mut found = true;
        each_value(value, &mut |part| {
            found &= match part {
                Value::Variable(id) => {
                    self.function.variable(*id).constant.is_some() && !self.set.contains(id)
                }
                Value::Element { .. } | Value::Opaque { .. } => false,
                _ => true,
            };
        });
        found
    }

    fn binary(&mut self, op: BinaryOp, left: &Value, right: &Value) -> Option<Expr> {
        let integers = self.is_integer(left) && self.is_integer(right);
        let sides = (self.operand(left)?, self.operand(right)?);
        let (a, b) = match op {
            BinaryOp::Divide | BinaryOp::Remainder if integers => {
                let (a, b) = self.as_operands([left, right], sides)?;
                // No language says what is left of a division by nothing.
                (self.number(&b) != Some(0.0)).then_some((a, b))?
            }
            _ => sides,
        };
        let result = match op {
            BinaryOp::Add => a + b,
            BinaryOp::Subtract => a - b,
            BinaryOp::Multiply => a * b,
            BinaryOp::Divide if integers => integer_quotient(a, b),
            BinaryOp::Divide => a.quotient(b),
            BinaryOp::ShiftRight => self.shifted(a, b),
            BinaryOp::Remainder => remainder(a, b),
            // One over a whole number is cut off.
            BinaryOp::Power if integers && b.as_number().is_some_and(|b| b < 0.0) => {
                a.power(b).truncated()
            }
            BinaryOp::Power => a.power(b),
            op if op.is_bitwise() && integers => {
                let known = [&a, &b].map(|side| Expr::from(self.number(side)?).as_integer());
                bits(op, [a, b], known)?
            }
            _ => return None,
        };
        match integers {
            true => self.in_type(op, [left, right], result),
            false => Some(result),
        }
    }

    /// One side of a computation; a comparison counts as one or nothing there, as in `n/size + (rank < n % size)`, and so do
    /// several of which all have to hold, or one.
    fn operand(&mut self, value: &Value) -> Option<Expr> {
        if let Some((op, sides)) = joined(value) {
            let [left, right] = sides.map(|side| Some(one_if(self.operand(side)?)));
            return Some(one_if_joined(op, left?, right?));
        }
        let Some((comparison, left, right)) = truth(value, self.function) else {
            return self.expression(value);
        };
        let (left, right) = match self.is_integer(left) && self.is_integer(right) {
            true if truth(left, self.function).is_none()
                && truth(right, self.function).is_none() =>
            {
                self.sides(left, right)?
            }
            _ => (self.operand(left)?, self.operand(right)?),
        };
        Some(one_or_nothing(comparison, left, right))
    }

    /// `a >> 1`: a number that is above zero is divided as others are, so that formulas stay alike.
    fn shifted(&self, a: Expr, b: Expr) -> Expr {
        let is_moved = || {
            let name = |id: &VarId| self.function.variable(*id).name.as_str();
            self.loops.iter().any(|id| a.mentions(name(id)))
        };
        let goes_down = match self.number(&a) {
            Some(number) => number < 0.0,
            None => is_moved(),
        };
        match goes_down {
            true => lower_quotient(a, b),
            false => integer_quotient(a, b),
        }
    }

    fn call(&mut self, name: &str, arguments: &[Value]) -> Option<Expr> {
        let meaning = self.effects.target(name).meaning()?;
        // The same in whole numbers, whatever type they have.
        if !arguments.iter().all(|argument| self.is_whole(argument)) {
            return self.rounded(meaning, arguments);
        }
        let mut values = Vec::new();
        for argument in arguments {
            values.push(self.expression(argument)?);
        }
        of_whole_numbers(meaning, values)
    }

    fn select(&mut self, condition: &Value, then: &Value, otherwise: &Value) -> Option<Expr> {
        if let Some(is_true) = fold::value(self.function, condition) {
            return self.expression(if is_true != 0 { then } else { otherwise });
        }
        let Value::Binary(op, left, right) = condition else {
            return None;
        };
        let comparison = compared_by(*op)?;
        let are_whole = [left, right].iter().all(|side| self.is_integer(side));
        let (left, right) = self.sides(left, right)?;
        let (then, otherwise) = (self.expression(then)?, self.expression(otherwise)?);
        let arms = [&then, &otherwise];
        let extreme = extreme_of(comparison, [&left, &right], arms).or_else(|| {
            let apart = (&left - &right).expand();
            are_whole
                .then(|| limited(comparison, &apart, arms))
                .flatten()
        });
        Some(extreme.unwrap_or_else(|| Expr::choose(comparison, left, right, then, otherwise)))
    }

    /// A symbol named by the source text, for a value that stays the same in the enclosing loops:
    /// `hi(1)`, `n[0]`, `ubound(x,2)`.
    fn text_symbol(&mut self, value: &Value) -> Option<Expr> {
        let mut used = BTreeSet::new();
        variables_of(value, &mut used);
        let loops: Vec<&str> = self
            .loops
            .iter()
            .map(|id| self.function.variable(*id).name.as_str())
            .collect();
        let changes = |id: &VarId| match self.known.get(id) {
            Some(Known::Is(expr)) => {
                loops.iter().any(|name| expr.mentions(name)) || !self.levels.is_empty()
            }
            Some(_) => true,
            None => self.loops.contains(id),
        };
        let opaque = value.has_no_number() || matches!(value, Value::Text(_));
        if opaque || used.iter().any(|id| changes(id) || self.root_changes(*id)) {
            return None;
        }
        if !has_text(value) {
            return None;
        }
        let symbol = Symbol::source(&self.text(value));
        self.mentioned
            .entry(symbol.clone())
            .or_insert_with(|| value.clone());
        Some(Expr::from(symbol))
    }

    /// Whether a value is a whole number although its type may be real: the largest of integers as `fmax` has it.
    pub(super) fn is_whole(&self, value: &Value) -> bool {
        match value {
            Value::Call {
                name, arguments, ..
            } if !self.is_integer(value) => {
                matches!(self.effects.target(name).meaning(), Some(meaning) if keeps_whole(meaning))
                    && arguments.iter().all(|argument| self.is_whole(argument))
            }
            Value::Real(number, _) => number.fract() == 0.0,
            Value::Convert(_, inner) => self.is_whole(inner),
            _ => self.is_integer(value),
        }
    }

    pub fn is_integer(&self, value: &Value) -> bool {
        matches!(
            value.ty(self.function),
            Type::Integer(..) | Type::Unknown | Type::Logical(_) | Type::Character(_)
        )
    }

    /// The value as the source has it, compact; for names and reports.
    pub fn text(&self, value: &Value) -> String {
        ir::source_text(value, self.function)
    }
}

/// Whether a function makes whole numbers of whole numbers, though its type is real.
fn keeps_whole(meaning: Meaning) -> bool {
    use Meaning::{Absolute, Maximum, Minimum};
    matches!(meaning, Minimum | Maximum | Absolute)
}

/// The value of a function of whole numbers; behind the one that is rounded may stand the kind of the result.
pub fn of_whole_numbers(meaning: Meaning, mut values: Vec<Expr>) -> Option<Expr> {
    use Meaning::{Ceiling, CommonBits, Floor, Modulo, Nearest, Remainder, Truncated};
    match (meaning, values.len()) {
        (Truncated | Nearest | Floor | Ceiling, 1..) => Some(values.remove(0)),
        (Remainder, 2) if !values[1].is_zero() => {
            Some(remainder(values.remove(0), values.remove(0)))
        }
        (CommonBits, 2) => lowest_bits(values.remove(0), values.remove(0)),
        (Modulo, 2) if !values[1].is_zero() => {
            let (a, b) = (values.remove(0), values.remove(0));
            Some(a.clone() - b.clone() * a.quotient(b).floor())
        }
        _ => extreme_or_absolute(meaning, values),
    }
}

/// The smallest or the largest of numbers, or the absolute value of one.
pub fn extreme_or_absolute(meaning: Meaning, mut values: Vec<Expr>) -> Option<Expr> {
    Some(match (meaning, values.len()) {
        (Meaning::Minimum, 1..) => Expr::min(values),
        (Meaning::Maximum, 1..) => Expr::max(values),
        (Meaning::Absolute, 1) => values.remove(0).absolute(),
        _ => return None,
    })
}

/// Whether a whole number is made from real ones, which the whole program is looked through for.
pub fn is_from_reals(value: &Value, function: &Function) -> bool {
    let mut found = false;
    each_value(value, &mut |part| {
        let is_number = matches!(
            part,
            Value::Variable(_) | Value::Binary(..) | Value::Call { .. }
        );
        found |= is_number && matches!(part.ty(function), Type::Real(_));
    });
    found
}

/// Whether the text of a value says which it is: no part of it could not be read, and every operator has a sign of its own.
fn has_text(value: &Value) -> bool {
    match value {
        Value::Opaque { .. } | Value::Section(_) | Value::Row => false,
        Value::Binary(BinaryOp::Other, ..) => false,
        Value::Binary(_, left, right) => has_text(left) && has_text(right),
        Value::Address { of: inner, .. } | Value::Unary(_, inner) | Value::Convert(_, inner) => {
            has_text(inner)
        }
        Value::Element { subscripts, .. } => subscripts.iter().all(has_text),
        Value::Call { arguments, .. } => arguments.iter().all(has_text),
        Value::Select(condition, then, otherwise) => [condition, then, otherwise]
            .into_iter()
            .all(|v| has_text(v)),
        Value::Integer(_)
        | Value::Real(..)
        | Value::Logical(_)
        | Value::Text(_)
        | Value::Variable(_) => true,
    }
}

fn divides_by(expr: &Expr, names: &[&str]) -> bool {
    let here = match expr.node() {
        Node::Quotient(_, divisor) => names.iter().any(|name| divisor.mentions(name)),
        _ => false,
    };
    here || expr.children().any(|child| divides_by(child, names))
}

/// `a/b` where every coefficient of `a` is a multiple of the number `b`: no truncation happens.
fn exact_quotient(a: &Expr, b: &Expr) -> Option<Expr> {
    let divisor = b.as_integer().filter(|divisor| *divisor != 0)?;
    a.as_integer()
        .filter(|n| n % divisor == 0)
        .map(|n| Expr::from(n / divisor))
}

/// `a/b` of whole numbers, as C and Fortran divide them.
pub fn integer_quotient(a: Expr, b: Expr) -> Expr {
    exact_quotient(&a, &b).unwrap_or_else(|| a.quotient(b).truncated())
}

/// `a/b` of whole numbers, going down also below zero.
pub fn lower_quotient(a: Expr, b: Expr) -> Expr {
    exact_quotient(&a, &b).unwrap_or_else(|| a.quotient(b).floor())
}

/// `a mod b` with the sign of `a`, as in C and Fortran.
pub fn remainder(a: Expr, b: Expr) -> Expr {
    a.clone() - b.clone() * a.quotient(b).truncated()
}

/// What an operator on bits gives: of known numbers a number.
pub(super) fn bits(op: BinaryOp, [a, b]: [Expr; 2], known: [Option<i64>; 2]) -> Option<Expr> {
    match known {
        [Some(left), Some(right)] => fold::arithmetic(op, left, right).map(Expr::from),
        _ if op == BinaryOp::BitAnd => lowest_bits(a, b),
        _ => None,
    }
}

/// `a & 7`: what is left of a division by eight, never negative, whatever sign `a` has.
pub(super) fn lowest_bits(a: Expr, b: Expr) -> Option<Expr> {
    let (value, mask) = match (a.as_integer(), b.as_integer()) {
        (_, Some(mask)) => (a, mask),
        (Some(mask), None) => (b, mask),
        _ => return None,
    };
    let count = power_above(mask)?;
    of_whole_numbers(Meaning::Modulo, vec![value, Expr::from(count)])
}

/// The power of two that is one more than a number.
pub(super) fn power_above(mask: i64) -> Option<i64> {
    let next = mask.checked_add(1).filter(|_| mask > 0)?;
    (next.count_ones() == 1).then_some(next)
}

/// What a value compares that is a comparison of whole numbers; `!x` asks whether `x` is zero.
pub(super) fn truth<'v>(
    value: &'v Value,
    function: &Function,
) -> Option<(Comparison, &'v Value, &'v Value)> {
    const ZERO: &Value = &Value::Integer(0);
    let (comparison, left, right) = match value.unconverted() {
        Value::Binary(op, left, right) => (compared_by(*op)?, &**left, &**right),
        Value::Unary(UnaryOp::Not, inner) => (Comparison::Equal, &**inner, ZERO),
        _ => return None,
    };
    let is_number = |side: &Value| {
        matches!(side.ty(function), Type::Integer(..)) || truth(side, function).is_some()
    };
    (is_number(left) && is_number(right)).then_some((comparison, left, right))
}

/// The sides of which all have to hold, or one.
pub(super) fn joined(value: &Value) -> Option<(BinaryOp, [&Value; 2])> {
    match value.unconverted() {
        Value::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
            Some((*op, [&**left, &**right]))
        }
        _ => None,
    }
}

/// Whether a number is none, as a number.
pub(super) fn one_if(number: Expr) -> Expr {
    one_or_nothing(Comparison::NotEqual, number, Expr::from(0.0))
}

/// What two numbers that are one or nothing come to where both have to be one, or any.
pub(super) fn one_if_joined(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    let (one, none) = (Expr::from(1.0), Expr::from(0.0));
    let (then, otherwise) = match op {
        BinaryOp::And => (right, none.clone()),
        _ => (one, right),
    };
    Expr::choose(Comparison::NotEqual, left, none, then, otherwise)
}

/// A comparison as a number.
pub(super) fn one_or_nothing(comparison: Comparison, left: Expr, right: Expr) -> Expr {
    Expr::choose(comparison, left, right, Expr::from(1.0), Expr::from(0.0))
}

/// What an operator compares by; `None` of one that compares nothing.
pub(super) fn compared_by(op: BinaryOp) -> Option<Comparison> {
    Some(match op {
        BinaryOp::Less => Comparison::Less,
        BinaryOp::LessOrEqual => Comparison::LessOrEqual,
        BinaryOp::Greater => Comparison::Greater,
        BinaryOp::GreaterOrEqual => Comparison::GreaterOrEqual,
        BinaryOp::Equal => Comparison::Equal,
        BinaryOp::NotEqual => Comparison::NotEqual,
        _ => return None,
    })
}
