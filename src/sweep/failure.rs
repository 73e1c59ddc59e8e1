//! Shards that failed: what is missing of which comparison.

use std::collections::{HashMap, HashSet};

use crate::latency::Latency;
use crate::manifest::{CacheRun, SourceWork, TraceWork, Work};
use crate::ranges::plain;
use crate::row::RowKind;
use crate::wording::counted;

/// A shard that failed.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    pub input: String,
    pub error: String,
    /// What it would have computed.
    pub work: Work,
}

/// What configurations are compared at: the values of the problem that they solve, and the latency of memory.
pub(crate) type ComparedAt = (Vec<u64>, Option<u64>);

/// How many configurations of an input are missing in each comparison; `given` are the parameters that are the problem.
pub(crate) fn missing(
    failures: &[Failure],
    (input, kind): (&str, RowKind),
    given: &[usize],
) -> HashMap<ComparedAt, usize> {
    let mut found: HashMap<ComparedAt, usize> = HashMap::new();
    for failure in failures.iter().filter(|failure| failure.input == input) {
        match &failure.work {
            Work::Source(work) if kind == RowKind::Program => {
                for model in &work.models {
                    let values = given.iter().filter_map(|at| model.values.get(*at));
                    let problem = values.map(|value| value.to_bits()).collect();
                    *found.entry((problem, None)).or_default() += 1;
                }
            }
            Work::Trace(work) if kind == RowKind::Trace => {
                let latencies = work.runs.iter().flat_map(|run| &run.latencies);
                for latency in latencies.flat_map(|latency| Latency::of(*latency)) {
                    let at = (Vec::new(), Some(latency.key()));
                    *found.entry(at).or_default() += work.slots.len();
                }
            }
            _ => {}
        }
    }
    found
}

/// The configurations of a shard in words; `settings` are the parameters that are set.
pub fn in_words(work: &Work, settings: &[String]) -> String {
    let parts = match work {
        Work::Source(work) => of_source(work, settings),
        Work::Trace(work) => of_trace(work),
    };
    let count = counted(work.configurations(), "configuration");
    match parts.is_empty() {
        true => count,
        false => format!("{count}: {}", parts.join("; ")),
    }
}

fn of_source(work: &SourceWork, settings: &[String]) -> Vec<String> {
    let machines = work.models.iter().filter_map(|model| model.machine.clone());
    let of_settings = settings.iter().enumerate().filter_map(|(position, name)| {
        let values = work.models.iter();
        let values = values.filter_map(|model| model.values.get(position).copied());
        listed(values.map(plain)).map(|values| format!("{name} = {values}"))
    });
    listed(machines).into_iter().chain(of_settings).collect()
}

fn of_trace(work: &TraceWork) -> Vec<String> {
    let machines = work.runs.iter().filter_map(|run| run.machine.clone());
    let caches = |run: &CacheRun| match &run.caches[..] {
        [] => "none".to_string(),
        levels => levels.join(" + "),
    };
    let latencies = work.runs.iter().flat_map(|run| &run.latencies);
    let named = |name: &str, values: Option<String>| values.map(|text| format!("{name} {text}"));
    let epochs = work.epochs.as_ref();
    let windows = epochs.and_then(|epochs| listed(epochs.windows.iter().map(u32::to_string)));
    [
        listed(machines),
        named("caches", listed(work.runs.iter().map(caches))),
        named(
            "α =",
            listed(latencies.map(|latency| plain(latency.cycles))),
        ),
        named("m =", listed(work.slots.iter().copied().map(plain))),
        named("epochs of windows", windows),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Each once; all of few, of many the first and the last. None of none.
fn listed(texts: impl Iterator<Item = String>) -> Option<String> {
    const MOST_NAMED: usize = 6;
    let mut each: Vec<String> = Vec::new();
    let mut known = HashSet::new();
    each.extend(texts.filter(|text| known.insert(text.clone())));
    match &each[..] {
        [] => None,
        [first, .., last] if each.len() > MOST_NAMED => {
            Some(format!("{first} … {last} ({} values)", each.len()))
        }
        all => Some(all.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::latency::{LatencyOf, RunLatency};

    #[test]
    fn what_was_not_computed_is_named() {
        let run = |caches: &str, own: f64| CacheRun {
            machine: Some("x".into()),
            ghz: Some(1.0),
            caches: vec![caches.into()],
            area_mm2: None,
            latencies: vec![
                RunLatency::number(50.0),
                RunLatency {
                    cycles: own,
                    of: LatencyOf::Machine,
                },
            ],
        };
        let work = Work::Trace(TraceWork {
            runs: vec![run("1KiB", 70.0), run("2KiB", 70.0)],
            slots: vec![4.0, 8.0],
            epochs: None,
        });
        let expected = "8 configurations: x; caches 1KiB, 2KiB; α = 50, 70; m = 4, 8";
        assert_eq!(in_words(&work, &[]), expected);
        let failure = Failure {
            input: "t".into(),
            error: String::new(),
            work,
        };
        let failures = [failure];
        let missing = |input| missing(&failures, (input, RowKind::Trace), &[]);
        let of = |latency: Latency| {
            missing("t")
                .get(&(Vec::new(), Some(latency.key())))
                .copied()
        };
        assert_eq!(of(Latency::Cycles(50.0)), Some(4));
        assert_eq!(of(Latency::OfMachine), Some(4));
        assert_eq!(of(Latency::Cycles(70.0)), None);
        assert!(missing("u").is_empty());
    }
}
