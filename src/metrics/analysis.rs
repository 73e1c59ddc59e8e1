//! One pass over a trace that counts everything a run asks for.

use std::collections::BTreeMap;

use crate::cache::hierarchy::{Atomics, HierarchyError};
use crate::cache::spec::SpecError;
use crate::cache::{CacheSpec, LevelCounters};
use crate::dataflow::{Dataflow, Lanes, Operation, PathLengths, Rules};
use crate::trace::isa::{Access, Class};
use crate::trace::{Batch, Consumer, Instruction, InstructionId};
use loopsheet_regions::{RegionError, Sites};

use super::camat::{CamatMeter, MeterSettings, Program};
use super::costs::Costs;
use super::epoch::{EpochError, EpochMeter, EpochSettings};
use super::memory_chain::{ChainInstruction, ChainMeter, MemoryChain};
use super::movement::MovementMeter;
use super::out_of_order::{CoreCycles, CoreModel, OutOfOrder};
use super::profile::{ProfileMeter, SourceProfile};
use super::ram::{Ram, RamUse};
use super::region_details::{Both, RegionDetail, RegionDetails};
pub use super::regions::RegionId;
use super::regions::RegionMeter;
use super::remote::{RemoteMeter, RemoteSettings};
use super::report::{CacheLevel, Edag, EdagMemory, Epochs, Movement, RemoteDelay, Reuse};
use super::reuse::ReuseMeter;

/// What to count and how.
#[derive(Clone, Debug)]
pub struct Settings {
    pub rules: Rules,
    /// Nearest first; without levels every access goes to RAM.
    pub caches: Vec<CacheSpec>,
    pub costs: Costs,
    /// Leave out the vertices that EDAN has none for, and send atomics to RAM.
    pub like_edan: bool,
    /// Bytes of a line for reuse distances, if they are asked for.
    pub reuse_line: Option<u64>,
    pub remote: Option<RemoteSettings>,
    pub epochs: Option<EpochSettings>,
    /// Tell which instructions are on the deepest chain of RAM accesses.
    pub memory_chain: bool,
    /// The out-of-order core whose accesses are timed, if that is asked for, and its cycles of each class.
    pub core: Option<(CoreModel, Costs)>,
    /// Keep the executions if they are no more than this, to draw the graph.
    pub keep: usize,
}

/// Why a run cannot start.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    #[error(transparent)]
    Hierarchy(#[from] HierarchyError),
    #[error("--line: {0}")]
    Line(#[from] SpecError),
    #[error("--epochs")]
    Epochs(#[from] EpochError),
}

/// Tells which region an instruction belongs to; asked once for each that appears.
pub type RegionOf<'r> = &'r mut dyn FnMut(&Instruction) -> RegionId;

/// The pass.
pub struct Analysis<'r> {
    settings: Settings,
    instructions: Vec<Instruction>,
    vertices: Vec<Vertex>,
    executions: Vec<u64>,
    flow: Dataflow<PathLengths>,
    ram: Ram,
    totals: Totals,
    movement: MovementMeter,
    others: Others<'r>,
}

/// What is looked up for each execution.
struct Vertex {
    operation: Operation,
    cycles: u64,
    is_omitted: bool,
    region: RegionId,
}

#[derive(Default)]
struct Totals {
    edges: u64,
    memory_work: u64,
    /// Cycles of the vertices that go to RAM.
    ram_cycles: u64,
    bytes_moved: u64,
    deepest: PathLengths,
}

/// What is counted only if it was asked for.
struct Others<'r> {
    region_of: Option<RegionOf<'r>>,
    regions: RegionMeter,
    reuse: Option<ReuseMeter>,
    remote: Option<RemoteMeter>,
    epochs: Option<EpochMeter>,
    chain: Option<ChainMeter>,
    core: Option<TimedCore>,
    profile: Option<ProfileMeter>,
    details: Option<RegionDetails>,
    kept: Vec<Execution>,
    most_kept: usize,
    has_more_than_kept: bool,
}

/// The core, its cycles of each class, and what counts its timeline.
struct TimedCore {
    core: OutOfOrder,
    costs: Costs,
    cycles: Vec<u64>,
    meter: CamatMeter,
}

impl TimedCore {
    fn new(model: &CoreModel, costs: &Costs, rules: Rules) -> Result<TimedCore, HierarchyError> {
        let meter = CamatMeter::new(meter_settings(model));
        Ok(TimedCore {
            core: OutOfOrder::new(model, rules)?,
            costs: costs.clone(),
            cycles: Vec::new(),
            meter,
        })
    }
}

fn meter_settings(model: &CoreModel) -> MeterSettings {
    let levels = model.levels.len();
    MeterSettings {
        levels,
        first_shared: Some(model.first_shared).filter(|first| *first < levels),
    }
}

