//! The model's traffic of a nest through a cache of any capacity, for comparison with a simulation.

use super::Model;
use super::levels::{self, Profile};
use crate::expr::{Expr, Lookup};

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
        self.prediction(nest, &self.profile(nest), capacity)
    }

    /// The same from a profile that is known.
    pub fn prediction(&self, nest: usize, profile: &Profile<f64>, capacity: f64) -> Prediction {
        let (fetched, written) = profile.through(capacity);
        let line = self.figures.symbol("line_bytes").unwrap_or(64.0);
        let nest = &self.nests[nest].nest;
        Prediction { bytes: (fetched + written) * line, condition: levels::condition(nest, profile, capacity) }
    }

    /// What the traffic of a nest through any cache follows from.
    pub fn profile(&self, nest: usize) -> Profile<f64> {
        let nest = &self.nests[nest].nest;
        let value = |expr: &Expr| {
            let resolved = self.parameters.resolve(nest.function, expr);
            resolved.evaluate(&self.figures).unwrap_or(f64::NAN)
        };
        levels::profile(nest, &value)
    }
}
