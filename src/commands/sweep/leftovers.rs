//! What killed processes left unfinished, which the next merge removes; one merge at a time.

use std::fs::{DirEntry, File, TryLockError};
use std::path::Path;
use std::time::Duration;

use anyhow::Context;

use super::place::Place;
use crate::commands::Voice;
use crate::commands::outputs::UNFINISHED;

/// Nobody is about to write a result for so long: it is named as soon as it is written.
const LONG: Duration = Duration::from_secs(3600);

/// Letters behind [`UNFINISHED`].
const RANDOM: usize = 6;

/// As long as it is there, nobody else merges.
pub struct Alone(Option<File>);

impl Drop for Alone {
    fn drop(&mut self) {
        if let Some(file) = &self.0 {
            let _ = file.unlock();
        }
    }
}

/// Waits for other merges of the sweep, and removes what killed ones left. Where the file system has no locks, nothing is
/// removed: it might belong to a merge that is running.
///
/// # Errors
/// The directory cannot be written to.
pub fn alone(place: &Place, voice: Voice) -> anyhow::Result<Alone> {
    let path = place.merge_lock();
    let what = || format!("cannot write {}", path.display());
    let file = File::options().create(true).append(true).open(&path);
    let file = file.with_context(what)?;
    let locked = match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            if !voice.quiet {
                eprintln!(
                    "loopsheet: another merge of this sweep is running; this one waits for it"
                );
            }
            file.lock()
        }
        Err(TryLockError::Error(error)) => Err(error),
        Ok(()) => Ok(()),
    };
    if locked.is_err() {
        return Ok(Alone(None));
    }
    // Only a merge makes directories there, and none is running.
    remove_unfinished(&place.data(), |entry| {
        entry.file_type().is_ok_and(|kind| kind.is_dir())
    });
    remove_unfinished(&place.shards(), is_old_file);
    Ok(Alone(Some(file)))
}

fn is_old_file(entry: &DirEntry) -> bool {
    let age = |entry: &DirEntry| entry.metadata().ok()?.modified().ok()?.elapsed().ok();
    entry.file_type().is_ok_and(|kind| kind.is_file()) && age(entry).is_some_and(|age| age > LONG)
}

/// Removes temporary files and directories; those that cannot be removed stay.
fn remove_unfinished(directory: &Path, is_meant: impl Fn(&DirEntry) -> bool) {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let is_ours = |entry: &DirEntry| {
        let name = entry.file_name();
        let rest = name.as_encoded_bytes().strip_prefix(UNFINISHED.as_bytes());
        rest.is_some_and(|rest| rest.len() == RANDOM && rest.iter().all(u8::is_ascii_alphanumeric))
    };
    for entry in entries.filter(|entry| is_ours(entry) && is_meant(entry)) {
        let _ = match entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            true => std::fs::remove_dir_all(entry.path()),
            false => std::fs::remove_file(entry.path()),
        };
    }
}
