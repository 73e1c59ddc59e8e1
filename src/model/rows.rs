//! References to one array that is flattened by hand, some of which show that it has rows and others do not.
//!
//! `p[y*w + x]` is taken apart into a place in a row and a row (`delinearise`); of `p[y*w]` alone nothing says that w is the
//! length of rows, and not the distance of a vector's elements. Where a nest has both, they are one array of rows, of which
//! the first covers the second; and so are `p[y*w]` and `p[y*w + w + 1]`, which come to neighbouring rows.

use std::borrow::Cow;

use super::nest::Reference;
use crate::analysis::delinearise::{in_rows, row_beside};
use crate::analysis::facts::Stream;
use crate::expr::Expr;

/// An array with rows, and what is known of its extents.
pub struct Rows {
    /// The reference that shows them.
    shown: Stream,
    row: Expr,
    extents: Vec<Option<(Expr, Expr)>>,
}

/// The rows of arrays that some reference of a nest shows.
pub fn of(references: &[Reference]) -> Vec<Rows> {
    let mut found: Vec<Rows> = Vec::new();
    let streams = || references.iter().map(|reference| reference.stream.as_ref());
    let is_flat = |stream: &Stream| match &stream.subscripts[..] {
        [only] => {
            let by_name = |(_, by): &(String, Expr)| by.as_number().is_none();
            only.terms.iter().any(by_name) || only.base.as_number().is_none()
        }
        _ => false,
    };
    // So in most nests.
    if !streams().any(is_flat) {
        return found;
    }
    let taken_apart = |stream: &Stream| {
        let ([_, _], Some(Some((first, last)))) = (&stream.subscripts[..], stream.extents.first())
        else {
            return None;
        };
        let row = (last.clone() - first.clone() + 1.0).expand();
        (row.as_number().is_none()).then(|| (row, stream.extents.clone()))
    };
    let beside = |stream: &Stream| {
        let [only] = &stream.subscripts[..] else {
            return None;
        };
        // A vector that is gone through from an end is no array of rows.
        let differs = |other: &Stream| {
            is_flat(other) && other.array == stream.array && other.subscripts != stream.subscripts
        };
        let row = streams().any(differs).then(|| row_beside(only))??;
        let extent = (Expr::from(0.0), row.clone() - 1.0);
        Some((row, vec![Some(extent), None]))
    };
    for stream in streams().filter(|stream| stream.component.0.is_empty()) {
        if found.iter().any(|known| known.shown.array == stream.array) {
            continue;
        }
        let flat = |other: &Stream| is_flat(other) && other.array == stream.array;
        if !streams().any(flat) {
            continue;
        }
        found.extend(
            taken_apart(stream)
                .or_else(|| beside(stream))
                .map(|(row, extents)| Rows {
                    shown: stream.clone(),
                    row,
                    extents,
                }),
        );
    }
    found
}

/// A stream as one of places in rows, if its array has some.
pub fn in_rows_of<'s>(stream: &'s Stream, rows: &[Rows]) -> Cow<'s, Stream> {
    let of_array = rows.iter().find(|rows| rows.shown.array == stream.array);
    let (Some(rows), [only]) = (of_array, &stream.subscripts[..]) else {
        return Cow::Borrowed(stream);
    };
    if !stream.component.0.is_empty() {
        return Cow::Borrowed(stream);
    }
    let Some(apart) = in_rows(only, &rows.row) else {
        return Cow::Borrowed(stream);
    };
    let mut stream = stream.clone();
    for access in &mut stream.accesses {
        let along = access.offset[0] + apart[0].offset;
        access.offset = vec![along, apart[1].offset];
    }
    stream.subscripts = apart.map(|one| one.subscript).to_vec();
    stream.extents.clone_from(&rows.extents);
    Cow::Owned(stream)
}
