//! The model's traffic of a nest through a cache of any capacity, for comparison with a simulation, with the parameters'
//! values or with smaller ones.

use super::Model;
use super::levels::{self, Collision, Profile, SetAssociative};
use super::nest::Nest;
use super::parameters::ParameterTable;
use crate::expr::{Expr, Lookup, Symbol};
use crate::reason::ReasonCode;

/// What the model says of a nest and one cache level.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// Bytes between the level and the next farther one.
    pub bytes: f64,
    /// What stays in the cache, in words.
    pub condition: String,
}

/// A model with values of its parameters.
#[derive(Clone, Copy)]
pub struct Valued<'m, 'p> {
    pub model: &'m Model<'p>,
    pub parameters: &'m ParameterTable,
}

impl<'p> Model<'p> {
    /// The model with its own values.
    pub fn valued(&self) -> Valued<'_, 'p> {
        self.with_values(&self.parameters)
    }

    /// The model with those of other parameters, which must be its own but for their values.
    pub fn with_values<'m>(&'m self, parameters: &'m ParameterTable) -> Valued<'m, 'p> {
        Valued {
            model: self,
            parameters,
        }
    }

    /// The traffic of a nest through a cache of `capacity` bytes.
    pub fn predict(&self, nest: usize, capacity: f64) -> Prediction {
        self.valued().predict(nest, capacity)
    }

    /// What the traffic of a nest through any cache follows from, and the names of its loops.
    pub fn profile(&self, nest: usize) -> (Profile<f64>, Vec<String>) {
        self.valued().profile(nest)
    }
}

impl Valued<'_, '_> {
    /// The traffic of a nest through a cache of `capacity` bytes.
    pub fn predict(&self, nest: usize, capacity: f64) -> Prediction {
        let (profile, names) = self.profile(nest);
        Prediction {
            bytes: self.through(nest, &profile, capacity),
            condition: levels::condition(&names, &profile, capacity),
        }
    }

    /// The bytes that a nest with this profile moves through a cache of `capacity` bytes.
    pub fn through(&self, nest: usize, profile: &Profile<f64>, capacity: f64) -> f64 {
        let (all, left) =
            profile.through_with(capacity, self.model.nests[nest].levels.neighbours.as_ref());
        let (fetched, written) = (all.0 - left.0, all.1 - left.1);
        let line = self.model.figures.input("line_bytes").unwrap_or(64.0);
        (fetched + written) * line
    }

    /// What the traffic of a nest through any cache follows from, and the names of its loops.
    pub fn profile(&self, nest: usize) -> (Profile<f64>, Vec<String>) {
        let (nest, neighbours) = (
            &self.model.nests[nest].nest,
            self.model.nests[nest].levels.neighbours.as_ref(),
        );
        levels::profile(nest, &|expr| self.number(nest, expr), neighbours)
    }

    /// Why the bytes of a nest through a cache of `capacity` bytes are only about right, beyond what holds for all caches.
    pub fn doubts_at(&self, nest: usize, capacity: f64) -> Option<ReasonCode> {
        let nest = &self.model.nests[nest].nest;
        let value = |symbol: &Symbol| self.symbol_value(nest.function, symbol);
        levels::decides_distances(nest, &value, &[capacity]).then_some(ReasonCode::UndecidedBranch)
    }

    /// Where lines of a nest fall into few sets of a cache, if it is certain from sizes that are more than guesses.
    pub fn collision(&self, nest: usize, cache: SetAssociative) -> Option<Collision> {
        let nest = &self.model.nests[nest].nest;
        let is_known = |expr: &Expr| {
            expr.symbols().iter().all(|symbol| {
                let row = self.parameters.row(nest.function, symbol);
                row.is_some_and(|row| !row.rests_on_guess)
            })
        };
        levels::collision(nest, &|expr| self.number(nest, expr), &is_known, cache)
    }

    /// The loops of a nest that are blocked, by their position from outside, with the iterations of a block. The
    /// loops over the blocks are all of them around the nest's spatial loops, in the same order.
    pub fn blocked(&self, nest: &Nest) -> Vec<(usize, f64)> {
        levels::blocked(nest, &|expr| self.number(nest, expr))
    }

    /// The value of a symbol of a function, if it is a parameter.
    pub fn symbol_value(&self, function: usize, symbol: &Symbol) -> Option<f64> {
        self.parameters.row(function, symbol).map(|row| row.value)
    }

    fn number(&self, nest: &Nest, expr: &Expr) -> f64 {
        let symbol = |symbol: &Symbol| {
            self.symbol_value(nest.function, symbol)
                .or_else(|| self.model.figures.input(symbol.name()))
        };
        expr.evaluate(&symbol as &dyn Lookup).unwrap_or(f64::NAN)
    }
}
