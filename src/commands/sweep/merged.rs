//! The note on which tables a merge wrote, as `sha256sum` has it: what else is in the directory belongs to the user, and what a
//! merge that was stopped left is no data set.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Context;

use super::place::{Place, open_regular};
use crate::commands::Voice;
use crate::commands::outputs::Output;
use crate::reading::files;
use crate::sweep::hash::Hash;

/// Tables by name. Where a merge was stopped, a name may have the content before it or behind it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tables {
    is_unfinished: bool,
    contents: BTreeMap<String, BTreeSet<Hash>>,
}

/// The first line while tables are put in their places.
const UNFINISHED: &str = "# unfinished: merge again";

/// How names of tables end.
const EXTENSION: &str = ".parquet";

impl Tables {
    /// What a merge is about to put into place.
    ///
    /// # Errors
    /// A table cannot be read.
    pub fn of(directory: &Path, names: &BTreeSet<String>) -> anyhow::Result<Tables> {
        let mut tables = Tables::default();
        for name in names {
            let hash = hash(&directory.join(name))?;
            tables.contents.insert(name.clone(), BTreeSet::from([hash]));
        }
        Ok(tables)
    }

    /// Those of earlier merges; none if there was none.
    ///
    /// # Errors
    /// The note cannot be read, or is none that a merge wrote.
    pub fn noted(place: &Place) -> anyhow::Result<Tables> {
        let path = place.merged();
        let what = || place.name().join("merged.txt").display().to_string();
        if !path.try_exists().with_context(what)? {
            return Ok(Tables::default());
        }
        let text = files::read_text(&path).with_context(what)?;
        let mut tables = Tables::default();
        for (number, line) in text.lines().enumerate() {
            if line == UNFINISHED {
                tables.is_unfinished = true;
                continue;
            }
            // Earlier versions noted names only.
            let (hash, name) = match line.split_once("  ") {
                Some((hash, name)) => (Hash::try_from(hash.to_string()).ok(), name),
                None => (None, line),
            };
            anyhow::ensure!(
                is_table(name) && (hash.is_some() || !line.contains("  ")),
                "{}, line {}: `{line}` is not a table that a merge wrote; delete the file, and what is left of earlier merges in {}",
                what(),
                number + 1,
                place.name().join("data").display()
            );
            tables
                .contents
                .entry(name.to_string())
                .or_default()
                .extend(hash);
        }
        Ok(tables)
    }

    /// Notes them; `earlier` while they are put in the places of those.
    ///
    /// # Errors
    /// The note cannot be written.
    pub fn note(&self, place: &Place, earlier: Option<&Tables>) -> anyhow::Result<()> {
        let mut text = String::new();
        if earlier.is_some() {
            text = format!("{UNFINISHED}\n");
        }
        for tables in std::iter::once(self).chain(earlier) {
            for (name, hashes) in &tables.contents {
                for hash in hashes {
                    text.push_str(&format!("{}  {name}\n", hash.as_str()));
                }
            }
        }
        Output::create(&place.merged())?.finish(text.as_bytes())
    }

    /// A file that no merge wrote is not what a table takes the place of.
    ///
    /// # Errors
    /// One has the name of a table.
    pub fn refuse_others(&self, kept: &BTreeSet<String>, place: &Place) -> anyhow::Result<()> {
        let data = place.data();
        let is_other = |name: &&String| {
            !self.contents.contains_key(*name) && data.join(name).symlink_metadata().is_ok()
        };
        match kept.iter().find(is_other) {
            None => Ok(()),
            Some(name) => anyhow::bail!(
                "{} is there, and no merge wrote it: it would be lost; move it, or delete it",
                place.name().join("data").join(name).display()
            ),
        }
    }

    /// Removes those that are in the sweep no more, who reads the directory would read them; names those that are not what a
    /// merge wrote, and stay.
    ///
    /// # Errors
    /// One cannot be removed.
    pub fn remove_others(
        &self,
        kept: &BTreeSet<String>,
        data: &Path,
    ) -> anyhow::Result<Vec<String>> {
        let mut stay = Vec::new();
        for (name, hashes) in self
            .contents
            .iter()
            .filter(|(name, _)| !kept.contains(*name))
        {
            let path = data.join(name);
            let Ok(metadata) = path.symlink_metadata() else {
                continue;
            };
            if metadata.is_file() && hashes.contains(&hash(&path)?) {
                let what = || format!("cannot remove {}", path.display());
                std::fs::remove_file(&path).with_context(what)?;
            } else {
                stay.push(name.clone());
            }
        }
        Ok(stay)
    }

    /// # Errors
    /// What is there is not what one merge wrote.
    pub fn refuse_mixed(&self, place: &Place) -> anyhow::Result<()> {
        let again = || {
            format!(
                "`loopsheet sweep merge --dir {}` writes it again",
                place.word()
            )
        };
        let data = place.name().join("data");
        anyhow::ensure!(
            !self.is_unfinished,
            "a merge into {} was stopped, and its tables may be old and new ones: {}",
            data.display(),
            again()
        );
        for (name, hashes) in &self.contents {
            let path = place.data().join(name);
            let is_other = !hashes.is_empty() && path.exists() && !hashes.contains(&hash(&path)?);
            anyhow::ensure!(
                !is_other,
                "{} is not what the last merge wrote: {}",
                data.join(name).display(),
                again()
            );
        }
        Ok(())
    }
}

impl Tables {
    /// Says which tables of the last merge are there no more: reports do not need them.
    pub fn say_missing(&self, place: &Place, voice: Voice) {
        let names = self.contents.keys();
        let missing: Vec<&str> = names
            .filter(|name| place.data().join(name).symlink_metadata().is_err())
            .map(String::as_str)
            .collect();
        if let (false, [first, others @ ..]) = (voice.quiet, &missing[..]) {
            let more = match others.len() {
                0 => String::new(),
                more => format!(" and {more} more tables"),
            };
            eprintln!(
                "loopsheet: {}{more} of the last merge {} no longer there: `loopsheet sweep merge --dir {}` writes them again",
                place.name().join("data").join(first).display(),
                if others.is_empty() { "is" } else { "are" },
                place.word()
            );
        }
    }
}

/// A plain name in the directory, as merges give.
fn is_table(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    !name.starts_with('.') && name.ends_with(EXTENSION) && name.chars().all(is_plain)
}

fn hash(path: &Path) -> anyhow::Result<Hash> {
    let what = || format!("cannot read {}", path.display());
    let file = open_regular(path).with_context(what)?;
    Hash::of_stream(file).with_context(what)
}
