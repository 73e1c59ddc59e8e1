//! Scalars and arrays while a nest is compiled: slots and layouts.

use super::code::Slot;
use super::compiler::Compiler;
use super::layout::{ArrayLayout, Bounds};
use super::values::as_given;
use crate::ir::{
    BinaryOp, MemberLayout, POINTER_BYTES, Stmt, Type, Value, VarId, Variable, source_text, visit,
};

/// Size of what nothing gives a size, as in the model.
const DEFAULT_SIZE: i64 = 128;
/// By how much values differ that nothing gives: more than what is beside each other.
const APART: i64 = 16;
/// Elements of a dimension of unknown extent that an index from data falls on: more than any cache holds.
pub(super) const UNKNOWN_EXTENT: i64 = 1 << 26;
/// Bytes of an element of unknown type, as in the model.
const DEFAULT_WORD: u32 = 8;

impl<'a> Compiler<'a> {
    /// The slot of a scalar or pointer, with what it holds when the nest begins.
    pub fn slot(&mut self, id: VarId) -> Slot {
        if let Some(slot) = self.slots.get(&id) {
            return *slot;
        }
        let variable = self.source.function.variable(id);
        if !variable.dimensions.is_empty() {
            // A pointer starts at an array of its own.
            let slot = match self.array(id) {
                Some(number) => self.arrays[number].base,
                None => self.new_slot(0),
            };
            // It moves, the array does not: but nothing else refers to that by its name.
            self.slots.insert(id, slot);
            return slot;
        }
        let value = self.first_value(id);
        let slot = self.new_slot(value);
        self.slots.insert(id, slot);
        slot
    }

    pub fn new_slot(&mut self, value: i64) -> Slot {
        self.initial.push(value);
        Slot(self.initial.len() as u32 - 1)
    }

    fn first_value(&mut self, id: VarId) -> i64 {
        let variable = self.source.function.variable(id);
        if let Some(value) = (self.source.symbol)(&variable.name) {
            return value as i64;
        }
        let constant = variable
            .constant
            .as_ref()
            .filter(|_| self.evaluating.insert(id));
        let value = constant.and_then(|value| self.fixed(value));
        self.evaluating.remove(&id);
        value.unwrap_or_else(|| {
            // What the source calls by two names are two places, as in the model.
            let others = match self.is_in_subscript {
                true => self.guessed.len() as i64,
                false => 0,
            };
            self.guessed.insert(id);
            DEFAULT_SIZE + others * APART
        })
    }

    /// A value that stays the same in the whole nest.
    pub fn fixed(&mut self, value: &'a Value) -> Option<i64> {
        let (refusals, notes, quiet) = (self.refusals.len(), self.notes.clone(), self.quiet);
        let compiled = self.integer(value);
        self.refusals.truncate(refusals);
        (self.notes, self.quiet) = (notes, quiet);
        let compiled = as_given(compiled, &|array| !self.is_stored_to(array));
        super::evaluate::constant(&compiled, &self.initial)
    }

    /// Whether a statement of the function assigns elements of an array that has been laid out.
    fn is_stored_to(&self, array: usize) -> bool {
        let mut found = false;
        let body = &self.source.function.body;
        visit::statements(body, visit::InLoop::No, &mut |statement, _| {
            if let Stmt::Assign {
                target: Value::Element { array: target, .. },
                ..
            } = statement
            {
                found |= self.array_numbers.get(&self.array_name(*target, 0)) == Some(&array);
            }
        });
        found
    }

