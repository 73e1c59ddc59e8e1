//! One stream of a nest: how it walks through memory, its groups, and its distinct elements.

use std::collections::BTreeMap;

use super::footprint::{self, Columns, Walk};
use super::loops::LoopFigures;
use super::nest::ChainLoop;
use crate::analysis::facts::{AccessClass, Loop, Stream};
use crate::analysis::moving::is_unknown_stride;
use crate::expr::{Expr, FigureId, Function, Node};

/// A stride that is not a known number, taken to be longer than any cache line.
const LONG_STRIDE: i64 = 1 << 40;

/// How a stream lies in a nest. Levels count swept loops: at level 1 the innermost loop sweeps a
/// pencil, at level 2 two loops sweep a plane, and so on.
#[derive(Clone, Debug)]
pub struct StreamShape {
    /// Number of spatial loops of the nest.
    pub depth: usize,
    /// Number of subscripts.
    pub rank: usize,
    /// Per dimension in storage order, then one for each unknown stride that moves along a dimension
    /// together with another loop: (position of the loop counted from the innermost, absolute
    /// stride in elements) of every spatial loop that moves along it.
    pub dimensions: Vec<Vec<(usize, i64)>>,
    pub offsets: Vec<Vec<i64>>,
    /// Elements from one iteration to the next along the contiguous dimension, where the step of its only
    /// loop is a parameter, or packed structures are not a whole number of elements.
    pub row_step: Option<Expr>,
    /// Some subscript is indirect: elements are gathered.
    pub gathered: bool,
    /// The spatial loops in whose iterations data choose other elements, by their position from the innermost one: each is
    /// taken to lead along a dimension of its own, the last ones of them all.
    pub chosen_by: Vec<usize>,
    /// Elements of the whole array, of which gathers touch no more; `None` where that is not known, or nothing is gathered.
    pub elements: Option<Expr>,
    pub reads: bool,
    /// Depends on a sweep loop: every sweep touches other elements.
    pub swept: bool,
}

/// The spatial loops in whose iterations data choose other elements of a stream, by their position from the innermost one.
fn chosen_by(stream: &Stream, depth: usize, sweeps: usize) -> Vec<usize> {
    let gathers = || (stream.subscripts.iter()).filter_map(|s| s.gather.as_ref());
    let level = |position: usize| sweeps + depth - 1 - position;
    (0..depth)
        .filter(|position| gathers().any(|gather| gather.changes_at(level(*position))))
        .collect()
}

/// Elements of the whole array of a stream that gathers, by its extents.
fn elements(stream: &Stream) -> Option<Expr> {
    if stream.subscripts.iter().all(|s| s.gather.is_none()) {
        return None;
    }
    let length = |d: usize| {
        let (first, last) = stream.extents.get(d)?.clone()?;
        Some(last - first + 1.0)
    };
    let lengths: Option<Vec<Expr>> = (0..stream.subscripts.len()).map(length).collect();
    lengths.map(Expr::product)
}

