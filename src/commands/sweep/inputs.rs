//! The sources, traces and machines that a sweep names, and what is read of them.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use anyhow::Context;
use globset::GlobBuilder;
use ignore::WalkBuilder;

use super::contents::Contents;
use super::place::relative;
use super::source;
use crate::commands::Voice;
use crate::machine::MachineModel;
use crate::reading::{files, machine_file};
use crate::sweep::manifest::{FileHash, NotRead};
use crate::sweep::plan::{Input, MachineFacts, TraceInput};
use crate::sweep::spec::SweepSpec;
use crate::sweep::swept::{Ambiguous, SettingRole};

/// What texts name.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// Each file once, under the name that came first; those of a pattern by name.
    pub paths: Vec<PathBuf>,
    /// Other names of a file that was named before, with its first one.
    pub again: Vec<(PathBuf, PathBuf)>,
    /// What fits a pattern and is no input: directories, links to nothing, pipes.
    pub left_out: Vec<PathBuf>,
}

/// What inputs are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inputs {
    /// Files, and directories that are programs.
    Sources,
    /// Files.
    Traces,
}

impl Inputs {
    /// In sweep.toml.
    fn key(self) -> &'static str {
        match self {
            Inputs::Sources => "sources",
            Inputs::Traces => "traces",
        }
    }

    /// What is said of something that is none.
    pub fn left_out(self, directory: &Path) -> String {
        let why = match self {
            _ if !directory.exists() => "it is a link to something that is not there",
            _ if !directory.is_dir() => "it is not a regular file",
            Inputs::Sources => "no C or Fortran source is in it",
            Inputs::Traces => "it is a directory, and a trace is a file",
        };
        format!(
            "`{}`: {} is left out: {why}",
            self.key(),
            directory.display()
        )
    }
}

/// A file, whatever names, symbolic and hard links lead to it.
#[derive(PartialEq, Eq, Hash)]
struct Identity(#[cfg(unix)] (u64, u64), #[cfg(not(unix))] PathBuf);

impl Identity {
    fn of(path: &Path) -> std::io::Result<Identity> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let file = path.metadata()?;
            Ok(Identity((file.dev(), file.ino())))
        }
        #[cfg(not(unix))]
        path.canonicalize().map(Identity)
    }
}

/// The paths that texts name, which may be patterns. A directory that fits one is a program, as it is where it is named; behind
/// `**` files alone are meant, which may be at any depth.
///
/// # Errors
/// There is no such file, or nothing fits.
pub fn named(texts: &[String], inputs: Inputs) -> anyhow::Result<Named> {
    let what = inputs.key();
    let mut found = Named::default();
    let mut known: HashMap<Identity, PathBuf> = HashMap::new();
    for text in texts {
        let path = Path::new(text);
        let paths = match path.exists() || !text.contains(['*', '?', '[', '{']) {
            true => {
                anyhow::ensure!(path.exists(), "`{what}`: there is no {text}");
                vec![path.to_path_buf()]
            }
            false => {
                let fits = fitting(text).with_context(|| format!("`{what}`: {text}"))?;
                let is_input = |path: &PathBuf| match (path.is_dir(), inputs) {
                    (false, _) => path.is_file(),
                    (true, Inputs::Traces) => false,
                    (true, Inputs::Sources) => has_sources(path),
                };
                let (fits, others): (Vec<PathBuf>, Vec<PathBuf>) =
                    fits.into_iter().partition(is_input);
                anyhow::ensure!(!fits.is_empty(), "{}", inputs.left_out(&others[0]));
                found.left_out.extend(others);
                fits
            }
        };
        for path in paths {
            refuse_other_names(&path).with_context(|| format!("`{what}`"))?;
            let file = Identity::of(&path);
            let file = file.with_context(|| format!("`{what}`: cannot read {}", path.display()))?;
            match known.get(&file) {
                None => {
                    known.insert(file, path.clone());
                    found.paths.push(path);
                }
                Some(first) if *first == path => {}
                Some(first) => {
                    let again = (path, first.clone());
                    if !found.again.contains(&again) {
                        found.again.push(again);
                    }
                }
            }
        }
    }
    Ok(found)
}

