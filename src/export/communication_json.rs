//! Communication in the JSON of an analysis: every call with what it moves, and the totals.

use serde_json::{Value, json};

use super::json::figure;
use crate::expr::FigureId;
use crate::model::{CommunicationFigures, CommunicationModel, Model};

/// All of the program. Bytes and seconds are those of one process.
pub(super) fn totals(model: &Model, communication: &CommunicationModel) -> Value {
    json!({
        "calls": communication.calls.len(),
        "messages": figure(model, communication.messages),
        "bytes": figure(model, communication.bytes),
        "seconds": figure(model, communication.seconds),
        "calls_of_unknown_size": communication.unknown().count(),
    })
}

/// The calls in one function.
pub(super) fn of_function(model: &Model, function: usize) -> Option<Value> {
    let calls = &model.communication.as_ref()?.calls;
    let first = calls.partition_point(|call| call.site.function < function);
    let own = calls[first..]
        .iter()
        .take_while(|call| call.site.function == function);
    let own: Vec<Value> = own.map(|call| one(model, call)).collect();
    (!own.is_empty()).then(|| own.into())
}

fn one(model: &Model, call: &CommunicationFigures) -> Value {
    let maybe = |id: Option<FigureId>| id.map_or(Value::Null, |id| figure(model, id));
    let text = |expr: Option<&crate::expr::Expr>| expr.map(ToString::to_string);
    let moved = call.site.moved;
    let mut value = json!({
        "name": call.site.call.name,
        "line": call.site.call.line,
        "loop": call.site.inside.map(|inside| &inside.id),
        "library": moved.library,
        "kind": moved.kind.as_str(),
        "arrays": moved.arrays,
        "count_expression": text(moved.count.as_ref()),
        "count": maybe(call.count),
        "datatype": moved.datatype,
        "element_bytes": maybe(call.element_bytes),
        "messages": figure(model, call.messages),
        "bytes": maybe(call.bytes),
        "seconds": maybe(call.seconds),
        "executions": figure(model, call.times),
        "bytes_in_all": maybe(call.all_bytes),
        "messages_in_all": figure(model, call.all_messages),
        "seconds_in_all": maybe(call.all_seconds),
    });
    if let Some(halo) = &moved.halo {
        value["components"] = halo.components.to_string().into();
        value["ghost_width"] = halo.width.to_string().into();
        value["extents"] = halo
            .extents
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .into();
    }
    value
}
