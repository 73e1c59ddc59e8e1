//! How many lines do elements touch that repeat at a stride longer than a line?
//!
//! Members of structures, columns of a matrix, every n-th element. Of sorted elements, each is in another line
//! than the one before it with the probability min(1, gap/line) if their places in lines are spread evenly, and
//! for certain or not at all where these are known. In a period of the stride, the gaps are those between the
//! offsets, and the one from the last offset to the first of the next period.
//!
//! ```text
//! members 0 and 5 of records of 10 doubles, lines of 8:
//!
//!  0 . . . . 5 . . . . 0 . . . . 5 . . . .      gaps 5 and 5: 5/8 + 5/8 = 1.25 lines a record
//! ```
//!
//! Offsets that are no more than [`SAME_LINE_REACH`] elements apart are one piece; offsets a whole number of
//! strides apart are the same member of another record, and count once. Several loops along one row can be seen
//! as runs that the outer ones repeat in more ways than one; the least count is right ([`Lines::set_records`]).

use super::domain::{Given, Span};
use super::number::Number;
use super::reference::{Extent, LONG_STRIDE, Lines, Reference};
use super::rows::Row;
use crate::footprint::{Columns, SAME_LINE_REACH, Walk};

/// Elements of a stride that leaves out no line: nothing is gained by looking at each.
pub const WITHIN: f64 = SAME_LINE_REACH as f64;

/// Runs of elements at a stride.
#[derive(Clone, Debug)]
pub struct Records<N> {
    pub number: N,
    /// Elements from the first to the last of a run.
    pub length: N,
    pub stride: f64,
}

/// Neighbouring offsets of a record.
#[derive(Debug, PartialEq)]
struct Piece {
    /// The first of them, and how many elements the last one is behind it.
    first: i64,
    extra: i64,
    /// Elements from the offset before, of this record or the one before it.
    gap: i64,
    /// Records that an offset one or more strides away touches beyond those that the others do, at most; and how many
    /// such offsets there are.
    further: i64,
    times: i64,
}

/// The offsets of a record, those a whole number of strides apart together. The widest gap is before the first piece.
fn pieces(places: &[i64], stride: i64) -> Vec<Piece> {
    let mut residues: Vec<i64> = places
        .iter()
        .map(|place| place.rem_euclid(stride))
        .collect();
    residues.sort_unstable();
    residues.dedup();
    let before = |at: usize| match at.checked_sub(1) {
        Some(before) => residues[at] - residues[before],
        None => residues[0] - residues[residues.len() - 1] + stride,
    };
    let Some(widest) = (0..residues.len()).max_by_key(|at| before(*at)) else {
        return Vec::new();
    };
    let start = residues[widest];
    let mut pieces: Vec<Piece> = Vec::new();
    for at in (widest..residues.len()).chain(0..widest) {
        let place = (residues[at] - start).rem_euclid(stride);
        let strides = places
            .iter()
            .filter(|p| p.rem_euclid(stride) == residues[at])
            .map(|p| (p - start - place) / stride);
        let (first, last) = strides
            .clone()
            .fold((i64::MAX, i64::MIN), |(a, b), s| (a.min(s), b.max(s)));
        let (further, times) = (last - first, strides.count() as i64);
        match pieces.last_mut() {
            Some(piece) if before(at) <= SAME_LINE_REACH => {
                piece.extra += before(at);
                piece.further = piece.further.max(further);
                piece.times = piece.times.max(times);
            }
            _ => pieces.push(Piece {
                first: start + place,
                extra: 0,
                gap: before(at),
                further,
                times,
            }),
        }
    }
    pieces
}

impl<N: Number> Row<N> {
    /// Lines of a row that is made of records.
    pub fn of_records(&self, records: &Records<N>, column: &Columns) -> N {
        let Records {
            number,
            length,
            stride,
        } = records;
        let longer = length.shifted(-1.0);
        let none = [column.first];
        let places = if column.places.is_empty() {
            none.as_slice()
        } else {
            &column.places
        };
        let pieces = pieces(places, (*stride as i64).max(1));
        let entered = |piece: &Piece| {
            let gap = N::of(piece.gap as f64).minus(&longer).not_negative();
            let from = N::of(piece.first as f64).minus(&gap);
            match piece.gap as f64 >= LONG_STRIDE / 2.0 {
                true => N::of(1.0),
                false => self.crossed(&from, &gap).smaller(&N::of(1.0)),
            }
        };
        let lines = pieces.iter().enumerate().map(|(at, piece)| {
            let inside = self.crossed(
                &N::of(piece.first as f64),
                &longer.shifted(piece.extra as f64),
            );
            let entered = entered(piece);
            let records = match piece.times {
                1 => number.clone(),
                times => number
                    .shifted(piece.further as f64)
                    .smaller(&number.scaled(times as f64)),
            };
            let lines = records.times(&inside.plus(&entered));
            // Nothing is before the first record.
            if at == 0 {
                lines.shifted(1.0).minus(&entered)
            } else {
                lines
            }
        });
        let lines = N::sum(lines);
        self.share
            .as_ref()
            .map_or(lines.clone(), |share| lines.times(share))
    }

