//! Which arrays may go to slower memory.

use serde::{Deserialize, Serialize};

use crate::Figure;
use crate::analysis::facts::Object;
use crate::model::placement::{PlacedNest, PlacedObject};
use crate::model::{Model, Placement};

/// Arrays of the run in far memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PlacementReport {
    pub far_latency_ns: f64,
    /// 10⁹ bytes per second.
    pub far_gbs: f64,
    /// By what share the run may take longer.
    pub loss_budget: f64,
    /// Of the run with all in RAM.
    pub seconds: Figure,
    /// By what share it takes longer with all arrays there that go one after the other.
    pub together_loss: Figure,
    /// Nests that are left out, as their time or their bytes are not known.
    pub unknown_nests: usize,
    /// Those that may go first come first.
    pub objects: Vec<PlacedReport>,
    pub interleaving: InterleavedArraysReport,
}

/// One array.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PlacedReport {
    pub name: String,
    /// The array of the program that it is, or those that it may be.
    pub arrays: Vec<ArrayOfProgramReport>,
    /// Bytes of its lines that a nest touches, the most of all.
    pub touched_bytes: Figure,
    /// Bytes between the last cache and memory in the run.
    pub memory_bytes: Figure,
    /// Of these, lines that no prefetcher predicts; unknown where there are some, and the machine does not say what they take.
    pub irregular_bytes: Figure,
    /// By what share the run takes longer with it alone there; unknown where it has lines that no prefetcher predicts, and the
    /// machine does not say what these take.
    pub loss: Figure,
    /// Whether it goes there when arrays are taken one after the other within the budget.
    pub greedy: bool,
    /// Whether it is of the set with most bytes within the budget; unknown where arrays are many.
    pub best: Option<bool>,
    /// The share of its pages that goes there if those of arrays that do not fit are interleaved.
    pub interleaved_share: Figure,
    /// Whether the bytes of all nests that touch it are exact as far as is known.
    pub exact: bool,
    pub nests: Vec<PlacedPartReport>,
}

/// Where an array of the program is declared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ArrayOfProgramReport {
    pub name: String,
    /// What owns it: program, file, scope, common, structure or procedure.
    pub owner: String,
    /// The name of the owner, if it has one.
    pub of: Option<String>,
    pub file: Option<String>,
}

/// What a nest moves of an array.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PlacedPartReport {
    /// The id of the nest's outermost loop.
    pub nest: String,
    pub function: String,
    /// As the function calls it.
    pub name: String,
    /// Executions of the nest that move these bytes.
    pub executions: Figure,
    /// Of one execution.
    pub memory_bytes: Figure,
    pub irregular_bytes: Figure,
}

/// Pages of all arrays in both memories.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct InterleavedArraysReport {
    pub largest_share: Figure,
    pub fastest_share: Figure,
    pub fastest_loss: Figure,
    pub shares: Vec<InterleavedShareReport>,
}

/// With one share of the pages there.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct InterleavedShareReport {
    pub share: Figure,
    pub loss: Figure,
}

impl PlacementReport {
    pub(super) fn of(model: &Model) -> Option<PlacementReport> {
        let (memory, placed) = (model.far?, model.placement()?);
        let objects = placed.objects.iter().enumerate();
        let objects = objects.map(|(at, own)| object((at, own), placed, model));
        let share = |(share, loss): &(f64, f64)| InterleavedShareReport {
            share: (*share).into(),
            loss: (*loss).into(),
        };
        Some(PlacementReport {
            far_latency_ns: memory.latency_ns,
            far_gbs: memory.gbs,
            loss_budget: memory.budget,
            seconds: placed.seconds.into(),
            together_loss: placed.together.into(),
            unknown_nests: placed.unknown_nests,
            objects: objects.collect(),
            interleaving: InterleavedArraysReport {
                largest_share: placed.largest_share.into(),
                fastest_share: placed.fastest_share.into(),
                fastest_loss: placed.fastest_loss.into(),
                shares: placed.interleaved.iter().map(share).collect(),
            },
        })
    }
}

fn object((at, own): (usize, &PlacedObject), placed: &Placement, model: &Model) -> PlacedReport {
    let part = |nest: &PlacedNest, array: usize| {
        let placed = &model.nests[nest.nest];
        let array = &placed.arrays[array];
        let irregular = array.irregular.map_or(0.0, |id| model.value(id));
        let irregular = (!array.is_unrated).then_some(irregular);
        PlacedPartReport {
            nest: placed.nest.head().id.clone(),
            function: model.program.functions[placed.nest.function].name.clone(),
            name: array.array.0.clone(),
            executions: nest.executions.into(),
            memory_bytes: model.value(array.bytes).into(),
            irregular_bytes: irregular.into(),
        }
    };
    let moved = |nest: &PlacedNest| -> Vec<PlacedPartReport> {
        let own = nest.moved.iter().find(|own| own.object == at);
        let arrays = own.into_iter().flat_map(|own| &own.arrays);
        arrays.map(|array| part(nest, *array)).collect()
    };
    PlacedReport {
        name: own.name(&placed.objects),
        arrays: own.objects.iter().map(array).collect(),
        touched_bytes: own.touched.into(),
        memory_bytes: own.bytes.into(),
        irregular_bytes: own.irregular.into(),
        loss: own.loss.into(),
        greedy: own.goes,
        best: own.best,
        interleaved_share: own.share.into(),
        exact: own.is_sure,
        nests: placed.nests.iter().flat_map(moved).collect(),
    }
}

fn array(object: &Object) -> ArrayOfProgramReport {
    let owner = &object.owner;
    ArrayOfProgramReport {
        name: object.name.clone(),
        owner: <&str>::from(owner.kind()).to_string(),
        of: owner.name().map(ToString::to_string),
        file: owner.file().map(ToString::to_string),
    }
}
