//! From shards to files: one for each input, in the order of the manifest, whatever computed which shard when.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::manifest::Manifest;

/// The file of one input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputFile {
    pub input: String,
    /// Its name without an extension: the input's last part in letters that every system takes.
    pub stem: String,
    /// Its shards, by position in the manifest.
    pub shards: Range<usize>,
}

/// The files of all inputs.
pub fn input_files(manifest: &Manifest) -> Vec<InputFile> {
    let mut files: Vec<InputFile> = Vec::new();
    let mut taken = BTreeSet::new();
    for (number, shard) in manifest.shards.iter().enumerate() {
        match files.last_mut() {
            Some(last) if last.input == shard.input => last.shards.end = number + 1,
            _ => files.push(InputFile {
                input: shard.input.clone(),
                stem: unique(stem(&shard.input), &mut taken),
                shards: number..number + 1,
            }),
        }
    }
    files
}

fn stem(input: &str) -> String {
    let last = input.trim_end_matches('/').rsplit('/').next();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let plain = |c: char| if is_plain(c) { c } else { '_' };
    let stem: String = last
        .unwrap_or("input")
        .chars()
        .map(plain)
        .take(100)
        .collect();
    match stem.trim_matches('.') {
        "" => "input".to_string(),
        stem => stem.to_string(),
    }
}

/// Names that differ in their case only would be one file on some systems.
fn unique(stem: String, taken: &mut BTreeSet<String>) -> String {
    let with = |number: usize| match number {
        1 => stem.clone(),
        number => format!("{stem}-{number}"),
    };
    let name = (1..)
        .map(with)
        .find(|name| !taken.contains(&name.to_lowercase()));
    let name = name.unwrap_or(stem);
    taken.insert(name.to_lowercase());
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::Hash;
    use crate::manifest::{Header, Shard, SourceWork, Work};

    #[test]
    fn every_input_has_a_file_of_its_own() {
        let inputs = ["a/x.c", "a/x.c", "b/X.c", "..", "t ä"];
        let shard = |input: &&str| Shard {
            hash: Hash::of(b""),
            input: input.to_string(),
            files: Vec::new(),
            work: Work::Source(SourceWork { models: Vec::new() }),
        };
        let manifest = Manifest {
            header: Header {
                schema: String::new(),
                program: String::new(),
                root: String::new(),
                settings: Vec::new(),
                roles: Vec::new(),
                shards: 5,
                configurations: 0,
                read: Vec::new(),
                spec: None,
                not_read: Vec::new(),
                ambiguous: Vec::new(),
            },
            shards: inputs.iter().map(shard).collect(),
        };
        let files = input_files(&manifest);
        let names: Vec<(&str, Range<usize>)> = files
            .iter()
            .map(|file| (file.stem.as_str(), file.shards.clone()))
            .collect();
        assert_eq!(
            names,
            [
                ("x.c", 0..2),
                ("X.c-2", 2..3),
                ("input", 3..4),
                ("t__", 4..5)
            ]
        );
    }
}
