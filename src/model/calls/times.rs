//! How often call sites and functions run.

use std::collections::HashMap;

use super::{CallGraph, CallSite};
use crate::catalogue::StaticFigure as F;
use crate::expr::{Expr, FigureId};
use crate::figures::Figures;
use crate::loops::LoopCounts;
use crate::nest::{Nest, weight_expr};
use crate::nest_model::NestModel;
use crate::parameters::ParameterTable;

/// How often the loops around calls run, for each call site; `None` outside of loops.
pub(crate) struct Iterations(Vec<Option<FigureId>>);

impl Iterations {
    /// Of the nests of a model, with the position that each had among all nests of the program, and of others that are not
    /// in it though calls come through their loops.
    pub fn define(
        graph: &CallGraph,
        nests: (&[NestModel], impl Iterator<Item = usize>),
        others: &[(usize, Nest)],
        parameters: &ParameterTable,
        figures: &mut Figures,
    ) -> Iterations {
        let (nests, positions) = nests;
        let mut counts: HashMap<usize, Vec<LoopCounts>> = positions
            .zip(nests)
            .map(|(position, nest)| (position, nest.counts.clone()))
            .collect();
        for (position, nest) in others {
            counts.insert(*position, LoopCounts::define(nest, parameters, figures));
        }
        let of_site = |site: &CallSite| {
            let (nest, level) = site.loops?;
            Some(counts.get(&nest)?[level - 1].weighted)
        };
        Iterations(graph.sites.iter().map(of_site).collect())
    }
}

/// How often every call site and every function runs.
pub(crate) struct Times {
    /// Executions of each site in one call of its caller.
    pub runs: Vec<FigureId>,
    /// Executions of each site in all.
    pub sites: Vec<FigureId>,
    /// Calls of each function, of those whose calls the graph counts.
    pub functions: Vec<FigureId>,
}

impl Times {
    /// Of the sites and functions of a graph: a run begins once with each entry, or with each function that nothing calls
    /// if there is no entry.
    pub fn define(
        graph: &CallGraph,
        functions: usize,
        iterations: &Iterations,
        parameters: &ParameterTable,
        figures: &mut Figures,
    ) -> Times {
        let runs_of = |site: &CallSite, iterations: &Option<FigureId>, gate: Expr| {
            let symbol = |branch: &_| parameters.symbol(site.caller, branch);
            let iterations = iterations.map_or(Expr::from(1.0), Expr::from);
            iterations * weight_expr(&site.weight, &symbol) * gate
        };
        let mut runs: Vec<FigureId> = (graph.sites.iter().zip(&iterations.0))
            .map(|(site, iterations)| {
                let runs = runs_of(site, iterations, Expr::from(1.0));
                figures.define(F::CallsPerCall, runs)
            })
            .collect();
        let mut arriving: Vec<Vec<usize>> = vec![Vec::new(); functions];
        (graph.sites.iter().enumerate())
            .for_each(|(index, site)| arriving[site.callee].push(index));
        let mut times: Vec<Option<FigureId>> = vec![None; functions];
        let mut sites = runs.clone();
        let mut not_counted = None;
        for function in order(graph, &arriving, functions) {
            if !graph.counts(function) {
                let define = || figures.define(F::TimesCalled, Expr::from(0.0));
                times[function] = Some(*not_counted.get_or_insert_with(define));
                continue;
            }
            for index in &arriving[function] {
                let site = &graph.sites[*index];
                // Through pointers, only once something that is called has given them the function.
                let givers = site.givers.iter().map(|giver| times[*giver]);
                if let Some(givers @ [_, ..]) = givers.collect::<Option<Vec<_>>>().as_deref() {
                    let called = Expr::sum(givers.iter().copied().map(Expr::from));
                    let gate = Expr::min([Expr::from(1.0), called]);
                    let gated = runs_of(site, &iterations.0[*index], gate);
                    runs[*index] = figures.define(F::CallsPerCall, gated);
                }
                let caller = times[site.caller];
                let caller = caller.map_or(Expr::from(0.0), Expr::from);
                let all = caller * Expr::from(runs[*index]);
                sites[*index] = figures.define(F::CallsInAll, all);
            }
            let is_first = match &graph.reached {
                Some(reached) => reached.entries.contains(&function),
                None => arriving[function].is_empty(),
            };
            let first = Expr::from(f64::from(u8::from(is_first)));
            times[function] = Some(if arriving[function].is_empty() {
                figures.define(F::TimesCalled, first)
            } else {
                let called = arriving[function].iter().map(|index| sites[*index]);
                let called = figures.define_total(F::TimesCalled, called);
                match is_first {
                    false => called,
                    true => figures.define(F::TimesCalled, first + Expr::from(called)),
                }
            });
        }
        Times {
            runs,
            sites,
            functions: times.into_iter().flatten().collect(),
        }
    }
}

/// Every function after all that call it, and where that is possible after all that give it to pointers.
fn order(graph: &CallGraph, arriving: &[Vec<usize>], functions: usize) -> Vec<usize> {
    let mut waiting = graph.top_down(functions);
    if graph.sites.iter().all(|site| site.givers.is_empty()) {
        return waiting;
    }
    let mut found = Vec::with_capacity(functions);
    let mut is_done = vec![false; functions];
    while !waiting.is_empty() {
        let before = found.len();
        let mut later = Vec::new();
        for function in waiting {
            let mut sites = arriving[function].iter().map(|index| &graph.sites[*index]);
            let is_ready = sites.all(|site| {
                is_done[site.caller] && site.givers.iter().all(|giver| is_done[*giver])
            });
            if is_ready {
                is_done[function] = true;
                found.push(function);
            } else {
                later.push(function);
            }
        }
        // A function that leads to what gives it to pointers cannot wait for that.
        if found.len() == before && !later.is_empty() {
            let first = later.remove(0);
            is_done[first] = true;
            found.push(first);
        }
        waiting = later;
    }
    found
}
