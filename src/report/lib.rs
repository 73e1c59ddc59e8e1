//! What the program writes down of an analysis and of a run, as plain values: [`StaticReport`] of a model,
//! [`RunReport`] of a trace. JSON is their rendering, and they are read back from it; the names of their fields are the
//! documented keys.
//!
//! Numbers that may be unknown are [`Figure`]s. Keys that a reader does not know are left alone; what it needs and does
//! not find is an error with the place of it ([`ReadError`]).

// The layers below, by their names.
use loopsheet_analysis as analysis;
use loopsheet_base::{diagnostic, formula, reason};
use loopsheet_cache as cache;
use loopsheet_expr as expr;
use loopsheet_machine as machine;
use loopsheet_metrics as metrics;
use loopsheet_model as model;
use loopsheet_procedures::message_passing;
use loopsheet_source as source;
use loopsheet_trace as trace;
use loopsheet_validate as validate;

mod figure;
mod rank_report;
mod read;
pub mod run_report;
mod slices_report;
pub mod static_report;
mod validation_report;

pub use figure::Figure;
pub use rank_report::{RankReport, RankedReport};
pub use read::{ReadError, read};
pub use run_report::{ProfilesReport, RunReport, TimelineRunReport};
pub use slices_report::{SliceReport, SlicesReport};
pub use static_report::{FunctionReport, StaticReport};
pub use validation_report::ValidationReport;
