//! How often would a loop go round by its bounds, at the report's parameters and at those that fit the run? The
//! difference of the two is what a parameter that does not fit accounts for.

use super::bounds::Bounds;
use super::comparison::Suggestion;
use super::parameters::parameter;
use super::places::{LoopRef, Places};
use crate::report::StaticReport;

/// Mean rounds of each execution: at the values of the report, and with those that fit. `None` where the bounds depend on
/// more than parameters and the variable of the loop around.
pub fn trip_counts(
    report: &StaticReport,
    places: &Places,
    found: LoopRef,
    fitting: &[Suggestion],
) -> Option<(f64, f64)> {
    let own = Bounds::of(places.facts(found))?;
    let outer = places.chain(found).nth(1);
    let outer = outer.and_then(|outer| Bounds::of(places.facts(outer)));
    let given = |symbol: &str| parameter(report, found.function, symbol)?.1.value.known();
    let fits = |symbol: &str| {
        let (name, known) = parameter(report, found.function, symbol)?;
        let suggested = fitting.iter().find(|suggested| suggested.parameter == name);
        suggested
            .map(|suggested| suggested.fits)
            .or(known.value.known())
    };
    // At a mean of sizes, the mean of the rounds.
    let is_mean = fitting
        .iter()
        .any(|suggested| suggested.is_mean || suggested.is_trip_count);
    let at = |values: &dyn Fn(&str) -> Option<f64>| {
        let rounds = match is_mean {
            true => own.mean_rounds(values),
            false => own.rounds(values),
        };
        rounds.or_else(|| {
            let outer = outer.as_ref()?;
            Some(outer.rounds_inside(&own, values)? / outer.rounds(values)?)
        })
    };
    Some((at(&given)?, at(&fits)?))
}
