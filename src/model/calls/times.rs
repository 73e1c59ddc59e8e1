//! How often call sites and functions run.
//!
//! A call of a function that calls itself b times in one call of its own leads to 1 + b + b² + … calls, as deep as they go.

use std::collections::HashMap;

use super::{CallGraph, CallSite};
use crate::catalogue::StaticFigure as F;
use crate::expr::{Comparison, Expr, FigureId};
use crate::figures::Figures;
use crate::loops::LoopCounts;
use crate::nest::{Nest, Weight, weight_expr};
use crate::nest_model::NestModel;
use crate::parameters::ParameterTable;

/// How often the loops around calls run, for each call site; `None` outside loops.
pub(crate) struct Iterations {
    sites: Vec<Option<FigureId>>,
    /// The same of the calls of functions by themselves.
    again: Vec<Vec<Option<FigureId>>>,
}

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
        let again = graph.again.iter();
        Iterations {
            sites: graph.sites.iter().map(of_site).collect(),
            again: again
                .map(|again| again.sites.iter().map(of_site).collect())
                .collect(),
        }
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
    /// Executions of each site in one call of its caller, each with its size over that of the largest.
    pub full_runs: Vec<FigureId>,
    /// Calls of each function, each with its size over that of the largest: the same as all where none are smaller.
    pub full: Vec<FigureId>,
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
        let levels = levels(graph, &iterations.again, parameters, figures);
        let once = |index: usize| {
            let site = &graph.sites[index];
            let own = runs_of(site, &site.weight, iterations.sites[index], parameters);
            match levels.get(&site.callee) {
                Some(levels) => own * Expr::from(levels.calls),
                None => own,
            }
        };
        let waits = |index: usize| {
            let CallSite {
                callee,
                is_ambiguous,
                ..
            } = graph.sites[index];
            is_ambiguous && !graph.givers.of_function(callee).is_empty()
        };
        let mut runs: Vec<Option<FigureId>> = (0..graph.sites.len())
            .map(|index| (!waits(index)).then(|| figures.define(F::CallsPerCall, once(index))))
            .collect();
        let arriving = graph.by_callee(functions);
        let mut sites = vec![None; runs.len()];
        let mut times: Vec<Option<FigureId>> = vec![None; functions];
        let mut not_counted = None;
        for function in graph.top_down(functions) {
            for index in &arriving[function] {
                if runs[*index].is_some() {
                    continue;
                }
                // A pointer means it if it has been given to one.
                let givers = graph.givers.of_function(function).iter();
                let given = Expr::sum(givers.filter_map(|giver| times[*giver]).map(Expr::from));
                let runs_if_given = once(*index) * Expr::min([given, Expr::from(1.0)]);
                runs[*index] = Some(figures.define(F::CallsPerCall, runs_if_given));
            }
            if !graph.counts(function) {
                let define = || figures.define(F::TimesCalled, Expr::from(0.0));
                times[function] = Some(*not_counted.get_or_insert_with(define));
                continue;
            }
            for index in &arriving[function] {
                let caller: Option<FigureId> = times[graph.sites[*index].caller];
                let caller = caller.map_or(Expr::from(0.0), Expr::from);
                let all = caller * runs[*index].map_or(Expr::from(0.0), Expr::from);
                sites[*index] = Some(figures.define(F::CallsInAll, all));
            }
            let is_first = match &graph.reached {
                Some(reached) => reached.entries.contains(&function),
                None => arriving[function].is_empty(),
            };
            let first = Expr::from(f64::from(u8::from(is_first)));
            times[function] = Some(if arriving[function].is_empty() {
                figures.define(F::TimesCalled, first)
            } else {
                let called = arriving[function].iter().filter_map(|index| sites[*index]);
                let called = figures.define_total(F::TimesCalled, called);
                match is_first {
                    false => called,
                    true => figures.define(F::TimesCalled, first + Expr::from(called)),
                }
            });
        }
        let runs: Vec<FigureId> = runs.into_iter().flatten().collect();
        let times: Vec<FigureId> = times.into_iter().flatten().collect();
        let (full_runs, full) = full(
            (graph, &arriving, &levels),
            (&runs, &times),
            parameters,
            figures,
        );
        let sites = sites
            .iter()
            .zip(&runs)
            .map(|(all, own)| all.unwrap_or(*own));
        Times {
            sites: sites.collect(),
            runs,
            functions: times,
            full_runs,
            full,
        }
    }
}

/// How often a call runs in one call of its caller, with these branches around it.
fn runs_of(
    site: &CallSite,
    weight: &Weight,
    iterations: Option<FigureId>,
    parameters: &ParameterTable,
) -> Expr {
    let symbol = |branch: &_| parameters.symbol(site.caller, branch);
    let iterations = iterations.map_or(Expr::from(1.0), Expr::from);
    let times = site.times.as_ref();
    let times = times.map_or(Expr::from(1.0), |times| {
        parameters.resolve(site.caller, times)
    });
    iterations * times * weight_expr(weight, &symbol)
}

