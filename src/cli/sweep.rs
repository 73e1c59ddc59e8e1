//! Arguments of `loopsheet sweep`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

const PLAN_NOTES: &str = "\
sweep.toml names inputs and axes; the sweep is the product of all of them:

  sources = [\"kernels/*.c\"]              # a directory is one program
  traces = [\"traces/*.zst\"]
  machines = [\"epyc-7763\", \"own.toml\"]

  [set]                                  # parameters of the sources, as for --set
  n = \"128..1024:128\"                    # first..last:step
  l2_bytes = [\"512KiB\", \"1MiB\"]

  [trace]                                # of the traces
  caches = [\"16KiB..1MiB:x2,8way\", \"32KiB + 1MiB,16way\", \"machine\", \"none\"]
  latencies = [50, 100, 200]             # cycles; or \"machine\"
  slots = [4, 16]
  windows = [64, 256]                    # epochs, with capacities and epoch_slots

  [area]
  mm2_per_mib = 1.5                      # area of caches, for column area_mm2

Relative paths start at the file. Ranges with x multiply: 16KiB..1MiB:x2. A list with one entry may be given as just the entry.
Sources and the beginnings of traces are read: anything that no shard could compute is refused.";

const RUN_NOTES: &str = "\
Examples:
  loopsheet sweep run --all              all shards, on all cores
  loopsheet sweep run 7                  one shard
  loopsheet sweep run 3 --of 50          the third of fifty equal parts
  srun loopsheet sweep run --from-slurm --of 50

An existing result with the same hash is not computed again: an interrupted run continues where it stopped, and \
several may run at once, sharing the shards. A shard that fails is recorded with its error, and the others go on. \
Ctrl-C keeps what is finished.

Exit status: 0 done; 1 done, but shards failed, inputs have changed since the plan, or sources could not be read in full; \
2 bad usage, nothing was computed; 130 interrupted.";

const SUBMIT_NOTES: &str = "\
Examples:
  loopsheet sweep submit                 run.sbatch, merge.sbatch, and submit.sh that submits both
  loopsheet sweep submit --now           submit them, too
  loopsheet sweep submit --engine gnu-parallel --parts 64

The scripts run `loopsheet` from PATH, or the program named by LOOPSHEET. An array has no more tasks than the site
allows: each task computes about ten minutes' worth of shards.";

const REPORT_NOTES: &str = "\
Examples:
  loopsheet sweep report -o sweep.xlsx   a workbook whose times follow latency, slots and clock
  loopsheet sweep report --html sweep.html --map last_cache_bytes,latency_cycles

Axes are columns of the data set with more than one value: set_NAME, last_cache_bytes, caches, latency_cycles, slots,
machine, area_mm2. The report compares what can be chosen (machine and its parameters, caches, slots) for the same
problem and memory latency: each source has a best configuration for every size, each trace for every latency.

Exit status: 0 done; 1 done, but some shards failed or sources could not be read in full; 2 nothing was written.";

#[derive(Debug, Subcommand)]
pub enum SweepCommand {
    /// Expand sweep.toml to a manifest of shards
    #[command(after_help = PLAN_NOTES)]
    Plan(SweepPlanArgs),
    /// Compute shards
    #[command(after_help = RUN_NOTES)]
    Run(SweepRunArgs),
    /// Write scripts that compute all shards on a cluster, and merge them
    ///
    /// One shard is computed first: the limits of time and memory follow from what it took. Its result stays.
    #[command(after_help = SUBMIT_NOTES)]
    Submit(SweepSubmitArgs),
    /// Put the rows of all shards into one Parquet file per input
    Merge(SweepMergeArgs),
    /// Write what all shards say together: the best configuration of each input and problem, time over two axes, what more area buys
    #[command(after_help = REPORT_NOTES)]
    Report(SweepReportArgs),
}

/// Where a sweep keeps what it has.
#[derive(Clone, Debug, Args)]
pub struct SweepDirectory {
    /// The directory of the sweep: its manifest, the results of its shards, the merged data
    #[arg(long, value_name = "DIR", default_value = "sweep")]
    pub dir: PathBuf,
}

#[derive(Debug, Args)]
pub struct SweepPlanArgs {
    /// The axes
    #[arg(value_name = "SWEEP.toml")]
    pub file: PathBuf,
    #[command(flatten)]
    pub place: SweepDirectory,
}

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("which").required(true).args(["number", "all", "from_slurm"]))]
pub struct SweepRunArgs {
    /// The shard to compute, from 1 on; with --of the part
    #[arg(value_name = "K")]
    pub number: Option<usize>,
    /// Compute all shards, on all cores
    #[arg(long)]
    pub all: bool,
    /// Take K from SLURM_ARRAY_TASK_ID
    #[arg(long)]
    pub from_slurm: bool,
    /// Cut the shards into so many equal parts, of which K is one
    #[arg(long, value_name = "PARTS", conflicts_with = "all", value_parser = clap::value_parser!(u64).range(1..))]
    pub of: Option<u64>,
    /// Try shards again that failed
    #[arg(long)]
    pub retry: bool,
    /// Shards at once [default: as many as there are cores; 1 without --all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub jobs: Option<u64>,
    #[command(flatten)]
    pub place: SweepDirectory,
}

#[derive(Debug, Args)]
pub struct SweepMergeArgs {
    #[command(flatten)]
    pub place: SweepDirectory,
}

#[derive(Debug, Args)]
pub struct SweepSubmitArgs {
    /// Who runs the parts
    #[arg(long, value_enum, default_value_t = SweepEngine::Slurm)]
    pub engine: SweepEngine,
    /// Start them, too
    #[arg(long)]
    pub now: bool,
    /// Parts to cut the shards into [default: so many that each takes about ten minutes]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub parts: Option<u64>,
    #[command(flatten)]
    pub place: SweepDirectory,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SweepEngine {
    /// An array of a Slurm cluster, and a job behind it that merges
    Slurm,
    /// This machine
    Local,
    /// GNU parallel, which may have several machines
    GnuParallel,
}

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("what").required(true).multiple(true).args(["output", "html"]))]
pub struct SweepReportArgs {
    /// Write the workbook: .xlsx
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write a page for a browser: .html or .htm; - is standard output
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Axes of the map: across, then down [default: across the choice with the most values, down every other axis in turn]
    #[arg(long, value_name = "ACROSS,DOWN")]
    pub map: Option<String>,
    #[command(flatten)]
    pub place: SweepDirectory,
}
