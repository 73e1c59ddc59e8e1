//! What does a nest find in a cache because nests that ran before it left it there?
//!
//! Of a line that one nest touches last and another one touches next, what lies in between follows from how
//! both sweep (guide: static-model, "Reuse between nests"):
//!
//! ```text
//! same direction       first:  ├────── f ─ ─ ─ ─┤        from a line at the share f on: the rest of the first
//!                      second: ├─────▶ f                 sweep, and what the second one did up to there
//! opposite directions  first:  ├────────── f ─ ─┤        the rest, and the same again on the way back
//!                      second:             f ◀──┤
//! ```
//!
//! In the same direction the distance goes from all that the first nest touched (f = 0) to all that the second
//! one touches (f = 1), evenly. An LRU cache that holds less than the nearer end finds nothing, one that holds
//! the farther end everything, others a part in proportion ([`Found::held`]). In opposite directions it goes
//! from nothing to both together.
//!
//! Nests are looked at from the nearest on, up to [`MOST_BACK`] back: first those in the same iteration of all
//! loops that both are in, then those around fewer, at last those that have only the function in common, if the
//! switch `reuse_between_nests` is on. What a nearer nest has touched of an array does not count again for one
//! further back. A line stays dirty, and is written back once, if it stays from each touch to the next.
//!
//! What two nests have in common is a share of the boxes around their subscripts (`swept::share`), so triangles
//! and parts of rows are approximate. `sequence` calls this for every nest of a function.

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use super::number::Number;
use super::reuse::{Kind, Profile};
use super::steps::{About, NameStep};
use super::swept::{ArrayPart, Iteration, Slice, Swept, share};
use crate::catalogue::StaticFigure;
use crate::expr::{Expr, Symbol};
use crate::nest::Nest;

/// Nests back at which no line is looked for any more.
const MOST_BACK: usize = 32;
/// Nests that touched parts of an array, of those that count.
const MOST_TOUCHES: usize = 4;

/// What two nests have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Within {
    /// A loop around both: they share the caches.
    Loop,
    /// The function only: they share the caches where the switch says so.
    Function,
}

/// Bytes that the nests inside of some loops touch together, by how many loops these are and the first of the nests:
/// each of them asks.
pub type Bodies<N> = RefCell<FxHashMap<(usize, usize), N>>;

/// Lines that some earlier nest touched last.
#[derive(Clone, Debug)]
pub struct Found<N> {
    pub within: Within,
    pub array: ArrayPart,
    /// Bytes touched since, for the lines for which that is least and most.
    pub near: N,
    pub far: N,
    /// Lines that this nest would fetch or write back otherwise.
    pub lines: N,
    /// Of the loops around both, the innermost one first: the bytes that one iteration touches, and what is left of the
    /// lines if these fit, so that the nest finds what it touched itself the last time.
    pub repeated: Vec<(N, N)>,
}

/// What a nest finds: lines that need not be fetched, and lines that are still to be written back.
#[derive(Clone, Debug)]
pub struct Neighbours<N> {
    /// By loop that the nest shares with others: bytes that one iteration of it touches in all nests inside, if there
    /// are others.
    pub bodies: Vec<Option<N>>,
    pub fetched: Vec<Found<N>>,
    pub written: Vec<Found<N>>,
    /// Whether nests in one loop do not all walk boxes, so that what they find is only about right.
    pub is_rough: bool,
}

impl<N: Number> Found<N> {
    /// Lines that a cache of so many bytes holds.
    pub fn held(&self, capacity: &N) -> N {
        let none = N::of(0.0);
        let unless_kept = |lines: N, (body, kept): &(N, N)| body.if_at_most(capacity, kept, &lines);
        let lines = self.repeated.iter().fold(self.lines.clone(), unless_kept);
        let width = self.far.minus(&self.near).larger(&N::of(1.0));
        let part = self
            .near
            .if_at_most(capacity, &capacity.minus(&self.near).over(&width), &none);
        lines.times(&self.far.if_at_most(capacity, &N::of(1.0), &part))
    }

