//! The tables as plain values, for formats without formulas.

use petgraph::visit::EdgeRef;

use super::{Column, Content, Listings, Look, Table, chosen, loops};
use crate::analysis::dependence::Dependence;
use crate::analysis::dependence::fusion::Verdict;
use crate::expr::FigureId;
use crate::formula::{Catalogue, ColumnType};
use crate::loops_dot::distance_text;
use crate::model::dependencies::{FusionModel, SequenceModel};
use crate::model::{Model, StaticFigure};

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
    pub holds: ColumnType,
    pub meaning: String,
    /// What kind of figures it holds, if all are of one.
    pub kind: Option<StaticFigure>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum PlainCell {
    Empty,
    Text(String),
    /// Not a number where the value is not known.
    Number(f64),
}

/// All tables, in the order of the sheets; those that a program never has are left out.
pub fn plain_tables(model: &Model) -> Vec<PlainTable> {
    let mut tables = Listings::new(model);
    tables.keep_shown(model);
    let mut found = vec![
        plain(model, &tables.loops),
        plain(model, &tables.arrays),
        plain(model, &tables.caches),
        plain(model, &tables.conditions),
        plain(model, &tables.registers),
        plain(model, &tables.advice),
    ];
    if let Some(calls) = &tables.calls {
        let mut functions = plain(model, &calls.functions);
        // The sheet ends with the sum of all functions, which is not a row of data.
        functions.rows.pop();
        found.extend([
            plain(model, &calls.sites),
            functions,
            plain(model, &calls.paths),
        ]);
    }
    found.extend(tables.communication.iter().map(|table| plain(model, table)));
    found.extend(tables.side_by_side.iter().map(|table| plain(model, table)));
    found.extend([dependences(model), fusions(model), sensitivity(model)]);
    found.extend(super::placement::tables(model));
    found
}

/// The sequences of functions that are to be listed.
fn shown<'m>(model: &'m Model) -> impl Iterator<Item = &'m SequenceModel<'m>> {
    let functions = &model.program.functions;
    let all = model.sequences.iter();
    all.filter(|sequence| functions[sequence.function].is_shown)
}

/// A column of a table that is not a table of the workbook.
pub(super) fn column(header: &str, unit: &'static str, meaning: &str) -> PlainColumn {
    PlainColumn {
        name: words(header),
        group: String::new(),
        header: header.to_string(),
        unit,
        holds: ColumnType::Text,
        meaning: meaning.to_string(),
        kind: None,
    }
}

/// The same of whole numbers.
pub(super) fn count(header: &str, meaning: &str) -> PlainColumn {
    PlainColumn {
        holds: ColumnType::Integer,
        ..column(header, "", meaning)
    }
}

/// The same for figures of one kind.
fn figures(header: &str, kind: StaticFigure) -> PlainColumn {
    let entry = kind.entry();
    PlainColumn {
        kind: Some(kind),
        holds: ColumnType::Number,
        ..column(header, entry.unit.symbol(), entry.meaning)
    }
}

pub(super) fn other<const N: usize>(
    name: &str,
    columns: [PlainColumn; N],
    rows: Vec<Vec<PlainCell>>,
) -> PlainTable {
    PlainTable {
        name: name.to_string(),
        columns: columns.into(),
        rows,
    }
}

pub(super) fn text(text: impl Into<String>) -> PlainCell {
    PlainCell::Text(text.into())
}

/// Whether something is: 1 or 0.
pub(super) fn flag(is: bool) -> PlainCell {
    PlainCell::Number(f64::from(u8::from(is)))
}

/// The edges of sheet Dependencies, a row an array or scalar of each.
fn dependences(model: &Model) -> PlainTable {
    let columns = [
        column("In", "", "The function, or the loop around both"),
        column("Earlier loop", "", "Its name"),
        column("Later loop", "", "Its name"),
        column("Kind", "", "flow, anti or output"),
        count("Implied by others", "1 if implied by other dependences"),
        column("Array", "", "Array or scalar that carries it"),
        count("Scalar", "1 if that is a scalar"),
        column(
            "Distance",
            "iterations",
            "Iterations between the two accesses, contiguous dimension first; empty where it varies",
        ),
    ];
    let mut rows = Vec::new();
    for sequence in shown(model) {
        for edge in sequence.graph.edge_references() {
            let [from, to] = [edge.source(), edge.target()].map(|node| &sequence.graph[node].id);
            let Dependence {
                kind,
                arrays,
                is_implied,
            } = edge.weight();
            rows.extend(arrays.iter().map(|through| {
                vec![
                    text(sequence.place(model.program)),
                    text(from),
                    text(to),
                    text(kind.as_str()),
                    flag(*is_implied),
                    text(&through.array),
                    flag(through.is_scalar),
                    text(distance_text(through.distance.as_deref()).trim()),
                ]
            }));
        }
    }
    other("dependences", columns, rows)
}

