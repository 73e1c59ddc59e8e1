//! What runs were measured to take.

use serde::{Deserialize, Serialize};

use crate::Figure;
use crate::model::measured::Amounts;
use crate::model::{Measured, MeasuredFigures, Model};

/// What was measured of a nest, over a whole run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MeasuredReport {
    pub seconds: f64,
    /// `None` where that was not measured.
    pub bytes: Option<f64>,
    pub flops: Option<f64>,
    /// Ids of all nests that the figures are of, where it is not this one alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub together: Vec<String>,
}

/// What was measured in all.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MeasuredTotalReport {
    pub seconds: f64,
    /// In nests.
    pub joined_seconds: f64,
    pub joined_share: Figure,
    /// What belongs to no nest, the longest first.
    pub unjoined: Vec<UnjoinedTimeReport>,
    /// Functions without a time of their own, though what calls them has one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inlined: Vec<InlinedReport>,
}

/// A function without a time of its own, which compilers may have put in place of its calls.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct InlinedReport {
    pub function: String,
    /// Functions that call it and were measured.
    pub callers: Vec<String>,
    /// Whether its nests count to what was measured of the caller, as nothing else calls it.
    pub joined: bool,
}

/// A time that belongs to no nest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct UnjoinedTimeReport {
    pub what: String,
    /// The file and line that it was read from.
    pub place: String,
    pub seconds: f64,
    pub reason: String,
}

impl MeasuredReport {
    pub(super) fn of(model: &Model, measured: &MeasuredFigures) -> MeasuredReport {
        let Amounts {
            seconds,
            bytes,
            flops,
        } = measured.amounts;
        let ids = |nest: &usize| model.nests[*nest].nest.head().id.clone();
        MeasuredReport {
            seconds,
            bytes,
            flops,
            together: match measured.nests.len() {
                1 => Vec::new(),
                _ => measured.nests.iter().map(ids).collect(),
            },
        }
    }
}

impl MeasuredTotalReport {
    pub(super) fn of(measured: &Measured) -> MeasuredTotalReport {
        let (seconds, joined_seconds) = measured.all.seconds();
        let unjoined = measured.all.unjoined.iter();
        MeasuredTotalReport {
            seconds,
            joined_seconds,
            joined_share: measured.all.joined_share().unwrap_or(f64::NAN).into(),
            unjoined: unjoined
                .map(|one| UnjoinedTimeReport {
                    what: one.what.clone(),
                    place: one.place.clone(),
                    seconds: one.seconds,
                    reason: one.reason.to_string(),
                })
                .collect(),
            inlined: (measured.all.inlined.iter())
                .map(|one| InlinedReport {
                    function: one.function.clone(),
                    callers: one.callers.clone(),
                    joined: one.is_joined,
                })
                .collect(),
        }
    }
}
