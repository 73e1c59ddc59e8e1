//! Groups of elements side by side, which are loaded and stored in vectors.

use crate::analysis::facts::{Access, Loop, Stream, Subscript};

/// How many references of a loop are to elements side by side that the next iteration steps over as a whole, such as
/// `a(1,i)`, `a(2,i)`, `a(3,i)` of `a(3,n)`: compilers load and store these in vectors. `None` where some are missing.
pub(super) fn group(stream: &Stream, innermost: &Loop, of: fn(&Access) -> bool) -> Option<u64> {
    let step = innermost.step.as_integer().filter(|step| *step == 1)?;
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
        Some((1, rest)) if *first == 0 && rest.iter().all(|by| *by == 0) => {
            let (low, high) = stream.extents.first()?.as_ref()?;
            (high.clone() - low.clone() + 1.0).as_integer()?
        }
        _ if others.iter().all(|by| *by == 0) => first * step,
        _ => return None,
    };
    // As many as GCC and LLVM shuffle.
    if !matches!(members, 2 | 3 | 4 | 8) {
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
    is_whole.then_some(members as u64)
}
