//! What a sweep leaves.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The merged files of a project's sweep by name.
pub fn merged(project: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(project.join("sweep/data")).expect("data");
    let file = |path: PathBuf| {
        let name = path.file_name().expect("a name").to_string_lossy();
        (name.into_owned(), fs::read(&path).expect("a file"))
    };
    entries
        .map(|entry| file(entry.expect("an entry").path()))
        .collect()
}
