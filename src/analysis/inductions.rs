//! Variables that a loop's body advances: `k = k + incx`, `ijk++`, `*p++`.

use std::cell::Cell;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::slice;

use super::assignments::{Assignments, Effects, count_assignments};
use crate::expr::Expr;
use crate::ir::visit::{self, variables_of};
use crate::ir::{self, BinaryOp, Control, Jump, Stmt, UnaryOp, Value, VarId};

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

/// The variables that the body of a loop advances by amounts that stay the same; in inner loops, if these run as
/// often in every iteration.
pub fn inductions(body: &[Stmt], effects: &Effects) -> Vec<Induction> {
    let mut counts = BTreeMap::new();
    count_assignments(body, effects, &mut counts);
    let every = |induction: &Induction| {
        let count = counts.get(&induction.variable).copied().unwrap_or_default();
        count.calls == 0 && count.statements == induction.statements
    };
    advances(body, &counts)
        .into_values()
        .filter(every)
        .collect()
}

/// Variables that a loop's body only gives each other's values: arrays that swap their names (`t = a; a = b; b = t`),
/// planes that take turns (`new = old; old = 3 - new`). They are the same few all the time.
pub fn exchanged(body: &[Stmt], effects: &Effects) -> BTreeSet<VarId> {
    let (mut counts, mut copies) = (BTreeMap::new(), BTreeMap::new());
    count_assignments(body, effects, &mut counts);
    visit::statements(body, visit::InLoop::Yes, &mut |stmt, _| {
        if let Stmt::Assign {
            target: Value::Variable(id),
            value,
            ..
        } = stmt
            && let Some(from) = copied(value)
        {
            copies.entry(*id).or_insert_with(Vec::new).push(from);
        }
    });
    // What some statement gives another value has no part in it.
    let is_only_copied = |id: &VarId, from: &Vec<VarId>| {
        let count: Assignments = counts.get(id).copied().unwrap_or_default();
        count.calls == 0 && count.statements as usize == from.len()
    };
    copies.retain(|id, from| is_only_copied(id, from));
    loop {
        let closed: BTreeSet<VarId> = copies.keys().copied().collect();
        copies.retain(|_, from| from.iter().all(|id| closed.contains(id)));
        if copies.len() == closed.len() {
            return closed;
        }
    }
}

/// The variable of `a`, `3 - a`.
fn copied(value: &Value) -> Option<VarId> {
    match value {
        Value::Variable(id) => Some(*id),
        Value::Convert(_, inner) => copied(inner),
        Value::Binary(BinaryOp::Subtract, number, variable)
            if matches!(**number, Value::Integer(_)) =>
        {
            copied(variable)
        }
        _ => None,
    }
}

fn advances(body: &[Stmt], counts: &BTreeMap<VarId, Assignments>) -> BTreeMap<VarId, Induction> {
    let mut found: BTreeMap<VarId, Induction> = BTreeMap::new();
    // Behind a branch that goes on to the next iteration, or somewhere else.
    let is_skipped = Cell::new(false);
    let mut append = |later: Induction| {
        let conditional = later.conditional || is_skipped.get();
        match found.entry(later.variable) {
            Entry::Vacant(entry) => drop(entry.insert(Induction {
                conditional,
                ..later
            })),
            Entry::Occupied(entry) => {
                let earlier = entry.into_mut();
                earlier.amounts.extend(later.amounts);
                earlier.statements += later.statements;
                earlier.conditional |= conditional;
            }
        }
    };
    let mut earlier: BTreeMap<VarId, Value> = BTreeMap::new();
    for statement in body {
        match statement {
            Stmt::Assign {
                target: Value::Variable(id),
                value,
                ..
            } => {
                let value = &with_earlier(value, &earlier);
                let reads = |value: &Value| {
                    let mut used = BTreeSet::new();
                    variables_of(value, &mut used);
                    used.contains(id)
                };
                earlier.retain(|_, known| !reads(known));
                let count: Assignments = counts.get(id).copied().unwrap_or_default();
                if count.calls == 0 && count.statements == 1 && !reads(value) {
                    earlier.insert(*id, value.clone());
                }
                if let Some(amount) = advance(*id, value, counts) {
                    append(Induction {
                        variable: *id,
                        amounts: vec![amount],
                        statements: 1,
                        conditional: false,
                    });
                }
            }
            // Which of two branches advances more is not known if they hold loops.
            Stmt::If(branch) if !holds_loop(&branch.then) && !holds_loop(&branch.otherwise) => {
                let (then, otherwise) = (
                    advances(&branch.then, counts),
                    advances(&branch.otherwise, counts),
                );
                either(then, otherwise).for_each(&mut append);
            }
            Stmt::Loop(inner) => total(inner, counts).into_iter().for_each(&mut append),
            _ => {}
        }
        if !matches!(statement, Stmt::Assign { .. }) {
            earlier.clear();
            is_skipped.set(is_skipped.get() || may_skip(slice::from_ref(statement)));
        }
    }
    found
}

