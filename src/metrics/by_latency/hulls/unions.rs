//! Envelopes that are merged only when somebody needs their lines.
//!
//! Most results within a loop are read once and soon, by what merges them further: the sources of a stored value are
//! merged together when it is stored, in place of two at every instruction, and what nobody stores is never merged.

use super::grid::Grid;
use super::{Envelope, Hulls, Line, Offset, Part, ShapeId};

/// Of a shape, that it is a union that has not been merged.
pub(super) const UNION: ShapeId = 1 << 31;

/// Parts of a union, at most: merging more at once would save nothing.
const PARTS: usize = 16;

/// One of so many stretches is without unions, to see.
const STRETCHES: u64 = 32;

#[derive(Default)]
pub(super) struct Unions {
    pairs: Vec<Pair>,
    grid: Grid,
}

/// What is usual in a stretch.
pub(super) struct Usual {
    pub merges: u64,
    pub remembered: u64,
    /// Whether envelopes are merged later.
    pub are_unions: bool,
    stretches: u64,
}

impl Usual {
    pub fn new() -> Usual {
        Usual {
            merges: 0,
            remembered: 0,
            are_unions: true,
            stretches: 0,
        }
    }

    /// Unions are worth it if most results of merging two at once are new, which a stretch without unions shows.
    fn next(&mut self) {
        self.are_unions = match self.stretches % STRETCHES {
            0 => false,
            1 => 2 * self.remembered < self.merges,
            _ => self.are_unions,
        };
        self.stretches += 1;
        (self.merges, self.remembered) = (0, 0);
    }
}

/// Two envelopes, of which each is above the other somewhere as far as is known.
#[derive(Clone, Copy)]
struct Pair {
    both: [Part; 2],
    parts: usize,
    /// The steepest line.
    last: Part,
    merged: Option<Part>,
}

impl Unions {
    fn pair(&mut self, union: Envelope) -> &mut Pair {
        &mut self.pairs[(union.shape & !UNION) as usize]
    }

    /// How many envelopes are to be merged for this one.
    fn parts(&mut self, envelope: Envelope) -> usize {
        match envelope.is_merged() {
            true => 1,
            false => self.pair(envelope).parts,
        }
    }

    #[inline(always)]
    pub fn last_line(&self, union: Envelope) -> Line {
        let last = self.pairs[(union.shape & !UNION) as usize].last;
        last.at(union).first_line()
    }
}

impl Hulls {
    /// The upper envelope of both, to be merged later unless it is plainly one of them.
    #[inline(always)]
    pub fn unite(&mut self, a: Envelope, b: Envelope) -> Envelope {
        if a.covers_plainly(b) {
            return a;
        }
        if b.covers_plainly(a) {
            return b;
        }
        self.pair(a, b)
    }

