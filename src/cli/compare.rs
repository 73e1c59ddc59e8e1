//! Arguments of `loopsheet compare`.

use std::path::PathBuf;

use clap::Args;

pub const NOTES: &str = "\
Examples:
  loopsheet analyze kernel.c --set n=200 --json static.json
  loopsheet record -o run.trace.zst -- ./kernel
  loopsheet trace run.trace.zst --elf kernel --cache 32KiB --json trace.json
  loopsheet compare --static static.json --trace trace.json
  loopsheet compare --static static.json --trace trace.json -o compare.xlsx

The program must be compiled with -g. Instructions are assigned to loops by file and line; files match if the \
ends of their paths agree. `ratio` is traced divided by static.

Exit status: 0 done; 2 bad usage or nothing to compare, nothing written.";

#[derive(Debug, Args)]
pub struct CompareArgs {
    /// The static side: the JSON of `loopsheet analyze`
    #[arg(long = "static", value_name = "REPORT.json")]
    pub predicted: PathBuf,
    /// The traced side: the JSON of `loopsheet trace --elf PROGRAM`
    #[arg(long, value_name = "TRACE.json")]
    pub trace: PathBuf,
    /// Write the workbook; the extension may also be .json
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write everything as JSON; - is standard output
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Only functions whose name matches the pattern (* and ? are wildcards)
    #[arg(long, value_name = "GLOB")]
    pub function: Option<String>,
    /// Show only the N nests with the most instructions in the table
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
}
