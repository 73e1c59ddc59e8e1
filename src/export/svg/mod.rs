//! Pictures as SVG, written by hand: deterministic, on a light background, in colours that
//! colour-blind people tell apart; nothing is shown by colour alone.

mod arrows;
mod cycles;
mod document;
mod edag;
mod heat_map;
mod latency_sweep;
mod layers;
mod loops;
mod rank;
mod staircase;
mod varied_cores;

pub use cycles::cycles;
pub use edag::edag;
pub use heat_map::{epochs, mean_epochs};
pub use latency_sweep::latency_sweep;
pub use loops::sequence;
pub use rank::rank;
pub use staircase::staircase;
pub use varied_cores::varied_cores;

pub(super) use document::escaped;
pub(super) use loops::sequence_with;