/// Whether `analyze` would find a source in a directory.
fn has_sources(directory: &Path) -> bool {
    (directory.to_str()).is_none_or(|name| source::paths(name).is_ok())
}

/// The files and directories that fit a pattern; only files where it goes to any depth.
fn fitting(pattern: &str) -> anyhow::Result<Vec<PathBuf>> {
    let pattern = pattern.trim_start_matches("./");
    let glob = GlobBuilder::new(pattern).literal_separator(true).build()?;
    let matcher = glob.compile_matcher();
    let is_fixed = |part: &&str| !part.contains(['*', '?', '[', '{']);
    let fixed: Vec<&str> = pattern.split('/').take_while(is_fixed).collect();
    let start = match &fixed[..] {
        [] => PathBuf::from("."),
        [""] => PathBuf::from("/"),
        parts => PathBuf::from(parts.join("/")),
    };
    anyhow::ensure!(start.is_dir(), "there is no directory {}", start.display());
    // Braces may have slashes in them.
    let goes_down = pattern.contains("**");
    let is_deep = goes_down || pattern.contains('{');
    let depth = pattern.split('/').count() - fixed.len();
    let walk = WalkBuilder::new(&start)
        .standard_filters(false)
        .max_depth((!is_deep).then_some(depth))
        .build();
    let mut found = Vec::new();
    for entry in walk {
        let entry = entry.map_err(|error| match error.io_error() {
            Some(io) => anyhow::anyhow!("a directory cannot be read: {io}"),
            None => anyhow::anyhow!("a directory cannot be read: {error}"),
        })?;
        let path = entry.path().strip_prefix("./").unwrap_or(entry.path());
        // Links to nothing and pipes are no inputs, which is said.
        let is_meant = !path.is_dir() || !goes_down;
        if is_meant && matcher.is_match(path) {
            found.push(path.to_path_buf());
        }
    }
    anyhow::ensure!(!found.is_empty(), "no file matches");
    found.sort();
    Ok(found)
}

/// A trace with its content.
///
/// # Errors
/// It cannot be read, or is not a trace: what is wrong further inside is for its shards to say.
pub fn trace(path: &Path, contents: &Contents) -> anyhow::Result<TraceInput> {
    anyhow::ensure!(
        path.is_file(),
        "{} is not a file; a trace is one, and a pattern names several: {}/*.zst",
        path.display(),
        path.display()
    );
    let begun = super::trace::recognise(path);
    let has_addresses = begun.with_context(|| format!("`traces`: {}", path.display()))?;
    let input = Input {
        name: path.to_string_lossy().into_owned(),
        files: hashes(&BTreeSet::from([path.to_path_buf()]), contents)?,
    };
    Ok(TraceInput {
        input,
        has_addresses,
    })
}

/// A source that was read.
pub struct SourceInput {
    pub input: Input,
    /// What the parameters are that are set.
    pub roles: Vec<SettingRole>,
    /// What it is analysed without.
    pub not_read: Vec<NotRead>,
    /// Settings of machines that are also names of its variables.
    pub ambiguous: Vec<Ambiguous>,
    /// What runs nothing, one sentence each.
    pub remarks: Vec<String>,
}

/// A source with all files that are read for its models on these machines: what it includes, the project's settings,
/// inputs, machine files; and what is to be said of it.
///
/// # Errors
/// It cannot be analysed, or has no parameter that is set, or not for such a value.
pub fn source(path: &Path, spec: &SweepSpec, contents: &Contents) -> anyhow::Result<SourceInput> {
    let name = path.to_string_lossy().into_owned();
    let check = || {
        let set: Vec<String> = spec.set.keys().cloned().collect();
        let source = source::Source::read(&name, &set, Voice::silent())?;
        let roles = source.check(spec)?;
        let mut remarks = source.idle(spec, &roles)?;
        if !source.has_loops() {
            remarks.push(format!(
                "{name}: no loop was found, so its times are unknown"
            ));
        }
        let ambiguous = source.ambiguous(spec)?;
        Ok((roles, (source.not_read(), ambiguous), remarks))
    };
    let (checked, mut read) = files::noting_reads(check);
    let (roles, (not_read, ambiguous), remarks) = checked.or_else(|error: anyhow::Error| {
        anyhow::ensure!(
            !path.is_file() || !super::trace::is_trace(path),
            "`sources`: {name} is a trace; `traces` names those"
        );
        Err(error.context(format!("`sources`: {name}")))
    })?;
    if path.is_file() {
        read.insert(path.to_path_buf());
    }
    for machine in spec.machines.iter() {
        let (_, of_machine) = files::noting_reads(|| machine_file::load(machine));
        read.extend(of_machine);
    }
    let files = hashes(&read, contents)?;
    Ok(SourceInput {
        input: Input { name, files },
        roles,
        not_read,
        ambiguous,
        remarks,
    })
}

