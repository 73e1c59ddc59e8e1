//! JSON of dependences between loops, of sequences of loops and what can be fused.

use petgraph::visit::EdgeRef;
use serde_json::{Map, Value, json};

use super::json::number;
use crate::analysis::dependence::fusion::Verdict;
use crate::analysis::dependence::{Dependence, Through};
use crate::expr::FigureId;
use crate::model::Model;
use crate::model::dependencies::{FusionModel, SequenceModel};

/// Edges of all sequences of a function.
pub(super) fn dependencies(sequences: &[&SequenceModel]) -> Vec<Value> {
    let mut found = Vec::new();
    for SequenceModel { within, graph, .. } in sequences {
        for edge in graph.edge_references() {
            let Dependence {
                kind,
                arrays,
                is_implied,
            } = edge.weight();
            let (scalars, others): (Vec<&Through>, Vec<&Through>) =
                arrays.iter().partition(|t| t.is_scalar);
            let distances: Map<String, Value> = others
                .iter()
                .map(|through| (through.array.clone(), json!(through.distance)))
                .collect();
            found.push(json!({
                "from": graph[edge.source()].id,
                "to": graph[edge.target()].id,
                "kind": kind.as_str(),
                "arrays": arrays.iter().map(|through| &through.array).collect::<Vec<_>>(),
                "scalars": scalars.iter().map(|through| &through.array).collect::<Vec<_>>(),
                "distances": distances,
                "implied": is_implied,
                "within": within.map(|facts| &facts.id),
            }));
        }
    }
    found
}

/// Loops that follow each other, in time, and which of them can be made one.
pub(super) fn sequence(model: &Model, sequence: &SequenceModel) -> Value {
    let SequenceModel {
        within,
        graph,
        loops,
        total,
        critical,
        fusions,
        ..
    } = sequence;
    let value = |id: FigureId| number(model.value(id));
    let timed = graph.node_indices().zip(loops).map(|(node, times)| {
        json!({
            "loop": graph[node].id,
            "seconds": value(times.seconds),
            "start": value(times.start),
            "finish": value(times.finish),
        })
    });
    let fusions = fusions.iter().map(
        |FusionModel {
             candidate,
             shared,
             saved,
         }| {
            let (loops, why) = match &candidate.verdict {
                Verdict::Fuses { loops } => (Some(*loops), None),
                Verdict::Prevented { why } => (None, Some(why)),
            };
            json!({
                "first": candidate.first.id,
                "second": candidate.second.id,
                "legal": loops.is_some(),
                "loops": loops,
                "prevented_by": why,
                "arrays": shared,
                "bytes_saved": saved.map(value),
            })
        },
    );
    json!({
        "within": within.map(|facts| &facts.id),
        "loops": timed.collect::<Vec<_>>(),
        "seconds": value(*total),
        "critical_seconds": value(*critical),
        "critical_path":
            sequence.critical_path(&model.figures).into_iter().map(|node| &graph[node].id).collect::<Vec<_>>(),
        "fusions": fusions.collect::<Vec<_>>(),
    })
}
