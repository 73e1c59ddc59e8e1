//! Arguments of `loopsheet rank`.

use std::path::PathBuf;

use clap::Args;

use super::{TraceFormat, UnknownKind};

pub const NOTES: &str = "\
Examples:
  loopsheet rank a.trace.zst b.trace.zst                 a table, the most sensitive first
  loopsheet rank runs/*.zst -o rank.xlsx --svg rank.svg  a workbook and a picture
  loopsheet rank runs/*.zst --cache 32KiB,4cycles --cache 1MiB,20cycles --window 192 --slots 16

Exit status: 0 done; 1 a run ended with a signal; 2 bad usage or a line that cannot be read, nothing written.";

/// Every trace goes through the caches, epochs of their misses, and the core of `trace --camat`.
#[derive(Debug, Args)]
pub struct RankArgs {
    /// The traces: plain, gzip, zstd or xz; one may be -, standard input
    #[arg(required = true, value_name = "TRACE")]
    pub traces: Vec<PathBuf>,
    /// Write the workbook; the extension may also be .json
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write everything as JSON; - is standard output
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Draw epochs per 1,000 instructions as bars: .svg
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Format of the traces
    #[arg(long, value_enum, default_value_t = TraceFormat::Auto)]
    pub format: TraceFormat,
    /// A cache level, nearest first, or a machine preset, as for `trace` [default: those of the machine of --camat]
    ///
    /// C-AMAT needs the cycles of a hit, as in 32KiB,4cycles; without them it is unknown.
    #[arg(long, value_name = "SPEC")]
    pub cache: Vec<String>,
    /// Instructions of the reorder window
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub window: u32,
    /// m: the most RAM accesses outstanding at once
    #[arg(long, value_name = "M", default_value_t = 8)]
    pub slots: u32,
    /// α: cycles of a RAM access [default: 240 with C-AMAT, else 100]
    #[arg(long, value_name = "CYCLES", allow_negative_numbers = true)]
    pub latency: Option<f64>,
    /// α₀: latency at which relative sensitivity is taken [default: that of --latency]
    #[arg(long, value_name = "CYCLES", allow_negative_numbers = true)]
    pub base_latency: Option<f64>,
    /// Clock in GHz, for bandwidth
    #[arg(
        long,
        value_name = "GHZ",
        allow_negative_numbers = true,
        default_value_t = 1.0
    )]
    pub ghz: f64,
    /// Cycles of instructions by class, a TOML file like templates/instructions.toml
    #[arg(long, value_name = "FILE")]
    pub costs: Option<PathBuf>,
    /// Instructions that enter and issue in a cycle [default: 4]
    #[arg(long, value_name = "N")]
    pub issue_width: Option<u32>,
    /// Accesses that may start in a cycle, level by level [default: 2 at the nearest, then 1]
    #[arg(long, value_name = "LIST")]
    pub ports: Option<String>,
    /// Most outstanding misses, level by level [default: 8 at the nearest, then 16]
    #[arg(long, value_name = "LIST")]
    pub mshrs: Option<String>,
    /// Cycles between two lines that RAM delivers, 0 for no limit [default: 15]
    #[arg(long, value_name = "CYCLES")]
    pub ram_interval: Option<u64>,
    /// Wait for stores that miss, as for loads
    #[arg(long)]
    pub blocking_stores: bool,
    /// What to do with instructions that are not in the table: stop, or count them and continue
    #[arg(long, value_enum, default_value_t = UnknownKind::Error)]
    pub unknown: UnknownKind,
}
