//! Arguments of `loopsheet validate`.

use std::path::PathBuf;

use clap::Args;

use crate::validate::MOST_ACCESSES;

use super::SourceArgs;

pub const NOTES: &str = "\
Examples:
  loopsheet validate samples/kernels --cache 32KiB,8way --cache 1MiB,16way
  loopsheet validate src/smooth.c --set nx=200 --set ny=200 --cache 48KiB,full
  loopsheet validate src --machine xeon-8380 --sizes nx,ny,nz=64..256:64 --json cases.json
  loopsheet validate kernel.f90 --function 'advance*' --sizes n=100,101,128

Every access to an array element in the source is simulated, in program order, nest by nest, each from cold \
caches, with dirty lines written back at the end. Scalars are registers. Data are not computed: a condition on data \
holds as often as its probability parameter says, spread evenly; an index from data is a fixed pseudo-random one \
within the declared extent. `simulated` is a single fully associative LRU cache of that capacity, as in the model; \
`set-assoc.` is the hierarchy as given.

Exit status: 0 done; 1 done, but some regions could not be read or some nests could not be run; 2 bad usage or \
nothing could be done.";

#[derive(Debug, Args)]
pub struct ValidateArgs {
    /// Source files (.c .h .f .for .ftn .f77 .f90 .f95 .f03 .f08) or directories
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// Write all cases as JSON; - is standard output
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// A machine preset (see `loopsheet machines`) or a TOML file: its parameters, and its cache levels as one core
    /// has them [default: epyc-7763]
    #[arg(long, value_name = "NAME|FILE")]
    pub machine: Option<String>,
    /// A cache level in place of the machine's, nearest first: a size, then what differs from
    /// `8way,64B,lru,write-back`; `full` is fully associative
    #[arg(long, value_name = "SPEC")]
    pub cache: Vec<String>,
    #[command(flatten)]
    pub source: SourceArgs,
    /// Several values for a parameter, or for parameters that are equal: n=100,200 or nx,ny=64..256:64; given several
    /// times, every combination is run
    #[arg(long, value_name = "NAME[,NAME]...=LIST")]
    pub sizes: Vec<String>,
    /// Run every function as a whole, caches keeping what they hold from nest to nest, and report each nest's share
    ///
    /// Lines count for the nest that fetches them, and for the nest that makes them dirty. The model's nests all begin
    /// with cold caches: a ratio above one is reuse between nests. Only fully associative levels are divided in this way.
    #[arg(long)]
    pub whole: bool,
    /// Accesses of one nest that are simulated at most; longer ones are sampled
    ///
    /// Eight windows of the iterations of an outer loop then represent all of them; half of each warms the caches up.
    #[arg(long, value_name = "N", default_value_t = MOST_ACCESSES, value_parser = clap::value_parser!(u64).range(1..))]
    pub max_accesses: u64,
    /// Bytes between one array and the next
    #[arg(long, value_name = "BYTES", default_value = "0")]
    pub gap: String,
    /// Show only the N cases that are farthest from the simulation
    #[arg(long, value_name = "N")]
    pub worst: Option<usize>,
}
