//! What a program computes once has one statement, even where the text that bodies are put into names it several times, and
//! what it computes sometimes stands in a branch.
//!
//! ```text
//! w[k] = flux(flux(h[k]));         ►    x = flux(h[k]);  (flux around its loops, with x);  w[k] = flux(x);
//! if (k < 10 && flux(h[k]) > 1)    ►    if (k < 10) both = flux(h[k]) > 1; else both = 0;
//!                                       if (k < 10 && both)
//! ```

use super::caller::Caller;
use super::expand::callee;
use super::procedures::Procedures;
use super::target::{ProcedureId, Target};
use super::template::{Covers, Template};
use crate::diagnostic::Place;
use crate::ir::visit::each_value;
use crate::ir::{self, BinaryOp, If, Name, Operands, Stmt, Type, UnaryOp, Value, VarId, Variable};

/// Whether a call of a body is in a value: not of one that only says where something is.
fn calls_body(known: &Procedures, id: ProcedureId, value: &Value) -> bool {
    let mut found = false;
    each_value(value, &mut |part| {
        if let Value::Call { name, .. } = part
            && let Target::Body(callee) = known.target(id, name)
        {
            let is_number = |template: &Template| template.is_whole_number;
            found |= !known.template(callee).is_some_and(is_number);
        }
    });
    found
}

/// Whether bodies are called in a value on a condition.
pub(super) fn is_conditional(
    known: &Procedures,
    (id, function): (ProcedureId, &ir::Function),
    value: &Value,
) -> bool {
    if function.conventions.operands == Operands::All {
        return false;
    }
    let calls = |value: &Value| calls_body(known, id, value);
    match value {
        Value::Binary(BinaryOp::And | BinaryOp::Or, _, right) => calls(right),
        Value::Select(_, then, otherwise) => {
            value.extremum().is_none() && (calls(then) || calls(otherwise))
        }
        _ => false,
    }
}

