//! Builds the figures of one nest, in the order in which they depend on each other.

use std::collections::BTreeSet;

use super::catalogue::StaticFigure as F;
use super::figures::Figures;
use super::in_core::Values;
use super::levels::{self, Neighbours, NestLevels};
use super::loops::{Counts, LoopFigures, define_block};
use super::nest::{Nest, NestStream, weight_expr};
use super::nest_model::NestModel;
use super::operations;
use super::parameters::ParameterTable;
use super::stream::{StreamFigures, StreamShape};
use super::time::TimeFigures;
use super::traffic::{self, Surroundings};
use crate::analysis::facts::AccessClass;
use crate::expr::{Expr, Symbol};
use crate::machine::MachineModel;
use crate::reason::ReasonCode;

impl<'p> NestModel<'p> {
    /// On the cores that run it.
    pub(super) fn build(
        nest: Nest<'p>,
        machine: &MachineModel,
        parameters: &ParameterTable,
        neighbours: Option<&Neighbours<Expr>>,
        figures: &mut Figures,
    ) -> NestModel<'p> {
        figures.define_on(nest.runs_on(), |figures| {
            NestModel::define(nest, machine, parameters, neighbours, figures)
        })
    }

    fn define(
        nest: Nest<'p>,
        machine: &MachineModel,
        parameters: &ParameterTable,
        neighbours: Option<&Neighbours<Expr>>,
        figures: &mut Figures,
    ) -> NestModel<'p> {
        let first = figures.next();
        let function = nest.function;
        let symbol = |branch: &Symbol| parameters.symbol(function, branch);
        let resolved = |expr: &Expr| parameters.resolved(function, expr);
        let counts = Counts::define(&nest, parameters, figures);
        let depth = nest.spatial().len();
        let loops: Vec<LoopFigures> = (counts.trips[nest.sweeps..].iter().rev().enumerate())
            .map(|(position, trip)| define_block(position, *trip, figures))
            .collect();
        let sweep_trips = counts.trips[..nest.sweeps].to_vec();
        let sweeps = Expr::product(sweep_trips.iter().map(|id| Expr::from(*id)));
        let sweeps = figures.define(F::Sweeps, sweeps);
        let blocks = Expr::product(loops.iter().map(|l| Expr::from(l.blocks)));
        let blocks = figures.define(F::Blocks, blocks);
        let entered = entered(&nest, depth, &symbol);
        let operations = operations::define(&nest, &counts.iterations, &symbol, figures);
        let shapes = shapes(&nest, parameters);
        let most = depth.max(3);
        let gaps: Vec<i64> = (0..most)
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
        let (working_sets, mut nest_traffic) = traffic::define_nest(
            (&streams, &super::levels_of(machine, figures.detail())),
            depth,
            most,
            figures,
        );
        let streams: Vec<StreamFigures> = streams.into_iter().map(|(_, s)| s).collect();
        let levels = NestLevels::define(&nest, machine, parameters, neighbours, figures);
        nest_traffic.choose(&levels, figures);
        let arrays = levels::define_bytes_of_arrays(&levels, nest_traffic.actual, figures);
        let moved = (&levels, &nest_traffic);
        let time = TimeFigures::define(
            machine,
            &operations,
            &nest,
            &streams,
            moved,
            Values {
                iterations: &counts.iterations,
                symbol: &symbol,
                resolved: &resolved,
            },
            figures,
        );
        let iterations = figures.value(counts.total);
        let trips = counts.trips.iter().map(|trip| figures.value(*trip));
        let trips: Vec<f64> = trips.collect();
        NestModel {
            shares_roughly: neighbours.is_some_and(|found| found.is_rough),
            doubts: doubts(&nest, machine, parameters, figures),
            checked: None,
            conflicts: Vec::new(),
            counted: None,
            has_several_sizes: false,
            is_implausible: NestModel::is_implausible(&nest, (iterations, &trips), parameters),
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
            arrays,
            time,
            figures: first..figures.next(),
        }
    }
}

/// Why the bytes of a nest are only about right.
fn doubts(
    nest: &Nest,
    machine: &MachineModel,
    parameters: &ParameterTable,
    figures: &Figures,
) -> BTreeSet<ReasonCode> {
    let value = |symbol: &Symbol| parameters.row(nest.function, symbol).map(|row| row.value);
    let mut found = levels::doubts(nest, &value);
    let caches = machine.levels();
    let shares = caches
        .iter()
        .map(|cache| figures.runs_on().share_value(cache));
    let is_open = levels::decides_distances(nest, &value, &shares.collect::<Vec<_>>());
    found.extend(is_open.then_some(ReasonCode::UndecidedBranch));
    found
}

/// The shapes of all streams, over defined names.
fn shapes(nest: &Nest, parameters: &ParameterTable) -> Vec<StreamShape> {
    let function = nest.function;
    let shape = |s: &NestStream| {
        let shape = StreamShape::new(&s.stream, nest.spatial(), &nest.loops[..nest.sweeps]);
        let row_step = (shape.row_step).map(|step| parameters.resolve(function, &step));
        let elements = (shape.elements).and_then(|all| parameters.resolved(function, &all));
        StreamShape {
            row_step,
            elements,
            ..shape
        }
    };
    nest.streams.iter().map(shape).collect()
}

/// How often the body of the innermost loops is entered, from none of them to all, if conditions around loops count.
fn entered(nest: &Nest, depth: usize, symbol: &dyn Fn(&Symbol) -> Expr) -> Vec<Expr> {
    let weight = |m: usize| {
        let inner = &nest.loops[nest.loops.len() - m..];
        Expr::product(inner.iter().map(|c| weight_expr(&c.weight, symbol)))
    };
    (0..=depth).map(weight).collect()
}
