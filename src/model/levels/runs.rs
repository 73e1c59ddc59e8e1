//! When are neighbouring rows one run?
//!
//! Where less than a line lies between the end of a row and the start of the next, no line is left out: the
//! rows of a plane touch all lines from the first element to the last, however many rows there are.
//!
//! ```text
//! a(1:120, 1:n) of a(126, n), lines of 8:  ├──── 120 ────┤ 6 ├──── 120 ────┤ 6 ├──── 120 ────┤
//!                                                   less than 8: one run of (n − 1)·126 + 120 elements
//! ```
//!
//! The sum over single rows, each rounded by itself, would count the lines in between twice. Which of both
//! holds is decided by the parameters, so the formula has the two of them. Only rows of one plane, or of small
//! planes, without gaps in their offsets, walked element by element, or at a stride that leaves out no line, and one after the other, are
//! looked at; all others stay with `rows`.

use super::domain::{Given, Span};
use super::number::Number;
use super::reference::{Extent, Lines, Reference, about, are_all};
use super::rows::{self, Row};
use crate::catalogue::StaticFigure;
use crate::footprint::{Columns, Walk};

impl<N: Number> Lines<'_, N> {
    /// The lines of neighbouring rows if less than a line lies between them: all from the first to the last, whose
    /// places are known where the rows' own are. `apart` is what they come to if more lies between them.
    ///
    /// `None` where the rows are not of this kind, whatever the parameters are.
    pub fn run_of_rows(
        &self,
        reference: &Reference<N>,
        (offsets, columns): (&[Vec<i64>], &[Columns]),
        (row, extents): (&Row<N>, &[Extent<N>]),
        spans: &[Span<N>],
        given: &[Given<N>],
        apart: &N,
    ) -> Option<N> {
        let [column] = columns else { return None };
        // Those that are no two of one length are counted one by one.
        if reference.packed.is_some() {
            return None;
        }
        let rows_follow = match extents.get(1)?.walk {
            Walk::By(step) => is_contiguous(offsets) && are_all(offsets, step as f64),
            Walk::Fixed => false,
        };
        let is_plane = extents[2..].iter().all(|extent| extent.walk == Walk::Fixed);
        // Of larger planes it makes no difference whether the last row of each is rounded by itself.
        let planes = (!is_plane && reference.has_small_planes && offsets.len() == 1)
            .then(|| extents.get(2).filter(|extent| extent.walk == Walk::By(1)))
            .flatten();
        let is_plane = is_plane || planes.is_some();
        // Rows of small planes may be within a line of each other, too.
        let tight = row.tight.as_ref().filter(|_| planes.is_some());
        let is_tight = tight.is_some();
        let is_dense = row.is_dense() || (tight.is_some() && row.leaves_out_none());
        if !is_dense || row.step.is_some() || column.runs != 1 || !rows_follow || !is_plane {
            return None;
        }
        let (start, alignment, is_even) = self.first_row(reference, offsets, row, spans, given)?;
        let pitch = row.pitch.as_ref().or(tight)?;
        let number = match planes {
            Some(_) => extents[1].positions.clone(),
            None => N::sum(column.count.iter().map(|(walked, coefficient)| {
                walked.iter().fold(N::of(*coefficient as f64), |n, d| {
                    n.times(&extents[*d].positions)
                })
            })),
        };
        let covered = row.covered(column);
        let none = N::of(0.0);
        let in_plane = number.if_at_most(
            &none,
            &none,
            &number.beyond_first().times(pitch).plus(&covered),
        );
        let plane = reference.pitches.get(2).and_then(Option::as_ref);
        let planes = planes.zip(plane);
        let whole = planes.map_or(in_plane.clone(), |(extent, plane)| {
            let number = &extent.positions;
            let all = number.beyond_first().times(plane).plus(&in_plane);
            in_plane.if_at_most(&none, &none, &number.if_at_most(&none, &none, &all))
        });
        let run_from = |alignment: N, length: &N| {
            // Rows of nothing touch nothing, however many there are.
            let length = row.length.if_at_most(&none, &none, length);
            let step = self
                .names
                .step(StaticFigure::RowAlignment, about(reference, spans));
            let start = (start.clone(), (self.name)(step, alignment));
            one_run(row, start, length, is_even).lines(&first_of(column), false)
        };
        let run = run_from(alignment.clone(), &whole);
        // With a line or more between them, each plane is a run.
        let each = planes.as_ref().map(|(extent, plane)| {
            let alignment = rows::alignment(&[alignment, (*plane).clone()], &row.line);
            run_from(alignment, &in_plane).times(&extent.positions)
        });
        // As with single rows, the last block may be smaller than the others.
        let run = row
            .share
            .as_ref()
            .map_or(run.clone(), |share| run.times(share));
        let run = pitch
            .minus(&covered)
            .if_at_most(&row.line.shifted(-1.0), &run, apart);
        let run = planes.map_or(run.clone(), |(_, plane)| {
            let between = plane.minus(&in_plane);
            let each = each.unwrap_or_else(|| apart.clone());
            let each = pitch
                .minus(&covered)
                .if_at_most(&row.line.shifted(-1.0), &each, apart);
            between.if_at_most(&row.line.shifted(-1.0), &run, &each)
        });
        let run = match is_tight {
            true => pitch.if_at_most(&row.line, &run, apart),
            false => run,
        };
        Some(match row.stride > 1.0 {
            // No line lies between two elements either.
            true => N::of(row.stride).if_at_most(&row.line, &run, apart),
            false => run,
        })
    }

    /// The place of the first row's first element, less the offset along the row; the distance of which it lies at
    /// whole multiples from there, whatever stands still; and whether the number of elements is always the same.
    fn first_row(
        &self,
        reference: &Reference<N>,
        offsets: &[Vec<i64>],
        row: &Row<N>,
        spans: &[Span<N>],
        given: &[Given<N>],
    ) -> Option<(N, N, bool)> {
        // Rows of one length that are known to end at a place begin at one, too.
        let from_end = || {
            let (place, apart, is_even) = self.row_end((reference, &[]), true, spans, given)?;
            let first = place.minus(&row.length).shifted(1.0);
            is_even.then_some((first, apart, is_even))
        };
        let start = self.row_end((reference, &[]), false, spans, given);
        let (mut place, mut apart, mut is_even) = start.or_else(from_end)?;
        for d in 1..reference.dimensions.len() {
            let pitch = reference.pitches.get(d)?.as_ref()?;
            let first = offsets.iter().map(|offset| offset[d]).min()?;
            place = place.plus(&reference.bases.get(d)?.shifted(first as f64).times(pitch));
            for (variable, coefficient) in &reference.dimensions[d] {
                let (end, moved, even) = match spans[*variable].stands {
                    true => (
                        self.origin[*variable].clone(),
                        vec![self.domain.loops[*variable].moves()],
                        true,
                    ),
                    false => self.end(*variable, *coefficient < 0.0, spans, given)?,
                };
                is_even &= even;
                place = place.plus(&end.scaled(*coefficient).times(pitch));
                apart.extend(
                    moved
                        .into_iter()
                        .map(|by| by.scaled(*coefficient).times(pitch)),
                );
            }
        }
        apart.extend(reference.multiple.clone());
        let line = self.elements_of_line(reference);
        Some((place, rows::alignment(&apart, &line), is_even))
    }
}

/// A run of elements without a gap.
fn one_run<N: Number>(row: &Row<N>, start: (N, N), length: N, is_even: bool) -> Row<N> {
    Row {
        line: row.line.clone(),
        last: row.last,
        length,
        stride: 1.0,
        step: None,
        walked: true,
        pitch: None,
        tight: None,
        start: Some(start),
        stop: None,
        grid: None,
        records: Vec::new(),
        is_even,
        share: None,
    }
}

/// Where a run begins whose offsets along the row its length has.
fn first_of(column: &Columns) -> Columns {
    Columns {
        first: column.first,
        ..Columns::single(0, &[])
    }
}

/// Whether offsets are in one plane, their rows without a gap.
fn is_contiguous(offsets: &[Vec<i64>]) -> bool {
    let mut rows: Vec<i64> = offsets.iter().map(|offset| offset[1]).collect();
    rows.sort_unstable();
    rows.windows(2).all(|pair| pair[1] - pair[0] <= 1)
        && offsets.iter().all(|o| o[2..] == offsets[0][2..])
}
