//! Why do the two sides of a row differ, from what was seen?
//!
//! Each cause is tried against the numbers: one that does not explain the difference is not named. The order of
//! the questions is that of dependence. Parameters that do not fit come first, as everything else follows from
//! them; then branches that are taken in another share; then what the compiler changed. Rows of one kind have a
//! file each: `iterations`, `operations`, `accesses`; here they are put together.
//!
//! Iterations are a product of executions and trip counts, so the amounts of these are found by changing one
//! after the other, the outermost first ([`by_loop`]):
//!
//! ```text
//!             executions   trips of j   trips of i    iterations
//! static      20           100          998           1,996,000
//!             10           100          998             998,000     executions  −998,000
//! traced      10           100          500             500,000     trips of i  −498,000 = 10·100·(−498)
//! ```
//!
//! A traced number that is not certain needs no cause: the row says why it is not.

use super::accesses;
use super::causes::{Cause, Explanation, Reason, State, closed};
use super::comparison::{Row, Suggestion};
use super::counts::LoopCounts;
use super::doubts::Doubt;
use super::iterations::{of_executions, of_iterations, of_trip_count, replacing_calls};
use super::operations::of_operations;
use super::places::LoopRef;
use super::quantity::{Object, Quantity};
use super::sides::Sides;
use super::tolerance::{NEAR, REUSE_BIN, are_equal, are_same_rate, is_whole};

/// Adds a reason to every row whose sides differ, and what the difference consists of.
pub fn explain(sides: &Sides, parameters: &[Suggestion], rows: &mut [Row]) {
    let found: Vec<Option<Explanation>> = rows
        .iter()
        .map(|row| reason(sides, parameters, rows, row))
        .collect();
    for (row, found) in rows.iter_mut().zip(found) {
        let is_about = |doubt: &Doubt| row.traced.is_some() || doubt.leaves_none();
        let doubt = doubt(sides, &row.quantity).filter(is_about);
        row.unsure = doubt.map(|doubt| doubt.to_string());
        let both = row.predicted.zip(row.traced);
        row.state = State::of(both, doubt.is_none());
        // What is not certain needs no cause.
        let found = match doubt {
            Some(doubt) => Some(Explanation::without_amount(format!(
                "* not certain: {doubt}"
            ))),
            None => found,
        };
        let parts = found.as_ref().map_or(&[][..], |found| &found.parts);
        row.reasons = both.map_or_else(Vec::new, |both| closed(parts, both));
        row.reason = found.map(|found| found.words);
    }
}

/// Why the traced side of a quantity is not certain: it is a count of executions or rounds, or a quotient by these.
fn doubt(sides: &Sides, quantity: &Quantity) -> Option<Doubt> {
    let loops = sides.loops();
    let doubts = |found: Option<&LoopRef>| sides.join.loops.get(found?).map(|one| one.doubts);
    match quantity {
        Quantity::Executions => doubts(loops.first())?.executions,
        Quantity::Operations(_) if sides.traced.operations.vector > 0 => {
            Some(Doubt::VectorLengths {
                instructions: sides.traced.operations.vector,
            })
        }
        Quantity::VectorLength if sides.traced.vectors.unknown > 0 => Some(Doubt::VectorLengths {
            instructions: sides.traced.vectors.unknown,
        }),
        Quantity::Operations(_) if sides.traced.operations.masked > 0 => Some(Doubt::Masked {
            operations: sides.traced.operations.masked,
        }),
        Quantity::Iterations | Quantity::Operations(_) | Quantity::Accesses(_) => {
            doubts(loops.last())?.rounds
        }
        Quantity::TripCount(name) => {
            let position =
                (loops.iter()).position(|found| sides.places.facts(*found).id == name.id)?;
            let own = doubts(loops.get(position))?;
            let around = match position.checked_sub(1) {
                // Where nothing is known of the loop around, its own executions stand for the rounds of that.
                Some(outer) => match sides.join.loops.get(&loops[outer]) {
                    Some(outer) if outer.rounds > 0 => outer.doubts.rounds,
                    _ => own.executions,
                },
                None => own.executions,
            };
            own.rounds.or(around)
        }
        _ => None,
    }
}

