//! Where does a counter of the program stand when the loop begins that counts it?
//!
//! ```text
//! step = 0                   in a procedure that sets up
//! do                         in another one, which a run calls once
//!   step = step + 1          nothing else gives it another value: 0
//! ```

use rustc_hash::{FxHashMap, FxHashSet};

use super::at_once::run_at_once;
use super::counters::counted;
use super::definition::{Definition, Definitions, is_among};
use super::places::{PlaceId, Places};
use super::truth::begins_with;
use crate::calls::{ProcedureId, Procedures, Target};
use crate::ir::visit::{InLoop, calls_of, statements};
use crate::ir::{Stmt, Value};

/// By places and the procedures that have such loops.
pub(super) type Starts = FxHashMap<(ProcedureId, PlaceId), i64>;

/// The numbers that such counters begin with.
pub(super) fn starts(known: &Procedures, places: &Places, all: &[Definitions]) -> Starts {
    let mut found = Starts::default();
    for id in run_once(known) {
        let function = known.get(id).function;
        // What jumps back to a label may begin a loop again.
        if function
            .body
            .iter()
            .any(|stmt| matches!(stmt, Stmt::Mark { .. }))
        {
            continue;
        }
        let mut steps: FxHashMap<PlaceId, Vec<&Value>> = FxHashMap::default();
        let mut in_several: FxHashSet<PlaceId> = FxHashSet::default();
        for stmt in &function.body {
            let Stmt::Loop(outermost) = stmt else {
                continue;
            };
            let mut own: FxHashMap<PlaceId, Vec<&Value>> = FxHashMap::default();
            statements(&outermost.body, InLoop::Yes, &mut |stmt, _| {
                if let Stmt::Assign { target, value, .. } = stmt
                    && let Some(variable) = target.variable()
                    && counted(variable, value).is_some()
                    && let Some(place) = places.find(function, id, target)
                {
                    own.entry(place).or_default().push(value);
                }
            });
            for (place, values) in own {
                if steps.insert(place, values).is_some() {
                    in_several.insert(place);
                }
            }
        }
        steps.retain(|place, _| !in_several.contains(place));
        for (place, steps) in steps {
            let first = first((known, places), &all[place.at()], place, &steps);
            found.extend(first.map(|first| ((id, place), first)));
        }
    }
    found
}

/// The one number that a place is given, but for the statements that count it.
fn first(
    (known, places): (&Procedures, &Places),
    of: &Definitions,
    place: PlaceId,
    steps: &[&Value],
) -> Option<i64> {
    let is_open = of.is_aliased || of.is_handed_out || !of.passed.is_empty();
    if is_open || places.get(place).array.is_some() {
        return None;
    }
    let mut first = None;
    for definition in &of.assigned {
        let Definition::Value(_, value) = definition else {
            return None;
        };
        if is_among(steps, value) {
            continue;
        }
        match value.unconverted() {
            Value::Integer(number) if first.is_none_or(|first| first == *number) => {
                first = Some(*number);
            }
            _ => return None,
        }
    }
    if !of.begins(places, place) {
        return first;
    }
    let begins = begins_with(known, places, of, place);
    match first {
        None => begins,
        Some(_) if !of.may_be_read_first() => first,
        Some(_) => first.filter(|_| begins == first),
    }
}

/// The procedures that every run calls once: they are called in one place, where no condition and no loop is around.
fn run_once(known: &Procedures) -> Vec<ProcedureId> {
    let mut calls: FxHashMap<ProcedureId, u32> = FxHashMap::default();
    for id in known.ids() {
        statements(&known.get(id).function.body, InLoop::No, &mut |stmt, _| {
            calls_of(stmt, &mut |name, _| match known.target(id, name) {
                Target::Body(callee) | Target::Recursive(callee) => {
                    *calls.entry(callee).or_default() += 1;
                }
                _ => {
                    for callee in known.candidates(id, name) {
                        *calls.entry(callee).or_default() += 2;
                    }
                }
            });
        });
    }
    let at_once = run_at_once(known).into_iter();
    at_once
        .filter(|id| match known.get(*id).function.is_main {
            true => !calls.contains_key(id),
            false => calls.get(id) == Some(&1),
        })
        .collect()
}
