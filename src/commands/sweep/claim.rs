//! Which shards somebody computes just now: several runs of one sweep share its shards.
//!
//! A claim is a lock on a file of its own, which the system takes away when the process ends, however that comes. Where a file
//! system has no locks there are no claims: then a shard may be computed twice, to the same bytes.

use std::fs::{File, TryLockError};
use std::path::PathBuf;

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
        let Ok((file, path)) = open(place, shard) else {
            return Some(Claim(None));
        };
        match file.try_lock() {
            Ok(()) => Some(Claim::held(file, path)),
            Err(TryLockError::WouldBlock) => None,
            Err(TryLockError::Error(_)) => Some(Claim(None)),
        }
    }

    /// Waits until nobody else computes the shard.
    pub fn wait(place: &Place, shard: &Hash) -> Claim {
        match open(place, shard) {
            Ok((file, path)) if file.lock().is_ok() => Claim::held(file, path),
            _ => Claim(None),
        }
    }

    /// A signal removes the file, too.
    fn held(file: File, path: PathBuf) -> Claim {
        Claim(removed_on_signals(|| Ok((file, path)), |(_, path)| path).ok())
    }
}

fn open(place: &Place, shard: &Hash) -> std::io::Result<(File, PathBuf)> {
    let path = place.claim(shard);
    std::fs::create_dir_all(place.claims())?;
    let file = File::options().create(true).append(true).open(&path)?;
    Ok((file, path))
}

/// Removes the directory if no claim is left.
pub fn tidy(place: &Place) {
    let _ = std::fs::remove_dir(place.claims());
}
