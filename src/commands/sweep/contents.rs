//! What files hold, by their hashes: read again only where a file may have changed since somebody looked.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::Metadata;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::place::{Place, open_regular};
use super::source;
use crate::commands::Voice;
use crate::commands::outputs::Output;
use crate::reading::files;
use crate::sweep::hash::Hash;
use crate::sweep::manifest::{FileHash, Manifest, Shard, Work};
use crate::wording::some;

/// What the system says of a file without reading it. Changing a file sets `changed`, whatever is done to `modified`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    bytes: u64,
    /// Nanoseconds since 1970.
    modified: i64,
    changed: i64,
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Seen {
    path: String,
    #[serde(flatten)]
    stamp: Stamp,
    sha256: Hash,
}

/// The contents that are known, by path from the root of the sweep.
#[derive(Debug, Default)]
pub struct Contents(Mutex<BTreeMap<String, Seen>>);

/// Whether a text begins as a note of a plan does.
pub fn is_begun(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    serde_json::from_str::<Seen>(first).is_ok()
}

impl Contents {
    /// What the plan noted. Without a note, or with one that nobody can read, files are read.
    pub fn noted(place: &Place) -> Contents {
        let text = files::read_text(&place.contents()).unwrap_or_default();
        let seen = text.lines().map_while(|line| {
            let seen: Seen = serde_json::from_str(line).ok()?;
            Some((seen.path.clone(), seen))
        });
        Contents(Mutex::new(seen.collect()))
    }

    /// Notes what is known of the files of a plan, for those who compute it.
    ///
    /// # Errors
    /// The note cannot be written.
    pub fn note(&self, place: &Place, manifest: &Manifest) -> anyhow::Result<()> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let files = manifest.shards.iter().flat_map(|shard| &shard.files);
        let wanted: BTreeSet<&String> = files.map(|file| &file.path).collect();
        let lines = wanted.into_iter().filter_map(|path| {
            let seen = known.get(path)?;
            let line = serde_json::to_string(seen).expect("texts and numbers are valid JSON");
            Some(line + "\n")
        });
        Output::create(&place.contents())?.finish(lines.collect::<String>().as_bytes())
    }

    /// The hash of a file's content.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn hash(&self, path: &str) -> std::io::Result<Hash> {
        let begun = now();
        let file = open_regular(Path::new(path))?;
        let stamp = stamp(&file.metadata()?);
        let known = |seen: &Seen| seen.stamp == stamp;
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(seen) = lock().get(path).filter(|seen| known(seen)) {
            return Ok(seen.sha256.clone());
        }
        let sha256 = Hash::of_stream(file)?;
        // What was changed just now may change again without a trace: clocks of file systems are coarse.
        const COARSE: i64 = 2_000_000_000;
        if begun - stamp.modified.max(stamp.changed) > COARSE {
            let seen = Seen {
                path: path.to_string(),
                stamp,
                sha256: sha256.clone(),
            };
            lock().insert(path.to_string(), seen);
        }
        Ok(sha256)
    }
}

fn now() -> i64 {
    nanoseconds(SystemTime::now())
}

fn nanoseconds(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

fn stamp(metadata: &Metadata) -> Stamp {
    let modified = metadata.modified().map_or(i64::MAX, nanoseconds);
    #[cfg(unix)]
    let changed = {
        use std::os::unix::fs::MetadataExt;
        metadata.ctime() * 1_000_000_000 + metadata.ctime_nsec()
    };
    #[cfg(not(unix))]
    let changed = modified;
    Stamp {
        bytes: metadata.len(),
        modified,
        changed,
    }
}

/// What the system says of the files of a shard, to see whether they were touched meanwhile.
#[derive(Debug, PartialEq, Eq)]
pub struct Touched(Vec<Option<Stamp>>);

impl Touched {
    pub fn of(shard: &Shard) -> Touched {
        let one = |path: &str| Path::new(path).metadata().ok().map(|file| stamp(&file));
        let files = shard.files.iter().map(|file| one(&file.path));
        Touched(files.chain([one(&shard.input)]).collect())
    }
}

/// Why an input is not what was planned.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// It holds something else, or leads to another file.
    Content,
    /// It was not there.
    New,
    /// It is read now, and was not.
    Unread,
    /// It is there, and cannot be read: nobody knows what it holds.
    Unreadable,
    /// It is not there, and the input that read it is.
    Missing,
    /// The input is not there.
    Gone,
}

