//! Array syntax as loops: `a(:, j) = b(:, j) + 1`, `a = b`, `where`.
//!
//! ```text
//! a(2:n, :) = b(1:n-1, :)     ►     do j = lbound(a, 2), ubound(a, 2)
//!                                     do i = 2, n
//!                                       a(i, j) = b(i - 1, j)
//! ```
//!
//! Works on values: a section stands in them as an opaque subscript with its bounds and step inside (see
//! `subscripts::section`), a whole array as a variable with dimensions. The loop over the first dimension is
//! the innermost one, as memory has it. `elementwise` gives the element that one iteration touches. What cannot
//! be taken apart (`pack`, `cshift`) stays opaque, with a nest that writes every element of the target.

use tree_sitter::Node;

use super::assigned::grown;
use super::elementwise::Index;
use super::intrinsic_types::Shape;
use super::procedure::Lowering;
use crate::diagnostic::Place;
use crate::ir::{Control, Evaluation, If, Loop, Printed, Reason, Stmt, Value};
use crate::reason::ReasonCode;
use crate::syntax::{Role, named_children};

impl Lowering<'_> {
    /// An assignment, whatever its shape.
    pub fn assign(&mut self, node: Node, target: Value, value: Value, out: &mut Vec<Stmt>) {
        let place = self.place(node);
        let value = match value {
            // The whole right side: its arguments first, for the target itself may take the result.
            Value::Call {
                name,
                arguments,
                ty,
            } if self.rank(&target) != Some(0) => {
                let arguments = arguments
                    .into_iter()
                    .map(|a| self.hoist_reductions(&place, a, out))
                    .collect();
                let value = Value::Call {
                    name,
                    arguments,
                    ty,
                };
                self.note_length(&target, &value);
                if self.fills(&place, &target, &value, out) {
                    return;
                }
                value
            }
            value => {
                self.note_length(&target, &value);
                value
            }
        };
        let value = self.hoist_reductions(&place, value, out);
        if self.calls_assignment(&place, &target, &value, out) {
            return;
        }
        if !matches!(target, Value::Variable(_) | Value::Element { .. }) {
            let code = match &target {
                Value::Opaque { reason, .. } => reason.code,
                _ => ReasonCode::AssignmentTarget,
            };
            let inner = vec![Stmt::Evaluate {
                place,
                values: vec![target, value],
                printed: Printed::No,
            }];
            out.push(self.opaque(node, code, self.first_line(node), inner));
            return;
        }
        if self.rank(&target) == Some(0) {
            out.push(Stmt::Assign {
                place,
                target,
                value,
            });
            return;
        }
        if self.is_array_call(&value, self.rank(&target)) {
            // The procedure has the loops.
            out.push(Stmt::Evaluate {
                place,
                values: vec![value],
                printed: Printed::No,
            });
            return;
        }
        self.assign_array(node, target, value, out);
    }

    /// An assignment to an array, element by element.
    fn assign_array(&mut self, node: Node, target: Value, value: Value, out: &mut Vec<Stmt>) {
        let place = self.place(node);
        if let Value::Variable(id) | Value::Element { array: id, .. } = &target
            && grown(self.reader, node).is_some()
        {
            self.draft.note_grown(*id);
        }
        let mut has_array_calls = false;
        super::visit::every(&value, &mut |part| {
            has_array_calls |= self.is_array_call(part, self.rank(&target));
        });
        let indices = if has_array_calls {
            self.indices(&target)
        } else {
            None
        };
        let value = match indices {
            Some(indices) => self.hoist_array_calls(&place, value, &indices, out),
            None => value,
        };
        let value = self.hoist_calls(&place, value, out);
        if let Some(statements) = self.array_assignment(&place, &target, &value) {
            out.extend(statements);
            return;
        }
        let elements = self.unknown_elements(node, &target, &value);
        let inner = match &elements {
            Some(_) => Stmt::Evaluate {
                place,
                values: vec![value],
                printed: Printed::No,
            },
            None => Stmt::Assign {
                place,
                target,
                value,
            },
        };
        let text = self.first_line(node);
        out.push(self.opaque(node, ReasonCode::ArraySyntax, text, vec![inner]));
        out.extend(elements.into_iter().flatten());
    }

    /// An assignment that a subroutine defines: its call, for every element if it is elemental.
    fn calls_assignment(
        &mut self,
        place: &Place,
        target: &Value,
        value: &Value,
        out: &mut Vec<Stmt>,
    ) -> bool {
        let Some((name, arguments)) = self.defined_assignment(target, value) else {
            return false;
        };
        self.call_subroutine(place, name, arguments, out);
        true
    }

    /// The call of a subroutine: of an elemental one, for every element of the arrays that are passed.
    pub fn call_subroutine(
        &mut self,
        place: &Place,
        name: String,
        arguments: Vec<Value>,
        out: &mut Vec<Stmt>,
    ) {
        let leading = match self.call_shape(&name) {
            Some(Shape::Elemental) => arguments
                .iter()
                .find(|argument| self.rank(argument) != Some(0))
                .cloned(),
            _ => None,
        };
        let place = place.clone();
        let Some(leading) = leading else {
            return out.push(Stmt::Call {
                place,
                name,
                arguments,
            });
        };
        let elements = self.indices(&leading).and_then(|indices| {
            let arguments = arguments.iter().map(|value| match self.rank(value)? {
                0 => Some(value.clone()),
                _ => self.element_of(value, &indices),
            });
            Some((arguments.collect::<Option<Vec<Value>>>()?, indices))
        });
        match elements {
            Some((arguments, indices)) => {
                let call = Stmt::Call {
                    place: place.clone(),
                    name,
                    arguments,
                };
                out.extend(nest(&place, indices, vec![call]));
            }
            None => {
                let reason = Reason {
                    code: ReasonCode::ArraySyntax,
                    detail: name.clone(),
                };
                let inner = vec![Stmt::Call {
                    place: place.clone(),
                    name,
                    arguments,
                }];
                out.push(Stmt::Opaque {
                    place,
                    reason,
                    inner,
                });
            }
        }
    }

    /// A nest that writes every element of the target, from values that are not known: `pack`, `cshift` and the like.
    /// What has the target's shape on the right counts as read element by element.
    fn unknown_elements(&mut self, node: Node, target: &Value, value: &Value) -> Option<Vec<Stmt>> {
        let indices = self.indices(target)?;
        let target = self.element_of(target, &indices)?;
        let mut inner = Vec::new();
        self.same_shape(value, &indices, &mut inner);
        let reason = Reason {
            code: ReasonCode::ArraySyntax,
            detail: self.first_line(node),
        };
        let value = Value::Opaque { reason, inner };
        let place = self.place(node);
        Some(nest(
            &place,
            indices,
            vec![Stmt::Assign {
                place: place.clone(),
                target,
                value,
            }],
        ))
    }

    fn same_shape(&mut self, value: &Value, indices: &[Index], found: &mut Vec<Value>) {
        match self.rank(value) {
            Some(rank) if rank == indices.len() => found.extend(self.element_of(value, indices)),
            Some(_) => {}
            None => super::visit::parts(value)
                .into_iter()
                .for_each(|part| self.same_shape(part, indices, found)),
        }
    }

    fn array_assignment(
        &mut self,
        place: &Place,
        target: &Value,
        value: &Value,
    ) -> Option<Vec<Stmt>> {
        let indices = self.indices(target)?;
        if let Some(statements) = self.constructor_assignment(place, target, value, &indices) {
            return Some(statements);
        }
        let (indices, target, value) = match (
            self.element_of(target, &indices),
            self.element_of(value, &indices),
        ) {
            (Some(target), Some(value)) => (indices, target, value),
            // A strided target: the loop runs over what stands on the right.
            _ => {
                let leading = self.leading(value)?;
                let indices = self.indices(&leading)?;
                let (target, value) = (
                    self.element_of(target, &indices)?,
                    self.element_of(value, &indices)?,
                );
                (indices, target, value)
            }
        };
        let body = vec![Stmt::Assign {
            place: place.clone(),
            target,
            value,
        }];
        Some(at_once(nest(place, indices, body)))
    }

    /// One nest for all assignments under a mask: what compilers make of it when nothing forbids.
    pub fn where_statement(&mut self, node: Node, out: &mut Vec<Stmt>) {
        let place = self.place(node);
        let mut branches = vec![self.where_branch(node, out)];
        for clause in named_children(node) {
            if clause.kind() == super::names::kind::ELSEWHERE {
                let branch = self.where_branch(clause, out);
                branches.push(branch);
            }
        }
        match self.masked_nest(&place, &branches) {
            Some(statements) => out.extend(statements),
            None => {
                let mut inner = Vec::new();
                for (mask, assignments) in branches {
                    inner.extend(mask.map(|mask| Stmt::Evaluate {
                        place: place.clone(),
                        values: vec![mask],
                        printed: Printed::No,
                    }));
                    inner.extend(assignments);
                }
                out.push(self.opaque(node, ReasonCode::Where, self.first_line(node), inner));
            }
        }
    }

    /// Mask and assignments, which are not expanded yet.
    fn where_branch(&mut self, node: Node, out: &mut Vec<Stmt>) -> (Option<Value>, Vec<Stmt>) {
        let place = self.place(node);
        let parts = named_children(node);
        let mask = parts
            .iter()
            .find(|n| self.reader.tree.role(**n) == Some(Role::Parenthesised));
        let mask = mask
            .map(|n| self.reader.read(*n))
            .map(|e| self.own_value(&e));
        let mask = mask.map(|mask| self.hoist_reductions(&place, mask, out));
        let mut assignments = Vec::new();
        for part in parts {
            match self.reader.tree.role(part) {
                Some(Role::Assignment) => {
                    let Some([target, value]) = self.sides(part) else {
                        continue;
                    };
                    let place = self.place(part);
                    let value = self.hoist_reductions(&place, value, out);
                    assignments.push(Stmt::Assign {
                        place,
                        target,
                        value,
                    });
                }
                Some(Role::Where) => self.where_statement(part, &mut assignments),
                _ => {}
            }
        }
        (mask, assignments)
    }

    fn masked_nest(
        &mut self,
        place: &Place,
        branches: &[(Option<Value>, Vec<Stmt>)],
    ) -> Option<Vec<Stmt>> {
        let leading = branches
            .iter()
            .flat_map(|(_, assignments)| assignments)
            .next()?;
        let Stmt::Assign { target, .. } = leading else {
            return None;
        };
        let indices = self.indices(target)?;
        let mut otherwise = Vec::new();
        for (mask, assignments) in branches.iter().rev() {
            let mut body = Vec::with_capacity(assignments.len());
            for assignment in assignments {
                let Stmt::Assign {
                    place,
                    target,
                    value,
                } = assignment
                else {
                    return None;
                };
                let target = self.element_of(target, &indices)?;
                let value = self.element_of(value, &indices)?;
                body.push(Stmt::Assign {
                    place: place.clone(),
                    target,
                    value,
                });
            }
            otherwise = match mask {
                Some(mask) => {
                    let condition = self.element_of(mask, &indices)?;
                    vec![Stmt::If(Box::new(If {
                        place: place.clone(),
                        condition,
                        then: body,
                        otherwise,
                    }))]
                }
                None => body,
            };
        }
        Some(at_once(nest(place, indices, otherwise)))
    }
}

/// Loops that compute all their values before they store any, as the language has it for whole arrays.
fn at_once(mut statements: Vec<Stmt>) -> Vec<Stmt> {
    let mut inside = &mut statements;
    while let Some(Stmt::Loop(one)) = inside.first_mut() {
        one.evaluation = Evaluation::BeforeStores;
        inside = &mut one.body;
    }
    statements
}

/// Loops around a body, the first index innermost.
pub fn nest(place: &Place, indices: Vec<Index>, mut body: Vec<Stmt>) -> Vec<Stmt> {
    for Index {
        variable,
        lower,
        upper,
        step,
    } in indices
    {
        let control = Control::Counted {
            variable,
            lower,
            upper,
            step,
        };
        let place = place.clone();
        body = vec![Stmt::Loop(Box::new(Loop {
            end_line: place.line,
            place,
            parallel: None,
            evaluation: Evaluation::InTurn,
            control,
            body,
        }))];
    }
    body
}
