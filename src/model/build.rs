//! Builds the figures of one nest, in the order in which they depend on each other.

use std::ops::Range;

use super::dimension_name;
use super::figures::{Figures, Unit};
use super::levels::{Neighbours, NestLevels};
use super::nest::{Content, Nest, weight_expr};
use super::parameters::ParameterTable;
use super::stream::{StreamFigures, StreamShape};
use super::time::TimeFigures;
use super::traffic::{self, NestTraffic, Surroundings, WorkingSets};
use super::trip_count::{self, TripCount};
use crate::analysis::facts::{AccessClass, OperationCounts};
use crate::expr::{Comparison, Expr, FigureId, Symbol};
use crate::machine::MachineModel;

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

/// Operations of one nest over the whole execution, branches weighted by their probability.
#[derive(Clone, Copy)]
pub struct OperationFigures {
    pub adds: FigureId,
    pub multiplies: FigureId,
    pub divides: FigureId,
    pub specials: FigureId,
    pub fma_pairs: FigureId,
    /// adds + multiplies + divides + specials.
    pub flops: FigureId,
    /// The same with divisions and specials at their cost.
    pub weighted: FigureId,
    pub iteration: IterationOperations,
}

/// Operations of one iteration of the innermost loop, branches weighted by their probability.
/// What the loops around it do themselves is not in here, but in the totals.
#[derive(Clone, Copy)]
pub struct IterationOperations {
    pub adds: FigureId,
    pub multiplies: FigureId,
    pub divides: FigureId,
    pub specials: FigureId,
    pub fma_pairs: FigureId,
    /// adds + multiplies + divides + specials.
    pub flops: FigureId,
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

/// The figures of one nest.
pub struct NestModel<'p> {
    pub nest: Nest<'p>,
    /// Trip counts of the sweep loops, outermost first.
    pub sweep_trips: Vec<FigureId>,
    /// Product of the sweep loops' trip counts.
    pub sweeps: FigureId,
    /// Spatial loops, innermost first.
    pub loops: Vec<LoopFigures>,
    /// Iterations of every loop of the chain over the whole execution, outermost first.
    pub counts: Vec<LoopCounts>,
    /// Iterations of the innermost loop over the whole execution, all sweeps.
    pub iterations: FigureId,
    /// Number of blocks of one sweep.
    pub blocks: FigureId,
    pub operations: OperationFigures,
    pub streams: Vec<StreamFigures>,
    pub working_sets: WorkingSets,
    pub traffic: NestTraffic,
    /// Every cache level, by the refined rule.
    pub levels: NestLevels,
    pub time: TimeFigures,
    /// All figures that were defined for the nest alone.
    pub figures: Range<FigureId>,
}

