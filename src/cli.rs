//! Arguments as typed.

mod compare;
mod diff;
mod parameters;
mod rank;
mod source;
mod study;
mod sweep;
mod validate;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};

pub use compare::CompareArgs;
pub use diff::DiffArgs;
pub use parameters::ParametersArgs;
pub use rank::RankArgs;
pub use source::{SourceArgs, TrafficRule};
pub use study::StudyArgs;
pub use sweep::{
    SweepCommand, SweepDirectory, SweepEngine, SweepMergeArgs, SweepPlanArgs, SweepReportArgs,
    SweepRunArgs, SweepSubmitArgs,
};
pub use validate::ValidateArgs;

use crate::guide::Topic;

/// Reads loop nests in C and Fortran and writes what they cost as a live spreadsheet.
#[derive(Debug, Parser)]
#[command(name = "loopsheet", version, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    /// Report only problems
    #[arg(long, short, global = true, display_order = 900)]
    pub quiet: bool,
    /// Report more: notes, and how each file was read
    #[arg(
        long,
        short,
        global = true,
        display_order = 901,
        conflicts_with = "quiet"
    )]
    pub verbose: bool,
    /// When to use colours; NO_COLOR turns them off too
    #[arg(long, global = true, display_order = 902, value_enum, default_value_t = ColorChoice::Auto)]
    pub color: ColorChoice,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub enum MachineCommand {
    /// Measure what a core of this machine does in a cycle, its caches and its memory
    ///
    /// Built-in loops run on one core for about half a minute. The file describes that core: arithmetic, latencies,
    /// bandwidths, each with how it was measured, how far the passes are apart, and the date. Bandwidths and latencies are
    /// those that this core gets while nothing else runs: leave the machine alone meanwhile.
    Measure(MeasureArgs),
}

