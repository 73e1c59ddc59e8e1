//! loopsheet reads loop nests and tells what they cost.

pub mod analysis;
pub mod cli;
pub mod commands;
pub mod diagnostic;
pub mod export;
pub mod expr;
pub mod intrinsics;
pub mod ir;
pub mod lower;
pub mod machine;
pub mod model;
pub mod quantity;
pub mod source;
pub mod syntax;
