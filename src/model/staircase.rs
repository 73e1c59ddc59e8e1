//! What a nest moves through a cache of any size: a staircase that falls where a cache is large enough for one more
//! reuse (guide: static-model, "The refined rule: reuse").
//!
//! It is of the nest alone in a cache that begins cold. What earlier nests left in a cache, and what is written past the
//! last one, is in the figures of the caches only.

use super::{Model, NestModel};
use crate::expr::FigureId;

/// One reuse: from this capacity on its bytes do not move again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its position among the reuses of the nest.
    pub reuse: usize,
    /// Bytes that a cache must hold.
    pub capacity: FigureId,
    /// What moves again in a smaller cache.
    pub fetched: FigureId,
    pub written_back: FigureId,
}

/// The figures that the staircase of a nest is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Staircase {
    /// Fetched by whatever cache.
    pub least_fetched: FigureId,
    /// Written back by whatever cache.
    pub least_written_back: FigureId,
    /// In the order of the reuses.
    pub steps: Vec<Step>,
}

/// Where it falls.
#[derive(Clone, Debug, PartialEq)]
pub struct Corner {
    /// Bytes of the smallest cache behind the corner.
    pub capacity: f64,
    /// Bytes that move through all caches just below it.
    pub before: f64,
    /// Bytes that move through a cache of this capacity.
    pub after: f64,
    /// The reuses that fit from here on, by their position among those of the nest.
    pub reuses: Vec<usize>,
}

/// How much farther than corners and caches a staircase is of interest.
pub const BEYOND: f64 = 4.0;
/// How many times smaller than the nearest cache. No cache fails to hold what is far smaller than it.
pub const BELOW: f64 = 16.0;
/// Largest over least bytes that an axis from zero shows; one of powers shows more.
const WIDE: f64 = 20.0;

/// The part of a staircase that is of interest beside some caches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Capacities.
    pub from: f64,
    pub to: f64,
    /// Bytes through the smallest and the largest cache of the window.
    pub most: f64,
    pub least: f64,
}

impl Window {
    /// Whether bytes are read on an axis of powers.
    pub fn is_wide(self) -> bool {
        self.least > 0.0 && self.most > WIDE * self.least
    }
}

impl Staircase {
    /// `None` where the model has no figures of reuse: only numbers were asked for.
    pub fn of(nest: &NestModel) -> Option<Staircase> {
        let (least_fetched, least_written_back) = nest.levels.least?;
        let reuses = nest.levels.reuses.iter().enumerate();
        let step = |(at, reuse): (usize, &super::ReuseFigures)| Step {
            reuse: at,
            capacity: reuse.distance,
            fetched: reuse.fetched,
            written_back: reuse.written_back,
        };
        Some(Staircase {
            least_fetched,
            least_written_back,
            steps: reuses.map(step).collect(),
        })
    }

    /// Bytes through a cache that holds all reused data.
    pub fn least(&self, model: &Model) -> f64 {
        model.value(self.least_fetched) + model.value(self.least_written_back)
    }

    /// Bytes through a cache of that capacity.
    pub fn through(&self, model: &Model, capacity: f64) -> f64 {
        let missed = (self.steps.iter()).filter(|step| model.value(step.capacity) > capacity);
        missed.fold(self.least(model), |bytes, step| bytes + step.cost(model))
    }

    /// What is shown of it beside caches of these capacities; `None` without caches, or where something is not known.
    pub fn window(&self, model: &Model, caches: &[f64]) -> Option<Window> {
        let corners = self.corners(model)?;
        let nearest = caches.iter().copied().reduce(f64::min)?;
        let all = corners.iter().map(|corner| corner.capacity);
        let all = all.chain(caches.iter().copied());
        let (low, high) = (all.clone().reduce(f64::min)?, all.reduce(f64::max)?);
        let from = (low / BEYOND).max(nearest / BELOW).max(1.0);
        (nearest > 0.0 && high.is_finite()).then(|| Window {
            from,
            to: high * BEYOND,
            most: self.through(model, from),
            least: self.least(model),
        })
    }

    /// Its corners, the smallest capacity first; `None` where something is not known.
    pub fn corners(&self, model: &Model) -> Option<Vec<Corner>> {
        let mut steps: Vec<(f64, &Step)> = (self.steps.iter())
            .map(|step| (model.value(step.capacity), step))
            .collect();
        steps.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut corners = Vec::new();
        let mut before = steps
            .iter()
            .fold(self.least(model), |sum, (_, step)| sum + step.cost(model));
        for at in steps.chunk_by(|a, b| a.0 == b.0) {
            let after = self.through(model, at[0].0);
            corners.push(Corner {
                capacity: at[0].0,
                before,
                after,
                reuses: at.iter().map(|(_, step)| step.reuse).collect(),
            });
            before = after;
        }
        let is_known = |corner: &Corner| corner.capacity.is_finite() && corner.before.is_finite();
        (self.least(model).is_finite() && corners.iter().all(is_known)).then_some(corners)
    }
}

impl Step {
    /// Bytes that move again in a cache that is too small.
    pub fn cost(&self, model: &Model) -> f64 {
        model.value(self.fetched) + model.value(self.written_back)
    }
}
