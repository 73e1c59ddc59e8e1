//! Results of shards as files: rows as lines of JSON, under the hash of the shard.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use anyhow::Context;

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

pub fn state(place: &Place, shard: &Shard) -> State {
    if place.rows(&shard.hash).is_file() {
        State::Done
    } else if place.failure(&shard.hash).is_file() {
        State::Failed
    } else {
        State::Missing
    }
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
            let text: String = rows.iter().map(Row::to_line).collect();
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
            Output::create(&failure)?.finish(row.to_line().as_bytes())
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
    let lines = BufReader::new(file).lines();
    Ok(lines.map(move |line| {
        let line = line.with_context(|| what(&path))?;
        Row::parse(&line).with_context(|| format!("{}: delete it and run again", what(&path)))
    }))
}
