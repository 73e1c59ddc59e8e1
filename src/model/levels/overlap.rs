//! Which references to one array touch the same elements, so that these count once?
//!
//! A matrix product reads `a[i][k]`, LU reads `a[i][j]`, `a[i][k]` and `a[k][j]`: streams of their own whose
//! elements are partly the same. With the loops outside of a level standing still there are three cases:
//!
//! ```text
//! one covers the other    ┌───────────┐   every place of the inner one is a place of the cover: the inner
//!                         │  ┌─────┐  │   one counts nothing
//!                         └──┴─────┴──┘
//! rows border or overlap  ──────▒▒──────  counted as one row, from the first element to the last, or as both
//!                                         less what they have in common
//! members of a record     ·x··y·····x··y  the same rows at other offsets: counted together
//! ends of rows            x······y|x······y|  a row's last elements are beside the next row's first: counted
//!                                         together, as elements of that row with offsets below zero
//! ```
//!
//! *Covering* is decided without numbers. If the inner reference is at `a[i'][k']`, the variables of the cover
//! have to be i = i', j = k': affine functions of the inner one's. [`Search`] then asks whether these stay
//! within the bounds of the cover's loops, going from bound to bound and taking sizes to be one or more. What
//! it cannot show within 300 steps is taken not to be so: a cover missed makes the traffic higher, never lower.
//!
//! Regions may stick out by two elements, a fraction of a line. A reference under a condition covers only what
//! stands under the same one. The result is a [`Counted`] for each reference and level, which `reuse` and
//! `touched` read; `doubts` marks what neither covers nor lies apart.

use std::cell::Cell;
use std::collections::BTreeSet;

use super::domain::{Affine, Domain, Given, Tiles};
use super::ends;
use super::order::{is_above, is_near, least};
use super::reference::{Condition, Guarded, Reference};
use super::taken::Taken;
use crate::expr::{Comparison, Expr, Symbol};

/// Elements by which a region may stick out of another: a fraction of a line.
const SLACK: f64 = 2.0;

/// What of a reference counts while some loops stand still: nothing without offsets.
#[derive(Clone, Debug, Default)]
pub struct Counted<N> {
    pub offsets: Vec<Vec<i64>>,
    /// Its own offsets where another one covers it that comes to the same elements in other iterations of the loop at this
    /// level, many of them apart: rows beside columns (`apart`).
    pub apart: Vec<Vec<i64>>,
    /// Where a row begins and its length, if that is not what the reference itself walks.
    pub row: Option<(N, N)>,
    /// How often any of the references that it stands for is met; `None` where one always is.
    pub taken: Option<Taken<N>>,
}

impl Counted<Expr> {
    pub fn map<N>(&self, value: &dyn Fn(&Expr) -> N) -> Counted<N> {
        let row = self
            .row
            .as_ref()
            .map(|(start, length)| (value(start), value(length)));
        Counted {
            offsets: self.offsets.clone(),
            apart: self.apart.clone(),
            row,
            taken: self.taken.as_ref().map(|taken| taken.map(value)),
        }
    }
}

/// For every reference, the offsets that count with the loops before `level` standing still: none where
/// another one covers it, more where another one touches the same rows beside it.
pub fn counted(
    domain: &Domain<Expr>,
    references: &[&Reference<Expr>],
    level: usize,
) -> Vec<Counted<Expr>> {
    let whole = |r: &&Reference<Expr>| Counted {
        offsets: r.offsets.clone(),
        apart: Vec::new(),
        row: None,
        taken: r.taken.clone(),
    };
    let mut counted: Vec<Counted<Expr>> = references.iter().map(whole).collect();
    let several = |r: &&Reference<Expr>| {
        references
            .iter()
            .filter(|other| other.array == r.array)
            .count()
            > 1
    };
    // So in most nests, and comparing each with all others is what takes time.
    if !references.iter().any(several) {
        return counted;
    }
    join_ends(references, &mut counted);
    for (index, reference) in references.iter().enumerate() {
        if counted[index].offsets.is_empty() {
            continue;
        }
        let covers = |(other, cover): &(usize, &&Reference<Expr>)| {
            *other != index
                && !counted[*other].offsets.is_empty()
                && cover.array == reference.array
                && is_met_with(cover, reference)
                && covers(domain, cover, reference, level)
        };
        // What is always met counts rather than what data decide.
        let all = references.iter().enumerate();
        let mut found = all.filter(covers).peekable();
        let first = found.peek().copied();
        let cover = found.find(|(_, cover)| cover.taken.is_none()).or(first);
        if let Some((cover, _)) = cover {
            if are_apart(domain, references[cover], reference, level) {
                counted[index].apart = std::mem::take(&mut counted[index].offsets);
            }
            stand_for(&mut counted, cover, index);
        }
    }
    join(domain, references, level, &mut counted);
    counted
}

