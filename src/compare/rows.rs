//! Which quantities of a nest are compared, and what are they on both sides?
//!
//! Executions, iterations and trip counts; operations and accesses of one iteration; accesses of each array;
//! traffic, working sets and time. Figures of one iteration are sums over all code of the nest divided by the
//! iterations of the innermost loop, on both sides alike, so that work of outer loops is distributed the same
//! way.

use std::collections::{BTreeMap, BTreeSet};

use super::causes::State;
use super::comparison::Row;
use super::counts::LoopCounts;
use super::names::{is_structure_of, is_variable_of};
use super::places::LoopRef;
use super::quantity::{
    AccessCount, Direction, LoopName, Object, Operation, Quantity, Reused, Role,
};
use super::regions;
use super::sides::Sides;
use crate::metrics::profile::{Accesses, DataRange, RangeKind, Vectors};
use crate::report::Figure;
use crate::report::run_report::RegionReport;
use crate::report::static_report::{LoopReport, NestReport, ReferencesReport};

impl Sides<'_> {
    pub fn rows(&self, region: Option<&RegionReport>) -> Vec<Row> {
        let mut rows = Vec::new();
        self.loop_rows(&mut rows);
        rows.push(row(
            Quantity::Instructions,
            None,
            Some((self.traced.instructions + self.traced.called_instructions) as f64),
        ));
        rows.extend(self.vector_row());
        if let Some(nest) = self.nest() {
            self.operation_rows(nest, &mut rows);
            self.access_rows(nest, &mut rows);
            self.array_rows(nest, &mut rows);
            self.traffic_rows(nest, &mut rows);
            let sets = &nest.working_set.actual;
            for (reused, predicted) in [
                (Reused::Planes, sets.plane.known()),
                (Reused::Pencils, sets.pencil.known()),
            ] {
                let traced = predicted
                    .zip(region)
                    .and_then(|(bytes, region)| regions::step_near(region, bytes));
                rows.push(row(Quantity::WorkingSet(reused), predicted, traced));
            }
            let footprint = nest.working_set.footprint.known();
            rows.push(row(Quantity::Footprint, footprint, None));
            rows.push(row(
                Quantity::TimeEstimate,
                nest.seconds.known().map(|seconds| seconds * self.calls()),
                None,
            ));
        }
        if let Some(region) = region {
            rows.extend(regions::rows(region, self.run));
        }
        rows
    }

    /// How long the vectors of the nest were, if it has some.
    fn vector_row(&self) -> Option<Row> {
        let Vectors {
            instructions,
            elements,
            unknown,
        } = self.traced.vectors;
        let mean = (instructions > 0).then(|| elements as f64 / instructions as f64);
        (instructions + unknown > 0).then(|| row(Quantity::VectorLength, None, mean))
    }

    fn loop_rows(&self, rows: &mut Vec<Row>) {
        let loops = self.loops();
        let counts = |found: &LoopRef| self.join.loops.get(found).copied();
        let executions = loops
            .first()
            .and_then(counts)
            .map(|counts| counts.executions() as f64)
            .filter(|executions| *executions > 0.0);
        rows.push(row(Quantity::Executions, Some(self.calls()), executions));
        let (predicted, traced) = self.iterations();
        rows.push(row(Quantity::Iterations, predicted, traced));
        let of_report = self.nest().map_or(&[][..], |nest| &nest.loop_iterations);
        let mut outer = Some(1.0);
        // Each loop's rounds by those of the loop around it, so that a loop that is not entered counts as one of none.
        let mut around: Option<f64> = None;
        for (position, found) in loops.iter().enumerate() {
            let facts = &self.predicted.functions[found.function].loops[found.number];
            let iterations = of_report.get(position).copied().and_then(Figure::known);
            let predicted = iterations
                .zip(outer)
                .filter(|(_, outer)| *outer > 0.0)
                .map(|(inner, outer)| inner / outer);
            outer = iterations;
            let did = counts(found);
            let is_whole = |did: &LoopCounts| {
                did.has_executions() || did.entries > 0 && did.executions() as f64 == self.calls()
            };
            let executions = did.filter(is_whole).map(|did| did.executions() as f64);
            let traced = did
                .zip(around.or(executions))
                .map(|(did, outer)| did.rounds as f64 / outer);
            around = did
                .map(|did| did.rounds as f64)
                .filter(|rounds| *rounds > 0.0);
            let name = self.loop_name(facts, &loops);
            rows.push(row(Quantity::TripCount(name), predicted, traced));
        }
    }

    /// Name of one of the nest's loops.
    fn loop_name(&self, facts: &LoopReport, loops: &[LoopRef]) -> LoopName {
        let is_alike = |other: &LoopReport| {
            other.id != facts.id && (&other.var, other.line) == (&facts.var, facts.line)
        };
        LoopName {
            id: facts.id.clone(),
            variable: facts.var.to_string(),
            line: facts.line,
            is_alone: !loops.iter().any(|one| is_alike(self.places.facts(*one))),
        }
    }

    /// By the iterations of each side; of the traced side by the static ones if it has no loop left.
    fn each(&self, predicted: Option<f64>, traced: f64) -> (Option<f64>, Option<f64>) {
        let (of_report, of_run) = self.iterations();
        let positive = |iterations: &f64| *iterations > 0.0;
        let predicted = predicted
            .zip(of_report.filter(positive))
            .map(|(all, iterations)| all * self.calls() / iterations);
        let traced = of_run
            .or(of_report)
            .filter(positive)
            .map(|iterations| traced / iterations);
        (predicted, traced)
    }

    fn operation_rows(&self, nest: &NestReport, rows: &mut Vec<Row>) {
        let did = &self.traced.operations;
        let predicted =
            [nest.adds, nest.multiplies, nest.divides, nest.specials].map(Figure::known);
        let traced = [
            did.adds,
            did.multiplies,
            did.divides,
            did.square_roots + self.traced.elementary,
        ];
        let counts = predicted.into_iter().zip(traced).zip(self.repeated());
        for (operation, ((predicted, traced), repeated)) in Operation::ALL.into_iter().zip(counts) {
            let (predicted, traced) = self.each(predicted, traced as f64);
            // How many operations a vector instruction does depends on its length.
            let traced = traced.filter(|_| did.vector == 0);
            let repeated = Some(repeated).filter(|repeated| *repeated > 0.0);
            rows.push(Row {
                repeated,
                ..row(Quantity::Operations(operation), predicted, traced)
            });
        }
    }

    fn access_rows(&self, nest: &NestReport, rows: &mut Vec<Row>) {
        let sum = |of: fn(&ReferencesReport) -> Option<f64>| {
            nest.references.iter().map(of).sum::<Option<f64>>()
        };
        // Everything that the nest's instructions loaded and stored, stack and constants too.
        let mut did = self.traced.accesses;
        did.add(&self.traced.stack);
        let quantities = [
            (AccessCount::Loads, sum(|r| r.loads.known())),
            (AccessCount::Stores, sum(|r| r.stores.known())),
            (
                AccessCount::LoadedBytes,
                sum(|r| Some(r.loads.known()? * r.element_bytes.known()?)),
            ),
            (
                AccessCount::StoredBytes,
                sum(|r| Some(r.stores.known()? * r.element_bytes.known()?)),
            ),
        ];
        for (count, predicted) in quantities {
            let (predicted, traced) = self.each(predicted, count.of(&did));
            rows.push(row(Quantity::Accesses(count), predicted, traced));
        }
    }

    /// Arrays that are global variables, by name; what lies elsewhere by range.
    fn array_rows(&self, nest: &NestReport, rows: &mut Vec<Row>) {
        // Members of one variable are counted together.
        let together = |array: &str| -> Vec<String> {
            let range = self.range_of(array);
            let is_with =
                |other: &&str| *other == array || range.is_some() && self.range_of(other) == range;
            let names: BTreeSet<&str> = nest
                .references
                .iter()
                .map(|found| found.array.as_str())
                .filter(is_with)
                .collect();
            names.into_iter().map(str::to_string).collect()
        };
        let mut predicted: BTreeMap<Vec<String>, (&str, f64, f64)> = BTreeMap::new();
        for references in &nest.references {
            let (_, loads, stores) = predicted.entry(together(&references.array)).or_insert((
                &references.array,
                0.0,
                0.0,
            ));
            *loads += references.loads.known().unwrap_or(f64::NAN);
            *stores += references.stores.known().unwrap_or(f64::NAN);
        }
        let mut traced: BTreeMap<&str, Accesses> = BTreeMap::new();
        for (range, accesses) in &self.traced.data {
            traced
                .entry(&self.profile.data[*range as usize].name)
                .or_default()
                .add(accesses);
        }
        let shown: Vec<&str> = predicted
            .values()
            .filter_map(|(array, ..)| self.range_of(array))
            .collect();
        let others = traced
            .keys()
            .filter(|range| !shown.contains(*range) && !self.are_constants(range));
        // Then what was not found was not accessed.
        let all_known = others.count() == 0
            && self.traced.stack == Accesses::default()
            && self.traced.called_instructions == 0
            && self.traced.accesses != Accesses::default();
        let none = Accesses::default();
        for (names, (array, loads, stores)) in &predicted {
            let range = self.range_of(array);
            // A member may lie in a variable that another array of the nest is.
            let may_be_inside = || traced.keys().any(|range| is_structure_of(range, array));
            let did = range
                .and_then(|range| traced.get(range))
                .or((all_known && !may_be_inside()).then_some(&none));
            let is_named_alike = |range: &&str| names.iter().any(|n| is_variable_of(range, n));
            let object = Object::Arrays {
                names: names.clone(),
                range: range
                    .filter(|range| !is_named_alike(range))
                    .map(str::to_string),
            };
            let known = |value: f64| Some(value * self.calls()).filter(|value| value.is_finite());
            for (direction, predicted) in Direction::BOTH.into_iter().zip([*loads, *stores]) {
                rows.push(row(
                    Quantity::Object(direction, object.clone()),
                    known(predicted),
                    did.map(|did| direction.accesses().of(did)),
                ));
            }
        }
        for (range, did) in traced.iter().filter(|(range, _)| !shown.contains(*range)) {
            let is_long = |known: &&DataRange| known.name == **range && known.high - known.low > 8;
            let is_structure = || {
                predicted
                    .values()
                    .any(|(array, ..)| is_structure_of(range, array))
            };
            let role = match predicted
                .values()
                .any(|(array, ..)| is_variable_of(range, array))
            {
                false if is_structure() => Role::Structure,
                true if self.profile.data.iter().any(|known| is_long(&known)) => Role::Variable,
                true => Role::Pointer,
                false => Role::Other,
            };
            let object = Object::Range {
                name: (*range).to_string(),
                role,
            };
            for direction in Direction::BOTH {
                rows.push(row(
                    Quantity::Object(direction, object.clone()),
                    None,
                    Some(direction.accesses().of(did)),
                ));
            }
        }
    }

    /// Whether a range is the constants of the program; a variable may be called so too.
    fn are_constants(&self, range: &str) -> bool {
        let mut named = self.profile.data.iter().filter(|known| known.name == range);
        named.all(|known| known.kind() == RangeKind::Constants)
    }

    fn traffic_rows(&self, nest: &NestReport, rows: &mut Vec<Row>) {
        for (cache, moved) in self.run.cache.iter().zip(&self.traced.levels) {
            let size = Some(cache.size as f64);
            let Some(level) = nest
                .caches
                .iter()
                .find(|level| level.capacity.known() == size)
            else {
                continue;
            };
            let quantity = Quantity::Traffic {
                level: level.name.clone(),
                bytes: cache.size,
            };
            let predicted = level.bytes.known().map(|bytes| bytes * self.calls());
            rows.push(row(quantity, predicted, Some(*moved as f64)));
        }
    }
}

/// A row without a reason yet.
pub fn row(quantity: Quantity, predicted: Option<f64>, traced: Option<f64>) -> Row {
    // The sum of nothing is -0.
    let (predicted, traced) = (
        predicted.map(|value| value + 0.0),
        traced.map(|value| value + 0.0),
    );
    let ratio = predicted
        .zip(traced)
        .filter(|(predicted, _)| *predicted != 0.0)
        .map(|(predicted, traced)| traced / predicted);
    Row {
        quantity,
        predicted,
        traced,
        ratio,
        state: State::default(),
        repeated: None,
        reason: None,
        reasons: Vec::new(),
        unsure: None,
    }
}
