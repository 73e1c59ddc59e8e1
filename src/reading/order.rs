//! In which order files are read.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

/// The order of the files of an earlier version, wherever they are now: what is guessed may rest on it. Without an
/// earlier version, that of their paths.
#[derive(Default)]
pub struct Order {
    /// The directory that is read.
    root: PathBuf,
    /// Paths of the earlier version below its directory, in their order.
    earlier: Vec<PathBuf>,
    /// Their places.
    places: HashMap<PathBuf, usize>,
    /// Places of files of one name.
    of_name: HashMap<OsString, Vec<usize>>,
}

impl Order {
    /// Of a directory whose earlier version has these files below its own.
    pub fn new(root: &Path, earlier: Vec<PathBuf>) -> Order {
        let mut of_name: HashMap<OsString, Vec<usize>> = HashMap::new();
        for (at, path) in earlier.iter().enumerate() {
            if let Some(name) = path.file_name() {
                of_name.entry(name.to_os_string()).or_default().push(at);
            }
        }
        Order {
            root: root.to_path_buf(),
            places: earlier.iter().cloned().zip(0..).collect(),
            of_name,
            earlier,
        }
    }

    /// The place of the same file; of the one of that name that needs the fewest other directories, if there is just one
    /// such; or of the first one behind it.
    pub fn position(&self, path: &Path) -> usize {
        let below = path.strip_prefix(&self.root).unwrap_or(path);
        let known = self.places.get(below).copied();
        let behind = || self.earlier.iter().position(|earlier| earlier > below);
        known
            .or_else(|| self.moved(below))
            .or_else(behind)
            .unwrap_or(self.earlier.len())
    }

    fn moved(&self, below: &Path) -> Option<usize> {
        let of_name = self.of_name.get(below.file_name()?)?.iter();
        let mut by_distance: Vec<(usize, usize)> = of_name
            .map(|at| (distance(&self.earlier[*at], below), *at))
            .collect();
        by_distance.sort_unstable();
        match by_distance[..] {
            [(_, at)] => Some(at),
            [(nearest, at), (next, _), ..] if nearest < next => Some(at),
            _ => None,
        }
    }
}

/// How many directories only one of two paths has.
fn distance(one: &Path, other: &Path) -> usize {
    let only = |own: &Path, others: &Path| {
        let directories = own.parent().into_iter().flat_map(Path::components);
        let is_other = |part: &Component| others.components().any(|other| other == *part);
        directories.filter(|part| !is_other(part)).count()
    };
    only(one, other) + only(other, one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_keep_their_places_wherever_they_are() {
        let earlier = ["a.f", "b.f", "x/c.f", "y/c.f"].map(PathBuf::from);
        let order = Order::new(Path::new("new"), earlier.to_vec());
        for (path, expected) in [
            ("new/b.f", 1),
            ("new/moved/a.f", 0),
            ("new/y/c.f", 3),
            ("new/aa.f", 1),
            ("new/z.f", 4),
            ("new/moved/x/c.f", 2),
            ("new/elsewhere/c.f", 2),
        ] {
            assert_eq!(order.position(Path::new(path)), expected, "{path}");
        }
    }
}
