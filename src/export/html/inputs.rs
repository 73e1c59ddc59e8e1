//! What may be changed in the page: parameters of the machine and of the problem, under the names that `--set` takes.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::listings::inputs::{self, Group};
use crate::machine::parameters::{
    FUNCTION_CYCLES, IN_CORE, LATENCY_LIMIT, ParameterKind, absent, of_level,
};
use crate::machine::{MachineModel, preset_names};
use crate::model::Model;
use crate::model::advice::words;
use crate::model::influence::{FELT, Influence, Influences, influence};
use crate::model::parameters::{Kind, Row};

/// All inputs in the order in which the script counts them: machine, then those of the problem that are kept.
pub(super) fn all(model: &Model, kept: &[usize]) -> Vec<Value> {
    let is_level = |name: &str| matches!(of_level(name), Some("bytes" | "gbs"));
    let machine = model.machine.parameters.iter().map(|parameter| {
        let source = match parameter.value {
            None => "unknown",
            Some(_) => parameter.source.as_str(),
        };
        let about = [
            parameter.description,
            &format!("allowed: {}", inputs::allowed(parameter)),
            source,
            &parameter.note,
        ];
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
            "unit": parameter.unit,
            "about": sentences(&about),
            // Another level has formulas of its own, which are not in the page.
            "fixed": parameter.value.is_none() && is_level(&parameter.name),
        })
    });
    let Influences { all, .. } = influence(model);
    let shares = all.iter().map(|found| (&found.row.name, found.share));
    let shares: HashMap<&String, f64> = shares.collect();
    let rows = model.parameters.rows();
    let problem = kept.iter().map(|row| {
        let row = &rows[*row];
        let (range, whole) = allowed(row);
        let share = shares.get(&row.name).copied().unwrap_or_default();
        let defined = row.definition.as_ref();
        let defined = defined.map_or_else(String::new, |value| format!("defined as {value}"));
        let about = [
            inputs::kind(row.kind),
            &inputs::origin_of(row),
            &defined,
            &words::list(&row.functions),
        ];
        json!({
            "name": row.name, "label": row.label, "value": row.value, "range": range, "whole": whole,
            "kind": "number", "fixed": false, "exact": row.is_case_sensitive, "guessed": row.is_guessed() && row.kind != Kind::Block,
            "about": sentences(&about), "note": note(row, share),
        })
    });
    machine.chain(problem).collect()
}

fn sentences(parts: &[&str]) -> String {
    let parts: Vec<&str> = parts
        .iter()
        .copied()
        .filter(|part| !part.is_empty())
        .collect();
    parts.join("; ")
}

/// What is said of a parameter beside its value.
fn note(row: &Row, share: f64) -> String {
    let guessed = match row.is_guessed() && row.kind != Kind::Block {
        true => "guessed, ",
        false => "",
    };
    match row.kind {
        Kind::Block => "0: not blocked".to_string(),
        _ if share > 0.0 => format!("{guessed}{:.1} % of the time", 100.0 * share),
        _ => guessed.trim_end_matches(", ").to_string(),
    }
}

/// Positions of the problem's inputs as they are listed: roots, the most influential first; sizes that the source sets to
/// numbers and that the time rests on, and other sizes that the program is given; then how often loops run and branches are taken, sizes of blocks, and the
/// rest.
pub(super) fn order(model: &Model, kept: &[usize]) -> Vec<usize> {
    let first = model.machine.parameters.len();
    let Influences { all, .. } = influence(model);
    let found: HashMap<&str, &Influence> = (all.iter())
        .map(|found| (found.row.name.as_str(), found))
        .collect();
    let rows = model.parameters.rows();
    let of = |row: &Row| found.get(row.name.as_str());
    let share = |row: &Row| of(row).map_or(0.0, |found| found.share);
    let is_number = |row: &Row| {
        let definition = row.definition.as_ref();
        definition.is_none_or(|value| value.as_number().is_some())
    };
    let group = |row: &Row| match Group::of(row.kind, of(row).and_then(|found| found.standing)) {
        Group::Following if share(row) >= FELT && is_number(row) => (Group::Given, true),
        Group::Given => (Group::Given, share(row) < FELT),
        group => (group, false),
    };
    let mut places: Vec<usize> = (0..kept.len()).collect();
    places.sort_by(|a, b| {
        let (a, b) = (&rows[kept[*a]], &rows[kept[*b]]);
        group(a).cmp(&group(b)).then(share(b).total_cmp(&share(a)))
    });
    places.into_iter().map(|place| first + place).collect()
}

/// Positions of the machine's inputs: those that a number is usually set of, then the rest.
pub(super) fn machine_order(model: &Model) -> Vec<usize> {
    let is_first = |name: &str| {
        matches!(name, "cores" | "ghz" | "gflops_per_core" | "dram_gbs")
            || matches!(of_level(name), Some("bytes" | "gbs"))
    };
    let parameters = &model.machine.parameters;
    let mut order: Vec<usize> = (0..parameters.len()).collect();
    order.sort_by_key(|at| {
        let parameter = &parameters[*at];
        (parameter.value.is_none(), !is_first(&parameter.name))
    });
    order
}

/// Every preset with its values in the order of the machine's inputs, and why it cannot take the place of the machine: what
/// it knows of its levels and cores decides which formulas there are.
pub(super) fn presets(model: &Model) -> Vec<Value> {
    let own = &model.machine;
    let of = |name: &str| {
        let preset = MachineModel::preset(name).ok()?.used_as(own);
        let values: Vec<Option<f64>> = (own.parameters.iter())
            .map(|parameter| preset.get(&parameter.name))
            .collect();
        let decides = |name: &str| {
            matches!(of_level(name), Some("bytes" | "gbs"))
                || IN_CORE.contains(&name)
                || FUNCTION_CYCLES.contains(&name)
        };
        let mut parameters = own.parameters.iter().zip(&values);
        let differs = parameters.any(|(parameter, value)| {
            decides(&parameter.name) && parameter.value.is_some() != value.is_some()
        });
        let differs = differs
            .then_some("has other cache levels or core parameters than the formulas of this page");
        Some(
            json!({ "name": preset.name, "title": preset.title, "values": values, "differs": differs }),
        )
    };
    preset_names().filter_map(of).collect()
}

/// What is to be known of all inputs.
pub(super) fn about(model: &Model, kept: &[usize]) -> String {
    let influences = influence(model);
    let others = model.parameters.rows().len() - kept.len();
    let left_out = match others {
        0 => String::new(),
        _ => format!(
            " {others} parameters are not shown, because nothing that follows the inputs depends on them."
        ),
    };
    format!(
        "An empty value is unknown, not zero. A parameter that is defined by others follows them until it is given a \
         number. Values in a dashed frame are guessed: they are unknown and only chosen so that loops run. As written, {:.1} % of the time depends on guessed sizes and trip counts, {:.1} % on branches whose probability is assumed to be 0.5.{left_out}",
        100.0 * influences.on_guesses,
        100.0 * influences.on_even_branches
    )
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
