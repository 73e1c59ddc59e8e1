//! What other programs call: a few functions from files to reports.

mod run;
mod source;
mod versions;

pub use run::{TraceOptions, trace};
#[cfg(feature = "html")]
pub use source::page;
#[cfg(feature = "xlsx")]
pub use source::workbook;
pub use source::{Options, analyze, validate};
pub use versions::diff;

/// Why there is no report: what is wrong, where, and what to do about it.
#[derive(Debug)]
pub struct Error(anyhow::Error);

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // With what led to it, on one line.
        write!(f, "{:#}", self.0)
    }
}

impl std::error::Error for Error {}

impl From<anyhow::Error> for Error {
    fn from(error: anyhow::Error) -> Error {
        Error(error)
    }
}
