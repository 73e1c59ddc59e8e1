//! Results of shards as files: rows as lines of JSON, under the hash of the shard, and behind them how many there are: a
//! file that was cut is none.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::{Deserialize, Serialize};

use super::place::Place;
use crate::commands::outputs::Output;
use crate::sweep::columns::Column;
use crate::sweep::manifest::Shard;
use crate::sweep::row::{Row, RowKind};

/// What there is of a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Missing,
    Failed,
    Done,
}

/// The last line of a file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct End {
    rows: usize,
}

impl End {
    /// No last line is longer.
    const LONGEST: u64 = 40;

    fn line(rows: usize) -> String {
        let end = serde_json::to_string(&End { rows }).expect("a number is valid JSON");
        format!("{end}\n")
    }

    fn of_line(line: &str) -> Option<End> {
        serde_json::from_str(line).ok()
    }
}

pub fn state(place: &Place, shard: &Shard) -> State {
    if has_end(&place.rows(&shard.hash)) {
        State::Done
    } else if has_end(&place.failure(&shard.hash)) {
        State::Failed
    } else {
        State::Missing
    }
}

/// Whether a file is there to its end.
fn has_end(path: &Path) -> bool {
    let tail = || -> std::io::Result<String> {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(End::LONGEST)))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    tail().is_ok_and(|tail| {
        let last = tail
            .strip_suffix('\n')
            .and_then(|tail| tail.rsplit('\n').next());
        last.and_then(End::of_line).is_some()
    })
}

/// Puts the rows of a shard, or why it failed, in their place. Whoever else computes the same shard writes the same bytes.
///
/// # Errors
/// They cannot be written.
pub fn write(
    place: &Place,
    shard: &Shard,
    result: &anyhow::Result<Vec<Row>>,
) -> anyhow::Result<()> {
    let failure = place.failure(&shard.hash);
    match result {
        Ok(rows) => {
            let lines = rows.iter().map(Row::to_line);
            let text: String = lines.chain([End::line(rows.len())]).collect();
            Output::create(&place.rows(&shard.hash))?.finish(text.as_bytes())?;
            match std::fs::remove_file(&failure) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    Err(error).with_context(|| format!("cannot remove {}", failure.display()))
                }
                _ => Ok(()),
            }
        }
        Err(error) => {
            let row = Row::new(&shard.input, RowKind::Error);
            let row = row.with_text(Column::Error, &format!("{error:#}"));
            let text = row.to_line() + &End::line(1);
            Output::create(&failure)?.finish(text.as_bytes())
        }
    }
}

/// The rows of a shard that is done or failed, one after another.
///
/// # Errors
/// The file cannot be read, or has something else.
pub fn read(
    place: &Place,
    shard: &Shard,
) -> anyhow::Result<impl Iterator<Item = anyhow::Result<Row>> + use<>> {
    let path = match state(place, shard) {
        State::Failed => place.failure(&shard.hash),
        _ => place.rows(&shard.hash),
    };
    rows(path)
}

fn rows(path: PathBuf) -> anyhow::Result<impl Iterator<Item = anyhow::Result<Row>>> {
    let what = |path: &Path| format!("cannot read {}", path.display());
    let file = File::open(&path).with_context(|| what(&path))?;
    let mut lines = BufReader::new(file).lines();
    let mut count = 0;
    let mut next = move || -> anyhow::Result<Option<Row>> {
        let again = || format!("{}: delete it and run again", what(&path));
        let line = lines.next().transpose().with_context(|| what(&path))?;
        let line = line.with_context(|| format!("{}: its end is missing", again()))?;
        if let Some(end) = End::of_line(&line) {
            anyhow::ensure!(
                end.rows == count,
                "{}: it has {count} rows of {}",
                again(),
                end.rows
            );
            return Ok(None);
        }
        count += 1;
        Row::parse(&line).map(Some).with_context(again)
    };
    let mut is_over = false;
    Ok(std::iter::from_fn(move || {
        if is_over {
            return None;
        }
        let row = next().transpose();
        is_over = !matches!(row, Some(Ok(_)));
        row
    }))
}
