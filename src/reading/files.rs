//! Files as a whole, and what reports call them. Devices, pipes and sockets may never end, or wait for somebody to write: they are refused.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// More than any source, report or program has.
const MOST_BYTES: u64 = 2 << 30;

thread_local! {
    /// Where this thread notes what it reads.
    static NOTES: RefCell<ReadNotes> = RefCell::default();
}

/// Where a thread notes which files it reads, if anybody wants to know. Threads that work for another one take its notes along.
#[derive(Clone, Debug, Default)]
pub struct ReadNotes(Option<Arc<Mutex<BTreeSet<PathBuf>>>>);

impl ReadNotes {
    /// Those of this thread.
    pub fn of_thread() -> ReadNotes {
        NOTES.with_borrow(ReadNotes::clone)
    }

    /// Does some work of whoever has these notes.
    pub fn within<T>(&self, work: impl FnOnce() -> T) -> T {
        /// Gives the thread its own notes back, even if the work panics.
        struct Back(ReadNotes);

        impl Drop for Back {
            fn drop(&mut self) {
                NOTES.set(std::mem::take(&mut self.0));
            }
        }

        let _back = Back(NOTES.replace(self.clone()));
        work()
    }

    fn add(&self, path: &Path) {
        if let Some(paths) = &self.0 {
            let mut paths = paths.lock().unwrap_or_else(PoisonError::into_inner);
            paths.insert(path.to_path_buf());
        }
    }
}

/// Does some work, and says which files were read for it, by whichever thread.
pub fn noting_reads<T>(work: impl FnOnce() -> T) -> (T, BTreeSet<PathBuf>) {
    let paths = Arc::default();
    let done = ReadNotes(Some(Arc::clone(&paths))).within(work);
    let mut paths = paths.lock().unwrap_or_else(PoisonError::into_inner);
    (done, std::mem::take(&mut *paths))
}

/// The file that is where a directory would have to be.
pub fn in_the_way(directory: &Path) -> Option<&Path> {
    let nearest = directory.ancestors().find(|path| path.exists())?;
    (!nearest.is_dir()).then_some(nearest)
}

/// A path without `.` and without `name/..`; links are not followed.
pub fn normalized(path: &Path) -> PathBuf {
    let mut found = PathBuf::new();
    for part in path.components() {
        let is_named = matches!(found.components().next_back(), Some(Component::Normal(_)));
        match part {
            Component::CurDir => {}
            Component::ParentDir if is_named => {
                found.pop();
            }
            part => found.push(part),
        }
    }
    found
}

/// What a regular file holds.
///
/// # Errors
/// It cannot be read, is not a regular file, or is too large.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    // Opening a pipe already waits.
    let metadata = std::fs::metadata(path)?;
    if metadata.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    if !metadata.is_file() {
        let what = "it is not a regular file; devices, pipes and sockets are not read";
        return Err(Error::new(ErrorKind::InvalidInput, what));
    }
    let mut bytes = Vec::new();
    let mut file = File::open(path)?.take(MOST_BYTES + 1);
    if metadata.len() <= MOST_BYTES {
        file.read_to_end(&mut bytes)?;
    }
    if metadata.len() > MOST_BYTES || bytes.len() as u64 > MOST_BYTES {
        let what = format!("it is larger than {} GiB", MOST_BYTES >> 30);
        return Err(Error::new(ErrorKind::FileTooLarge, what));
    }
    NOTES.with_borrow(|notes| notes.add(path));
    Ok(bytes)
}

/// The same as text.
///
/// # Errors
/// As [`read`], and if it is not UTF-8.
pub fn read_text(path: &Path) -> Result<String> {
    String::from_utf8(read(path)?).map_err(|_| {
        Error::new(
            ErrorKind::InvalidData,
            "it is not text: some of its bytes are not UTF-8",
        )
    })
}

/// The same, of what may be gzipped.
///
/// # Errors
/// As [`read_text`], and if it is gzipped and damaged.
pub fn read_unpacked(path: &Path) -> Result<String> {
    let bytes = read(path)?;
    let is_packed = bytes.starts_with(&[0x1f, 0x8b]);
    let text = match is_packed {
        false => bytes,
        true => {
            let mut text = Vec::new();
            flate2::read::MultiGzDecoder::new(&bytes[..])
                .take(MOST_BYTES)
                .read_to_end(&mut text)?;
            text
        }
    };
    String::from_utf8(text).map_err(|_| {
        Error::new(
            ErrorKind::InvalidData,
            "it is not text: some of its bytes are not UTF-8",
        )
    })
}

/// UTF-8, or else Latin-1 as old sources are.
pub fn decode(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| error.into_bytes().into_iter().map(char::from).collect())
}

/// As given, with forward slashes and without a leading `./`.
pub fn name(path: &Path) -> Arc<str> {
    let text = path.to_string_lossy().replace('\\', "/");
    text.strip_prefix("./").unwrap_or(&text).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two that work at once do not get each other's files, and threads that work for them note theirs.
    #[test]
    fn reads_are_noted_for_whom_they_are_made() {
        let own = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
        let noted = |names: &[&str]| {
            let work = || {
                let notes = ReadNotes::of_thread();
                let names = names.iter();
                names.for_each(|name| {
                    std::thread::scope(|scope| {
                        let read = || notes.within(|| read(&own(name)).map(|_| ()));
                        let done = scope.spawn(read).join();
                        done.expect("no panic").expect("readable");
                    });
                });
            };
            noting_reads(work).1.into_iter().collect::<Vec<PathBuf>>()
        };
        let lib = noted(&["Cargo.toml"]);
        std::thread::scope(|scope| {
            let one = scope.spawn(|| noted(&["Cargo.toml"]));
            let other = scope.spawn(|| noted(&["README.md", "Cargo.lock"]));
            assert_eq!(one.join().expect("no panic"), lib);
            let expected = ["Cargo.lock", "README.md"].map(own);
            assert_eq!(other.join().expect("no panic"), expected);
        });
        read(&own("Cargo.toml")).expect("readable");
        assert_eq!(noted(&[]), Vec::<PathBuf>::new());
    }

    #[test]
    fn only_regular_files_are_read() {
        let own = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
        assert!(read_text(own).unwrap().contains("[package]"));
        let refused = |path: &str| read(Path::new(path)).unwrap_err().kind();
        assert_eq!(refused("/dev/zero"), ErrorKind::InvalidInput);
        assert_eq!(refused("/"), ErrorKind::IsADirectory);
        assert_eq!(refused("/no/such/file"), ErrorKind::NotFound);
    }
}