impl<N> Counted<N> {
    /// Offsets of what the reference touches in iterations of the loop at this level, whatever it touches over all of them.
    pub fn own(&self) -> &[Vec<i64>] {
        match self.apart.is_empty() {
            true => &self.offsets,
            false => &self.apart,
        }
    }
}

/// Whether the loop at a level moves both a reference and the one that covers it, and an inner loop says in which of its
/// iterations the cover comes to an element: `a[i][j]` beside `a[j][i]`.
fn are_apart(
    domain: &Domain<Expr>,
    cover: &Reference<Expr>,
    inner: &Reference<Expr>,
    level: usize,
) -> bool {
    if level >= domain.loops.len() {
        return false;
    }
    let moving = domain.range_of(level);
    let is_moved = |terms: &[(usize, f64)]| terms.iter().any(|(v, _)| *v == moving);
    let is_chosen = |terms: &[(usize, f64)]| terms.iter().any(|(v, _)| *v > level && *v != moving);
    let mut dimensions = cover.dimensions.iter().zip(&inner.dimensions);
    inner.dimensions.iter().any(|terms| is_moved(terms))
        && dimensions.any(|(own, others)| is_moved(own) && !is_chosen(own) && is_chosen(others))
}

/// Lets one reference count for another one as well.
fn stand_for(counted: &mut [Counted<Expr>], one: usize, other: usize) {
    counted[other].offsets.clear();
    let others = counted[other].taken.take();
    let taken = counted[one].taken.take();
    counted[one].taken = taken.zip(others).map(|(a, b)| a.or(b));
}

