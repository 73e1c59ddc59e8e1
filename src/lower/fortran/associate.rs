//! `associate`: names for other expressions, sections of arrays among them.

use tree_sitter::Node;

use super::expression::{Argument, Expr};
use super::names::{field, kind};
use super::procedure::Lowering;
use super::scope::Scope;
use crate::ir::{BinaryOp, Printed, Stmt, Value};
use crate::reason::ReasonCode;
use crate::syntax::named_children;

impl<'a> Lowering<'a> {
    /// `associate … end associate`, `block … end block`.
    pub fn construct(&mut self, node: Node, out: &mut Vec<Stmt>) {
        let known = self.aliases.count();
        let list = named_children(node)
            .into_iter()
            .find(|n| n.kind() == kind::ASSOCIATION_LIST);
        for association in list.map(named_children).unwrap_or_default() {
            let parts =
                [field::NAME, field::SELECTOR].map(|part| association.child_by_field_name(part));
            let [Some(name), Some(selector)] = parts else {
                continue;
            };
            let name = self.reader.name(name);
            let mut target = self.reader.read(selector);
            // An earlier association may stand in the selector of an inner construct.
            if let Some(replaced) = self.replace_alias(&target, self.scope) {
                target = replaced;
            }
            match self.counted_from_one(&target) {
                Some(target) => self.aliases.add(name, target),
                None => {
                    let value = self.own_value(&target);
                    let inner = vec![Stmt::Evaluate {
                        place: self.place(association),
                        values: vec![value],
                        printed: Printed::No,
                    }];
                    out.push(self.opaque(
                        association,
                        ReasonCode::SyntaxError,
                        self.first_line(association),
                        inner,
                    ));
                }
            }
        }
        out.extend(self.body(node));
        self.aliases.truncate(known);
    }

    /// The target with the lower bounds of its sections written out; `None` if they are not known as numbers.
    pub fn counted_from_one(&mut self, target: &Expr) -> Option<Expr> {
        if !is_section(target) {
            return Some(target.clone());
        }
        let Expr::Apply(base, arguments, place) = target else {
            return None;
        };
        if is_section(base) {
            return None;
        }
        let Value::Element { subscripts, .. } = self.own_value(target) else {
            return None;
        };
        if subscripts.len() != arguments.len() {
            return None;
        }
        let mut counted = arguments.clone();
        for (argument, subscript) in counted.iter_mut().zip(&subscripts) {
            if let Argument::Section(parts) = argument
                && parts[0].is_none()
            {
                let Some([Value::Integer(lower), ..]) = super::elementwise::bounds(subscript)
                else {
                    return None;
                };
                parts[0] = Some(Expr::Integer(*lower));
            }
        }
        Some(Expr::Apply(base.clone(), counted, place.clone()))
    }

    /// With the first name replaced by what `associate` says it is.
    pub fn replace_alias(&self, expr: &Expr, scope: &'a Scope) -> Option<Expr> {
        if self.aliases.is_empty() || scope.id != self.scope.id {
            return None;
        }
        match expr {
            Expr::Name(name) => {
                // `associate (a => a)` stays as it is.
                let target = self.aliases.target(name).cloned();
                target.filter(|t| !matches!(t, Expr::Name(n) if n == name))
            }
            Expr::Apply(base, arguments, place) => {
                let base = self.replace_alias(base, scope)?;
                let composed = compose(&base, arguments);
                Some(composed.unwrap_or_else(|| {
                    Expr::Apply(Box::new(base), arguments.clone(), place.clone())
                }))
            }
            Expr::Member(base, name) => Some(Expr::Member(
                Box::new(self.replace_alias(base, scope)?),
                name.clone(),
            )),
            _ => None,
        }
    }
}

/// `p(i, j)` where `p` is `a(2:, :, k)`: `a(i + 1, j, k)`.
fn compose(base: &Expr, arguments: &[Argument]) -> Option<Expr> {
    let Expr::Apply(array, sections, place) = base else {
        return None;
    };
    let mut given = arguments.iter();
    let mut composed = Vec::with_capacity(sections.len());
    for section in sections {
        let Argument::Section(parts) = section else {
            composed.push(section.clone());
            continue;
        };
        let [Some(lower), _, step] = &**parts else {
            return None;
        };
        composed.push(match given.next()? {
            Argument::Value(e) => Argument::Value(counted_on(e, lower, step.as_ref())),
            Argument::Section(own) => match &**own {
                [None, None, None] => section.clone(),
                [first, last, None] => {
                    let first = first
                        .as_ref()
                        .map_or(lower.clone(), |e| counted_on(e, lower, step.as_ref()));
                    let last = last
                        .as_ref()
                        .map(|e| counted_on(e, lower, step.as_ref()))
                        .or_else(|| parts[1].clone());
                    Argument::Section(Box::new([Some(first), last, step.clone()]))
                }
                _ => return None,
            },
            _ => return None,
        });
    }
    given
        .next()
        .is_none()
        .then(|| Expr::Apply(array.clone(), composed, place.clone()))
}

/// The place that `e` has, counted from one, in a section from `lower` on.
fn counted_on(e: &Expr, lower: &Expr, step: Option<&Expr>) -> Expr {
    let binary = |op, left, right| Expr::Binary(op, Box::new(left), Box::new(right));
    match (lower, step) {
        (Expr::Integer(1) | Expr::IntegerOf(1, _), None) => e.clone(),
        (Expr::Integer(n) | Expr::IntegerOf(n, _), None) => {
            binary(BinaryOp::Add, e.clone(), Expr::Integer(n.saturating_sub(1)))
        }
        (_, None) => {
            let before = binary(BinaryOp::Subtract, lower.clone(), Expr::Integer(1));
            binary(BinaryOp::Add, e.clone(), before)
        }
        (_, Some(step)) => {
            let passed = binary(BinaryOp::Subtract, e.clone(), Expr::Integer(1));
            binary(
                BinaryOp::Add,
                lower.clone(),
                binary(BinaryOp::Multiply, passed, step.clone()),
            )
        }
    }
}

fn is_section(expr: &Expr) -> bool {
    match expr {
        Expr::Apply(base, arguments, _) => {
            is_section(base)
                || arguments
                    .iter()
                    .any(|argument| matches!(argument, Argument::Section(_)))
        }
        Expr::Member(base, _) => is_section(base),
        _ => false,
    }
}
