//! JSON, schema `loopsheet/static/1` (the keys are a promise).

use rayon::prelude::*;
use serde_json::{Map, Value, json};

use super::dependences_json::{dependencies, sequence};
use super::loops_json::loops;
use super::nests_json::{nest, registers};
use super::{calls_json, communication_json, sensitivity_json};
use crate::analysis::coverage;
use crate::analysis::facts::{File, Function};
use crate::expr::FigureId;
use crate::model::dependencies::SequenceModel;
use crate::model::{Model, NestModel};
use crate::reason::ReasonCode;
use crate::source::{Form, Language, Preprocessing};

/// The whole analysis, with times over a range of single inputs. Bytes and seconds are plain numbers in base units;
/// unknown figures are null.
pub fn report(model: &Model) -> String {
    let swept = model
        .sensitivity
        .is_empty()
        .then(|| model.for_sensitivity());
    with_sweeps(model, Some(swept.as_ref().unwrap_or(model)))
}

/// The same without these times.
pub fn analysis(model: &Model) -> String {
    with_sweeps(model, None)
}

fn with_sweeps(model: &Model, swept: Option<&Model>) -> String {
    let program = model.program;
    let coverage = coverage::coverage(program);
    let totals = &model.totals;
    let mut value = json!({
        "schema": "loopsheet/static/1",
        "machine": machine(model),
        "parameters": parameters(model),
        "files": program.files.iter().map(file).collect::<Vec<_>>(),
        "unread_files": program.unread,
        "functions": FUNCTIONS,
        "totals": {
            "nests": model.nests.len(),
            "flops": figure(model, totals.flops),
            "weighted_flops": figure(model, totals.weighted_flops),
            "bytes": figure(model, totals.traffic),
            "seconds": figure(model, totals.seconds),
        },
        "coverage": {
            "loops": coverage.loops,
            "understood": coverage.understood,
            "partial": coverage.partial,
            "reasons": coverage.reasons,
            "outside": coverage.outside,
            "estimated": coverage.estimated,
        },
        "reason_codes": reason_codes(model),
    });
    if let Some(calls) = &model.calls {
        value["totals"]["executed"] = calls_json::costs(model, &calls.executed);
    }
    value["calls"] = calls_json::calls(model);
    if let Some(swept) = swept {
        value["sensitivity"] = sensitivity_json::sweeps(swept);
    }
    if let Some(communication) = &model.communication {
        value["communication"] = communication_json::totals(model, communication);
    }
    let text = serde_json::to_string_pretty(&value).unwrap_or_default();
    let placeholder = serde_json::to_string(FUNCTIONS).unwrap_or_default();
    let (before, after) = text.split_once(&placeholder).unwrap_or((&text, ""));
    format!("{before}[\n{}\n  ]{after}\n", functions(model).join(",\n"))
}

/// What the codes of reasons mean that occur.
fn reason_codes(model: &Model) -> serde_json::Map<String, Value> {
    let entry = |code: ReasonCode| {
        let meaning = json!({
            "meaning": code.meaning(), "effect": code.effect().meaning(), "help": code.help(),
        });
        (code.to_string(), meaning)
    };
    model.reason_codes().into_iter().map(entry).collect()
}

/// Stands for the functions until they are rendered; no source text contains it.
const FUNCTIONS: &str = "\u{1}functions";

/// One line a function. Each is rendered for itself: a big tree has more of them than fit in memory
/// comfortably as values.
fn functions(model: &Model) -> Vec<String> {
    let mut nests = vec![Vec::new(); model.program.functions.len()];
    for (index, nest) in model.nests.iter().enumerate() {
        nests[nest.nest.function].push((index, nest));
    }
    let mut sequences = vec![Vec::new(); model.program.functions.len()];
    for sequence in &model.sequences {
        sequences[sequence.function].push(sequence);
    }
    (model
        .program
        .functions
        .par_iter()
        .enumerate()
        .zip(nests)
        .zip(sequences))
    .map(|((facts, nests), sequences)| {
        format!("    {}", function(model, facts, &nests, &sequences))
    })
    .collect()
}

/// A whole number without a fraction, any other number as it is, unknown as null.
pub(super) fn number(value: f64) -> Value {
    if !value.is_finite() {
        Value::Null
    } else if value.fract() == 0.0 && value.abs() < 9e15 {
        json!(value as i64)
    } else {
        json!(value)
    }
}

pub(super) fn figure(model: &Model, id: FigureId) -> Value {
    number(model.value(id))
}

fn machine(model: &Model) -> Value {
    let machine = &model.machine;
    let mut object = Map::new();
    object.insert("name".into(), json!(machine.name));
    object.insert("title".into(), json!(machine.title));
    for parameter in &machine.parameters {
        object.insert(
            parameter.name.clone(),
            parameter.value.map_or(Value::Null, number),
        );
    }
    object.into()
}

fn parameters(model: &Model) -> Value {
    let mut object = Map::new();
    for row in model.parameters.rows() {
        let mut entry = json!({
            "value": number(row.value),
            "origin": row.origin.as_str(),
            "source_name": row.label,
            "kind": row.kind,
            "functions": row.functions,
        });
        if let Some(definition) = &row.definition {
            entry["definition"] = json!(definition.to_string());
        }
        object.insert(row.name.clone(), entry);
    }
    object.into()
}

fn file(file: &File) -> Value {
    let diagnostics = file.diagnostics.iter().map(|d| {
        json!({
            "severity": d.severity.as_str(),
            "code": &*d.code,
            "file": &*d.place.file,
            "line": d.place.line,
            "column": d.place.column,
            "message": d.message,
            "help": d.help,
        })
    });
    json!({
        "path": &*file.path,
        "language": match file.language { Language::C => "c", Language::Fortran => "fortran" },
        "form": match file.form { Form::Free => "free", Form::Fixed => "fixed" },
        "lines": file.lines,
        "preprocessed": match file.preprocessing {
            Preprocessing::None => "no",
            Preprocessing::Builtin => "builtin",
            Preprocessing::External => "external",
        },
        "diagnostics": diagnostics.collect::<Vec<_>>(),
    })
}

fn function(
    model: &Model,
    (index, function): (usize, &Function),
    nests: &[(usize, &NestModel)],
    sequences: &[&SequenceModel],
) -> Value {
    let nests = nests.iter().map(|(index, facts)| {
        let mut value = nest(model, facts);
        if let Some(found) = &model.registers[*index] {
            value["registers"] = registers(model, found);
        }
        if let Some(flops) = model
            .calls
            .as_ref()
            .and_then(|calls| calls.called_flops.get(index))
        {
            value["called_flops"] = figure(model, *flops);
        }
        value
    });
    let mut value = json!({
        "name": function.name,
        "file": &*function.file,
        "line": function.line,
        "loops": loops(model, index),
        "nests": nests.collect::<Vec<_>>(),
        "dependencies": dependencies(sequences),
        "sequences": sequences.iter().map(|found| sequence(model, found)).collect::<Vec<_>>(),
    });
    if let Some(calls) = &model.calls {
        calls_json::add_to_function(model, calls, index, &mut value);
    }
    if let Some(communication) = communication_json::of_function(model, index) {
        value["communication"] = communication;
    }
    value
}
