//! What `sweep.toml` would plan otherwise now: it may have changed, and files may have come that fit its patterns. What was
//! planned stays good, so that these are remarks.

use std::collections::BTreeSet;
use std::path::Path;

use super::inputs::{self, Inputs};
use super::place::Place;
use crate::commands::Voice;
use crate::reading::files;
use crate::sweep::hash::Hash;
use crate::sweep::manifest::Manifest;
use crate::sweep::spec::SweepSpec;
use crate::wording::some;

/// So many files are named.
const MOST_NAMED: usize = 5;

/// Says it. Paths begin where those of the manifest do.
pub fn say(place: &Place, manifest: &Manifest, voice: Voice) {
    if voice.quiet {
        return;
    }
    if let Some(what) = remark(manifest) {
        eprintln!(
            "loopsheet: {what}; `loopsheet sweep plan SWEEP.toml --dir {}` plans again, and keeps what did not change",
            place.word()
        );
    }
}

fn remark(manifest: &Manifest) -> Option<String> {
    let planned = manifest.header.spec.as_ref()?;
    let name = &planned.path;
    let Ok(text) = files::read_text(Path::new(name)) else {
        return Some(format!(
            "{name} cannot be read, and could be read when the sweep was planned"
        ));
    };
    if Hash::of(text.as_bytes()) != planned.sha256 {
        return Some(format!(
            "{name} is not what it was when the sweep was planned"
        ));
    }
    let spec = SweepSpec::parse(&text).ok()?;
    let known: BTreeSet<&Path> = manifest
        .shards
        .iter()
        .map(|shard| Path::new(shard.input.as_str()))
        .collect();
    let named = [
        (&spec.sources, Inputs::Sources),
        (&spec.traces, Inputs::Traces),
    ];
    // Of inputs that are gone others speak.
    let found = named.map(|(texts, inputs)| inputs::named(texts, inputs).unwrap_or_default());
    let paths = found.into_iter().flat_map(|found| found.paths);
    let new: Vec<String> = paths
        .filter(|path| !known.contains(path.as_path()))
        .map(|path| path.display().to_string())
        .collect();
    let (fits, was) = match new.len() {
        0 => return None,
        1 => ("fits", "was"),
        _ => ("fit", "were"),
    };
    Some(format!(
        "{} {fits} what {name} names, and {was} not there when the sweep was planned",
        some(&new, MOST_NAMED)
    ))
}
