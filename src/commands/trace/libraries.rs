//! `--library`: the files of shared libraries, and where they were loaded.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use anyhow::Context;

use super::address::address;
use super::input;
use crate::cli::TraceArgs;
use crate::commands::Voice;
use crate::reading::files;
use crate::regions::{BaseFinder, Library, RegionError};
use crate::trace::{Batch, Consumer, Options};

/// A library as given, with the address that is added to those of the file.
pub struct LibraryFile {
    path: PathBuf,
    data: Vec<u8>,
    base: u64,
    /// Whether any of it was executed, as soon as that is known.
    was_executed: Arc<OnceLock<bool>>,
}

impl LibraryFile {
    pub fn open(&self) -> anyhow::Result<Library> {
        let name = self.path.file_name().unwrap_or(self.path.as_os_str());
        let (name, was_executed) = (name.to_string_lossy(), self.was_executed.clone());
        Library::read(&self.data, &name, self.base, was_executed)
            .with_context(|| format!("--library {}", self.path.display()))
    }
}

/// All libraries, opened anew.
///
/// # Errors
/// One of them is not a RISC-V library, or lies where another one does.
pub fn open(libraries: &[LibraryFile]) -> anyhow::Result<Vec<Library>> {
    let opened = libraries.iter().map(LibraryFile::open);
    let opened: Vec<Library> = opened.collect::<anyhow::Result<_>>()?;
    let places: Vec<_> = opened.iter().map(Library::addresses).collect();
    for (second, place) in places.iter().enumerate() {
        let overlaps = |other: &Option<Range<u64>>| match (other, place) {
            (Some(a), Some(b)) => a.start < b.end && b.start < a.end,
            _ => false,
        };
        if let Some(first) = places[..second].iter().position(overlaps) {
            let [first, second] = [first, second].map(|at| &libraries[at]);
            anyhow::bail!(
                "--library {}: its code at {:#x} overlaps that of {} at {:#x}, so one of them was not loaded there",
                second.path.display(),
                second.base,
                first.path.display(),
                first.base
            );
        }
    }
    Ok(opened)
}

/// Notes of libraries of which nothing was executed, once the trace was read.
pub fn unused(libraries: &[LibraryFile]) -> impl Iterator<Item = String> {
    let unused = libraries
        .iter()
        .filter(|library| library.was_executed.get() == Some(&false));
    unused.map(|library| {
        format!(
            "{} is left out: no instruction of the trace lies in it if it is loaded at {:#x}",
            library.path.display(),
            library.base
        )
    })
}

/// Says which option the file is of that an error of the trace's regions is about.
pub fn in_words(error: RegionError, elf: &str) -> anyhow::Error {
    let option = match &error {
        RegionError::LibraryDiffers { library, .. } => format!("--library {library}"),
        _ => elf.to_string(),
    };
    anyhow::Error::new(error).context(option)
}

/// Reads the libraries of `--library`. Where those without an address were loaded is found in the trace, which is read
/// once more for it.
///
/// # Errors
/// A file cannot be read, an address is not one, or the trace is standard input and an address is missing.
pub fn read(args: &TraceArgs, options: Options, voice: Voice) -> anyhow::Result<Vec<LibraryFile>> {
    let mut finder = None;
    let mut found = Vec::new();
    for given in &args.libraries {
        let (path, base) = parse(given)?;
        let what = || format!("--library {}", path.display());
        let data = files::read(&path).with_context(what)?;
        let base = match base {
            Some(base) => Some(base),
            None => {
                let finder = match &mut finder {
                    Some(finder) => finder,
                    None => finder.insert(seen(args, options)?),
                };
                finder.base_of(&data).with_context(what)?
            }
        };
        match base {
            Some(base) => {
                if voice.verbose {
                    eprintln!("loopsheet: {} is loaded at {base:#x}", path.display());
                }
                found.push(LibraryFile {
                    path,
                    data,
                    base,
                    was_executed: Arc::default(),
                });
            }
            None if !voice.quiet => eprintln!(
                "loopsheet: {} is left out: too few instructions of the trace are its own to say where it was loaded \
                 (--library FILE@ADDRESS says it)",
                path.display()
            ),
            None => {}
        }
    }
    Ok(found)
}

/// `FILE` or `FILE@ADDRESS`.
fn parse(given: &str) -> anyhow::Result<(PathBuf, Option<u64>)> {
    match given.rsplit_once('@') {
        Some((path, base)) if base.starts_with("0x") => {
            let base = address(base).with_context(|| format!("--library {given}"))?;
            Ok((PathBuf::from(path), Some(base)))
        }
        _ => Ok((PathBuf::from(given), None)),
    }
}

/// The machine words of the whole trace.
fn seen(args: &TraceArgs, options: Options) -> anyhow::Result<BaseFinder> {
    struct Seen(BaseFinder);
    impl Consumer for Seen {
        fn take(&mut self, batch: &Batch) {
            batch.instructions.iter().for_each(|own| self.0.see(own));
        }
    }
    let trace = args.trace.as_deref().unwrap_or(Path::new("-"));
    anyhow::ensure!(
        input::can_be_read_again(trace),
        "--library needs the address where the library was loaded, as FILE@ADDRESS, if the trace is standard input or a pipe"
    );
    let quiet = |_| ();
    let mut seen = Seen(BaseFinder::default());
    crate::trace::stream(input::open_noting(trace, quiet)?, options, &mut seen)
        .map_err(|error| anyhow::anyhow!("{}: {error}", trace.display()))?;
    Ok(seen.0)
}
