//! What readers of a sweep should know before it is computed.

use std::collections::HashSet;
use std::fmt;

use crate::cache_entry::CacheEntry;
use crate::latency::LatencyOf;
use crate::manifest::CacheRun;
use crate::plan::{Facts, MachineFacts};
use crate::ranges::{self, Unit, plain};
use crate::spec::{Axis, Entry, MACHINE, SpecError, SweepSpec, in_axis};
use crate::wording::some;

/// What traces are that have no addresses.
pub(crate) const NO_ADDRESSES: &str = "without addresses of accesses";

/// What readers of the results should know.
#[derive(Clone, Debug, PartialEq)]
pub enum PlanRemark {
    /// Configurations of a trace that cannot be computed, and how many there would be.
    NoAddresses {
        trace: String,
        left_out: usize,
        of: usize,
    },
    /// Two machines that do not differ in what the rows depend on.
    AlikeMachines {
        first: String,
        second: String,
        /// Whether they differ in what only sources depend on.
        for_traces: bool,
    },
    /// Latencies in cycles of machines with different clocks.
    Clocks(String),
    /// Values of an axis that are written more than once.
    Repeated { axis: String, values: Vec<String> },
    /// A range whose last value is not its end.
    Missed {
        axis: String,
        range: String,
        last: f64,
    },
    /// Machines whose own latency is also one of the numbers.
    OwnLatency(Vec<String>),
    /// Machines that leave their clock unknown.
    UnknownClock(Vec<String>),
}

impl PlanRemark {
    /// None of no values.
    pub(crate) fn repeated(axis: &str, values: Vec<String>) -> Option<PlanRemark> {
        let axis = axis.to_string();
        (!values.is_empty()).then_some(PlanRemark::Repeated { axis, values })
    }
}

impl fmt::Display for PlanRemark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlanRemark::NoAddresses {
                trace,
                left_out,
                of,
            } => write!(
                f,
                "{trace} is a trace {NO_ADDRESSES}: {left_out} of its {of} configurations, those with caches and epochs, are \
                 left out; times of the others stay unknown"
            ),
            PlanRemark::AlikeMachines {
                first,
                second,
                for_traces: false,
            } => write!(
                f,
                "machines {first} and {second} have the same figures: their rows differ in the name only"
            ),
            PlanRemark::Clocks(machines) => write!(
                f,
                "numbers in `trace.latencies` are cycles of each machine's own clock, so equal cycles are different times where \
                 clocks differ: {machines}; \"machine\" takes the latency in ns from each machine"
            ),
            PlanRemark::Repeated { axis, values } => {
                let (are, count) = match values.len() {
                    1 => ("is", "counts"),
                    _ => ("are", "count"),
                };
                write!(
                    f,
                    "`{axis}`: {} {are} there more than once, and {count} once",
                    some(values, MOST_NAMED)
                )
            }
            PlanRemark::Missed { axis, range, last } => write!(
                f,
                "`{axis}`: the steps of `{range}` do not meet its end: {} is the last value",
                plain(*last)
            ),
            PlanRemark::OwnLatency(machines) => write!(
                f,
                "the latency of {} is also one of the numbers in `trace.latencies`: it is computed once, and compared with both",
                some(machines, MOST_NAMED)
            ),
            PlanRemark::UnknownClock(machines) => write!(
                f,
                "the clock of {} is unknown: times of traces in seconds are, too, and are not compared with those of other machines",
                some(machines, MOST_NAMED)
            ),
            PlanRemark::AlikeMachines { first, second, .. } => write!(
                f,
                "machines {first} and {second} do not differ in what traces take from them (clock, and caches and latency \
                 where these are \"machine\"): their rows of traces differ in the name only"
            ),
        }
    }
}

/// Machines that are the same as an earlier one in all that their rows depend on.
pub(crate) fn alike_machines(facts: &Facts<'_>, runs: &[CacheRun]) -> Vec<PlanRemark> {
    let of_traces = |machine: &MachineFacts| -> Vec<CacheRun> {
        let own = runs.iter();
        let own = own.filter(|run| run.machine.as_ref() == Some(&machine.name));
        let nameless = own.map(|run| CacheRun {
            machine: None,
            ..run.clone()
        });
        nameless.collect()
    };
    let mut remarks = Vec::new();
    for (number, second) in facts.machines.iter().enumerate() {
        let earlier = &facts.machines[..number];
        let same = earlier.iter().find(|first| first.figures == second.figures);
        let for_traces = || {
            let own = of_traces(second);
            (earlier.iter()).find(|first| !own.is_empty() && of_traces(first) == own)
        };
        if let Some(first) = same.or_else(for_traces) {
            remarks.push(PlanRemark::AlikeMachines {
                first: first.name.clone(),
                second: second.name.clone(),
                for_traces: same.is_none(),
            });
        }
    }
    remarks
}

