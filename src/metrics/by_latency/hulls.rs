//! Upper envelopes of lines α ↦ m·α + c for all latencies α ≥ 0, of many values at once.
//!
//! An envelope has the lines that are the highest one for some α, by ascending slope and so descending intercept: no
//! line is left out that a latency needs, and none is kept that no latency needs. Most have one line, which stands
//! with the value. The others add a shape: the distances of their lines to the first one, so that going on along a
//! path, which adds to all slopes or all intercepts alike, changes no shape.
//!
//! A shape that was made before is mostly found again, and so is the result of merging two of them, as a loop does much the
//! same in every iteration. Shapes that no value names are forgotten now and then, so there are at most as many as values,
//! and as many again as came since. An envelope of slopes up to M and intercepts up to N has at most in the order of (M·N)^⅓ lines,
//! as every convex polygon of lattice points; in programs it has few.

mod envelope;
mod grid;
mod unions;

pub(super) use envelope::{Envelope, Line};
use envelope::{Offset, SINGLE, ShapeId, is_highest_between};
use unions::Unions;

/// Where the offsets of a shape are.
#[derive(Clone, Copy, Default)]
struct Shape {
    first: u32,
    count: u32,
    /// The last of them; none of a single line.
    last: Offset,
}

/// A merge that was done before; envelopes that differ by no more than their places have the same result.
#[derive(Clone, Copy)]
struct Merged {
    shapes: (ShapeId, ShapeId),
    /// From the first envelope to the second one.
    apart: (i64, i64),
    /// From the first envelope to the result.
    result: (i64, i64),
    shape: ShapeId,
}

const MEMORY_OF_MERGES: usize = 1 << 12;
const MEMORY_OF_SHAPES: usize = 1 << 12;
/// Shapes and offsets up to which nothing is forgotten.
const FEW: usize = 1 << 16;

/// The shapes of all envelopes.
pub(super) struct Hulls {
    shapes: Vec<Shape>,
    offsets: Vec<Offset>,
    merges: Vec<Option<Merged>>,
    /// Shapes by their offsets, with the rest of the hash of these, so that most are made once; [`SINGLE`] where none is
    /// known.
    known: Vec<(u32, ShapeId)>,
    /// Shapes and offsets together at which it is time to forget.
    limit: usize,
    few: usize,
    /// Room for names.
    names: Vec<ShapeId>,
    scratch: Scratch,
    unions: Unions,
}

#[derive(Default)]
struct Scratch {
    first: Vec<Line>,
    second: Vec<Line>,
    hull: Vec<Line>,
}

impl Hulls {
    pub fn new() -> Hulls {
        Hulls::forgetting_after(FEW)
    }

    /// Forgets whenever there are more shapes and offsets than that, and than twice what was left and seen the last
    /// time.
    pub fn forgetting_after(few: usize) -> Hulls {
        Hulls {
            shapes: vec![Shape::default()],
            offsets: Vec::new(),
            merges: vec![None; MEMORY_OF_MERGES],
            known: vec![(0, SINGLE); MEMORY_OF_SHAPES],
            limit: few,
            few,
            names: Vec::new(),
            scratch: Scratch::default(),
            unions: Unions::new(),
        }
    }

    /// The upper envelope of both, with a shape of its own.
    #[inline(always)]
    pub fn latest(&mut self, a: Envelope, b: Envelope) -> Envelope {
        let both = self.unite(a, b);
        self.merged(both)
    }

    /// The upper envelope of both, perhaps to be merged later.
    #[inline(always)]
    pub fn unite(&mut self, a: Envelope, b: Envelope) -> Envelope {
        if a.covers_plainly(b) {
            return a;
        }
        if b.covers_plainly(a) {
            return b;
        }
        self.merge(a, b)
    }

    #[inline(never)]
    fn merge(&mut self, a: Envelope, b: Envelope) -> Envelope {
        // What is lower at α = 0 covers nothing.
        let (a, b) = if a.other() >= b.other() {
            (a, b)
        } else {
            (b, a)
        };
        if self.covers_with_a_line(a, b) {
            return a;
        }
        if a.other() == b.other() && self.covers_with_a_line(b, a) {
            return b;
        }
        if self.unions.are_made() {
            return self.unite_parts(a, b);
        }
        self.merge_shapes(a, b)
    }

