//! The allocator of the program: analysis makes many small values on several threads, which the C library's is slow at.
//!
//! A crate of its own, as the compiler puts the way to an allocator where it is named, and the program's crate is built without
//! optimisation.

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
