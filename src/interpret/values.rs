//! Values: integers that control the nest, and the reads that all others make.

use super::code::{Address, Affine, Branch, Integer, Intrinsic, Op, Reference, Subscript};
use super::compile::Compiler;
use crate::cache::AccessKind;
use crate::diagnostic::Place;
use crate::ir::{BinaryOp, Type, UnaryOp, Value, VarId};

/// Reason codes of values that are addresses.
const ADDRESS_OF: &str = "address_of";
const PARTIAL: &str = "partial_element";

impl<'a> Compiler<'a> {
    /// A value that decides about addresses or control.
    pub fn integer(&mut self, value: &'a Value) -> Integer {
        match value {
            Value::Integer(n) => Integer::Affine(Affine::constant(*n)),
            Value::Logical(b) => Integer::Affine(Affine::constant(i64::from(*b))),
            Value::Variable(id) if self.is_integer(value) && self.nest.function.variable(*id).dimensions.is_empty() => {
                Integer::Affine(Affine::slot(self.slot(*id)))
            }
            Value::Element { array, subscripts, place } if self.is_integer(value) => {
                match self.reference(*array, subscripts, place) {
                    Some(reference) => {
                        self.unknown.push(self.nest.function.variable(*array).name.clone());
                        Integer::Load(Box::new(reference))
                    }
                    None => Integer::Data(Vec::new()),
                }
            }
            Value::Unary(op, operand) if self.is_integer(operand) => match (op, self.integer(operand)) {
                (UnaryOp::Negate, Integer::Affine(affine)) => Integer::Affine(Affine::default().plus(&affine, -1)),
                (op, operand) => Integer::Unary(*op, Box::new(operand)),
            },
            Value::Unary(UnaryOp::Not, operand) => {
                let operand = self.integer(operand);
                Integer::Unary(UnaryOp::Not, Box::new(operand))
            }
            Value::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                let (left, right) = (self.integer(left), self.integer(right));
                Integer::Binary(*op, Box::new(left), Box::new(right))
            }
            Value::Binary(op, left, right) if self.is_integer(left) && self.is_integer(right) => {
                let (left, right) = (self.integer(left), self.integer(right));
                binary(*op, left, right)
            }
            Value::Convert(ty, operand)
                if matches!(ty, Type::Integer(_) | Type::Logical(_)) && self.is_integer(operand) =>
            {
                self.integer(operand)
            }
            Value::Call { name, arguments, .. } => match intrinsic(name, arguments.len()) {
                Some(intrinsic) if arguments.iter().all(|a| self.is_integer(a)) => {
                    let mut operands: Vec<Integer> = arguments.iter().map(|a| self.integer(a)).collect();
                    match intrinsic {
                        Some(intrinsic) => Integer::Intrinsic(intrinsic, operands),
                        None => operands.remove(0),
                    }
                }
                _ => {
                    self.unknown.push(format!("{name}()"));
                    self.data(value)
                }
            },
            Value::Select(condition, then, otherwise) if self.is_integer(then) && self.is_integer(otherwise) => {
                let condition = self.integer(condition);
                let (then, otherwise) = (self.integer(then), self.integer(otherwise));
                Integer::Select(Box::new(condition), Box::new(then), Box::new(otherwise))
            }
            _ => self.data(value),
        }
    }

    /// A value that is not computed: its reads only.
    fn data(&mut self, value: &'a Value) -> Integer {
        let mut reads = Vec::new();
        self.reads(value, &mut reads);
        Integer::Data(reads)
    }

    /// The accesses that evaluating a value makes.
    pub fn reads(&mut self, value: &'a Value, out: &mut Vec<Op>) {
        match value {
            Value::Element { array, subscripts, place } => {
                if subscripts.iter().any(is_left_out) {
                    return subscripts.iter().filter(|s| !is_left_out(s)).for_each(|s| self.reads(s, out));
                }
                if let Some(reference) = self.reference(*array, subscripts, place) {
                    self.access(reference, AccessKind::Load, out);
                }
            }
            Value::Unary(_, operand) | Value::Convert(_, operand) => self.reads(operand, out),
            Value::Binary(_, left, right) => [left, right].into_iter().for_each(|v| self.reads(v, out)),
            Value::Call { arguments, .. } => arguments.iter().for_each(|v| self.argument(v, out)),
            Value::Select(condition, then, otherwise) => {
                if let Some((left, right)) = crate::analysis::extremum(value, self.nest.function) {
                    return [left, right].into_iter().for_each(|v| self.reads(v, out));
                }
                let condition = self.integer(condition);
                let [mut first, mut second] = [Vec::new(), Vec::new()];
                self.reads(then, &mut first);
                self.reads(otherwise, &mut second);
                let number = self.new_branch();
                let branch = Branch { condition, probability: 0.5, number, then: first, otherwise: second };
                out.push(Op::Branch(Box::new(branch)));
            }
            Value::Opaque { reason, inner } => match (reason.code, inner.first()) {
                (ADDRESS_OF, Some(Value::Element { subscripts, .. })) => {
                    subscripts.iter().filter(|s| !is_left_out(s)).for_each(|s| self.reads(s, out));
                }
                (ADDRESS_OF, _) => {}
                _ => self.refuse(reason.code, 0, reason.detail.clone()),
            },
            Value::Variable(_) | Value::Integer(_) | Value::Real(..) | Value::Logical(_) | Value::Text(_) => {}
        }
    }

    /// What passing an argument reads.
    pub fn argument(&mut self, value: &'a Value, out: &mut Vec<Op>) {
        self.reads(value, out);
    }

    pub fn access(&mut self, reference: Reference, kind: AccessKind, out: &mut Vec<Op>) {
        if !self.quiet {
            out.push(Op::Access(reference, kind));
        }
    }

    /// An element; `None` if its array cannot be placed, which is told.
    pub fn reference(&mut self, array: VarId, subscripts: &'a [Value], place: &Place) -> Option<Reference> {
        let function = self.nest.function;
        if !function.members.is_empty() && function.members.contains_key(&array) {
            self.refuse("structure_member", place.line, format!("`{}`", function.variable(array).name));
            return None;
        }
        let number = self.array(array, subscripts.len())?;
        let values: Vec<Integer> = subscripts.iter().map(|s| self.integer(s)).collect();
        let layout = &self.arrays[number];
        let (strides, bounds, bytes) = (layout.strides.clone(), layout.bounds.clone(), layout.element_bytes);
        let subscripts = values.into_iter().zip(strides).zip(bounds).map(|((value, stride), (lower, upper))| {
            let extent = upper.map_or(super::compile::DEFAULT_SIZE, |upper| upper - lower + 1).max(1);
            Subscript { value, stride, lower, extent }
        });
        let address = Address::Computed { start: Affine::default(), subscripts: subscripts.collect() };
        Some(Reference { array: number, bytes, quiet: self.quiet, address })
    }
}

