//! From what a person writes to shards: the product of the axes, cut where work can be shared no more.

use std::collections::HashMap;
use std::fmt;

use crate::cache::CacheSpec;
pub use crate::counts::Configurations;
use crate::manifest::{
    CacheRun, EpochWork, FileHash, Header, Manifest, Model, PROGRAM, SCHEMA, Shard, SourceWork,
    TraceWork, Work,
};
use crate::ranges::Unit;
use crate::spec::{SpecError, SweepSpec};
use crate::swept::SettingRole;
use crate::trace_axes::{epochs, runs, slots};

/// Configurations of one sweep, at most.
pub const MOST_CONFIGURATIONS: usize = 10_000_000;

/// A source or trace that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    pub name: String,
    /// What is read of it, machine files included.
    pub files: Vec<FileHash>,
}

/// A trace that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceInput {
    pub input: Input,
    /// Whether accesses have their addresses, without which there are neither caches nor epochs.
    pub has_addresses: bool,
}

/// What a sweep needs of a machine.
#[derive(Clone, Debug, PartialEq)]
pub struct MachineFacts {
    pub name: String,
    /// All of it, in the order of the table of parameters.
    pub figures: Vec<Option<f64>>,
    pub ghz: Option<f64>,
    /// Latency of memory in cycles of the core.
    pub latency_cycles: Option<f64>,
    /// Nearest first.
    pub levels: Vec<CacheSpec>,
}

/// Everything that the plan depends on.
pub struct Facts<'a> {
    pub spec: &'a SweepSpec,
    pub sources: &'a [Input],
    pub traces: &'a [TraceInput],
    pub machines: &'a [MachineFacts],
    /// What the parameters are that are set, in the order of [`SweepSpec::set`].
    pub roles: &'a [SettingRole],
    /// Where relative paths begin, seen from the manifest.
    pub root: &'a str,
}

/// Why there is no plan.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    #[error(transparent)]
    Spec(#[from] SpecError),
    #[error("machine {machine} has no {what}; give a number in `trace.{axis}`")]
    Unknown {
        machine: String,
        what: &'static str,
        axis: &'static str,
    },
    #[error(
        "more than {MOST_CONFIGURATIONS} configurations: take values from an axis, or make several sweeps"
    )]
    TooMany,
    #[error(
        "`traces`: {} {NO_ADDRESSES}, and every configuration has caches or counts epochs; `loopsheet record` writes traces \
         that have them, and `trace.caches = \"none\"` needs none",
        .0.join(", ")
    )]
    NoAddresses(Vec<String>),
}

/// What traces are that have no addresses.
const NO_ADDRESSES: &str = "without addresses of accesses";

/// The shards, and what is to be said of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    pub manifest: Manifest,
    pub remarks: Vec<PlanRemark>,
}

/// What readers of the results should know.
#[derive(Clone, Debug, PartialEq, Eq)]
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
                "numbers in `trace.latencies` are cycles of each machine's own clock, and the same cycles are another time where \
                 clocks differ: {machines}; \"machine\" takes the latency in ns from each machine"
            ),
            PlanRemark::AlikeMachines { first, second, .. } => write!(
                f,
                "machines {first} and {second} do not differ in what traces take from them (clock, and caches and latency \
                 where these are \"machine\"): their rows of traces differ in the name only"
            ),
        }
    }
}

/// The shards, those of sources first, each input's together.
///
/// # Errors
/// An axis has something that is not a value, or a machine lacks what an axis takes from it.
pub fn plan(facts: &Facts<'_>) -> Result<Plan, PlanError> {
    let spec = facts.spec;
    let settings: Vec<String> = spec.set.keys().cloned().collect();
    let mut shards = Vec::new();
    let mut remarks = Vec::new();
    if !facts.sources.is_empty() {
        let models = models(facts)?;
        for source in facts.sources {
            for part in models.chunks(spec.shards.models) {
                let work = Work::Source(SourceWork {
                    models: part.to_vec(),
                });
                shards.push(shard(&settings, source, work));
            }
        }
    }
    let mut of_traces = Vec::new();
    if !facts.traces.is_empty() {
        of_traces = runs(facts)?;
        shards.extend(trace_shards(facts, &settings, &of_traces, &mut remarks)?);
    }
    remarks.extend(alike_machines(facts, &of_traces));
    remarks.extend(different_clocks(&of_traces));
    let configurations = shards.iter().map(|shard| shard.work.configurations()).sum();
    if configurations > MOST_CONFIGURATIONS {
        return Err(PlanError::TooMany);
    }
    let header = Header {
        schema: SCHEMA.to_string(),
        program: PROGRAM.to_string(),
        root: facts.root.to_string(),
        settings,
        roles: facts.roles.to_vec(),
        shards: shards.len(),
        configurations,
    };
    let manifest = Manifest { header, shards };
    Ok(Plan { manifest, remarks })
}

fn shard(settings: &[String], input: &Input, work: Work) -> Shard {
    Shard::new(settings, input.name.clone(), input.files.clone(), work)
}

