//! Why does a nest load and store more or less than its source has?
//!
//! First what did not go to its arrays (`beside`): the stack, constants, pointers, other data; these were
//! counted, so each has its amount. Of what is left, the counts of the source are done otherwise (`otherwise`),
//! as a compiler may do them: neighbours kept in registers, elements accessed once. A way is only named if it
//! gives what was seen.
//!
//! ```text
//! static 3 loads, traced 1.004         0.002 constants, counted; 1.002 left
//! of u[i-1], u[i], u[i+1] along i one is new in each iteration: 1, near 1.002         kept  −2
//! ```

use super::beside::{at_least, beside_arrays};
use super::causes::{Cause, Explanation, Reason};
use super::comparison::Row;
use super::machine_loops::replaces_loops;
use super::operations::shared_out;
use super::otherwise::done_otherwise;
use super::quantity::{AccessCount, Direction, Quantity, short};
use super::sides::Sides;
use super::tolerance::{are_near as is_near, are_same_rate};
use crate::analysis::facts::Access;
use crate::report::static_report::ArrayReport;

/// The reason for a row of all accesses of an iteration.
pub(super) fn of_all(
    sides: &Sides,
    rows: &[Row],
    kind: AccessCount,
    (predicted, traced): (f64, f64),
) -> Explanation {
    if traced < predicted {
        // Of the source's bytes, as many accesses as they are of an element.
        let wide = Quantity::Accesses(kind.direction().bytes());
        let bytes = rows.iter().find(|row| row.quantity == wide);
        let of_a_byte = bytes.and_then(|row| Some(predicted / row.predicted?));
        if let Some(reason) = of_callees(sides, kind, of_a_byte) {
            return reason;
        }
    }
    if let Some(reason) = shared_out(sides, predicted, traced) {
        return reason;
    }
    let beside = beside_arrays(sides, kind);
    let rest = traced - beside.iter().map(|part| part.each).sum::<f64>();
    let amounts = beside.iter().map(|part| (part.cause, part.each));
    let mut found = Explanation::of("", amounts);
    let mut words: Vec<String> = beside.into_iter().map(|part| part.words).collect();
    if !is_near(rest, predicted) || words.is_empty() {
        let known = (!is_near(rest, predicted))
            .then(|| of_rest(sides, rows, kind, (predicted, rest)))
            .flatten();
        let of_rest = known.unwrap_or_else(|| unexplained(sides, predicted, rest, kind));
        words.push(of_rest.words);
        found.parts.extend(of_rest.parts);
    }
    found.words = words.join("; ");
    found
}

/// What accounts for the accesses that went to the source's arrays.
fn of_rest(
    sides: &Sides,
    rows: &[Row],
    kind: AccessCount,
    (predicted, rest): (f64, f64),
) -> Option<Explanation> {
    let otherwise = || {
        let found = done_otherwise(sides, None, kind, rest).filter(|_| rest < predicted)?;
        let amount = found.each - predicted;
        Some(Explanation::of(found.words, [(found.cause, amount)]))
    };
    all_in_other_widths(sides, rows, kind, predicted, rest)
        .or_else(|| around(sides, kind, predicted, rest))
        .or_else(otherwise)
}

/// Whether all bytes agree, in accesses of another width.
fn all_in_other_widths(
    sides: &Sides,
    rows: &[Row],
    kind: AccessCount,
    predicted: f64,
    rest: f64,
) -> Option<Explanation> {
    if kind.is_bytes() {
        return None;
    }
    let wide = kind.direction().bytes();
    let quantity = Quantity::Accesses(wide);
    let row = rows.iter().find(|row| row.quantity == quantity)?;
    let beside: f64 = beside_arrays(sides, wide)
        .iter()
        .map(|part| part.each)
        .sum();
    let (bytes, moved) = (row.predicted?, row.traced? - beside);
    is_near(moved, bytes).then(|| widths((predicted, rest), bytes, moved))
}

