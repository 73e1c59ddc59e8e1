//! Which procedures may end the program, and what decides that: what their loops count, what they are passed, or data.
//!
//! ```text
//! void tick(int t) { if (t == 30) exit(0); work(); }       for (t = 0; t < 100; t++) tick(t);
//! ```
//!
//! Where a loop calls them, it may not come to its end. What the program has from outside (`environment`) is not expected to
//! be wrong.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use super::ending::MOST_CALLS;
use super::environment::Outside;
use super::finish::{Finish, Finishes};
use super::procedures::Procedures;
use super::target::{ProcedureId, Target};
use crate::intrinsics::IntrinsicKind;
use crate::ir::visit::{InLoop, calls_in_values, each_value, jumps, statements, variables_of};
use crate::ir::{Control, Function, Jump, Printed, Role, Stmt, Type, Value, VarId, addressed};

impl Procedures<'_> {
    /// What decides that the program ends in calls of a procedure.
    pub fn finishes(&self, id: ProcedureId) -> &Finishes {
        let all = self.finishing.get_or_init(|| self.find_finishing());
        &all[id.at()]
    }

    fn find_finishing(&self) -> Vec<Finishes> {
        let mut found: Vec<Finishes> = vec![Finishes::default(); self.all.len()];
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
            let ends = |target: &Target| matches!(target, Target::Body(callee) if found[callee.at()] != Finishes::default());
            changed.retain(|id| self.targets[id.at()].values().any(ends));
        }
        found
    }

    fn finish_of(&self, id: ProcedureId, found: &[Finishes]) -> Finishes {
        let function = self.get(id).function;
        let mut search = Search {
            known: self,
            id,
            function,
            formals: self.formals(id),
            counters: counted(&function.body),
            outside: OnceCell::new(),
            found,
            finishes: Finishes::default(),
        };
        search.block(&function.body, &Finish::default(), Way::Regular);
        search.finishes
    }
}

/// How statements that end the program are meant.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Regular,
    Failing,
}

struct Search<'s, 'u> {
    known: &'s Procedures<'u>,
    id: ProcedureId,
    function: &'s Function,
    formals: Vec<VarId>,
    /// What loops count, and what a statement adds a number to.
    counters: FxHashSet<VarId>,
    /// What its variables have from outside, once a condition asks.
    outside: OnceCell<Outside>,
    found: &'s [Finishes],
    finishes: Finishes,
}

impl Search<'_, '_> {
    /// Looks for ends of the program in statements that this leads to.
    fn block(&mut self, block: &[Stmt], around: &Finish, way: Way) {
        let mut left = None;
        for (at, stmt) in block.iter().enumerate() {
            let before = left.take();
            let around = before.as_ref().unwrap_or(around);
            left = match jumps(std::slice::from_ref(stmt), |kind| kind == Jump::Return) {
                true => Some(self.behind(stmt, around)),
                false => before.clone(),
            };
            calls_in_values(stmt, &mut |name, arguments| {
                self.call((name, arguments), around, way);
            });
            match stmt {
                Stmt::Loop(inner) => self.block(&inner.body, around, way),
                Stmt::If(branch) => {
                    let asked = self.asked(&branch.condition, around);
                    for arm in [&branch.then, &branch.otherwise] {
                        match self.known.says_why(self.id, arm, MOST_CALLS) {
                            true if self.asks_outside(&branch.condition) => {}
                            true => self.block(arm, &asked, Way::Failing),
                            false => self.block(arm, &asked, way),
                        }
                    }
                }
                Stmt::Jump {
                    kind: Jump::Stop, ..
                } => {
                    let says_why = self.known.says_why(self.id, &block[..at], MOST_CALLS);
                    let way = if says_why { Way::Failing } else { way };
                    self.add(around, way);
                    return;
                }
                Stmt::Call {
                    name, arguments, ..
                } => self.call((name, arguments), around, way),
                _ => {}
            }
        }
    }

    fn asks_outside(&self, condition: &Value) -> bool {
        let target = |name: &str| self.known.target(self.id, name);
        let outside = || Outside::of(self.function, &target);
        let outside = self.outside.get_or_init(outside);
        outside.is_asked(self.function, condition, &target)
    }

    /// What is asked behind a statement in which the procedure may return.
    fn behind(&self, stmt: &Stmt, around: &Finish) -> Finish {
        match stmt {
            Stmt::If(branch) => self.asked(&branch.condition, around),
            // How often its loops run, and what in them.
            _ => Finish {
                is_own: true,
                is_of_data: true,
                ..around.clone()
            },
        }
    }

    fn call(&mut self, (name, arguments): (&str, &[Value]), around: &Finish, way: Way) {
        let Target::Body(callee) = self.known.target(self.id, name) else {
            return;
        };
        let Finishes { regular, failing } = &self.found[callee.at()];
        for (finish, own) in [(regular, way), (failing, Way::Failing)] {
            if let Some(finish) = finish {
                let asked = self.passed(finish, arguments, around);
                self.add(&asked, own);
            }
        }
    }

    fn add(&mut self, finish: &Finish, way: Way) {
        if *finish == Finish::default() {
            return;
        }
        let Finish {
            arguments,
            is_own,
            is_of_data,
        } = finish;
        let known = match way {
            Way::Regular => &mut self.finishes.regular,
            Way::Failing => &mut self.finishes.failing,
        };
        let known = known.get_or_insert_default();
        known.is_own |= is_own;
        known.is_of_data |= is_of_data;
        for at in arguments {
            if !known.arguments.contains(at) {
                known.arguments.push(*at);
            }
        }
    }

    /// What a condition asks for, with what is asked around it.
    fn asked(&self, condition: &Value, around: &Finish) -> Finish {
        let mut asked = around.clone();
        each_value(condition, &mut |part| {
            asked.is_of_data |= matches!(
                part,
                Value::Call { .. } | Value::Element { .. } | Value::Opaque { .. } | Value::Real(..)
            );
        });
        let mut used = BTreeSet::new();
        variables_of(condition, &mut used);
        for id in used {
            let variable = self.function.variable(id);
            let is_whole =
                matches!(variable.ty, Type::Integer(..)) && variable.dimensions.is_empty();
            let formal = self.formals.iter().position(|formal| *formal == id);
            match formal {
                Some(at) if is_whole => asked.arguments.push(at),
                _ if is_whole && self.counters.contains(&id) => asked.is_own = true,
                _ if matches!(variable.role, Role::Constant(_)) => {}
                _ => asked.is_of_data = true,
            }
        }
        asked
    }

    /// What the arguments ask for that decide it in a procedure that is called.
    fn passed(&self, finish: &Finish, arguments: &[Value], around: &Finish) -> Finish {
        let mut asked = Finish {
            is_own: around.is_own || finish.is_own,
            is_of_data: around.is_of_data || finish.is_of_data,
            ..around.clone()
        };
        for at in &finish.arguments {
            match arguments.get(*at) {
                Some(argument) => {
                    asked = self.asked(addressed(argument).unwrap_or(argument), &asked);
                }
                None => asked.is_of_data = true,
            }
        }
        asked
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
