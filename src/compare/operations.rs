//! Why does a nest do more or fewer floating-point operations than its source has?
//!
//! Compilers do common expressions once, move what does not change out of loops, make products of divisions by
//! exact powers and sums of products by two, and compute calls with constant arguments. Each of these leaves a
//! count: what is repeated is known from the source, what was moved is found outside of the machine loops, and
//! exchanged operations are missing from one kind and appear in another by the same number.

use super::accesses;
use super::causes::{Cause, Explanation, Reason};
use super::comparison::Row;
use super::quantity::{Operation, Quantity, short};
use super::sides::Sides;
use super::tolerance::{NEAR, are_equal, are_same_rate, is_whole};
use super::traced::is_elementary;

/// The reason for a row of operations whose sides differ, tried against the numbers.
pub(super) fn of_operations(
    sides: &Sides,
    rows: &[Row],
    operation: Operation,
    (predicted, traced): (f64, f64),
) -> Explanation {
    if let Some(found) = exchanged(sides, rows, operation) {
        return found;
    }
    let kind = operation as usize;
    let again = sides.repeated()[kind];
    if again > 0.0 && are_equal(predicted - traced, again) {
        let words = format!(
            "{} of the {} {}",
            short(again),
            short(predicted),
            done_once(again)
        );
        return Explanation::of(words, [(Cause::Repeated, -again)]);
    }
    if let Some(found) = shared_out(sides, predicted, traced) {
        return found;
    }
    let specials = difference(rows, Operation::Specials);
    let counted_elsewhere = || accesses::elsewhere(sides).or_else(|| in_calls(sides, specials));
    if let Some(words) = (predicted > traced).then(counted_elsewhere).flatten() {
        return Explanation::without_amount(words);
    }
    // What is left to explain once these are done once.
    let (once, predicted) = match again > 0.0 && predicted - again > traced {
        true => (again, predicted - again),
        false => (0.0, predicted),
    };
    let are_constant_calls = operation == Operation::Specials && specials < 0.0;
    let mut found = match predicted > traced {
        true => fewer(sides, kind, predicted - traced, are_constant_calls),
        false => Explanation::without_amount(more(sides, traced - predicted)),
    };
    if once > 0.0 {
        found.words = format!("{} {}; {}", short(once), done_once(once), found.words);
        let amount = -once;
        found.parts.push(Reason {
            code: Cause::Repeated,
            amount,
        });
    }
    found
}

/// By how much the sides of such a row differ.
fn difference(rows: &[Row], operation: Operation) -> f64 {
    let quantity = Quantity::Operations(operation);
    let row = rows.iter().find(|row| row.quantity == quantity);
    row.and_then(|row| Some(row.traced? - row.predicted?))
        .unwrap_or(0.0)
}

/// Operations of one kind that became others.
fn exchanged(sides: &Sides, rows: &[Row], operation: Operation) -> Option<Explanation> {
    use Operation::{Adds, Divides, Multiplies};
    let [adds, multiplies, divides] =
        [Adds, Multiplies, Divides].map(|operation| difference(rows, operation));
    let cancels = |one: f64, other: f64| one != 0.0 && (one + other).abs() <= NEAR * one.abs();
    // As many as are missing on one side and are there on the other.
    let moved = |from: f64, to: f64, target: Operation| match operation == target {
        true => from.abs().min(to.abs()),
        false => -from.abs().min(to.abs()),
    };
    if matches!(operation, Multiplies | Divides) && divides < 0.0 && cancels(divides, multiplies) {
        let words = "divisions by a constant whose reciprocal is exact became multiplications";
        let amount = moved(divides, multiplies, Multiplies);
        return Some(Explanation::of(words, [(Cause::Reciprocals, amount)]));
    }
    if matches!(operation, Adds | Multiplies) && multiplies < 0.0 && cancels(multiplies, adds) {
        let words = "multiplications by two became additions";
        let amount = moved(multiplies, adds, Adds);
        return Some(Explanation::of(words, [(Cause::Doubled, amount)]));
    }
    let repeated = sides.repeated();
    let explains = matches!(operation, Adds | Multiplies)
        && adds > 0.0
        && repeated[0] == 0.0
        && are_equal(-(multiplies + adds), repeated[1]);
    explains.then(|| {
        let products = match adds {
            1.0 => "1 product by two became a sum".to_string(),
            adds => format!("{} products by two became sums", short(adds)),
        };
        let words = format!(
            "{products}; {} {}",
            short(repeated[1]),
            done_once(repeated[1])
        );
        match operation {
            Adds => Explanation::of(words, [(Cause::Doubled, adds)]),
            _ => Explanation::of(
                words,
                [(Cause::Doubled, -adds), (Cause::Repeated, -repeated[1])],
            ),
        }
    })
}

