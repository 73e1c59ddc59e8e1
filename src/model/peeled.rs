//! Which elements does a stencil touch that conditions cut at the borders of a loop?
//!
//! ```text
//! if (i > 0)   s += b[i-1];        i from 0 to n-1: b[0] to b[n-1], as b[i-1] and b[i+1] do
//! if (i < n-1) s += b[i+1];        in the iterations from 1 to n-2
//! ```
//!
//! Few iterations at the ends of a loop are not left out of it for some of its references (`streams`). Where what they would
//! touch is beyond all that the others do, all of them are taken to go over so many iterations less that they end there.

use crate::analysis::facts::{Access, GuardRange, Loop, Stream, Subscript};
use crate::expr::Expr;

/// More iterations than a stencil reaches beyond the ends of a loop. Where a size says how many are left out, they are.
const MANY: i64 = 1000;

/// A reference to the elements of a stream.
pub struct Referred<'n> {
    pub accesses: &'n [Access],
    /// Ranges of loops in which conditions lead to it,
    pub inside: Vec<&'n GuardRange>,
    /// and those that they leave out by themselves: `else` of `if (i == 0)`.
    pub outside: Vec<&'n GuardRange>,
}

/// The iterations of a loop in which the outermost elements of a stencil go to the ends of what any of its references touch.
pub fn reached(
    own: &Loop,
    (loops, stream): (&[&Loop], &Stream),
    references: &[Referred],
) -> Option<GuardRange> {
    let variable = &own.variable;
    let is_moving = |end: &Expr| {
        let mut variables = loops.iter().map(|around| &around.variable);
        variables.any(|variable| !variable.is_none() && end.mentions(variable))
    };
    if own.step.as_number() != Some(1.0) || [&own.lower, &own.upper].into_iter().any(is_moving) {
        return None;
    }
    let is_moved = |(_, subscript): &(usize, &Subscript)| {
        subscript.terms.iter().any(|(name, _)| *variable == *name)
    };
    let mut moved = stream.subscripts.iter().enumerate().filter(is_moved);
    let (Some((dimension, subscript)), None) = (moved.next(), moved.next()) else {
        return None;
    };
    let [(_, by)] = &subscript.terms[..] else {
        return None;
    };
    if by.as_number() != Some(1.0) || subscript.gather.is_some() {
        return None;
    }
    let [mut first, mut low] = [i64::MAX; 2];
    let [mut last, mut high] = [i64::MIN; 2];
    for reference in references {
        let of_loop = |range: &&&GuardRange| range.variable == *variable;
        let inside = reference.inside.iter().filter(of_loop);
        let outside = reference.outside.iter().filter(of_loop);
        let each = inside.map(|range| peeled_by(range, own));
        let mut peeled = [0, 0];
        for [begin, end] in each.chain(outside.filter_map(|range| peeled_beyond(range, own))) {
            peeled = [peeled[0].max(begin), peeled[1].max(end)];
        }
        for access in reference.accesses {
            let offset = *access.offset.get(dimension)?;
            (first, last) = (first.min(offset), last.max(offset));
            (low, high) = (low.min(offset + peeled[0]), high.max(offset - peeled[1]));
        }
    }
    let (begin, end) = (low.checked_sub(first)?, last.checked_sub(high)?);
    let is_stencil = first < last;
    let is_short = begin.max(end) < MANY;
    let (from, to) = (&own.lower, &own.upper);
    // One iteration at least.
    let lower = Expr::min([(from.clone() + begin as f64).expand(), to.clone()]);
    let upper = Expr::max([(to.clone() - end as f64).expand(), lower.clone()]);
    (is_stencil && is_short && begin.max(end) > 0).then(|| GuardRange {
        variable: variable.to_string(),
        lower: (begin > 0).then_some(lower),
        upper: (end > 0).then_some(upper),
    })
}

/// How many iterations a range leaves out at the beginning and at the end of a loop.
fn peeled_by(range: &GuardRange, own: &Loop) -> [i64; 2] {
    let number = |apart: Option<Expr>| {
        let apart = apart.map_or(Some(0.0), |apart| apart.expand().as_number());
        apart.map_or(MANY, |apart| (apart.ceil().max(0.0) as i64).min(MANY))
    };
    let (lower, upper) = (range.lower.clone(), range.upper.clone());
    [
        number(lower.map(|lower| lower - own.lower.clone())),
        number(upper.map(|upper| own.upper.clone() - upper)),
    ]
}

/// How many iterations at the beginning or at the end of a loop a range is that is left out.
fn peeled_beyond(range: &GuardRange, own: &Loop) -> Option<[i64; 2]> {
    let (first, last) = (&own.lower, &own.upper);
    let number = |apart: Expr| apart.expand().as_number();
    let is_beyond =
        |apart: Option<Expr>| apart.is_none_or(|apart| number(apart).is_some_and(|by| by <= 0.0));
    let length = |apart: Expr| {
        let length = number(apart)? + 1.0;
        Some((length.ceil().max(0.0) as i64).min(MANY))
    };
    let (lower, upper) = (range.lower.as_ref(), range.upper.as_ref());
    let of_lower = lower.map(|lower| lower.clone() - first.clone());
    let of_upper = upper.map(|upper| last.clone() - upper.clone());
    let begin = upper.filter(|_| is_beyond(of_lower));
    let end = lower.filter(|_| is_beyond(of_upper));
    match (begin, end) {
        (Some(upper), _) => Some([length(upper.clone() - first.clone())?, 0]),
        (None, Some(lower)) => Some([0, length(last.clone() - lower.clone())?]),
        (None, None) => None,
    }
}
