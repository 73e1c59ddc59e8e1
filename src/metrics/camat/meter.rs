//! Takes a timeline as it comes and counts every level.

use std::collections::BTreeMap;

use super::cycles::{CycleMeter, Miss};
use super::identities::identities;
use super::{Camat, LevelCounts, NamedAccess, Program};
use crate::timeline::{TimedAccess, TimelineSink, WaitsFor};

/// Accesses of the longest timeline that is kept for drawing.
const MOST_KEPT: usize = 200;

/// What a timeline is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeterSettings {
    /// Levels that an access may visit, without RAM.
    pub levels: usize,
    /// The first level that harts share, counted from zero; `None` if all are private.
    pub first_shared: Option<usize>,
}

/// The streaming counter. What it holds grows with the accesses that are under way, not with the run.
#[derive(Debug)]
pub struct CamatMeter {
    settings: MeterSettings,
    private: BTreeMap<u16, Vec<CycleMeter>>,
    shared: Vec<CycleMeter>,
    /// First and last active cycle.
    active: Option<(u64, u64)>,
    kept: Option<Vec<NamedAccess>>,
}

impl CamatMeter {
    pub fn new(settings: MeterSettings) -> CamatMeter {
        let private = settings.private();
        CamatMeter {
            settings,
            private: BTreeMap::new(),
            shared: vec![CycleMeter::default(); settings.levels - private],
            active: None,
            kept: Some(Vec::new()),
        }
    }

    /// The counts. The run is from cycle 1 to `end`, or from the first to the last cycle with activity if no end is
    /// known, or if that is more.
    pub fn finish(self, program: Program, end: Option<u64>) -> Camat {
        let (first, last) = self.active.unwrap_or((1, 0));
        let run = match end {
            Some(end) => (first.min(1), last.max(end)),
            None => (first, last),
        };
        let cycles = run.1 + 1 - run.0;
        let harts = self.private.len() as u64;
        let private = self.settings.private();
        let mut levels = vec![LevelCounts::default(); self.settings.levels];
        for meters in self.private.into_values() {
            for (level, meter) in levels.iter_mut().zip(meters) {
                level.combine(meter.finish(cycles));
            }
        }
        for (level, meter) in levels[private..].iter_mut().zip(self.shared) {
            *level = meter.finish(cycles);
        }
        for (index, level) in levels.iter_mut().enumerate() {
            level.name = format!("L{}", index + 1);
            level.sharers = if index < private { 1 } else { harts };
        }
        let first_shared = self.settings.first_shared;
        let camat = Camat {
            program,
            levels,
            run,
            harts,
            first_shared,
            accesses: self.kept,
        };
        debug_assert!(
            identities(&camat)
                .iter()
                .all(super::identities::Identity::holds),
            "{:?}",
            identities(&camat)
        );
        camat
    }
}

impl MeterSettings {
    /// How many levels are a hart's own.
    pub fn private(&self) -> usize {
        self.first_shared
            .map_or(self.levels, |first| first.min(self.levels))
    }
}

impl TimelineSink for CamatMeter {
    fn access(&mut self, access: &TimedAccess) {
        let (levels, private) = (self.settings.levels, self.settings.private());
        debug_assert!(
            access.stays.len() <= levels,
            "an access of {} levels, not {levels}",
            access.stays.len()
        );
        let own = self
            .private
            .entry(access.hart)
            .or_insert_with(|| vec![CycleMeter::default(); private]);
        let meters = own.iter_mut().chain(&mut self.shared);
        let (mut start, mut end) = (access.start, access.start);
        for (level, (stay, meter)) in access.stays.iter().zip(meters).enumerate() {
            let ends_here = level + 1 == access.stays.len();
            let miss = match access.waits_for {
                _ if !ends_here => Miss::Onward,
                WaitsFor::OtherMiss => Miss::Secondary,
                WaitsFor::Memory => Miss::Onward,
                WaitsFor::Untold if level + 1 < levels => Miss::Secondary,
                WaitsFor::Untold => Miss::Untold,
            };
            end = end.max(meter.stay(start, *stay, miss));
            start += stay.hit;
        }
        if end > access.start {
            let (first, last) = self.active.unwrap_or((access.start, end - 1));
            self.active = Some((first.min(access.start), last.max(end - 1)));
        }
        if let Some(kept) = &mut self.kept {
            let id = (kept.len() + 1).to_string();
            kept.push(NamedAccess {
                id,
                access: access.clone(),
            });
            if kept.len() > MOST_KEPT {
                self.kept = None;
            }
        }
    }

    fn settled(&mut self, cycle: u64) {
        let own = self.private.values_mut().flatten();
        own.chain(&mut self.shared)
            .for_each(|meter| meter.settle(cycle));
    }
}
