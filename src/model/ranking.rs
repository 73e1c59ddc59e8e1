//! What nests are ranked by: their time over all calls of their functions, followed from where a run begins; where nothing
//! says where that is, the time of one call.

use super::all_calls;
use super::calls::{CallGraph, Revisits, Times};
use super::catalogue::StaticFigure as F;
use super::figures::Figures;
use super::nest_model::NestModel;
use super::summary::{Totals, define_ratio};
use crate::expr::{Expr, FigureId};
use crate::machine::MachineModel;

/// The figures that nests are ranked by.
pub struct Ranking {
    /// Whether calls are followed from where a run begins.
    pub follows_calls: bool,
    /// By nest; `None` where not reached by any call that could be followed from where a run begins.
    nests: Vec<Option<Ranked>>,
    /// Of all ranked nests together.
    pub total: FigureId,
    /// The same with the nests that are left out of the model, whose time is that as written.
    pub whole: FigureId,
    /// By nest: executions that may not find its data, where some are shown to.
    revisits: Vec<Option<Revisits>>,
}

/// Figures of one nest over a run of the program.
#[derive(Clone, Copy)]
pub struct Ranked {
    /// How often its function is called; `None` where calls are not followed.
    pub calls: Option<FigureId>,
    /// The same, each with its size over that of the largest.
    pub full: Option<FigureId>,
    /// Seconds of all these calls.
    pub seconds: FigureId,
    /// Its part of the time of all ranked nests, also of those that are left out of the model.
    pub share: FigureId,
}

/// Of nests in some order those that outputs are to list, at most so many.
pub fn listed(nests: &[NestModel], mut ranked: Vec<usize>, most: usize) -> Vec<usize> {
    ranked.retain(|nest| nests[*nest].nest.is_shown());
    ranked.truncate(most);
    ranked
}

/// A time to twelve digits. Nests are ranked by these, so that equal times stay equal whatever rounding their last digit has:
/// spreadsheets multiply and add in an order of their own.
pub fn rank_key(seconds: f64) -> f64 {
    format!("{seconds:.11e}").parse().unwrap_or(seconds)
}

impl Ranking {
    pub(super) fn define(
        graph: &CallGraph,
        (times, revisits): (&Times, Vec<Option<Revisits>>),
        (nests, totals, others): (&[NestModel], &Totals, Option<f64>),
        machine: &MachineModel,
        figures: &mut Figures,
    ) -> Ranking {
        let over_calls = |index: usize, figures: &mut Figures| match &graph.reached {
            None => Some((None, None, nests[index].time.seconds)),
            Some(reached) => reached.includes(nests[index].nest.function).then(|| {
                let nest = &nests[index];
                let calls = times.functions[nest.nest.function];
                let full = times.full[nest.nest.function];
                let again = revisits[index].as_ref();
                let seconds = all_calls::seconds(nest, full, again, machine, figures);
                let seconds = figures.define(F::NestTimeOfAllCalls, seconds);
                (Some(calls), Some(full), seconds)
            }),
        };
        let found = (0..nests.len()).map(|index| over_calls(index, figures));
        let found: Vec<_> = found.collect();
        let follows_calls = graph.reached.is_some();
        let total = match follows_calls {
            false => totals.seconds,
            true => {
                // A nest of unknown time leaves the shares of the others known.
                let is_known = |seconds: &FigureId| figures.value(*seconds).is_finite();
                let seconds = found.iter().flatten().map(|(_, _, seconds)| *seconds);
                let seconds: Vec<FigureId> = seconds.filter(is_known).collect();
                let seconds = seconds.into_iter().map(Expr::from);
                // Not all nests, so that no range of a table holds them.
                figures.define(F::ProgramTime, Expr::sum(seconds))
            }
        };
        let whole = match others {
            None => total,
            Some(others) => figures.define(F::WholeTime, Expr::from(total) + others),
        };
        let mut ranked = |(calls, full, seconds): (_, _, FigureId)| Ranked {
            calls,
            full,
            seconds,
            share: define_ratio(F::ShareOfTime, (seconds, whole), figures),
        };
        Ranking {
            follows_calls,
            nests: found
                .into_iter()
                .map(|found| found.map(&mut ranked))
                .collect(),
            total,
            whole,
            revisits,
        }
    }

    /// Figures of the nest at a position; `None` where not reached by any call that could be followed from where a run begins.
    pub fn of(&self, nest: usize) -> Option<&Ranked> {
        self.nests[nest].as_ref()
    }

    /// Executions of a nest that may not find its data in caches; `None` if none are shown to.
    pub fn revisits(&self, nest: usize) -> Option<&Revisits> {
        self.revisits[nest].as_ref()
    }

    /// What it is ranked by.
    pub fn seconds(&self, nest: usize) -> Option<FigureId> {
        Some(self.of(nest)?.seconds)
    }

    /// All nests, the costliest first, [equal](rank_key) ones in program order. Those of unknown time come behind the others,
    /// and behind them those that no calls lead to.
    pub fn order(&self, nests: &[NestModel], figures: &Figures) -> Vec<usize> {
        let key = |index: usize| {
            let is_reached = self.of(index).is_some();
            let seconds = figures.value(self.seconds(index).unwrap_or(nests[index].time.seconds));
            let known = if seconds.is_nan() {
                f64::NEG_INFINITY
            } else {
                rank_key(seconds)
            };
            (is_reached, known)
        };
        let mut ranked: Vec<((bool, f64), usize)> = (0..nests.len()).map(key).zip(0..).collect();
        ranked.sort_by(|(a, _), (b, _)| b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)));
        ranked.into_iter().map(|(_, index)| index).collect()
    }

    /// The nests with the longest times, the longest first: those whose time is known and that calls lead to.
    pub fn costliest(&self, nests: &[NestModel], most: usize, figures: &Figures) -> Vec<usize> {
        let mut ranked = self.order(nests, figures);
        ranked.retain(|nest| {
            self.seconds(*nest)
                .is_some_and(|seconds| figures.value(seconds).is_finite())
        });
        ranked.truncate(most);
        ranked
    }

    /// The nests with the most [work](Ranking::work), the most first.
    pub(super) fn busiest(
        &self,
        nests: &[NestModel],
        most: usize,
        figures: &Figures,
    ) -> Vec<usize> {
        let mut ranked: Vec<(f64, usize)> = (nests.iter().zip(0..))
            .filter_map(|(nest, index)| Some((self.work((nest, index), figures)?, index)))
            .filter(|(work, _)| work.is_finite())
            .collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        ranked
            .into_iter()
            .take(most)
            .map(|(_, index)| index)
            .collect()
    }

    /// The bytes of all references of a nest and 8 bytes for each operation, over all calls; `None` of one that has no
    /// rank. No machine changes it, so that the rows of sheets stay the same whatever a machine is set to.
    pub(super) fn work(
        &self,
        (nest, index): (&NestModel, usize),
        figures: &Figures,
    ) -> Option<f64> {
        const BYTES: f64 = 8.0;
        let bytes = nest.nest.streams.iter().map(|used| {
            let accesses = used.stream.accesses.iter();
            let references: u64 = accesses.map(|access| access.reads + access.writes).sum();
            references as f64 * used.stream.element_bytes.map_or(BYTES, f64::from)
        });
        let once = figures.value(nest.iterations) * bytes.sum::<f64>()
            + figures.value(nest.operations.flops) * BYTES;
        let calls = self.of(index)?.full.map_or(1.0, |id| figures.value(id));
        Some(once * calls)
    }
}