    /// The upper envelope of two that have shapes of their own.
    #[inline(never)]
    fn merge_shapes(&mut self, a: Envelope, b: Envelope) -> Envelope {
        self.unions.usual.merges += 1;
        // What is remembered of one order serves for both.
        let (a, b) = if a.shape() <= b.shape() {
            (a, b)
        } else {
            (b, a)
        };
        let apart = (
            b.memory().wrapping_sub(a.memory()) as i64,
            b.other().wrapping_sub(a.other()) as i64,
        );
        let place = place_of_merge((a.shape(), b.shape()), apart);
        if let Some(known) = self.merges[place]
            && known.shapes == (a.shape(), b.shape())
            && known.apart == apart
        {
            let first = Line {
                memory: a.memory().wrapping_add_signed(known.result.0),
                other: a.other().wrapping_add_signed(known.result.1),
            };
            return Envelope::at(first, known.shape);
        }
        let lines = |own: Envelope| u64::from(self.shapes[own.shape() as usize].count) + 1;
        self.unions.usual.lines += lines(a) + lines(b);
        let merged = match (self.covers(a, b), self.covers(b, a)) {
            (true, _) => a,
            (false, true) => b,
            (false, false) => self.merge_lines(a, b),
        };
        self.merges[place] = Some(Merged {
            shapes: (a.shape(), b.shape()),
            apart,
            result: (
                merged.memory().wrapping_sub(a.memory()) as i64,
                merged.other().wrapping_sub(a.other()) as i64,
            ),
            shape: merged.shape(),
        });
        merged
    }

    /// Whether one line of the first envelope, its first or its last, is nowhere below the second one.
    #[inline(always)]
    fn covers_with_a_line(&self, a: Envelope, b: Envelope) -> bool {
        let steepest = self.last_line(b).memory;
        let covers = |line: Line| line.memory >= steepest && line.other >= b.other();
        covers(a.first_line()) || covers(self.last_line(a))
    }

    /// Whether the first envelope is nowhere below the second one.
    fn covers(&self, a: Envelope, b: Envelope) -> bool {
        // What is higher at α = 0, or steeper at the end, is above somewhere.
        let is_possible =
            a.other() >= b.other() && self.last_line(a).memory >= self.last_line(b).memory;
        is_possible && self.covers_each_line(a, b)
    }

    /// The same where the first envelope begins as high and ends as steep: none of the other's lines is above the corner
    /// at which the first gets steeper than that line, where it comes closest.
    fn covers_each_line(&self, a: Envelope, b: Envelope) -> bool {
        let offsets = self.offsets(a.shape());
        let mut passed = 0;
        let mut own = a.first_line();
        self.lines(b).all(|line| {
            let mut next = None;
            while let Some(offset) = offsets.get(passed) {
                let steeper = a.line(offset);
                if steeper.memory > line.memory {
                    next = Some(steeper);
                    break;
                }
                own = steeper;
                passed += 1;
            }
            if own.memory >= line.memory {
                return own.other >= line.other;
            }
            let is_below = |next: Line| {
                let product = |lower: u64, steeper: u64| u128::from(lower) * u128::from(steeper);
                own.other >= line.other
                    && product(own.other - line.other, next.memory - own.memory)
                        >= product(own.other - next.other, line.memory - own.memory)
            };
            next.is_some_and(is_below)
        })
    }

    fn offsets(&self, shape: ShapeId) -> &[Offset] {
        let Shape { first, count, .. } = self.shapes[shape as usize];
        &self.offsets[first as usize..][..count as usize]
    }

    #[inline(always)]
    fn last_line(&self, envelope: Envelope) -> Line {
        match envelope.is_merged() {
            true => envelope.line(&self.shapes[envelope.shape() as usize].last),
            false => envelope.line(self.unions.last(envelope.shape())),
        }
    }

