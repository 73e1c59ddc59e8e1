//! Parts of formulas in cells of their own.

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use crate::expr::{Expr, FigureId, Node};
use crate::figures::{Figures, Unit};

/// Gives parts of formulas cells of their own, equal ones the same.
pub struct Cells<'a> {
    pub figures: RefCell<&'a mut Figures>,
    pub known: RefCell<FxHashMap<Expr, FigureId>>,
}

impl Cells<'_> {
    pub fn name(&self, what: &'static str, expr: Expr) -> Expr {
        if matches!(
            expr.node(),
            Node::Number(_) | Node::Symbol(_) | Node::Figure(_)
        ) {
            return expr;
        }
        let mut known = self.known.borrow_mut();
        let id = known.entry(expr).or_insert_with_key(|expr| {
            self.figures
                .borrow_mut()
                .define(what, Unit::Count, expr.clone())
        });
        Expr::from(*id)
    }
}
