//! What do conditions on loop variables leave of the loops?
//!
//! ```text
//! for i, for j: if (j > i) S      all that the nest refers to: the triangle j = i+1 .. n−1          by
//! for i { R; if (i > m) for j S } S only: i goes in two parts, up to m and from m+1 on, of which
//!                                 the first has R alone                                            cut
//! ```
//!
//! A loop of the first kind has other ends ([`by`]): what loops do in iterations that refer to nothing makes no difference
//! to lines. If it then runs in a part of the ranges of those around only, these end with that part. Of the second kind
//! are conditions on a loop around others: lines in between two uses differ from part to part, so that `reuse` visits each
//! of them ([`cut`]). What is left, as conditions whose ends other loops move, `guarded` takes as a mean, and `doubts` marks.

use super::domain::{Affine, Domain, Given, LoopRange, Tiles};
use super::order;
use super::reference::{Guarded, Reference};
use crate::expr::Expr;

/// Pieces of a loop that are looked at, less one.
const MOST_CUTS: usize = 4;
/// Loops around that end with a loop inside are followed so far.
const MOST_AROUND: usize = 8;

/// Which end of a range.
#[derive(Clone, Copy, PartialEq)]
enum End {
    First,
    Last,
}

/// Narrows the loop of a guard to its range, and those around to where that leaves it any.
pub fn by(domain: &mut Domain<Expr>, guard: Guarded<Expr>) {
    let Guarded {
        variable,
        lower,
        upper,
    } = guard;
    for (end, bound) in [(End::First, lower), (End::Last, upper)] {
        if let Some(bound) = bound {
            limit(domain, variable, bound, end);
            around(domain, variable, MOST_AROUND);
        }
    }
}

/// Lets a loop begin no earlier, or end no later.
fn limit(domain: &mut Domain<Expr>, variable: usize, bound: Affine<Expr>, end: End) {
    let given = vec![Given::Free; domain.loops.len()];
    let spans = domain.spans(&given, Tiles::Full);
    // By how much it goes less far than another bound, at least and at most.
    let inside = |other: &Affine<Expr>| {
        let apart = match end {
            End::First => bound.less(other),
            End::Last => other.less(&bound),
        };
        domain.extremes(&apart, &spans, &given)
    };
    let known = |n: &Expr| n.expand().as_number();
    let is_more = |n: &Expr| known(n).is_some_and(|n| n >= 0.0);
    let is_less = |n: &Expr| known(n).is_some_and(|n| n <= 0.0);
    let range = &domain.loops[variable];
    let bounds = match end {
        End::First => &range.lowers,
        End::Last => &range.uppers,
    };
    if bounds.iter().any(|other| is_less(&inside(other).1)) {
        return;
    }
    let mut kept: Vec<Affine<Expr>> = bounds
        .iter()
        .filter(|other| !is_more(&inside(other).0))
        .cloned()
        .collect();
    let fixed = |one: &&mut Affine<Expr>| one.terms.is_empty() && bound.terms.is_empty();
    match kept.iter_mut().find(fixed) {
        Some(other) => {
            let both = [other.rest.clone(), bound.rest];
            other.rest = match end {
                End::First => Expr::max(both),
                End::Last => Expr::min(both),
            };
        }
        None => kept.push(bound),
    }
    let range = &mut domain.loops[variable];
    match end {
        End::First => range.lowers = kept,
        End::Last => range.uppers = kept,
    }
}

/// Lets loops around end where a loop inside has no iterations any more.
fn around(domain: &mut Domain<Expr>, variable: usize, most: usize) {
    let range = &domain.loops[variable];
    if has_cells(range) {
        return;
    }
    let mut pairs = Vec::new();
    for low in &range.lowers {
        pairs.extend(range.uppers.iter().map(|high| high.less(low)));
    }
    for room in pairs {
        let given = vec![Given::Free; domain.loops.len()];
        let spans = domain.spans(&given, Tiles::Full);
        let (smallest, _) = domain.extremes(&room, &spans, &given);
        let Some((outer, slope)) = room.terms.iter().copied().max_by_key(|(v, _)| *v) else {
            continue;
        };
        let range = &domain.loops[outer];
        let goes_by_one = range.known_step == Some(1.0) && !has_cells(range);
        if order::is_above(&smallest, &Expr::from(-1.0)) || slope.abs() != 1.0 || !goes_by_one {
            continue;
        }
        // slope·outer + others ≥ 0
        let others = Affine {
            terms: room
                .terms
                .iter()
                .filter(|(v, _)| *v != outer)
                .map(|(v, by)| (*v, -by * slope))
                .collect(),
            rest: (room.rest.clone() * -slope).expand(),
        };
        let end = match slope > 0.0 {
            true => End::First,
            false => End::Last,
        };
        limit(domain, outer, others, end);
        if most > 0 {
            around(domain, outer, most - 1);
        }
    }
}

