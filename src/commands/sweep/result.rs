//! Results of shards as files: rows as lines of JSON, under the hash of the shard, and behind them whose they are, how many,
//! and a hash of them: a file that was cut, changed, or put in the place of another is no result.

use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::{Deserialize, Serialize};

use super::place::{Place, open_regular};
use crate::commands::outputs::Output;
use crate::sweep::columns::Column;
use crate::sweep::failure::in_words;
use crate::sweep::hash::{Hash, Hasher};
use crate::sweep::manifest::Shard;
use crate::sweep::row::{Row, RowKind};

/// What there is of a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Missing,
    /// There is a file that is not what was written as its result.
    Damaged,
    Failed,
    Done,
}

/// How well files are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// At their ends: whether they are of their shards. Who reads the rows sees the rest.
    AtEnd,
    /// All of them.
    Whole,
}

/// The last line of a file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct End {
    shard: Hash,
    rows: usize,
    /// Of the lines before.
    sha256: Hash,
}

impl End {
    /// No last line is longer.
    const LONGEST: u64 = 256;

    /// Rows as lines, and the end behind them.
    fn behind(rows: &str, shard: &Hash) -> String {
        let end = End {
            shard: shard.clone(),
            rows: rows.lines().count(),
            sha256: Hash::of(rows.as_bytes()),
        };
        let end = serde_json::to_string(&end).expect("texts and numbers are valid JSON");
        format!("{rows}{end}\n")
    }

    fn of_line(line: &str) -> Option<End> {
        serde_json::from_str(line).ok()
    }
}

/// # Errors
/// A file is there, and cannot be read.
pub fn state(place: &Place, shard: &Shard, look: Look) -> anyhow::Result<State> {
    let found = |path: &Path| match look {
        Look::AtEnd => has_end(path, &shard.hash),
        Look::Whole => is_whole(path, &shard.hash),
    };
    let mut state = State::Missing;
    for (path, if_whole) in [
        (place.rows(&shard.hash), State::Done),
        (place.failure(&shard.hash), State::Failed),
    ] {
        match found(&path) {
            Ok(true) => return Ok(if_whole),
            Ok(false) => state = State::Damaged,
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => anyhow::bail!(
                "the result of a shard of {} cannot be read: {}: {error}; make it readable, or delete it and run again",
                shard.input,
                path.display()
            ),
        }
    }
    Ok(state)
}

/// Whether a file has the end of a shard's.
fn has_end(path: &Path, shard: &Hash) -> std::io::Result<bool> {
    let mut file = open_regular(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(End::LONGEST)))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let tail = String::from_utf8_lossy(&bytes);
    let last = tail
        .strip_suffix('\n')
        .and_then(|tail| tail.rsplit('\n').next());
    let end = last.and_then(End::of_line);
    Ok(end.is_some_and(|end| end.shard == *shard))
}

/// Whether a file is what was written as a shard's.
fn is_whole(path: &Path, shard: &Hash) -> std::io::Result<bool> {
    // Most files that are not the shard's need not be read for this.
    if !has_end(path, shard)? {
        return Ok(false);
    }
    let mut lines = Lines::open(path.to_path_buf(), shard.clone())?;
    Ok(lines.all(|line| line.is_ok()))
}

/// Puts the rows of a shard, or why it failed, in their place. Whoever else computes the same shard writes the same bytes.
///
/// # Errors
/// They cannot be written.
pub fn write(
    place: &Place,
    (shard, settings): (&Shard, &[String]),
    result: &anyhow::Result<Vec<Row>>,
) -> anyhow::Result<()> {
    let failure = place.failure(&shard.hash);
    match result {
        Ok(rows) => {
            let lines: String = rows.iter().map(Row::to_line).collect();
            let text = End::behind(&lines, &shard.hash);
            Output::create(&place.rows(&shard.hash))?.finish(text.as_bytes())?;
            match std::fs::remove_file(&failure) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    Err(error).with_context(|| format!("cannot remove {}", failure.display()))
                }
                _ => Ok(()),
            }
        }
        Err(error) => {
            let row = Row::new(&shard.input, RowKind::Error);
            let row = row
                .with_text(Column::Error, &format!("{error:#}"))
                .with_text(Column::NotComputed, &in_words(&shard.work, settings));
            let text = End::behind(&row.to_line(), &shard.hash);
            Output::create(&failure)?.finish(text.as_bytes())
        }
    }
}

/// The rows of a shard that is done or failed, one after another; `number` is its position.
///
/// # Errors
/// The file cannot be read, or is not what was written.
pub fn read(
    place: &Place,
    (number, shard): (usize, &Shard),
) -> anyhow::Result<impl Iterator<Item = anyhow::Result<Row>> + use<>> {
    let path = match state(place, shard, Look::AtEnd)? {
        State::Failed => place.failure(&shard.hash),
        _ => place.rows(&shard.hash),
    };
    let what = format!("cannot read {}", path.display());
    let lines = Lines::open(path, shard.hash.clone()).with_context(|| what.clone())?;
    let (number, again) = (number + 1, place.word());
    let altered = move |error: anyhow::Error| {
        anyhow::anyhow!(
            "the result of shard {number} was altered ({error:#}); `loopsheet sweep run --all --dir {again}` recomputes it"
        )
    };
    Ok(lines.map(move |line| {
        let line = line.map_err(&altered)?;
        Row::parse(&line).map_err(|error| altered(error.into()))
    }))
}

/// The lines of a file before its end, which is compared with what they were.
struct Lines {
    lines: std::io::Lines<BufReader<File>>,
    shard: Hash,
    seen: Hasher,
    count: usize,
    is_over: bool,
}

impl Lines {
    fn open(path: PathBuf, shard: Hash) -> std::io::Result<Lines> {
        Ok(Lines {
            lines: BufReader::new(open_regular(&path)?).lines(),
            shard,
            seen: Hasher::default(),
            count: 0,
            is_over: false,
        })
    }

    fn line(&mut self) -> anyhow::Result<Option<String>> {
        let line = self.lines.next().transpose()?;
        let line = line.context("its end is missing")?;
        let Some(end) = End::of_line(&line) else {
            self.count += 1;
            self.seen.add(line.as_bytes());
            self.seen.add(b"\n");
            return Ok(Some(line));
        };
        anyhow::ensure!(end.shard == self.shard, "it is the result of another shard");
        let count = self.count;
        anyhow::ensure!(end.rows == count, "it has {count} rows of {}", end.rows);
        let seen = std::mem::take(&mut self.seen).finish();
        anyhow::ensure!(
            end.sha256 == seen,
            "its rows are not those that were written"
        );
        anyhow::ensure!(
            self.lines.next().is_none(),
            "there is something behind its end"
        );
        Ok(None)
    }
}

impl Iterator for Lines {
    type Item = anyhow::Result<String>;

    fn next(&mut self) -> Option<anyhow::Result<String>> {
        if self.is_over {
            return None;
        }
        let line = self.line().transpose();
        self.is_over = !matches!(line, Some(Ok(_)));
        line
    }
}