/// A sum in which variables that the body gives one value are that value: `j` is `j + 2` after `k = j + 1` and `j = k + 1`.
fn with_earlier(value: &Value, earlier: &BTreeMap<VarId, Value>) -> Value {
    match value {
        Value::Variable(id) => earlier.get(id).unwrap_or(value).clone(),
        Value::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), left, right) => Value::binary(
            *op,
            with_earlier(left, earlier),
            with_earlier(right, earlier),
        ),
        _ => value.clone(),
    }
}

/// What all iterations of an inner loop together advance: as much as one does, times their number. Nothing
/// if that number changes while the loop around runs, or if some iterations may not get to the end.
fn total(inner: &ir::Loop, counts: &BTreeMap<VarId, Assignments>) -> Vec<Induction> {
    let Some(trips) = trips(inner).filter(|trips| stays(trips, counts)) else {
        return Vec::new();
    };
    let often = |amount| Value::binary(BinaryOp::Multiply, amount, trips.clone());
    let all = advances(&inner.body, counts)
        .into_values()
        .filter(|induction| !induction.conditional);
    all.map(|one| Induction {
        amounts: one.amounts.into_iter().map(often).collect(),
        ..one
    })
    .collect()
}

/// How often a loop that counts by one runs, if nothing cuts it or its iterations short.
fn trips(inner: &ir::Loop) -> Option<Value> {
    let Control::Counted {
        lower, upper, step, ..
    } = &inner.control
    else {
        return None;
    };
    let (first, last) = match step {
        Value::Integer(1) => (lower, upper),
        Value::Integer(-1) => (upper, lower),
        _ => return None,
    };
    let distance = Value::binary(BinaryOp::Subtract, last.clone(), first.clone());
    (!is_cut_short(&inner.body)).then(|| Value::binary(BinaryOp::Add, distance, Value::Integer(1)))
}

fn is_cut_short(statements: &[Stmt]) -> bool {
    statements.iter().any(|statement| match statement {
        Stmt::Jump { kind, .. } => matches!(kind, Jump::Exit | Jump::Cycle | Jump::Goto),
        Stmt::Loop(inner) => is_cut_short(&inner.body),
        Stmt::If(branch) => is_cut_short(&branch.then) || is_cut_short(&branch.otherwise),
        Stmt::Opaque { inner, .. } => is_cut_short(inner),
        Stmt::Assign { .. } | Stmt::Call { .. } | Stmt::Evaluate { .. } | Stmt::Mark { .. } => {
            false
        }
    })
}

/// Whether an iteration may go on to the next one without what stands at the end of the body.
pub fn may_skip(statements: &[Stmt]) -> bool {
    statements.iter().any(|statement| match statement {
        Stmt::Jump { kind, .. } => matches!(kind, Jump::Cycle | Jump::Goto),
        Stmt::If(branch) => may_skip(&branch.then) || may_skip(&branch.otherwise),
        Stmt::Opaque { inner, .. } => may_skip(inner),
        _ => false,
    })
}

fn holds_loop(statements: &[Stmt]) -> bool {
    statements.iter().any(|statement| match statement {
        Stmt::Loop(_) => true,
        Stmt::If(branch) => holds_loop(&branch.then) || holds_loop(&branch.otherwise),
        _ => false,
    })
}

/// Whether nothing that a value reads is assigned in the loop.
fn stays(value: &Value, counts: &BTreeMap<VarId, Assignments>) -> bool {
    let mut used = BTreeSet::new();
    variables_of(value, &mut used);
    used.iter().all(|id| !counts.contains_key(id))
}

/// The sum of numbers.
fn sum(amounts: &[Value]) -> Option<i64> {
    let numbers = amounts.iter().map(|amount| match amount {
        Value::Integer(number) => Some(*number),
        _ => None,
    });
    numbers.sum()
}