/// Arguments of `loopsheet machine measure`.
#[derive(Debug, Args)]
pub struct MeasureArgs {
    /// Where to write the machine file; - is standard output
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    pub output: PathBuf,
    /// A preset or a machine file for what is not measured, and for the caches if the system does not report them
    #[arg(long, value_name = "NAME|FILE")]
    pub base: Option<String>,
    /// Bytes of the vectors that loops are measured with, as your compiler uses them: 16, 32 or 64, if the processor has them
    ///
    /// By default the widest; on Intel's processors with AVX-512 32, which GCC and clang prefer there unless
    /// -mprefer-vector-width=512 is given.
    #[arg(long, value_name = "BYTES", allow_negative_numbers = true, value_parser = vector_bytes)]
    pub vector_bytes: Option<usize>,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Analyse source files, or a model in XML, and estimate every loop nest
    ///
    /// Without an output option, a table goes to standard output.
    #[command(after_help = ANALYZE_EXAMPLES)]
    Analyze(Box<AnalyzeArgs>),
    /// Run a RISC-V program and write its instructions as a trace
    ///
    /// Runs a 64-bit RISC-V Linux program under QEMU's user-mode emulator (Debian: qemu-user) and writes a line for
    /// each instruction: hart, address, machine word, text, and the address of every access. It is the format that
    /// QEMU calls execlog. The tracer is built with cc at first use and kept in the user's cache directory.
    #[command(after_help = RECORD_NOTES, override_usage = "loopsheet record [OPTIONS] -- BINARY [ARG]...")]
    Record(Box<RecordArgs>),
    /// Read an instruction trace of a RISC-V program: work, depth and memory latency sensitivity
    ///
    /// Without an output option, a table goes to standard output.
    #[command(after_help = TRACE_EXAMPLES)]
    Trace(Box<TraceArgs>),
    /// Rank several traces by their sensitivity to memory latency
    ///
    /// Without an output option, a table goes to standard output.
    #[command(after_help = rank::NOTES)]
    Rank(Box<RankArgs>),
    /// Compare a static report with a trace: what the source says, what the run did
    ///
    /// Without an output option, a table goes to standard output.
    #[command(after_help = compare::NOTES)]
    Compare(Box<CompareArgs>),
    /// Analyse source, record and trace a run of its program, and compare the two
    ///
    /// Without an output option, a table goes to standard output.
    #[command(after_help = study::NOTES, override_usage = "loopsheet study [OPTIONS] PATH... -- BINARY [ARG]...")]
    Study(Box<StudyArgs>),
    /// Run nests literally through simulated caches, and compare their traffic with the model's
    ///
    /// Without an output option, a table goes to standard output.
    #[command(after_help = validate::NOTES)]
    Validate(Box<ValidateArgs>),
    /// Compare two versions of a source: which nests cost more, and why
    ///
    /// Without an output option, a table goes to standard output.
    #[command(after_help = diff::NOTES, override_usage = "loopsheet diff [OPTIONS] OLD NEW\n       loopsheet diff [OPTIONS] REV1..REV2 [-- PATH...]")]
    Diff(Box<DiffArgs>),
    /// Compute many configurations of many sources or traces, on one machine or many
    Sweep {
        #[command(subcommand)]
        command: SweepCommand,
    },
    /// List what the figures depend on: program inputs and guessed values, by influence
    ///
    /// Without an output option, a table goes to standard output.
    #[command(after_help = parameters::NOTES)]
    Parameters(Box<ParametersArgs>),
    /// List the machine presets, or show the parameters of one
    Machines {
        /// A preset or a TOML file
        name: Option<String>,
        /// Print it as a file to edit, which --machine FILE.toml reads
        #[arg(long, requires = "name")]
        toml: bool,
    },
    /// Measure this machine, and write a machine file with the results
    Machine {
        #[command(subcommand)]
        command: MachineCommand,
    },
    /// Show the topics of the guide, or one of them
    ///
    /// On a terminal, the program that PAGER names shows a topic, or less; otherwise its Markdown is printed.
    Guide {
        /// The topic
        topic: Option<Topic>,
    },
    /// Write the manual pages
    ///
    /// One for loopsheet and one for each command: `man -l DIR/loopsheet-analyze.1`.
    Man {
        /// Where to write them
        dir: PathBuf,
    },
    /// Print completions of commands and options for a shell
    ///
    /// bash: loopsheet completions bash > ~/.local/share/bash-completion/completions/loopsheet
    /// fish: loopsheet completions fish > ~/.config/fish/completions/loopsheet.fish
    /// zsh: loopsheet completions zsh > _loopsheet, in a directory of $fpath
    #[command(verbatim_doc_comment)]
    Completions { shell: clap_complete::Shell },
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
  loopsheet analyze src --html report.html           one page for a browser, whose estimates follow its inputs
  loopsheet analyze src --machine a64fx --set nx=512 another machine, another problem size
  loopsheet analyze kernel.c --xml model.xml         the loop model, to edit by hand
  loopsheet analyze model.xml -o report.xlsx         the same workbook from the model
  loopsheet analyze src --explain                    the names of all nests, costliest first
  loopsheet analyze src --explain smooth@12          what one nest costs and why, on a screen
  loopsheet analyze src --explain smooth@12 --explain-full    every formula of it, with its numbers
  loopsheet analyze --explain while_loop             what a reason means, and what to do about it
  loopsheet analyze --explain memory_traffic         what a figure means, with unit and source

Exit status: 0 done; 1 done, but some regions could not be read or, with --check-budgets, a budget was exceeded; \
2 nothing could be done.";

const RECORD_NOTES: &str = "\
Examples:
  riscv64-linux-gnu-gcc -O2 -static -o kernel kernel.c      (Debian: gcc-riscv64-linux-gnu)
  loopsheet record -o kernel.trace.zst -- ./kernel 100      everything it executes, compressed
  loopsheet record --function smooth -o t.trace -- ./kernel one function and what it calls
  loopsheet record --limit 1000000 -- ./kernel | head       no file at all

The program's standard output stays as it is; if the trace goes to standard output, the program's output \
goes to standard error. Only the first process is recorded, with all its threads; what it forks or executes is not.

--function follows calls and returns, through recursion and tail calls. A function that is left by longjmp counts as \
running until the function jumped to returns. One that the compiler inlined has no instructions of its own: build \
with -fno-inline, or mark it noinline.

Environment: LOOPSHEET_QEMU names another qemu-riscv64, built with plugins; QEMU_LD_PREFIX names another directory \
for shared libraries than /usr/riscv64-linux-gnu.

Exit status: 0 the trace is complete, or its reader went away, whatever the program's own status, which is reported \
if it is not 0; 1 the trace is empty, as the functions were never entered; 2 nothing could be recorded or written.";

#[derive(Debug, Args)]
pub struct RecordArgs {
    /// Where to write the trace: a file, compressed if its name ends in .gz or .zst; - is standard output
    ///
    /// Without it, the trace goes to standard output, unless that is a terminal.
    #[arg(short, long, value_name = "TRACE")]
    pub output: Option<PathBuf>,
    /// How to write it [default: native if its name ends in .native (before .gz, .zst or .xz), stf if it ends in .stf or
    /// .zstf, else execlog; native into a pipe]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format: Option<RecordFormat>,
    /// Record only while this function runs, including what it calls; may be given several times
    #[arg(long, value_name = "NAME")]
    pub function: Vec<String>,
    /// With --function: only the function's own instructions, not those of what it calls
    #[arg(long, requires = "function")]
    pub without_callees: bool,
    /// End the program after N recorded instructions
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u64).range(1..))]
    pub limit: Option<u64>,
    /// The program, and its arguments
    #[arg(required = true, trailing_var_arg = true, value_name = "BINARY")]
    pub program: Vec<OsString>,
}

