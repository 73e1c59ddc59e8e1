//! What the program writes down of an analysis and of a run, as plain values: [`StaticReport`] of a model,
//! [`RunReport`] of a trace. JSON is their rendering, and they are read back from it; the names of their fields are the
//! documented keys.
//!
//! Numbers that may be unknown are [`Figure`]s. Keys that a reader does not know are left alone; what it needs and does
//! not find is an error with the place of it ([`ReadError`]).

mod figure;
mod read;
pub mod run_report;
pub mod static_report;
mod validation_report;

pub use figure::Figure;
pub use read::{ReadError, read};
pub use run_report::{ProfilesReport, RunReport, TimelineRunReport};
pub use static_report::{FunctionReport, StaticReport};
pub use validation_report::ValidationReport;