/// One execution, kept for drawing.
#[derive(Clone, Debug)]
pub struct Execution {
    pub instruction: InstructionId,
    pub access: Option<Access>,
    pub addresses: Vec<u64>,
    pub to_ram: bool,
    pub cycles: u64,
}

/// What was counted.
pub struct Counted {
    pub instructions: Vec<Instruction>,
    /// Executions of each instruction.
    pub executions: Vec<u64>,
    pub mix: BTreeMap<Class, u64>,
    pub edag: Edag,
    pub cache: Vec<CacheLevel>,
    /// Bytes in dirty lines of the caches at the end, which have not been moved.
    pub dirty_bytes: u64,
    pub movement: Option<Movement>,
    pub reuse: Option<Reuse>,
    pub remote: Option<RemoteDelay>,
    pub epochs: Option<Epochs>,
    pub memory_chain: Option<MemoryChain>,
    pub core: Option<CountedCore>,
    /// By source line; an error if the trace is not one of the program.
    pub profile: Option<Result<SourceProfile, RegionError>>,
    /// By number of the region.
    pub regions: Vec<CountedRegion>,
    /// All executions in program order, if there were not too many.
    pub kept: Option<Vec<Execution>>,
}

/// What the out-of-order core took, and its timeline's counts so far.
pub struct CountedCore {
    pub cycles: CoreCycles,
    pub meter: CamatMeter,
}

/// One region's part.
pub struct CountedRegion {
    pub instructions: u64,
    pub mix: BTreeMap<Class, u64>,
    pub edag: Edag,
    pub detail: RegionDetail,
}