/// A subscript that the source leaves out: the value is an address.
fn is_left_out(subscript: &Value) -> bool {
    matches!(subscript, Value::Opaque { reason, .. } if reason.code == PARTIAL)
}

fn binary(op: BinaryOp, left: Integer, right: Integer) -> Integer {
    match (op, &left, &right) {
        (BinaryOp::Add, Integer::Affine(a), Integer::Affine(b)) => Integer::Affine(a.clone().plus(b, 1)),
        (BinaryOp::Subtract, Integer::Affine(a), Integer::Affine(b)) => Integer::Affine(a.clone().plus(b, -1)),
        (BinaryOp::Multiply, Integer::Affine(a), Integer::Affine(b)) => match (a.as_constant(), b.as_constant()) {
            (Some(factor), _) => Integer::Affine(Affine::default().plus(b, factor)),
            (_, Some(factor)) => Integer::Affine(Affine::default().plus(a, factor)),
            _ => Integer::Binary(op, Box::new(left), Box::new(right)),
        },
        _ => Integer::Binary(op, Box::new(left), Box::new(right)),
    }
}

/// An integer function by name; the inner `None` is one that leaves an integer as it is.
fn intrinsic(name: &str, arguments: usize) -> Option<Option<Intrinsic>> {
    Some(match (name, arguments) {
        ("min" | "min0", 1..) => Some(Intrinsic::Min),
        ("max" | "max0", 1..) => Some(Intrinsic::Max),
        ("abs" | "iabs" | "labs", 1) => Some(Intrinsic::Absolute),
        ("mod", 2) => Some(Intrinsic::Remainder),
        ("modulo", 2) => Some(Intrinsic::Modulo),
        ("int" | "nint" | "int8" | "long", 1) => None,
        _ => return None,
    })
}