/// The reason for a row of one array, over the whole run.
pub(super) fn of_array(
    sides: &Sides,
    names: &[String],
    direction: Direction,
    (predicted, traced): (f64, f64),
) -> Explanation {
    let kind = direction.accesses();
    let is_as_many = |(of_report, of_run): (f64, f64)| {
        let (predicted, traced) = (predicted / of_report, traced / of_run);
        of_report != of_run && are_same_rate(predicted, traced)
    };
    let both = sides.iterations();
    if let Some((of_report, of_run)) = both.0.zip(both.1).filter(|both| is_as_many(*both)) {
        let words = "as many per iteration as in the source; the iterations differ";
        let amount = predicted * of_run / of_report - predicted;
        return Explanation::of(words, [(Cause::Iterations, amount)]);
    }
    if traced < predicted
        && let Some(reason) = of_callees(sides, kind, None)
    {
        return reason;
    }
    let (Some(of_report), Some(of_run)) = both else {
        return Explanation::without_amount("the iterations of the run are not known");
    };
    if of_report <= 0.0 || of_run <= 0.0 {
        return Explanation::without_amount("the iterations differ already");
    }
    if traced == 0.0 {
        return Explanation::without_amount(format!(
            "none of the nest's own {} accessed it: values are in registers, or paths were not taken; the counts do not show which",
            if kind.is_load() { "loads" } else { "stores" }
        ));
    }
    let (predicted, traced) = (predicted / of_report, traced / of_run);
    let otherwise = || {
        let found = done_otherwise(sides, Some(names), kind, traced)?;
        let amount = found.each - predicted;
        Some(Explanation::of(found.words, [(found.cause, amount)]))
    };
    let known = (!is_near(predicted, traced))
        .then(|| {
            same_bytes(sides, names, kind, predicted, traced)
                .or_else(|| otherwise().filter(|_| traced < predicted))
        })
        .flatten();
    match known {
        Some(each) => over_run(each, predicted, both),
        None => unexplained(sides, predicted, traced, kind),
    }
}

/// What explains an iteration, over a run of so many iterations on both sides.
fn over_run(
    mut each: Explanation,
    predicted: f64,
    (of_report, of_run): (Option<f64>, Option<f64>),
) -> Explanation {
    let (of_report, of_run) = (of_report.unwrap_or(0.0), of_run.unwrap_or(0.0));
    for part in &mut each.parts {
        part.amount *= of_run;
    }
    each.parts.push(Reason {
        code: Cause::Iterations,
        amount: predicted * (of_run - of_report),
    });
    each
}

/// What functions that the compiler put in place of loops accessed, or where the accesses of others are counted.
/// `of_a_byte` of the source's accesses are made for each byte, if that is known.
fn of_callees(sides: &Sides, kind: AccessCount, of_a_byte: Option<f64>) -> Option<Explanation> {
    let wide = kind.direction().bytes();
    let verb = if kind.is_load() { "loaded" } else { "stored" };
    let is_replaced = sides.loops().iter().any(|found| {
        sides
            .join
            .loops
            .get(found)
            .is_none_or(|counts| counts.replaced > 0)
    });
    let did = sides.traced.calls.iter();
    let did = did.filter(|(name, called)| replaces_loops(name) && wide.of(&called.accesses) > 0.0);
    let mut all = 0.0;
    let did: Vec<String> = did
        .map(|(name, called)| {
            let (bytes, instructions) = (wide.of(&called.accesses), called.instructions);
            all += bytes;
            let is = if is_replaced {
                format!("became a call of {name}, which")
            } else {
                name.clone()
            };
            format!("{is} {verb} {bytes} B in {instructions} instructions")
        })
        .collect();
    if did.is_empty() {
        return elsewhere(sides).map(Explanation::without_amount);
    }
    let amount = of_a_byte
        .filter(|_| is_replaced)
        .map(|of_a_byte| -all / sides.iterations_of_run() * of_a_byte);
    let amount = amount.map(|amount| (Cause::ReplacedByCall, amount));
    Some(Explanation::of(did.join("; "), amount))
}