impl<'r> Analysis<'r> {
    /// # Errors
    /// The caches are no hierarchy, or the line for reuse distances is no length of a line.
    pub fn new(
        settings: Settings,
        region_of: Option<RegionOf<'r>>,
    ) -> Result<Analysis<'r>, SettingsError> {
        let atomics = if settings.like_edan {
            Atomics::Bypass
        } else {
            Atomics::Cached
        };
        let others = Others {
            region_of,
            regions: RegionMeter::new(settings.rules),
            reuse: settings.reuse_line.map(ReuseMeter::new).transpose()?,
            remote: settings
                .remote
                .map(|remote| RemoteMeter::new(remote, settings.rules)),
            epochs: (settings.epochs.clone())
                .map(|epochs| EpochMeter::new(epochs, settings.rules, !settings.caches.is_empty()))
                .transpose()?,
            chain: settings
                .memory_chain
                .then(|| ChainMeter::new(settings.rules)),
            core: (settings.core.as_ref())
                .map(|(model, costs)| TimedCore::new(model, costs, settings.rules))
                .transpose()?,
            profile: None,
            details: None,
            kept: Vec::new(),
            most_kept: settings.keep,
            has_more_than_kept: false,
        };
        Ok(Analysis {
            instructions: Vec::new(),
            vertices: Vec::new(),
            executions: Vec::new(),
            flow: Dataflow::new(settings.rules),
            ram: Ram::new(&settings.caches, atomics)?,
            totals: Totals::default(),
            movement: MovementMeter::default(),
            others,
            settings,
        })
    }

    /// Counts by source line too.
    #[must_use]
    pub fn with_profile(mut self, sites: Sites) -> Analysis<'r> {
        self.others.profile = Some(ProfileMeter::new(sites));
        self
    }

    /// Tells reuse, epochs and C-AMAT by region too, as far as they are asked for.
    #[must_use]
    pub fn with_region_details(mut self) -> Analysis<'r> {
        let Settings {
            rules,
            epochs,
            core,
            caches,
            ..
        } = &self.settings;
        let meter = core.as_ref().map(|(model, _)| meter_settings(model));
        self.others.details = Some(RegionDetails::new(
            *rules,
            epochs.clone(),
            !caches.is_empty(),
            meter,
        ));
        self
    }

    fn add_instruction(&mut self, instruction: &Instruction) {
        let region = self.others.add_instruction(instruction);
        let facts = &instruction.decoded.facts;
        self.vertices.push(Vertex {
            operation: Operation::new(instruction),
            cycles: u64::from(self.settings.costs.of(facts.class)),
            is_omitted: self.settings.like_edan && facts.edan_omits,
            region,
        });
        self.flow.add_hart(instruction.hart);
        self.executions.push(0);
        self.instructions.push(instruction.clone());
    }

    /// What was counted. Without addresses nothing is said of memory.
    pub fn finish(self, has_addresses: bool) -> Counted {
        let memory_edag = |work: u64| EdagMemory {
            work: self.totals.memory_work,
            depth: self.totals.deepest.memory_depth,
            non_memory_cost: work - self.totals.ram_cycles,
            non_memory_span: self.totals.deepest.non_memory_span,
            bytes_moved: self.totals.bytes_moved,
        };
        let counted = || {
            self.vertices
                .iter()
                .zip(&self.executions)
                .filter(|(vertex, _)| !vertex.is_omitted)
        };
        let work = counted().map(|(vertex, count)| vertex.cycles * count).sum();
        let edag = Edag {
            vertices: counted().map(|(_, count)| count).sum(),
            edges: self.totals.edges,
            work,
            depth: self.totals.deepest.depth,
            memory: has_addresses.then(|| memory_edag(work)),
        };
        let (cache, dirty_bytes) = match &self.ram {
            Ram::Uncached => (Vec::new(), 0),
            Ram::Cached(hierarchy) => {
                let level = |(spec, counters): (&CacheSpec, &LevelCounters)| CacheLevel {
                    spec: *spec,
                    counters: *counters,
                };
                (
                    hierarchy
                        .specs()
                        .zip(hierarchy.counters())
                        .map(level)
                        .collect(),
                    hierarchy.dirty_bytes(),
                )
            }
        };
        let mixes = self.mixes();
        let Others {
            regions,
            reuse,
            remote,
            epochs,
            chain,
            core,
            profile,
            details,
            kept,
            has_more_than_kept,
            ..
        } = self.others;
        let reuse_line = self.settings.reuse_line.filter(|_| has_addresses);
        let details = details
            .map(|details| details.finish(reuse_line, Program::UNKNOWN))
            .unwrap_or_default();
        let mut details = details.into_iter();
        let sites = profile
            .as_ref()
            .map(ProfileMeter::sites_of_instructions)
            .unwrap_or_default();
        let profile = profile.map(|profile| profile.finish(&self.instructions, &self.executions));
        let region = |(edag, (instructions, mix))| CountedRegion {
            instructions,
            mix,
            edag,
            detail: details.next().unwrap_or_default(),
        };
        Counted {
            mix: mixes.whole,
            edag,
            cache,
            dirty_bytes,
            movement: has_addresses.then(|| self.movement.finish(edag.depth)),
            reuse: reuse.filter(|_| has_addresses).map(ReuseMeter::finish),
            remote: remote.map(RemoteMeter::finish),
            epochs: epochs.filter(|_| has_addresses).map(EpochMeter::finish),
            memory_chain: (chain.filter(|_| has_addresses))
                .map(|chain| memory_chain(chain, &self.instructions, &sites, profile.as_ref())),
            core: core
                .filter(|_| has_addresses)
                .map(|TimedCore { core, meter, .. }| CountedCore {
                    cycles: core.finish(),
                    meter,
                }),
            profile,
            regions: regions
                .finish(has_addresses)
                .into_iter()
                .zip(mixes.regions)
                .map(region)
                .collect(),
            kept: (!has_more_than_kept).then_some(kept),
            instructions: self.instructions,
            executions: self.executions,
        }
    }

    fn mixes(&self) -> Mixes {
        let mut mixes = Mixes::default();
        for ((instruction, vertex), count) in self
            .instructions
            .iter()
            .zip(&self.vertices)
            .zip(&self.executions)
        {
            let class = instruction.decoded.facts.class;
            *mixes.whole.entry(class).or_default() += count;
            if self.others.region_of.is_some() {
                let region = vertex.region as usize;
                if mixes.regions.len() <= region {
                    mixes.regions.resize(region + 1, Default::default());
                }
                mixes.regions[region].0 += count;
                *mixes.regions[region].1.entry(class).or_default() += count;
            }
        }
        mixes
    }
}

/// The deepest chain with places, as far as there are any: `sites` has that of each instruction.
fn memory_chain(
    meter: ChainMeter,
    instructions: &[Instruction],
    sites: &[u32],
    profile: Option<&Result<SourceProfile, RegionError>>,
) -> MemoryChain {
    let (depth, counts) = meter.finish();
    let part = |(id, accesses): (InstructionId, u64)| {
        let instruction = &instructions[id.0 as usize];
        let site = match profile {
            Some(Ok(profile)) => sites
                .get(id.0 as usize)
                .map(|site| &profile.sites[*site as usize]),
            _ => None,
        };
        ChainInstruction::new(instruction, accesses, site)
    };
    MemoryChain::of(depth, counts.into_iter().filter_map(part).collect())
}

#[derive(Default)]
struct Mixes {
    whole: BTreeMap<Class, u64>,
    regions: Vec<(u64, BTreeMap<Class, u64>)>,
}

