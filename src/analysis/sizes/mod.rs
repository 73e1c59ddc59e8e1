//! Where the whole numbers of a program come from: every integer, followed through assignments, calls, modules, common
//! blocks and components of structures, to what the program is given.
//!
//! The answer to "what is `x_max` of this kernel?" is an expression over *places*: storage of the program that something
//! outside gives a value, or nothing at all (the roots), or that is computed from other places. Statements are not taken
//! in the order in which they run: where several give a place different values, the largest counts and the origin says
//! that they differ.

mod asked;
mod candidates;
mod collector;
mod copied;
mod dead;
mod definition;
mod found;
mod guarded;
mod inputs;
mod keys;
mod options;
mod passed;
mod places;
mod program;
mod reals;
mod resolver;
mod values;

pub use program::Sizes;
