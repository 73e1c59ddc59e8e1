//! Loops in which a procedure certainly returns, so that nothing behind them runs: `for (k = 0; k < 100; k++) if (k == 5) return;`.

use super::Walker;
use crate::expr::Expr;
use crate::ir::visit::{InLoop, statements};
use crate::ir::{BinaryOp, Control, If, Jump, Loop, Stmt, Value, VarId};
use crate::symbolic::compared_by;

impl Walker<'_> {
    /// How often control gets behind a loop that certainly returns, as far as sizes are known: none, as a formula of these.
    /// `None` where that is not certain.
    pub(super) fn behind_return(&mut self, inner: &Loop) -> Option<Expr> {
        let Control::Counted {
            variable,
            lower,
            upper,
            step,
        } = &inner.control
        else {
            return None;
        };
        let ends = match step.unconverted() {
            Value::Integer(1) => [lower, upper],
            Value::Integer(-1) => [upper, lower],
            _ => return None,
        };
        if !only_returns(&inner.body, *variable) {
            return None;
        }
        let returns = inner.body.iter().filter_map(|statement| match statement {
            Stmt::If(branch) if has_return(&branch.then) => Some(&**branch),
            _ => None,
        });
        let needed = |branch: &If| happens(&branch.condition, *variable, ends);
        let found: Vec<Value> = returns.filter_map(needed).collect();
        found.iter().find_map(|needed| self.fails(needed))
    }

    /// One where a condition does not hold and nothing where it does, over the sizes it compares, if it certainly holds
    /// with the ones that are known.
    fn fails(&mut self, condition: &Value) -> Option<Expr> {
        let holds = self
            .sizes
            .truth(self.procedure, self.function(), condition)
            .unwrap_or(false);
        let (Value::Binary(BinaryOp::And, left, right), true) = (condition, holds) else {
            return None;
        };
        let mut fails = |comparison: &Value| {
            let Value::Binary(op, left, right) = comparison else {
                return None;
            };
            let (left, right) = (
                self.symbols.expression(left)?,
                self.symbols.expression(right)?,
            );
            let (one, none) = (Expr::from(1.0), Expr::from(0.0));
            Some(Expr::choose(compared_by(*op)?, left, right, none, one))
        };
        let both = fails(left).zip(fails(right));
        Some(both.map_or(Expr::from(0.0), |(left, right)| Expr::max([left, right])))
    }
}

/// Whether nothing in the body of a loop but returns keeps it from coming to each of its iterations, and from what stands
/// directly in it.
fn only_returns(body: &[Stmt], variable: VarId) -> bool {
    let mut found = true;
    statements(body, InLoop::Yes, &mut |statement, _| {
        found &= match statement {
            Stmt::Jump { kind, .. } => matches!(kind, Jump::Return | Jump::Stop),
            Stmt::Assign { target, .. } => *target != Value::Variable(variable),
            Stmt::Opaque { .. } => false,
            _ => true,
        };
    });
    found
}

/// Whether statements return, or end the program, whatever else they do.
fn has_return(statements: &[Stmt]) -> bool {
    let is_return = |statement: &Stmt| {
        matches!(
            statement,
            Stmt::Jump {
                kind: Jump::Return | Jump::Stop,
                ..
            }
        )
    };
    statements.iter().any(is_return)
}

/// What must hold for a comparison of a loop's own variable to hold in one of its iterations, if it is one.
fn happens(condition: &Value, variable: VarId, [first, last]: [&Value; 2]) -> Option<Value> {
    let own = Value::Variable(variable);
    let Value::Binary(op, left, right) = condition.unconverted() else {
        return None;
    };
    let (op, with) = match (*left.unconverted() == own, *right.unconverted() == own) {
        (true, false) => (*op, right),
        (false, true) => (op.mirrored(), left),
        _ => return None,
    };
    let compare = |left: &Value, op, right: &Value| Value::binary(op, left.clone(), right.clone());
    let runs = compare(first, BinaryOp::LessOrEqual, last);
    let (a, b) = match op {
        BinaryOp::Equal => (
            compare(first, BinaryOp::LessOrEqual, with),
            compare(with, BinaryOp::LessOrEqual, last),
        ),
        BinaryOp::Less | BinaryOp::LessOrEqual => (runs, compare(first, op, with)),
        BinaryOp::Greater | BinaryOp::GreaterOrEqual => (runs, compare(last, op, with)),
        _ => return None,
    };
    Some(Value::binary(BinaryOp::And, a, b))
}
