//! Reuse by the loop that carries it and by its distance: which lines are touched again, and what the
//! nest touches in between (static.md section 3, "The refined rule").
//!
//! With the loops outside of loop l standing still, each iteration of l touches D(0)/N lines. Those that
//! an iteration at most δ back touched too are reused if the lines of δ iterations fit; what is left is
//! D(δ), the lines of clusters of groups whose neighbours are at most δ apart. The misses of a cache are
//! the cold ones and D(δ') − D(δ) for every loop and distance whose lines do not fit.

use super::domain::{Domain, Given, Span, Tiles};
use super::number::Number;
use super::reference::{Lines, Reference, middle};

/// Points at which an outer loop is taken whose value shapes the loops inside, by how many of those
/// there are outside of it.
const SAMPLES: [usize; 3] = [10, 5, 3];

/// Lines that are touched again, all at about the same distance.
#[derive(Clone, Debug)]
pub struct Reuse<N> {
    /// The loop that carries the reuse, counted from outside.
    pub carrier: usize,
    /// Its iterations in between.
    pub gap: i64,
    /// Which part of which loops' ranges: (loop, part, parts).
    pub parts: Vec<(usize, usize, usize)>,
    /// Bytes touched in between.
    pub distance: N,
    /// Lines that are fetched again if that does not fit.
    pub fetched: N,
    /// Lines that are written back once more.
    pub written: N,
    /// Positions of the references that are reused.
    pub references: Vec<usize>,
}

/// All that the traffic of a nest through any cache follows from.
#[derive(Clone, Debug)]
pub struct Profile<N> {
    /// Lines fetched by whatever cache.
    pub cold: N,
    /// Lines written back by whatever cache.
    pub flushed: N,
    pub reuses: Vec<Reuse<N>>,
}

/// What of a reference counts.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Any,
    Written,
}

/// Which references count at which level.
pub struct Covered {
    pub any: Vec<Vec<bool>>,
    pub written: Vec<Vec<bool>>,
}

impl Covered {
    fn of(&self, kind: Kind) -> &[Vec<bool>] {
        match kind {
            Kind::Any => &self.any,
            Kind::Written => &self.written,
        }
    }
}

/// Computes the profile.
pub struct Profiler<'a, N> {
    pub lines: Lines<'a, N>,
    pub references: &'a [Reference<N>],
    pub covered: &'a Covered,
    /// Whether the bounds depend on loops so that they are to be sampled.
    pub names: &'a mut dyn FnMut(&str, N) -> N,
}

struct Context<N> {
    given: Vec<Given<N>>,
    /// How often it occurs.
    times: N,
    parts: Vec<(usize, usize, usize)>,
}

