//! Which bodies can stand in place of their calls, and as what?
//!
//! Those without loops, of which nothing is unreadable, and whose jumps are plain returns; of those with loops, what stands
//! outside them (`outside`). The body becomes one
//! structured block: what follows an early return becomes the other arm of its branch, and the value that is
//! returned an assignment to the variable of the result.
//!
//! ```text
//! if (x < 0) return 0;         if (x < 0) result = 0;
//! y = sqrt(x);            ►    else { y = sqrt(x); result = y; }
//! return y;
//! ```
//!
//! Calls in it are expanded first, as callees come before callers. A call stays a call if its body neither
//! computes with floating-point numbers nor touches arrays, as the summary says all of it, unless all that it does
//! is to compute a whole number; if it moves data
//! between processes; or if it is too large ([`LARGEST`]). [`works`] says whether work is lost where such a
//! body cannot be put in place, which the caller then reports (`callee`).

use rustc_hash::{FxHashMap, FxHashSet};

use super::expand::{self, Expansion};
use super::outside;
use super::procedures::{Procedures, formals};
use super::target::{ProcedureId, Target};
use super::template::{Covers, Origins, Template};
use crate::flops::FlopCounter;
use crate::intrinsics::IntrinsicKind;
use crate::ir::visit::{
    InLoop, calls_in_values, calls_of, each_value, jumps, statements, values_of,
};
use crate::ir::{self, If, Jump, Results, Role, Stmt, Type, Value, VarId, Variable};

/// Bodies of more values than this stay calls.
pub(super) const LARGEST: usize = 10_000;

/// The template of a procedure whose callees have theirs; `None` if nothing can stand in place of its calls or in
/// front of them: it has jumps that are not plain returns, something that is not understood, loops that may leave
/// it, or it neither computes with floating numbers nor touches arrays, so that its summary says all.
pub fn template(known: &Procedures, id: ProcedureId) -> Option<Template> {
    let covers = match has_loops(&known.get(id).function.body) {
        true => Covers::OutsideLoops,
        false => Covers::All,
    };
    let Expansion {
        mut function,
        mut origins,
    } = match covers {
        Covers::OutsideLoops => outside::around_loops(known, id)?,
        Covers::All if size(&known.get(id).function.body)? > LARGEST => return None,
        Covers::All => expand::everywhere(known, id),
    };
    if function.conventions.results == Results::Returned {
        function.result = returned(&mut function);
    }
    let (body, _) = Shape {
        results: function.conventions.results,
        variable: function.result,
    }
    .block(&function.body)?;
    function.body = match covers {
        Covers::All => chosen(&function, body),
        Covers::OutsideLoops => body,
    };
    let mut calls = remaining_calls(known, id, &function, &origins)?;
    if covers == Covers::OutsideLoops {
        // A value that one of them gives would have to wait for its loops.
        let is_body = |target: &Target| matches!(target, Target::Body(_) | Target::Unknown);
        if calls.iter().any(|(_, target)| is_body(target)) {
            return None;
        }
        calls.clear();
        function.result = None;
        origins.targets.clear();
    }
    let has_calls = !calls.is_empty();
    let is_needed = !is_trivial(&function, has_calls)
        || !has_calls && gives_number(&function)
        || jumps(&function.body, |kind| kind == Jump::Stop);
    if !is_needed {
        return None;
    }
    let size = size(&function.body).filter(|size| *size <= LARGEST)?;
    let (mut uses, mut assigned, mut stored) = (
        FxHashMap::default(),
        FxHashSet::default(),
        FxHashSet::default(),
    );
    statements(&function.body, InLoop::No, &mut |stmt, _| {
        match stmt {
            Stmt::Assign {
                target: Value::Variable(id),
                ..
            } => assigned.insert(*id),
            Stmt::Assign {
                target: Value::Element { array, .. },
                ..
            } => stored.insert(*array),
            _ => false,
        };
        values_of(stmt, &mut |value| {
            if let Value::Variable(id) = value {
                *uses.entry(*id).or_insert(0) += 1;
            }
        });
    });
    let formals = formals(&function);
    let is_whole_number = covers == Covers::All && gives_number(&function);
    Some(Template {
        covers,
        is_whole_number,
        function,
        formals,
        size,
        uses,
        assigned,
        stored,
        calls,
        expansion: origins,
    })
}

