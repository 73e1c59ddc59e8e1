//! What may go to slower memory.

use serde::{Deserialize, Serialize};

use crate::Figure;
use crate::metrics::objects::{Object, Objects, Placement};

/// One object; those that may go first come first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ObjectReport {
    pub name: Option<String>,
    pub bytes: u64,
    pub accesses: u64,
    pub misses: u64,
    /// The most of these misses on one path; unknown but for the largest variables.
    pub memory_depth: Option<u64>,
    /// What the time grows by for every cycle of its latency alone.
    pub epochs: u64,
    /// By latency of far memory, ascending as asked for.
    pub far: Vec<FarReport>,
}

/// One object in memory of one latency.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FarReport {
    /// Cycles.
    pub latency: u64,
    /// By what share of its cycles the run takes longer, estimated by epochs.
    pub loss: Figure,
    /// The same in the core, where it was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub core_loss: Option<Figure>,
    /// Whether it goes there when objects are taken one after the other within the budget.
    pub greedy: bool,
    /// Whether it is of the set with most bytes within the budget; unknown where objects are many.
    pub best: Option<bool>,
}

pub(super) fn objects(all: &Objects) -> Vec<ObjectReport> {
    let far = |number: usize, object: &Object| {
        let one = |placement: &Placement| FarReport {
            latency: placement.latency,
            loss: Figure::from(all.loss(object, placement.latency)),
            core_loss: all.loss_in_core(number, placement).map(Figure::from),
            greedy: placement.greedy[number],
            best: placement.best.as_ref().map(|best| best[number]),
        };
        all.placements.iter().map(one).collect()
    };
    let report = |(number, object): (usize, &Object)| ObjectReport {
        name: object.name.clone(),
        bytes: object.bytes,
        accesses: object.accesses,
        misses: object.misses,
        memory_depth: object.memory_depth,
        epochs: object.epochs,
        far: far(number, object),
    };
    all.objects.iter().enumerate().map(report).collect()
}