impl StreamShape {
    /// The shape of `stream` in a nest of the given spatial loops (outermost first).
    pub fn new(stream: &Stream, spatial: &[ChainLoop], sweeps: &[ChainLoop]) -> StreamShape {
        let depth = spatial.len();
        let position = |name: &str| {
            let from_outside = spatial.iter().rposition(|c| c.facts.variable == name)?;
            Some((depth - 1 - from_outside, &spatial[from_outside].facts.step))
        };
        let stride = |factors: Expr| {
            factors
                .as_integer()
                .map_or(LONG_STRIDE, |s| s.abs().clamp(1, LONG_STRIDE))
        };
        let dimension = |terms: &[(String, Expr)]| {
            let mut walks: Vec<(usize, i64)> = Vec::new();
            for (name, coefficient) in terms {
                let Some((at, step)) = position(name) else {
                    continue;
                };
                walks.push((at, stride(coefficient * step)));
                // A tile: where the loop starts moves with a loop around it.
                for outer in &spatial[..depth - 1 - at] {
                    let Some(moved) =
                        tile_offset(spatial[depth - 1 - at].facts, &outer.facts.variable)
                    else {
                        continue;
                    };
                    if let Some((at, step)) = position(&outer.facts.variable)
                        && !terms.iter().any(|(name, _)| *name == outer.facts.variable)
                        && !walks.iter().any(|(p, _)| *p == at)
                    {
                        walks.push((at, stride(coefficient.clone() * moved * step.clone())));
                    }
                }
            }
            walks
        };
        let swept = |name: &str| sweeps.iter().any(|c| c.facts.variable == name);
        let rank = stream.subscripts.len();
        let mut dimensions: Vec<Vec<(usize, i64)>> = stream
            .subscripts
            .iter()
            .map(|s| dimension(&s.terms))
            .collect();
        let long = split_long_strides(&mut dimensions);
        dimensions.extend(long);
        let chosen_by = chosen_by(stream, depth, sweeps.len());
        dimensions.extend(chosen_by.iter().map(|position| vec![(*position, 1)]));
        let added = vec![0; dimensions.len() - rank];
        StreamShape {
            depth,
            rank,
            row_step: stream
                .subscripts
                .first()
                .and_then(|s| match s.terms.as_slice() {
                    [(name, by)] if !is_unknown_stride(by) => {
                        let step = by.clone().absolute() * position(name)?.1.clone();
                        let step = step
                            .as_number()
                            .map_or(step, |number| Expr::from(number.abs()));
                        // What other loops of the nest move is no one number.
                        let is_moved = spatial
                            .iter()
                            .chain(sweeps)
                            .any(|c| step.mentions(&c.facts.variable));
                        (step.as_integer().is_none() && !is_moved).then_some(step)
                    }
                    _ => None,
                }),
            dimensions,
            offsets: stream
                .accesses
                .iter()
                .map(|a| [a.offset.as_slice(), &added].concat())
                .collect(),
            gathered: stream.subscripts.iter().any(|s| s.gather.is_some()),
            chosen_by,
            elements: elements(stream),
            reads: stream.class != AccessClass::WriteOnly,
            swept: stream
                .subscripts
                .iter()
                .any(|s| s.terms.iter().any(|(name, _)| swept(name))),
        }
    }

    /// Whether each loop moves along one dimension and each dimension is moved by one loop.
    fn is_simple(&self) -> bool {
        let mut seen = vec![false; self.depth];
        self.dimensions.iter().all(|walks| {
            walks.len() <= 1
                && walks
                    .iter()
                    .all(|(position, _)| !std::mem::replace(&mut seen[*position], true))
        })
    }

    fn walks(&self, level: usize) -> Vec<Walk> {
        let walk = |terms: &Vec<(usize, i64)>| {
            let mut swept = terms.iter().filter(|(position, _)| *position < level);
            match (swept.next(), swept.next()) {
                (None, _) => Walk::Fixed,
                (Some((_, stride)), None) => Walk::By(*stride),
                (Some(_), Some(_)) => Walk::By(1),
            }
        };
        self.dimensions.iter().map(walk).collect()
    }

    /// The one dimension along which the loop at `position` moves groups of `position` swept loops;
    /// dimension 0 counts only for single cells.
    fn walker(&self, position: usize) -> Option<(usize, i64)> {
        let moves = |(d, terms): (usize, &Vec<(usize, i64)>)| match terms.as_slice() {
            [(p, stride)] if *p == position => Some((d, *stride)),
            _ => None,
        };
        let mut found = self.dimensions.iter().enumerate().filter_map(moves);
        let first = found.next()?;
        (found.next().is_none() && (first.0 > 0 || position == 0)).then_some(first)
    }

    /// Groups at a level: cells at 0, pencils at 1, planes at 2 …
    pub fn groups(&self, level: usize) -> usize {
        if level == 0 {
            return self.offsets.len();
        }
        footprint::split_fixed(&self.offsets, &self.walks(level.min(self.depth))).len()
    }

    /// Positions, in iterations, of neighbouring groups along the loop that walks them: one list a
    /// family of groups that reuse each other's elements.
    fn families(&self, level: usize) -> Vec<Vec<i64>> {
        let walks = self.walks(level.min(self.depth));
        let walker = self.walker(level);
        let mut families: BTreeMap<Vec<i64>, Vec<i64>> = BTreeMap::new();
        for offset in &self.offsets {
            let mut family = Vec::new();
            let mut place = 0;
            for (d, value) in offset.iter().enumerate() {
                match walker {
                    Some((dimension, stride)) if dimension == d => {
                        family.push(value.rem_euclid(stride));
                        place = value.div_euclid(stride);
                    }
                    _ if level == 0 || (d > 0 && walks[d] == Walk::Fixed) => family.push(*value),
                    _ => {}
                }
            }
            families.entry(family).or_default().push(place);
        }
        families
            .into_values()
            .map(|mut places| {
                places.sort_unstable();
                places.dedup();
                places
            })
            .collect()
    }

