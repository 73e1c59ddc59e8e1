//! Epoch profiles: how many misses of a program have to wait for each other, for every size of reorder
//! window and every capacity of a cache at once (guide: dynamic-model, "Epochs"; Carlson,
//! Nilakantan, Hempstead, Heirman, "Epoch Profiles").
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
//! whatever the levels' shapes and the order in which they throw lines out, and hits wait for outstanding lines.

mod metric;
mod own_caches;
mod rings;
mod settings;
mod slots;
mod stretch;
mod windows;

use rayon::prelude::*;
use smallvec::SmallVec;

use super::ram::RamUse;
use super::report::{CacheEpochs, Epochs};
use crate::cache::{LineSize, StackDistances};
use crate::dataflow::{Held, Producer, Rules, Step, Values};
pub(super) use metric::ENTRY;
pub(super) use own_caches::{Accesses, OwnCaches};
pub use settings::{EpochError, EpochSettings, Stores};
use slots::SlottedWindows;
pub(super) use slots::Wait;
use stretch::{Executed, HartStretch, Task};
use windows::Windows;

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
    /// Lines of the last of the run's own caches, if it has some.
    cached: Option<LineSize>,
}

/// Instructions of a hart before its windows go on: enough to be worth sharing among threads.
const STRETCH: usize = 1 << 15;

struct Hart {
    executed: u64,
    /// What it executed and its windows have not seen.
    ahead: HartStretch,
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
        line_of_caches: Option<u64>,
    ) -> Result<EpochMeter, EpochError> {
        let distances = StackDistances::new(settings.line)?;
        settings.check(rules)?;
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
            cached: line_of_caches.map(LineSize::new).transpose()?,
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
                ahead: HartStretch::default(),
                windows: Windows::new(windows, capacities.len()),
                slotted: slotted.collect(),
                caches: self.cached.map(|_| OwnCaches::new(&self.settings)),
            });
        }
    }

    /// Whether windows should go on before more instructions are taken.
    pub fn is_full(&self) -> bool {
        self.harts.iter().any(|hart| hart.ahead.len() >= STRETCH)
    }

    /// Lets all windows go on to the last instruction that was taken.
    pub fn advance(&mut self) {
        let is_full = self.is_full();
        let mut tasks: Vec<Task<'_>> = Vec::new();
        for hart in &mut self.harts {
            let Hart {
                executed: _,
                ahead,
                windows,
                slotted,
                caches,
            } = hart;
            windows.tasks(ahead, &mut tasks);
            for slotted in slotted {
                slotted.tasks(ahead, &mut tasks);
            }
            if let Some(caches) = caches {
                caches.tasks(ahead, &mut tasks);
            }
        }
        match is_full {
            true => tasks.into_par_iter().for_each(|task| task()),
            false => tasks.into_iter().for_each(|task| task()),
        }
        self.harts.iter_mut().for_each(|hart| hart.ahead.clear());
    }

    /// Takes the next instruction, as far as windows do not matter.
    pub fn step(&mut self, step: &Step<'_, RamUse>) {
        let EpochMeter {
            settings,
            lines,
            distances,
            values,
            harts,
            fetched,
            reach,
            cached,
        } = self;
        let number = step.operation.hart;
        let hart = &mut harts[number as usize];
        let mut sources: SmallVec<[u32; 8]> = SmallVec::new();
        values.sources(step, |producer| {
            if let Some(distance) = producer.distance(number, hart.executed)
                && distance < *reach
                && !sources.contains(&(distance as u32))
            {
                sources.push(distance as u32);
            }
        });
        let mut misses: SmallVec<[u16; 4]> = SmallVec::new();
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
                    fetched[missing] += 1;
                    most = most.max(missing);
                }
                misses.push(most as u16);
                // What waits for a line in flight waits for one of the caches'.
                if let Some(line) = cached {
                    touched.extend(line.numbers(*address, u32::from(access.bytes)));
                }
            }
        }
        let waits = if wait == Wait::ForMisses {
            misses.iter().copied().max().unwrap_or(0)
        } else {
            0
        };
        hart.ahead.push(&Executed {
            sources: &sources,
            misses: &misses,
            lines: &touched,
            to_ram,
            wait,
            waits,
        });
        let own = Producer::new(number, hart.executed);
        values.complete(step, Producer::START, own);
        hart.executed += 1;
    }

    pub fn finish(mut self) -> Epochs {
        self.advance();
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
            caches: self.cached.map(|_| CacheEpochs {
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
