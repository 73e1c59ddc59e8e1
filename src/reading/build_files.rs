//! Makefiles and their like: which sources they name. Of files that define the same, a program is made of those that its
//! build names; nothing else of the build is followed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::build_variables::Variables;
use super::files;
use crate::source;

/// The sources that build files name.
#[derive(Default)]
pub struct BuildFiles {
    /// Without directories and extensions, by the directory of the build file.
    stems: BTreeMap<PathBuf, BTreeSet<String>>,
    /// Those with directories, wherever they lie, without extensions.
    paths: BTreeSet<PathBuf>,
}

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
        let text = Variables::of(&text, directory).expanded(&text);
        let known = self.stems.entry(directory.to_path_buf()).or_default();
        for word in named(&text) {
            if word.components().count() > 1 {
                let path = files::normalized(&directory.join(word.with_extension("")));
                self.paths.insert(path);
            }
            known.extend(
                word.file_stem()
                    .and_then(|stem| stem.to_str())
                    .map(str::to_string),
            );
        }
    }

    /// Whether a build file in the directory of a source, or around it, names the source, or one elsewhere by its path.
    pub fn name(&self, source: &Path) -> bool {
        let Some(stem) = source.file_stem().and_then(|stem| stem.to_str()) else {
            return false;
        };
        let around = |directory: &Path| source.starts_with(directory);
        (self.stems.iter()).any(|(directory, names)| around(directory) && names.contains(stem))
            || (self.paths).contains(&files::normalized(&source.with_extension("")))
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

/// The words of a text that are called like sources or objects; `*.c` names none.
fn named(text: &str) -> impl Iterator<Item = &Path> {
    let lines = text.lines().map(without_comment);
    let is_end = |letter: char| !(letter.is_alphanumeric() || "_-+./*%$".contains(letter));
    lines
        .flat_map(move |line| line.split(is_end))
        .map(Path::new)
        .filter(|path| {
            let is_object = matches!(
                path.extension().and_then(|extension| extension.to_str()),
                Some("o" | "obj" | "lo")
            );
            let is_name = path
                .to_str()
                .is_some_and(|word| !word.contains(['*', '%', '$']));
            is_name && (is_object || source::is_source(path))
        })
}

fn without_comment(line: &str) -> &str {
    line.split('#').next().unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_and_objects_are_named_and_patterns_are_not() {
        let text = "OBJ = main.o ops/fv4.o \\\n  util.lo # old.c\nSRC=$(wildcard *.c) a.b.c\n%.o: %.c\n\t$(CC) $(X).c solve.f90 note.txt";
        let found: BTreeSet<&Path> = named(text).collect();
        let expected = ["a.b.c", "main.o", "ops/fv4.o", "solve.f90", "util.lo"];
        assert_eq!(found, expected.map(Path::new).into());
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

    /// `common/random.o` and `common/random_slow.o` define the same: the configuration chooses.
    #[test]
    fn a_variable_of_an_included_file_chooses_among_files_elsewhere() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = |name: &str| directory.path().join(name);
        for made in ["one", "common"] {
            std::fs::create_dir(path(made)).expect("a directory");
        }
        let write = |name: &str, text: &str| std::fs::write(path(name), text).expect("written");
        write(
            "config.def",
            "RAND = random # or random_slow\nTWICE = a\nTWICE = b\n",
        );
        write(
            "one/Makefile",
            "COMMON=../common\ninclude ../config.def\nOBJ = one.o \\\n ${COMMON}/$(RAND).o $(TWICE).o\n",
        );
        let mut build = BuildFiles::default();
        build.add(&path("one/Makefile"));
        assert!(build.name(&path("one/one.f")) && build.name(&path("common/random.f")));
        assert!(!build.name(&path("common/random_slow.f")));
        // Which of two values counts is not known.
        assert!(!build.name(&path("one/a.f")) && !build.name(&path("one/b.f")));
    }
}
