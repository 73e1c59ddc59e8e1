//! From paths to programs: which files are read, in which order, and how each becomes facts. With [`crate::commands`], the
//! only part that opens files.

mod bodies;
mod build_files;
mod build_variables;
mod cache;
mod compile_commands;
mod designator;
pub mod files;
mod gathered;
mod headers;
mod ignored;
mod included;
mod input;
pub mod inputs;
mod lists;
mod lowered;
pub mod machine_file;
pub mod nearby;
mod opened;
mod order;
mod outline;
mod packed;
mod prepare;
mod preprocess;
mod programs;
mod remembered;
mod run_input;
mod share;
mod watch;

pub use bodies::Bodies;
pub use cache::{Cache, Caching, directory_of_user};
pub use ignored::ignored;
pub use inputs::Reading;
pub use order::Order;
pub use outline::{Outline, Shelf};
pub(crate) use packed::Packed;
pub use preprocess::Cpp;
pub use run_input::RunInput;
pub use share::Share;
pub use watch::{Unwatched, Watch};
