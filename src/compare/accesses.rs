//! Why a nest loads and stores more or less than its source has. Parts that were counted are named, with how much of the
//! difference they are; for the rest no cause is given but where the counts of the source, done otherwise, give exactly
//! what was seen.

use std::collections::{BTreeMap, BTreeSet};

use super::comparison::Row;
use super::machine_loops::replaces_loops;
use super::names::{is_structure_of, is_variable_of, mentions};
use super::operations::shared_out;
use super::quantity::{AccessCount, Direction, Quantity, short};
use super::sides::Sides;
use super::tolerance::{are_near as is_near, are_same_rate};
use crate::analysis::facts::Access;
use crate::metrics::profile::RangeKind;
use crate::report::static_report::ArrayReport;

/// The reason for a row of all accesses of an iteration.
pub(super) fn of_all(
    sides: &Sides,
    rows: &[Row],
    kind: AccessCount,
    (promised, traced): (f64, f64),
) -> String {
    if let Some(reason) = of_callees(sides, kind).filter(|_| traced < promised) {
        return reason;
    }
    if let Some(reason) = shared_out(sides, promised, traced) {
        return reason;
    }
    let mut parts = beside_arrays(sides, kind);
    let beside: f64 = parts.iter().map(|part| part.0).sum();
    let rest = traced - beside;
    let mut words: Vec<String> = parts.drain(..).map(|part| part.1).collect();
    let unit = if kind.is_bytes() { " B" } else { "" };
    if !is_near(rest, promised) {
        let found = all_in_other_widths(sides, rows, kind, promised, rest)
            .or_else(|| around(sides, kind, promised, rest))
            .or_else(|| done_otherwise(sides, None, kind, rest).filter(|_| rest < promised));
        words.push(found.unwrap_or_else(|| unexplained(sides, promised, rest, unit, kind)));
    } else if words.is_empty() {
        words.push(unexplained(sides, promised, rest, unit, kind));
    }
    words.join("; ")
}

/// Whether all bytes agree, in accesses of another width.
fn all_in_other_widths(
    sides: &Sides,
    rows: &[Row],
    kind: AccessCount,
    promised: f64,
    rest: f64,
) -> Option<String> {
    if kind.is_bytes() {
        return None;
    }
    let wide = kind.direction().bytes();
    let quantity = Quantity::Accesses(wide);
    let row = rows.iter().find(|row| row.quantity == quantity)?;
    let beside: f64 = beside_arrays(sides, wide).iter().map(|part| part.0).sum();
    let bytes = row.promised?;
    is_near(row.traced? - beside, bytes).then(|| widths(promised, rest, bytes))
}

/// The reason for a row of one array, over the whole run.
pub(super) fn of_array(
    sides: &Sides,
    names: &[String],
    direction: Direction,
    (promised, traced): (f64, f64),
) -> String {
    let kind = direction.accesses();
    let is_as_many = |(of_report, of_run): (f64, f64)| {
        let (promised, traced) = (promised / of_report, traced / of_run);
        of_report != of_run && are_same_rate(promised, traced)
    };
    let (of_report, of_run) = sides.iterations();
    if of_report.zip(of_run).is_some_and(is_as_many) {
        return "as many an iteration as the source has; the iterations differ".to_string();
    }
    if let Some(reason) = of_callees(sides, kind).filter(|_| traced < promised) {
        return reason;
    }
    let (Some(of_report), Some(of_run)) = (of_report, of_run) else {
        return "the iterations of the run are not known".to_string();
    };
    if of_report <= 0.0 || of_run <= 0.0 {
        return "the iterations differ already".to_string();
    }
    if traced == 0.0 {
        return format!(
            "none of the nest's own {} went to it: values in registers, or paths not taken; which, counts do not tell",
            if kind.is_load() { "loads" } else { "stores" }
        );
    }
    let (promised, traced) = (promised / of_report, traced / of_run);
    if is_near(promised, traced) {
        return unexplained(sides, promised, traced, "", kind);
    }
    same_bytes(sides, names, kind, promised, traced)
        .or_else(|| done_otherwise(sides, Some(names), kind, traced).filter(|_| traced < promised))
        .unwrap_or_else(|| unexplained(sides, promised, traced, "", kind))
}

