//! Which operations a value does, by kind and type (guide: static-model, "Operations").
//!
//! Types decide: integer arithmetic and subscripts are never counted. Operations on literals and
//! named constants only are done by the compiler and not counted.

use std::collections::BTreeSet;

use super::facts::{Flops, OperationCounts};
use crate::intrinsics::{IntrinsicKind, Intrinsics};
use crate::ir::visit::each_value;
use crate::ir::{
    BinaryOp, ConstantOrigin, Function, Prototypes, Role, Type, UnaryOp, Value, is_address,
    source_text, wider,
};
use crate::reason::ReasonCode;

/// Exponents up to this size are done by repeated multiplication.
const LARGEST_EXPANDED_POWER: f64 = 64.0;

/// Which values a choice between two, `c ? a : b`, counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choices {
    /// Both of them, whichever is chosen.
    Both,
    /// Neither, nor the condition, where either does work of its own: it is a branch.
    Apart,
}

/// Counts operations in the values of one function.
pub struct FlopCounter<'f> {
    pub function: &'f Function,
    pub choices: Choices,
    pub flops: Flops,
    /// Operations that could not be counted because a type is unknown or a callee reduces an array.
    pub uncounted: BTreeSet<(ReasonCode, String)>,
}

/// Whether one of the values between which `c ? a : b` chooses does work of its own: floating-point operations, or accesses to
/// elements that the condition does not touch. Others are as cheap as the choice.
pub fn chooses_work(value: &Value, function: &Function) -> bool {
    let Value::Select(condition, then, otherwise) = value else {
        return false;
    };
    if value.extremum().is_some() {
        return false;
    }
    let mut asked = Vec::new();
    each_value(condition, &mut |part| {
        if matches!(part, Value::Element { .. }) {
            asked.push(part);
        }
    });
    [then, otherwise].into_iter().any(|arm| {
        let mut counter = FlopCounter::new(function);
        counter.count(arm);
        let mut works = counter.flops.total().flops() > 0;
        each_value(arm, &mut |part| {
            works |= matches!(part, Value::Element { .. }) && !asked.contains(&part);
        });
        works
    })
}

