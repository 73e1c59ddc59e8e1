//! Conditions that variables hold, where branches ask for the variables:
//!
//! ```text
//! ok = k < 10;  if (ok) …                             if (k < 10) …
//! inside = i > 1 .and. i < n;  if (.not. inside) …    if (.not. (i > 1 .and. i < n)) …
//! flag = 0;  if (k > 33) flag = 1;  if (flag) …       if (k > 33) …
//! ```
//!
//! Only conditions on whole numbers of the procedure itself, which cost nothing to ask again, and only as long as nothing
//! gives the variable or its operands other values.

use std::collections::{BTreeMap, BTreeSet};

use crate::assignments::{Effects, count_assignments};
use crate::calls::ProcedureId;
use crate::ir::visit::{InLoop, calls_of, statements, variables_of};
use crate::ir::{
    BinaryOp, Control, Function, If, Role, Stmt, Type, UnaryOp, Value, VarId, addressed,
};
use crate::sizes::Sizes;

/// Parts of a condition, at most.
const MOST_PARTS: usize = 16;

/// The function with conditions in place of variables that hold them; nothing where none does.
pub(super) fn with_held(
    (sizes, id): (&Sizes, ProcedureId),
    function: &Function,
    effects: &Effects,
) -> Option<Function> {
    let asked = asked_variables(function);
    if asked.is_empty() {
        return None;
    }
    let mut search = Search {
        function,
        effects,
        is_given: &|variable| sizes.is_from_outside(id, function, variable),
        asked,
        counted: counted(&function.body),
        held: BTreeMap::new(),
        is_changed: false,
    };
    let body = search.block(&function.body);
    search.is_changed.then(|| Function {
        body,
        ..function.clone()
    })
}

/// The variables of loops.
fn counted(block: &[Stmt]) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    statements(block, InLoop::No, &mut |stmt, _| {
        if let Stmt::Loop(inner) = stmt
            && let Control::Counted { variable, .. } = &inner.control
        {
            found.insert(*variable);
        }
    });
    found
}

/// The variables that branches ask for, themselves or through others that hold them; nothing where none holds a condition.
fn asked_variables(function: &Function) -> BTreeSet<VarId> {
    let mut asked = BTreeSet::new();
    let mut given: Vec<(VarId, &Value)> = Vec::new();
    statements(&function.body, InLoop::No, &mut |stmt, _| match stmt {
        Stmt::If(branch) => variables_asked(&branch.condition, &mut asked),
        Stmt::Assign {
            target: Value::Variable(id),
            value,
            ..
        } if may_be_held(value) => given.push((*id, value)),
        _ => {}
    });
    loop {
        let before = asked.len();
        for (id, value) in &given {
            if asked.contains(id) {
                variables_asked(value, &mut asked);
            }
        }
        if asked.len() == before {
            break;
        }
    }
    let holds = given.iter().any(|(id, _)| asked.contains(id));
    if holds { asked } else { BTreeSet::new() }
}

/// The parts of a condition that are nothing but a variable.
fn variables_asked(condition: &Value, found: &mut BTreeSet<VarId>) {
    match condition.unconverted() {
        Value::Variable(id) => {
            found.insert(*id);
        }
        Value::Unary(UnaryOp::Not, inner) => variables_asked(inner, found),
        Value::Binary(BinaryOp::And | BinaryOp::Or, left, right) => {
            variables_asked(left, found);
            variables_asked(right, found);
        }
        Value::Binary(BinaryOp::Equal | BinaryOp::NotEqual, left, right)
            if matches!(right.unconverted(), Value::Integer(0 | 1)) =>
        {
            if let Value::Variable(id) = left.unconverted() {
                found.insert(*id);
            }
        }
        _ => {}
    }
}

/// Whether a value has the form of a condition.
fn may_be_held(value: &Value) -> bool {
    match value.unconverted() {
        Value::Logical(_) | Value::Integer(0 | 1) | Value::Variable(_) => true,
        Value::Unary(UnaryOp::Not, inner) => may_be_held(inner),
        Value::Binary(op, ..) => op.is_comparison() || matches!(op, BinaryOp::And | BinaryOp::Or),
        _ => false,
    }
}

struct Search<'s, 'u> {
    function: &'s Function,
    effects: &'s Effects<'u>,
    /// Whether something outside the program gives a variable its value.
    is_given: &'s dyn Fn(VarId) -> bool,
    /// The variables that matter.
    asked: BTreeSet<VarId>,
    /// Those of loops.
    counted: BTreeSet<VarId>,
    /// The conditions that variables hold.
    held: BTreeMap<VarId, Value>,
    is_changed: bool,
}

