//! The tables of the workbook as plain values, for other formats: one definition of the columns for all.

use super::Tables;
use super::table::{Content, Table};
use crate::model::Model;

/// One table.
#[derive(Clone, Debug, PartialEq)]
pub struct PlainTable {
    /// Lower-case words joined by underscores.
    pub name: String,
    pub columns: Vec<PlainColumn>,
    /// As many cells in each as there are columns.
    pub rows: Vec<Vec<PlainCell>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlainColumn {
    /// Lower-case words joined by underscores, told apart within the table.
    pub name: String,
    /// As the sheet heads it.
    pub group: String,
    pub header: String,
    pub unit: &'static str,
    pub meaning: String,
}

#[derive(Clone, Debug, PartialEq)]
pub enum PlainCell {
    Empty,
    Text(String),
    /// Not a number where the value is not known.
    Number(f64),
}

/// All tables that have rows, in the order of the sheets.
pub fn plain_tables(model: &Model) -> Vec<PlainTable> {
    let tables = Tables::new(model);
    let mut found = vec![
        plain(model, &tables.loops),
        plain(model, &tables.arrays),
        plain(model, &tables.caches),
        plain(model, &tables.conditions),
        plain(model, &tables.registers),
    ];
    if let Some(calls) = &tables.calls {
        found.extend([plain(model, &calls.sites), plain(model, &calls.functions), plain(model, &calls.paths)]);
    }
    found.extend(tables.communication.iter().map(|table| plain(model, table)));
    found.retain(|table| !table.rows.is_empty());
    found
}

fn plain<R>(model: &Model, table: &Table<R>) -> PlainTable {
    let mut columns: Vec<PlainColumn> = Vec::new();
    for column in &table.columns {
        let is_known = |name: &String| columns.iter().any(|other| other.name == *name);
        let short = words(&column.header);
        let repeats = table.columns.iter().filter(|other| words(&other.header) == short).count() > 1;
        let long = if repeats { format!("{}_{short}", words(&column.group)) } else { short };
        let numbered = (1..).map(|n| if n == 1 { long.clone() } else { format!("{long}_{n}") });
        let name = numbered.into_iter().find(|name| !is_known(name)).unwrap_or(long);
        columns.push(PlainColumn {
            name,
            group: column.group.clone(),
            header: column.header.clone(),
            unit: column.unit,
            meaning: column.meaning.clone(),
        });
    }
    let cell = |content: Content| match content {
        Content::Empty => PlainCell::Empty,
        Content::Text(text) => PlainCell::Text(text),
        Content::Fact(value) => PlainCell::Number(value),
        Content::Figure(id) => PlainCell::Number(model.value(id)),
        Content::Choice(id, names) => {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            super::page::chosen(model.value(id), &names).map_or(PlainCell::Empty, |name| PlainCell::Text(name.into()))
        }
    };
    let row = |entry: &R| table.columns.iter().map(|column| cell((column.cell)(entry))).collect();
    PlainTable { name: words(table.title), columns, rows: table.rows.iter().map(row).collect() }
}

/// Lower-case words joined by underscores.
fn words(text: &str) -> String {
    let lower: String = text.to_lowercase().chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    lower.split_whitespace().collect::<Vec<&str>>().join("_")
}
