//! What a trace says about a program: the eDAG's work, depth and latency sensitivity, its data
//! movement and reuse. Counts come from one pass over the trace; everything that follows from counts
//! and inputs is a formula of [`formulas`], which Rust evaluates and the workbook shows.

// The layers below, by their names.
use loopsheet_base::formula;
use loopsheet_binary as binary;
use loopsheet_cache as cache;
use loopsheet_dataflow as dataflow;
use loopsheet_expr as expr;
use loopsheet_trace as trace;

pub mod analysis;
pub mod blame;
pub mod by_latency;
pub mod camat;
pub mod catalogue;
pub mod costs;
pub mod counted;
pub mod design_space;
mod edag;
mod edag_totals;
pub mod entry;
pub mod epoch;
pub mod estimated;
pub mod formulas;
pub mod interleaving;
mod kept;
mod laid_out;
pub mod memory_chain;
pub mod metric;
mod movement;
pub mod objects;
mod other_caches;
pub mod out_of_order;
mod placed_cores;
pub mod profile;
pub mod profiles;
pub mod ram;
pub mod rank;
pub mod region_details;
mod regions;
pub mod remote;
pub mod report;
mod reuse;
pub mod settings;
pub mod slices;
pub mod sweep;
pub mod tables;
mod timed_core;
pub mod timeline;
pub mod varied_core;
mod varied_cores;
mod watchers;
