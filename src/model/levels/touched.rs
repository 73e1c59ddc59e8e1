//! How many distinct lines does a nest, or what is inside one of its loops, touch?
//!
//! The sum of `reference`'s counts over what `overlap` lets count, array by array, with two corrections. Parts
//! of one array that several references go to share lines at their borders, so that they are never more than
//! the whole array, where its size is known. And branches: of a loop that is entered with probability p, in
//! each of n iterations of the loop around,
//!
//! ```text
//! if the loop around moves the reference   p of the places are ever touched
//! if it does not                           min(1, n·p), as it comes back to the same places
//! ```
//!
//! Of conditions on data nothing more is known than how often they hold. Hands over to `reuse`.

use std::borrow::Cow;

use super::anywhere;
use super::domain::{Given, Tiles};
use super::number::Number;
use super::overlap::Counted;
use super::reference::{Lines, Reference};
use super::reuse::{Kind, Profiler};

impl<N: Number> Profiler<'_, N> {
    /// Lines that the whole nest touches, array by array.
    pub fn compulsory(&self, kind: Kind, free: &[Given<N>]) -> N {
        let mut arrays: Vec<usize> = self.references.iter().map(|r| r.array).collect();
        arrays.dedup();
        arrays.sort_unstable();
        arrays.dedup();
        N::sum(
            arrays
                .into_iter()
                .map(|array| self.lines_of_array(array, kind, 0, free)),
        )
        .times(&self.entered(0))
    }

    /// The same of arrays that are only written, or before they are read.
    pub fn compulsory_written_first(&self, free: &[Given<N>]) -> N {
        let firsts = (0..self.references.len())
            .filter(|r| self.first(*r) == *r && self.is_written_first(*r));
        let lines = firsts.map(|r| {
            let array = self.references[r].array;
            self.lines_of_array(array, Kind::Any, 0, free)
        });
        N::sum(lines).times(&self.entered(0))
    }

    /// Whether all that goes to the array of a reference writes before it reads.
    pub fn is_written_first(&self, r: usize) -> bool {
        let array = self.references[r].array;
        let mut same = self.references.iter().filter(|other| other.array == array);
        same.all(|other| other.is_written_first)
    }

    /// Lines of an array with the loops from `level` on swept.
    pub fn lines_of_array(&self, array: usize, kind: Kind, level: usize, given: &[Given<N>]) -> N {
        let of: Vec<usize> = (0..self.references.len())
            .filter(|r| self.references[*r].array == array)
            .collect();
        let lines = of
            .iter()
            .map(|r| self.lines_of(*r, kind, level, given, Tiles::Mean, true));
        self.at_most_whole(&of, (kind, level), lines.collect())
    }

    /// The sum of the lines that all references touch, known one by one, with the loops from `level` on swept.
    pub fn lines_of_arrays(&self, level: usize, lines: Vec<N>) -> N {
        let array = |r: usize| self.references[r].array;
        let is_first = |r: &usize| (0..*r).all(|other| array(other) != array(*r));
        let of_array = |first: usize| {
            let of: Vec<usize> = (first..lines.len())
                .filter(|r| array(*r) == array(first))
                .collect();
            let own = of.iter().map(|r| lines[*r].clone()).collect();
            self.at_most_whole(&of, (Kind::Any, level), own)
        };
        N::sum((0..lines.len()).filter(is_first).map(of_array))
    }

    /// Lines of references to one array, of which each has so many; of several no more than it has.
    fn at_most_whole(&self, of: &[usize], (kind, level): (Kind, usize), lines: Vec<N>) -> N {
        let several = of
            .iter()
            .filter(|r| !self.covered.of(kind, level, **r).offsets.is_empty())
            .count()
            > 1;
        match &self.references[of[0]].whole {
            Some(whole) if several => {
                let whole = whole.over(&self.lines.line);
                match of.iter().all(|r| self.is_random(*r)) {
                    true => anywhere::together(&lines, &whole),
                    // Parts of an array that border on each other share lines.
                    false => N::sum(lines).smaller(&whole).not_negative(),
                }
            }
            _ => N::sum(lines),
        }
    }

    /// Probability that the branches between a loop and the one around it are taken.
    pub fn entered(&self, level: usize) -> N {
        self.domain()
            .loops
            .get(level)
            .map_or(N::of(1.0), |range| range.entered.clone())
    }

    /// The share of the places of a reference, over the loops from `level` on, that branches around inner
    /// loops leave: all of them where a loop comes back to the same places often enough.
    pub fn taken(&self, r: usize, level: usize, given: &[Given<N>]) -> N {
        self.taken_of(&self.references[r], level, given)
    }

    /// The same of any reference.
    pub fn taken_of(&self, reference: &Reference<N>, level: usize, given: &[Given<N>]) -> N {
        let inner = level + 1..reference.level;
        let branches: Vec<usize> = inner
            .filter(|inner| !self.entered(*inner).is_one())
            .collect();
        if branches.is_empty() {
            return N::of(1.0);
        }
        let spans = self.lines.spans(given, Tiles::Mean);
        // Among all places of an array, those that data choose are met often.
        let moved = match reference.whole.is_some() {
            true => reference.of_array(),
            false => reference.dimensions.len(),
        };
        branches.into_iter().fold(N::of(1.0), |share, inner| {
            let around = inner - 1;
            let mut terms = reference.dimensions[..moved].iter().flatten();
            let moves = terms.any(|(v, _)| *v == around);
            let entered = self.entered(inner);
            let own = match moves {
                // A line of several places is touched if one of them is.
                true => match self.lines.bytes_apart(reference, around) {
                    _ if reference.chosen_by().any(|v| v == around) => entered,
                    None => entered,
                    Some(bytes) => {
                        let one = N::of(1.0);
                        let line = &self.lines.line;
                        let of_line = line.over(&bytes.larger(&one)).larger(&one);
                        let of_line = of_line.smaller(&spans[around].count.larger(&one));
                        anywhere::hit(&entered, &of_line)
                    }
                },
                false => spans[around].count.times(&entered).smaller(&N::of(1.0)),
            };
            share.times(&own)
        })
    }

    /// A reference as far as it counts.
    pub fn as_kind(&self, r: usize, kind: Kind) -> Cow<'_, Reference<N>> {
        let reference = &self.references[r];
        match (kind, &reference.writing) {
            (Kind::Written, Some(writing)) => Cow::Owned(Reference {
                condition: writing.clone(),
                ..reference.clone()
            }),
            _ => Cow::Borrowed(reference),
        }
    }

    /// Lines of the reference with the loops from `level` on swept.
    pub fn lines_of(
        &self,
        r: usize,
        kind: Kind,
        level: usize,
        given: &[Given<N>],
        tiles: Tiles,
        sides: bool,
    ) -> N {
        let Counted {
            offsets,
            row,
            taken,
            ..
        } = self.covered.of(kind, level, r);
        if offsets.is_empty() {
            return N::of(0.0);
        }
        let reference = &*self.as_kind(r, kind);
        let walks_inside = reference.dimensions[0].iter().all(|(v, _)| *v >= level);
        let of = |reference: &Reference<N>| {
            let lines = self.lines.of(
                reference,
                (offsets, row.as_ref()),
                given,
                tiles,
                sides || walks_inside,
            );
            lines.times(&self.met((reference, offsets), taken, (level, given, tiles)))
        };
        // How many iterations come to a line differs from one side of a hole to the next.
        let slabs = match taken {
            Some(taken) if taken.is_partial() => Lines::slabs(reference, given),
            _ => None,
        };
        let lines = match slabs {
            Some(slabs) => N::sum(slabs.iter().map(of)),
            None => of(reference),
        };
        lines.times(&self.taken(r, level, given))
    }
}
