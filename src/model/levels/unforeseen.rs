//! Which lines does no prefetcher foresee?
//!
//! Prefetchers follow accesses that come at a short stride, in a number of streams (guide: static-model, "Irregular
//! lines"). A loop that moves a reference by more than [`FOLLOWED_STRIDE`] bytes begins another stream with every
//! iteration; a loop around it that moves by less goes on with all of them:
//!
//! ```text
//! for i, for j: b[i][j] = a[j][i]     j moves a by a row, i by an element: as many streams as j has iterations
//! for i, for c: f[c][i]               nine values of c: nine streams
//!
//! streams = ∏ iterations of the innermost loops that move the reference far, up to one that moves it a little
//! ```
//!
//! If these are more than [`FOLLOWED_STREAMS`], all lines that the reference fetches are irregular, and so are those of
//! references to random places. Each line then takes what an access to it takes, less what the core overlaps.

use super::Profile;
use super::domain::{Given, Tiles};
use super::number::Number;
use super::reference::{LONG_STRIDE, Lines, Reference};
use super::reuse::Profiler;
use super::steps::About;
use crate::catalogue::StaticFigure;
use crate::figures::Figures;
use crate::machine::MachineModel;
use crate::machine::parameters::WARM;

/// Bytes from one access to the next which a prefetcher follows, and streams that it follows at once: Intel 64 and IA-32
/// Architectures Optimization Reference Manual, "Data Prefetching to L1 Data Cache" and "… to the L2 and Last Level Cache".
pub const FOLLOWED_STRIDE: f64 = 2048.0;
pub const FOLLOWED_STREAMS: f64 = 32.0;

impl<N: Number> Lines<'_, N> {
    /// Of each reference one if its lines are irregular, else nothing.
    pub fn unforeseen(&self, references: &[Reference<N>]) -> Vec<N> {
        let counts = self.iterations_inside();
        let share = |reference: &Reference<N>| {
            if reference.gathered.is_some() {
                return self.first_of_place(reference);
            }
            let streams = self.streams(reference, &counts);
            let share = streams.if_at_most(&N::of(FOLLOWED_STREAMS), &N::of(0.0), &N::of(1.0));
            let about = About::Array(reference.array, None);
            (self.name)(self.names.step(StaticFigure::Unforeseen, about), share)
        };
        references.iter().map(share).collect()
    }

    /// Of the lines of a place that data choose, the share of the first one: from there on they follow each other.
    fn first_of_place(&self, reference: &Reference<N>) -> N {
        let one = N::of(1.0);
        let mut inside = reference.dimensions[..reference.of_array()].iter();
        if inside.all(Vec::is_empty) {
            return one;
        }
        let free = vec![Given::Free; self.domain.loops.len()];
        let given = self.standing(&free, 0..reference.chosen_within());
        let lines = self.of(
            reference,
            (&reference.offsets, None),
            &given,
            Tiles::Mean,
            true,
        );
        one.over(&lines.larger(&one))
    }

    /// Iterations of every loop while those around it stand in the middle of their ranges.
    fn iterations_inside(&self) -> Vec<N> {
        let loops = 0..self.domain.loops.len();
        let mut given = vec![Given::Free; loops.len()];
        let count = |level: usize| {
            let span = self.spans(&given, Tiles::Full).swap_remove(level);
            given[level] = self.in_the_middle(level, &span);
            span.count
        };
        loops.map(count).collect()
    }

    /// Streams that a reference goes along at once.
    fn streams(&self, reference: &Reference<N>, counts: &[N]) -> N {
        let one = N::of(1.0);
        (0..reference.level)
            .filter_map(|v| Some((v, self.bytes_apart(reference, v)?)))
            .fold(one.clone(), |outside, (v, bytes)| {
                let more = counts[v].times(&outside);
                bytes.if_at_most(&N::of(FOLLOWED_STRIDE), &one, &more)
            })
    }

    /// Bytes by which an iteration of a loop moves a reference; `None` if it does not.
    pub fn bytes_apart(&self, reference: &Reference<N>, variable: usize) -> Option<N> {
        let range = &self.domain.loops[variable];
        let along = |(d, terms): (usize, &Vec<(usize, f64)>)| {
            let (_, by) = terms.iter().find(|(v, _)| *v == variable)?;
            let pitch = match d {
                0 => Some(N::of(1.0)),
                _ => reference.pitches.get(d).cloned().flatten(),
            };
            let by = match (&reference.stride, pitch) {
                (Some(stride), _) if d == 0 => stride.clone(),
                (_, Some(pitch)) if by.abs() < LONG_STRIDE => pitch.scaled(by.abs()),
                _ => return Some(N::of(LONG_STRIDE)),
            };
            Some(match range.known_step {
                Some(step) => by.scaled(step),
                None => by.times(&range.step),
            })
        };
        let moved: Vec<N> = reference
            .dimensions
            .iter()
            .enumerate()
            .filter_map(along)
            .collect();
        (!moved.is_empty()).then(|| N::sum(moved).scaled(reference.width))
    }
}

/// A smaller share of the lines that a cache fetches changes no time by much.
const SOME: f64 = 0.01;

impl Profile<f64> {
    /// Whether more than a few of the lines that some cache fetches are irregular.
    pub fn has_unforeseen(&self, machine: &MachineModel, figures: &Figures) -> bool {
        if self.is_foreseen() {
            return false;
        }
        let line = figures.input("line_bytes").unwrap_or(f64::NAN);
        let is_warm = figures.input(WARM).is_some_and(|switch| switch > 0.0);
        machine.levels().iter().any(|cache| {
            let share = figures.runs_on().share_value(cache);
            let (fetched, _) = self.through(share);
            let stays = is_warm && self.cold * line <= share;
            !stays && self.unforeseen_through(share) > SOME * fetched
        })
    }
}

impl<N: Number> Profiler<'_, N> {
    /// Irregular lines that the whole nest touches; of arrays that some references go along in order, none.
    pub fn compulsory_unforeseen(&self, free: &[Given<N>]) -> N {
        let is_first = |r: &usize| {
            let array = self.references[*r].array;
            self.references
                .iter()
                .position(|other| other.array == array)
                == Some(*r)
        };
        let firsts = (0..self.unforeseen.len()).filter(is_first);
        let lines = firsts.map(|r| {
            let array = self.references[r].array;
            let shares = (self.references.iter().zip(&self.unforeseen))
                .filter(|(other, _)| other.array == array)
                .map(|(_, share)| share.clone());
            let share = shares.reduce(|a, b| a.smaller(&b)).unwrap_or(N::of(0.0));
            self.irregular(&share, || {
                self.lines_of_array(array, super::reuse::Kind::Any, 0, free)
            })
        });
        N::sum(lines).times(&self.entered(0))
    }

    /// Of lines that references fetch again, the irregular ones.
    pub fn unforeseen_of(&self, references: &[usize], lines: &[N]) -> N {
        if self.unforeseen.is_empty() {
            return N::of(0.0);
        }
        let both = references.iter().zip(lines);
        N::sum(both.map(|(r, lines)| self.irregular(&self.unforeseen[*r], || lines.clone())))
    }

    /// Lines of which a share is irregular.
    pub fn irregular(&self, share: &N, lines: impl FnOnce() -> N) -> N {
        match N::of(0.0).is_surely_at_least(share) {
            true => N::of(0.0),
            false => share.times(&lines()),
        }
    }
}
