//! The sheet A and B: the time of every nest on the machine in force and on the one it is compared with.

use super::{Column, Content, Look, Table, add, add_figures};
use crate::model::{Model, OtherMachine, OtherNest, StaticFigure as F};

/// Where Summary finds what it lists.
pub(crate) const POSITION: (&str, &str) = ("Nest", "Row of Loops");
pub(crate) const ON_B: (&str, &str) = (TIME, "On B");
pub(crate) const RATIO: (&str, &str) = (TIME, "B over A");

const TIME: &str = "Time";

pub(crate) fn table<'a>(model: &'a Model<'a>, other: &'a OtherMachine) -> Table<'a, &'a OtherNest> {
    let mut columns: Vec<Column<&OtherNest>> = Vec::new();
    let group = "Nest";
    let meaning = "The nest: its row on sheet Loops";
    add(
        &mut columns,
        (group, "Loop", ""),
        Look::Text,
        meaning,
        |other| Content::Text(model.nests[other.nest].nest.head().id.clone()),
    );
    let meaning = "Function, subroutine or program around it";
    add(
        &mut columns,
        (group, "Function", ""),
        Look::Text,
        meaning,
        |other| {
            Content::Text(
                model.program.functions[model.nests[other.nest].nest.function]
                    .name
                    .clone(),
            )
        },
    );
    let meaning = "Position of the nest in the table on sheet Loops, starting at 1";
    add(
        &mut columns,
        (group, POSITION.1, ""),
        Look::Number,
        meaning,
        |other| Content::Fact(other.nest as f64 + 1.0),
    );
    let time = match model.ranking.follows_calls {
        true => F::NestTimeOfAllCalls,
        false => F::Time,
    };
    add_figures(&mut columns, (TIME, "On A"), Look::Seconds, time, |other| {
        (model.ranking.seconds(other.nest)).map_or(Content::Empty, Content::Figure)
    });
    let on_b = Column::figures((TIME, ON_B.1), Look::Seconds, time, |other: &&OtherNest| {
        Content::Figure(other.seconds)
    });
    columns.push(on_b.remark("with the figures of machine B; steps are in sheet Steps"));
    add_figures(
        &mut columns,
        (TIME, RATIO.1),
        Look::Ratio,
        F::TimeRatio,
        |other| Content::Figure(other.ratio),
    );
    type Pick = fn(&Model, &OtherNest) -> crate::expr::FigureId;
    let bounds: [(&str, Pick); 2] = [
        ("On A", |model, other| model.nests[other.nest].time.bound),
        ("On B", |_, other| other.bound),
    ];
    for (header, pick) in bounds {
        add_figures(
            &mut columns,
            ("Bound by", header),
            Look::Text,
            F::Bound,
            move |other| {
                let names = model.nests[other.nest].time.bound_names();
                Content::Choice(
                    pick(model, other),
                    names.into_iter().map(str::to_string).collect(),
                )
            },
        );
    }
    let remark = match other.nests.len() < model.nests.len() {
        true => format!(
            "The {} with the most work (operations and references) when the workbook was written.",
            match other.nests.len() {
                1 => "nest".to_string(),
                several => format!("{several} nests"),
            }
        ),
        false => "All nests. Pick machine B on sheet Control.".to_string(),
    };
    Table {
        title: "Machines A and B",
        remark,
        rows: other.nests.iter().collect(),
        columns,
    }
}
