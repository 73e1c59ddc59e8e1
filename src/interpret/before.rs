//! What a nest finds when it begins.

use super::code::Op;
use super::compile::Compiler;
use crate::ir::visit::each_value;
use crate::ir::{self, Control, Loop, Stmt, Type, Value, VarId};

impl<'a> Compiler<'a> {
    /// What the statements before the nest leave in scalars and pointers, as far as that is plain. Says whether the
    /// nest was met.
    pub fn before(&mut self, statements: &'a [Stmt], nest: &Loop, out: &mut Vec<Op>) -> bool {
        for statement in statements {
            match statement {
                Stmt::Loop(inner) if std::ptr::eq(&**inner, nest) => return true,
                Stmt::Assign { target: Value::Variable(id), value, .. } => self.first_assignment(*id, value, out),
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

    /// What a loop that counts leaves in its variable.
    fn ran(&mut self, inner: &'a Loop) {
        let Control::Counted { variable, lower, upper, step } = &inner.control else { return };
        let [Some(lower), Some(upper), Some(step)] = [lower, upper, step].map(|bound| self.fixed(bound)) else {
            return;
        };
        if !self.may_set(*variable) || step == 0 {
            return;
        }
        let rounds = ((i128::from(upper) - i128::from(lower) + i128::from(step)) / i128::from(step)).max(0);
        let end = i128::from(lower) + rounds * i128::from(step);
        let slot = self.slot(*variable);
        self.initial[slot.0 as usize] = i64::try_from(end).unwrap_or(lower);
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
        } else if matches!(variable.ty, Type::Integer(_) | Type::Logical(_)) && (self.may_set(id) || reads(value, id)) {
            let slot = self.slot(id);
            if let Some(value) = self.fixed(value) {
                self.initial[slot.0 as usize] = value;
            }
        }
    }

    /// Notes the pointers that statements assign.
    pub fn find_pointers(&mut self, statements: &'a [Stmt]) {
        ir::visit::statements(statements, ir::visit::InLoop::No, &mut |statement, _| {
            if let Stmt::Assign { target: Value::Variable(id), .. } = statement
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
    each_value(value, &mut |part| found |= matches!(part, Value::Variable(other) if *other == id));
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
        | Stmt::Evaluate { place, .. }
        | Stmt::Opaque { place, .. } => place.line,
        Stmt::Loop(inner) => inner.place.line,
        Stmt::If(branch) => branch.place.line,
    }
}
