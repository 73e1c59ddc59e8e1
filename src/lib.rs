//! loopsheet reads loop nests in C and Fortran and reports what they cost: operations, array streams,
//! working sets, memory traffic and time, as JSON, as XML, and as a spreadsheet whose every figure is
//! a formula over named inputs. From instruction traces it computes what a run did: work, depth, sensitivity
//! to memory latency, epochs, concurrency of accesses.
//!
//! The program `loopsheet` is built on a library. What other programs call of it is few functions, from files to plain
//! values that are documented as JSON, too (guide: outputs):
//!
//! - [`analyze()`]: source to a [`report::StaticReport`]; `workbook` and `page` make the same analysis a file.
//! - [`validate()`]: the model's traffic against simulated caches, as a [`report::ValidationReport`].
//! - [`trace()`]: an instruction trace to a [`report::RunReport`].
//! - [`diff()`]: two reports to a [`diff::Difference`].
//! - [`guide`]: the documentation: what people read, and the specification of the formulas.
//!
//! Reports may get more fields, so that other crates read them and make none.
//!
//! Without the feature `cli` nothing of the command line is built. `xlsx` and `html` add workbooks and pages:
//!
//! ```toml
//! loopsheet = { version = "0.1", default-features = false, features = ["xlsx"] }
//! ```
//!
//! Each layer below is a crate in a directory of its name under `src`, whose manifest lists the layers that it may name. In
//! reading order:
//!
//! - `base`, `expr`: units, remarks about the input, the register of reasons, catalogues of figures; symbolic expressions.
//! - `source`: files as parsers see them — fixed form to free form, includes, preprocessing — with a map back to the lines
//!   that a person wrote.
//! - `procedures`, `machine`: facts that are data, read from `templates/`.
//! - `syntax`: tree-sitter, and the queries in `grammars/` that say what its nodes are.
//! - `ir`: language-neutral loop nests. `lower` makes them, one directory a language.
//! - `analysis`: what every loop computes and touches. `model`: every formula, defined once, over these facts and a machine.
//! - `cache`: cache hierarchies and stack distances. `interpret`: runs nests literally. `validate`: the model's traffic
//!   against what their accesses move.
//! - `binary`, `trace`, `regions`: RISC-V programs and their instruction traces; from instructions to functions, source lines
//!   and loops.
//! - `dataflow`, `metrics`, `graph`: the engine that follows dependences, what a trace says, short traces drawn.
//! - `report`: what was found, as plain values. `compare`: what the source says beside what a run did. `diff`: what a change
//!   of the source changes. `sweep`: many configurations of many inputs, cut into parts that can be computed anywhere.
//!   `export`: facts and model to bytes.
//! - `reading`, `front`, `commands` of this crate: the only part that opens files; only `commands` prints.
//!
//! Invariants:
//!
//! 1. Only `reading` and `commands` touch the outside world. Everything else maps values to values.
//! 2. Only `syntax` and `lower` know tree-sitter; only `export` knows file formats.
//! 3. Bad input code is not an error: parsing and lowering return a value and diagnostics. What cannot be
//!    analysed is a reason with a place, and an explicit unknown, never a zero.
//! 4. A formula is written once, in `model` or `metrics`. Rust evaluates it, the sheet shows it, `--explain` prints
//!    it. An exporter computes nothing.
//! 5. The same input gives the same bytes.

pub use loopsheet_base::diagnostic;
pub use {loopsheet_diff as diff, loopsheet_report as report};

// The layers below, by their names.
use loopsheet_base::{attempt, interned, wording};
use {
    loopsheet_analysis as analysis, loopsheet_cache as cache, loopsheet_dataflow as dataflow,
    loopsheet_export as export, loopsheet_graph as graph, loopsheet_ir as ir,
    loopsheet_lower as lower, loopsheet_machine as machine, loopsheet_metrics as metrics,
    loopsheet_model as model, loopsheet_source as source, loopsheet_syntax as syntax,
    loopsheet_trace as trace, loopsheet_validate as validate,
};
#[cfg(feature = "cli")]
use {
    loopsheet_base::quantity, loopsheet_binary as binary, loopsheet_compare as compare,
    loopsheet_expr as expr, loopsheet_measure as measure, loopsheet_regions as regions,
    loopsheet_sweep as sweep,
};

/// What is said on standard error; that nobody listens any more is no reason to stop.
#[cfg(feature = "cli")]
macro_rules! eprintln {
    ($($arguments:tt)*) => {{
        use std::io::Write as _;
        let _ = std::writeln!(std::io::stderr().lock(), $($arguments)*);
    }};
}

mod checking;
mod core_levels;
mod cores;
mod front;
pub mod guide;
// The command line needs more of it than the functions above.
#[cfg_attr(not(feature = "cli"), allow(dead_code, unused_imports))]
mod reading;
mod threads;
mod traced;

#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod commands;

#[cfg(feature = "html")]
pub use front::page;
#[cfg(feature = "xlsx")]
pub use front::workbook;
pub use front::{Error, Options, TraceOptions, analyze, diff, trace, validate};
pub use reading::Cpp;
