//! What of a matrix is still in a cache where a nest goes to it along rows and along columns?
//!
//! ```text
//! for i, for j: b[i][j] = a[i][j] + a[j][i]
//!
//! element (p, q)    a row of iteration p, a column of iteration q: |p − q| iterations apart
//! ```
//!
//! Over all iterations of `i` both go to the same elements, so that these are cold once (`overlap`). But they are touched
//! again many iterations later, all distances from none to the whole loop being met: of n iterations, more than t·n lie in
//! between for (1 − t)² of the elements. The spread is cut into [`CLASSES`] parts, each a [`Reuse`] of its own:
//!
//! ```text
//! class c of 16, share s = (c + ½)/16     t = 1 − √(1 − s)
//! distance                                the lines of t·n iterations: rows, and of columns what is in no row;
//!                                         half of the iterations less that the columns of a line take
//! ```

use super::domain::{Given, Tiles};
use super::number::Number;
use super::reference::Reference;
use super::reuse::{Context, Kind, Part, Profiler, Reuse, WHOLE};
use super::steps::About;
use crate::catalogue::StaticFigure;

/// The gap that stands for all of them from none to the whole loop.
pub const APART: i64 = i64::MAX - 2;

/// Classes of distances.
const CLASSES: usize = 16;

impl<N: Number> Profiler<'_, N> {
    /// Adds the reuse of references, of some, that another one covers in other iterations of a loop.
    pub fn met_apart(
        &self,
        part: &Part<N>,
        (outer, inner): (&Context<N>, &Context<N>),
        references: &[usize],
        reuses: &mut Vec<Reuse<N>>,
    ) {
        let level = part.level;
        let is_apart = |r: usize, kind: Kind| !self.covered.of(kind, level, r).apart.is_empty();
        let is_here = |r: &usize| is_apart(*r, Kind::Any) || is_apart(*r, Kind::Written);
        let references: Vec<usize> = references.iter().copied().filter(is_here).collect();
        if references.is_empty() {
            return;
        }
        // All that is not touched again after a fixed number of iterations.
        let each = |kind: Kind| -> Vec<N> {
            let lines = references.iter().map(|r| match is_apart(*r, kind) {
                true => {
                    let all = |outer: &Context<N>| self.distinct(*r, kind, part, WHOLE, outer);
                    let all =
                        self.in_blocks(part, outer, &|within| all(within).times(&within.times));
                    all.scaled(1.0 / CLASSES as f64)
                }
                false => N::of(0.0),
            });
            lines.collect()
        };
        let (fetched, written) = (each(Kind::Any), each(Kind::Written));
        let moved = self.moved(&references, [fetched, written], &outer.times);
        reuses.extend((0..CLASSES).map(|class| {
            let share = 1.0 - (1.0 - (class as f64 + 0.5) / CLASSES as f64).sqrt();
            let distance = self.in_share(part, share, outer).times(&self.lines.line);
            let moved = moved.clone();
            Reuse {
                carrier: level,
                between: level,
                gap: APART,
                parts: inner.parts.clone(),
                distance,
                fetched: moved.fetched,
                written: moved.written,
                written_first: moved.written_first,
                unforeseen: moved.unforeseen,
                references: references.clone(),
                inside: None,
                shared: None,
                arrays: moved.arrays,
                crowds: Vec::new(),
            }
        }));
    }

    /// Iterations by which an element and a line of which it is one are less apart: a line of several columns is touched in
    /// as many iterations, of which the nearest one counts.
    fn shortened(&self, level: usize) -> N {
        let is_apart = |array: usize| {
            let mut all = self.covered.any[level].iter().zip(self.references);
            all.any(|(counted, r)| r.array == array && !counted.apart.is_empty())
        };
        let moving = self.domain().range_of(level);
        let along = |r: &&Reference<N>| r.dimensions[0].iter().any(|(v, _)| *v == moving);
        let width = self.references.iter().filter(along);
        let width = width.filter(|r| is_apart(r.array)).map(|r| r.width);
        width.reduce(f64::min).map_or(N::of(0.0), |width| {
            self.lines.line.scaled(0.5 / width).shifted(-0.5)
        })
    }

    /// A count of lines in what lies between two touches: in a single block, iterations of the loops between it and its own
    /// loop, in the context of which `times` is how many of them there are; else all.
    fn in_blocks(&self, part: &Part<N>, outer: &Context<N>, lines: &dyn Fn(&Context<N>) -> N) -> N {
        let moving = self.domain().range_of(part.level);
        let once = Context {
            given: outer.given.clone(),
            times: N::of(1.0),
            parts: outer.parts.clone(),
        };
        let all = lines(&once);
        let between = part.level + 1..moving;
        let mut within = once;
        for v in between.filter(|v| !self.domain().is_over_blocks(*v)) {
            let span = self.lines.spans(&within.given, Tiles::Full).swap_remove(v);
            let step = self.lines.names.step(StaticFigure::Place, About::Loop(v));
            let middle = self.domain().middle(v, &span, 0, 1);
            within.given[v] = Given::At((self.lines.name)(step, middle));
            within.times = within.times.times(&span.count);
        }
        if within.times.is_one() {
            return all;
        }
        part.span
            .count
            .if_at_most(&N::of(1.0), &lines(&within), &all)
    }

    /// Lines that a share of the iterations of a loop touches.
    fn in_share(&self, part: &Part<N>, share: f64, outer: &Context<N>) -> N {
        let loops = (part.level, self.domain().range_of(part.level));
        self.in_blocks(part, outer, &|within| {
            self.in_share_of(loops, share, &within.given)
        })
    }

    /// The same of the loop `moving`, which is the one at the level or the one over whose blocks that goes.
    fn in_share_of(&self, (level, moving): (usize, usize), share: f64, given: &[Given<N>]) -> N {
        let span = self.lines.spans(given, Tiles::Full).swap_remove(moving);
        let apart = span.count.scaled(share).minus(&self.shortened(level));
        let more = apart.beyond_first();
        let step = &self.domain().loops[moving].step;
        let mut given = given.to_vec();
        given[moving] = Given::Between(span.low.clone(), span.low.plus(&more.times(step)));
        let lines = |r: usize| {
            let counted = &self.covered.any[level][r];
            if counted.own().is_empty() {
                return N::of(0.0);
            }
            let cluster = (counted.own(), counted.row.as_ref());
            let reference = &self.references[r];
            let lines = self.lines.of(reference, cluster, &given, Tiles::Full, true);
            // Columns meet rows in as large a share of their elements as there are rows of all.
            let alone = match counted.apart.is_empty() {
                true => lines,
                false => lines.scaled(1.0 - share),
            };
            alone.times(&self.met(
                (reference, counted.own()),
                &counted.taken,
                (level, &given, Tiles::Full),
            ))
        };
        self.lines_of_arrays(level, (0..self.references.len()).map(lines).collect())
    }
}
