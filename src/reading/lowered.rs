//! From sources to their loop nests, on all threads.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::compile_commands::Flags;
use super::headers::HeaderIndex;
use super::included;
use super::inputs::Input;
use super::prepare::{self, Prepared};
use super::preprocess::Cpp;
use super::watch::Watch;
use crate::attempt::attempt;
use crate::ir::Unit;
use crate::lower;
use crate::lower::fortran::{Modules, Parsed};
use crate::source::Language;
use crate::threads::deep_threads;

/// Bytes of source whose syntax trees are kept from one step to the next. A tree takes about ten times its text; sources
/// beyond that are parsed once more.
const MOST_KEPT: usize = 64 << 20;

/// The units of all sources, in their order.
///
/// # Errors
/// A source that was named cannot be read or is not text.
pub(super) fn units(
    inputs: &[&Input],
    flags: &[Flags],
    headers: &HeaderIndex,
    cpp: &Cpp,
    watch: &dyn Watch,
) -> anyhow::Result<Vec<Unit>> {
    let pool = deep_threads()?;
    watch.begin(inputs.len());
    let units = pool.install(|| -> anyhow::Result<Vec<Unit>> {
        let prepared = prepare::all(inputs, flags, headers, cpp)?;
        let prepared = included::left_out(prepared, flags);
        let (parsed, known) = modules(&prepared);
        let each = prepared.par_iter().zip(parsed).zip(flags);
        let lowered = each.map(|((p, parsed), flags)| {
            let unit = lower(p, parsed, &known);
            watch.advance();
            Unit {
                is_parallel: Some(p.is_parallel),
                is_listed: flags.is_listed,
                ..unit
            }
        });
        Ok(lowered.collect())
    })?;
    watch.finish();
    Ok(without_repeats(units))
}

/// The modules of all sources, which each of them may use, and the syntax trees that were made for them.
fn modules<'p>(prepared: &'p [Prepared]) -> (Vec<Option<Parsed<'p>>>, Modules) {
    let kept = AtomicUsize::new(0);
    let read = |p: &'p Prepared| {
        if p.language != Language::Fortran || !mentions_module(&p.source.text) {
            return (None, None);
        }
        // What stops here stops again where the file is lowered, and is said there.
        let parsed = attempt(|| Parsed::new(&p.source)).ok();
        let modules = (parsed.as_ref()).and_then(|parsed| attempt(|| parsed.modules()).ok());
        let bytes = p.source.text.len();
        let has_room = kept.fetch_add(bytes, Ordering::Relaxed) + bytes <= MOST_KEPT;
        (parsed.filter(|_| has_room), modules)
    };
    let (parsed, modules): (Vec<_>, Vec<_>) = prepared.par_iter().map(read).unzip();
    let mut known = Modules::default();
    modules.into_iter().flatten().for_each(|m| known.merge(m));
    (parsed, known)
}

fn lower(prepared: &Prepared, parsed: Option<Parsed>, known: &Modules) -> Unit {
    let Prepared {
        input,
        language,
        form,
        source,
        ..
    } = prepared;
    let unit = attempt(|| match language {
        Language::C => lower::c::lower(&input.name, source),
        Language::Fortran => {
            let parsed = parsed.unwrap_or_else(|| Parsed::new(source));
            parsed.lower(&input.name, *form, known)
        }
    });
    unit.unwrap_or_else(|defect| lower::lost_unit(&input.name, *language, *form, source, &defect))
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
