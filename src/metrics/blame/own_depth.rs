//! Memory depths of single variables: the most RAM accesses of one variable on a path.

use crate::binary::Variable;
use crate::dataflow::{Held, Lanes, Rules, Step, Values};
use crate::ram::RamUse;

use super::causes::variable_at;

/// Variables that are followed, the largest.
const LANES: usize = 16;

/// By lane.
#[derive(Clone, Copy)]
struct Depths([u32; LANES]);

impl Held for Depths {
    const START: Depths = Depths([0; LANES]);
    type Kept = [u32; LANES];

    #[inline(always)]
    fn keep(self) -> [u32; LANES] {
        self.0
    }

    #[inline(always)]
    fn recall(kept: [u32; LANES]) -> Depths {
        Depths(kept)
    }
}

impl Lanes for Depths {
    #[inline(always)]
    fn latest(self, other: Depths) -> Depths {
        Depths(std::array::from_fn(|lane| self.0[lane].max(other.0[lane])))
    }
}

/// Follows the paths.
pub(super) struct OwnDepths {
    values: Values<Depths>,
    /// The variable of each lane, ascending.
    followed: Vec<u32>,
    deepest: Depths,
}

impl OwnDepths {
    pub fn new(variables: &[Variable], rules: Rules) -> OwnDepths {
        let bytes = |number: &u32| {
            let Variable { low, high, .. } = &variables[*number as usize];
            high - low
        };
        let mut followed: Vec<u32> = (0..variables.len() as u32).collect();
        followed.sort_by_key(|number| std::cmp::Reverse(bytes(number)));
        followed.truncate(LANES);
        followed.sort_unstable();
        OwnDepths {
            values: Values::new(rules),
            followed,
            deepest: Depths::START,
        }
    }

    pub fn add_hart(&mut self, hart: u16) {
        self.values.add_hart(hart);
    }

    pub fn step(&mut self, step: &Step<'_, RamUse>, variables: &[Variable]) {
        let ready = self.values.ready(step);
        let mut done = ready;
        if let Some(accessed) = &step.accessed
            && accessed.used.accesses > 0
            && let Some(address) = accessed.addresses.first()
            && let Some(variable) = variable_at(variables, *address)
            && let Ok(lane) = self.followed.binary_search(&variable)
        {
            done.0[lane] += 1;
        }
        self.values.complete(step, ready, done);
        self.deepest = self.deepest.latest(done);
    }

    /// Of a variable; `None` if it is not followed.
    pub fn of(&self, variable: u32) -> Option<u64> {
        let lane = self.followed.binary_search(&variable).ok()?;
        Some(u64::from(self.deepest.0[lane]))
    }
}
