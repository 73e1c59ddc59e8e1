//! Times again with other figures of the machine, in as few formulas as there can be: what does not depend on the inputs
//! that change is taken as it is, what is short is written into the formula that takes it, and what a cache fetches again
//! is one sum over the rows of *Layer conditions*.
//!
//! [`WhatIf`](super::what_if::WhatIf) defines each figure again. That is what a sheet for one other machine shows; for many
//! scenarios side by side it would be as many workbooks.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::figures::{FigureMap, Figures};
use super::label::{Instead, Label};
use crate::expr::{Comparison, Expr, FigureId, Node, SymbolKind};

/// Characters of a formula that is written into others.
const SHORT: u32 = 150;
/// The same of what depends on inputs alone, which many nests take.
const COMMON: u32 = 30;

/// Which of some figures of the machine each figure depends on.
pub(super) struct Dependence {
    bits: FxHashMap<&'static str, u32>,
    of: FigureMap<u32>,
}

/// Inputs that change together.
#[derive(Clone, Copy)]
pub(super) struct Changed(u32);

impl Dependence {
    /// Over all figures so far; there are no more than 31 inputs. `last` are figures that sweeps replace as a whole.
    pub fn new(inputs: &[&'static str], last: &[FigureId], figures: &Figures) -> Dependence {
        let bits: FxHashMap<&'static str, u32> = inputs.iter().copied().zip(0..31).collect();
        let mut of = figures.map_of(0);
        for id in last {
            *of.get_mut(*id).expect("figures have entries") = LAST;
        }
        let mut found = Dependence { bits, of };
        for (id, figure) in figures.iter() {
            let mask = found.mask(&figure.expr);
            *found.of.get_mut(id).expect("figures have entries") |= mask;
        }
        found
    }

    fn mask(&self, expr: &Expr) -> u32 {
        match expr.node() {
            Node::Symbol(symbol) if symbol.kind() == SymbolKind::Machine => {
                self.bits.get(symbol.name()).map_or(0, |bit| 1 << bit)
            }
            Node::Figure(id) => self.of.get(*id).copied().unwrap_or(0),
            _ => {
                let children = expr.children();
                children.fold(0, |all, child| all | self.mask(child))
            }
        }
    }

    /// These inputs.
    pub fn on(&self, inputs: &[&str]) -> Changed {
        let bits = inputs.iter().filter_map(|input| self.bits.get(input));
        Changed(bits.fold(0, |all, bit| all | 1 << bit))
    }

    /// These inputs and the figures that sweeps replace.
    pub fn with_last(&self, inputs: &[&str]) -> Changed {
        Changed(self.on(inputs).0 | LAST)
    }
}

const LAST: u32 = 1 << 31;

/// Figures with some inputs changed.
pub(super) struct Compact<'r> {
    instead: Arc<Instead>,
    dependence: &'r Dependence,
    changed: Changed,
    /// What an input stands for, by its name.
    replace: &'r dyn Fn(&str) -> Option<Expr>,
    known: FxHashMap<FigureId, Expr>,
    common: FxHashMap<Expr, FigureId>,
}

impl<'r> Compact<'r> {
    pub fn new(
        instead: Instead,
        (dependence, changed): (&'r Dependence, Changed),
        replace: &'r dyn Fn(&str) -> Option<Expr>,
    ) -> Compact<'r> {
        Compact {
            instead: Arc::new(instead),
            dependence,
            changed,
            replace,
            known: FxHashMap::default(),
            common: FxHashMap::default(),
        }
    }

    /// Lets a figure be something else, whatever it depends on.
    pub fn replace(&mut self, id: FigureId, expr: Expr) {
        self.known.insert(id, expr);
    }

    /// What was worked out for one nest is no use to the next, but for what depends on inputs alone.
    pub fn forget(&mut self) {
        self.known.clear();
    }

    /// A figure of its own that says what another one would be.
    pub fn define(&mut self, id: FigureId, figures: &mut Figures) -> FigureId {
        let expr = self.expr(id, figures);
        let label = self.label(figures.get(id).label.clone());
        figures.define(label, expr)
    }

    /// The same figure with these inputs.
    pub fn label(&self, label: Label) -> Label {
        label.instead(&self.instead)
    }

    /// What a figure would be.
    fn expr(&mut self, id: FigureId, figures: &mut Figures) -> Expr {
        let depends = |mask: &u32| mask & self.changed.0 != 0;
        if !self.dependence.of.get(id).is_some_and(depends) {
            return Expr::from(id);
        }
        if let Some(known) = self.known.get(&id) {
            return known.clone();
        }
        let expr = figures.get(id).expr.clone();
        let expr = match self.sum_above(&expr, figures) {
            Some(sum) => sum,
            None => expr.replace_leaves(&mut |leaf| match leaf.node() {
                Node::Symbol(symbol) if symbol.kind() == SymbolKind::Machine => {
                    (self.replace)(symbol.name())
                }
                Node::Figure(inner) => Some(self.expr(*inner, figures)),
                _ => None,
            }),
        };
        let length = expr.formula_length();
        let label = || figures.get(id).label.clone().instead(&self.instead);
        let expr = match length {
            COMMON.. if self.is_common(&expr) => {
                let label = label();
                let define = || figures.define(label, expr.clone());
                Expr::from(*self.common.entry(expr.clone()).or_insert_with(define))
            }
            SHORT.. => {
                let label = label();
                Expr::from(figures.define(label, expr))
            }
            _ => expr,
        };
        self.known.insert(id, expr.clone());
        expr
    }

    /// A sum of figures each of which is nothing where a size fits the same changed limit, as one formula.
    fn sum_above(&mut self, expr: &Expr, figures: &mut Figures) -> Option<Expr> {
        let Node::Sum(items) = expr.node() else {
            return None;
        };
        let mut limit = None;
        let mut members = Vec::new();
        for item in items {
            let Node::Figure(id) = item.node() else {
                return None;
            };
            let Node::If(Comparison::LessOrEqual, parts) = figures.get(*id).expr.node() else {
                return None;
            };
            let [size, own, nothing, amount] = &**parts;
            if !nothing.is_zero() || *limit.get_or_insert_with(|| own.clone()) != *own {
                return None;
            }
            let changes = [size, amount].map(|part| self.dependence.mask(part) & self.changed.0);
            if changes != [0, 0] {
                return None;
            }
            members.push((size.clone(), amount.clone()));
        }
        let Some(Node::Figure(limit)) = limit.as_ref().map(Expr::node) else {
            return None;
        };
        let limit = self.expr(*limit, figures);
        Some(Expr::sum_above(limit, &members))
    }

    /// Whether an expression depends on inputs alone, if by way of others that do.
    fn is_common(&self, expr: &Expr) -> bool {
        match expr.node() {
            Node::Figure(id) => self.common.values().any(|common| common == id),
            _ => (expr.children()).all(|child| self.is_common(child)),
        }
    }
}
