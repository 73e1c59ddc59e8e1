//! In which order files are read.

use std::path::{Path, PathBuf};

/// The order of the files of an earlier version, wherever they are now: what is guessed may rest on it. Without an
/// earlier version, that of their paths.
#[derive(Default)]
pub struct Order {
    /// The directory that is read.
    root: PathBuf,
    /// Paths of the earlier version below its directory, in their order.
    earlier: Vec<PathBuf>,
}

impl Order {
    /// Of a directory whose earlier version has these files below its own.
    pub fn new(root: &Path, earlier: Vec<PathBuf>) -> Order {
        Order {
            root: root.to_path_buf(),
            earlier,
        }
    }

    /// The place of the same file, of the only one of that name, or of the first one behind it.
    pub fn position(&self, path: &Path) -> usize {
        let below = path.strip_prefix(&self.root).unwrap_or(path);
        let at = |is_meant: &dyn Fn(&Path) -> bool| {
            let mut earlier = self.earlier.iter();
            earlier.position(|earlier| is_meant(earlier))
        };
        let of_name = |earlier: &Path| earlier.file_name() == below.file_name();
        let is_alone = || self.earlier.iter().filter(|path| of_name(path)).count() == 1;
        at(&|earlier| earlier == below)
            .or_else(|| at(&of_name).filter(|_| is_alone()))
            .or_else(|| at(&|earlier| earlier > below))
            .unwrap_or(self.earlier.len())
    }
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
        ] {
            assert_eq!(order.position(Path::new(path)), expected, "{path}");
        }
    }
}
