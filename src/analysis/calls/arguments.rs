//! Which whole numbers every call of a procedure passes.

use super::passed::{ByArgument, Passed};
use super::procedures::{Procedures, formals};
use super::target::Target;
use crate::ir::visit::{InLoop, statements, values_of};
use crate::ir::{BinaryOp, Function, Role, Stmt, Type, UnaryOp, Value, VarId};

/// Named constants are followed to others so far.
const DEPTH: u32 = 32;

/// What all calls of every procedure pass.
pub fn by_procedure(known: &Procedures) -> Vec<ByArgument> {
    let mut passed = vec![ByArgument::default(); known.all.len()];
    let takers: Vec<Vec<Option<VarId>>> = known.all.iter().map(|p| integers(p.function)).collect();
    for caller in known.ids() {
        let function = known.get(caller).function;
        let mut call = |name: &str, arguments: &[Value]| {
            let (Target::Body(callee) | Target::Recursive(callee)) = known.target(caller, name)
            else {
                return;
            };
            for (position, formal) in takers[callee.at()].iter().enumerate() {
                let Some(formal) = formal else { continue };
                let number = arguments
                    .get(position)
                    .and_then(|value| number(value, function, DEPTH));
                let now = number.map_or(Passed::Anything, Passed::Number);
                let entry = passed[callee.at()].entry(*formal).or_insert(now);
                *entry = both(*entry, now);
            }
        };
        statements(&function.body, InLoop::No, &mut |stmt, _| {
            if let Stmt::Call {
                name, arguments, ..
            } = stmt
            {
                call(name, arguments);
            }
            values_of(stmt, &mut |value| {
                if let Value::Call {
                    name, arguments, ..
                } = value
                {
                    call(name, arguments);
                }
            });
        });
    }
    passed
}

/// The dummy arguments in order; `None` for those that are no scalar integers.
fn integers(function: &Function) -> Vec<Option<VarId>> {
    let is_integer = |id: &VarId| {
        let variable = function.variable(*id);
        matches!(variable.ty, Type::Integer(_)) && variable.dimensions.is_empty()
    };
    formals(function)
        .into_iter()
        .map(|id| is_integer(&id).then_some(id))
        .collect()
}

fn both(a: Passed, b: Passed) -> Passed {
    match (a, b) {
        (a, b) if a == b => a,
        (Passed::Anything, _) | (_, Passed::Anything) => Passed::Anything,
        _ => Passed::Numbers,
    }
}

/// The number that literals and named constants give.
fn number(value: &Value, function: &Function, depth: u32) -> Option<i64> {
    let again = |value: &Value| number(value, function, depth.checked_sub(1)?);
    match value {
        Value::Integer(n) => Some(*n),
        Value::Variable(id) => {
            let variable = function.variable(*id);
            let is_constant = matches!(variable.role, Role::Constant(_));
            again(variable.constant.as_ref().filter(|_| is_constant)?)
        }
        Value::Unary(UnaryOp::Negate, operand) => again(operand)?.checked_neg(),
        Value::Convert(Type::Integer(_), operand) => again(operand),
        Value::Binary(BinaryOp::Add, left, right) => again(left)?.checked_add(again(right)?),
        Value::Binary(BinaryOp::Subtract, left, right) => again(left)?.checked_sub(again(right)?),
        Value::Binary(BinaryOp::Multiply, left, right) => again(left)?.checked_mul(again(right)?),
        _ => None,
    }
}
