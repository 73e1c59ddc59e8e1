//! How often were the calls of a function begun?
//!
//! ```text
//! 12  static void clear(int n) { for (…) … }        two copies of the loop, in f and in g
//! 20  f: clear(8);        begun 3 times
//! 31  g: clear(n);        begun 5 times             8 executions, whatever became of the copies
//! ```
//!
//! The statements with the calls are marked where they begin, so their counts do not depend on what became of the
//! function: they confirm how often a loop that every call executes once was executed, and show that no call was
//! evaluated in advance.

use std::collections::{BTreeMap, BTreeSet};

use super::divided::divided;
use super::entered::Functions;
use super::neighbours;
use super::places::{LoopRef, Place, Places, is_function};
use crate::metrics::profile::{Begun, Entered, SourceProfile};
use crate::report::StaticReport;
use crate::report::static_report::FunctionReport;
use crate::source::Language;

/// Calls of one function, as the statements that make them were begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Called {
    /// `None` where a statement has no mark, and entries of the function do not show it.
    pub times: Option<u64>,
    /// Lines with a call, executed or not.
    pub lines: usize,
    /// All statements of each of these lines were begun equally often.
    pub agree: bool,
    /// Each of these lines has left a call, or code in place of one, or was never reached.
    pub are_left: bool,
}

/// By function of the report.
pub struct Callers {
    /// `None` where nothing calls it.
    called: Vec<Option<Called>>,
    /// How often each was entered, if all of its code is in its own symbols.
    entries: Vec<Option<u64>>,
    beside: BTreeMap<LoopRef, u64>,
    /// Whether its code is in one place only.
    apart: Vec<bool>,
}

/// A line of a file, as the report names it.
type Line<'r> = (&'r str, u32);

impl Callers {
    pub fn of(report: &StaticReport, places: &Places, profile: &SourceProfile) -> Callers {
        let divided = divided(places, profile);
        let (begun, beside) = begun(report, places, profile, &divided);
        let executed = Executed::of(places, profile);
        // Copies of a caller for certain arguments may leave out the code of some calls.
        let mut copied: BTreeSet<Line> = BTreeSet::new();
        let mut lines: BTreeMap<(&str, &str), Vec<Line>> = BTreeMap::new();
        for caller in &report.functions {
            let is_it = |one: &&Entered| is_function(&one.function, &caller.name);
            let has_copies = profile.entered.iter().filter(is_it).count() > 1;
            for callee in caller.callees.iter().flatten() {
                if has_copies {
                    copied.insert((&caller.file, callee.line));
                }
                let of_callee = lines.entry((&callee.file, &callee.name)).or_default();
                of_callee.push((&caller.file, callee.line));
            }
        }
        let entered = Functions::of(report, places, profile);
        let (apart, entries) = (entered.are_apart(), entered.entries());
        let entered = entered.times(profile);
        let recursive = recursive(report, places, profile);
        let called = |(number, function): (usize, &FunctionReport)| {
            let lines = lines.get(&(function.file.as_str(), function.name.as_str()))?;
            let times = |line: &Line| match begun.get(line) {
                Some(Times {
                    is_divided: true, ..
                }) => None,
                Some(one) => Some(one.most),
                None => executed.is_never_reached(report, *line).then_some(0),
            };
            Some(Called {
                times: lines
                    .iter()
                    .map(times)
                    .sum::<Option<u64>>()
                    .or(entered[number])
                    .filter(|_| !recursive.contains(&number)),
                lines: lines.len(),
                agree: (lines.iter())
                    .filter_map(|line| begun.get(line))
                    .all(|one| one.fewest == one.most && !one.is_divided),
                are_left: lines.iter().all(|line| {
                    !copied.contains(line) && executed.leaves_call(function, *line)
                        || executed.is_never_reached(report, *line)
                }),
            })
        };
        Callers {
            called: report.functions.iter().enumerate().map(called).collect(),
            entries,
            beside: neighbours(report, places, &beside),
            apart,
        }
    }

    /// Calls of the function around a loop.
    pub fn around(&self, found: LoopRef) -> Option<Called> {
        self.called[found.function]
    }

    /// How often the function around a loop was entered, if all of its code is in its own symbols.
    pub fn entries(&self, found: LoopRef) -> Option<u64> {
        self.entries[found.function]
    }

    /// How often a loop was executed, as the statements beside it show.
    pub fn beside(&self, found: LoopRef) -> Option<u64> {
        self.beside.get(&found).copied()
    }

    /// Whether the function around a loop is in one place of the machine code only: in no other function, and no copy of
    /// it was executed.
    pub fn is_apart(&self, found: LoopRef) -> bool {
        self.apart[found.function]
    }
}

