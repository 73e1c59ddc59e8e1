//! From what a person writes to shards: the product of the axes, cut where work can be shared no more.

use crate::cache::CacheSpec;
use crate::hash::Hash;
use crate::manifest::{
    CacheRun, EpochWork, FileHash, Header, Manifest, Model, PROGRAM, SCHEMA, Shard, SourceWork,
    TraceWork, Work,
};
use crate::ranges::Unit;
use crate::spec::{CacheEntry, Caches, OneOrMany, OrMachine, SpecError, SweepSpec};

/// Configurations of one sweep, at most.
pub const MOST_CONFIGURATIONS: usize = 10_000_000;

/// A source or trace that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    pub name: String,
    /// What is read of it, machine files included.
    pub files: Vec<FileHash>,
}

/// What a sweep needs of a machine.
#[derive(Clone, Debug, PartialEq)]
pub struct MachineFacts {
    pub name: String,
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
    pub traces: &'a [Input],
    pub machines: &'a [MachineFacts],
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
}

/// The shards, those of sources first, each input's together.
///
/// # Errors
/// An axis has something that is not a value, or a machine lacks what an axis takes from it.
pub fn plan(facts: &Facts<'_>) -> Result<Manifest, PlanError> {
    let spec = facts.spec;
    let settings: Vec<String> = spec.set.keys().cloned().collect();
    let mut shards = Vec::new();
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
    if !facts.traces.is_empty() {
        let (runs, slots, epochs) = (runs(facts)?, slots(spec)?, epochs(spec)?);
        for trace in facts.traces {
            for (number, part) in by_caches(&runs, spec.shards.caches).enumerate() {
                let work = Work::Trace(TraceWork {
                    runs: part,
                    slots: slots.clone(),
                    // One pass is enough for all windows and capacities.
                    epochs: epochs.clone().filter(|_| number == 0),
                });
                shards.push(shard(&settings, trace, work));
            }
        }
    }
    let configurations = shards.iter().map(|shard| shard.work.configurations()).sum();
    if configurations > MOST_CONFIGURATIONS {
        return Err(PlanError::TooMany);
    }
    let header = Header {
        schema: SCHEMA.to_string(),
        program: PROGRAM.to_string(),
        root: facts.root.to_string(),
        settings,
        shards: shards.len(),
        configurations,
    };
    Ok(Manifest { header, shards })
}

fn shard(settings: &[String], input: &Input, work: Work) -> Shard {
    let all = (SCHEMA, PROGRAM, settings, &input.name, &input.files, &work);
    let text = serde_json::to_vec(&all).expect("names and numbers are JSON");
    Shard {
        hash: Hash::of(&text),
        input: input.name.clone(),
        files: input.files.clone(),
        work,
    }
}

impl Work {
    /// How many configurations it has.
    pub fn configurations(&self) -> usize {
        self.counts().total()
    }

    fn counts(&self) -> Configurations {
        match self {
            Work::Source(work) => Configurations {
                models: work.models.len(),
                ..Configurations::default()
            },
            Work::Trace(work) => {
                let of_run = |run: &CacheRun| run.latencies.len() * work.slots.len();
                let of_epochs = |epochs: &EpochWork| {
                    epochs.windows.len() * epochs.capacities.len() * (epochs.slots.len() + 1)
                };
                Configurations {
                    models: 0,
                    runs: work.runs.iter().map(of_run).sum(),
                    epochs: work.epochs.as_ref().map_or(0, of_epochs),
                }
            }
        }
    }
}

/// How many configurations there are of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Configurations {
    /// Models of sources.
    pub models: usize,
    /// Runs of traces with caches, a latency and slots.
    pub runs: usize,
    /// Windows and capacities of epochs.
    pub epochs: usize,
}

impl Configurations {
    pub fn of(manifest: &Manifest) -> Configurations {
        let mut all = Configurations::default();
        for shard in &manifest.shards {
            let Configurations {
                models,
                runs,
                epochs,
            } = shard.work.counts();
            all.models += models;
            all.runs += runs;
            all.epochs += epochs;
        }
        all
    }

    pub fn total(self) -> usize {
        self.models + self.runs + self.epochs
    }

    /// What the kinds are, where there is more than one: ` (3 of sources, 7 of traces)`.
    pub fn in_parentheses(self) -> String {
        let kinds = [
            (self.models, "of sources"),
            (self.runs, "of traces"),
            (self.epochs, "of epochs"),
        ];
        let there = kinds.iter().filter(|(count, _)| *count > 0);
        let there: Vec<String> = there
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        match there.len() {
            0 | 1 => String::new(),
            _ => format!(" ({})", there.join(", ")),
        }
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
fn machines<'a>(facts: &Facts<'a>) -> Vec<Option<&'a MachineFacts>> {
    match facts.machines {
        [] => vec![None],
        machines => machines.iter().map(Some).collect(),
    }
}