    /// Ends of lines from an element to another one so many behind it, the first one at an offset from the records.
    fn crossed(&self, first: &N, elements: &N) -> N {
        match &self.grid {
            None => elements.over(&self.line),
            Some((start, alignment)) => {
                let first = start.plus(first);
                let parts = first
                    .plus(elements)
                    .over(alignment)
                    .floor()
                    .minus(&first.over(alignment).floor());
                parts.times(alignment).over(&self.line)
            }
        }
    }
}

impl<N: Number> Lines<'_, N> {
    /// The ways to see elements that several loops move along the contiguous dimension as runs that the outer ones
    /// repeat. Each is right where the runs do not overlap; together with all from the first to the last element,
    /// the least is.
    pub fn set_records(
        &self,
        extent: &mut Extent<N>,
        terms: &[(usize, f64)],
        spans: &[Span<N>],
        given: &[Given<N>],
    ) {
        let mut walked: Vec<(usize, f64)> = terms
            .iter()
            .copied()
            .filter(|(v, _)| !spans[*v].stands)
            .collect();
        if walked.len() < 2 {
            return;
        }
        extent.positions = self.reach(&walked, spans, given).not_negative();
        walked.sort_by(|a, b| self.stride(b).total_cmp(&self.stride(a)));
        for inner in 1..=walked.len() {
            let stride = self.stride(&walked[inner - 1]);
            if stride <= WITHIN {
                break;
            }
            let number = walked[..inner]
                .iter()
                .fold(N::of(1.0), |n, (v, _)| n.times(&spans[*v].count));
            let length = match &walked[inner..] {
                [] => N::of(1.0),
                rest => self.reach(rest, spans, given).larger(&N::of(1.0)),
            };
            extent.records.push(Records {
                number,
                length,
                stride,
            });
        }
        if let Some(longest) = extent.records.first() {
            extent.walk = Walk::By(longest.stride as i64);
        }
    }

    /// The distances by which loops move a reference along its contiguous dimension; `None` if one is unknown.
    pub fn moves(&self, reference: &Reference<N>, spans: &[Span<N>]) -> Option<Vec<N>> {
        let free = reference
            .dimensions
            .first()?
            .iter()
            .filter(|(v, _)| !spans[*v].stands);
        let stride = |(v, by): &(usize, f64)| {
            let range = &self.domain.loops[*v];
            match range.known_step {
                _ if by.abs() >= LONG_STRIDE => {
                    Some(Some(range.step.times(reference.stride.as_ref()?)))
                }
                Some(step) if step * by.abs() <= WITHIN => Some(None),
                _ => Some(Some(range.step.scaled(by.abs()))),
            }
        };
        let strides: Option<Vec<Option<N>>> = free.map(stride).collect();
        Some(strides?.into_iter().flatten().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_meet_across_records() {
        let piece = |first, extra, gap, further, times| Piece {
            first,
            extra,
            gap,
            further,
            times,
        };
        assert_eq!(pieces(&[0, 1, 2, 3], 32), [piece(0, 3, 29, 0, 1)]);
        // 31 of one record is beside 0 of the next one: −1, 0 and 1 are neighbours.
        assert_eq!(pieces(&[-1, 0, 1], 32), [piece(31, 2, 30, 0, 1)]);
        // 74 and the next record's 0 as well.
        let three = pieces(&[0, 24, 25, 49, 50, 74], 75);
        assert_eq!(
            three,
            [
                piece(74, 1, 24, 0, 1),
                piece(99, 1, 24, 0, 1),
                piece(124, 1, 24, 0, 1)
            ]
        );
        // 16 strides apart three times: two records more than one of them touches.
        assert_eq!(pieces(&[-16, 0, 16], 16), [piece(0, 0, 16, 2, 3)]);
    }
}
