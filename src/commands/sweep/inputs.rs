//! The sources, traces and machines that a sweep names, and what is read of them.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::Context;
use globset::GlobBuilder;
use ignore::WalkBuilder;

use super::place::relative;
use super::source;
use crate::commands::Voice;
use crate::machine::MachineModel;
use crate::reading::{files, machine_file};
use crate::sweep::hash::Hash;
use crate::sweep::manifest::FileHash;
use crate::sweep::plan::{Input, MachineFacts};

/// The paths that texts name, which may be patterns; each once, those of a pattern by name.
///
/// # Errors
/// There is no such file, or nothing fits.
pub fn named(texts: &[String], what: &str) -> anyhow::Result<Vec<PathBuf>> {
    let mut found: Vec<PathBuf> = Vec::new();
    for text in texts {
        let path = Path::new(text);
        let paths = match path.exists() || !text.contains(['*', '?', '[', '{']) {
            true => {
                anyhow::ensure!(path.exists(), "`{what}`: there is no {text}");
                vec![path.to_path_buf()]
            }
            false => fitting(text).with_context(|| format!("`{what}`: {text}"))?,
        };
        for path in paths {
            if !found.contains(&path) {
                found.push(path);
            }
        }
    }
    Ok(found)
}

/// The files that fit a pattern.
fn fitting(pattern: &str) -> anyhow::Result<Vec<PathBuf>> {
    let glob = GlobBuilder::new(pattern).literal_separator(true).build()?;
    let matcher = glob.compile_matcher();
    let is_fixed = |part: &&str| !part.contains(['*', '?', '[', '{']);
    let fixed: Vec<&str> = pattern.split('/').take_while(is_fixed).collect();
    let start = match &fixed[..] {
        [] => PathBuf::from("."),
        [""] => PathBuf::from("/"),
        parts => PathBuf::from(parts.join("/")),
    };
    let mut found = Vec::new();
    for entry in WalkBuilder::new(&start).standard_filters(false).build() {
        let entry = entry?;
        let path = entry.path().strip_prefix("./").unwrap_or(entry.path());
        if path.is_file() && matcher.is_match(path) {
            found.push(path.to_path_buf());
        }
    }
    anyhow::ensure!(!found.is_empty(), "no file fits");
    found.sort();
    Ok(found)
}

/// A trace with its content.
///
/// # Errors
/// It cannot be read.
pub fn trace(path: &Path) -> anyhow::Result<Input> {
    anyhow::ensure!(
        path.is_file(),
        "{} is not a file; a trace is one, and a pattern names several: {}/*.zst",
        path.display(),
        path.display()
    );
    Ok(Input {
        name: path.to_string_lossy().into_owned(),
        files: hashes(&BTreeSet::from([path.to_path_buf()]))?,
    })
}

/// A source with all files that are read for its models on these machines: what it includes, the project's settings,
/// inputs, machine files.
///
/// # Errors
/// A file cannot be read a second time. Sources that cannot be analysed are no error here: their shards will fail.
pub fn source(path: &Path, machines: &[String], voice: Voice) -> anyhow::Result<Input> {
    let name = path.to_string_lossy().into_owned();
    let (_, mut read) = files::noting_reads(|| source::Source::read(&name, voice).map(|_| ()));
    if path.is_file() {
        read.insert(path.to_path_buf());
    }
    for machine in machines {
        let (_, of_machine) = files::noting_reads(|| machine_file::load(machine));
        read.extend(of_machine);
    }
    Ok(Input {
        name,
        files: hashes(&read)?,
    })
}

/// What a sweep needs of a machine; its caches only where there are traces.
///
/// # Errors
/// There is no such machine, or its caches cannot be simulated.
pub fn machine(name: &str, for_traces: bool) -> anyhow::Result<MachineFacts> {
    let machine: MachineModel = machine_file::load(name)?;
    let ghz = machine.get("ghz");
    let nanoseconds = machine.get("dram_latency_ns");
    let levels = match for_traces {
        true => crate::commands::trace::settings::levels(&machine),
        false => Ok(Vec::new()),
    };
    Ok(MachineFacts {
        name: name.to_string(),
        ghz,
        latency_cycles: ghz.zip(nanoseconds).map(|(ghz, ns)| (ghz * ns).round()),
        levels: levels.with_context(|| format!("machine {name}"))?,
    })
}

/// Contents by path, seen from the current directory.
fn hashes(paths: &BTreeSet<PathBuf>) -> anyhow::Result<Vec<FileHash>> {
    let here = Path::new(".").canonicalize()?;
    let mut found = BTreeSet::new();
    for path in paths {
        let what = || format!("cannot read {}", path.display());
        let whole = path.canonicalize().with_context(what)?;
        found.insert((relative(&whole, &here), whole));
    }
    let hash = |(path, whole): (String, PathBuf)| {
        let sha256 = content(&whole).with_context(|| format!("cannot read {path}"))?;
        Ok(FileHash { path, sha256 })
    };
    found.into_iter().map(hash).collect()
}

/// The hash of a file's content.
///
/// # Errors
/// It cannot be read.
pub fn content(path: &Path) -> std::io::Result<Hash> {
    Hash::of_stream(File::open(path)?)
}
