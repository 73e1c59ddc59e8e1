//! Which lines does a nest touch again, after how much else?
//!
//! With the loops outside of loop l standing still, an iteration of l touches some lines anew, if nothing is
//! kept. Those that an iteration at most δ back touched too are reused if the lines of δ iterations fit; what
//! is left is D(δ), the lines of clusters of groups (`groups`) whose neighbours are at most δ apart. The misses
//! of a cache are the cold ones and D(δ') − D(δ) for every loop and distance whose lines do not fit (guide:
//! static-model, "The refined rule: reuse").
//!
//! ```text
//! a[i-2][j] + a[i][j] + a[i+1][j], swept over i; R lines per row
//!
//! nothing kept      3·R each iteration       ──┐ δ = 1: distance = lines of 1 iteration
//! neighbours 1 apart 2·R                     ──┤ δ = 2: distance = lines of 2 iterations
//! neighbours 2 apart 1·R, what is left       ──┘ the loop around carries the rest, or it is cold
//! ```
//!
//! Loops are visited from outside. Where a loop shapes those inside (a triangle), it is taken at the middle of
//! several parts of its range, each with distances of its own; so it is where a condition on it leads some
//! references to a part of it only, and loops inside come back to their lines. An inner loop that repeats a reference's
//! accesses altogether, as `k` does those of `a[i][j]`, lies between in place of the carrier: what comes back
//! comes back after one iteration of it ([`Profiler::repeated_by`]).
//!
//! Two rules keep the sum sound: what is reused is never negative, so that no larger cache moves more, and what
//! rounding takes from one part of a loop the next one is owed ([`Profiler::reused`]). Hands over a
//! [`Profile`]; random places are left to `gather`, other nests to `neighbours`.

use rustc_hash::FxHashMap;

use super::Between;
use super::domain::{Domain, Given, Span, Tiles};
use super::number::Number;
use super::of_array::OfArray;
use super::overlap::Counted;
use super::reference::{Lines, Reference, Rows};
use super::sets::Crowd;
use super::steps::About;
use crate::arrays::Arrays;
use crate::catalogue::StaticFigure;
use crate::expr::Expr;

/// Points at which an outer loop is taken whose value shapes the loops inside, by how many of those
/// there are outside of it; further ones are taken at their middle.
const SAMPLES: [usize; 3] = [10, 5, 3];

/// The gap that stands for all iterations of a loop.
pub const WHOLE: i64 = i64::MAX;

/// Lines that are touched again, all at about the same distance.
#[derive(Clone, Debug)]
pub struct Reuse<N> {
    /// The loop that carries the reuse, counted from outside.
    pub carrier: usize,
    /// The loop whose iterations lie in between: the carrier, or one inside it that repeats the accesses.
    pub between: usize,
    /// How many of them.
    pub gap: i64,
    /// Which part of which loops' ranges: (loop, part, parts).
    pub parts: Vec<(usize, usize, usize)>,
    /// Bytes touched in between.
    pub distance: N,
    /// Lines that are fetched again if that does not fit.
    pub fetched: N,
    /// Lines that are written back once more.
    pub written: N,
    /// Of those that are fetched, the ones of arrays that are only written, or before they are read.
    pub written_first: N,
    /// Of those that are fetched, the ones that no prefetcher predicts.
    pub unforeseen: N,
    /// Positions of the references that are reused.
    pub references: Vec<usize>,
    /// Iterations of the loops inside of those in between.
    pub inside: Option<N>,
    /// Of reuse that a loop around several nests carries: the bytes that one iteration of it touches in all of them.
    pub shared: Option<N>,
    /// The lines of each array, where they are told apart.
    pub arrays: Vec<OfArray<N>>,
    /// What may evict them from sets that others of them fall into.
    pub crowds: Vec<Crowd<N>>,
}

