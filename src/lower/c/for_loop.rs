//! `for` loops that count: `for (i = a; i < b; i += c)` and its relatives become
//! [`Control::Counted`], all others keep their parts as statements of an uncounted loop.
//!
//! Recognised on the lowered parts, so the ways to write the same thing meet before they are looked
//! at: `i++`, `i += 1` and `i = 1 + i` are one assignment.

use tree_sitter::Node;

use super::super::fold;
use super::access::negate;
use super::fields::{Field, part};
use super::lowering::Lowering;
use super::variables::one_less;
use crate::diagnostic::Place;
use crate::intrinsics::{IntrinsicKind, Intrinsics};
use crate::ir::visit::each_value;
use crate::ir::{
    BinaryOp, Control, Function, Printed, Reason, Sign, Stmt, Tested, Type, Value, VarId, wider,
};
use crate::reason::ReasonCode;
use crate::source::Language;
use crate::syntax::Role;

/// What the end of a loop calls, but for functions of the library, of which compilers know that they give the same again.
fn calls_in(end: &Value, place: &Place) -> Option<Stmt> {
    let mut values = Vec::new();
    each_value(end, &mut |value| {
        let is_known = |name: &str| Intrinsics::builtin().lookup(Language::C, name).is_some();
        if matches!(value, Value::Call { name, .. } if !is_known(name)) {
            values.push(value.clone());
        }
    });
    (!values.is_empty()).then(|| Stmt::Evaluate {
        place: place.clone(),
        values,
        printed: Printed::No,
    })
}

/// A counted header: `lower` is what the initialiser leaves in the variable.
struct Header {
    variable: VarId,
    lower: Value,
    upper: Value,
    step: Value,
}

impl<'t> Lowering<'t> {
    pub fn for_loop(&mut self, node: Node<'t>) {
        let ((), mut before) = self.captured(|this| {
            if let Some(initializer) = part(node, Field::Initializer) {
                match this.role(initializer) {
                    Some(Role::Declaration) => this.declaration(initializer),
                    _ => this.expression_statement(initializer),
                }
            }
        });
        let condition =
            part(node, Field::Condition).map(|condition| self.captured_value(condition));
        let (condition, effects) = match condition {
            Some((condition, effects)) => (Some(condition), effects),
            None => (None, Vec::new()),
        };
        let addressed = self.variables.addresses();
        let mut body = self.loop_body(node);
        let ((), mut steps) = self.captured(|this| {
            if let Some(update) = part(node, Field::Update) {
                this.expression_statement(update);
            }
        });

        let header = if effects.is_empty() {
            self.header(&before, condition.as_ref(), &body, &steps, addressed)
        } else {
            Err(ReasonCode::SideEffectInCondition)
        };
        let control = match header {
            Ok(Header {
                variable,
                lower,
                upper,
                step,
            }) => {
                remove_initialiser(&mut before, variable);
                steps.retain(|stmt| !assigns(stmt, variable));
                // `i < f()` calls once more than there are iterations.
                if let Some(calls) = calls_in(&upper, &self.place(node)) {
                    before.push(calls.clone());
                    steps.push(calls);
                }
                Control::Counted {
                    variable,
                    lower,
                    upper,
                    step,
                }
            }
            Err(code) => {
                let condition = condition.map(|condition| self.before(condition, &effects));
                let mut whole = effects;
                whole.append(&mut body);
                body = whole;
                let header = Reason {
                    code,
                    detail: self.header_text(node),
                };
                Control::Uncounted {
                    condition,
                    tested: Tested::BeforeBody,
                    reason: header,
                }
            }
        };
        body.append(&mut steps);
        self.code.append(before);
        self.emit_loop(node, control, body);
    }

