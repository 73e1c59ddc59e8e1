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
use super::reuse::{Context, Kind, Part, Profiler, Reuse};
use super::touched::ever;

/// The gap that stands for all of them from none to the whole loop.
pub const APART: i64 = i64::MAX - 2;

/// Classes of distances.
const CLASSES: usize = 16;

impl<N: Number> Profiler<'_, N> {
    /// Adds the reuse of references that another one covers in other iterations of a loop. `left` are references, and the
    /// lines of each that no shorter distance of that loop explains.
    pub fn met_apart(
        &self,
        part: &Part<N>,
        (outer, inner): (&Context<N>, &Context<N>),
        left: &[(usize, [N; 2])],
        reuses: &mut Vec<Reuse<N>>,
    ) {
        let level = part.level;
        let is_apart = |r: usize, kind: Kind| !self.covered.of(kind, level, r).apart.is_empty();
        let apart: Vec<&(usize, [N; 2])> = left
            .iter()
            .filter(|(r, _)| is_apart(*r, Kind::Any) || is_apart(*r, Kind::Written))
            .collect();
        if apart.is_empty() {
            return;
        }
        let each = |at: usize, kind: Kind| -> Vec<N> {
            let lines = apart.iter().map(|(r, lines)| match is_apart(*r, kind) {
                true => lines[at].scaled(1.0 / CLASSES as f64),
                false => N::of(0.0),
            });
            lines.collect()
        };
        let (fetched, written) = (each(0, Kind::Any), each(1, Kind::Written));
        let references: Vec<usize> = apart.iter().map(|(r, _)| *r).collect();
        let first = references.iter().zip(&fetched);
        let first = first.filter(|(r, _)| self.is_written_first(**r));
        let written_first = N::sum(first.map(|(_, lines)| lines.clone())).times(&outer.times);
        let unforeseen = self
            .unforeseen_of(&references, &fetched)
            .times(&outer.times);
        let [fetched, written] = [fetched, written].map(|lines| N::sum(lines).times(&outer.times));
        reuses.extend((0..CLASSES).map(|class| {
            let share = 1.0 - (1.0 - (class as f64 + 0.5) / CLASSES as f64).sqrt();
            let distance = self.in_share(part, share, outer).times(&self.lines.line);
            Reuse {
                carrier: level,
                between: level,
                gap: APART,
                parts: inner.parts.clone(),
                distance,
                fetched: fetched.clone(),
                written: written.clone(),
                written_first: written_first.clone(),
                unforeseen: unforeseen.clone(),
                references: references.clone(),
                inside: None,
                shared: None,
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
        let along = |r: &&Reference<N>| r.dimensions[0].iter().any(|(v, _)| *v == level);
        let width = self.references.iter().filter(along);
        let width = width.filter(|r| is_apart(r.array)).map(|r| r.width);
        width.reduce(f64::min).map_or(N::of(0.0), |width| {
            self.lines.line.scaled(0.5 / width).shifted(-0.5)
        })
    }

    /// Lines that a share of the iterations of a loop touches.
    fn in_share(&self, part: &Part<N>, share: f64, outer: &Context<N>) -> N {
        let level = part.level;
        let step = &self.domain().loops[level].step;
        let apart = part.span.count.scaled(share).minus(&self.shortened(level));
        let more = apart.shifted(-1.0).not_negative();
        let last = part.span.low.plus(&more.times(step));
        let mut given = outer.given.clone();
        given[level] = Given::Between(part.span.low.clone(), last);
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
            alone.times(&ever(&counted.taken))
        };
        self.lines_of_arrays(level, (0..self.references.len()).map(lines).collect())
    }
}
