//! Formulas for the rows of tables: shares, ratios, rates. Each is over the names that it takes.

use crate::expr::{Expr, FigureId, Lookup, Symbol};

/// The part of a whole.
pub fn share(part: &str, whole: &str) -> Expr {
    Expr::symbol(part).quotient(Expr::symbol(whole))
}

/// How many in 1,000 of the whole: epochs per 1,000 instructions (EPKI).
pub fn per_thousand(part: &str, whole: &str) -> Expr {
    (Expr::symbol(part) * 1000.0).quotient(Expr::symbol(whole))
}

/// Bytes per second: `bytes` in `cycles` at `ghz`.
pub fn bandwidth(bytes: &str, cycles: &str, ghz: &str) -> Expr {
    Expr::symbol(bytes).quotient(Expr::symbol(cycles).quotient(Expr::symbol(ghz) * 1e9))
}

/// Latency number `index` of a grid.
pub fn grid_point(start: &str, step: &str, index: usize) -> Expr {
    Expr::symbol(start) + Expr::symbol(step) * index as f64
}

/// Lines that a cache of `bytes` holds.
pub fn capacity_lines(bytes: &str, line: &str) -> Expr {
    Expr::symbol(bytes).quotient(Expr::symbol(line)).floor()
}

/// Misses of a fully associative LRU cache: first touches, and reuses from at least its number of
/// lines away (Mattson et al. 1970).
pub fn misses(cold: &str, beyond: &str) -> Expr {
    Expr::symbol(cold) + Expr::symbol(beyond)
}

/// The sum of the figures.
pub fn total(figures: impl IntoIterator<Item = FigureId>) -> Expr {
    Expr::sum(figures.into_iter().map(Expr::from))
}

/// The share of the figures in a whole.
pub fn cumulative_share(figures: impl IntoIterator<Item = FigureId>, whole: &str) -> Expr {
    total(figures).quotient(Expr::symbol(whole))
}

/// The value of a formula over names with these values; not a number if it has none.
pub fn value(formula: &Expr, known: &[(&str, f64)]) -> f64 {
    let known = |symbol: &Symbol| {
        let named = known.iter().find(|(name, _)| *name == symbol.name());
        named.map(|(_, value)| *value)
    };
    formula.evaluate(&known as &dyn Lookup).unwrap_or(f64::NAN)
}
