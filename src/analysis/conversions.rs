//! What is left of numbers in the types that store and compare them.
//!
//! ```text
//! int n = 11 * 1.55;            17, as a conversion cuts off
//! unsigned char c = 300;        44, as numbers that do not fit begin again
//! unsigned n = 3, m = 5;        n - m is 4294967294
//! ```
//!
//! Only numbers that are known are taken round: of all others it is assumed that they fit.

use super::counted_loop::Counted;
use super::facts::Origin;
use super::symbols::Symbols;
use super::totals::extreme;
use crate::expr::{Comparison, Expr, Lookup, Symbol};
use crate::intrinsics::Meaning;
use crate::ir::visit::each_value;
use crate::ir::{BinaryOp, Sign, Type, Value, VarId, fold, wider};

/// Constants that name each other are followed no deeper.
const DEPTH: u32 = 16;
/// A real number that is nearer to a whole one may be on either side of it, as the program rounds.
const CLEARLY: f64 = 1e-5;

impl Symbols<'_> {
    /// What is left of a value in a type of whole numbers.
    pub(super) fn stored(&mut self, ty: &Type, operand: &Value) -> Option<Expr> {
        if self.is_whole(operand) {
            let expr = self.expression(operand)?;
            let is_truth = matches!(ty, Type::Logical(_))
                && matches!(operand.ty(self.function), Type::Integer(..));
            return Some(match is_truth {
                true => {
                    let (one, none) = (Expr::from(1.0), Expr::from(0.0));
                    Expr::choose(Comparison::NotEqual, expr, none.clone(), one, none)
                }
                false if is_of_sizes(operand) => self.narrowed(ty, expr),
                false => self.fitted(ty, expr),
            });
        }
        let expr = match operand {
            Value::Call {
                name, arguments, ..
            } => {
                let meaning = self.effects.target(name).meaning()?;
                self.rounded(meaning, arguments)?
            }
            _ => self.real(operand)?.truncated(),
        };
        Some(self.fitted(ty, expr))
    }

    /// What a function that makes whole numbers of real ones gives.
    pub(super) fn rounded(&mut self, meaning: Meaning, arguments: &[Value]) -> Option<Expr> {
        let of = self.real(arguments.first()?)?;
        Some(match meaning {
            Meaning::Truncated => of.truncated(),
            Meaning::Floor => of.floor(),
            Meaning::Ceiling => of.ceiling(),
            // Halves go away from zero.
            Meaning::Nearest => {
                let number = self.number(&of)?;
                let is_half = (number.fract().abs() - 0.5).abs() < CLEARLY;
                let is_exact = !is_half || number.fract().abs() == 0.5 && !is_inexact(arguments);
                Expr::from(is_exact.then(|| number.round())?)
            }
            _ => return None,
        })
    }

    /// A real number that is made from whole ones and literals, or from numbers that are known, if it is clear which whole
    /// numbers are next to it.
    fn real(&mut self, value: &Value) -> Option<Expr> {
        // Of literals alone, each operation is rounded as the program rounds it.
        if let Some(number) = fold::literal(&self.with_constants(value, DEPTH)) {
            return Some(Expr::from(number));
        }
        let expr = self.expression(value)?;
        if let Some(number) = self.number(&expr) {
            let apart = (number - number.round()).abs();
            let is_clear = apart > CLEARLY * number.abs().max(1.0)
                || apart == 0.0 && !is_inexact(std::slice::from_ref(value));
            return is_clear.then_some(expr);
        }
        let function = self.function;
        let (mut are_whole, mut operations) = (true, 0);
        each_value(value, &mut |part| match part {
            Value::Variable(_) | Value::Element { .. } | Value::Call { .. } => {
                are_whole &= matches!(part.ty(function), Type::Integer(..));
            }
            Value::Binary(..) => operations += 1,
            _ => {}
        });
        (are_whole && (operations < 2 || !is_inexact(std::slice::from_ref(value)))).then_some(expr)
    }

    /// A value of real numbers with what its named constants stand for, as far as the user does not set them.
    fn with_constants(&self, value: &Value, depth: u32) -> Value {
        let Some(depth) = depth.checked_sub(1) else {
            return value.clone();
        };
        let again = |value: &Value| Box::new(self.with_constants(value, depth));
        match value {
            Value::Variable(id) if !self.set.contains(id) => {
                match &self.function.variable(*id).constant {
                    Some(constant) => match self.with_constants(constant, depth) {
                        Value::Integer(number) => Value::Integer(number),
                        constant => {
                            let ty = self.function.variable(*id).ty.clone();
                            Value::Convert(ty, Box::new(constant))
                        }
                    },
                    None => value.clone(),
                }
            }
            Value::Binary(op, left, right) => Value::Binary(*op, again(left), again(right)),
            Value::Unary(op, inner) => Value::Unary(*op, again(inner)),
            Value::Convert(ty, inner) => Value::Convert(ty.clone(), again(inner)),
            _ => value.clone(),
        }
    }

    /// The value of an expression, if the source gives it.
    pub(super) fn number(&self, expr: &Expr) -> Option<f64> {
        self.number_within(expr, DEPTH)
    }

    fn number_within(&self, expr: &Expr, depth: u32) -> Option<f64> {
        if let Some(number) = expr.as_number() {
            return Some(number);
        }
        let depth = depth.checked_sub(1)?;
        let symbol = |symbol: &Symbol| {
            let known = self.constants.get(symbol)?;
            let is_given = matches!(
                known.origin,
                Origin::Constant | Origin::Macro | Origin::Assigned | Origin::Initial
            );
            self.number_within(is_given.then_some(&known.value)?, depth)
        };
        expr.evaluate(&symbol as &dyn Lookup).ok()
    }

    /// What is left of a whole number in a type.
    pub(super) fn fitted(&self, ty: &Type, expr: Expr) -> Expr {
        let left = || {
            let number = Expr::from(self.number(&expr)?).as_integer()?;
            ty.wrapped(number).filter(|left| *left != number)
        };
        left().map_or(expr, Expr::from)
    }

    /// Whether known loops let a whole number begin again in a type: at their ends it is larger, or smaller, than that holds.
    pub(super) fn begins_again(&self, ty: &Type, expr: &Expr) -> bool {
        let Type::Integer(1..=4, _) = ty else {
            return false;
        };
        let mut found = vec![expr.clone()];
        for level in self.levels.iter().rev() {
            let variable = Symbol::source(&level.counted.variable);
            if !found
                .iter()
                .any(|one| one.mentions(&level.counted.variable))
            {
                continue;
            }
            let at = |expr: &Expr, end: &Expr| {
                expr.substitute(&|symbol| (*symbol == variable).then(|| end.clone()))
            };
            let ends = [&level.counted.lower, &level.counted.upper];
            found = (found.iter())
                .flat_map(|one| ends.map(|end| at(one, end)))
                .collect();
        }
        let leaves = |one: &Expr| {
            let number = self.number(one).and_then(|n| Expr::from(n).as_integer());
            number.is_some_and(|number| ty.wrapped(number) != Some(number))
        };
        found.len() > 1 && found.iter().any(leaves)
    }

    /// The same in a type so narrow that sizes may not fit, of what no loop moves.
    fn narrowed(&self, ty: &Type, expr: Expr) -> Expr {
        let name = |id: &VarId| self.function.variable(*id).name.as_str();
        let is_moved = self.loops.iter().any(|id| expr.mentions(name(id)));
        let (Type::Integer(bytes @ 1..=2, sign), None, false) = (ty, self.number(&expr), is_moved)
        else {
            return self.fitted(ty, expr);
        };
        let all = f64::from(1_u32 << (8 * bytes));
        let lowest = match sign {
            Sign::Signed => all / 2.0,
            Sign::Unsigned => 0.0,
        };
        let rounds = (expr.clone() + lowest).expand().quotient(Expr::from(all));
        expr - rounds.floor() * all
    }

    /// The result of an operation on whole numbers, as the type of the operation has it; `None` of a number that overflows.
    pub(super) fn in_type(&self, op: BinaryOp, sides: [&Value; 2], result: Expr) -> Option<Expr> {
        let [left, right] = sides.map(|side| side.ty(self.function));
        let may_leave = matches!(
            op,
            BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Power
        );
        if !may_leave {
            return Some(result);
        }
        let both = wider(left, right);
        let is_small = matches!(both, Type::Integer(1 | 2, _));
        if both.is_unsigned() {
            return Some(self.fitted(&both, result));
        }
        // Fortran computes in the kind of its operands.
        if is_small && !self.function.conventions.has_pointers() {
            return Some(self.fitted(&both, result));
        }
        let both = if is_small { Type::integer(4) } else { both };
        let overflows = |number: f64| {
            let number = Expr::from(number).as_integer();
            both.bytes() == Some(4) && number.and_then(|number| both.computed(number)).is_none()
        };
        let is_known = |number: &f64| number.fract() == 0.0;
        (!self.number(&result).filter(is_known).is_some_and(overflows)).then_some(result)
    }

    /// Both operands of a division as its type has them: of those without a sign, none is negative. `None` of one that is
    /// more than a whole number of ours holds.
    pub(super) fn as_operands(
        &self,
        sides: [&Value; 2],
        (a, b): (Expr, Expr),
    ) -> Option<(Expr, Expr)> {
        let [left, right] = sides.map(|side| side.ty(self.function));
        let both = wider(left, right);
        if !both.is_unsigned() {
            return Some((a, b));
        }
        let (a, b) = (self.fitted(&both, a), self.fitted(&both, b));
        let is_negative = |expr: &Expr| self.number(expr).is_some_and(|number| number < 0.0);
        (!is_negative(&a) && !is_negative(&b)).then_some((a, b))
    }

    /// Both sides of a comparison of whole numbers: a negative one is compared with one without a sign as a large one.
    pub(super) fn sides(&mut self, left: &Value, right: &Value) -> Option<(Expr, Expr)> {
        let both = wider(left.ty(self.function), right.ty(self.function));
        let (left, right) = (self.expression(left)?, self.expression(right)?);
        if !both.is_unsigned() {
            return Some((left, right));
        }
        let is_open = |expr: &Expr| self.number(expr).is_none() && self.goes_below_zero(expr);
        if is_open(&left) || is_open(&right) {
            return None;
        }
        Some((
            self.without_negative(&both, left),
            self.without_negative(&both, right),
        ))
    }

    /// A number as a type without a sign has it, in comparisons.
    pub(super) fn without_negative(&self, ty: &Type, expr: Expr) -> Expr {
        match (ty, self.number(&expr)) {
            // More than a whole number of ours holds.
            (Type::Integer(8, Sign::Unsigned), Some(number)) if number < 0.0 => {
                Expr::from(number + 2_f64.powi(64))
            }
            _ => self.fitted(ty, expr),
        }
    }

    /// Whether what the loops around move is a number below zero in some of their iterations.
    pub(super) fn goes_below_zero(&self, expr: &Expr) -> bool {
        let around: Vec<&Counted> = self.levels.iter().map(|level| &level.counted).collect();
        extreme(expr, &around, false)
            .and_then(|low| self.number(&low))
            .is_some_and(|low| low < 0.0)
    }

    /// Whether a type of few bytes holds all of what a loop moves, as far as its ends are known.
    pub(super) fn holds_all(&self, ty: &Type, expr: &Expr, counted: &Counted) -> bool {
        let ends = [false, true].map(|largest| {
            let end = extreme(expr, &[counted], largest)?;
            Expr::from(self.number(&end)?).as_integer()
        });
        let fits = |end: i64| ty.wrapped(end) == Some(end);
        ends.into_iter().flatten().all(fits)
    }
}

/// Whether a value is made of variables and numbers alone.
fn is_of_sizes(value: &Value) -> bool {
    let mut found = true;
    each_value(value, &mut |part| {
        found &= matches!(
            part,
            Value::Variable(_) | Value::Integer(_) | Value::Binary(..) | Value::Convert(..)
        );
    });
    found
}

/// Whether a binary computer rounds any of the literals, or a division does.
fn is_inexact(values: &[Value]) -> bool {
    let mut found = false;
    for value in values {
        each_value(value, &mut |part| {
            found |= match part {
                Value::Real(number, _) => (number * 1024.0).fract() != 0.0,
                Value::Binary(BinaryOp::Divide, _, divisor) => match &**divisor {
                    Value::Real(number, _) => number.abs().log2().fract() != 0.0,
                    Value::Integer(number) => number.unsigned_abs().count_ones() != 1,
                    _ => true,
                },
                Value::Binary(BinaryOp::Power, ..) => true,
                _ => false,
            };
        });
    }
    found
}