impl<'p> NestModel<'p> {
    pub(super) fn build(
        nest: Nest<'p>,
        machine: &MachineModel,
        parameters: &ParameterTable,
        neighbours: Option<&Neighbours<Expr>>,
        figures: &mut Figures,
    ) -> NestModel<'p> {
        let first = figures.next();
        let function = nest.function;
        let symbol = |branch: &Symbol| parameters.symbol(function, branch);
        let counts = Counts::define(&nest, parameters, figures);
        let depth = nest.spatial().len();
        let loops: Vec<LoopFigures> = (counts.trips[nest.sweeps..].iter().rev().enumerate())
            .map(|(position, trip)| define_block(position, *trip, figures))
            .collect();
        let sweep_trips = counts.trips[..nest.sweeps].to_vec();
        let sweeps = Expr::product(sweep_trips.iter().map(|id| Expr::from(*id)));
        let sweeps = figures.define("sweeps", Unit::Count, sweeps);
        let blocks = Expr::product(loops.iter().map(|l| Expr::from(l.blocks)));
        let blocks = figures.define("blocks", Unit::Count, blocks);
        let entered: Vec<Expr> = (0..=depth)
            .map(|m| {
                let inner = &nest.loops[nest.loops.len() - m..];
                Expr::product(inner.iter().map(|c| weight_expr(&c.weight, &symbol)))
            })
            .collect();
        let operations = define_operations(&nest, &counts, &symbol, figures);
        let shapes: Vec<StreamShape> = (nest.streams.iter())
            .map(|s| {
                let shape = StreamShape::new(&s.stream, nest.spatial(), &nest.loops[..nest.sweeps]);
                let row_step = shape
                    .row_step
                    .map(|step| parameters.resolve(function, &step));
                StreamShape { row_step, ..shape }
            })
            .collect();
        let levels = depth.max(3);
        let gaps: Vec<i64> = (0..levels)
            .map(|m| {
                shapes
                    .iter()
                    .filter(|s| s.reads)
                    .filter_map(|s| s.largest_gap(m))
                    .max()
                    .unwrap_or(1)
            })
            .collect();
        let around = Surroundings {
            loops: &loops,
            iterations: &counts.iterations,
            entered: &entered,
            sweeps,
        };
        let streams: Vec<(AccessClass, StreamFigures)> =
            (nest.streams.iter().zip(shapes).enumerate())
                .map(|(index, (s, shape))| {
                    (
                        s.stream.class,
                        traffic::define_stream(index, s, shape, &gaps, &around, figures),
                    )
                })
                .collect();
        let (working_sets, nest_traffic) = traffic::define_nest(&streams, depth, levels, figures);
        let streams: Vec<StreamFigures> = streams.into_iter().map(|(_, s)| s).collect();
        let levels = NestLevels::define(&nest, machine, parameters, neighbours, figures);
        let moved = (&levels, &nest_traffic);
        let time = TimeFigures::define(
            machine,
            &operations,
            &nest,
            &streams,
            moved,
            &counts.iterations,
            figures,
        );
        NestModel {
            iterations: counts.total,
            counts: counts.loops,
            nest,
            sweep_trips,
            sweeps,
            loops,
            blocks,
            operations,
            streams,
            working_sets,
            traffic: nest_traffic,
            levels,
            time,
            figures: first..figures.next(),
        }
    }
}

fn define_block(position: usize, trip: FigureId, figures: &mut Figures) -> LoopFigures {
    let name = dimension_name(position);
    let size = Expr::from(Symbol::block(&name));
    let trip_expr = Expr::from(trip);
    let smaller = Expr::min([size.clone(), trip_expr.clone()]);
    let block = Expr::choose(
        Comparison::Greater,
        size,
        Expr::from(0.0),
        smaller,
        trip_expr.clone(),
    );
    let block = figures.define(format!("block size in {name}"), Unit::Count, block);
    let blocks = Expr::choose(
        Comparison::Greater,
        Expr::from(block),
        Expr::from(0.0),
        trip_expr.quotient(Expr::from(block)).ceiling(),
        Expr::from(0.0),
    );
    let blocks = figures.define(format!("blocks in {name}"), Unit::Count, blocks);
    LoopFigures {
        trip,
        block,
        blocks,
    }
}

/// Trip counts and iteration counts of the loops of a chain.
struct Counts {
    /// Mean iterations of each loop, outermost first.
    trips: Vec<FigureId>,
    /// Iterations of code with n loops around it, at index n.
    iterations: Vec<Expr>,
    loops: Vec<LoopCounts>,
    total: FigureId,
}