/// Whether it goes over the cells of tiles: loops around move both of its ends.
fn has_cells(range: &LoopRange<Expr>) -> bool {
    let mut moved = range.lowers.iter().flat_map(|bound| &bound.terms);
    let is_everywhere = |v: usize| {
        let mut bounds = range.lowers.iter().chain(&range.uppers);
        bounds.all(|bound| bound.coefficient(v) != 0.0)
    };
    moved.any(|(v, _)| is_everywhere(*v))
}

/// Where conditions lead some references to a part of a loop, and loops inside of it come back to lines: the parts.
pub fn cut(domain: &mut Domain<Expr>, references: &[Reference<Expr>]) {
    for variable in 0..domain.loops.len() {
        let range = &domain.loops[variable];
        let can_be = range.known_step.is_some() && range.tile_of.is_none();
        let guards = references.iter().flat_map(Reference::ranges);
        let own = guards.filter(|guard| guard.variable == variable && !guard.is_coupled());
        let mut places: Vec<Expr> = Vec::new();
        for guard in own {
            places.extend(guard.lower.as_ref().map(|low| low.rest.clone()));
            places.extend(guard.upper.as_ref().map(|high| high.rest.clone() + 1.0));
        }
        let others = references.iter().flat_map(Reference::ranges);
        let borders = others.flat_map(|guard| ends(guard).map(move |end| (guard.variable, end)));
        let borders = borders.filter_map(|(inner, end)| end_of_border(domain, inner, end));
        let own = borders.filter(|(outer, _)| *outer == variable);
        places.extend(own.map(|(_, place)| place));
        let mut cuts: Vec<Expr> = Vec::new();
        for cut in places.iter().map(Expr::expand) {
            let is_same = |known: &Expr| order::is_near(&(known - &cut), 0.0);
            if !cuts.iter().any(is_same) {
                cuts.push(cut);
            }
        }
        let has_inner = references.iter().any(|r| r.level > variable + 1);
        if can_be && has_inner && cuts.len() <= MOST_CUTS {
            sort(&mut cuts);
            domain.loops[variable].cuts = cuts;
        }
    }
}

/// Where the place of a loop decides how far a condition lets one inside of it go, as that of a pixel does how much of a
/// window lies within the image, and that in another way than by a border at either end: it shapes that loop, as if it moved
/// its bounds.
pub fn shape(domain: &mut Domain<Expr>, references: &[Reference<Expr>]) {
    for guard in references.iter().flat_map(Reference::ranges) {
        for (end, bound) in ends(guard) {
            let shapes = end_of_border(domain, guard.variable, (end, bound)).is_none();
            for (outer, _) in bound.terms.iter().filter(|_| shapes) {
                domain.loops[*outer].shapes_inner = true;
            }
        }
    }
}

fn ends(guard: &Guarded<Expr>) -> impl Iterator<Item = (End, &Affine<Expr>)> {
    let lower = guard.lower.iter().map(|end| (End::First, end));
    lower.chain(guard.upper.iter().map(|end| (End::Last, end)))
}

/// Where a loop comes to, or leaves, the border in which a condition leaves less of a loop inside of it than that loop's own
/// bounds do: `y + dy >= 0`, where `dy` goes from `-r` on, does so before `y = r`.
fn end_of_border(
    domain: &Domain<Expr>,
    variable: usize,
    (end, bound): (End, &Affine<Expr>),
) -> Option<(usize, Expr)> {
    let [(outer, by)] = bound.terms[..] else {
        return None;
    };
    let range = &domain.loops[variable];
    let own = match end {
        End::First => &range.lowers,
        End::Last => &range.uppers,
    };
    let [own] = own.as_slice() else {
        return None;
    };
    let is_plain = by.abs() == 1.0 && own.terms.is_empty() && outer < variable;
    is_plain.then(|| {
        (
            outer,
            ((own.rest.clone() - bound.rest.clone()) * by).expand(),
        )
    })
}

/// Sorts places whose order sizes may decide.
fn sort(places: &mut [Expr]) {
    for end in (1..places.len()).rev() {
        for at in 0..end {
            let (one, other) = (places[at].clone(), places[at + 1].clone());
            let apart = (&other - &one).expand().as_number();
            (places[at], places[at + 1]) = match apart {
                Some(apart) if apart >= 0.0 => (one, other),
                Some(_) => (other, one),
                None => (
                    Expr::min([one.clone(), other.clone()]),
                    Expr::max([one, other]),
                ),
            };
        }
    }
}
