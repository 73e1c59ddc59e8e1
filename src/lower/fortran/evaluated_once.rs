//! Values that a statement uses several times and evaluates once: arguments of statement functions.

use std::sync::Arc;

use super::expression::Expr;
use super::procedure::{Lowering, key};
use super::scope::Scope;
use crate::diagnostic::Place;
use crate::ir::{Role, Stmt, Value, Variable};

impl<'a> Lowering<'a> {
    /// What `lower` makes, and the statements that have to stand before it.
    pub fn with_before<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> (T, Vec<Stmt>) {
        let outer = self.before.replace(Vec::new());
        let lowered = lower(self);
        (
            lowered,
            std::mem::replace(&mut self.before, outer).unwrap_or_default(),
        )
    }

    /// The arguments of a statement function: one that the body uses several times, and that is more than a name or a
    /// number, becomes a variable which is set before the statement.
    pub fn evaluated_once(
        &mut self,
        (parameters, body): (&[Arc<str>], &Expr),
        arguments: Vec<Expr>,
        place: &Place,
        scope: &'a Scope,
    ) -> Vec<Expr> {
        let once = |(parameter, argument): (&Arc<str>, Expr)| {
            let is_simple = !matches!(
                argument,
                Expr::Apply(..)
                    | Expr::Member(..)
                    | Expr::Unary(..)
                    | Expr::Binary(..)
                    | Expr::Complex(..)
            );
            if is_simple || self.before.is_none() || body.uses(parameter) < 2 {
                return argument;
            }
            let value = self.value(&argument, scope);
            let name: Arc<str> = format!("{parameter}@{}#{}", place.line, self.expansions).into();
            let id = self.push(Variable {
                name: name.to_string(),
                ty: value.ty(&self.function),
                dimensions: Vec::new(),
                role: Role::Local,
                constant: None,
                place: place.clone(),
            });
            self.ids.insert((key(scope), name.clone()), id);
            let set = Stmt::Assign {
                place: place.clone(),
                target: Value::Variable(id),
                value,
            };
            self.before
                .iter_mut()
                .for_each(|before| before.push(set.clone()));
            Expr::Name(name)
        };
        parameters.iter().zip(arguments).map(once).collect()
    }
}
