//! loopsheet reads loop nests in C and Fortran and reports what they cost: operations, array streams,
//! working sets, memory traffic and time, as JSON, as XML, and as a spreadsheet whose every figure is
//! a formula over named inputs. From instruction traces it computes what a run did: work, depth, sensitivity
//! to memory latency, epochs, concurrency of accesses.
//!
//! Modules in reading order. From `quantity` to `export` each layer is a crate of its own in a directory of its name,
//! whose manifest lists the layers that it may name:
//!
//! - [`quantity`], [`diagnostic`], [`reason`], [`expr`]: units, remarks about the input, the register of reasons,
//!   symbolic expressions. [`attempt`]: work on a part whose failure must not end the rest.
//! - [`formula`]: what figures are: name, unit, meaning and source, in catalogues with typed keys.
//! - [`source`]: files as parsers see them — fixed form to free form, includes, preprocessing — with a
//!   map back to the lines that a person wrote.
//! - [`intrinsics`], [`message_passing`], [`machine`]: facts that are data, read from `templates/`.
//! - [`syntax`]: tree-sitter, and the queries in `grammars/` that say what its nodes are.
//! - [`ir`]: language-neutral loop nests. [`lower`] makes them, one file a language.
//! - [`analysis`]: what every loop computes and touches, as [`analysis::facts`].
//! - [`model`]: every formula, defined once, over the facts and a machine.
//! - [`cache`]: cache hierarchies and stack distances.
//! - [`interpret`]: runs nests literally and reports their accesses.
//! - [`validate`]: the model's traffic against what these accesses move.
//! - [`binary`]: what an ELF file says of a RISC-V program: segments and functions.
//! - [`trace`]: RISC-V instruction traces, read line by line, and the instruction table.
//! - [`regions`]: from instructions to functions, source lines and loops, by ELF and DWARF.
//! - [`dataflow`]: the one engine that follows dependences in program order.
//! - [`metrics`]: what a trace says about a program, as counts and formulas.
//! - [`report`]: what was found, as plain values that JSON is made of and that are read back.
//! - [`sweep`]: many configurations of many inputs, cut into parts that can be computed anywhere.
//! - [`compare`]: what the source says beside what a run did, nest by nest.
//! - [`diff`]: what a change of the source changes, nest by nest.
//! - [`graph`]: the eDAG of a short trace in memory, for drawing and for schedules.
//! - [`export`]: facts and model to bytes. [`cli`] and [`commands`]: the only part that opens files
//!   and prints.
//! - [`measure`]: micro-benchmarks of the machine that runs them.
//! - [`guide`]: the documentation: what people read, and the specification of the formulas.
//!
//! Invariants:
//!
//! 1. Only `commands` touches the outside world. Everything else maps values to values.
//! 2. Only `syntax` and `lower` know tree-sitter; only `export` knows file formats.
//! 3. Bad input code is not an error: parsing and lowering return a value and diagnostics. What cannot be
//!    analysed is a reason with a place, and an explicit unknown, never a zero.
//! 4. A formula is written once, in `model` or `metrics`. Rust evaluates it, the sheet shows it, `--explain` prints
//!    it. An exporter computes nothing.
//! 5. The same input gives the same bytes.

pub use loopsheet_base::{attempt, diagnostic, formula, quantity, reason};
pub use loopsheet_procedures::{intrinsics, message_passing};
pub use {
    loopsheet_analysis as analysis, loopsheet_binary as binary, loopsheet_cache as cache,
    loopsheet_compare as compare, loopsheet_dataflow as dataflow, loopsheet_diff as diff,
    loopsheet_export as export, loopsheet_expr as expr, loopsheet_graph as graph,
    loopsheet_interpret as interpret, loopsheet_ir as ir, loopsheet_lower as lower,
    loopsheet_machine as machine, loopsheet_measure as measure, loopsheet_metrics as metrics,
    loopsheet_model as model, loopsheet_regions as regions, loopsheet_report as report,
    loopsheet_source as source, loopsheet_sweep as sweep, loopsheet_syntax as syntax,
    loopsheet_trace as trace, loopsheet_validate as validate,
};

pub mod cli;
pub mod commands;
pub mod guide;