impl<N: Number> Reuse<N> {
    /// The same over another kind of number.
    pub fn map<M>(&self, value: &dyn Fn(&N) -> M) -> Reuse<M> {
        Reuse {
            carrier: self.carrier,
            between: self.between,
            gap: self.gap,
            parts: self.parts.clone(),
            distance: value(&self.distance),
            fetched: value(&self.fetched),
            written: value(&self.written),
            written_first: value(&self.written_first),
            unforeseen: value(&self.unforeseen),
            references: self.references.clone(),
            inside: self.inside.as_ref().map(value),
            shared: self.shared.as_ref().map(value),
            arrays: self.arrays.iter().map(|own| own.map(value)).collect(),
            crowds: self.crowds.iter().map(|own| own.map(value)).collect(),
        }
    }
}

impl Reuse<Expr> {
    /// Whether it is one: of nothing it is none, whatever the parameters are.
    pub fn is_some(&self) -> bool {
        !(self.fetched.is_zero() && self.written.is_zero())
    }
}

/// All that the traffic of a nest through any cache follows from.
#[derive(Clone, Debug)]
pub struct Profile<N> {
    /// Lines fetched by whatever cache.
    pub cold: N,
    /// Lines written back by whatever cache.
    pub flushed: N,
    /// Of those that are fetched, the ones of arrays that are only written, or before they are read.
    pub written_first: N,
    /// Of those that are fetched, the ones that no prefetcher predicts.
    pub unforeseen: N,
    pub reuses: Vec<Reuse<N>>,
    /// Lines that any cache fetches and writes back of each array, where they are told apart.
    pub arrays: Vec<OfArray<N>>,
}

/// What of a reference counts.
#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    Any,
    Written,
}

/// What of every reference counts, by level.
pub struct Covered<N> {
    pub any: Vec<Vec<Counted<N>>>,
    pub written: Vec<Vec<Counted<N>>>,
}

impl<N> Covered<N> {
    pub fn of(&self, kind: Kind, level: usize, reference: usize) -> &Counted<N> {
        match kind {
            Kind::Any => &self.any[level][reference],
            Kind::Written => &self.written[level][reference],
        }
    }
}

/// Computes the profile.
pub struct Profiler<'a, N> {
    pub lines: Lines<'a, N>,
    pub references: &'a [Reference<N>],
    pub covered: &'a Covered<N>,
    /// Of each reference one if no prefetcher predicts its lines, else nothing; empty where that does not matter.
    pub unforeseen: Vec<N>,
    pub arrays: Arrays,
    pub(super) between: Between,
}

/// Lines by which reuse came out too small, by reference and kind.
type Owed<N> = FxHashMap<(usize, usize), N>;

/// Lines that are touched again, as a [`Reuse`] has them.
#[derive(Clone)]
pub struct Moved<N> {
    pub fetched: N,
    pub written: N,
    pub written_first: N,
    pub unforeseen: N,
    pub arrays: Vec<OfArray<N>>,
}

pub struct Context<N> {
    pub given: Vec<Given<N>>,
    /// How often it occurs.
    pub times: N,
    pub parts: Vec<(usize, usize, usize)>,
}