impl Search<'_, '_> {
    fn block(&mut self, block: &[Stmt]) -> Vec<Stmt> {
        block.iter().map(|stmt| self.statement(stmt)).collect()
    }

    fn statement(&mut self, stmt: &Stmt) -> Stmt {
        match stmt {
            Stmt::Loop(inner) => {
                self.forget(stmt);
                let before = self.held.clone();
                let mut inner = inner.clone();
                inner.body = self.block(&inner.body);
                self.held = before;
                Stmt::Loop(inner)
            }
            Stmt::If(branch) => self.branch(stmt, branch),
            Stmt::Opaque {
                place,
                reason,
                inner,
            } => {
                self.forget(stmt);
                Stmt::Opaque {
                    place: place.clone(),
                    reason: reason.clone(),
                    inner: self.block(inner),
                }
            }
            Stmt::Mark { .. } => {
                self.held.clear();
                stmt.clone()
            }
            Stmt::Assign { target, value, .. } => {
                let value = self.condition(value);
                self.forget(stmt);
                if let (Value::Variable(id), Some(value)) = (target, value)
                    && self.asked.contains(id)
                    && self.is_own(*id)
                    && !used(&value).contains(id)
                    && !self.is_choice(&value)
                {
                    self.held.insert(*id, value);
                }
                stmt.clone()
            }
            Stmt::Call { .. } | Stmt::Evaluate { .. } | Stmt::Jump { .. } => {
                self.forget(stmt);
                stmt.clone()
            }
        }
    }

    fn branch(&mut self, stmt: &Stmt, branch: &If) -> Stmt {
        let asked = self.asked(&branch.condition);
        let condition = self.condition(&branch.condition);
        let before = self.held.clone();
        let then = self.block(&branch.then);
        let after_then = std::mem::replace(&mut self.held, before.clone());
        let otherwise = self.block(&branch.otherwise);
        let after_otherwise = std::mem::replace(&mut self.held, before);
        let changes = self.changes(stmt);
        self.forget_changed(&changes);
        let condition = condition.filter(|condition| {
            !changes.may_change_any(self.function, condition) && !self.is_choice(condition)
        });
        for (id, then) in after_then {
            let Some(otherwise) = after_otherwise.get(&id) else {
                continue;
            };
            let joined = match &condition {
                _ if then == *otherwise => Some(then),
                Some(condition) => joined(condition, &then, otherwise),
                None => None,
            };
            if let Some(joined) = joined.filter(|value| parts(value) <= MOST_PARTS) {
                self.held.insert(id, joined);
            }
        }
        Stmt::If(Box::new(If {
            place: branch.place.clone(),
            condition: asked,
            then,
            otherwise,
        }))
    }

