//! Dependences between loops, sequences of loops and what can be fused.

use indexmap::IndexMap;
use petgraph::visit::EdgeRef;
use serde::{Deserialize, Serialize};

use crate::Figure;
use crate::analysis::dependence::fusion::Verdict;
use crate::analysis::dependence::{Dependence, Kind, Through};
use crate::model::Model;
use crate::model::dependencies::{FusionModel, SequenceModel};

/// How one loop depends on another in one way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DependenceReport {
    /// Ids of loops.
    pub from: String,
    pub to: String,
    pub kind: Kind,
    /// Scalars too.
    pub arrays: Vec<String>,
    pub scalars: Vec<String>,
    /// By array and dimension, at least and at most; null if the two loops do not walk the array alike.
    pub distances: IndexMap<String, Option<Vec<(i64, i64)>>>,
    /// Whether a chain of other dependences orders the two loops as well.
    pub implied: bool,
    /// Id of the loop that both are in.
    pub within: Option<String>,
}

/// Edges of all sequences of a function.
pub(super) fn dependencies(sequences: &[&SequenceModel]) -> Vec<DependenceReport> {
    let mut found = Vec::new();
    for SequenceModel { within, graph, .. } in sequences {
        for edge in graph.edge_references() {
            let Dependence {
                kind,
                arrays,
                is_implied,
            } = edge.weight();
            let (scalars, others): (Vec<&Through>, Vec<&Through>) =
                arrays.iter().partition(|through| through.is_scalar);
            let name = |through: &Through| through.array.clone();
            found.push(DependenceReport {
                from: graph[edge.source()].id.clone(),
                to: graph[edge.target()].id.clone(),
                kind: *kind,
                arrays: arrays.iter().map(name).collect(),
                scalars: scalars.into_iter().map(name).collect(),
                distances: others
                    .into_iter()
                    .map(|through| (name(through), through.distance.clone()))
                    .collect(),
                implied: *is_implied,
                within: within.map(|facts| facts.id.clone()),
            });
        }
    }
    found
}

/// Loops that follow each other, in time, and which of them can be made one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SequenceReport {
    pub within: Option<String>,
    pub loops: Vec<LoopTimesReport>,
    pub seconds: Figure,
    pub critical_seconds: Figure,
    pub critical_path: Vec<String>,
    pub fusions: Vec<FusionReport>,
}

/// When a loop runs if every loop starts as soon as it may.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LoopTimesReport {
    #[serde(rename = "loop")]
    pub id: String,
    pub seconds: Figure,
    pub start: Figure,
    pub finish: Figure,
}

/// Two loops that may be made one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FusionReport {
    pub first: String,
    pub second: String,
    pub legal: bool,
    /// How many of their outer loops, if it is legal.
    pub loops: Option<usize>,
    /// Why fusion is not legal.
    pub prevented_by: Option<String>,
    pub arrays: Vec<String>,
    pub bytes_saved: Figure,
}

impl SequenceReport {
    pub(super) fn of(model: &Model, sequence: &SequenceModel) -> SequenceReport {
        let SequenceModel {
            within,
            graph,
            loops,
            total,
            critical,
            fusions,
            ..
        } = sequence;
        let timed = graph.node_indices().zip(loops);
        let path = sequence.critical_path(&model.figures).into_iter();
        SequenceReport {
            within: within.map(|facts| facts.id.clone()),
            loops: timed
                .map(|(node, times)| LoopTimesReport {
                    id: graph[node].id.clone(),
                    seconds: Figure::of(model, times.seconds),
                    start: Figure::of(model, times.start),
                    finish: Figure::of(model, times.finish),
                })
                .collect(),
            seconds: Figure::of(model, *total),
            critical_seconds: Figure::of(model, *critical),
            critical_path: path.map(|node| graph[node].id.clone()).collect(),
            fusions: fusions
                .iter()
                .map(|fusion| FusionReport::of(model, fusion))
                .collect(),
        }
    }
}

impl FusionReport {
    fn of(model: &Model, fusion: &FusionModel) -> FusionReport {
        let FusionModel {
            candidate,
            shared,
            saved,
        } = fusion;
        let (loops, why) = match &candidate.verdict {
            Verdict::Fuses { loops } => (Some(*loops), None),
            Verdict::Prevented { why } => (None, Some(why.clone())),
        };
        FusionReport {
            first: candidate.first.id.clone(),
            second: candidate.second.id.clone(),
            legal: loops.is_some(),
            loops,
            prevented_by: why,
            arrays: shared.clone(),
            bytes_saved: saved.map_or(Figure::UNKNOWN, |saved| Figure::of(model, saved)),
        }
    }
}