impl<N: Number> Profiler<'_, N> {
    /// The lines that any cache fetches, and writes back.
    pub fn compulsory_lines(&self) -> Profile<N> {
        let free = vec![Given::Free; self.domain().loops.len()];
        Profile {
            cold: self.compulsory(Kind::Any, &free),
            flushed: self.compulsory(Kind::Written, &free),
            written_first: self.compulsory_written_first(&free),
            unforeseen: self.compulsory_unforeseen(&free),
            reuses: Vec::new(),
            arrays: self.compulsory_of_arrays(&free),
        }
    }

    /// Adds the lines that are touched again.
    pub fn add_reuse(&self, profile: &mut Profile<N>) {
        let outermost = Context {
            given: vec![Given::Free; self.domain().loops.len()],
            times: self.entered(0),
            parts: Vec::new(),
        };
        self.visit(0, &outermost, &mut profile.reuses);
        self.random(&profile.cold, &mut profile.reuses);
    }

    /// Adds the lines of references that no loop moves: fetched once, whatever the cache, and written back once.
    pub fn fetch_once(&self, profile: &mut Profile<N>) {
        let free = vec![Given::Free; self.domain().loops.len()];
        let add = |to: &mut N, lines: N| *to = to.plus(&lines);
        add(&mut profile.cold, self.compulsory(Kind::Any, &free));
        add(&mut profile.flushed, self.compulsory(Kind::Written, &free));
        add(
            &mut profile.written_first,
            self.compulsory_written_first(&free),
        );
    }

    pub fn domain(&self) -> &Domain<N> {
        self.lines.domain
    }

    fn visit(&self, level: usize, context: &Context<N>, reuses: &mut Vec<Reuse<N>>) {
        if level == self.domain().loops.len() {
            return;
        }
        let span = self
            .lines
            .spans(&context.given, Tiles::Mean)
            .swap_remove(level);
        let sampled = context.parts.len();
        let parts = if self.domain().loops[level].shapes_inner {
            SAMPLES.get(sampled).copied().unwrap_or(1)
        } else {
            1
        };
        let mut owed = Owed::default();
        let pieces = self.pieces(level, &span);
        for (at, piece) in pieces.iter().enumerate() {
            for part in 0..parts {
                // In the order in which it comes to them.
                let from_low = match self.domain().loops[level].descending {
                    true => parts - 1 - part,
                    false => part,
                };
                let place = (self.lines.name)(
                    self.lines
                        .names
                        .step(StaticFigure::Place, About::Loop(level)),
                    self.domain().middle(level, piece, from_low, parts),
                );
                let mut given = context.given.clone();
                given[level] = match pieces.len() {
                    1 => Given::At(place),
                    _ => Given::AtOf(place, (piece.low.clone(), piece.high.clone())),
                };
                let mut place = context.parts.clone();
                if parts * pieces.len() > 1 {
                    place.push((level, at * parts + part, parts * pieces.len()));
                }
                let iterations = piece.count.scaled(1.0 / parts as f64);
                let whole = Part {
                    level,
                    part,
                    parts,
                    piece: (at, &pieces),
                    span: &span,
                    iterations: &iterations,
                };
                let times = context
                    .times
                    .times(&iterations)
                    .times(&self.entered(level + 1));
                let times = (self.lines.name)(
                    self.lines
                        .names
                        .step(StaticFigure::LoopRuns, About::Loop(level)),
                    times,
                );
                let inner = Context {
                    given,
                    times,
                    parts: place,
                };
                self.reuse_of(&whole, (context, &inner), &mut owed, reuses);
                self.visit(level + 1, &inner, reuses);
            }
        }
    }

    /// The pieces of a loop that conditions tell apart, in the order in which it comes to them.
    fn pieces(&self, level: usize, span: &Span<N>) -> Vec<Span<N>> {
        let range = &self.domain().loops[level];
        if range.cuts.is_empty() {
            return vec![span.clone()];
        }
        // Each begins with a value that the loop takes.
        let step = range.known_step.unwrap_or(1.0);
        let first_from = |cut: &N| match step {
            1.0 => cut.clone(),
            _ if range.descending => {
                let back = span.high.minus(cut).scaled(1.0 / step).floor();
                span.high.minus(&back.scaled(step))
            }
            _ => {
                let short = span.low.minus(cut).scaled(1.0 / step).floor();
                span.low.minus(&short.scaled(step))
            }
        };
        let (low, behind) = match (step, range.descending) {
            (1.0, _) => (span.low.clone(), span.high.shifted(1.0)),
            (_, true) => (first_from(&span.low), span.high.shifted(step)),
            (_, false) => (span.low.clone(), first_from(&span.high.shifted(1.0))),
        };
        let inside = |cut: &N| first_from(cut).larger(&low).smaller(&behind);
        let cuts: Vec<N> = range.cuts.iter().map(inside).collect();
        let firsts = std::iter::once(&low).chain(&cuts);
        let lasts = cuts.iter().chain(std::iter::once(&behind));
        let piece = |(first, next): (&N, &N)| Span {
            low: first.clone(),
            high: next.shifted(-step),
            count: next.minus(first).scaled(1.0 / step).not_negative(),
            stands: false,
        };
        let mut pieces: Vec<Span<N>> = firsts.zip(lasts).map(piece).collect();
        if range.descending {
            pieces.reverse();
        }
        pieces
    }

    /// The reuse that one part of one loop carries.
    fn reuse_of(
        &self,
        part: &Part<N>,
        (outer, inner): (&Context<N>, &Context<N>),
        owed: &mut Owed<N>,
        reuses: &mut Vec<Reuse<N>>,
    ) {
        let level = part.level;
        let is_here =
            |r: &usize| self.references[*r].level > level && !self.is_random_at(*r, level);
        let here: Vec<usize> = (0..self.references.len()).filter(is_here).collect();
        // One always: what has no neighbours still comes back to lines that it left in part, or to all of them.
        let mut gaps: Vec<i64> = vec![1];
        for r in &here {
            let reference = &self.references[*r];
            for kind in [Kind::Any, Kind::Written] {
                gaps.extend(self.gaps(reference, self.covered.of(kind, level, *r).own(), level));
            }
            if self.lines.rows(reference) == Rows::SideBySide
                && reference.dimensions[0].iter().any(|(v, _)| *v == level)
            {
                gaps.push(WHOLE);
            }
        }
        gaps.sort_unstable();
        gaps.dedup();
        let each = |this: &Self, r: usize, kind| {
            let executions = this.executions(r, level, part.iterations);
            // What covers it in all blocks together does so in one of them.
            let executions = match this.is_covered_in_one_block(r, kind, level) {
                true => executions.beyond_first(),
                false => executions,
            };
            this.lines_of(r, kind, level + 1, &inner.given, Tiles::Mean, false)
                .times(&executions)
        };
        let mut left: Vec<[N; 2]> = here
            .iter()
            .map(|r| [each(self, *r, Kind::Any), each(self, *r, Kind::Written)])
            .collect();
        for gap in gaps {
            // What is reused, by the loop whose iteration lies in between.
            let mut found: Vec<(usize, Vec<usize>, [Vec<N>; 2])> = Vec::new();
            for (r, left) in here.iter().zip(&mut left) {
                let between = match gap {
                    1 => {
                        (self.next_row_by(*r, level)).unwrap_or_else(|| self.repeated_by(*r, level))
                    }
                    _ => level,
                };
                let at = found
                    .iter()
                    .position(|(known, ..)| *known == between)
                    .unwrap_or_else(|| {
                        found.push((between, Vec::new(), [Vec::new(), Vec::new()]));
                        found.len() - 1
                    });
                found[at].1.push(*r);
                for (at_kind, kind) in [Kind::Any, Kind::Written].into_iter().enumerate() {
                    let now = self.distinct(*r, kind, part, gap, outer);
                    let about = About::Array(self.references[*r].array, Some(level));
                    let owed = owed.entry((*r, at_kind)).or_insert(N::of(0.0));
                    found[at].2[at_kind].push(self.reused(
                        &mut left[at_kind],
                        now,
                        owed,
                        (part.of_all(), about),
                    ));
                }
            }
            for (between, references, lines) in found {
                let context = if gap == WHOLE { outer } else { inner };
                let from = if gap == WHOLE { level } else { between + 1 };
                let crowds = self.crowds((&references, &lines), &outer.times, (from, context));
                let moved = self.moved(&references, lines, &outer.times);
                let distance = self
                    .distance(part, between, gap, inner, outer)
                    .times(&self.lines.line);
                let parts = inner.parts.clone();
                let inside = (gap == 1).then(|| self.inside(between, inner));
                reuses.push(Reuse {
                    carrier: level,
                    between,
                    gap,
                    parts,
                    distance,
                    fetched: moved.fetched,
                    written: moved.written,
                    written_first: moved.written_first,
                    unforeseen: moved.unforeseen,
                    references,
                    inside,
                    shared: None,
                    arrays: moved.arrays,
                    crowds,
                });
            }
        }
        self.met_apart(part, (outer, inner), &here, reuses);
    }

    /// What references fetch and write again, line by line of each, so many times.
    pub fn moved(&self, references: &[usize], lines: [Vec<N>; 2], times: &N) -> Moved<N> {
        let first = references.iter().zip(&lines[0]);
        let first = first.filter(|(r, _)| self.is_written_first(**r));
        let written_first = N::sum(first.map(|(_, lines)| lines.clone())).times(times);
        let unforeseen = self.unforeseen_of(references, &lines[0]).times(times);
        let arrays = self.reused_of_arrays(references, &lines, times);
        let [fetched, written] = lines.map(|lines| N::sum(lines).times(times));
        Moved {
            fetched,
            written,
            written_first,
            unforeseen,
            arrays,
        }
    }

    /// By how much the lines that have to be fetched become fewer, from `left` so far to `now`. That is never
    /// negative, so that no larger cache moves more: where rounding makes it so, as much less is reused later, also
    /// in the next part of the loop.
    fn reused(&self, left: &mut N, now: N, owed: &mut N, (parts, about): (usize, About)) -> N {
        if parts == 1 {
            let now = now.smaller(left);
            return std::mem::replace(left, now.clone()).minus(&now);
        }
        let moved = std::mem::replace(left, now.clone()).minus(&now).minus(owed);
        let reused = moved.not_negative();
        let step = self.lines.names.step(StaticFigure::LinesOwed, about);
        *owed = (self.lines.name)(step, reused.minus(&moved));
        reused
    }

    /// Iterations of the loops inside of one.
    fn inside(&self, between: usize, context: &Context<N>) -> N {
        let spans = self.lines.spans(&context.given, Tiles::Full);
        let loops = &self.domain().loops;
        let whole = |v: &usize| loops.iter().all(|inner| inner.tile_of != Some(*v));
        (between + 1..spans.len())
            .filter(whole)
            .fold(N::of(1.0), |n, v| n.times(&spans[v].count))
    }

    /// Iterations of the loop at `level` that come to a reference.
    fn executions(&self, r: usize, level: usize, iterations: &N) -> N {
        let inner = level + 1 < self.references[r].level;
        if inner {
            iterations.times(&self.entered(level + 1))
        } else {
            iterations.clone()
        }
    }

    /// Whether a reference that each block comes to altogether is covered by another one, which goes through the
    /// blocks. In a single one, longer than the loop, it must not count: formulas are over blocks of any size.
    fn is_covered_in_one_block(&self, r: usize, kind: Kind, level: usize) -> bool {
        self.covered.of(kind, level, r).offsets.is_empty()
            && self.domain().is_over_blocks(level)
            && !self.is_moved_by(r, level)
    }

    /// Whether a loop, or one over its tiles, moves a reference.
    fn is_moved_by(&self, r: usize, level: usize) -> bool {
        let moves = |v: usize| {
            let mut terms = self.references[r].dimensions.iter().flatten();
            terms.any(|(u, _)| *u == v)
        };
        let loops = &self.domain().loops;
        let as_tile = (level..loops.len()).any(|u| loops[u].tile_of == Some(level) && moves(u));
        moves(level) || as_tile
    }

    /// The innermost loop of those from `level` on that all repeat the same accesses of a reference: what
    /// the next iteration of the loop at `level` touches was touched one iteration of that loop ago.
    fn repeated_by(&self, r: usize, level: usize) -> usize {
        let repeats = |inner: &usize| {
            !self.is_moved_by(r, *inner) && !self.domain().loops[*inner].shapes_inner
        };
        (level + 1..self.references[r].level)
            .take_while(repeats)
            .last()
            .unwrap_or(level)
    }

    /// The loop along rows, if the one at `level` goes from each row to the next one and to nothing else: what both rows
    /// have in common are the lines at their ends, and between these lies one iteration of the loop along rows.
    fn next_row_by(&self, r: usize, level: usize) -> Option<usize> {
        let reference = &self.references[r];
        let along = level + 1;
        let loops = &self.domain().loops;
        let is_plain = |v: usize| {
            loops[v].tile_of.is_none()
                && !loops[v].holds_tiles
                && !loops[v].shapes_inner
                && loops[v].cuts.is_empty()
                && !self.domain().is_over_blocks(v)
        };
        let [row, next, others @ ..] = reference.dimensions.as_slice() else {
            return None;
        };
        let ([(walker, by)], [(around, across)]) = (row.as_slice(), next.as_slice()) else {
            return None;
        };
        let direction = |v: usize, by: &f64| (*by > 0.0) != loops[v].descending;
        let offsets = self.covered.of(Kind::Any, level, r).own();
        let is_so = along + 1 < reference.level
            && (*walker, *around) == (along, level)
            && others
                .iter()
                .flatten()
                .all(|(v, _)| *v != level && *v != along)
            && direction(along, by) == direction(level, across)
            && is_plain(level)
            && is_plain(along)
            && reference.condition.is_always()
            && reference.packed.is_none()
            && reference.gathered.is_none()
            && self.gaps(reference, offsets, level).is_empty();
        is_so.then_some(along)
    }

    /// Lines that one part of a loop's iterations touches if those of at most `gap` iterations back are
    /// still there.
    pub fn distinct(
        &self,
        r: usize,
        kind: Kind,
        part: &Part<N>,
        gap: i64,
        outer: &Context<N>,
    ) -> N {
        let counted = self.covered.of(kind, part.level, r);
        let (offsets, row, taken) = (counted.own(), &counted.row, &counted.taken);
        if offsets.is_empty() {
            return N::of(0.0);
        }
        let reference = &*self.as_kind(r, kind);
        let clusters = self.clusters(reference, offsets, part.level, gap);
        let until = |parts: usize| -> N {
            let mut given = outer.given.clone();
            if parts == 0 && part.piece.0 == 0 {
                return N::of(0.0);
            }
            if parts < part.parts || part.piece.0 + 1 < part.piece.1.len() {
                given[part.level] = part.until(parts, self.domain().loops[part.level].descending);
            }
            let walks_rows = reference.dimensions[0]
                .iter()
                .any(|(v, _)| *v == part.level);
            let sides = !walks_rows || gap == WHOLE;
            N::sum(clusters.iter().map(|cluster| {
                self.lines.of(
                    reference,
                    (cluster, row.as_ref()),
                    &given,
                    Tiles::Mean,
                    sides,
                )
            }))
        };
        // What this part adds to those before it, so that the parts add up to the whole range.
        until(part.part + 1)
            .minus(&until(part.part))
            .times(&self.taken(r, part.level, &outer.given))
            .times(&self.met(
                (reference, offsets),
                taken,
                (part.level, &outer.given, Tiles::Mean),
            ))
    }

    /// The iterations of a loop along rows, of which all are walked at once, between the use of one end of a line and that
    /// of the other one, which is the beginning of the next row: as many fewer than all as come to such a line. Of its
    /// elements, those between two rows are none that the loop comes to.
    fn between_ends_of_rows(&self, part: &Part<N>, outer: &Context<N>) -> Vec<Given<N>> {
        let mut given = outer.given.clone();
        let (level, range) = (part.level, &self.domain().loops[part.level]);
        let Span {
            low, high, count, ..
        } = part.span;
        let in_a_line = |reference: &Reference<N>| {
            let bytes = self
                .lines
                .bytes_apart(reference, level)?
                .larger(&N::of(1.0));
            let pitch = reference.pitches.get(1)?.as_ref()?.scaled(reference.width);
            let left_out = pitch.over(&bytes).minus(count).not_negative();
            let of_line = self.lines.line.over(&bytes).minus(&left_out);
            Some(of_line.floor().not_negative())
        };
        let is_along = |reference: &&Reference<N>| {
            reference.level > level
                && self.lines.rows(reference) == Rows::SideBySide
                && reference.dimensions[0].iter().any(|(v, _)| *v == level)
        };
        let fewer = (self.references.iter().filter(is_along))
            .map(|reference| in_a_line(reference).unwrap_or(N::of(0.0)))
            .reduce(|a, b| a.smaller(&b));
        if let Some(fewer) = fewer.filter(|_| part.of_all() == 1 && !range.shapes_inner) {
            let fewer = fewer.times(&range.step);
            given[level] = Given::Between(low.clone(), high.minus(&fewer).larger(low));
        }
        given
    }

    /// Lines that `gap` iterations of the loop `between` touch.
    fn distance(
        &self,
        part: &Part<N>,
        between: usize,
        gap: i64,
        inner: &Context<N>,
        outer: &Context<N>,
    ) -> N {
        let all = |level: usize, given: &[Given<N>]| {
            let lines = |r| self.lines_of(r, Kind::Any, level, given, Tiles::Full, true);
            self.lines_of_arrays(level, (0..self.references.len()).map(lines).collect())
        };
        let level = part.level;
        if gap == WHOLE {
            return all(level, &self.between_ends_of_rows(part, outer));
        }
        let mut given = inner.given.clone();
        if gap == 1 {
            for v in level + 1..=between {
                let span = self.lines.spans(&given, Tiles::Full).swap_remove(v);
                given[v] = Given::At((self.lines.name)(
                    self.lines.names.step(StaticFigure::Place, About::Loop(v)),
                    self.domain().middle(v, &span, 0, 1),
                ));
            }
            return all(between + 1, &given);
        }
        if let Some(value) = inner.given[level].place() {
            let last = value.plus(&self.domain().loops[level].step.scaled((gap - 1) as f64));
            given[level] = Given::Between(value.clone(), last);
        }
        let lines = |r: usize| {
            let reference = &self.references[r];
            let counted = &self.covered.any[level][r];
            let (row, taken) = (&counted.row, &counted.taken);
            let clusters = self.clusters(reference, counted.own(), level, gap);
            let lines = N::sum(clusters.iter().map(|cluster| {
                self.lines.of(
                    reference,
                    (cluster, row.as_ref()),
                    &given,
                    Tiles::Full,
                    true,
                )
            }));
            lines.times(&self.met(
                (reference, counted.own()),
                taken,
                (level, &given, Tiles::Full),
            ))
        };
        self.lines_of_arrays(level, (0..self.references.len()).map(lines).collect())
    }
}

/// One part of the iterations of a loop.
pub struct Part<'a, N> {
    pub level: usize,
    /// Which part of its piece.
    part: usize,
    parts: usize,
    /// Which of the pieces that conditions tell apart.
    piece: (usize, &'a [Span<N>]),
    pub span: &'a Span<N>,
    iterations: &'a N,
}

impl<N: Number> Part<'_, N> {
    /// How many parts all of the loop has.
    fn of_all(&self) -> usize {
        self.parts * self.piece.1.len()
    }

    /// The iterations up to the end of the part before `parts`.
    fn until(&self, parts: usize, descending: bool) -> Given<N> {
        let (at, pieces) = self.piece;
        let Span { low, high, .. } = &pieces[at];
        let all = high.minus(low);
        let some = match parts == self.parts {
            true => all,
            false => all
                .shifted(1.0)
                .scaled(parts as f64 / self.parts as f64)
                .shifted(-1.0),
        };
        match descending {
            false => Given::Between(self.span.low.clone(), low.plus(&some)),
            true => Given::Between(high.minus(&some), self.span.high.clone()),
        }
    }
}
