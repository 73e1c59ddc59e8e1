//! What figures of sources are without: said by every command whose figures these are.

use std::collections::BTreeSet;

use crate::commands::{Status, Voice};
use crate::sweep::manifest::{Manifest, NotRead, Shard};

/// So many are named.
const MOST_NAMED: usize = 10;

/// Says what sources are analysed without, errors even if nothing else is said. As with `analyze` these are no success.
pub fn say(parts: &[&NotRead], voice: Voice) -> Status {
    let said = parts.iter().filter(|part| !voice.quiet || part.is_error());
    let said: Vec<&&NotRead> = said.collect();
    for part in said.iter().take(MOST_NAMED) {
        eprintln!("loopsheet: {part}");
    }
    if said.len() > MOST_NAMED {
        eprintln!("loopsheet: … and {} more", said.len() - MOST_NAMED);
    }
    match parts.iter().any(|part| part.is_error()) {
        true => Status::WithErrors,
        false => Status::Done,
    }
}

/// The same for the inputs of these shards.
pub fn say_of<'m>(
    manifest: &Manifest,
    shards: impl Iterator<Item = &'m Shard>,
    voice: Voice,
) -> Status {
    let inputs: BTreeSet<&str> = shards.map(|shard| shard.input.as_str()).collect();
    let parts = manifest.header.not_read.iter();
    let parts: Vec<&NotRead> = parts
        .filter(|part| inputs.contains(part.input.as_str()))
        .collect();
    say(&parts, voice)
}
