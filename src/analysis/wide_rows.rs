//! Rows of a flattened array that are several times as long as its strides say.
//!
//! `p[(j*w + i)*3 + c]` walks its rows by 3·w elements. Taken apart it is row 3·j of rows of w elements, of which a pixel
//! `3*i + c` passes three: rows that overlap. Where all references of a nest go to every third row only, and through places
//! that lie three apart, it is row j of rows of 3·w elements: the same places in memory, and no row reaches into the next.

use std::collections::BTreeSet;

use super::delinearise::gcd;
use super::facts::{Access, Block, Stream, Subscript};
use super::references::each_block;
use crate::expr::Expr;
use crate::ir::Name;

/// Makes rows as long as the references to `flattened` arrays walk by; `root` is an outermost loop's block.
pub fn widen(root: &mut Block, flattened: &BTreeSet<Name>) {
    let mut shapes: Vec<Shape> = Vec::new();
    each_block(root, &mut |block| {
        for stream in block.streams.iter().filter(|s| has_rows(s, flattened)) {
            match shapes.iter_mut().find(|shape| shape.holds(stream)) {
                Some(shape) => shape.take(stream),
                None => shapes.push(Shape::of(stream)),
            }
        }
    });
    shapes.retain(Shape::is_wide);
    if shapes.is_empty() {
        return;
    }
    each_block(root, &mut |block| {
        for stream in block.streams.iter_mut().filter(|s| has_rows(s, flattened)) {
            if let Some(shape) = shapes.iter().find(|shape| shape.holds(stream)) {
                shape.widen(stream);
            }
        }
    });
}

fn has_rows(stream: &Stream, flattened: &BTreeSet<Name>) -> bool {
    let row = stream.extents.first().and_then(Option::as_ref);
    let is_row = |(first, last): &(Expr, Expr)| first.is_zero() && last.as_number().is_none();
    stream.subscripts.len() > 1 && row.is_some_and(is_row) && flattened.contains(&stream.array)
}

/// References to one array that have the same rows.
struct Shape {
    array: Name,
    extents: Vec<Option<(Expr, Expr)>>,
    /// What divides all rows that they go to.
    rows: i64,
    /// By how much loops go along a row.
    steps: BTreeSet<i64>,
}

impl Shape {
    fn of(stream: &Stream) -> Shape {
        let mut shape = Shape {
            array: stream.array.clone(),
            extents: stream.extents.clone(),
            rows: 0,
            steps: BTreeSet::new(),
        };
        shape.take(stream);
        shape
    }

    fn holds(&self, stream: &Stream) -> bool {
        self.array == stream.array && self.extents == stream.extents
    }

    fn take(&mut self, stream: &Stream) {
        let outer = stream.subscripts.iter().enumerate().skip(1);
        for (d, subscript) in outer {
            let divisor = divisor(subscript).unwrap_or(1);
            let offsets = stream.accesses.iter().map(|access| access.offset[d]);
            self.rows = offsets.fold(gcd(self.rows, divisor), gcd);
        }
        let terms = stream.subscripts[0].terms.iter();
        self.steps
            .extend(terms.filter_map(|(_, by)| by.as_integer()));
    }

    /// Whether all go to every third row only, say, and one of them goes along a row by a multiple of three elements.
    fn is_wide(&self) -> bool {
        self.rows > 1 && self.steps.iter().any(|by| by % self.rows == 0)
    }

    fn widen(&self, stream: &mut Stream) {
        let times = self.rows as f64;
        for subscript in stream.subscripts.iter_mut().skip(1) {
            for (_, by) in &mut subscript.terms {
                *by = (by.clone() * (1.0 / times)).expand();
            }
            subscript.base = (subscript.base.clone() * (1.0 / times)).expand();
        }
        for Access { offset, .. } in &mut stream.accesses {
            offset.iter_mut().skip(1).for_each(|at| *at /= self.rows);
        }
        if let Some(Some((_, last))) = stream.extents.first_mut() {
            *last = ((last.clone() + 1.0) * times - 1.0).expand();
        }
        // What is left over of a whole that is no multiple of that belongs to no row.
        let own = stream.subscripts.len();
        if let Some(Some((_, last))) = stream.extents.get_mut(own - 1) {
            *last = ((last.clone() + 1.0) * (1.0 / times) - 1.0).expand();
        }
    }
}

/// The largest number that divides a subscript, whatever the loops do; `None` if there is none.
fn divisor(subscript: &Subscript) -> Option<i64> {
    if subscript.gather.is_some() {
        return None;
    }
    let whole = |by: f64| (by.fract() == 0.0 && by.abs() < 1e9).then_some(by as i64);
    let terms = subscript.terms.iter().map(|(_, by)| by.as_integer());
    let parts = subscript.base.monomials().into_iter();
    let parts = parts.map(|(_, by)| whole(by));
    terms
        .chain(parts)
        .try_fold(0, |all, by| Some(gcd(all, by?)))
}