    fn header(
        &self,
        before: &[Stmt],
        condition: Option<&Value>,
        body: &[Stmt],
        steps: &[Stmt],
        addressed: usize,
    ) -> Result<Header, ReasonCode> {
        let condition = condition.ok_or(ReasonCode::MissingCondition)?;
        if steps.is_empty() {
            return Err(ReasonCode::MissingStep);
        }
        let (variable, relation, bound) = comparison(condition, steps)?;
        if !self.draft.variable(variable).dimensions.is_empty() {
            return Err(ReasonCode::PointerVariable);
        }
        match self.draft.variable(variable).ty {
            Type::Integer(..) | Type::Unknown | Type::Logical(_) | Type::Character(_) => {}
            Type::Real(_) | Type::Complex(_) => return Err(ReasonCode::FloatingVariable),
            Type::Derived(..) => return Err(ReasonCode::IrregularVariable),
        }
        let step = step_of(variable, steps)?;
        let lower = initial_value(before, variable).ok_or(ReasonCode::MissingInitialiser)?;
        if mentions(&bound, variable) || mentions(&step, variable) || mentions(lower, variable) {
            return Err(ReasonCode::BoundDependsOnVariable);
        }
        if modifies(body, variable) || self.variables.is_addressed_since(addressed, variable) {
            return Err(ReasonCode::VariableModified);
        }
        let step = self.whole_step(step, lower, (relation, &bound))?;
        let sign = fold::value(self.draft.function(), &step)
            .map(i64::signum)
            .or(match relation {
                // The step of an unknown sign is taken to lead towards the bound.
                BinaryOp::Less | BinaryOp::LessOrEqual => Some(1),
                BinaryOp::Greater | BinaryOp::GreaterOrEqual => Some(-1),
                _ => None,
            });
        let bound =
            self.compared_without_sign(condition, (variable, lower), (relation, sign), bound)?;
        // From beyond its end, `c != 4` is reached when numbers have begun again; so it is where steps lead past it.
        let ends = [lower, &bound, &step].map(|end| fold::value(self.draft.function(), end));
        if let ([Some(first), Some(last), by], BinaryOp::NotEqual, Some(sign)) =
            (ends, relation, sign)
            && let distance = i128::from(last) - i128::from(first)
            && (distance.signum() == -i128::from(sign)
                || by.is_some_and(|by| distance % i128::from(by) != 0))
        {
            return Err(ReasonCode::StepDirection);
        }
        let bound = match relation {
            // Whether it is equal to the variable does not depend on a sign.
            BinaryOp::NotEqual => self.with_sign_of(variable, bound),
            _ => bound,
        };
        let is_real = bound.ty(self.draft.function()).is_floating()
            && !is_whole(&bound, self.draft.function());
        let bound = match relation {
            BinaryOp::Less | BinaryOp::Greater => self.with_room_below(bound),
            _ => bound,
        };
        let upper = match (relation, sign) {
            (BinaryOp::Less, Some(1)) if is_real => one_less(whole("ceil", bound)),
            (BinaryOp::Greater, Some(-1)) if is_real => one_more(whole("floor", bound)),
            (BinaryOp::NotEqual, None) => return Err(ReasonCode::UnknownDirection),
            (BinaryOp::Less | BinaryOp::NotEqual, Some(1)) => one_less(bound),
            (BinaryOp::LessOrEqual, Some(1)) | (BinaryOp::GreaterOrEqual, Some(-1)) => bound,
            (BinaryOp::Greater | BinaryOp::NotEqual, Some(-1)) => one_more(bound),
            _ => return Err(ReasonCode::StepDirection),
        };
        Ok(Header {
            variable,
            lower: lower.clone(),
            upper,
            step,
        })
    }

    /// What is added of a real step to a whole number, which is cut off: it must not be below zero for that.
    fn whole_step(
        &self,
        step: Value,
        first: &Value,
        (relation, bound): (BinaryOp, &Value),
    ) -> Result<Value, ReasonCode> {
        let function = self.draft.function();
        if !step.ty(function).is_floating() {
            return Ok(step);
        }
        let by = fold::literal(&step).ok_or(ReasonCode::IrregularStep)?;
        let is_positive = |end: &Value| fold::value(function, end).is_some_and(|end| end >= 0);
        let is_above = match relation {
            BinaryOp::Greater | BinaryOp::GreaterOrEqual => is_positive(bound),
            _ => by > 0.0,
        };
        let whole = fold::truncated(by.floor()).filter(|whole| *whole != 0);
        match whole.filter(|_| is_above && is_positive(first)) {
            Some(whole) => Ok(Value::Integer(whole)),
            None => Err(ReasonCode::IrregularStep),
        }
    }

