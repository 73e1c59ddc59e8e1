//! How often call sites and functions run, and what functions cost.

use std::collections::HashMap;

use super::costs::{Calls, Costs, FunctionFigures, SiteFigures};
use super::outside_loops::{self, OutsideLoops, Parts};
use super::paths::define_paths;
use super::{CallGraph, CallSite, Times};
use crate::all_calls;
use crate::analysis::facts::Rest;
use crate::catalogue::StaticFigure as F;
use crate::expr::{Expr, FigureId, Symbol};
use crate::figures::Figures;
use crate::nest::{Weight, weight_expr};
use crate::nest_model::NestModel;
use crate::parameters::ParameterTable;
use crate::ranking::Ranking;

impl Calls {
    /// Defines the figures; `None` if the program has no call of a function of its own.
    pub(crate) fn define(
        graph: &CallGraph,
        times: &Times,
        (nests, ranking): (&[NestModel], &Ranking),
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
            full_runs,
            full,
        } = times;
        let (own, outside) = define_own(graph, nests, parameters, figures);
        let leaving = graph.sites_by_caller();
        let outside = outside_loops::define(graph, (full_runs, full), outside, figures);
        let inclusive = define_inclusive(graph, &leaving, full_runs, (&own, &outside), figures);
        let sites: Vec<SiteFigures> = (graph.sites.iter().zip(runs).zip(site_times))
            .zip(full_runs)
            .map(|(((site, runs), times), full_runs)| {
                let (runs, times, full_runs) = (*runs, *times, *full_runs);
                let flops = Expr::from(full_runs) * inclusive_flops(site, &inclusive, &outside);
                SiteFigures {
                    runs,
                    full_runs,
                    times,
                    flops: figures.define(F::CalledFlops, flops),
                }
            })
            .collect();
        let mut functions = Vec::with_capacity(own.len());
        for (index, own) in own.iter().enumerate() {
            let of_calls = (
                full[index],
                outside.flops_of_all_calls(index, full[index], own),
            );
            let executed = executed((index, of_calls, own), (nests, ranking), figures);
            functions.push(FunctionFigures {
                times: times[index],
                own: *own,
                inclusive: inclusive[index],
                executed,
            });
        }
        let mut total = |kind: F, cost: fn(&Costs) -> FigureId| {
            figures.define_total(kind, functions.iter().map(|f| cost(&f.executed)))
        };
        let executed = Costs {
            flops: total(F::FollowedFlops, |c| c.flops),
            traffic: total(F::FollowedTraffic, |c| c.traffic),
            seconds: total(F::FollowedTime, |c| c.seconds),
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
        calls.paths = define_paths(graph, &calls, (nests, ranking), figures);
        Some(calls)
    }
}