impl Caller<'_> {
    /// Whether bodies are called in a part of a value that is not always evaluated.
    pub fn is_conditional(&self, value: &Value) -> bool {
        is_conditional(self.known, (self.id, &self.function), value)
    }

    /// `a && b`, `a || b` and `a ? b : c` of which bodies are called in `b` or `c`.
    pub fn conditional(&mut self, place: &Place, value: &Value, out: &mut Vec<Stmt>) -> Value {
        // `a && b && c` asks for `c` only where it asked for `b`.
        if let Value::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) = value
            && let Value::Binary(before, first, second) = &**left
            && before == op
            && calls_body(self.known, self.id, left)
        {
            let rest = Value::binary(*op, (**second).clone(), (**right).clone());
            let regrouped = Value::binary(*op, (**first).clone(), rest);
            return self.conditional(place, &regrouped, out);
        }
        let (condition, [then, otherwise], name) = match value {
            Value::Binary(BinaryOp::And, left, right) => {
                (left, [(**right).clone(), Value::Integer(0)], "both")
            }
            Value::Binary(_, left, right) => {
                (left, [Value::Integer(1), (**right).clone()], "either")
            }
            Value::Select(condition, then, otherwise) => {
                let arms = [(**then).clone(), (**otherwise).clone()];
                (condition, arms, "choice")
            }
            _ => return value.clone(),
        };
        let ty = value.ty(&self.function);
        let condition = self.value(place, condition, out);
        let kept = Value::Variable(self.temporary(name, ty, place));
        let [then, otherwise] = [then, otherwise].map(|value| {
            let mut arm = Vec::new();
            let value = self.value(place, &value, &mut arm);
            let target = kept.clone();
            arm.push(Stmt::Assign {
                place: place.clone(),
                target,
                value,
            });
            arm
        });
        out.push(Stmt::If(Box::new(If {
            place: place.clone(),
            condition: condition.clone(),
            then,
            otherwise,
        })));
        // A condition on counters is asked again, as nothing else is known of when the rest is asked for.
        match value {
            Value::Binary(op, ..) if self.is_free(&condition) => {
                Value::binary(*op, condition, kept)
            }
            _ => kept,
        }
    }

    /// The arguments of a call of which a body, or a part of it, is put in place: what is computed for them is computed
    /// before, where they would stand in several places else.
    pub fn arguments_once(
        &mut self,
        place: &Place,
        name: &str,
        arguments: Vec<Value>,
        out: &mut Vec<Stmt>,
    ) -> Vec<Value> {
        let known = self.known;
        let template = callee(known, self.id, name).and_then(|callee| known.template(callee));
        let Some(template) = template else {
            return arguments;
        };
        let others = vec![None; arguments.len().saturating_sub(template.formals.len())];
        let formals = template.formals.iter().copied().map(Some).chain(others);
        arguments
            .into_iter()
            .zip(formals)
            .map(|(argument, formal)| match formal {
                Some(formal) => self.argument_once(place, template, (formal, argument), out),
                None => argument,
            })
            .collect()
    }

    fn argument_once(
        &mut self,
        place: &Place,
        template: &Template,
        (formal, argument): (VarId, Value),
        out: &mut Vec<Stmt>,
    ) -> Value {
        let declared = template.function.variable(formal);
        match argument {
            Value::Element {
                array,
                subscripts,
                place: at,
            } => {
                let once = |value| self.subscript_once(place, value, out);
                let subscripts = subscripts.into_iter().map(once).collect();
                Value::Element {
                    array,
                    subscripts,
                    place: at,
                }
            }
            Value::Address { of, text } => {
                let of = self.argument_once(place, template, (formal, *of), out);
                let of = Box::new(of);
                Value::Address { of, text }
            }
            value if value.has_no_number() || !declared.dimensions.is_empty() => value,
            value => {
                let uses = template.uses.get(&formal).copied().unwrap_or(0);
                let is_copied = match (template.covers, &declared.ty) {
                    (Covers::OutsideLoops, Type::Real(_) | Type::Complex(_)) => uses > 0,
                    (Covers::OutsideLoops, _) => uses > 0 && self.is_costly(&value),
                    // Numbers with a fraction are copied with the body.
                    (Covers::All, Type::Real(_) | Type::Complex(_)) => false,
                    (Covers::All, _) => uses > 1 && self.is_costly(&value),
                };
                let is_computed = |value: &Value| {
                    let mut found = false;
                    each_value(value, &mut |part| {
                        found |= matches!(part, Value::Element { .. } | Value::Call { .. })
                            || matches!(part, Value::Variable(_));
                    });
                    found && !matches!(value, Value::Variable(_))
                };
                let is_structure = matches!(declared.ty, Type::Derived(..) | Type::Character(_));
                if !is_copied || is_structure || !is_computed(&value) {
                    return value;
                }
                let from = value.ty(&self.function);
                let (ty, value) = match &declared.ty {
                    ty if from == *ty || from == Type::Unknown || !ty.is_floating() => {
                        (declared.ty.clone(), value)
                    }
                    ty => (ty.clone(), Value::Convert(ty.clone(), Box::new(value))),
                };
                self.keep((&declared.name, ty), place, value, out)
            }
        }
    }

    fn subscript_once(&mut self, place: &Place, value: Value, out: &mut Vec<Stmt>) -> Value {
        if value.has_no_number() || !self.is_costly(&value) {
            return value;
        }
        let ty = value.ty(&self.function);
        self.keep(("subscript", ty), place, value, out)
    }

    /// Whether computing a value takes calls of bodies, or floating-point operations.
    fn is_costly(&self, value: &Value) -> bool {
        let mut is_floating = false;
        each_value(value, &mut |part| {
            is_floating |= part.ty(&self.function).is_floating();
        });
        is_floating || calls_body(self.known, self.id, value)
    }

    /// Whether asking for a value again takes nothing: it is made of whole numbers in variables.
    fn is_free(&self, value: &Value) -> bool {
        let mut is_free = true;
        each_value(value, &mut |part| {
            is_free &= match part {
                Value::Variable(id) => !self.function.variable(*id).ty.is_floating(),
                Value::Integer(_) | Value::Logical(_) | Value::Binary(..) | Value::Convert(..) => {
                    true
                }
                Value::Unary(op, _) => *op != UnaryOp::Complement,
                _ => false,
            };
        });
        is_free
    }

    fn keep(
        &mut self,
        (name, ty): (&str, Type),
        place: &Place,
        value: Value,
        out: &mut Vec<Stmt>,
    ) -> Value {
        let kept = Value::Variable(self.temporary(name, ty, place));
        out.push(Stmt::Assign {
            place: place.clone(),
            target: kept.clone(),
            value,
        });
        kept
    }

    /// A new scalar with a name of its own.
    fn temporary(&mut self, name: &str, ty: Type, place: &Place) -> VarId {
        let first = format!("{name}@{}", place.line);
        let numbered = (2..).map(|number| format!("{first}.{number}"));
        let mut names = std::iter::once(first.clone()).chain(numbered);
        let is_free = |name: &String| !self.names.contains_key(&Name::from(name.as_str()));
        let name = Name::from(names.find(is_free).unwrap_or_default());
        let id = VarId(self.function.variables.len() as u32);
        self.names.insert(name.clone(), id);
        self.function.variables.push(Variable {
            name,
            ty,
            dimensions: Vec::new(),
            role: ir::Role::Local,
            constant: None,
            place: place.clone(),
        });
        id
    }
}
