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

use super::places::{LoopRef, Places};
use crate::metrics::profile::SourceProfile;
use crate::report::StaticReport;
use crate::report::static_report::FunctionReport;
use crate::source::Language;

/// Calls of one function, as the statements that make them were begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Called {
    /// `None` where a statement has no mark.
    pub times: Option<u64>,
    /// Lines with a call, executed or not.
    pub lines: usize,
    /// All statements of each of these lines were begun equally often.
    pub agree: bool,
}

/// By function of the report; `None` where nothing calls it.
pub struct Callers(Vec<Option<Called>>);

/// A line of a file, as the report names it.
type Line<'r> = (&'r str, u32);

impl Callers {
    pub fn of(report: &StaticReport, places: &Places, profile: &SourceProfile) -> Callers {
        let begun = begun(report, places, profile);
        let executed: BTreeSet<Line> = (profile.sites.iter())
            .filter(|site| site.executions > 0)
            .filter_map(|site| {
                let file = places.file_of_report(site.file.as_deref()?)?;
                Some((file, site.line?))
            })
            .collect();
        let mut lines: BTreeMap<(&str, &str), Vec<Line>> = BTreeMap::new();
        for caller in &report.functions {
            for callee in caller.callees.iter().flatten() {
                let of_callee = lines.entry((&callee.file, &callee.name)).or_default();
                of_callee.push((&caller.file, callee.line));
            }
        }
        let called = |function: &FunctionReport| {
            let lines = lines.get(&(function.file.as_str(), function.name.as_str()))?;
            let times = |line: &Line| match begun.get(line) {
                Some((_, most)) => Some(*most),
                // Code of the line without a mark: another line may have that of the statement.
                None => (!executed.contains(line)).then_some(0),
            };
            Some(Called {
                times: lines.iter().map(times).sum(),
                lines: lines.len(),
                agree: (lines.iter())
                    .filter_map(|line| begun.get(line))
                    .all(|(fewest, most)| fewest == most),
            })
        };
        Callers(report.functions.iter().map(called).collect())
    }

    /// Calls of the function around a loop.
    pub fn around(&self, found: LoopRef) -> Option<Called> {
        self.0[found.function]
    }
}

/// By line, how often the statements of it were begun that were begun least and most.
fn begun<'r>(
    report: &'r StaticReport,
    places: &Places<'r>,
    profile: &SourceProfile,
) -> BTreeMap<Line<'r>, (u64, u64)> {
    let mut statements: BTreeMap<(&str, u32, u32), u64> = BTreeMap::new();
    for one in &profile.statements {
        let file = profile.files.get(one.file as usize);
        if let Some(file) = file.and_then(|file| places.file_of_report(file)) {
            *statements.entry((file, one.line, one.column)).or_default() +=
                one.executions - one.continued;
        }
    }
    let is_c = |file: &str| {
        let mut files = report.files.iter();
        files.any(|one| one.path == file && one.language == Language::C)
    };
    let mut lines: BTreeMap<Line, (u64, u64)> = BTreeMap::new();
    // gfortran begins several statements at one place of a source line.
    for ((file, line, _), times) in statements.into_iter().filter(|((file, ..), _)| is_c(file)) {
        let (fewest, most) = lines.entry((file, line)).or_insert((times, times));
        *fewest = times.min(*fewest);
        *most = times.max(*most);
    }
    lines
}
