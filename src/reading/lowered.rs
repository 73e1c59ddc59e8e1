//! From sources to their loop nests, on all threads.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::cache::{Cache, Caching};
use super::compile_commands::Flags;
use super::files::ReadNotes;
use super::headers::HeaderIndex;
use super::included;
use super::input::Input;
use super::outline::{Outline, Shelf};
use super::prepare::{self, Glanced, Prepared};
use super::preprocess::Cpp;
use super::remembered::{Known, Memory, World};
use super::watch::Watch;
use crate::attempt::attempt;
use crate::ir::Unit;
use crate::lower;
use crate::lower::fortran::{Asked, Modules, Parsed};
use crate::source::Language;
use crate::threads::deep_threads;

/// Bytes of source whose syntax trees are kept from one step to the next. A tree takes about ten times its text; sources
/// beyond that are parsed once more.
const MOST_KEPT: usize = 64 << 20;

/// Where what earlier runs made of sources is, and the directory that this run has them in, if nobody has seen it: names of
/// files that begin with it stand for others of the same way below another one.
pub(super) type Earlier<'c> = (&'c Caching, Option<&'c Path>);

/// The units of all sources, in their order. What a cache has of them is taken from there.
///
/// # Errors
/// A source that was named cannot be read or is not text.
pub(super) fn units(
    inputs: &[&Input],
    flags: &[Flags],
    files: (&HeaderIndex, &Cpp),
    earlier: Earlier,
    watch: &dyn Watch,
) -> anyhow::Result<Vec<Unit>> {
    watch.begin(inputs.len());
    let notes = ReadNotes::of_thread();
    let units = deep_threads()?.install(|| -> anyhow::Result<Vec<Unit>> {
        let prepared = notes.within(|| prepared(inputs, flags, files))?;
        let cache = cache(&prepared, earlier.0);
        let memory = (cache.as_deref()).and_then(|cache| Memory::new(cache, earlier.1));
        Ok(all(&prepared, flags, memory.as_ref(), watch))
    })?;
    watch.finish();
    Ok(units)
}

/// Units, or what a cache has of the program that is made of them.
pub(super) enum Units {
    /// With the place for what is made of them.
    Lowered(Vec<Unit>, Option<Shelf>),
    Recalled(Outline, Shelf),
}

/// The units of all sources under these paths, unless the outline of their program is known. `beside` is what decides,
/// beside the sources and their flags, what is made of them.
///
/// # Errors
/// As [`units`].
pub(super) fn units_unless_known(
    inputs: &[&Input],
    flags: &[Flags],
    files: (&HeaderIndex, &Cpp),
    earlier: Earlier,
    (paths, beside): (&[PathBuf], &str),
    watch: &dyn Watch,
) -> anyhow::Result<Units> {
    watch.begin(inputs.len());
    let notes = ReadNotes::of_thread();
    let units = deep_threads()?.install(|| -> anyhow::Result<Units> {
        let (headers, cpp) = files;
        let glanced = notes.within(|| prepare::glance(inputs, flags, headers, cpp))?;
        let cache = earlier.0.cache(glanced.iter().map(Glanced::bytes).sum());
        let memory = (cache.as_deref()).and_then(|cache| Memory::new(cache, earlier.1));
        let key = |memory: &Memory| memory.key_of_all(&glanced, inputs, flags, beside);
        let key = memory.as_ref().map(key);
        let shelf = (cache.as_ref().zip(key)).map(|(cache, key)| Shelf::new(cache, key, earlier.1));
        let outline = shelf.as_ref().and_then(|shelf| shelf.outline(paths));
        if let Some((outline, shelf)) = outline.zip(shelf.clone()) {
            return Ok(Units::Recalled(outline, shelf));
        }
        let prepared = notes.within(|| prepare::rest(glanced, inputs, flags, headers, cpp))?;
        let prepared = included::left_out(prepared, flags);
        let units = all(&prepared, flags, memory.as_ref(), watch);
        Ok(Units::Lowered(units, shelf))
    })?;
    watch.finish();
    Ok(units)
}

fn prepared<'a>(
    inputs: &[&'a Input],
    flags: &[Flags],
    (headers, cpp): (&HeaderIndex, &Cpp),
) -> anyhow::Result<Vec<Prepared<'a>>> {
    let prepared = prepare::all(inputs, flags, headers, cpp)?;
    Ok(included::left_out(prepared, flags))
}

/// The cache for so much source.
fn cache(prepared: &[Prepared], caching: &Caching) -> Option<Arc<Cache>> {
    caching.cache(prepared.iter().map(|p| p.source.text.len()).sum())
}

