//! Why does a loop go round more or less often than its source says?
//!
//! The questions in order; the first that has an answer gives the reason:
//!
//! 1. A parameter in its bounds does not fit the run, and this value would (`parameters`).
//! 2. It can be left early, and its counts fit that.
//! 3. The compiler made a call of `memset` or its like of it.
//! 4. The nest was executed more or less often; in all, its own iterations agree, and the loop around it
//!    differs.
//! 5. The compiler left out rounds that do not enter the loop inside.
//!
//! If none is right, what is known is said (loops of the machine code, unrolling, peeled rounds, what the
//! bounds depend on), and no cause.

use super::causes::{Cause, Explanation};
use super::comparison::Suggestion;
use super::machine_loops::replaces_loops;
use super::parameters;
use super::places::LoopRef;
use super::predicted;
use super::quantity::{LoopName, short};
use super::sides::Sides;
use super::tolerance::are_equal;

/// The reason for the row about all iterations of the innermost loop.
pub(super) fn of_iterations(sides: &Sides, parameters: &[Suggestion]) -> String {
    let loops = sides.loops();
    that_do_not_match(sides, parameters, &loops)
        .or_else(|| left_early(sides, &loops))
        .or_else(|| of_calls(sides, &loops))
        .unwrap_or_else(|| {
            loops.last().map_or_else(String::new, |found| {
                other_executions(sides, *found)
                    .or_else(|| outer_differs(sides, *found))
                    .or_else(|| idle_rounds(sides, *found))
                    .unwrap_or_else(|| what_is_known(sides, *found))
            })
        })
}

/// The reason for the row about one loop's trip count, on both sides.
pub(super) fn of_trip_count(
    sides: &Sides,
    parameters: &[Suggestion],
    name: &LoopName,
    (predicted, traced): (f64, f64),
) -> Explanation {
    let Some(found) = sides.places.loop_by_id(sides.target.function, &name.id) else {
        return Explanation::without_amount("");
    };
    let difference = traced - predicted;
    if let Some(words) = that_do_not_match(sides, parameters, &[found]) {
        let trips = predicted::trip_counts(sides.predicted, sides.places, found, parameters);
        let amount = trips.map(|(given, fitting)| (Cause::Parameter, fitting - given));
        return Explanation::of(words, amount);
    }
    if let Some(words) = left_early(sides, &[found]) {
        // A bound that is guessed may be too large.
        let explains =
            traced < predicted && parameters::is_bound_known(sides.predicted, sides.places, found);
        return Explanation::of(words, explains.then_some((Cause::LeftEarly, difference)));
    }
    if let Some(words) = of_calls(sides, &[found]) {
        return Explanation::without_amount(words);
    }
    if let Some(words) = outer_differs(sides, found) {
        return Explanation::of(words, [(Cause::LoopAround, difference)]);
    }
    match idle_rounds(sides, found) {
        Some(words) => Explanation::of(words, [(Cause::IdleRounds, difference)]),
        None => Explanation::without_amount(what_is_known(sides, found)),
    }
}

/// Parameters whose values follow from these loops of the run, and differ from those of the report.
fn that_do_not_match(
    sides: &Sides,
    parameters: &[Suggestion],
    loops: &[LoopRef],
) -> Option<String> {
    let ids: Vec<&str> = loops
        .iter()
        .map(|found| sides.places.facts(*found).id.as_str())
        .collect();
    let about = parameters
        .iter()
        .filter(|found| found.seen_in.iter().any(|id| ids.contains(&id.as_str())));
    let values: Vec<String> = about.map(Suggestion::in_words).collect();
    (!values.is_empty()).then(|| format!("a parameter does not match: {}", values.join("; ")))
}

/// Calls of functions that compilers put in place of loops.
pub(super) fn replacing_calls<'a>(sides: &Sides<'a>) -> Vec<&'a str> {
    let names = sides.traced.calls.keys().map(String::as_str);
    names.filter(|name| replaces_loops(name)).collect()
}

/// The reason for the row about executions.
pub(super) fn of_executions(sides: &Sides) -> String {
    let counts = sides
        .loops()
        .first()
        .and_then(|found| sides.join.loops.get(found))
        .copied()
        .unwrap_or_default();
    let did = match counts.executions() - counts.entries {
        0 => format!("entered the loop {} times", counts.entries),
        idle => format!(
            "executed the loop {} times, {idle} of them without an iteration in a machine loop",
            counts.executions()
        ),
    };
    let outside = match counts.peeled {
        peeled if peeled == 0 || counts.tests > 0 => String::new(),
        peeled => format!(
            "; {peeled} iterations were done outside a machine loop, which has no count of entries"
        ),
    };
    let calls = match sides.calls() {
        1.0 => "1 call".to_string(),
        calls => format!("{} calls", short(calls)),
    };
    format!("the report has {calls} of the function, the run {did}{outside}")
}