/// The paths that shards read and that are not what was planned, each once, with the inputs that they belong to.
///
/// # Errors
/// There is no current directory.
pub fn changes<'m>(
    contents: &Contents,
    shards: impl Iterator<Item = &'m Shard>,
) -> anyhow::Result<BTreeMap<String, Change>> {
    let mut found = BTreeMap::new();
    let mut asked: BTreeMap<&str, &[FileHash]> = BTreeMap::new();
    for shard in shards {
        // Shards of one input read the same files.
        if asked
            .get(shard.input.as_str())
            .is_some_and(|known| *known == &shard.files[..])
        {
            continue;
        }
        asked.insert(&shard.input, &shard.files);
        let changes = of_input(contents, shard)?;
        if changes.is_empty() {
            found.extend(come_since(contents, shard)?);
        }
        found.extend(changes);
    }
    Ok(found)
}

/// The paths of one shard's input that are not what was planned.
///
/// # Errors
/// There is no current directory.
pub fn of_input(contents: &Contents, shard: &Shard) -> anyhow::Result<BTreeMap<String, Change>> {
    let mut found = BTreeMap::new();
    for file in &shard.files {
        match contents.hash(&file.path) {
            Ok(hash) if hash == file.sha256 => {}
            Ok(_) => {
                found.insert(file.path.clone(), Change::Content);
            }
            // A trace may have moved, and be where it was planned by a link.
            Err(error)
                if error.kind() == ErrorKind::NotFound
                    && matches!(shard.work, Work::Trace(_))
                    && holds_the_same(contents, shard) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let change = match is_without(contents, shard, file) {
                    true => Change::Missing,
                    false => Change::Gone,
                };
                found.insert(file.path.clone(), change);
            }
            Err(_) => {
                found.insert(file.path.clone(), Change::Unreadable);
            }
        }
    }
    // A link may lead elsewhere now, and a directory may have more in it.
    let here = Path::new(".").canonicalize()?;
    let is_known = |path: &Path| {
        let whole = path.canonicalize().ok();
        whole.is_none() || is_planned(shard, path, &here)
    };
    let input = Path::new(&shard.input);
    if input.is_file() {
        if !is_known(input) && !holds_the_same(contents, shard) {
            found.insert(shard.input.clone(), Change::Content);
        }
    } else if matches!(shard.work, Work::Source(_)) && input.is_dir() {
        match source::paths(&shard.input) {
            Ok(paths) => {
                let new = paths.into_iter().filter(|path| !is_known(path));
                found.extend(new.map(|path| {
                    let name = path.to_string_lossy().into_owned();
                    (name, Change::New)
                }));
            }
            // Where nothing of it is left, its files say so.
            Err(_) if !found.is_empty() => {}
            Err(_) => {
                found.insert(shard.input.clone(), Change::Unreadable);
            }
        }
    }
    Ok(found)
}

/// Whether a source is there, and a file that it read is not: it would be another one without it.
fn is_without(contents: &Contents, shard: &Shard, file: &FileHash) -> bool {
    let input = Path::new(&shard.input);
    // What lies behind a link may have moved.
    let is_elsewhere = || {
        let hash = contents.hash(&shard.input);
        input.is_file() && hash.is_ok_and(|hash| hash == file.sha256)
    };
    matches!(shard.work, Work::Source(_)) && input.exists() && !is_elsewhere()
}

/// Whether the plan names a file: by where it is behind all links, or by its own name, which may have become a link since.
fn is_planned(shard: &Shard, path: &Path, here: &Path) -> bool {
    let is_named = |name: String| shard.files.iter().any(|file| file.path == name);
    let own = files::normalized(&here.join(path));
    let behind = path.canonicalize().ok();
    let names = behind.into_iter().chain([own]);
    let mut names = names.map(|path| super::place::relative(&path, here));
    names.any(is_named)
}

/// Whether the input holds what was planned, wherever it is now.
fn holds_the_same(contents: &Contents, shard: &Shard) -> bool {
    let hash = contents.hash(&shard.input);
    hash.is_ok_and(|hash| shard.files.iter().any(|file| file.sha256 == hash))
}