/// What the nests of a function cost over all of its calls, and its operations outside loops.
fn executed(
    (function, (calls, flops), own): (usize, (FigureId, Expr), &Costs),
    (nests, ranking): (&[NestModel], &Ranking),
    figures: &mut Figures,
) -> Costs {
    let all = |id: FigureId| Expr::from(calls) * Expr::from(id);
    let is_own = |nest: &usize| nests[*nest].nest.function == function;
    let own_nests: Vec<usize> = (0..nests.len()).filter(is_own).collect();
    // Where nothing is found again, the sum of a call says it.
    if (own_nests.iter()).all(|nest| ranking.revisits(*nest).is_none()) {
        return Costs {
            flops: figures.define(F::ExecutedFlops, flops),
            traffic: figures.define(F::ExecutedTraffic, all(own.traffic)),
            seconds: figures.define(F::ExecutedTime, all(own.seconds)),
        };
    }
    let flops = figures.define(F::ExecutedFlops, flops);
    let traffic = own_nests.iter().map(|nest| {
        let bytes = all_calls::traffic(&nests[*nest], calls, ranking.revisits(*nest));
        Expr::from(figures.define(F::NestTrafficOfAllCalls, bytes))
    });
    let traffic = Expr::sum(traffic.collect::<Vec<Expr>>());
    let seconds = own_nests.iter().filter_map(|nest| ranking.seconds(*nest));
    Costs {
        flops,
        traffic: figures.define(F::ExecutedTraffic, traffic),
        seconds: figures.define(F::ExecutedTime, Expr::sum(seconds.map(Expr::from))),
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

/// What the nests of every function cost, and its operations outside loops.
fn define_own(
    graph: &CallGraph,
    nests: &[NestModel],
    parameters: &ParameterTable,
    figures: &mut Figures,
) -> (Vec<Costs>, Vec<Parts>) {
    let mut by_function: Vec<Vec<&NestModel>> = vec![Vec::new(); graph.straight.len()];
    nests
        .iter()
        .for_each(|nest| by_function[nest.nest.function].push(nest));
    let (mut own, mut parts) = (Vec::new(), Vec::new());
    for (function, nests) in by_function.iter().enumerate() {
        let symbol = |branch: &Symbol| parameters.symbol(function, branch);
        let straight = Expr::sum(graph.straight[function].iter().map(|content| {
            Expr::from(content.flops.total().flops() as f64) * weight_expr(&content.weight, &symbol)
        }));
        let straight = figures.define(F::FlopsOutsideLoops, straight);
        let of_nests =
            figures.define_total(F::FlopsOfNests, nests.iter().map(|n| n.operations.flops));
        parts.push(Parts {
            outside: straight,
            of_nests,
        });
        let flops = Expr::from(straight) + Expr::from(of_nests);
        let traffic = nests.iter().map(|n| n.traffic.actual);
        let seconds = nests.iter().map(|n| n.time.seconds);
        own.push(Costs {
            flops: figures.define(F::FlopsOfCall, flops),
            traffic: figures.define_total(F::TrafficOfCall, traffic),
            seconds: figures.define_total(F::TimeOfCall, seconds),
        });
    }
    (own, parts)
}

/// The same with all that a function calls.
fn define_inclusive(
    graph: &CallGraph,
    leaving: &[Vec<usize>],
    runs: &[FigureId],
    (own, outside): (&[Costs], &OutsideLoops),
    figures: &mut Figures,
) -> Vec<Costs> {
    let mut inclusive: Vec<Costs> = own.to_vec();
    for function in &graph.bottom_up {
        if leaving[*function].is_empty() {
            continue;
        }
        let flops = leaving[*function].iter().map(|index| {
            Expr::from(runs[*index]) * inclusive_flops(&graph.sites[*index], &inclusive, outside)
        });
        let own_flops = std::iter::once(Expr::from(own[*function].flops));
        let flops = figures.define(F::InclusiveFlops, Expr::sum(own_flops.chain(flops)));
        let mut with_callees = |kind: F, cost: fn(&Costs) -> FigureId| {
            let callees = leaving[*function].iter().map(|index| {
                Expr::from(runs[*index]) * Expr::from(cost(&inclusive[graph.sites[*index].callee]))
            });
            let own = Expr::from(cost(&own[*function]));
            figures.define(kind, Expr::sum(std::iter::once(own).chain(callees)))
        };
        inclusive[*function] = Costs {
            flops,
            traffic: with_callees(F::InclusiveTraffic, |c| c.traffic),
            seconds: with_callees(F::InclusiveTime, |c| c.seconds),
        };
    }
    inclusive
}

/// Flops of one call with all that is called, but for what counts in front of it.
fn inclusive_flops(site: &CallSite, inclusive: &[Costs], outside: &OutsideLoops) -> Expr {
    let all = Expr::from(inclusive[site.callee].flops);
    match site.rest {
        Rest::InFront => all - Expr::from(outside.with_callees(site.callee)),
        Rest::WithBody | Rest::WithCaller => all,
    }
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
            (of_nest[0].0, figures.define(F::FlopsCalledInNest, sum))
        })
        .collect()
}