fn left_early(sides: &Sides, loops: &[LoopRef]) -> Option<String> {
    let is_left = |found: &&LoopRef| sides.places.facts(**found).exits_early;
    let found = loops.iter().find(is_left)?;
    let (facts, counts) = (sides.places.facts(*found), sides.join.loops.get(found)?);
    let each = counts.rounds as f64 / counts.executions().max(1) as f64;
    Some(format!(
        "the loop of line {} can be left before its bound; the run left it after {} {}{}",
        facts.line,
        short(each),
        match each == 1.0 {
            true => "iteration",
            false => "iterations",
        },
        if counts.executions() > 1 {
            " on average"
        } else {
            ""
        }
    ))
}

/// Calls that did rounds of these loops; others the source may have made itself.
fn of_calls(sides: &Sides, loops: &[LoopRef]) -> Option<String> {
    let calls = replacing_calls(sides);
    let counts = |found: &LoopRef| sides.join.loops.get(found);
    let is_replaced = loops
        .iter()
        .filter_map(counts)
        .any(|counts| counts.replaced > 0 || counts.machine_loops == 0);
    (!calls.is_empty() && is_replaced).then(|| {
        format!(
            "the compiler made a call of part of it: {}",
            calls.join(", ")
        )
    })
}

/// All rounds of a loop of the nest on both sides.
fn all_rounds(sides: &Sides, found: LoopRef) -> Option<(f64, f64)> {
    let position = sides.loops().iter().position(|one| *one == found)?;
    let iterations = *sides.nest()?.loop_iterations.get(position)?;
    let predicted = iterations.known()? * sides.calls();
    Some((predicted, sides.join.loops.get(&found)?.rounds as f64))
}

fn agree((predicted, traced): (f64, f64)) -> bool {
    are_equal(predicted, traced)
}

/// Whether every execution of the nest has as many as the report says.
fn other_executions(sides: &Sides, found: LoopRef) -> Option<String> {
    let (predicted, traced) = all_rounds(sides, found)?;
    let executions = sides.join.loops.get(sides.loops().first()?)?.executions() as f64;
    let calls = sides.calls();
    let explains = executions > 0.0
        && calls > 0.0
        && executions != calls
        && agree((predicted / calls, traced / executions));
    explains.then(|| {
        format!(
            "each execution has the {} of the report; the run has {executions} executions",
            predicted / calls
        )
    })
}

/// Whether a trip count differs only because the loop around goes round less often.
fn outer_differs(sides: &Sides, found: LoopRef) -> Option<String> {
    let own = all_rounds(sides, found)?;
    let around = if sides.loops().first() == Some(&found) {
        "its executions"
    } else {
        "those of the loop around it"
    };
    agree(own).then(|| format!("its {} iterations agree; {around} do not", own.1))
}

/// Whether the rounds that are missing do not enter the loop inside, whose iterations agree, and so do nothing.
fn idle_rounds(sides: &Sides, found: LoopRef) -> Option<String> {
    let (predicted, traced) = all_rounds(sides, found)?;
    let inner = sides
        .loops()
        .into_iter()
        .skip_while(|one| *one != found)
        .nth(1)?;
    let counts = sides.join.loops.get(&inner)?;
    let is_entered_by_each = counts.peeled == 0 && counts.entries as f64 == traced;
    let explains = traced < predicted && is_entered_by_each && agree(all_rounds(sides, inner)?);
    explains.then(|| {
        format!(
            "{} iterations do not enter the loop inside, and the compiler left them out",
            predicted - traced
        )
    })
}

/// What became of a loop, and what its bounds depend on.
fn what_is_known(sides: &Sides, found: LoopRef) -> String {
    let Some(counts) = sides.join.loops.get(&found) else {
        return "no loop of the machine code corresponds to this one, and no operation shows its iterations"
            .to_string();
    };
    let mut known = match counts.machine_loops {
        0 => format!(
            "no loop of the machine code corresponds to this one: {} iterations by what is left of it",
            counts.rounds
        ),
        1 => format!(
            "the machine code has one loop of it: {} iterations",
            counts.rounds
        ),
        parts => format!(
            "the machine code has {parts} loops of it: {} iterations",
            counts.rounds
        ),
    };
    if counts.unrolled > 1 {
        known += &format!(", {} per iteration of the machine loop", counts.unrolled);
    }
    if counts.peeled > 0 && counts.machine_loops > 0 {
        known += &format!(", {} of them outside it", counts.peeled);
    }
    if counts.varies {
        known += "; not the same number each time it was entered";
    }
    let (parameters, is_all) = parameters::in_bounds(sides.predicted, sides.places, found);
    match parameters[..] {
        [] => known,
        [one] if is_all && counts.varies => {
            format!("{known}; its bounds depend on {one}, and no single value of it explains that")
        }
        [one] => format!("{known}; its bounds depend on {one}"),
        _ => {
            format!(
                "{known}; its bounds depend on {}, and the run does not show which of them does not fit",
                parameters.join(", ")
            )
        }
    }
}
