//! From what a person writes to shards: the product of the axes, cut where work can be shared no more.

use std::collections::HashMap;

use crate::cache::CacheSpec;
pub use crate::counts::Configurations;
use crate::manifest::{
    CacheRun, EpochWork, FileHash, Header, Manifest, Model, NotRead, PROGRAM, SCHEMA, Shard,
    SourceWork, TraceWork, Work,
};
use crate::ranges::Unit;
pub use crate::remark::PlanRemark;
use crate::remark::{
    NO_ADDRESSES, alike_machines, different_clocks, of_axes, own_latencies, unknown_clocks,
};
use crate::spec::{SpecError, SweepSpec};
use crate::swept::{Ambiguous, SettingRole};
use crate::trace_axes::{Runs, epochs, runs, slots};

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
    /// What was read beside the inputs.
    pub read: &'a [String],
    /// `sweep.toml`.
    pub of_spec: &'a FileHash,
    /// What of the sources could not be read.
    pub not_read: &'a [NotRead],
    /// Settings of machines whose names sources give to variables, too.
    pub ambiguous: &'a [Ambiguous],
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

/// The shards, and what is to be said of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    pub manifest: Manifest,
    pub remarks: Vec<PlanRemark>,
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
        let Runs { all, repeated } = runs(facts)?;
        of_traces = all;
        remarks.extend(PlanRemark::repeated("trace.caches", repeated));
        shards.extend(trace_shards(facts, &settings, &of_traces, &mut remarks)?);
    }
    remarks.extend(of_axes(spec)?);
    remarks.extend(alike_machines(facts, &of_traces));
    remarks.extend(different_clocks(&of_traces));
    remarks.extend(own_latencies(&of_traces));
    remarks.extend(unknown_clocks(&of_traces));
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
        read: facts.read.to_vec(),
        spec: Some(facts.of_spec.clone()),
        not_read: facts.not_read.to_vec(),
        ambiguous: facts.ambiguous.to_vec(),
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
