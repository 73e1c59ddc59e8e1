//! Where do the parts of a formula stand that occur more than once?
//!
//! The formulas of one nest have thousands of common parts; each gets a cell of its own, equal ones the same.
//! Only this keeps the workbook's formulas short, and their number linear in what the rule computes.

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use super::geometry::Geometry;
use super::steps::Step;
use super::{Profile, Wanted, compute};
use crate::expr::{Expr, FigureId, Node};
use crate::figures::Figures;
use crate::nest::Nest;
use crate::parameters::ParameterTable;

/// Gives parts of formulas cells of their own, equal ones the same.
pub struct Cells<'a> {
    pub figures: RefCell<&'a mut Figures>,
    pub known: RefCell<FxHashMap<Expr, FigureId>>,
}

impl Cells<'_> {
    pub fn name(&self, step: Step, expr: Expr) -> Expr {
        if matches!(
            expr.node(),
            Node::Number(_) | Node::Symbol(_) | Node::Figure(_)
        ) {
            return expr;
        }
        let mut known = self.known.borrow_mut();
        let id = known.entry(expr).or_insert_with_key(|expr| {
            self.figures.borrow_mut().define(step.label(), expr.clone())
        });
        Expr::from(*id)
    }
}

/// What a nest alone uses again and after how much else, with figures for what occurs more than once.
pub(super) fn profile(
    nest: &Nest,
    geometry: &Geometry,
    (unit, wanted): (&Expr, Wanted),
    parameters: &ParameterTable,
    figures: &mut Figures,
) -> Profile<Expr> {
    let cells = Cells {
        figures: RefCell::new(figures),
        known: RefCell::default(),
    };
    let resolve = |expr: &Expr| parameters.resolve(nest.function, expr);
    compute(geometry, &resolve, (unit.clone(), wanted), &|step, expr| {
        cells.name(step, expr)
    })
}
