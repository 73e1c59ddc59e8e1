//! Which procedures end the program where whole numbers say so that are no data: what their loops count, and what they are
//! passed.
//!
//! ```text
//! void tick(int t) { if (t == 30) exit(0); work(); }       for (t = 0; t < 100; t++) tick(t);
//! ```
//!
//! Where a loop calls them with what it counts, it may not come to its end. What says that something is wrong is not
//! expected to happen.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use super::ending::MOST_CALLS;
use super::finish::Finish;
use super::procedures::Procedures;
use super::target::{ProcedureId, Target};
use crate::intrinsics::IntrinsicKind;
use crate::ir::visit::{InLoop, each_value, statements, variables_of};
use crate::ir::{Control, Function, Jump, Printed, Role, Stmt, Type, Value, VarId, addressed};

impl Procedures<'_> {
    /// What decides that the program ends in calls of a procedure, if numbers that are no data may do that.
    pub fn finish(&self, id: ProcedureId) -> Option<&Finish> {
        let all = self.finishing.get_or_init(|| self.find_finishing());
        all[id.at()].as_ref()
    }

    fn find_finishing(&self) -> Vec<Option<Finish>> {
        let mut found: Vec<Option<Finish>> = vec![None; self.all.len()];
        let mut changed: Vec<ProcedureId> = self.ids().collect();
        for _ in 0..MOST_CALLS {
            let mut next = found.clone();
            for id in &changed {
                next[id.at()] = self.finish_of(*id, &found);
            }
            if next == found {
                break;
            }
            found = next;
            // Only who calls others may change now.
            changed.retain(|id| {
                let mut targets = self.targets[id.at()].values();
                targets.any(
                    |target| matches!(target, Target::Body(callee) if found[callee.at()].is_some()),
                )
            });
        }
        found
    }

    fn finish_of(&self, id: ProcedureId, found: &[Option<Finish>]) -> Option<Finish> {
        let function = self.get(id).function;
        let mut search = Search {
            known: self,
            id,
            function,
            formals: self.formals(id),
            counters: counted(&function.body),
            found,
            finish: None,
        };
        search.block(&function.body, &Finish::default());
        search.finish
    }
}

struct Search<'s, 'u> {
    known: &'s Procedures<'u>,
    id: ProcedureId,
    function: &'s Function,
    formals: Vec<VarId>,
    /// What loops count, and what a statement adds a number to.
    counters: FxHashSet<VarId>,
    found: &'s [Option<Finish>],
    finish: Option<Finish>,
}

impl Search<'_, '_> {
    /// Looks for ends of the program in statements that these numbers lead to.
    fn block(&mut self, block: &[Stmt], around: &Finish) {
        for stmt in block {
            match stmt {
                Stmt::Loop(inner) => self.block(&inner.body, around),
                Stmt::If(branch) => {
                    let Some(asked) = self.asked(&branch.condition, around) else {
                        continue;
                    };
                    for arm in [&branch.then, &branch.otherwise] {
                        if !self.known.says_why(self.id, arm, MOST_CALLS) {
                            self.block(arm, &asked);
                        }
                    }
                }
                Stmt::Jump {
                    kind: Jump::Stop, ..
                } => {
                    let is_decided = around.is_own || !around.arguments.is_empty();
                    self.add(is_decided.then_some(around));
                    return;
                }
                Stmt::Call {
                    name, arguments, ..
                } => {
                    if let Target::Body(callee) = self.known.target(self.id, name)
                        && let Some(finish) = &self.found[callee.at()]
                    {
                        let asked = self.passed(finish, arguments, around);
                        self.add(asked.as_ref());
                    }
                }
                _ => {}
            }
        }
    }

    fn add(&mut self, finish: Option<&Finish>) {
        let Some(Finish { arguments, is_own }) = finish else {
            return;
        };
        let known = self.finish.get_or_insert_default();
        known.is_own |= is_own;
        for at in arguments {
            if !known.arguments.contains(at) {
                known.arguments.push(*at);
            }
        }
    }

    /// What a condition asks for, with what is asked around it; `None` if that is data.
    fn asked(&self, condition: &Value, around: &Finish) -> Option<Finish> {
        let mut asked = around.clone();
        let mut is_of_data = false;
        each_value(condition, &mut |part| {
            is_of_data |= matches!(
                part,
                Value::Call { .. } | Value::Element { .. } | Value::Opaque { .. } | Value::Real(..)
            );
        });
        let mut used = BTreeSet::new();
        variables_of(condition, &mut used);
        for id in used {
            let variable = self.function.variable(id);
            let is_whole =
                matches!(variable.ty, Type::Integer(_)) && variable.dimensions.is_empty();
            if !is_whole {
                return None;
            }
            let formal = self.formals.iter().position(|formal| *formal == id);
            match formal {
                Some(at) => asked.arguments.push(at),
                None if self.counters.contains(&id) => asked.is_own = true,
                None if matches!(variable.role, Role::Constant(_)) => {}
                None => return None,
            }
        }
        (!is_of_data).then_some(asked)
    }

    /// What the arguments ask for that decide it in a procedure that is called.
    fn passed(&self, finish: &Finish, arguments: &[Value], around: &Finish) -> Option<Finish> {
        let mut asked = Finish {
            is_own: around.is_own || finish.is_own,
            ..around.clone()
        };
        for at in &finish.arguments {
            let argument = arguments.get(*at)?;
            asked = self.asked(addressed(argument).unwrap_or(argument), &asked)?;
        }
        (asked.is_own || !asked.arguments.is_empty()).then_some(asked)
    }
}

impl Procedures<'_> {
    /// Whether statements of a procedure that end the program say why: with a message, or a status that is not zero, there
    /// or in what they call.
    fn says_why(&self, id: ProcedureId, block: &[Stmt], calls: usize) -> bool {
        let mut found = false;
        statements(block, InLoop::No, &mut |stmt, _| match stmt {
            Stmt::Evaluate { printed, .. } => found |= *printed == Printed::AsText,
            Stmt::Call {
                name, arguments, ..
            } => {
                let is_text = |value: &Value| matches!(value, Value::Text(_));
                found |= arguments.iter().any(is_text)
                    || match self.target(id, name) {
                        Target::Library(known) if known.kind == IntrinsicKind::Termination => {
                            let status = arguments.first().map(Value::unconverted);
                            status != Some(&Value::Integer(0))
                        }
                        Target::Communication(known) => known.ends_program,
                        Target::Body(callee) if calls > 0 => {
                            let body = &self.get(callee).function.body;
                            self.ends_program(Target::Body(callee))
                                && self.says_why(callee, body, calls - 1)
                        }
                        _ => false,
                    };
            }
            _ => {}
        });
        found
    }
}

/// What loops count, and what a statement adds a number to.
fn counted(body: &[Stmt]) -> FxHashSet<VarId> {
    let mut found = FxHashSet::default();
    statements(body, InLoop::No, &mut |stmt, _| match stmt {
        Stmt::Loop(inner) => {
            if let Control::Counted { variable, .. } = &inner.control {
                found.insert(*variable);
            }
        }
        Stmt::Assign {
            target: target @ Value::Variable(id),
            value: Value::Binary(_, left, right),
            ..
        } => {
            let sides = [left.unconverted(), right.unconverted()];
            let is_number = |side: &&Value| matches!(side, Value::Integer(_));
            if sides.contains(&target) && sides.iter().any(is_number) {
                found.insert(*id);
            }
        }
        _ => {}
    });
    found
}
