//! Epochs, by what retirement waits for.

use smallvec::SmallVec;

use super::causes::{Causes, variable_at};
use super::settings::BlameSettings;
use crate::binary::Variable;
use crate::cache::LineSize;
use crate::dataflow::{Held, Producer, Rules, Step, Values};
use crate::epoch::{Accesses, EpochSettings, OwnCaches, Stores, Wait};
use crate::ram::RamUse;
use crate::settings::SettingsError;

/// Shares E_m of the caches' own misses.
pub(super) struct EpochCauses {
    settings: EpochSettings,
    variables: Vec<Variable>,
    /// Says which lines per access touches.
    lines: LineSize,
    values: Values<Producer>,
    harts: Vec<Hart>,
    causes: Causes,
}

struct Hart {
    executed: u64,
    windows: OwnCaches,
    /// Epochs that are shared.
    shared: u64,
    /// Lines of stores, which nothing waits for, since then: their epochs are only counted with the next one that is waited
    /// for.
    buffered: Causes,
}

/// With one m, the windows without a limit come first.
const LIMITED: usize = 1;

impl EpochCauses {
    /// # Errors
    /// A window or m is out of range, or false dependences count.
    pub fn new(
        blame: &BlameSettings,
        rules: Rules,
        stores_block: bool,
        line: u64,
    ) -> Result<EpochCauses, SettingsError> {
        let settings = EpochSettings {
            windows: vec![blame.window],
            capacities: vec![line],
            slots: vec![blame.slots],
            line,
            stores: match stores_block {
                true => Stores::Blocking,
                false => Stores::Buffered,
            },
        };
        settings.check(rules)?;
        Ok(EpochCauses {
            lines: LineSize::new(line)?,
            variables: blame.variables.clone(),
            values: Values::new(rules),
            harts: Vec::new(),
            causes: Causes::default(),
            settings,
        })
    }

    pub fn add_hart(&mut self, hart: u16) {
        self.values.add_hart(hart);
        while self.harts.len() <= hart as usize {
            self.harts.push(Hart {
                executed: 0,
                windows: OwnCaches::new(&self.settings),
                shared: 0,
                buffered: Causes::default(),
            });
        }
    }

    pub fn step(&mut self, step: &Step<'_, RamUse>) {
        let EpochCauses {
            settings,
            variables,
            lines,
            values,
            harts,
            causes,
        } = self;
        let number = step.operation.hart;
        let hart = &mut harts[number as usize];
        let reach = u64::from(settings.windows[0]);
        let mut sources: SmallVec<[u32; 8]> = SmallVec::new();
        values.sources(step, |producer| {
            if let Some(distance) = producer.distance(number, hart.executed)
                && distance < reach
                && !sources.contains(&(distance as u32))
            {
                sources.push(distance as u32);
            }
        });
        let mut touched: SmallVec<[u64; 4]> = SmallVec::new();
        let (mut wait, mut to_ram) = (Wait::ForNothing, 0);
        if let Some(accessed) = step.accessed {
            let access = accessed.access;
            to_ram = accessed.used.accesses;
            if access.kind.reads() || settings.stores == Stores::Blocking {
                wait = Wait::ForMisses;
            }
            for address in accessed.addresses {
                touched.extend(lines.numbers(*address, u32::from(access.bytes)));
            }
        }
        let accesses = Accesses {
            lines: &touched,
            to_ram,
            wait,
        };
        hart.windows.step(&sources, &accesses);
        let epochs = hart.windows.epochs(LIMITED, 0);
        let gained = epochs - hart.shared;
        let own = || {
            let variable = step.addresses().first();
            let variable = variable.and_then(|address| variable_at(variables, *address));
            (step.instruction, variable)
        };
        if to_ram > 0 && wait == Wait::ForNothing {
            hart.buffered.add(own(), u64::from(to_ram));
        }
        if gained > 0 {
            // It waits in one epoch; all before are those of stores.
            let of_own = match hart.buffered.is_empty() {
                true => gained,
                false if wait == Wait::ForMisses => 1,
                false => 0,
            };
            causes.add(own(), of_own);
            hart.buffered.share_out(gained - of_own, causes);
            hart.shared = epochs;
        }
        let own = Producer::new(number, hart.executed);
        values.complete(step, Producer::START, own);
        hart.executed += 1;
    }

    pub fn finish(self) -> Causes {
        self.causes
    }
}