    /// The same; those of nests that have only the function in common count as `switch` says.
    fn held_with(&self, capacity: &N, switch: &N) -> N {
        match self.within {
            Within::Loop => self.held(capacity),
            Within::Function => self.held(capacity).times(switch),
        }
    }
}

impl<N: Number> Neighbours<N> {
    /// Lines to fetch and lines to write back that a cache of so many bytes holds; those of nests that have only the
    /// function in common count as `switch` says: 0 or 1.
    pub fn held(&self, capacity: &N, switch: &N) -> (N, N) {
        let one = |found: &Found<N>| found.held_with(capacity, switch);
        let sum = |found: &[Found<N>]| N::sum(found.iter().map(one));
        (sum(&self.fetched), sum(&self.written))
    }

    /// Both together, of one array.
    pub fn held_of(&self, array: &ArrayPart, capacity: &N, switch: &N) -> N {
        let all = self.fetched.iter().chain(&self.written);
        let own = all.filter(|found| found.array == *array);
        N::sum(own.map(|found| found.held_with(capacity, switch)))
    }

    /// The same over another kind of number.
    pub fn map<M>(&self, value: &dyn Fn(&N) -> M) -> Neighbours<M> {
        let one = |found: &Found<N>| Found {
            within: found.within,
            array: found.array.clone(),
            near: value(&found.near),
            far: value(&found.far),
            lines: value(&found.lines),
            repeated: (found.repeated.iter())
                .map(|(body, kept)| (value(body), value(kept)))
                .collect(),
        };
        Neighbours {
            bodies: self
                .bodies
                .iter()
                .map(|body| body.as_ref().map(value))
                .collect(),
            fetched: self.fetched.iter().map(one).collect(),
            written: self.written.iter().map(one).collect(),
            is_rough: self.is_rough,
        }
    }

    /// Marks the reuse that shared loops carry; `original` says which loop of the nest one of the profile stands for.
    pub fn mark(&self, profile: &mut Profile<N>, original: &dyn Fn(usize) -> usize) {
        for reuse in &mut profile.reuses {
            let carrier = original(reuse.carrier);
            reuse.shared = self.bodies.get(carrier).cloned().flatten();
        }
    }
}

/// Whether two nests are inside the same `count` loops.
pub fn share_loops(a: &Nest, b: &Nest, count: usize) -> bool {
    let same =
        |(a, b): (&crate::nest::ChainLoop, &crate::nest::ChainLoop)| std::ptr::eq(a.facts, b.facts);
    a.loops.len() >= count
        && b.loops.len() >= count
        && a.loops[..count].iter().zip(&b.loops[..count]).all(same)
}

/// Whether the bounds of all loops are the same whatever the loops around are at.
fn walks_box(nest: &Nest) -> bool {
    let is_variable = |symbol: &Symbol| {
        let mut loops = nest.loops.iter();
        loops.any(|l| symbol.is_source(&l.facts.variable))
    };
    let ends = nest
        .loops
        .iter()
        .flat_map(|l| [&l.facts.lower, &l.facts.upper]);
    !ends
        .flat_map(Expr::symbols)
        .any(|symbol| is_variable(&symbol))
}

