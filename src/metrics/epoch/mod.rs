//! Epoch profiles: how many misses of a program have to wait for each other, for every size of reorder
//! window and every capacity of a cache at once (dynamic.md section 5; Carlson, Nilakantan, Hempstead,
//! Heirman, "Epoch Profiles").
//!
//! An access misses a capacity if its stack distance in lines is as large or larger. With weight 1 for an
//! instruction that waits for a miss and 0 for all others, instruction i in a window of W
//!
//! - enters when i−W has retired, issues when its sources are there too,
//! - is done its weight later, and retires when it is done and i−1 has retired.
//!
//! The epoch in which the last instruction retires is the number of epochs. A store that misses waits in
//! its buffer and weighs nothing, unless stores block. Every hart has its own window and follows its own
//! values; those of other harts count as there. The capacities are shared, and epochs of harts are added.
//!
//! Beside the capacities stand the run's own caches, if it has any: there an access misses if it went to RAM,
//! whatever the levels' shapes and the order in which they throw lines out, and hits wait for lines under way.

mod metric;
mod own_caches;
mod rings;
mod slots;
mod windows;

use smallvec::SmallVec;

use super::ram::RamUse;
use super::report::{CacheEpochs, Epochs};
use crate::cache::StackDistances;
use crate::cache::spec::SpecError;
use crate::dataflow::{Lanes, Producer, Rules, Step, Values};
pub(super) use metric::ENTRY;
use own_caches::{Accesses, OwnCaches};
use slots::{SlottedWindows, Wait};
use windows::{LARGEST_WINDOW, MOST_CAPACITIES, Windows};

/// What stores that miss do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stores {
    /// They wait in a buffer and hold nobody up.
    Buffered,
    /// They are waited for, as loads are.
    Blocking,
}

/// The question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EpochSettings {
    /// W: instructions of the reorder window, ascending.
    pub windows: Vec<u32>,
    /// C: bytes, ascending.
    pub capacities: Vec<u64>,
    /// m: most misses that start in one epoch; one more profile for each.
    pub slots: Vec<u32>,
    /// Bytes of a line.
    pub line: u64,
    pub stores: Stores,
}

impl Default for EpochSettings {
    /// 11 windows from 1 to 1,024 and 21 capacities from 1 KiB to 1 GiB by powers of two.
    fn default() -> EpochSettings {
        EpochSettings {
            windows: (0..=10).map(|bits| 1 << bits).collect(),
            capacities: (10..=30).map(|bits| 1 << bits).collect(),
            slots: Vec::new(),
            line: 64,
            stores: Stores::Buffered,
        }
    }
}

/// Why a profile cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum EpochError {
    #[error("no {0} are given")]
    Empty(&'static str),
    #[error("the {0} have to ascend")]
    Order(&'static str),
    #[error("a window of {0} instructions: from 1 to {LARGEST_WINDOW} are possible")]
    Window(u32),
    #[error("a capacity of {capacity} bytes is less than one line of {line} bytes")]
    Capacity { capacity: u64, line: u64 },
    #[error("{0} capacities: at most {MOST_CAPACITIES} are possible")]
    TooManyCapacities(usize),
    #[error("{0} slots: at least 1 is needed for a miss to start")]
    Slots(u32),
    #[error(
        "epochs follow true dependences: a reorder window renames, so that false ones hold nothing up"
    )]
    FalseDependences,
    #[error(transparent)]
    Line(#[from] SpecError),
}

impl EpochSettings {
    fn validate(&self) -> Result<(), EpochError> {
        let ascends = |numbers: &[u64], what| {
            if numbers.is_empty() {
                return Err(EpochError::Empty(what));
            }
            if numbers.is_sorted_by(|a, b| a < b) {
                Ok(())
            } else {
                Err(EpochError::Order(what))
            }
        };
        let windows: Vec<u64> = self
            .windows
            .iter()
            .map(|window| u64::from(*window))
            .collect();
        ascends(&windows, "windows")?;
        ascends(&self.capacities, "capacities")?;
        if let Some(window) = self
            .windows
            .iter()
            .find(|window| !(1..=LARGEST_WINDOW).contains(*window))
        {
            return Err(EpochError::Window(*window));
        }
        if let Some(capacity) = self
            .capacities
            .iter()
            .find(|capacity| **capacity < self.line)
        {
            return Err(EpochError::Capacity {
                capacity: *capacity,
                line: self.line,
            });
        }
        if self.capacities.len() > MOST_CAPACITIES {
            return Err(EpochError::TooManyCapacities(self.capacities.len()));
        }
        match self.slots.iter().find(|slots| **slots == 0) {
            Some(slots) => Err(EpochError::Slots(*slots)),
            None => Ok(()),
        }
    }
}

/// Follows all windows and capacities.
struct EpochMeter {
    settings: EpochSettings,
    /// Capacities in lines.
    lines: Vec<u64>,
    distances: StackDistances,
    values: Values<Producer>,
    harts: Vec<Hart>,
    /// Lines that were fetched, by the number of capacities that missed them.
    fetched: Vec<u64>,
    /// Farthest source that matters.
    reach: u64,
    /// Whether the run has caches of its own.
    has_caches: bool,
}

struct Hart {
    executed: u64,
    windows: Windows,
    slotted: Vec<SlottedWindows>,
    caches: Option<OwnCaches>,
}