/// Joins references whose rows border on each other or overlap.
fn join(
    domain: &Domain<Expr>,
    references: &[&Reference<Expr>],
    level: usize,
    counted: &mut [Counted<Expr>],
) {
    let given: Vec<Given<Expr>> = (0..domain.loops.len())
        .map(|v| {
            if v < level {
                Given::At(Expr::from(Symbol::held(v)))
            } else {
                Given::Free
            }
        })
        .collect();
    let spans = domain.spans(&given, Tiles::Full);
    let is_fixed = |end: &Expr| (0..level).all(|v| !end.mentions(&Symbol::held(v)));
    let is_plain = domain.loops[level..]
        .iter()
        .all(|range| !range.shapes_inner);
    let ends = |r: usize, counted: &[Counted<Expr>]| {
        let own = Affine {
            terms: references[r].dimensions[0].clone(),
            rest: references[r].bases[0].clone(),
        };
        let (low, high) = domain.extremes(&own, &spans, &given);
        let firsts = || counted[r].offsets.iter().map(|o| o[0]);
        (
            low + firsts().min().unwrap_or(0) as f64,
            high + firsts().max().unwrap_or(0) as f64,
        )
    };
    join_members(references, counted);
    for r in 0..references.len() {
        for s in r + 1..references.len() {
            // Rows with a length of their own are joined already; ragged ones have no one length.
            let is_out = |r: usize| {
                counted[r].offsets.is_empty()
                    || counted[r].row.is_some()
                    || is_ragged(domain, references[r], level)
            };
            if is_out(r) || is_out(s) || !same_rows(references[r], references[s], counted, (r, s)) {
                continue;
            }
            let ((low, high), (other_low, other_high)) = (ends(r, counted), ends(s, counted));
            let near = |a: &Expr, b: &Expr| least(&(a - b)).is_some_and(|apart| apart >= -BESIDE);
            let is_plain = is_plain
                && [&low, &high, &other_low, &other_high]
                    .into_iter()
                    .all(is_fixed);
            let are_dense = [r, s]
                .iter()
                .all(|of| is_dense(domain, references[*of], level));
            let mut as_one = |from: Expr, length: Expr| {
                counted[r].row = Some((from, length));
                counted[r]
                    .offsets
                    .iter_mut()
                    .for_each(|offset| offset[0] = 0);
                counted[r].offsets.sort_unstable();
                counted[r].offsets.dedup();
            };
            if !near(&high, &other_low) || !near(&other_high, &low) {
                if !is_plain
                    || !are_dense
                    || is_above(&other_low, &high)
                    || is_above(&low, &other_high)
                {
                    continue;
                }
                // However far apart they are: both, less what they have in common.
                let (from, to) = (
                    Expr::max([low.clone(), other_low.clone()]),
                    Expr::min([high.clone(), other_high.clone()]),
                );
                let common = (to - from + 1.0).expand();
                let all = (high - low.clone() + 1.0) + (other_high - other_low.clone() + 1.0);
                // Apart from each other, each has a beginning and an end of its own.
                let line = Expr::machine("line_bytes") * (1.0 / references[r].width);
                let none = Expr::from(0.0);
                let common = Expr::choose(
                    Comparison::LessOrEqual,
                    common.clone(),
                    none,
                    Expr::from(1.0) - line,
                    common,
                );
                as_one(Expr::min([low, other_low]), all - common);
                stand_for(counted, r, s);
                continue;
            }
            let whole = |e: Option<f64>| {
                e.filter(|e| e.fract() == 0.0 && e.abs() < 1e6)
                    .map(|e| e.max(0.0) as i64)
            };
            match (
                whole(low.distance(&other_low)),
                whole(other_high.distance(&high)),
            ) {
                (Some(before), Some(after)) => extend(&mut counted[r].offsets, before, after),
                _ if is_plain && are_dense => {
                    let (low, high) = (Expr::min([low, other_low]), Expr::max([high, other_high]));
                    as_one(low.clone(), high - low + 1.0);
                }
                _ => continue,
            }
            stand_for(counted, r, s);
        }
    }
}

/// Joins references to members of the same records.
fn join_members(references: &[&Reference<Expr>], counted: &mut [Counted<Expr>]) {
    for r in 0..references.len() {
        for s in r + 1..references.len() {
            if let Some(apart) = members(references[r], references[s])
                && !counted[r].offsets.is_empty()
            {
                let others = std::mem::take(&mut counted[s].offsets);
                if !others.is_empty() {
                    stand_for(counted, r, s);
                }
                let at = |offset: Vec<i64>| [&[offset[0] + apart], &offset[1..]].concat();
                counted[r].offsets.extend(others.into_iter().map(at));
                counted[r].offsets.sort_unstable();
                counted[r].offsets.dedup();
            }
        }
    }
}

/// Elements from one reference to another one that differs only by them, in records that hold both.
fn members(a: &Reference<Expr>, b: &Reference<Expr>) -> Option<i64> {
    let stride = a.dimensions[0]
        .iter()
        .map(|(_, c)| c.abs())
        .fold(0.0, f64::max);
    let apart = b.bases[0]
        .distance(&a.bases[0])
        .filter(|apart| apart.fract() == 0.0 && apart.abs() < stride)?;
    let same = stride > 1.0
        && is_met_with(a, b)
        && is_met_with(b, a)
        && a.array == b.array
        && a.level == b.level
        && a.gathered.is_none()
        && b.gathered.is_none()
        && a.dimensions == b.dimensions
        && a.bases
            .iter()
            .zip(&b.bases)
            .skip(1)
            .all(|(a, b)| is_near(&(a - b), 0.0));
    same.then_some(apart as i64)
}