    /// The bound as it is compared, where that is without a sign: a negative number is a large one then.
    fn compared_without_sign(
        &self,
        condition: &Value,
        (variable, lower): (VarId, &Value),
        (relation, sign): (BinaryOp, Option<i64>),
        bound: Value,
    ) -> Result<Value, ReasonCode> {
        let function = self.draft.function();
        let Value::Binary(_, left, right) = condition else {
            return Ok(bound);
        };
        let both = wider(left.ty(function), right.ty(function));
        // What has no sign is never below zero.
        let own = &function.variable(variable).ty;
        let has_no_sign = |ty: &Type| matches!(ty, Type::Integer(_, Sign::Unsigned));
        let is_endless = relation == BinaryOp::GreaterOrEqual
            && sign == Some(-1)
            && fold::value(function, &bound) == Some(0);
        if is_endless && (has_no_sign(own) || has_no_sign(&both)) {
            return Err(ReasonCode::StepDirection);
        }
        if !both.is_unsigned() || relation == BinaryOp::NotEqual {
            return Ok(bound);
        }
        let [first, last] = [lower, &bound].map(|end| fold::value(function, end));
        if first.is_some_and(|first| first < 0) && !own.is_unsigned() {
            return Err(ReasonCode::StepDirection);
        }
        if let Some(last) = last.filter(|last| *last < 0) {
            let large = both.wrapped(last).ok_or(ReasonCode::StepDirection)?;
            return Ok(Value::Integer(large));
        }
        // Where it may begin below zero, the type of the comparison is kept.
        let is_above = first.is_some() && sign == Some(1) || own.is_unsigned();
        match is_above || bound.ty(function).is_unsigned() {
            true => Ok(bound),
            false => Ok(Value::Convert(both, Box::new(bound))),
        }
    }

    /// A bound without a sign that is one less than zero where it is zero.
    fn with_room_below(&self, bound: Value) -> Value {
        let is_literal = matches!(bound, Value::Integer(_));
        match bound.ty(self.draft.function()) {
            Type::Integer(4, Sign::Unsigned) if !is_literal => {
                Value::Convert(Type::integer(8), Box::new(bound))
            }
            _ => bound,
        }
    }

    /// A bound without a sign as numbers of a variable that has one.
    fn with_sign_of(&self, variable: VarId, bound: Value) -> Value {
        let function = self.draft.function();
        match (&function.variable(variable).ty, bound.ty(function)) {
            (Type::Integer(_, Sign::Signed), Type::Integer(bytes @ 4.., Sign::Unsigned)) => {
                Value::Convert(Type::integer(bytes), Box::new(bound))
            }
            _ => bound,
        }
    }

    /// `for (…)` without the body.
    fn header_text(&self, node: Node<'t>) -> String {
        let end = part(node, Field::Body).map_or(node.end_byte(), |body| body.start_byte());
        let text = self.names.reading().text_of(node.start_byte()..end);
        text.trim_end()
            .trim_end_matches('{')
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    }
}

/// The variable that a condition compares and the steps change, how, and with what.
fn comparison(condition: &Value, steps: &[Stmt]) -> Result<(VarId, BinaryOp, Value), ReasonCode> {
    let stepped =
        |value: &Value| variable_of(value).filter(|id| steps.iter().any(|stmt| assigns(stmt, *id)));
    match condition {
        Value::Binary(BinaryOp::And | BinaryOp::Or, ..) => Err(ReasonCode::CompoundCondition),
        Value::Binary(op, left, right) if op.is_comparison() && *op != BinaryOp::Equal => {
            if let Some(variable) = stepped(left) {
                return Ok((variable, *op, (**right).clone()));
            }
            match stepped(right) {
                Some(variable) => Ok((variable, op.mirrored(), (**left).clone())),
                None => Err(ReasonCode::IrregularCondition),
            }
        }
        // `for (…; n; n--)`
        value => match stepped(value) {
            Some(variable) => Ok((variable, BinaryOp::NotEqual, Value::Integer(0))),
            None => Err(ReasonCode::IrregularCondition),
        },
    }
}

fn variable_of(value: &Value) -> Option<VarId> {
    match value {
        Value::Variable(id) => Some(*id),
        Value::Convert(_, inner) => variable_of(inner),
        _ => None,
    }
}

/// What one iteration adds to the variable.
fn step_of(variable: VarId, steps: &[Stmt]) -> Result<Value, ReasonCode> {
    let mut found = steps.iter().filter(|stmt| assigns(stmt, variable));
    let (Some(Stmt::Assign { value, .. }), None) = (found.next(), found.next()) else {
        return Err(ReasonCode::IrregularStep);
    };
    let is_variable = |value: &Value| variable_of(value) == Some(variable);
    match value {
        Value::Binary(BinaryOp::Add, left, right) if is_variable(left) => Ok((**right).clone()),
        Value::Binary(BinaryOp::Add, left, right) if is_variable(right) => Ok((**left).clone()),
        Value::Binary(BinaryOp::Subtract, left, right) if is_variable(left) => {
            Ok(negate((**right).clone()))
        }
        Value::Binary(op, left, _)
            if (matches!(
                op,
                BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::ShiftRight
            ) || op.is_bitwise())
                && is_variable(left) =>
        {
            Err(ReasonCode::GeometricStep)
        }
        Value::Binary(BinaryOp::Multiply, _, right) if is_variable(right) => {
            Err(ReasonCode::GeometricStep)
        }
        _ => Err(ReasonCode::IrregularStep),
    }
}