impl Counts {
    fn define(nest: &Nest, parameters: &ParameterTable, figures: &mut Figures) -> Counts {
        let symbol = |branch: &Symbol| parameters.symbol(nest.function, branch);
        let mut trips = Vec::new();
        let mut loops = Vec::new();
        let mut iterations = vec![Expr::from(1.0)];
        // The same without probabilities, which mean trip counts are not to contain.
        let mut unweighted = vec![Expr::from(1.0)];
        let mut weight = Expr::from(1.0);
        let mut total = None;
        for index in 0..nest.loops.len() {
            let facts = nest.loops[index].facts;
            let name = if facts.variable.is_empty() {
                format!("loop at line {}", facts.line)
            } else {
                facts.variable.clone()
            };
            let label = format!("trip count of {name}");
            let before = unweighted[index].clone();
            let all = format!("iterations of {name}, unweighted");
            let (trip, every) = match trip_count::count(&nest.loops[..=index]) {
                TripCount::Rectangular(trip) | TripCount::Sampled(trip) => {
                    let trip = figures.define(
                        label,
                        Unit::Count,
                        parameters.resolve(nest.function, &trip),
                    );
                    (
                        trip,
                        figures.define(all, Unit::Count, before * Expr::from(trip)),
                    )
                }
                TripCount::Summed(sum) => {
                    let every =
                        figures.define(all, Unit::Count, parameters.resolve(nest.function, &sum));
                    let none = Expr::from(0.0);
                    let mean = Expr::from(every).quotient(before.clone());
                    let mean = Expr::choose(Comparison::Greater, before, none.clone(), mean, none);
                    (figures.define(label, Unit::Count, mean), every)
                }
            };
            unweighted.push(Expr::from(every));
            weight = weight * weight_expr(&nest.loops[index].weight, &symbol);
            let runs = Expr::from(every) * weight.clone();
            let runs = figures.define(format!("iterations of {name}"), Unit::Count, runs);
            iterations.push(Expr::from(runs));
            loops.push(LoopCounts {
                unweighted: every,
                weighted: runs,
            });
            trips.push(trip);
            total = Some(runs);
        }
        let total =
            total.unwrap_or_else(|| figures.define("iterations", Unit::Count, Expr::from(1.0)));
        Counts {
            trips,
            iterations,
            loops,
            total,
        }
    }
}

fn define_operations(
    nest: &Nest,
    counts: &Counts,
    symbol: &dyn Fn(&Symbol) -> Expr,
    figures: &mut Figures,
) -> OperationFigures {
    let innermost = nest.loops.len();
    // One iteration of the innermost loop, and everything.
    let mut total = |label: &str, kind: fn(OperationCounts) -> u64| {
        let count = |content: &Content| {
            let count = Expr::from(kind(content.flops.total()) as f64);
            count * weight_expr(&content.weight, symbol)
        };
        let (inside, outside): (Vec<&Content>, Vec<&Content>) = nest
            .contents
            .iter()
            .partition(|content| content.level == innermost);
        let iteration = Expr::sum(inside.into_iter().map(count));
        let iteration = figures.define(format!("{label} an iteration"), Unit::Flops, iteration);
        let inside = Expr::from(iteration) * counts.iterations[innermost].clone();
        let outside = outside
            .into_iter()
            .map(|content| count(content) * counts.iterations[content.level].clone());
        let total = Expr::sum(std::iter::once(inside).chain(outside));
        (iteration, figures.define(label, Unit::Flops, total))
    };
    let (adds_each, adds) = total("adds", |c| c.adds);
    let (multiplies_each, multiplies) = total("multiplies", |c| c.multiplies);
    let (divides_each, divides) = total("divides", |c| c.divides);
    let (specials_each, specials) = total("specials", |c| c.specials);
    let (fma_pairs_each, fma_pairs) = total("fused multiply-add pairs", |c| c.fma_pairs);
    let sum = [adds_each, multiplies_each, divides_each, specials_each].map(Expr::from);
    let iteration = IterationOperations {
        adds: adds_each,
        multiplies: multiplies_each,
        divides: divides_each,
        specials: specials_each,
        fma_pairs: fma_pairs_each,
        flops: figures.define("flops an iteration", Unit::Flops, Expr::sum(sum)),
    };
    let sum = [adds, multiplies, divides, specials].map(Expr::from);
    let flops = figures.define("flops", Unit::Flops, Expr::sum(sum));
    let [adds_, multiplies_, divides_, specials_, fused] =
        [adds, multiplies, divides, specials, fma_pairs].map(Expr::from);
    let weighted = adds_
        + multiplies_
        + Expr::machine("cost_div") * divides_
        + Expr::machine("cost_special") * specials_
        - Expr::machine("fma_aware") * fused;
    let weighted = figures.define("weighted flops", Unit::Flops, weighted);
    OperationFigures {
        adds,
        multiplies,
        divides,
        specials,
        fma_pairs,
        flops,
        weighted,
        iteration,
    }
}
