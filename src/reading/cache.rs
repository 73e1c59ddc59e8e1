//! What earlier runs made of files, on disk: entries of bytes by their keys. No entry is ever needed: what is missing,
//! damaged or cannot be written is made again, without a word.
//!
//! ```text
//! DIR/CACHEDIR.TAG
//! DIR/3f/3f9a…              an entry: mark, SHA-256 of key and rest, the rest packed by Zstandard
//! DIR/3f/.new-PROCESS-N     one that is being written; it takes its name when it is whole
//! ```
//!
//! Several processes may share a directory: an entry is read or replaced as a whole, and nothing is locked.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};

use super::files;

/// What says which content an entry has.
pub type Key = [u8; 32];

/// An entry begins with it.
const MARK: &[u8; 16] = b"loopsheet parse\n";
/// Names of entries that are being written begin with it.
const NEW: &str = ".new-";
/// Bytes that all entries may have together; beyond it the ones that were not used for the longest time are removed.
const MOST_BYTES: u64 = 2 << 30;
/// Uses are noted once in that time.
const DAY: Duration = Duration::from_secs(24 * 3600);
/// What a process that ended early left of an entry is removed after that time.
const HOUR: Duration = Duration::from_secs(3600);
/// So many bytes an unpacked entry has at most: damage must not make it longer.
const MOST_UNPACKED: usize = 1 << 30;
/// Says to programs that back up or clean what the directory is: https://bford.info/cachedir/
const TAG: (&str, &str) = (
    "CACHEDIR.TAG",
    "Signature: 8a477f597d28d172789f06886806bc55\n# What loopsheet read of source files. It may be deleted at any time.\n",
);

/// Which cache is used.
#[derive(Clone, Debug)]
pub enum Caching {
    Off,
    /// This one, whatever is read.
    At(Arc<Cache>),
    /// The user's, where reading takes long enough for that.
    OfUser,
}

impl Caching {
    /// Less source is read faster than people notice.
    const SMALL: usize = 1 << 20;

    /// The cache for so many bytes of source.
    pub fn cache(&self, bytes: usize) -> Option<Arc<Cache>> {
        match self {
            Caching::Off => None,
            Caching::At(cache) => Some(cache.clone()),
            Caching::OfUser if bytes < Self::SMALL => None,
            Caching::OfUser => Cache::of_user().map(Arc::new),
        }
    }
}

/// A directory of entries.
#[derive(Debug)]
pub struct Cache {
    directory: PathBuf,
    most_bytes: u64,
    has_new: AtomicBool,
    /// Why an entry could not be written, the first time.
    failure: Mutex<Option<io::Error>>,
}

impl Cache {
    /// The entries in a directory, which is made if it is not there.
    ///
    /// # Errors
    /// It cannot be made, or is not a directory.
    pub fn at(directory: &Path) -> io::Result<Cache> {
        if !directory.is_dir() {
            make(directory)?;
            // Not in a directory that may hold something else.
            let _ = fs::write(directory.join(TAG.0), TAG.1);
        }
        Ok(Cache {
            directory: directory.to_path_buf(),
            most_bytes: MOST_BYTES,
            has_new: AtomicBool::new(false),
            failure: Mutex::default(),
        })
    }

    /// The entries in the user's directory for such things; `None` without one.
    fn of_user() -> Option<Cache> {
        Cache::at(&directory_of_user()?.join("parses")).ok()
    }

