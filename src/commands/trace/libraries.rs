//! `--library`: the files of shared libraries, and where they were loaded.

use std::path::{Path, PathBuf};

use anyhow::Context;

use super::address::address;
use super::input;
use crate::cli::TraceArgs;
use crate::commands::Voice;
use crate::reading::files;
use crate::regions::{BaseFinder, Library};
use crate::trace::{Batch, Consumer, Options};

/// A library as given, with the address that is added to those of the file.
pub struct LibraryFile {
    path: PathBuf,
    data: Vec<u8>,
    base: u64,
}

impl LibraryFile {
    pub fn open(&self) -> anyhow::Result<Library> {
        let name = self.path.file_name().unwrap_or(self.path.as_os_str());
        Library::read(&self.data, &name.to_string_lossy(), self.base)
            .with_context(|| format!("--library {}", self.path.display()))
    }
}

/// All libraries, opened anew.
///
/// # Errors
/// One of them is not a RISC-V library.
pub fn open(libraries: &[LibraryFile]) -> anyhow::Result<Vec<Library>> {
    libraries.iter().map(LibraryFile::open).collect()
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
                found.push(LibraryFile { path, data, base });
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
        trace.as_os_str() != "-",
        "--library needs the address where the library was loaded, as FILE@ADDRESS, if the trace is standard input"
    );
    let quiet = |_| ();
    let mut seen = Seen(BaseFinder::default());
    crate::trace::stream(input::open_noting(trace, quiet)?, options, &mut seen)
        .map_err(|error| anyhow::anyhow!("{}: {error}", trace.display()))?;
    Ok(seen.0)
}
