//! A caller with bodies in place of its calls.
//!
//! Only calls inside loops are replaced ([`in_loops`]), as only loops have streams; for a template, all are,
//! since it may stand in a loop later ([`everywhere`]). Statements that a value needs come before the one that
//! has the value: `x = f(a) + 1` becomes the body of `f` and `x = result + 1`.
//!
//! A body is put in place as often as it is called, so that a caller may grow with the product over a call
//! tree; it stops at [`LARGEST_GROWTH`] values, and further calls stay. The same happens if a name in the body
//! means another procedure in the caller ([`Caller::stands_for`]).

use rustc_hash::FxHashMap;

use super::caller::Caller;
use super::instance::Instance;
use super::once;
use super::procedures::Procedures;
use super::target::{ProcedureId, Target};
use super::template::{Covers, Origins};
use crate::diagnostic::Place;
use crate::ir::visit::{InLoop, calls_of, each_value, statements, values_of};
use crate::ir::{self, Control, If, Loop, Stmt, Type, Value, VarId};

/// A caller grows by at most so many values.
const LARGEST_GROWTH: usize = 50_000;

/// A procedure with bodies in place of calls.
pub struct Expansion {
    pub function: ir::Function,
    pub origins: Origins,
}

/// The statements of a procedure with bodies in place of the calls that stand in loops; `None` if there are none to
/// replace.
pub fn in_loops(known: &Procedures, id: ProcedureId, original: &ir::Function) -> Option<Expansion> {
    let mut any = false;
    statements(&original.body, InLoop::No, &mut |stmt, in_loop| {
        if in_loop == InLoop::No && !matches!(stmt, Stmt::Loop(_)) {
            if let Stmt::Assign { value, .. } = stmt {
                any |= is_number_called(known, (id, original), value);
            }
            return;
        }
        calls_of(stmt, &mut |name, _| {
            any |= callee(known, id, name).is_some()
        });
        values_of(stmt, &mut |value| {
            any |= once::is_conditional(known, (id, original), value);
        });
    });
    any.then(|| expand(known, id, original, InLoop::No))
}

/// With bodies in place of calls everywhere.
pub(super) fn everywhere(known: &Procedures, id: ProcedureId) -> Expansion {
    expand(known, id, known.get(id).function, InLoop::Yes)
}

/// The procedure whose body can stand in place of calls of `name`.
pub(super) fn callee(known: &Procedures, caller: ProcedureId, name: &str) -> Option<ProcedureId> {
    let Target::Body(callee) = known.target(caller, name) else {
        return None;
    };
    let is_alike = known.conventions(callee) == known.conventions(caller);
    (is_alike && known.template(callee).is_some()).then_some(callee)
}

fn expand(
    known: &Procedures,
    id: ProcedureId,
    original: &ir::Function,
    in_loop: InLoop,
) -> Expansion {
    let function = ir::Function {
        body: Vec::new(),
        ..original.clone()
    };
    let names = (0..)
        .map(VarId)
        .zip(&function.variables)
        .map(|(id, v)| (v.name.clone(), id))
        .collect();
    let mut caller = Caller {
        known,
        id,
        function,
        names,
        copies: FxHashMap::default(),
        origins: Origins::default(),
        budget: LARGEST_GROWTH,
    };
    let body = caller.block(&original.body, in_loop);
    caller.function.body = body;
    Expansion {
        function: caller.function,
        origins: caller.origins,
    }
}

/// Whether a whole number calls bodies, all of which only say which number follows from their arguments: there is nothing to
/// do for it beforehand.
fn is_number_called(
    known: &Procedures,
    (id, function): (ProcedureId, &ir::Function),
    value: &Value,
) -> bool {
    let (mut is_called, mut is_plain) = (false, true);
    each_value(value, &mut |part| {
        is_plain &= match part {
            Value::Call { name, .. } => {
                let template = callee(known, id, name).and_then(|callee| known.template(callee));
                let is_number = template.is_some_and(|template| template.is_whole_number);
                is_called |= is_number;
                is_number
            }
            Value::Integer(_) | Value::Variable(_) => {
                matches!(part.ty(function), Type::Integer(..))
            }
            Value::Unary(..) | Value::Convert(Type::Integer(..), _) | Value::Binary(..) => true,
            _ => false,
        };
    });
    is_called && is_plain && !once::is_conditional(known, (id, function), value)
}

/// What stands in place of a call, or in front of one.
struct Inlined {
    body: Vec<Stmt>,
    result: Option<Value>,
    /// Whether the call stays, as the body has loops.
    stays: bool,
}