    /// By ascending slope.
    pub fn lines(&self, envelope: Envelope) -> impl Iterator<Item = Line> + '_ {
        let others = self.offsets(envelope.shape()).iter();
        std::iter::once(envelope.first_line())
            .chain(others.map(move |offset| envelope.line(offset)))
    }

    /// How high it is at that latency.
    pub fn height(&self, envelope: Envelope, latency: u64) -> u64 {
        let heights = self.lines(envelope);
        let heights = heights.map(|line| line.memory * latency + line.other);
        heights.max().unwrap_or(0)
    }

    fn merge_lines(&mut self, a: Envelope, b: Envelope) -> Envelope {
        let mut scratch = std::mem::take(&mut self.scratch);
        let Scratch {
            first,
            second,
            hull,
        } = &mut scratch;
        first.clear();
        second.clear();
        first.extend(self.lines(a));
        second.extend(self.lines(b));
        upper_hull(first, second, hull);
        let merged = if hull == first {
            a
        } else if hull == second {
            b
        } else {
            self.envelope(hull)
        };
        self.scratch = scratch;
        merged
    }

    fn envelope(&mut self, hull: &[Line]) -> Envelope {
        let shape = self.shape(hull);
        Envelope::at(hull[0], shape)
    }

    /// The shape of lines by ascending slope: the one that was made of the same before, if that is remembered.
    fn shape(&mut self, hull: &[Line]) -> ShapeId {
        let first = hull[0];
        let start = self.offsets.len();
        self.offsets.extend(hull[1..].iter().map(|line| Offset {
            steeper: line.memory - first.memory,
            lower: first.other - line.other,
        }));
        let own = &self.offsets[start..];
        let Some(last) = own.last().copied() else {
            return SINGLE;
        };
        let parts = own
            .iter()
            .map(|own| own.steeper.rotate_left(32) ^ own.lower);
        let hash = hash(parts);
        let place = place_in(MEMORY_OF_SHAPES, hash);
        let (rest, known) = self.known[place];
        if rest == hash as u32 && self.offsets(known) == own {
            self.offsets.truncate(start);
            return known;
        }
        self.shapes.push(Shape {
            first: start as u32,
            count: hull.len() as u32 - 1,
            last,
        });
        let shape = (self.shapes.len() - 1) as ShapeId;
        self.known[place] = (hash as u32, shape);
        shape
    }

    /// Whether it is time to forget shapes.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.shapes.len() + self.offsets.len() > self.limit
    }

    /// Nothing is named so far.
    pub fn mark(&mut self) -> Marks {
        let mut named = std::mem::take(&mut self.names);
        named.clear();
        named.resize(self.shapes.len(), UNNAMED);
        Marks { named, seen: 0 }
    }

    /// Forgets shapes that nothing names; returns how to rename those that are left.
    pub fn forget(&mut self, marks: Marks) -> Renamed {
        let Marks { mut named, seen } = marks;
        let (mut shapes, mut offsets) = (1, 0);
        named[SINGLE as usize] = SINGLE;
        for (number, name) in named.iter_mut().enumerate().skip(1) {
            if *name == UNNAMED {
                *name = SINGLE;
                continue;
            }
            // They are in the order of their offsets, so nothing is overwritten that is still to come.
            let shape = self.shapes[number];
            let own = shape.first as usize..(shape.first + shape.count) as usize;
            self.offsets.copy_within(own, offsets);
            self.shapes[shapes] = Shape {
                first: offsets as u32,
                ..shape
            };
            *name = shapes as ShapeId;
            shapes += 1;
            offsets += shape.count as usize;
        }
        self.shapes.truncate(shapes);
        self.offsets.truncate(offsets);
        self.merges.fill(None);
        let renamed = |(_, known): &mut (u32, ShapeId)| *known = named[*known as usize];
        self.known.iter_mut().for_each(renamed);
        let left = self.shapes.len() + self.offsets.len();
        // A walk over all values is worth it after as many new shapes only.
        self.limit = self.few.max(2 * left).max(left + seen / 4);
        Renamed(named)
    }

    /// Takes back what names were written into, to write the next ones there.
    pub fn take_back(&mut self, renamed: Renamed) {
        self.names = renamed.0;
    }
}

/// Shapes that values name.
pub(super) struct Marks {
    /// By shape, [`UNNAMED`] or anything else.
    named: Vec<ShapeId>,
    seen: usize,
}

const UNNAMED: ShapeId = ShapeId::MAX;

impl Marks {
    pub fn add(&mut self, envelope: Envelope) {
        self.named[envelope.shape() as usize] = SINGLE;
        self.seen += 1;
    }
}

/// New numbers of shapes.
pub(super) struct Renamed(Vec<ShapeId>);

impl Renamed {
    pub fn rename(&self, envelope: &mut Envelope) {
        *envelope = envelope.with_shape(self.0[envelope.shape() as usize]);
    }
}

#[inline(always)]
fn place_of_merge(shapes: (ShapeId, ShapeId), apart: (i64, i64)) -> usize {
    let shapes = u64::from(shapes.0) << 32 | u64::from(shapes.1);
    let parts = [shapes, apart.0 as u64, apart.1 as u64];
    place_in(MEMORY_OF_MERGES, hash(parts))
}

/// Of these parts; the upper half is mixed best.
#[inline(always)]
fn hash(parts: impl IntoIterator<Item = u64>) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |hash: u64, part: u64| (hash.rotate_left(23) ^ part).wrapping_mul(ODD);
    parts.into_iter().fold(0, mix)
}