/// Lines with code that was executed.
struct Executed<'r> {
    /// That of functions which were put in place of a call on the line among it.
    lines: BTreeSet<Line<'r>>,
    /// With a branch.
    decided: BTreeSet<Line<'r>>,
    /// With code of a function in place of a call.
    inlined: BTreeSet<(Line<'r>, &'r str)>,
    /// With a call of a symbol.
    calls: BTreeSet<(Line<'r>, &'r str)>,
}

impl<'r> Executed<'r> {
    fn of(places: &Places<'r>, profile: &'r SourceProfile) -> Executed<'r> {
        let (mut lines, mut decided) = (BTreeSet::new(), BTreeSet::new());
        let (mut all_inlined, mut all_calls) = (BTreeSet::new(), BTreeSet::new());
        for site in profile.sites.iter().filter(|site| site.executions > 0) {
            let line = |file: &str, line: u32| Some((places.file_of_report(file)?, line));
            let own = site.file.as_deref().zip(site.line);
            let own = own.and_then(|(file, number)| line(file, number));
            let calls = site.called_from.iter();
            lines.extend(calls.filter_map(|(file, number)| line(file, *number)));
            let inlined = site.called_from.iter().zip(&site.inlined);
            all_inlined.extend(
                inlined.filter_map(|((file, number), name)| {
                    Some((line(file, *number)?, name.as_str()))
                }),
            );
            let called = site.calls.iter().map(|call| call.function.as_str());
            all_calls.extend(called.filter_map(|name| Some((own?, name))));
            lines.extend(own);
            decided.extend(own.filter(|_| site.decisions > 0));
        }
        Executed {
            lines,
            decided,
            inlined: all_inlined,
            calls: all_calls,
        }
    }

    /// Whether a line has a call of a function.
    fn makes_call(&self, function: &FunctionReport, line: Line<'r>) -> bool {
        is_among(&self.calls, function, line)
    }

    /// Whether it has one, or its code in place of one.
    fn leaves_call(&self, function: &FunctionReport, line: Line<'r>) -> bool {
        self.makes_call(function, line) || is_among(&self.inlined, function, line)
    }

    /// Whether a line without a mark was never reached. Code of it may be marked elsewhere, and a call that the compiler
    /// evaluated or left out has none: so nothing of the function around it was executed, or of the arm of a condition
    /// that was decided.
    fn is_never_reached(&self, report: &StaticReport, (file, line): Line) -> bool {
        let is_executed = |first: u32, last: u32| {
            let mut found = self.lines.range((file, first)..=(file, last.max(first)));
            found.next().is_some()
        };
        let is_around = |function: &&FunctionReport| {
            let end = function.end_line.unwrap_or(u32::MAX);
            function.file == file && (function.line..=end).contains(&line)
        };
        let around = report.functions.iter().filter(is_around);
        let Some(function) = around.max_by_key(|one| one.line) else {
            return false;
        };
        let branches = function.loops.iter().flat_map(|one| &one.branches);
        let mut arms = branches.chain(&function.branches).flat_map(|branch| {
            let arms = branch.then.into_iter().chain(branch.otherwise);
            arms.map(move |arm| (branch.line, arm))
        });
        let is_not_taken = |(condition, (first, last)): (u32, (u32, u32))| {
            condition < first
                && (first..=last).contains(&line)
                && self.decided.contains(&(file, condition))
                && !is_executed(first, last)
        };
        !is_executed(function.line, function.end_line.unwrap_or(line)) || arms.any(is_not_taken)
    }
}

fn is_among<'r>(
    all: &BTreeSet<(Line<'r>, &'r str)>,
    function: &FunctionReport,
    line: Line<'r>,
) -> bool {
    let of_line = all
        .range((line, "")..)
        .take_while(|(other, _)| *other == line);
    of_line
        .into_iter()
        .any(|(_, name)| is_function(name, &function.name))
}

/// Functions with lines that call them: such calls are not among those of the report.
fn recursive(report: &StaticReport, places: &Places, profile: &SourceProfile) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    for site in profile.sites.iter().filter(|site| !site.calls.is_empty()) {
        let file = site
            .file
            .as_deref()
            .and_then(|file| places.file_of_report(file));
        let (Some(file), Some(line)) = (file, site.line) else {
            continue;
        };
        for (number, function) in report.functions.iter().enumerate() {
            let end = function.end_line.unwrap_or(function.line);
            let mut calls = site.calls.iter();
            if function.file == file
                && (function.line..=end).contains(&line)
                && calls.any(|call| is_function(&call.function, &function.name))
            {
                found.insert(number);
            }
        }
    }
    found
}

