//! Results to bytes, one format a file. An exporter computes nothing: it shows what the analysis
//! found and what the model defined.

pub mod camat_table;
mod columns;
pub mod compare_table;
pub mod dot;
pub mod explain;
pub mod html;
pub mod json;
pub mod listings;
pub mod loops_dot;
pub mod svg;
pub mod table;
pub mod tables;
pub mod trace_table;
pub mod validate_table;
pub mod xlsx;
pub mod xml;
