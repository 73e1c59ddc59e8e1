//! Tables of the page: the same columns as the sheets of the workbook, as data.
//!
//! A cell is a text, the position of a figure, `[number]` for a fact of the source, `[figure, list]` for the name in
//! `choices` that a figure counts, or null.

use serde_json::{Value, json};

use super::figures::Figures;
use crate::listings::{Column, Content, Look, PlainCell, PlainTable, Table};

/// Lists of names that figures count, each once.
#[derive(Default)]
pub(super) struct Choices(Vec<Vec<String>>);

impl Choices {
    fn position(&mut self, names: Vec<String>) -> usize {
        // There are few: what can bound a nest, which loops carry its reuse.
        self.0
            .iter()
            .rposition(|known| *known == names)
            .unwrap_or_else(|| {
                self.0.push(names);
                self.0.len() - 1
            })
    }

    pub fn value(self) -> Value {
        json!(self.0)
    }
}

/// Columns that are seen at first: a group, and a heading if it is one column only. None at all stands for every column.
pub(super) type Shown = [(&'static str, &'static str)];

/// A table.
pub(super) fn table<R>(
    (id, remark, shown): (&str, &str, &Shown),
    table: &Table<R>,
    figures: &mut Figures,
    choices: &mut Choices,
) -> Value {
    let columns = table.columns.iter().map(|column| {
        json!({
            "group": column.group,
            "header": column.header,
            "unit": column.unit,
            "look": look(column.look),
            "meaning": column.meaning,
            "shown": shown.is_empty() || is_meant(shown, column),
        })
    });
    let columns: Vec<Value> = columns.collect();
    let mut row = |row: &R| -> Value {
        table
            .columns
            .iter()
            .map(|column| cell((column.cell)(row), figures, choices))
            .collect()
    };
    let rows: Vec<Value> = table.rows.iter().map(&mut row).collect();
    json!({ "id": id, "title": table.title, "remark": remark, "columns": columns, "rows": rows })
}

/// Whether the column is one of these.
pub(super) fn is_meant<R>(columns: &Shown, column: &Column<R>) -> bool {
    let is_it = |(group, header): &(&str, &str)| {
        column.group == *group && (header.is_empty() || column.header == *header)
    };
    columns.iter().any(is_it)
}

fn cell(content: Content, figures: &mut Figures, choices: &mut Choices) -> Value {
    match content {
        Content::Empty => Value::Null,
        Content::Text(text) => Value::String(text),
        Content::Fact(value) => json!([value]),
        Content::Figure(id) => json!(figures.position(id)),
        Content::Choice(id, names) => json!([figures.position(id), choices.position(names)]),
        Content::Several(id, names) => {
            json!([
                figures.position(id),
                choices.position(Content::all_of(names))
            ])
        }
    }
}

/// How the page calls a form of numbers.
pub(super) fn look(look: Look) -> &'static str {
    match look {
        Look::Text => "text",
        Look::Number => "number",
        Look::Count | Look::Bytes | Look::Flops | Look::Times => "count",
        Look::Seconds => "seconds",
        Look::Ratio => "ratio",
        Look::Share => "share",
    }
}

/// A table of plain texts and numbers.
pub(super) fn plain(
    (id, title, remark): (&str, &str, &str),
    headers: &[(&str, &str)],
    rows: Vec<Vec<Value>>,
) -> Value {
    let column = |(header, look): &(&str, &str)| json!({ "group": "", "header": header, "unit": "", "look": look, "meaning": "", "shown": true });
    let columns: Vec<Value> = headers.iter().map(column).collect();
    json!({ "id": id, "title": title, "remark": remark, "columns": columns, "rows": rows })
}

/// A table of plain values, each column with its look.
pub(super) fn of_plain(
    (id, title, remark): (&str, &str, &str),
    table: &PlainTable,
    looks: &[Look],
) -> Value {
    let columns = table.columns.iter().zip(looks).map(|(column, own)| {
        json!({
            "group": "", "header": column.header, "unit": column.unit, "look": look(*own),
            "meaning": column.meaning, "shown": true,
        })
    });
    let columns: Vec<Value> = columns.collect();
    let cell = |cell: &PlainCell| match cell {
        PlainCell::Empty => Value::Null,
        PlainCell::Text(text) => json!(text),
        PlainCell::Number(value) => json!([value]),
    };
    let rows = table.rows.iter().map(|row| row.iter().map(cell).collect());
    let rows: Vec<Vec<Value>> = rows.collect();
    json!({ "id": id, "title": title, "remark": remark, "columns": columns, "rows": rows })
}
