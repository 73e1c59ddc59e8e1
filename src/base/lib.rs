//! What every layer speaks of: units of quantities, remarks about the input, and the register of reasons.

pub mod diagnostic;
pub mod quantity;
pub mod reason;
