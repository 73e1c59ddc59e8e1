//! Which nests follow each other, and in which arithmetic are they looked at?
//!
//! Those of one function, in the order of the source. Where only numbers are asked for and the switch
//! `reuse_between_nests` is off, only those in one loop: others find nothing of each other. With formulas all
//! are looked at, whatever the switch is, as the workbook has it as an input.
//!
//! Hands [`Neighbours`] in expressions to `formulas`, also where they are plain numbers.

use std::cell::RefCell;

use super::cells::Cells;
use super::neighbours::{self, Bodies, Neighbours, Within, share_loops};
use super::number::Number;
use super::steps::NameStep;
use super::swept::Swept;
use crate::expr::{Expr, Lookup, Symbol};
use crate::figures::Figures;
use crate::nest::Nest;
use crate::parameters::ParameterTable;

/// The switch: whether nests find what others left that have only the function in common.
pub const REUSE_BETWEEN_NESTS: &str = "reuse_between_nests";

/// What each of some nests finds of those before it in its function; only of those in a loop around both where only
/// numbers are asked for and the switch is off. Functions must be complete.
pub(crate) fn neighbours(
    nests: &[Nest],
    parameters: &ParameterTable,
    figures: &mut Figures,
) -> Vec<Option<Neighbours<Expr>>> {
    let is_off = figures.input(REUSE_BETWEEN_NESTS).unwrap_or(0.0) == 0.0;
    let (same, within): (fn(&Nest, &Nest) -> bool, _) =
        match is_off && !figures.detail().has_formulas() {
            true => (
                |a, b| a.function == b.function && share_loops(a, b, 1),
                Within::Loop,
            ),
            false => (|a, b| a.function == b.function, Within::Function),
        };
    let mut all = Vec::new();
    for some in nests.chunk_by(same) {
        all.extend(of_some((some, within), parameters, figures));
    }
    all
}

fn of_some(
    (nests, within): (&[Nest], Within),
    parameters: &ParameterTable,
    figures: &mut Figures,
) -> Vec<Option<Neighbours<Expr>>> {
    let Some(first) = nests.first().filter(|_| nests.len() > 1) else {
        return vec![None; nests.len()];
    };
    if figures.detail().has_formulas() {
        // All are of one function, so that a symbol is the same parameter in each.
        let cells = Cells {
            figures: RefCell::new(figures),
            known: RefCell::default(),
        };
        let resolve = |expr: &Expr| parameters.resolve(first.function, expr);
        return found(
            (nests, within),
            &resolve,
            Expr::machine("line_bytes"),
            &|step, expr| cells.name(step, expr),
        );
    }
    let symbol = |symbol: &Symbol| match parameters.row(first.function, symbol) {
        Some(row) => Some(row.value),
        None => figures.input(symbol.name()),
    };
    let value = |expr: &Expr| expr.evaluate(&symbol as &dyn Lookup).unwrap_or(f64::NAN);
    let found = found(
        (nests, within),
        &value,
        value(&Expr::machine("line_bytes")),
        &|_, number| number,
    );
    found
        .into_iter()
        .map(|one| one.map(|one| one.map(&|number| Expr::from(*number))))
        .collect()
}

fn found<N: Number>(
    (nests, within): (&[Nest], Within),
    value: &dyn Fn(&Expr) -> N,
    line: N,
    name: NameStep<N>,
) -> Vec<Option<Neighbours<N>>> {
    let swept: Vec<Swept<N>> = nests
        .iter()
        .map(|nest| Swept::of(nest, value, line.clone(), name))
        .collect();
    let bodies = Bodies::default();
    (0..nests.len())
        .map(|index| neighbours::of((nests, within), (&swept, &bodies), index, name))
        .collect()
}
