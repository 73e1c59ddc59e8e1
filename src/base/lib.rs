//! What every layer speaks of: units of quantities, what a figure is, remarks about the input,
//! and the register of reasons.

pub mod attempt;
pub mod diagnostic;
pub mod formula;
pub mod interned;
pub mod quantity;
pub mod reason;
pub mod wording;