/// The calls in place of which machine loops stand: numbers of these, with file and line.
type Inlined<'r> = BTreeSet<(u32, &'r str, u32)>;

fn inlined<'r>(places: &Places<'r>, profile: &SourceProfile) -> Inlined<'r> {
    let mut found = Inlined::new();
    for site in &profile.sites {
        // Code of the loop itself, and not of what it calls.
        let Some(number) = site.machine_loop.filter(|number| {
            let origin = places.origin_of(*number);
            origin.is_some_and(|origin| places.own(site) == Place::Loop(origin))
        }) else {
            continue;
        };
        let calls = site.called_from.iter();
        found.extend(
            calls.filter_map(|(file, line)| Some((number, places.file_of_report(file)?, *line))),
        );
    }
    found
}

/// How often a statement was begun. One that stands where the rounds of a machine loop begin, and in the source around that
/// loop or with the call in place of which it stands, is begun as often as the loop is entered.
fn times(
    places: &Places,
    profile: &SourceProfile,
    inlined: &Inlined,
    (file, one): (&str, &Begun),
) -> u64 {
    let executions = one.executions - one.continued;
    let Some(number) = one.machine_loop.filter(|_| one.at_header) else {
        return executions;
    };
    let is_around = match places.find(file, one.line, &[]) {
        Place::Loop(found) => {
            (places.origin_of(number)).is_some_and(|origin| places.is_outer(found, origin))
        }
        _ => false,
    };
    let is_call = inlined.contains(&(number, file, one.line));
    // It stands directly before the loop itself.
    let is_beside = places.origin_of(number).is_some_and(|origin| {
        let before = &places.facts(origin).beside.before;
        places.file_of_loop(origin) == file && before.contains(&one.line)
    });
    match profile.loops.get(number as usize) {
        Some(header) if is_around || is_call || is_beside => header.entries.min(executions),
        _ => executions,
    }
}

/// How often the statements of a line were begun.
#[derive(Clone, Copy, Debug)]
struct Times {
    fewest: u64,
    most: u64,
    /// Some marks are in the parts of a divided loop, and may be of one beginning.
    is_divided: bool,
}

impl Times {
    fn with(self, other: Times) -> Times {
        Times {
            fewest: self.fewest.min(other.fewest),
            most: self.most.max(other.most),
            is_divided: self.is_divided || other.is_divided,
        }
    }
}

/// By line, how often the statements of it were begun: in C, and in all languages. gfortran begins several statements at one
/// place of a source line: of these, the one that was begun most in each machine loop counts.
fn begun<'r>(
    report: &'r StaticReport,
    places: &Places<'r>,
    profile: &SourceProfile,
    divided: &BTreeSet<u32>,
) -> (BTreeMap<Line<'r>, Times>, BTreeMap<Line<'r>, Times>) {
    let inlined = inlined(places, profile);
    let is_c = |file: &str| {
        let mut files = report.files.iter();
        files.any(|one| one.path == file && one.language == Language::C)
    };
    let mut statements: BTreeMap<(&str, u32, u32), (u64, bool)> = BTreeMap::new();
    for one in &profile.statements {
        let file = profile.files.get(one.file as usize);
        if let Some(file) = file.and_then(|file| places.file_of_report(file)) {
            let times = times(places, profile, &inlined, (file, one));
            let times = match is_c(file) {
                true => times,
                false => times.min(one.most),
            };
            let is_divided = one.machine_loop.is_some_and(|own| divided.contains(&own));
            let all = statements.entry((file, one.line, one.column)).or_default();
            *all = (all.0 + times, all.1 || is_divided);
        }
    }
    let mut lines: BTreeMap<Line, Times> = BTreeMap::new();
    for ((file, line, _), (times, is_divided)) in statements {
        let own = Times {
            fewest: times,
            most: times,
            is_divided,
        };
        let all = lines.entry((file, line)).or_insert(own);
        *all = all.with(own);
    }
    let of_c = lines.iter().filter(|((file, _), _)| is_c(file));
    (of_c.map(|(line, times)| (*line, *times)).collect(), lines)
}

/// By loop, how often it was executed, as the statements beside it show.
fn neighbours(
    report: &StaticReport,
    places: &Places,
    begun: &BTreeMap<Line, Times>,
) -> BTreeMap<LoopRef, u64> {
    let times = |file: &str, line: u32| {
        let times = begun.get(&(file, line))?;
        (times.fewest == times.most && !times.is_divided).then_some(times.most)
    };
    let all = report.functions.iter().enumerate();
    let loops = all.flat_map(|(function, one)| {
        (0..one.loops.len()).map(move |number| LoopRef { function, number })
    });
    loops
        .filter_map(|found| Some((found, neighbours::times(places, found, &times)?)))
        .collect()
}
