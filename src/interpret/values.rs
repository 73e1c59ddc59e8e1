//! Values: integers that control the nest, and the reads that all others make.

use super::code::{Affine, Branch, Draw, Integer, Intrinsic, Op, Reference, Subscript};
use super::compiler::Compiler;
use super::storage;
use crate::cache::AccessKind;
use crate::diagnostic::Place;
use crate::intrinsics::{Intrinsics, Meaning};
use crate::ir::visit::each_value;
use crate::ir::{
    BinaryOp, Quantifier, Type, UnaryOp, Value, VarId, dimensions_behind, is_address, is_left_out,
    source_text,
};
use crate::reason::ReasonCode;

impl<'a> Compiler<'a> {
    /// A value that decides about addresses or control.
    pub fn integer(&mut self, value: &'a Value) -> Integer {
        match value {
            Value::Integer(n) => Integer::Affine(Affine::constant(*n)),
            Value::Logical(b) => Integer::Affine(Affine::constant(i64::from(*b))),
            Value::Variable(id)
                if self.is_integer(value)
                    && self.source.function.variable(*id).dimensions.is_empty() =>
            {
                match self.behind_pointer(*id) {
                    Some(reference) => {
                        let text = source_text(value, self.source.function);
                        let given = (self.source.symbol)(&text).map(|value| value as i64);
                        Integer::Load(Box::new(reference), given)
                    }
                    None => Integer::Affine(Affine::slot(self.slot(*id))),
                }
            }
            Value::Element {
                array,
                subscripts,
                place,
            } if self.is_integer(value) => {
                let mut reads = Vec::new();
                match self.reference(*array, subscripts, place, &mut reads) {
                    Some(reference) => {
                        let text = source_text(value, self.source.function);
                        let given = (self.source.symbol)(&text).map(|value| value as i64);
                        if given.is_none() {
                            let name = &self.source.function.variable(*array).name;
                            self.notes.insert(format!(
                                "values of `{name}` that the nest does not write are drawn"
                            ));
                        }
                        Integer::Load(Box::new(reference), given)
                    }
                    None => Integer::Data(reads),
                }
            }
            Value::Unary(op, operand) if self.is_integer(operand) => {
                match (op, self.integer(operand)) {
                    (UnaryOp::Negate, Integer::Affine(affine)) => {
                        Integer::Affine(Affine::default().plus(&affine, -1))
                    }
                    (op, operand) => Integer::Unary(*op, Box::new(operand)),
                }
            }
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
            Value::Binary(op, left, right)
                if op.is_comparison() && self.is_pointer(left) && self.is_pointer(right) =>
            {
                match (self.pointer(left), self.pointer(right)) {
                    (Some((left, _)), Some((right, _))) => {
                        Integer::Binary(*op, Box::new(left), Box::new(right))
                    }
                    _ => Integer::Data(Vec::new()),
                }
            }
            Value::Convert(ty, operand)
                if matches!(ty, Type::Integer(..) | Type::Logical(_))
                    && self.is_integer(operand) =>
            {
                self.integer(operand)
            }
            Value::Convert(Type::Integer(..), operand) => self.whole_part(value, operand),
            Value::Call {
                name, arguments, ..
            } => match self.intrinsic(name, arguments.len()) {
                Some(intrinsic) if arguments.iter().all(|a| self.is_integer(a)) => {
                    let mut operands: Vec<Integer> =
                        arguments.iter().map(|a| self.integer(a)).collect();
                    match intrinsic {
                        Some(intrinsic) => Integer::Intrinsic(intrinsic, operands),
                        None => operands.remove(0),
                    }
                }
                _ => self.result(value),
            },
            Value::Select(condition, then, otherwise)
                if self.is_integer(then) && self.is_integer(otherwise) =>
            {
                let condition = self.integer(condition);
                let (then, otherwise) = (self.integer(then), self.integer(otherwise));
                Integer::Select(Box::new(condition), Box::new(then), Box::new(otherwise))
            }
            _ => self.data(value),
        }
    }

    /// A condition of a branch. Where it asks for scalars of which nothing is known here, as a procedure of another file gives
    /// a variable of a module its only value, it goes the way that is known to be the only one.
    pub fn condition(&mut self, value: &'a Value, probability: f64) -> Integer {
        let condition = self.integer(value);
        let mut asks_for_guess = false;
        let mut accesses = false;
        each_value(value, &mut |part| match part {
            Value::Variable(id) => asks_for_guess |= self.guessed.contains(id),
            Value::Element { .. } | Value::Call { .. } => accesses = true,
            _ => {}
        });
        let is_sure = probability == 0.0 || probability == 1.0;
        match is_sure && asks_for_guess && !accesses {
            true => Integer::Affine(Affine::constant(probability as i64)),
            false => condition,
        }
    }