/// What one of two branches advances: the more of the two, as far as that is known.
fn either(
    then: BTreeMap<VarId, Induction>,
    mut otherwise: BTreeMap<VarId, Induction>,
) -> impl Iterator<Item = Induction> {
    let mut all = Vec::new();
    for (id, a) in then {
        all.push(match otherwise.remove(&id) {
            None => Induction {
                conditional: true,
                ..a
            },
            Some(b) => {
                let conditional = a.conditional || b.conditional || a.amounts != b.amounts;
                let statements = a.statements + b.statements;
                let is_more = match (sum(&a.amounts), sum(&b.amounts)) {
                    (Some(a), Some(b)) => a.abs() < b.abs(),
                    _ => a.amounts.len() < b.amounts.len(),
                };
                let amounts = if is_more { b.amounts } else { a.amounts };
                Induction {
                    variable: id,
                    amounts,
                    statements,
                    conditional,
                }
            }
        });
    }
    all.extend(otherwise.into_values().map(|b| Induction {
        conditional: true,
        ..b
    }));
    all.into_iter()
}

/// What `id = value` adds to the variable, if that stays the same in the loop.
fn advance(id: VarId, value: &Value, counts: &BTreeMap<VarId, Assignments>) -> Option<Value> {
    added(id, value).filter(|amount| stays(amount, counts))
}

/// Parts of an element by which a variable may advance where its loop's variable advances by one.
pub const MOST_PARTS: i64 = 16;

/// `amount` for every iteration since the first; `None` if that is a multiple of the variable of which little is known.
pub fn per_iteration(amount: &Expr, counter: &str, lower: &Expr, step: &Expr) -> Option<Expr> {
    let run = Expr::symbol(counter) - lower.clone();
    match (amount.as_integer(), step.as_integer()) {
        _ if amount == step => Some(run),
        (_, Some(step @ (1 | -1))) => Some(amount.clone() * run * step as f64),
        (Some(amount), Some(step)) if step != 0 && amount % step == 0 => {
            Some(run * (amount / step) as f64)
        }
        // Half an element for each of two: in every iteration the sum is whole.
        (Some(amount), Some(step)) if step != 0 && step.abs() <= MOST_PARTS => {
            Some((run * (amount as f64 / step as f64)).expand())
        }
        // A step that a parameter says: in every iteration the quotient is whole.
        (_, None) if step.as_number().is_none() => {
            Some((amount.clone().quotient(step.clone()) * run).expand())
        }
        _ => None,
    }
}

/// What amounts that grow by as much from each iteration to the next come to before one: `k += j + 1` before iteration `j` to
/// `j·(j + 1)/2`.
pub fn growing(amount: &Expr, counter: &str, lower: &Expr, step: &Expr) -> Option<Expr> {
    let mut linear = amount.linear_in(&[counter])?;
    let by = linear.coefficients.remove(0);
    if step.as_integer() != Some(1) || by.as_integer().is_none() {
        return None;
    }
    let run = Expr::symbol(counter) - lower.clone();
    let ends = Expr::symbol(counter) + lower.clone() - 1.0;
    Some((run * (by * ends * 0.5 + linear.rest)).expand())
}

/// What `id = value` adds to the variable, whatever that is: `k = k + n - i + 1`.
fn added(id: VarId, value: &Value) -> Option<Value> {
    let is_itself = |v: &Value| matches!(v, Value::Variable(other) if *other == id);
    match value {
        Value::Binary(BinaryOp::Add, left, right) if is_itself(left) => {
            Some(right.as_ref().clone())
        }
        Value::Binary(BinaryOp::Add, left, right) if is_itself(right) => {
            Some(left.as_ref().clone())
        }
        Value::Binary(BinaryOp::Subtract, left, right) if is_itself(left) => {
            Some(Value::Unary(UnaryOp::Negate, right.clone()))
        }
        Value::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), left, right) => {
            let mut used = BTreeSet::new();
            variables_of(right, &mut used);
            let first = if used.contains(&id) {
                None
            } else {
                added(id, left)
            };
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
    only_added
        .into_iter()
        .filter_map(|(id, only)| only.then_some(id))
        .collect()
}

fn collect_added(statements: &[Stmt], effects: &Effects, only_added: &mut BTreeMap<VarId, bool>) {
    for statement in statements {
        effects.written_by(statement, &mut |id| {
            only_added.insert(id, false);
        });
        match statement {
            Stmt::Assign {
                target: Value::Variable(id),
                value,
                ..
            } => {
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
            Stmt::Assign { .. }
            | Stmt::Call { .. }
            | Stmt::Evaluate { .. }
            | Stmt::Jump { .. }
            | Stmt::Mark { .. } => {}
        }
    }
}