/// What functions that the compiler put in place of loops accessed, or where the accesses of others are counted.
fn of_callees(sides: &Sides, kind: AccessCount) -> Option<String> {
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
    let did: Vec<String> = did
        .map(|(name, called)| {
            let (bytes, instructions) = (wide.of(&called.accesses), called.instructions);
            let is = if is_replaced {
                format!("became a call of {name}, which")
            } else {
                name.clone()
            };
            format!("{is} {verb} {bytes} B in {instructions} instructions")
        })
        .collect();
    if !did.is_empty() {
        return Some(did.join("; "));
    }
    elsewhere(sides)
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

/// Accesses of an iteration that are none of the source's arrays, most first, in words.
fn beside_arrays(sides: &Sides, kind: AccessCount) -> Vec<(f64, String)> {
    let iterations = match sides.iterations() {
        (_, Some(traced)) if traced > 0.0 => traced,
        (Some(promised), _) if promised > 0.0 => promised,
        _ => 1.0,
    };
    let unit = if kind.is_bytes() { " B" } else { "" };
    let mut parts = Vec::new();
    let mut add = |count: f64, what: &str| {
        if count > 0.0 {
            let each = count / iterations;
            parts.push((
                each,
                format!("{}{unit} an iteration {what}", at_least(each)),
            ));
        }
    };
    add(
        kind.of(&sides.traced.stack),
        "by the stack pointer: spills, saved registers, locals",
    );
    let arrays: Vec<&str> = sides.nest().map_or_else(Vec::new, |nest| {
        nest.references
            .iter()
            .map(|array| array.array.as_str())
            .collect()
    });
    let range_of = |array: &str| sides.range_of(array);
    // An array that was not found may lie in any of them.
    let all_known = arrays.iter().all(|array| range_of(array).is_some());
    for (range, accesses) in &sides.traced.data {
        let range = &sides.profile.data[*range as usize];
        let is_pointer = arrays
            .iter()
            .any(|array| is_variable_of(&range.name, array));
        let said: BTreeSet<&str> = arrays
            .iter()
            .filter(|array| is_structure_of(&range.name, array))
            .copied()
            .collect();
        let each: Vec<&str> = said.into_iter().collect();
        match () {
            () if arrays
                .iter()
                .any(|array| range_of(array) == Some(&range.name)) => {}
            () if range.kind() == RangeKind::Constants => add(kind.of(accesses), "of constants"),
            () if is_pointer => add(
                kind.of(accesses),
                &format!("of {}, which says where the array is", range.name),
            ),
            () if !each.is_empty() => {
                let what = format!(
                    "of {}, whose members say where {} lie",
                    range.name,
                    each.join(", ")
                );
                add(kind.of(accesses), &what);
            }
            () if !all_known => {}
            () if range.kind() == RangeKind::Stack => add(kind.of(accesses), "on the stack"),
            () if range.is_variable => {
                let what = if kind.is_load() { "of" } else { "to" };
                add(kind.of(accesses), &format!("{what} {}", range.name));
            }
            () if range.high - range.low <= 8 => {
                let what = format!(
                    "of {}, at most 8 bytes in one place: a pointer or another scalar",
                    range.name
                );
                add(kind.of(accesses), &what);
            }
            () => {}
        }
    }
    parts.sort_by(|a, b| b.0.total_cmp(&a.0));
    parts
}

fn at_least(value: f64) -> String {
    if value < 0.001 {
        "less than 0.001".to_string()
    } else {
        short(value)
    }
}

/// Elements of one size, accessed in words of another.
fn widths(promised: f64, traced: f64, bytes: f64) -> String {
    format!(
        "the bytes agree: {} B an access, where the source's elements have {} B",
        short(bytes / traced),
        short(bytes / promised)
    )
}

/// Whether the bytes of an array agree, in accesses of another width.
fn same_bytes(
    sides: &Sides,
    names: &[String],
    kind: AccessCount,
    promised: f64,
    traced: f64,
) -> Option<String> {
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
    is_near(bytes, promised * element).then(|| widths(promised, traced, bytes))
}

/// Whether the accesses of the loops around are shared out among more or fewer iterations of the innermost loop.
fn around(sides: &Sides, kind: AccessCount, promised: f64, traced: f64) -> Option<String> {
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
    let shared = promised - own;
    let is_it =
        of_report != of_run && shared > 0.0 && is_near(own + shared * of_report / of_run, traced);
    is_it.then(|| {
        format!(
            "the loop of line {} goes round {} times each, not {}; the accesses around it are shared out among these",
            facts.line,
            short(of_run),
            short(of_report)
        )
    })
}

/// What the source's references come to if they are done otherwise; the way that gives what was seen is named. Only of
/// nests whose accesses are all in the innermost loop, and on no condition.
fn done_otherwise(
    sides: &Sides,
    names: Option<&[String]>,
    kind: AccessCount,
    traced: f64,
) -> Option<String> {
    let inner = *sides.loops().last().filter(|_| traced > 0.0)?;
    let facts = sides.places.facts(inner);
    let arrays: Vec<&ArrayReport> = facts
        .arrays
        .iter()
        .filter(|array| names.is_none_or(|names| names.contains(&array.name)))
        .collect();
    let is_invariant = |array: &ArrayReport| {
        !array
            .subscripts
            .iter()
            .any(|subscript| mentions(subscript, &facts.var))
    };
    let size = |array: &ArrayReport| {
        if kind.is_bytes() {
            array.element_bytes.map_or(8.0, f64::from)
        } else {
            1.0
        }
    };
    let sum = |of: &dyn Fn(&ArrayReport) -> f64| {
        arrays
            .iter()
            .map(|array| of(array) * size(array))
            .sum::<f64>()
    };
    let uses = |access: &&Access| {
        if kind.is_load() {
            access.reads > 0
        } else {
            access.writes > 0
        }
    };
    let once = |array: &ArrayReport| array.accesses.iter().filter(uses).count() as f64;
    let unwritten = |array: &ArrayReport| {
        array
            .accesses
            .iter()
            .filter(|access| access.reads > 0 && access.writes == 0)
            .count() as f64
    };
    let unless_invariant =
        |array: &ArrayReport, value: f64| if is_invariant(array) { 0.0 } else { value };
    let near = |value: f64| is_near(value, traced);
    match () {
        () if near(sum(&once)) => Some(
            "each element is accessed once an iteration, however often the source names it".into(),
        ),
        () if near(sum(&|array| unless_invariant(array, once(array)))) => Some(format!(
            "each element is accessed once an iteration, and what does not change with {} outside of its loop",
            facts.var
        )),
        () if kind.is_load() && near(sum(&|array| unless_invariant(array, unwritten(array)))) => {
            Some("elements that the iteration has written before, or keeps, are not loaded".into())
        }
        () if kind.is_load()
            && near(sum(&|array| {
                if is_invariant(array) {
                    0.0
                } else {
                    leading(array, &facts.var).unwrap_or(f64::NAN)
                }
            })) =>
        {
            Some(format!(
                "what the iteration before has loaded or stored stays in registers: of neighbours along {} one is loaded",
                facts.var
            ))
        }
        () => None,
    }
}

/// Loads an iteration that are left if of elements that follow one another in the innermost loop one is loaded, and
/// none that a store leaves in a register.
fn leading(array: &ArrayReport, variable: &str) -> Option<f64> {
    let mut moving =
        (0..array.subscripts.len()).filter(|at| mentions(&array.subscripts[*at], variable));
    let (Some(along), None) = (moving.next(), moving.next()) else {
        return None;
    };
    let mut rows: BTreeMap<Vec<i64>, bool> = BTreeMap::new();
    for access in &array.accesses {
        let others = access
            .offset
            .iter()
            .enumerate()
            .filter(|(at, _)| *at != along);
        let others = others.map(|(_, offset)| *offset).collect();
        *rows.entry(others).or_default() |= access.writes > 0;
    }
    Some(rows.values().filter(|is_written| !**is_written).count() as f64)
}

/// What is left.
fn unexplained(sides: &Sides, promised: f64, rest: f64, unit: &str, kind: AccessCount) -> String {
    let what = if kind.is_load() { "loads" } else { "stores" };
    let callees = match sides.traced.called_instructions {
        0 => String::new(),
        called => format!("; {called} instructions of functions that it calls are not among them"),
    };
    let difference = format!("{}{unit} an iteration", at_least((rest - promised).abs()));
    match rest > promised {
        true => format!("unexplained: {difference} more than the source's {what}{callees}"),
        false => format!("unexplained: {difference} fewer than the source's {what}{callees}"),
    }
}
