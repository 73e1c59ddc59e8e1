//! The same core with its memory laid out otherwise, in the same pass: what a placement costs against all in RAM, and against
//! another one (guide: dynamic-model, "Objects in far memory").

use rayon::prelude::*;

use super::counted::Counted;
use super::entry::Entry;
use super::metric::{Metric, Program, Run, Stretch};
use super::out_of_order::{CoreModel, Machine, Nobody};
use super::settings::SettingsError;
use super::timed_core::InstructionCycles;

pub(super) const ENTRY: Entry = Entry {
    name: "placed_cores",
    meaning: "cycles of the same core with its memory laid out otherwise",
    make: |asked| {
        let settings = asked.settings;
        let Some((model, costs)) = &settings.core else {
            return Ok(None);
        };
        let core = |places: &Vec<_>| {
            let model = CoreModel {
                places: places.clone(),
                ..model.clone()
            };
            Ok(Machine::real(&model, settings.rules)?)
        };
        let cores = settings.other_places.iter().map(core);
        let made = PlacedCores {
            cores: cores.collect::<Result<Vec<Machine>, SettingsError>>()?,
            cycles: InstructionCycles::new(costs),
        };
        let is_asked = !settings.other_places.is_empty();
        Ok(is_asked.then(|| Box::new(made) as Box<dyn Metric>))
    },
};

struct PlacedCores {
    cores: Vec<Machine>,
    cycles: InstructionCycles,
}

impl Metric for PlacedCores {
    fn add(&mut self, program: &Program) {
        let hart = program.last().0.hart;
        self.cores.iter_mut().for_each(|core| core.add_hart(hart));
        self.cycles.add(program);
    }

    fn take(&mut self, stretch: &Stretch<'_>) {
        let cycles = &self.cycles;
        self.cores.par_iter_mut().for_each(|core| {
            stretch.for_each(|step| {
                core.step(&step, cycles.of(step.instruction), &mut Nobody);
            });
        });
    }

    fn finish(self: Box<Self>, run: &Run<'_>, counted: &mut Counted) {
        if run.has_addresses {
            counted.placed_cycles = self.cores.iter().map(Machine::cycles).collect();
        }
    }
}
