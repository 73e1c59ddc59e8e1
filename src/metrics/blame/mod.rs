//! Who causes the time that misses really cost: the pure miss cycles of the nearest level, and the epochs, by
//! instruction, source line and what was accessed (guide: dynamic-model, "Who causes the stalls").
//!
//! Both are shared in whole units, so that the parts add up to the total exactly. A pure miss cycle goes to the oldest
//! of the misses under way, in program order: retirement is in order, so that one holds up all others. An epoch goes
//! to the instruction whose result retirement waits for when the epoch begins to count.

mod causes;
mod cycles;
mod epochs;
mod names;
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
        let touched = blame.with_objects.then(Touched::default);
        Ok(Some(Box::new(BlameMeter {
            settings,
            epochs,
            touched,
        })))
    },
};

/// Shares the epochs; the core shares the pure miss cycles, if there is one.
struct BlameMeter {
    settings: BlameSettings,
    epochs: EpochCauses,
    /// If objects are asked for.
    touched: Option<Touched>,
}

impl Metric for BlameMeter {
    fn add(&mut self, program: &Program) {
        self.epochs.add_hart(program.last().0.hart);
    }

    fn take(&mut self, stretch: &Stretch<'_>) {
        stretch.for_each(|step| self.epochs.step(&step));
        if let Some(touched) = &mut self.touched {
            stretch.for_each(|step| touched.step(&step, &self.settings.variables));
        }
    }

    fn finish(self: Box<Self>, run: &Run<'_>, counted: &mut Counted) {
        if run.has_addresses {
            let epochs = self.epochs.finish();
            let names = Names::of(run, counted, &self.settings);
            let objects = self.touched.map(|touched| names.objects(&touched.sorted()));
            let blame = names.blame(counted.pure_misses.as_ref(), &epochs);
            (counted.blame, counted.objects) = (Some(blame), objects);
        }
    }
}
