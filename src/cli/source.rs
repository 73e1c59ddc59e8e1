//! How source is read, and with which parameters: the same for all commands that read source.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::reading::Cpp;

#[derive(Clone, Debug, Args)]
pub struct SourceArgs {
    /// Set parameters under their names in the workbook: cache_bytes, dram_gbs, block_x, nx, hi(1) …; machine.cores
    /// where the source has a variable `cores`, too
    #[arg(long = "set", value_name = "NAME=VALUE[,…]")]
    pub settings: Vec<String>,
    /// The rule for DRAM traffic, and so for time: that of all cache levels (refined) or ExaSAT's scenarios [default: the
    /// machine's: refined, but exasat for the machine exasat]
    #[arg(long, value_name = "RULE")]
    pub scenarios: Option<TrafficRule>,
    /// Where to look for included files
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// Define a macro
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// Leave a macro undefined, even if -D defines it
    #[arg(short = 'U', value_name = "NAME")]
    pub undefine: Vec<String>,
    /// Compiler flags of all sources, after those that compile_commands.json has: --flags='-fdefault-real-8 -fixed'
    ///
    /// Only flags that change how sources are read take effect: -I -D -U -include, sizes of types without a kind, form
    /// and width of Fortran's lines.
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true)]
    pub flags: Vec<String>,
    /// The directory of compile_commands.json; without it the nearest one above each file is used
    #[arg(short = 'p', value_name = "DIR")]
    pub database: Option<PathBuf>,
    /// Preprocess with the built-in preprocessor (auto), with `cc -E` (always), not at all (never), or
    /// with a command that writes preprocessed text, such as `mpicc -E`
    ///
    /// The built-in preprocessor keeps the names of numeric constants, so that they are parameters.
    #[arg(long, value_name = "auto|always|never|CMD", default_value = "auto", value_parser = cpp)]
    pub cpp: Cpp,
    /// Leave calls of the BLAS unknown where the sources have no bodies for them
    ///
    /// Otherwise loopsheet's own bodies stand for them: the loops of the reference implementation.
    #[arg(long)]
    pub no_blas: bool,
    /// Leave out files and directories that match the pattern, as in .gitignore: tests/ or *_old.f90
    #[arg(long, value_name = "GLOB")]
    pub ignore: Vec<String>,
    /// A procedure at which execution starts [default: the main program]
    #[arg(long, value_name = "NAME")]
    pub entry: Vec<String>,
    /// The input file of a run of the program, a namelist or lines of key = value: sizes and options are taken from it
    #[arg(long, value_name = "FILE")]
    pub input: Vec<PathBuf>,
    /// Ignore the input file that is in the tree under the name by which the program opens it; without this, and without
    /// --input, it is read
    #[arg(long, conflicts_with = "input")]
    pub no_input: bool,
    /// The project's settings; without it loopsheet.toml is looked for in the sources' directory and upwards, then in the
    /// current directory and upwards
    ///
    /// It may set machine, entry, input, include, define, flags and ignore, and hold the tables sizes and probabilities; each
    /// acts as --machine, --entry, --input, -I, -D, --flags, --ignore and --set do. The command line takes precedence. Paths
    /// are relative to it.
    #[arg(long, value_name = "FILE", conflicts_with = "no_config")]
    pub config: Option<PathBuf>,
    /// Read no loopsheet.toml
    #[arg(long)]
    pub no_config: bool,
    /// The directory that keeps what was read of each source, for later runs [default: loopsheet/parses in $XDG_CACHE_HOME or ~/.cache, for
    /// more than 1 MB of source]
    ///
    /// The results are the same with and without. It may be deleted at any time; beyond 2 GiB, the entries that have been
    /// unused for longest are removed.
    #[arg(long, value_name = "DIR")]
    pub cache_dir: Option<PathBuf>,
    /// Read every source again, and keep nothing
    #[arg(long, conflicts_with = "cache_dir")]
    pub no_cache: bool,
    /// List only functions whose name matches the pattern (* and ? are wildcards); figures are those of the whole program
    #[arg(long, value_name = "GLOB")]
    pub function: Option<String>,
}

/// A rule for the traffic between the last cache and memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TrafficRule {
    Exasat,
    Refined,
}

fn cpp(text: &str) -> Result<Cpp, String> {
    match text.trim() {
        "" => Err("expected auto, always, never or a command".to_string()),
        "auto" => Ok(Cpp::Auto),
        "always" => Ok(Cpp::Always),
        "never" => Ok(Cpp::Never),
        command => match shlex::split(command) {
            Some(words) if !words.is_empty() => Ok(Cpp::Command(words)),
            _ => Err("not a command: a quote is not closed, or there are no words".to_string()),
        },
    }
}