/// Joins references to the ends of rows that lie beside each other.
fn join_ends(references: &[&Reference<Expr>], counted: &mut [Counted<Expr>]) {
    for r in 0..references.len() {
        for s in r + 1..references.len() {
            if counted[r].offsets.is_empty() || counted[s].offsets.is_empty() {
                continue;
            }
            let Some((along, rows)) = ends::apart(references[r], references[s]) else {
                continue;
            };
            let others = std::mem::take(&mut counted[s].offsets);
            stand_for(counted, r, s);
            let at = |o: Vec<i64>| [&[o[0] + along, o[1] + rows], &o[2..]].concat();
            counted[r].offsets.extend(others.into_iter().map(at));
            counted[r].offsets.sort_unstable();
            counted[r].offsets.dedup();
        }
    }
}

/// Adds offsets at both ends of rows.
fn extend(offsets: &mut Vec<Vec<i64>>, before: i64, after: i64) {
    let firsts = || offsets.iter().map(|o| o[0]);
    let (first, last) = (firsts().min().unwrap_or(0), firsts().max().unwrap_or(0));
    let mut further = Vec::new();
    for offset in offsets.iter() {
        for (end, by) in [(first, -before), (last, after)] {
            if by != 0 && offset[0] == end {
                further.push([&[offset[0] + by], &offset[1..]].concat());
            }
        }
    }
    offsets.extend(further);
}

/// Whether loops walk a row element by element, or record by record and all elements of each: `3*i + c` with three of c.
fn is_dense(domain: &Domain<Expr>, reference: &Reference<Expr>, level: usize) -> bool {
    let free = reference.dimensions[0].iter().filter(|(v, _)| *v >= level);
    let mut free: Vec<(usize, f64)> = free.map(|(v, by)| (*v, by.abs())).collect();
    free.sort_by(|(_, a), (_, b)| a.total_cmp(b));
    // Elements that lie side by side so far.
    let mut together = Some(1.0);
    let walks_all = |(v, by): &(usize, f64)| {
        let range = &domain.loops[*v];
        let is_beside = together.is_some_and(|together| *by <= together);
        let number = |ends: &[Affine<Expr>]| match ends {
            [end] if end.terms.is_empty() => end.rest.as_number(),
            _ => None,
        };
        let iterations = number(&range.uppers).zip(number(&range.lowers));
        let more = iterations.map(|(last, first)| by * (last - first).max(0.0));
        together = together.zip(more).map(|(together, more)| together + more);
        is_beside && range.known_step == Some(1.0)
    };
    !free.is_empty() && free.iter().all(walks_all)
}

/// Whether the ends of a row depend on which row it is.
fn is_ragged(domain: &Domain<Expr>, reference: &Reference<Expr>, level: usize) -> bool {
    let free = |terms: &[(usize, f64)]| {
        terms
            .iter()
            .map(|(v, _)| *v)
            .filter(|v| *v >= level)
            .collect::<Vec<usize>>()
    };
    let along = free(&reference.dimensions[0]);
    let across: Vec<usize> = reference.dimensions[1..]
        .iter()
        .flat_map(|terms| free(terms))
        .collect();
    along
        .iter()
        .any(|a| across.iter().any(|b| a != b && domain.coupled(*a, *b)))
}

/// Elements between two pieces of a row that are taken as one.
const BESIDE: f64 = 4.0;

/// Whether two references to an array go to the same rows.
fn same_rows(
    a: &Reference<Expr>,
    b: &Reference<Expr>,
    counted: &[Counted<Expr>],
    (r, s): (usize, usize),
) -> bool {
    let tails = |offsets: &[Vec<i64>]| {
        offsets
            .iter()
            .map(|o| o[1..].to_vec())
            .collect::<BTreeSet<Vec<i64>>>()
    };
    a.array == b.array
        && is_met_with(a, b)
        && is_met_with(b, a)
        && a.gathered.is_none()
        && b.gathered.is_none()
        && a.level == b.level
        && a.dimensions.len() == b.dimensions.len()
        && (1..a.dimensions.len()).all(|d| {
            a.dimensions[d] == b.dimensions[d] && is_near(&(&a.bases[d] - &b.bases[d]), 0.0)
        })
        && tails(&counted[r].offsets) == tails(&counted[s].offsets)
}