    /// What a function of the language makes of integers; the inner `None` leaves one as it is.
    fn intrinsic(&self, name: &str, arguments: usize) -> Option<Option<Intrinsic>> {
        use Meaning::{Absolute, Maximum, Minimum, Modulo, Nearest, Remainder, Truncated};
        let language = self.source.function.conventions.language;
        let table = Intrinsics::builtin();
        let known = table.lookup(language, name);
        let meaning = known
            .or_else(|| table.of_headers(language, name))?
            .meaning?;
        Some(match (meaning, arguments) {
            (Minimum, 1..) => Some(Intrinsic::Min),
            (Maximum, 1..) => Some(Intrinsic::Max),
            (Absolute, 1) => Some(Intrinsic::Absolute),
            (Remainder, 2) => Some(Intrinsic::Remainder),
            (Modulo, 2) => Some(Intrinsic::Modulo),
            (Truncated | Nearest, 1) => None,
            _ => return None,
        })
    }

    /// What a procedure returns: the parameter's value, where there is one for it, as the model has it.
    fn result(&mut self, value: &'a Value) -> Integer {
        self.whole_part(value, value)
    }

    /// The whole part of a real number, where a parameter says what that is: `(int)(width / size)`.
    fn whole_part(&mut self, value: &'a Value, operand: &'a Value) -> Integer {
        let text = source_text(operand, self.source.function);
        match (self.data(value), (self.source.symbol)(&text)) {
            (Integer::Data(reads), Some(given)) if reads.is_empty() => {
                Integer::Affine(Affine::constant(given as i64))
            }
            (data, _) => data,
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
            Value::Element {
                array,
                subscripts,
                place,
            } => {
                if subscripts.iter().any(is_left_out) {
                    let given = subscripts.iter().filter(|s| !is_left_out(s));
                    given.for_each(|s| self.reads(s, out));
                    let variable = self.source.function.variable(*array);
                    if dimensions_behind(variable, subscripts).is_some()
                        && let Some(pointer) = self.stored_to(*array, subscripts, place, out)
                    {
                        self.access(pointer, AccessKind::Load, out);
                    }
                    return;
                }
                if let Some(reference) = self.reference(*array, subscripts, place, out) {
                    self.access(reference, AccessKind::Load, out);
                }
            }
            Value::Unary(_, operand) | Value::Convert(_, operand) => self.reads(operand, out),
            Value::Binary(_, left, right) => {
                [left, right].into_iter().for_each(|v| self.reads(v, out));
            }
            Value::Call {
                name, arguments, ..
            } if self.source.function.conventions.passes_places() => {
                for (at, argument) in arguments.iter().enumerate() {
                    self.argument((name, at), argument, out);
                }
            }
            Value::Call { arguments, .. } => arguments.iter().for_each(|v| self.reads(v, out)),
            Value::Select(condition, then, otherwise) => {
                if let Some((left, right)) = value.extremum() {
                    return [left, right].into_iter().for_each(|v| self.reads(v, out));
                }
                let condition = self.integer(condition);
                let [mut first, mut second] = [Vec::new(), Vec::new()];
                self.reads(then, &mut first);
                self.reads(otherwise, &mut second);
                let draw = Draw {
                    probability: 0.5,
                    number: self.new_branch(),
                    decided_by: None,
                };
                let branch = Branch {
                    condition,
                    holds: Quantifier::All,
                    draws: vec![draw],
                    then: first,
                    otherwise: second,
                };
                out.push(Op::Branch(Box::new(branch)));
            }
            Value::Address { of, .. } => {
                if let Value::Element { subscripts, .. } = &**of {
                    let given = subscripts.iter().filter(|s| !is_left_out(s));
                    given.for_each(|s| self.reads(s, out));
                }
            }
            Value::Row => {}
            Value::Section(_) | Value::Opaque { .. } => {
                if let Some(reason) = value.reason() {
                    self.refuse(reason.code, self.line, reason.detail);
                }
            }
            Value::Variable(id) => {
                self.refuse_if_moving(*id);
                if let Some(reference) = self.behind_pointer(*id) {
                    self.access(reference, AccessKind::Load, out);
                }
            }
            Value::Integer(_) | Value::Real(..) | Value::Logical(_) | Value::Text(_) => {}
        }
    }

    /// Refuses `p->x` where statements move `p`, and where `x` lies from there is not known: says whether that is so.
    pub fn refuse_if_moving(&mut self, id: VarId) -> bool {
        let function = self.source.function;
        let name = &function.variable(id).name;
        let structure = name.structure();
        let Some(structure) = structure.filter(|_| function.conventions.has_pointers()) else {
            return false;
        };
        let moves = self
            .pointers
            .iter()
            .any(|pointer| function.variable(*pointer).name == structure);
        let is_known = function.members.contains_key(&id);
        if moves && !is_known {
            self.refuse(ReasonCode::MemberOfPointer, self.line, format!("`{name}`"));
        }
        moves && !is_known
    }

