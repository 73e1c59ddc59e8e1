//! From the IR to facts: what every loop computes and touches. One question per file.

// The layers below, by their names.
use loopsheet_base::{attempt, diagnostic, reason};
use loopsheet_expr as expr;
use loopsheet_ir as ir;
use loopsheet_procedures::{intrinsics, message_passing};
use loopsheet_source as source;

mod addresses;
mod alternatives;
mod arithmetic;
mod arms;
mod as_read;
mod assignments;
pub mod called;
mod calls;
mod chains;
mod clamps;
mod communication;
mod compared;
pub mod compiled;
mod constancy;
mod conversions;
mod counted;
mod counted_loop;
pub mod coverage;
mod datatypes;
pub mod delinearise;
pub mod dependence;
mod dimension;
mod every;
pub mod facts;
mod flops;
pub mod function_index;
mod gathers;
pub mod guards;
pub mod guesses;
pub mod in_core;
mod inductions;
pub mod inputs;
mod integer_divisions;
mod iterations;
mod literal;
mod loaded;
pub mod loop_variable;
mod member_dimensions;
pub mod moving;
mod object;
mod opened;
pub mod packed;
mod references;
mod registers;
mod repeated;
mod scanned;
mod serial;
mod shared;
mod sizes;
mod steady;
pub mod stepped;
mod storage;
mod symbolic;
mod symbols;
pub mod totals;
mod walk;
mod wide_rows;
mod wrapped;

pub use dimension::affine;
pub use opened::{Item, ReadInOrder, opened, opened_to_read, read_in_order};
pub use references::{absorb, is_same as is_same_stream, merge as merge_stream};
pub use walk::name_loops;
pub use walk::{
    ProcedureBody, Statements, analyze, analyze_given, analyze_given_with_statements,
    analyze_with_bodies,
};
