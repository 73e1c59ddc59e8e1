//! Which range of addresses is each array of a function, where no variable of the program has its name?
//!
//! What an array's nests load and store in an iteration is compared with what was done to each range there,
//! over all nests of the function: an array is one range.
//!
//! ```text
//!               u: 3 loads   out: 1 store       heap 1: 2.99 loads   heap 2: 1.00 stores   ►  u = heap 1
//! ```
//!
//! Counts are taken per iteration, so that problem sizes of the report that do not fit the run do no harm; of
//! ranges that fit equally well the one is taken that is as long as the array. Where a function gave memory
//! back before its last nest began, an array may be elsewhere later, and another in its place: then every nest
//! speaks for itself.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use super::names::{is_structure_of, is_variable_of};
use super::places::{Place, Places};
use super::tolerance::{LENGTH_STEP, are_same_rate as near};
use super::traced::Join;
use crate::ir::{Conventions, Handles};
use crate::metrics::profile::{
    Accesses, DataRange, RangeKind, Site, SourceProfile, takes_memory_back,
};
use crate::report::StaticReport;
use crate::report::static_report::NestReport;
use crate::source::{Language, classify};

/// Names of ranges by target and array.
pub type ArrayNames<'n> = BTreeMap<(usize, &'n str), &'n str>;

/// A function whose nests are looked at together, or one nest of it by its target.
type Group = (usize, Option<usize>);

/// Loads and stores per iteration.
type Each = (f64, f64);

/// How well a range fits an array: nests with the same counts, less those that speak against it, then how near their
/// lengths are.
type Likeness = (i64, i64);

/// For all functions of the report.
pub fn names<'n>(
    report: &'n StaticReport,
    places: &Places,
    join: &Join,
    profile: &'n SourceProfile,
) -> ArrayNames<'n> {
    let mut nests: BTreeMap<Group, Vec<(usize, Evidence<'n>)>> = BTreeMap::new();
    let reusing = reusing(report, places, profile);
    for (index, target) in places.targets().iter().enumerate() {
        if let Some(nest) = target.nest.filter(|_| join.targets[index].instructions > 0) {
            let nest = &report.functions[target.function].nests[nest];
            let rounds = nest
                .loops
                .last()
                .and_then(|id| places.loop_by_id(target.function, id));
            let rounds = rounds
                .and_then(|found| join.loops.get(&found))
                .map(|counts| counts.rounds as f64);
            let mut found = evidence(nest, rounds, &join.targets[index].data, profile);
            let calls = report.functions[target.function].calls();
            if rounds != nest.iterations.known().map(|all| all * calls) {
                // With sizes that do not fit the run, lengths say nothing.
                found.footprints.clear();
            }
            nests
                .entry((
                    target.function,
                    Some(index).filter(|_| reusing.contains(&target.function)),
                ))
                .or_default()
                .push((index, found));
        }
    }
    let mut names = ArrayNames::new();
    for ((function, _), nests) in nests {
        let (targets, nests): (Vec<usize>, Vec<Evidence>) = nests.into_iter().unzip();
        let conventions = conventions(report, &report.functions[function].file);
        let mut found = of_function(&nests, profile, conventions);
        found.extend(members(&nests, &found));
        for (array, range) in found {
            names.extend(targets.iter().map(|target| ((*target, array), range)));
        }
    }
    names
}

/// Of the functions in a file of the report; what it includes is in no list, and recognised by its name.
fn conventions(report: &StaticReport, path: &str) -> Conventions {
    let read = report.files.iter().find(|file| file.path == path);
    let by_name = || classify(Path::new(path)).map(|(language, ..)| language);
    let language = read.map(|file| file.language).or_else(by_name);
    Conventions::of(language.unwrap_or(Language::C))
}

/// Functions of the report that gave memory back before they reached the last code of their loops. Sites stand in the
/// order of their first execution.
fn reusing(report: &StaticReport, places: &Places, profile: &SourceProfile) -> BTreeSet<usize> {
    let numbers: HashMap<&str, usize> = report
        .functions
        .iter()
        .enumerate()
        .map(|(number, function)| (function.name.as_str(), number))
        .collect();
    let function = |site: &Site| match places.own(site) {
        Place::Loop(found) => Some(found.function),
        Place::NoLoop(Some(name)) => numbers.get(name).copied(),
        _ => None,
    };
    let gives_back = |site: &Site| {
        site.calls
            .iter()
            .any(|call| takes_memory_back(&call.function))
    };
    let (mut gave, mut found) = (BTreeSet::new(), BTreeSet::new());
    for site in profile
        .sites
        .iter()
        .filter(|site| !site.calls.is_empty() || !site.data.is_empty())
    {
        let Some(function) = function(site) else {
            continue;
        };
        if gave.contains(&function) && site.machine_loop.is_some() && !site.data.is_empty() {
            found.insert(function);
        }
        if gives_back(site) {
            gave.insert(function);
        }
    }
    found
}

