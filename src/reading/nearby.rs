//! Inputs of runs that lie in the directories that are read, and that the program does not open by a name of its own.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use super::inputs::is_read;
use super::run_input;

/// A file that names what is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nearby {
    pub file: PathBuf,
    /// How many of the names it gives a value.
    pub names: usize,
}

/// An input is no larger than this.
const MOST_BYTES: u64 = 1 << 16;

/// So many files are looked at.
const MOST_FILES: usize = 2000;

/// A file that names one thing may name it by chance.
const LEAST_NAMES: usize = 2;

/// The files under the directories among `paths` that give most of these names (in lower case) a value: at least two, the
/// uppermost first. What `.gitignore` hides is not looked at, and of a large tree not everything is.
pub fn naming_most(paths: &[PathBuf], names: &BTreeSet<String>) -> Vec<Nearby> {
    let mut found = Vec::new();
    if names.len() < LEAST_NAMES {
        return found;
    }
    let directories = paths.iter().filter(|path| path.is_dir());
    for path in directories
        .flat_map(|path| candidates(path))
        .take(MOST_FILES)
    {
        let given = run_input::names(&path).intersection(names).count();
        if given >= LEAST_NAMES {
            found.push(Nearby {
                file: path,
                names: given,
            });
        }
    }
    let most = found.iter().map(|one| one.names).max();
    found.retain(|one| Some(one.names) == most);
    found.sort_by_cached_key(|one| (one.file.components().count(), one.file.clone()));
    found.dedup();
    found
}

/// Small files that are no sources.
fn candidates(directory: &Path) -> impl Iterator<Item = PathBuf> {
    let walk = WalkBuilder::new(directory).build();
    let files = walk.filter_map(Result::ok).filter(|entry| {
        let is_small = |metadata: std::fs::Metadata| metadata.len() <= MOST_BYTES;
        entry.file_type().is_some_and(|kind| kind.is_file())
            && !is_read(entry.path())
            && entry.metadata().is_ok_and(is_small)
    });
    files.map(ignore::DirEntry::into_path)
}
