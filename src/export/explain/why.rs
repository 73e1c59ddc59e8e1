//! Why a nest takes its time, in a sentence.

use super::conditions;
use super::screen::{bytes, taken};
use crate::model::{
    BoundBy, CacheFigures, LevelFigures, LevelKind, Model, NestModel, ReuseFigures, scenario_name,
};
use crate::quantity::significant;

pub(crate) const ARITHMETIC: &str = "arithmetic at peak takes longer than all data movement";
pub(crate) const CHAINS: &str =
    "each iteration waits for a result of the previous one, so neither vectors nor more ports help";
pub(crate) const PORTS: &str =
    "issuing loads, stores and arithmetic takes the core longer than moving the data";
pub(crate) const IRREGULAR: &str =
    "no prefetcher predicts the lines that it accesses, so it waits for most of them";
pub(crate) const TEXT: &str =
    "writing or reading numbers as text takes longer than computing them and moving data";
pub(crate) const BRANCHES: &str =
    "the core goes on the wrong way at branches that data decide, and has to come back";
pub(crate) const EVERY_ACCESS: &str = "every load and store goes to";
pub(crate) const BY_SCENARIOS: &str = ": by the rule of scenarios; sheet Scenarios shows them all";
pub(crate) const NEVER: &str = "with these sizes it does not run";
pub(crate) const NOTHING: &str = "it has no floating-point operations and accesses no arrays, which is all that the estimate counts";
pub(crate) const UNKNOWN: &str = "the time is unknown because something it depends on is unknown";

/// The cache whose misses a level serves; `None` for the nearest one, which serves loads and stores, and for traffic that
/// is not that of caches.
pub(super) fn behind<'n>(
    model: &Model,
    nest: &'n NestModel,
    level: &LevelFigures,
) -> Option<&'n CacheFigures> {
    let caches = &nest.levels.caches;
    match level.kind {
        LevelKind::Memory if model.machine.has_scenarios() => None,
        LevelKind::Memory => caches.last(),
        LevelKind::Cache => caches.iter().find(|cache| cache.bytes == level.bytes),
    }
}

/// Whether nothing of the nest takes time, so that nothing bounds it.
pub(super) fn is_nothing(model: &Model, nest: &NestModel) -> bool {
    model.value(nest.time.seconds) == 0.0
}

/// What bounds the nest, and what that comes from.
pub(super) fn sentence(model: &Model, nest: &NestModel) -> String {
    let time = &nest.time;
    if is_nothing(model, nest) {
        return match model.value(nest.iterations) == 0.0 {
            true => NEVER.to_string(),
            false => NOTHING.to_string(),
        };
    }
    match time.bound_by(model.value(time.bound)) {
        None => UNKNOWN.to_string(),
        Some(BoundBy::Arithmetic) => ARITHMETIC.to_string(),
        Some(BoundBy::Chains) => CHAINS.to_string(),
        Some(BoundBy::Ports) => PORTS.to_string(),
        Some(BoundBy::Irregular) => IRREGULAR.to_string(),
        Some(BoundBy::Text) => TEXT.to_string(),
        Some(BoundBy::Branches) => BRANCHES.to_string(),
        Some(BoundBy::Level(position)) => of_level(model, nest, &time.levels[position]),
    }
}

fn of_level(model: &Model, nest: &NestModel, level: &LevelFigures) -> String {
    let moved = bytes(model.value(level.bytes));
    if level.kind == LevelKind::Memory && model.machine.has_scenarios() {
        return of_scenarios(model, nest, level);
    }
    let Some(cache) = behind(model, nest, level) else {
        return format!("{EVERY_ACCESS} {}: {moved}", level.name);
    };
    // Of a mean call, as the bytes that are moved.
    let taken = Some(taken(model, nest)).filter(|taken| *taken > 0.0);
    let footprint = model.value(nest.working_sets.footprint) * taken.unwrap_or(1.0);
    let times = match footprint > 0.0 {
        true => format!(
            ", {} × the footprint of {}",
            significant(model.value(level.bytes) / footprint),
            bytes(footprint)
        ),
        false => String::new(),
    };
    let position = nest
        .levels
        .caches
        .iter()
        .position(|other| std::ptr::eq(other, cache));
    let again = position.and_then(|at| most_again(model, nest, at));
    let reason = match again {
        Some((reuse, again)) => format!(
            "; {} of it is moved again because loop {} returns after {}, which {} ({}) does not hold",
            bytes(again),
            reuse.carrier,
            bytes(model.value(reuse.distance)),
            cache.name,
            conditions::capacity(model, cache)
        ),
        None => format!("; {} holds all reused data", cache.name),
    };
    format!("{} moves {moved}{times}{reason}", level.name)
}

/// The reuse that costs a cache most, with its bytes.
fn most_again<'n>(
    model: &Model,
    nest: &'n NestModel,
    cache: usize,
) -> Option<(&'n ReuseFigures, f64)> {
    let cost = |reuse: &'n ReuseFigures| {
        let (fetched, written, _) = reuse.caches.get(cache)?;
        Some((reuse, model.value(*fetched) + model.value(*written)))
    };
    let costs = nest.levels.reuses.iter().filter_map(cost);
    costs
        .filter(|(_, bytes)| *bytes > 0.0)
        .max_by(|a, b| a.1.total_cmp(&b.1))
}

/// Where the scenarios of ExaSAT say what memory moves.
fn of_scenarios(model: &Model, nest: &NestModel, level: &LevelFigures) -> String {
    let moved = model.value(level.bytes);
    let same = |id: &crate::expr::FigureId| model.value(*id) == moved;
    let scenario = nest.traffic.scenarios.iter().position(same);
    let reused = scenario.map_or_else(
        || "between blocks".to_string(),
        |index| match index {
            0 => "nowhere".to_string(),
            _ => scenario_name(index),
        },
    );
    format!(
        "DRAM moves {}: by the rule of scenarios, with a cache of {}, elements are reused {reused}",
        bytes(moved),
        bytes(model.figures.input("cache_bytes").unwrap_or(f64::NAN))
    )
}