/// What the nest at `index` of a function's nests finds, if there are others beside it: of those in a loop around both,
/// or of all others, too.
pub fn of<N: Number>(
    (nests, within): (&[Nest], Within),
    (swept, known): (&[Swept<N>], &Bodies<N>),
    index: usize,
    name: NameStep<N>,
) -> Option<Neighbours<N>> {
    let nest = &nests[index];
    let shared = nest.own;
    let inside = |count: usize| {
        (0..nests.len()).filter(move |other| share_loops(&nests[*other], nest, count))
    };
    let bodies = (0..shared).map(|v| {
        let members: Vec<usize> = inside(v + 1).collect();
        let body = || {
            let step = swept[index]
                .names
                .step(StaticFigure::SharedBytes, About::Loop(v));
            name(step, together(swept, &members, v + 1))
        };
        (members.len() > 1).then(|| {
            let mut known = known.borrow_mut();
            known
                .entry((v + 1, members[0]))
                .or_insert_with(body)
                .clone()
        })
    });
    let beside: Vec<usize> = inside(1).filter(|_| shared > 0).collect();
    let mut found = Neighbours {
        bodies: bodies.collect(),
        fetched: Vec::new(),
        written: Vec::new(),
        is_rough: beside.len() > 1 && !beside.iter().all(|other| walks_box(&nests[*other])),
    };
    let mut covered: [Vec<Option<N>>; 2] = [(); 2].map(|()| vec![None; swept[index].arrays.len()]);
    // From those in the same iteration of most loops to those that share none.
    let outermost = match within {
        Within::Loop => 1,
        Within::Function => 0,
    };
    for level in (outermost..=shared).rev() {
        let body: Vec<usize> = inside(level).collect();
        let group: Vec<usize> = if level == shared {
            vec![index]
        } else {
            inside(level + 1).collect()
        };
        let ends = group
            .first()
            .zip(group.last())
            .map(|(first, last)| (*first, *last));
        let Some((first, last)) = ends.filter(|_| body.len() > group.len()) else {
            continue;
        };
        // Those before it, the last one first; then, if a loop repeats them all, those after it, as of its iteration before.
        let mut back: Vec<usize> = body
            .iter()
            .copied()
            .filter(|member| *member < first)
            .rev()
            .collect();
        let once = back.len();
        if level > 0 {
            back.extend(body.iter().copied().filter(|member| *member > last).rev());
        }
        back.truncate(MOST_BACK);
        let search = Search {
            nests,
            swept,
            index,
            level,
            group: &group,
            back: &back,
            once,
            bodies: found.bodies[..level].to_vec(),
            name,
        };
        found
            .fetched
            .extend(search.found(Kind::Any, &mut covered[0]));
        found
            .written
            .extend(search.found(Kind::Written, &mut covered[1]));
    }
    let is_alone = found.bodies.iter().all(Option::is_none)
        && found.fetched.is_empty()
        && found.written.is_empty();
    (!is_alone).then_some(found)
}

/// Bytes that several nests touch with the loops outside of a level standing still.
fn together<N: Number>(swept: &[Swept<N>], members: &[usize], level: usize) -> N {
    let arrays = arrays(members.iter().map(|member| &swept[*member]));
    N::sum(arrays.into_iter().map(|array| {
        let each = members
            .iter()
            .filter_map(|member| swept[*member].bytes(array, level));
        each.reduce(|a, b| a.larger(&b)).unwrap_or(N::of(0.0))
    }))
}

/// Names of arrays, each once.
fn arrays<'a, 'n: 'a, N: 'n>(nests: impl Iterator<Item = &'a Swept<'n, N>>) -> Vec<&'a ArrayPart> {
    let mut found: Vec<&ArrayPart> = nests.flat_map(|swept| &swept.arrays).collect();
    found.sort_by_cached_key(|(array, component)| (array.as_str(), component.to_string()));
    found.dedup();
    found
}

/// By how much a share is more than what was covered before, which it then covers too.
fn more<N: Number>(covered: &mut Option<N>, share: N) -> N {
    let all = covered
        .as_ref()
        .map_or(share.clone(), |covered| covered.larger(&share));
    let new = covered
        .as_ref()
        .map_or(all.clone(), |covered| all.minus(covered));
    *covered = Some(all);
    new
}

/// The way back from one nest.
struct Search<'a, N> {
    nests: &'a [Nest<'a>],
    swept: &'a [Swept<'a, N>],
    index: usize,
    /// Loops outside of this one stand still.
    level: usize,
    /// The nests in the loop at that level.
    group: &'a [usize],
    /// Earlier nests, the last one first.
    back: &'a [usize],
    /// How many of them are from the same iteration of the loop around.
    once: usize,
    /// Bytes that one iteration of each loop around touches.
    bodies: Vec<Option<N>>,
    name: NameStep<'a, N>,
}