fn assigns(stmt: &Stmt, variable: VarId) -> bool {
    matches!(stmt, Stmt::Assign { target: Value::Variable(id), .. } if *id == variable)
}

fn initial_value(before: &[Stmt], variable: VarId) -> Option<&Value> {
    before.iter().rev().find_map(|stmt| match stmt {
        Stmt::Assign { value, .. } if assigns(stmt, variable) => Some(value),
        _ => None,
    })
}

/// The loop itself sets its variable; the assignment stays only if a later initialiser reads it.
fn remove_initialiser(before: &mut Vec<Stmt>, variable: VarId) {
    let Some(at) = before.iter().rposition(|stmt| assigns(stmt, variable)) else {
        return;
    };
    let is_read = before[at + 1..].iter().any(|stmt| match stmt {
        Stmt::Assign { target, value, .. } => {
            mentions(target, variable) || mentions(value, variable)
        }
        _ => true,
    });
    if !is_read {
        before.remove(at);
    }
}

/// Whether the value is a whole number, whatever its type: `fmin(n, 100)`.
fn is_whole(value: &Value, function: &Function) -> bool {
    if matches!(value.ty(function), Type::Integer(..)) {
        return true;
    }
    match value {
        Value::Real(x, _) => x.fract() == 0.0,
        Value::Unary(_, inner) | Value::Convert(_, inner) => is_whole(inner, function),
        Value::Binary(BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply, left, right) => {
            is_whole(left, function) && is_whole(right, function)
        }
        Value::Select(_, then, otherwise) => {
            is_whole(then, function) && is_whole(otherwise, function)
        }
        Value::Call {
            name, arguments, ..
        } => {
            let known = Intrinsics::builtin().lookup(Language::C, name);
            known.is_some_and(|known| known.kind == IntrinsicKind::MinMaxAbs)
                && arguments.iter().all(|one| is_whole(one, function))
        }
        _ => false,
    }
}

/// The whole number that a function of the library makes of a real one.
fn whole(function: &str, of: Value) -> Value {
    let rounded = Value::Call {
        name: function.to_string(),
        arguments: vec![of],
        ty: Type::Real(8),
    };
    Value::Convert(Type::integer(8), Box::new(rounded))
}

fn one_more(value: Value) -> Value {
    match value {
        Value::Integer(n) if n < i64::MAX => Value::Integer(n + 1),
        value => Value::binary(BinaryOp::Add, value, Value::Integer(1)),
    }
}

/// Whether a value reads a variable.
pub fn mentions(value: &Value, variable: VarId) -> bool {
    let mentions = |value: &Value| mentions(value, variable);
    match value {
        Value::Variable(id) => *id == variable,
        Value::Element {
            array, subscripts, ..
        } => *array == variable || subscripts.iter().any(mentions),
        Value::Section(parts) => parts.iter().any(mentions),
        Value::Unary(_, inner) | Value::Convert(_, inner) | Value::Address { of: inner, .. } => {
            mentions(inner)
        }
        Value::Binary(_, left, right) => mentions(left) || mentions(right),
        Value::Call { arguments, .. } => arguments.iter().any(mentions),
        Value::Select(condition, then, otherwise) => {
            mentions(condition) || mentions(then) || mentions(otherwise)
        }
        Value::Opaque { inner, .. } => inner.iter().any(mentions),
        Value::Integer(_) | Value::Real(..) | Value::Logical(_) | Value::Text(_) | Value::Row => {
            false
        }
    }
}

/// Whether statements set a variable.
fn modifies(block: &[Stmt], variable: VarId) -> bool {
    block.iter().any(|stmt| match stmt {
        Stmt::Assign { .. } => assigns(stmt, variable),
        Stmt::Loop(inner) => {
            let counts =
                matches!(&inner.control, Control::Counted { variable: id, .. } if *id == variable);
            counts || modifies(&inner.body, variable)
        }
        Stmt::If(branch) => {
            modifies(&branch.then, variable) || modifies(&branch.otherwise, variable)
        }
        Stmt::Opaque { inner, .. } => modifies(inner, variable),
        Stmt::Call { .. } | Stmt::Jump { .. } | Stmt::Mark { .. } | Stmt::Evaluate { .. } => false,
    })
}
