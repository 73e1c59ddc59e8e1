//! C-AMAT of the timeline that an out-of-order core makes of the trace.

use super::blame::PureMisses;
use super::camat::{CamatMeter, MeterSettings, Program as Timed};
use super::costs::Costs;
use super::counted::{Counted, CountedCore};
use super::entry::Entry;
use super::metric::{Metric, Program, Run, Stretch};
use super::out_of_order::{CoreCycles, CoreModel, Machine, Nobody};
use super::timeline::{TimedAccess, TimelineSink};
use crate::cache::hierarchy::HierarchyError;
use crate::dataflow::Rules;
use crate::trace::InstructionId;

pub(super) const ENTRY: Entry = Entry {
    name: "camat",
    meaning: "concurrent average access time of an out-of-order core's accesses, level by level",
    make: |asked| {
        let Some((model, costs)) = &asked.settings.core else {
            return Ok(None);
        };
        let mut core = TimedCore::new(model, costs, asked.settings.rules)?;
        let first_shared = core.settings.first_shared;
        let blame = asked.settings.blame.as_ref();
        core.blame = blame.map(|blame| PureMisses::new(blame, first_shared));
        Ok(Some(Box::new(core)))
    },
};

/// The same core beside it, with a perfect nearest level: in a metric of its own, so that both can work at once.
pub(super) const PERFECT: Entry = Entry {
    name: "perfect_core",
    meaning: "cycles of the same core if every access hit the nearest level",
    make: |asked| {
        let perfect = |(model, costs): &(CoreModel, Costs)| BesideCore {
            core: Machine::perfect(model, asked.settings.rules),
            cycles: InstructionCycles::new(costs),
            finish: |core, _, counted| counted.perfect_cycles = core.hart_cycles(),
        };
        let core = asked.settings.core.as_ref().map(perfect);
        Ok(core.map(|core| Box::new(core) as Box<dyn Metric>))
    },
};

/// The same core if memories delivered as many lines as come, for what interleaving them brings.
pub(super) const UNLIMITED: Entry = Entry {
    name: "unlimited_core",
    meaning: "cycles of the same core with no limit of bandwidth",
    make: |asked| {
        let settings = asked.settings;
        let blame = settings.blame.as_ref();
        let is_asked = blame.is_some_and(|blame| blame.with_objects);
        let is_limited = |model: &CoreModel| {
            model.ram_interval > 0 || model.far_interval > 0 && !model.places.is_empty()
        };
        let core = settings.core.as_ref();
        let Some((model, costs)) = core.filter(|(model, _)| is_asked && is_limited(model)) else {
            return Ok(None);
        };
        let model = CoreModel {
            ram_interval: 0,
            far_interval: 0,
            ..model.clone()
        };
        Ok(Some(Box::new(BesideCore {
            core: Machine::real(&model, settings.rules)?,
            cycles: InstructionCycles::new(costs),
            finish: |core, run, counted| {
                counted.unlimited_cycles = run.has_addresses.then(|| core.cycles());
            },
        })))
    },
};

/// A core whose timeline nobody asks for.
struct BesideCore {
    core: Machine,
    cycles: InstructionCycles,
    finish: fn(&Machine, &Run<'_>, &mut Counted),
}

impl Metric for BesideCore {
    fn add(&mut self, program: &Program) {
        self.core.add_hart(program.last().0.hart);
        self.cycles.add(program);
    }

    fn take(&mut self, stretch: &Stretch<'_>) {
        let BesideCore { core, cycles, .. } = self;
        stretch.for_each(|step| {
            core.step(&step, cycles.of(step.instruction), &mut Nobody);
        });
    }

    fn finish(self: Box<Self>, run: &Run<'_>, counted: &mut Counted) {
        (self.finish)(&self.core, run, counted);
    }
}

/// What the instructions of a program cost in a core.
pub(super) struct InstructionCycles {
    costs: Costs,
    known: Vec<u64>,
}

impl InstructionCycles {
    pub fn new(costs: &Costs) -> InstructionCycles {
        InstructionCycles {
            costs: costs.clone(),
            known: Vec::new(),
        }
    }

