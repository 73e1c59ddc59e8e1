//! Results to bytes, one format a file. An exporter computes nothing: it shows what the analysis
//! found and what the model defined.

mod calls_json;
pub mod camat_json;
pub mod camat_table;
mod columns;
mod communication_json;
pub mod compare_json;
pub mod compare_table;
mod dependences_json;
pub mod dot;
pub mod explain;
pub mod html;
pub mod json;
pub mod listings;
pub mod loops_dot;
mod loops_json;
mod nests_json;
mod sensitivity_json;
pub mod svg;
pub mod table;
pub mod tables;
pub mod trace_json;
pub mod trace_table;
pub mod validate_json;
pub mod validate_table;
pub mod xlsx;
pub mod xml;
