//! C-AMAT of a timeline as a table: a column a level.

use std::fmt::Write;

use super::columns::Align::{self, Left, Right};
use super::columns::aligned;
use super::numbers::number;
use crate::formula::Catalogue;
use crate::metrics::camat::formulas::{LevelFigure, ProgramFigure};
use crate::metrics::camat::{Camat, Figures, matching};
use crate::metrics::report::TimelineReport;

/// The report of a timeline without a trace.
pub fn timeline(report: &TimelineReport) -> String {
    let path = if report.path == "-" {
        "standard input"
    } else {
        &report.path
    };
    format!("{path} (timeline)\n\n{}", levels(&report.camat))
}

/// The program's figures and those of every level.
pub(super) fn levels(camat: &Camat) -> String {
    let figures = Figures::of(camat);
    let shown = |value: Option<f64>| value.map_or_else(|| "unknown".to_string(), number);
    let (first, last) = camat.run;
    let harts = match camat.harts {
        0 => "no accesses".to_string(),
        1 => "1 hart".to_string(),
        harts => format!("{harts} harts"),
    };
    let mut text = format!("C-AMAT, cycles {first} to {last}, {harts}\n");
    let row = |figure: &ProgramFigure| {
        let entry = figure.entry();
        [
            format!("  {}", entry.meaning),
            entry.symbol.to_string(),
            shown(figures.get(*figure)),
        ]
    };
    let rows: Vec<_> = ProgramFigure::ALL.iter().map(row).collect();
    text += &aligned(&rows, [Left, Left, Right]);
    text.push('\n');
    text += &table(camat, &figures, &shown);
    text.push('\n');
    for sentence in matching::advice(camat, &figures) {
        let _ = writeln!(text, "  {sentence}");
    }
    text
}

/// C-AMAT of several runs together, whose levels are those of this one.
pub(super) fn summed(camat: &Camat, figures: &Figures) -> String {
    let shown = |value: Option<f64>| value.map_or_else(|| "unknown".to_string(), number);
    table(camat, figures, &shown)
}

fn table(camat: &Camat, figures: &Figures, shown: &dyn Fn(Option<f64>) -> String) -> String {
    let levels = 1..=camat.levels.len();
    let mut rows: Vec<Vec<String>> = vec![vec!["level".into(), String::new()]];
    rows[0].extend(camat.levels.iter().map(|level| level.name.clone()));
    rows[0].push(String::new());
    for figure in LevelFigure::ALL {
        let entry = figure.entry();
        let mut row = vec![format!("  {}", entry.meaning), entry.symbol.to_string()];
        row.extend(
            levels
                .clone()
                .map(|level| shown(figures.at(*figure, level))),
        );
        row.push(entry.unit.symbol().to_string());
        rows.push(row);
    }
    let mut align: Vec<Align> = vec![Right; camat.levels.len() + 3];
    (align[0], align[1], align[camat.levels.len() + 2]) = (Left, Left, Left);
    aligned(&rows, align)
}