/// Whether a body has loops.
fn has_loops(body: &[Stmt]) -> bool {
    let mut found = false;
    statements(body, InLoop::No, &mut |stmt, _| {
        found |= matches!(stmt, Stmt::Loop(_));
    });
    found
}

/// Number of values in a body; `None` if it has loops or unreadable statements.
fn size(body: &[Stmt]) -> Option<usize> {
    let (mut count, mut straight) = (0usize, true);
    statements(body, InLoop::No, &mut |stmt, _| {
        straight &= !matches!(stmt, Stmt::Loop(_) | Stmt::Opaque { .. });
        values_of(stmt, &mut |_| count += 1);
    });
    straight.then_some(count)
}

/// A variable for what a function returns.
fn returned(function: &mut ir::Function) -> Option<VarId> {
    let mut ty = None;
    let mut last: Option<&Stmt> = None;
    statements(&function.body, InLoop::No, &mut |stmt, _| {
        if let (
            Some(Stmt::Evaluate { values, .. }),
            Stmt::Jump {
                kind: Jump::Return, ..
            },
        ) = (last, stmt)
        {
            let returned = values
                .first()
                .map_or(Type::Unknown, |value| value.ty(function));
            ty = Some(
                ty.take()
                    .map_or(returned.clone(), |known| ir::wider(known, returned)),
            );
        }
        last = Some(stmt);
    });
    let (name, place) = (
        format!("{} (result)", function.name).into(),
        function.place.clone(),
    );
    let variable = Variable {
        name,
        ty: ty?,
        dimensions: Vec::new(),
        role: Role::Local,
        constant: None,
        place,
    };
    function.variables.push(variable);
    Some(VarId(function.variables.len() as u32 - 1))
}

/// Whether a block returns from the procedure.
#[derive(Clone, Copy, PartialEq)]
enum Ends {
    Never,
    Sometimes,
    Always,
}

struct Shape {
    results: Results,
    variable: Option<VarId>,
}

impl Shape {
    /// The block without returns: what follows a branch that returns goes into the other one.
    fn block(&self, block: &[Stmt]) -> Option<(Vec<Stmt>, Ends)> {
        let mut out = Vec::with_capacity(block.len());
        for (index, stmt) in block.iter().enumerate() {
            let rest = &block[index + 1..];
            match stmt {
                Stmt::Jump {
                    kind: Jump::Return, ..
                } => return Some((out, Ends::Always)),
                // The program ends wherever the body stands.
                Stmt::Jump {
                    kind: Jump::Stop, ..
                } => {
                    out.push(stmt.clone());
                    return Some((out, Ends::Never));
                }
                Stmt::Evaluate { place, values, .. }
                    if self.results == Results::Returned
                        && matches!(
                            rest.first(),
                            Some(Stmt::Jump {
                                kind: Jump::Return,
                                ..
                            })
                        ) =>
                {
                    let target = Value::Variable(self.variable?);
                    let value = values.first()?.clone();
                    out.push(Stmt::Assign {
                        place: place.clone(),
                        target,
                        value,
                    });
                    return Some((out, Ends::Always));
                }
                Stmt::If(branch) => {
                    let (then, then_ends) = self.block(&branch.then)?;
                    let (otherwise, otherwise_ends) = self.block(&branch.otherwise)?;
                    let mut branch = If {
                        then,
                        otherwise,
                        ..(**branch).clone()
                    };
                    let open = match (then_ends, otherwise_ends) {
                        (Ends::Never, Ends::Never) => {
                            out.push(Stmt::If(Box::new(branch)));
                            continue;
                        }
                        (Ends::Always, Ends::Always) => {
                            out.push(Stmt::If(Box::new(branch)));
                            return Some((out, Ends::Always));
                        }
                        _ if rest.is_empty() => {
                            out.push(Stmt::If(Box::new(branch)));
                            return Some((out, Ends::Sometimes));
                        }
                        (Ends::Always, Ends::Never) => &mut branch.otherwise,
                        (Ends::Never, Ends::Always) => &mut branch.then,
                        _ => return None,
                    };
                    let (following, ends) = self.block(rest)?;
                    open.extend(following);
                    out.push(Stmt::If(Box::new(branch)));
                    return Some((
                        out,
                        if ends == Ends::Always {
                            Ends::Always
                        } else {
                            Ends::Sometimes
                        },
                    ));
                }
                Stmt::Jump { .. } | Stmt::Mark { .. } | Stmt::Loop(_) | Stmt::Opaque { .. } => {
                    return None;
                }
                Stmt::Assign { .. } | Stmt::Call { .. } | Stmt::Evaluate { .. } => {
                    out.push(stmt.clone());
                }
            }
        }
        Some((out, Ends::Never))
    }
}

