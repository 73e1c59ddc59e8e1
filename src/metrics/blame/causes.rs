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

    /// Shares units among these, in proportion, and forgets them: what division leaves goes to the first ones. All of them are
    /// shared, if there is a cause.
    pub(super) fn share_out(&mut self, units: u64, among: &mut Causes) {
        let total: u64 = self.counts.values().sum();
        if units > 0 && total > 0 {
            let sorted = self.sorted();
            let share = |count: u64| {
                u64::try_from(u128::from(units) * u128::from(count) / u128::from(total))
            };
            let shares: Vec<u64> = sorted
                .iter()
                .map(|(_, count)| share(*count).unwrap_or(units))
                .collect();
            let mut left = units.saturating_sub(shares.iter().sum());
            for ((cause, _), share) in sorted.iter().zip(shares) {
                let more = left.min(1);
                left -= more;
                among.add(*cause, share + more);
            }
        }
        self.counts.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.counts.is_empty()
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