/// What a call of a function that calls itself leads to.
struct Levels {
    calls: FigureId,
    /// The same, each with its size over that of the first.
    full: FigureId,
}

/// Of every function that calls itself.
fn levels(
    graph: &CallGraph,
    iterations: &[Vec<Option<FigureId>>],
    parameters: &ParameterTable,
    figures: &mut Figures,
) -> HashMap<usize, Levels> {
    let mut found = HashMap::new();
    for (again, iterations) in graph.again.iter().zip(iterations) {
        let recursion = &again.recursion;
        let own = again.sites.iter().zip(iterations).zip(&again.ends);
        let own = own.map(|((site, iterations), ends)| {
            let mut weight = site.weight.clone();
            weight.retain(|(branch, _)| !recursion.ends.contains(branch));
            let runs = runs_of(site, &weight, *iterations, parameters);
            if ends.is_empty() {
                return runs;
            }
            // Iterations of the loops around are weighted by these branches.
            let symbol = |branch: &_| parameters.symbol(site.caller, branch);
            let (taken, none) = (weight_expr(ends, &symbol), Expr::from(0.0));
            let runs = runs.quotient(taken.clone());
            Expr::choose(Comparison::Greater, taken, none.clone(), runs, none)
        });
        let own = figures.define(F::CallsOfItself, Expr::sum(own.collect::<Vec<_>>()));
        let depth = parameters.resolve(again.function, &recursion.depth);
        let calls = |size: &Expr| {
            let each = Expr::from(own) * size.clone();
            Expr::min([along_levels(each, depth.clone()), recursion.most.clone()])
        };
        let levels = Levels {
            calls: figures.define(F::CallsAlongLevels, calls(&Expr::from(1.0))),
            full: figures.define(F::FullCallsAlongLevels, calls(&recursion.size)),
        };
        found.insert(again.function, levels);
    }
    found
}

/// 1 + b + b² + … + b^d; larger powers than a number can be are left out, as there is a limit to all.
fn along_levels(b: Expr, d: Expr) -> Expr {
    const LARGEST: (f64, f64) = (250.0, 120.0);
    let one = Expr::from(1.0);
    let base = Expr::min([b.clone(), LARGEST.0.into()]);
    let many = Expr::min([d.clone() + 1.0, LARGEST.1.into()]);
    let grows = (base.clone().power(many) - 1.0).quotient(base - 1.0);
    let shrinks =
        (one.clone() - b.clone().power(d.clone() + 1.0)).quotient(one.clone() - b.clone());
    let otherwise = Expr::choose(Comparison::Greater, b.clone(), one.clone(), grows, shrinks);
    // Near one the difference of two such powers has no figures left.
    let apart = (b - one).absolute();
    Expr::choose(Comparison::Less, apart, 1e-6.into(), d + 1.0, otherwise)
}

/// The same numbers of calls as if all were of the largest size: what calls of smaller sizes cost is less in proportion.
fn full(
    (graph, arriving, levels): (&CallGraph, &[Vec<usize>], &HashMap<usize, Levels>),
    (runs, times): (&[FigureId], &[FigureId]),
    parameters: &ParameterTable,
    figures: &mut Figures,
) -> (Vec<FigureId>, Vec<FigureId>) {
    let (mut full_runs, mut full) = (runs.to_vec(), times.to_vec());
    for (site, runs) in graph.sites.iter().zip(&mut full_runs) {
        let share = site.share.as_ref();
        let share = share.map(|share| parameters.resolve(site.caller, share));
        let levels = levels.get(&site.callee);
        let of_levels = levels.map(|levels| Expr::from(levels.full).quotient(levels.calls.into()));
        if share.is_some() || of_levels.is_some() {
            let share = Expr::product(share.into_iter().chain(of_levels));
            *runs = figures.define(F::FullCallsPerCall, Expr::from(*runs) * share);
        }
    }
    for function in graph.top_down(times.len()) {
        let is_smaller = |index: &usize| {
            let caller = graph.sites[*index].caller;
            full_runs[*index] != runs[*index] || full[caller] != times[caller]
        };
        if !graph.counts(function) || !arriving[function].iter().any(is_smaller) {
            continue;
        }
        let called = arriving[function].iter().map(|index| {
            Expr::from(full[graph.sites[*index].caller]) * Expr::from(full_runs[*index])
        });
        let is_entry = (graph.reached.as_ref()).is_some_and(|r| r.entries.contains(&function));
        let first = Expr::from(f64::from(u8::from(is_entry)));
        let called = Expr::sum(called.chain([first]));
        full[function] = figures.define(F::FullCalls, called);
    }
    (full_runs, full)
}
