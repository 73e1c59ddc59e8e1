//! Reuse distances of all accesses.

use super::counted::Counted;
use super::entry::Entry;
use super::metric::{Metric, Program, Run, Stretch};
use super::region_details::RegionReuse;
use super::report::Reuse;
use crate::cache::spec::SpecError;
use crate::cache::{ReuseHistogram, StackDistances};

pub(super) const ENTRY: Entry = Entry {
    name: "reuse",
    meaning: "how many other lines were touched between two touches of a line (stack distances)",
    make: |asked| {
        let meter = asked.settings.reuse_line.map(ReuseMeter::new).transpose()?;
        Ok(meter.map(|meter| Box::new(meter) as Box<dyn Metric>))
    },
};

/// Collects the stack distance of every line that an access touches.
struct ReuseMeter {
    line: u64,
    distances: StackDistances,
    histogram: ReuseHistogram,
    /// By region, if that is asked for.
    regions: Option<Vec<ReuseHistogram>>,
}

impl ReuseMeter {
    /// # Errors
    /// `line` is not a length of a cache line.
    fn new(line: u64) -> Result<ReuseMeter, SpecError> {
        Ok(ReuseMeter {
            line,
            distances: StackDistances::new(line)?,
            histogram: ReuseHistogram::default(),
            regions: None,
        })
    }
}

impl Metric for ReuseMeter {
    fn add(&mut self, program: &Program) {
        let regions = program.last().1 as usize + 1;
        if let Some(own) = &mut self.regions
            && own.len() < regions
        {
            own.resize(regions, ReuseHistogram::default());
        }
    }

    fn split_by_region(&mut self) {
        self.regions = Some(Vec::new());
    }

    fn take(&mut self, stretch: &Stretch<'_>) {
        let ReuseMeter {
            line: _,
            distances,
            histogram,
            regions,
        } = self;
        stretch.for_each(|step| {
            let Some(accessed) = step.accessed else {
                return;
            };
            let region = stretch.program.region(step.instruction) as usize;
            for address in accessed.addresses {
                for line in distances.lines(*address, u32::from(accessed.access.bytes)) {
                    let distance = distances.touch(line);
                    histogram.record(distance);
                    if let Some(own) = regions.as_mut().and_then(|own| own.get_mut(region)) {
                        own.record(distance);
                    }
                }
            }
        });
    }

    fn finish(self: Box<Self>, run: &Run<'_>, counted: &mut Counted) {
        if !run.has_addresses {
            return;
        }
        let line = self.line;
        counted.reuse = Some(Reuse {
            line,
            cold: self.histogram.cold(),
            histogram: self.histogram.bins(),
            exact: self.histogram.exact().collect(),
        });
        let own = self.regions.into_iter().flatten();
        for (region, histogram) in counted.regions.iter_mut().zip(own) {
            region.detail.reuse = Some(RegionReuse {
                line,
                cold: histogram.cold(),
                bins: histogram.bins(),
            });
        }
    }
}
