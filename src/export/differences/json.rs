//! Schema `loopsheet/diff/1`: every nest on a line of its own.

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::diff::{
    BySide, Difference, DifferingGuess, Exceeded, Flip, NestDifference, NestPlace, ParameterChange,
    Row, Status,
};
use crate::report::Figure;
use crate::report::static_report::DiagnosticReport;

/// Of the JSON of `loopsheet diff`.
const SCHEMA: &str = "loopsheet/diff/1";

#[derive(Serialize)]
struct Document<'d> {
    schema: &'static str,
    old: &'d str,
    new: &'d str,
    machine: &'d str,
    nests: Vec<Box<RawValue>>,
    totals: Vec<Box<RawValue>>,
    parameters: &'d [ParameterChange],
    exceeded: Vec<WithText<'d, Exceeded>>,
    unused_budgets: &'d [String],
    unread: &'d [DiagnosticReport],
    old_unread: usize,
    warnings: &'d BySide<Vec<DiagnosticReport>>,
    on_guesses: &'d BySide<Figure>,
    notes: &'d [String],
}

#[derive(Serialize)]
struct Nest<'d> {
    old: &'d Option<NestPlace>,
    new: &'d Option<NestPlace>,
    status: Status,
    rows: &'d [Row],
    flipped: Vec<WithText<'d, Flip>>,
    reasons: &'d [String],
    guesses: Vec<WithText<'d, DifferingGuess>>,
}

/// A value with what people read of it.
#[derive(Serialize)]
struct WithText<'d, T> {
    #[serde(flatten)]
    value: &'d T,
    text: String,
}

/// The whole difference.
pub fn render(difference: &Difference) -> String {
    let Difference {
        old,
        new,
        machine,
        nests,
        totals,
        parameters,
        exceeded,
        unused_budgets,
        unread,
        old_unread,
        warnings,
        on_guesses,
        notes,
        ..
    } = difference;
    let document = Document {
        schema: SCHEMA,
        old,
        new,
        machine,
        nests: nests.iter().map(|nest| raw(&Nest::of(nest))).collect(),
        totals: totals.iter().map(raw).collect(),
        parameters,
        exceeded: exceeded.iter().map(with_text).collect(),
        unused_budgets,
        unread,
        old_unread: *old_unread,
        warnings,
        on_guesses,
        notes,
    };
    let text = serde_json::to_string_pretty(&document);
    text.expect("it has no maps with keys that are not text") + "\n"
}

fn raw(value: &impl Serialize) -> Box<RawValue> {
    to_raw_value(value).expect("it has no maps with keys that are not text")
}

fn with_text<T: ToString>(value: &T) -> WithText<'_, T> {
    WithText {
        value,
        text: value.to_string(),
    }
}

impl<'d> Nest<'d> {
    fn of(nest: &'d NestDifference) -> Nest<'d> {
        let NestDifference {
            old,
            new,
            status,
            rows,
            flipped,
            reasons,
            guesses,
            ..
        } = nest;
        Nest {
            old,
            new,
            status: *status,
            rows,
            flipped: flipped.iter().map(with_text).collect(),
            reasons,
            guesses: guesses.iter().map(with_text).collect(),
        }
    }
}
