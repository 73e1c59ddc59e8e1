//! Communication: every call with what it moves, and the totals.

use serde::{Deserialize, Serialize};

use crate::Figure;
use crate::expr::{Expr, FigureId};
use crate::message_passing::InterfaceKind;
use crate::model::{CommunicationFigures, Model};

/// All of the program. Bytes and seconds are those of one process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CommunicationReport {
    pub calls: usize,
    pub messages: Figure,
    pub bytes: Figure,
    pub seconds: Figure,
    pub calls_of_unknown_size: usize,
}

impl CommunicationReport {
    pub(super) fn of(model: &Model) -> Option<CommunicationReport> {
        let communication = model.communication.as_ref()?;
        Some(CommunicationReport {
            calls: communication.calls.len(),
            messages: Figure::of(model, communication.messages),
            bytes: Figure::of(model, communication.bytes),
            seconds: Figure::of(model, communication.seconds),
            calls_of_unknown_size: communication.unknown().count(),
        })
    }
}

/// A call that communicates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MessageReport {
    pub name: String,
    pub line: u32,
    /// Id of the loop that it is in.
    #[serde(rename = "loop")]
    pub inside: Option<String>,
    pub library: String,
    pub kind: InterfaceKind,
    pub arrays: Vec<String>,
    pub count_expression: Option<String>,
    pub count: Figure,
    pub datatype: String,
    pub element_bytes: Figure,
    pub messages: Figure,
    pub bytes: Figure,
    pub seconds: Figure,
    pub executions: Figure,
    pub bytes_in_all: Figure,
    pub messages_in_all: Figure,
    pub seconds_in_all: Figure,
    /// Of a ghost exchange, as the next two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub components: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ghost_width: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extents: Option<Vec<String>>,
}

/// The calls in one function.
pub(super) fn of_function(model: &Model, function: usize) -> Vec<MessageReport> {
    let calls = model
        .communication
        .iter()
        .flat_map(|communication| &communication.calls);
    // They are in the order of the functions.
    let own = calls
        .skip_while(|call| call.site.function < function)
        .take_while(|call| call.site.function == function);
    own.map(|call| MessageReport::of(model, call)).collect()
}

impl MessageReport {
    fn of(model: &Model, call: &CommunicationFigures) -> MessageReport {
        let figure = |id: FigureId| Figure::of(model, id);
        let maybe = |id: Option<FigureId>| id.map_or(Figure::UNKNOWN, figure);
        let moved = call.site.moved;
        let halo = moved.halo.as_ref();
        MessageReport {
            name: call.site.call.name.clone(),
            line: call.site.call.line,
            inside: call.site.inside.map(|inside| inside.id.clone()),
            library: moved.library.clone(),
            kind: moved.kind,
            arrays: moved.arrays.clone(),
            count_expression: moved.count.as_ref().map(Expr::to_string),
            count: maybe(call.count),
            datatype: moved.datatype.clone(),
            element_bytes: maybe(call.element_bytes),
            messages: figure(call.messages),
            bytes: maybe(call.bytes),
            seconds: maybe(call.seconds),
            executions: figure(call.times),
            bytes_in_all: maybe(call.all_bytes),
            messages_in_all: figure(call.all_messages),
            seconds_in_all: maybe(call.all_seconds),
            components: halo.map(|halo| halo.components.to_string()),
            ghost_width: halo.map(|halo| halo.width.to_string()),
            extents: halo.map(|halo| halo.extents.iter().map(Expr::to_string).collect()),
        }
    }
}
