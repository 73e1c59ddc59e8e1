//! Names replaced by expressions: arguments of statement functions.

use std::sync::Arc;

use super::expression::{Argument, Expr};

impl Expr {
    /// How often a name stands in the expression.
    pub fn uses(&self, wanted: &str) -> usize {
        let all = |list: &[Expr]| list.iter().map(|e| e.uses(wanted)).sum::<usize>();
        match self {
            Expr::Name(name) => usize::from(**name == *wanted),
            Expr::Apply(base, list, _) => {
                base.uses(wanted) + list.iter().map(|a| a.uses(wanted)).sum::<usize>()
            }
            Expr::Member(base, _) => base.uses(wanted),
            Expr::Unary(_, operand) => operand.uses(wanted),
            Expr::Binary(_, left, right) | Expr::Complex(left, right) => {
                left.uses(wanted) + right.uses(wanted)
            }
            Expr::Array(values) => all(values),
            Expr::Select(parts) => all(&**parts),
            Expr::Operator(_, inner) | Expr::Opaque(_, _, inner) => all(inner),
            Expr::Integer(_)
            | Expr::IntegerOf(..)
            | Expr::Real(..)
            | Expr::Logical(_)
            | Expr::Text(_)
            | Expr::Macro(_) => 0,
        }
    }

    /// The expression with the names of `parameters` replaced by `arguments`.
    pub fn substitute(&self, parameters: &[Arc<str>], arguments: &[Expr]) -> Expr {
        let inside = |e: &Expr| Box::new(e.substitute(parameters, arguments));
        let all = |list: &[Expr]| {
            list.iter()
                .map(|e| e.substitute(parameters, arguments))
                .collect()
        };
        match self {
            Expr::Name(name) => {
                let at = parameters.iter().position(|p| p == name);
                at.and_then(|at| arguments.get(at)).unwrap_or(self).clone()
            }
            Expr::Apply(base, list, place) => {
                let list = list
                    .iter()
                    .map(|a| a.substitute(parameters, arguments))
                    .collect();
                Expr::Apply(inside(base), list, place.clone())
            }
            Expr::Member(base, name) => Expr::Member(inside(base), name.clone()),
            Expr::Unary(op, operand) => Expr::Unary(*op, inside(operand)),
            Expr::Binary(op, left, right) => Expr::Binary(*op, inside(left), inside(right)),
            Expr::Complex(re, im) => Expr::Complex(inside(re), inside(im)),
            Expr::Array(values) => Expr::Array(all(values)),
            Expr::Select(parts) => Expr::Select(Box::new([0, 1, 2].map(|i| *inside(&parts[i])))),
            Expr::Operator(text, operands) => Expr::Operator(text.clone(), all(operands)),
            Expr::Opaque(code, detail, inner) => Expr::Opaque(*code, detail.clone(), all(inner)),
            Expr::Integer(_)
            | Expr::IntegerOf(..)
            | Expr::Real(..)
            | Expr::Logical(_)
            | Expr::Text(_)
            | Expr::Macro(_) => self.clone(),
        }
    }
}

impl Argument {
    fn uses(&self, wanted: &str) -> usize {
        match self {
            Argument::Value(e) | Argument::Keyword(_, e) => e.uses(wanted),
            Argument::Section(bounds) => bounds.iter().flatten().map(|e| e.uses(wanted)).sum(),
            Argument::Star => 0,
        }
    }

    fn substitute(&self, parameters: &[Arc<str>], arguments: &[Expr]) -> Argument {
        match self {
            Argument::Value(e) => Argument::Value(e.substitute(parameters, arguments)),
            Argument::Keyword(name, e) => {
                Argument::Keyword(name.clone(), e.substitute(parameters, arguments))
            }
            Argument::Section(bounds) => {
                let bound = |i: usize| {
                    bounds[i]
                        .as_ref()
                        .map(|e| e.substitute(parameters, arguments))
                };
                Argument::Section(Box::new([0, 1, 2].map(bound)))
            }
            Argument::Star => Argument::Star,
        }
    }
}