fn reason(
    sides: &Sides,
    parameters: &[Suggestion],
    rows: &[Row],
    row: &Row,
) -> Option<Explanation> {
    let (predicted, traced) = match (row.predicted, row.traced) {
        (Some(predicted), Some(traced)) => (predicted, traced),
        (Some(_), None) => return missing(sides, row).map(Explanation::without_amount),
        // Of the nest's own instructions alone.
        (None, Some(_)) if matches!(row.quantity, Quantity::Edag(_)) => {
            return without_callees(sides).map(Explanation::without_amount);
        }
        _ => return None,
    };
    if are_equal(predicted, traced) {
        return None;
    }
    let both = (predicted, traced);
    let by_branches = |each| branches(sides, parameters, both, each);
    let iterations = sides.iterations_of_run();
    match &row.quantity {
        Quantity::Executions => Some(Explanation::without_amount(of_executions(sides))),
        Quantity::TripCount(name) => Some(of_trip_count(sides, parameters, name, both)),
        Quantity::Iterations => {
            let parts = by_loop(sides, parameters, rows, both);
            let words = of_iterations(sides, parameters);
            Some(Explanation { words, parts })
        }
        Quantity::Operations(operation) => {
            by_branches(iterations).or_else(|| Some(of_operations(sides, rows, *operation, both)))
        }
        Quantity::Accesses(count) => {
            by_branches(iterations).or_else(|| Some(accesses::of_all(sides, rows, *count, both)))
        }
        Quantity::Object(_, Object::Arrays { .. })
            if doubt(sides, &Quantity::Iterations).is_some() =>
        {
            let words = "the iterations of the run are not certain";
            Some(Explanation::without_amount(words))
        }
        Quantity::Object(direction, Object::Arrays { names, .. }) => {
            by_branches(1.0).or_else(|| Some(accesses::of_array(sides, names, *direction, both)))
        }
        Quantity::WorkingSet(_) => Some(of_working_set(predicted, traced)),
        Quantity::Traffic { .. } => {
            let words = of_traffic(sides, predicted, traced);
            Some(Explanation::without_amount(words))
        }
        // They have one side only.
        Quantity::Object(_, Object::Range { .. })
        | Quantity::Instructions
        | Quantity::VectorLength
        | Quantity::Footprint
        | Quantity::TimeEstimate
        | Quantity::Edag(_)
        | Quantity::Epochs { .. }
        | Quantity::Camat(_) => None,
    }
}

/// What executions and the trips of each loop contribute to all iterations: these are their product, so that each counts
/// by itself when they are changed one after the other, the outermost first.
fn by_loop(
    sides: &Sides,
    parameters: &[Suggestion],
    rows: &[Row],
    (predicted, traced): (f64, f64),
) -> Vec<Reason> {
    let is_factor =
        |row: &&Row| matches!(row.quantity, Quantity::Executions | Quantity::TripCount(_));
    let factors: Vec<&Row> = rows.iter().filter(is_factor).collect();
    let sides_of = |row: &&Row| row.predicted.zip(row.traced);
    let Some(known) = factors.iter().map(sides_of).collect::<Option<Vec<_>>>() else {
        return Vec::new();
    };
    let products = known
        .iter()
        .fold((1.0, 1.0), |all, one| (all.0 * one.0, all.1 * one.1));
    let is_certain = factors
        .iter()
        .all(|row| doubt(sides, &row.quantity).is_none());
    if !is_certain || !are_same_rate(products.0, predicted) || !are_same_rate(products.1, traced) {
        return Vec::new();
    }
    let mut parts = Vec::new();
    for (position, (row, one)) in factors.iter().zip(&known).enumerate() {
        let before: f64 = known[..position].iter().map(|one| one.1).product();
        let after: f64 = known[position + 1..].iter().map(|one| one.0).product();
        let own = match row.quantity {
            Quantity::Executions => vec![Reason {
                code: Cause::Executions,
                amount: one.1 - one.0,
            }],
            _ => reason(sides, parameters, rows, row).map_or_else(Vec::new, |found| found.parts),
        };
        let scaled = |part: Reason| Reason {
            amount: before * part.amount * after,
            ..part
        };
        parts.extend(own.into_iter().map(scaled));
    }
    parts
}

fn of_working_set(predicted: f64, traced: f64) -> Explanation {
    match REUSE_BIN.contains(&(traced / predicted)) {
        true => Explanation::of(
            "the step of the reuse curve is known to within a factor of two",
            [(Cause::Resolution, traced - predicted)],
        ),
        false => Explanation::without_amount(
            "the reuse curve has no step nearby: data in the working set are reused at other distances",
        ),
    }
}