    /// A condition with those that variables in it hold.
    fn asked(&mut self, condition: &Value) -> Value {
        match condition.unconverted() {
            Value::Variable(id) => match self.held.get(id) {
                Some(held) if constant(held).is_none() => {
                    self.is_changed = true;
                    held.clone()
                }
                _ => condition.clone(),
            },
            Value::Unary(UnaryOp::Not, inner) => {
                Value::Unary(UnaryOp::Not, Box::new(self.asked(inner)))
            }
            Value::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                let left = self.asked(left);
                Value::binary(*op, left, self.asked(right))
            }
            Value::Binary(op @ (BinaryOp::Equal | BinaryOp::NotEqual), left, right) => {
                match (left.unconverted(), right.unconverted()) {
                    (Value::Variable(id), Value::Integer(number @ (0 | 1)))
                        if self.held.contains_key(id) =>
                    {
                        let held = self.asked(left);
                        match (*op == BinaryOp::Equal) == (*number == 1) {
                            _ if held == **left => condition.clone(),
                            true => held,
                            false => Value::Unary(UnaryOp::Not, Box::new(held)),
                        }
                    }
                    _ => condition.clone(),
                }
            }
            _ => condition.clone(),
        }
    }

    /// A value as a condition on whole numbers of the procedure, if it is one, without variables that hold conditions.
    fn condition(&self, value: &Value) -> Option<Value> {
        match value.unconverted() {
            Value::Logical(is_true) => Some(Value::Logical(*is_true)),
            Value::Integer(number @ (0 | 1)) => Some(Value::Logical(*number == 1)),
            Value::Variable(id) => self.held.get(id).cloned(),
            Value::Unary(UnaryOp::Not, inner) => {
                Some(Value::Unary(UnaryOp::Not, Box::new(self.condition(inner)?)))
            }
            Value::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                let sides = (self.condition(left)?, self.condition(right)?);
                Some(Value::binary(*op, sides.0, sides.1))
            }
            Value::Binary(op, left, right) if op.is_comparison() => {
                let is_free = self.is_number(left) && self.is_number(right);
                is_free.then(|| value.unconverted().clone())
            }
            _ => None,
        }
    }

    /// Whether a value is a whole number that is made of those of the procedure itself.
    fn is_number(&self, value: &Value) -> bool {
        match value.unconverted() {
            Value::Integer(_) => true,
            Value::Variable(id) => self.is_own(*id),
            Value::Unary(UnaryOp::Negate, operand) => self.is_number(operand),
            Value::Binary(op, left, right) => {
                !op.is_comparison()
                    && !matches!(op, BinaryOp::And | BinaryOp::Or)
                    && self.is_number(left)
                    && self.is_number(right)
            }
            Value::Call {
                name, arguments, ..
            } => {
                self.effects.target(name).meaning().is_some()
                    && arguments.iter().all(|argument| self.is_number(argument))
            }
            _ => false,
        }
    }

    /// Whether a variable is a whole number or truth value that no other name and no procedure leads to unseen.
    fn is_own(&self, id: VarId) -> bool {
        let variable = self.function.variable(id);
        matches!(variable.ty, Type::Integer(..) | Type::Logical(_))
            && variable.dimensions.is_empty()
            && !self.function.aliased.contains(&id)
    }

    /// Whether a condition asks for what is given from outside and for no loop: what that decides are options, which have
    /// values of their own.
    fn is_choice(&self, condition: &Value) -> bool {
        let used = used(condition);
        used.iter().any(|id| (self.is_given)(*id)) && used.is_disjoint(&self.counted)
    }

    /// Forgets what rests on variables that a statement may change, and what it gives them.
    fn forget(&mut self, stmt: &Stmt) {
        if !self.held.is_empty() {
            self.forget_changed(&self.changes(stmt));
        }
    }

    fn forget_changed(&mut self, changes: &Changes) {
        let function = self.function;
        self.held.retain(|id, condition| {
            !changes.may_change(function, *id) && !changes.may_change_any(function, condition)
        });
    }

    /// The variables that a statement gives values, or may, with loops' own.
    fn changes(&self, stmt: &Stmt) -> Changes {
        let block = std::slice::from_ref(stmt);
        let mut found = BTreeMap::new();
        count_assignments(block, self.effects, &mut found);
        let mut changes = Changes {
            variables: found.into_keys().chain(counted(block)).collect(),
            has_calls: false,
        };
        statements(block, InLoop::No, &mut |stmt, _| {
            // What gets the place of a variable may change it.
            calls_of(stmt, &mut |name, arguments| {
                if self.effects.target(name).meaning().is_none() {
                    changes.has_calls = true;
                    for argument in arguments {
                        let passed = addressed(argument).unwrap_or(argument);
                        changes.variables.extend(passed.variable());
                    }
                }
            });
        });
        changes
    }
}

/// What a statement may give other values.
struct Changes {
    variables: BTreeSet<VarId>,
    /// Whether it calls something that may change what others know.
    has_calls: bool,
}

impl Changes {
    fn may_change(&self, function: &Function, id: VarId) -> bool {
        self.variables.contains(&id) || self.has_calls && function.variable(id).role == Role::Global
    }

    fn may_change_any(&self, function: &Function, condition: &Value) -> bool {
        let used = used(condition);
        used.into_iter().any(|id| self.may_change(function, id))
    }
}

fn used(value: &Value) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    variables_of(value, &mut found);
    found
}

fn constant(value: &Value) -> Option<bool> {
    match value {
        Value::Logical(is_true) => Some(*is_true),
        _ => None,
    }
}

/// What a variable holds behind a branch that gives it one of two conditions, of which one is always or never true.
fn joined(condition: &Value, then: &Value, otherwise: &Value) -> Option<Value> {
    let not = || Value::Unary(UnaryOp::Not, Box::new(condition.clone()));
    let both = |op, left: Value, right: &Value| Some(Value::binary(op, left, right.clone()));
    match (constant(then), constant(otherwise)) {
        (Some(true), Some(false)) => Some(condition.clone()),
        (Some(false), Some(true)) => Some(not()),
        (Some(true), _) => both(BinaryOp::Or, condition.clone(), otherwise),
        (Some(false), _) => both(BinaryOp::And, not(), otherwise),
        (_, Some(false)) => both(BinaryOp::And, condition.clone(), then),
        (_, Some(true)) => both(BinaryOp::Or, not(), then),
        _ => None,
    }
}

fn parts(value: &Value) -> usize {
    match value {
        Value::Unary(_, inner) => parts(inner),
        Value::Binary(BinaryOp::And | BinaryOp::Or, left, right) => parts(left) + parts(right),
        _ => 1,
    }
}
