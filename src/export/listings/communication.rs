//! The sheet Communication: one row a call between processes, and all of them together.

use super::{Column, Content, Look, Table, UNKNOWN, add, add_figures, some};
use crate::expr::FigureId;
use crate::model::{CommunicationFigures, CommunicationModel, Model, StaticFigure as F};

/// A call; `None` stands for all of them.
pub(crate) type Row<'a> = Option<&'a CommunicationFigures<'a>>;

type Columns<'a> = Vec<Column<'a, Row<'a>>>;

/// One row a call in program order; the last one is all of them.
pub(crate) fn table<'a>(
    model: &'a Model<'a>,
    communication: &'a CommunicationModel<'a>,
) -> Table<'a, Row<'a>> {
    let mut columns = Vec::new();
    place(model, &mut columns);
    what(&mut columns);
    one_call(&mut columns);
    in_all(communication, &mut columns);
    Table {
        title: "Communication",
        remark: "One row per call, with the time and bytes of one process. A receive takes no time of its own while nic_full_duplex is 1: what it receives is counted where it is sent.".into(),
        rows: communication.calls.iter().map(Some).chain([None]).collect(),
        columns,
    }
}

fn text(text: impl Into<String>) -> Content {
    Content::Text(text.into())
}

/// A figure of a call; a call that moves data of unknown size says so.
fn known(call: &CommunicationFigures, figure: Option<FigureId>) -> Content {
    match figure {
        Some(id) => Content::Figure(id),
        None if call.is_unknown() => text(UNKNOWN),
        None => Content::Empty,
    }
}

fn place<'a>(model: &'a Model<'a>, columns: &mut Columns<'a>) {
    let group = "Call";
    add(
        columns,
        (group, "Procedure", ""),
        Look::Text,
        "What is called",
        |row| match row {
            Some(call) => text(&call.site.call.name),
            None => text("all calls"),
        },
    );
    add(
        columns,
        (group, "In function", ""),
        Look::Text,
        "The caller",
        move |row| {
            row.map_or(Content::Empty, |call| {
                text(&model.program.functions[call.site.function].name)
            })
        },
    );
    add(
        columns,
        (group, "File", ""),
        Look::Text,
        "Location of the call",
        move |row| {
            let Some(call) = row else {
                return Content::Empty;
            };
            let file = call
                .site
                .inside
                .map_or(&model.program.functions[call.site.function].file, |inner| {
                    &inner.file
                });
            text(file.to_string())
        },
    );
    add(
        columns,
        (group, "Line", ""),
        Look::Number,
        "Line of the call",
        |row| {
            row.map_or(Content::Empty, |call| {
                Content::Fact(call.site.call.line.into())
            })
        },
    );
    add(
        columns,
        (group, "Loop", ""),
        Look::Text,
        "The innermost loop around it",
        |row| {
            let inside = row.and_then(|call| call.site.inside);
            inside.map_or(Content::Empty, |inside| text(&inside.id))
        },
    );
}

fn what(columns: &mut Columns<'_>) {
    let group = "What it moves";
    add(
        columns,
        (group, "Kind", ""),
        Look::Text,
        "What the call does",
        |row| {
            row.map_or(Content::Empty, |call| {
                text(call.site.moved.kind.as_str().replace('_', " "))
            })
        },
    );
    add(
        columns,
        (group, "Arrays", ""),
        Look::Text,
        "Buffers or arrays, the sent one first",
        |row| {
            row.map_or(Content::Empty, |call| {
                text(call.site.moved.arrays.join(", "))
            })
        },
    );
    add_figures(
        columns,
        (group, "Components"),
        Look::Number,
        F::Components,
        move |row| some(row.and_then(|call| call.components)),
    );
    add_figures(
        columns,
        (group, "Ghost width"),
        Look::Number,
        F::GhostWidth,
        move |row| some(row.and_then(|call| call.width)),
    );
    add(
        columns,
        (group, "Type", ""),
        Look::Text,
        "The type of the elements, as named in the call",
        |row| row.map_or(Content::Empty, |call| text(&call.site.moved.datatype)),
    );
    add_figures(
        columns,
        (group, "Elements"),
        Look::Count,
        F::MessageElements,
        |row| {
            row.and_then(|call| call.count)
                .map_or(Content::Empty, Content::Figure)
        },
    );
    add_figures(
        columns,
        (group, "Element size"),
        Look::Count,
        F::MessageElementSize,
        |row| row.map_or(Content::Empty, |call| known(call, call.element_bytes)),
    );
    add_figures(
        columns,
        (group, "Data"),
        Look::Count,
        F::MessageData,
        |row| row.map_or(Content::Empty, |call| known(call, call.data)),
    );
}

fn one_call(columns: &mut Columns<'_>) {
    let group = "One execution";
    add_figures(
        columns,
        (group, "Messages"),
        Look::Count,
        F::Messages,
        |row| row.map_or(Content::Empty, |call| Content::Figure(call.messages)),
    );
    add_figures(
        columns,
        (group, "Bytes"),
        Look::Count,
        F::MessageBytes,
        |row| row.map_or(Content::Empty, |call| known(call, call.bytes)),
    );
    add_figures(
        columns,
        (group, "Cost"),
        Look::Seconds,
        F::MessageTime,
        |row| row.map_or(Content::Empty, |call| known(call, call.seconds)),
    );
}

fn in_all<'a>(communication: &'a CommunicationModel<'a>, columns: &mut Columns<'a>) {
    let group = "All executions";
    add_figures(
        columns,
        (group, "Executions"),
        Look::Count,
        F::Executions,
        |row| row.map_or(Content::Empty, |call| Content::Figure(call.times)),
    );
    let column = Column::figures(
        (group, "Messages"),
        Look::Count,
        F::AllMessages,
        |row: &Row<'a>| {
            Content::Figure(row.map_or(communication.messages, |call| call.all_messages))
        },
    );
    columns.push(column.remark("the last row: messages sent"));
    let column = Column::figures(
        (group, "Bytes"),
        Look::Count,
        F::AllMessageBytes,
        |row: &Row<'a>| {
            row.map_or(Content::Figure(communication.bytes), |call| {
                known(call, call.all_bytes)
            })
        },
    );
    columns.push(column.remark("the last row: bytes sent, of calls with known sizes"));
    let column = Column::figures(
        (group, "Cost"),
        Look::Seconds,
        F::AllMessageTime,
        |row: &Row<'a>| {
            row.map_or(Content::Figure(communication.seconds), |call| {
                known(call, call.all_seconds)
            })
        },
    );
    columns.push(column.remark("the last row: calls with known sizes"));
}
