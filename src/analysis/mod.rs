//! From the IR to facts: what every loop computes and touches. One question a file.

mod addresses;
mod alternatives;
mod assignments;
mod calls;
mod communication;
pub mod coverage;
mod delinearise;
pub mod dependence;
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
mod walk;

pub use addresses::{is_address, is_left_out};
pub(crate) use references::affine;
pub use references::merge as merge_stream;
pub use symbolic::{extremum, text as source_text};
pub(crate) use walk::name_loops;
pub use walk::{ProcedureBody, analyze, analyze_with_bodies};
