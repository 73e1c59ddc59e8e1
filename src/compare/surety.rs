//! What the bounds of a loop and of those around it say without a run: nothing that is guessed, and what the program itself
//! has in so many words.

use super::bounds::Bounds;
use super::parameters::{in_bounds, is_bound_known, parameter};
use super::places::{LoopRef, Places};
use crate::analysis::facts::Origin;
use crate::expr::{Expr, Symbol};
use crate::model::parameters::ValueSource;
use crate::report::StaticReport;
use crate::report::static_report::ParameterReport;

/// What the bounds of a loop and of those around it say without a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Surety {
    /// Rounds of one execution, if they are always as many and nothing in the bounds is guessed.
    pub each: Option<u64>,
    /// Whether the program itself has all that is in these bounds, in so many words.
    pub is_each_written: bool,
    /// Whether nothing is guessed in the bounds of the loop and of those around it, whose variables they may have, and no
    /// condition decides whether it is reached.
    pub is_total_known: bool,
    /// The same, and the program itself has all of that.
    pub is_total_written: bool,
}

pub fn surety(report: &StaticReport, places: &Places, found: LoopRef) -> Surety {
    let facts = places.facts(found);
    let value = |symbol: &str| parameter(report, found.function, symbol)?.1.value.known();
    let bounds =
        Bounds::of(facts).filter(|_| !facts.exits_early && is_bound_known(report, places, found));
    let (names, _) = in_bounds(report, places, found);
    let chain: Vec<LoopRef> = places.chain(found).collect();
    let is_guarded = chain.windows(2).any(|pair| {
        let (inner, outer) = (places.facts(pair[0]), places.facts(pair[1]));
        outer.branches.iter().any(|one| one.guards(inner.line))
    });
    let is_variable = |symbol: &str| chain.iter().any(|one| places.facts(*one).var == *symbol);
    let all = |is_it: &dyn Fn(&ParameterReport) -> bool| {
        let is_known = |symbol: &String| {
            is_variable(symbol)
                || parameter(report, found.function, symbol).is_some_and(|one| is_it(one.1))
        };
        let is_loop_known = |one: &LoopRef| {
            Bounds::of(places.facts(*one)).is_some_and(|one| one.symbols().iter().all(is_known))
        };
        !is_guarded && chain.iter().all(is_loop_known)
    };
    Surety {
        each: bounds
            .and_then(|bounds| bounds.rounds(&value))
            .map(|rounds| rounds as u64),
        is_each_written: names
            .iter()
            .all(|name| is_written(report, &report.parameters[*name])),
        is_total_known: all(&|parameter| parameter.source != ValueSource::Guessed),
        is_total_written: all(&|parameter| is_written(report, parameter)),
    }
}

/// Whether the program has the value itself, so that no run of it has another. What is passed to a function may be
/// computed from a variable of the caller: then it may differ from call to call.
fn is_written(report: &StaticReport, parameter: &ParameterReport) -> bool {
    let is_written_too = |symbol: &Symbol| {
        let other = report.parameters.get(symbol.name());
        other.is_some_and(|other| matches!(other.origin, Origin::Constant | Origin::Macro))
    };
    let is_constant = |definition: &str| {
        Expr::parse(definition).is_ok_and(|expr| expr.symbols().iter().all(is_written_too))
    };
    match parameter.origin {
        Origin::Constant | Origin::Macro => true,
        Origin::Caller => parameter.definition.as_deref().is_none_or(is_constant),
        _ => false,
    }
}
