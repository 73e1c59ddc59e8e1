//! Results to bytes, one format per file. An exporter computes nothing: it shows what the analysis
//! found and what the model defined.

// Without pages or workbooks some of what they share is not needed.
#![cfg_attr(
    not(all(feature = "html", feature = "xlsx")),
    allow(dead_code, unused_imports)
)]

// The layers below, by their names.
use loopsheet_analysis as analysis;
use loopsheet_base::{attempt, diagnostic, formula, quantity, reason, wording};
use loopsheet_cache as cache;
use loopsheet_compare as compare;
use loopsheet_diff as diff;
use loopsheet_expr as expr;
use loopsheet_graph as graph;
use loopsheet_ir as ir;
use loopsheet_machine as machine;
use loopsheet_metrics as metrics;
use loopsheet_model as model;
use loopsheet_procedures::message_passing;
use loopsheet_regions as regions;
use loopsheet_report as report;
use loopsheet_source as source;
use loopsheet_sweep as sweep;
use loopsheet_validate as validate;

mod band;
mod blame_table;
pub mod camat_table;
mod columns;
pub mod compare_table;
pub mod differences;
pub mod dot;
pub mod explain;
#[cfg(feature = "html")]
pub mod html;
pub mod json;
pub mod listings;
pub mod loops_dot;
mod measured;
mod numbers;
mod objects_table;
pub mod parameters;
#[cfg(feature = "parquet")]
pub mod parquet;
mod placement_table;
pub mod rank_table;
pub mod slices_table;
mod stencil;
pub mod svg;
pub mod sweep_page;
pub mod table;
pub mod tables;
pub mod trace_table;
pub mod validate_table;
mod varied_table;
#[cfg(feature = "xlsx")]
pub mod xlsx;
pub mod xml;
