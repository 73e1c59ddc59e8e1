//! What may be changed in the page: parameters of the machine and of the problem, under the names that `--set` takes.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::tables;
use crate::listings::inputs;
use crate::machine::parameters::{LATENCY_LIMIT, ParameterKind, absent, of_level};
use crate::model::Model;
use crate::model::influence::{Influences, influence};
use crate::model::parameters::{Kind, Row};

/// All inputs in the order in which the script counts them: machine, then problem.
pub(super) fn all(model: &Model) -> Vec<Value> {
    let is_level = |name: &str| matches!(of_level(name), Some("bytes" | "gbs"));
    let machine = model.machine.parameters.iter().map(|parameter| {
        json!({
            "name": parameter.name,
            "label": parameter.label,
            "value": parameter.value,
            // What formulas take where it is not known.
            "absent": absent(&parameter.name).filter(|_| LATENCY_LIMIT.contains(&parameter.name.as_str())),
            "range": parameter.range,
            "whole": parameter.kind != ParameterKind::Real,
            "kind": match parameter.kind {
                ParameterKind::Size => "size",
                ParameterKind::Switch => "switch",
                ParameterKind::Real | ParameterKind::Integer => "number",
            },
            // Another level has formulas of its own, which are not in the page.
            "fixed": parameter.value.is_none() && is_level(&parameter.name),
        })
    });
    let problem = model.parameters.rows().iter().map(|row| {
        let (range, whole) = allowed(row);
        json!({
            "name": row.name, "label": row.label, "value": row.value, "range": range, "whole": whole,
            "kind": "number", "fixed": false, "exact": row.is_case_sensitive, "guessed": row.is_guessed() && row.kind != Kind::Block,
        })
    });
    machine.chain(problem).collect()
}

/// What `--set` allows.
fn allowed(row: &Row) -> ((f64, f64), bool) {
    const LARGEST: f64 = 1e15;
    match row.kind {
        Kind::Block => ((0.0, LARGEST), true),
        Kind::Processes => ((1.0, LARGEST), true),
        Kind::Problem | Kind::Neighbours => ((-LARGEST, LARGEST), true),
        Kind::Real | Kind::TripCount => ((-LARGEST, LARGEST), false),
        Kind::Probability => ((0.0, 1.0), false),
    }
}

/// The table of the machine; an input is `{"input": position}`.
pub(super) fn machine_table(model: &Model) -> Value {
    let rows = model
        .machine
        .parameters
        .iter()
        .enumerate()
        .map(|(index, parameter)| {
            vec![
                json!(parameter.label),
                json!({ "input": index }),
                json!(parameter.unit),
                json!(parameter.name),
                json!(inputs::allowed(parameter)),
                json!(parameter.description),
                json!(if parameter.value.is_none() {
                    "unknown"
                } else {
                    parameter.source.as_str()
                }),
                json!(parameter.note),
            ]
        });
    let headers = [
        ("Parameter", "text"),
        ("Value", "input"),
        ("Unit", "text"),
        ("Name", "text"),
        ("Allowed", "text"),
        ("Description", "text"),
        ("Source", "text"),
        ("Note", "text"),
    ];
    let remark = "An empty value is unknown, not zero. Cache levels that the machine does not have, or whose bandwidth is \
                  unknown, have no formulas here: set them with --set and write the report again.";
    tables::plain(("machine", "Machine", remark), &headers, rows.collect())
}

/// The table of the problem's parameters.
pub(super) fn parameter_table(model: &Model) -> Value {
    let first = model.machine.parameters.len();
    let Influences { all, on_guesses } = influence(model);
    let shares = all.iter().map(|found| (&found.row.name, found.share));
    let shares: HashMap<&String, f64> = shares.collect();
    let rows = inputs::ordered(model).into_iter().map(|(index, row)| {
        let share = shares.get(&row.name).copied().unwrap_or_default();
        vec![
            json!(row.label),
            json!({ "input": first + index }),
            json!(format!("{:.1} %", 100.0 * share)),
            json!(row.name),
            json!(inputs::kind(row.kind)),
            json!(inputs::origin(row.origin)),
            json!(
                row.definition
                    .as_ref()
                    .map(std::string::ToString::to_string)
                    .unwrap_or_default()
            ),
            json!(row.functions.join(", ")),
        ]
    });
    let headers = [
        ("In the source", "text"),
        ("Value", "input"),
        ("Time as written", "text"),
        ("Name", "text"),
        ("Kind", "text"),
        ("Value as written comes from", "text"),
        ("Defined as", "text"),
        ("Functions", "text"),
    ];
    let remark = format!(
        "A parameter that is defined by others follows them until it is given a number. Block sizes of 0 mean: not \
         blocked. Values in a dashed frame are guessed: nothing says what they are, they only let loops run. As written, \
         {:.1} % of the time rests on guessed sizes and trip counts.",
        100.0 * on_guesses
    );
    tables::plain(
        ("parameters", "Parameters of the problem", &remark),
        &headers,
        rows.collect(),
    )
}
