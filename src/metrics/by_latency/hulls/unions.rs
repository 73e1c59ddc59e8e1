//! Envelopes that are merged only when somebody needs their lines.
//!
//! Most results within a loop are read once and soon, by what merges them further. Where results are long and seldom
//! remembered, all sources of a stored value are merged together when it is stored, in place of two at every instruction.

use super::envelope::{Envelope, Line, Offset, ShapeId, UNION};
use super::grid::Grid;
use super::{Hulls, Shape};
use crate::dataflow::Held;

/// Parts of a union, at most.
const PARTS: usize = 8;

/// Unions that are named at once, before registers are to have shapes of their own.
const MANY: usize = 512;

/// Stretches that have unions before there is one without, to see.
const STRETCHES: u64 = 64;

/// Lines of two envelopes whose merge is not remembered, for each merge of any two: with so many, unions are faster.
const LONG: u64 = 6;

pub(super) struct Unions {
    all: Vec<Union>,
    /// How many of them there are; the others are room.
    count: usize,
    grid: Box<Grid>,
    pub usual: Usual,
}

/// What is usual in a stretch without unions.
#[derive(Default)]
pub(super) struct Usual {
    /// Merges of two envelopes of which no line covers the other one.
    pub merges: u64,
    /// Lines of those whose results were not remembered.
    pub lines: u64,
    /// So many stretches are still to have unions.
    left: u64,
}

/// Several envelopes.
#[derive(Clone, Copy)]
struct Union {
    /// The highest line of all at α = 0, where the parts are as they are here. A value that goes on is further.
    base: Line,
    parts: [Envelope; PARTS],
    count: usize,
    /// From the base to the steepest line.
    last: Offset,
}

impl Usual {
    /// Decides for the next stretch. What is usual without unions is not seen while there are some, but now and then.
    fn next(&mut self) {
        if self.left > 0 {
            self.left -= 1;
        } else if self.merges > 0 && self.lines >= LONG * self.merges {
            self.left = STRETCHES;
        }
        (self.merges, self.lines) = (0, 0);
    }
}

impl Unions {
    pub fn new() -> Unions {
        Unions {
            all: Vec::new(),
            count: 0,
            grid: Box::new(Grid::new()),
            usual: Usual::default(),
        }
    }

    #[inline(always)]
    pub fn last(&self, shape: ShapeId) -> &Offset {
        &self.all[(shape & !UNION) as usize].last
    }

    /// Adds the union of two, of which that is the highest line at α = 0; returns its shape.
    #[inline(always)]
    fn push(&mut self, base: Line, (a, b): (Envelope, Envelope), last: Offset) -> ShapeId {
        if self.count == self.all.len() {
            self.all.resize(2 * self.count + 1, Union::EMPTY);
        }
        let (before, rest) = self.all.split_at_mut(self.count);
        let Union { parts, count, .. } = &mut rest[0];
        let known = for_each_part(before, a, 0, |number, part| {
            parts[number] = part;
            number + 1
        });
        *count = for_each_part(before, b, known, |count, part| {
            add_part(parts, known, count, part)
        });
        rest[0].base = base;
        rest[0].last = last;
        self.count += 1;
        UNION | (self.count - 1) as ShapeId
    }

    #[inline(always)]
    pub fn are_made(&self) -> bool {
        self.usual.left > 0
    }
}

impl Hulls {
    /// The upper envelope of both, of which no line covers the other one, to be merged later.
    #[inline(never)]
    pub(super) fn unite_parts(&mut self, a: Envelope, b: Envelope) -> Envelope {
        let (first, second) = (self.parts(a), self.parts(b));
        if first + second > PARTS {
            let (a, b) = (self.merged(a), self.merged(b));
            return self.unite(a, b);
        }
        let highest = |own: Envelope| (own.other(), own.memory());
        let base = if highest(a) >= highest(b) { a } else { b };
        let steepest = |line: Line| (line.memory, line.other);
        let (own, other) = (self.last_line(a), self.last_line(b));
        let last = match steepest(own) >= steepest(other) {
            true => own,
            false => other,
        };
        let last = Offset {
            steeper: last.memory - base.memory(),
            lower: base.other() - last.other,
        };
        let shape = self.unions.push(base.first_line(), (a, b), last);
        base.with_shape(shape)
    }

    fn parts(&self, envelope: Envelope) -> usize {
        match envelope.is_merged() {
            true => 1,
            false => self.unions.all[(envelope.shape() & !UNION) as usize].count,
        }
    }

    /// The same envelope with a shape of its own.
    #[inline(always)]
    pub fn merged(&mut self, envelope: Envelope) -> Envelope {
        match envelope.is_merged() {
            true => envelope,
            false => self.merge_union(envelope),
        }
    }

    #[inline(never)]
    fn merge_union(&mut self, own: Envelope) -> Envelope {
        let number = (own.shape() & !UNION) as usize;
        let union = &self.unions.all[number];
        let (memory, other) = union.further(own);
        if union.count > 1 {
            let merged = self.merge_parts(number);
            let union = &mut self.unions.all[number];
            union.parts[0] = merged;
            union.count = 1;
        }
        self.unions.all[number].parts[0].then(memory, other)
    }

