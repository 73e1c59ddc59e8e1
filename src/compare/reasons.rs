//! Why the two sides differ, from what was seen. Each cause is tried against the numbers: one that does not explain
//! the difference is not named.

use super::Row;
use super::machine_loops::replaces_loops;
use super::operations::of_operations;
use super::parameters::Suggestion;
use super::places::LoopRef;
use super::reports::Array;
use super::rows::{EXECUTIONS, ITERATIONS, LOADS, OPERATIONS, STORES, Sides, TRAFFIC, TRIP_COUNT, trip_count};

/// Relative difference below which nothing needs a reason.
pub(super) const EQUAL: f64 = 1e-9;
/// How near an explanation has to come, relative to what it explains.
pub(super) const NEAR: f64 = 0.02;

/// Adds a reason to every row whose sides differ.
pub fn explain(sides: &Sides, parameters: &[Suggestion], rows: &mut [Row]) {
    let found: Vec<Option<String>> = rows.iter().map(|row| reason(sides, parameters, rows, row)).collect();
    for (row, reason) in rows.iter_mut().zip(found) {
        row.reason = reason;
    }
}

fn reason(sides: &Sides, parameters: &[Suggestion], rows: &[Row], row: &Row) -> Option<String> {
    let (promised, traced) = match (row.promised, row.traced) {
        (Some(promised), Some(traced)) => (promised, traced),
        (Some(_), None) => return missing(sides, row),
        _ => return None,
    };
    let most = promised.abs().max(traced.abs());
    if (promised - traced).abs() <= EQUAL * most {
        return None;
    }
    let quantity = row.quantity.as_str();
    if quantity == ITERATIONS || quantity == EXECUTIONS || quantity.starts_with(TRIP_COUNT) {
        return Some(of_iterations(sides, parameters, quantity));
    }
    let is_count = OPERATIONS.contains(&quantity) || quantity.starts_with("loads") || quantity.starts_with("stores");
    if let Some(reason) = branches(sides, parameters).filter(|_| is_count || quantity.starts_with("bytes ")) {
        return Some(reason);
    }
    if OPERATIONS.contains(&quantity) {
        return Some(of_operations(sides, rows, quantity, promised, traced));
    }
    if quantity.starts_with("loads")
        || quantity.starts_with("stores")
        || quantity.starts_with("bytes loaded")
        || quantity.starts_with("bytes stored")
    {
        return Some(of_accesses(sides, quantity, promised, traced));
    }
    if quantity.starts_with("working set") {
        let ratio = traced / promised;
        let is_near = (0.5..=2.0).contains(&ratio);
        return Some(match is_near {
            true => "the step of the reuse curve is known to within a factor of two".to_string(),
            false => "the reuse curve has no step near: what the working set would hold is reused at other distances"
                .to_string(),
        });
    }
    if quantity.starts_with(TRAFFIC) {
        return Some(of_traffic(sides, promised, traced));
    }
    None
}

/// Probabilities of branches in the nest that do not fit the run.
fn branches(sides: &Sides, parameters: &[Suggestion]) -> Option<String> {
    let ids: Vec<&str> = sides.loops().iter().map(|found| sides.places.facts(*found).id.as_str()).collect();
    let about = parameters.iter().filter(|found| found.is_probability);
    let about = about.filter(|found| found.seen_in.iter().any(|id| ids.contains(&id.as_str())));
    let values: Vec<String> = about
        .map(|found| {
            let value = found.value.map_or_else(|| "unknown".to_string(), |value| value.to_string());
            format!("{} is {value} in the report; {:.4} would fit the run", found.parameter, found.fits)
        })
        .collect();
    (!values.is_empty()).then(|| format!("a branch is taken as often as its data say: {}", values.join("; ")))
}

/// A quantity that only the source has.
fn missing(sides: &Sides, row: &Row) -> Option<String> {
    let is_count = row.quantity == ITERATIONS || row.quantity.starts_with(TRIP_COUNT) || row.quantity == EXECUTIONS;
    if is_count {
        let calls: Vec<&str> = replacing_calls(sides);
        return Some(match calls.is_empty() {
            true => "no loop of the machine code is this one: unrolled completely, or merged with another".to_string(),
            false => format!("the compiler made a call of it: {}", calls.join(", ")),
        });
    }
    row.quantity.contains(" of ").then(|| {
        "not seen under a name: local, allocated, or kept in registers; what was accessed is listed by range"
            .to_string()
    })
}