#[derive(Debug, Args)]
pub struct AnalyzeArgs {
    /// Source files (.c .h .f .for .ftn .f77 .f90 .f95 .f03 .f08), directories, or models (.xml)
    #[arg(required_unless_present = "explain")]
    pub paths: Vec<PathBuf>,
    /// Write the workbook; the extension may also be .html, .xml or .json
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write the loop model as XML; - is standard output
    #[arg(long, value_name = "FILE")]
    pub xml: Option<PathBuf>,
    /// Write everything as JSON; - is standard output
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Draw which loops must follow which, one file for each function, or loop that holds several, as DOT for Graphviz
    #[arg(long, value_name = "DIR")]
    pub dot: Option<PathBuf>,
    /// The same as SVG, and for each of the ten costliest nests the bytes through a cache over its size
    #[arg(long, value_name = "DIR")]
    pub svg: Option<PathBuf>,
    /// Write every table as CSV or Parquet (--tables-format), for pandas and notebooks; tables.json has units and meanings of the
    /// columns
    #[arg(long, value_name = "DIR")]
    pub tables: Option<PathBuf>,
    /// What --tables writes: CSV, or Parquet with units in the names of the columns
    #[arg(long, value_enum, default_value_t = TablesFormat::Csv, requires = "tables")]
    pub tables_format: TablesFormat,
    /// Write everything as one page for a browser, whose estimates follow its inputs; - is standard output
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// A machine preset (see `loopsheet machines`) or a TOML file [default: epyc-7763]
    #[arg(long, value_name = "NAME|FILE")]
    pub machine: Option<String>,
    #[command(flatten)]
    pub source: SourceArgs,
    /// Take trip counts and branch frequencies from a run: the JSON of `trace --elf`. --set takes precedence
    #[arg(long, value_name = "TRACE.json", conflicts_with = "counts")]
    pub parameters_from_trace: Option<PathBuf>,
    /// Take trip counts and branch frequencies from native runs: what `gcov --json-format -b` or `llvm-cov export` writes,
    /// plain or gzipped. --set takes precedence
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub counts: Vec<PathBuf>,
    /// Compare measured times with the estimates: tables `file,line,seconds` or `function,seconds`, with a header; columns
    /// `bytes` and `flops` may follow; or what `perf script`, `perf report -t, -F period,sym` or `likwid-perfctr -m -O` prints
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub measured: Vec<PathBuf>,
    /// Do not check the costliest nests by running them with small sizes, which marks those that the model gets wrong
    #[arg(long)]
    pub no_check: bool,
    /// Check the nests against the budgets of loopsheet.toml: those that exceed one are named, and the exit status is 1
    #[arg(long, conflicts_with = "no_config")]
    pub check_budgets: bool,
    /// Show what one nest costs and why: its id (`smooth@12`), `file:line`, or a function; without a name, list the nests.
    /// Or what a reason, a diagnostic or a figure means: its code or name (`while_loop`, `syntax-error`, `memory_traffic`)
    #[arg(long, value_name = "NEST|CODE|FIGURE", num_args = 0..=1)]
    pub explain: Option<Option<String>>,
    /// With --explain NEST: every formula that leads to its time, with names and with numbers
    #[arg(long, requires = "explain")]
    pub explain_full: bool,
    /// Add a sheet of one nest to the workbook of -o: its source, stencils, layer conditions, traffic and time on a page, with
    /// charts; its id (`smooth@12`), `file:line`, or a function. May be given several times
    #[arg(long, value_name = "NEST")]
    pub nest_sheet: Vec<String>,
    /// Arrays that may go to slower memory: what each moves from memory in the run, and which of them lose little there
    #[arg(long)]
    pub objects: bool,
    /// Latency of slower memory for --objects, ns
    #[arg(long, value_name = "NS", requires = "objects", default_value_t = 250.0, allow_negative_numbers = true, value_parser = nanoseconds)]
    pub far_latency: f64,
    /// Bandwidth of slower memory for --objects, 10⁹ bytes per second: 32 are what eight lanes of PCIe 5 carry
    #[arg(
        long,
        value_name = "GB/S",
        requires = "objects",
        default_value_t = 32.0,
        allow_negative_numbers = true, value_parser = gigabytes_per_second
    )]
    pub far_bandwidth: f64,
    /// By how much the run may take longer with arrays in slower memory, percent
    #[arg(
        long,
        value_name = "PERCENT",
        requires = "objects",
        default_value_t = 5.0,
        allow_negative_numbers = true, value_parser = loss
    )]
    pub loss: f64,
    /// Show the N costliest nests in the table, of those with at least 0.1 % of the time [default: 20]
    #[arg(long, value_name = "N", action = ArgAction::Set, allow_negative_numbers = true)]
    pub top: Option<usize>,
    /// Show every nest in the table
    #[arg(long, conflicts_with = "top")]
    pub all: bool,
    /// Read one of N equal shares of the sources into the cache of --cache-dir, and nothing else: which one --shard or the
    /// task of a Slurm array says. After all of them, the same command without --shards has it all there, and writes what
    /// it writes without them
    #[arg(long, value_name = "N", requires = "cache_dir", conflicts_with_all = NOT_OF_SHARDS,
        value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub shards: Option<u32>,
    /// The share to read, from 1 on [default: SLURM_ARRAY_TASK_ID]
    #[arg(long, value_name = "K", requires = "shards")]
    pub shard: Option<u32>,
}