    /// The entry of a key, if there is a whole one.
    pub fn load(&self, key: &Key) -> Option<Vec<u8>> {
        let path = self.path(key);
        let mut file = File::open(&path).ok()?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).ok()?;
        let rest = bytes.strip_prefix(MARK)?;
        let (sum, packed) = rest.split_at_checked(size_of::<Key>())?;
        if checksum(key, packed)[..] != *sum {
            return None;
        }
        let now = SystemTime::now();
        let used = file.metadata().and_then(|metadata| metadata.modified());
        let is_old = |used: SystemTime| now.duration_since(used).is_ok_and(|since| since > DAY);
        if used.is_ok_and(is_old) {
            // It is used as well if that cannot be noted.
            let _ = File::options()
                .append(true)
                .open(&path)
                .and_then(|file| file.set_modified(now));
        }
        zstd::bulk::decompress(packed, MOST_UNPACKED).ok()
    }

    /// Whether there is an entry of a key, whole or not.
    pub fn has(&self, key: &Key) -> bool {
        self.path(key).is_file()
    }

    /// Writes the entry of a key, in place of the one that there may be.
    pub fn store(&self, key: &Key, bytes: &[u8]) {
        self.has_new.store(true, Ordering::Relaxed);
        // A full disk or a directory that cannot be written costs time, nothing else, unless somebody asks.
        if let Err(error) = self.try_store(key, bytes) {
            let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
            failure.get_or_insert(error);
        }
    }

    /// Whether an entry could not be written.
    pub fn has_failed(&self) -> bool {
        let failure = self.failure.lock();
        failure.unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Why an entry could not be written, the first time since the last question.
    pub fn failure(&self) -> Option<io::Error> {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.take()
    }

    fn try_store(&self, key: &Key, bytes: &[u8]) -> io::Result<()> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let path = self.path(key);
        let directory = path.parent().unwrap_or(&self.directory);
        make(directory)?;
        let packed = zstd::bulk::compress(bytes, 1)?;
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let new = directory.join(format!("{NEW}{}-{number}", std::process::id()));
        let write = || {
            let mut file = File::create(&new)?;
            file.write_all(MARK)?;
            file.write_all(&checksum(key, &packed))?;
            file.write_all(&packed)?;
            fs::rename(&new, &path)
        };
        write().inspect_err(|_| drop(fs::remove_file(&new)))
    }

    fn path(&self, key: &Key) -> PathBuf {
        let name: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
        self.directory.join(&name[..2]).join(name)
    }

    /// All entries with the time of their last use and their length. What other processes left unfinished long ago is
    /// removed.
    fn entries(&self) -> Vec<(SystemTime, PathBuf, u64)> {
        let now = SystemTime::now();
        let mut entries = Vec::new();
        let directories = fs::read_dir(&self.directory)
            .into_iter()
            .flatten()
            .flatten();
        let own = directories.filter(|directory| is_hexadecimal(&directory.file_name(), 2));
        for entry in own
            .flat_map(|directory| fs::read_dir(directory.path()))
            .flatten()
            .flatten()
        {
            let Ok(metadata) = entry.metadata() else {
                continue;
            };
            let used = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            let name = entry.file_name();
            if is_hexadecimal(&name, 2 * size_of::<Key>()) {
                entries.push((used, entry.path(), metadata.len()));
            } else if name.as_encoded_bytes().starts_with(NEW.as_bytes())
                && now.duration_since(used).is_ok_and(|since| since > HOUR)
            {
                let _ = fs::remove_file(entry.path());
            }
        }
        entries
    }

    /// Removes entries, those first that were not used for the longest time, until all have at most three quarters of what
    /// they may have together. Only if there are more, and new ones were written.
    pub fn tidy(&self) {
        if !self.has_new.load(Ordering::Relaxed) {
            return;
        }
        let mut entries = self.entries();
        let mut bytes: u64 = entries.iter().map(|(.., length)| length).sum();
        if bytes <= self.most_bytes {
            return;
        }
        entries.sort();
        for (_, path, length) in entries {
            if bytes <= self.most_bytes / 4 * 3 {
                break;
            }
            // Another process may have removed it.
            let _ = fs::remove_file(path);
            bytes -= length;
        }
    }
}

/// Makes a directory where it is not there.
fn make(directory: &Path) -> io::Result<()> {
    if let Some(file) = files::in_the_way(directory) {
        let what = format!("{} is a file", file.display());
        return Err(io::Error::new(io::ErrorKind::NotADirectory, what));
    }
    fs::create_dir_all(directory)
}

/// Where the user's programs keep what they can make again, for this one. Relative paths in the variables are to be ignored
/// (XDG Base Directory Specification).
pub fn directory_of_user() -> Option<PathBuf> {
    let absolute = |name: &str| {
        let path = PathBuf::from(std::env::var_os(name)?);
        path.is_absolute().then_some(path)
    };
    let base = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
    Some(base.join("loopsheet"))
}

/// Of the key, too: an entry under another name is none.
fn checksum(key: &Key, packed: &[u8]) -> Key {
    let mut sum = Sha256::new();
    sum.update(key);
    sum.update(packed);
    sum.finalize().into()
}

/// Whether a name is one of this many hexadecimal digits: nothing else in the directory is touched.
fn is_hexadecimal(name: &OsStr, digits: usize) -> bool {
    let is_digit = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f');
    name.len() == digits && name.as_encoded_bytes().iter().all(is_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: u8) -> Key {
        [number; 32]
    }

    #[test]
    fn entries_come_back_whole_or_not_at_all() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::at(directory.path()).unwrap();
        assert_eq!(cache.load(&key(1)), None);
        cache.store(&key(1), b"some text");
        assert_eq!(cache.load(&key(1)).as_deref(), Some(&b"some text"[..]));
        let path = cache.path(&key(1));
        let whole = fs::read(&path).unwrap();
        for length in 0..whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            assert_eq!(cache.load(&key(1)), None, "the first {length} bytes");
        }
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x10;
            fs::write(&path, damaged).unwrap();
            assert_eq!(cache.load(&key(1)), None, "byte {at}");
        }
        cache.store(&key(1), b"another");
        assert_eq!(cache.load(&key(1)).as_deref(), Some(&b"another"[..]));
    }

    #[test]
    fn entries_that_were_not_used_for_long_go_first() {
        let directory = tempfile::tempdir().unwrap();
        let mut cache = Cache::at(directory.path()).unwrap();
        cache.store(&key(0), &[0; 100]);
        let each = fs::metadata(cache.path(&key(0))).unwrap().len();
        cache.most_bytes = 4 * each;
        let first = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
        for number in 0..5 {
            cache.store(&key(number), &[number; 100]);
            let file = File::options()
                .append(true)
                .open(cache.path(&key(number)))
                .unwrap();
            file.set_modified(first + Duration::from_secs(number.into()))
                .unwrap();
        }
        cache.tidy();
        let kept = (0..5).filter(|number| cache.load(&key(*number)).is_some());
        assert_eq!(kept.collect::<Vec<u8>>(), [2, 3, 4]);
    }
}
