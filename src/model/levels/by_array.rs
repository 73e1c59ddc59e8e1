//! Whose lines does a nest move? The lines of a [`Profile`], array by array, so that arrays can be placed in memories of
//! their own (`placement`).
//!
//! ```text
//! lines of A = cold of A + Σ [distance > n]·lines of A that are fetched and written again − what earlier nests left of A
//! ```

use super::Neighbours;
use super::number::Number;
use super::of_array::OfArray;
use super::reuse::{Kind, Profiler, Reuse};
use super::swept::ArrayPart;
use crate::arrays::Arrays;
use crate::catalogue::StaticFigure as F;
use crate::expr::{Comparison, Expr, FigureId};
use crate::figures::Figures;
use crate::label::Subject;
use crate::nest::Nest;

impl<N: Number> Profiler<'_, N> {
    /// The first reference to the array of another one.
    pub fn first(&self, reference: usize) -> usize {
        let array = self.references[reference].array;
        let is_same = |other: &super::reference::Reference<N>| other.array == array;
        self.references
            .iter()
            .position(is_same)
            .unwrap_or(reference)
    }

    /// Lines that the whole nest touches, array by array.
    pub fn compulsory_of_arrays(&self, free: &[super::domain::Given<N>]) -> Vec<OfArray<N>> {
        if self.arrays == Arrays::Together {
            return Vec::new();
        }
        let firsts = (0..self.references.len()).filter(|r| self.first(*r) == *r);
        let one = |first: usize| {
            let array = self.references[first].array;
            let lines = |kind| {
                self.lines_of_array(array, kind, 0, free)
                    .times(&self.entered(0))
            };
            let (fetched, written) = (lines(Kind::Any), lines(Kind::Written));
            let shares = self.references.iter().zip(&self.unforeseen);
            let shares = shares.filter(|(other, _)| other.array == array);
            let share = shares.map(|(_, share)| share.clone());
            let share = share.reduce(|a, b| a.smaller(&b)).unwrap_or(N::of(0.0));
            let unforeseen = self.irregular(&share, || fetched.clone());
            OfArray {
                first,
                fetched,
                written,
                unforeseen,
            }
        };
        firsts.map(one).collect()
    }

    /// Of lines that references fetch and write again, those of each array, so many times.
    pub fn reused_of_arrays(
        &self,
        references: &[usize],
        [fetched, written]: &[Vec<N>; 2],
        times: &N,
    ) -> Vec<OfArray<N>> {
        let mut all: Vec<OfArray<N>> = Vec::new();
        if self.arrays == Arrays::Together {
            return all;
        }
        for ((r, fetched), written) in references.iter().zip(fetched).zip(written) {
            let none = || N::of(0.0);
            let share = self.unforeseen.get(*r).cloned().unwrap_or_else(none);
            let own = OfArray {
                first: self.first(*r),
                fetched: fetched.times(times),
                written: written.times(times),
                unforeseen: self.irregular(&share, || fetched.clone()).times(times),
            };
            match all.iter_mut().find(|known| known.first == own.first) {
                Some(known) => {
                    known.fetched = known.fetched.plus(&own.fetched);
                    known.written = known.written.plus(&own.written);
                    known.unforeseen = known.unforeseen.plus(&own.unforeseen);
                }
                None => all.push(own),
            }
        }
        all
    }
}

/// Everything that the lines of arrays are made from.
pub(super) struct Known<'k> {
    pub nest: &'k Nest<'k>,
    /// Lines that any cache fetches and writes back.
    pub arrays: Vec<OfArray<Expr>>,
    /// Reuses of something, each with the bytes in between.
    pub reuses: Vec<(&'k Reuse<Expr>, Expr)>,
    pub neighbours: Option<&'k Neighbours<Expr>>,
    /// Bytes of the last cache.
    pub capacity: Expr,
}

/// Lines of one array between the last cache and memory, in bytes.
#[derive(Clone)]
pub struct ArrayLines {
    pub(super) array: ArrayPart,
    pub(super) moved: FigureId,
    pub(super) irregular: Option<FigureId>,
    pub(super) touched: FigureId,
}

impl Known<'_> {
    pub fn define(&self, figures: &mut Figures) -> Vec<ArrayLines> {
        let arrays = self.arrays.iter();
        arrays
            .map(|cold| self.define_array(cold, figures))
            .collect()
    }

    fn define_array(&self, cold: &OfArray<Expr>, figures: &mut Figures) -> ArrayLines {
        let line = || Expr::machine("line_bytes");
        let stream = &self.nest.streams[cold.first].stream;
        let array = (stream.array.to_string(), stream.component.clone());
        let subject = Subject::Array(stream.array.as_str().into());
        let mut moved = vec![(cold.fetched.clone() + cold.written.clone()) * line()];
        let mut irregular = vec![cold.unforeseen.clone() * line()];
        for (reuse, distance) in &self.reuses {
            let Some(own) = reuse.arrays.iter().find(|own| own.first == cold.first) else {
                continue;
            };
            let mut unless_held = |kind: F, lines: Expr, all: &mut Vec<Expr>| {
                if lines.is_zero() {
                    return;
                }
                let bytes = figures.define(kind.about(subject.clone()), lines * line());
                all.push(Expr::choose(
                    Comparison::LessOrEqual,
                    distance.clone(),
                    self.capacity.clone(),
                    Expr::from(0.0),
                    bytes.into(),
                ));
            };
            let lines = own.fetched.clone() + own.written.clone();
            unless_held(F::ArrayMovedAgain, lines, &mut moved);
            let lines = own.unforeseen.clone();
            unless_held(F::ArrayIrregularAgain, lines, &mut irregular);
        }
        let (moved, irregular) = (Expr::sum(moved), Expr::sum(irregular));
        let moved = match self.neighbours {
            None => moved,
            Some(neighbours) => {
                let switch = Expr::machine(super::REUSE_BETWEEN_NESTS);
                let held = neighbours.held_of(&array, &self.capacity, &switch);
                Expr::max([moved - held * line(), Expr::from(0.0)])
            }
        };
        let mut bytes = |kind: F, bytes: Expr| figures.define(kind.about(subject.clone()), bytes);
        ArrayLines {
            moved: bytes(F::ArrayLines, moved),
            irregular: (!irregular.is_zero()).then(|| bytes(F::ArrayIrregularLines, irregular)),
            touched: bytes(F::ArrayTouched, cold.fetched.clone() * line()),
            array,
        }
    }
}