/// The paths among those that computing a shard read that the plan does not name.
///
/// # Errors
/// There is no current directory.
pub fn unplanned(
    contents: &Contents,
    shard: &Shard,
    read: &BTreeSet<PathBuf>,
) -> anyhow::Result<BTreeMap<String, Change>> {
    let here = Path::new(".").canonicalize()?;
    let is_input = |path: &Path| {
        path == Path::new(&shard.input) && path.is_file() && holds_the_same(contents, shard)
    };
    let found = read.iter().filter_map(|path| {
        let name = match path.canonicalize() {
            Ok(whole) => super::place::relative(&whole, &here),
            Err(_) => path.to_string_lossy().into_owned(),
        };
        let is_planned = is_planned(shard, path, &here) || is_input(path);
        (!is_planned).then_some((name, Change::Unread))
    });
    Ok(found.collect())
}

/// What reading a source again reads and the plan does not name: settings, headers and inputs that came since. What is wrong
/// with them is for a plan to say.
fn come_since(contents: &Contents, shard: &Shard) -> anyhow::Result<BTreeMap<String, Change>> {
    if matches!(shard.work, Work::Trace(_)) || !Path::new(&shard.input).exists() {
        return Ok(BTreeMap::new());
    }
    let read = || drop(source::Source::read(&shard.input, &[], Voice::silent()));
    let ((), read) = files::noting_reads(read);
    unplanned(contents, shard, &read)
}

/// A sentence for each kind of change, with the files.
pub fn sentences(changes: &BTreeMap<String, Change>) -> Vec<String> {
    const MOST_NAMED: usize = 5;
    const KINDS: [Change; 6] = [
        Change::Content,
        Change::New,
        Change::Unread,
        Change::Unreadable,
        Change::Missing,
        Change::Gone,
    ];
    KINDS
        .into_iter()
        .filter_map(|kind| {
            let paths = changes.iter().filter(|(_, change)| **change == kind);
            let paths: Vec<&str> = paths.map(|(path, _)| path.as_str()).collect();
            if paths.is_empty() {
                return None;
            }
            let (is, was) = if paths.len() == 1 {
                ("is", "was")
            } else {
                ("are", "were")
            };
            let what = match kind {
                Change::Content => format!(
                    "{is} not what {} {was}",
                    if paths.len() == 1 { "it" } else { "they" }
                ),
                Change::New => format!("{was} not there"),
                Change::Unread => format!("{is} read now, and {was} not"),
                Change::Unreadable => "cannot be read now, and could be read".to_string(),
                Change::Gone | Change::Missing => format!(
                    "{is} no longer there, as {} {was}",
                    if paths.len() == 1 { "it" } else { "they" }
                ),
            };
            let named = some(&paths, MOST_NAMED);
            Some(format!("{named} {what} when the sweep was planned"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// Content counts, whatever the time of the file says; what has not been touched for long is not read.
    #[test]
    fn contents_decide() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("a");
        let name = path.to_str().expect("UTF-8");
        let contents = Contents::default();
        std::fs::write(&path, "one").expect("written");
        assert_eq!(contents.hash(name).expect("read"), Hash::of(b"one"));
        let old = SystemTime::now() - Duration::from_secs(100);
        let set = || {
            let file = std::fs::File::options()
                .append(true)
                .open(&path)
                .expect("a file");
            file.set_modified(old).expect("a time");
        };
        set();
        assert_eq!(contents.hash(name).expect("read"), Hash::of(b"one"));
        // As long, and as old as before.
        std::fs::write(&path, "two").expect("written");
        set();
        assert_eq!(contents.hash(name).expect("read"), Hash::of(b"two"));
        let stamp = stamp(&path.metadata().expect("a file"));
        let seen = Seen {
            path: name.to_string(),
            stamp,
            sha256: Hash::of(b"noted"),
        };
        contents
            .0
            .lock()
            .expect("alone")
            .insert(name.to_string(), seen);
        assert_eq!(contents.hash(name).expect("noted"), Hash::of(b"noted"));
    }

    #[test]
    fn sentences_name_files() {
        let changes = |names: &[(&str, Change)]| -> Vec<String> {
            let changes = names.iter().cloned();
            sentences(
                &changes
                    .map(|(name, change)| (name.to_string(), change))
                    .collect(),
            )
        };
        let one = changes(&[
            ("a", Change::Content),
            ("b", Change::New),
            ("c", Change::Gone),
            ("d", Change::Gone),
            ("e", Change::Unread),
        ]);
        assert_eq!(
            one,
            [
                "a is not what it was when the sweep was planned",
                "b was not there when the sweep was planned",
                "e is read now, and was not when the sweep was planned",
                "c, d are no longer there, as they were when the sweep was planned"
            ]
        );
    }
}