    /// Where an element lies in the structures of an array, if that is known.
    pub fn layout_of(&self, id: VarId, behind: usize) -> Option<&'a MemberLayout> {
        let layout = self.source.function.layout_of(id, behind);
        layout.filter(|layout| layout.record_bytes > 0)
    }

    /// What the array is called that a variable stands for: that of the structures, if it is a member of them. Pointers
    /// to its elements have a table of their own, by the dimensions that they lead to.
    fn array_name(&self, id: VarId, behind: usize) -> (String, usize) {
        let function = self.source.function;
        let (steps, behind) = match self.layout_of(id, behind) {
            Some(layout) => (layout.steps, 0),
            None => (0, behind),
        };
        let name = &function.variable(id).name;
        (name.text_without_last(steps).to_string(), behind)
    }

    /// The number of the array that a variable stands for, which is laid out when it is first met.
    pub fn array(&mut self, id: VarId) -> Option<usize> {
        self.array_of(id, 0)
    }

    /// The same for elements behind which so many dimensions are left out, which makes them pointers.
    pub fn array_of(&mut self, id: VarId, behind: usize) -> Option<usize> {
        let function = self.source.function;
        let variable = function.variable(id);
        let member = self.layout_of(id, behind);
        let key = self.array_name(id, behind);
        if let Some(number) = self.array_numbers.get(&key) {
            return Some(*number);
        }
        let name = key.0.clone();
        let (bytes, skipped) = match member {
            Some(layout) => (Some(layout.record_bytes), behind + layout.extents.len()),
            None => (element_bytes(variable, behind), behind),
        };
        if bytes.is_none_or(|bytes| bytes == 0) {
            self.notes.insert(format!(
                "`{name}` has no known type: {DEFAULT_WORD} bytes per element"
            ));
        }
        let bytes = i64::from(bytes.filter(|bytes| *bytes > 0).unwrap_or(DEFAULT_WORD));
        let first = self.source.function.conventions.first_index;
        let mut bounds = Vec::new();
        for extent in variable.dimensions.get(skipped..).unwrap_or(&[]) {
            let lower = extent
                .lower
                .as_ref()
                .map_or(Some(first), |lower| self.fixed(lower));
            let upper = extent.upper.as_ref().and_then(|upper| self.fixed(upper));
            bounds.push(Bounds {
                lower: lower.unwrap_or(first),
                upper,
            });
        }
        if is_string(variable) && behind == 0 {
            // A character of which parts are taken is a string whose length is not known.
            let length = variable.ty.bytes().filter(|length| *length > 1);
            let length = length.map(i64::from);
            bounds.push(Bounds {
                lower: first,
                upper: length.map(|length| first + length - 1),
            });
        }
        let base = self.new_slot(0);
        let number = self.arrays.len();
        self.arrays
            .push(ArrayLayout::new(name, bytes, bounds, base));
        self.array_numbers.insert(key, number);
        Some(number)
    }

    /// Whether the values of a variable may be integers of the program's control.
    pub fn is_integer(&self, value: &Value) -> bool {
        matches!(
            value.ty(self.source.function),
            Type::Integer(..) | Type::Logical(_) | Type::Unknown
        ) || self.is_given(value)
    }

    /// Whether parameters say what procedures return of which a value is made: `log10(x) + 1`.
    fn is_given(&self, value: &Value) -> bool {
        match value {
            Value::Call { .. } => {
                (self.source.symbol)(&source_text(value, self.source.function)).is_some()
            }
            Value::Binary(BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply, left, right) => {
                [left, right].into_iter().all(|side| self.is_integer(side))
            }
            Value::Convert(_, inner) => self.is_given(inner),
            _ => false,
        }
    }
}

/// Whether a variable is a string that stands alone: an array of its characters.
pub(super) fn is_string(variable: &Variable) -> bool {
    variable.dimensions.is_empty() && matches!(variable.ty, Type::Character(_))
}

/// Bytes of an element of an array, or of a character of a string; of a pointer where dimensions are left out.
pub(super) fn element_bytes(variable: &Variable, behind: usize) -> Option<u32> {
    if behind > 0 {
        return Some(POINTER_BYTES);
    }
    let ty = variable.ty.clone();
    ty.of_elements(!variable.dimensions.is_empty()).bytes()
}