    /// The member `p->x` of a structure to which a pointer leads that statements move: it lies where the pointer is.
    pub fn behind_pointer(&mut self, id: VarId) -> Option<Reference> {
        let function = self.source.function;
        let variable = function.variable(id);
        let layout = self.layout_of(id, 0)?;
        let structure = (variable.name.structure()).filter(|_| variable.dimensions.is_empty())?;
        let is_named = |pointer: &&VarId| function.variable(**pointer).name == structure;
        let own = function.selected_from.get(&id).filter(is_named);
        let pointer = *own.or_else(|| self.pointers.iter().find(is_named))?;
        if !self.pointers.contains(&pointer) {
            return None;
        }
        let key = variable.name.text_without_last(layout.steps) == structure;
        let bytes = storage::element_bytes(variable, 0).filter(|bytes| *bytes > 0)?;
        if !key || !layout.extents.is_empty() {
            return None;
        }
        // The array that the pointer begins at is laid out by the pointer's own dimensions.
        let number = self.array(pointer)?;
        let mut start = Affine::slot(self.slot(pointer));
        start.base = layout.offset;
        Some(Reference {
            bytes,
            quiet: self.quiet,
            array: number,
            start,
            subscripts: Vec::new(),
        })
    }

    /// An element, or a pointer to others, in a table of its own or in a structure: what an assignment stores to.
    pub fn stored_to(
        &mut self,
        array: VarId,
        subscripts: &'a [Value],
        place: &Place,
        out: &mut Vec<Op>,
    ) -> Option<Reference> {
        let variable = self.source.function.variable(array);
        let behind = dimensions_behind(variable, subscripts).unwrap_or(0);
        self.element(array, behind, &subscripts[behind..], place, out)
    }

    /// An element; `None` if it is none in memory, or cannot be placed, which is reported.
    pub fn reference(
        &mut self,
        array: VarId,
        subscripts: &'a [Value],
        place: &Place,
        out: &mut Vec<Op>,
    ) -> Option<Reference> {
        self.element(array, 0, subscripts, place, out)
    }

    fn subscript(&mut self, value: &'a Value) -> Integer {
        let around = std::mem::replace(&mut self.is_in_subscript, true);
        let place = self.integer(value);
        self.is_in_subscript = around;
        place
    }

    /// An element behind which so many dimensions are left out, which makes it a pointer.
    fn element(
        &mut self,
        array: VarId,
        behind: usize,
        subscripts: &'a [Value],
        place: &Place,
        out: &mut Vec<Op>,
    ) -> Option<Reference> {
        let function = self.source.function;
        let variable = function.variable(array);
        // Strings in structures have no place of their own.
        let is_text = storage::is_string(variable) && !function.members.contains_key(&array);
        if variable.dimensions.is_empty() && !is_text {
            subscripts.iter().for_each(|s| self.reads(s, out));
            return None;
        }
        if variable.dimensions.len().max(1) != behind + subscripts.len() {
            let detail = format!(
                "`{}` has {} dimensions, not {}",
                variable.name,
                variable.dimensions.len().max(1),
                behind + subscripts.len()
            );
            self.refuse(ReasonCode::Rank, place.line, detail);
            return None;
        }
        if self.refuse_if_moving(array) {
            return None;
        }
        let member = self.layout_of(array, behind);
        let number = self.array_of(array, behind)?;
        let mut start = Affine::slot(self.arrays[number].base);
        let mut found = Vec::new();
        let own = member.map_or(0, |layout| layout.extents.len());
        let bytes = storage::element_bytes(variable, behind)
            .filter(|bytes| *bytes > 0)
            .unwrap_or(self.arrays[number].bytes as u32);
        if let Some(layout) = member {
            start.base = layout.offset;
            let mut stride = i64::from(bytes);
            for (value, extent) in subscripts.iter().zip(&layout.extents) {
                let value = self.subscript(value);
                // It is none of the array's dimensions.
                let dimension = usize::MAX;
                found.push(Subscript {
                    value,
                    dimension,
                    stride,
                    lower: 0,
                    extent: i64::from(*extent).max(1),
                });
                stride *= i64::from(*extent);
            }
        }
        for (dimension, value) in subscripts[own..].iter().enumerate() {
            // The array knows the rest once it is laid out.
            let value = self.subscript(value);
            found.push(Subscript {
                value,
                dimension,
                stride: 0,
                lower: 0,
                extent: 1,
            });
        }
        Some(Reference {
            bytes,
            quiet: self.quiet,
            array: number,
            start,
            subscripts: found,
        })
    }