impl Caller<'_> {
    fn block(&mut self, block: &[Stmt], in_loop: InLoop) -> Vec<Stmt> {
        let mut out = Vec::with_capacity(block.len());
        block
            .iter()
            .for_each(|stmt| self.statement(stmt, in_loop, &mut out));
        out
    }

    fn statement(&mut self, stmt: &Stmt, in_loop: InLoop, out: &mut Vec<Stmt>) {
        let here = in_loop == InLoop::Yes;
        match stmt {
            Stmt::Loop(inner) => {
                let counted = self.with_numbers(inner, out);
                out.push(self.in_loop(counted.as_ref().unwrap_or(inner)));
            }
            Stmt::If(branch) => {
                let condition = match here {
                    true => self.value(&branch.place, &branch.condition, out),
                    false => branch.condition.clone(),
                };
                let then = self.block(&branch.then, in_loop);
                let otherwise = self.block(&branch.otherwise, in_loop);
                out.push(Stmt::If(Box::new(If {
                    place: branch.place.clone(),
                    condition,
                    then,
                    otherwise,
                })));
            }
            Stmt::Opaque {
                place,
                reason,
                inner,
            } => {
                let inner = self.block(inner, in_loop);
                out.push(Stmt::Opaque {
                    place: place.clone(),
                    reason: reason.clone(),
                    inner,
                });
            }
            Stmt::Assign {
                place,
                target,
                value,
            } if here => {
                let value = self.value(place, value, out);
                let target = self.value(place, target, out);
                out.push(Stmt::Assign {
                    place: place.clone(),
                    target,
                    value,
                });
            }
            Stmt::Assign {
                place,
                target: target @ Value::Variable(_),
                value,
            } if is_number_called(self.known, (self.id, &self.function), value) => {
                let value = self.value(place, value, out);
                out.push(Stmt::Assign {
                    place: place.clone(),
                    target: target.clone(),
                    value,
                });
            }
            Stmt::Evaluate {
                place,
                values,
                printed,
            } if here => {
                let values = values
                    .iter()
                    .map(|value| self.value(place, value, out))
                    .collect();
                out.push(Stmt::Evaluate {
                    place: place.clone(),
                    values,
                    printed: *printed,
                });
            }
            Stmt::Call {
                place,
                name,
                arguments,
            } if here => {
                let arguments: Vec<Value> = arguments
                    .iter()
                    .map(|value| self.value(place, value, out))
                    .collect();
                let arguments = self.arguments_once(place, name, arguments, out);
                let instance = self.instance(place, name, &arguments);
                let stays = instance.as_ref().is_none_or(|instance| instance.stays);
                out.extend(instance.into_iter().flat_map(|instance| instance.body));
                if stays {
                    out.push(Stmt::Call {
                        place: place.clone(),
                        name: name.clone(),
                        arguments,
                    });
                }
            }
            Stmt::Assign { .. }
            | Stmt::Evaluate { .. }
            | Stmt::Call { .. }
            | Stmt::Jump { .. }
            | Stmt::Mark { .. } => out.push(stmt.clone()),
        }
    }

    /// A counted loop whose ends call bodies that only say which number follows from their arguments.
    fn with_numbers(&mut self, inner: &Loop, out: &mut Vec<Stmt>) -> Option<Loop> {
        let Control::Counted {
            variable,
            lower,
            upper,
            step,
        } = &inner.control
        else {
            return None;
        };
        let own = (self.id, &self.function);
        let calls = |end: &&Value| is_number_called(self.known, own, end);
        let ends = [lower, upper, step].map(|end| (end, calls(&end)));
        if !ends.iter().any(|(_, calls)| *calls) {
            return None;
        }
        let [lower, upper, step] = ends.map(|(end, calls)| match calls {
            true => self.value(&inner.place, end, out),
            false => end.clone(),
        });
        let control = Control::Counted {
            variable: *variable,
            lower,
            upper,
            step,
        };
        Some(Loop {
            control,
            ..inner.clone()
        })
    }

    /// A loop whose condition is evaluated at the beginning of its body.
    fn in_loop(&mut self, inner: &Loop) -> Stmt {
        let mut body = Vec::new();
        let control = match &inner.control {
            Control::Uncounted {
                condition: Some(condition),
                tested,
                reason,
            } => Control::Uncounted {
                condition: Some(self.value(&inner.place, condition, &mut body)),
                tested: *tested,
                reason: reason.clone(),
            },
            control => control.clone(),
        };
        body.extend(self.block(&inner.body, InLoop::Yes));
        Stmt::Loop(Box::new(Loop {
            place: inner.place.clone(),
            end_line: inner.end_line,
            parallel: inner.parallel.clone(),
            evaluation: inner.evaluation,
            control,
            body,
        }))
    }

    /// A value without calls of known bodies; the statements that they make come before it.
    pub fn value(&mut self, place: &Place, value: &Value, out: &mut Vec<Stmt>) -> Value {
        if self.is_conditional(value) {
            return self.conditional(place, value, out);
        }
        let mut again = |v: &Value| self.value(place, v, out);
        match value {
            Value::Element {
                array,
                subscripts,
                place: at,
            } => {
                let subscripts = subscripts.iter().map(again).collect();
                Value::Element {
                    array: *array,
                    subscripts,
                    place: at.clone(),
                }
            }
            Value::Unary(op, operand) => Value::Unary(*op, Box::new(again(operand))),
            Value::Convert(ty, operand) => Value::Convert(ty.clone(), Box::new(again(operand))),
            Value::Binary(op, left, right) => {
                let left = again(left);
                Value::binary(*op, left, again(right))
            }
            Value::Select(a, b, c) => {
                let [a, b, c] = [a, b, c].map(|v| Box::new(again(v)));
                Value::Select(a, b, c)
            }
            Value::Section(parts) => {
                let [lower, upper, step] = &**parts;
                Value::Section(Box::new([lower, upper, step].map(again)))
            }
            Value::Address { of, text } => Value::Address {
                of: Box::new(again(of)),
                text: text.clone(),
            },
            Value::Opaque { reason, inner } => Value::Opaque {
                reason: reason.clone(),
                inner: inner.iter().map(again).collect(),
            },
            Value::Call {
                name,
                arguments,
                ty,
            } => {
                let arguments: Vec<Value> = arguments.iter().map(again).collect();
                let arguments = self.arguments_once(place, name, arguments, out);
                let instance = self.instance(place, name, &arguments);
                let (body, result) = match instance {
                    Some(Inlined {
                        body,
                        result: result @ Some(_),
                        ..
                    }) => (body, result),
                    Some(Inlined {
                        body, stays: true, ..
                    }) => (body, None),
                    _ => Default::default(),
                };
                out.extend(body);
                result.unwrap_or_else(|| Value::Call {
                    name: name.clone(),
                    arguments,
                    ty: ty.clone(),
                })
            }
            Value::Integer(_)
            | Value::Real(..)
            | Value::Logical(_)
            | Value::Text(_)
            | Value::Row
            | Value::Variable(_) => value.clone(),
        }
    }

    /// The body of a callee with the arguments of one call, and its result.
    fn instance(&mut self, place: &Place, name: &str, arguments: &[Value]) -> Option<Inlined> {
        let known = self.known;
        let callee = callee(known, self.id, name)?;
        let template = known.template(callee)?;
        self.budget = self.budget.checked_sub(template.size)?;
        template
            .calls
            .iter()
            .try_for_each(|(name, target)| self.stands_for(name, *target))?;
        let (mut body, result) = Instance::make(self, callee, template, place, arguments)?;
        if template.covers == Covers::OutsideLoops {
            self.call_behind(place, name);
            return Some(Inlined {
                body,
                result: None,
                stays: true,
            });
        }
        let marker = Stmt::Call {
            place: place.clone(),
            name: name.to_string(),
            arguments: arguments.to_vec(),
        };
        // Listed as a call all the same.
        body.insert(0, marker);
        self.origins
            .expanded
            .insert((place.clone(), name.to_string()));
        let left = template.calls.iter().map(|(name, _)| name);
        let own = &template.function.callees;
        for (name, callee) in left.filter_map(|name| own.get_key_value(name)) {
            let callees = &mut self.function.callees;
            (callees.entry(name.clone())).or_insert_with(|| callee.clone());
        }
        Some(Inlined {
            body,
            result,
            stays: false,
        })
    }

    /// Notes what a name in the body of a callee stands for; `None` if it is another body's name here.
    fn stands_for(&mut self, name: &str, target: Target) -> Option<()> {
        let known = self
            .known
            .called(self.id, name)
            .or_else(|| self.origins.target(name));
        if known.is_none() {
            self.origins.targets.insert(name.to_string(), target);
        }
        known.is_none_or(|known| known == target).then_some(())
    }
}
