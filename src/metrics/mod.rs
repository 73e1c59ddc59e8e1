//! What a trace says about a program: the eDAG's work, depth and latency sensitivity, its data
//! movement and reuse. Counts come from one pass over the trace; everything that follows from counts
//! and inputs is a formula of [`formulas`], which Rust evaluates and the workbook shows.

pub mod formulas;
pub mod report;
pub mod sweep;
pub mod tables;
