//! Epochs over windows and capacities. Tables are indexed capacity first, then window.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Figure;
use crate::metrics::epoch::Stores;
use crate::metrics::profiles::Profiles;
use crate::metrics::report::{CacheEpochs, Epochs};

/// Of one trace, or of a region of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EpochsReport {
    /// Instructions.
    pub windows: Vec<u32>,
    /// Bytes.
    pub capacities: Vec<u64>,
    pub epochs: Vec<Vec<u64>>,
    /// In 1,000 instructions.
    #[serde(default)]
    pub epki: Vec<Vec<Figure>>,
    /// Where at most so many misses start in one.
    #[serde(default)]
    pub slots: BTreeMap<u32, Vec<Vec<u64>>>,
    #[serde(default)]
    pub slots_epki: BTreeMap<u32, Vec<Vec<Figure>>>,
    /// Of the misses of the run's own caches, if it has any.
    #[serde(default)]
    pub caches: Option<CacheEpochsReport>,
    #[serde(default)]
    pub instructions: u64,
    #[serde(default)]
    pub off_chip: Vec<u64>,
    #[serde(default)]
    pub line: u64,
    #[serde(default)]
    pub blocking_stores: bool,
}

/// Of the accesses that the caches of the run sent to RAM, by window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CacheEpochsReport {
    pub epochs: Vec<u64>,
    pub slots: BTreeMap<u32, Vec<u64>>,
}

/// Of several traces, schema `loopsheet/epochs/1`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProfilesReport {
    pub schema: String,
    pub windows: Option<Vec<u32>>,
    pub capacities: Option<Vec<u64>>,
    pub mean_epki: Vec<Vec<Figure>>,
    pub traces: Vec<ProfiledTraceReport>,
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProfiledTraceReport {
    pub path: String,
    pub epochs: EpochsReport,
}

impl EpochsReport {
    pub(super) fn of(profile: &Epochs) -> EpochsReport {
        let Epochs {
            windows,
            capacities,
            epochs,
            slots,
            caches,
            instructions,
            off_chip,
            line,
            stores,
        } = profile;
        let rates = |table: &[Vec<u64>]| figures(profile.per_thousand(table));
        let by_slots = slots.iter();
        EpochsReport {
            windows: windows.clone(),
            capacities: capacities.clone(),
            epochs: epochs.clone(),
            epki: rates(epochs),
            slots: slots.clone(),
            slots_epki: by_slots
                .map(|(slots, table)| (*slots, rates(table)))
                .collect(),
            caches: caches.as_ref().map(CacheEpochsReport::of),
            instructions: *instructions,
            off_chip: off_chip.clone(),
            line: *line,
            blocking_stores: *stores == Stores::Blocking,
        }
    }
}

impl CacheEpochsReport {
    fn of(caches: &CacheEpochs) -> CacheEpochsReport {
        let CacheEpochs { epochs, slots } = caches.clone();
        CacheEpochsReport { epochs, slots }
    }
}

impl ProfilesReport {
    /// With the mean over all of them.
    pub fn of(profiles: &Profiles) -> ProfilesReport {
        let first = profiles.traces.first().map(|(_, epochs)| epochs);
        let trace = |(path, epochs): &(String, Epochs)| ProfiledTraceReport {
            path: path.clone(),
            epochs: EpochsReport::of(epochs),
        };
        ProfilesReport {
            schema: "loopsheet/epochs/1".to_string(),
            windows: first.map(|epochs| epochs.windows.clone()),
            capacities: first.map(|epochs| epochs.capacities.clone()),
            mean_epki: figures(profiles.mean_epki()),
            traces: profiles.traces.iter().map(trace).collect(),
        }
    }
}

fn figures(table: Vec<Vec<f64>>) -> Vec<Vec<Figure>> {
    let row = |row: Vec<f64>| row.into_iter().map(Figure::from).collect();
    table.into_iter().map(row).collect()
}
