//! One row of a result: a configuration of one input, or a place in it, with what came of it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::columns::{Column, ColumnType};
use crate::latency::{LatencyOf, RunLatency};

/// One row. A cell that is not there is unknown or does not apply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    kind: RowKind,
    cells: BTreeMap<Column, Cell>,
    /// Values of the settings of the manifest, in its order; none for a trace.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    settings: Vec<f64>,
    /// What asks for the latency of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    latency_of: Option<LatencyOf>,
}

/// What a row is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RowKind {
    Program,
    Nest,
    Trace,
    Epochs,
    Error,
}

impl RowKind {
    /// In column `kind`.
    pub fn name(self) -> &'static str {
        match self {
            RowKind::Program => "program",
            RowKind::Nest => "nest",
            RowKind::Trace => "trace",
            RowKind::Epochs => "epochs",
            RowKind::Error => "error",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Cell {
    Integer(i64),
    Number(f64),
    Text(String),
}

impl Row {
    pub fn new(input: &str, kind: RowKind) -> Row {
        let row = Row {
            kind,
            cells: BTreeMap::new(),
            settings: Vec::new(),
            latency_of: None,
        };
        row.with_text(Column::Input, input)
    }

    #[must_use]
    pub fn with_settings(mut self, values: &[f64]) -> Row {
        self.settings = values.to_vec();
        self
    }

    /// The latency of memory.
    #[must_use]
    pub fn with_latency(mut self, latency: RunLatency) -> Row {
        self.latency_of = Some(latency.of);
        self.with(Column::LatencyCycles, latency.cycles)
    }

    /// The latency of memory, with what asks for it; none of sources, whose machines have theirs.
    pub fn latency(&self) -> Option<RunLatency> {
        let cycles = self.number(Column::LatencyCycles)?;
        let of = self.latency_of?;
        Some(RunLatency { cycles, of })
    }

    /// A text; an empty one is none.
    #[must_use]
    pub fn with_text(mut self, column: Column, text: &str) -> Row {
        debug_assert_eq!(column.entry().holds, ColumnType::Text);
        if text.is_empty() {
            return self;
        }
        self.cells.insert(column, Cell::Text(text.to_string()));
        self
    }

    /// A number, if it is known: infinities and what is not a number are not.
    #[must_use]
    pub fn with(mut self, column: Column, value: impl Into<Option<f64>>) -> Row {
        debug_assert_eq!(column.entry().holds, ColumnType::Number);
        if let Some(value) = value.into().filter(|value| value.is_finite()) {
            self.cells.insert(column, Cell::Number(value));
        }
        self
    }

    #[must_use]
    pub fn with_count(mut self, column: Column, value: impl Into<Option<u64>>) -> Row {
        debug_assert_eq!(column.entry().holds, ColumnType::Integer);
        let value = value.into().and_then(|value| i64::try_from(value).ok());
        if let Some(value) = value {
            self.cells.insert(column, Cell::Integer(value));
        }
        self
    }

    /// Whether its machine leaves unknown what would bound its time.
    pub fn is_lower_bound(&self) -> bool {
        self.kind != RowKind::Trace && self.unknown_of_machine().is_some()
    }

    fn unknown_of_machine(&self) -> Option<&str> {
        self.text(Column::MachineUnknown)
            .filter(|what| !what.is_empty())
    }

    /// Why its figures are not exact, one part a kind of reason: to stand behind a star.
    pub fn doubts(&self) -> Vec<String> {
        let part = |column, sentence: &dyn Fn(&str) -> String| {
            let text = self.text(column).filter(|text| !text.is_empty());
            text.map(sentence)
        };
        let parts = [
            part(Column::NotRead, &|files| {
                format!("without what was not read: {files}")
            }),
            part(Column::MachineUnknown, &|what| match self.kind {
                RowKind::Trace => format!(
                    "the machine does not specify {what}; the time in seconds is also unknown"
                ),
                _ => format!("the machine does not specify {what}; the time is a lower bound"),
            }),
            part(Column::GuessedSizes, &|names| {
                format!("depends on guesses: {names}")
            }),
            part(Column::Reasons, &|codes| match self.kind {
                RowKind::Program | RowKind::Nest => format!("not exact: {codes}"),
                _ => codes.to_string(),
            }),
        ];
        parts.into_iter().flatten().collect()
    }

    /// Whether it is about that.
    pub fn is(&self, kind: RowKind) -> bool {
        self.kind == kind
    }

    pub fn kind(&self) -> RowKind {
        self.kind
    }

    pub fn text(&self, column: Column) -> Option<&str> {
        if column == Column::Kind {
            return Some(self.kind.name());
        }
        if column == Column::LatencyFrom {
            return self.latency_of.map(LatencyOf::name);
        }
        match self.cells.get(&column)? {
            Cell::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn integer(&self, column: Column) -> Option<i64> {
        match self.cells.get(&column)? {
            Cell::Integer(value) => Some(*value),
            _ => None,
        }
    }

    pub fn number(&self, column: Column) -> Option<f64> {
        match self.cells.get(&column)? {
            Cell::Integer(value) => Some(*value as f64),
            Cell::Number(value) => Some(*value),
            Cell::Text(_) => None,
        }
    }

    /// The value of the setting at a position of the manifest's.
    pub fn setting(&self, position: usize) -> Option<f64> {
        self.settings.get(position).copied()
    }

    /// A line of JSON.
    pub fn to_line(&self) -> String {
        let mut text = serde_json::to_string(self).expect("texts and numbers are JSON");
        text.push('\n');
        text
    }

    /// # Errors
    /// It is not a row.
    pub fn parse(line: &str) -> Result<Row, serde_json::Error> {
        serde_json::from_str(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_all_of_a_row() {
        let row = Row::new("a.c", RowKind::Nest)
            .with(Column::Flops, 3.0)
            .with(Column::TimeSeconds, f64::NAN)
            .with(Column::TrafficBytes, 0.1 + 0.2)
            .with_count(Column::Line, 7)
            .with_settings(&[64.0, 0.5]);
        let read = Row::parse(&row.to_line()).expect("a row");
        assert_eq!(read, row);
        assert_eq!(read.number(Column::Flops), Some(3.0));
        assert_eq!(read.number(Column::TimeSeconds), None);
        assert_eq!(read.setting(1), Some(0.5));
    }
}
