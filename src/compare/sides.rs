//! One nest on both sides, for its rows and for the reasons why these differ.

use super::arrays::ArrayNames;
use super::counts::LoopCounts;
use super::places::{LoopRef, Places, Target};
use super::run::Run;
use super::traced::{Join, Traced};
use crate::metrics::profile::SourceProfile;
use crate::report::StaticReport;
use crate::report::static_report::{NestReport, RepeatedReport};

/// Everything about one nest.
pub struct Sides<'a> {
    pub predicted: &'a StaticReport,
    pub run: &'a Run,
    pub profile: &'a SourceProfile,
    pub places: &'a Places<'a>,
    pub join: &'a Join,
    pub arrays: &'a ArrayNames<'a>,
    /// Index of the target.
    pub number: usize,
    pub target: &'a Target,
    pub traced: &'a Traced,
}

impl<'a> Sides<'a> {
    /// The nest of the report; a loop around several nests has none.
    pub fn nest(&self) -> Option<&'a NestReport> {
        Some(&self.predicted.functions[self.target.function].nests[self.target.nest?])
    }

    /// Loops of the nest, outermost first; of a loop around several nests that loop.
    pub fn loops(&self) -> Vec<LoopRef> {
        let by_id = |id: &String| self.places.loop_by_id(self.target.function, id);
        match self.nest() {
            Some(nest) => nest.loops.iter().filter_map(by_id).collect(),
            None => by_id(&self.target.id).into_iter().collect(),
        }
    }

    /// Name of the range that an array of the nest is.
    pub fn range_of(&self, array: &str) -> Option<&'a str> {
        self.arrays.get(&(self.number, array)).copied()
    }

    /// How often the nest's function is called according to the report.
    pub fn calls(&self) -> f64 {
        self.predicted.functions[self.target.function].calls()
    }

    /// What the run did of the innermost loop.
    pub fn innermost(&self) -> Option<LoopCounts> {
        self.join.loops.get(self.loops().last()?).copied()
    }

    /// Iterations on both sides.
    pub fn iterations(&self) -> (Option<f64>, Option<f64>) {
        let predicted = self
            .nest()
            .and_then(|nest| nest.iterations.known())
            .map(|each| each * self.calls());
        (
            predicted,
            self.innermost().map(|counts| counts.rounds as f64),
        )
    }

    /// Those that accesses and operations of the run are distributed among: its own, or the report's where no loop is left.
    pub fn iterations_of_run(&self) -> f64 {
        match self.iterations() {
            (_, Some(traced)) if traced > 0.0 => traced,
            (Some(predicted), _) if predicted > 0.0 => predicted,
            _ => 1.0,
        }
    }

    /// Rounds of the innermost loop by those of the loop around it, on both sides.
    pub fn innermost_trips(&self) -> Option<(f64, f64)> {
        let [.., outer, inner] = self.loops()[..] else {
            return None;
        };
        let [.., of_outer, of_inner] = self.nest()?.loop_iterations[..] else {
            return None;
        };
        let rounds = |found: LoopRef| {
            self.join
                .loops
                .get(&found)
                .map(|counts| counts.rounds as f64)
        };
        let (predicted, traced) = (
            of_inner.known()? / of_outer.known()?,
            rounds(inner)? / rounds(outer)?,
        );
        (predicted > 0.0 && predicted.is_finite() && traced > 0.0 && traced.is_finite())
            .then_some((predicted, traced))
    }

    /// Operations of an iteration that repeat others of the same iteration: adds, multiplies, divides, specials.
    pub fn repeated(&self) -> [f64; 4] {
        let mut counts = [0.0; 4];
        let Some(nest) = self.nest() else {
            return counts;
        };
        let Some(all) = nest.iterations.known().filter(|all| *all > 0.0) else {
            return counts;
        };
        for (found, iterations) in self.loops().iter().zip(&nest.loop_iterations) {
            let RepeatedReport {
                adds,
                multiplies,
                divides,
                specials,
            } = self.places.facts(*found).repeated;
            for (count, own) in counts.iter_mut().zip([adds, multiplies, divides, specials]) {
                *count += own as f64 * iterations.known().unwrap_or(0.0) / all;
            }
        }
        counts
    }
}
