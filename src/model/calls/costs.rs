//! What calls add to the figures of nests: how often sites and functions run, what they cost, and the costliest paths.

use std::collections::HashMap;

use crate::expr::FigureId;
use crate::figures::Figures;

/// A nest under the functions that lead to it.
pub struct CallPath {
    /// From a function that nothing calls to the nest's own.
    pub functions: Vec<usize>,
    pub nest: usize,
    /// Number of calls of the last function along this path.
    pub times: FigureId,
    pub costs: Costs,
}

/// Figures of one call site.
#[derive(Clone, Copy)]
pub struct SiteFigures {
    /// Executions in one call of the caller.
    pub runs: FigureId,
    /// The same, each with its size over that of the largest.
    pub full_runs: FigureId,
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
    /// Its own nests, and its operations outside loops, in one call.
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
    pub fn sites_in(&self, function: usize) -> impl Iterator<Item = usize> + '_ {
        self.leaving[function].iter().copied()
    }

    /// The costliest call paths, the costliest first.
    pub fn ranked_paths(&self, figures: &Figures) -> Vec<&CallPath> {
        let seconds = |path: &CallPath| figures.value(path.costs.seconds);
        let mut ranked: Vec<&CallPath> = self.paths.iter().collect();
        ranked.sort_by(|a, b| seconds(b).total_cmp(&seconds(a)));
        ranked
    }
}
