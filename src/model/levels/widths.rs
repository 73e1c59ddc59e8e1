//! Elements of one array that differ in size: members of a structure, `struct { double x; int id; }`.
//!
//! Places are counted in elements, so that those of two members can only be compared in a unit that both are whole
//! multiples of. All references to such an array are written in that unit, and an element becomes the first and the
//! last of its parts, with none left out between them that could begin a line:
//!
//! ```text
//! struct { double x; int id; float w; } p[n], in units of 4 bytes
//!
//! p[i].x     2·i in elements of 8      4·i + {0, 1}
//! p[i].id    4·i + 2                   4·i + {2}
//! ```

use super::reference::{LONG_STRIDE, Reference};
use crate::expr::Expr;
use crate::footprint::SAME_LINE_REACH;

/// Writes all references to an array whose elements differ in size in one unit.
pub fn unify(references: &mut [Reference<Expr>]) {
    for at in 0..references.len() {
        let array = references[at].array;
        let is_its = |r: &&Reference<Expr>| r.array == array;
        let unit = references
            .iter()
            .filter(is_its)
            .fold(0, |unit, r| greatest_common_divisor(unit, r.width as u64));
        let reference = &mut references[at];
        if unit == 0 || reference.width as u64 <= unit {
            continue;
        }
        reference.split(reference.width as u64 / unit);
    }
}

impl Reference<Expr> {
    /// Writes it in parts of its elements.
    fn split(&mut self, parts: u64) {
        let by = parts as f64;
        for (_, coefficient) in &mut self.dimensions[0] {
            if coefficient.abs() < LONG_STRIDE {
                *coefficient *= by;
            }
        }
        self.width /= by;
        self.bases[0] = (self.bases[0].clone() * by).expand();
        for elements in [&mut self.stride, &mut self.multiple] {
            *elements = elements.take().map(|elements| elements * by);
        }
        for pitch in self.pitches[1..].iter_mut().flatten() {
            *pitch = (pitch.clone() * by).expand();
        }
        let inside = (0..parts as i64 - 1).step_by(SAME_LINE_REACH as usize);
        let inside: Vec<i64> = inside.chain([parts as i64 - 1]).collect();
        for offsets in [&mut self.offsets, &mut self.written] {
            let split = offsets.iter().flat_map(|offset| {
                let (first, rest) = (offset[0] * parts as i64, &offset[1..]);
                inside
                    .iter()
                    .map(move |part| [&[first + part], rest].concat())
            });
            *offsets = split.collect();
        }
    }
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    match b {
        0 => a,
        _ => greatest_common_divisor(b, a % b),
    }
}
