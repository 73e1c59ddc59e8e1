//! Arguments of `loopsheet parameters`.

use std::path::PathBuf;

use clap::Args;

use super::SourceArgs;

pub const NOTES: &str = "\
Examples:
  loopsheet parameters src/                      the program's inputs, by influence
  loopsheet parameters src/ --all                all parameters, probabilities with their conditions
  loopsheet parameters src/ --counts run.gz       what counts of a run say (topic counts)
  loopsheet parameters src/ --write loopsheet.toml";

#[derive(Debug, Args)]
pub struct ParametersArgs {
    /// Source files, directories, or models (.xml)
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// Write all parameters as JSON; - is standard output
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write the sizes and probabilities that may be set as a file to edit
    #[arg(long, value_name = "FILE")]
    pub write: Option<PathBuf>,
    /// Show every parameter, including those with little or no influence on time
    #[arg(long)]
    pub all: bool,
    /// A machine preset (see `loopsheet machines`) or a TOML file: influence is a share of time
    #[arg(long, value_name = "NAME|FILE")]
    pub machine: Option<String>,
    /// Take trip counts and branch frequencies from native runs: what `gcov --json-format -b` or `llvm-cov export` writes,
    /// plain or gzipped. --set takes precedence
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub counts: Vec<PathBuf>,
    #[command(flatten)]
    pub source: SourceArgs,
}