/// The shards of all traces; those without addresses have no caches and epochs.
fn trace_shards(
    facts: &Facts<'_>,
    settings: &[String],
    runs: &[CacheRun],
    remarks: &mut Vec<PlanRemark>,
) -> Result<Vec<Shard>, PlanError> {
    let (slots, epochs) = (slots(facts.spec)?, epochs(facts.spec)?);
    let without: Vec<CacheRun> = (runs.iter())
        .filter(|run| run.caches.is_empty())
        .cloned()
        .collect();
    let of = |runs: &[CacheRun], epochs: &Option<EpochWork>| -> Vec<Work> {
        let parts = by_caches(runs, facts.spec.shards.caches).enumerate();
        let work = parts.map(|(number, runs)| {
            Work::Trace(TraceWork {
                runs,
                slots: slots.clone(),
                // One pass is enough for all windows and capacities.
                epochs: epochs.clone().filter(|_| number == 0),
            })
        });
        work.collect()
    };
    let (all, plain) = (of(runs, &epochs), of(&without, &None));
    let [count, of_plain] =
        [&all, &plain].map(|works| works.iter().map(Work::configurations).sum::<usize>());
    let (mut shards, mut refused) = (Vec::new(), Vec::new());
    for TraceInput {
        input,
        has_addresses,
    } in facts.traces
    {
        let works = if *has_addresses { &all } else { &plain };
        match (has_addresses, of_plain) {
            (true, _) => {}
            (false, 0) => refused.push(input.name.clone()),
            (false, _) if of_plain == count => {}
            (false, _) => remarks.push(PlanRemark::NoAddresses {
                trace: input.name.clone(),
                left_out: count - of_plain,
                of: count,
            }),
        }
        let works = works.iter().cloned();
        shards.extend(works.map(|work| shard(settings, input, work)));
    }
    match refused.is_empty() {
        true => Ok(shards),
        false => Err(PlanError::NoAddresses(refused)),
    }
}

/// Machines that are the same as an earlier one in all that their rows depend on.
fn alike_machines(facts: &Facts<'_>, runs: &[CacheRun]) -> Vec<PlanRemark> {
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
fn different_clocks(runs: &[CacheRun]) -> Option<PlanRemark> {
    let mut clocks: Vec<(&str, f64, f64)> = Vec::new();
    let first = runs.first()?;
    let shared = first.latencies.iter().find(|latency| {
        let mut others = runs.iter();
        others.all(|run| run.latencies.contains(latency))
    });
    for run in runs {
        let machine = run.machine.as_deref()?;
        if !clocks.iter().any(|(known, ..)| *known == machine) {
            clocks.push((machine, run.ghz, *shared?));
        }
    }
    if clocks.iter().all(|(_, ghz, _)| *ghz == first.ghz) {
        return None;
    }
    let named = clocks.iter().map(|(machine, ghz, cycles)| {
        let ns = crate::quantity::significant(cycles / ghz);
        format!("{cycles} cycles are {ns} ns on {machine}")
    });
    Some(PlanRemark::Clocks(
        named.collect::<Vec<String>>().join(", "),
    ))
}

/// Every combination of machine and settings.
fn models(facts: &Facts<'_>) -> Result<Vec<Model>, PlanError> {
    let mut combinations = vec![Vec::new()];
    for (name, axis) in &facts.spec.set {
        let values = axis.values(&format!("set.{name}"), Unit::Bytes)?;
        if combinations.len().saturating_mul(values.len()) > MOST_CONFIGURATIONS {
            return Err(PlanError::TooMany);
        }
        let with = |combination: &Vec<f64>| {
            let combination = combination.clone();
            let more = values
                .iter()
                .map(move |value| [&combination[..], &[*value]].concat());
            more.collect::<Vec<_>>()
        };
        combinations = combinations.iter().flat_map(with).collect();
    }
    let machines = machines(facts);
    let of_machine = |machine: &Option<&MachineFacts>| {
        let machine = machine.map(|machine| machine.name.clone());
        let models = combinations.iter().map(move |values| Model {
            machine: machine.clone(),
            values: values.clone(),
        });
        models.collect::<Vec<_>>()
    };
    Ok(machines.iter().flat_map(of_machine).collect())
}

/// The machines, or none once.
pub(crate) fn machines<'a>(facts: &Facts<'a>) -> Vec<Option<&'a MachineFacts>> {
    match facts.machines {
        [] => vec![None],
        machines => machines.iter().map(Some).collect(),
    }
}

/// Runs in parts, each with no more than so many different hierarchies; runs with the same one stay together.
fn by_caches(runs: &[CacheRun], most: usize) -> impl Iterator<Item = Vec<CacheRun>> {
    let mut hierarchies: HashMap<&[String], usize> = HashMap::new();
    let mut parts: Vec<Vec<CacheRun>> = Vec::new();
    for run in runs {
        let next = hierarchies.len();
        let number = *hierarchies.entry(&run.caches).or_insert(next);
        let part = number / most;
        if part == parts.len() {
            parts.push(Vec::new());
        }
        parts[part].push(run.clone());
    }
    parts.into_iter()
}

#[cfg(test)]
mod tests;
