//! What a nest finds when it begins.

use super::code::Op;
use super::compiler::Compiler;
use super::evaluate::constant;
use crate::ir::visit::each_value;
use crate::ir::{self, Control, Loop, Stmt, Tested, Type, Value, VarId};

/// Rounds of a loop before the nest that are followed.
const MOST_ROUNDS: u32 = 1 << 20;

impl<'a> Compiler<'a> {
    /// What the statements before the nest leave in scalars and pointers, as far as that is plain. Says whether the
    /// nest was met.
    pub fn before(&mut self, statements: &'a [Stmt], nest: &Loop, out: &mut Vec<Op>) -> bool {
        for statement in statements {
            match statement {
                Stmt::Loop(inner) if std::ptr::eq(&**inner, nest) => return true,
                Stmt::Assign {
                    target: Value::Variable(id),
                    value,
                    ..
                } => self.first_assignment(*id, value, out),
                Stmt::Loop(inner) => self.ran(inner),
                Stmt::If(branch) => {
                    let sides = [&branch.then, &branch.otherwise];
                    let holds = |side: &[Stmt]| contains(side, nest);
                    let known = self.fixed(&branch.condition).map(|value| value != 0);
                    for (side, taken) in sides.into_iter().zip([true, false]) {
                        if (holds(side) || known == Some(taken)) && self.before(side, nest, out) {
                            return true;
                        }
                    }
                }
                _ => {}
            }
        }
        false
    }

    /// What a loop leaves in the variables that it counts with.
    fn ran(&mut self, inner: &'a Loop) {
        let (variable, lower, upper, step) = match &inner.control {
            Control::Counted {
                variable,
                lower,
                upper,
                step,
            } => (variable, lower, upper, step),
            Control::Uncounted {
                condition: Some(condition),
                tested,
                reason: _,
            } => {
                return self.went_round(&inner.body, condition, *tested == Tested::AfterBody);
            }
            Control::Uncounted {
                condition: None, ..
            } => return,
        };
        let [Some(lower), Some(upper), Some(step)] =
            [lower, upper, step].map(|bound| self.fixed(bound))
        else {
            return;
        };
        if !self.may_set(*variable) || step == 0 {
            return;
        }
        let rounds =
            ((i128::from(upper) - i128::from(lower) + i128::from(step)) / i128::from(step)).max(0);
        let end = i128::from(lower) + rounds * i128::from(step);
        let slot = self.slot(*variable);
        self.initial[slot.0 as usize] = i64::try_from(end).unwrap_or(lower);
    }

    /// Goes round a loop whose condition follows from integers that its body moves by known values, `while (i + 3 < n)`
    /// with `i += 4`. Where something else may change them, or end the loop, they stay what they were.
    fn went_round(&mut self, body: &'a [Stmt], condition: &'a Value, tested_last: bool) {
        let (refusals, notes, before) = (
            self.refusals.len(),
            self.notes.clone(),
            self.initial.clone(),
        );
        let mut fixed = true;
        let mut moved = Vec::new();
        for statement in body {
            match statement {
                Stmt::Assign {
                    target: Value::Variable(id),
                    value,
                    ..
                } if self.counts(*id) => {
                    let value = self.integer(value);
                    moved.push((self.slot(*id), value));
                }
                Stmt::Assign { .. } | Stmt::Evaluate { .. } => {}
                Stmt::If(_)
                | Stmt::Loop(_)
                | Stmt::Call { .. }
                | Stmt::Jump { .. }
                | Stmt::Mark { .. }
                | Stmt::Opaque { .. } => {
                    fixed &= !self.may_disturb(statement);
                }
            }
        }
        let condition = self.integer(condition);
        self.refusals.truncate(refusals);
        self.notes = notes;
        let mut rounds = 0;
        while fixed {
            match constant(&condition, &self.initial) {
                _ if tested_last && rounds == 0 => {}
                Some(0) => break,
                Some(_) => {}
                None => fixed = false,
            }
            for (slot, value) in &moved {
                match constant(value, &self.initial) {
                    Some(value) => self.initial[slot.0 as usize] = value,
                    None => fixed = false,
                }
            }
            rounds += 1;
            fixed &= rounds < MOST_ROUNDS;
        }
        if !fixed {
            self.initial[..before.len()].copy_from_slice(&before);
        }
    }

    /// Whether a variable is an integer that statements may give values.
    pub(super) fn counts(&self, id: VarId) -> bool {
        let variable = self.source.function.variable(id);
        let is_integer = matches!(variable.ty, Type::Integer(..) | Type::Logical(_));
        is_integer && variable.dimensions.is_empty() && self.may_set(id)
    }

    /// Whether what is inside of a statement may give integers values, or end the loop around.
    fn may_disturb(&self, statement: &Stmt) -> bool {
        let mut found = false;
        ir::visit::statements(
            std::slice::from_ref(statement),
            ir::visit::InLoop::No,
            &mut |inner, _| {
                found |= match inner {
                    Stmt::Assign {
                        target: Value::Variable(id),
                        ..
                    } => self.counts(*id),
                    Stmt::Jump { .. }
                    | Stmt::Mark { .. }
                    | Stmt::Call { .. }
                    | Stmt::Opaque { .. } => true,
                    _ => false,
                };
            },
        );
        found
    }

    fn first_assignment(&mut self, id: VarId, value: &'a Value, out: &mut Vec<Op>) {
        let variable = self.source.function.variable(id);
        if !variable.dimensions.is_empty() {
            let refusals = self.refusals.len();
            let address = self.pointer(value);
            self.refusals.truncate(refusals);
            if let Some((address, _)) = address {
                self.pointers.insert(id);
                out.push(Op::Set(self.slot(id), address));
            }
        } else if matches!(variable.ty, Type::Integer(..) | Type::Logical(_))
            && (self.may_set(id) || reads(value, id))
        {
            let slot = self.slot(id);
            if let Some(value) = self.fixed(value) {
                self.initial[slot.0 as usize] = value;
                self.guessed.remove(&id);
            }
        }
    }

    /// Notes the pointers that statements assign.
    pub fn find_pointers(&mut self, statements: &'a [Stmt]) {
        ir::visit::statements(statements, ir::visit::InLoop::No, &mut |statement, _| {
            if let Stmt::Assign {
                target: Value::Variable(id),
                ..
            } = statement
                && !self.source.function.variable(*id).dimensions.is_empty()
            {
                self.pointers.insert(*id);
            }
        });
    }
}

/// Whether a variable gets a value made from its own: a parameter of its name is what it had before.
fn reads(value: &Value, id: VarId) -> bool {
    let mut found = false;
    each_value(value, &mut |part| {
        found |= matches!(part, Value::Variable(other) if *other == id);
    });
    found
}

/// Whether a loop is among the statements or inside them.
fn contains(statements: &[Stmt], nest: &Loop) -> bool {
    let mut found = false;
    ir::visit::statements(statements, ir::visit::InLoop::No, &mut |statement, _| {
        found |= matches!(statement, Stmt::Loop(inner) if std::ptr::eq(&**inner, nest));
    });
    found
}

/// Where a statement begins.
pub(super) fn line_of(statement: &Stmt) -> u32 {
    match statement {
        Stmt::Assign { place, .. }
        | Stmt::Call { place, .. }
        | Stmt::Jump { place, .. }
        | Stmt::Mark { place, .. }
        | Stmt::Evaluate { place, .. }
        | Stmt::Opaque { place, .. } => place.line,
        Stmt::Loop(inner) => inner.place.line,
        Stmt::If(branch) => branch.place.line,
    }
}
