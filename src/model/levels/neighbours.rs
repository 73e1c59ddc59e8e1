//! What a nest finds in a cache because nests of the same function that ran before it left it there.
//!
//! Of a line that one nest touches last and another one touches next, what lies in between follows from how both
//! sweep: with the same direction, a line at the share f of the sweep waits for the rest of the one and for what the
//! other touched up to there; so the distance goes from all that the first nest touched (f = 0) to all that the second
//! one touches (f = 1), evenly. An LRU cache that holds less than the nearer end finds nothing, one that holds the
//! farther end everything. In opposite directions it goes from nothing to both together.

use super::number::Number;
use super::reuse::{Kind, Profile};
use super::swept::{Slice, Swept};
use crate::model::nest::Nest;

/// Nests back at which no line is looked for any more.
const MOST_BACK: usize = 32;
/// Nests that touched parts of an array, of those that count.
const MOST_TOUCHES: usize = 4;

/// Lines that some earlier nest touched last.
#[derive(Clone, Debug)]
pub struct Found<N> {
    /// Bytes touched since, for the lines for which that is least and most.
    pub near: N,
    pub far: N,
    /// Share of the lines that the nest touches each time it is run.
    pub share: N,
}

/// What a nest finds: lines that need not be fetched, and lines that are still to be written back.
#[derive(Clone, Debug)]
pub struct Neighbours<N> {
    /// Number of outer loops that the nest shares with others.
    pub shared: usize,
    /// By shared loop: bytes that one iteration of it touches in all nests inside, if there are others.
    pub bodies: Vec<Option<N>>,
    pub fetched: Vec<Found<N>>,
    pub written: Vec<Found<N>>,
}

impl<N: Number> Found<N> {
    /// Share of the nest's lines that a cache of so many bytes holds.
    pub fn held(&self, capacity: &N) -> N {
        let none = N::of(0.0);
        let width = self.far.minus(&self.near).larger(&N::of(1.0));
        let part = capacity.minus(&self.near).over(&width).times(&self.share);
        let some = self.near.if_at_most(capacity, &part, &none);
        self.far.if_at_most(capacity, &self.share, &some)
    }
}

impl<N: Number> Neighbours<N> {
    /// Shares of the lines to fetch and of the lines to write back that a cache of so many bytes holds.
    pub fn held(&self, capacity: &N) -> (N, N) {
        let sum = |found: &[Found<N>]| N::sum(found.iter().map(|found| found.held(capacity)));
        (sum(&self.fetched), sum(&self.written))
    }
}

impl<N: Number> Neighbours<N> {
    /// The same over another kind of number.
    pub fn map<M>(&self, value: &dyn Fn(&N) -> M) -> Neighbours<M> {
        let one =
            |found: &Found<N>| Found { near: value(&found.near), far: value(&found.far), share: value(&found.share) };
        Neighbours {
            shared: self.shared,
            bodies: self.bodies.iter().map(|body| body.as_ref().map(value)).collect(),
            fetched: self.fetched.iter().map(one).collect(),
            written: self.written.iter().map(one).collect(),
        }
    }

    /// Marks the reuse that shared loops carry; `original` says which loop of the nest one of the profile stands for.
    pub fn mark(&self, profile: &mut Profile<N>, original: &dyn Fn(usize) -> usize) {
        for reuse in &mut profile.reuses {
            let carrier = original(reuse.carrier);
            if carrier < self.shared {
                reuse.shared = Some(self.bodies.get(carrier).cloned().flatten().unwrap_or(N::of(0.0)));
            }
        }
    }
}

/// Whether two nests are inside the same `count` loops.
pub fn share_loops(a: &Nest, b: &Nest, count: usize) -> bool {
    let same =
        |(a, b): (&crate::model::nest::ChainLoop, &crate::model::nest::ChainLoop)| std::ptr::eq(a.facts, b.facts);
    a.loops.len() >= count && b.loops.len() >= count && a.loops[..count].iter().zip(&b.loops[..count]).all(same)
}

