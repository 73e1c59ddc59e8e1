//! Loops beside a nest, which are not run with it.

use std::collections::BTreeSet;

use super::compiler::Compiler;
use crate::ir::{Loop, Stmt, Value, VarId, visit};
use crate::reason::ReasonCode;

impl<'a> Compiler<'a> {
    /// A loop beside the next one of the nest is not run. What it leaves in integers that the nest's subscripts are made of
    /// is not known then, unless both are in arms of one branch, or each iteration around begins with new ones.
    pub(super) fn leave_out(&mut self, other: &'a Loop, around: &'a Loop, next: &'a Loop) {
        let order = order(&around.body, other, next);
        if order == Order::Exclusive {
            return;
        }
        let is_used = |id: &VarId| {
            let is_new = order == Order::Behind && first_use(&around.body, *id) == Some(Use::Set);
            let is_read = first_use(&next.body, *id) == Some(Use::Read);
            !is_new && (is_read || is_asked_before(&around.body, next, *id))
        };
        if let Some(id) = self.moved_by(other).into_iter().find(is_used) {
            self.refuse_left_out(other, id);
        }
    }

    /// The same of a loop inside of the nest's innermost one, which is a nest of its own: what it moves is not known where
    /// the statements beside it go to elements by it, or ask for it.
    pub(super) fn leave_out_inside(&mut self, other: &'a Loop, chain: &[&'a Loop]) {
        let Some(around) = chain.last() else {
            return;
        };
        let at = around.body.iter().position(|one| holds(one, other));
        let (before, behind) = around.body.split_at(at.map_or(0, |at| at + 1));
        let is_used = |id: &VarId| {
            let is_read = match first_own_use(behind, *id) {
                None => first_own_use(before, *id) == Some(Use::Read),
                use_behind => use_behind == Some(Use::Read),
            };
            is_read && (self.pointers.contains(id) || decides(&around.body, *id))
        };
        if let Some(id) = self.moved_by(other).into_iter().find(is_used) {
            self.refuse_left_out(other, id);
        }
    }

    /// The integers and pointers that statements of a loop give values.
    fn moved_by(&self, other: &Loop) -> BTreeSet<VarId> {
        let mut moved = BTreeSet::new();
        visit::statements(&other.body, visit::InLoop::No, &mut |statement, _| {
            if let Stmt::Assign {
                target: Value::Variable(id),
                ..
            } = statement
                && (self.counts(*id) || self.pointers.contains(id))
            {
                moved.insert(*id);
            }
        });
        moved
    }

    fn refuse_left_out(&mut self, other: &Loop, id: VarId) {
        let name = &self.source.function.variable(id).name;
        let detail = format!("a loop beside it moves `{name}`, and is not run with it");
        self.refuse(ReasonCode::NoStatements, other.place.line, detail);
    }
}

/// How two loops of one body follow each other in an iteration of it.
#[derive(Clone, Copy, PartialEq)]
enum Order {
    /// The first one runs before the second.
    Before,
    Behind,
    /// Only one of them runs.
    Exclusive,
}

fn order(body: &[Stmt], first: &Loop, second: &Loop) -> Order {
    let position = |one: &Loop| body.iter().position(|statement| holds(statement, one));
    let (Some(a), Some(b)) = (position(first), position(second)) else {
        return Order::Before;
    };
    match &body[a] {
        Stmt::If(branch) if a == b => {
            let arms = [&branch.then, &branch.otherwise];
            let both = |arm: &&&Vec<Stmt>| {
                let has = |one: &Loop| arm.iter().any(|statement| holds(statement, one));
                has(first) && has(second)
            };
            let arm = arms.iter().find(both);
            arm.map_or(Order::Exclusive, |arm| order(arm, first, second))
        }
        _ if a <= b => Order::Before,
        _ => Order::Behind,
    }
}

/// Whether a loop is in a statement, not inside of another loop.
fn holds(statement: &Stmt, wanted: &Loop) -> bool {
    match statement {
        Stmt::Loop(inner) => std::ptr::eq(&raw const **inner, wanted),
        Stmt::If(branch) => {
            let mut inside = branch.then.iter().chain(&branch.otherwise);
            inside.any(|statement| holds(statement, wanted))
        }
        Stmt::Opaque { inner, .. } => inner.iter().any(|statement| holds(statement, wanted)),
        _ => false,
    }
}

/// How a variable is used first.
#[derive(Clone, Copy, PartialEq)]
enum Use {
    Read,
    Set,
}

/// How the first of some statements that mentions a variable uses it.
fn first_use(body: &[Stmt], id: VarId) -> Option<Use> {
    let mut found = None;
    visit::statements(body, visit::InLoop::No, &mut |statement, _| {
        found = found.or_else(|| use_in(statement, id));
    });
    found
}

/// The same without what is in loops.
fn first_own_use(body: &[Stmt], id: VarId) -> Option<Use> {
    let mut found = None;
    each_own(body, &mut |statement| {
        found = found.or_else(|| use_in(statement, id));
    });
    found
}

/// How a statement itself uses a variable.
fn use_in(statement: &Stmt, id: VarId) -> Option<Use> {
    let mut read = BTreeSet::new();
    let mut is_set = false;
    match statement {
        Stmt::Assign {
            target: Value::Variable(target),
            value,
            ..
        } => {
            visit::variables_of(value, &mut read);
            is_set = *target == id;
        }
        _ => visit::values_of(statement, &mut |value| {
            visit::variables_of(value, &mut read)
        }),
    }
    match read.contains(&id) {
        true => Some(Use::Read),
        false => is_set.then_some(Use::Set),
    }
}

/// Visits statements that are not in loops.
fn each_own<'s>(body: &'s [Stmt], visit: &mut dyn FnMut(&'s Stmt)) {
    for statement in body {
        match statement {
            Stmt::Loop(_) => continue,
            Stmt::If(branch) => {
                visit(statement);
                each_own(&branch.then, visit);
                each_own(&branch.otherwise, visit);
            }
            Stmt::Opaque { inner, .. } => {
                visit(statement);
                each_own(inner, visit);
            }
            _ => visit(statement),
        }
    }
}

/// Whether a condition around a loop of a body asks for a variable.
fn is_asked_before(body: &[Stmt], next: &Loop, id: VarId) -> bool {
    let mut asked = false;
    each_own(body, &mut |statement| {
        if let Stmt::If(branch) = statement
            && holds(statement, next)
        {
            let mut read = BTreeSet::new();
            visit::variables_of(&branch.condition, &mut read);
            asked |= read.contains(&id);
        }
    });
    asked
}

/// Whether a variable is in subscripts or conditions of statements that are not in loops.
fn decides(body: &[Stmt], id: VarId) -> bool {
    let mut read = BTreeSet::new();
    each_own(body, &mut |statement| match statement {
        Stmt::If(branch) => visit::variables_of(&branch.condition, &mut read),
        _ => visit::values_of(statement, &mut |value| {
            visit::each_value(value, &mut |part| {
                if let Value::Element { subscripts, .. } = part {
                    let each = subscripts.iter();
                    each.for_each(|subscript| visit::variables_of(subscript, &mut read));
                }
            });
        }),
    });
    read.contains(&id)
}
