//! The axes of traces: runs with caches and latencies, slots, epochs.

use std::collections::{BTreeSet, HashMap};

use crate::latency::{LatencyOf, RunLatency};
use crate::manifest::{CacheRun, EpochWork};
use crate::plan::{Facts, MOST_CONFIGURATIONS, MachineFacts, PlanError, machines};
use crate::ranges::Unit;
use crate::spec::{CacheEntry, Caches, OneOrMany, OrMachine, SpecError, SweepSpec};

/// What runs with caches there are.
pub(crate) struct Runs {
    pub all: Vec<CacheRun>,
    /// Hierarchies that are there more than once.
    pub repeated: Vec<String>,
}

/// Every combination of machine and caches, with all latencies.
pub(crate) fn runs(facts: &Facts<'_>) -> Result<Runs, PlanError> {
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
    refuse_too_many(facts, &entries, latencies.len())?;
    let has_areas = entries.iter().any(|entry| entry.area_mm2().is_some());
    let mut runs = Collected::default();
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
                let bytes: u64 = caches.iter().map(|level| level.bytes).sum();
                let run = CacheRun {
                    machine: machine.map(|machine| machine.name.clone()),
                    ghz: machine.and_then(|machine| machine.ghz),
                    area_mm2: match spec.area.mm2_per_mib {
                        Some(mm2) => Some(bytes as f64 / f64::from(1 << 20) * mm2),
                        // No cache takes nothing, where others have areas.
                        None => (has_areas && caches.is_empty()).then_some(0.0),
                    },
                    caches: caches.iter().map(ToString::to_string).collect(),
                    latencies: latencies.clone(),
                };
                runs.add(run, entry.area_mm2())?;
            }
        }
    }
    Ok(Runs {
        all: runs.all,
        repeated: runs.repeated.into_iter().collect(),
    })
}

/// What has too many configurations is not expanded.
fn refuse_too_many(
    facts: &Facts<'_>,
    entries: &[CacheEntry],
    latencies: usize,
) -> Result<(), PlanError> {
    let slots = slots(facts.spec)?.len();
    let machines = machines(facts).len();
    for entry in entries {
        // Those of one entry differ; of several entries some may be the same.
        let axes = [
            entry.count()?,
            latencies,
            slots,
            machines,
            facts.traces.len(),
        ];
        if axes.into_iter().fold(1, usize::saturating_mul) > MOST_CONFIGURATIONS {
            return Err(PlanError::TooMany);
        }
    }
    Ok(())
}

/// Every hierarchy of a machine once, however many entries name it.
#[derive(Default)]
struct Collected {
    all: Vec<CacheRun>,
    /// The area that an entry gives, of each.
    own: Vec<Option<f64>>,
    known: HashMap<(Option<String>, Vec<String>), usize>,
    /// Those that come again, each once.
    repeated: BTreeSet<String>,
}

impl Collected {
    /// An area that an entry gives stands before one by size, of whichever entry.
    fn add(&mut self, run: CacheRun, own: Option<f64>) -> Result<(), SpecError> {
        let key = (run.machine.clone(), run.caches.clone());
        let at = *self.known.entry(key).or_insert(self.all.len());
        if at == self.all.len() {
            self.all.push(run);
            self.own.push(None);
        } else {
            let named = match &run.caches[..] {
                [] => "none".to_string(),
                levels => levels.join(" + "),
            };
            self.repeated.insert(named);
        }
        match (self.own[at], own) {
            (Some(one), Some(other)) if one != other => Err(SpecError::Areas {
                caches: self.all[at].caches.join(" + "),
                one,
                other,
            }),
            (_, Some(area)) => {
                self.own[at] = Some(area);
                self.all[at].area_mm2 = Some(area);
                Ok(())
            }
            (_, None) => Ok(()),
        }
    }
}

fn latencies_on(
    machine: Option<&MachineFacts>,
    latencies: &[OrMachine],
) -> Result<Vec<RunLatency>, PlanError> {
    let axis = "trace.latencies";
    let mut all: Vec<RunLatency> = Vec::new();
    let mut known: HashMap<u64, usize> = HashMap::new();
    for latency in latencies {
        let (cycles, of) = match (latency, machine) {
            (OrMachine::Value(value), _) => {
                let value = in_range(axis, *value, (0.0, 1e9), "from 0 to 1e9 cycles")?;
                (value, LatencyOf::Number)
            }
            (OrMachine::Machine, None) => return Err(SpecError::NoMachine { axis }.into()),
            (OrMachine::Machine, Some(machine)) => {
                let cycles = machine.latency_cycles.ok_or_else(|| PlanError::Unknown {
                    machine: machine.name.clone(),
                    // Nanoseconds are cycles only of a known clock.
                    what: match machine.ghz {
                        Some(_) => "dram_latency_ns (latency of memory)",
                        None => "ghz (clock), which makes cycles of its latency in ns",
                    },
                    axis: "latencies",
                })?;
                (cycles, LatencyOf::Machine)
            }
        };
        // What a machine has may be in the list, too: computed once, and compared as both. Both zeros are one value.
        let at = *known.entry((cycles + 0.0).to_bits()).or_insert(all.len());
        match all.get_mut(at) {
            None => all.push(RunLatency { cycles, of }),
            Some(same) if same.of != of => same.of = LatencyOf::Both,
            Some(_) => {}
        }
    }
    Ok(all)
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

pub(crate) fn slots(spec: &SweepSpec) -> Result<Vec<f64>, PlanError> {
    /// As `loopsheet trace` has it.
    const USUAL_SLOTS: f64 = 4.0;
    let Some(axis) = &spec.trace.slots else {
        return Ok(vec![USUAL_SLOTS]);
    };
    let values = axis.values("trace.slots", Unit::None)?;
    let one = |value: f64| in_range("trace.slots", value, (1.0, 1e9), "from 1 to 1e9");
    values.into_iter().map(one).collect()
}

pub(crate) fn epochs(spec: &SweepSpec) -> Result<Option<EpochWork>, PlanError> {
    const COUNT: (f64, &str) = (u32::MAX as f64, "a whole number from 1 to 4294967295");
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
    let whole = |axis: &str, values: Vec<f64>, (most, expected): (f64, &'static str)| {
        let one = |value: f64| match value.fract() == 0.0 {
            true => in_range(axis, value, (1.0, most), expected),
            false => Err(PlanError::Spec(SpecError::Value {
                axis: axis.to_string(),
                value,
                expected,
            })),
        };
        let mut values = values.into_iter().map(one).collect::<Result<Vec<_>, _>>()?;
        values.sort_by(f64::total_cmp);
        Ok::<Vec<f64>, PlanError>(values)
    };
    let windows = whole(
        "trace.windows",
        windows.values("trace.windows", Unit::None)?,
        COUNT,
    )?;
    let capacities = match &trace.capacities {
        Some(axis) => whole(
            "trace.capacities",
            axis.values("trace.capacities", Unit::Bytes)?,
            (4e15, "a whole number from 1 to 4e15"),
        )?,
        // Those of `trace --epochs`.
        None => (10..=30).map(|bits| f64::from(1 << bits)).collect(),
    };
    let slots = match &trace.epoch_slots {
        Some(axis) => whole(
            "trace.epoch_slots",
            axis.values("trace.epoch_slots", Unit::None)?,
            COUNT,
        )?,
        None => Vec::new(),
    };
    Ok(Some(EpochWork {
        windows: windows.into_iter().map(|value| value as u32).collect(),
        capacities: capacities.into_iter().map(|value| value as u64).collect(),
        slots: slots.into_iter().map(|value| value as u32).collect(),
    }))
}
