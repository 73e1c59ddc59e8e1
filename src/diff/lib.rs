//! Effect of a change in the source in the figures, nest by nest (guide: diff).
//!
//! Both sides are reports of `loopsheet analyze` with the same options. A [`Side`] keeps of a report what is compared;
//! [`matching`] finds which nest of one side is which of the other by what they do, not by lines; [`compare`] sets the
//! pairs side by side, and [`Limits`] say what is too much.

// The layers below, by their names.
use loopsheet_analysis as analysis;
use loopsheet_base::{diagnostic, quantity as units};
use loopsheet_expr as expr;
use loopsheet_model as model;
use loopsheet_report as report;

mod difference;
mod flips;
mod fusions;
mod guesses;
mod left_out;
mod limits;
mod machines;
pub mod matching;
mod nest;
mod parameters;
mod quantity;
mod side;
mod stride;
mod structure;

pub use difference::{
    BySide, Difference, NestDifference, NestPlace, OverBudget, Row, Status, compare, over_budget,
};
pub use flips::{Direction, Flip};
pub use guesses::DifferingGuess;
pub use limits::{Bound, Budget, Exceeded, Limit, Limits, Threshold, UnknownLevel};
pub use machines::{OtherMachine, same_machine};
pub use nest::Nest;
pub use parameters::ParameterChange;
pub use quantity::{Cost, Quantity};
pub use side::{Function, Parameter, Place, Side};
pub use structure::Structure;
