//! `loopsheet sweep merge`: the rows of all shards, one Parquet file per input.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Context;

use super::contents::Contents;
use super::leftovers;
use super::merged::Tables;
use super::not_read;
use super::place::Place;
use super::result::{self, Look, State};
use super::run::say_changes;
use super::since_plan;
use crate::cli::SweepMergeArgs;
use crate::commands::outputs::{Output, temporary_directory_in};
use crate::commands::{Status, Voice};
use crate::export::parquet::RowWriter;
use crate::sweep::manifest::Manifest;
use crate::sweep::merge::{InputFile, input_files};
use crate::sweep::row::{Row, RowKind};
use crate::wording::counted;

pub fn run(args: &SweepMergeArgs, voice: Voice) -> anyhow::Result<Status> {
    let (place, manifest) = Place::enter(&args.place.dir)?;
    since_plan::say(&place, &manifest, voice);
    let Computed { done, failed } = refuse_missing(&place, &manifest)?;
    refuse_changes(&place, &manifest, &done, voice)?;
    let data = place.data();
    place.make(&data)?;
    // Before anything is written.
    Tables::noted(&place)?;
    let _alone = leftovers::alone(&place, voice)?;
    // All files are whole before the first takes the place of an older one.
    let unfinished = temporary_directory_in(&data)
        .with_context(|| format!("cannot write into {}", data.display()))?;
    let mut kept = BTreeSet::new();
    let mut rows = Rows::default();
    for file in input_files(&manifest) {
        let name = format!("{}.parquet", file.stem);
        rows.add(merge(
            &place,
            &manifest,
            &file,
            &unfinished.path().join(&name),
        )?);
        kept.insert(name);
    }
    let earlier = Tables::noted(&place)?;
    let tables = Tables::of(unfinished.path(), &kept)?;
    earlier.refuse_others(&kept, &place)?;
    tables.note(&place, Some(&earlier))?;
    for name in &kept {
        let path = data.join(name);
        std::fs::rename(unfinished.path().join(name), &path)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    let stay = earlier.remove_others(&kept, &data)?;
    tables.note(&place, None)?;
    for name in stay {
        eprintln!(
            "loopsheet: {} is of an input that is in the sweep no more, and not what a merge wrote: it stays",
            place.name().join("data").join(name).display()
        );
    }
    if !voice.quiet {
        eprintln!(
            "loopsheet: {} of {} ({}) in {}",
            counted(rows.total(), "row"),
            counted(kept.len(), "input"),
            rows.kinds(),
            place.name().join("data").display()
        );
    }
    if failed > 0 {
        eprintln!(
            "loopsheet: {} failed; each is a row of kind error; `loopsheet sweep run --all --retry --dir {}` tries them again",
            counted(failed, "shard"),
            place.word()
        );
    }
    let not_read = not_read::say_of(&manifest, manifest.shards.iter(), voice);
    let failures = match failed {
        0 => Status::Done,
        _ => Status::WithErrors,
    };
    Ok(not_read.max(failures))
}

/// What there is of a sweep all of which was computed.
pub struct Computed {
    /// Positions of the shards that did not fail.
    pub done: Vec<usize>,
    pub failed: usize,
}

/// # Errors
/// Some have not been computed, or have files that are not their results.
pub fn refuse_missing(place: &Place, manifest: &Manifest) -> anyhow::Result<Computed> {
    let shards = manifest.shards.iter();
    let states = shards.map(|shard| result::state(place, shard, Look::AtEnd));
    let states = states.collect::<anyhow::Result<Vec<State>>>()?;
    let are = |wanted: State| -> Vec<usize> {
        let all = states.iter().enumerate();
        let all = all.filter(|(_, state)| **state == wanted);
        all.map(|(number, _)| number).collect()
    };
    let (missing, damaged) = (are(State::Missing), are(State::Damaged));
    let mut wrong = Vec::new();
    let of_all = |some: &[usize]| format!("{} of {} shards", some.len(), states.len());
    if !missing.is_empty() {
        let have = if missing.len() == 1 { "has" } else { "have" };
        let (of_all, named) = (of_all(&missing), named(&missing));
        wrong.push(format!("{of_all} {have} not been computed: {named}"));
    }
    if !damaged.is_empty() {
        let (files, are) = match damaged.len() {
            1 => ("result file", "is"),
            _ => ("result files", "are"),
        };
        let (of_all, named) = (of_all(&damaged), named(&damaged));
        wrong.push(format!("the {files} of {of_all} {are} damaged: {named}"));
    }
    anyhow::ensure!(
        wrong.is_empty(),
        "{}; `loopsheet sweep run --all --dir {}` computes {}",
        wrong.join("; "),
        place.word(),
        if missing.len() + damaged.len() == 1 {
            "it"
        } else {
            "them"
        }
    );
    Ok(Computed {
        done: are(State::Done),
        failed: are(State::Failed).len(),
    })
}

/// Shards by their numbers.
fn named(positions: &[usize]) -> String {
    const MOST_NAMED: usize = 10;
    let numbers = positions.iter().take(MOST_NAMED);
    let numbers: Vec<String> = numbers.map(|at| (at + 1).to_string()).collect();
    let more = if positions.len() > MOST_NAMED {
        ", …"
    } else {
        ""
    };
    format!("{}{more}", numbers.join(", "))
}

/// Results of inputs that have changed since are not results of the inputs.
///
/// # Errors
/// One has changed.
pub fn refuse_changes(
    place: &Place,
    manifest: &Manifest,
    done: &[usize],
    voice: Voice,
) -> anyhow::Result<()> {
    let contents = Contents::noted(place);
    let done = done.iter().map(|number| &manifest.shards[*number]);
    match say_changes(place, &contents, done, voice)? {
        Status::Done => Ok(()),
        _ => anyhow::bail!(
            "inputs have changed since the sweep was planned, or cannot be read, so nothing was written"
        ),
    }
}

/// How many rows there are of each kind.
#[derive(Clone, Copy, Debug, Default)]
struct Rows {
    configurations: usize,
    nests: usize,
    errors: usize,
}

impl Rows {
    fn count(&mut self, row: &Row) {
        match row.kind() {
            RowKind::Program | RowKind::Trace | RowKind::Epochs => self.configurations += 1,
            RowKind::Nest => self.nests += 1,
            RowKind::Error => self.errors += 1,
        }
    }

    fn add(&mut self, other: Rows) {
        let Rows {
            configurations,
            nests,
            errors,
        } = other;
        self.configurations += configurations;
        self.nests += nests;
        self.errors += errors;
    }

    fn total(self) -> usize {
        self.configurations + self.nests + self.errors
    }

    fn kinds(self) -> String {
        let kinds = [
            (self.configurations, "configuration"),
            (self.nests, "nest"),
            (self.errors, "error"),
        ];
        let there = kinds.iter().filter(|(count, _)| *count > 0);
        let there: Vec<String> = there.map(|(count, what)| counted(*count, what)).collect();
        there.join(", ")
    }
}

/// Writes the file of one input; returns how many rows it has.
fn merge(
    place: &Place,
    manifest: &Manifest,
    file: &InputFile,
    path: &Path,
) -> anyhow::Result<Rows> {
    // What is wrong with a result is not what is wrong with what is written.
    let mut wrong = None;
    let written = Output::create(path)?.stream(|out| {
        let mut writer = RowWriter::new(out, &manifest.header.swept())?;
        let mut rows = Rows::default();
        for number in file.shards.clone() {
            for row in result::read(place, (number, &manifest.shards[number]))? {
                let row = match row {
                    Ok(row) => row,
                    Err(error) => {
                        wrong = Some(error);
                        anyhow::bail!("a result was altered");
                    }
                };
                rows.count(&row);
                writer.push(row)?;
            }
        }
        writer.finish()?;
        Ok(rows)
    });
    match wrong {
        Some(error) => Err(error),
        None => written,
    }
}