impl EpochMeter {
    /// # Errors
    /// Settings are empty, out of order or out of range, or false dependences count.
    pub fn new(
        settings: EpochSettings,
        rules: Rules,
        has_caches: bool,
    ) -> Result<EpochMeter, EpochError> {
        let distances = StackDistances::new(settings.line)?;
        settings.validate()?;
        if rules.false_dependences {
            return Err(EpochError::FalseDependences);
        }
        Ok(EpochMeter {
            lines: settings
                .capacities
                .iter()
                .map(|capacity| capacity / settings.line)
                .collect(),
            distances,
            values: Values::new(rules),
            harts: Vec::new(),
            fetched: vec![0; settings.capacities.len() + 1],
            reach: settings.windows.last().copied().map_or(0, u64::from),
            has_caches,
            settings,
        })
    }

    pub fn add_hart(&mut self, hart: u16) {
        self.values.add_hart(hart);
        let EpochSettings {
            windows,
            capacities,
            slots,
            ..
        } = &self.settings;
        while self.harts.len() <= hart as usize {
            let slotted = slots
                .iter()
                .map(|slots| SlottedWindows::new(*slots, windows, capacities.len()));
            self.harts.push(Hart {
                executed: 0,
                windows: Windows::new(windows, capacities.len()),
                slotted: slotted.collect(),
                caches: self.has_caches.then(|| OwnCaches::new(&self.settings)),
            });
        }
    }

    /// Takes the next instruction.
    pub fn step(&mut self, step: &Step<'_, RamUse>) {
        let EpochMeter {
            settings,
            lines,
            distances,
            values,
            harts,
            fetched,
            reach,
            has_caches: _,
        } = self;
        let number = step.operation.hart;
        let hart = &mut harts[number as usize];
        let mut sources: SmallVec<[usize; 8]> = SmallVec::new();
        values.sources(step, |producer| {
            if let Some(distance) = producer.distance(number, hart.executed)
                && distance < *reach
                && !sources.contains(&(distance as usize))
            {
                sources.push(distance as usize);
            }
        });
        let mut misses: SmallVec<[usize; 4]> = SmallVec::new();
        let mut touched: SmallVec<[u64; 4]> = SmallVec::new();
        let mut wait = Wait::ForNothing;
        let mut to_ram = 0;
        if let Some(accessed) = step.accessed {
            to_ram = accessed.used.accesses;
            let access = accessed.access;
            if access.kind.reads() || settings.stores == Stores::Blocking {
                wait = Wait::ForMisses;
            }
            for address in accessed.addresses {
                let mut most = 0;
                for line in distances.lines(*address, u32::from(access.bytes)) {
                    let missing = missing(lines, distances.touch(line));
                    touched.push(line);
                    fetched[missing] += 1;
                    most = most.max(missing);
                }
                misses.push(most);
            }
        }
        let waits = if wait == Wait::ForMisses {
            misses.iter().copied().max().unwrap_or(0)
        } else {
            0
        };
        hart.windows.step(&sources, waits);
        for slotted in &mut hart.slotted {
            slotted.step(&sources, &misses, wait);
        }
        if let Some(caches) = &mut hart.caches {
            caches.step(
                &sources,
                &Accesses {
                    lines: &touched,
                    to_ram,
                    wait,
                },
            );
        }
        let own = Producer::new(number, hart.executed);
        values.complete(step, Producer::START, own);
        hart.executed += 1;
    }

    pub fn finish(self) -> Epochs {
        let EpochSettings {
            windows,
            capacities,
            slots,
            line,
            stores,
        } = self.settings;
        let sum = |epochs: &dyn Fn(&Hart) -> u64| self.harts.iter().map(epochs).sum::<u64>();
        let row = |epochs: &dyn Fn(&Hart, usize) -> u64| -> Vec<u64> {
            (0..windows.len())
                .map(|window| sum(&|hart| epochs(hart, window)))
                .collect()
        };
        let table = |epochs: &dyn Fn(&Hart, usize, usize) -> u64| {
            (0..capacities.len())
                .map(|capacity| row(&|hart, window| epochs(hart, window, capacity)))
                .collect::<Vec<_>>()
        };
        let slotted = |(index, slots): (usize, &u32)| {
            (
                *slots,
                table(&|hart, window, capacity| hart.slotted[index].epochs(window, capacity)),
            )
        };
        let of_caches = |limit: usize| {
            row(&|hart, window| {
                hart.caches
                    .as_ref()
                    .map_or(0, |caches| caches.epochs(limit, window))
            })
        };
        Epochs {
            epochs: table(&|hart, window, capacity| hart.windows.epochs(window, capacity)),
            slots: slots.iter().enumerate().map(slotted).collect(),
            caches: self.has_caches.then(|| CacheEpochs {
                epochs: of_caches(0),
                slots: slots
                    .iter()
                    .zip(1..)
                    .map(|(slots, limit)| (*slots, of_caches(limit)))
                    .collect(),
            }),
            instructions: self.harts.iter().map(|hart| hart.executed).sum(),
            off_chip: (1..self.fetched.len())
                .map(|missing| self.fetched[missing..].iter().sum())
                .collect(),
            windows,
            capacities,
            line,
            stores,
        }
    }
}

/// How many of the capacities, which ascend, are too small for a reuse from that far; a first touch misses all.
#[inline]
fn missing(lines: &[u64], distance: Option<u64>) -> usize {
    match distance {
        None => lines.len(),
        Some(distance) if distance < lines[0] => 0,
        Some(distance) => lines.partition_point(|lines| *lines <= distance),
    }
}
