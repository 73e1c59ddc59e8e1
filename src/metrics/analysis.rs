//! One pass over a trace that counts everything a run asks for: it resolves who depends on whom and which accesses go
//! to RAM, once, and lets every metric watch.

use crate::cache::hierarchy::Atomics;
use crate::cache::{CacheSpec, LevelCounters};
use crate::dataflow::{Dependences, Next, Operation, Steps};
use crate::trace::{Batch, Consumer, Instruction};
use loopsheet_regions::Sites;

use super::catalogue;
use super::counted::{Counted, CountedRegion, RegionId};
use super::entry::Asked;
use super::metric::{Metric, Program, Run, Stretch};
use super::profile::{Moved, ProfileMeter};
use super::ram::{Ram, RamUse};
use super::report::CacheLevel;
use super::settings::{Settings, SettingsError};

/// Says which region an instruction belongs to; asked once for each that appears.
pub type RegionOf<'r> = &'r mut dyn FnMut(&Instruction) -> RegionId;

/// The pass.
pub struct Analysis<'r> {
    settings: Settings,
    program: Program,
    /// How often each instruction was executed.
    executions: Vec<u64>,
    region_of: Option<RegionOf<'r>>,
    shared: Shared,
    /// What was executed and the metrics have not seen.
    ahead: Ahead,
    metrics: Vec<Box<dyn Metric + 'r>>,
}

/// What is found out once for all metrics.
struct Shared {
    dependences: Dependences,
    ram: Ram,
    watches_levels: bool,
}

/// A stretch of the program order.
#[derive(Default)]
struct Ahead {
    steps: Steps<RamUse>,
    moved: Vec<Moved>,
}

/// Steps of a stretch: they stay in the nearest cache while the metrics take them.
const STRETCH: usize = 1024;

impl<'r> Analysis<'r> {
    /// # Errors
    /// The caches are not a hierarchy, or a metric cannot be made with these settings.
    pub fn new(
        settings: Settings,
        region_of: Option<RegionOf<'r>>,
    ) -> Result<Analysis<'r>, SettingsError> {
        let atomics = Atomics::of_run(settings.like_edan);
        let asked = Asked {
            settings: &settings,
            by_region: region_of.is_some(),
        };
        let metrics = catalogue::asked(&asked)?;
        Ok(Analysis {
            shared: Shared {
                dependences: Dependences::new(settings.rules),
                ram: Ram::new(&settings.caches, atomics)?,
                watches_levels: metrics.iter().any(|metric| metric.watches_levels()),
            },
            metrics,
            program: Program::default(),
            executions: Vec::new(),
            region_of,
            ahead: Ahead::default(),
            settings,
        })
    }

    /// Lets one more metric watch. It finishes before those that are there, which may use what it counted.
    #[must_use]
    pub fn with(mut self, metric: Box<dyn Metric + 'r>) -> Analysis<'r> {
        self.shared.watches_levels |= metric.watches_levels();
        self.metrics.insert(0, metric);
        self
    }

    /// Counts by source line too.
    #[must_use]
    pub fn with_profile(self, sites: Sites) -> Analysis<'r> {
        self.with(Box::new(ProfileMeter::new(sites)))
    }

    /// Counts reuse, epochs and C-AMAT by region too, as far as they are asked for.
    #[must_use]
    pub fn with_region_details(mut self) -> Analysis<'r> {
        self.metrics
            .iter_mut()
            .for_each(|metric| metric.split_by_region());
        self
    }

    fn add_instruction(&mut self, instruction: &Instruction) {
        let region = self
            .region_of
            .as_mut()
            .map_or(0, |region_of| region_of(instruction));
        let facts = &instruction.decoded.facts;
        let program = &mut self.program;
        program.operations.push(Operation::new(instruction));
        program
            .cycles
            .push(u64::from(self.settings.costs.of(facts.class)));
        program
            .is_omitted
            .push(self.settings.like_edan && facts.edan_omits);
        program.regions.push(region);
        program.instructions.push(instruction.clone());
        self.executions.push(0);
        self.shared.dependences.add_hart(instruction.hart);
        for metric in &mut self.metrics {
            metric.add(&self.program);
        }
    }

    /// What was counted. Without addresses nothing is said of memory.
    pub fn finish(self, has_addresses: bool) -> Counted {
        let (cache, dirty_bytes) = match &self.shared.ram {
            Ram::Uncached => (Vec::new(), 0),
            Ram::Cached(hierarchy) => {
                let level = |(spec, counters): (&CacheSpec, &LevelCounters)| CacheLevel {
                    spec: *spec,
                    counters: *counters,
                };
                let levels = hierarchy.specs().zip(hierarchy.counters());
                (levels.map(level).collect(), hierarchy.dirty_bytes())
            }
        };
        let mut counted = Counted {
            cache,
            dirty_bytes,
            ..Counted::default()
        };
        self.count_mixes(&mut counted);
        let run = Run {
            program: &self.program,
            executions: &self.executions,
            has_addresses,
        };
        for metric in self.metrics {
            metric.finish(&run, &mut counted);
        }
        counted.instructions = self.program.instructions;
        counted.executions = self.executions;
        counted
    }

    /// Executions by class, of the whole and of every region.
    fn count_mixes(&self, counted: &mut Counted) {
        let Program {
            instructions,
            regions,
            ..
        } = &self.program;
        let instructions = instructions.iter().zip(regions);
        for ((instruction, region), count) in instructions.zip(&self.executions) {
            let class = instruction.decoded.facts.class;
            *counted.mix.entry(class).or_default() += count;
            if self.region_of.is_none() {
                continue;
            }
            let region = *region as usize;
            if counted.regions.len() <= region {
                counted
                    .regions
                    .resize_with(region + 1, CountedRegion::default);
            }
            let region = &mut counted.regions[region];
            region.instructions += count;
            *region.mix.entry(class).or_default() += count;
        }
    }
}

