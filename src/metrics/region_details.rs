//! What else is told of regions when they are nests of the source: reuse distances, epochs and C-AMAT of a region's
//! own accesses.

use super::analysis::RegionId;
use super::camat::{Camat, CamatMeter, MeterSettings, Program};
use super::epoch::{EpochMeter, EpochSettings};
use super::report::{Epochs, ReuseBin};
use super::timeline::{TimedAccess, TimelineSink};
use crate::cache::ReuseHistogram;
use crate::dataflow::{Operation, Rules};

/// Of one region. What was not asked of the whole trace is absent here too.
#[derive(Clone, Debug, Default)]
pub struct RegionDetail {
    /// Distances over the whole trace, of the touches that the region made.
    pub reuse: Option<RegionReuse>,
    /// Of the region's instructions alone, one after the other.
    pub epochs: Option<Epochs>,
    /// Of the region's accesses on the core's timeline.
    pub camat: Option<Camat>,
}

/// Reuse distances of a region's touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegionReuse {
    /// Bytes of a line.
    pub line: u64,
    pub cold: u64,
    pub bins: Vec<ReuseBin>,
}

/// Counts for all regions.
#[derive(Default)]
pub(super) struct RegionDetails {
    rules: Option<Rules>,
    reuse: Vec<ReuseHistogram>,
    epochs: Vec<Option<EpochMeter>>,
    epoch_settings: Option<EpochSettings>,
    has_caches: bool,
    camat: Vec<CamatMeter>,
    camat_settings: Option<MeterSettings>,
    harts: u16,
}

impl RegionDetails {
    pub fn new(
        rules: Rules,
        epochs: Option<EpochSettings>,
        has_caches: bool,
        camat: Option<MeterSettings>,
    ) -> RegionDetails {
        let (rules, epoch_settings, camat_settings) = (Some(rules), epochs, camat);
        RegionDetails {
            rules,
            epoch_settings,
            has_caches,
            camat_settings,
            ..RegionDetails::default()
        }
    }

    /// Makes room for a region and a hart.
    pub fn add(&mut self, region: RegionId, hart: u16) {
        let regions = region as usize + 1;
        if self.reuse.len() < regions {
            self.reuse.resize(regions, ReuseHistogram::default());
        }
        if let Some(settings) = self.camat_settings {
            while self.camat.len() < regions {
                self.camat.push(CamatMeter::new(settings));
            }
        }
        if let (Some(settings), Some(rules)) = (&self.epoch_settings, self.rules) {
            while self.epochs.len() < regions {
                let mut meter = EpochMeter::new(settings.clone(), rules, self.has_caches).ok();
                if let Some(meter) = &mut meter {
                    (0..=self.harts).for_each(|hart| meter.add_hart(hart));
                }
                self.epochs.push(meter);
            }
            if hart > self.harts {
                self.harts = hart;
                self.epochs
                    .iter_mut()
                    .flatten()
                    .for_each(|meter| meter.add_hart(hart));
            }
        }
    }

    pub fn reuse(&mut self, region: RegionId) -> Option<&mut ReuseHistogram> {
        self.reuse.get_mut(region as usize)
    }

    pub fn epochs(
        &mut self,
        region: RegionId,
        operation: &Operation,
        addresses: &[u64],
        to_ram: u64,
    ) {
        if let Some(Some(meter)) = self.epochs.get_mut(region as usize) {
            meter.step(operation, addresses, to_ram);
        }
    }

    pub fn camat(&mut self, region: RegionId) -> Option<&mut CamatMeter> {
        self.camat.get_mut(region as usize)
    }

    /// In the order of the regions' numbers; `line` is that of reuse distances, if they were asked for.
    pub fn finish(self, line: Option<u64>, program: Program) -> Vec<RegionDetail> {
        let (mut epochs, mut camat) = (self.epochs.into_iter(), self.camat.into_iter());
        let detail = |histogram: ReuseHistogram| RegionDetail {
            reuse: line.map(|line| RegionReuse {
                line,
                cold: histogram.cold(),
                bins: histogram.bins(),
            }),
            epochs: epochs.next().flatten().map(EpochMeter::finish),
            camat: camat.next().map(|meter| meter.finish(program, None)),
        };
        self.reuse.into_iter().map(detail).collect()
    }
}

/// Passes a timeline on to two.
pub(super) struct Both<'s> {
    pub all: &'s mut CamatMeter,
    pub own: Option<&'s mut CamatMeter>,
}

impl TimelineSink for Both<'_> {
    fn access(&mut self, access: &TimedAccess) {
        self.all.access(access);
        if let Some(own) = &mut self.own {
            own.access(access);
        }
    }

    fn settled(&mut self, cycle: u64) {
        self.all.settled(cycle);
        if let Some(own) = &mut self.own {
            own.settled(cycle);
        }
    }
}
