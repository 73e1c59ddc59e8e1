//! Up to which size does a working set fit: one symbol at a time, the others staying as they are?
//!
//! The working set of an iteration of `i` in `for i; for j` grows with the iterations inside. If p loops are as
//! long as a symbol s, by `slope` iterations for one more, it grows with the p-th power:
//!
//! ```text
//! largest s = ⌊s + ((capacity/distance)^(1/p) − 1)·trip/slope⌋
//! ```
//!
//! This is exact where the working set is proportional to the product of the iterations, and close where ghost
//! cells add to it. In the worked example of this module four rows of n doubles, 64,000 B at n = 2,000, fit the
//! 49,152 B of L1 up to n = 1,536. Of a loop that a parameter blocks, the size of the block decides and not
//! that of the loop: then any size fits or none. Only problem sizes in bounds that no other loop moves are
//! solved for, at most [`MOST`].

use super::blocks::block_symbol;
use super::geometry::Geometry;
use crate::expr::{Comparison, Expr, Symbol};
use crate::nest::Nest;
use crate::parameters::{Kind, ParameterTable};

/// Symbols of a working set that are solved for.
const MOST: usize = 3;
/// Any size will do.
const ANY: f64 = 1e15;

/// A symbol that loops are as long as.
pub struct Size {
    /// Its defined name.
    pub name: String,
    symbol: Expr,
    /// Iterations of the outermost of these loops.
    trip: Expr,
    /// By how many these grow with the symbol.
    slope: f64,
    /// How many loops there are.
    power: usize,
    /// The parameters that block them.
    blocks: Vec<Symbol>,
}

impl Size {
    /// The largest value with which a working set fits, which is `distance` now: it grows as the product of the
    /// iterations, so that it is exact where the working set is proportional to them.
    pub fn largest(&self, distance: &Expr, capacity: &Expr) -> Expr {
        let distance_or_one = Expr::max([distance.clone(), Expr::from(1.0)]);
        let more = if self.power == 1 {
            // Of whole numbers all of it is exact up to the quotient, so that a whole number stays one.
            let (room, trip) = (capacity - distance, self.trip.clone());
            (room * trip).quotient(distance_or_one * self.slope)
        } else {
            let scale = capacity.clone().quotient(distance_or_one);
            let scale = scale.power(Expr::from(1.0 / self.power as f64));
            (scale - 1.0) * self.trip.clone() * (1.0 / self.slope)
        };
        let largest = (self.symbol.clone() + more).floor();
        self.blocks.iter().fold(largest, |largest, block| {
            let (any, none) = (Expr::from(ANY), Expr::from(0.0));
            let whatever = Expr::choose(
                Comparison::LessOrEqual,
                distance.clone(),
                capacity.clone(),
                any,
                none.clone(),
            );
            Expr::choose(
                Comparison::Greater,
                Expr::from(block.clone()),
                none,
                whatever,
                largest,
            )
        })
    }
}

/// The symbols that some loops of a nest are as long as, those of outer loops first.
pub fn of(
    nest: &Nest,
    geometry: &Geometry,
    loops: &[usize],
    parameters: &ParameterTable,
) -> Vec<Size> {
    let mut originals: Vec<usize> = loops.iter().map(|v| geometry.original(nest, *v)).collect();
    originals.sort_unstable();
    originals.dedup();
    let mut sizes: Vec<Size> = Vec::new();
    for v in originals {
        // The bounds of a loop over blocks are those of the loop that is blocked.
        let own = if v < nest.sweeps {
            v
        } else {
            v + geometry.tiles.len()
        };
        let bounds = geometry
            .tiles
            .iter()
            .position(|tile| *tile == v)
            .map_or(own, |place| nest.sweeps + place);
        let range = &geometry.domain.loops[bounds];
        let ([low], [high]) = (range.lowers.as_slice(), range.uppers.as_slice()) else {
            continue;
        };
        let Some(step) = geometry.domain.loops[own].known_step else {
            continue;
        };
        if !low.terms.is_empty() || !high.terms.is_empty() {
            continue;
        }
        let length = &high.rest - &low.rest;
        for symbol in length.symbols() {
            let Some(row) = parameters.row(nest.function, &symbol) else {
                continue;
            };
            let slope = length
                .linear_in(&[&symbol])
                .and_then(|linear| linear.coefficients[0].as_number());
            let Some(slope) = slope.filter(|slope| row.kind == Kind::Problem && *slope > 0.0)
            else {
                continue;
            };
            let blocks = geometry.tiles.contains(&v).then(|| block_symbol(nest, v));
            let own = parameters.symbol(nest.function, &symbol);
            match sizes.iter_mut().find(|size| size.symbol == own) {
                Some(size) => {
                    size.power += 1;
                    size.blocks.extend(blocks);
                }
                None => sizes.push(Size {
                    name: row.name.clone(),
                    symbol: own,
                    trip: parameters.resolve(nest.function, &length) * (1.0 / step) + 1.0,
                    slope: slope / step,
                    power: 1,
                    blocks: blocks.into_iter().collect(),
                }),
            }
        }
    }
    sizes.truncate(MOST);
    sizes
}