/// The calls that are left, without those of the library that only give a value; `None` if one of them has to stay
/// where it is: it leads back to its caller, moves data between processes, or does to whole arrays what is not followed.
fn remaining_calls(
    known: &Procedures,
    id: ProcedureId,
    function: &ir::Function,
    origins: &Origins,
) -> Option<Vec<(String, Target)>> {
    let mut calls: Vec<(String, Target)> = Vec::new();
    let mut can_move = true;
    let mut call = |name: &str| match origins
        .target(name)
        .unwrap_or_else(|| known.target(id, name))
    {
        Target::Library(called) if stays(called.kind) => can_move = false,
        Target::Library(called) if !called.kind.may_write() => {}
        Target::Recursive(_) | Target::Communication(_) => can_move = false,
        target => {
            if !calls.iter().any(|(known, _)| known == name) {
                calls.push((name.to_string(), target));
            }
        }
    };
    statements(&function.body, InLoop::No, &mut |stmt, _| {
        if let Stmt::Call { place, name, .. } = stmt
            && !origins.is_expanded(place, name)
        {
            call(name);
        }
        calls_in_values(stmt, &mut |name, _| call(name));
    });
    can_move.then_some(calls)
}

/// Whether a body is nothing but a whole number that follows from its arguments, such as where an element is.
fn gives_number(function: &ir::Function) -> bool {
    let [
        Stmt::Assign {
            target: Value::Variable(target),
            value,
            ..
        },
    ] = function.body.as_slice()
    else {
        return false;
    };
    let mut is_operated = false;
    each_value(value, &mut |part| {
        is_operated |= matches!(part, Value::Binary(..));
    });
    is_operated
        && function.result == Some(*target)
        && matches!(function.variable(*target).ty, Type::Integer(..))
}

/// A body that only chooses between whole numbers, `if (v < lo) return lo; return v;`, as the one value that it returns.
fn chosen(function: &ir::Function, body: Vec<Stmt>) -> Vec<Stmt> {
    let is_number = |id: VarId| {
        let variable = function.variable(id);
        variable.dimensions.is_empty() && matches!(variable.ty, Type::Integer(..))
    };
    let (Some(result), [Stmt::If(branch)]) = (function.result, body.as_slice()) else {
        return body;
    };
    let is_plain = |value: &Value| {
        let mut is_plain = true;
        each_value(value, &mut |part| {
            is_plain &= match part {
                Value::Variable(id) => is_number(*id),
                Value::Integer(_) | Value::Convert(..) => true,
                Value::Unary(..) | Value::Binary(..) | Value::Select(..) => true,
                _ => false,
            };
        });
        is_plain
    };
    match choice(result, branch).filter(|value| is_number(result) && is_plain(value)) {
        Some(value) => vec![Stmt::Assign {
            place: branch.place.clone(),
            target: Value::Variable(result),
            value,
        }],
        None => body,
    }
}

