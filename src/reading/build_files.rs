//! Makefiles and their like: which sources they name. Of files that define the same, a program is made of those that its
//! build names; nothing else of the build is followed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::files;
use crate::source;

/// The sources that build files name, without directories and extensions, by the directory of the build file.
#[derive(Default)]
pub struct BuildFiles(BTreeMap<PathBuf, BTreeSet<String>>);

impl BuildFiles {
    /// Takes what a file names if it is one that says how a program is built.
    pub fn add(&mut self, path: &Path) {
        if !is_build_file(path) {
            return;
        }
        let Ok(text) = files::read_text(path) else {
            return;
        };
        let directory = path.parent().unwrap_or(Path::new(""));
        let known = self.0.entry(directory.to_path_buf()).or_default();
        known.extend(named(&text));
    }

    /// Whether a build file in the directory of a source, or around it, names the source.
    pub fn name(&self, source: &Path) -> bool {
        let Some(stem) = source.file_stem().and_then(|stem| stem.to_str()) else {
            return false;
        };
        let around = |directory: &Path| source.starts_with(directory);
        (self.0.iter()).any(|(directory, names)| around(directory) && names.contains(stem))
    }
}

fn is_build_file(path: &Path) -> bool {
    const NAMES: [&str; 6] = [
        "makefile",
        "gnumakefile",
        "makefile.am",
        "makefile.in",
        "cmakelists.txt",
        "meson.build",
    ];
    let name = path.file_name().and_then(|name| name.to_str());
    let name = name.unwrap_or_default().to_ascii_lowercase();
    NAMES.contains(&name.as_str()) || name.ends_with(".mk") || name.ends_with(".mak")
}

/// The words of a text that are called like sources or objects, without directories and extensions; `*.c` names none.
fn named(text: &str) -> impl Iterator<Item = String> {
    let lines = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or(""));
    let is_end = |letter: char| !(letter.is_alphanumeric() || "_-+./*%$".contains(letter));
    lines
        .flat_map(move |line| line.split(is_end))
        .filter_map(|word| {
            let path = Path::new(word);
            let is_object = matches!(
                path.extension().and_then(|extension| extension.to_str()),
                Some("o" | "obj" | "lo")
            );
            let stem = path.file_stem()?.to_str()?;
            let is_name = !stem.contains(['*', '%', '$']);
            (is_name && (is_object || source::is_source(path))).then(|| stem.to_string())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_and_objects_are_named_and_patterns_are_not() {
        let text = "OBJ = main.o ops/fv4.o \\\n  util.lo # old.c\nSRC=$(wildcard *.c) a.b.c\n%.o: %.c\n\t$(CC) $(X).c solve.f90 note.txt";
        let found: BTreeSet<String> = named(text).collect();
        let expected = ["a.b", "fv4", "main", "solve", "util"];
        assert_eq!(found, expected.map(str::to_string).into());
    }

    #[test]
    fn build_files_name_sources_beside_and_below() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = |name: &str| directory.path().join(name);
        std::fs::create_dir(path("sub")).expect("a directory");
        std::fs::write(path("sub/Makefile"), "prog: one.o\n").expect("written");
        std::fs::write(path("notes.txt"), "two.o\n").expect("written");
        let mut build = BuildFiles::default();
        build.add(&path("sub/Makefile"));
        build.add(&path("notes.txt"));
        assert!(build.name(&path("sub/one.c")) && build.name(&path("sub/deep/one.f90")));
        assert!(!build.name(&path("one.c")) && !build.name(&path("sub/two.c")));
    }
}
