//! What of an array whose index is data is still in a cache?
//!
//! Of `x[col[k]]` any line may be next. What lies between two accesses to one line is taken to be spread evenly
//! from nothing to the whole array, and so are the cache sizes from which on they hit (guide: static-model,
//! "Gathers"). The spread is cut into [`CLASSES`] parts, each a [`Reuse`] of its own:
//!
//! ```text
//! class c of 16, share s = (c + ½)/16 of the array's N lines
//!
//! accesses in between   t = −N·ln(1 − s)        t random accesses touch N·(1 − e^(−t/N)) = s·N lines
//! distance              s·N lines, and what the other references bring in during t accesses: of another array of M
//!                       lines with u random accesses for each of these, M·(1 − e^(−t·u/M))
//! weight of a class     all − t                 so many accesses of the nest leave time for another one t later
//! ```
//!
//! The first class has the distance of 1/32 of the array and the last of 31/32, so a cache of half the array
//! finds about half. If the size of the array is unknown there is no such spread: `reference` takes
//! `gather_lines` lines per access. The nest carries the reason `gathered_elements`.

use super::anywhere::{nothing_after, together};
use super::domain::{Given, Tiles};
use super::number::Number;
use super::reference::Adjacent;
use super::reuse::{Kind, Profiler, Reuse};
use super::steps::About;
use crate::catalogue::StaticFigure;

/// The gap that stands for however many accesses come before the next one to a line.
pub const RANDOM: i64 = i64::MAX - 1;

/// Classes of distances.
const CLASSES: usize = 16;

/// A reference to random places.
struct Drawn<N> {
    reference: usize,
    /// The loops around those that choose places, and that choose none, in the middle of their ranges,
    given: Vec<Given<N>>,
    /// and how often they go over the places.
    sweeps: N,
    /// Lines that each time would be moved if none stayed.
    all: N,
}

/// An array that references go to random places of, in lines.
struct RandomArray<N> {
    array: usize,
    /// Of the whole array.
    lines: N,
    /// What would be moved if none stayed, while each loop that data choose places by runs once.
    all: N,
    /// What of it is touched at all.
    first: N,
    /// How often loops around come to the same places again.
    sweeps: N,
    /// The sum of the weights of all classes.
    weights: N,
}

impl<N: Number> RandomArray<N> {
    /// Accesses between two to the same line, in a class of distances: of n lines, t accesses touch n·(1 − e^(−t/n)).
    fn accesses(&self, class: usize) -> N {
        self.lines.scaled(-(1.0 - share_of(class)).ln())
    }

    /// Accesses after which there are enough for such a distance; some in the first class.
    fn weight(&self, class: usize) -> N {
        let least = if class == 0 { 1.0 } else { 0.0 };
        self.all.minus(&self.accesses(class)).larger(&N::of(least))
    }
}

/// The share of its lines that an array has been touched of between two accesses in a class.
fn share_of(class: usize) -> f64 {
    (class as f64 + 0.5) / CLASSES as f64
}

