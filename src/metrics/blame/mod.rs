//! Who causes the time that misses really cost: the pure miss cycles of the nearest level, and the epochs, by
//! instruction, source line and what was accessed (guide: dynamic-model, "Who causes the stalls").
//!
//! Both are shared in whole units, so that the parts add up to the total exactly. A pure miss cycle goes to the oldest
//! of the misses under way, in program order: retirement is in order, so that one holds up all others. An epoch goes
//! to the instruction whose result retirement waits for when the epoch begins to count.

mod causes;
mod cycles;
mod epochs;
mod parts;

use super::counted::Counted;
use super::entry::Entry;
use super::metric::{Metric, Program, Run, Stretch};
use crate::binary::Variable;

pub(super) use causes::Causes;
pub(super) use cycles::PureMisses;
use epochs::EpochCauses;
pub use parts::{Blame, BlamedInstruction, BlamedLine, BlamedObject, Units};

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
        Ok(Some(Box::new(BlameMeter { settings, epochs })))
    },
};

/// What to share, and among what.
#[derive(Clone, Debug)]
pub struct BlameSettings {
    /// W of the epochs: instructions.
    pub window: u32,
    /// m: most misses that start in an epoch.
    pub slots: u32,
    /// Global variables by address at run time, none inside another; empty if the program is not known.
    pub variables: Vec<Variable>,
}

/// Shares the epochs; the core shares the pure miss cycles, if there is one.
struct BlameMeter {
    settings: BlameSettings,
    epochs: EpochCauses,
}

impl Metric for BlameMeter {
    fn add(&mut self, program: &Program) {
        self.epochs.add_hart(program.last().0.hart);
    }

    fn take(&mut self, stretch: &Stretch<'_>) {
        stretch.for_each(|step| self.epochs.step(&step));
    }

    fn finish(self: Box<Self>, run: &Run<'_>, counted: &mut Counted) {
        if run.has_addresses {
            let epochs = self.epochs.finish();
            counted.blame = Some(Blame::of(run, counted, &self.settings, &epochs));
        }
    }
}
