//! What a cache holds of a source: its loop nests, the modules that it defines, and what it asked of other sources.
//!
//! The key of an entry is a digest of all that decides how the source is read by itself: its text after preprocessing and
//! inclusion, where the lines come from, its form, sizes of types, and which program reads it. Its loop nests depend on
//! modules of other sources too: they count while the digests of what was asked of these are the same.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::cache::{Cache, Key};
use super::compile_commands::Flags;
use super::input::Input;
use super::packed::Packed;
use super::prepare::{Glanced, Prepared};
use crate::interned;
use crate::ir::Unit;
use crate::lower::fortran::{Asked, Modules};
use crate::source::parallel::Parallel;

/// The digest of something that is written.
type Sum = [u8; 32];

/// A cache, and the program that reads and writes it.
pub struct Memory<'c> {
    cache: &'c Cache,
    program: String,
    /// What names of files may begin with that another run has something else for.
    hidden: String,
}

/// What is known of a source before it is lowered.
pub struct Known {
    key: Key,
    entry: Option<Entry>,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    /// Of a source that defines some.
    modules: Option<Packed>,
    answers: Answers,
    /// Nothing while only the modules have been read.
    unit: Option<Packed>,
}

/// What lowering asked of the modules of other sources, with digests of what it got.
#[derive(Default, PartialEq, Serialize, Deserialize)]
struct Answers {
    modules: BTreeMap<String, Option<Sum>>,
    allocations: BTreeMap<String, Option<Sum>>,
    all_types: Option<Sum>,
}

/// Digests of the modules of all sources.
#[derive(Default)]
pub struct World {
    modules: BTreeMap<String, Sum>,
    allocations: BTreeMap<String, Sum>,
    all: Sum,
}

