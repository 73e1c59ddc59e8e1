//! Accesses and misses by cause, and between which addresses they are.

use rustc_hash::FxHashMap;

use super::causes::{Cause, variable_at};
use crate::binary::Variable;
use crate::cache::AccessKind;
use crate::dataflow::Step;
use crate::ram::RamUse;
use crate::trace::InstructionId;

/// Of one cause.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touches {
    pub accesses: u64,
    /// Of these, accesses that load.
    pub loads: u64,
    /// Accesses that went to RAM; those of an instruction with several addresses go by the first.
    pub misses: u64,
    pub low: u64,
    pub high: u64,
}

/// Counts by instruction and variable.
#[derive(Default)]
pub(super) struct Touched {
    counts: FxHashMap<(u32, Option<u32>), Touches>,
}

impl Touched {
    pub fn step(&mut self, step: &Step<'_, RamUse>, variables: &[Variable]) {
        let Some(accessed) = &step.accessed else {
            return;
        };
        let bytes = u64::from(accessed.access.bytes);
        let loads = u64::from(accessed.access.kind != AccessKind::Store);
        let mut misses = u64::from(accessed.used.accesses);
        for address in accessed.addresses {
            let key = (step.instruction.0, variable_at(variables, *address));
            let (low, high) = (*address, address.saturating_add(bytes));
            let touches = self.counts.entry(key).or_insert(Touches {
                accesses: 0,
                loads: 0,
                misses: 0,
                low,
                high,
            });
            touches.accesses += 1;
            touches.loads += loads;
            touches.misses += std::mem::take(&mut misses);
            touches.low = touches.low.min(low);
            touches.high = touches.high.max(high);
        }
    }

    /// In the order of the program.
    pub fn sorted(&self) -> Vec<(Cause, Touches)> {
        let mut all: Vec<(Cause, Touches)> = (self.counts.iter())
            .map(|((instruction, variable), touches)| {
                ((InstructionId(*instruction), *variable), *touches)
            })
            .collect();
        all.sort_by_key(|(cause, _)| *cause);
        all
    }
}
