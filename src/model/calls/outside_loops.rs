//! What functions do outside their loops: in the nest that calls them, or with the function, but never in both.
//!
//! In front of a call in a loop stands what the callee does outside its own loops, with what it calls there: these are
//! operations of the calling nest. Only the other calls count with the function.

use super::CallGraph;
use super::costs::Costs;
use crate::analysis::facts::Rest;
use crate::catalogue::StaticFigure as F;
use crate::expr::{Expr, FigureId};
use crate::figures::Figures;

/// Flops of a function in one call.
#[derive(Clone, Copy)]
pub(super) struct Parts {
    /// Outside its loops.
    pub outside: FigureId,
    pub of_nests: FigureId,
}

/// What functions do outside their loops.
pub(super) struct OutsideLoops {
    parts: Vec<Parts>,
    /// By function: the flops outside its loops with those of callees that stand where these do.
    with_callees: Vec<FigureId>,
    /// By function: how often its work outside loops counts with it; `None` if it always does.
    counted_here: Vec<Option<FigureId>>,
}

impl OutsideLoops {
    /// What stands in front of a call of the function, where it does.
    pub fn with_callees(&self, function: usize) -> FigureId {
        self.with_callees[function]
    }

    /// The flops of all calls of a function that count with it.
    pub fn flops_of_all_calls(&self, function: usize, calls: FigureId, own: &Costs) -> Expr {
        let Some(here) = self.counted_here[function] else {
            return Expr::from(calls) * Expr::from(own.flops);
        };
        let Parts { outside, of_nests } = self.parts[function];
        Expr::from(calls) * Expr::from(of_nests) + Expr::from(here) * Expr::from(outside)
    }
}

/// Defines them; `runs` are those of sites in one call of the caller, `calls` those of functions in all.
pub(super) fn define(
    graph: &CallGraph,
    (runs, calls): (&[FigureId], &[FigureId]),
    parts: Vec<Parts>,
    figures: &mut Figures,
) -> OutsideLoops {
    let mut with_callees: Vec<FigureId> = parts.iter().map(|parts| parts.outside).collect();
    let leaving = graph.sites_by_caller();
    for function in &graph.bottom_up {
        let together = leaving[*function].iter();
        let together = together.filter(|site| graph.sites[**site].rest == Rest::WithCaller);
        let of_site = |site: &usize| {
            Expr::from(runs[*site]) * Expr::from(with_callees[graph.sites[*site].callee])
        };
        let callees: Vec<Expr> = together.map(of_site).collect();
        if !callees.is_empty() {
            let own = Expr::from(parts[*function].outside);
            let all = Expr::sum(std::iter::once(own).chain(callees));
            with_callees[*function] = figures.define(F::FlopsOutsideLoopsWithCallees, all);
        }
    }
    let mut counted_here: Vec<Option<FigureId>> = vec![None; parts.len()];
    let arriving = graph.by_callee(parts.len());
    for function in graph.top_down(parts.len()) {
        let counts_elsewhere = |site: &usize| match graph.sites[*site].rest {
            Rest::InFront => true,
            Rest::WithCaller => counted_here[graph.sites[*site].caller].is_some(),
            Rest::WithBody => false,
        };
        if !arriving[function].iter().any(counts_elsewhere) {
            continue;
        }
        let here = arriving[function].iter().filter_map(|index| {
            let site = &graph.sites[*index];
            let callers = match site.rest {
                Rest::InFront => return None,
                Rest::WithCaller => counted_here[site.caller].unwrap_or(calls[site.caller]),
                Rest::WithBody => calls[site.caller],
            };
            Some(Expr::from(callers) * Expr::from(runs[*index]))
        });
        let is_entry = (graph.reached.as_ref()).is_some_and(|r| r.entries.contains(&function));
        let first = Expr::from(f64::from(u8::from(is_entry)));
        let here = Expr::sum(here.chain([first]));
        counted_here[function] = Some(figures.define(F::CallsCountedHere, here));
    }
    OutsideLoops {
        parts,
        with_callees,
        counted_here,
    }
}