impl<N: Number> Profiler<'_, N> {
    pub fn profile(&mut self) -> Profile<N> {
        let free = vec![Given::Free; self.domain().loops.len()];
        let all = |this: &Self, kind| N::sum((0..this.references.len()).map(|r| this.lines_of(r, kind, 0, &free, Tiles::Mean)));
        let mut profile =
            Profile { cold: all(self, Kind::Any), flushed: all(self, Kind::Written), reuses: Vec::new() };
        let outermost = Context { given: free, times: N::of(1.0), parts: Vec::new() };
        self.visit(0, &outermost, &mut profile.reuses);
        profile
    }

    fn domain(&self) -> &Domain<N> {
        self.lines.domain
    }

    fn visit(&mut self, level: usize, context: &Context<N>, reuses: &mut Vec<Reuse<N>>) {
        if level == self.domain().loops.len() {
            return;
        }
        let span = self.domain().spans(&context.given, Tiles::Mean).swap_remove(level);
        let sampled = context.parts.len();
        let parts = if self.domain().loops[level].shapes_inner { SAMPLES[sampled.min(2)] } else { 1 };
        for part in 0..parts {
            let mut given = context.given.clone();
            given[level] = Given::At(middle(&span, part, parts));
            let mut place = context.parts.clone();
            if parts > 1 {
                place.push((level, part, parts));
            }
            let iterations = span.count.scaled(1.0 / parts as f64);
            let whole = Part { level, part, parts, span: &span, iterations: &iterations };
            let inner = Context { given, times: context.times.times(&iterations), parts: place };
            self.reuse_of(&whole, context, &inner, reuses);
            self.visit(level + 1, &inner, reuses);
        }
    }

    /// The reuse that one part of one loop carries.
    fn reuse_of(&mut self, part: &Part<N>, outer: &Context<N>, inner: &Context<N>, reuses: &mut Vec<Reuse<N>>) {
        let level = part.level;
        let here: Vec<usize> = (0..self.references.len()).filter(|r| self.references[*r].level > level).collect();
        let mut gaps: Vec<i64> = vec![1];
        for r in &here {
            gaps.extend(self.gaps(&self.references[*r], &self.references[*r].offsets, level));
            gaps.extend(self.gaps(&self.references[*r], &self.references[*r].written, level));
        }
        gaps.sort_unstable();
        gaps.dedup();
        let mut left: Vec<[N; 2]> = Vec::new();
        for r in &here {
            let each = |kind| self.lines_of(*r, kind, level + 1, &inner.given, Tiles::Mean).times(part.iterations);
            left.push([each(Kind::Any), each(Kind::Written)]);
        }
        for gap in gaps {
            let mut reused = [Vec::new(), Vec::new()];
            let mut references = Vec::new();
            for (r, left) in here.iter().zip(&mut left) {
                for (at, kind) in [Kind::Any, Kind::Written].into_iter().enumerate() {
                    let now = self.distinct(*r, kind, part, gap, outer);
                    reused[at].push(left[at].minus(&now));
                    left[at] = now;
                }
                references.push(*r);
            }
            let [fetched, written] = reused.map(|lines| N::sum(lines).times(&outer.times));
            let distance = self.distance(part, gap, inner).times(&self.lines.line);
            let distance = (self.names)("distance", distance);
            reuses.push(Reuse { carrier: level, gap, parts: inner.parts.clone(), distance, fetched, written, references });
        }
    }

    /// Lines that one part of a loop's iterations touches if those of at most `gap` iterations back are
    /// still there.
    fn distinct(&self, r: usize, kind: Kind, part: &Part<N>, gap: i64, outer: &Context<N>) -> N {
        if self.covered.of(kind)[part.level][r] {
            return N::of(0.0);
        }
        let reference = &self.references[r];
        let clusters = self.clusters(reference, offsets(reference, kind), part.level, gap);
        let until = |parts: usize| -> N {
            let mut given = outer.given.clone();
            if parts == 0 {
                return N::of(0.0);
            }
            if parts < part.parts {
                given[part.level] = part.until(parts, self.domain().loops[part.level].descending);
            }
            N::sum(clusters.iter().map(|cluster| self.lines.of(reference, cluster, &given, Tiles::Mean)))
        };
        until(part.part + 1).minus(&until(part.part))
    }

    /// Lines of the reference with the loops from `level` on swept.
    fn lines_of(&self, r: usize, kind: Kind, level: usize, given: &[Given<N>], tiles: Tiles) -> N {
        if self.covered.of(kind)[level][r] {
            return N::of(0.0);
        }
        let reference = &self.references[r];
        self.lines.of(reference, offsets(reference, kind), given, tiles)
    }

    /// Lines that `gap` iterations of a loop touch.
    fn distance(&self, part: &Part<N>, gap: i64, inner: &Context<N>) -> N {
        let level = part.level;
        if gap == 1 {
            return N::sum((0..self.references.len()).map(|r| self.lines_of(r, Kind::Any, level + 1, &inner.given, Tiles::Full)));
        }
        let mut given = inner.given.clone();
        if let Given::At(value) = &inner.given[level] {
            let last = value.plus(&self.domain().loops[level].step.scaled((gap - 1) as f64));
            given[level] = Given::Between(value.clone(), last);
        }
        N::sum((0..self.references.len()).map(|r| {
            if self.covered.any[level][r] {
                return N::of(0.0);
            }
            let reference = &self.references[r];
            let clusters = self.clusters(reference, &reference.offsets, level, gap);
            N::sum(clusters.iter().map(|cluster| self.lines.of(reference, cluster, &given, Tiles::Full)))
        }))
    }

    /// Iterations between neighbouring groups.
    fn gaps(&self, reference: &Reference<N>, offsets: &[Vec<i64>], level: usize) -> Vec<i64> {
        let families = self.families(reference, offsets, level);
        let places = families.iter().flat_map(|family| family.windows(2).map(|pair| pair[1].0 - pair[0].0));
        places.filter(|gap| *gap > 0).collect()
    }

    /// Groups of offsets whose neighbours are at most `gap` iterations apart.
    fn clusters(&self, reference: &Reference<N>, offsets: &[Vec<i64>], level: usize, gap: i64) -> Vec<Vec<Vec<i64>>> {
        let mut clusters: Vec<Vec<Vec<i64>>> = Vec::new();
        for family in self.families(reference, offsets, level) {
            let mut last = None;
            for (place, offset) in family {
                match clusters.last_mut() {
                    Some(cluster) if last.is_some_and(|last| place - last <= gap) => cluster.push(offset),
                    _ => clusters.push(vec![offset]),
                }
                last = Some(place);
            }
        }
        clusters
    }

    /// Offsets that can meet in the iterations of a loop, with their places along it in iterations,
    /// ascending.
    fn families(&self, reference: &Reference<N>, offsets: &[Vec<i64>], level: usize) -> Vec<Vec<(i64, Vec<i64>)>> {
        let inner = |terms: &Vec<(usize, f64)>| terms.iter().any(|(v, _)| *v > level);
        let along = reference.dimensions.iter().position(|terms| terms.iter().any(|(v, _)| *v == level) && !inner(terms));
        let stride = along.map(|d| {
            let c = reference.dimensions[d].iter().find(|(v, _)| *v == level).map_or(1.0, |(_, c)| *c);
            (c.abs() * self.domain().loops[level].step.literal().unwrap_or(f64::INFINITY)).clamp(1.0, 1e12) as i64
        });
        let mut families: std::collections::BTreeMap<Vec<i64>, Vec<(i64, Vec<i64>)>> = Default::default();
        for offset in offsets {
            let mut place = 0;
            let mut family = Vec::new();
            for (d, value) in offset.iter().enumerate() {
                match (along, stride) {
                    (Some(at), Some(stride)) if at == d => {
                        place = value.div_euclid(stride);
                        if d > 0 {
                            family.push(value.rem_euclid(stride));
                        }
                    }
                    _ if d > 0 && !reference.dimensions[d].iter().any(|(v, _)| *v >= level) => family.push(*value),
                    _ => {}
                }
            }
            families.entry(family).or_default().push((place, offset.clone()));
        }
        families.into_values().map(|mut family| { family.sort(); family }).collect()
    }
}

fn offsets<N>(reference: &Reference<N>, kind: Kind) -> &[Vec<i64>] {
    match kind {
        Kind::Any => &reference.offsets,
        Kind::Written => &reference.written,
    }
}

/// One part of the iterations of a loop.
struct Part<'a, N> {
    level: usize,
    part: usize,
    parts: usize,
    span: &'a Span<N>,
    iterations: &'a N,
}

impl<N: Number> Part<'_, N> {
    /// The iterations up to the end of the part before `parts`.
    fn until(&self, parts: usize, descending: bool) -> Given<N> {
        let all = self.span.high.minus(&self.span.low).shifted(1.0);
        let some = all.scaled(parts as f64 / self.parts as f64).shifted(-1.0);
        match descending {
            false => Given::Between(self.span.low.clone(), self.span.low.plus(&some)),
            true => Given::Between(self.span.high.minus(&some), self.span.high.clone()),
        }
    }
}