/// Whether all iterations together do as much as the source has: then only their number differs.
pub(super) fn shared_out(sides: &Sides, predicted: f64, traced: f64) -> Option<Explanation> {
    let (Some(of_report), Some(of_run)) = sides.iterations() else {
        return None;
    };
    let explains = of_report != of_run && are_same_rate(predicted * of_report, traced * of_run);
    explains.then(|| {
        let words = format!(
            "as many in all as the source has, distributed over {of_run} iterations instead of {of_report}"
        );
        let amount = predicted * of_report / of_run - predicted;
        Explanation::of(words, [(Cause::SharedOut, amount)])
    })
}

/// Elementary functions that are called more often than the source does: a power as a call instead of products.
fn in_calls(sides: &Sides, specials: f64) -> Option<String> {
    let called = sides.traced.calls.iter();
    let names: Vec<&str> = called
        .filter(|(name, _)| is_elementary(name))
        .map(|(name, _)| name.as_str())
        .collect();
    (specials > 0.0 && !names.is_empty()).then(|| {
        format!(
            "{} more calls per iteration than the source has specials, with operations in their own code: {}",
            short(specials),
            names.join(", ")
        )
    })
}

/// What becomes of so many operations.
fn done_once(count: f64) -> &'static str {
    match count {
        1.0 => "repeats another on the same operands and is done once",
        _ => "repeat others on the same operands and are done once",
    }
}

/// Why an iteration does so many operations less.
fn fewer(sides: &Sides, kind: usize, each: f64, are_constant_calls: bool) -> Explanation {
    let iterations = sides.iterations().1.unwrap_or(0.0);
    let missing = each * iterations;
    let because = |cause: Cause| move |words: String| Explanation::of(words, [(cause, -each)]);
    hoisted(sides, kind, missing, iterations)
        .map(because(Cause::Hoisted))
        .or_else(|| not_entered(sides, missing).map(because(Cause::NotEntered)))
        .or_else(|| {
            let (copies, of) = each_round(sides, missing)?;
            let words = |why: &str| format!("{copies} fewer in each {of}: {why}");
            Some(match are_constant_calls {
                true => because(Cause::FoldedCalls)(words(
                    "calls with constant arguments are evaluated by the compiler, small powers become products",
                )),
                false => Explanation::without_amount(words("unexplained")),
            })
        })
        .unwrap_or_else(|| {
            Explanation::without_amount(format!(
                "unexplained: {} fewer per iteration than in the source, not a whole number in any of its loops",
                short(each)
            ))
        })
}

/// Why an iteration does so many operations more.
fn more(sides: &Sides, each: f64) -> String {
    match each_round(sides, each * sides.iterations().1.unwrap_or(0.0)) {
        Some((copies, of)) => {
            format!("unexplained: {copies} more in each {of}")
        }
        None => {
            format!(
                "unexplained: {} more per iteration than in the source, not a whole number in any of its loops",
                short(each)
            )
        }
    }
}

/// Whether operations of this kind on the innermost loop's lines were done outside of it, as many as are missing.
fn hoisted(sides: &Sides, kind: usize, missing: f64, iterations: f64) -> Option<String> {
    let inner = *sides.loops().last()?;
    let counts = sides.join.loops.get(&inner)?;
    let outside = *counts.outside.get(kind)?;
    let moved = (missing + outside) / iterations;
    let explains = outside > 0.0 && counts.peeled == 0 && moved >= 1.0 - NEAR && is_whole(moved);
    let facts = sides.places.facts(inner);
    explains.then(|| {
        format!(
            "{} per iteration do not change in the loop of {} (line {}) and are done outside it, {outside} times",
            moved.round(),
            facts.var,
            facts.line
        )
    })
}

/// Whether as many are missing as there are rounds that do not enter the loop inside.
fn not_entered(sides: &Sides, missing: f64) -> Option<String> {
    let loops = sides.loops();
    loops.windows(2).rev().find_map(|pair| {
        let (outer, inner) = (sides.join.loops.get(&pair[0])?, sides.join.loops.get(&pair[1])?);
        let idle = outer.rounds.checked_sub(inner.entries).filter(|idle| *idle > 0 && inner.entries > 0)? as f64;
        let facts = sides.places.facts(pair[1]);
        let explains = inner.peeled == 0 && are_same_rate(missing, idle);
        explains.then(|| format!("1 fewer in each of {idle} iterations that do not enter the loop of {} (line {}), where operands are constants", facts.var, facts.line))
    })
}

/// The loop of the nest, the innermost first, of whose rounds a count is a multiple; and how many times.
fn each_round(sides: &Sides, count: f64) -> Option<(f64, String)> {
    sides.loops().iter().rev().find_map(|found| {
        let rounds = sides.join.loops.get(found)?.rounds as f64;
        let times = count / rounds;
        let is_whole = times > 0.5 && is_whole(times);
        let facts = sides.places.facts(*found);
        is_whole.then(|| {
            (
                times.round(),
                format!("iteration of {} (line {})", facts.var, facts.line),
            )
        })
    })
}
