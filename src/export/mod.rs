//! Results to bytes, one format a file. An exporter computes nothing: it shows what the analysis
//! found and what the model defined.

pub mod explain;
pub mod json;
pub mod table;
pub mod xlsx;
pub mod xml;
