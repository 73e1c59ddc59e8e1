//! The static side of a comparison as formulas of the model, so that it follows when an input changes.

use std::collections::HashMap;

use super::rows::{EXECUTIONS, ITERATIONS, OPERATIONS, TRAFFIC, TRIP_COUNT};
use super::{NestComparison, Row};
use crate::expr::{Expr, FigureId, Symbol};
use crate::model::nest::weight_expr;
use crate::model::{Model, NestModel};

/// Nests of a model by their place in a comparison.
pub struct Live<'m> {
    model: &'m Model<'m>,
    /// By function and id; of equal ones the first.
    nests: HashMap<(&'m str, &'m str), &'m NestModel<'m>>,
}

impl<'m> Live<'m> {
    pub fn of(model: &'m Model<'m>) -> Live<'m> {
        let mut nests = HashMap::new();
        for nest in &model.nests {
            let function = &model.program.functions[nest.nest.function];
            nests
                .entry((function.name.as_str(), nest.nest.head().id.as_str()))
                .or_insert(nest);
        }
        Live { model, nests }
    }

    /// What the model says of a row; `None` if it says nothing, or something else than the report did.
    pub fn expression(&self, nest: &NestComparison, row: &Row) -> Option<Expr> {
        let promised = row.promised?;
        let found = self
            .nests
            .get(&(nest.function.as_str(), nest.id.as_str()))?;
        let expr = self.quantity(found, &row.quantity)?;
        let value = expr.evaluate(&self.model.figures).ok()?;
        ((value - promised).abs() <= 1e-9 * promised.abs()).then_some(expr)
    }

    fn quantity(&self, nest: &NestModel, quantity: &str) -> Option<Expr> {
        let calls = match &self.model.calls {
            Some(calls) => Expr::from(calls.functions[nest.nest.function].times),
            None => Expr::from(1.0),
        };
        let all = |id: FigureId| Some(Expr::from(id) * calls.clone());
        let each = |id: FigureId| Some(Expr::from(id).quotient(Expr::from(nest.iterations)));
        let operations = &nest.operations;
        if let Some(position) = OPERATIONS.iter().position(|name| *name == quantity) {
            return each(
                [
                    operations.adds,
                    operations.multiplies,
                    operations.divides,
                    operations.specials,
                ][position],
            );
        }
        if let Some(rest) = quantity.strip_prefix(TRAFFIC) {
            let name = rest.split(',').next()?;
            return all(nest
                .levels
                .caches
                .iter()
                .find(|cache| cache.name == name)?
                .bytes);
        }
        if let Some(rest) = quantity.strip_prefix(TRIP_COUNT) {
            let line: u32 = rest.rsplit(' ').next()?.parse().ok()?;
            let position = nest
                .nest
                .loops
                .iter()
                .position(|one| one.facts.line == line)?;
            let inner = Expr::from(nest.counts[position].weighted);
            return Some(match position.checked_sub(1) {
                Some(outer) => inner.quotient(Expr::from(nest.counts[outer].weighted)),
                None => inner,
            });
        }
        match quantity {
            EXECUTIONS => Some(calls),
            ITERATIONS => all(nest.iterations),
            "working set, planes" => nest
                .working_sets
                .actual
                .levels
                .get(2)
                .map(|id| Expr::from(*id)),
            "working set, pencils" => nest
                .working_sets
                .actual
                .levels
                .get(1)
                .map(|id| Expr::from(*id)),
            "footprint" => Some(Expr::from(nest.working_sets.footprint)),
            "time estimate" => all(nest.time.seconds),
            _ => self.references(nest, quantity, &calls),
        }
    }

    /// Loads, stores and their bytes, an iteration or of one array.
    fn references(&self, nest: &NestModel, quantity: &str, calls: &Expr) -> Option<Expr> {
        let is_load = quantity.contains("load");
        let is_each = quantity.ends_with(" an iteration");
        let in_bytes = quantity.starts_with("bytes");
        let array = match is_each {
            true => None,
            false => {
                let rest = quantity
                    .strip_prefix("loads of ")
                    .or_else(|| quantity.strip_prefix("stores to "))?;
                Some(rest.split(" (").next()?)
            }
        };
        let symbol = |branch: &Symbol| self.model.parameters.symbol(nest.nest.function, branch);
        // A row may be of several arrays.
        let is_one = |names: &str, array: &str| names.split(", ").any(|name| name == array);
        let wanted = nest
            .nest
            .references
            .iter()
            .filter(|found| array.is_none_or(|names| is_one(names, &found.stream.array)));
        let terms = wanted.map(|found| {
            let stream = found.stream;
            let count = |a: &crate::analysis::facts::Access| {
                (if is_load { a.reads } else { a.writes }) as f64
            };
            let bytes = if in_bytes {
                f64::from(stream.element_bytes.unwrap_or(8))
            } else {
                1.0
            };
            let accesses = Expr::from(bytes * stream.accesses.iter().map(count).sum::<f64>());
            let executed = Expr::from(nest.counts[found.level - 1].weighted);
            accesses * weight_expr(&found.weight, &symbol) * executed
        });
        let sum = Expr::sum(terms);
        Some(if is_each {
            sum.quotient(Expr::from(nest.iterations))
        } else {
            sum * calls.clone()
        })
    }
}
