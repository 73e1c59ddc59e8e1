//! What may go to slower memory.

use serde::{Deserialize, Serialize};

use crate::Figure;
use crate::metrics::objects::{Object, Objects, Placement};
use crate::metrics::out_of_order::PAGE;

/// One object; those that may go first come first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ObjectReport {
    pub name: Option<String>,
    pub bytes: u64,
    pub accesses: u64,
    /// Of these, accesses that load; no epoch waits for what is only stored.
    #[serde(default)]
    pub loads: u64,
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
    /// By what share of its cycles the run takes longer, estimated.
    pub loss: Figure,
    /// Cycles of the machine nearly like the core that says so; without it, epochs do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimated_cycles: Option<u64>,
    /// The same in the core, where it was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub core_loss: Option<Figure>,
    /// Whether it goes there when objects are taken one after the other within the budget.
    pub greedy: bool,
    /// The share of its pages that goes there if those of the first object that does not fit are interleaved.
    #[serde(default)]
    pub interleaved_share: Figure,
    /// Whether it is of the set with most bytes within the budget; unknown where objects are many.
    pub best: Option<bool>,
}

/// Pages of all objects, interleaved with far memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct InterleavingReport {
    pub page_bytes: u64,
    pub epochs: u64,
    /// Lines from RAM.
    pub lines: u64,
    /// Cycles between two lines from RAM.
    pub near_interval: u64,
    /// Cycles between two lines from far memory.
    pub far_interval: u64,
    pub cycles: u64,
    /// Cycles if RAM delivered as many lines as come.
    pub unlimited_cycles: u64,
    /// Cycles of the machine nearly like the core, with all in RAM.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimated_cycles: Option<u64>,
    /// By latency of far memory, as asked for.
    pub far: Vec<InterleavedReport>,
}

/// With far memory of one latency.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct InterleavedReport {
    /// Cycles.
    pub latency: u64,
    /// The largest share of the pages that loses no more than the budget.
    pub largest_share: Figure,
    /// The share with which the run takes the least time.
    pub fastest_share: Figure,
    /// Its loss; negative if it is faster than with all in RAM.
    pub fastest_loss: Figure,
    pub shares: Vec<ShareReport>,
}

/// With one share of the pages there.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ShareReport {
    pub share: Figure,
    /// By what share of its cycles the run takes longer, estimated.
    pub loss: Figure,
    /// As of an object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimated_cycles: Option<u64>,
    /// The same in the core, where it was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub core_loss: Option<Figure>,
}

pub(super) fn interleaving(all: &Objects) -> InterleavingReport {
    let own = &all.interleaving;
    let far = |placement: &Placement| {
        let latency = placement.latency;
        let (fastest, fastest_loss) = all.fastest_share(placement);
        let share = |(number, percent): (usize, &u64)| {
            let share = *percent as f64 / 100.0;
            let estimated = placement.estimated.as_ref();
            let core_loss = all.interleaved_loss_in_core(number, placement);
            ShareReport {
                share: Figure::from(share),
                loss: Figure::from(all.interleaved_loss(number, placement)),
                estimated_cycles: estimated.and_then(|own| own.interleaved[number]),
                core_loss: core_loss.map(Figure::from),
            }
        };
        InterleavedReport {
            latency,
            largest_share: Figure::from(all.largest_share(placement)),
            fastest_share: Figure::from(fastest),
            fastest_loss: Figure::from(fastest_loss),
            shares: own.shares.iter().enumerate().map(share).collect(),
        }
    };
    InterleavingReport {
        page_bytes: PAGE,
        epochs: own.epochs,
        lines: own.lines,
        near_interval: own.times.near_interval,
        far_interval: own.times.far_interval,
        cycles: own.times.cycles,
        unlimited_cycles: own.times.unlimited_cycles,
        estimated_cycles: (all.placements.iter())
            .find_map(|placement| Some(placement.estimated.as_ref()?.near)),
        far: all.placements.iter().map(far).collect(),
    }
}

pub(super) fn objects(all: &Objects) -> Vec<ObjectReport> {
    let far = |number: usize| {
        let one = |placement: &Placement| FarReport {
            latency: placement.latency,
            loss: Figure::from(all.loss(number, placement)),
            estimated_cycles: (placement.estimated.as_ref()).and_then(|own| own.alone[number]),
            core_loss: all.loss_in_core(number, placement).map(Figure::from),
            greedy: placement.greedy[number],
            interleaved_share: Figure::from(placement.shares[number]),
            best: placement.best.as_ref().map(|best| best[number]),
        };
        all.placements.iter().map(one).collect()
    };
    let report = |(number, object): (usize, &Object)| ObjectReport {
        name: object.name.clone(),
        bytes: object.bytes,
        accesses: object.accesses,
        loads: object.loads,
        misses: object.misses,
        memory_depth: object.memory_depth,
        epochs: object.epochs,
        far: far(number),
    };
    all.objects.iter().enumerate().map(report).collect()
}
