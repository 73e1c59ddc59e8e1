//! The sheet Communication: one row a call between processes, and all of them together.

use super::{Column, Content, Look, Table, UNKNOWN, add};
use crate::expr::FigureId;
use crate::model::{CommunicationFigures, CommunicationModel, Model};

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
        remark: "One row a call, in the time and with the bytes of one process. A receive takes no time of its own while nic_full_duplex is 1: what it receives is counted where it is sent.".into(),
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
        "Where the call stands",
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
    let some = |figure: Option<FigureId>| figure.map_or(Content::Empty, Content::Figure);
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
        "Buffers or arrays, the one that is sent first",
        |row| {
            row.map_or(Content::Empty, |call| {
                text(call.site.moved.arrays.join(", "))
            })
        },
    );
    add(
        columns,
        (group, "Components", ""),
        Look::Number,
        "Of a ghost exchange: components of a cell",
        move |row| some(row.and_then(|call| call.components)),
    );
    add(
        columns,
        (group, "Ghost width", "cells"),
        Look::Number,
        "Of a ghost exchange: cells on either side",
        move |row| some(row.and_then(|call| call.width)),
    );
    add(
        columns,
        (group, "Type", ""),
        Look::Text,
        "The type of the elements, as the call names it",
        |row| row.map_or(Content::Empty, |call| text(&call.site.moved.datatype)),
    );
    let elements = "Elements that one process sends (a receive: receives), or sends to each; of a ghost exchange: components x sum over the dimensions d of 2 x width x the cells of the other dimensions";
    add(
        columns,
        (group, "Elements", "elements"),
        Look::Count,
        elements,
        |row| {
            row.and_then(|call| call.count)
                .map_or(Content::Empty, Content::Figure)
        },
    );
    let bytes =
        "Bytes of an element, from its type; a type that the program makes elsewhere is unknown";
    add(
        columns,
        (group, "Element size", "B"),
        Look::Count,
        bytes,
        |row| row.map_or(Content::Empty, |call| known(call, call.element_bytes)),
    );
    add(
        columns,
        (group, "Data", "B"),
        Look::Count,
        "Elements times their size",
        |row| row.map_or(Content::Empty, |call| known(call, call.data)),
    );
}

fn one_call(columns: &mut Columns<'_>) {
    let group = "One execution";
    let messages = "Messages one after another: 1 point to point, 2 a dimension of a ghost exchange, the stages of a collective";
    add(
        columns,
        (group, "Messages", ""),
        Look::Count,
        messages,
        |row| row.map_or(Content::Empty, |call| Content::Figure(call.messages)),
    );
    add(
        columns,
        (group, "Bytes", "B"),
        Look::Count,
        "Bytes that one process sends in them; a receive: that it receives",
        |row| row.map_or(Content::Empty, |call| known(call, call.bytes)),
    );
    add(
        columns,
        (group, "Cost", "s"),
        Look::Seconds,
        "Messages x nic_latency_us + bytes / nic_gbs; exchanges twice and receives once where nic_full_duplex is 0",
        |row| row.map_or(Content::Empty, |call| known(call, call.seconds)),
    );
}

fn in_all<'a>(communication: &'a CommunicationModel<'a>, columns: &mut Columns<'a>) {
    let group = "All executions";
    let executions = "Iterations of the loops around the call, times the probabilities of the branches around it, times how often its function is called";
    add(
        columns,
        (group, "Executions", ""),
        Look::Count,
        executions,
        |row| row.map_or(Content::Empty, |call| Content::Figure(call.times)),
    );
    add(
        columns,
        (group, "Messages", ""),
        Look::Count,
        "Executions times messages; the last row: those that are sent",
        |row| Content::Figure(row.map_or(communication.messages, |call| call.all_messages)),
    );
    add(
        columns,
        (group, "Bytes", "B"),
        Look::Count,
        "Executions times bytes; the last row: those that are sent, as far as sizes are known",
        |row| {
            row.map_or(Content::Figure(communication.bytes), |call| {
                known(call, call.all_bytes)
            })
        },
    );
    add(
        columns,
        (group, "Cost", "s"),
        Look::Seconds,
        "Executions times the cost of one; the last row: as far as sizes are known",
        |row| {
            row.map_or(Content::Figure(communication.seconds), |call| {
                known(call, call.all_seconds)
            })
        },
    );
}
