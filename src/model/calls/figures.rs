//! How often call sites and functions run, and what functions cost.

use std::collections::HashMap;

use super::paths::{CallPath, define_paths};
use super::{CallGraph, Times};
use crate::build::NestModel;
use crate::expr::{Expr, FigureId, Symbol};
use crate::figures::{Figures, Unit};
use crate::nest::{Weight, weight_expr};
use crate::parameters::ParameterTable;

/// Figures of one call site.
#[derive(Clone, Copy)]
pub struct SiteFigures {
    /// Executions in one call of the caller.
    pub runs: FigureId,
    /// Executions in all.
    pub times: FigureId,
    /// Flops of the callee, with all that it calls, in one call of the caller.
    pub flops: FigureId,
}

/// Flops, memory traffic and time.
#[derive(Clone, Copy)]
pub struct Costs {
    pub flops: FigureId,
    pub traffic: FigureId,
    pub seconds: FigureId,
}

/// Figures of one function.
#[derive(Clone, Copy)]
pub struct FunctionFigures {
    /// How often it is called in all.
    pub times: FigureId,
    /// Its own nests, and its operations outside of loops, in one call.
    pub own: Costs,
    /// The same with all that it calls.
    pub inclusive: Costs,
    /// Its own, over all calls.
    pub executed: Costs,
}

/// What calls add to the nests' figures.
pub struct Calls {
    pub sites: Vec<SiteFigures>,
    /// In the order of the functions of the program.
    pub functions: Vec<FunctionFigures>,
    /// Over all functions and all calls.
    pub executed: Costs,
    /// Flops of called procedures by nest: those that keep their loops to themselves.
    pub called_flops: HashMap<usize, FigureId>,
    /// The costliest, in program order; [`Calls::ranked_paths`] ranks them.
    pub paths: Vec<CallPath>,
    /// Sites by caller.
    pub(super) leaving: Vec<Vec<usize>>,
}

impl Calls {
    /// The call sites in a function.
    pub fn by_caller(&self, function: usize) -> impl Iterator<Item = usize> + '_ {
        self.leaving[function].iter().copied()
    }

    /// The costliest call paths, the costliest first.
    pub fn ranked_paths(&self, figures: &Figures) -> Vec<&CallPath> {
        let seconds = |path: &CallPath| figures.value(path.costs.seconds);
        let mut ranked: Vec<&CallPath> = self.paths.iter().collect();
        ranked.sort_by(|a, b| seconds(b).total_cmp(&seconds(a)));
        ranked
    }

    /// Defines the figures; `None` if the program has no call of a function of its own.
    pub(crate) fn define(
        graph: &CallGraph,
        times: &Times,
        nests: &[NestModel],
        parameters: &ParameterTable,
        figures: &mut Figures,
    ) -> Option<Calls> {
        if graph.sites.is_empty() {
            return None;
        }
        let Times {
            runs,
            sites: site_times,
            functions: times,
        } = times;
        let own = define_own(graph, nests, parameters, figures);
        let leaving = graph.by_caller();
        let inclusive = define_inclusive(graph, &leaving, runs, &own, figures);
        let sites: Vec<SiteFigures> = (graph.sites.iter().zip(runs).zip(site_times))
            .map(|((site, runs), times)| {
                let (runs, times) = (*runs, *times);
                let flops = Expr::from(runs) * Expr::from(inclusive[site.callee].flops);
                SiteFigures {
                    runs,
                    times,
                    flops: figures.define("called flops", Unit::Flops, flops),
                }
            })
            .collect();
        let mut functions = Vec::with_capacity(own.len());
        for (index, own) in own.iter().enumerate() {
            let mut all = |label: &str, unit, id: FigureId| {
                figures.define(label, unit, Expr::from(times[index]) * Expr::from(id))
            };
            let executed = Costs {
                flops: all("flops, all calls", Unit::Flops, own.flops),
                traffic: all("memory traffic, all calls", Unit::Bytes, own.traffic),
                seconds: all("time, all calls", Unit::Seconds, own.seconds),
            };
            functions.push(FunctionFigures {
                times: times[index],
                own: *own,
                inclusive: inclusive[index],
                executed,
            });
        }
        let mut total = |label: &str, unit, cost: fn(&Costs) -> FigureId| {
            figures.define_total(label, unit, functions.iter().map(|f| cost(&f.executed)))
        };
        let executed = Costs {
            flops: total("flops, all calls followed", Unit::Flops, |c| c.flops),
            traffic: total("memory traffic, all calls followed", Unit::Bytes, |c| {
                c.traffic
            }),
            seconds: total("time, all calls followed", Unit::Seconds, |c| c.seconds),
        };
        let called_flops = define_called_flops(graph, &sites, figures);
        let mut calls = Calls {
            sites,
            functions,
            executed,
            called_flops,
            paths: Vec::new(),
            leaving,
        };
        calls.paths = define_paths(graph, &calls, nests, figures);
        Some(calls)
    }
}

