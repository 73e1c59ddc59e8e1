//! The model's traffic of a nest through a cache of any capacity, for comparison with a simulation.

use super::{Model, scenario_name};
use crate::expr::Expr;

/// What the model says of a nest and one cache level.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// Bytes between the level and the next farther one.
    pub bytes: f64,
    /// What stays in the cache, in words.
    pub condition: String,
}

impl Model<'_> {
    /// The traffic of a nest through a cache of `capacity` bytes.
    pub fn predict(&self, nest: usize, capacity: f64) -> Prediction {
        let nest = &self.nests[nest];
        let depth = nest.nest.spatial().len();
        let bytes = nest.traffic.through(&nest.working_sets, depth, Expr::from(capacity));
        let bytes = bytes.evaluate(&self.figures).unwrap_or(f64::NAN);
        let fits = |set| self.value(set) < capacity;
        let condition = if fits(nest.working_sets.footprint) {
            "the whole nest fits".to_string()
        } else {
            let held = (0..depth).rev().find(|level| fits(nest.working_sets.actual.levels[*level]));
            scenario_name(held.map_or(0, |level| level + 1))
        };
        Prediction { bytes, condition }
    }
}
