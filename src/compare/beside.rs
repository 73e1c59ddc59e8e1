//! Which accesses of a nest go to none of the source's arrays, and what did they go to: the stack, constants of
//! the program, pointers and structures that say where arrays are, other data? They are counted by range of
//! addresses, so that no guess is needed. Only an array that was not found may lie in any of them.

use std::collections::BTreeSet;

use super::causes::Cause;
use super::names::{is_structure_of, is_variable_of};
use super::quantity::{AccessCount, short};
use super::sides::Sides;
use crate::metrics::profile::RangeKind;

/// What went to one of these places.
pub(super) struct Beside {
    pub cause: Cause,
    /// In an iteration.
    pub each: f64,
    pub words: String,
}

/// Accesses of an iteration that are none of the source's arrays, most first, in words.
pub(super) fn beside_arrays(sides: &Sides, kind: AccessCount) -> Vec<Beside> {
    let iterations = sides.iterations_of_run();
    let unit = if kind.is_bytes() { " B" } else { "" };
    let mut parts = Vec::new();
    let mut add = |cause: Cause, count: f64, what: &str| {
        if count > 0.0 {
            let each = count / iterations;
            let words = format!("{}{unit} per iteration {what}", at_least(each));
            parts.push(Beside { cause, each, words });
        }
    };
    add(
        Cause::Stack,
        kind.of(&sides.traced.stack),
        "by the stack pointer: spills, saved registers, locals",
    );
    let arrays: Vec<&str> = sides.nest().map_or_else(Vec::new, |nest| {
        nest.references
            .iter()
            .map(|array| array.array.as_str())
            .collect()
    });
    let range_of = |array: &str| sides.range_of(array);
    // An array that was not found may lie in any of them.
    let all_known = arrays.iter().all(|array| range_of(array).is_some());
    for (range, accesses) in &sides.traced.data {
        let range = &sides.profile.data[*range as usize];
        let is_pointer = arrays
            .iter()
            .any(|array| is_variable_of(&range.name, array));
        let said: BTreeSet<&str> = arrays
            .iter()
            .filter(|array| is_structure_of(&range.name, array))
            .copied()
            .collect();
        let each: Vec<&str> = said.into_iter().collect();
        match () {
            () if arrays
                .iter()
                .any(|array| range_of(array) == Some(&range.name)) => {}
            () if range.kind() == RangeKind::Constants => {
                add(Cause::Constants, kind.of(accesses), "of constants");
            }
            () if is_pointer => add(
                Cause::Pointers,
                kind.of(accesses),
                &format!("of {}, which holds the address of the array", range.name),
            ),
            () if !each.is_empty() => {
                let what = format!(
                    "of {}, whose members hold the addresses of {}",
                    range.name,
                    each.join(", ")
                );
                add(Cause::Pointers, kind.of(accesses), &what);
            }
            () if !all_known => {}
            () if range.kind() == RangeKind::Stack => {
                add(Cause::Stack, kind.of(accesses), "on the stack");
            }
            () if range.is_variable => {
                let what = if kind.is_load() { "of" } else { "to" };
                let what = format!("{what} {}", range.name);
                add(Cause::OtherData, kind.of(accesses), &what);
            }
            () if range.high - range.low <= 8 => {
                let what = format!(
                    "of {}, at most 8 bytes in one place: a pointer or another scalar",
                    range.name
                );
                add(Cause::OtherData, kind.of(accesses), &what);
            }
            () => {}
        }
    }
    parts.sort_by(|a, b| b.each.total_cmp(&a.each));
    parts
}

/// A number as sentences have it, small ones as bounds.
pub(super) fn at_least(value: f64) -> String {
    if value < 0.001 {
        "less than 0.001".to_string()
    } else {
        short(value)
    }
}