/// Calls of functions that compilers put in place of loops.
fn replacing_calls<'a>(sides: &Sides<'a>) -> Vec<&'a str> {
    let names = sides.traced.calls.keys().map(String::as_str);
    names.filter(|name| replaces_loops(name)).collect()
}

fn of_iterations(sides: &Sides, parameters: &[Suggestion], quantity: &str) -> String {
    let all = sides.loops();
    // A trip count is that of one loop; iterations are those of all.
    let is_meant =
        |found: &&LoopRef| !quantity.starts_with(TRIP_COUNT) || trip_count(sides.places.facts(**found)) == quantity;
    let loops: Vec<LoopRef> = all.iter().filter(is_meant).copied().collect();
    let ids: Vec<&str> = loops.iter().map(|found| sides.places.facts(*found).id.as_str()).collect();
    if quantity != EXECUTIONS {
        let about = parameters.iter().filter(|found| found.seen_in.iter().any(|id| ids.contains(&id.as_str())));
        let values: Vec<String> = about
            .map(|found| {
                let value = found.value.map_or_else(|| "unknown".to_string(), |value| value.to_string());
                format!("{} is {value} in the report; {} would fit the run", found.parameter, found.fits)
            })
            .collect();
        if !values.is_empty() {
            return format!("a parameter does not match: {}", values.join("; "));
        }
    }
    let early = sides.nest().is_some_and(|nest| nest.reasons.iter().any(|code| code.contains("approximate")));
    let calls = replacing_calls(sides);
    match () {
        () if early => "the static count is an estimate (a loop is left early, or its bounds are data)".to_string(),
        () if !calls.is_empty() => format!("the compiler made a call of part of it: {}", calls.join(", ")),
        () if quantity == EXECUTIONS => {
            "the function is called as often as the run needs it; the report counts calls that it sees".to_string()
        }
        () => loops.last().map_or_else(String::new, |found| {
            outer_differs(sides, *found)
                .or_else(|| idle_rounds(sides, *found))
                .unwrap_or_else(|| machine_loops(sides, *found))
        }),
    }
}

/// All rounds of a loop of the nest on both sides.
fn all_rounds(sides: &Sides, found: LoopRef) -> Option<(f64, f64)> {
    let position = sides.loops().iter().position(|one| *one == found)?;
    let promised = (*sides.nest()?.loop_iterations.get(position)?)? * sides.calls();
    Some((promised, sides.join.loops.get(&found)?.rounds as f64))
}

fn agree((promised, traced): (f64, f64)) -> bool {
    (promised - traced).abs() <= EQUAL * promised.abs().max(traced.abs())
}

/// Whether a trip count differs only because the loop around goes round less often.
fn outer_differs(sides: &Sides, found: LoopRef) -> Option<String> {
    let own = all_rounds(sides, found)?;
    agree(own).then(|| format!("its {} iterations agree; those of the loop around it do not", own.1))
}

/// Whether the rounds that are missing do not enter the loop inside, whose iterations agree, and so do nothing.
fn idle_rounds(sides: &Sides, found: LoopRef) -> Option<String> {
    let (promised, traced) = all_rounds(sides, found)?;
    let mut inner = sides.loops().into_iter().skip_while(|one| *one != found).skip(1);
    let is_it = traced < promised && agree(all_rounds(sides, inner.next()?)?);
    is_it.then(|| {
        format!("{} iterations do not enter the loop inside, and the compiler left them out", promised - traced)
    })
}

/// What became of a loop.
fn machine_loops(sides: &Sides, found: LoopRef) -> String {
    let Some(counts) = sides.join.loops.get(&found) else {
        return "no loop of the machine code is this one, and no operation tells its iterations".to_string();
    };
    match counts.machine_loops {
        0 => format!("no loop of the machine code is this one: {} iterations by what is left of it", counts.rounds),
        _ if counts.unrolled > 1 => {
            format!("unrolled: a round of the machine's loop is {} of the source", counts.unrolled)
        }
        _ if counts.peeled > 0 => format!("peeled: {} iterations were done outside of the loop", counts.peeled),
        1 => "one loop of the machine code, entered and left at other places than the source's".to_string(),
        parts => format!("{parts} loops of the machine code, not each with all of its iterations"),
    }
}

