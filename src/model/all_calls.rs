//! Time and traffic of a nest over all calls of its function: executions that are shown to find its data in a cache take
//! the time of those that do (guide: static-model, "Nests executed again").

use super::calls::Revisits;
use super::catalogue::StaticFigure as F;
use super::data_time::{Moves, data};
use super::figures::Figures;
use super::label::Subject;
use super::nest_model::NestModel;
use super::time::whole;
use super::traffic::is_on;
use crate::expr::{Expr, FigureId};
use crate::machine::MachineModel;
use crate::machine::parameters::SCENARIOS;

/// Seconds of so many calls.
pub(super) fn seconds(
    nest: &NestModel,
    calls: FigureId,
    revisits: Option<&Revisits>,
    machine: &MachineModel,
    figures: &mut Figures,
) -> Expr {
    let (calls, once) = (Expr::from(calls), Expr::from(nest.time.seconds));
    let cold = calls.clone() * once.clone();
    let Some(Revisits { cold: executions }) = revisits else {
        return cold;
    };
    let warm = figures.define_on(nest.nest.runs_on(), |figures| {
        let each = (0..executions.len()).map(|cache| warm_time(nest, cache, machine, figures));
        each.collect::<Vec<FigureId>>()
    });
    // Those that find nothing in the cache before, but all in this one.
    let before = std::iter::once(calls).chain(executions.iter().map(|id| Expr::from(*id)));
    let found = before
        .zip(executions)
        .map(|(all, cold)| all - Expr::from(*cold));
    let found = found
        .zip(warm)
        .map(|(executions, time)| executions * Expr::from(time));
    let last = executions.last().map(|cold| Expr::from(*cold) * once);
    let all = Expr::sum(found.chain(last));
    // The rule of scenarios knows no execution before.
    is_on(SCENARIOS, cold, all)
}

/// Bytes between the last cache and memory.
pub(super) fn traffic(nest: &NestModel, calls: FigureId, revisits: Option<&Revisits>) -> Expr {
    let bytes = Expr::from(nest.traffic.actual);
    let cold = Expr::from(calls) * bytes.clone();
    match revisits.and_then(|revisits| revisits.cold.last()) {
        None => cold,
        Some(executions) => is_on(SCENARIOS, cold, Expr::from(*executions) * bytes),
    }
}

/// An execution that finds its data in this cache, and nothing in those before it.
fn warm_time(
    nest: &NestModel,
    cache: usize,
    machine: &MachineModel,
    figures: &mut Figures,
) -> FigureId {
    let moves = Moves {
        of_cache: &|other: usize| Expr::from(f64::from(u8::from(other < cache))),
        // Whether pages are found again is not looked at.
        pages: nest.levels.pages.map(|pages| pages.missed.into()),
        conflicts: nest.time.conflicts().map(|found| found.seconds.into()),
        waiting: nest.time.waiting.map(Expr::from),
    };
    let data = data(nest, moves, machine, figures);
    let parts = (nest.time.core.into(), nest.time.text.map(Expr::from), data);
    let level = Subject::Level(nest.levels.caches[cache].name.as_str().into());
    figures.define(F::WarmTime.about(level), whole(parts))
}
