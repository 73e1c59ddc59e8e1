//! Which conditions ask for what the program has from outside: what is read, the command line, storage that it gets, and how
//! calls of libraries went. Nothing in the sources says what they find, and nobody means a run that they end with an error.

use rustc_hash::FxHashSet;

use super::target::Target;
use crate::intrinsics::{IntrinsicKind, Meaning};
use crate::ir::visit::{InLoop, calls_of, each_value, statements};
use crate::ir::{BinaryOp, Function, Stmt, Value, VarId, addressed, is_address};
use crate::reason::ReasonCode;

/// What variables of a procedure have from outside.
pub struct Outside {
    /// Those that a call of a library gives a value, as what it returns or by their places.
    given: FxHashSet<VarId>,
    /// Of them those that hold an option of the command line.
    options: FxHashSet<VarId>,
}

impl Outside {
    pub fn of(function: &Function, target: &dyn Fn(&str) -> Target) -> Outside {
        let (mut given, mut options) = (FxHashSet::default(), FxHashSet::default());
        let variable = |value: &Value| match value.unconverted() {
            Value::Variable(id) => Some(*id),
            _ => None,
        };
        let by_place = function.conventions.passes_places();
        statements(&function.body, InLoop::No, &mut |stmt, _| {
            if let Stmt::Assign {
                target: assigned,
                value,
                ..
            } = stmt
                && let Some(id) = variable(assigned)
                && let Value::Call { name, .. } = value.unconverted()
                && gives_from_outside(target(name))
            {
                given.insert(id);
                options.extend(gives_option(target(name)).then_some(id));
            }
            calls_of(stmt, &mut |name, arguments| {
                let may_write = match target(name) {
                    Target::Library(known) => known.kind.may_write(),
                    Target::Communication(_) => true,
                    _ => false,
                };
                for argument in arguments.iter().filter(|_| may_write) {
                    given.extend(match addressed(argument) {
                        Some(place) => variable(place),
                        None => variable(argument).filter(|_| by_place),
                    });
                }
            });
        });
        Outside { given, options }
    }

    /// Whether a condition of the procedure asks for a word of the command line, or for an option among them.
    pub fn is_option(
        &self,
        function: &Function,
        condition: &Value,
        target: &dyn Fn(&str) -> Target,
    ) -> bool {
        let mut found = false;
        each_value(condition, &mut |part| {
            found |= match part {
                Value::Call { name, .. } => gives_option(target(name)),
                Value::Variable(id) | Value::Element { array: id, .. } => {
                    function.is_command_line(*id) || self.options.contains(id)
                }
                _ => false,
            };
        });
        found
    }

    /// Whether a condition of the procedure holds for an option of the command line: it is one of them, not their end.
    pub fn is_option_there(&self, condition: &Value, target: &dyn Fn(&str) -> Target) -> bool {
        let is_option = |value: &Value| match value.unconverted() {
            Value::Call { name, .. } => gives_option(target(name)),
            Value::Variable(id) => self.options.contains(id),
            _ => false,
        };
        match condition.unconverted() {
            Value::Binary(BinaryOp::Equal, left, right) => {
                is_option(left) && matches!(right.unconverted(), Value::Integer(0..))
            }
            Value::Binary(BinaryOp::Or, left, right) => {
                let mut sides = [left, right].into_iter();
                sides.all(|side| self.is_option_there(side, target))
            }
            _ => false,
        }
    }

    /// Whether a condition of the procedure asks for something that the program has from outside.
    pub fn is_asked(
        &self,
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
                Value::Variable(id) => function.is_command_line(*id) || self.given.contains(id),
                Value::Unary(_, operand) => is_pointer(operand),
                Value::Binary(op, left, right) if op.is_comparison() => {
                    [left, right].into_iter().any(|side| is_pointer(side))
                }
                other => other.reason().is_some_and(|r| r.code == ReasonCode::Null),
            };
        });
        found
    }
}

/// Whether a call gives the next option of the command line.
fn gives_option(target: Target) -> bool {
    matches!(target, Target::Library(known) if known.kind == IntrinsicKind::Options)
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
