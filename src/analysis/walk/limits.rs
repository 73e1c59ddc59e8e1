//! Loops that repeat something until data say that it is enough, but not more often than a limit allows:
//!
//! ```text
//! do it = 1, maxit                              while (err > tol && it < maxit) {
//!    call relax(u, f, res)                          err = relax(u, f);
//!    if (res < tol) exit                            it++;
//! end do                                        }
//! ```
//!
//! The limit is not a count: how often they run is a parameter, up to the limit.

use std::collections::{BTreeMap, BTreeSet};

use super::Walker;
use super::guards::is_condition;
use super::headers::Header;
use super::iterations::{Ends, conjuncts};
use crate::assignments::count_assignments;
use crate::calls::Target;
use crate::expr::Expr;
use crate::inductions::inductions;
use crate::ir::visit::{InLoop, each_value, statements, values_of, variables_of};
use crate::ir::{self, BinaryOp, Control, Jump, Stmt, Type, Value, VarId};

impl Walker<'_> {
    /// Ends a range at the parameter for how often the loop runs, where data end it: one that repeats other loops, and walks
    /// through arrays in none of them. What searches arrays, or works on one element or row after the other, is taken to get
    /// to its end.
    pub(super) fn cut_short(&mut self, inner: &ir::Loop, header: &mut Header, ends: Ends) {
        let step = header.step.as_integer().filter(|step| *step != 0);
        let (Some(step), true) = (step, header.has_range) else {
            return;
        };
        let is_ended = match self.works(&inner.body) {
            true => {
                let by_condition = ends == Ends::AtBoundOrBefore && self.may_end_before(inner);
                (by_condition || self.is_left_by_data(inner)) && !self.walks_through_arrays(inner)
            }
            false => self.iterates(inner, ends),
        };
        if !is_ended {
            return;
        }
        let trips = self.trip_count(&inner.place);
        let last = (trips - 1.0) * Expr::from(step) + header.lower.clone();
        let both = [header.upper.clone(), last.expand()];
        header.upper = match step > 0 {
            true => Expr::min(both),
            false => Expr::max(both),
        };
    }

    /// Whether a loop without others inside repeats something until a real number that it computes says that it is enough, as
    /// `while (zr*zr + zi*zi < 4 && it < maxit)` does. What chooses elements by its counter goes through arrays.
    fn iterates(&self, inner: &ir::Loop, ends: Ends) -> bool {
        let mut conditions = Vec::new();
        self.leaving_conditions(inner, &inner.body, &mut conditions);
        if let (Ends::AtBoundOrBefore, Control::Uncounted { condition, .. }) =
            (ends, &inner.control)
        {
            let mut parts = Vec::new();
            condition
                .iter()
                .for_each(|value| conjuncts(value, &mut parts));
            parts.retain(|part| self.expected_each_round(inner, part) != Some(true));
            conditions.extend(parts);
        }
        let own = self.given_in(inner);
        let of = |condition: &&Value| self.rests_on_reals(inner, condition, &own, 1);
        conditions.iter().any(of) && !self.chooses_elements(inner)
    }

    /// Whether a condition compares real numbers that a loop gives variables, or functions make of them; or variables that
    /// hold what such a comparison has said.
    fn rests_on_reals(
        &self,
        inner: &ir::Loop,
        condition: &Value,
        own: &BTreeSet<VarId>,
        names: u32,
    ) -> bool {
        let function = self.function();
        let mentions = |value: &Value| {
            let mut used = BTreeSet::new();
            variables_of(value, &mut used);
            !used.is_disjoint(own)
        };
        let mut found = false;
        each_value(condition, &mut |part| {
            found |= match part {
                Value::Variable(id) if own.contains(id) => {
                    function.variable(*id).ty.is_floating()
                        || names > 0 && self.holds_comparison(inner, *id, own)
                }
                Value::Element { array, .. } => {
                    part.ty(function).is_floating() && stores_into(&inner.body, *array)
                }
                Value::Call { .. } => part.ty(function).is_floating() && mentions(part),
                _ => false,
            };
        });
        found
    }

    /// Whether a statement of a loop gives a variable that is no real number what a comparison of real ones says.
    fn holds_comparison(&self, inner: &ir::Loop, id: VarId, own: &BTreeSet<VarId>) -> bool {
        let mut found = false;
        statements(&inner.body, InLoop::No, &mut |stmt, _| {
            if let Stmt::Assign { target, value, .. } = stmt
                && *target == Value::Variable(id)
            {
                found |= is_condition(value) && self.rests_on_reals(inner, value, own, 0);
            }
        });
        found
    }

    /// Whether whole numbers that a loop moves choose the elements that it accesses, or procedures get them.
    fn chooses_elements(&self, inner: &ir::Loop) -> bool {
        let mut moved = BTreeMap::new();
        count_assignments(&inner.body, self.effects, &mut moved);
        if let Control::Counted { variable, .. } = &inner.control {
            moved.entry(*variable).or_default();
        }
        let function = self.function();
        let is_moved = |value: &Value| {
            let mut used = BTreeSet::new();
            variables_of(value, &mut used);
            used.iter()
                .any(|id| !function.variable(*id).ty.is_floating() && moved.contains_key(id))
        };
        let mut found = false;
        let mut look = |value: &Value| {
            found |= match value {
                // A pointer that moves goes through what it leads to.
                Value::Element {
                    array, subscripts, ..
                } => {
                    moved.contains_key(array) && function.conventions.has_pointers()
                        || subscripts.iter().any(&is_moved)
                }
                Value::Call {
                    name, arguments, ..
                } => !self.is_of_library(name) && arguments.iter().any(&is_moved),
                _ => false,
            };
        };
        if let Control::Uncounted { condition, .. } = &inner.control {
            condition
                .iter()
                .for_each(|value| each_value(value, &mut look));
        }
        statements(&inner.body, InLoop::No, &mut |stmt, _| match stmt {
            Stmt::Call { name, .. } if self.is_of_library(name) => {}
            Stmt::Call { arguments, .. } => {
                arguments
                    .iter()
                    .for_each(|value| each_value(value, &mut look));
            }
            _ => values_of(stmt, &mut look),
        });
        found
    }

    /// Whether a whole number that says when the loop ends chooses the elements that it reads, or that loops inside access and
    /// procedures get. What only stores them keeps a history, `norms[it] = norm`.
    fn walks_through_arrays(&self, inner: &ir::Loop) -> bool {
        let mut counters = BTreeSet::new();
        match &inner.control {
            Control::Counted { variable, .. } => {
                counters.insert(*variable);
            }
            Control::Uncounted { condition, .. } => {
                let condition = condition.iter();
                condition.for_each(|value| variables_of(value, &mut counters));
            }
        }
        counters.retain(|id| {
            let variable = self.function().variable(*id);
            variable.dimensions.is_empty() && matches!(variable.ty, Type::Integer(..))
        });
        if self.bounds_loops(inner, &counters) {
            return true;
        }
        let mut found = false;
        let mut look = |value: &Value| {
            each_value(value, &mut |part| {
                if let Value::Element { subscripts, .. } = part {
                    let mut used = BTreeSet::new();
                    subscripts.iter().for_each(|s| variables_of(s, &mut used));
                    found |= used.iter().any(|id| counters.contains(id));
                }
            });
        };
        statements(&inner.body, InLoop::No, &mut |stmt, in_loop| match stmt {
            Stmt::Assign { value, .. } if in_loop == InLoop::No => look(value),
            Stmt::Evaluate { .. } if in_loop == InLoop::No => {}
            Stmt::Call { name, .. } if self.is_of_library(name) => {}
            _ => values_of(stmt, &mut look),
        });
        found
    }

    /// Whether loops inside begin or end at what counts the rounds: `i = k, n` takes row after row, or has less to do each time.
    fn bounds_loops(&self, inner: &ir::Loop, counters: &BTreeSet<VarId>) -> bool {
        let mut moving: BTreeSet<VarId> = inductions(&inner.body, self.effects)
            .into_iter()
            .map(|counting| counting.variable)
            .collect();
        if let Control::Counted { variable, .. } = &inner.control {
            moving.insert(*variable);
        }
        moving.retain(|id| counters.contains(id));
        let mut used = BTreeSet::new();
        statements(&inner.body, InLoop::No, &mut |stmt, _| {
            if let Stmt::Loop(_) = stmt {
                values_of(stmt, &mut |value| variables_of(value, &mut used));
            }
        });
        !used.is_disjoint(&moving)
    }

    fn is_of_library(&self, name: &str) -> bool {
        matches!(self.effects.target(name), Target::Library(_))
    }

    /// Whether something in the condition of a loop, beside what only counts, is not expected to hold as long as nothing
    /// goes wrong.
    fn may_end_before(&self, inner: &ir::Loop) -> bool {
        let Control::Uncounted {
            condition: Some(condition),
            ..
        } = &inner.control
        else {
            return false;
        };
        let mut parts = Vec::new();
        conjuncts(condition, &mut parts);
        let own = self.given_in(inner);
        let is_data = |part: &&Value| self.is_of_data(part, &own) || calls_any(part);
        let is_expected = |part: &Value| self.expected_each_round(inner, part) == Some(true);
        parts.iter().any(|part| is_data(part) && !is_expected(part))
    }

    /// Whether a branch of its body leaves it, or the procedure with it, where what the body computes says so.
    fn is_left_by_data(&self, inner: &ir::Loop) -> bool {
        let mut conditions = Vec::new();
        self.leaving_conditions(inner, &inner.body, &mut conditions);
        if conditions.is_empty() {
            return false;
        }
        let own = self.given_in(inner);
        let mut conditions = conditions.into_iter();
        conditions.any(|condition| self.is_of_data(condition, &own))
    }

    /// What the body of a loop gives values, but for what counts, and for times.
    fn given_in(&self, inner: &ir::Loop) -> BTreeSet<VarId> {
        let mut assigned = BTreeMap::new();
        count_assignments(&inner.body, self.effects, &mut assigned);
        for counting in inductions(&inner.body, self.effects) {
            let variable = self.function().variable(counting.variable);
            if matches!(variable.ty, Type::Integer(..)) {
                assigned.remove(&counting.variable);
            }
        }
        if let Control::Counted { variable, .. } = &inner.control {
            assigned.remove(variable);
        }
        assigned.retain(|_, count| count.statements > 0 || count.calls > 0);
        assigned.retain(|id, count| {
            let is_time = self.function().variable(*id).ty.is_floating()
                && count.calls == 0
                && count.statements == sums_up(&inner.body, *id);
            !is_time
        });
        assigned.into_keys().collect()
    }

    /// Whether a condition depends on values that a loop gives variables, on elements, or on what procedures return.
    fn is_of_data(&self, condition: &Value, own: &BTreeSet<VarId>) -> bool {
        let mut found = false;
        each_value(condition, &mut |part| {
            found |= match part {
                Value::Variable(id) => own.contains(id),
                Value::Element { .. } => true,
                Value::Call { name, .. } => !self.is_of_library(name),
                _ => false,
            };
        });
        found
    }

    /// The conditions of branches outside of inner loops of which an arm leaves the loop, unless that is one that is not
    /// expected: the arm or its condition says that something is wrong.
    fn leaving_conditions<'b>(
        &self,
        inner: &ir::Loop,
        block: &'b [Stmt],
        found: &mut Vec<&'b Value>,
    ) {
        for stmt in block {
            let Stmt::If(branch) = stmt else { continue };
            let expected = self.expected_each_round(inner, &branch.condition);
            let arms = [(true, &branch.then), (false, &branch.otherwise)];
            for (_, arm) in arms
                .into_iter()
                .filter(|(holds, _)| expected != Some(!*holds))
            {
                if leaves(arm) && !self.is_failure(arm) {
                    found.push(&branch.condition);
                }
                self.leaving_conditions(inner, arm, found);
            }
        }
    }
}

