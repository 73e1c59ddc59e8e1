//! Epochs as a metric: of the whole trace, and of each region by itself.

use super::{EpochMeter, EpochSettings};
use crate::counted::Counted;
use crate::dataflow::{Dependences, Next, Rules, Steps};
use crate::entry::Entry;
use crate::metric::{Metric, Program, Run, Stretch, ram_use};
use crate::ram::RamUse;

pub(crate) const ENTRY: Entry = Entry {
    name: "epochs",
    meaning: "how many misses have to wait for each other, for every window and every capacity",
    make: |asked| {
        let settings = asked.settings;
        let Some(epochs) = &settings.epochs else {
            return Ok(None);
        };
        let line_of_caches = settings.caches.last().map(|level| u64::from(level.line));
        let meter = EpochMeter::new(epochs.clone(), settings.rules, line_of_caches)?;
        Ok(Some(Box::new(AllEpochs {
            settings: epochs.clone(),
            rules: settings.rules,
            line_of_caches,
            whole: meter,
            harts: 0,
            regions: None,
        })))
    },
};

struct AllEpochs {
    settings: EpochSettings,
    rules: Rules,
    line_of_caches: Option<u64>,
    whole: EpochMeter,
    /// The highest hart.
    harts: u16,
    /// By region, if that is asked for.
    regions: Option<Vec<RegionEpochs>>,
}

/// One region as if nothing else had been executed: its dependences are between its own instructions.
struct RegionEpochs {
    dependences: Dependences,
    meter: EpochMeter,
    steps: Steps<RamUse>,
}

impl RegionEpochs {
    fn add_hart(&mut self, hart: u16) {
        self.dependences.add_hart(hart);
        self.meter.add_hart(hart);
    }
}

impl Metric for AllEpochs {
    fn add(&mut self, program: &Program) {
        let (instruction, region) = program.last();
        self.whole.add_hart(instruction.hart);
        self.harts = self.harts.max(instruction.hart);
        let Some(regions) = &mut self.regions else {
            return;
        };
        while regions.len() <= region as usize {
            let meter = EpochMeter::new(self.settings.clone(), self.rules, self.line_of_caches);
            regions.push(RegionEpochs {
                dependences: Dependences::new(self.rules),
                meter: meter.expect("the settings are those of the whole"),
                steps: Steps::default(),
            });
        }
        regions.iter_mut().for_each(|own| own.add_hart(self.harts));
    }

    fn split_by_region(&mut self) {
        self.regions = Some(Vec::new());
    }

    fn take(&mut self, stretch: &Stretch<'_>) {
        stretch.for_each(|step| self.whole.step(&step));
        if self.whole.is_full() {
            self.whole.advance();
        }
        let Some(regions) = &mut self.regions else {
            return;
        };
        stretch.for_each(|step| {
            let region = stretch.program.region(step.instruction);
            let own = &mut regions[region as usize];
            let used = ram_use(&step);
            let next = Next {
                instruction: step.instruction,
                operation: step.operation,
                addresses: step.addresses(),
            };
            own.dependences.resolve(next, |_| used, &mut own.steps);
        });
        for own in regions {
            let RegionEpochs { meter, steps, .. } = own;
            steps.for_each(&stretch.program.operations, &[], |step| meter.step(&step));
            if meter.is_full() {
                meter.advance();
            }
            steps.clear();
        }
    }

    fn finish(self: Box<Self>, run: &Run<'_>, counted: &mut Counted) {
        if !run.has_addresses {
            return;
        }
        counted.epochs = Some(self.whole.finish());
        let own = self.regions.into_iter().flatten();
        for (region, own) in counted.regions.iter_mut().zip(own) {
            region.detail.epochs = Some(own.meter.finish());
        }
    }
}