    #[inline(never)]
    fn pair(&mut self, a: Envelope, b: Envelope) -> Envelope {
        if self.covers_with_a_line(a, b) {
            return a;
        }
        if self.covers_with_a_line(b, a) {
            return b;
        }
        if !self.usual.are_unions {
            return self.merge_shapes(a, b);
        }
        let parts = self.unions.parts(a) + self.unions.parts(b);
        if parts > PARTS {
            let (a, b) = (self.merged(a), self.merged(b));
            return self.latest(a, b);
        }
        let highest = |own: Envelope| (own.other, own.memory);
        let high = if highest(a) >= highest(b) { a } else { b };
        let (own, other) = (self.last_line(a), self.last_line(b));
        let steepest = |line: Line| (line.memory, line.other);
        let last = if steepest(own) >= steepest(other) {
            own
        } else {
            other
        };
        let number = self.unions.pairs.len() as ShapeId;
        self.unions.pairs.push(Pair {
            both: [a, b].map(|own| Part::seen_from(high, own)),
            parts,
            last: Part::seen_from(high, Envelope::single(last)),
            merged: None,
        });
        Envelope {
            shape: UNION | number,
            ..high
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
    fn merge_union(&mut self, union: Envelope) -> Envelope {
        if let Some(merged) = self.unions.pair(union).merged {
            return merged.at(union);
        }
        let mut parts = [Envelope::single(Line::default()); PARTS];
        let count = self.collect(union, &mut parts);
        let merged = self.merge_all(&mut parts[..count]);
        let pair = self.unions.pair(union);
        pair.merged = Some(Part::seen_from(union, merged));
        pair.parts = 1;
        merged
    }

    /// The parts of a union, but for those that others plainly cover.
    fn collect(&mut self, union: Envelope, parts: &mut [Envelope; PARTS]) -> usize {
        let mut open = [union; PARTS + 1];
        let (mut left, mut count) = (1, 0);
        while left > 0 {
            left -= 1;
            let own = open[left];
            if !own.is_merged() {
                let pair = self.unions.pair(own);
                match pair.merged {
                    Some(merged) => open[left] = merged.at(own),
                    None => {
                        let [first, second] = pair.both.map(|part| part.at(own));
                        (open[left], open[left + 1]) = (first, second);
                        left += 1;
                    }
                }
                left += 1;
                continue;
            }
            let found = &mut parts[..count];
            if found.iter().any(|other| other.covers_plainly(own)) {
                continue;
            }
            match found.iter_mut().find(|other| own.covers_plainly(**other)) {
                Some(covered) => *covered = own,
                None => {
                    parts[count] = own;
                    count += 1;
                }
            }
        }
        count
    }

    fn merge_all(&mut self, parts: &mut [Envelope]) -> Envelope {
        if parts.len() > 2 {
            let mut grid = std::mem::take(&mut self.unions.grid);
            let merged = self
                .lay(parts, &mut grid)
                .then(|| self.envelope(grid.hull()));
            self.unions.grid = grid;
            if let Some(merged) = merged {
                return merged;
            }
        }
        // With the steepest first, the others are covered most often.
        parts.sort_unstable_by_key(|own| {
            let last = self.last_line(*own);
            std::cmp::Reverse((last.memory, last.other))
        });
        let (first, others) = parts.split_at(1);
        others
            .iter()
            .fold(first[0], |all, own| self.latest(all, *own))
    }

    /// Lays all lines on the grid, if they are close to each other for their number.
    fn lay(&self, parts: &[Envelope], grid: &mut Grid) -> bool {
        let (mut flattest, mut steepest, mut lines) = (u64::MAX, 0, 0);
        for own in parts {
            flattest = flattest.min(own.memory);
            steepest = steepest.max(self.last_line(*own).memory);
            lines += 1 + self.offsets(own.shape).len();
        }
        let is_dense = grid.clear(flattest, steepest, lines);
        if is_dense {
            for own in parts {
                grid.add(own.first_line());
                let others = self.offsets(own.shape).iter();
                others.for_each(|offset: &Offset| grid.add(own.line(offset)));
            }
        }
        is_dense
    }

    /// Forgets all unions, once no value is one, and decides whether there are to be any in the next stretch.
    pub fn forget_unions(&mut self) {
        self.unions.pairs.clear();
        self.usual.next();
    }
}

impl Envelope {
    #[inline(always)]
    pub fn is_merged(self) -> bool {
        self.shape & UNION == 0
    }

    fn single(line: Line) -> Envelope {
        Envelope {
            memory: line.memory,
            other: line.other,
            shape: super::SINGLE,
        }
    }
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
        let (mut laid, mut longest) = (0, 0);
        for round in 0..3_000 {
            let mut hulls = Hulls::new();
            let slopes = if round % 4 == 0 { 5_000 } else { 40 };
            let mut values: Vec<(Envelope, Envelope)> = (0..6)
                .map(|_| {
                    let (memory, other) = (numbers.below(slopes), numbers.below(60));
                    Envelope::single(Line { memory, other })
                })
                .map(|own| (own, own))
                .collect();
            for _ in 0..40 {
                let [a, b, to] = [0; 3].map(|_| numbers.below(6) as usize);
                let (memory, other) = (numbers.below(2), numbers.below(9));
                let later = hulls.unite(values[a].0, values[b].0);
                let at_once = hulls.latest(values[a].1, values[b].1);
                values[to] = (later.then(memory, other), at_once.then(memory, other));
                if numbers.below(3) == 0 {
                    let own = hulls.merged(values[to].0);
                    assert_eq!(lines(&hulls, own), lines(&hulls, values[to].1));
                }
            }
            for (later, at_once) in values {
                laid += usize::from(!later.is_merged());
                let later = hulls.merged(later);
                assert_eq!(
                    lines(&hulls, later),
                    lines(&hulls, at_once),
                    "round {round}"
                );
                longest = longest.max(lines(&hulls, later).len());
            }
        }
        assert!(
            laid > 1_000 && longest >= 4,
            "{laid} unions, {longest} lines"
        );
    }

    #[test]
    fn unions_are_left_where_results_are_remembered() {
        let mut usual = Usual::new();
        let mut seen = Vec::new();
        for stretch in 0..2 * STRETCHES {
            (usual.merges, usual.remembered) = (100, if stretch < STRETCHES { 90 } else { 10 });
            seen.push(usual.are_unions);
            usual.next();
        }
        let of = |stretch: u64| seen[stretch as usize];
        assert!(of(0) && !of(1) && !of(2) && !of(STRETCHES));
        assert!(!of(STRETCHES + 1) && of(STRETCHES + 2) && of(2 * STRETCHES - 1));
    }
}
