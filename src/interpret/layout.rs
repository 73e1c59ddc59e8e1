//! Where arrays lie: strides from their extents, and one array after another.

use super::Refusal;
use crate::ir::{Function, VarId};

/// The layout of one array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayLayout {
    pub variable: VarId,
    pub element_bytes: u32,
    /// Inclusive bounds in storage order; the last upper one may be open.
    pub bounds: Vec<(i64, Option<i64>)>,
    /// Bytes from one element to the next, by dimension.
    pub strides: Vec<i64>,
    /// Address of the element at all lower bounds.
    pub base: i64,
}

impl ArrayLayout {
    /// Elements of a dimension, if that is known.
    pub fn extent(&self, dimension: usize) -> Option<i64> {
        let (lower, upper) = self.bounds.get(dimension)?;
        Some(((*upper)? - lower + 1).max(0))
    }

    /// Bytes of the whole array, if its extents are known.
    fn bytes(&self) -> Option<i64> {
        let last = self.bounds.len().checked_sub(1)?;
        self.strides[last].checked_mul(self.extent(last)?)
    }
}

/// Beginnings of arrays are multiples of this.
pub const ALIGNMENT: i64 = 64;

/// Bytes that an array without known size is given.
const UNKNOWN_SIZE: i64 = 1 << 36;

/// Places arrays one after another, with so many bytes between them.
pub fn place(arrays: &mut [ArrayLayout], gap: i64) {
    // No array begins at address 0.
    let mut next = 1 << 20;
    for array in arrays {
        match array.bytes() {
            Some(bytes) => {
                array.base = next;
                next += bytes + gap;
            }
            None => {
                array.base = next + UNKNOWN_SIZE / 2;
                next += UNKNOWN_SIZE;
            }
        }
        next = (next + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
}

/// The layout of an array with these bounds.
///
/// # Errors
/// The element's size is not known, or an extent that others are behind.
pub fn layout(function: &Function, variable: VarId, bounds: Vec<(i64, Option<i64>)>) -> Result<ArrayLayout, Refusal> {
    let declared = function.variable(variable);
    let refuse = |code, detail| Refusal { code, line: declared.place.line, detail };
    let bytes = declared.ty.bytes().filter(|bytes| *bytes > 0);
    let bytes = bytes.ok_or_else(|| refuse("unknown_type", format!("the size of `{}` is not known", declared.name)))?;
    let mut strides = Vec::new();
    let mut stride = i64::from(bytes);
    for (dimension, (lower, upper)) in bounds.iter().enumerate() {
        strides.push(stride);
        match upper {
            Some(upper) => stride = stride.saturating_mul((upper - lower + 1).max(0)),
            None if dimension + 1 == bounds.len() => {}
            None => {
                let detail = format!("the extent of dimension {} of `{}` is not known", dimension + 1, declared.name);
                return Err(refuse("unknown_extent", detail));
            }
        }
    }
    Ok(ArrayLayout { variable, element_bytes: bytes, bounds, strides, base: 0 })
}
