//! Arguments as typed.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};

/// Reads loop nests in C and Fortran and writes what they cost as a live spreadsheet.
#[derive(Debug, Parser)]
#[command(name = "loopsheet", version, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    /// Say only what is wrong
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Say more: notes, and which way each file was read
    #[arg(long, short, global = true, conflicts_with = "quiet")]
    pub verbose: bool,
    /// When to use colours; NO_COLOR turns them off too
    #[arg(long, global = true, value_enum, default_value_t = ColorChoice::Auto)]
    pub color: ColorChoice,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Analyse source files, or a model in XML, and estimate every loop nest
    ///
    /// With no output asked for, a table goes to standard output.
    #[command(after_help = ANALYZE_EXAMPLES)]
    Analyze(Box<AnalyzeArgs>),
    /// Run a RISC-V program and write its instructions as a trace
    ///
    /// Runs a 64-bit RISC-V Linux program under QEMU's user-mode emulator (Debian: qemu-user) and writes a line for
    /// each instruction: hart, address, machine word, text, and the address of every access. It is the format that
    /// QEMU calls execlog. The tracer is built with cc at first use and kept in the user's cache directory.
    #[command(after_help = RECORD_NOTES, override_usage = "loopsheet record [OPTIONS] -- BINARY [ARG]...")]
    Record(Box<RecordArgs>),
    /// List the machine presets, or show the parameters of one
    Machines {
        /// A preset or a file like templates/machines/exasat.toml
        name: Option<String>,
    },
    /// Write a complete report of the built-in samples
    Demo {
        /// Where to write it
        #[arg(default_value = "loopsheet-demo")]
        dir: PathBuf,
    },
}

const ANALYZE_EXAMPLES: &str = "\
Examples:
  loopsheet analyze src                              a table of all loop nests under src
  loopsheet analyze src -o report.xlsx               a workbook whose estimates follow its inputs
  loopsheet analyze src --machine a64fx --set nx=512 another machine, another problem size
  loopsheet analyze kernel.c --xml model.xml         the loop model, to edit by hand
  loopsheet analyze model.xml -o report.xlsx         the same workbook from the model
  loopsheet analyze src --explain smooth@12          every formula of one nest, with its numbers

Exit status: 0 done; 1 done, but some regions could not be read; 2 nothing could be done.";

const RECORD_NOTES: &str = "\
Examples:
  riscv64-linux-gnu-gcc -O2 -static -o kernel kernel.c      (Debian: gcc-riscv64-linux-gnu)
  loopsheet record -o kernel.trace.zst -- ./kernel 100      all that it executes, compressed
  loopsheet record --function smooth -o t.trace -- ./kernel one function and what it calls
  loopsheet record --limit 1000000 -- ./kernel | head       no file at all

The program's standard output stays what it was; where the trace goes to standard output, the
program's goes to standard error. Only the first process is recorded, with all its threads; what it
forks or executes is not.

--function follows calls and returns, through recursion and tail calls. A function that is left by
longjmp counts as running until the function jumped to returns. One that the compiler put into its
callers has no instructions of its own: build with -fno-inline, or mark it noinline.

Environment: LOOPSHEET_QEMU names another qemu-riscv64, built with plugins; QEMU_LD_PREFIX another
directory for shared libraries than /usr/riscv64-linux-gnu.

Exit status: 0 the trace is whole, or its reader went away, whatever the status of the program,
which is told if it is not 0; 1 the trace is empty, as the functions were not entered; 2 nothing
could be recorded or written.";

#[derive(Debug, Args)]
pub struct RecordArgs {
    /// Where to write the trace: a file, compressed if its name ends in .gz or .zst; - is standard output
    ///
    /// Without it the trace goes to standard output, unless that is a terminal.
    #[arg(short, long, value_name = "TRACE")]
    pub output: Option<PathBuf>,
    /// Record only while this function runs, what it calls included; may be given several times
    #[arg(long, value_name = "NAME")]
    pub function: Vec<String>,
    /// With --function: only the function's own instructions, not those of what it calls
    #[arg(long, requires = "function")]
    pub without_callees: bool,
    /// End the program after N recorded instructions
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub limit: Option<u64>,
    /// The program, and its arguments
    #[arg(required = true, trailing_var_arg = true, value_name = "BINARY")]
    pub program: Vec<OsString>,
}

#[derive(Debug, Args)]
pub struct AnalyzeArgs {
    /// Source files (.c .h .f .for .ftn .f77 .f90 .f95 .f03 .f08), directories, or models (.xml)
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// Write the workbook; the extension may also be .xml or .json
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write the loop model as XML; - is standard output
    #[arg(long, value_name = "FILE")]
    pub xml: Option<PathBuf>,
    /// Write everything as JSON; - is standard output
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// A machine preset (see `loopsheet machines`) or a TOML file
    #[arg(long, value_name = "NAME|FILE", default_value = "exasat")]
    pub machine: String,
    /// Set a parameter under its name in the workbook: cache_bytes, dram_gbs, block_x, nx, hi(1) …
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub settings: Vec<String>,
    /// Where to look for included files
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// Define a macro
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// Preprocess with the built-in preprocessor (auto), or not at all (never)
    #[arg(long, value_enum, default_value_t = Cpp::Auto)]
    pub cpp: Cpp,
    /// Only functions whose name fits the pattern (* and ? are wildcards)
    #[arg(long, value_name = "GLOB")]
    pub function: Option<String>,
    /// Show every formula of one nest: its id (`smooth@12`), or a function and line
    #[arg(long, value_name = "LOOP")]
    pub explain: Option<String>,
    /// Show only the N costliest nests in the table
    #[arg(long, value_name = "N", action = ArgAction::Set)]
    pub top: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Cpp {
    Auto,
    Never,
}