impl Consumer for Analysis<'_> {
    fn take(&mut self, batch: &Batch) {
        for instruction in &batch.instructions {
            self.add_instruction(instruction);
        }
        let Analysis {
            program,
            executions,
            shared,
            ahead,
            metrics,
            ..
        } = self;
        let (operations, is_omitted) = (&program.operations[..], &program.is_omitted[..]);
        let executions = &mut executions[..];
        batch.for_each(|instruction, addresses| {
            let number = instruction.0 as usize;
            executions[number] += 1;
            if is_omitted[number] {
                return;
            }
            let next = Next {
                instruction,
                operation: &operations[number],
                addresses,
            };
            shared.resolve(next, ahead);
            if ahead.steps.len() == STRETCH {
                show(metrics, program, shared, ahead);
            }
        });
        show(metrics, program, shared, ahead);
    }
}

/// Shows the metrics what they have not seen.
#[inline(never)]
fn show(
    metrics: &mut [Box<dyn Metric + '_>],
    program: &Program,
    shared: &Shared,
    ahead: &mut Ahead,
) {
    let stretch = Stretch {
        program,
        steps: &ahead.steps,
        levels: shared.ram.levels(),
        moved: &ahead.moved,
    };
    for metric in metrics {
        metric.take(&stretch);
    }
    ahead.steps.clear();
    ahead.moved.clear();
}

impl Shared {
    #[inline(always)]
    fn resolve(&mut self, next: Next<'_>, ahead: &mut Ahead) {
        let Shared {
            dependences,
            ram,
            watches_levels,
        } = self;
        let Ahead { steps, moved } = ahead;
        let used = |access| {
            let used = ram.access(access, next.addresses);
            if *watches_levels && used.left_nearest {
                moved.extend(ram.moved());
            }
            used
        };
        dependences.resolve(next, used, steps);
    }
}
