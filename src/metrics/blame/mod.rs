//! Attribute the actual cost of misses: the pure miss cycles of the nearest level, and the epochs, by
//! instruction, source line and what was accessed (guide: dynamic-model, "Who causes the stalls").
//!
//! Both are shared in whole units, so that the parts add up to the total exactly. A pure miss cycle goes to the oldest
//! of the outstanding misses, in program order: retirement is in order, so that one holds up all others. An epoch goes
//! to the instruction whose result retirement waits for when the epoch begins to count.

mod causes;
mod cycles;
mod epochs;
mod names;
mod own_depth;
mod parts;
mod settings;
mod touched;

use super::counted::Counted;
use super::entry::Entry;
use super::metric::{Metric, Program, Run, Stretch};

pub(super) use causes::Causes;
pub(super) use cycles::PureMisses;
use epochs::EpochCauses;
use names::Names;
use own_depth::OwnDepths;
pub use parts::{Blame, BlamedInstruction, BlamedLine, BlamedObject, Units};
pub use settings::BlameSettings;
use touched::Touched;

pub(super) const ENTRY: Entry = Entry {
    name: "blame",
    meaning: "which instructions, lines and arrays cause pure miss cycles and epochs",
    make: |asked| {
        let settings = asked.settings;
        let Some(blame) = &settings.blame else {
            return Ok(None);
        };
        let stores_block = settings
            .core
            .as_ref()
            .is_some_and(|(core, _)| core.blocking_stores);
        let line = settings
            .caches
            .last()
            .map_or(64, |level| u64::from(level.line));
        let epochs = EpochCauses::new(blame, settings.rules, stores_block, line)?;
        let settings = blame.clone();
        let objects = blame.with_objects.then(|| ObjectMeter {
            touched: Touched::default(),
            depths: OwnDepths::new(&blame.variables, asked.settings.rules),
        });
        Ok(Some(Box::new(BlameMeter {
            settings,
            epochs,
            objects,
        })))
    },
};

/// Shares the epochs; the core shares the pure miss cycles, if there is one.
struct BlameMeter {
    settings: BlameSettings,
    epochs: EpochCauses,
    /// If objects are asked for.
    objects: Option<ObjectMeter>,
}

struct ObjectMeter {
    touched: Touched,
    depths: OwnDepths,
}

impl Metric for BlameMeter {
    fn add(&mut self, program: &Program) {
        let hart = program.last().0.hart;
        self.epochs.add_hart(hart);
        if let Some(objects) = &mut self.objects {
            objects.depths.add_hart(hart);
        }
    }

    fn take(&mut self, stretch: &Stretch<'_>) {
        stretch.for_each(|step| self.epochs.step(&step));
        if let Some(ObjectMeter { touched, depths }) = &mut self.objects {
            let variables = &self.settings.variables;
            stretch.for_each(|step| {
                touched.step(&step, variables);
                depths.step(&step, variables);
            });
        }
    }

    fn finish(self: Box<Self>, run: &Run<'_>, counted: &mut Counted) {
        if run.has_addresses {
            let epochs = self.epochs.finish();
            let names = Names::of(run, counted, &self.settings);
            let objects = self.objects;
            let objects = objects.map(|own| names.objects(&own.touched.sorted(), &own.depths));
            let blame = names.blame(counted.pure_misses.as_ref(), &epochs);
            (counted.blame, counted.objects) = (Some(blame), objects);
        }
    }
}
