//! One pass over a trace that counts everything a run asks for: it resolves who depends on whom and which accesses go
//! to RAM, once, and lets every metric watch.
//!
//! What a trace executes next is resolved while the metrics watch, side by side, what was resolved before.

use crate::cache::hierarchy::Atomics;
use crate::cache::{CacheSpec, LevelCounters};
use crate::dataflow::{Block, Dependences, Next, Operation, Steps};
use crate::trace::isa::Access;
use crate::trace::{self, Batch, Consumer, Instruction, InstructionId, Piece};
use loopsheet_regions::Sites;

use super::catalogue;
use super::counted::{Counted, CountedRegion, RegionId};
use super::entry::Asked;
use super::metric::{Metric, Program, Run};
use super::profile::ProfileMeter;
use super::ram::{Ram, RamUse};
use super::report::CacheLevel;
use super::settings::{Settings, SettingsError};
use super::watchers::{Added, Ahead, Watchers};

/// Says which region an instruction belongs to; asked once for each that appears.
pub type RegionOf<'r> = &'r mut dyn FnMut(&Instruction) -> RegionId;

/// The pass.
pub struct Analysis<'r> {
    settings: Settings,
    program: Program,
    /// How often each instruction was executed.
    executions: Vec<u64>,
    blocks: Blocks,
    region_of: Option<RegionOf<'r>>,
    shared: Shared,
    /// What was executed and the metrics have not seen.
    ahead: Ahead,
    watchers: Watchers,
}

/// The blocks of the trace, and how often each was executed.
#[derive(Default)]
struct Blocks {
    read: Vec<trace::Block>,
    executions: Vec<u64>,
}

/// What is found out once for all metrics.
struct Shared {
    dependences: Dependences,
    ram: Ram,
    watches_levels: bool,
}

/// Steps of a stretch at least: enough to be worth handing to other threads.
const STRETCH: usize = 1 << 13;

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
        let ram = Ram::new(&settings.caches, atomics)?;
        let levels = ram.levels();
        Ok(Analysis {
            shared: Shared {
                dependences: Dependences::new(settings.rules),
                ram,
                watches_levels: metrics.iter().any(|metric| metric.watches_levels()),
            },
            watchers: Watchers::new(metrics, levels),
            program: Program::default(),
            executions: Vec::new(),
            blocks: Blocks::default(),
            region_of,
            ahead: Ahead::default(),
            settings,
        })
    }

    /// Lets one more metric watch. It finishes before those that are there, which may use what it counted.
    #[must_use]
    pub fn with(mut self, metric: Box<dyn Metric>) -> Analysis<'r> {
        self.shared.watches_levels |= metric.watches_levels();
        self.watchers.metrics.insert(0, metric);
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
        let metrics = self.watchers.metrics.iter_mut();
        metrics.for_each(|metric| metric.split_by_region());
        self
    }

    fn add_instruction(&mut self, instruction: &Instruction) {
        let region = self
            .region_of
            .as_mut()
            .map_or(0, |region_of| region_of(instruction));
        let facts = &instruction.decoded.facts;
        let added = Added {
            instruction: instruction.clone(),
            operation: Operation::new(instruction),
            cycles: u64::from(self.settings.costs.of(facts.class)),
            region,
            is_omitted: self.settings.like_edan && facts.edan_omits,
        };
        self.program.push(added.clone());
        self.ahead.added.push(added);
        self.executions.push(0);
        self.shared.dependences.add_hart(instruction.hart);
    }

    fn add_block(&mut self, block: &trace::Block) {
        let Program {
            operations,
            is_omitted,
            blocks,
            ..
        } = &mut self.program;
        let own = Block::new(block.instructions(), operations, is_omitted);
        blocks.push(own.clone());
        self.ahead.blocks.push(own);
        self.blocks.read.push(block.clone());
        self.blocks.executions.push(0);
    }

    /// Counts executions of blocks as those of their instructions.
    fn count_blocks(&mut self) {
        let Blocks { read, executions } = &mut self.blocks;
        for (block, count) in read.iter().zip(executions) {
            for (instruction, _) in block.instructions() {
                self.executions[instruction.0 as usize] += *count;
            }
            *count = 0;
        }
    }

    /// What was counted. Without addresses nothing is said of memory.
    pub fn finish(mut self, has_addresses: bool) -> Counted {
        self.count_blocks();
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
        for metric in self.watchers.finish(self.ahead) {
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
        for block in &batch.blocks {
            self.add_block(block);
        }
        let Analysis {
            program,
            executions,
            blocks,
            shared,
            ahead,
            watchers,
            ..
        } = self;
        // An earlier stretch is shown only now, when there is one behind it: a short trace needs no threads.
        if ahead.steps.len() >= STRETCH {
            let (added, blocks) = (batch.instructions.len(), batch.blocks.len());
            let later = ahead.added.split_off(ahead.added.len() - added);
            let later_blocks = ahead.blocks.split_off(ahead.blocks.len() - blocks);
            *ahead = watchers.show(std::mem::take(ahead));
            ahead.added = later;
            ahead.blocks = later_blocks;
        }
        shared.resolve(batch, program, (executions, blocks), ahead);
    }
}

impl Shared {
    /// Adds what a batch executed to what the metrics have not seen.
    #[inline(never)]
    fn resolve(
        &mut self,
        batch: &Batch,
        program: &Program,
        (executions, blocks): (&mut [u64], &mut Blocks),
        ahead: &mut Ahead,
    ) {
        let Shared {
            dependences,
            ram,
            watches_levels,
        } = self;
        let Ahead { steps, moved, .. } = ahead;
        let mut used = |access, addresses: &[u64]| {
            let used = ram.access(access, addresses);
            if *watches_levels && used.left_nearest {
                moved.extend(ram.moved());
            }
            used
        };
        let Blocks {
            read,
            executions: of_blocks,
        } = blocks;
        let mut singles = Singles {
            program,
            executions,
        };
        batch.for_each_piece(read, |piece| match piece {
            Piece::One(instruction, addresses) => {
                singles.resolve((instruction, addresses), dependences, &mut used, steps);
            }
            Piece::Block(number, addresses) => {
                let block = &program.blocks[number as usize];
                if dependences.resolve_block((number, block), addresses, &mut used, steps) {
                    of_blocks[number as usize] += 1;
                    return;
                }
                let mut rest = addresses;
                for (instruction, has_address) in read[number as usize].instructions() {
                    let (own, after) = rest.split_at(usize::from(has_address));
                    rest = after;
                    singles.resolve((instruction, own), dependences, &mut used, steps);
                }
            }
        });
    }
}

/// What is resolved instruction by instruction.
struct Singles<'a> {
    program: &'a Program,
    executions: &'a mut [u64],
}

impl Singles<'_> {
    #[inline(always)]
    fn resolve(
        &mut self,
        (instruction, addresses): (InstructionId, &[u64]),
        dependences: &mut Dependences,
        used: &mut impl FnMut(Access, &[u64]) -> RamUse,
        steps: &mut Steps<RamUse>,
    ) {
        let number = instruction.0 as usize;
        self.executions[number] += 1;
        if self.program.is_omitted[number] {
            return;
        }
        let next = Next {
            instruction,
            operation: &self.program.operations[number],
            addresses,
        };
        dependences.resolve(next, |access| used(access, addresses), steps);
    }
}