fn of_accesses(sides: &Sides, quantity: &str, promised: f64, traced: f64) -> String {
    let iterations = match sides.iterations() {
        (_, Some(traced)) if traced > 0.0 => traced,
        (Some(promised), _) if promised > 0.0 => promised,
        _ => 1.0,
    };
    let is_load = quantity.starts_with("loads") || quantity.starts_with("bytes loaded");
    let count = |accesses: &crate::metrics::profile::Accesses| match is_load {
        true => accesses.loads as f64 / iterations,
        false => accesses.stores as f64 / iterations,
    };
    let mut parts = Vec::new();
    let stack = count(&sides.traced.stack);
    let named = |wanted: &str| {
        let found = sides.traced.data.iter().filter(|(range, _)| sides.profile.data[**range as usize].name == wanted);
        found.map(|(_, accesses)| count(accesses)).sum::<f64>()
    };
    let constants = named("constants");
    if stack > 0.0 {
        parts.push(format!("{} an iteration on the stack: spills, saved registers", short(stack)));
    }
    if constants > 0.0 {
        parts.push(format!("{} of constants", short(constants)));
    }
    if traced > promised {
        return match parts.is_empty() {
            true => "more than the source has: scalars and indices in memory, or values loaded again because a store may have changed them".to_string(),
            false => parts.join("; "),
        };
    }
    let kept = kept_in_registers(sides, is_load, quantity == LOADS || quantity == STORES, traced - stack - constants);
    parts.extend(kept);
    if parts.is_empty() {
        parts.push("fewer than the source has: values are kept in registers".to_string());
    }
    parts.join("; ")
}

/// What the source's references come to if the compiler keeps values in registers, in several degrees; the degree
/// that gives what was seen is named.
fn kept_in_registers(sides: &Sides, is_load: bool, is_total: bool, traced: f64) -> Option<String> {
    let inner = *sides.loops().last()?;
    let facts = &sides.promised.functions[inner.function].loops[inner.number];
    let is_invariant = |array: &Array| !array.subscripts.iter().any(|subscript| mentions(subscript, &facts.var));
    let sum = |of: &dyn Fn(&Array) -> f64| facts.arrays.iter().map(of).sum::<f64>();
    let once = |array: &Array| {
        let uses = |a: &&super::reports::Access| if is_load { a.reads > 0.0 } else { a.writes > 0.0 };
        array.accesses.iter().filter(uses).count() as f64
    };
    let unwritten = |array: &Array| array.accesses.iter().filter(|a| a.reads > 0.0 && (a.writes == 0.0)).count() as f64;
    let unless_invariant = |array: &Array, value: f64| if is_invariant(array) { 0.0 } else { value };
    let distinct = sum(&once);
    let hoisted = sum(&|array| unless_invariant(array, once(array)));
    let near = |value: f64| is_total && (value - traced).abs() <= NEAR * traced.max(value);
    match () {
        () if near(distinct) => {
            Some("each element is accessed once an iteration, however often the source names it".into())
        }
        () if near(hoisted) => Some(format!(
            "each element is accessed once an iteration, and what does not change with {} outside of its loop",
            facts.var
        )),
        () if is_load && near(sum(&|array| unless_invariant(array, unwritten(array)))) => {
            Some("elements that the iteration has written before, or keeps, are not loaded".into())
        }
        () if traced < hoisted => Some("values are carried from one iteration to the next in registers".to_string()),
        () => Some("what does not change in the innermost loop is kept in registers, as far as stores allow".into()),
    }
}

/// Whether a name stands in an expression.
pub fn mentions(text: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.split(|c| !is_word(c)).any(|word| word == name)
}

fn of_traffic(sides: &Sides, promised: f64, traced: f64) -> String {
    let (of_report, of_run) = sides.iterations();
    if let (Some(of_report), Some(of_run)) = (of_report, of_run)
        && (of_report - of_run).abs() > EQUAL * of_run
    {
        return "the iterations differ already".to_string();
    }
    match traced < promised {
        true => "part of the data was still in the cache from earlier nests, or dirty lines were written back after the nest; the model begins with cold caches".to_string(),
        false => "conflicts between lines of one set, dirty lines of earlier nests, stack and constants; the model is fully associative".to_string(),
    }
}

pub(super) fn short(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}
