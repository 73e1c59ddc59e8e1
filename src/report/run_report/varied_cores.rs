//! Cores with one parameter varied.

use serde::{Deserialize, Serialize};

use crate::Figure;
use crate::metrics::varied_core::VariedCore;

/// What the run takes with one parameter of the core at one value and the others as given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct VariedCoreReport {
    /// `window`, `issue-width`, `ports` or `mshrs`; the last two of the nearest level.
    pub parameter: String,
    pub value: u32,
    /// Of all harts.
    pub cycles: u64,
    pub cycles_per_instruction: Figure,
    /// Of the nearest level, as those that follow.
    #[serde(rename = "AMAT")]
    pub amat: Figure,
    #[serde(rename = "CAMAT")]
    pub camat: Figure,
    #[serde(rename = "C_H")]
    pub hit_concurrency: Figure,
    #[serde(rename = "C_M")]
    pub pure_miss_concurrency: Figure,
}

pub(super) fn varied(cores: &[VariedCore]) -> Vec<VariedCoreReport> {
    let one = |core: &VariedCore| VariedCoreReport {
        parameter: core.parameter.name().to_string(),
        value: core.value,
        cycles: core.cycles,
        cycles_per_instruction: core.cycles_per_instruction().into(),
        amat: core.amat.into(),
        camat: core.camat.into(),
        hit_concurrency: core.hit_concurrency.into(),
        pure_miss_concurrency: core.pure_miss_concurrency.into(),
    };
    cores.iter().map(one).collect()
}
