//! What of a nest turned into its opposite: what fits, how arrays are walked through, what may be fused.

use std::fmt;

use indexmap::IndexMap;
use serde::Serialize;

use crate::nest::{Nest, Reuse, Walk};
use crate::report::Figure;
use crate::stride::Stride;
use crate::units::Bytes;

/// Which way it turned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    Better,
    Worse,
}

/// Something that is the opposite of what it was.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Flip {
    /// What a reuse needs fits a cache, or does not.
    LayerCondition {
        direction: Direction,
        cache: String,
        carried_by: String,
        in_between: String,
        old_working_set: Figure,
        new_working_set: Figure,
        /// By symbol, the largest value with which it fits now.
        largest: IndexMap<String, Figure>,
    },
    /// Data says which elements are meant.
    Gather { direction: Direction, array: String },
    /// The innermost loop goes from neighbour to neighbour.
    UnitStride {
        direction: Direction,
        array: String,
        variable: String,
    },
    /// The loops go through the dimensions of arrays in another order.
    LoopOrder {
        direction: Direction,
        arrays: Vec<String>,
        /// Dimensions by loop, outermost loop first; the contiguous dimension is the first one.
        old_dimensions: Vec<usize>,
        new_dimensions: Vec<usize>,
    },
    /// A loop and the next one may be made one.
    Fusion {
        direction: Direction,
        first: String,
        second: String,
        /// Why they may not, on the side where they may not.
        prevented_by: Option<String>,
        arrays: Vec<String>,
    },
    /// Something keeps it from being understood.
    Reason { direction: Direction, code: String },
    /// It does something else, and its figures are unknown on both sides.
    Unknown,
}

/// What turned between the two, fusions aside.
pub(crate) fn of_nests(old: &Nest, new: &Nest) -> Vec<Flip> {
    let mut found = layer_conditions(&old.reuses, &new.reuses);
    found.extend(walks(&old.walks, &new.walks));
    let reason = |code: &String, direction| Flip::Reason {
        direction,
        code: code.clone(),
    };
    let only = |one: &Nest, other: &Nest, direction| -> Vec<Flip> {
        let codes = one.reasons.iter();
        let codes = codes.filter(|code| !other.reasons.contains(code));
        codes.map(|code| reason(code, direction)).collect()
    };
    found.extend(only(new, old, Direction::Worse));
    found.extend(only(old, new, Direction::Better));
    found
}

fn layer_conditions(old: &[Reuse], new: &[Reuse]) -> Vec<Flip> {
    let is_same =
        |a: &Reuse, b: &Reuse| a.carried_by == b.carried_by && a.in_between == b.in_between;
    let mut found = Vec::new();
    for (old, new) in paired(old, new, is_same) {
        for fit in &new.caches {
            let Some(before) = old.caches.iter().find(|cache| cache.name == fit.name) else {
                continue;
            };
            if before.fits != fit.fits {
                found.push(Flip::LayerCondition {
                    direction: match fit.fits {
                        true => Direction::Better,
                        false => Direction::Worse,
                    },
                    cache: fit.name.clone(),
                    carried_by: new.carried_by.clone(),
                    in_between: new.in_between.clone(),
                    old_working_set: old.working_set,
                    new_working_set: new.working_set,
                    largest: fit.largest.clone(),
                });
            }
        }
    }
    found
}

fn walks(old: &[Walk], new: &[Walk]) -> Vec<Flip> {
    let is_same = |a: &Walk, b: &Walk| a.array.eq_ignore_ascii_case(&b.array);
    let pairs = paired(old, new, is_same);
    let (mut found, mut orders) = (Vec::new(), IndexMap::new());
    for walk in new {
        let before = pairs.iter().find(|(_, other)| std::ptr::eq(*other, walk));
        // An array that was not there was walked in no bad way.
        let stride = before.map_or(Stride::None, |(old, _)| old.stride);
        match (turned(stride, walk), before) {
            (Some(flip), _) => found.push(flip),
            (None, Some((old, _))) if is_reordered(&old.order, &walk.order) => {
                let arrays: &mut Vec<String> = orders.entry((&old.order, &walk.order)).or_default();
                arrays.push(walk.array.clone());
            }
            (None, _) => {}
        }
    }
    let reordered = |((old, new), arrays): ((&Vec<usize>, &Vec<usize>), Vec<String>)| {
        let is_worse = new.iter().rev().gt(old.iter().rev());
        Flip::LoopOrder {
            direction: match is_worse {
                true => Direction::Worse,
                false => Direction::Better,
            },
            arrays,
            old_dimensions: old.clone(),
            new_dimensions: new.clone(),
        }
    };
    found.extend(orders.into_iter().map(reordered));
    found
}

