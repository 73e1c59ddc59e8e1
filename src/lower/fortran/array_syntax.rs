//! Array syntax as loops: `a(:, j) = b(:, j) + 1`, `a = b`, `where`.
//!
//! Works on values: a section stands in them as an opaque subscript with its bounds and step inside
//! (see `value::section`), a whole array as a variable with dimensions. The loop over the first
//! dimension is the innermost one.

use tree_sitter::Node;

use super::elementwise::Index;
use super::procedure::Lowering;
use crate::diagnostic::Place;
use crate::ir::{Control, If, Loop, Stmt, Value};
use crate::syntax::{Role, named_children};

/// Array constructors up to this long become single assignments.
const CONSTRUCTOR_LIMIT: usize = 16;

impl<'a> Lowering<'a> {
    /// An assignment, whatever its shape.
    pub fn assign(&mut self, node: Node, target: Value, value: Value, out: &mut Vec<Stmt>) {
        let place = self.place(node);
        let value = self.hoist_reductions(&place, value, out);
        if !matches!(target, Value::Variable(_) | Value::Element { .. }) {
            let code = match &target {
                Value::Opaque { reason, .. } => reason.code,
                _ => "assignment_target",
            };
            let inner = vec![Stmt::Evaluate { place, values: vec![target, value] }];
            out.push(self.opaque(node, code, self.first_line(node), inner));
            return;
        }
        if self.rank(&target) == Some(0) {
            out.push(Stmt::Assign { place, target, value });
            return;
        }
        let value = self.hoist_calls(&place, value, out);
        match self.array_assignment(&place, &target, &value) {
            Some(statements) => out.extend(statements),
            None => {
                let inner = vec![Stmt::Assign { place, target, value }];
                out.push(self.opaque(node, "array_syntax", self.first_line(node), inner));
            }
        }
    }

    fn array_assignment(&mut self, place: &Place, target: &Value, value: &Value) -> Option<Vec<Stmt>> {
        let indices = self.indices(target)?;
        if let Some(statements) = self.constructor_assignment(place, target, value, &indices) {
            return Some(statements);
        }
        let (indices, target, value) = match (self.element_of(target, &indices), self.element_of(value, &indices)) {
            (Some(target), Some(value)) => (indices, target, value),
            // A strided target: the loop runs over what stands on the right.
            _ => {
                let leading = self.leading(value)?;
                let indices = self.indices(&leading)?;
                let (target, value) = (self.element_of(target, &indices)?, self.element_of(value, &indices)?);
                (indices, target, value)
            }
        };
        let body = vec![Stmt::Assign { place: place.clone(), target, value }];
        Some(nest(place, indices, body))
    }

    /// `a(1:2) = [x, y]` as `a(1) = x` and `a(2) = y`.
    fn constructor_assignment(
        &mut self,
        place: &Place,
        target: &Value,
        value: &Value,
        indices: &[Index],
    ) -> Option<Vec<Stmt>> {
        let Value::Opaque { reason, inner } = value else { return None };
        let [index] = indices else { return None };
        let scalars = inner.iter().all(|v| !matches!(v, Value::Opaque { .. }) && self.rank(v) == Some(0));
        if reason.code != "array_constructor" || inner.len() > CONSTRUCTOR_LIMIT || !scalars {
            return None;
        }
        let mut statements = Vec::with_capacity(inner.len());
        for (at, value) in inner.iter().enumerate() {
            let at = index.nth(at as i64)?;
            let target = self.element_at(target, std::slice::from_ref(index), &[at])?;
            statements.push(Stmt::Assign { place: place.clone(), target, value: value.clone() });
        }
        Some(statements)
    }

    /// One nest for all assignments under a mask: what compilers make of it when nothing forbids.
    pub fn where_statement(&mut self, node: Node, out: &mut Vec<Stmt>) {
        let place = self.place(node);
        let mut branches = vec![self.where_branch(node)];
        for clause in named_children(node) {
            if clause.kind() == super::names::kind::ELSEWHERE {
                let branch = self.where_branch(clause);
                branches.push(branch);
            }
        }
        match self.masked_nest(&place, &branches) {
            Some(statements) => out.extend(statements),
            None => {
                let mut inner = Vec::new();
                for (mask, assignments) in branches {
                    inner.extend(mask.map(|mask| Stmt::Evaluate { place: place.clone(), values: vec![mask] }));
                    inner.extend(assignments);
                }
                out.push(self.opaque(node, "where", self.first_line(node), inner));
            }
        }
    }

    /// Mask and assignments, which are not expanded yet.
    fn where_branch(&mut self, node: Node) -> (Option<Value>, Vec<Stmt>) {
        let parts = named_children(node);
        let mask = parts.iter().find(|n| self.reader.tree.role(**n) == Some(Role::Parenthesised));
        let mask = mask.map(|n| self.reader.read(*n)).map(|e| self.own_value(&e));
        let mut assignments = Vec::new();
        for part in parts {
            match self.reader.tree.role(part) {
                Some(Role::Assignment) => assignments.extend(self.plain_assignment(part)),
                Some(Role::Where) => self.where_statement(part, &mut assignments),
                _ => {}
            }
        }
        (mask, assignments)
    }

    fn plain_assignment(&mut self, node: Node) -> Option<Stmt> {
        let [target, value] = self.sides(node)?;
        Some(Stmt::Assign { place: self.place(node), target, value })
    }

    fn masked_nest(&mut self, place: &Place, branches: &[(Option<Value>, Vec<Stmt>)]) -> Option<Vec<Stmt>> {
        let leading = branches.iter().flat_map(|(_, assignments)| assignments).next()?;
        let Stmt::Assign { target, .. } = leading else { return None };
        let indices = self.indices(target)?;
        let mut otherwise = Vec::new();
        for (mask, assignments) in branches.iter().rev() {
            let mut body = Vec::with_capacity(assignments.len());
            for assignment in assignments {
                let Stmt::Assign { place, target, value } = assignment else { return None };
                let target = self.element_of(target, &indices)?;
                let value = self.element_of(value, &indices)?;
                body.push(Stmt::Assign { place: place.clone(), target, value });
            }
            otherwise = match mask {
                Some(mask) => {
                    let condition = self.element_of(mask, &indices)?;
                    vec![Stmt::If(Box::new(If { place: place.clone(), condition, then: body, otherwise }))]
                }
                None => body,
            };
        }
        Some(nest(place, indices, otherwise))
    }
}

/// Loops around a body, the first index innermost.
pub fn nest(place: &Place, indices: Vec<Index>, mut body: Vec<Stmt>) -> Vec<Stmt> {
    for Index { variable, lower, upper, step } in indices {
        let control = Control::Counted { variable, lower, upper, step };
        let place = place.clone();
        body = vec![Stmt::Loop(Box::new(Loop { end_line: place.line, place, parallel: None, control, body }))];
    }
    body
}