fn all(
    prepared: &[Prepared],
    flags: &[Flags],
    memory: Option<&Memory>,
    watch: &dyn Watch,
) -> Vec<Unit> {
    let kept = Kept::default();
    let begun = prepared.par_iter().map(|p| begin(p, memory, &kept));
    let (begun, modules) = together(begun.collect());
    let each = prepared.par_iter().zip(begun).zip(flags);
    let lowered = each.map(|((p, begun), flags)| {
        let unit = lower(p, begun, &modules, memory);
        watch.advance();
        Unit {
            parallel: Some(p.parallel.clone()),
            is_listed: flags.is_listed,
            ..unit
        }
    });
    let units = lowered.collect();
    if let Some(memory) = memory {
        memory.tidy();
    }
    without_repeats(units)
}

/// A source whose modules are read.
#[derive(Default)]
pub(super) struct Begun<'p> {
    /// Its syntax tree, if one was made.
    parsed: Option<Parsed<'p>>,
    /// What a cache knows of it.
    pub known: Option<Known>,
    /// Its modules as a cache keeps them.
    pub written: Option<Vec<u8>>,
}

/// The modules of all sources, which each of them may use.
#[derive(Default)]
pub(super) struct AllModules {
    modules: Modules,
    /// Filled where there is a cache.
    pub world: World,
}

/// Bytes of the sources whose syntax trees are kept.
#[derive(Default)]
pub(super) struct Kept(AtomicUsize);

/// The first look at a source, and its modules, if it has some.
pub(super) fn begin<'p>(
    p: &'p Prepared,
    memory: Option<&Memory>,
    kept: &Kept,
) -> (Begun<'p>, Option<Modules>) {
    let known = memory.map(|memory| memory.recall(p));
    let begun = Begun {
        known,
        ..Begun::default()
    };
    if p.language != Language::Fortran || !mentions_module(&p.source.text) {
        return (begun, None);
    }
    if let Some((modules, written)) =
        memory.and_then(|memory| memory.modules(begun.known.as_ref()?))
    {
        let written = Some(written);
        return (Begun { written, ..begun }, Some(modules));
    }
    // What stops here stops again where the file is lowered, and is said there.
    let parsed = attempt(|| Parsed::new(&p.source)).ok();
    let modules = (parsed.as_ref()).and_then(|parsed| attempt(|| parsed.modules()).ok());
    let written = memory.and_then(|memory| memory.written(modules.as_ref()?));
    let bytes = p.source.text.len();
    let has_room = kept.0.fetch_add(bytes, Ordering::Relaxed) + bytes <= MOST_KEPT;
    let begun = Begun {
        parsed: parsed.filter(|_| has_room),
        written,
        ..begun
    };
    (begun, modules)
}

/// The modules of all sources, in the order of these.
pub(super) fn together<'p>(
    each: Vec<(Begun<'p>, Option<Modules>)>,
) -> (Vec<Begun<'p>>, AllModules) {
    let mut all = AllModules::default();
    let add = |(begun, modules): (Begun<'p>, Option<Modules>)| {
        if let Some(modules) = modules {
            if let Some(written) = &begun.written {
                all.world.add(&modules, written);
            }
            all.modules.merge(modules);
        }
        begun
    };
    let begun = each.into_iter().map(add).collect();
    (begun, all)
}

/// The loop nests of a source: from a cache, or lowered and put there.
pub(super) fn lower(
    prepared: &Prepared,
    begun: Begun,
    all: &AllModules,
    memory: Option<&Memory>,
) -> Unit {
    let Begun {
        parsed,
        known,
        written,
    } = begun;
    if let Some(unit) = memory.and_then(|memory| memory.unit(known.as_ref()?, &all.world)) {
        return unit;
    }
    let Prepared {
        input,
        language,
        form,
        source,
        ..
    } = prepared;
    let lowered = attempt(|| match language {
        Language::C => (lower::c::lower(&input.name, source), Asked::default()),
        Language::Fortran => {
            let parsed = parsed.unwrap_or_else(|| Parsed::new(source));
            parsed.lower(&input.name, *form, &all.modules)
        }
    });
    match lowered {
        Ok((unit, asked)) => {
            if let Some((memory, known)) = memory.zip(known.as_ref()) {
                memory.keep(known, written.as_deref(), (&unit, &asked), &all.world);
            }
            unit
        }
        Err(defect) => lower::lost_unit(&input.name, *language, *form, source, &defect),
    }
}

fn mentions_module(text: &str) -> bool {
    let is_module = |line: &str| {
        let line = line.trim_start();
        line.get(..6)
            .is_some_and(|word| word.eq_ignore_ascii_case("module"))
    };
    text.lines().any(is_module)
}

/// A diagnostic of a header is said once, not by every file that includes it.
fn without_repeats(mut units: Vec<Unit>) -> Vec<Unit> {
    let mut said = HashSet::new();
    for unit in &mut units {
        unit.diagnostics
            .retain(|d| said.insert((d.place.clone(), d.code, d.message.clone())));
    }
    units
}
