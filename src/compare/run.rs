//! A run with what it did by source line.

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::metrics::profile::SourceProfile;
use crate::report::run_report::{CacheLevelReport, RegionReport, SCHEMA, SummaryReport};
use crate::report::{ReadError, RunReport, read};

/// The parts of the report of a trace that a comparison needs. Every index in the profile names something.
#[derive(Clone, Debug)]
pub struct Run {
    pub trace: SummaryReport,
    /// Nearest first.
    pub cache: Vec<CacheLevelReport>,
    pub source: SourceProfile,
    pub regions: Vec<RegionReport>,
}

/// Why there is nothing to compare.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    #[error(transparent)]
    Unreadable(#[from] ReadError),
    #[error(
        "it has no counts by source line: create it with `loopsheet trace TRACE --elf PROGRAM`, \
         the program compiled with -g"
    )]
    NoLines,
    #[error("source: {what}; regenerate it with this version")]
    WrongIndex { what: String },
}

impl Run {
    /// # Errors
    /// The text is not what `loopsheet trace --elf --json` writes.
    pub fn parse(text: &str) -> Result<Run, CompareError> {
        #[derive(Deserialize)]
        struct Lines {
            source: Option<IgnoredAny>,
        }
        let hint = "it must come from `loopsheet trace --elf PROGRAM --json`";
        let Lines { source } = read(text, SCHEMA, hint)?;
        source.ok_or(CompareError::NoLines)?;
        Run::try_from(RunReport::parse(text)?)
    }
}

impl TryFrom<RunReport> for Run {
    type Error = CompareError;

    /// # Errors
    /// The report has nothing by source line, or names what is not there.
    fn try_from(report: RunReport) -> Result<Run, CompareError> {
        let source = report.source.ok_or(CompareError::NoLines)?;
        if let Some(what) = source.wrong_index() {
            return Err(CompareError::WrongIndex { what });
        }
        Ok(Run {
            trace: report.trace,
            cache: report.cache,
            source,
            regions: report.regions,
        })
    }
}