/// Whether the dimensions are the same in another order.
fn is_reordered(old: &[usize], new: &[usize]) -> bool {
    let sorted = |order: &[usize]| {
        let mut order = order.to_vec();
        order.sort_unstable();
        order
    };
    old != new && sorted(old) == sorted(new)
}

/// What the walk is now and was not, or the other way round.
fn turned(before: Stride, walk: &Walk) -> Option<Flip> {
    let gather = |direction| Flip::Gather {
        direction,
        array: walk.array.clone(),
    };
    let unit = |direction| Flip::UnitStride {
        direction,
        array: walk.array.clone(),
        variable: walk.variable.clone(),
    };
    match (before, walk.stride) {
        (Stride::Gather, Stride::Gather) | (Stride::Strided, Stride::Strided) => None,
        (_, Stride::Gather) => Some(gather(Direction::Worse)),
        (Stride::Gather, _) => Some(gather(Direction::Better)),
        (_, Stride::Strided) => Some(unit(Direction::Worse)),
        (Stride::Strided, Stride::Unit | Stride::None) => Some(unit(Direction::Better)),
        (Stride::Unit | Stride::None, Stride::Unit | Stride::None) => None,
    }
}

/// Each of one list with its like in the other; what is left, in order.
fn paired<'o, T>(
    old: &'o [T],
    new: &'o [T],
    is_same: impl Fn(&T, &T) -> bool,
) -> Vec<(&'o T, &'o T)> {
    let mut left: Vec<&T> = old.iter().collect();
    let mut pairs: Vec<Option<(&T, &T)>> = Vec::new();
    for item in new {
        let place = left.iter().position(|other| is_same(other, item));
        pairs.push(place.map(|place| (left.remove(place), item)));
    }
    let mut left = left.into_iter();
    for (pair, item) in pairs.iter_mut().zip(new) {
        if pair.is_none() {
            *pair = left.next().map(|other| (other, item));
        }
    }
    pairs.into_iter().flatten().collect()
}

impl Flip {
    /// Which way it turned; what is unknown is not an improvement.
    pub fn direction(&self) -> Direction {
        match self {
            Flip::LayerCondition { direction, .. }
            | Flip::Gather { direction, .. }
            | Flip::UnitStride { direction, .. }
            | Flip::LoopOrder { direction, .. }
            | Flip::Fusion { direction, .. }
            | Flip::Reason { direction, .. } => *direction,
            Flip::Unknown => Direction::Worse,
        }
    }
}

impl fmt::Display for Flip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_worse = self.direction() == Direction::Worse;
        match self {
            Flip::LayerCondition {
                cache,
                carried_by,
                new_working_set,
                largest,
                ..
            } => {
                let how = if is_worse {
                    "no longer fits"
                } else {
                    "fits now"
                };
                write!(f, "what loop {carried_by} reuses {how} {cache}")?;
                if let Some(bytes) = new_working_set.known() {
                    write!(f, ": it needs {}", Bytes(bytes))?;
                }
                for (number, (name, value)) in largest.iter().enumerate() {
                    let Some(value) = value.known() else { continue };
                    let lead = if number == 0 {
                        "; it fits up to"
                    } else {
                        " or"
                    };
                    write!(f, "{lead} {name} = {value}")?;
                }
                Ok(())
            }
            Flip::Gather { array, .. } if is_worse => {
                write!(f, "new gather: data select the elements of {array}")
            }
            Flip::Gather { array, .. } => write!(f, "{array} is no longer gathered"),
            Flip::UnitStride {
                array, variable, ..
            } => {
                let how = if is_worse { "without" } else { "with" };
                write!(f, "loop {variable} now accesses {array} {how} unit stride")
            }
            Flip::LoopOrder {
                arrays,
                old_dimensions,
                new_dimensions,
                ..
            } => {
                let listed = |dimensions: &[usize]| {
                    let texts = dimensions.iter().map(ToString::to_string);
                    texts.collect::<Vec<String>>().join(", ")
                };
                write!(
                    f,
                    "the loops traverse dimensions {} of {}; before it was {}",
                    listed(new_dimensions),
                    arrays.join(", "),
                    listed(old_dimensions)
                )
            }
            Flip::Fusion {
                first,
                second,
                prevented_by,
                ..
            } => {
                let how = if is_worse { "may not" } else { "may" };
                write!(f, "{first} and {second} {how} now be fused")?;
                match prevented_by {
                    Some(why) if is_worse => write!(f, ": {why}"),
                    _ => Ok(()),
                }
            }
            Flip::Reason { code, .. } => match is_worse {
                true => write!(f, "no longer fully understood: {code}"),
                false => write!(f, "{code} no longer limits what is understood"),
            },
            Flip::Unknown => f.write_str("it does something else, and its figures are unknown"),
        }
    }
}
