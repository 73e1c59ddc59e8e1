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
//! distance              s·N lines, and what the other references bring in during t accesses
//! ```
//!
//! The first class has the distance of 1/32 of the array and the last of 31/32, so a cache of half the array
//! finds about half. If the size of the array is unknown there is no such spread: `reference` takes
//! `gather_lines` lines per access. The nest carries the reason `gathered_elements`.

use super::domain::{Given, Tiles};
use super::number::Number;
use super::reuse::{Kind, Profiler, Reuse};

/// The gap that stands for however many accesses come before the next one to a line.
pub const RANDOM: i64 = i64::MAX - 1;

/// Classes of distances.
const CLASSES: usize = 16;

impl<N: Number> Profiler<'_, N> {
    /// Whether a reference goes to random places of an array of known size: it is none of [`Profiler::visit`].
    pub fn is_random(&self, r: usize) -> bool {
        self.references[r].gathered.is_some() && self.references[r].whole.is_some()
    }

    /// The reuse of references to random places; `cold` are the lines that the nest touches.
    pub fn random(&self, cold: &N, reuses: &mut Vec<Reuse<N>>) {
        let free = vec![Given::Free; self.lines.domain.loops.len()];
        for r in (0..self.references.len()).filter(|r| self.is_random(*r)) {
            let Some(whole) = &self.references[r].whole else {
                continue;
            };
            let lines = whole.over(&self.lines.line);
            let once = |kind: Kind| {
                self.lines_of(r, kind, 0, &free, Tiles::Mean, true)
                    .times(&self.entered(0))
            };
            let each = |kind: Kind| self.gathers(r, kind, &free);
            let (all, first) = (each(Kind::Any), once(Kind::Any));
            let again = [
                all.minus(&first),
                each(Kind::Written).minus(&once(Kind::Written)),
            ];
            let [fetched, written] =
                again.map(|again| again.not_negative().scaled(1.0 / CLASSES as f64));
            // What other references bring in from one access to the next.
            let beside = cold
                .minus(&first)
                .not_negative()
                .over(&all.larger(&N::of(1.0)));
            let carrier = self.references[r].level.saturating_sub(1);
            reuses.extend((0..CLASSES).map(|class| {
                // Of n lines, t accesses touch n·(1 − e^(−t/n)).
                let share = (class as f64 + 0.5) / CLASSES as f64;
                let accesses = lines.scaled(-(1.0 - share).ln());
                let distance = lines
                    .scaled(share)
                    .plus(&accesses.times(&beside))
                    .times(&self.lines.line);
                let (fetched, written) = (fetched.clone(), written.clone());
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
            .times(&self.taken(r, 0, free))
            .times(&self.met((&endless, offsets), &counted.taken, (0, free, Tiles::Mean)))
            .times(&self.entered(0))
    }
}