/// How many statements outside of inner loops add a number to a variable that is no element of an array. What all of them only
/// add to, as `time = time + dt`, goes on up to an end that is meant, and says nothing of when data are good enough.
pub(super) fn sums_up(block: &[Stmt], id: VarId) -> u32 {
    let own = Value::Variable(id);
    let mut found = 0;
    statements(block, InLoop::No, &mut |stmt, in_loop| {
        if let (Stmt::Assign { target, value, .. }, InLoop::No) = (stmt, in_loop)
            && *target == own
            && let Value::Binary(BinaryOp::Add, left, right) = value.unconverted()
        {
            let is_own = |side: &Value| *side.unconverted() == own;
            let mut has_elements = false;
            each_value(value, &mut |part| {
                has_elements |= matches!(part, Value::Element { .. } | Value::Call { .. });
            });
            found += u32::from(is_own(left) != is_own(right) && !has_elements);
        }
    });
    found
}

/// Whether statements store elements of an array.
fn stores_into(block: &[Stmt], id: VarId) -> bool {
    let mut found = false;
    statements(block, InLoop::No, &mut |stmt, _| {
        if let Stmt::Assign {
            target: Value::Element { array, .. },
            ..
        } = stmt
        {
            found |= *array == id;
        }
    });
    found
}

/// Whether a value holds calls.
fn calls_any(value: &Value) -> bool {
    let mut found = false;
    each_value(value, &mut |part| {
        found |= matches!(part, Value::Call { .. })
    });
    found
}

/// Whether statements leave the loop around at their end.
pub(super) fn leaves(arm: &[Stmt]) -> bool {
    matches!(
        arm.last(),
        Some(Stmt::Jump {
            kind: Jump::Exit | Jump::Return,
            ..
        })
    )
}