/// What the nest at `index` of a function's nests finds, if there are others beside it.
pub fn of<N: Number>(
    nests: &[Nest],
    swept: &[Swept<N>],
    index: usize,
    name: &dyn Fn(&'static str, N) -> N,
) -> Option<Neighbours<N>> {
    let nest = &nests[index];
    let shared = nest.own;
    let inside = |count: usize| (0..nests.len()).filter(move |other| share_loops(&nests[*other], nest, count));
    let body: Vec<usize> = inside(shared).collect();
    let bodies = (0..shared).map(|v| {
        let members: Vec<usize> = inside(v + 1).collect();
        (members.len() > 1).then(|| name("bytes of an iteration with its neighbours", together(swept, &members, v + 1)))
    });
    let bodies: Vec<Option<N>> = bodies.collect();
    if body.len() < 2 && bodies.iter().all(Option::is_none) {
        return None;
    }
    let at = body.iter().position(|member| *member == index)?;
    // Those before it, the last one first; then, if they all are repeated, those after it.
    let mut back: Vec<usize> = body[..at].iter().rev().copied().collect();
    let once = back.len();
    if shared > 0 {
        back.extend(body[at + 1..].iter().rev());
    }
    back.truncate(MOST_BACK);
    let search = Search { swept, index, level: shared, back: &back, once };
    let [fetched, written] = [Kind::Any, Kind::Written].map(|kind| {
        let mut found = search.found(kind);
        for found in &mut found {
            found.near = name("bytes since earlier nests, least", found.near.clone());
            found.far = name("bytes since earlier nests, most", found.far.clone());
            found.share = name("share of lines that earlier nests touched", found.share.clone());
        }
        found
    });
    Some(Neighbours { shared, bodies, fetched, written })
}

/// Bytes that several nests touch with the loops outside of a level standing still.
fn together<N: Number>(swept: &[Swept<N>], members: &[usize], level: usize) -> N {
    let arrays = arrays(members.iter().map(|member| &swept[*member]));
    N::sum(arrays.into_iter().map(|array| {
        let each = members.iter().filter_map(|member| swept[*member].bytes(array, level));
        each.reduce(|a, b| a.larger(&b)).unwrap_or(N::of(0.0))
    }))
}

/// Names of arrays, each once.
fn arrays<'a, 'n: 'a, N: 'n>(nests: impl Iterator<Item = &'a Swept<'n, N>>) -> Vec<&'a (String, String)> {
    let mut found: Vec<&(String, String)> = nests.flat_map(|swept| &swept.arrays).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The way back from one nest.
struct Search<'a, N> {
    swept: &'a [Swept<'a, N>],
    index: usize,
    /// Loops outside of this one stand still.
    level: usize,
    /// Earlier nests, the last one first.
    back: &'a [usize],
    /// How many of them are from the same iteration of the loops around.
    once: usize,
}

impl<N: Number> Search<'_, N> {
    /// What earlier nests touched, or wrote, and this one touches, or writes, again.
    fn found(&self, kind: Kind) -> Vec<Found<N>> {
        let own = &self.swept[self.index];
        let lines = |array: &(String, String)| own.lines(array, kind, self.level);
        let total = N::sum(own.arrays.iter().filter_map(lines)).larger(&N::of(1e-9));
        let mut found = Vec::new();
        for array in &own.arrays {
            let Some(lines) = lines(array) else { continue };
            let of_all = lines.over(&total);
            // The share of the array's lines that later nests touched.
            let mut covered: Option<N> = None;
            let (mut touches, mut last): (usize, Option<(usize, N, N)>) = (0, None);
            for (place, earlier) in self.back.iter().enumerate() {
                let other = &self.swept[*earlier];
                if other.lines(array, Kind::Any, self.level).is_none() {
                    continue;
                }
                // A line stays dirty if it stays from each touch to the next.
                let (near, far) = match &last {
                    Some((later, near, far)) if kind == Kind::Written => {
                        let (n, f) = self.distance(*earlier, self.back[*later], array, &self.back[later + 1..place]);
                        (n.larger(near), f.larger(far))
                    }
                    _ => self.distance(*earlier, self.index, array, &self.back[..place]),
                };
                last = Some((place, near.clone(), far.clone()));
                touches += 1;
                let repeated = if place < self.once { N::of(1.0) } else { own.repeated(self.level) };
                if other.lines(array, kind, self.level).is_some() {
                    let reach = own.overlap(other, array, kind, self.level).times(&other.entered());
                    let all = covered.as_ref().map_or(reach.clone(), |covered| covered.larger(&reach));
                    let new = covered.as_ref().map_or(all.clone(), |covered| all.minus(covered));
                    found.push(Found { near, far, share: new.times(&of_all).times(&repeated) });
                    let is_all = all.is_one();
                    covered = Some(all);
                    if is_all {
                        break;
                    }
                }
                if touches == MOST_TOUCHES {
                    break;
                }
            }
        }
        found
    }

    /// Bytes touched from the last touch of an array in one nest to the first in a later one, at both ends of the
    /// sweep: the smaller and the larger.
    fn distance(&self, earlier: usize, later: usize, array: &(String, String), between: &[usize]) -> (N, N) {
        let (a, b) = (&self.swept[earlier], &self.swept[later]);
        let (from, to) = (a.sweep(array, self.level), b.sweep(array, self.level));
        let against = a.descends(from) != b.descends(to);
        let members = [earlier, later].into_iter().chain(between.iter().copied());
        let mut ends = [Vec::new(), Vec::new()];
        for array in arrays(members.map(|member| &self.swept[member])) {
            let none = Slice { bytes: N::of(0.0), moves: true };
            let tail = a.slice(array, from).unwrap_or(none.clone());
            let head = b.slice(array, to).unwrap_or(none);
            let since = between.iter().filter_map(|member| self.swept[*member].bytes(array, self.level));
            let since = since.reduce(|a, b| a.larger(&b));
            let all = tail.bytes.larger(&head.bytes);
            let standing = |slice: &Slice<N>| if slice.moves { N::of(0.0) } else { slice.bytes.clone() };
            let both = match against {
                false => [
                    if head.moves { tail.bytes.clone() } else { all.clone() },
                    if tail.moves { head.bytes.clone() } else { all },
                ],
                true => [standing(&tail).larger(&standing(&head)), all],
            };
            for (end, bytes) in ends.iter_mut().zip(both) {
                end.push(since.as_ref().map_or(bytes.clone(), |since| bytes.larger(since)));
            }
        }
        let [first, last] = ends.map(N::sum);
        (first.smaller(&last), first.larger(&last))
    }
}
