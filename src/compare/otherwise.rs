//! What do the accesses of the source come to where a compiler does them otherwise?
//!
//! The ways, each as a count of one iteration: every element once; elements that do not change in the loop
//! outside of it; and of neighbours along the loop only the leading one, the others being kept from the
//! iterations before. The way that gives what was seen is named. Only for nests whose accesses are all in the
//! innermost loop and on no condition: for others the counts of the ways are not exact.

use std::collections::BTreeMap;

use super::causes::Cause;
use super::quantity::AccessCount;
use super::sides::Sides;
use super::tolerance::are_near as is_near;
use crate::analysis::facts::Access;
use crate::report::static_report::ArrayReport;

/// One of the ways.
pub(super) struct Otherwise {
    pub cause: Cause,
    /// Accesses or bytes of an iteration, done so.
    pub each: f64,
    pub words: String,
}

impl Otherwise {
    fn once(each: f64, words: String) -> Otherwise {
        let cause = Cause::OnceEach;
        Otherwise { cause, each, words }
    }

    fn kept(each: f64, words: String) -> Otherwise {
        let cause = Cause::Kept;
        Otherwise { cause, each, words }
    }
}

/// What the source's references come to if they are done otherwise; the way that gives what was seen is named. Only of
/// nests whose accesses are all in the innermost loop, and on no condition.
pub(super) fn done_otherwise(
    sides: &Sides,
    names: Option<&[String]>,
    kind: AccessCount,
    traced: f64,
) -> Option<Otherwise> {
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
            .any(|subscript| subscript.mentions(&facts.var))
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
    let near = |found: &Otherwise| is_near(found.each, traced);
    let outside = sum(&|array| unless_invariant(array, once(array)));
    let unless_kept = || sum(&|array| unless_invariant(array, unwritten(array)));
    let first_of_neighbours = || {
        sum(&|array| {
            let leading = || leading(array, &facts.var).unwrap_or(f64::NAN);
            if is_invariant(array) { 0.0 } else { leading() }
        })
    };
    let ways = [
        Some(Otherwise::once(
            sum(&once),
            "each element is accessed once per iteration, however often the source names it".into(),
        )),
        Some(Otherwise::once(
            outside,
            format!(
                "each element is accessed once per iteration, or outside the loop if it does not change with {}",
                facts.var
            ),
        )),
        kind.is_load().then(|| {
            Otherwise::kept(
                unless_kept(),
                "elements that the iteration has already written, or keeps, are not loaded".into(),
            )
        }),
        kind.is_load().then(|| {
            Otherwise::kept(
                first_of_neighbours(),
                format!(
                    "what the previous iteration loaded or stored stays in registers: of neighbours along {} only one is loaded",
                    facts.var
                ),
            )
        }),
    ];
    ways.into_iter().flatten().find(near)
}

/// Loads per iteration that are left if of elements that follow one another in the innermost loop one is loaded, and
/// none that a store leaves in a register.
fn leading(array: &ArrayReport, variable: &str) -> Option<f64> {
    let mut moving =
        (0..array.subscripts.len()).filter(|at| array.subscripts[*at].mentions(variable));
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
