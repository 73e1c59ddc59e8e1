//! The report of a validation, schema `loopsheet/validate/1`: every case and its summary on a line of its own.

use indexmap::IndexMap;
use serde::ser::Error;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::to_raw_value;

use super::Figure;
use crate::validate::{Case, Report, Skipped, Summary};

/// All cases.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ValidationReport {
    pub schema: String,
    #[serde(serialize_with = "one_line_each")]
    pub cases: Vec<CaseReport>,
    #[serde(serialize_with = "one_line_each")]
    pub skipped: Vec<SkippedReport>,
    #[serde(serialize_with = "one_line")]
    pub summary: ValidationSummaryReport,
}

/// A nest at a level of the hierarchy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CaseReport {
    pub file: String,
    pub function: String,
    pub nest: String,
    pub line: u32,
    pub sizes: IndexMap<String, Figure>,
    pub level: String,
    pub capacity: u64,
    pub predicted_bytes: Figure,
    pub simulated_bytes: Figure,
    pub simulated_set_associative_bytes: Figure,
    pub ratio: Figure,
    pub condition: String,
    /// Words, joined by commas.
    pub explained: String,
    pub accesses: u64,
    pub cold_bytes: Figure,
    pub sampled_share: Figure,
    pub error: Figure,
    pub error_parts: ErrorPartsReport,
    pub notes: Vec<String>,
    /// Codes of why the model's figures are marked as not exact.
    pub reasons: Vec<String>,
}

/// Where the error of sampling comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ErrorPartsReport {
    pub spread: Figure,
    pub warm_up: Figure,
    pub ends: Figure,
}

/// A nest that was not run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SkippedReport {
    pub file: String,
    pub function: String,
    pub nest: String,
    pub line: u32,
    pub code: String,
    pub detail: String,
}

/// How many cases are near.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ValidationSummaryReport {
    #[serde(flatten)]
    pub all: WithinReport,
    /// Cases whose cache is not about as large as what has to fit.
    pub outside_switch: WithinReport,
}

/// Cases, and those that are near.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WithinReport {
    pub cases: usize,
    pub within_5_percent: usize,
    pub within_20_percent: usize,
}

impl ValidationReport {
    /// Of all cases.
    pub fn of(report: &Report) -> ValidationReport {
        ValidationReport {
            schema: "loopsheet/validate/1".to_string(),
            cases: report.cases.iter().map(CaseReport::of).collect(),
            skipped: report.skipped.iter().map(SkippedReport::of).collect(),
            summary: ValidationSummaryReport::of(&Summary::of(&report.cases)),
        }
    }
}

impl CaseReport {
    fn of(case: &Case) -> CaseReport {
        let sizes = case.sizes.iter();
        let explained: Vec<&str> = case.explained.iter().map(|e| e.as_str()).collect();
        CaseReport {
            file: case.file.to_string(),
            function: case.function.clone(),
            nest: case.nest.clone(),
            line: case.line,
            sizes: sizes
                .map(|(name, value)| (name.clone(), (*value).into()))
                .collect(),
            level: case.level.clone(),
            capacity: case.capacity,
            predicted_bytes: case.predicted_bytes.into(),
            simulated_bytes: case.simulated_bytes.into(),
            simulated_set_associative_bytes: case.simulated_set_associative_bytes.into(),
            ratio: case.ratio().into(),
            condition: case.condition.clone(),
            explained: explained.join(","),
            accesses: case.accesses,
            cold_bytes: case.cold_bytes.into(),
            sampled_share: case.sampled_share.into(),
            error: case.error.all().into(),
            error_parts: ErrorPartsReport {
                spread: case.error.spread.into(),
                warm_up: case.error.warm_up.into(),
                ends: case.error.ends.into(),
            },
            notes: case.notes.clone(),
            reasons: case.reasons.iter().map(|code| code.to_string()).collect(),
        }
    }
}

impl SkippedReport {
    fn of(skipped: &Skipped) -> SkippedReport {
        let Skipped {
            file,
            function,
            nest,
            line,
            code,
            detail,
        } = skipped.clone();
        SkippedReport {
            file: file.to_string(),
            function,
            nest,
            line,
            code: code.to_string(),
            detail,
        }
    }
}

impl ValidationSummaryReport {
    fn of(summary: &Summary) -> ValidationSummaryReport {
        ValidationSummaryReport {
            all: WithinReport {
                cases: summary.cases,
                within_5_percent: summary.within_5_percent,
                within_20_percent: summary.within_20_percent,
            },
            outside_switch: WithinReport {
                cases: summary.outside_switch,
                within_5_percent: summary.outside_switch_within_5_percent,
                within_20_percent: summary.outside_switch_within_20_percent,
            },
        }
    }
}

fn one_line<T: Serialize, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    let rendered = to_raw_value(value).map_err(S::Error::custom)?;
    rendered.serialize(serializer)
}

fn one_line_each<T: Serialize, S: Serializer>(
    values: &[T],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let rendered: Result<Vec<_>, _> = values.iter().map(to_raw_value).collect();
    serializer.collect_seq(rendered.map_err(S::Error::custom)?)
}