/// Probabilities of branches in the nest that do not fit the run, if they can make such a difference: what is done in an
/// arm changes in proportion. The sides are those of one of so many iterations; of the whole run where that is 1.
fn branches(
    sides: &Sides,
    parameters: &[Suggestion],
    (predicted, traced): (f64, f64),
    iterations: f64,
) -> Option<Explanation> {
    let difference = traced - predicted;
    let ids: Vec<&str> = sides
        .loops()
        .iter()
        .map(|found| sides.places.facts(*found).id.as_str())
        .collect();
    let about = parameters.iter().filter(|found| found.is_probability);
    let about: Vec<&Suggestion> = about
        .filter(|found| found.seen_in.iter().any(|id| ids.contains(&id.as_str())))
        .collect();
    let most = |found: &&Suggestion| {
        let value = found.value.unwrap_or(0.5);
        (value - found.fits).abs() / value.min(1.0 - value).max(f64::MIN_POSITIVE)
    };
    let possible = predicted.abs() * about.iter().map(most).sum::<f64>();
    if about.is_empty() || difference.abs() > possible * (1.0 + NEAR) {
        return None;
    }
    let values: Vec<String> = about
        .iter()
        .map(|found| {
            let value = found
                .value
                .map_or_else(|| "unknown".to_string(), |value| value.to_string());
            format!(
                "{} is {value} in the report; {:.4} would fit the run",
                found.parameter, found.fits
            )
        })
        .collect();
    let words = format!(
        "a branch is taken as often as its data say: {}",
        values.join("; ")
    );
    let closes = match about[..] {
        [one] => is_whole_in_arm(sides, one, difference * iterations),
        _ => false,
    };
    let amount = closes.then_some((Cause::Branch, difference));
    Some(Explanation::of(words, amount))
}

/// Whether a difference over the whole run is a whole number for each time that an arm is taken more or less often.
fn is_whole_in_arm(sides: &Sides, branch: &Suggestion, difference: f64) -> bool {
    let is_of = |found: &&LoopRef| branch.seen_in.contains(&sides.places.facts(**found).id);
    let loops = sides.loops();
    let counts = loops.iter().find(is_of);
    let rounds = counts.and_then(|found| Some(sides.join.loops.get(found)?.rounds as f64));
    let taken = rounds.zip(branch.value);
    let each = taken.map(|(rounds, value)| difference / (rounds * (branch.fits - value)));
    each.is_some_and(|each| each.round() != 0.0 && is_whole(each))
}

/// Figures of the nest's own instructions, where others were executed on its behalf.
fn without_callees(sides: &Sides) -> Option<String> {
    let called = sides
        .traced
        .calls
        .iter()
        .filter(|(_, called)| called.instructions > 0);
    let names: Vec<&str> = called.map(|(name, _)| name.as_str()).collect();
    (!names.is_empty()).then(|| {
        format!(
            "of its own {} instructions, without the {} of functions that it calls: {}",
            sides.traced.instructions,
            sides.traced.called_instructions,
            names.join(", ")
        )
    })
}

/// A quantity that only the source has.
fn missing(sides: &Sides, row: &Row) -> Option<String> {
    if row.quantity.is_count_of_rounds() {
        let counts = counted(sides, &row.quantity)
            .and_then(|found| sides.join.loops.get(&found))
            .copied();
        let counts = counts.unwrap_or_default();
        let calls: Vec<&str> = replacing_calls(sides);
        return Some(match counts {
            LoopCounts { machine_loops: 0, .. } if !calls.is_empty() => {
                format!("became a call of {}", calls.join(", "))
            }
            LoopCounts { machine_loops: 0, .. } => {
                "no loop of the machine code corresponds to this one, and what is left of it does not show the count".to_string()
            }
            LoopCounts { peeled: 1.., .. } => {
                format!(
                    "{} iterations were done outside a machine loop, which has no count of entries",
                    counts.peeled
                )
            }
            _ => "it was entered from outside machine loops, where the number of entries is not visible".to_string(),
        });
    }
    matches!(row.quantity, Quantity::Object(..)).then(|| {
        "no access was seen under this name; what was accessed is listed by range, under the names of variables, or as heap, \
         stack or constants"
            .to_string()
    })
}

/// The loop that a row about executions, iterations or a trip count is about.
fn counted(sides: &Sides, quantity: &Quantity) -> Option<LoopRef> {
    let loops = sides.loops();
    match quantity {
        Quantity::Executions => loops.first().copied(),
        Quantity::TripCount(name) => sides.places.loop_by_id(sides.target.function, &name.id),
        _ => loops.last().copied(),
    }
}

fn of_traffic(sides: &Sides, predicted: f64, traced: f64) -> String {
    let (of_report, of_run) = sides.iterations();
    if let (Some(of_report), Some(of_run)) = (of_report, of_run)
        && !are_equal(of_report, of_run)
    {
        return "the iterations differ already".to_string();
    }
    let is_replaced = traced < predicted && !replacing_calls(sides).is_empty();
    if let Some(reason) = without_callees(sides).filter(|_| is_replaced) {
        return reason;
    }
    let difference = (traced - predicted).abs();
    match traced < predicted {
        true => format!(
            "unexplained: {difference} B less than the model has; the model starts with cold caches, takes every line \
             that the subscripts may touch, and writes all changed lines back at the end, whereas a run leaves them"
        ),
        false => format!(
            "unexplained: {difference} B more than the model has; the model is fully associative and starts with empty \
             caches, whereas a run has conflicts, and changed lines of earlier code to write back"
        ),
    }
}
