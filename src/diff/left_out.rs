//! What no nest has, and so no row: code outside loops that is not modelled, procedures without a body, regions that
//! could not be read.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use crate::report::static_report::DiagnosticReport;
use crate::side::Side;

/// So many names are listed.
const SHOWN: usize = 4;

/// What is left out of the figures of either side, where the two differ in it, and which bodies are absent from both.
pub(crate) fn notes(old: &Side, new: &Side) -> Vec<String> {
    let outside = listed(&old.outside, &new.outside, |before, after| before != after);
    let outside = outside.map(|found| {
        format!(
            "outside loops and not counted: {found} (in {}, in {})",
            old.name, new.name
        )
    });
    let differing = listed(&old.absent, &new.absent, |before, after| before != after);
    let absent = match differing {
        Some(found) => Some(format!(
            "different calls to procedures without a body, whose work is not counted: {found} (in {}, in {})",
            old.name, new.name
        )),
        None => listed(&old.absent, &new.absent, |_, _| true).map(|found| {
            format!(
                "the work of procedures without a body is not counted: {found} calls on either side"
            )
        }),
    };
    outside.into_iter().chain(absent).collect()
}

/// `memset 0, 2; exit 1, 3; and 4 more`.
fn listed(
    old: &BTreeMap<String, usize>,
    new: &BTreeMap<String, usize>,
    is_wanted: impl Fn(usize, usize) -> bool,
) -> Option<String> {
    let mut names: Vec<&String> = old.keys().chain(new.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let count = |of: &BTreeMap<String, usize>, name: &String| of.get(name).copied().unwrap_or(0);
    let found = names.into_iter().filter_map(|name| {
        let (before, after) = (count(old, name), count(new, name));
        let shown = match before == after {
            true => format!("{name} {before}"),
            false => format!("{name} {before}, {after}"),
        };
        is_wanted(before, after).then_some(shown)
    });
    let mut found: Vec<String> = found.collect();
    let more = found.len().saturating_sub(SHOWN);
    found.truncate(SHOWN);
    if more > 0 {
        found.push(format!("and {more} more"));
    }
    (!found.is_empty()).then(|| found.join("; "))
}

/// The remarks about the new side that the old one does not have, wherever they stand in a file.
pub(crate) fn gained<'n>(
    old: &[DiagnosticReport],
    new: &'n [DiagnosticReport],
) -> Vec<&'n DiagnosticReport> {
    let key = |found: &DiagnosticReport| {
        let file = Path::new(&found.file)
            .file_name()
            .map(|name| name.to_os_string());
        (file, found.code.clone(), found.message.clone())
    };
    let mut had: HashMap<_, usize> = HashMap::new();
    for found in old {
        *had.entry(key(found)).or_default() += 1;
    }
    let new = new.iter();
    new.filter(|found| {
        let had = had.entry(key(found)).or_default();
        let is_gained = *had == 0;
        *had = had.saturating_sub(1);
        is_gained
    })
    .collect()
}
