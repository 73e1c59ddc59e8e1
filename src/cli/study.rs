//! Arguments of `loopsheet study`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use super::SourceArgs;

pub const NOTES: &str = "\
Examples:
  riscv64-linux-gnu-gcc -O2 -g -static -o kernel kernel.c
  loopsheet study kernel.c -- ./kernel                            a table, nest by nest
  loopsheet study kernel.c --set n=200 -o study.xlsx -- ./kernel  everything in one workbook
  loopsheet study kernel.c --html study.html -- ./kernel          one page for a browser
  loopsheet study src --parameters-from-trace --cache 32KiB --cache 1MiB --keep study -- ./kernel 100

Runs analyze, record, trace and compare, one after another. --keep keeps what each of them wrote, so that a step \
can be repeated on its own: static.json, trace.execlog.zst, trace.json, compare.json. If a step fails, what was \
written before stays there too.

Exit status: 0 done; 1 done, but some regions of the source could not be read; 2 nothing could be done.";

#[derive(Debug, Args)]
pub struct StudyArgs {
    /// Source files (.c .h .f .for .ftn .f77 .f90 .f95 .f03 .f08) or directories
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// Write the workbook: the model, the run and the comparison, whose static side follows the inputs; the extension
    /// may also be .html or .json
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write the model, the run and the comparison as one page for a browser, whose static side follows its inputs; - is
    /// standard output
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write the comparison as JSON; - is standard output
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Keep the reports of all steps, and the trace, in this directory
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
    /// A machine preset (see `loopsheet machines`) or a TOML file [default: epyc-7763]
    #[arg(long, value_name = "NAME|FILE")]
    pub machine: Option<String>,
    #[command(flatten)]
    pub source: SourceArgs,
    /// Take trip counts and branch frequencies from the run, where it shows them, in place of those that the sources or
    /// loopsheet.toml give [default: only those that nothing gives]
    #[arg(long, conflicts_with = "guessed_parameters")]
    pub parameters_from_trace: bool,
    /// Take none from the run: leave what nothing gives as it is guessed, so that the comparison shows what does not fit
    #[arg(long)]
    pub guessed_parameters: bool,
    /// A cache level, nearest first, as for `trace` [default: those of the machine, as one core has them]
    #[arg(long, value_name = "SPEC")]
    pub cache: Vec<String>,
    /// m: the most RAM accesses outstanding at once
    #[arg(long, value_name = "M", default_value_t = 4.0)]
    pub slots: f64,
    /// α: cycles of a RAM access
    #[arg(long, value_name = "CYCLES")]
    pub latency: Option<f64>,
    /// Epochs over reorder windows and cache capacities, of the run and of each nest
    #[arg(long)]
    pub epochs: bool,
    /// Which source lines are on the deepest chain of RAM accesses, in the workbook and in --keep's trace.json
    #[arg(long)]
    pub memory_chain: bool,
    /// C-AMAT of the run and of each nest; without --cache that report's machine
    #[arg(long)]
    pub camat: bool,
    /// Record only while this function of the program runs; may be given several times
    #[arg(long, value_name = "NAME")]
    pub record_function: Vec<String>,
    /// End the program after N recorded instructions
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub limit: Option<u64>,
    /// Show only the N nests with the most instructions in the table
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
    /// The program, compiled with -g from that source for RISC-V, and its arguments
    #[arg(required = true, last = true, value_name = "BINARY")]
    pub program: Vec<OsString>,
}
