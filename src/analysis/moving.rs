//! Variables that move through memory in a way that has no affine expression: advanced under a
//! condition, by varying amounts, in loops without a counter.
//!
//! In subscripts such a variable is its name plus, for each loop that moves it, the amount an iteration
//! times the counter of that loop. An amount that is not known is a symbol, `stride of k`, which the
//! model takes to be longer than a cache line.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::Subscript;
use super::references::split_integer;
use super::symbolic::{Symbols, variables_of};
use crate::expr::{Expr, Function, Node};
use crate::ir::{BinaryOp, Control, Stmt, UnaryOp, Value, VarId};

/// One loop around a statement.
pub struct Level {
    /// The name that counts its iterations; made up where the loop has no variable.
    pub counter: String,
    /// A loop that counts by one, up or down.
    pub has_unit_step: bool,
    /// What the body does to a variable other than to advance it is not in here.
    pub advances: BTreeMap<VarId, Advance>,
    /// Whether a subscript mentions the counter.
    pub is_used: bool,
}

/// By how much a loop moves a variable that it only ever advances.
pub enum Advance {
    /// At most this much an iteration, always in the same direction.
    By(Expr),
    Unknown,
}

impl Symbols<'_> {
    /// A variable that the loops around change, the innermost of them at `depth` (one is the outermost).
    /// What changes in the innermost loop itself must be an advance: any other value is decided anew
    /// in each iteration.
    pub fn moving(&mut self, id: VarId, depth: usize) -> Option<Expr> {
        let innermost = self.levels.len();
        let is_advance = depth > 0 && self.levels.get(depth - 1)?.advances.contains_key(&id);
        if !self.may_move || depth == 0 || (depth == innermost && !is_advance) {
            return None;
        }
        let name = &self.function.variable(id).name;
        let stride = Expr::symbol(&format!("stride of {name}"));
        let mut terms = vec![Expr::symbol(name)];
        for (at, level) in self.levels[..depth].iter_mut().enumerate() {
            let amount = match level.advances.get(&id) {
                Some(Advance::By(amount)) => amount.clone(),
                Some(Advance::Unknown) => stride.clone(),
                // Given another value before it is used inside: it does not move on its own.
                None if at + 1 < depth => continue,
                None => stride.clone(),
            };
            level.is_used = true;
            terms.push(amount * Expr::symbol(&level.counter));
        }
        Some(Expr::sum(terms))
    }

    /// The variables that the body of a loop only advances: `k = k + 1`, on whatever condition.
    /// `counter` is the variable of the loop.
    pub fn advances(&mut self, body: &[Stmt], counter: &str) -> BTreeMap<VarId, Advance> {
        let mut found = BTreeMap::new();
        collect(body, Place::Here, &mut found);
        let assigned: BTreeSet<VarId> = found.keys().copied().collect();
        let mut advances = BTreeMap::new();
        for (id, steps) in found {
            if let Some(steps) = steps {
                advances.insert(id, self.amount(&steps, &assigned, counter));
            }
        }
        advances
    }

    fn amount(&mut self, steps: &[Step], assigned: &BTreeSet<VarId>, counter: &str) -> Advance {
        let [first, rest @ ..] = steps else { return Advance::Unknown };
        let mut used = BTreeSet::new();
        variables_of(&first.amount, &mut used);
        let is_once = rest.is_empty() && first.place != Place::InnerLoop;
        match self.expression(&first.amount) {
            Some(amount) if is_once && used.is_disjoint(assigned) && !amount.mentions(counter) => Advance::By(amount),
            _ => Advance::Unknown,
        }
    }
}

/// Where in the body of a loop a statement stands.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Here,
    InnerLoop,
}

/// One assignment `k = k + amount`.
struct Step {
    amount: Value,
    place: Place,
}