/// What a variable has behind a branch in both arms of which it is given a value, and nothing else is done.
fn choice(result: VarId, branch: &If) -> Option<Value> {
    let arm = |arm: &[Stmt]| match arm {
        [
            Stmt::Assign {
                target: Value::Variable(id),
                value,
                ..
            },
        ] if *id == result => Some(value.clone()),
        [Stmt::If(inner)] => choice(result, inner),
        _ => None,
    };
    let [then, otherwise] = [arm(&branch.then)?, arm(&branch.otherwise)?].map(Box::new);
    Some(Value::Select(
        Box::new(branch.condition.clone()),
        then,
        otherwise,
    ))
}

/// Neither floating-point operations nor elements of arrays, or of what may be one in the caller: a component of a
/// structure that is passed. Of a body that calls others, besides what it passes.
fn is_trivial(function: &ir::Function, has_calls: bool) -> bool {
    let mut counter = FlopCounter::new(function);
    let mut elements = false;
    let is_passed = |id: VarId| function.variable(id).role == Role::Argument;
    let is_component = |id: VarId| is_passed(id) && function.variable(id).name.is_member();
    statements(&function.body, InLoop::No, &mut |stmt, _| {
        if let Stmt::Assign { value, .. } = stmt {
            counter.count(value);
        }
        if matches!(stmt, Stmt::Call { .. }) && has_calls {
            return;
        }
        values_of(stmt, &mut |value| match value {
            Value::Element { array, .. } => {
                elements |= !matches!(function.variable(*array).role, Role::Constant(_));
            }
            Value::Variable(id) => {
                elements |=
                    is_component(*id) || function.variable(*id).ty.is_floating() && !has_calls;
            }
            _ => {}
        });
    });
    !elements && counter.flops.by_type.is_empty() && counter.uncounted.is_empty()
}

/// Whether a body without loops does work that its callers do not see unless it stands in place of its calls, itself or
/// by the bodies that it calls, but for those that only print messages.
pub fn works(known: &Procedures, id: ProcedureId) -> bool {
    let function = known.get(id).function;
    if has_loops(&function.body) {
        return false;
    }
    let mut called: FxHashSet<&str> = FxHashSet::default();
    statements(&function.body, InLoop::No, &mut |stmt, _| {
        calls_of(stmt, &mut |name, _| {
            called.insert(name);
        });
    });
    let passes_on = |name: &&str| match known.target(id, name) {
        Target::Body(callee) => {
            known.working[callee.at()] && !touches_only_text(known.get(callee).function)
        }
        _ => false,
    };
    !is_trivial(function, !called.is_empty()) || called.iter().any(passes_on)
}

/// Whether a body with loops does floating-point operations outside of them.
pub fn works_outside(known: &Procedures, id: ProcedureId) -> bool {
    let function = known.get(id).function;
    if !has_loops(&function.body) {
        return false;
    }
    let mut counter = FlopCounter::new(function);
    statements(&function.body, InLoop::No, &mut |stmt, in_loop| {
        if in_loop == InLoop::No {
            match stmt {
                Stmt::Assign { value, .. } => counter.count(value),
                Stmt::Evaluate { values, .. } => values.iter().for_each(|v| counter.count(v)),
                Stmt::If(branch) => counter.count(&branch.condition),
                Stmt::Loop(_) | Stmt::Call { .. } | Stmt::Jump { .. } => {}
                Stmt::Mark { .. } | Stmt::Opaque { .. } => {}
            }
        }
    });
    counter.flops.total().flops() > 0
}

/// Whether a body touches text and nothing else that counts, as one that prints a message does.
fn touches_only_text(function: &ir::Function) -> bool {
    let (mut text, mut others) = (false, false);
    statements(&function.body, InLoop::No, &mut |stmt, _| {
        values_of(stmt, &mut |value| match value {
            Value::Element { array, .. } => {
                let is_text = matches!(function.variable(*array).ty, Type::Character(_));
                text |= is_text;
                others |= !is_text;
            }
            Value::Variable(id) => others |= function.variable(*id).ty.is_floating(),
            Value::Real(..) => others = true,
            _ => {}
        });
    });
    text && !others
}

/// Whether a library function works on memory, or with other processes, where it stands.
fn stays(kind: IntrinsicKind) -> bool {
    use IntrinsicKind::{Array, Communication, Memory, Reduction};
    matches!(kind, Reduction | Array | Memory | Communication)
}