/// What the analysis after all shards takes: a shard writes nothing but into the cache.
const NOT_OF_SHARDS: [&str; 14] = [
    "output",
    "xml",
    "json",
    "dot",
    "svg",
    "tables",
    "html",
    "explain",
    "nest_sheet",
    "top",
    "all",
    "check_budgets",
    "measured",
    "objects",
];

/// Files of `--tables`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TablesFormat {
    Csv,
    Parquet,
}

const TRACE_EXAMPLES: &str = "\
Examples:
  loopsheet trace kernel.trace.zst                       a table: work, depth, latency sensitivity
  loopsheet trace kernel.trace --cache 32KiB,8way --cache 1MiB,16way -o report.xlsx
  loopsheet record -o - -- ./a.out | loopsheet trace -   trace and analyse with no file in between
  loopsheet trace a.trace --elf a.out --by function      the same figures for every function
  loopsheet trace small.trace --graph edag.svg           a picture of the execution DAG
  loopsheet trace a.trace --epochs --heatmap epochs.svg -o report.xlsx
                                                         which window and cache would help
  loopsheet trace --timeline accesses.csv                C-AMAT, APC, concurrency of a simulator's log

Exit status: 0 done; 2 bad usage or a line that cannot be read, nothing written.";

#[derive(Clone, Debug, Args)]
pub struct TraceArgs {
    /// The trace: plain, gzip, zstd or xz; - is standard input
    #[arg(required_unless_present_any = ["timeline", "slices"])]
    pub trace: Option<PathBuf>,
    /// More traces, with --epochs: the profile of each, and their mean
    #[arg(value_name = "TRACE", requires = "epochs")]
    pub more: Vec<PathBuf>,
    /// Slices of a run in place of a trace: a file with a weight and the path of a trace in each line, as SimPoint gives
    /// them. Every figure is the sum of the slices' figures times their weights
    #[arg(long, value_name = "LIST", conflicts_with_all = ["trace", "timeline"])]
    pub slices: Option<PathBuf>,
    /// Write the workbook; the extension may also be .json
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write everything as JSON; - is standard output
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write the trace in another format, by the extension: .stf or .zstf (Olympia and other models that read STF),
    /// .champsim (ChampSim), .native (compact, for loopsheet); .gz, .zst or .xz may follow the last two
    #[arg(long, value_name = "FILE")]
    pub write: Option<PathBuf>,
    /// Format of the trace
    #[arg(long, value_enum, default_value_t = TraceFormat::Auto)]
    pub format: TraceFormat,
    /// A cache level, nearest first: a size, then what differs from `8way,64B,lru,write-back`: `4way` or `full`, `32B`,
    /// `fifo`, `plru`, `random`, `write-through`;
    /// or none (the default): every access goes to RAM; or the levels of a machine preset, by its name
    #[arg(long, value_name = "SPEC")]
    pub cache: Vec<String>,
    /// m: the most RAM accesses outstanding at once
    #[arg(
        long,
        value_name = "M",
        allow_negative_numbers = true,
        default_value_t = 4.0
    )]
    pub slots: f64,
    /// α: cycles of a RAM access [default: 100; 240 with --camat]
    #[arg(long, value_name = "CYCLES", allow_negative_numbers = true)]
    pub latency: Option<f64>,
    /// α₀: latency at which relative sensitivity is taken [default: that of --latency]
    #[arg(long, allow_negative_numbers = true, value_name = "CYCLES")]
    pub base_latency: Option<f64>,
    /// Clock in GHz, for bandwidth
    #[arg(
        long,
        value_name = "GHZ",
        allow_negative_numbers = true,
        default_value_t = 1.0
    )]
    pub ghz: f64,
    /// p of Brent's bounds
    #[arg(
        long,
        value_name = "P",
        allow_negative_numbers = true,
        default_value_t = 4.0
    )]
    pub processors: f64,
    /// Cycles of instructions by class, a TOML file like templates/instructions.toml [default: 1 each]
    #[arg(long, value_name = "FILE")]
    pub costs: Option<PathBuf>,
    /// Dependences that count: true ones, false ones too, or true ones through registers only
    #[arg(long, value_enum, default_value_t = DependenceKind::True)]
    pub dependences: DependenceKind,
    /// Reuse distances of all accesses, in lines of --line bytes
    #[arg(long)]
    pub reuse: bool,
    /// Which instructions, and with --elf which source lines, are on the deepest chain of RAM accesses: what the memory
    /// depth comes from
    #[arg(long)]
    pub memory_chain: bool,
    /// The depth for every latency of a RAM access at once: its straight pieces, and the latencies at which it is 1, 5, 10
    /// and 50 % longer than at --latency; with --by for every region too
    #[arg(long)]
    pub by_latency: bool,
    /// The depth for every time that a byte takes between RAM and the caches at once, each access to RAM taking --latency
    /// besides: its straight pieces, and the cycles a byte at which it is 1, 5, 10 and 50 % longer; with --by for every
    /// region too
    #[arg(long)]
    pub by_bandwidth: bool,
    /// Attribute the actual cost of misses: pure miss cycles (with --camat) and epochs of --slots misses in a
    /// window of 64 instructions or --window, by instruction, and with --elf by source line and by what was accessed
    #[arg(long)]
    pub blame: bool,
    /// Objects that may go to slower memory: accesses, misses and epochs of global variables, the stack and the rest, and which of
    /// them lose little there. Needs --camat and --elf
    #[arg(long, requires_all = ["camat", "elf"])]
    pub objects: bool,
    /// Latencies of slower memory for --objects, the first one for --place NAME=far [default: 560,1640 cycles, which are 140
    /// and 410 ns at 4 GHz]
    #[arg(long, allow_negative_numbers = true, value_name = "LIST", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub far: Vec<u64>,
    /// By how much the run may take longer with objects in slower memory, percent [default: 5]
    #[arg(long, value_name = "PERCENT", requires = "objects", allow_negative_numbers = true, value_parser = loss)]
    pub loss: Option<f64>,
    /// Check the losses of --objects in the core: run the trace again with each of the N objects with most misses in slower
    /// memory, with those that go there together, and with each share of --interleave [default N: 8]
    #[arg(long, allow_negative_numbers = true, value_name = "N", requires = "objects", num_args = 0..=1, default_missing_value = "8", value_parser = clap::value_parser!(u64).range(1..=100))]
    pub confirm: Option<u64>,
    /// Shares of the pages of all objects that --objects interleaves with slower memory, percent [default: 25,50,75,100]
    #[arg(long, allow_negative_numbers = true, value_name = "LIST", value_delimiter = ',', requires = "objects", value_parser = clap::value_parser!(u64).range(1..=100))]
    pub interleave: Vec<u64>,
    /// Cycles between two lines that slower memory delivers beside RAM, 0 for no limit [default: that of --ram-interval]
    #[arg(long, allow_negative_numbers = true, value_name = "CYCLES", requires = "camat", value_parser = clap::value_parser!(u64).range(..=1_000_000))]
    pub far_interval: Option<u64>,
    /// Put a global variable of --elf, blocks of the heap by the line that allocated them (main.c:12), or addresses such as
    /// 0x4000-0x8000, into memory of that latency in the core of --camat: NAME=CYCLES or NAME=far, either with @PERCENT for
    /// so many of its pages; may be given several times
    #[arg(long, value_name = "NAME=CYCLES", requires = "camat")]
    pub place: Vec<String>,
    /// Compare the placement of --place with this one; as --place, may be given several times
    ///
    /// Both run through the core in one pass, beside it with everything in RAM.
    #[arg(long, value_name = "NAME=CYCLES", requires = "place")]
    pub place_against: Vec<String>,
    /// Epochs over reorder windows and cache capacities: misses that have to wait for each other
    #[arg(long)]
    pub epochs: bool,
    /// Instructions of the reorder windows, such as 1,32,256 [default: 1 to 1024 by powers of two]
    #[arg(long, value_name = "LIST", requires = "epochs")]
    pub windows: Option<String>,
    /// Capacities of the cache, such as 32KiB,1MiB [default: 1 KiB to 1 GiB by powers of two]
    #[arg(long, value_name = "LIST", requires = "epochs")]
    pub capacities: Option<String>,
    /// One more profile for each number of misses that can start in one epoch, such as 4,16
    ///
    /// Where misses queue, with small caches and few miss registers, time follows these; where they are rare, plain
    /// epochs say the same.
    #[arg(long, value_name = "LIST", requires = "epochs")]
    pub epoch_slots: Option<String>,
    /// Wait for stores that miss, as for loads, in epochs and in the core of --camat
    #[arg(long)]
    pub blocking_stores: bool,
    /// Draw epochs per 1,000 instructions over windows and capacities: .svg
    #[arg(long, value_name = "FILE", requires = "epochs")]
    pub heatmap: Option<PathBuf>,
    /// Bytes of a line for reuse distances and epochs [default: 64]
    #[arg(long, value_name = "BYTES")]
    pub line: Option<String>,
    /// The program that was traced: for --by, and for counts by source line in the JSON, which `compare` joins with a
    /// static report
    #[arg(long, value_name = "BINARY")]
    pub elf: Option<PathBuf>,
    /// Where the program was loaded, if it is position-independent [default: where QEMU loads it]
    #[arg(long, value_name = "ADDRESS", requires = "elf")]
    pub elf_base: Option<String>,
    /// A shared library of the program, whose functions are then named. Where it was loaded is found in the trace, unless
    /// it is given; repeat for more
    #[arg(long = "library", value_name = "FILE[@ADDRESS]", requires = "elf")]
    pub libraries: Vec<String>,
    /// Also report every figure by function, source line, machine loop or source nest; needs --elf
    #[arg(long, value_enum, requires = "elf")]
    pub by: Option<RegionBy>,
    /// The JSON of `analyze`, for --by nest
    #[arg(long = "static", value_name = "REPORT.json", requires = "by")]
    pub predicted: Option<PathBuf>,
    /// Show only the N largest regions in the table
    #[arg(
        long,
        value_name = "N",
        default_value_t = 30,
        allow_negative_numbers = true
    )]
    pub top: usize,
    /// Draw the eDAG of a short trace: .dot or .svg
    #[arg(long, value_name = "FILE")]
    pub graph: Option<PathBuf>,
    /// Draw the time bounds over the latency: .svg
    #[arg(long, value_name = "FILE")]
    pub sweep: Option<PathBuf>,
    /// Run the trace through an out-of-order core: C-AMAT, APC, concurrency and matching of every cache level. Without
    /// --cache and --costs it is the machine of the C-AMAT report; caches of your own need latencies: 32KiB,4cycles
    #[arg(long, conflicts_with = "timeline")]
    pub camat: bool,
    /// Instructions of that core between the oldest not retired and the youngest [default: 64]
    #[arg(long, value_name = "N", requires = "camat")]
    pub window: Option<usize>,
    /// Instructions that enter and issue in a cycle [default: 4]
    #[arg(long, value_name = "N", requires = "camat")]
    pub issue_width: Option<u32>,
    /// Accesses that may start in a cycle, level by level [default: 2 at the nearest, then 1]
    #[arg(long, value_name = "LIST", value_delimiter = ',', requires = "camat")]
    pub ports: Vec<u32>,
    /// Most outstanding misses, level by level [default: 8 at the nearest, then 16]
    #[arg(long, value_name = "LIST", value_delimiter = ',', requires = "camat")]
    pub mshrs: Vec<u32>,
    /// Run more cores that differ from that one in one parameter: window, issue-width, ports or mshrs (the last two of the
    /// nearest level), such as window=16,64,256; may be given several times
    #[arg(long, value_name = "PARAMETER=LIST", requires = "camat")]
    pub vary: Vec<String>,
    /// Draw C-AMAT and AMAT of the nearest level over what is varied: .svg
    #[arg(long, value_name = "FILE", requires = "vary")]
    pub vary_chart: Option<PathBuf>,
    /// Cycles between two lines that RAM delivers, 0 for no limit [default: 15, 17 GB/s at 4 GHz]
    #[arg(long, value_name = "CYCLES", requires = "camat")]
    pub ram_interval: Option<u64>,
    /// C-AMAT of a timeline of accesses, with or without a trace: lines of `id,start,h1,m1[,h2,m2…]` under that header,
    /// cycles; fields of levels that an access does not reach are empty; a column `hart` may follow `id`
    #[arg(long, value_name = "FILE")]
    pub timeline: Option<PathBuf>,
    /// The first level that harts share, counted from 1 [default: all are private]
    #[arg(long, value_name = "LEVEL")]
    pub shared_level: Option<usize>,
    /// Instructions executed during the timeline [default: those of the trace]
    #[arg(long, value_name = "N", requires = "timeline")]
    pub instructions: Option<u64>,
    /// Cycles per instruction if memory never stalled, for matching ratios
    #[arg(long, value_name = "CYCLES", requires = "timeline")]
    pub cpi_exe: Option<f64>,
    /// Target stall time, as a percentage of compute time
    #[arg(long, value_name = "PERCENT", default_value_t = 10.0)]
    pub stall_target: f64,
    /// Draw a timeline of up to 200 cycles, access by access: .svg
    #[arg(long, value_name = "FILE")]
    pub diagram: Option<PathBuf>,
    /// What to do with instructions that are not in the table: stop, or count them and continue
    #[arg(long, value_enum, default_value_t = UnknownKind::Error)]
    pub unknown: UnknownKind,
    /// Count as another tool does: no vertex for nop, ret and ecall, memory dependences by start address,
    /// caches 2-way and write-through with 64-byte lines
    #[arg(long, value_enum, value_name = "TOOL")]
    pub compat: Option<Compat>,
    /// What if this share of the RAM accesses, 0 to 1, were remote?
    #[arg(long, value_name = "SHARE", requires = "remote_delay")]
    pub remote_share: Option<f64>,
    /// Cycles that a remote access takes on top of --latency
    #[arg(long, value_name = "CYCLES", requires = "remote_share")]
    pub remote_delay: Option<u64>,
    /// Random choices of the remote accesses [default: 100]
    #[arg(long, value_name = "N")]
    pub trials: Option<u32>,
    /// Seed of those choices [default: 1]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TraceFormat {
    Auto,
    Edan,
    EdanBare,
    Execlog,
    Spike,
    Gdb,
    Gem5,
    Whisper,
    Stf,
    Champsim,
    Native,
}

