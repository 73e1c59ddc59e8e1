//! Every table as CSV, with units and meanings of the columns as JSON beside them: for notebooks.

use serde_json::{Value, json};

use super::listings::{PlainCell, PlainColumn, PlainTable, plain_tables};
use crate::formula::Catalogue;
use crate::model::Model;
use crate::report::Figure;

/// Names of files and their content.
///
/// # Errors
/// Never with what tables hold; it is the CSV writer's to say.
pub fn files(model: &Model) -> Result<Vec<(String, Vec<u8>)>, csv::Error> {
    let tables = plain_tables(model);
    let mut files = vec![(
        "tables.json".to_string(),
        (described(model, &tables)).into_bytes(),
    )];
    for table in &tables {
        files.push((format!("{}.csv", table.name), rows(table)?));
    }
    files.push(("parameters.csv".to_string(), parameters(model)?));
    Ok(files)
}

fn rows(table: &PlainTable) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(table.columns.iter().map(|column| &column.name))?;
    for row in &table.rows {
        writer.write_record(row.iter().map(shown))?;
    }
    finished(writer)
}

/// Columns of the parameters, and what they hold.
const PARAMETERS: [(&str, &str); 6] = [
    ("name", "As --set takes it"),
    (
        "value",
        "In the unit of its row; empty where it is not known",
    ),
    ("origin", "Where the value comes from"),
    ("source_name", "As the source writes it"),
    (
        "definition",
        "The value as an expression over other parameters",
    ),
    ("unit", "Of the value; empty for a pure number"),
];

/// Machine and problem parameters.
fn parameters(model: &Model) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(PARAMETERS.map(|(name, _)| name))?;
    for parameter in &model.machine.parameters {
        let value = parameter
            .value
            .map_or_else(String::new, |value| value.to_string());
        writer.write_record([
            parameter.name.as_str(),
            &value,
            "machine",
            "",
            "",
            parameter.unit,
        ])?;
    }
    for row in model.parameters.rows() {
        let definition = row
            .definition
            .as_ref()
            .map_or_else(String::new, ToString::to_string);
        writer.write_record([
            row.name.as_str(),
            &row.value.to_string(),
            row.origin.as_str(),
            &text(&row.label),
            &definition,
            "",
        ])?;
    }
    finished(writer)
}

fn finished(writer: csv::Writer<Vec<u8>>) -> Result<Vec<u8>, csv::Error> {
    writer
        .into_inner()
        .map_err(|error| error.into_error().into())
}

/// A text that spreadsheets do not take for a formula: one that begins like one has an apostrophe before it.
fn text(text: &str) -> String {
    match text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        true => format!("'{text}"),
        false => text.to_string(),
    }
}

/// Empty where there is nothing or nothing is known.
fn shown(cell: &PlainCell) -> String {
    match cell {
        PlainCell::Text(words) => text(words),
        PlainCell::Number(value) if value.is_finite() => exact(*value),
        PlainCell::Empty | PlainCell::Number(_) => String::new(),
    }
}

/// All digits of a number; small and large ones with an exponent, since many readers take only so many places.
fn exact(value: f64) -> String {
    if value != 0.0 && !(1e-4..1e15).contains(&value.abs()) {
        format!("{value:e}")
    } else {
        value.to_string()
    }
}

fn described(model: &Model, tables: &[PlainTable]) -> String {
    let column = |column: &PlainColumn| {
        json!({
            "name": column.name, "group": column.group, "header": column.header,
            "unit": column.unit, "meaning": column.meaning,
            "figure": column.kind.map(|kind| kind.entry().name),
        })
    };
    let table = |table: &PlainTable| {
        json!({
            "name": table.name, "file": format!("{}.csv", table.name), "rows": table.rows.len(),
            "columns": table.columns.iter().map(column).collect::<Vec<Value>>(),
        })
    };
    let parameter = |(name, meaning): (&str, &str)| json!({ "name": name, "group": "Parameter", "header": name, "unit": "", "meaning": meaning, "figure": null });
    let parameters = json!({
        "name": "parameters", "file": "parameters.csv",
        "rows": model.machine.parameters.len() + model.parameters.rows().len(),
        "columns": PARAMETERS.into_iter().map(parameter).collect::<Vec<Value>>(),
    });
    let value = json!({
        "schema": "loopsheet/tables/1",
        "machine": model.machine.name,
        "seconds": Figure::of(model, model.totals.seconds),
        "tables": tables.iter().map(table).chain([parameters]).collect::<Vec<Value>>(),
    });
    serde_json::to_string_pretty(&value).unwrap_or_default() + "\n"
}
