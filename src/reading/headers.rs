//! Included files: where they are looked for, and what is done about those that the include path
//! does not lead to.

use std::collections::{BTreeMap, HashMap};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::files::{self, decode, name};
use crate::source::ReadFile;

/// Headers that every compiler brings along: a file of that name in some directory is another one.
const STANDARD: &[&str] = &[
    "assert.h",
    "complex.h",
    "ctype.h",
    "errno.h",
    "fcntl.h",
    "fenv.h",
    "float.h",
    "inttypes.h",
    "iso646.h",
    "limits.h",
    "locale.h",
    "malloc.h",
    "math.h",
    "mathimf.h",
    "memory.h",
    "mm_malloc.h",
    "mpi.h",
    "mpif.h",
    "omp.h",
    "omp_lib.h",
    "pthread.h",
    "setjmp.h",
    "signal.h",
    "stdalign.h",
    "stdarg.h",
    "stdatomic.h",
    "stdbool.h",
    "stddef.h",
    "stdint.h",
    "stdio.h",
    "stdlib.h",
    "stdnoreturn.h",
    "string.h",
    "strings.h",
    "tgmath.h",
    "threads.h",
    "time.h",
    "uchar.h",
    "unistd.h",
    "wchar.h",
    "wctype.h",
];

/// What `configure` and CMake call the templates of files that they make.
const TEMPLATES: &[&str] = &[".in", ".cmake", ".in.cmake", ".cmake.in"];

/// Files under the analysed directories by their last name.
#[derive(Debug, Default)]
pub struct HeaderIndex {
    by_name: HashMap<String, Vec<PathBuf>>,
}

impl HeaderIndex {
    pub fn add(&mut self, path: &Path) {
        if let Some(name) = path.file_name().and_then(|name| name.to_str()) {
            self.by_name
                .entry(name.to_string())
                .or_default()
                .push(path.to_path_buf());
        }
    }

    /// The file that an include of `name` in `from` may mean: its path ends with the name; of several,
    /// the one with the longest way in common with `from`, then the first by name.
    fn find(&self, from: &Path, name: &str) -> Option<&PathBuf> {
        let common = |path: &Path| {
            from.components()
                .zip(path.components())
                .take_while(|(a, b)| a == b)
                .count()
        };
        let fits = self.fitting(name).into_iter().flatten();
        fits.filter(|path| *path != from)
            .max_by(|a, b| common(a).cmp(&common(b)).then_with(|| b.cmp(a)))
    }

    /// The files that an include of `name` may mean.
    fn fitting(&self, name: &str) -> Option<impl Iterator<Item = &PathBuf>> {
        let wanted: PathBuf = Path::new(name)
            .components()
            .filter(|part| !matches!(part, Component::ParentDir))
            .collect();
        if name.starts_with("sys/") || wanted.is_absolute() || STANDARD.contains(&name) {
            return None;
        }
        let candidates = self.by_name.get(wanted.file_name()?.to_str()?)?;
        Some(
            candidates
                .iter()
                .filter(move |path| path.ends_with(&wanted)),
        )
    }
}

/// An included file that was found by its name only.
pub struct Guess {
    /// The name in the source.
    pub wanted: String,
    pub file: Arc<str>,
    /// How many other files have the name.
    pub others: usize,
}

/// Included files: beside the including file, then along the include path, then anywhere under the
/// analysed directories.
pub struct Includes<'a> {
    pub paths: &'a [PathBuf],
    pub index: &'a HeaderIndex,
    /// What was found by name only: the name in the source, and the file.
    guesses: Mutex<BTreeMap<String, Arc<str>>>,
}

impl<'a> Includes<'a> {
    pub fn new(paths: &'a [PathBuf], index: &'a HeaderIndex) -> Includes<'a> {
        Includes {
            paths,
            index,
            guesses: Mutex::default(),
        }
    }

    /// The name without brackets, and where the include path would have the file, beside `from` first.
    fn places<'f>(&self, from: &str, file: &'f str) -> (&'f str, Vec<PathBuf>) {
        let system = file.strip_prefix('<').map(|f| f.trim_end_matches('>'));
        let wanted = system.unwrap_or(file);
        let beside = Path::new(from).parent().map(Path::to_path_buf);
        let places = beside
            .into_iter()
            .filter(|_| system.is_none())
            .chain(self.paths.iter().cloned());
        (wanted, places.map(|place| place.join(wanted)).collect())
    }

    /// What was found by name only.
    pub fn into_guesses(self) -> Vec<Guess> {
        let guesses = self.guesses.into_inner();
        let guesses = guesses.unwrap_or_else(PoisonError::into_inner);
        let guess = |(wanted, file): (String, Arc<str>)| {
            let fitting = self.index.fitting(&wanted);
            let others = fitting.map_or(0, |fitting| fitting.count().saturating_sub(1));
            Guess {
                wanted,
                file,
                others,
            }
        };
        guesses.into_iter().map(guess).collect()
    }
}

impl ReadFile for Includes<'_> {
    fn read_included(&self, from: &str, file: &str) -> Option<(Arc<str>, String)> {
        let (wanted, places) = self.places(from, file);
        if let Some(found) = places.iter().find_map(|path| read(path)) {
            return Some(found);
        }
        let found = read(self.index.find(Path::new(from), wanted)?)?;
        let mut guesses = self.guesses.lock().unwrap_or_else(PoisonError::into_inner);
        guesses.insert(wanted.to_string(), found.0.clone());
        Some(found)
    }

    fn template(&self, from: &str, file: &str) -> Option<Arc<str>> {
        let file = file.trim_matches(['<', '>']);
        TEMPLATES.iter().find_map(|extension| {
            let made = format!("{file}{extension}");
            let (wanted, places) = self.places(from, &made);
            let beside = places.into_iter().find(|place| place.is_file());
            let anywhere = || self.index.find(Path::new(from), wanted).cloned();
            beside.or_else(anywhere).map(|path| name(&path))
        })
    }

    fn search(&self) -> String {
        format!("{:?}", self.paths)
    }

    fn included_again(&self, from: &str, file: &str, path: &Arc<str>) {
        let (wanted, places) = self.places(from, file);
        if !places.iter().any(|place| name(place) == *path) {
            let mut guesses = self.guesses.lock().unwrap_or_else(PoisonError::into_inner);
            guesses.insert(wanted.to_string(), path.clone());
        }
    }
}

fn read(path: &Path) -> Option<(Arc<str>, String)> {
    let bytes = files::read(path).ok().filter(|bytes| !bytes.contains(&0))?;
    Some((name(path), decode(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_header_of_a_name_is_taken() {
        let mut index = HeaderIndex::default();
        for path in [
            "a/util/grid.h",
            "a/solver/grid.h",
            "b/grid.h",
            "b/math.h",
            "b/sub/other.h",
        ] {
            index.add(Path::new(path));
        }
        let find = |from: &str, name: &str| {
            index
                .find(Path::new(from), name)
                .map(|p| p.display().to_string())
        };
        assert_eq!(
            find("a/main.c", "grid.h").as_deref(),
            Some("a/solver/grid.h")
        );
        assert_eq!(find("b/sub/main.c", "grid.h").as_deref(), Some("b/grid.h"));
        assert_eq!(
            find("a/main.c", "util/grid.h").as_deref(),
            Some("a/util/grid.h")
        );
        assert_eq!(
            find("a/main.c", "sub/other.h").as_deref(),
            Some("b/sub/other.h")
        );
        assert_eq!(find("b/main.c", "math.h"), None);
        assert_eq!(find("b/grid.h", "nothing.h"), None);
    }
}