    /// The largest distance between neighbouring groups, in iterations; `None` if no two are
    /// neighbours.
    pub fn largest_gap(&self, level: usize) -> Option<i64> {
        let families = self.families(level);
        families
            .iter()
            .flat_map(|f| f.windows(2))
            .map(|pair| pair[1] - pair[0])
            .max()
    }

    /// Groups that must stay in the cache so that the next iteration of the loop at `level` reuses
    /// them: per family max − min + `gap` (ExaSAT report, section 2.1).
    pub fn live_groups(&self, level: usize, gap: i64) -> i64 {
        if self.walker(level).is_none() {
            return self.groups(level) as i64;
        }
        self.families(level)
            .iter()
            .map(|f| f[f.len() - 1] - f[0] + gap)
            .sum()
    }

    /// Whether data choose other elements in each iteration of the loop at `level`, counted from the innermost one.
    pub fn is_chosen_by(&self, level: usize) -> bool {
        self.chosen_by.contains(&level)
    }

    /// Whether the next iteration of the loop at `level` touches elements (or cache lines) again.
    pub fn has_reuse(&self, level: usize) -> bool {
        if level >= self.depth || self.is_chosen_by(level) {
            return false;
        }
        match self.walker(level) {
            Some((0, stride)) if level == 0 => self.largest_gap(0).is_some() || stride < 8,
            Some(_) => self.largest_gap(level).is_some(),
            // Stays in place, or moves along cache lines.
            None => true,
        }
    }

    /// `cell`, `star` (ExaSAT's faces), `edges`, `box`, or `gather`.
    pub fn name(&self) -> &'static str {
        if self.gathered {
            return "gather";
        }
        if self.offsets.len() <= 1 {
            return "cell";
        }
        let centre = |d: usize| {
            let values = || self.offsets.iter().map(|o| o[d]);
            let (low, high) = (values().min().unwrap_or(0), values().max().unwrap_or(0));
            if (low..=high).contains(&0) {
                0
            } else {
                (low + high).div_euclid(2)
            }
        };
        let centres: Vec<i64> = (0..self.dimensions.len()).map(centre).collect();
        let away = |o: &Vec<i64>| {
            o.iter()
                .zip(&centres)
                .filter(|(value, centre)| value != centre)
                .count()
        };
        match self.offsets.iter().map(away).max() {
            Some(0 | 1) => "star",
            Some(2) if self.dimensions.len() > 2 => "edges",
            _ => "box",
        }
    }

    /// Lowest and highest offset of each dimension.
    pub fn ghosts(&self) -> Vec<(i64, i64)> {
        let range = |d: usize| {
            let values = || self.offsets.iter().map(|o| o[d]);
            (values().min().unwrap_or(0), values().max().unwrap_or(0))
        };
        (0..self.rank).map(range).collect()
    }
}

/// By how much both ends of a loop move with one step of an outer variable, if they move together: a
/// loop over the cells of a tile. The upper end may be cut off by a minimum.
fn tile_offset(facts: &Loop, outer: &str) -> Option<Expr> {
    // Cheap and most often the answer.
    if !facts.lower.mentions(outer) {
        return None;
    }
    let slope = |bound: &Expr| Some(bound.linear_in(&[outer])?.coefficients.remove(0));
    let lower = slope(&facts.lower).filter(|c| !c.is_zero())?;
    // `i < min(ii + 64, n)` ends at that less one.
    let end = match facts.upper.node() {
        Node::Sum(terms) if terms.len() == 2 && terms[1].as_number().is_some() => &terms[0],
        _ => &facts.upper,
    };
    let upper_moves = match end.node() {
        Node::Call(Function::Min, ends) => {
            ends.iter().any(|end| slope(end).as_ref() == Some(&lower))
        }
        _ => slope(&facts.upper).as_ref() == Some(&lower),
    };
    upper_moves.then_some(lower)
}

/// Of the loops that move along a dimension, those that keep it, and those that move along one of their own, the innermost
/// first: by unknown strides, which are taken to be longer than what the others cover. Where all strides are unknown, the
/// innermost loop keeps the dimension. `outwards` grows from the innermost loop on.
pub(super) fn kept_and_split<C: Copy, K: Ord>(
    terms: &[(usize, C)],
    is_long: impl Fn(C) -> bool,
    outwards: impl Fn(usize) -> K,
) -> (Vec<(usize, C)>, Vec<usize>) {
    let (mut long, mut kept): (Vec<_>, Vec<_>) =
        terms.iter().partition(|(_, stride)| is_long(*stride));
    long.sort_by_key(|(position, _)| outwards(*position));
    if kept.is_empty() && !long.is_empty() {
        kept.push(long.remove(0));
    }
    (
        kept,
        long.into_iter().map(|(position, _)| position).collect(),
    )
}

