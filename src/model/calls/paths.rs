//! The costliest call paths.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::CallGraph;
use super::costs::{CallPath, Calls, Costs};
use crate::all_calls;
use crate::catalogue::StaticFigure as F;
use crate::expr::{Comparison, Expr, FigureId};
use crate::figures::Figures;
use crate::nest_model::NestModel;
use crate::ranking::Ranking;

/// So many paths are kept, the costliest.
const MOST_PATHS: usize = 50;
/// Paths through more functions are not followed.
const LONGEST_PATH: usize = 40;
/// So many partial paths are looked at on the way to them.
const MOST_STEPS: usize = 20_000;

/// A path on the way, or a nest at the end of one; ordered by what it may still cost.
struct Candidate {
    bound: f64,
    times: f64,
    functions: Vec<usize>,
    /// For each step, the sites that take it.
    steps: Vec<Vec<usize>>,
    nest: Option<usize>,
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Candidate) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate {}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Candidate) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Candidate {
    fn cmp(&self, other: &Candidate) -> Ordering {
        let earlier = || (&other.functions, other.nest).cmp(&(&self.functions, self.nest));
        self.bound.total_cmp(&other.bound).then_with(earlier)
    }
}

/// The costliest paths, in program order, so that no input of the model moves a row of the sheet: a path is
/// followed while what lies below it may cost more than any other. A function that is called along several
/// paths is on each with its part of the calls.
pub(super) fn define_paths(
    graph: &CallGraph,
    calls: &Calls,
    (nests, ranking): (&[NestModel], &Ranking),
    figures: &mut Figures,
) -> Vec<CallPath> {
    let known = |value: f64| if value.is_finite() { value } else { 0.0 };
    let below = &calls.leaving;
    let mut own: Vec<Vec<usize>> = vec![Vec::new(); calls.functions.len()];
    let mut is_called = vec![false; calls.functions.len()];
    graph
        .sites
        .iter()
        .for_each(|site| is_called[site.callee] = true);
    (nests.iter().enumerate()).for_each(|(index, nest)| own[nest.nest.function].push(index));
    let cost = |function: usize, figures: &Figures| {
        known(figures.value(calls.functions[function].inclusive.seconds))
    };
    let is_first = |function: &usize| match &graph.reached {
        Some(reached) => reached.entries.contains(function),
        None => !is_called[*function],
    };
    let mut heap: BinaryHeap<Candidate> = (0..is_called.len())
        .filter(is_first)
        .map(|f| Candidate {
            bound: cost(f, figures),
            times: 1.0,
            functions: vec![f],
            steps: Vec::new(),
            nest: None,
        })
        .collect();
    let mut chosen = Vec::new();
    for _ in 0..MOST_STEPS {
        let Some(candidate) = heap.pop() else { break };
        if candidate.nest.is_some() {
            chosen.push(candidate);
            if chosen.len() == MOST_PATHS {
                break;
            }
            continue;
        }
        let Candidate {
            times,
            functions,
            steps,
            ..
        } = candidate;
        let last = functions[functions.len() - 1];
        for nest in &own[last] {
            let bound = times * known(figures.value(nests[*nest].time.seconds));
            heap.push(Candidate {
                bound,
                times,
                functions: functions.clone(),
                steps: steps.clone(),
                nest: Some(*nest),
            });
        }
        if functions.len() == LONGEST_PATH {
            continue;
        }
        // Sites are ordered by callee.
        for sites in below[last].chunk_by(|a, b| graph.sites[*a].callee == graph.sites[*b].callee) {
            let callee = graph.sites[sites[0]].callee;
            let times = times
                * sites
                    .iter()
                    .map(|site| known(figures.value(calls.sites[*site].full_runs)))
                    .sum::<f64>();
            let functions = functions.iter().copied().chain([callee]).collect();
            let steps = steps.iter().cloned().chain([sites.to_vec()]).collect();
            heap.push(Candidate {
                bound: times * cost(callee, figures),
                times,
                functions,
                steps,
                nest: None,
            });
        }
    }
    chosen.sort_by(|a, b| (&a.functions, a.nest).cmp(&(&b.functions, b.nest)));
    let define = |Candidate {
                      functions,
                      steps,
                      nest,
                      ..
                  }| {
        let nest = nest?;
        Some(define_path(
            functions,
            &steps,
            (nest, &nests[nest], ranking),
            calls,
            figures,
        ))
    };
    chosen.into_iter().filter_map(define).collect()
}

fn define_path(
    functions: Vec<usize>,
    steps: &[Vec<usize>],
    (nest, model, ranking): (usize, &NestModel, &Ranking),
    calls: &Calls,
    figures: &mut Figures,
) -> CallPath {
    let step = |sites: &Vec<usize>| {
        Expr::sum(sites.iter().map(|site| Expr::from(calls.sites[*site].runs)))
    };
    let full = |sites: &Vec<usize>| {
        Expr::sum((sites.iter()).map(|site| Expr::from(calls.sites[*site].full_runs)))
    };
    let times = figures.define(F::PathCalls, Expr::product(steps.iter().map(step)));
    let is_smaller = |site: &usize| calls.sites[*site].full_runs != calls.sites[*site].runs;
    let of_full_size = match steps.iter().flatten().any(is_smaller) {
        true => figures.define(F::FullCalls, Expr::product(steps.iter().map(full))),
        false => times,
    };
    let all = |id: FigureId| Expr::from(of_full_size) * Expr::from(id);
    let found = ranking.of(nest).zip(ranking.revisits(nest));
    let found = found.and_then(|(ranked, found)| Some((ranked.full?, ranked.seconds, found)));
    let (traffic, seconds) = match found {
        None => (all(model.traffic.actual), all(model.time.seconds)),
        // Its part of all calls.
        Some((calls, seconds, found)) => {
            let (of_path, none) = (Expr::from(times), Expr::from(0.0));
            let part = of_path.quotient(calls.into());
            let part = Expr::choose(Comparison::Greater, calls.into(), none.clone(), part, none);
            let bytes = all_calls::traffic(model, calls, Some(found));
            (part.clone() * bytes, part * Expr::from(seconds))
        }
    };
    let costs = Costs {
        flops: figures.define(F::PathFlops, all(model.operations.flops)),
        traffic: figures.define(F::PathTraffic, traffic),
        seconds: figures.define(F::PathTime, seconds),
    };
    CallPath {
        functions,
        nest,
        times,
        costs,
    }
}