/// Machines by their first names, and what is to be said of those that come again.
pub fn machines(names: &[String]) -> (Vec<&str>, Vec<String>) {
    let (mut files, mut presets) = (HashMap::new(), HashSet::new());
    let (mut first_names, mut again) = (Vec::new(), Vec::new());
    for name in names {
        let earlier = match Identity::of(Path::new(name)) {
            Ok(file) => match files.entry(file) {
                Entry::Occupied(earlier) => Some(*earlier.get()),
                Entry::Vacant(free) => {
                    free.insert(name.as_str());
                    None
                }
            },
            Err(_) => (!presets.insert(name.as_str())).then_some(name.as_str()),
        };
        match earlier {
            None => first_names.push(name.as_str()),
            Some(earlier) if earlier == name => {
                again.push(format!("machine {name} is named twice, and counts once"));
            }
            Some(earlier) => again.push(format!(
                "machine {name} is the same file as {earlier}, and counts once"
            )),
        }
    }
    (first_names, again)
}

/// What a sweep needs of a machine; its caches only where there are traces.
///
/// # Errors
/// There is no such machine, or its caches cannot be simulated.
pub fn machine(name: &str, for_traces: bool) -> anyhow::Result<MachineFacts> {
    let machine: MachineModel =
        machine_file::load(name).map_err(|error| match name.contains(['*', '?', '[', '{']) {
            true => error.context("`machines` takes no patterns: name every file"),
            false => error,
        })?;
    let ghz = machine.get("ghz");
    let nanoseconds = machine.get("dram_latency_ns");
    let levels = match for_traces {
        true => crate::commands::trace::settings::levels(&machine),
        false => Ok(Vec::new()),
    };
    let figures = machine.parameters.iter();
    Ok(MachineFacts {
        name: name.to_string(),
        figures: figures.map(|parameter| parameter.value).collect(),
        ghz,
        latency_cycles: ghz.zip(nanoseconds).map(|(ghz, ns)| cycles(ghz * ns)),
        levels: levels.with_context(|| format!("machine {name}"))?,
    })
}

/// Cycles without what is behind the billionths: 2.45 GHz × 100 ns are 245 cycles.
fn cycles(product: f64) -> f64 {
    const BILLION: f64 = 1e9;
    (product * BILLION).round() / BILLION
}

/// Names are written to files of text.
///
/// # Errors
/// It is not UTF-8.
fn refuse_other_names(path: &Path) -> anyhow::Result<()> {
    anyhow::ensure!(
        path.to_str().is_some(),
        "the name of {} is not UTF-8: rename it, or name others",
        path.display()
    );
    Ok(())
}

/// Contents by path, seen from the current directory.
fn hashes(paths: &BTreeSet<PathBuf>, contents: &Contents) -> anyhow::Result<Vec<FileHash>> {
    let here = Path::new(".").canonicalize()?;
    let mut found = BTreeSet::new();
    for path in paths {
        let what = || format!("cannot read {}", path.display());
        refuse_other_names(path)?;
        let whole = path.canonicalize().with_context(what)?;
        found.insert(relative(&whole, &here));
    }
    let hash = |path: String| {
        let sha256 = contents
            .hash(&path)
            .with_context(|| format!("cannot read {path}"))?;
        Ok(FileHash { path, sha256 })
    };
    found.into_iter().map(hash).collect()
}
