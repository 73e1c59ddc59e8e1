//! Machines nearly like the core with their memory laid out in many ways, in one pass: what placements cost, estimated (guide:
//! dynamic-model, "Objects in far memory").

use rayon::prelude::*;

use super::counted::Counted;
use super::entry::Entry;
use super::metric::{Metric, Program, Run, Stretch};
use super::out_of_order::{Layouts, TOGETHER};
use super::settings::SettingsError;
use super::timed_core::InstructionCycles;

pub(super) const ENTRY: Entry = Entry {
    name: "laid_out",
    meaning: "cycles of machines nearly like the core with their memory laid out in many ways",
    make: |asked| {
        let settings = asked.settings;
        let Some(asked) = &settings.layouts else {
            return Ok(None);
        };
        let walk = |layouts: &[_]| Ok(Layouts::new(&asked.model, layouts, settings.rules)?);
        let walks = asked.places.chunks(TOGETHER).map(walk);
        Ok(Some(Box::new(LaidOut {
            walks: walks.collect::<Result<Vec<Layouts>, SettingsError>>()?,
            cycles: InstructionCycles::new(&asked.costs),
        })))
    },
};

struct LaidOut {
    walks: Vec<Layouts>,
    cycles: InstructionCycles,
}

impl Metric for LaidOut {
    fn add(&mut self, program: &Program) {
        let hart = program.last().0.hart;
        self.walks.iter_mut().for_each(|walk| walk.add_hart(hart));
        self.cycles.add(program);
    }

    fn take(&mut self, stretch: &Stretch<'_>) {
        let cycles = &self.cycles;
        self.walks.par_iter_mut().for_each(|walk| {
            stretch.for_each(|step| walk.step(&step, cycles.of(step.instruction)));
        });
    }

    fn finish(self: Box<Self>, run: &Run<'_>, counted: &mut Counted) {
        if run.has_addresses {
            counted.layout_cycles = self.walks.iter().flat_map(Layouts::cycles).collect();
        }
    }
}
