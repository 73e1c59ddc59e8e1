//! The input of a run that lies in the project, under the name by which the program opens it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::files;
use crate::analysis::{Item, ReadInOrder, opened, opened_to_read, read_in_order};
use crate::ir::Unit;

/// An input is no larger than this.
const MOST_BYTES: u64 = 1 << 20;

/// What a program opens by name, and a digest of what lies there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opened {
    /// With the source files that name them.
    names: BTreeSet<(String, String)>,
    sum: [u8; 32],
}

/// A file that the program opens by name.
pub struct OpenedFile {
    pub path: PathBuf,
    /// What the program reads from it in order, one list of values after the other.
    pub lists: Vec<Vec<Item>>,
    /// A procedure that opens it reads something.
    pub is_read: bool,
}

impl Opened {
    /// The files that a program opens by name, as far as they lie in the directories that are read, or just above these in
    /// the same project, or else beside the source that opens them.
    pub fn of(paths: &[PathBuf], units: &[Unit]) -> (Vec<OpenedFile>, Opened) {
        let names = opened(units).into_iter();
        let names = names
            .map(|(name, source)| (name, source.to_string()))
            .collect();
        let files = inputs_in(paths, &names);
        let sum = digest(&files);
        let (read, to_read) = (read_in_order(units), opened_to_read(units));
        let lists = |name: &str| {
            let mut own = read
                .iter()
                .filter(|read| read.file.as_deref() == Some(name));
            // Of several procedures that read it, each may have another version of the program.
            let only = own.next().filter(|_| own.next().is_none());
            only.map(|read| read.lists.clone()).unwrap_or_default()
        };
        let files = files.into_iter().map(|(name, path)| OpenedFile {
            lists: lists(&name),
            is_read: to_read.contains(&name),
            path,
        });
        (files.collect(), Opened { names, sum })
    }

    /// What a program reads in order from the file of a run: the one that it opens by that name, or else the only one of which
    /// it learns the name when it runs, its standard input among them.
    pub fn order_of(path: &Path, units: &[Unit]) -> Vec<Vec<Item>> {
        let read = read_in_order(units);
        let own_name = path.file_name().and_then(OsStr::to_str);
        let is_named = |read: &&ReadInOrder| {
            let name = read.file.as_deref().map(Path::new);
            name.is_some_and(|name| name.file_name().and_then(OsStr::to_str) == own_name)
        };
        let named: Vec<&ReadInOrder> = read.iter().filter(is_named).collect();
        let unnamed = || read.iter().filter(|read| read.file.is_none()).collect();
        let meant: Vec<&ReadInOrder> = match named.is_empty() {
            true => unnamed(),
            false => named,
        };
        match meant[..] {
            [only] => only.lists.clone(),
            _ => Vec::new(),
        }
    }

    /// Whether the program still finds the same there.
    pub fn is_as_it_was(&self, paths: &[PathBuf]) -> bool {
        digest(&inputs_in(paths, &self.names)) == self.sum
    }

    pub fn digest(&self) -> &[u8; 32] {
        &self.sum
    }
}

fn digest(files: &[(String, PathBuf)]) -> [u8; 32] {
    let mut sum = Sha256::new();
    for (_, file) in files {
        let name = file.file_name().unwrap_or_default();
        for bytes in [
            name.as_encoded_bytes(),
            &files::read(file).unwrap_or_default(),
        ] {
            sum.update((bytes.len() as u64).to_le_bytes());
            sum.update(bytes);
        }
    }
    sum.finalize().into()
}

/// The files, with the names that the program has for them.
fn inputs_in(paths: &[PathBuf], names: &BTreeSet<(String, String)>) -> Vec<(String, PathBuf)> {
    let directories: Vec<PathBuf> = paths.iter().flat_map(|path| around(path)).collect();
    let mut sources: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, source) in names {
        if Path::new(name).is_relative() {
            sources.entry(name).or_default().push(source);
        }
    }
    let mut found: Vec<(String, PathBuf)> = Vec::new();
    for (name, sources) in sources {
        let mut files = directories.iter().map(|directory| directory.join(name));
        let file = files.find(|file| is_small_file(file));
        let file = file.or_else(|| only_one_beside(name, &sources));
        let is_new = |file: &PathBuf| !found.iter().any(|(_, other)| other == file);
        let file = file.filter(is_new);
        found.extend(file.map(|file| (name.to_string(), file)));
    }
    found
}

/// The file of that name in the directory of a source; `None` if there are several: each may be that of another program.
fn only_one_beside(name: &str, sources: &[&str]) -> Option<PathBuf> {
    let beside = sources.iter().filter_map(|source| {
        let file = Path::new(source).parent()?.join(name);
        is_small_file(&file).then_some(file)
    });
    let beside: BTreeSet<PathBuf> = beside.collect();
    let mut beside = beside.into_iter();
    beside.next().filter(|_| beside.next().is_none())
}

/// What only the uppermost directory of a project has.
const MARKS: [&str; 2] = [".git", "loopsheet.toml"];

/// The directory of what is read, and the one above if the project does not begin below that.
fn around(path: &Path) -> Vec<PathBuf> {
    let directory = match (path.is_dir(), path.parent()) {
        (true, _) => path,
        (false, Some(parent)) if parent != Path::new("") => parent,
        (false, _) => Path::new("."),
    };
    let is_marked = |path: &Path| MARKS.iter().any(|mark| path.join(mark).exists());
    let whole = directory.canonicalize().unwrap_or_default();
    let mut found = vec![directory.to_path_buf()];
    if !is_marked(&whole) && whole.ancestors().skip(1).any(is_marked) {
        found.push(directory.join(".."));
    }
    found
}

fn is_small_file(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.len() <= MOST_BYTES)
}
