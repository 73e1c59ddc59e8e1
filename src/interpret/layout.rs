//! Where arrays lie: strides from their extents, and one array after another.

use std::cmp::Ordering;

use super::code::Slot;

/// The layout of one array: of elements, or of structures whose members are at fixed places in them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayLayout {
    pub name: String,
    /// Bytes of an element or structure.
    pub bytes: i64,
    /// Inclusive bounds in storage order, where they are known.
    pub bounds: Vec<Bounds>,
    /// Bytes from one element to the next, by dimension; those behind an unknown extent come later.
    pub strides: Vec<i64>,
    /// Holds the address of the element at all lower bounds.
    pub base: Slot,
}

/// Bounds of one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    pub lower: i64,
    pub upper: Option<i64>,
}

impl Bounds {
    /// Number of elements, if that is known.
    pub fn extent(self) -> Option<i64> {
        Some(
            self.upper?
                .saturating_sub(self.lower)
                .saturating_add(1)
                .max(0),
        )
    }
}

impl ArrayLayout {
    /// An array with the strides that its known extents give.
    pub fn new(name: String, bytes: i64, bounds: Vec<Bounds>, base: Slot) -> ArrayLayout {
        let mut layout = ArrayLayout {
            name,
            bytes,
            bounds,
            strides: Vec::new(),
            base,
        };
        layout.stride();
        layout
    }

    fn stride(&mut self) {
        self.strides.clear();
        let mut stride = self.bytes;
        for bounds in &self.bounds {
            self.strides.push(stride);
            let Some(extent) = bounds.extent() else {
                return;
            };
            stride = stride.saturating_mul(extent);
        }
    }

    /// Whether an extent is not known that other dimensions lie behind.
    pub fn is_open(&self) -> bool {
        self.strides.len() < self.bounds.len()
    }

    /// Takes what was seen for what is not known. Rows of which one element was seen are apart.
    pub fn close(&mut self, seen: &[(i64, i64)]) {
        let inner = self.bounds.len().saturating_sub(1);
        let apart = ROWS_APART / self.bytes.max(1);
        for (d, (bounds, (least, most))) in self.bounds[..inner].iter_mut().zip(seen).enumerate() {
            if bounds.upper.is_none() {
                let (least, most) = match least.cmp(most) {
                    Ordering::Less => (*least, *most),
                    Ordering::Equal if d == 0 => (*least, most.saturating_add(apart)),
                    Ordering::Equal => (*least, *most),
                    Ordering::Greater => (bounds.lower, bounds.lower),
                };
                *bounds = Bounds {
                    lower: bounds.lower.min(least),
                    upper: Some(most.max(bounds.lower)),
                };
            }
        }
        self.stride();
    }

    /// Bytes of the whole array, if its extents are known. One that is declared with one element, `a(1)`, may have any
    /// number of them.
    pub fn size(&self) -> Option<i64> {
        let extent = self.bounds.last()?.extent()?;
        let stride = self.strides.last()?;
        (extent != 1).then(|| stride.checked_mul(extent)).flatten()
    }
}

/// Bytes from one row to the next where one element of each is seen: no lines in common, whatever their length.
const ROWS_APART: i64 = 1024;

/// Beginnings of arrays are multiples of this.
pub const ALIGNMENT: i64 = 64;

/// Bytes between two arrays while it is not known how long they are.
pub const APART: i64 = 1 << 44;

/// Where an array begins while it is not known how long the others are.
pub fn far_apart(number: usize) -> i64 {
    (number as i64 + 1) * APART + APART / 2
}

/// Addresses of arrays one after another in their order, with so many bytes between them. What was `seen` of
/// an array, as first and last byte from its beginning, is its length where that is not declared.
pub fn place(arrays: &[ArrayLayout], seen: &[(i64, i64)], gap: i64) -> Vec<i64> {
    let up = |address: i64| address.wrapping_add(ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    // No array begins at address 0.
    let mut next: i64 = 1 << 20;
    let mut bases = Vec::new();
    for (array, (least, most)) in arrays.iter().zip(seen) {
        let touched = least <= most;
        let (before, after) = match array.size() {
            Some(size) => (0, size),
            None if touched => (
                up(least.min(&0).wrapping_neg()),
                most.max(&0).saturating_add(1),
            ),
            None => (0, 0),
        };
        bases.push(next.wrapping_add(before));
        next = up([before, after, gap]
            .into_iter()
            .fold(next, i64::wrapping_add));
    }
    bases
}

/// Bytes from the first to the last of every array together, and of those that are written.
pub fn reach(seen: &[(i64, i64)], written: &[bool]) -> (u64, u64) {
    let bytes = |(least, most): (i64, i64)| {
        if least <= most {
            most.abs_diff(least).saturating_add(1)
        } else {
            0
        }
    };
    seen.iter()
        .zip(written)
        .fold((0, 0), |(all, changed): (u64, u64), (seen, written)| {
            let bytes = bytes(*seen);
            (
                all.saturating_add(bytes),
                if *written {
                    changed.saturating_add(bytes)
                } else {
                    changed
                },
            )
        })
}

/// Whether an array was accessed outside of what is declared.
pub fn is_outside(array: &ArrayLayout, (least, most): (i64, i64)) -> bool {
    least <= most && array.size().is_some_and(|size| least < 0 || most >= size)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(bounds: &[(i64, Option<i64>)]) -> ArrayLayout {
        let bounds = bounds
            .iter()
            .map(|(lower, upper)| Bounds {
                lower: *lower,
                upper: *upper,
            })
            .collect();
        ArrayLayout::new("a".into(), 8, bounds, Slot(0))
    }

    #[test]
    fn strides_follow_the_extents() {
        let known = array(&[(0, Some(9)), (1, Some(4)), (-1, None)]);
        assert_eq!(
            (known.strides.as_slice(), known.size(), known.is_open()),
            ([8, 80, 320].as_slice(), None, false)
        );
        let mut open = array(&[(1, None), (1, Some(3))]);
        assert!(open.is_open());
        open.close(&[(0, 6), (1, 3)]);
        assert_eq!(
            (open.strides.as_slice(), open.size()),
            ([8, 56].as_slice(), Some(168))
        );
    }

    #[test]
    fn arrays_lie_one_after_another() {
        let arrays = [
            array(&[(0, Some(9))]),
            array(&[(0, None)]),
            array(&[(0, Some(0))]),
        ];
        let bases = place(&arrays, &[(0, 79), (-70, 15), (0, 7)], 0);
        let first = 1 << 20;
        assert_eq!(bases, [first, first + 128 + 128, first + 128 + 128 + 64]);
        assert!(is_outside(&arrays[0], (0, 80)) && !is_outside(&arrays[1], (-70, 15)));
    }
}
