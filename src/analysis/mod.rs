//! From the IR to facts: what every loop computes and touches. One question a file.

mod addresses;
mod alternatives;
mod assignments;
mod calls;
mod communication;
pub mod coverage;
mod datatypes;
mod delinearise;
pub mod dependence;
mod dimension;
pub mod facts;
mod flops;
mod inductions;
mod iterations;
mod member_dimensions;
pub mod moving;
mod references;
mod registers;
mod repeated;
mod shared;
mod symbolic;
mod symbols;
mod walk;

pub(crate) use dimension::affine;
pub use references::merge as merge_stream;
pub(crate) use walk::name_loops;
pub use walk::{ProcedureBody, analyze, analyze_with_bodies};
