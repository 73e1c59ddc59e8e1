//! How often a loop runs that real numbers end, by doing what a program does with them.
//!
//! ```text
//! double t = 0, dt = 0.1;
//! while (t < 1) { t += dt; t += dt; … }        six rounds: 0.2, 0.4, 0.6, 0.8, 1.0 - 1.1e-16, 1.2
//! ```
//!
//! Each operation is rounded to its type. Compilers may multiply and add at once, without rounding in between: where that makes
//! a difference, it is not known how often the loop runs.

use std::collections::{BTreeMap, BTreeSet};

use super::Walker;
use crate::arithmetic::{Compute, DEPTH, Numbers, Products, stored};
use crate::assignments::count_assignments;
use crate::ir::visit::variables_of;
use crate::ir::{self, Control, Stmt, Value, VarId};
use crate::symbols::Known;

/// Loops of more rounds are not replayed.
const LONGEST: u32 = 1 << 20;
impl Walker<'_> {
    /// How often a comparison holds at the beginning of an iteration, from the first one on, until it does not. `before` is what
    /// is known in front of the loop.
    pub(super) fn replayed(
        &self,
        inner: &ir::Loop,
        part: &Value,
        before: &BTreeMap<VarId, Known>,
    ) -> Option<u32> {
        let steps = self.steps_of(inner, part)?;
        let first = |id: &VarId| Some((*id, self.number_before(inner, *id, before)?));
        let first: Numbers = steps.moved.iter().map(first).collect::<Option<_>>()?;
        let rounds = |products| self.rounds_with(&steps, part, first.clone(), products);
        let rounded = rounds(Products::Rounded)?;
        (rounds(Products::Fused)? == rounded).then_some(rounded)
    }

    fn rounds_with(
        &self,
        steps: &Steps,
        part: &Value,
        mut numbers: Numbers,
        products: Products,
    ) -> Option<u32> {
        let function = self.function();
        let known = |value: &Value| self.fixed_number(value);
        let compute = Compute {
            function,
            known: &known,
            products,
        };
        let mut rounds = 0;
        while compute.holds(part, &numbers)? {
            for (id, value) in &steps.assigned {
                let number = compute.number(value, &numbers, DEPTH)?;
                numbers.insert(*id, stored(&function.variable(*id).ty, number)?);
            }
            if let Some((id, by)) = steps.counted {
                *numbers.get_mut(&id)? += by;
            }
            rounds += 1;
            if rounds > LONGEST {
                return None;
            }
        }
        Some(rounds)
    }

    /// What each iteration does to the variables that a comparison asks for: statements that every iteration executes.
    fn steps_of<'l>(&self, inner: &'l ir::Loop, part: &Value) -> Option<Steps<'l>> {
        let mut counts = BTreeMap::new();
        count_assignments(&inner.body, self.effects, &mut counts);
        let counted = match &inner.control {
            Control::Counted { variable, step, .. } => Some((*variable, self.fixed_number(step)?)),
            Control::Uncounted { .. } => None,
        };
        let is_moved = |id: &VarId| {
            counts.contains_key(id) || counted.is_some_and(|(counter, _)| counter == *id)
        };
        let mut used = BTreeSet::new();
        variables_of(part, &mut used);
        let mut moved: BTreeSet<VarId> = used.into_iter().filter(is_moved).collect();
        // What moves them may be moved itself.
        loop {
            let mut all = moved.clone();
            for (id, value) in assignments(&inner.body) {
                if moved.contains(&id) {
                    let mut used = BTreeSet::new();
                    variables_of(value, &mut used);
                    all.extend(used.into_iter().filter(is_moved));
                }
            }
            if all.len() == moved.len() {
                break;
            }
            moved = all;
        }
        let assigned: Vec<(VarId, &Value)> = assignments(&inner.body)
            .filter(|(id, _)| moved.contains(id))
            .collect();
        let is_followed = |id: &VarId| {
            let own = assigned.iter().filter(|(other, _)| other == id).count();
            let count = counts.get(id).copied().unwrap_or_default();
            count.calls == 0 && count.statements as usize == own
        };
        let counted = counted.filter(|(counter, _)| moved.contains(counter));
        moved.iter().all(is_followed).then_some(Steps {
            moved,
            assigned,
            counted,
        })
    }

    /// The number that a variable has in front of a loop.
    fn number_before(
        &self,
        inner: &ir::Loop,
        id: VarId,
        before: &BTreeMap<VarId, Known>,
    ) -> Option<f64> {
        if let Control::Counted {
            variable, lower, ..
        } = &inner.control
            && *variable == id
        {
            return self.fixed_number(lower);
        }
        let number = match before.get(&id) {
            Some(Known::Is(expr)) => self.symbols.number(expr)?,
            Some(_) => return None,
            None => self.begins_at(inner, id)?,
        };
        stored(&self.function().variable(id).ty, number)
    }

    /// The number of what the loop leaves alone.
    fn fixed_number(&self, value: &Value) -> Option<f64> {
        let function = self.function();
        let known = |value: &Value| {
            let Value::Variable(id) = value else {
                return None;
            };
            if let Some(constant) = &function.variable(*id).constant {
                return self.fixed_number(constant);
            }
            let number = match self.symbols.known.get(id) {
                Some(Known::Is(expr)) => self.symbols.number(expr),
                Some(_) => None,
                None => self.sizes.real_number(self.procedure, function, value),
            };
            stored(&function.variable(*id).ty, number?)
        };
        let compute = Compute {
            function,
            known: &known,
            products: Products::Rounded,
        };
        compute.number(value, &Numbers::new(), DEPTH)
    }
}

/// What the iterations of a loop do to some variables.
struct Steps<'l> {
    moved: BTreeSet<VarId>,
    /// In the order of the source.
    assigned: Vec<(VarId, &'l Value)>,
    /// The variable that the loop counts itself, and by how much.
    counted: Option<(VarId, f64)>,
}

/// The statements of a block, none of those in it, that give variables values.
fn assignments(block: &[Stmt]) -> impl Iterator<Item = (VarId, &Value)> {
    block.iter().filter_map(|stmt| match stmt {
        Stmt::Assign {
            target: Value::Variable(id),
            value,
            ..
        } => Some((*id, value)),
        _ => None,
    })
}