/// Where something of that hash is remembered, of so many places.
#[inline(always)]
fn place_in(places: usize, hash: u64) -> usize {
    (hash >> 40) as usize % places
}

/// The lines of two envelopes, each by ascending slope, that are the highest somewhere.
fn upper_hull(a: &[Line], b: &[Line], hull: &mut Vec<Line>) {
    hull.clear();
    let (mut left, mut right) = (0, 0);
    while let (Some(own), Some(other)) = (a.get(left), b.get(right)) {
        let is_own = (own.memory, own.other) < (other.memory, other.other);
        left += usize::from(is_own);
        right += usize::from(!is_own);
        add_steepest(hull, if is_own { *own } else { *other });
    }
    let rest = match left < a.len() {
        true => &a[left..],
        false => &b[right..],
    };
    for (number, line) in rest.iter().enumerate() {
        // Behind two of one envelope, which stay, all others do.
        if number >= 2 && hull.len() >= 2 && hull[hull.len() - 2..] == rest[number - 2..number] {
            hull.extend_from_slice(&rest[number..]);
            return;
        }
        add_steepest(hull, *line);
    }
}

/// Adds a line that is at least as steep as all others.
fn add_steepest(hull: &mut Vec<Line>, line: Line) {
    while let Some(top) = hull.last() {
        let is_covered = line.other >= top.other
            || match hull.len() {
                1 => false,
                count => !is_highest_between(hull[count - 2], *top, line),
            };
        if !is_covered {
            break;
        }
        hull.pop();
    }
    hull.push(line);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataflow::Held;

    fn line((memory, other): (u64, u64)) -> Line {
        Line { memory, other }
    }

    fn envelope(hulls: &mut Hulls, lines: &[(u64, u64)]) -> Envelope {
        let single = |hulls: &mut Hulls, own: &(u64, u64)| hulls.envelope(&[line(*own)]);
        let mut all = single(hulls, &lines[0]);
        for own in &lines[1..] {
            let own = single(hulls, own);
            all = hulls.latest(all, own);
        }
        all
    }

    fn lines(hulls: &Hulls, envelope: Envelope) -> Vec<(u64, u64)> {
        let pairs = hulls.lines(envelope);
        pairs.map(|line| (line.memory, line.other)).collect()
    }

    /// By hand: α + 9 and 3·α + 3 cross at 3, where both are 12; 2·α + 6 is there too, and nowhere above both.
    #[test]
    fn only_lines_that_are_highest_somewhere_stay() {
        let mut hulls = Hulls::new();
        let three = envelope(&mut hulls, &[(1, 9), (2, 6), (3, 3)]);
        assert_eq!(lines(&hulls, three), [(1, 9), (3, 3)]);
        let higher = envelope(&mut hulls, &[(3, 3), (2, 7), (1, 9)]);
        assert_eq!(lines(&hulls, higher), [(1, 9), (2, 7), (3, 3)]);
        let covered = envelope(&mut hulls, &[(3, 3), (2, 7), (1, 9), (3, 9)]);
        assert_eq!(lines(&hulls, covered), [(3, 9)]);
    }

    #[test]
    fn going_on_keeps_the_shape() {
        let mut hulls = Hulls::new();
        let two = envelope(&mut hulls, &[(0, 5), (2, 1)]);
        let further = two.then(0, 7).then(1, 0);
        assert_eq!(lines(&hulls, further), [(1, 12), (3, 8)]);
        assert_eq!(Envelope::recall(further.keep()), further);
        let first = line(((1 << 40) - 1, (1 << 44) - 1));
        let far = Envelope::at(first, u32::MAX >> 1);
        assert_eq!((far.first_line(), far.shape()), (first, u32::MAX >> 1));
        assert_eq!(Envelope::recall(far.keep()), far);
    }

    #[test]
    fn shapes_that_nothing_names_are_forgotten() {
        let mut hulls = Hulls::forgetting_after(8);
        let kept = envelope(&mut hulls, &[(0, 50), (1, 45), (2, 39)]);
        for gone in 1..20 {
            let _ = envelope(&mut hulls, &[(0, 50 + gone), (1, 2)]);
        }
        assert!(hulls.is_full());
        let mut marks = hulls.mark();
        marks.add(kept);
        let mut renamed = kept;
        hulls.forget(marks).rename(&mut renamed);
        assert_eq!(lines(&hulls, renamed), [(0, 50), (1, 45), (2, 39)]);
        assert_eq!((hulls.shapes.len(), hulls.offsets.len()), (2, 2));
        assert!(!hulls.is_full());
    }
}
