//! What ranges say, worked out once: the arrays of a function have a few shapes, each of which many references repeat.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Around, Guesses, NOMINAL, Unknown};
use crate::expr::{Expr, Symbol, SymbolKind};

/// What an unknown does to a range.
pub(super) struct Effect {
    pub unknown: Unknown,
    /// How much it moves the beginning and the end.
    pub moves: (f64, f64),
    /// The number that it is the exponent of.
    pub raised: Option<f64>,
}

/// Answers that do not depend on the loops around, of one function.
#[derive(Default)]
pub(super) struct Ranges {
    effects: FxHashMap<(Expr, Expr), Rc<[Effect]>>,
    /// Unknowns of a subscript, and whether others are multiplied by them.
    lengths: FxHashMap<Expr, Rc<[(Unknown, bool)]>>,
    /// Extents that the program gives.
    declared: FxHashMap<(Expr, Expr), Option<f64>>,
    /// The ends of extents that were looked at.
    uppers: FxHashSet<Expr>,
}

impl<'p> Guesses<'p> {
    /// What the unknowns of a range from `first` to `last` do to it, in order.
    pub(super) fn effects(
        &mut self,
        function: usize,
        (first, last): (&Expr, &Expr),
        around: Around<'_, 'p>,
    ) -> Rc<[Effect]> {
        if depends_on(first, around) || depends_on(last, around) {
            return self.effects_here(function, (first, last), around);
        }
        let key = (first.clone(), last.clone());
        if let Some(known) = self.ranges.effects.get(&key) {
            return known.clone();
        }
        let effects = self.effects_here(function, (first, last), around);
        self.ranges.effects.insert(key, effects.clone());
        effects
    }

    fn effects_here(
        &self,
        function: usize,
        (first, last): (&Expr, &Expr),
        around: Around<'_, 'p>,
    ) -> Rc<[Effect]> {
        let between = |expr: &Expr, unknown: &Unknown, (from, to): (f64, f64)| {
            let at = |value: f64| self.evaluate(function, expr, around, &Some((unknown, value)));
            at(to * NOMINAL) - at(from * NOMINAL)
        };
        let moves = |unknown: &Unknown| {
            let by = |values| [first, last].map(|end| between(end, unknown, values));
            // The least of several counts where it is less, what is halved again and again where it is half.
            let less = || Some(by((0.5, 1.0))).filter(|[first, last]| last > first);
            match by((1.0, 1.5)) {
                [0.0, 0.0] => less().unwrap_or_default(),
                more => more,
            }
        };
        let raised = |expr: &Expr, unknown: &Unknown| {
            self.base(function, expr, unknown, (around, &mut FxHashSet::default()))
        };
        let unknowns = self.unknowns(function, &[first, last], around);
        let effect = |unknown: Unknown| Effect {
            moves: moves(&unknown).into(),
            raised: raised(last, &unknown).or_else(|| raised(first, &unknown)),
            unknown,
        };
        unknowns.into_iter().map(effect).collect()
    }

    /// The unknowns of a subscript, in order, each with whether others are multiplied by it.
    pub(super) fn lengths(
        &mut self,
        function: usize,
        base: &Expr,
        around: Around<'_, 'p>,
    ) -> Rc<[(Unknown, bool)]> {
        let here = |guesses: &Self| {
            let unknowns = guesses.unknowns(function, &[base], around).into_iter();
            let length = |unknown: Unknown| {
                let is_length = guesses.is_factor(function, base, &unknown, around);
                (unknown, is_length)
            };
            unknowns.map(length).collect::<Rc<[(Unknown, bool)]>>()
        };
        if depends_on(base, around) {
            return here(self);
        }
        if let Some(known) = self.ranges.lengths.get(base) {
            return known.clone();
        }
        let lengths = here(self);
        self.ranges.lengths.insert(base.clone(), lengths.clone());
        lengths
    }

    /// The extent of an array from `lower` to `upper` if the program gives it and it is more than one element.
    pub(super) fn declared(
        &mut self,
        function: usize,
        (lower, upper): (&Expr, &Expr),
        around: Around<'_, 'p>,
    ) -> Option<f64> {
        let here = |guesses: &Self| {
            // Not what follows from how far loops move something that is not known.
            let is_said =
                |symbol: &Symbol| matches!(symbol.kind(), SymbolKind::Source | SymbolKind::Place);
            let is_known = (guesses.unknowns(function, &[lower, upper], around)).is_empty()
                && [lower, upper]
                    .iter()
                    .all(|end| end.symbols().iter().all(is_said));
            let at = |expr: &Expr| guesses.evaluate(function, expr, around, &None);
            let extent = is_known.then(|| at(upper) - at(lower) + 1.0)?;
            (extent > 1.0).then_some(extent)
        };
        if depends_on(lower, around) || depends_on(upper, around) {
            return here(self);
        }
        let key = (lower.clone(), upper.clone());
        if let Some(known) = self.ranges.declared.get(&key) {
            return *known;
        }
        let extent = here(self);
        self.ranges.declared.insert(key, extent);
        extent
    }

    /// Whether the end of an extent was not looked at before.
    pub(super) fn is_new_length(&mut self, upper: &Expr, around: Around<'_, 'p>) -> bool {
        depends_on(upper, around) || self.ranges.uppers.insert(upper.clone())
    }
}

/// Whether a loop's variable is in an expression.
fn depends_on(expr: &Expr, around: Around) -> bool {
    around.iter().any(|l| expr.mentions::<str>(&l.variable))
}
