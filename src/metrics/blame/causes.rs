//! Counts by what may be blamed: an instruction, and the global variable that it accessed.

use rustc_hash::FxHashMap;

use crate::binary::Variable;
use crate::trace::InstructionId;

/// What is blamed: an instruction, and the number of the variable at its first address; `None` if no variable is there.
pub(super) type Cause = (InstructionId, Option<u32>);

/// Units by cause.
#[derive(Clone, Debug, Default)]
pub struct Causes {
    counts: FxHashMap<(u32, u32), u64>,
}

const NO_VARIABLE: u32 = u32::MAX;

impl Causes {
    pub(super) fn add(&mut self, (instruction, variable): Cause, units: u64) {
        if units > 0 {
            let key = (instruction.0, variable.unwrap_or(NO_VARIABLE));
            *self.counts.entry(key).or_default() += units;
        }
    }

    /// The most first, then in the order of the program.
    pub(super) fn sorted(&self) -> Vec<(Cause, u64)> {
        let cause = |(&(instruction, variable), &count): (&(u32, u32), &u64)| {
            let variable = Some(variable).filter(|number| *number != NO_VARIABLE);
            ((InstructionId(instruction), variable), count)
        };
        let mut all: Vec<(Cause, u64)> = self.counts.iter().map(cause).collect();
        all.sort_by_key(|((instruction, variable), count)| {
            (std::cmp::Reverse(*count), *instruction, *variable)
        });
        all
    }
}

/// The number of the variable at an address.
pub(super) fn variable_at(variables: &[Variable], address: u64) -> Option<u32> {
    let after = variables.partition_point(|variable| variable.low <= address);
    let number = after.checked_sub(1)?;
    (address < variables[number].high).then_some(number as u32)
}