impl<N: Number> Search<'_, N> {
    /// What earlier nests touched, or wrote, and this one touches, or writes, again. `covered` has for each array the
    /// share that nests in the same iteration of more loops touched.
    fn found(&self, kind: Kind, covered: &mut [Option<N>]) -> Vec<Found<N>> {
        let own = &self.swept[self.index];
        let mut found = Vec::new();
        for (array, covered) in own.arrays.iter().zip(covered) {
            let Some(lines) = own.lines(array, kind, self.level) else {
                continue;
            };
            if own.is_anywhere(array) {
                continue;
            }
            if covered.as_ref().is_some_and(N::is_one) {
                continue;
            }
            let lines = lines.times(&own.executions(self.level));
            let reach = own.reach(array, kind, self.level, Iteration::This);
            let fresh = own.fresh(array, kind, self.level).map(Some);
            // Shares of the lines, and of those that no iteration before touched.
            let (mut so_far, mut first_so_far) = (covered.clone(), covered.clone());
            let (mut touches, mut last): (usize, Option<(usize, N, N)>) = (0, None);
            for (place, earlier) in self.back.iter().enumerate() {
                let other = &self.swept[*earlier];
                if touches == MOST_TOUCHES {
                    break;
                }
                if other.lines(array, Kind::Any, self.level).is_none() {
                    continue;
                }
                // A line stays dirty if it stays from each touch to the next.
                let (near, far) = match &last {
                    Some((later, near, far)) if kind == Kind::Written => {
                        let between = &self.back[later + 1..place];
                        let (n, f) = self.distance(*earlier, &[self.back[*later]], array, between);
                        (n.larger(near), f.larger(far))
                    }
                    _ => self.distance(*earlier, self.group, array, &self.back[..place]),
                };
                last = Some((place, near.clone(), far.clone()));
                touches += 1;
                if other.lines(array, kind, self.level).is_none() {
                    continue;
                }
                let is_circular = place >= self.once;
                let iteration = if is_circular {
                    Iteration::Before
                } else {
                    Iteration::This
                };
                let others = other.reach(array, kind, self.level, iteration);
                let dense = self.dense(other, array, kind, &lines);
                let all = dense(share(&reach, &others));
                // What is new is touched in part where the whole is.
                let first = match &fresh {
                    None if is_circular => N::of(0.0),
                    None => all.clone(),
                    Some(fresh) => {
                        let mut first = share(fresh, &others);
                        if !is_circular && !first.is_one() {
                            let before = other.reach(array, kind, self.level, Iteration::Before);
                            first = first.larger(&share(fresh, &before));
                        }
                        dense(first)
                    }
                };
                let new = more(&mut so_far, all);
                let first = more(&mut first_so_far, first);
                found.push(self.of(near, far, lines.times(&new), (array, kind, first)));
                if so_far.as_ref().is_some_and(N::is_one) {
                    break;
                }
            }
            *covered = first_so_far;
        }
        found
    }

    /// What a share of the places comes to if another nest touches only some rows of the box around them, being so
    /// likely to be run; `lines` are those of this nest.
    fn dense(
        &self,
        other: &Swept<N>,
        array: &ArrayPart,
        kind: Kind,
        lines: &N,
    ) -> impl Fn(N) -> N + use<N> {
        let others = other
            .lines(array, kind, self.level)
            .filter(|_| other.is_scattered(array, kind));
        let executions = self.swept[self.index].executions(self.level);
        let most = others.map(|others| others.times(&executions).over(&lines.larger(&N::of(1e-9))));
        let entered = other.entered(self.level);
        move |share| {
            most.as_ref()
                .map_or(share.clone(), |most| share.smaller(most))
                .times(&entered)
        }
    }

    /// Lines found with how far that is, over all iterations of the loops around; `first` is the share of an array's
    /// lines that are found when this nest has not touched them yet.
    fn of(
        &self,
        near: N,
        far: N,
        lines: N,
        (array, kind, first): (&ArrayPart, Kind, N),
    ) -> Found<N> {
        let (name, own) = (self.name, &self.swept[self.index]);
        let step = |kind| own.names.step(kind, About::Shared(&array.0));
        let kept = |(around, body): (usize, &Option<N>)| {
            let once = own
                .lines(array, kind, around)?
                .times(&own.executions(around));
            let kept = name(step(StaticFigure::LinesFoundFirst), once.times(&first));
            Some((body.clone()?, kept))
        };
        Found {
            within: match self.level {
                0 => Within::Function,
                _ => Within::Loop,
            },
            array: array.clone(),
            near: name(step(StaticFigure::LeastSince), near),
            far: name(step(StaticFigure::MostSince), far),
            lines: name(step(StaticFigure::LinesOfEarlier), lines),
            repeated: self
                .bodies
                .iter()
                .enumerate()
                .rev()
                .filter_map(kept)
                .collect(),
        }
    }

    /// Bytes touched from the last touch of an array in one nest to the first in later ones, which are in one loop, at
    /// both ends of the sweep: the smaller and the larger.
    fn distance(
        &self,
        earlier: usize,
        later: &[usize],
        array: &ArrayPart,
        between: &[usize],
    ) -> (N, N) {
        let a = &self.swept[earlier];
        let b = &self.swept[if later.contains(&self.index) {
            self.index
        } else {
            later[0]
        }];
        let (from, to) = (a.sweep(array, self.level), b.sweep(array, self.level));
        let against = a.descends(from) != b.descends(to);
        let beside = |member: &&usize| {
            from > self.level
                && share_loops(&self.nests[**member], &self.nests[earlier], self.level + 1)
        };
        let before: Vec<usize> = std::iter::once(&earlier)
            .chain(between.iter().filter(beside))
            .copied()
            .collect();
        let between: Vec<usize> = between
            .iter()
            .copied()
            .filter(|member| !before.contains(member))
            .collect();
        let members = before.iter().chain(later).chain(&between);
        let mut ends = [Vec::new(), Vec::new()];
        for array in arrays(members.map(|member| &self.swept[*member])) {
            let (tail, head) = (
                self.slice(&before, array, from),
                self.slice(later, array, to),
            );
            let since = between
                .iter()
                .filter_map(|member| self.swept[*member].bytes(array, self.level));
            let since = since.reduce(|a, b| a.larger(&b));
            let all = tail.bytes.larger(&head.bytes);
            let standing = |slice: &Slice<N>| {
                if slice.moves {
                    N::of(0.0)
                } else {
                    slice.bytes.clone()
                }
            };
            let both = match against {
                false => [
                    if head.moves {
                        tail.bytes.clone()
                    } else {
                        all.clone()
                    },
                    if tail.moves { head.bytes.clone() } else { all },
                ],
                true => [standing(&tail).larger(&standing(&head)), all],
            };
            for (end, bytes) in ends.iter_mut().zip(both) {
                end.push(
                    since
                        .as_ref()
                        .map_or(bytes.clone(), |since| bytes.larger(since)),
                );
            }
        }
        let [first, last] = ends.map(N::sum);
        (first.smaller(&last), first.larger(&last))
    }

    /// What several nests in one loop touch of an array while the loops outside of one stand still.
    fn slice(&self, members: &[usize], array: &ArrayPart, level: usize) -> Slice<N> {
        let slices = members
            .iter()
            .filter_map(|member| self.swept[*member].slice(array, level));
        let both = |a: Slice<N>, b: Slice<N>| Slice {
            bytes: a.bytes.larger(&b.bytes),
            moves: a.moves && b.moves,
        };
        slices.reduce(both).unwrap_or(Slice {
            bytes: N::of(0.0),
            moves: true,
        })
    }
}
