//! Layer conditions of a nest as lines of text: what has to fit, in symbols and as a number, in which cache it does, and
//! up to which size.

use std::fmt::Write;

use super::screen::{bytes, count, cut};
use crate::model::{CacheFigures, Growth, Model, NestModel, ReuseFigures, largest_that_fits};
use crate::quantity::{Bytes, binary_size};
use crate::wording::some;

/// Conditions that are listed.
const MOST: usize = 6;
/// What any size fits up to.
const ANY: f64 = 1e15;

/// A reuse that costs something where it does not fit, with its position in the nest.
pub(crate) fn costly<'m>(model: &Model, nest: &'m NestModel) -> Vec<&'m ReuseFigures> {
    let cost = |reuse: &ReuseFigures| model.value(reuse.fetched) + model.value(reuse.written_back);
    let mut reuses: Vec<&ReuseFigures> = nest.levels.reuses.iter().collect();
    reuses.retain(|reuse| cost(reuse) >= model.figures.input("line_bytes").unwrap_or(1.0));
    reuses
}

/// The conditions, those of outer loops first.
pub(super) fn write(text: &mut String, model: &Model, nest: &NestModel) {
    let reuses = costly(model, nest);
    if reuses.is_empty() && !model.value(nest.traffic.actual).is_finite() {
        text.push_str("layer conditions: unknown, because the bytes it touches are unknown\n");
        return;
    }
    if reuses.is_empty() {
        text.push_str("layer conditions: none, nothing is reused\n");
        return;
    }
    text.push_str("layer conditions: what must fit in cache for a loop to reuse its data:\n");
    for reuse in reuses.iter().take(MOST) {
        let after = match is_only_one(&reuses, reuse) {
            true => String::new(),
            false => format!(" after {}", cut(&reuse.between, 32)),
        };
        let _ = writeln!(text, "  {}", line(model, nest, (reuse, &after)));
    }
    if let Some(more @ 1..) = reuses.len().checked_sub(MOST) {
        let _ = writeln!(text, "  … and {more} more");
    }
}

/// `reuse of u, v along k`: a reuse by its loop and its arrays, the first of many.
pub(crate) fn reuse_name(reuse: &ReuseFigures) -> String {
    const MOST: usize = 3;
    let named = some(&reuse.arrays, MOST);
    format!("reuse of {named} along {}", reuse.carrier)
}

/// Whether no other reuse is of the same loop and arrays.
fn is_only_one(reuses: &[&ReuseFigures], reuse: &ReuseFigures) -> bool {
    let is_alike =
        |other: &&&ReuseFigures| (&other.carrier, &other.arrays) == (&reuse.carrier, &reuse.arrays);
    reuses.iter().filter(is_alike).count() == 1
}

/// `6·hi_1·8 B = 24.7 kB`: the working set in symbols, if it has some, and now.
pub(super) fn working_set(model: &Model, nest: &NestModel, reuse: &ReuseFigures) -> String {
    let now = bytes(model.value(reuse.distance));
    match Growth::of(model, nest, reuse) {
        Some(growth) if growth.is_all => format!("{} = {now}", growth.text()),
        Some(growth) => format!("{} ≈ {now}", growth.text()),
        None => now,
    }
}

/// A capacity as people write it.
pub(super) fn capacity(model: &Model, cache: &CacheFigures) -> String {
    let bytes = model.value(cache.capacity);
    match bytes.fract() == 0.0 && (0.0..9e15).contains(&bytes) {
        true => binary_size(bytes as u64),
        false => Bytes(bytes).to_string(),
    }
}

/// A condition; `after` tells it from another one of the same loop and arrays.
fn line(model: &Model, nest: &NestModel, (reuse, after): (&ReuseFigures, &str)) -> String {
    let distance = model.value(reuse.distance);
    let fits = |cache: &CacheFigures| distance <= model.value(cache.capacity);
    let caches = &nest.levels.caches;
    let held = caches.iter().position(fits);
    let mut parts = Vec::new();
    // The largest cache that is too small, and the smallest that is not.
    let missed = held.unwrap_or(caches.len()).checked_sub(1);
    if let Some(at) = missed {
        let cache = &caches[at];
        let largest = largest((model, nest), reuse, at, "would hold");
        parts.push(format!(
            "> {} {}{largest}",
            cache.name,
            capacity(model, cache)
        ));
    }
    if let Some(at) = held {
        let cache = &caches[at];
        let largest = largest((model, nest), reuse, at, "holds");
        parts.push(format!(
            "≤ {} {}{largest}",
            cache.name,
            capacity(model, cache)
        ));
    } else {
        let again = model.value(reuse.fetched) + model.value(reuse.written_back);
        parts.push(format!("{} moved again", bytes(again)));
    }
    format!(
        "reuse of {} along {}{after}: {} {}",
        cut(&reuse.arrays.join(", "), 24),
        cut(&reuse.carrier, 24),
        working_set(model, nest, reuse),
        parts.join(", ")
    )
}

/// Up to which sizes a cache holds it, one at a time.
fn largest(
    (model, nest): (&Model, &NestModel),
    reuse: &ReuseFigures,
    cache: usize,
    verb: &str,
) -> String {
    let sizes = reuse.sizes.iter().filter_map(|(name, largest)| {
        let capacity = model.value(nest.levels.caches[cache].capacity);
        let closed = model.value(*largest.get(cache)?);
        let value = largest_that_fits(model, reuse, name, capacity).unwrap_or(closed);
        (1.0..ANY)
            .contains(&value)
            .then(|| format!("{name} = {}", count(value)))
    });
    let sizes: Vec<String> = sizes.take(2).collect();
    match sizes.is_empty() {
        true => String::new(),
        false => format!(" ({verb} up to {})", sizes.join(" or ")),
    }
}
