//! Where a row ends, the next one begins: which elements of two rows lie beside each other?
//!
//! Boundary conditions copy the last columns of a field to the first ones, ghost cells of one row follow those of the row
//! before. Such elements share lines, although no loop goes from one to the other. An element at the far end of a row is
//! taken as one of the next row, below its first element:
//!
//! ```text
//! u(1, j) = u(n, j)          rows of n elements
//!
//! u(n, j)                    n − 1 elements behind u(1, j), or one before u(1, j + 1)
//! ```
//!
//! Rows that loops walk along are left to `rows`. How long rows are is known where the difference is a number, with what
//! the source says of sizes put in their place (`m_len = m + 1`); of sizes that are set to something else all the same,
//! [`super::doubts`] marks the nest.

use super::order::is_near;
use super::overlap;
use super::reference::Reference;
use crate::expr::Expr;

/// Elements between the ends of two rows that may still be in one line.
const ENDS: f64 = 32.0;

/// Elements at the far end of rows of a known length are taken as elements of the next rows.
pub fn turn_offsets(reference: &mut Reference<Expr>) {
    let length = reference.pitches.get(1).and_then(Option::as_ref);
    let Some(length) = length.and_then(Expr::as_number) else {
        return;
    };
    let places = || reference.offsets.iter().map(|offset| offset[0]);
    let (Some(first), Some(last)) = (places().min(), places().max()) else {
        return;
    };
    let gap = length - (last - first) as f64;
    let is_beside = (0.0..=ENDS).contains(&gap) && length >= 4.0 * ENDS;
    if !reference.dimensions[0].is_empty() || !is_beside || reference.gathered.is_some() {
        return;
    }
    for offset in reference.offsets.iter_mut().chain(&mut reference.written) {
        if (offset[0] - first) as f64 > length / 2.0 {
            offset[0] -= length as i64;
            offset[1] += 1;
        }
    }
}

/// The same of references that stay at the far end of the rows of another one. Gives what was taken to be zero for that;
/// `settled` puts what the source says of sizes in their place.
pub fn turn(references: &mut [Reference<Expr>], settled: &dyn Fn(&Expr) -> Expr) -> Vec<Expr> {
    let mut assumed = Vec::new();
    for at in 1..references.len() {
        let (before, rest) = references.split_at_mut(at);
        let turned = before.iter().find_map(|near| {
            let (along, rows) = around_end(near, &rest[0], settled)?;
            let base = near.bases[0].clone() + along as f64;
            let row = near.bases[1].clone() + rows as f64;
            Some([base, row])
        });
        if let Some([base, row]) = turned {
            let far = &mut rest[0];
            let pitch = far.pitches[1].clone().unwrap_or(Expr::from(0.0));
            if pitch.as_number().is_none() {
                // Rows of one element have no ends.
                let short = Expr::from(2.0) - pitch.clone();
                assumed.push(Expr::max([Expr::from(0.0), short]));
            }
            let moved = (&far.bases[0] - &base) + pitch * (&far.bases[1] - &row);
            let moved = moved.expand();
            if moved.as_number() != Some(0.0) {
                assumed.push(moved);
            }
            (far.bases[0], far.bases[1]) = (base, row);
        }
    }
    assumed
}

/// Elements and rows from one reference to another one that stays at the other end of the same rows, by way of the row
/// before or behind.
fn around_end(
    near: &Reference<Expr>,
    far: &Reference<Expr>,
    settled: &dyn Fn(&Expr) -> Expr,
) -> Option<(i64, i64)> {
    let pitch = near.pitches.get(1)?.as_ref()?;
    if !are_alike(near, far) {
        return None;
    }
    let rows = whole(&(&far.bases[1] - &near.bases[1]))?;
    [-1, 1].into_iter().find_map(|by| {
        let along = &far.bases[0] - &near.bases[0] + pitch.clone() * f64::from(by);
        let along = whole(&along).or_else(|| whole(&settled(&along)))?;
        Some((along, rows - i64::from(by)))
    })
}

/// Elements and rows from one reference to another one that stays near it.
pub fn apart(a: &Reference<Expr>, b: &Reference<Expr>) -> Option<(i64, i64)> {
    if !are_alike(a, b) {
        return None;
    }
    let along = whole(&(&b.bases[0] - &a.bases[0]))?;
    Some((along, whole(&(&b.bases[1] - &a.bases[1]))?))
}

/// A small number of elements or rows.
fn whole(apart: &Expr) -> Option<i64> {
    let apart = apart.expand().as_number()?;
    (apart.fract() == 0.0 && apart.abs() <= ENDS).then_some(apart as i64)
}

/// Whether two references stay at one place each of the same rows of an array.
fn are_alike(a: &Reference<Expr>, b: &Reference<Expr>) -> bool {
    let is_met = overlap::is_met_with(a, b) && overlap::is_met_with(b, a) && a.taken == b.taken;
    a.array == b.array
        && a.width == b.width
        && a.level == b.level
        && a.gathered.is_none()
        && b.gathered.is_none()
        && a.dimensions.len() > 1
        && a.dimensions == b.dimensions
        && a.dimensions[0].is_empty()
        && is_met
        && (a.bases.iter().zip(&b.bases).skip(2)).all(|(a, b)| is_near(&(a - b), 0.0))
}
