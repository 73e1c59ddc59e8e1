//! Variables that a loop's body advances: `k = k + incx`, `ijk++`, `*p++`.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use super::assignments::{Assignments, Effects, count_assignments};
use super::symbolic::variables_of;
use crate::expr::Expr;
use crate::ir::{BinaryOp, Control, Stmt, UnaryOp, Value, VarId};

/// A variable that every iteration advances by the same amount.
pub struct Induction {
    pub variable: VarId,
    /// What the statements add, one after the other.
    pub amounts: Vec<Value>,
    /// How many statements do it, in branches of which one is taken too.
    pub statements: u32,
    /// Some of them stand in branches: the variable advances by that much at most.
    pub conditional: bool,
}

/// The variables that the body of a loop advances, by amounts that stay the same, in statements
/// outside of inner loops.
pub fn inductions(body: &[Stmt], effects: &Effects) -> Vec<Induction> {
    let mut counts = BTreeMap::new();
    count_assignments(body, effects, &mut counts);
    let every = |induction: &Induction| {
        let count = counts.get(&induction.variable).copied().unwrap_or_default();
        count.calls == 0 && count.statements == induction.statements
    };
    advances(body, &counts).into_values().filter(every).collect()
}

fn advances(body: &[Stmt], counts: &BTreeMap<VarId, Assignments>) -> BTreeMap<VarId, Induction> {
    let mut found: BTreeMap<VarId, Induction> = BTreeMap::new();
    let mut append = |later: Induction| match found.entry(later.variable) {
        Entry::Vacant(entry) => drop(entry.insert(later)),
        Entry::Occupied(entry) => {
            let earlier = entry.into_mut();
            earlier.amounts.extend(later.amounts);
            earlier.statements += later.statements;
            earlier.conditional |= later.conditional;
        }
    };
    for statement in body {
        match statement {
            Stmt::Assign { target: Value::Variable(id), value, .. } => {
                if let Some(amount) = advance(*id, value, counts) {
                    append(Induction { variable: *id, amounts: vec![amount], statements: 1, conditional: false });
                }
            }
            Stmt::If(branch) => {
                let (then, otherwise) = (advances(&branch.then, counts), advances(&branch.otherwise, counts));
                either(then, otherwise).for_each(&mut append);
            }
            _ => {}
        }
    }
    found
}

/// What one of two branches advances: the larger number of steps of the two.
fn either(
    then: BTreeMap<VarId, Induction>,
    mut otherwise: BTreeMap<VarId, Induction>,
) -> impl Iterator<Item = Induction> {
    let mut all = Vec::new();
    for (id, a) in then {
        all.push(match otherwise.remove(&id) {
            None => Induction { conditional: true, ..a },
            Some(b) => {
                let conditional = a.conditional || b.conditional || a.amounts.len() != b.amounts.len();
                let statements = a.statements + b.statements;
                let amounts = if a.amounts.len() < b.amounts.len() { b.amounts } else { a.amounts };
                Induction { variable: id, amounts, statements, conditional }
            }
        });
    }
    all.extend(otherwise.into_values().map(|b| Induction { conditional: true, ..b }));
    all.into_iter()
}

/// What `id = value` adds to the variable, if that stays the same in the loop.
fn advance(id: VarId, value: &Value, counts: &BTreeMap<VarId, Assignments>) -> Option<Value> {
    let amount = added(id, value)?;
    let mut used = BTreeSet::new();
    variables_of(&amount, &mut used);
    used.iter().all(|v| !counts.contains_key(v)).then_some(amount)
}

/// `amount` for every iteration since the first; `None` if that is no whole multiple of the variable.
pub fn per_iteration(amount: &Expr, counter: &str, lower: &Expr, step: &Expr) -> Option<Expr> {
    let run = Expr::symbol(counter) - lower.clone();
    match (amount.as_integer(), step.as_integer()) {
        _ if amount == step => Some(run),
        (_, Some(step @ (1 | -1))) => Some(amount.clone() * run * step as f64),
        (Some(amount), Some(step)) if step != 0 && amount % step == 0 => Some(run * (amount / step) as f64),
        _ => None,
    }
}

/// What `id = value` adds to the variable, whatever that is: `k = k + n - i + 1`.
fn added(id: VarId, value: &Value) -> Option<Value> {
    let is_itself = |v: &Value| matches!(v, Value::Variable(other) if *other == id);
    match value {
        Value::Binary(BinaryOp::Add, left, right) if is_itself(left) => Some(right.as_ref().clone()),
        Value::Binary(BinaryOp::Add, left, right) if is_itself(right) => Some(left.as_ref().clone()),
        Value::Binary(BinaryOp::Subtract, left, right) if is_itself(left) => {
            Some(Value::Unary(UnaryOp::Negate, right.clone()))
        }
        Value::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), left, right) => {
            let mut used = BTreeSet::new();
            variables_of(right, &mut used);
            let first = if used.contains(&id) { None } else { added(id, left) };
            first.map(|first| Value::binary(*op, first, right.as_ref().clone()))
        }
        _ => None,
    }
}

/// The variables to which statements, those of inner loops included, only add something: by whatever
/// amounts, as often as it may be.
pub fn advanced(body: &[Stmt], effects: &Effects) -> BTreeSet<VarId> {
    let mut only_added = BTreeMap::new();
    collect_added(body, effects, &mut only_added);
    only_added.into_iter().filter_map(|(id, only)| only.then_some(id)).collect()
}

fn collect_added(statements: &[Stmt], effects: &Effects, only_added: &mut BTreeMap<VarId, bool>) {
    for statement in statements {
        effects.written_by(statement, &mut |id| {
            only_added.insert(id, false);
        });
        match statement {
            Stmt::Assign { target: Value::Variable(id), value, .. } => {
                *only_added.entry(*id).or_insert(true) &= added(*id, value).is_some();
            }
            Stmt::Loop(inner) => {
                if let Control::Counted { variable, .. } = &inner.control {
                    only_added.insert(*variable, false);
                }
                collect_added(&inner.body, effects, only_added);
            }
            Stmt::If(branch) => {
                collect_added(&branch.then, effects, only_added);
                collect_added(&branch.otherwise, effects, only_added);
            }
            Stmt::Opaque { inner, .. } => collect_added(inner, effects, only_added),
            Stmt::Assign { .. } | Stmt::Call { .. } | Stmt::Evaluate { .. } | Stmt::Jump { .. } => {}
        }
    }
}
