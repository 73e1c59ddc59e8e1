//! The core with one of its parameters varied, in the same pass, so that C-AMAT can be drawn over it (Liu, Espina and Sun
//! 2021, figures 3 to 7).

use rayon::prelude::*;

use super::camat::formulas::LevelFigure;
use super::camat::{CamatMeter, Figures, Program as Timed};
use super::counted::Counted;
use super::entry::Entry;
use super::metric::{Metric, Program, Run, Stretch};
use super::out_of_order::Machine;
use super::timed_core::{InstructionCycles, meter_settings};
use super::varied_core::{CoreParameter, VariedCore};

pub(super) const ENTRY: Entry = Entry {
    name: "varied_cores",
    meaning: "C-AMAT of cores with one parameter varied, side by side",
    make: |asked| {
        let settings = asked.settings;
        let Some((model, costs)) = &settings.core else {
            return Ok(None);
        };
        let one = |(parameter, value): &(CoreParameter, u32)| {
            let model = parameter.set(model, *value);
            Ok(One {
                parameter: *parameter,
                value: *value,
                core: Machine::real(&model, settings.rules)?,
                meter: CamatMeter::new(meter_settings(&model)),
            })
        };
        let cores = settings.varied.iter().map(one);
        let cores = cores.collect::<Result<Vec<One>, super::settings::SettingsError>>()?;
        let made = VariedCores {
            cores,
            cycles: InstructionCycles::new(costs),
        };
        let is_asked = !settings.varied.is_empty();
        Ok(is_asked.then(|| Box::new(made) as Box<dyn Metric>))
    },
};

struct VariedCores {
    cores: Vec<One>,
    cycles: InstructionCycles,
}

struct One {
    parameter: CoreParameter,
    value: u32,
    core: Machine,
    meter: CamatMeter,
}

impl Metric for VariedCores {
    fn add(&mut self, program: &Program) {
        let hart = program.last().0.hart;
        let cores = self.cores.iter_mut();
        cores.for_each(|one| one.core.add_hart(hart));
        self.cycles.add(program);
    }

    fn take(&mut self, stretch: &Stretch<'_>) {
        let cycles = &self.cycles;
        self.cores
            .par_iter_mut()
            .for_each(|One { core, meter, .. }| {
                stretch.for_each(|step| {
                    core.step(&step, cycles.of(step.instruction), meter);
                });
            });
    }

    fn finish(self: Box<Self>, run: &Run<'_>, counted: &mut Counted) {
        if run.has_addresses {
            counted.varied_cores = self.cores.into_iter().map(One::finish).collect();
        }
    }
}

impl One {
    fn finish(self) -> VariedCore {
        let camat = self.meter.finish(Timed::UNKNOWN, Some(self.core.cycles()));
        let figures = Figures::of(&camat);
        let nearest = |figure| figures.at(figure, 1);
        VariedCore {
            parameter: self.parameter,
            value: self.value,
            instructions: self.core.executed(),
            cycles: self.core.hart_cycles(),
            amat: nearest(LevelFigure::Amat),
            camat: nearest(LevelFigure::Camat),
            hit_concurrency: nearest(LevelFigure::HitConcurrency),
            pure_miss_concurrency: nearest(LevelFigure::PureMissConcurrency),
        }
    }
}
