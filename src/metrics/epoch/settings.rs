//! For which windows and capacities epochs are counted, and how.

use super::windows::{LARGEST_WINDOW, MOST_CAPACITIES};
use crate::cache::spec::SpecError;
use crate::dataflow::Rules;

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
        "epochs follow true dependences: a reorder window renames, so that false ones cause no stall"
    )]
    FalseDependences,
    #[error(transparent)]
    Line(#[from] SpecError),
}

impl EpochSettings {
    /// # Errors
    /// They are empty, out of order or out of range, or false dependences count.
    pub(crate) fn check(&self, rules: Rules) -> Result<(), EpochError> {
        if rules.false_dependences {
            return Err(EpochError::FalseDependences);
        }
        self.validate()
    }

    /// Whether a profile can be made of them.
    ///
    /// # Errors
    /// They are empty, out of order or out of range.
    pub fn validate(&self) -> Result<(), EpochError> {
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
