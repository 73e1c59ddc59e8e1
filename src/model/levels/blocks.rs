//! What becomes of a nest whose loops parameters block (`block_x`, `block_y` …)?
//!
//! ```text
//! for i               for ib = … step block_y      outside of all loops of the nest but the sweeps
//!   for j       ►       for jb = … step block_x
//!                         for i = ib .. min(ib + block_y − 1, last)
//!                           for j = jb .. min(jb + block_x − 1, last)
//! ```
//!
//! A loop that could be blocked and is not gets one as well, over a single block as long as the loop: `block_x`
//! is a parameter, and the formulas of the workbook have to hold for any value of it. Loops can be blocked that
//! go by one between one lower and one upper bound, which no other loop moves, that shape no other loop or
//! guard, are in one piece, stand on no condition, and are not tiled in the source ([`Geometry::chosen`]). Of nests with one
//! spatial loop none is blocked.

use super::domain::{Affine, Domain, LoopRange};
use super::geometry::Geometry;
use super::number::Number;
use super::steps::{About, NameStep};
use crate::catalogue::StaticFigure;
use crate::dimension_name;
use crate::expr::{Comparison, Expr, Symbol};
use crate::nest::Nest;

impl Geometry {
    /// The same with a loop over blocks for every loop that can be blocked, outside of all of them:
    /// `blocked` says which of the spatial loops, counted from the innermost, are to be.
    pub fn blocked(mut self, nest: &Nest, blocked: &dyn Fn(&Symbol) -> bool) -> Geometry {
        let chosen = self.chosen(nest, blocked);
        if chosen.is_empty() {
            return self;
        }
        self.shift(nest.sweeps, chosen.len());
        self.decide_in_blocks(nest.sweeps, &chosen);
        let tiles = chosen.iter().enumerate().map(|(at, v)| {
            let inner = &mut self.domain.loops[*v];
            let (low, high) = (inner.lowers[0].rest.clone(), inner.uppers[0].rest.clone());
            let size = Expr::from(block_symbol(nest, *v));
            let trip = (&high - &low) + 1.0;
            let smaller = Expr::max([Expr::min([size.clone(), trip.clone()]), Expr::from(1.0)]);
            let whole = Expr::max([trip, Expr::from(1.0)]);
            let step = Expr::choose(Comparison::Greater, size, Expr::from(0.0), smaller, whole);
            let tile = nest.sweeps + at;
            let start = |rest: Expr| Affine {
                terms: vec![(tile, 1.0)],
                rest,
            };
            let tile_range = LoopRange {
                lowers: inner.lowers.clone(),
                uppers: inner.uppers.clone(),
                step: step.clone(),
                known_step: None,
                entered: Expr::from(1.0),
                descending: inner.descending,
                tile_of: None,
                shapes_inner: false,
                holds_tiles: false,
                cuts: Vec::new(),
            };
            inner.lowers = vec![start(Expr::from(0.0))];
            inner.uppers.insert(0, start(step - 1.0));
            inner.tile_of = Some(tile);
            tile_range
        });
        let mut tiles: Vec<LoopRange<Expr>> = tiles.collect();
        // A branch around the loops in blocks is around those over blocks, too.
        let outermost = &mut self.domain.loops[nest.sweeps];
        std::mem::swap(&mut outermost.entered, &mut tiles[0].entered);
        self.domain.loops.splice(nest.sweeps..nest.sweeps, tiles);
        self.tiles = chosen;
        self.step_names.loops = self.loop_names(nest);
        self
    }

    /// Gives the iterations of a block cells of their own: a nest has many formulas with them.
    pub fn name_blocks<N: Number>(&self, domain: &mut Domain<N>, name: NameStep<N>) {
        for v in 0..domain.loops.len() {
            let is_cells_of = |range: &LoopRange<N>| range.tile_of == Some(v);
            let has_block = self
                .domain
                .loops
                .iter()
                .any(|range| range.tile_of == Some(v))
                && self.domain.loops[v].known_step.is_none();
            if !has_block || !domain.loops[v].step.is_long() {
                continue;
            }
            let about = About::Loop(v);
            let step = self.step_names.step(StaticFigure::BlockIterations, about);
            let length = name(step, domain.loops[v].step.clone());
            domain.loops[v].step = length.clone();
            for cells in domain.loops.iter_mut().filter(|range| is_cells_of(range)) {
                cells.uppers[0].rest = length.shifted(-1.0);
            }
        }
    }

    /// The loops that can be blocked and are to be.
    pub fn chosen(&self, nest: &Nest, blocked: &dyn Fn(&Symbol) -> bool) -> Vec<usize> {
        let loops = &self.domain.loops;
        let guards = || self.references.iter().flat_map(|r| r.ranges());
        let can_be = |v: &usize| {
            let range = &loops[*v];
            let bounds = range.lowers.iter().chain(&range.uppers);
            let fixed = bounds.clone().all(|bound| bound.terms.is_empty()) && bounds.count() == 2;
            fixed
                && range.known_step == Some(1.0)
                && !range.shapes_inner
                && range.cuts.is_empty()
                && range.entered.as_number() == Some(1.0)
                && loops.iter().all(|other| other.tile_of != Some(*v))
                && !guards().any(|guard| guard.shapes(*v))
        };
        if loops.len() - nest.sweeps < 2 {
            return Vec::new();
        }
        (nest.sweeps..loops.len())
            .filter(can_be)
            .filter(|v| blocked(&block_symbol(nest, *v)))
            .collect()
    }

    /// Renumbers the loops from `from` on, to make room for `by` others. Positions of loops in the list
    /// stay as they are.
    fn shift(&mut self, from: usize, by: usize) {
        let moved = |v: &mut usize| *v += if *v >= from { by } else { 0 };
        for range in &mut self.domain.loops {
            let bounds = range.lowers.iter_mut().chain(&mut range.uppers);
            bounds.for_each(|bound| bound.terms.iter_mut().for_each(|(v, _)| moved(v)));
            range.tile_of.iter_mut().for_each(moved);
        }
        for reference in self.references.iter_mut().chain(&mut self.fixed) {
            reference
                .dimensions
                .iter_mut()
                .flatten()
                .for_each(|(v, _)| moved(v));
            for guard in reference.ranges_mut() {
                moved(&mut guard.variable);
                let ends = guard.lower.iter_mut().chain(&mut guard.upper);
                ends.for_each(|end| end.terms.iter_mut().for_each(|(v, _)| moved(v)));
            }
            if reference.level >= from {
                reference.level += by;
            }
        }
    }

    /// Renumbers the loops in which branches are decided: those over blocks of such a loop are among them.
    fn decide_in_blocks(&mut self, from: usize, chosen: &[usize]) {
        let number = |v: &u32| {
            let v = *v as usize;
            let own = v + if v >= from { chosen.len() } else { 0 };
            let over_blocks = chosen.iter().position(|other| *other == v);
            let both = [Some(own), over_blocks.map(|at| from + at)];
            both.into_iter().flatten().map(|v| v as u32)
        };
        for reference in self.references.iter_mut().chain(&mut self.fixed) {
            let both = reference.taken.iter_mut().chain(&mut reference.writes);
            for loops in both
                .flat_map(|taken| taken.draws_mut())
                .flat_map(|draw| &mut draw.loops)
            {
                *loops = loops.iter().flat_map(number).collect();
            }
        }
    }
}

/// The parameter that blocks the loop at a position from outside.
pub fn block_symbol(nest: &Nest, position: usize) -> Symbol {
    Symbol::block(&dimension_name(nest.loops.len() - 1 - position))
}
