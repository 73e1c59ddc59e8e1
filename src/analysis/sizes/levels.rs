//! Which tables hold the sizes of levels, each a whole factor smaller than the next?
//!
//! ```text
//! n(k) = n(k+1) / 2        falls by two from one entry to the one before; the largest is where n(lt) is given
//! m(k) = n(k) + 2          falls like n
//! ```

use rustc_hash::{FxHashMap, FxHashSet};

use super::places::{PlaceId, Places};
use crate::calls::{ProcedureId, Procedures};
use crate::ir::visit::{InLoop, each_value, statements};
use crate::ir::{BinaryOp, Control, Function, Stmt, Value, VarId};

/// Tables are followed through so many copies.
const ROUNDS: usize = 4;

/// A table of sizes that fall, or rise, by a factor from each entry to the next.
#[derive(Clone, PartialEq)]
pub struct LevelTable<L> {
    /// How many times as large an entry is as the next smaller one.
    pub factor: i64,
    /// The subscript that says the level.
    pub dimension: usize,
    /// Whether larger levels have larger sizes.
    pub rises: bool,
    /// The level that is given and not made from another: the one with the largest size, where sizes are divided.
    pub largest: Option<L>,
}

/// A value as a procedure writes it.
type Written<'u> = (ProcedureId, &'u Value);

/// The tables of a program by their places.
pub(super) fn tables<'u>(
    known: &Procedures<'u>,
    places: &Places,
) -> FxHashMap<PlaceId, LevelTable<Written<'u>>> {
    let mut assigned: Vec<(ProcedureId, &'u Value, &'u Value)> = Vec::new();
    for id in known.ids() {
        let function = known.get(id).function;
        statements(&function.body, InLoop::No, &mut |stmt, _| {
            if let Stmt::Assign { target, value, .. } = stmt
                && matches!(target, Value::Element { .. })
            {
                assigned.push((id, target, value));
            }
        });
    }
    let table =
        |id: ProcedureId, value: &Value| places.find_array(known.get(id).function, id, value);
    let recurrences = assigned.iter().filter_map(|(id, target, value)| {
        let place = table(*id, target)?;
        Some((place, recurrence(target, value)?))
    });
    let mut found: FxHashMap<_, _> = agreeing(recurrences);
    if found.is_empty() {
        return found;
    }
    give_largest(known, &assigned, &table, &mut found);
    for _ in 0..ROUNDS {
        let copies = assigned.iter().filter_map(|(id, target, value)| {
            let place = table(*id, target).filter(|place| !found.contains_key(place))?;
            let of = |value: &Value| found.get(&table(*id, value)?).cloned();
            Some((place, copied(target, value, &of)?))
        });
        let copies = agreeing(copies);
        if copies.is_empty() {
            break;
        }
        found.extend(copies);
    }
    found
}

/// Of tables by their places those of which all that is said is the same, in whatever order it is said.
fn agreeing<'u>(
    said: impl Iterator<Item = (PlaceId, LevelTable<Written<'u>>)>,
) -> FxHashMap<PlaceId, LevelTable<Written<'u>>> {
    let mut found: FxHashMap<PlaceId, Option<LevelTable<Written<'u>>>> = FxHashMap::default();
    for (place, table) in said {
        let known = found.entry(place).or_insert_with(|| Some(table.clone()));
        if known.as_ref() != Some(&table) {
            *known = None;
        }
    }
    let agreed = found.into_iter();
    agreed
        .filter_map(|(place, table)| Some((place, table?)))
        .collect()
}

