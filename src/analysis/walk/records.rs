//! Branches that keep the largest or smallest value so far: `if (x > most) most = x`.
//!
//! Of values in any order, the k-th is larger than all before it with probability 1/k. So of N values
//! 1 + 1/2 + … + 1/N ≈ ln N + γ are records, whatever they are.

use std::collections::BTreeSet;

use super::leaving::once;
use crate::expr::Expr;
use crate::ir::visit::variables_of;
use crate::ir::{BinaryOp, Stmt, Value, VarId};
use crate::symbols::{Known, Symbols};

const EULER: f64 = 0.577_215_664_901_532_9;

/// How often a condition holds behind which a value is kept if it is larger, or smaller, than the one that was kept
/// before: the share of records among the iterations of the innermost loop. `None` where it asks something else.
pub(super) fn share(
    symbols: &Symbols,
    condition: &Value,
    (then, otherwise): (&[Stmt], &[Stmt]),
) -> Option<Expr> {
    use BinaryOp::{Greater, GreaterOrEqual, Less, LessOrEqual};
    let Value::Binary(Less | LessOrEqual | Greater | GreaterOrEqual, left, right) =
        condition.unconverted()
    else {
        return None;
    };
    let (left, right) = (left.unconverted(), right.unconverted());
    let keeps = |stmt: &Stmt| match stmt {
        Stmt::Assign { target, value, .. } => {
            let pair = (target, value.unconverted());
            pair == (left, right) || pair == (right, left)
        }
        _ => false,
    };
    let Stmt::Assign { target, value, .. } = then.iter().find(|stmt| keeps(stmt))? else {
        return None;
    };
    let innermost = symbols.levels.last()?.counter;
    let is_counter = |id: &VarId| Some(*id) == innermost;
    let varies =
        |id: &VarId| is_counter(id) || matches!(symbols.known.get(id), Some(Known::Changes { .. }));
    let is_kept = otherwise.is_empty() && !place_of(target).iter().any(is_counter);
    let mut of_value = BTreeSet::new();
    variables_of(value, &mut of_value);
    if !is_kept || !of_value.iter().any(varies) {
        return None;
    }
    let once = once(&symbols.levels, symbols.levels.len() - 1)?;
    let values = Expr::from(1.0).quotient(once.clone());
    let records = values.tree_stages() * std::f64::consts::LN_2 + EULER;
    Some(Expr::min([records * once, Expr::from(1.0)]))
}

/// The variables that say which element a target is.
fn place_of(target: &Value) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    if let Value::Element { subscripts, .. } = target {
        subscripts
            .iter()
            .for_each(|at| variables_of(at, &mut found));
    }
    found
}