/// How often a call runs in one call of its function: iterations of the loops around it, times the
/// probabilities of the branches.
pub(crate) fn runs(
    (function, loops, weight): (usize, Option<(usize, usize)>, &Weight),
    nests: &[NestModel],
    parameters: &ParameterTable,
) -> Expr {
    let iterations = loops.map_or(Expr::from(1.0), |(nest, level)| {
        Expr::from(nests[nest].counts[level - 1].weighted)
    });
    iterations * weight_expr(weight, &|branch| parameters.symbol(function, branch))
}

/// What the nests of every function cost, and its operations outside of loops.
fn define_own(
    graph: &CallGraph,
    nests: &[NestModel],
    parameters: &ParameterTable,
    figures: &mut Figures,
) -> Vec<Costs> {
    let mut by_function: Vec<Vec<&NestModel>> = vec![Vec::new(); graph.straight.len()];
    nests
        .iter()
        .for_each(|nest| by_function[nest.nest.function].push(nest));
    let mut own = Vec::with_capacity(by_function.len());
    for (function, nests) in by_function.iter().enumerate() {
        let symbol = |branch: &Symbol| parameters.symbol(function, branch);
        let straight = Expr::sum(graph.straight[function].iter().map(|content| {
            Expr::from(content.flops.total().flops() as f64) * weight_expr(&content.weight, &symbol)
        }));
        let straight = figures.define("flops outside of loops", Unit::Flops, straight);
        let flops = figures.define_total(
            "flops of the nests",
            Unit::Flops,
            nests.iter().map(|n| n.operations.flops),
        );
        let flops = Expr::from(straight) + Expr::from(flops);
        let traffic = nests.iter().map(|n| n.traffic.actual);
        let seconds = nests.iter().map(|n| n.time.seconds);
        own.push(Costs {
            flops: figures.define("flops of one call", Unit::Flops, flops),
            traffic: figures.define_total("memory traffic of one call", Unit::Bytes, traffic),
            seconds: figures.define_total("time of one call", Unit::Seconds, seconds),
        });
    }
    own
}

/// The same with all that a function calls.
fn define_inclusive(
    graph: &CallGraph,
    leaving: &[Vec<usize>],
    runs: &[FigureId],
    own: &[Costs],
    figures: &mut Figures,
) -> Vec<Costs> {
    let mut inclusive: Vec<Costs> = own.to_vec();
    for function in &graph.bottom_up {
        if leaving[*function].is_empty() {
            continue;
        }
        let mut with_callees = |label: &str, unit, cost: fn(&Costs) -> FigureId| {
            let callees = leaving[*function].iter().map(|index| {
                Expr::from(runs[*index]) * Expr::from(cost(&inclusive[graph.sites[*index].callee]))
            });
            let own = Expr::from(cost(&own[*function]));
            figures.define(label, unit, Expr::sum(std::iter::once(own).chain(callees)))
        };
        inclusive[*function] = Costs {
            flops: with_callees("flops of one call, with callees", Unit::Flops, |c| c.flops),
            traffic: with_callees(
                "memory traffic of one call, with callees",
                Unit::Bytes,
                |c| c.traffic,
            ),
            seconds: with_callees("time of one call, with callees", Unit::Seconds, |c| {
                c.seconds
            }),
        };
    }
    inclusive
}

fn define_called_flops(
    graph: &CallGraph,
    sites: &[SiteFigures],
    figures: &mut Figures,
) -> HashMap<usize, FigureId> {
    let mut by_nest: Vec<(usize, FigureId)> = (graph.sites.iter().zip(sites))
        .filter_map(|(site, figures)| Some((site.loops?.0, figures.flops)))
        .collect();
    by_nest.sort_by_key(|(nest, _)| *nest);
    let nest_of = |a: &(usize, FigureId), b: &(usize, FigureId)| a.0 == b.0;
    (by_nest.chunk_by(nest_of))
        .map(|of_nest| {
            let sum = Expr::sum(of_nest.iter().map(|(_, id)| Expr::from(*id)));
            (
                of_nest[0].0,
                figures.define("flops of called procedures", Unit::Flops, sum),
            )
        })
        .collect()
}
