//! Shards that failed: what is missing of which comparison.

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

impl Failure {
    /// How many configurations it has for a problem at a latency.
    pub(crate) fn missing(
        &self,
        (input, kind): (&str, RowKind),
        problem: &[(usize, f64)],
        latency: Option<Latency>,
    ) -> usize {
        if self.input != input {
            return 0;
        }
        match &self.work {
            Work::Source(work) if kind == RowKind::Program => {
                let is_of = |values: &[f64]| {
                    let mut all = problem.iter();
                    all.all(|(position, value)| values.get(*position) == Some(value))
                };
                let models = work.models.iter();
                models.filter(|model| is_of(&model.values)).count()
            }
            Work::Trace(work) if kind == RowKind::Trace => {
                let all = work.runs.iter().flat_map(|run| &run.latencies);
                let same = all.filter(|own| Latency::of(**own).any(|own| Some(own) == latency));
                same.count() * work.slots.len()
            }
            _ => 0,
        }
    }
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
    let mut known = std::collections::HashSet::new();
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
        let missing = |input, latency| failure.missing((input, RowKind::Trace), &[], latency);
        assert_eq!(missing("t", Some(Latency::Cycles(50.0))), 4);
        assert_eq!(missing("t", Some(Latency::OfMachine)), 4);
        assert_eq!(missing("t", Some(Latency::Cycles(70.0))), 0);
        assert_eq!(missing("u", Some(Latency::OfMachine)), 0);
    }
}
