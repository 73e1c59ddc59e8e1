//! Values that a statement uses several times and evaluates once: arguments of statement functions.

use std::sync::Arc;

use super::expression::Expr;
use super::procedure::Lowering;
use super::scope::Scope;
use crate::diagnostic::Place;
use crate::ir::{Role, Stmt, Value, Variable};

impl<'a> Lowering<'a> {
    /// What `lower` makes, and the statements that have to stand before it.
    pub fn with_before<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> (T, Vec<Stmt>) {
        let outer = self.statement.collect();
        let lowered = lower(self);
        (lowered, self.statement.restore(outer))
    }

    /// The arguments of a statement function: one that the body uses several times, and that is more than a name or a
    /// number, becomes a variable which is set before the statement.
    pub fn evaluated_once(
        &mut self,
        parameters: &[Arc<str>],
        body: &Expr,
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
            if is_simple || !self.statement.takes_more() || body.uses(parameter) < 2 {
                return argument;
            }
            let value = self.value(&argument, scope);
            let name: Arc<str> =
                format!("{parameter}@{}#{}", place.line, self.expansions.count()).into();
            let id = self.draft.add(Variable {
                name: name.to_string(),
                ty: value.ty(self.draft.function()),
                dimensions: Vec::new(),
                role: Role::Local,
                constant: None,
                place: place.clone(),
            });
            self.variables.insert(scope.id, &name, id);
            let set = Stmt::Assign {
                place: place.clone(),
                target: Value::Variable(id),
                value,
            };
            self.statement.add_before(set);
            Expr::Name(name)
        };
        parameters.iter().zip(arguments).map(once).collect()
    }
}