/// What both sides did in one nest.
struct Evidence<'n> {
    arrays: BTreeMap<&'n str, Each>,
    ranges: BTreeMap<&'n str, Each>,
    /// Bytes of arrays.
    footprints: BTreeMap<&'n str, f64>,
}

fn evidence<'n>(
    nest: &'n NestReport,
    rounds: Option<f64>,
    data: &BTreeMap<u32, Accesses>,
    profile: &'n SourceProfile,
) -> Evidence<'n> {
    let each = |count: f64, iterations: Option<f64>| {
        count / iterations.filter(|count| *count > 0.0).unwrap_or(1.0)
    };
    let iterations = nest.iterations.known();
    let mut found = Evidence {
        arrays: BTreeMap::new(),
        ranges: BTreeMap::new(),
        footprints: BTreeMap::new(),
    };
    for references in &nest.references {
        let (loads, stores) = found.arrays.entry(&references.array).or_default();
        *loads += each(references.loads.known().unwrap_or(f64::NAN), iterations);
        *stores += each(references.stores.known().unwrap_or(f64::NAN), iterations);
    }
    for (range, did) in data {
        let (loads, stores) = found
            .ranges
            .entry(&profile.data[*range as usize].name)
            .or_default();
        *loads += each(did.loads as f64, rounds.or(iterations));
        *stores += each(did.stores as f64, rounds.or(iterations));
    }
    for stream in &nest.streams {
        let bytes = found.footprints.entry(&stream.name).or_default();
        *bytes = bytes.max(stream.footprint.known().unwrap_or(0.0));
    }
    found
}

fn of_function<'n>(
    nests: &[Evidence<'n>],
    profile: &'n SourceProfile,
    conventions: Conventions,
) -> BTreeMap<&'n str, &'n str> {
    let mut arrays: BTreeSet<&str> = nests
        .iter()
        .flat_map(|nest| nest.arrays.keys().copied())
        .collect();
    let mut ranges: BTreeSet<&str> = nests
        .iter()
        .flat_map(|nest| nest.ranges.keys().copied())
        .collect();
    let mut names: BTreeMap<&str, &str> = BTreeMap::new();
    for &array in &arrays {
        let is_named = |range: &&&str| {
            is_variable_of(range, array) && !is_pointer(nests, profile, conventions, (array, range))
        };
        names.extend(ranges.iter().find(is_named).map(|range| (array, *range)));
    }
    for (array, range) in namesakes(nests, &names, &arrays, &ranges) {
        names.remove(array);
        arrays.remove(array);
        ranges.remove(range);
    }
    arrays.retain(|array| !names.contains_key(array));
    // Variables that are passed under another name too, but for scalars and pointers.
    let is_long = |range: &DataRange| range.is_variable && range.high - range.low > 8;
    let is_heap = |range: &DataRange| matches!(range.kind(), RangeKind::Heap | RangeKind::Others);
    let any = |name: &str, is_named: &dyn Fn(&DataRange) -> bool| {
        let mut named = profile.data.iter().filter(|range| range.name == name);
        named.any(is_named)
    };
    ranges.retain(|range| {
        let is_free = || !names.values().any(|taken| taken == range);
        any(range, &is_heap) || any(range, &is_long) && is_free()
    });
    let mut pairs: Vec<(Likeness, &str, &str)> = Vec::new();
    for &array in &arrays {
        for &range in &ranges {
            pairs.push((likeness(nests, profile, array, range), array, range));
        }
    }
    // A structure may hold an array, or only say where it is.
    let is_as_often =
        |array: &str, range: &str| nests.iter().any(|nest| is_as_often(nest, array, range));
    pairs.retain(|(likeness, array, range)| {
        likeness.0 > 0 && (!is_structure_of(range, array) || is_as_often(array, range))
    });
    pairs.sort_by_key(|(likeness, array, range)| (std::cmp::Reverse(*likeness), *array, *range));
    // The best first, as long as nothing else is as good for the array or for the range.
    while let Some(&(best, array, range)) = pairs.first() {
        let is_rival =
            |pair: &&(Likeness, &str, &str)| pair.0 == best && (pair.1 == array || pair.2 == range);
        if pairs.iter().filter(is_rival).count() == 1 {
            names.insert(array, range);
            pairs.retain(|pair| pair.1 != array && pair.2 != range);
        } else {
            let rivals: Vec<_> = pairs.iter().filter(is_rival).copied().collect();
            pairs.retain(|pair| {
                !rivals
                    .iter()
                    .any(|rival| rival.1 == pair.1 || rival.2 == pair.2)
            });
        }
    }
    names
}