/// Loops with unknown strides beside other loops become dimensions of their own.
fn split_long_strides(dimensions: &mut [Vec<(usize, i64)>]) -> Vec<Vec<(usize, i64)>> {
    let mut split = Vec::new();
    for terms in dimensions.iter_mut() {
        let (kept, long) =
            kept_and_split(terms, |stride| stride >= LONG_STRIDE, |position| position);
        *terms = kept;
        split.extend(long.into_iter().map(|position| vec![(position, 1)]));
    }
    split
}

/// Extents over which elements are counted.
#[derive(Clone, Copy, PartialEq)]
pub enum Extents {
    /// One full block.
    Block,
    /// The whole nest, not blocked.
    Whole,
    /// Summed over all blocks of the swept loops, the smaller last ones included.
    AllBlocks,
}

/// Counts elements of one stream.
pub struct Elements<'a> {
    pub shape: &'a StreamShape,
    /// Innermost first.
    pub loops: &'a [LoopFigures],
    /// Element size in bytes.
    width: Expr,
    line: Expr,
    /// The union of all offsets, by level.
    columns: Vec<Vec<Columns>>,
}

impl<'a> Elements<'a> {
    pub fn new(shape: &'a StreamShape, loops: &'a [LoopFigures], width: FigureId) -> Elements<'a> {
        let columns = |level| match level {
            0 => Vec::new(),
            _ => footprint::union(&shape.offsets, &shape.walks(level)),
        };
        let columns = (0..=shape.depth).map(columns).collect();
        Elements {
            shape,
            loops,
            width: width.into(),
            line: Expr::machine("line_bytes"),
            columns,
        }
    }

    /// Distinct elements that a sweep of the `level` innermost loops touches, whole cache lines along
    /// dimension 0.
    pub fn swept(&self, level: usize, extents: Extents) -> Expr {
        let level = level.min(self.shape.depth);
        if level == 0 {
            return Expr::from(self.shape.offsets.len() as f64);
        }
        self.over(&self.columns[level], level, extents)
    }

    /// The same for a single offset: one shifted block.
    pub fn single(&self, level: usize) -> Expr {
        let level = level.min(self.shape.depth);
        let columns = footprint::union(&self.shape.offsets[..1], &self.shape.walks(level));
        self.over(&columns, level, Extents::Block)
    }

    fn over(&self, columns: &[Columns], level: usize, extents: Extents) -> Expr {
        let affine = self.affine(columns, level, extents);
        if !self.shape.gathered {
            return affine;
        }
        // Scaled by the parameter of how much of a line elements that data choose take.
        let touched = affine * Expr::machine("gather_lines");
        match &self.shape.elements {
            Some(all) => Expr::min([touched, all.clone()]),
            None => touched,
        }
    }

    fn affine(&self, columns: &[Columns], level: usize, extents: Extents) -> Expr {
        if extents == Extents::AllBlocks && !self.shape.is_simple() {
            let blocks = Expr::product((0..level).map(|v| Expr::from(self.loops[v].blocks)));
            return blocks
                * Expr::sum(
                    columns
                        .iter()
                        .map(|c| self.columns(c, level, Extents::Block)),
                );
        }
        let all = Expr::sum(columns.iter().map(|c| self.columns(c, level, extents)));
        // Shifted blocks that are shorter than their shifts have no elements in common, not fewer than none.
        match columns.iter().any(Columns::takes_away) {
            true => Expr::max([all, Expr::from(0.0)]),
            false => all,
        }
    }

    fn columns(&self, columns: &Columns, level: usize, extents: Extents) -> Expr {
        let in_row = |v: &usize| {
            self.shape
                .dimensions
                .first()
                .is_some_and(|d| d.iter().any(|(p, _)| p == v))
        };
        let terms = columns.count.iter().map(|(dimensions, coefficient)| {
            let mut factors = vec![Expr::from(*coefficient as f64)];
            factors.extend(dimensions.iter().map(|d| self.extent(*d, level, extents)));
            if extents == Extents::AllBlocks {
                let counted = |v: &usize| {
                    dimensions
                        .iter()
                        .any(|d| self.shape.dimensions[*d].iter().any(|(p, _)| p == v))
                        || in_row(v)
                };
                factors.extend(
                    (0..level)
                        .filter(|v| !counted(v))
                        .map(|v| Expr::from(self.loops[v].blocks)),
                );
            }
            Expr::product(factors)
        });
        self.row(columns, level, extents) * Expr::sum(terms)
    }

    /// Positions along dimension `d`.
    fn extent(&self, d: usize, level: usize, extents: Extents) -> Expr {
        let extent = |v: usize| match extents {
            Extents::Block => Expr::from(self.loops[v].block),
            Extents::Whole | Extents::AllBlocks => Expr::from(self.loops[v].trip),
        };
        let swept: Vec<(usize, i64)> = self.shape.dimensions[d]
            .iter()
            .copied()
            .filter(|(p, _)| *p < level)
            .collect();
        match swept.as_slice() {
            [(v, _)] => extent(*v),
            many => {
                let all = Expr::sum(
                    many.iter()
                        .map(|(v, stride)| (extent(*v) - Expr::from(1.0)) * *stride as f64)
                        .chain([Expr::from(1.0)]),
                );
                // Loops without iterations go nowhere, and not back.
                Expr::max([all, Expr::from(0.0)])
            }
        }
    }

    /// Elements of one column's runs, in whole lines.
    fn row(&self, columns: &Columns, level: usize, extents: Extents) -> Expr {
        let terms = self
            .shape
            .dimensions
            .first()
            .map_or(&[][..], |d| d.as_slice());
        let swept: Vec<(usize, i64)> = terms.iter().copied().filter(|(p, _)| *p < level).collect();
        let [(v, stride)] = swept.as_slice() else {
            let length = match swept.len() {
                0 => Expr::from(1.0),
                _ => self.extent(0, level, extents),
            };
            return self.lines(length + columns.extra as f64) * columns.runs as f64;
        };
        let LoopFigures {
            trip,
            block,
            blocks,
        } = self.loops[*v];
        let row = |extent: Expr| self.run(extent, *stride, columns);
        match extents {
            Extents::Block => row(block.into()),
            Extents::Whole => row(trip.into()),
            Extents::AllBlocks => {
                let full = Expr::from(blocks) - Expr::from(1.0);
                let last = Expr::from(trip) - full.clone() * Expr::from(block);
                full * row(block.into()) + row(last)
            }
        }
    }

    fn run(&self, extent: Expr, stride: i64, columns: &Columns) -> Expr {
        if stride == 1 {
            return self.lines(extent + columns.extra as f64);
        }
        let separate =
            (extent.clone() * columns.runs as f64 * self.line.clone()).quotient(self.width.clone());
        let step = match &self.shape.row_step {
            Some(step) => step.clone(),
            None if stride >= LONG_STRIDE => return separate,
            None => Expr::from(stride as f64),
        };
        let covered = (extent - Expr::from(1.0)) * step + (1 + columns.extra) as f64;
        // A loop that never runs covers nothing.
        Expr::min([self.lines(Expr::max([covered, Expr::from(0.0)])), separate])
    }

    /// A run of elements rounded up to whole cache lines, in elements.
    fn lines(&self, elements: Expr) -> Expr {
        let (width, line) = (&self.width, &self.line);
        ((elements * width.clone()).quotient(line.clone()).ceiling() * line.clone())
            .quotient(width.clone())
    }
}

/// Figures of one stream in a nest; vectors are indexed by level.
#[derive(Clone)]
pub struct StreamFigures {
    /// Index into the nest's streams.
    pub index: usize,
    pub shape: StreamShape,
    /// Element size in bytes.
    pub width: FigureId,
    /// Bytes moved for each byte of the stream.
    pub cost: FigureId,
    pub groups: Vec<FigureId>,
    pub live: Vec<FigureId>,
    /// Distinct elements of a sweep of a block, levels 0 to depth.
    pub elements: Vec<FigureId>,
    /// Bytes that must stay in cache for the next iteration of the loop at that level to reuse them, one level for each.
    pub working_set: Vec<FigureId>,
    /// Bytes of the whole stream, all sweeps.
    pub footprint: FigureId,
    /// Bytes moved over the whole execution if groups of that level are reused within a sweep and
    /// nothing beyond: levels 0 (nothing) to depth (compulsory for the block).
    pub traffic: Vec<FigureId>,
    /// Bytes moved if blocks reuse each other's elements too.
    pub compulsory: FigureId,
}