impl Consumer for Analysis<'_> {
    fn take(&mut self, batch: &Batch) {
        for instruction in &batch.instructions {
            self.add_instruction(instruction);
        }
        let Analysis {
            vertices,
            executions,
            flow,
            ram,
            totals,
            movement,
            others,
            ..
        } = self;
        let has_others = others.are_any();
        batch.for_each(|id, addresses| {
            let index = id.0 as usize;
            executions[index] += 1;
            let vertex = &vertices[index];
            if vertex.is_omitted {
                return;
            }
            let operation = &vertex.operation;
            let ready = flow.ready(operation, addresses, ());
            let access = flow.access(operation);
            let used = match access {
                Some(access) => ram.access(access, addresses),
                None => RamUse::default(),
            };
            let done = ready.lanes.then(vertex.cycles, used.accesses > 0);
            flow.complete(operation, addresses, ready.lanes, done);
            totals.edges += u64::from(ready.edges);
            totals.deepest = totals.deepest.latest(done);
            if used.accesses > 0 {
                totals.memory_work += used.accesses;
                totals.ram_cycles += vertex.cycles;
            }
            if used.bytes > 0 {
                totals.bytes_moved += used.bytes;
                movement.add(ready.lanes.depth, used.bytes);
            }
            if has_others {
                others.step(id, vertex, access, addresses, used);
                others.follow_source(index, access, addresses, used, ram);
            }
        });
    }
}

impl Others<'_> {
    fn are_any(&self) -> bool {
        let Others {
            region_of,
            regions: _,
            reuse,
            remote,
            epochs,
            chain,
            core,
            profile,
            details: _,
            kept: _,
            most_kept,
            has_more_than_kept,
        } = self;
        let is_asked = region_of.is_some()
            || reuse.is_some()
            || remote.is_some()
            || epochs.is_some()
            || chain.is_some()
            || core.is_some()
            || profile.is_some();
        is_asked || (*most_kept > 0 && !has_more_than_kept)
    }

    fn add_instruction(&mut self, instruction: &Instruction) -> RegionId {
        if let Some(remote) = &mut self.remote {
            remote.add_hart(instruction.hart);
        }
        if let Some(epochs) = &mut self.epochs {
            epochs.add_hart(instruction.hart);
        }
        if let Some(chain) = &mut self.chain {
            chain.add_hart(instruction.hart);
        }
        if let Some(TimedCore {
            core,
            costs,
            cycles,
            ..
        }) = &mut self.core
        {
            core.add_hart(instruction.hart);
            cycles.push(u64::from(costs.of(instruction.decoded.facts.class)));
        }
        if let Some(profile) = &mut self.profile {
            profile.add_instruction(instruction);
        }
        let Some(region_of) = &mut self.region_of else {
            return 0;
        };
        let region = region_of(instruction);
        self.regions.add_hart(instruction.hart);
        self.regions.add_region(region);
        if let Some(details) = &mut self.details {
            details.add(region, instruction.hart);
        }
        region
    }

    #[inline]
    fn follow_source(
        &mut self,
        index: usize,
        access: Option<Access>,
        addresses: &[u64],
        used: RamUse,
        ram: &Ram,
    ) {
        if let Some(profile) = &mut self.profile {
            profile.step(
                index,
                access,
                addresses,
                used.left_nearest.then(|| ram.moved()).into_iter().flatten(),
            );
        }
    }

    fn step(
        &mut self,
        id: InstructionId,
        vertex: &Vertex,
        access: Option<Access>,
        addresses: &[u64],
        used: RamUse,
    ) {
        let Vertex {
            operation,
            cycles,
            region,
            ..
        } = vertex;
        let to_ram = used.accesses > 0;
        if self.region_of.is_some() {
            self.regions
                .step(*region, operation, addresses, *cycles, used);
        }
        if let (Some(reuse), Some(access)) = (&mut self.reuse, access) {
            reuse.access(
                access,
                addresses,
                self.details
                    .as_mut()
                    .and_then(|details| details.reuse(*region)),
            );
        }
        if let Some(remote) = &mut self.remote {
            remote.step(operation, addresses, *cycles, to_ram);
        }
        if let Some(epochs) = &mut self.epochs {
            epochs.step(operation, addresses, used.accesses);
            if let Some(details) = &mut self.details {
                details.epochs(*region, operation, addresses, used.accesses);
            }
        }
        if let Some(chain) = &mut self.chain {
            chain.step(id, operation, addresses, to_ram);
        }
        if let Some(TimedCore {
            core,
            cycles,
            meter,
            ..
        }) = &mut self.core
        {
            let own = self
                .details
                .as_mut()
                .and_then(|details| details.camat(*region));
            core.step(
                operation,
                addresses,
                cycles[id.0 as usize],
                &mut Both { all: meter, own },
            );
        }
        if self.kept.len() < self.most_kept {
            let addresses = addresses.to_vec();
            self.kept.push(Execution {
                instruction: id,
                access,
                addresses,
                to_ram,
                cycles: *cycles,
            });
        } else {
            self.kept = Vec::new();
            self.has_more_than_kept = true;
            self.most_kept = 0;
        }
    }
}