impl<'c> Memory<'c> {
    /// `None` if nothing tells this program from others of its version.
    pub fn new(cache: &'c Cache, hidden: Option<&Path>) -> Option<Memory<'c>> {
        let metadata = std::env::current_exe().and_then(std::fs::metadata).ok()?;
        let built = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        let (version, length) = (env!("CARGO_PKG_VERSION"), metadata.len());
        Some(Memory {
            cache,
            program: format!("{version} {length} {}", built.as_nanos()),
            hidden: hidden.map_or_else(String::new, |path| path.display().to_string()),
        })
    }

    /// Removes what was not used for the longest time, if there is too much.
    pub fn tidy(&self) {
        self.cache.tidy();
    }

    /// What there is of a source.
    pub fn recall(&self, prepared: &Prepared) -> Known {
        let key = self.key(prepared);
        let entry = self.cache.load(&key);
        let entry = entry.and_then(|bytes| self.within(|| postcard::from_bytes(&bytes).ok()));
        Known { key, entry }
    }

    /// Keeps the modules that a source defines until all of it is kept; other processes need them.
    pub fn keep_modules(&self, known: &Known, modules: &[u8]) {
        // Another process may have kept all of it meanwhile.
        if known.entry.is_some() || self.cache.has(&known.key) {
            return;
        }
        let entry = Entry {
            modules: Some(Packed(modules.to_vec())),
            answers: Answers::default(),
            unit: None,
        };
        if let Some(entry) = self.within(|| postcard::to_stdvec(&entry).ok()) {
            self.cache.store(&known.key, &entry);
        }
    }

    /// Keeps what was made of a source.
    pub fn keep(
        &self,
        known: &Known,
        modules: Option<&[u8]>,
        (unit, asked): (&Unit, &Asked),
        world: &World,
    ) {
        let Some(unit) = self.within(|| unit.to_bytes()) else {
            return;
        };
        let entry = Entry {
            modules: modules.map(|modules| Packed(modules.to_vec())),
            answers: world.answers(asked),
            unit: Some(Packed(unit)),
        };
        if let Some(entry) = self.within(|| postcard::to_stdvec(&entry).ok()) {
            self.cache.store(&known.key, &entry);
        }
    }

    /// The modules that a source defines, and as they are written.
    pub fn modules(&self, known: &Known) -> Option<(Modules, Vec<u8>)> {
        let Packed(bytes) = known.entry.as_ref()?.modules.as_ref()?;
        Some((self.within(|| Modules::from_bytes(bytes))?, bytes.clone()))
    }

    /// The loop nests of a source, if the modules of other sources are as they were.
    pub fn unit(&self, known: &Known, world: &World) -> Option<Unit> {
        let bytes = known.bytes_of_unit(world)?;
        self.within(|| Unit::from_bytes(bytes))
    }

    /// Modules as they are kept; `None` if they cannot be written.
    pub fn written(&self, modules: &Modules) -> Option<Vec<u8>> {
        self.within(|| modules.to_bytes())
    }

    /// The digest of all sources with their flags, and of what else decides what is made of them.
    pub fn key_of_all(
        &self,
        glanced: &[Glanced],
        inputs: &[&Input],
        flags: &[Flags],
        beside: &str,
    ) -> Key {
        let each = glanced.par_iter().zip(inputs).zip(flags);
        let keys = each.map(|((glanced, input), flags)| match glanced {
            Glanced::Alone(bytes) => (self.key_alone(input, bytes, flags), None),
            Glanced::Prepared(prepared, _) => (self.key(prepared), Some(&prepared.parallel)),
        });
        let keys: Vec<(Key, Option<&Parallel>)> = keys.collect();
        let mut sum = Sha256::new();
        for (((key, parallel), input), flags) in keys.iter().zip(inputs).zip(flags) {
            let Flags {
                is_listed,
                optimisation,
                ..
            } = flags;
            let is_named = input.is_named;
            sum.update(key);
            sum.update(format!(
                "{parallel:?} {is_named} {is_listed} {optimisation:?}\n"
            ));
        }
        match &*self.hidden {
            "" => sum.update(beside),
            hidden => sum.update(beside.replace(hidden, "")),
        }
        sum.finalize().into()
    }

    /// Reads or writes something of its own, in which names of files begin behind what is hidden.
    fn within<T>(&self, work: impl FnOnce() -> Option<T>) -> Option<T> {
        interned::fresh(&self.hidden, work)
    }

    /// The name of a file without what is hidden.
    fn shown<'n>(&self, name: &'n str) -> &'n [u8] {
        name.strip_prefix(&self.hidden).unwrap_or(name).as_bytes()
    }

    /// The digest of all that decides how a source that stands alone is prepared, but for the files beside it.
    fn key_alone(&self, input: &Input, bytes: &[u8], flags: &Flags) -> Key {
        let (kind, flags) = (input.kind, &flags.fortran);
        let mut sum = Sha256::new();
        sum.update(format!("{} {kind:?} {flags:?}\n", self.program));
        sum.update(Sha256::digest(bytes));
        sum.update(self.shown(&input.name));
        sum.finalize().into()
    }

    /// The digest of all that decides what is made of a source by itself.
    fn key(&self, prepared: &Prepared) -> Key {
        // A new field must be thought of here.
        let Prepared {
            input,
            language,
            form,
            parallel: _,
            source,
        } = prepared;
        let crate::source::SourceText {
            text,
            origins,
            preprocessing,
            macros,
            kinds,
            diagnostics,
        } = source;
        let mut sum = Sha256::new();
        let mut part = |bytes: &[u8]| {
            sum.update((bytes.len() as u64).to_le_bytes());
            sum.update(bytes);
        };
        part(self.program.as_bytes());
        part(self.shown(&input.name));
        let rest =
            format!("{language:?} {form:?} {preprocessing:?} {macros:?} {kinds:?} {diagnostics:?}");
        // Places in it have names of files, too.
        match &*self.hidden {
            "" => part(rest.as_bytes()),
            hidden => part(rest.replace(hidden, "").as_bytes()),
        }
        part(text.as_bytes());
        let mut before: Option<&Arc<str>> = None;
        let mut lines: Vec<u8> = Vec::new();
        for origin in origins {
            if before.is_none_or(|before| **before != *origin.file) {
                part(&lines);
                part(self.shown(&origin.file));
                lines.clear();
                before = Some(&origin.file);
            }
            lines.extend(origin.line.to_le_bytes());
        }
        part(&lines);
        sum.finalize().into()
    }
}

impl Known {
    /// Its loop nests as they are kept, if the modules of other sources are as they were.
    pub fn bytes_of_unit(&self, world: &World) -> Option<&[u8]> {
        let entry = self.entry.as_ref()?;
        let Packed(unit) = entry.unit.as_ref()?;
        let asked = Asked {
            modules: entry.answers.modules.keys().cloned().collect(),
            allocations: entry.answers.allocations.keys().cloned().collect(),
            all_types: entry.answers.all_types.is_some(),
        };
        (world.answers(&asked) == entry.answers).then_some(unit)
    }
}

impl World {
    /// Adds the modules of a source, in the order in which they count.
    pub fn add(&mut self, modules: &Modules, written: &[u8]) {
        let sum: Sum = Sha256::digest(written).into();
        for name in modules.names() {
            self.modules.entry(name.to_string()).or_insert(sum);
        }
        for name in modules.allocated() {
            let all = self.allocations.entry(name.to_string()).or_default();
            *all = both(all, &sum);
        }
        self.all = both(&self.all, &sum);
    }

    fn answers(&self, asked: &Asked) -> Answers {
        let found = |names: &std::collections::BTreeSet<String>, all: &BTreeMap<String, Sum>| {
            let each = names.iter();
            each.map(|name| (name.clone(), all.get(name).copied()))
                .collect()
        };
        Answers {
            modules: found(&asked.modules, &self.modules),
            allocations: found(&asked.allocations, &self.allocations),
            all_types: asked.all_types.then_some(self.all),
        }
    }
}

fn both(first: &Sum, second: &Sum) -> Sum {
    let mut sum = Sha256::new();
    sum.update(first);
    sum.update(second);
    sum.finalize().into()
}
