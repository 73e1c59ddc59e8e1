//! Reports as JSON (the documented keys are the fields of [`crate::report`]).

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::compare::Comparison;
use crate::metrics::profiles::Profiles;
use crate::metrics::rank::Rank;
use crate::metrics::report::{TimelineReport, TraceReport};
use crate::metrics::slices::Slices;
use crate::model::{Detail, Model};
use crate::report::{
    FunctionReport, ProfilesReport, RankReport, RunReport, SlicesReport, StaticReport,
    TimelineRunReport, ValidationReport,
};
use crate::validate::Report;

/// The whole analysis, with times over a range of single inputs. What it says does not depend on what else the model was
/// built for.
pub fn report(model: &Model) -> String {
    on_numbers(model, |model| {
        let swept = model.for_sensitivity();
        render(&with_rendered_functions(model, Some(&swept)))
    })
}

/// The same without these times.
pub fn analysis(model: &Model) -> String {
    on_numbers(model, |model| render(&with_rendered_functions(model, None)))
}

/// The report of a trace.
pub fn trace(report: &TraceReport) -> String {
    render(&RunReport::of(report))
}

/// The report of a timeline without a trace.
pub fn timeline(report: &TimelineReport) -> String {
    render(&TimelineRunReport::of(report))
}

/// Epochs of several traces.
pub fn profiles(profiles: &Profiles) -> String {
    render(&ProfilesReport::of(profiles))
}

/// Weighted slices of a run.
pub fn slices(slices: &Slices) -> String {
    render(&SlicesReport::of(slices))
}

/// Several traces side by side.
pub fn rank(rank: &Rank) -> String {
    render(&RankReport::of(rank))
}

/// A comparison.
pub fn comparison(comparison: &Comparison) -> String {
    #[derive(Serialize)]
    struct WithSchema<'c> {
        schema: &'static str,
        #[serde(flatten)]
        comparison: &'c Comparison,
    }
    render(&WithSchema {
        schema: "loopsheet/compare/1",
        comparison,
    })
}

/// A validation.
pub fn validation(report: &Report) -> String {
    render(&ValidationReport::of(report))
}

/// Functions stand on one line each.
fn with_rendered_functions(model: &Model, swept: Option<&Model>) -> StaticReport<Box<RawValue>> {
    StaticReport::with_functions(model, swept, |function: FunctionReport| {
        to_raw_value(&function).expect("a report has no maps with keys that are not text")
    })
}

/// Renders the model with numbers, whether it has formulas or not.
fn on_numbers(model: &Model, render: impl FnOnce(&Model) -> String) -> String {
    match model.figures.detail() {
        Detail::Values => render(model),
        _ => render(&model.for_numbers()),
    }
}

fn render(report: &impl Serialize) -> String {
    let text = serde_json::to_string_pretty(report);
    text.expect("a report has no maps with keys that are not text") + "\n"
}