/// All assignments to each scalar; `None` for one that is given a value in any other way.
fn collect(statements: &[Stmt], place: Place, found: &mut BTreeMap<VarId, Option<Vec<Step>>>) {
    for statement in statements {
        match statement {
            Stmt::Assign { target: Value::Variable(id), value, .. } => match advance(*id, value) {
                Some(amount) => {
                    if let Some(steps) = found.entry(*id).or_insert_with(|| Some(Vec::new())) {
                        steps.push(Step { amount, place });
                    }
                }
                None => {
                    found.insert(*id, None);
                }
            },
            Stmt::Loop(inner) => {
                if let Control::Counted { variable, .. } = &inner.control {
                    found.insert(*variable, None);
                }
                collect(&inner.body, Place::InnerLoop, found);
            }
            Stmt::If(branch) => {
                collect(&branch.then, place, found);
                collect(&branch.otherwise, place, found);
            }
            Stmt::Opaque { inner, .. } => collect(inner, place, found),
            Stmt::Assign { .. } | Stmt::Call { .. } | Stmt::Evaluate { .. } | Stmt::Jump { .. } => {}
        }
    }
}

/// What is added to a variable, if the value is the variable and something more: `k + n - i + 1`.
pub fn advance(id: VarId, value: &Value) -> Option<Value> {
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
            let first = if used.contains(&id) { None } else { advance(id, left) };
            first.map(|first| Value::binary(*op, first, right.as_ref().clone()))
        }
        _ => None,
    }
}

/// A subscript that is affine in the inner loops only: what the outer loops do to it is a stride of
/// no known length. `None` if the innermost loop moves it in a way that is no polynomial.
pub fn partly_affine(expr: &Expr, loops: &[&str]) -> Option<(Subscript, i64)> {
    let (inner, linear) = (1..=loops.len()).find_map(|first| Some((first, expr.linear_in(&loops[first..])?)))?;
    let (rest, offset) = split_integer(&linear.rest.expand());
    if loops.last().is_some_and(|innermost| jumps(&rest, innermost)) {
        return None;
    }
    let text = rest.to_string();
    let stride = || Expr::symbol(&format!("stride of {text}"));
    let is_fixed = |e: &Expr| !loops.iter().any(|name| e.mentions(name));
    let outer = loops[..inner].iter().filter(|name| rest.mentions(name)).map(|name| (name.to_string(), stride()));
    let swept = loops[inner..].iter().zip(linear.coefficients).filter(|(_, coefficient)| !coefficient.is_zero());
    let swept = swept.map(|(name, c)| (name.to_string(), if is_fixed(&c) { c } else { stride() }));
    let terms = outer.chain(swept).collect();
    let base = if is_fixed(&rest) { rest.clone() } else { Expr::symbol(&text) };
    Some((Subscript { terms, base, gather: None }, offset))
}

/// Whether `name` moves the value by steps of unlike size: in a choice, or in a division whose
/// dividend it advances evenly.
fn jumps(expr: &Expr, name: &str) -> bool {
    let is_even = |e: &Expr| e.mentions(name) && e.linear_in(&[name]).is_some();
    let here = match expr.node() {
        Node::Call(Function::Min | Function::Max, _) => false,
        Node::Power(_, exponent) if exponent.as_integer().is_some() => false,
        Node::Quotient(dividend, _) => is_even(dividend),
        Node::Power(..) | Node::If(..) => expr.mentions(name),
        _ => false,
    };
    here || expr.children().into_iter().any(|child| jumps(child, name))
}

/// The expression without bounds that hold an index inside its array: `min(i + 1, n)` is `i + 1` but in
/// the last iteration. `units` are the loops that count by one; a block loop's `min(nb, n - i + 1)` stays.
pub fn without_clamps(expr: &Expr, loops: &[&str], units: &[&str]) -> Expr {
    if let Node::Call(Function::Min | Function::Max, operands) = expr.node() {
        let varies = |e: &&Expr| loops.iter().any(|name| e.mentions(name));
        let varying: Vec<&Expr> = operands.iter().filter(varies).collect();
        if let [only] = varying.as_slice()
            && loops.iter().all(|name| !only.mentions(name) || units.contains(name))
        {
            return without_clamps(only, loops, units);
        }
    }
    expr.map_children(&mut |child| without_clamps(child, loops, units))
}
