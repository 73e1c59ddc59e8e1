//! Accesses and misses by cause, and between which addresses they are.

use rustc_hash::FxHashMap;

use super::causes::{Cause, variable_at};
use crate::binary::Variable;
use crate::cache::AccessKind;
use crate::dataflow::Step;
use crate::ram::RamUse;
use crate::trace::InstructionId;

/// Of one cause.
#[derive(Clone, Debug, Default)]
pub(super) struct Touches {
    pub accesses: u64,
    /// Of these, accesses that load.
    pub loads: u64,
    /// Accesses that went to RAM; those of an instruction with several addresses go by the first.
    pub misses: u64,
    pub spans: Spans,
}

/// Addresses that accesses went to, from the lowest to behind the highest of each part of the address space: what goes to the heap
/// and to the stack is not all that lies between.
#[derive(Clone, Debug, Default)]
pub(super) struct Spans(Vec<(u64, u64)>);

impl Spans {
    /// Addresses nearer to each other are of one part.
    const NEAR: u64 = 64 << 20;
    /// More parts are taken for one.
    const MOST: usize = 16;

    pub fn add(&mut self, low: u64, high: u64) {
        let is_near = |own: &(u64, u64)| {
            low <= own.1.saturating_add(Spans::NEAR) && own.0 <= high.saturating_add(Spans::NEAR)
        };
        let at = self.0.iter().position(is_near);
        let full = (self.0.len() == Spans::MOST).then_some(Spans::MOST - 1);
        match at.or(full) {
            Some(at) => {
                let own = &mut self.0[at];
                *own = (own.0.min(low), own.1.max(high));
            }
            None => self.0.push((low, high)),
        }
    }

    pub fn add_all(&mut self, other: &Spans) {
        other.0.iter().for_each(|(low, high)| self.add(*low, *high));
    }

    /// Their bytes; parts that have grown together count once.
    pub fn bytes(&self) -> u64 {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let (mut bytes, mut end) = (0, 0);
        for (low, high) in sorted {
            bytes += high.saturating_sub(low.max(end));
            end = end.max(high);
        }
        bytes
    }
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
            let touches = self.counts.entry(key).or_default();
            touches.accesses += 1;
            touches.loads += loads;
            touches.misses += std::mem::take(&mut misses);
            touches.spans.add(low, high);
        }
    }

    /// In the order of the program.
    pub fn sorted(&self) -> Vec<(Cause, Touches)> {
        let mut all: Vec<(Cause, Touches)> = (self.counts.iter())
            .map(|((instruction, variable), touches)| {
                ((InstructionId(*instruction), *variable), touches.clone())
            })
            .collect();
        all.sort_by_key(|(cause, _)| *cause);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: 100 bytes near address 0, and 8 of a stack far away; a bridge makes one part of two.
    #[test]
    fn what_lies_between_heap_and_stack_is_not_touched() {
        let mut spans = Spans::default();
        for (low, high) in [
            (50, 58),
            (0x4000_0000_0000, 0x4000_0000_0008),
            (0, 10),
            (92, 100),
        ] {
            spans.add(low, high);
        }
        assert_eq!(spans.bytes(), 108);
        let mut other = Spans::default();
        other.add(Spans::NEAR * 3 / 2, Spans::NEAR * 3 / 2 + 10);
        other.add_all(&spans);
        assert_eq!(other.bytes(), 118);
        other.add(50, Spans::NEAR * 2);
        assert_eq!(other.bytes(), Spans::NEAR * 2 + 8);
        for part in 0..100 {
            other.add(part << 40, (part << 40) + 1);
        }
        assert_eq!(other.0.len(), Spans::MOST);
    }
}