    fn merge_parts(&mut self, number: usize) -> Envelope {
        let Hulls {
            shapes,
            offsets,
            unions,
            scratch,
            ..
        } = self;
        let Unions { all, grid, .. } = unions;
        let Union {
            base,
            parts,
            count,
            last,
        } = &all[number];
        let parts = &parts[..*count];
        let flattest = parts.iter().map(|own| own.memory()).min().unwrap_or(0);
        if !grid.begin(flattest, base.memory + last.steeper) {
            let parts = parts.to_vec();
            let merged = |all, own: &Envelope| self.merge_shapes(all, *own);
            return parts[1..].iter().fold(parts[0], merged);
        }
        for own in parts {
            let Shape { first, count, .. } = shapes[own.shape() as usize];
            grid.add(own.first_line());
            for offset in &offsets[first as usize..][..count as usize] {
                grid.add(own.line(offset));
            }
        }
        let mut hull = std::mem::take(&mut scratch.hull);
        hull.clear();
        hull.extend(grid.take_hull().iter().rev());
        let merged = self.envelope(&hull);
        self.scratch.hull = hull;
        merged
    }

    /// Whether registers are to have shapes of their own soon.
    #[inline(always)]
    pub fn has_many_unions(&self) -> bool {
        self.unions.count > MANY
    }

    /// Forgets all unions, once no value is one.
    pub fn forget_unions(&mut self) {
        self.unions.count = 0;
    }

    /// The next stretch begins, when no value is a union.
    pub fn next_stretch(&mut self) {
        self.unions.usual.next();
    }
}

impl Union {
    const EMPTY: Union = Union {
        base: Line {
            memory: 0,
            other: 0,
        },
        parts: [Envelope::START; PARTS],
        count: 0,
        last: Offset {
            steeper: 0,
            lower: 0,
        },
    };

    /// How much steeper and longer the paths of a value are than where they were united.
    #[inline(always)]
    fn further(&self, own: Envelope) -> (u64, u64) {
        (
            own.memory() - self.base.memory,
            own.other() - self.base.other,
        )
    }
}

/// Visits the parts of an envelope that has a shape of its own or is one of these unions, with what the visit before gave.
#[inline(always)]
fn for_each_part(
    unions: &[Union],
    own: Envelope,
    start: usize,
    mut visit: impl FnMut(usize, Envelope) -> usize,
) -> usize {
    if own.is_merged() {
        return visit(start, own);
    }
    let union = &unions[(own.shape() & !UNION) as usize];
    let (memory, other) = union.further(own);
    let parts = union.parts[..union.count].iter();
    parts.fold(start, |state, part| visit(state, part.then(memory, other)))
}

/// Adds a part behind so many, unless one of the first ones has the same shape and covers it; there is room for it.
#[inline(always)]
fn add_part(parts: &mut [Envelope; PARTS], first: usize, count: usize, part: Envelope) -> usize {
    for own in &mut parts[..first] {
        if own.shape() == part.shape() {
            if own.covers_plainly(part) {
                return count;
            }
            if part.covers_plainly(*own) {
                *own = part;
                return count;
            }
        }
    }
    parts[count] = part;
    count + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that look random, below a limit.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, limit: u64) -> u64 {
            self.0 = (self.0)
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % limit
        }
    }

    fn lines(hulls: &Hulls, envelope: Envelope) -> Vec<Line> {
        hulls.lines(envelope).collect()
    }

    /// Values that are united with others and go on, some of them of slopes far apart, against the same merged at once.
    #[test]
    fn unions_are_what_merging_at_once_gives() {
        let mut numbers = Numbers(1);
        let (mut later, mut longest) = (0, 0);
        for round in 0..3_000 {
            let (mut uniting, mut merging) = (Hulls::new(), Hulls::new());
            uniting.unions.usual.left = u64::MAX;
            let slopes = if round % 4 == 0 { 5_000 } else { 40 };
            let mut values = [0; 6].map(|_| {
                let (memory, other) = (numbers.below(slopes), numbers.below(60));
                [Envelope::at(Line { memory, other }, crate::by_latency::hulls::SINGLE); 2]
            });
            for _ in 0..40 {
                let [a, b, to] = [0; 3].map(|_| numbers.below(6) as usize);
                let (memory, other) = (numbers.below(2), numbers.below(9));
                let united = uniting.unite(values[a][0], values[b][0]);
                let merged = merging.unite(values[a][1], values[b][1]);
                later += usize::from(!united.is_merged());
                assert!(merged.is_merged());
                values[to] = [united, merged].map(|own| own.then(memory, other));
                if numbers.below(5) == 0 {
                    let own = uniting.merged(values[to][0]);
                    assert_eq!(lines(&uniting, own), lines(&merging, values[to][1]));
                }
            }
            for [united, merged] in values {
                let own = uniting.merged(united);
                let own = lines(&uniting, own);
                assert_eq!(own, lines(&merging, merged), "round {round}");
                longest = longest.max(own.len());
            }
        }
        assert!(
            later > 10_000 && longest >= 4,
            "{later} unions, {longest} lines"
        );
    }

    #[test]
    fn unions_are_made_while_results_are_long() {
        let mut usual = Usual::default();
        let mut next = |merges, lines| {
            (usual.merges, usual.lines) = (merges, lines);
            usual.next();
            usual.left > 0
        };
        assert!(!next(0, 0) && !next(100, 100 * LONG - 1) && next(100, 100 * LONG));
        assert!((1..STRETCHES).all(|_| next(0, 0)));
        assert!(!next(0, 0) && !next(100, 0) && next(1, LONG));
    }
}