/// `n(k) = n(k+1) / 2`, `n(k+1) = n(k) * 2` and the like.
fn recurrence<'u>(target: &Value, value: &'u Value) -> Option<LevelTable<Written<'u>>> {
    let Value::Binary(
        op @ (BinaryOp::Divide | BinaryOp::ShiftRight | BinaryOp::Multiply),
        left,
        right,
    ) = value.unconverted()
    else {
        return None;
    };
    let (from, Value::Integer(factor @ 2..)) = (left.unconverted(), right.unconverted()) else {
        return None;
    };
    let (
        Value::Element {
            array, subscripts, ..
        },
        Value::Element {
            array: other,
            subscripts: others,
            ..
        },
    ) = (target, from)
    else {
        return None;
    };
    if array != other || subscripts.len() != others.len() {
        return None;
    }
    let mut apart = (subscripts.iter().zip(others).enumerate()).filter(|(_, (a, b))| a != b);
    let (dimension, (own, before)) = apart.next()?;
    let ((own, at), (before, from)) = (counted(own)?, counted(before)?);
    if apart.next().is_some() || own != before || (at - from).abs() != 1 {
        return None;
    }
    let is_divided = *op != BinaryOp::Multiply;
    Some(LevelTable {
        factor: *factor,
        dimension,
        rises: (at > from) != is_divided,
        largest: None,
    })
}

/// Adds the levels that are given and not made from others, where sizes are divided from there on.
fn give_largest<'u>(
    known: &Procedures<'u>,
    assigned: &[(ProcedureId, &'u Value, &'u Value)],
    table: &dyn Fn(ProcedureId, &Value) -> Option<PlaceId>,
    found: &mut FxHashMap<PlaceId, LevelTable<Written<'u>>>,
) {
    let mut is_given_twice: FxHashSet<PlaceId> = FxHashSet::default();
    for (id, target, value) in assigned {
        let (Some(place), Value::Element { subscripts, .. }) = (table(*id, target), target) else {
            continue;
        };
        let Some(of) = found.get_mut(&place) else {
            continue;
        };
        let level = subscripts.get(of.dimension);
        let is_divided = matches!(
            value.unconverted(),
            Value::Binary(BinaryOp::Divide | BinaryOp::ShiftRight, ..)
        );
        let Some(level) = level.filter(|level| {
            !is_divided
                && counted(level).is_some_and(|(id_of, _)| !counts(known.get(*id).function, id_of))
        }) else {
            continue;
        };
        match &of.largest {
            Some((other, known)) if (other, *known) != (id, level) => {
                is_given_twice.insert(place);
            }
            _ => of.largest = Some((*id, level)),
        }
    }
    for place in is_given_twice {
        if let Some(of) = found.get_mut(&place) {
            of.largest = None;
        }
    }
}

/// The table that another is copied from entry by entry, or made from by adding a number.
fn copied<'u>(
    target: &Value,
    value: &Value,
    of: &dyn Fn(&Value) -> Option<LevelTable<Written<'u>>>,
) -> Option<LevelTable<Written<'u>>> {
    let Value::Element { subscripts, .. } = target else {
        return None;
    };
    let mut elements = Vec::new();
    each_value(value, &mut |part| {
        if matches!(part, Value::Element { .. }) {
            elements.push(part);
        }
    });
    let [from] = elements[..] else { return None };
    let sum = match value.unconverted() {
        Value::Binary(BinaryOp::Add | BinaryOp::Subtract, left, right) => {
            [left.unconverted(), right.unconverted()]
        }
        other => [other, other],
    };
    if !sum.contains(&from) {
        return None;
    }
    let table = of(from)?;
    let Value::Element {
        subscripts: others, ..
    } = from
    else {
        return None;
    };
    let level = others.get(table.dimension)?;
    counted(level)?;
    let dimension = subscripts.iter().position(|own| own == level)?;
    Some(LevelTable { dimension, ..table })
}

/// Whether a loop of the function counts the variable.
fn counts(function: &Function, id: VarId) -> bool {
    let mut found = false;
    statements(&function.body, InLoop::No, &mut |stmt, _| {
        if let Stmt::Loop(inner) = stmt
            && let Control::Counted { variable, .. } = &inner.control
        {
            found |= *variable == id;
        }
    });
    found
}

/// A variable and what is added to it.
fn counted(value: &Value) -> Option<(VarId, i64)> {
    match value.unconverted() {
        Value::Variable(id) => Some((*id, 0)),
        Value::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), left, right) => {
            let ((id, by), Value::Integer(more)) = (counted(left)?, right.unconverted()) else {
                return None;
            };
            match op {
                BinaryOp::Add => Some((id, by + more)),
                _ => Some((id, by - more)),
            }
        }
        _ => None,
    }
}