/// Every combination of machine and caches, with all latencies.
fn runs(facts: &Facts<'_>) -> Result<Vec<CacheRun>, PlanError> {
    /// As `loopsheet trace` has it.
    const USUAL_LATENCY: f64 = 100.0;
    let spec = facts.spec;
    let entries = match &spec.trace.caches {
        None if facts.machines.is_empty() => vec![CacheEntry::Text("none".into())],
        None => vec![CacheEntry::Text("machine".into())],
        Some(OneOrMany(entries)) if entries.is_empty() => {
            let axis = "trace.caches".to_string();
            return Err(SpecError::Empty { axis }.into());
        }
        Some(OneOrMany(entries)) => entries.clone(),
    };
    let latencies = match &spec.trace.latencies {
        None => vec![OrMachine::Value(USUAL_LATENCY)],
        Some(axis) => axis.values_or_machine("trace.latencies")?,
    };
    let mut runs: Vec<CacheRun> = Vec::new();
    for machine in machines(facts) {
        let latencies = latencies_on(machine, &latencies)?;
        for entry in &entries {
            for caches in entry.caches()? {
                let caches = match (caches, machine) {
                    (Caches::Levels(levels), _) => levels,
                    (Caches::Machine, Some(machine)) => machine.levels.clone(),
                    (Caches::Machine, None) => {
                        let axis = "trace.caches";
                        return Err(SpecError::NoMachine { axis }.into());
                    }
                };
                let run = CacheRun {
                    machine: machine.map(|machine| machine.name.clone()),
                    ghz: machine.and_then(|machine| machine.ghz).unwrap_or(1.0),
                    area_mm2: entry.area_mm2().or(spec.area.mm2_per_mib.map(|mm2| {
                        let bytes: u64 = caches.iter().map(|level| level.bytes).sum();
                        bytes as f64 / f64::from(1 << 20) * mm2
                    })),
                    caches: caches.iter().map(ToString::to_string).collect(),
                    latencies: latencies.clone(),
                };
                // A range and an entry of its own may name the same.
                if !runs.contains(&run) {
                    runs.push(run);
                }
            }
        }
    }
    Ok(runs)
}

fn latencies_on(
    machine: Option<&MachineFacts>,
    latencies: &[OrMachine],
) -> Result<Vec<f64>, PlanError> {
    let axis = "trace.latencies";
    let one = |latency: &OrMachine| match (latency, machine) {
        (OrMachine::Value(value), _) => in_range(axis, *value, (0.0, 1e9), "from 0 to 1e9 cycles"),
        (OrMachine::Machine, None) => Err(SpecError::NoMachine { axis }.into()),
        (OrMachine::Machine, Some(machine)) => {
            machine.latency_cycles.ok_or_else(|| PlanError::Unknown {
                machine: machine.name.clone(),
                what: "latency of memory and clock",
                axis: "latencies",
            })
        }
    };
    latencies.iter().map(one).collect()
}

fn in_range(
    axis: &str,
    value: f64,
    (least, most): (f64, f64),
    expected: &'static str,
) -> Result<f64, PlanError> {
    if (least..=most).contains(&value) {
        return Ok(value);
    }
    let axis = axis.to_string();
    Err(SpecError::Value {
        axis,
        value,
        expected,
    }
    .into())
}

fn slots(spec: &SweepSpec) -> Result<Vec<f64>, PlanError> {
    /// As `loopsheet trace` has it.
    const USUAL_SLOTS: f64 = 4.0;
    let Some(axis) = &spec.trace.slots else {
        return Ok(vec![USUAL_SLOTS]);
    };
    let values = axis.values("trace.slots", Unit::None)?;
    let one = |value: f64| in_range("trace.slots", value, (1.0, 1e9), "from 1 to 1e9");
    values.into_iter().map(one).collect()
}

fn epochs(spec: &SweepSpec) -> Result<Option<EpochWork>, PlanError> {
    let trace = &spec.trace;
    let Some(windows) = &trace.windows else {
        let idle = [
            (trace.capacities.is_some(), "capacities"),
            (trace.epoch_slots.is_some(), "epoch_slots"),
        ];
        return match idle.into_iter().find(|(is_given, _)| *is_given) {
            Some((_, axis)) => Err(SpecError::NoWindows(axis).into()),
            None => Ok(None),
        };
    };
    let whole = |axis: &str, values: Vec<f64>| {
        let one = |value: f64| {
            let value = match value.fract() == 0.0 {
                true => value,
                false => f64::NAN,
            };
            in_range(axis, value, (1.0, 4e15), "a whole number, at least 1")
        };
        let mut values = values.into_iter().map(one).collect::<Result<Vec<_>, _>>()?;
        values.sort_by(f64::total_cmp);
        Ok::<Vec<f64>, PlanError>(values)
    };
    let windows = whole(
        "trace.windows",
        windows.values("trace.windows", Unit::None)?,
    )?;
    let capacities = match &trace.capacities {
        Some(axis) => whole(
            "trace.capacities",
            axis.values("trace.capacities", Unit::Bytes)?,
        )?,
        // Those of `trace --epochs`.
        None => (10..=30).map(|bits| f64::from(1 << bits)).collect(),
    };
    let slots = match &trace.epoch_slots {
        Some(axis) => whole(
            "trace.epoch_slots",
            axis.values("trace.epoch_slots", Unit::None)?,
        )?,
        None => Vec::new(),
    };
    Ok(Some(EpochWork {
        windows: windows.into_iter().map(|value| value as u32).collect(),
        capacities: capacities.into_iter().map(|value| value as u64).collect(),
        slots: slots.into_iter().map(|value| value as u32).collect(),
    }))
}