/// What `record` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RecordFormat {
    /// A line for each instruction, as QEMU's plugin of that name writes them
    Execlog,
    /// The compact format: about a byte for each instruction, faster to write and to read
    Native,
    /// STF, in compressed chunks (ZSTF) if the name ends in .zstf
    Stf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DependenceKind {
    /// Read-after-write through registers and memory
    True,
    /// Write-after-read and write-after-write too
    All,
    /// Read-after-write through registers only
    Register,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RegionBy {
    Function,
    Line,
    Loop,
    /// Loop nests of the source, as the report of --static has them
    Nest,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum UnknownKind {
    Error,
    Warn,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Compat {
    Edan,
}

/// Latency of far memory.
fn nanoseconds(text: &str) -> Result<f64, String> {
    number(text, (1.0, 1e6), "ns")
}

/// Length of vectors; which of them a processor has is seen when it measures.
fn vector_bytes(text: &str) -> Result<usize, String> {
    let bytes = text.parse().ok().filter(|bytes| *bytes > 0);
    bytes.ok_or_else(|| "vectors have 16, 32 or 64 bytes, as the processor has them".to_string())
}

/// Bandwidth of far memory.
fn gigabytes_per_second(text: &str) -> Result<f64, String> {
    number(text, (1e-3, 1e9), "GB/s")
}

/// By how much a run may take longer.
fn loss(text: &str) -> Result<f64, String> {
    number(text, (0.0, 1000.0), "percent")
}

fn number(text: &str, (low, high): (f64, f64), unit: &str) -> Result<f64, String> {
    let value = text.parse().ok();
    let value = value.filter(|value| (low..=high).contains(value));
    value.ok_or_else(|| format!("must be from {low} to {high} {unit}"))
}
