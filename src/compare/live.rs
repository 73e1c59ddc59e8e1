//! The static side of a comparison as formulas of the model, so that a workbook follows when an input changes.
//! A formula is only used if it has the value that the report had: else the model is not the one that was
//! compared.

use std::collections::HashMap;

use super::comparison::{NestComparison, Row};
use super::quantity::{AccessCount, Object, Operation, Quantity, Reused};
use super::tolerance::are_equal;
use crate::analysis::facts::Access;
use crate::expr::{Expr, FigureId, Symbol};
use crate::ir::Name;
use crate::model::nest::weight_expr;
use crate::model::{Model, NestModel};

/// Nests of a model by their place in a comparison.
pub struct Live<'m> {
    model: &'m Model<'m>,
    /// By file, function and id; of equal ones the first.
    nests: HashMap<Key<'m>, &'m NestModel<'m>>,
}

type Key<'k> = (&'k str, &'k str, &'k str);

impl<'m> Live<'m> {
    pub fn of(model: &'m Model<'m>) -> Live<'m> {
        let mut nests = HashMap::new();
        for nest in &model.nests {
            let function = &model.program.functions[nest.nest.function];
            let head = nest.nest.head();
            nests
                .entry((&*head.file, function.name.as_str(), head.id.as_str()))
                .or_insert(nest);
        }
        Live { model, nests }
    }

    /// What the model says of a row; `None` if it says nothing, or something else than the report did.
    pub fn expression(&self, nest: &NestComparison, row: &Row) -> Option<Expr> {
        let predicted = row.predicted?;
        let key: Key = (&nest.file, &nest.function, &nest.id);
        let found = self.nests.get(&key)?;
        let expr = self.quantity(found, &row.quantity)?;
        let value = expr.evaluate(&self.model.figures).ok()?;
        are_equal(value, predicted).then_some(expr)
    }

    fn quantity(&self, nest: &NestModel, quantity: &Quantity) -> Option<Expr> {
        let calls = match &self.model.calls {
            Some(calls) if self.model.reaches(nest.nest.function) => {
                Expr::from(calls.functions[nest.nest.function].times)
            }
            _ => Expr::from(1.0),
        };
        let all = |id: FigureId| Some(Expr::from(id) * calls.clone());
        let each = |expr: Expr| Some(expr.quotient(Expr::from(nest.iterations)));
        let operations = &nest.operations;
        match quantity {
            Quantity::Executions => Some(calls),
            Quantity::Iterations => all(nest.iterations),
            Quantity::TripCount(name) => trip_count(nest, &name.id),
            Quantity::Operations(operation) => each(Expr::from(match operation {
                Operation::Adds => operations.adds,
                Operation::Multiplies => operations.multiplies,
                Operation::Divides => operations.divides,
                Operation::Specials => operations.specials,
            })),
            Quantity::Accesses(count) => each(self.references(nest, None, *count)),
            Quantity::Object(direction, Object::Arrays { names, .. }) => {
                Some(self.references(nest, Some(names), direction.accesses()) * calls)
            }
            Quantity::Traffic { level, .. } => {
                let mut caches = nest.levels.caches.iter();
                all(caches.find(|cache| cache.name == *level)?.bytes)
            }
            Quantity::WorkingSet(reused) => {
                let level = match reused {
                    Reused::Planes => 2,
                    Reused::Pencils => 1,
                };
                let levels = &nest.working_sets.actual.levels;
                levels.get(level).map(|id| Expr::from(*id))
            }
            Quantity::Footprint => Some(Expr::from(nest.working_sets.footprint)),
            Quantity::TimeEstimate => all(nest.time.seconds),
            // The source has none.
            Quantity::Instructions
            | Quantity::VectorLength
            | Quantity::Object(_, Object::Range { .. })
            | Quantity::Edag(_)
            | Quantity::Epochs { .. }
            | Quantity::Camat(_) => None,
        }
    }

    /// What is counted of the references to some arrays, or to all, over one execution of the nest.
    fn references(&self, nest: &NestModel, names: Option<&[String]>, count: AccessCount) -> Expr {
        let symbol = |branch: &Symbol| self.model.parameters.symbol(nest.nest.function, branch);
        let is_one = |names: &[String], array: &Name| names.iter().any(|name| *name == *array);
        let wanted = nest
            .nest
            .references
            .iter()
            .filter(|found| names.is_none_or(|names| is_one(names, &found.stream.array)));
        let terms = wanted.map(|found| {
            let stream = &found.stream;
            let uses = |access: &Access| match count.is_load() {
                true => access.reads as f64,
                false => access.writes as f64,
            };
            let bytes = match count.is_bytes() {
                true => f64::from(stream.element_bytes.unwrap_or(8)),
                false => 1.0,
            };
            let accesses = Expr::from(bytes * stream.accesses.iter().map(uses).sum::<f64>());
            let executed = Expr::from(nest.counts[found.level - 1].weighted);
            accesses * weight_expr(&found.weight, &symbol) * executed
        });
        Expr::sum(terms)
    }
}

/// Rounds of a loop of a nest in one of the loop around it.
fn trip_count(nest: &NestModel, id: &str) -> Option<Expr> {
    let mut loops = nest.nest.loops.iter();
    let position = loops.position(|one| one.facts.id == id)?;
    let inner = Expr::from(nest.counts[position].weighted);
    Some(match position.checked_sub(1) {
        Some(outer) => inner.quotient(Expr::from(nest.counts[outer].weighted)),
        None => inner,
    })
}
