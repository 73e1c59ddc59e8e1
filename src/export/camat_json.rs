//! C-AMAT of a timeline as JSON (the keys are a promise).

use serde_json::{Map, Value, json};

use super::json::number;
use crate::formula::Catalogue;
use crate::metrics::camat::formulas::{LevelFigure, ProgramFigure};
use crate::metrics::camat::identities::identities;
use crate::metrics::camat::{Camat, Figures, matching};
use crate::metrics::report::TimelineReport;

/// The whole report of a timeline without a trace; what is about a trace is absent.
pub fn timeline(report: &TimelineReport) -> String {
    let TimelineReport { path, camat } = report;
    let value = json!({
        "schema": "loopsheet/trace/1",
        "timeline": { "path": path },
        "camat": levels(camat),
    });
    let mut text = serde_json::to_string_pretty(&value).unwrap_or_default();
    text.push('\n');
    text
}

/// Figures of the program and of every level; what is not known is null.
pub(super) fn levels(camat: &Camat) -> Value {
    let figures = Figures::of(camat);
    let value = |figure: Option<f64>| figure.map_or(Value::Null, number);
    let mut program = Map::new();
    program.insert("instructions".into(), json!(camat.program.instructions));
    program.insert("CPI_exe".into(), value(camat.program.cpi_exe));
    program.insert("hart_cycles".into(), json!(camat.program.hart_cycles));
    program.insert("stall_target".into(), number(camat.program.stall_target));
    for figure in ProgramFigure::derived() {
        program.insert(figure.entry().name.into(), value(figures.get(figure)));
    }
    program.insert("harts".into(), json!(camat.harts));
    program.insert("first_cycle".into(), json!(camat.run.0));
    program.insert("last_cycle".into(), json!(camat.run.1));
    program.insert("advice".into(), json!(matching::advice(camat, &figures)));
    let level = |(index, level): (usize, &crate::metrics::camat::LevelCounts)| {
        let mut object = Map::new();
        object.insert("name".into(), json!(level.name));
        for figure in LevelFigure::counts() {
            object.insert(figure.entry().name.into(), json!(figure.count(level)));
        }
        for figure in LevelFigure::derived() {
            let known = figures.at(figure, index + 1);
            object.insert(figure.entry().name.into(), value(known));
        }
        Value::Object(object)
    };
    let identities = identities(camat).into_iter().map(|identity| {
        json!({
            "name": identity.name,
            "level": identity.level,
            "left": number(identity.left),
            "right": number(identity.right),
        })
    });
    json!({
        "program": program,
        "levels": camat.levels.iter().enumerate().map(level).collect::<Vec<_>>(),
        "identities": identities.collect::<Vec<_>>(),
    })
}