impl<'f> FlopCounter<'f> {
    pub fn new(function: &'f Function) -> FlopCounter<'f> {
        FlopCounter {
            function,
            choices: Choices::Both,
            flops: Flops::default(),
            uncounted: BTreeSet::new(),
        }
    }

    /// Counts every operator in `value`, subscripts excluded.
    pub fn count(&mut self, value: &Value) {
        match value {
            Value::Binary(op, left, right) => {
                self.count(left);
                self.count(right);
                self.binary(*op, left, right);
            }
            Value::Unary(op, operand) => {
                self.count(operand);
                let ty = operand.ty(self.function);
                if *op == UnaryOp::Negate && ty.is_floating() && !self.is_constant(operand) {
                    self.add(
                        &ty,
                        OperationCounts {
                            negations: 1,
                            ..Default::default()
                        },
                    );
                }
            }
            Value::Convert(ty, operand) => {
                self.count(operand);
                self.conversion(ty, operand);
            }
            Value::Call {
                name,
                arguments,
                ty,
            } => {
                arguments.iter().for_each(|argument| self.count(argument));
                self.call(name, arguments, ty);
            }
            Value::Select(condition, then, otherwise) => {
                match value.extremum() {
                    // `a < b ? a : b` has each operand once, as `min(a, b)` has.
                    Some((left, right)) => {
                        [left, right].into_iter().for_each(|v| self.count(v));
                        let ty = value.ty(self.function);
                        let is_constant = self.is_constant(left) && self.is_constant(right);
                        if ty.is_floating() && !is_constant {
                            self.add(
                                &ty,
                                OperationCounts {
                                    selections: 1,
                                    ..Default::default()
                                },
                            );
                        }
                    }
                    None if self.choices == Choices::Apart
                        && chooses_work(value, self.function) => {}
                    None => {
                        [condition, then, otherwise]
                            .into_iter()
                            .for_each(|v| self.count(v));
                        let ty = value.ty(self.function);
                        [then, otherwise]
                            .into_iter()
                            .for_each(|operand| self.operand(&ty, operand));
                    }
                }
            }
            Value::Opaque { inner, .. } => inner.iter().for_each(|v| self.count(v)),
            Value::Section(parts) => parts.iter().for_each(|v| self.count(v)),
            Value::Address { of, .. } => self.count(of),
            Value::Row => {}
            Value::Integer(_)
            | Value::Real(..)
            | Value::Logical(_)
            | Value::Text(_)
            | Value::Variable(_)
            | Value::Element { .. } => {}
        }
    }

    /// Counts an operator or a call, without those in its operands.
    pub fn count_own(&mut self, value: &Value) {
        match value {
            Value::Binary(op, left, right) => self.binary(*op, left, right),
            Value::Call {
                name,
                arguments,
                ty,
            } => self.call(name, arguments, ty),
            _ => {}
        }
    }

    /// Counts the conversion that an assignment or a cast to `ty` does.
    pub fn conversion(&mut self, ty: &Type, operand: &Value) {
        if self.function.conventions.has_pointers() && is_address(operand, self.function) {
            return;
        }
        let from = operand.ty(self.function);
        let conversions = conversions(&from, ty);
        if conversions > 0 && !self.is_constant(operand) {
            let floating = if ty.is_floating() { ty } else { &from };
            self.add(
                &floating.clone(),
                OperationCounts {
                    conversions,
                    ..Default::default()
                },
            );
        }
    }

    /// Counts the conversion of an operand to the type `ty` that an operation is done in.
    fn operand(&mut self, ty: &Type, operand: &Value) {
        if ty.is_floating() {
            self.conversion(ty, operand);
        }
    }

    fn binary(&mut self, op: BinaryOp, left: &Value, right: &Value) {
        let (left_ty, right_ty) = (left.ty(self.function), right.ty(self.function));
        if self.is_constant(left) && self.is_constant(right) {
            return;
        }
        let has_pointers = self.function.conventions.has_pointers();
        if has_pointers && (is_address(left, self.function) || is_address(right, self.function)) {
            return;
        }
        let floating = left_ty.is_floating() || right_ty.is_floating();
        let one = OperationCounts::default();
        if op.is_comparison() {
            if floating {
                let ty = wider(left_ty, right_ty);
                [left, right]
                    .into_iter()
                    .for_each(|operand| self.operand(&ty, operand));
                self.add(
                    &ty,
                    OperationCounts {
                        comparisons: 1,
                        ..one
                    },
                );
            }
            return;
        }
        if !op.is_arithmetic() {
            return;
        }
        let ty = wider(left_ty, right_ty.clone());
        if !floating {
            if ty == Type::Unknown {
                self.uncounted
                    .insert((ReasonCode::UnknownType, self.show(op, left, right)));
            }
            return;
        }
        self.operand(&ty, left);
        // A whole exponent stays one.
        if op != BinaryOp::Power || right_ty.is_floating() {
            self.operand(&ty, right);
        }
        let complex = matches!(ty, Type::Complex(_));
        // A real operand has no second part to take along.
        let mixed = complex && !(self.is_complex(left) && self.is_complex(right));
        let counts = match op {
            BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply
                if self.is_imaginary(left) || self.is_imaginary(right) =>
            {
                self.with_imaginary(op, left, right)
            }
            BinaryOp::Add | BinaryOp::Subtract if mixed => {
                let negations = u64::from(op == BinaryOp::Subtract && self.is_complex(right));
                OperationCounts {
                    adds: 1,
                    negations,
                    ..one
                }
            }
            BinaryOp::Multiply if mixed => OperationCounts {
                multiplies: 2,
                ..one
            },
            BinaryOp::Divide if mixed && self.is_complex(left) => {
                OperationCounts { divides: 2, ..one }
            }
            BinaryOp::Add | BinaryOp::Subtract if complex => OperationCounts { adds: 2, ..one },
            BinaryOp::Add | BinaryOp::Subtract => {
                let fma_pairs = u64::from(self.is_product(left) || self.is_product(right));
                OperationCounts {
                    adds: 1,
                    fma_pairs,
                    ..one
                }
            }
            BinaryOp::Multiply if complex => OperationCounts {
                adds: 2,
                multiplies: 4,
                ..one
            },
            BinaryOp::Multiply => OperationCounts {
                multiplies: 1,
                ..one
            },
            BinaryOp::Divide if complex => OperationCounts {
                adds: 3,
                multiplies: 6,
                divides: 2,
                ..one
            },
            BinaryOp::Divide => OperationCounts { divides: 1, ..one },
            _ => self.power(right, complex),
        };
        self.add(&ty, counts);
    }

    /// Whether a value is C's imaginary unit, with a sign or times a real number: it has one part.
    fn is_imaginary(&self, value: &Value) -> bool {
        let is_part = |a: &Value, b: &Value| !self.is_complex(a) && self.is_imaginary(b);
        match value {
            Value::Variable(id) => {
                let variable = self.function.variable(*id);
                variable.role == Role::Constant(ConstantOrigin::ImaginaryUnit)
            }
            Value::Unary(UnaryOp::Negate, operand) | Value::Convert(_, operand) => {
                self.is_imaginary(operand)
            }
            Value::Binary(BinaryOp::Multiply, left, right) => {
                is_part(left, right) || is_part(right, left)
            }
            _ => false,
        }
    }

    fn is_complex(&self, value: &Value) -> bool {
        matches!(value.ty(self.function), Type::Complex(_))
    }

    /// An operation with a number that has an imaginary part only: `a + b*I` puts two real numbers side by side, `z + b*I`
    /// adds to one part of `z`, `z*I` exchanges its parts.
    fn with_imaginary(&self, op: BinaryOp, left: &Value, right: &Value) -> OperationCounts {
        let none = OperationCounts::default();
        let other = if self.is_imaginary(right) {
            left
        } else {
            right
        };
        let both = self.is_imaginary(left) && self.is_imaginary(right);
        let is_unit = |v: &Value| self.is_imaginary(v) && self.is_constant(v);
        match op {
            BinaryOp::Multiply if both => OperationCounts {
                multiplies: 1,
                ..none
            },
            BinaryOp::Multiply if is_unit(left) || is_unit(right) => OperationCounts {
                negations: u64::from(self.is_complex(other)),
                ..none
            },
            BinaryOp::Multiply => OperationCounts {
                multiplies: if self.is_complex(other) { 2 } else { 1 },
                ..none
            },
            _ if both || self.is_complex(other) => OperationCounts { adds: 1, ..none },
            _ => none,
        }
    }

    /// `x**n` with a small constant whole n: ⌊log₂ n⌋ + popcount(n) − 1 multiplications, and one
    /// division if n is negative; any other power is one special.
    fn power(&self, exponent: &Value, complex: bool) -> OperationCounts {
        let none = OperationCounts::default();
        match self.constant_value(exponent) {
            Some(n) if n.fract() == 0.0 && n.abs() <= LARGEST_EXPANDED_POWER => {
                let magnitude = n.abs() as u64;
                let steps = match magnitude {
                    0 => 0,
                    _ => u64::from(magnitude.ilog2() + magnitude.count_ones() - 1),
                };
                let inverse = u64::from(n < 0.0);
                if complex {
                    OperationCounts {
                        adds: 2 * steps + 3 * inverse,
                        multiplies: 4 * steps + 6 * inverse,
                        divides: 2 * inverse,
                        ..none
                    }
                } else {
                    OperationCounts {
                        multiplies: steps,
                        divides: inverse,
                        ..none
                    }
                }
            }
            _ => OperationCounts {
                specials: 1,
                ..none
            },
        }
    }

    fn call(&mut self, name: &str, arguments: &[Value], ty: &Type) {
        let Some(intrinsic) =
            Intrinsics::builtin().lookup(self.function.conventions.language, name)
        else {
            return;
        };
        let floating = arguments
            .iter()
            .map(|a| a.ty(self.function))
            .find(Type::is_floating);
        let is_converted = self.function.conventions.prototypes == Prototypes::Fixed;
        let floating = floating.or_else(|| (is_converted && ty.is_floating()).then(|| ty.clone()));
        let Some(operand) = floating else { return };
        if !arguments.is_empty() && arguments.iter().all(|argument| self.is_constant(argument)) {
            return;
        }
        let none = OperationCounts::default();
        let counts = match intrinsic.kind {
            IntrinsicKind::Power if arguments.len() == 2 => {
                self.power(&arguments[1], matches!(operand, Type::Complex(_)))
            }
            // √(re² + im²).
            IntrinsicKind::MinMaxAbs
                if matches!(operand, Type::Complex(_)) && arguments.len() == 1 =>
            {
                let counts = OperationCounts {
                    adds: 1,
                    multiplies: 2,
                    specials: 1,
                    fma_pairs: 1,
                    ..none
                };
                let Type::Complex(size) = operand else { return };
                return self.add(&Type::Real(size / 2), counts);
            }
            IntrinsicKind::MinMaxAbs => OperationCounts {
                selections: (arguments.len().max(2) - 1) as u64,
                ..none
            },
            IntrinsicKind::Conversion => OperationCounts {
                conversions: 1,
                ..none
            },
            IntrinsicKind::Fma => OperationCounts {
                adds: 1,
                multiplies: 1,
                fma_pairs: 1,
                ..none
            },
            _ => match intrinsic.flops() {
                Some(flops) => OperationCounts {
                    adds: flops.adds.into(),
                    multiplies: flops.multiplies.into(),
                    specials: flops.specials.into(),
                    ..none
                },
                None => {
                    self.uncounted
                        .insert((ReasonCode::ArrayIntrinsic, name.to_string()));
                    none
                }
            },
        };
        self.add(&operand, counts);
    }

    fn add(&mut self, ty: &Type, counts: OperationCounts) {
        if counts != OperationCounts::default() {
            self.flops.by_type.entry(ty.into()).or_default().add(counts);
        }
    }

    fn is_product(&self, value: &Value) -> bool {
        match value {
            Value::Binary(BinaryOp::Multiply, ..) => !self.is_constant(value),
            Value::Unary(UnaryOp::Negate, operand) => self.is_product(operand),
            _ => false,
        }
    }

    /// Whether a compiler knows the value: literals and named constants only.
    pub fn is_constant(&self, value: &Value) -> bool {
        match value {
            Value::Integer(_) | Value::Real(..) | Value::Logical(_) | Value::Text(_) => true,
            Value::Variable(id) => matches!(self.function.variable(*id).role, Role::Constant(_)),
            Value::Element {
                array, subscripts, ..
            } => {
                matches!(self.function.variable(*array).role, Role::Constant(_))
                    && subscripts.iter().all(|s| self.is_constant(s))
            }
            Value::Unary(_, operand) | Value::Convert(_, operand) => self.is_constant(operand),
            Value::Binary(_, left, right) => self.is_constant(left) && self.is_constant(right),
            Value::Call {
                name, arguments, ..
            } => {
                !arguments.is_empty()
                    && Intrinsics::builtin()
                        .lookup(self.function.conventions.language, name)
                        .is_some()
                    && arguments.iter().all(|a| self.is_constant(a))
            }
            Value::Select(a, b, c) => [a, b, c].into_iter().all(|v| self.is_constant(v)),
            Value::Section(_) | Value::Row | Value::Address { .. } | Value::Opaque { .. } => false,
        }
    }

    /// The number behind a constant, through named constants.
    fn constant_value(&self, value: &Value) -> Option<f64> {
        self.constant_value_within(value, 32)
    }

    fn constant_value_within(&self, value: &Value, depth: u32) -> Option<f64> {
        let again = |v: &Value| self.constant_value_within(v, depth.checked_sub(1)?);
        match value {
            Value::Integer(n) => Some(*n as f64),
            Value::Real(x, _) => Some(*x),
            Value::Variable(id) => again(self.function.variable(*id).constant.as_ref()?),
            Value::Unary(UnaryOp::Negate, operand) => Some(-again(operand)?),
            Value::Convert(_, operand) => again(operand),
            Value::Binary(op, left, right) => {
                let (a, b) = (again(left)?, again(right)?);
                match op {
                    BinaryOp::Add => Some(a + b),
                    BinaryOp::Subtract => Some(a - b),
                    BinaryOp::Multiply => Some(a * b),
                    BinaryOp::Divide if value.ty(self.function).is_floating() => Some(a / b),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn show(&self, op: BinaryOp, left: &Value, right: &Value) -> String {
        let value = Value::binary(op, left.clone(), right.clone());
        let text = source_text(&value, self.function);
        if text.chars().count() > 60 {
            text.chars().take(57).chain("...".chars()).collect()
        } else {
            text
        }
    }
}

/// How many numbers change when a value of one type becomes one of another; a complex one has two.
fn conversions(from: &Type, to: &Type) -> u64 {
    let parts = |ty: &Type| match ty {
        Type::Real(bytes) => Some((*bytes, 1)),
        Type::Complex(bytes) => Some((bytes / 2, 2)),
        _ => None,
    };
    let is_whole = |ty: &Type| matches!(ty, Type::Integer(..) | Type::Logical(_));
    match (parts(from), parts(to)) {
        (Some((a, _)), Some((b, _))) if a == b => 0,
        (Some((_, a)), Some((_, b))) => a.min(b),
        (Some(_), None) => u64::from(is_whole(to)),
        (None, Some(_)) => u64::from(is_whole(from)),
        (None, None) => 0,
    }
}
