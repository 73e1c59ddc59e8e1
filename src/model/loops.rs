//! How long the loops of a nest are, and how often they run.

use super::catalogue::StaticFigure as F;
use super::dimension_name;
use super::figures::Figures;
use super::label::Subject;
use super::nest::{Nest, weight_expr};
use super::parameters::ParameterTable;
use super::trip_count::{self, Narrowed, TripCount};
use crate::expr::{Comparison, Expr, FigureId, Symbol};

/// Extents of one loop of a nest.
#[derive(Clone, Copy)]
pub struct LoopFigures {
    /// Mean number of iterations each time the loop is entered.
    pub trip: FigureId,
    /// Iterations of a full block.
    pub block: FigureId,
    /// ⌈trip/block⌉; the last block may be smaller.
    pub blocks: FigureId,
}

/// How often one loop of a nest runs over the whole execution.
#[derive(Clone, Copy)]
pub struct LoopCounts {
    /// As if every branch around it were taken.
    pub unweighted: FigureId,
    /// Branches weighted by their probability.
    pub weighted: FigureId,
}

impl LoopCounts {
    /// Of all loops of a nest, without anything else of it.
    pub(super) fn define(
        nest: &Nest,
        parameters: &ParameterTable,
        figures: &mut Figures,
    ) -> Vec<LoopCounts> {
        Counts::define(nest, parameters, figures).loops
    }
}

/// Trip counts and iteration counts of the loops of a chain.
pub(super) struct Counts {
    /// Mean iterations of each loop, outermost first.
    pub trips: Vec<FigureId>,
    /// Iterations of code with n loops around it, at index n.
    pub iterations: Vec<Expr>,
    pub loops: Vec<LoopCounts>,
    pub total: FigureId,
}

impl Counts {
    pub fn define(nest: &Nest, parameters: &ParameterTable, figures: &mut Figures) -> Counts {
        let symbol = |branch: &Symbol| parameters.symbol(nest.function, branch);
        let mut trips = Vec::new();
        let mut loops = Vec::new();
        let mut iterations = vec![Expr::from(1.0)];
        // The same without probabilities, which mean trip counts are not to contain.
        let mut unweighted = vec![Expr::from(1.0)];
        let mut weight = Expr::from(1.0);
        let mut is_narrowed = false;
        let mut total = None;
        for index in 0..nest.loops.len() {
            let facts = nest.loops[index].facts;
            let name = match facts.variable.is_none() {
                true => format!("loop at line {}", facts.line),
                false => facts.variable.to_string(),
            };
            let name = Subject::Loop(name.into());
            let label = F::TripCount.about(name.clone());
            let before = unweighted[index].clone();
            let all = F::UnweightedIterations.about(name.clone());
            let narrowed = trip_count::narrowed(&nest.loops[..=index]);
            let (trip, every) = match trip_count::count(&nest.loops[..=index]) {
                TripCount::Rectangular(trip) | TripCount::Sampled(trip) => {
                    let trip = figures.define(label, parameters.resolve(nest.function, &trip));
                    (trip, figures.define(all, before * Expr::from(trip)))
                }
                TripCount::Summed(sum) => {
                    let every = figures.define(all, parameters.resolve(nest.function, &sum));
                    if let Narrowed::To(mean) = &narrowed {
                        is_narrowed = true;
                        let mean = parameters.resolve(nest.function, mean);
                        (figures.define(label, mean), every)
                    } else {
                        let none = Expr::from(0.0);
                        let mean = Expr::from(every).quotient(before.clone());
                        let mean =
                            Expr::choose(Comparison::Greater, before, none.clone(), mean, none);
                        (figures.define(label, mean), every)
                    }
                }
            };
            unweighted.push(Expr::from(every));
            let own = weight_expr(&nest.loops[index].weight, &symbol);
            weight = weight * own.clone();
            // Conditions on what moves the ends of a loop do not leave the same share of it as of the loops around.
            let runs = match is_narrowed {
                true => iterations[index].clone() * own * Expr::from(trip),
                false => Expr::from(every) * weight.clone(),
            };
            let runs = figures.define(F::Iterations.about(name), runs);
            iterations.push(Expr::from(runs));
            loops.push(LoopCounts {
                unweighted: every,
                weighted: runs,
            });
            trips.push(trip);
            total = Some(runs);
        }
        let total = total.unwrap_or_else(|| figures.define(F::Iterations, Expr::from(1.0)));
        Counts {
            trips,
            iterations,
            loops,
            total,
        }
    }
}

/// How a loop is cut into blocks; `position` counts from the innermost.
pub(super) fn define_block(position: usize, trip: FigureId, figures: &mut Figures) -> LoopFigures {
    let dimension = Subject::Dimension(position as u32);
    let size = Expr::from(Symbol::block(&dimension_name(position)));
    let trip_expr = Expr::from(trip);
    let smaller = Expr::min([size.clone(), trip_expr.clone()]);
    let block = Expr::choose(
        Comparison::Greater,
        size,
        Expr::from(0.0),
        smaller,
        trip_expr.clone(),
    );
    let block = figures.define(F::BlockSize.about(dimension.clone()), block);
    let blocks = Expr::choose(
        Comparison::Greater,
        Expr::from(block),
        Expr::from(0.0),
        trip_expr.quotient(Expr::from(block)).ceiling(),
        Expr::from(0.0),
    );
    let blocks = figures.define(F::LoopBlocks.about(dimension), blocks);
    LoopFigures {
        trip,
        block,
        blocks,
    }
}
