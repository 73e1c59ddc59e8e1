//! Every table as CSV or Parquet, with units and meanings of the columns as JSON beside them: for notebooks.

use serde_json::{Value, json};

use super::listings::{PlainCell, PlainColumn, PlainTable, hidden, plain_tables};
use crate::formula::{Catalogue, ColumnType};
use crate::model::Model;
use crate::report::Figure;

/// What the tables are written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TablesFormat {
    /// Names of columns without units, as they have been from the first version on.
    Csv,
    /// Names of columns with units, and types.
    #[cfg(feature = "parquet")]
    Parquet,
}

impl TablesFormat {
    fn extension(self) -> &'static str {
        match self {
            TablesFormat::Csv => "csv",
            #[cfg(feature = "parquet")]
            TablesFormat::Parquet => "parquet",
        }
    }

    /// The version of names and types.
    fn schema(self) -> &'static str {
        match self {
            TablesFormat::Csv => "loopsheet/tables/1",
            #[cfg(feature = "parquet")]
            TablesFormat::Parquet => "loopsheet/tables/2",
        }
    }

    fn name(self, column: &PlainColumn) -> String {
        match self {
            TablesFormat::Csv => column.name.clone(),
            #[cfg(feature = "parquet")]
            TablesFormat::Parquet => column.with_unit(),
        }
    }

    #[cfg_attr(
        not(feature = "parquet"),
        expect(
            unused_variables,
            reason = "CSV has no room for the scope of the figures"
        )
    )]
    fn bytes(self, model: &Model, table: &PlainTable) -> Result<Vec<u8>, TablesError> {
        match self {
            TablesFormat::Csv => Ok(rows(table)?),
            #[cfg(feature = "parquet")]
            TablesFormat::Parquet => {
                let keys = [
                    ("loopsheet.schema", self.schema()),
                    ("loopsheet.machine", &model.machine.name),
                ];
                let keys = keys.map(|(key, value)| (key.to_string(), value.to_string()));
                Ok(super::parquet::file(table, keys.into())?)
            }
        }
    }
}

/// Never with what tables hold: it is the writers' to say.
#[derive(Debug, thiserror::Error)]
pub enum TablesError {
    #[error(transparent)]
    Csv(#[from] csv::Error),
    #[cfg(feature = "parquet")]
    #[error(transparent)]
    Parquet(#[from] parquet::errors::ParquetError),
}

/// Names of files and their content.
///
/// # Errors
/// As [`TablesError`] says.
pub fn files(model: &Model, format: TablesFormat) -> Result<Vec<(String, Vec<u8>)>, TablesError> {
    let mut tables = plain_tables(model);
    tables.push(parameters(model));
    let described = described(model, &tables, format).into_bytes();
    let mut files = vec![("tables.json".to_string(), described)];
    for table in &tables {
        files.push((file_name(table, format), format.bytes(model, table)?));
    }
    Ok(files)
}

fn file_name(table: &PlainTable, format: TablesFormat) -> String {
    format!("{}.{}", table.name, format.extension())
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
const PARAMETERS: [(&str, ColumnType, &str); 6] = [
    ("name", ColumnType::Text, "Name for --set"),
    (
        "value",
        ColumnType::Number,
        "In the unit of its row; empty where unknown",
    ),
    ("origin", ColumnType::Text, "Where the value comes from"),
    ("source_name", ColumnType::Text, "As the source writes it"),
    (
        "definition",
        ColumnType::Text,
        "The value as an expression over other parameters",
    ),
    (
        "unit",
        ColumnType::Text,
        "Of the value; empty for a dimensionless number",
    ),
];

/// Machine and problem parameters.
fn parameters(model: &Model) -> PlainTable {
    let column = |(name, holds, meaning): (&str, ColumnType, &str)| PlainColumn {
        name: name.to_string(),
        group: "Parameter".to_string(),
        header: name.to_string(),
        unit: "",
        holds,
        meaning: meaning.to_string(),
        kind: None,
    };
    let number = |value: Option<f64>| value.map_or(PlainCell::Empty, PlainCell::Number);
    let text = |text: &str| PlainCell::Text(text.to_string());
    let of_machine = model.machine.parameters.iter().map(|parameter| {
        vec![
            text(&parameter.name),
            number(parameter.value),
            text("machine"),
            text(""),
            text(""),
            text(parameter.unit),
        ]
    });
    let of_source = model.parameters.rows().iter().map(|row| {
        let definition = row.definition.as_ref();
        vec![
            text(&row.name),
            number(Some(row.value)),
            text(row.origin.as_str()),
            text(&row.label),
            text(&definition.map_or_else(String::new, ToString::to_string)),
            text(""),
        ]
    });
    PlainTable {
        name: "parameters".to_string(),
        columns: PARAMETERS.map(column).into(),
        rows: of_machine.chain(of_source).collect(),
    }
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

fn described(model: &Model, tables: &[PlainTable], format: TablesFormat) -> String {
    let column = |column: &PlainColumn| {
        let mut value = json!({
            "name": format.name(column), "group": column.group, "header": column.header,
            "unit": column.unit, "meaning": column.meaning,
            "figure": column.kind.map(|kind| kind.entry().name),
        });
        if format != TablesFormat::Csv {
            value["type"] = json!(column.holds.as_str());
            value["csv_name"] = json!(column.name);
        }
        value
    };
    let table = |table: &PlainTable| {
        json!({
            "name": table.name, "file": file_name(table, format), "rows": table.rows.len(),
            "columns": table.columns.iter().map(column).collect::<Vec<Value>>(),
        })
    };
    let mut value = json!({
        "schema": format.schema(),
        "machine": model.machine.name,
        "seconds": Figure::of(model, model.totals.seconds),
        "tables": tables.iter().map(table).collect::<Vec<Value>>(),
    });
    if let Some(memory) = model.far {
        value["far_memory"] = json!({
            "latency_ns": memory.latency_ns, "gbs": memory.gbs, "loss_budget": memory.budget,
        });
    }
    if let Some(hidden) = hidden(model) {
        value["remark"] = json!(hidden);
    }
    serde_json::to_string_pretty(&value).unwrap_or_default() + "\n"
}
