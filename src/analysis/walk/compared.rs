//! What is known of variables while the iterations of one loop are compared, beside what is known for the streams.

use std::collections::BTreeMap;

use super::Walker;
use crate::compared::{Compared, DEPTH};
use crate::counted_loop::Counted;
use crate::expr::Expr;
use crate::ir::{self, Value, VarId};
use crate::symbols::{Known, Level};

impl<'f> Walker<'f> {
    /// Begins to compare the iterations of a loop; `None` if it has loops inside, or no elements that it both stores and
    /// reads. What is known of variables must be that from before the loop.
    pub(super) fn comparison(
        &mut self,
        inner: &ir::Loop,
        counter: Option<VarId>,
        counts: (&str, &Expr, &Expr),
    ) -> Option<Box<Compared<'f>>> {
        let compared = Compared::of(inner, &self.symbols)?;
        self.compared = Some(Box::new(compared));
        self.in_compared(|walker| {
            let (advancing, conditional) = walker.advancing(inner, counter, counts);
            walker.vary(&inner.body, DEPTH);
            // One that some iterations do not advance is not at a place that follows from their number.
            let always = advancing
                .into_iter()
                .filter(|(id, _)| !conditional.contains(id));
            walker.symbols.known.extend(always);
            let (variable, lower, step) = counts;
            walker.symbols.loops.extend(counter);
            walker.symbols.levels.push(Level {
                counter,
                has_unit_step: step.as_integer().is_some_and(|step| step.abs() == 1),
                counted: Counted {
                    variable: variable.to_string(),
                    lower: lower.clone(),
                    upper: lower.clone(),
                    step: step.clone(),
                },
                advanced: Default::default(),
                stored: walker.stored_in(&inner.body),
            });
        });
        self.compared.take()
    }

    /// Does something with what is known where iterations are compared.
    fn in_compared<T>(&mut self, action: impl FnOnce(&mut Self) -> T) -> Option<T> {
        let mut compared = self.compared.take()?;
        std::mem::swap(&mut self.symbols, &mut compared.symbols);
        let result = action(self);
        std::mem::swap(&mut self.symbols, &mut compared.symbols);
        self.compared = Some(compared);
        Some(result)
    }

    pub(super) fn remember_compared(&mut self, id: VarId, value: &Value) {
        self.in_compared(|walker| {
            if let Some(known) = walker.known_after(id, value) {
                walker.symbols.known.insert(id, known);
            }
        });
    }

    /// A call gives a variable another value.
    pub(super) fn changes_in_compared(&mut self, id: VarId) {
        self.in_compared(|walker| walker.changes(id, DEPTH));
    }

    pub(super) fn compared_known(&self) -> Option<BTreeMap<VarId, Known>> {
        let compared = self.compared.as_ref()?;
        Some(compared.symbols.known.clone())
    }

    /// Goes back to what was known before one side of a branch, and gives what is known after it.
    pub(super) fn compared_from(
        &mut self,
        before: Option<BTreeMap<VarId, Known>>,
    ) -> Option<BTreeMap<VarId, Known>> {
        let compared = self.compared.as_mut()?;
        Some(std::mem::replace(&mut compared.symbols.known, before?))
    }

    /// Keeps what is known after both sides of a branch, of which the walk is behind the second.
    pub(super) fn join_compared(&mut self, then: Option<BTreeMap<VarId, Known>>) {
        if let Some((compared, then)) = self.compared.as_mut().zip(then) {
            compared.join(&then);
        }
    }
}