/// Machines that have a number of cycles in common, which is another time on each.
pub(crate) fn different_clocks(runs: &[CacheRun]) -> Option<PlanRemark> {
    let mut clocks: Vec<(&str, f64)> = Vec::new();
    // Numbers are of all machines; no time is the same on each.
    let of_first = runs.first()?.latencies.iter();
    let mut numbers = of_first.filter(|latency| latency.of.is_number() && latency.cycles > 0.0);
    let cycles = numbers.next()?.cycles;
    for run in runs {
        let machine = run.machine.as_deref()?;
        if let Some(ghz) = run.ghz
            && !clocks.iter().any(|(known, _)| *known == machine)
        {
            clocks.push((machine, ghz));
        }
    }
    let (_, first) = clocks.first()?;
    if clocks.iter().all(|(_, ghz)| ghz == first) {
        return None;
    }
    let named = clocks.iter().map(|(machine, ghz)| {
        let ns = crate::quantity::significant(cycles / ghz);
        format!("{cycles} cycles are {ns} ns on {machine}")
    });
    Some(PlanRemark::Clocks(
        named.collect::<Vec<String>>().join(", "),
    ))
}

/// Machines whose own latency is also one of the numbers.
pub(crate) fn own_latencies(runs: &[CacheRun]) -> Option<PlanRemark> {
    let is_both = |run: &CacheRun| {
        let mut latencies = run.latencies.iter();
        latencies.any(|latency| latency.of == LatencyOf::Both)
    };
    let machines = machines(runs.iter().filter(|run| is_both(run)));
    (!machines.is_empty()).then_some(PlanRemark::OwnLatency(machines))
}

/// Machines that leave their clock unknown.
pub(crate) fn unknown_clocks(runs: &[CacheRun]) -> Option<PlanRemark> {
    let machines = machines(runs.iter().filter(|run| run.ghz.is_none()));
    (!machines.is_empty()).then_some(PlanRemark::UnknownClock(machines))
}

/// Each once.
fn machines<'r>(runs: impl Iterator<Item = &'r CacheRun>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for machine in runs.filter_map(|run| run.machine.as_ref()) {
        if !found.contains(machine) {
            found.push(machine.clone());
        }
    }
    found
}

/// What of the axes may be read otherwise than it is meant.
pub(crate) fn of_axes(spec: &SweepSpec) -> Result<Vec<PlanRemark>, SpecError> {
    let of_settings = spec.set.iter();
    let mut axes: Vec<(String, &Axis, Unit)> = of_settings
        .map(|(name, axis)| (format!("set.{name}"), axis, Unit::Bytes))
        .collect();
    let trace = &spec.trace;
    for (name, axis, unit) in [
        ("latencies", &trace.latencies, Unit::None),
        ("slots", &trace.slots, Unit::None),
        ("windows", &trace.windows, Unit::None),
        ("capacities", &trace.capacities, Unit::Bytes),
        ("epoch_slots", &trace.epoch_slots, Unit::None),
    ] {
        axes.extend(
            axis.iter()
                .map(|axis| (format!("trace.{name}"), axis, unit)),
        );
    }
    let mut remarks = Vec::new();
    for (name, axis, unit) in axes {
        let (mut known, mut repeated) = (HashSet::new(), Vec::new());
        for entry in axis.iter() {
            let (texts, values) = match entry {
                Entry::Text(text) if text == MACHINE => (vec![text.clone()], Vec::new()),
                Entry::Number(value) => (Vec::new(), vec![*value]),
                Entry::Text(text) => {
                    let values = in_axis(&name, ranges::values(text, unit))?;
                    remarks.extend(missed(&name, text, &values, unit));
                    (Vec::new(), values)
                }
            };
            // Both zeros are one value.
            let numbers = values.into_iter().map(|value| plain(value + 0.0));
            let again = |value: &String| !known.insert(value.clone());
            repeated.extend(texts.into_iter().chain(numbers).filter(again));
        }
        remarks.extend(PlanRemark::repeated(&name, repeated));
    }
    // What is no size is refused where caches are made of them.
    let caches = trace.caches.iter().flat_map(|caches| caches.iter());
    for size in caches.flat_map(CacheEntry::sizes) {
        let values = ranges::values(size, Unit::Bytes).unwrap_or_default();
        remarks.extend(missed("trace.caches", size, &values, Unit::Bytes));
    }
    Ok(remarks)
}

/// Whether a range ends before its end.
fn missed(axis: &str, range: &str, values: &[f64], unit: Unit) -> Option<PlanRemark> {
    let end = ranges::end(range, unit)?;
    let last = *values.last()?;
    // Steps such as 0.1 have no exact sum.
    let is_met = (last - end).abs() <= 1e-9 * end.abs();
    (!is_met).then(|| PlanRemark::Missed {
        axis: axis.to_string(),
        range: range.to_string(),
        last,
    })
}

/// So many settings or machines of a remark are listed.
const MOST_NAMED: usize = 6;