/// Whether a reference is met in all iterations in which another one is, as far as conditions on these say it.
pub fn is_met_with(cover: &Reference<Expr>, inner: &Reference<Expr>) -> bool {
    let ends = |guard: &Guarded<Expr>| {
        let end = |end: &Option<Affine<Expr>>| {
            end.as_ref()
                .map(|end| (end.terms.clone(), end.rest.clone()))
        };
        (guard.variable, end(&guard.lower), end(&guard.upper))
    };
    let has = |ranges: &[Guarded<Expr>], guard: &Guarded<Expr>| {
        ranges.iter().any(|g| ends(g) == ends(guard))
    };
    let (own, others) = (&cover.condition, &inner.condition);
    let is_same_hole = own.hole.len() == others.hole.len()
        && own.hole.iter().all(|guard| has(&others.hole, guard));
    let is_kept = |guard: &Guarded<Expr>| has(&others.guards, guard);
    own.guards.iter().all(is_kept) && (own.hole.is_empty() || is_same_hole)
}

fn covers(
    domain: &Domain<Expr>,
    cover: &Reference<Expr>,
    inner: &Reference<Expr>,
    level: usize,
) -> bool {
    if cover.dimensions.len() != inner.dimensions.len()
        || cover.gathered.is_some()
        || inner.gathered.is_some()
    {
        return false;
    }
    let at = |own: &[i64], offset: &[i64]| covers_at(domain, (cover, own), (inner, offset), level);
    // Members of a record may be anywhere in it; other offsets are neighbours.
    let has_records = cover.dimensions[0]
        .iter()
        .any(|(v, by)| *v >= level && by.abs() > 1.0);
    let is_spread = |d: usize| {
        let along = || inner.offsets.iter().map(|offset| offset[d]);
        let reach = along().max().unwrap_or(0) - along().min().unwrap_or(0);
        reach as f64 > BESIDE
    };
    let is_far = (0..inner.dimensions.len()).any(is_spread);
    if inner.dimensions[0].len() < cover.dimensions[0].len() || has_records || is_far {
        let is_met = |offset: &Vec<i64>| cover.offsets.iter().any(|own| at(own, offset));
        return inner.offsets.iter().all(is_met);
    }
    match (cover.offsets.first(), inner.offsets.first()) {
        (Some(own), Some(offset)) => at(own, offset),
        _ => false,
    }
}

/// Whether that is so at one offset of each.
fn covers_at(
    domain: &Domain<Expr>,
    (cover, own): (&Reference<Expr>, &[i64]),
    (inner, offset): (&Reference<Expr>, &[i64]),
    level: usize,
) -> bool {
    // What the variables of the cover must be, as functions of the variables of the inner one.
    let mut values: Vec<Option<Affine<Expr>>> = (0..domain.loops.len())
        .map(|v| (v < level).then(|| itself(v)))
        .collect();
    for d in 0..cover.dimensions.len() {
        let place = |r: &Reference<Expr>, offset: &[i64]| {
            let Affine { terms, rest } = r.place(d);
            let rest = rest + offset[d] as f64;
            Affine { terms, rest }
        };
        let (target, own) = (place(inner, offset), place(cover, own));
        let free: Vec<(usize, f64)> = own
            .terms
            .iter()
            .copied()
            .filter(|(v, _)| *v >= level)
            .collect();
        if free.is_empty() {
            let apart = combine(&target, &own, -1.0);
            if !apart.terms.is_empty() || !is_near(&apart.rest, if d == 0 { SLACK } else { 0.5 }) {
                return false;
            }
            continue;
        }
        // Of several loops along one dimension, all but the one that moves by single places are where they are. A lone
        // one may move by whole records, if the other one is as many of them away.
        let single = free.iter().copied().rfind(|(_, c)| c.abs() == 1.0);
        let Some((variable, coefficient)) = single.or_else(|| {
            let [only] = free.as_slice() else { return None };
            is_multiple(&combine(&target, &own, -1.0), only).then_some(*only)
        }) else {
            return false;
        };
        let others = free.iter().filter(|(v, _)| *v != variable);
        let mut found = Vec::new();
        let mut rest = Affine {
            terms: Vec::new(),
            rest: own.rest.clone(),
        };
        for (v, by) in own.terms.iter().filter(|(v, _)| *v < level) {
            rest.terms.push((*v, *by));
        }
        for (other, by) in others {
            let place = match target.terms.contains(&(*other, *by)) {
                true => itself(*other),
                false => match first_of(domain, *other) {
                    Some(first) => first,
                    None => return false,
                },
            };
            rest = combine(&rest, &place, *by);
            found.push((*other, place));
        }
        found.push((
            variable,
            times(&combine(&target, &rest, -1.0), 1.0 / coefficient),
        ));
        for (variable, value) in found {
            let Some(known) = &values[variable] else {
                values[variable] = Some(value);
                continue;
            };
            let apart = combine(known, &value, -1.0);
            if !apart.terms.is_empty() || !is_near(&apart.rest, SLACK) {
                return false;
            }
        }
    }
    let search = Search {
        domain,
        steps: MOST_STEPS.into(),
    };
    search.leaves(&cover.condition, &values) && search.fits(level, cover.level, values)
}

