//! Numbers for expressions over symbols that need a value.

use std::cell::RefCell;
use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Around, Guesses, NOMINAL, Unknown};
use crate::expr::{Expr, Symbol, SymbolKind};

impl<'p> Guesses<'p> {
    /// The value that the program gives a symbol of a function.
    pub(super) fn known(&self, function: usize, symbol: &Symbol) -> Option<&'p Expr> {
        self.known.value(function, symbol)
    }

    fn unknown(function: usize, symbol: &Symbol) -> Option<Unknown> {
        let function = match symbol.kind() {
            SymbolKind::Place => None,
            SymbolKind::Source => Some(function),
            _ => return None,
        };
        let symbol = symbol.clone();
        Some(Unknown { function, symbol })
    }

    /// What expressions of a function come down to that has no value, in order.
    pub(super) fn unknowns(
        &self,
        function: usize,
        of: &[&Expr],
        around: Around<'_, 'p>,
    ) -> Vec<Unknown> {
        let is_variable = |symbol: &Symbol| around.iter().any(|l| symbol.is_source(&l.variable));
        let mut pending: Vec<Symbol> = of.iter().flat_map(|expr| expr.symbols()).collect();
        pending.retain(|symbol| !is_variable(symbol));
        let (mut seen, mut found) = (FxHashSet::default(), BTreeSet::new());
        while let Some(symbol) = pending.pop() {
            if !seen.insert(symbol.clone()) {
                continue;
            }
            match self.known(function, &symbol) {
                Some(value) if !value.is_symbol(&symbol) => {
                    pending.extend(value.symbols());
                }
                _ => found.extend(Self::unknown(function, &symbol)),
            }
        }
        found.into_iter().collect()
    }

    /// A number for an expression of a function: loops stand at their beginnings.
    pub(super) fn evaluate(
        &self,
        function: usize,
        expr: &Expr,
        around: Around<'_, 'p>,
        changed: &Option<(&Unknown, f64)>,
    ) -> f64 {
        let seen = RefCell::new(FxHashMap::default());
        self.number((function, &seen), expr, around, changed)
    }

    /// The same with the values of symbols that have been met so far; those that lead back to themselves are nominal.
    fn number(
        &self,
        (function, seen): (usize, &RefCell<FxHashMap<Symbol, f64>>),
        expr: &Expr,
        around: Around<'_, 'p>,
        changed: &Option<(&Unknown, f64)>,
    ) -> f64 {
        let lookup = |symbol: &Symbol| {
            if let Some(at) = around.iter().rposition(|l| symbol.is_source(&l.variable)) {
                let (outer, first) = (&around[..at], around[at].ends().0);
                return Some(self.number((function, seen), first, outer, changed));
            }
            let met = seen.borrow().get(symbol).copied();
            if met.is_some() {
                return met;
            }
            seen.borrow_mut().insert(symbol.clone(), NOMINAL);
            let value = match self.known(function, symbol) {
                Some(value) if !value.is_symbol(symbol) => {
                    self.number((function, seen), value, &[], changed)
                }
                _ => self.open(function, symbol, changed),
            };
            seen.borrow_mut().insert(symbol.clone(), value);
            Some(value)
        };
        expr.evaluate(&lookup).unwrap_or(f64::NAN)
    }

    /// The value so far of a symbol that the program gives none.
    fn open(&self, function: usize, symbol: &Symbol, changed: &Option<(&Unknown, f64)>) -> f64 {
        let Some(unknown) = Self::unknown(function, symbol) else {
            return NOMINAL;
        };
        match changed {
            Some((other, value)) if **other == unknown => *value,
            _ => {
                let value = self.values.get(&unknown).copied();
                let value = value.or_else(|| self.own_default(&unknown));
                value.unwrap_or(NOMINAL)
            }
        }
    }
}
