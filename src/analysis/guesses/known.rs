//! What the program says symbols are worth, to be looked up often.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::expr::{Expr, Symbol, SymbolKind};
use crate::facts::{Function, Program};

/// The values of a program's symbols.
pub(super) struct Known<'p> {
    /// Of places, without placeholders.
    places: FxHashMap<&'p Symbol, &'p Expr>,
    /// Of each function's own symbols.
    functions: Vec<FxHashMap<&'p Symbol, &'p Expr>>,
}

impl<'p> Known<'p> {
    pub fn new(program: &'p Program, placeholders: &BTreeMap<Symbol, f64>) -> Known<'p> {
        let places = program.places.iter().filter_map(|(symbol, place)| {
            let is_meant = !placeholders.contains_key(symbol);
            place
                .value
                .as_ref()
                .filter(|_| is_meant)
                .map(|value| (symbol, value))
        });
        Known {
            places: places.collect(),
            functions: program.functions.iter().map(constants).collect(),
        }
    }

    /// The value that the program gives a symbol of a function.
    pub fn value(&self, function: usize, symbol: &Symbol) -> Option<&'p Expr> {
        let values = match symbol.kind() {
            SymbolKind::Place => &self.places,
            _ => &self.functions[function],
        };
        values.get(symbol).copied()
    }
}

/// The constants of a function by symbol; of several for one, the first counts.
fn constants(function: &Function) -> FxHashMap<&Symbol, &Expr> {
    let mut constants = FxHashMap::default();
    for constant in &function.constants {
        constants.entry(&constant.symbol).or_insert(&constant.value);
    }
    constants
}
