//! How often does a loop go round by its bounds, at values of the parameters in them? And at which value would
//! it go round as often as it did?
//!
//! Where the count is linear in the size, one step solves it ([`Bounds::solve`]); the result has to be a whole
//! number, as sizes are. Otherwise the smallest value at which the count is reached exactly is searched
//! ([`smallest`]), which needs counts that grow with the size.

use super::tolerance;
use crate::expr::{Expr, Symbol};
use crate::model::parameters::Kind;
use crate::report::static_report::LoopReport;

/// Rounds of an outer loop beyond these are not gone through.
const MOST_ROUNDS: f64 = 100_000.0;
/// Larger values are not looked for.
const LARGEST: f64 = 1e12;

/// Values of symbols.
pub type Values<'v> = &'v dyn Fn(&str) -> Option<f64>;

/// Bounds of a loop.
#[derive(Clone)]
pub struct Bounds<'r> {
    range: Expr,
    step: Expr,
    lower: Expr,
    pub variable: &'r str,
}

impl<'r> Bounds<'r> {
    pub fn of(facts: &'r LoopReport) -> Option<Bounds<'r>> {
        let parse = |text: &str| Expr::parse(text).ok();
        let lower = parse(&facts.lower)?;
        let range = parse(&facts.upper)? - lower.clone();
        Some(Bounds {
            range,
            step: parse(&facts.step)?,
            lower,
            variable: &facts.var,
        })
    }

    /// What the number of rounds depends on.
    pub fn symbols(&self) -> Vec<String> {
        let all = self.range.symbols().into_iter().chain(self.step.symbols());
        let mut names: Vec<String> = all.map(|name| name.to_string()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Rounds before the fraction is cut off.
    fn quotient(&self, values: Values) -> Option<f64> {
        let values = |symbol: &Symbol| values(symbol.name());
        let (range, step) = (
            self.range.evaluate(&values).ok()?,
            self.step.evaluate(&values).ok()?,
        );
        Some(range / step + 1.0).filter(|rounds| rounds.is_finite())
    }

    /// Rounds of one execution.
    pub fn rounds(&self, values: Values) -> Option<f64> {
        Some(self.quotient(values)?.floor().max(0.0))
    }

    /// Rounds of an execution where some of the values are means.
    pub fn mean_rounds(&self, values: Values) -> Option<f64> {
        Some(self.quotient(values)?.max(0.0))
    }

    /// Rounds of a loop inside, over all rounds of one execution of this one.
    pub fn rounds_inside(&self, inner: &Bounds, values: Values) -> Option<f64> {
        let known = |symbol: &Symbol| values(symbol.name());
        let (first, step) = (
            self.lower.evaluate(&known).ok()?,
            self.step.evaluate(&known).ok()?,
        );
        let rounds = self
            .rounds(values)
            .filter(|rounds| *rounds <= MOST_ROUNDS)?;
        let at = |round: u64| {
            let here = first + step * round as f64;
            inner.rounds(&|symbol: &str| {
                if symbol == self.variable {
                    Some(here)
                } else {
                    values(symbol)
                }
            })
        };
        (0..rounds as u64).map(at).sum()
    }

    /// The whole number for one symbol at which the loop goes round so often: `base`, where that does.
    pub fn solve(
        &self,
        (symbol, kind): (&str, Kind),
        base: Option<f64>,
        values: Values,
        wanted: f64,
    ) -> Option<f64> {
        let at = |value: f64| {
            move |name: &str| {
                if name == symbol {
                    Some(value)
                } else {
                    values(name)
                }
            }
        };
        if let Some(base) = base.filter(|base| self.rounds(&at(*base)) == Some(wanted)) {
            return Some(base);
        }
        // None at all is what many values give.
        if wanted <= 0.0 {
            return None;
        }
        // The rounds of a loop without a count may be a mean.
        let is_mean = kind == Kind::TripCount;
        let start = base.filter(|_| !is_mean).unwrap_or(0.0);
        let quotient = |value: f64| self.quotient(&at(value));
        let (here, there, beyond) = (
            quotient(start)?,
            quotient(start + 1.0)?,
            quotient(start + 2.0)?,
        );
        let slope = there - here;
        if slope != 0.0 && (beyond - there - slope).abs() < tolerance::ROUNDING {
            let value = start + (wanted - here) / slope;
            // A size is a whole number; a loop that says otherwise was changed by the compiler, or is left early.
            return Some(if is_mean { value } else { value.round() })
                .filter(|found| (value - found).abs() < tolerance::WHOLE);
        }
        smallest(&|value| self.rounds(&at(value)), wanted)
    }
}

/// The smallest whole number at which a count that grows with it is reached exactly.
pub fn smallest(count: &dyn Fn(f64) -> Option<f64>, wanted: f64) -> Option<f64> {
    let mut high = 1.0;
    while count(high)? < wanted {
        high *= 2.0;
        if high > LARGEST {
            return None;
        }
    }
    let mut low = 0.0;
    while high - low > 1.0 {
        let middle = ((low + high) / 2.0_f64).floor();
        match count(middle)? < wanted {
            true => low = middle,
            false => high = middle,
        }
    }
    (count(high) == Some(wanted)).then_some(high)
}