/// Runs in parts, each with no more than so many different hierarchies; runs with the same one stay together.
fn by_caches(runs: &[CacheRun], most: usize) -> impl Iterator<Item = Vec<CacheRun>> {
    let mut hierarchies: Vec<&[String]> = Vec::new();
    let mut parts: Vec<Vec<CacheRun>> = Vec::new();
    for run in runs {
        let known = hierarchies.iter().position(|known| *known == run.caches);
        let number = known.unwrap_or_else(|| {
            hierarchies.push(&run.caches);
            hierarchies.len() - 1
        });
        let part = number / most;
        if part == parts.len() {
            parts.push(Vec::new());
        }
        parts[part].push(run.clone());
    }
    parts.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(name: &str, content: &[u8]) -> Input {
        Input {
            name: name.into(),
            files: vec![FileHash {
                path: name.into(),
                sha256: Hash::of(content),
            }],
        }
    }

    fn manifest(text: &str, content: &[u8]) -> Result<Manifest, PlanError> {
        let spec = SweepSpec::parse(text).expect("sound");
        let inputs = |names: &[String]| names.iter().map(|name| input(name, content)).collect();
        let (sources, traces): (Vec<Input>, Vec<Input>) =
            (inputs(&spec.sources.0), inputs(&spec.traces.0));
        let machines = spec.machines.0.iter().map(|name| MachineFacts {
            name: name.clone(),
            ghz: Some(2.0),
            latency_cycles: None,
            levels: vec!["32KiB".parse().expect("a cache")],
        });
        plan(&Facts {
            spec: &spec,
            sources: &sources,
            traces: &traces,
            machines: &machines.collect::<Vec<_>>(),
            root: ".",
        })
    }

    const BOTH: &str = "sources = [\"a.c\"]\ntraces = [\"t\", \"u\"]\nmachines = [\"x\", \"y\"]\n\
        [set]\nn = \"1..3\"\nm = [4, 5]\n\
        [trace]\ncaches = [\"machine\", \"1KiB..4KiB:x2\"]\nlatencies = [50, 100]\nslots = [4, 8, 16]\n\
        [shards]\nmodels = 5\ncaches = 2\n";

    #[test]
    fn the_product_of_all_axes() {
        let manifest = manifest(BOTH, b"").expect("a plan");
        // 2 machines × 3 × 2 sizes in parts of 5; two traces, each with 4 hierarchies in parts of 2.
        assert_eq!(manifest.header.shards, 3 + 2 * 2);
        // Of a trace: 2 machines × 4 caches × 2 latencies × 3 slots.
        assert_eq!(manifest.header.configurations, 12 + 2 * 48);
        let read = Manifest::parse(&manifest.to_lines()).expect("its own text");
        assert_eq!(read, manifest);
    }

    #[test]
    fn a_hash_follows_all_that_counts() {
        let hashes = |text: &str, content: &[u8]| {
            let shards = manifest(text, content).expect("a plan").shards;
            shards
                .into_iter()
                .map(|shard| shard.hash)
                .collect::<Vec<_>>()
        };
        let before = hashes(BOTH, b"");
        assert_eq!(hashes(BOTH, b""), before);
        let differ = |text: &str, content: &[u8]| {
            let now = hashes(text, content);
            before.iter().filter(|hash| !now.contains(hash)).count()
        };
        assert_eq!(differ(BOTH, b"changed"), before.len());
        // Sources do not depend on latencies, nor traces on how many models fit into a shard.
        assert_eq!(differ(&BOTH.replace("50,", "60,"), b""), 4);
        assert_eq!(differ(&BOTH.replace("models = 5", "models = 6"), b""), 3);
        let distinct: std::collections::BTreeSet<_> = before.iter().collect();
        assert_eq!(distinct.len(), before.len());
    }

    #[test]
    fn what_a_machine_lacks_is_said() {
        let refused = |text: &str, why: &str| {
            let error = manifest(text, b"").expect_err(text).to_string();
            assert!(error.contains(why), "{error}");
        };
        refused(
            &BOTH.replace("50,", "\"machine\","),
            "machine x has no latency",
        );
        refused(
            "traces = [\"t\"]\n[trace]\ncaches = [\"machine\"]\n",
            "names none",
        );
        refused("traces = [\"t\"]\n[trace]\nslots = 0\n", "from 1");
        refused("traces = [\"t\"]\n[trace]\nepoch_slots = 4\n", "windows");
        refused("traces = [\"t\"]\n[trace]\nwindows = 1.5\n", "whole");
    }
}