/// Neighbours of sheet Dependencies that may become one loop.
fn fusions(model: &Model) -> PlainTable {
    let columns = [
        column("In", "", "The function, or the loop around both"),
        column("Loop", "", "The earlier one"),
        column("And the next", "", "The later one"),
        count(
            "Outer loops that fuse",
            "How many; empty if fusion is not legal",
        ),
        figures("Traffic saved", StaticFigure::FusionSaving),
        column("Prevented by", "", "Why fusion is not legal"),
        column("Arrays of both", "", "Names separated by semicolons"),
    ];
    let row = |sequence: &SequenceModel,
               FusionModel {
                   candidate,
                   shared,
                   saved,
               }: &FusionModel| {
        let (loops, why) = match &candidate.verdict {
            Verdict::Fuses { loops } => (PlainCell::Number(*loops as f64), PlainCell::Empty),
            Verdict::Prevented { why } => (PlainCell::Empty, text(why)),
        };
        let saved = saved.map_or(PlainCell::Empty, |saved| {
            PlainCell::Number(model.value(saved))
        });
        let names = [
            text(sequence.place(model.program)),
            text(&candidate.first.id),
            text(&candidate.second.id),
        ];
        names
            .into_iter()
            .chain([loops, saved, why, text(shared.join("; "))])
            .collect()
    };
    let rows = shown(model).flat_map(|sequence| {
        sequence
            .fusions
            .iter()
            .map(move |fusion| row(sequence, fusion))
    });
    other("fusions", columns, rows.collect())
}

/// Sheet Sensitivity, a row a time.
fn sensitivity(model: &Model) -> PlainTable {
    let columns = [
        column("Input", "", "Name for --set"),
        figures("Value", StaticFigure::SweptValue),
        column("Loop", "", "The nest"),
        figures("Time", StaticFigure::Time),
    ];
    let rows = model.sensitivity.iter().flat_map(|sweep| {
        let all = sweep.nests.iter();
        let shown = all.filter(|(nest, _)| model.nests[*nest].nest.is_shown());
        shown.flat_map(move |(nest, seconds)| {
            sweep
                .values
                .iter()
                .zip(seconds)
                .map(move |(value, seconds)| {
                    let [value, seconds] =
                        [value, seconds].map(|id| PlainCell::Number(model.value(*id)));
                    vec![
                        text(sweep.symbol.name()),
                        value,
                        text(&model.nests[*nest].nest.head().id),
                        seconds,
                    ]
                })
        })
    });
    other("sensitivity", columns, rows.collect())
}

/// What the cells of a column are; lines are counted, all other numbers may have a fraction.
fn holds<R>(column: &Column<R>) -> ColumnType {
    match column.look {
        Look::Text => ColumnType::Text,
        Look::Number if column.header == loops::LINE.1 => ColumnType::Integer,
        _ => ColumnType::Number,
    }
}

impl PlainColumn {
    /// The name with the unit, for formats that do not keep the unit beside it: letters, digits and underscores, beginning
    /// with a letter, and no word of SQL.
    pub fn with_unit(&self) -> String {
        let known = NAMES
            .iter()
            .find(|(named, _)| *named == (self.group.as_str(), self.header.as_str()));
        if let Some((_, name)) = known {
            return (*name).to_string();
        }
        let name = match self.name.starts_with(|c: char| c.is_ascii_digit()) {
            true => format!("{}_{}", words(&self.group), self.name),
            false => self.name.clone(),
        };
        let name: String = name
            .chars()
            .filter(|c| c.is_ascii_alphanumeric() || *c == '_')
            .collect();
        let unit = unit_in_names(self.unit);
        match (unit.as_str(), SQL.contains(&name.as_str())) {
            ("", false) => name,
            ("", true) => format!("{name}_name"),
            (unit, _) if name == unit || name.ends_with(&format!("_{unit}")) => name,
            (unit, _) => format!("{name}_{unit}"),
        }
    }
}