/// Functions that were called and have lines of their own, where their work is counted.
pub(super) fn elsewhere(sides: &Sides) -> Option<String> {
    let calls = sides
        .traced
        .calls
        .iter()
        .filter(|(_, called)| called.instructions == 0);
    let calls: Vec<String> = calls
        .map(|(name, called)| format!("{name} ({} calls)", called.times))
        .collect();
    (!calls.is_empty()).then(|| {
        format!(
            "what it calls is counted at its own lines: {}",
            calls.join(", ")
        )
    })
}

/// Elements of one size, accessed in words of another: accesses on both sides, the source's bytes and those moved.
fn widths((predicted, traced): (f64, f64), bytes: f64, moved: f64) -> Explanation {
    let words = format!(
        "the bytes agree: {} B per access, where the source's elements have {} B",
        short(bytes / traced),
        short(bytes / predicted)
    );
    // In words as wide as the elements, they would be so many.
    let amount = traced - moved * predicted / bytes;
    Explanation::of(words, [(Cause::AccessWidth, amount)])
}

/// Whether the bytes of an array agree, in accesses of another width.
fn same_bytes(
    sides: &Sides,
    names: &[String],
    kind: AccessCount,
    predicted: f64,
    traced: f64,
) -> Option<Explanation> {
    // Several may have elements of several sizes.
    let [name] = names else { return None };
    let (_, iterations) = sides.iterations();
    let range = sides.range_of(name)?;
    let own = sides
        .traced
        .data
        .iter()
        .filter(|(number, _)| sides.profile.data[**number as usize].name == range);
    let wide = kind.direction().bytes();
    let bytes = own.map(|(_, accesses)| wide.of(accesses)).sum::<f64>() / iterations?;
    let element = sides
        .nest()?
        .references
        .iter()
        .find(|found| found.array == *name)?
        .element_bytes
        .known()?;
    let both = (predicted, traced);
    is_near(bytes, predicted * element).then(|| widths(both, predicted * element, bytes))
}

/// Whether the accesses of the loops around are distributed among more or fewer iterations of the innermost loop.
fn around(sides: &Sides, kind: AccessCount, predicted: f64, traced: f64) -> Option<Explanation> {
    let (of_report, of_run) = sides.innermost_trips()?;
    let inner = *sides.loops().last()?;
    let facts = sides.places.facts(inner);
    let uses = |access: &Access| {
        if kind.is_load() {
            access.reads
        } else {
            access.writes
        }
    };
    let size = |array: &ArrayReport| {
        if kind.is_bytes() {
            array.element_bytes.map_or(8.0, f64::from)
        } else {
            1.0
        }
    };
    let own: f64 = facts
        .arrays
        .iter()
        .map(|array| size(array) * array.accesses.iter().map(uses).sum::<u64>() as f64)
        .sum();
    let shared = predicted - own;
    let each = own + shared * of_report / of_run;
    let follows = of_report != of_run && shared > 0.0 && is_near(each, traced);
    follows.then(|| {
        let words = format!(
            "the loop of line {} iterates {} times each, not {}; the accesses around it are distributed among these",
            facts.line,
            short(of_run),
            short(of_report)
        );
        Explanation::of(words, [(Cause::AccessesAround, each - predicted)])
    })
}

/// What is left.
fn unexplained(sides: &Sides, predicted: f64, rest: f64, kind: AccessCount) -> Explanation {
    let unit = if kind.is_bytes() { " B" } else { "" };
    let what = if kind.is_load() { "loads" } else { "stores" };
    let callees = match sides.traced.called_instructions {
        0 => String::new(),
        called => format!("; {called} instructions of functions that it calls are not among them"),
    };
    let difference = format!("{}{unit} per iteration", at_least((rest - predicted).abs()));
    let more = if rest > predicted { "more" } else { "fewer" };
    Explanation::without_amount(format!(
        "unexplained: {difference} {more} than the source's {what}{callees}"
    ))
}