/// Of the names found those that are not sure: a parameter may have the name of another variable. Its counts are in no
/// nest those of the variable, while those of an array without a name are in all, and those of no other range are.
fn namesakes<'n>(
    nests: &[Evidence<'n>],
    names: &BTreeMap<&'n str, &'n str>,
    arrays: &BTreeSet<&'n str>,
    ranges: &BTreeSet<&'n str>,
) -> Vec<(&'n str, &'n str)> {
    let fits = |array: &str, range: &str| -> Vec<bool> {
        let is_near = |source: &Each, run: &Each| near(source.0, run.0) && near(source.1, run.1);
        let did = nests
            .iter()
            .filter_map(|nest| Some((nest.arrays.get(array)?, nest.ranges.get(range))));
        did.map(|(source, run)| run.is_some_and(|run| is_near(source, run)))
            .collect()
    };
    let fits_any = |array: &str, range: &str| fits(array, range).contains(&true);
    let is_meant = |other: &str, range: &str| {
        let is_only = || {
            ranges
                .iter()
                .all(|found| *found == range || !fits_any(other, found))
        };
        !names.contains_key(other) && !fits(other, range).contains(&false) && is_only()
    };
    let is_doubtful = |(array, range): &(&'n str, &'n str)| {
        !fits_any(array, range) && arrays.iter().any(|other| is_meant(other, range))
    };
    names
        .iter()
        .map(|(array, range)| (*array, *range))
        .filter(is_doubtful)
        .collect()
}

/// Whether a variable only says where the array is: it is as long as a pointer, or a descriptor, and in no
/// nest it is accessed as often as the array.
fn is_pointer(
    nests: &[Evidence],
    profile: &SourceProfile,
    conventions: Conventions,
    (array, range): (&str, &str),
) -> bool {
    let length = profile
        .data
        .iter()
        .find(|known| known.name == range)
        .map_or(0, |known| known.high - known.low);
    let has_descriptors = conventions.handles == Handles::Descriptors;
    let is_descriptor = || has_descriptors && length >= 64 && (length - 40) % 24 == 0;
    (length <= 8 || is_descriptor()) && !nests.iter().any(|nest| is_as_often(nest, array, range))
}

fn is_as_often(nest: &Evidence, array: &str, range: &str) -> bool {
    match (nest.arrays.get(array), nest.ranges.get(range)) {
        (Some(source), Some(run)) => near(source.0, run.0) && near(source.1, run.1),
        _ => false,
    }
}

/// Members of structures that have no range of their own, and lie in the structure's: in every nest that was accessed as
/// often as all of them together.
fn members<'n>(
    nests: &[Evidence<'n>],
    names: &BTreeMap<&'n str, &'n str>,
) -> Vec<(&'n str, &'n str)> {
    let arrays: BTreeSet<&str> = nests
        .iter()
        .flat_map(|nest| nest.arrays.keys().copied())
        .collect();
    let ranges: BTreeSet<&str> = nests
        .iter()
        .flat_map(|nest| nest.ranges.keys().copied())
        .collect();
    let mut found = Vec::new();
    for range in ranges {
        let is_open = |array: &&&str| !names.contains_key(**array) && is_structure_of(range, array);
        let open: Vec<&str> = arrays.iter().filter(is_open).copied().collect();
        let own = arrays
            .iter()
            .filter(|array| names.get(**array) == Some(&range))
            .copied();
        let all: Vec<&str> = open.iter().copied().chain(own).collect();
        let agrees = |nest: &Evidence| {
            let sides = all.iter().filter_map(|array| nest.arrays.get(array));
            let (loads, stores) = sides.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
            let run = nest.ranges.get(range).copied().unwrap_or_default();
            near(loads, run.0) && near(stores, run.1)
        };
        if !open.is_empty() && nests.iter().all(agrees) {
            found.extend(open.into_iter().map(|array| (array, range)));
        }
    }
    found
}

fn likeness(nests: &[Evidence], profile: &SourceProfile, array: &str, range: &str) -> Likeness {
    let mut votes = 0;
    for nest in nests {
        votes += match (nest.arrays.get(array), nest.ranges.get(range)) {
            (Some(source), Some(run)) if near(source.0, run.0) && near(source.1, run.1) => 2,
            // A compiler leaves accesses out, but does not load what is only stored, or store what is only loaded.
            (Some(source), Some(run))
                if run.0 <= source.0 && run.1 <= source.1 && (run.1 > 0.0) == (source.1 > 0.0) =>
            {
                1
            }
            (None, None) => 0,
            _ => -2,
        };
    }
    let footprint = nests
        .iter()
        .filter_map(|nest| nest.footprints.get(array))
        .copied()
        .fold(0.0, f64::max);
    let length = profile
        .data
        .iter()
        .find(|known| known.name == range)
        .map_or(0, |known| known.high - known.low) as f64;
    // A footprint is in lines, a length in bytes: in steps.
    let distance = if footprint > 0.0 {
        ((footprint / length.max(1.0)).ln().abs() / LENGTH_STEP).round() as i64
    } else {
        0
    };
    (votes, -distance)
}