/// Where a loop begins, if that is one place.
fn first_of(domain: &Domain<Expr>, variable: usize) -> Option<Affine<Expr>> {
    match domain.loops[variable].lowers.as_slice() {
        [first] if first.terms.is_empty() => Some(first.clone()),
        _ => None,
    }
}

/// Whether two places are a whole number of records apart, wherever a loop that goes from record to record is.
fn is_multiple(apart: &Affine<Expr>, (variable, record): &(usize, f64)) -> bool {
    let is_whole = |by: f64| (by / record).fract() == 0.0;
    let mut others = apart.terms.iter().filter(|(v, _)| v != variable);
    others.all(|(_, by)| is_whole(*by)) && apart.rest.as_number().is_some_and(is_whole)
}

/// Bounds that one [`Search`] goes to: ends of ends of many loops are more than can be tried.
const MOST_STEPS: u32 = 300;

/// A search through the ends of loops. What is not found in time is taken not to be so: a reference less that covers
/// another, traffic that is higher.
struct Search<'d> {
    domain: &'d Domain<Expr>,
    steps: Cell<u32>,
}

impl Search<'_> {
    fn has_time(&self) -> bool {
        let left = self.steps.get();
        self.steps.set(left.saturating_sub(1));
        left > 0
    }

    /// Whether a condition of the cover, which the inner reference stands under as well, holds in the iterations in which the
    /// cover comes to the same places: surely where these are the inner one's own.
    fn leaves(&self, condition: &Condition<Expr>, values: &[Option<Affine<Expr>>]) -> bool {
        let is_own = |guard: &Guarded<Expr>| {
            values[guard.variable].as_ref().is_none_or(|value| {
                let apart = combine(value, &itself(guard.variable), -1.0);
                apart.terms.is_empty() && is_near(&apart.rest, SLACK)
            })
        };
        let is_inside = |guard: &Guarded<Expr>| {
            let Some(value) = &values[guard.variable] else {
                return true;
            };
            let above = |low: &Affine<Expr>| self.never_below(&combine(value, low, -1.0), -SLACK);
            let below = |high: &Affine<Expr>| self.never_below(&combine(high, value, -1.0), -SLACK);
            guard.lower.as_ref().is_none_or(above) && guard.upper.as_ref().is_none_or(below)
        };
        let is_outside = |guard: &Guarded<Expr>| {
            let Some(value) = &values[guard.variable] else {
                return false;
            };
            let below = |low: &Affine<Expr>| self.never_below(&combine(low, value, -1.0), 1.0);
            let above = |high: &Affine<Expr>| self.never_below(&combine(value, high, -1.0), 1.0);
            guard.lower.as_ref().is_some_and(below) || guard.upper.as_ref().is_some_and(above)
        };
        let Condition { guards, hole } = condition;
        let is_left = hole.is_empty() || hole.iter().all(is_own) || hole.iter().any(is_outside);
        is_left && guards.iter().all(|guard| is_own(guard) || is_inside(guard))
    }

    /// Whether the variables from `from` to `to` can be inside their loops' bounds at those values.
    fn fits(&self, from: usize, to: usize, mut values: Vec<Option<Affine<Expr>>>) -> bool {
        for variable in from..to {
            let range = &self.domain.loops[variable];
            let at = |bound: &Affine<Expr>, values: &[Option<Affine<Expr>>]| {
                bound.terms.iter().try_fold(
                    Affine {
                        terms: Vec::new(),
                        rest: bound.rest.clone(),
                    },
                    |total, (v, c)| Some(combine(&total, values[*v].as_ref()?, *c)),
                )
            };
            let Some(value) = values[variable].clone() else {
                // Of the blocks, one holds whatever the loop in it is to be.
                if self.domain.is_over_blocks(variable) {
                    continue;
                }
                // Any value will do: try both ends.
                return range.lowers.iter().chain(&range.uppers).any(|end| {
                    let Some(end) = at(end, &values) else {
                        return false;
                    };
                    let mut values = values.clone();
                    values[variable] = Some(end);
                    self.has_time() && self.fits(variable, to, values)
                });
            };
            let above = |bound: &Affine<Expr>| {
                at(bound, &values)
                    .is_some_and(|bound| self.never_below(&combine(&value, &bound, -1.0), -SLACK))
            };
            let below = |bound: &Affine<Expr>| {
                at(bound, &values)
                    .is_some_and(|bound| self.never_below(&combine(&bound, &value, -1.0), -SLACK))
            };
            let free_block = |bound: &Affine<Expr>| {
                let mut blocks = bound.terms.iter().map(|(v, _)| *v);
                blocks.find(|v| values[*v].is_none() && self.domain.is_over_blocks(*v))
            };
            // Where any block may be the one, the bounds are those of all blocks.
            let is_above = range.lowers.iter().all(|bound| match free_block(bound) {
                Some(block) => self.domain.loops[block].lowers.iter().all(above),
                None => above(bound),
            });
            let is_below = range.uppers.iter().all(|bound| match free_block(bound) {
                Some(block) => self.domain.loops[block].uppers.iter().all(below),
                None => below(bound),
            });
            if !is_above || !is_below {
                return false;
            }
            values[variable] = Some(value);
        }
        true
    }

    /// Whether an affine function is at least `limit` on the whole domain, as far as that can be seen by
    /// going to the ends of the loops from inside.
    fn never_below(&self, function: &Affine<Expr>, limit: f64) -> bool {
        let Some((variable, coefficient)) = function.terms.iter().copied().max_by_key(|(v, _)| *v)
        else {
            return least(&function.rest).is_some_and(|rest| rest >= limit);
        };
        let range = &self.domain.loops[variable];
        let ends = if coefficient > 0.0 {
            &range.lowers
        } else {
            &range.uppers
        };
        let rest: Vec<(usize, f64)> = function
            .terms
            .iter()
            .copied()
            .filter(|(v, _)| *v != variable)
            .collect();
        let rest = Affine {
            terms: rest,
            rest: function.rest.clone(),
        };
        ends.iter().any(|end| {
            end.terms.iter().all(|(v, _)| *v < variable)
                && self.has_time()
                && self.never_below(&combine(&rest, end, coefficient), limit)
        })
    }
}

fn itself(variable: usize) -> Affine<Expr> {
    Affine {
        terms: vec![(variable, 1.0)],
        rest: Expr::from(0.0),
    }
}

/// a + factor·b.
fn combine(a: &Affine<Expr>, b: &Affine<Expr>, factor: f64) -> Affine<Expr> {
    let mut terms = a.terms.clone();
    for (variable, coefficient) in &b.terms {
        match terms.iter_mut().find(|(v, _)| v == variable) {
            Some((_, known)) => *known += factor * coefficient,
            None => terms.push((*variable, factor * coefficient)),
        }
    }
    terms.retain(|(_, coefficient)| *coefficient != 0.0);
    Affine {
        terms,
        rest: a.rest.clone() + b.rest.clone() * factor,
    }
}

fn times(a: &Affine<Expr>, factor: f64) -> Affine<Expr> {
    combine(
        &Affine {
            terms: Vec::new(),
            rest: Expr::from(0.0),
        },
        a,
        factor,
    )
}
