//! Groups of elements side by side, which are loaded and stored in vectors.

use crate::analysis::facts::{Access, Loop, Stream, Subscript};

/// References of a loop to elements side by side that the next iteration steps over as a whole.
#[derive(Clone, Copy)]
pub(super) struct Group {
    pub members: u64,
    /// Whether each of them is treated in its own way, so that vectors have to be taken apart: not so where a loop is written
    /// out a few times, such as `x[i]`, `x[i + 1]` in steps of two.
    pub is_shuffled: bool,
}

/// The most that loops are written out by hand.
const MOST_WRITTEN_OUT: i64 = 16;

/// Such as `a(1,i)`, `a(2,i)`, `a(3,i)` of `a(3,n)`: compilers load and store these in vectors. `None` where some are
/// missing.
pub(super) fn group(stream: &Stream, innermost: &Loop, of: fn(&Access) -> bool) -> Option<Group> {
    let step = innermost.step.as_integer().filter(|step| *step >= 1)?;
    let by = |subscript: &Subscript| {
        let term = (subscript.terms.iter()).find(|(name, _)| *name == innermost.variable);
        term.map_or(Some(0), |(_, by)| by.as_integer())
    };
    if stream
        .subscripts
        .iter()
        .any(|subscript| subscript.gather.is_some())
    {
        return None;
    }
    let steps: Vec<i64> = stream.subscripts.iter().map(by).collect::<Option<_>>()?;
    let (first, others) = steps.split_first()?;
    let members = match others.split_first() {
        Some((1, rest)) if *first == 0 && step == 1 && rest.iter().all(|by| *by == 0) => {
            let (low, high) = stream.extents.first()?.as_ref()?;
            (high.clone() - low.clone() + 1.0).as_integer()?
        }
        _ if others.iter().all(|by| *by == 0) => first * step,
        _ => return None,
    };
    // As many as GCC and LLVM shuffle.
    let is_shuffled = step == 1;
    let may_be = match is_shuffled {
        true => matches!(members, 2 | 3 | 4 | 8),
        false => members == step && members <= MOST_WRITTEN_OUT,
    };
    if !may_be {
        return None;
    }
    let found = stream.accesses.iter().filter(|access| of(access));
    let mut places: Vec<(i64, &[i64])> = found
        .filter_map(|access| access.offset.split_first())
        .map(|(first, rest)| (*first, rest))
        .collect();
    places.sort_unstable();
    places.dedup();
    let (low, rest) = places.first().copied()?;
    let is_whole = places.len() as i64 == members
        && (0..members)
            .zip(&places)
            .all(|(at, place)| *place == (low + at, rest));
    is_whole.then_some(Group {
        members: members as u64,
        is_shuffled,
    })
}