impl<N: Number> Profiler<'_, N> {
    /// Whether a reference goes to random places of an array of known size.
    pub fn is_random(&self, r: usize) -> bool {
        self.references[r].gathered.is_some() && self.references[r].whole.is_some()
    }

    /// Whether such a reference goes to other places in each iteration of a loop: what that reuses is none of
    /// [`Profiler::visit`].
    pub fn is_random_at(&self, r: usize, level: usize) -> bool {
        self.is_random(r) && self.lines.is_chosen_at(&self.references[r], level)
    }

    /// The reuse of references to random places; `cold` are the lines that the nest touches.
    pub fn random(&self, cold: &N, reuses: &mut Vec<Reuse<N>>) {
        let free = vec![Given::Free; self.lines.domain.loops.len()];
        let drawn = self.drawn(&free);
        let arrays = self.random_arrays(&drawn);
        // What else the nest touches, line after line.
        let in_turn = arrays
            .iter()
            .fold(cold.clone(), |left, own| left.minus(&own.first));
        let in_turn = in_turn.not_negative();
        for one in &drawn {
            let r = one.reference;
            let array = self.references[r].array;
            let Some(own) = arrays.iter().find(|one| one.array == array) else {
                continue;
            };
            let all = own.all.larger(&N::of(1.0));
            // Of the lines that all references to the array come back to, those of this one.
            let fetched = own.all.minus(&own.first).not_negative();
            let fetched = fetched.times(&one.all).over(&all);
            let once = self.once(one, Kind::Written);
            let written = self.gathers(r, Kind::Written, &one.given).minus(&once);
            let [fetched, written] = [fetched, written.not_negative()]
                .map(|again| again.times(&one.sweeps).over(&own.weights));
            let in_all = all.times(&own.sweeps);
            let beside = in_turn.over(&in_all);
            let others = arrays.iter().filter(|other| other.array != array);
            let others: Vec<(&N, N)> = others
                .map(|other| {
                    let rate = other.all.times(&other.sweeps).times(&own.lines);
                    (&other.lines, rate.over(&in_all.times(&other.lines)))
                })
                .collect();
            let carrier = self.references[r].level.saturating_sub(1);
            reuses.extend((0..CLASSES).map(|class| {
                // Of n lines, t accesses touch n·(1 − e^(−t/n)).
                let share = share_of(class);
                let accesses = own.accesses(class);
                let turns = -(1.0 - share).ln();
                let of_others = others.iter().map(|(lines, rate)| {
                    let left = nothing_after(&rate.scaled(turns));
                    lines.times(&N::of(1.0).minus(&left))
                });
                let distance = own
                    .lines
                    .scaled(share)
                    .plus(&accesses.times(&beside))
                    .plus(&N::sum(of_others))
                    .times(&self.lines.line);
                let weight = own.weight(class);
                let [fetched, written] = [&fetched, &written].map(|again| again.times(&weight));
                let written_first = match self.is_written_first(r) {
                    true => fetched.clone(),
                    false => N::of(0.0),
                };
                let unforeseen = match self.unforeseen.get(r) {
                    Some(share) => share.times(&fetched),
                    None => N::of(0.0),
                };
                let (parts, references, inside, shared) = (Vec::new(), vec![r], None, None);
                let both = [vec![fetched.clone()], vec![written.clone()]];
                let arrays = self.reused_of_arrays(&references, &both, &N::of(1.0));
                let (between, gap) = (carrier, RANDOM);
                Reuse {
                    carrier,
                    between,
                    gap,
                    parts,
                    distance,
                    fetched,
                    written,
                    written_first,
                    unforeseen,
                    references,
                    inside,
                    shared,
                    arrays,
                    crowds: Vec::new(),
                }
            }));
        }
    }

    /// The references to random places.
    fn drawn(&self, free: &[Given<N>]) -> Vec<Drawn<N>> {
        let spans = self.lines.spans(free, Tiles::Full);
        let random = (0..self.references.len()).filter(|r| self.is_random(*r));
        let drawn = |r: usize| {
            let reference = &self.references[r];
            let around = (0..reference.chosen_within())
                .filter(|level| !self.lines.is_chosen_at(reference, *level));
            let sweeps = around.clone().map(|level| &spans[level].count);
            let given = self.lines.standing(free, around);
            Drawn {
                reference: r,
                all: self.gathers(r, Kind::Any, &given),
                given,
                sweeps: sweeps.fold(N::of(1.0), |n, count| n.times(count)),
            }
        };
        random.map(drawn).collect()
    }

    /// Lines that one sweep of such a reference touches.
    fn once(&self, drawn: &Drawn<N>, kind: Kind) -> N {
        self.lines_of(drawn.reference, kind, 0, &drawn.given, Tiles::Mean, true)
            .times(&self.entered(0))
    }

    /// The arrays that references go to random places of.
    fn random_arrays(&self, drawn: &[Drawn<N>]) -> Vec<RandomArray<N>> {
        let mut arrays: Vec<RandomArray<N>> = Vec::new();
        for one in drawn {
            let (all, first) = (one.all.clone(), self.once(one, Kind::Any));
            let reference = &self.references[one.reference];
            let array = reference.array;
            let (offsets, tiles) = (&reference.offsets, Tiles::Mean);
            let possible =
                (self.lines).possible(reference, offsets, &one.given, tiles, Adjacent::Never);
            let Some(possible) = possible else { continue };
            let lines = possible.all.larger(&N::of(1.0));
            match arrays.iter_mut().find(|one| one.array == array) {
                Some(known) => {
                    known.all = known.all.plus(&all);
                    known.first = together(&[known.first.clone(), first], &known.lines);
                }
                None => arrays.push(RandomArray {
                    array,
                    lines,
                    all,
                    first,
                    sweeps: one.sweeps.clone(),
                    weights: N::of(1.0),
                }),
            }
        }
        for own in &mut arrays {
            let about = About::Array(own.array, None);
            let step = self.lines.names.step(StaticFigure::ReturnWeights, about);
            let weights = N::sum((0..CLASSES).map(|class| own.weight(class)));
            own.weights = (self.lines.name)(step, weights);
        }
        arrays
    }

    /// Lines that a reference to random places would move if none stayed.
    fn gathers(&self, r: usize, kind: Kind, free: &[Given<N>]) -> N {
        let counted = self.covered.of(kind, 0, r);
        if counted.offsets.is_empty() {
            return N::of(0.0);
        }
        // Without the limit that no access can touch more than the whole array: here every access counts.
        let mut endless = self.references[r].clone();
        endless.whole = None;
        let offsets = &counted.offsets;
        let lines = self
            .lines
            .of(&endless, (offsets, None), free, Tiles::Mean, true);
        lines
            .times(&self.taken_of(&endless, 0, free))
            .times(&self.met((&endless, offsets), &counted.taken, (0, free, Tiles::Mean)))
            .times(&self.entered(0))
    }
}
