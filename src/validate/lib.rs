//! The model held against a simulation: every nest's exact accesses run through caches, and what these move is
//! put beside what the model says (guide: accuracy-traffic, "How traffic is validated").
//!
//! Bytes at a level are the lines that it fetches and the lines that it writes back, those that are dirty at the
//! end included, times their length, caches being cold when the nest begins. The simulated figure is that of a
//! fully associative LRU cache that stands alone between the core and memory, as in the model; the
//! set-associative one is that of the levels as given, each seeing only what misses in the nearer ones.

// The layers below, by their names.
use loopsheet_analysis as analysis;
use loopsheet_base::reason;
use loopsheet_cache as cache;
use loopsheet_expr as expr;
use loopsheet_interpret as interpret;
use loopsheet_ir as ir;
use loopsheet_model as model;

mod cases;
mod check;
mod nests;
mod outcome;
mod simulation;

pub use cases::{
    Case, Explained, MOST_ACCESSES, MOST_PROBED, Report, Settings, Skipped, Summary, nest, whole,
};
pub use check::{Checks, MOST_NESTS};
pub use outcome::SamplingError;
pub use simulation::Simulation;