    /// An address that C keeps in a pointer, and the bytes that it moves by when one is added to it.
    pub fn pointer(&mut self, value: &'a Value) -> Option<(Integer, i64)> {
        match value {
            Value::Variable(id) if self.refuse_if_moving(*id) => None,
            Value::Variable(id) => {
                let rank = self.source.function.variable(*id).dimensions.len();
                let number = if rank > 0 {
                    self.array(*id)?
                } else {
                    return None;
                };
                let base = Affine::slot(self.slot(*id));
                Some((
                    Integer::Affine(base),
                    *self.arrays[number].strides.get(rank - 1)?,
                ))
            }
            Value::Element {
                array,
                subscripts,
                place,
            } => {
                let left_out = subscripts.iter().take_while(|s| is_left_out(s)).count();
                self.element_address(*array, subscripts, left_out.checked_sub(1)?, place)
            }
            Value::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), left, right) => {
                let (pointer, amount) = match (op, self.is_pointer(left)) {
                    (_, true) => (left, right),
                    (BinaryOp::Add, false) => (right, left),
                    _ => return None,
                };
                let (address, step) = self.pointer(pointer)?;
                let amount = binary(
                    BinaryOp::Multiply,
                    self.integer(amount),
                    Integer::Affine(Affine::constant(step)),
                );
                Some((binary(*op, address, amount), step))
            }
            Value::Convert(_, inner) => self.pointer(inner),
            Value::Address { of, .. } => match &**of {
                Value::Element {
                    array,
                    subscripts,
                    place,
                } => {
                    let left_out = subscripts.iter().take_while(|s| is_left_out(s)).count();
                    self.element_address(*array, subscripts, left_out, place)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The address of an element, or of a row of which the first subscripts are left out; adding one to it moves it
    /// along a dimension.
    fn element_address(
        &mut self,
        array: VarId,
        subscripts: &'a [Value],
        moves: usize,
        place: &Place,
    ) -> Option<(Integer, i64)> {
        // Members lie inside of structures.
        if self.source.function.members.contains_key(&array) {
            return None;
        }
        let mut reference = self.reference(array, subscripts, place, &mut Vec::new())?;
        let mut given = subscripts.iter().map(|subscript| !is_left_out(subscript));
        reference
            .subscripts
            .retain(|_| given.next().unwrap_or(true));
        let step = *self.arrays[reference.array].strides.get(moves)?;
        (!self.arrays[reference.array].is_open())
            .then(|| (Integer::Address(Box::new(reference)), step))
    }

    fn is_pointer(&self, value: &Value) -> bool {
        is_address(value, self.source.function)
    }
}

/// An operation on integers; sums over slots stay such where that is possible.
pub(super) fn binary(op: BinaryOp, left: Integer, right: Integer) -> Integer {
    match (op, &left, &right) {
        (BinaryOp::Add, Integer::Affine(a), Integer::Affine(b)) => {
            Integer::Affine(a.clone().plus(b, 1))
        }
        (BinaryOp::Subtract, Integer::Affine(a), Integer::Affine(b)) => {
            Integer::Affine(a.clone().plus(b, -1))
        }
        (BinaryOp::Multiply, Integer::Affine(a), Integer::Affine(b)) => {
            match (a.as_constant(), b.as_constant()) {
                (Some(factor), _) => Integer::Affine(Affine::default().plus(b, factor)),
                (_, Some(factor)) => Integer::Affine(Affine::default().plus(a, factor)),
                _ => Integer::Binary(op, Box::new(left), Box::new(right)),
            }
        }
        _ => Integer::Binary(op, Box::new(left), Box::new(right)),
    }
}

/// A value with those that parameters give elements, as far as `is_fixed` says that they stay what they are.
pub(super) fn as_given(value: Integer, is_fixed: &dyn Fn(usize) -> bool) -> Integer {
    let again = |value: Box<Integer>| Box::new(as_given(*value, is_fixed));
    match value {
        Integer::Load(reference, Some(given)) if is_fixed(reference.array) => {
            Integer::Affine(Affine::constant(given))
        }
        Integer::Binary(op, left, right) => binary(op, *again(left), *again(right)),
        Integer::Unary(op, operand) => Integer::Unary(op, again(operand)),
        Integer::Intrinsic(function, operands) => {
            let operands = operands.into_iter();
            Integer::Intrinsic(
                function,
                operands.map(|one| as_given(one, is_fixed)).collect(),
            )
        }
        Integer::Select(a, b, c) => Integer::Select(again(a), again(b), again(c)),
        other => other,
    }
}
