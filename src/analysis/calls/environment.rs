//! Which conditions ask for what the program has from outside: what is read, the command line, storage that it gets, and how
//! calls of libraries went. Nothing in the sources says what they find, and nobody means a run that they end with an error.

use super::target::Target;
use crate::intrinsics::{IntrinsicKind, Meaning};
use crate::ir::visit::{InLoop, calls_of, each_value, statements};
use crate::ir::{Function, Role, Stmt, Value, VarId, addressed, is_address};
use crate::reason::ReasonCode;

/// Whether a condition asks for something that the program has from outside.
pub fn asks_outside(
    function: &Function,
    condition: &Value,
    target: &dyn Fn(&str) -> Target,
) -> bool {
    let is_pointer = |value: &Value| {
        function.conventions.has_pointers() && is_address(value.unconverted(), function)
    };
    let mut found = is_pointer(condition);
    each_value(condition, &mut |part| {
        found |= match part {
            Value::Call { name, .. } => gives_from_outside(target(name)),
            Value::Variable(id) => {
                asks_command_line(function, *id) || is_from_outside(function, *id, target)
            }
            Value::Unary(_, operand) => is_pointer(operand),
            Value::Binary(op, left, right) if op.is_comparison() => {
                [left, right].into_iter().any(|side| is_pointer(side))
            }
            other => other.reason().is_some_and(|r| r.code == ReasonCode::Null),
        };
    });
    found
}

/// Whether a variable is the command line of the program.
fn asks_command_line(function: &Function, id: VarId) -> bool {
    function.is_main && function.variable(id).role == Role::Argument
}

/// Whether a call gives something that the program does not compute.
fn gives_from_outside(target: Target) -> bool {
    use IntrinsicKind::{Allocation, Association, Communication, Open, Status, Timer};
    match target {
        Target::Library(known) => {
            known.kind.gives_from_outside()
                || matches!(
                    known.kind,
                    Allocation | Association | Communication | Open | Status | Timer
                )
                || matches!(
                    known.meaning,
                    Some(Meaning::HasStorage | Meaning::Finite | Meaning::NotFinite)
                )
        }
        Target::Communication(_) => true,
        Target::Body(_) | Target::Recursive(_) | Target::Unknown => false,
    }
}

/// Whether a call of a library gives a variable its value, as what it returns or by its place.
fn is_from_outside(function: &Function, id: VarId, target: &dyn Fn(&str) -> Target) -> bool {
    let is_it = |value: &Value| *value.unconverted() == Value::Variable(id);
    let mut found = false;
    statements(&function.body, InLoop::No, &mut |stmt, _| {
        if let Stmt::Assign {
            target: assigned,
            value,
            ..
        } = stmt
            && is_it(assigned)
            && let Value::Call { name, .. } = value.unconverted()
        {
            found |= gives_from_outside(target(name));
        }
        calls_of(stmt, &mut |name, arguments| {
            let by_place = function.conventions.passes_places();
            let is_given = |argument: &Value| match addressed(argument) {
                Some(place) => is_it(place),
                None => by_place && is_it(argument),
            };
            if arguments.iter().any(is_given) {
                found |= match target(name) {
                    Target::Library(known) => known.kind.may_write(),
                    Target::Communication(_) => true,
                    _ => false,
                };
            }
        });
    });
    found
}
