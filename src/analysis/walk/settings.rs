//! What straight-line code around loops sets, and from what: the way of scalars from one loop to the next.

use super::Walker;
use crate::facts::{Block, Setting, SettingKind};
use crate::ir::visit::each_value;
use crate::ir::{Role, Stmt, Value, VarId};

impl Walker<'_> {
    /// A statement that gives a target another value.
    pub(super) fn sets(&mut self, target: &Value, value: &Value, block: &mut Block) {
        if !self.in_sequence {
            return;
        }
        match target {
            Value::Variable(id) if self.function().variable(*id).dimensions.is_empty() => {
                self.setting(SettingKind::Whole, Some(*id), &[value], block);
            }
            Value::Element {
                array, subscripts, ..
            } => {
                let values: Vec<&Value> = std::iter::once(value).chain(subscripts).collect();
                self.setting(SettingKind::Part, Some(*array), &values, block);
            }
            _ => {}
        }
    }

    /// A call that may give variables other values, made from all that it takes.
    pub(super) fn set_by_call(
        &mut self,
        written: &[VarId],
        arguments: &[Value],
        block: &mut Block,
    ) {
        if self.in_sequence {
            let values: Vec<&Value> = arguments.iter().collect();
            written
                .iter()
                .for_each(|id| self.setting(SettingKind::Part, Some(*id), &values, block));
        }
    }

    pub(super) fn decides(&mut self, condition: &Value, block: &mut Block) {
        if self.in_sequence {
            self.setting(SettingKind::Condition, None, &[condition], block);
        }
    }

    pub(super) fn ends(&mut self, block: &mut Block) {
        if self.in_sequence {
            self.setting(SettingKind::End, None, &[], block);
        }
    }

    fn setting(
        &self,
        kind: SettingKind,
        target: Option<VarId>,
        values: &[&Value],
        block: &mut Block,
    ) {
        let function = self.function();
        let mut from: Vec<String> = Vec::new();
        for value in values {
            each_value(value, &mut |part| {
                if let Value::Variable(id) | Value::Element { array: id, .. } = part {
                    let variable = function.variable(*id);
                    if !matches!(variable.role, Role::Constant(_))
                        && !from.iter().any(|known| *known == variable.name)
                    {
                        from.push(variable.name.to_string());
                    }
                }
            });
        }
        let name = target.map_or(String::new(), |id| function.variable(id).name.to_string());
        block.settings.push(Setting {
            position: block.items.len(),
            kind,
            name,
            from,
        });
    }
}

/// Whether statements have several loops side by side, in branches too.
pub(super) fn holds_sequence(statements: &[Stmt]) -> bool {
    fn count(statements: &[Stmt], loops: &mut usize) {
        for statement in statements {
            match statement {
                Stmt::Loop(_) => *loops += 1,
                Stmt::If(branch) => {
                    count(&branch.then, loops);
                    count(&branch.otherwise, loops);
                }
                Stmt::Opaque { inner, .. } => count(inner, loops),
                Stmt::Assign { .. }
                | Stmt::Call { .. }
                | Stmt::Jump { .. }
                | Stmt::Mark { .. }
                | Stmt::Evaluate { .. } => {}
            }
            if *loops > 1 {
                return;
            }
        }
    }
    let mut loops = 0;
    count(statements, &mut loops);
    loops > 1
}
