//! Which shards somebody computes just now: several runs of one sweep share its shards.
//!
//! A claim is a lock on a file of its own, which the system takes away when the process ends, however that comes. Where a file
//! system has no locks there are no claims: then a shard may be computed twice, to the same bytes.

use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::place::Place;
use crate::commands::outputs::removed_on_signals;
use crate::sweep::hash::Hash;

/// As long as it is there, nobody else computes the shard.
pub struct Claim(Option<(File, PathBuf)>);

impl Drop for Claim {
    fn drop(&mut self) {
        if let Some((file, path)) = &self.0 {
            // Whoever waits for the lock looks again whether there is something to compute.
            let _ = std::fs::remove_file(path);
            let _ = file.unlock();
        }
    }
}

impl Claim {
    /// None if somebody else computes the shard.
    pub fn try_take(place: &Place, shard: &Hash) -> Option<Claim> {
        Claim::taken(place, shard, File::try_lock)
    }

    /// Waits until nobody else computes the shard.
    pub fn wait(place: &Place, shard: &Hash) -> Claim {
        let lock = |file: &File| file.lock().map_err(TryLockError::Error);
        Claim::taken(place, shard, lock).unwrap_or(Claim(None))
    }

    fn taken(
        place: &Place,
        shard: &Hash,
        lock: impl Fn(&File) -> Result<(), TryLockError>,
    ) -> Option<Claim> {
        loop {
            let Ok((file, path)) = open(place, shard) else {
                return Some(Claim(None));
            };
            match lock(&file) {
                Ok(()) if is_at(&file, &path) => return Some(Claim::held(file, path)),
                // Who had it has removed the file meanwhile: a lock on it keeps nobody away.
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return None,
                Err(TryLockError::Error(_)) => return Some(Claim(None)),
            }
        }
    }

    /// A signal removes the file, too.
    fn held(file: File, path: PathBuf) -> Claim {
        Claim(removed_on_signals(|| Ok((file, path)), |(_, path)| path).ok())
    }
}

/// How often the directory may vanish before a file in it is opened: whoever is ready removes it if it is empty.
const TRIES: usize = 100;

fn open(place: &Place, shard: &Hash) -> io::Result<(File, PathBuf)> {
    let path = place.claim(shard);
    let opened = || {
        std::fs::create_dir_all(place.claims())?;
        File::options().create(true).append(true).open(&path)
    };
    let has_vanished =
        |error: &io::Error| matches!(error.kind(), ErrorKind::NotFound | ErrorKind::AlreadyExists);
    let mut left = TRIES;
    loop {
        left -= 1;
        match opened() {
            Err(error) if has_vanished(&error) && left > 0 => {}
            opened => return Ok((opened?, path)),
        }
    }
}

/// Whether a file is the one at that path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let (Ok(own), Ok(there)) = (file.metadata(), std::fs::metadata(path)) else {
        return false;
    };
    (own.dev(), own.ino()) == (there.dev(), there.ino())
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

/// Removes the directory if no claim is left.
pub fn tidy(place: &Place) {
    let _ = std::fs::remove_dir(place.claims());
}