    /// Takes note of the last instruction of the program.
    pub fn add(&mut self, program: &Program) {
        let (instruction, _) = program.last();
        let cycles = self.costs.of(instruction.decoded.facts.class);
        self.known.push(u64::from(cycles));
    }

    #[inline]
    pub fn of(&self, instruction: InstructionId) -> u64 {
        self.known[instruction.0 as usize]
    }
}

/// What counts the timeline of a core.
pub(super) fn meter_settings(model: &CoreModel) -> MeterSettings {
    let levels = model.levels.len();
    MeterSettings {
        levels,
        first_shared: Some(model.first_shared).filter(|first| *first < levels),
    }
}

/// The core, its cycles of each class, and what counts its timeline.
struct TimedCore {
    core: Machine,
    cycles: InstructionCycles,
    meter: CamatMeter,
    settings: MeterSettings,
    /// By region, if that is asked for.
    regions: Option<Vec<CamatMeter>>,
    /// Who causes pure miss cycles, if that is asked for.
    blame: Option<PureMisses>,
}

impl TimedCore {
    fn new(model: &CoreModel, costs: &Costs, rules: Rules) -> Result<TimedCore, HierarchyError> {
        let settings = meter_settings(model);
        Ok(TimedCore {
            core: Machine::real(model, rules)?,
            cycles: InstructionCycles::new(costs),
            meter: CamatMeter::new(settings),
            settings,
            regions: None,
            blame: None,
        })
    }
}

impl Metric for TimedCore {
    fn add(&mut self, program: &Program) {
        let (instruction, region) = program.last();
        self.core.add_hart(instruction.hart);
        self.cycles.add(program);
        if let Some(regions) = &mut self.regions {
            while regions.len() <= region as usize {
                regions.push(CamatMeter::new(self.settings));
            }
        }
    }

    fn split_by_region(&mut self) {
        self.regions = Some(Vec::new());
    }

    fn take(&mut self, stretch: &Stretch<'_>) {
        let TimedCore {
            core,
            cycles,
            meter,
            regions,
            blame,
            ..
        } = self;
        stretch.for_each(|step| {
            let region = stretch.program.region(step.instruction) as usize;
            let own = regions.as_mut().and_then(|own| own.get_mut(region));
            if let Some(blame) = blame {
                blame.begin(step.instruction, step.addresses());
            }
            let blame = blame.as_mut();
            let mut all = All {
                whole: meter,
                own,
                blame,
            };
            core.step(&step, cycles.of(step.instruction), &mut all);
        });
    }

    fn finish(self: Box<Self>, run: &Run<'_>, counted: &mut Counted) {
        if !run.has_addresses {
            return;
        }
        counted.core = Some(CountedCore {
            cycles: CoreCycles::of(&self.core, counted.perfect_cycles),
            meter: self.meter,
        });
        counted.pure_misses = self.blame.map(PureMisses::finish);
        let own = self.regions.into_iter().flatten();
        for (region, meter) in counted.regions.iter_mut().zip(own) {
            region.detail.camat = Some(meter.finish(Timed::UNKNOWN, None));
        }
    }
}

/// Passes a timeline on to all that count it.
struct All<'s> {
    whole: &'s mut CamatMeter,
    own: Option<&'s mut CamatMeter>,
    blame: Option<&'s mut PureMisses>,
}

impl TimelineSink for All<'_> {
    fn access(&mut self, access: &TimedAccess) {
        self.whole.access(access);
        if let Some(own) = &mut self.own {
            own.access(access);
        }
        if let Some(blame) = &mut self.blame {
            blame.access(access);
        }
    }

    fn settled(&mut self, cycle: u64) {
        self.whole.settled(cycle);
        if let Some(own) = &mut self.own {
            own.settled(cycle);
        }
        if let Some(blame) = &mut self.blame {
            blame.settled(cycle);
        }
    }
}
