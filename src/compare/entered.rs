//! How often were functions entered, whose code is in one place only?
//!
//! A function that the compiler put into no other is entered once for each call, it or a copy for certain arguments. An outermost
//! loop is executed at most once for each, and at least as often as its machine loops are entered: where the two are
//! equal, that is how often. A call of a function that only computes may have been left out, or made once for several;
//! so the function has to have stored something that is no local variable.

use std::collections::BTreeSet;

use super::places::{Places, is_copy, is_function, is_whole};
use crate::metrics::profile::{Entered, RangeKind, Site, SourceProfile};
use crate::report::StaticReport;
use crate::report::static_report::FunctionReport;

/// By function of the report, the symbol with all of its code; `None` where it is in several places, or was not executed.
pub struct Functions<'r> {
    report: &'r StaticReport,
    only: Vec<Option<&'r Entered>>,
    /// The symbol and copies of it for certain arguments, if all of its code is in these.
    whole: Vec<Vec<&'r Entered>>,
}

impl<'r> Functions<'r> {
    pub fn of(
        report: &'r StaticReport,
        places: &Places,
        profile: &'r SourceProfile,
    ) -> Functions<'r> {
        let symbols = |function: &'r FunctionReport| {
            profile.entered.iter().filter(move |one| {
                is_function(&one.function, &function.name)
                    && places.file_of_report(&one.file) == Some(&function.file)
            })
        };
        let only = |(number, function): (usize, &'r FunctionReport)| {
            let mut all = symbols(function);
            let only = all.next().filter(|one| !is_copy(&one.function))?;
            let has_others = all.next().is_some() || has_namesake(report, number);
            let mut sites = profile.sites.iter();
            (!has_others && !sites.any(|site| is_put_into(site, function))).then_some(only)
        };
        let whole = |(number, function): (usize, &'r FunctionReport)| {
            let all: Vec<&Entered> = symbols(function).collect();
            let mut sites = profile.sites.iter();
            let is_elsewhere = has_namesake(report, number)
                || sites.any(|site| {
                    let mut inlined = site.inlined.iter();
                    inlined.any(|name| is_function(name, &function.name))
                });
            let are_whole = all.iter().all(|one| is_whole(&one.function));
            match are_whole && !is_elsewhere {
                true => all,
                false => Vec::new(),
            }
        };
        let all = || report.functions.iter().enumerate();
        Functions {
            report,
            only: all().map(only).collect(),
            whole: all().map(whole).collect(),
        }
    }

    /// By function, whether it is in one place only.
    pub fn are_apart(&self) -> Vec<bool> {
        self.only.iter().map(Option::is_some).collect()
    }

    /// By function, how often it was entered, if all of its code is in its own symbols.
    pub fn entries(&self) -> Vec<Option<u64>> {
        let entries = |whole: &Vec<&Entered>| {
            let all = whole.iter().map(|one| one.times).sum();
            (!whole.is_empty()).then_some(all)
        };
        self.whole.iter().map(entries).collect()
    }

    /// By function, how often it was entered; `None` where that does not show its calls.
    pub fn times(&self, profile: &SourceProfile) -> Vec<Option<u64>> {
        let times = |(number, whole): (usize, &Vec<&Entered>)| {
            if whole.is_empty() || calls_itself(self.report, number) {
                return None;
            }
            let has_effect = |one: &&Entered| {
                let mut own = profile.sites.iter();
                own.any(|site| site.function == one.function && has_effect(profile, site))
            };
            (whole.iter().all(has_effect)).then(|| whole.iter().map(|one| one.times).sum())
        };
        self.whole.iter().enumerate().map(times).collect()
    }
}

/// Whether another function of the file may have the same symbol.
fn has_namesake(report: &StaticReport, number: usize) -> bool {
    let own = &report.functions[number];
    let mut others = report.functions.iter().enumerate();
    others.any(|(other, function)| {
        other != number
            && function.file == own.file
            && (is_function(&function.name, &own.name) || is_function(&own.name, &function.name))
    })
}

/// Whether code of a function stands in another one, or in a copy of it.
fn is_put_into(site: &Site, function: &FunctionReport) -> bool {
    let is_own_copy = is_copy(&site.function) && is_function(&site.function, &function.name);
    let mut inlined = site.inlined.iter();
    is_own_copy || inlined.any(|name| is_function(name, &function.name))
}

/// Whether a function calls itself, or may through others: jumps to its beginning may then be rounds of a loop.
fn calls_itself(report: &StaticReport, number: usize) -> bool {
    let (mut seen, mut open) = (BTreeSet::new(), vec![number]);
    while let Some(caller) = open.pop() {
        for callee in report.functions[caller].callees.iter().flatten() {
            let is_it = |function: &FunctionReport| {
                (&function.file, &function.name) == (&callee.file, &callee.name)
            };
            let Some(found) = report.functions.iter().position(is_it) else {
                continue;
            };
            if found == number {
                return true;
            }
            if seen.insert(found) {
                open.push(found);
            }
        }
    }
    false
}

/// Whether a site stored something that outlives a call.
fn has_effect(profile: &SourceProfile, site: &Site) -> bool {
    let mut stored = site.data.iter().filter(|data| data.accesses.stores > 0);
    stored.any(|data| {
        let range = profile.data.get(data.range as usize);
        range.is_some_and(|range| matches!(range.kind(), RangeKind::Variable | RangeKind::Heap))
    })
}
