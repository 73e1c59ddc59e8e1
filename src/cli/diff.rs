//! Arguments of `loopsheet diff`.

use std::path::PathBuf;

use clap::Args;

use super::SourceArgs;
use crate::diff::Threshold;

pub const NOTES: &str = "\
Examples:
  loopsheet diff old/src src                                two trees
  loopsheet diff main..HEAD -- src                          two revisions of a repository
  loopsheet diff before.json after.json                     two reports of `loopsheet analyze --json`
  loopsheet diff main...HEAD --markdown diff.md --sarif diff.sarif --fail-above 5%:bytes

Both sides are analysed with the same machine, sizes and options, and with loopsheet.toml of NEW. Nests are matched \
by what they do, not by names and lines (loopsheet guide diff). REV1...REV2 begins where the two histories part.

Exit status: 0 done; 1 done, and a limit of --fail-above or a budget of loopsheet.toml was exceeded, or more regions \
could not be read than before; 2 bad usage or nothing to compare, nothing written.";

#[derive(Debug, Args)]
pub struct DiffArgs {
    /// The old version: a directory or file of source, a JSON report, or REV1..REV2 of a Git repository
    #[arg(value_name = "OLD")]
    pub old: PathBuf,
    /// The new version
    #[arg(value_name = "NEW")]
    pub new: Option<PathBuf>,
    /// Of the revisions, only these files and directories, as seen from here
    #[arg(last = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Write the workbook; the extension may also be .json
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write everything as JSON; - is standard output
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write the comparison as Markdown, as for a merge request; - is standard output
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,
    /// Write regions that could not be read and limits that were exceeded as SARIF, for code hosts; - is standard output
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,
    /// End with status 1 if time, bytes of memory traffic or flops grow by more than N percent, of any nest or in total;
    /// may be given several times
    #[arg(long, value_name = "N%[:time|bytes|flops]")]
    pub fail_above: Vec<Threshold>,
    /// A machine preset (see `loopsheet machines`) or a TOML file [default: epyc-7763]
    #[arg(long, value_name = "NAME|FILE")]
    pub machine: Option<String>,
    #[command(flatten)]
    pub source: SourceArgs,
    /// Show at most N nests, in the table and in Markdown
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub top: usize,
}
