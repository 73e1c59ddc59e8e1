//! Procedures whose meaning is known without their source: the intrinsic functions of C and Fortran, and the calls of
//! MPI. Both are data, read from `templates/`.

// The layers below, by their names.
use loopsheet_source as source;

pub mod intrinsics;
pub mod message_passing;