/// Columns whose names with units are not made from their headings: group and header.
const NAMES: &[((&str, &str), &str)] = &[
    (loops::SECONDS, "time_call_s"),
    (loops::LOW, "time_call_low_s"),
    (loops::HIGH, "time_call_high_s"),
    (loops::ALL_CALLS, "time_total_s"),
    (loops::DRAM_BYTES, "dram_bytes"),
    (("Time", "DRAM"), "dram_time_s"),
    (("Time", "CPU"), "arithmetic_time_s"),
    (loops::INTENSITY, "intensity_flops_per_byte"),
    (("Time", "Bytes per flop"), "balance_bytes_per_flop"),
    (("Blocks", "All"), "blocks_all"),
];

/// Words of SQL that are headings, too.
const SQL: &[&str] = &["all", "array", "in", "none", "while", "to", "with", "end"];

/// A unit as the end of a name.
fn unit_in_names(unit: &str) -> String {
    let word = |part: &str| match part {
        "B" => "bytes".to_string(),
        "flop" => "flops".to_string(),
        other => words(other),
    };
    match unit.split_once('/') {
        Some((above, below)) => {
            let below = match below {
                "B" => "byte".to_string(),
                other => words(other),
            };
            format!("{}_per_{below}", word(above))
        }
        None => word(unit),
    }
}

fn plain<R>(model: &Model, table: &Table<R>) -> PlainTable {
    let mut columns: Vec<PlainColumn> = Vec::new();
    for column in &table.columns {
        let is_known = |name: &String| columns.iter().any(|other| other.name == *name);
        let short = words(&column.header);
        let repeats = table
            .columns
            .iter()
            .filter(|other| words(&other.header) == short)
            .count()
            > 1;
        let long = if repeats {
            format!("{}_{short}", words(&column.group))
        } else {
            short
        };
        let numbered = (1..).map(|n| {
            if n == 1 {
                long.clone()
            } else {
                format!("{long}_{n}")
            }
        });
        let name = numbered
            .into_iter()
            .find(|name| !is_known(name))
            .unwrap_or(long);
        columns.push(PlainColumn {
            name,
            group: column.group.clone(),
            header: column.header.clone(),
            unit: column.unit,
            holds: holds(column),
            meaning: column.meaning.clone(),
            kind: column.kind,
        });
    }
    let named = |id: FigureId, names: &[String]| {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        chosen(model.value(id), &names)
            .map_or(PlainCell::Empty, |name| PlainCell::Text(name.into()))
    };
    let cell = |content: Content| match content {
        Content::Empty => PlainCell::Empty,
        Content::Text(text) => PlainCell::Text(text),
        Content::Fact(value) => PlainCell::Number(value),
        Content::Figure(id) => PlainCell::Number(model.value(id)),
        Content::Choice(id, names) => named(id, &names),
        Content::Several(id, names) => named(id, &Content::all_of(names)),
    };
    let row = |entry: &R| {
        table
            .columns
            .iter()
            .map(|column| cell((column.cell)(entry)))
            .collect()
    };
    PlainTable {
        name: words(table.title),
        columns,
        rows: table.rows.iter().map(row).collect(),
    }
}

/// Headings that read otherwise than the names of their columns, which stay what they were.
const WORDED: &[(&str, &str)] = &[
    (loops::GAIN.1, "Saves of program"),
    (loops::MEASURED_RATIO.1, "Estimate over measured"),
    (loops::OPERATIONS, "Operations an iteration"),
    (loops::KEPT, "To keep for reuse"),
    (
        "Calls are estimated because of",
        "Calls are not exact because of",
    ),
    ("With its associativity", "With its ways"),
    ("Bytes per flop", "Bytes a flop"),
    ("Implied by others", "Follows from others"),
];

/// Lower-case words joined by underscores.
fn words(text: &str) -> String {
    let worded = WORDED.iter().find(|(heading, _)| *heading == text);
    let text = worded.map_or(text, |(_, named)| *named);
    let lower: String = text
        .to_lowercase()
        .chars()
        .map(|c| if c.is_alphanumeric() { c } else { ' ' })
        .collect();
    lower.split_whitespace().collect::<Vec<&str>>().join("_")
}
