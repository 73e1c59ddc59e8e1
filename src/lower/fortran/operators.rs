//! Operators and assignments that procedures define.

use super::super::fold;
use super::bound::Operand;
use super::generic::{Candidate, Choice, Given};
use super::procedure::Lowering;
use super::scope::Scope;
use super::spelling::spelled;
use crate::ir::{BinaryOp, Reason, Type, UnaryOp, Value};
use crate::reason::ReasonCode;

/// The generic name of an assignment.
const ASSIGNMENT: &str = "assignment(=)";

impl<'a> Lowering<'a> {
    /// A binary operation: of structures, a call.
    pub fn binary_operation(
        &mut self,
        op: BinaryOp,
        left: Value,
        right: Value,
        scope: &'a Scope,
    ) -> Value {
        if !self.is_structure(&left) && !self.is_structure(&right) {
            let function = self.draft.function();
            let (op, left, right) = fold::compared_with_whole(function, op, (left, right));
            return Value::binary(op, left, right);
        }
        let name = format!("operator({})", spelled(op));
        self.operation(name, vec![left, right], scope)
    }

    /// An operation on one operand: of a structure, a call.
    pub fn unary_operation(&mut self, op: UnaryOp, operand: Value, scope: &'a Scope) -> Value {
        if !self.is_structure(&operand) {
            return Value::Unary(op, Box::new(operand));
        }
        let name = if op == UnaryOp::Not {
            "operator(.not.)"
        } else {
            "operator(-)"
        };
        self.operation(name.to_string(), vec![operand], scope)
    }

    /// An operation of which only procedures know what it does.
    pub fn operation(&mut self, name: String, operands: Vec<Value>, scope: &'a Scope) -> Value {
        match self.defined(&name, &operands, scope) {
            Choice::One(candidate) => {
                let ty = self.result_of(&candidate);
                let name = self.name_of(&candidate, candidate.name.to_string());
                Value::Call {
                    name,
                    arguments: operands,
                    ty,
                }
            }
            Choice::None | Choice::Several => Value::Call {
                name,
                arguments: operands,
                ty: Type::Unknown,
            },
        }
    }

    /// The subroutine that an assignment calls, if one does, with its arguments. An assignment whose subroutine cannot
    /// be told is a call of `assignment(=)`.
    pub fn defined_assignment(
        &mut self,
        target: &Value,
        value: &Value,
    ) -> Option<(String, Vec<Value>)> {
        if !self.is_structure(target) && !self.is_structure(value) {
            return None;
        }
        let arguments = vec![target.clone(), value.clone()];
        // A copy of a structure, unless a subroutine certainly takes two of the type.
        let is_copy = match (
            target.ty(self.draft.function()),
            value.ty(self.draft.function()),
        ) {
            (Type::Derived(target, _), Type::Derived(value, _)) => target == value,
            _ => false,
        };
        match self.defined(ASSIGNMENT, &arguments, self.scope) {
            Choice::One(candidate) if is_copy && !self.takes(&candidate, &unnamed(&arguments)) => {
                None
            }
            Choice::One(candidate) => {
                let name = self.name_of(&candidate, candidate.name.to_string());
                Some((name, arguments))
            }
            Choice::Several if value.ty(self.draft.function()) != Type::Unknown => {
                Some((ASSIGNMENT.to_string(), arguments))
            }
            Choice::Several | Choice::None => None,
        }
    }

    fn is_structure(&self, value: &Value) -> bool {
        matches!(value.ty(self.draft.function()), Type::Derived(..))
    }

    /// The procedure behind an operator or the assignment, from interfaces and the types of the operands.
    fn defined(&mut self, name: &str, operands: &[Value], scope: &'a Scope) -> Choice<'a> {
        let mut candidates = self.candidates(scope, name);
        for operand in operands {
            let Type::Derived(ty, _) = operand.ty(self.draft.function()) else {
                continue;
            };
            let operand = Operand {
                ty: &ty,
                is_exact: self.is_exact(operand),
            };
            match self.world.bound_generic(operand, self.scope, name) {
                Some(bound) => bound
                    .into_iter()
                    .for_each(|candidate| add(&mut candidates, candidate)),
                None => return Choice::Several,
            }
        }
        self.choose(&candidates, &unnamed(operands))
    }

    /// Whether the type of a variable is the one that it is declared with, not one that extends it.
    fn is_exact(&self, value: &Value) -> bool {
        match value {
            Value::Variable(id) | Value::Element { array: id, .. } => {
                !self.variables.is_polymorphic(*id)
            }
            _ => true,
        }
    }

    /// An operator of the program's own, `.cross.`.
    pub fn own_operator(&mut self, detail: &str, operands: Vec<Value>, scope: &'a Scope) -> Value {
        let mut spelled: String = detail.to_ascii_lowercase();
        spelled.retain(|c| !c.is_whitespace());
        if !(spelled.starts_with('.') && spelled.ends_with('.')) {
            let reason = Reason {
                code: ReasonCode::SyntaxError,
                detail: detail.to_string(),
            };
            return Value::Opaque {
                reason,
                inner: operands,
            };
        }
        self.operation(format!("operator({spelled})"), operands, scope)
    }
}

/// Arguments without keywords.
fn unnamed(values: &[Value]) -> Vec<Given> {
    values.iter().map(|value| (None, value.clone())).collect()
}

fn add<'a>(candidates: &mut Vec<Candidate<'a>>, candidate: Candidate<'a>) {
    if !candidates
        .iter()
        .any(|known| known.declared == candidate.declared)
    {
        candidates.push(candidate);
    }
}
