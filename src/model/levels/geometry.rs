//! What does the traffic rule need of a nest, and in which form?
//!
//! Facts say `u(i, j, 3)` with declarations and loops by name. The rule wants numbers for loops and dimensions:
//! a [`Domain`], whose loops are affine ranges counted from outside, and a [`Reference`] for every stream. All
//! values are expressions over the symbols of the source; [`Geometry::map`] makes numbers of them.
//!
//! Some shapes are turned into others here, so that the rest knows fewer of them:
//!
//! ```text
//! p[i].vx, p[i].vy     join_leading      a leading dimension that no loop moves is joined with the next: one
//!                                        row, elements at a stride
//! q[k][c] and q[k][0]  join_short_rows   short rows that no loop walks through are one row as well
//! a[i + j*m]           separate_long_strides   a stride that is not a number, beside one that is, becomes
//!                                        a dimension of its own
//! p[i].x, p[i].id      widths            elements of several sizes are written in one unit
//! a(1, 1, k)           leave_out_single  dimensions of one place are left out
//! if (i == j) d[j]     put_in_place      the innermost loop has one value there: the reference belongs to the
//!                                        loops around
//! ```
//!
//! A bound or step that is not affine is taken at the middle of the ranges of the loops around (guide:
//! static-model, "Trip counts and iterations"); `doubts` marks such nests. Extents of arrays come from
//! `extents`, the loops over blocks from `blocks`.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::domain::{Affine, Domain, LoopRange};
use super::ends;
use super::extents::{self, Extent};
use super::narrow;
use super::number::Number;
use super::records;
use super::reference::{Condition, Gathered, Guarded, LONG_STRIDE, Lines, Reference};
use super::steps::{NameStep, Names};
use super::taken::Taken;
use super::widths;
use crate::analysis::facts::{Component, ElementType, Gather, GuardRange, Loop, Stream, Subscript};
use crate::analysis::moving::is_unknown_stride;
use crate::analysis::packed;
use crate::expr::{Expr, Function};
use crate::nest::{ChainLoop, Decided, Nest, NestStream, When, weight_expr};
use crate::stream::kept_and_split;
use crate::trip_count;

/// A nest's loops and references; values are expressions over the source's symbols.
pub struct Geometry {
    pub domain: Domain<Expr>,
    pub references: Vec<Reference<Expr>>,
    /// Elements that no loop moves, of arrays to which nothing else goes.
    pub fixed: Vec<Reference<Expr>>,
    /// The same of arrays to which references go that loops move, and that may go to these, too.
    pub beside: Vec<Reference<Expr>>,
    /// The loops of the nest that are blocked; the loops over their blocks follow the sweeps.
    pub tiles: Vec<usize>,
    /// What loops and arrays are called in steps.
    pub step_names: Names,
    /// What is taken to be zero, as the source says it of sizes that may still be set to something else.
    pub assumed: Vec<Expr>,
}

impl Geometry {
    pub fn of(nest: &Nest) -> Geometry {
        let loops: Vec<&Loop> = nest.loops.iter().map(|l| l.facts).collect();
        let ranges = (0..loops.len())
            .map(|position| range(&loops[..position], &nest.loops[position]))
            .collect();
        let mut domain = Domain { loops: ranges };
        let narrowed = nest.narrowed.iter();
        let narrowed = narrowed.filter_map(|range| guarded(range, &loops));
        let narrowed: Vec<Guarded<Expr>> = narrowed.collect();
        let places = narrowed.iter().filter_map(Guarded::place);
        let pinned: Vec<(usize, Affine<Expr>)> = places.collect();
        for guard in narrowed {
            narrow::by(&mut domain, guard);
        }
        domain.relate();
        // A table of pointers has the name of what these lead to, which is elsewhere.
        let mut arrays: Vec<(&str, &Component, bool)> = Vec::new();
        let [mut references, fixed] = [&nest.streams, &nest.fixed].map(|used| {
            let extents = extents::of(&domain, used, &loops, nest.first_index);
            let firsts = extents::firsts(&domain, used, &loops, nest.first_index);
            let mut references = Vec::new();
            for ((used, extents), first) in used.iter().zip(&extents).zip(firsts) {
                let Stream {
                    array,
                    component,
                    ty,
                    ..
                } = &used.stream;
                let name = (array.as_str(), component, *ty == ElementType::Pointer);
                let known = arrays.iter().position(|known| *known == name);
                let array = known.unwrap_or_else(|| {
                    arrays.push(name);
                    arrays.len() - 1
                });
                let begin = nest.first_index;
                references.push(reference(
                    array,
                    used,
                    (extents, first, begin),
                    (&loops, &nest.decisions),
                ));
            }
            widths::unify(&mut references);
            join_members(used, &mut references);
            references.iter_mut().for_each(|one| one.pin(&pinned));
            references
        });
        let is_alone =
            |one: &Reference<Expr>| references.iter().all(|other| other.array != one.array);
        let (mut fixed, beside): (Vec<_>, Vec<_>) = fixed.into_iter().partition(is_alone);
        fixed.iter_mut().for_each(Reference::forget_place);
        let assumed = ends::turn(&mut references, &|expr| nest.settled(expr));
        let arrays = arrays.iter().map(|(name, ..)| Arc::from(*name)).collect();
        narrow::cut(&mut domain, &references);
        narrow::shape(&mut domain, &references);
        let mut geometry = Geometry {
            domain,
            references,
            fixed,
            beside,
            tiles: Vec::new(),
            step_names: Names::default(),
            assumed,
        };
        geometry.step_names.arrays = arrays;
        geometry.step_names.loops = geometry.loop_names(nest);
        geometry
    }

    /// Lines written back of elements that no loop moves, of arrays that others only read.
    pub fn written_beside(&self) -> f64 {
        let is_written = |array: usize| {
            let mut same = self.references.iter().filter(|other| other.array == array);
            same.any(|other| !other.written.is_empty())
        };
        let own = self.beside.iter().filter(|one| !one.written.is_empty());
        let arrays: BTreeSet<usize> = own.map(|one| one.array).collect();
        arrays
            .into_iter()
            .filter(|array| !is_written(*array))
            .count() as f64
    }

    pub(super) fn loop_names(&self, nest: &Nest) -> Vec<Arc<str>> {
        self.names(nest).into_iter().map(Arc::from).collect()
    }

    /// What each loop of the domain is: a loop of the nest, or the loop over blocks of one.
    pub fn names(&self, nest: &Nest) -> Vec<String> {
        let name = |c: &ChainLoop| match c.facts.variable.is_none() {
            true => format!("line {}", c.facts.line),
            false => c.facts.variable.to_string(),
        };
        let mut names: Vec<String> = nest.loops.iter().map(name).collect();
        let tiles: Vec<String> = self
            .tiles
            .iter()
            .map(|v| format!("{} blocks", names[*v]))
            .collect();
        names.splice(nest.sweeps..nest.sweeps, tiles);
        names
    }

    /// The loop of the nest that one of the domain is, or is the loop over blocks of.
    pub fn original(&self, nest: &Nest, v: usize) -> usize {
        match v.checked_sub(nest.sweeps) {
            None => v,
            Some(inner) => self
                .tiles
                .get(inner)
                .copied()
                .unwrap_or_else(|| v - self.tiles.len()),
        }
    }

    /// The same where pages are counted in place of lines: only names differ.
    pub fn of_pages(&self) -> Geometry {
        let mut pages = Geometry {
            domain: self.domain.clone(),
            references: self.references.clone(),
            fixed: self.fixed.clone(),
            beside: self.beside.clone(),
            tiles: self.tiles.clone(),
            step_names: self.step_names.clone(),
            assumed: self.assumed.clone(),
        };
        for array in &mut pages.step_names.arrays {
            *array = Arc::from(format!("pages of {array}"));
        }
        pages
    }

    /// The same over another kind of number.
    pub fn map<N: Number>(&self, value: &dyn Fn(&Expr) -> N) -> (Domain<N>, Vec<Reference<N>>) {
        let affine = |a: &Affine<Expr>| map_affine(a, value);
        let range = |r: &LoopRange<Expr>| LoopRange {
            lowers: r.lowers.iter().map(affine).collect(),
            uppers: r.uppers.iter().map(affine).collect(),
            step: value(&r.step),
            known_step: r.known_step,
            entered: value(&r.entered),
            descending: r.descending,
            tile_of: r.tile_of,
            shapes_inner: r.shapes_inner,
            holds_tiles: r.holds_tiles,
            cuts: r.cuts.iter().map(value).collect(),
        };
        let domain = Domain {
            loops: self.domain.loops.iter().map(range).collect(),
        };
        (domain, map_all(&self.references, value))
    }
}

fn map_affine<N>(affine: &Affine<Expr>, value: &dyn Fn(&Expr) -> N) -> Affine<N> {
    Affine {
        terms: affine.terms.clone(),
        rest: value(&affine.rest),
    }
}

/// References over another kind of number.
pub fn map_all<N: Number>(
    references: &[Reference<Expr>],
    value: &dyn Fn(&Expr) -> N,
) -> Vec<Reference<N>> {
    let affine = |a: &Affine<Expr>| map_affine(a, value);
    let guard = |g: &Guarded<Expr>| Guarded {
        variable: g.variable,
        lower: g.lower.as_ref().map(affine),
        upper: g.upper.as_ref().map(affine),
    };
    let reference = |r: &Reference<Expr>| Reference {
        is_written_first: r.is_written_first,
        array: r.array,
        width: r.width,
        level: r.level,
        dimensions: r.dimensions.clone(),
        stride: r.stride.as_ref().map(value),
        bases: r.bases.iter().map(value).collect(),
        pitches: r
            .pitches
            .iter()
            .map(|pitch| pitch.as_ref().map(value))
            .collect(),
        offsets: r.offsets.clone(),
        written: r.written.clone(),
        gathered: r.gathered.as_ref().map(|data| Gathered {
            lines: value(&data.lines),
            places: data.places.as_ref().map(value),
            apart: value(&data.apart),
            chosen: data.chosen,
        }),
        whole: r.whole.as_ref().map(value),
        multiple: r.multiple.as_ref().map(value),
        packed: r.packed,
        has_small_planes: r.has_small_planes,
        condition: r.condition.map(&guard),
        writing: r.writing.as_ref().map(|writing| writing.map(&guard)),
        taken: r.taken.as_ref().map(|taken| taken.map(value)),
        writes: r.writes.as_ref().map(|writes| writes.map(value)),
    };
    references.iter().map(reference).collect()
}

impl<'a, N: Number> Lines<'a, N> {
    pub fn new(
        domain: &'a Domain<N>,
        line: N,
        (name, names): (NameStep<'a, N>, &'a Names),
    ) -> Lines<'a, N> {
        let mut origin: Vec<N> = Vec::new();
        for range in &domain.loops {
            let lower = &range.lowers[0];
            let first = lower.terms.iter().fold(lower.rest.clone(), |n, (v, c)| {
                n.plus(&origin[*v].scaled(*c))
            });
            origin.push(first);
        }
        Lines {
            domain,
            line,
            origin,
            name,
            names,
        }
    }
}

fn range(outer: &[&Loop], chain: &ChainLoop) -> LoopRange<Expr> {
    let facts = chain.facts;
    let descending = facts.step.as_number().is_some_and(|step| step < 0.0);
    let (low, high) = if descending {
        (&facts.upper, &facts.lower)
    } else {
        (&facts.lower, &facts.upper)
    };
    let step = match facts.step.as_number() {
        Some(step) => Expr::from(step.abs().max(1.0)),
        None => at_middle(&facts.step, outer),
    };
    // Which way it goes, other loops decide.
    let step = match step.as_number() {
        Some(step) => Expr::from(step.abs().max(1.0)),
        None => step,
    };
    LoopRange {
        lowers: bounds(low, Function::Max, outer),
        uppers: bounds(high, Function::Min, outer),
        known_step: step.as_number(),
        step,
        entered: weight_expr(&chain.open, &|branch| Expr::from(branch.clone())),
        descending,
        tile_of: None,
        shapes_inner: false,
        holds_tiles: false,
        cuts: Vec::new(),
    }
}

fn bounds(bound: &Expr, extremum: Function, outer: &[&Loop]) -> Vec<Affine<Expr>> {
    bound
        .alternatives(extremum)
        .iter()
        .map(|one| affine(one, outer))
        .collect()
}

/// A bound that is not affine is taken at the middle of the ranges of the loops around.
fn affine(bound: &Expr, outer: &[&Loop]) -> Affine<Expr> {
    let names: Vec<&str> = outer.iter().map(|l| l.variable.as_str()).collect();
    let linear = bound.linear_in(&names).and_then(|linear| {
        let numbers: Option<Vec<f64>> = linear.coefficients.iter().map(Expr::as_number).collect();
        Some((numbers?, linear.rest))
    });
    match linear {
        Some((numbers, rest)) => {
            let terms = numbers
                .into_iter()
                .enumerate()
                .filter(|(_, c)| *c != 0.0)
                .collect();
            Affine { terms, rest }
        }
        None => Affine {
            terms: Vec::new(),
            rest: at_middle(bound, outer),
        },
    }
}

/// The value at the middle of the ranges of the loops around.
fn at_middle(expr: &Expr, outer: &[&Loop]) -> Expr {
    let middle = |expr: Expr, around: &&Loop| trip_count::in_the_middle(&expr, around);
    outer.iter().rev().fold(expr.clone(), middle)
}

/// The loops that move a subscript, by their position from outside.
pub fn terms(subscript: &Subscript, loops: &[&Loop]) -> Vec<(usize, f64)> {
    let term = |(name, coefficient): &(String, Expr)| {
        let position = loops.iter().rposition(|l| l.variable == *name)?;
        Some((position, coefficient.as_number().unwrap_or(LONG_STRIDE)))
    };
    subscript.terms.iter().filter_map(term).collect()
}

fn reference(
    array: usize,
    used: &NestStream,
    (extents, first, begin): (&[Extent], Option<Expr>, f64),
    (loops, decisions): (&[&Loop], &[Decided]),
) -> Reference<Expr> {
    let NestStream { stream, level, .. } = used;
    let is_written = |a: &&crate::analysis::facts::Access| {
        a.writes > 0 || (a.reads == 0 && stream.class.is_written_first())
    };
    let mut dimensions: Vec<Vec<(usize, f64)>> =
        stream.subscripts.iter().map(|s| terms(s, loops)).collect();
    let width = f64::from(stream.element_bytes.unwrap_or(8));
    let packed = packed_rows(stream);
    let mut pitches = pitches(extents);
    if packed.is_some() {
        pitches[1..].fill(None);
    }
    let whole = pitches.get(stream.subscripts.len()).cloned().flatten();
    let chosen = Chosen::of(stream, *level, &pitches);
    let place = place_of_component(stream, begin);
    let before = place
        .flatten()
        .zip(whole.clone())
        .filter(|(place, _)| *place != 0.0)
        .map(|(place, whole)| whole * place);
    let multiple = whole.clone().filter(|_| place == Some(None));
    pitches.resize(stream.subscripts.len(), None);
    let mut bases: Vec<Expr> = (stream.subscripts.iter().enumerate())
        .map(
            |(d, subscript)| match extents.get(d).and_then(Option::as_ref) {
                Some((low, _)) => subscript.base.clone() - low.clone(),
                None => subscript.base.clone(),
            },
        )
        .collect();
    if let (Some(base), Some(first)) = (bases.last_mut(), first) {
        *base = base.clone() - first;
    }
    if let (Some(base), Some(before)) = (bases.first_mut(), before) {
        *base = base.clone() + before;
    }
    separate_long_strides(stream, loops, &mut dimensions, &mut pitches, &mut bases);
    if let Some(chosen) = &chosen {
        let is_inside = |(v, _): &(usize, f64)| !chosen.loops.contains(v);
        dimensions.iter_mut().for_each(|one| one.retain(is_inside));
    }
    let added = vec![0; dimensions.len() - stream.subscripts.len()];
    let extended = |a: &crate::analysis::facts::Access| [a.offset.as_slice(), &added].concat();
    let mut reference = Reference {
        array,
        width,
        stride: row_stride(stream, &dimensions),
        level: *level,
        offsets: stream.accesses.iter().map(extended).collect(),
        written: stream
            .accesses
            .iter()
            .filter(is_written)
            .map(extended)
            .collect(),
        is_written_first: stream.class.is_written_first(),
        gathered: chosen.is_some().then(|| Gathered {
            lines: Expr::machine("gather_lines"),
            places: chosen.as_ref().and_then(|chosen| chosen.places.clone()),
            apart: chosen
                .as_ref()
                .map_or(0.0.into(), |chosen| chosen.multiple.clone() * width),
            chosen: 0,
        }),
        whole: whole.map(|elements| elements * width),
        multiple,
        condition: condition(&used.when, loops),
        writing: (used.writing.as_ref()).map(|writing| condition(writing, loops)),
        taken: (used.taken.as_deref()).map(|ways| Taken::of(ways, decisions)),
        writes: (used.written.as_deref()).map(|ways| Taken::of(ways, decisions)),
        packed,
        has_small_planes: are_small_planes(&pitches),
        dimensions,
        bases,
        pitches,
    };
    reference.put_in_place();
    reference.leave_out_single();
    reference.join_leading();
    reference.join_short_rows();
    ends::turn_offsets(&mut reference);
    if let Some(chosen) = chosen {
        chosen.scatter(&mut reference);
    }
    reference
}

/// Takes references to members of the same structures together, where data choose these: `p[next[i]].x` and `p[next[i]].id`.
fn join_members(used: &[NestStream], references: &mut Vec<Reference<Expr>>) {
    let gathers = |at: usize| (used[at].stream.subscripts.iter()).map(|s| s.gather.as_ref());
    let are_together = |a: usize, b: usize, references: &[Reference<Expr>]| {
        let (one, other) = (&references[a], &references[b]);
        one.gathered.is_some()
            && one.array == other.array
            && one.width == other.width
            && one.level == other.level
            && one.dimensions == other.dimensions
            && one.bases == other.bases
            && one.pitches == other.pitches
            && gathers(a).eq(gathers(b))
            && used[a].when == used[b].when
            && used[a].writing == used[b].writing
            && used[a].taken == used[b].taken
    };
    let mut at = references.len();
    let mut joined = vec![false; references.len()];
    while at > 1 {
        at -= 1;
        let Some(first) = (0..at).find(|first| are_together(*first, at, references)) else {
            continue;
        };
        joined[at] = true;
        let Reference {
            offsets,
            written,
            is_written_first,
            ..
        } = references[at].clone();
        let one = &mut references[first];
        for (own, others) in [(&mut one.offsets, offsets), (&mut one.written, written)] {
            own.extend(others);
            own.sort_unstable();
            own.dedup();
        }
        one.is_written_first &= is_written_first;
    }
    let mut joined = joined.into_iter();
    references.retain(|_| !joined.next().unwrap_or(false));
}

/// What data choose of a reference.
struct Chosen {
    /// The loops that lead to other places.
    loops: Vec<usize>,
    /// Elements of which all places are whole multiples.
    multiple: Expr,
    /// How many there are.
    places: Option<Expr>,
}

impl Chosen {
    fn of(stream: &Stream, level: usize, pitches: &[Option<Expr>]) -> Option<Chosen> {
        let gathers = || (stream.subscripts.iter()).filter_map(|s| s.gather.as_ref());
        gathers().next()?;
        let (first, gather) = (stream.subscripts.iter().enumerate())
            .find_map(|(d, subscript)| Some((d, subscript.gather.as_ref()?)))?;
        let pitch = pitches.get(first).cloned().flatten();
        let loops = (0..level).filter(|v| gathers().any(|gather| gather.changes_at(*v)));
        let length = |(d, gather): (usize, &Gather)| {
            let length = pitches
                .get(d + 1)?
                .clone()?
                .quotient(pitches.get(d)?.clone()?);
            Some(length * (1.0 / f64::from(gather.multiple)))
        };
        let subscripts = stream.subscripts.iter().enumerate();
        let chosen = subscripts.filter_map(|(d, one)| Some((d, one.gather.as_ref()?)));
        let lengths: Option<Vec<Expr>> = chosen.map(length).collect();
        Some(Chosen {
            places: lengths.map(Expr::product),
            loops: loops.collect(),
            multiple: pitch.unwrap_or(1.0.into()) * f64::from(gather.multiple),
        })
    }

    fn scatter(self, reference: &mut Reference<Expr>) {
        let Chosen {
            loops, multiple, ..
        } = self;
        let loops: Vec<usize> = (loops.into_iter())
            .filter(|v| *v < reference.level)
            .collect();
        if loops.is_empty() {
            // One place, which may be anywhere.
            reference.gathered = None;
            reference.multiple = reference.multiple.take().or(Some(multiple));
            return;
        }
        if let Some(gathered) = &mut reference.gathered {
            gathered.chosen = loops.len();
        }
        for v in loops {
            reference.dimensions.push(vec![(v, 1.0)]);
            reference.pitches.push(Some(multiple.clone()));
            reference.bases.push(Expr::from(0.0));
            for offset in reference.offsets.iter_mut().chain(&mut reference.written) {
                offset.push(0);
            }
        }
    }
}

/// Elements between rows that follow each other, if they do.
pub fn packed_rows(stream: &Stream) -> Option<f64> {
    let mut strides = stream.subscripts.iter().flat_map(|one| &one.terms);
    let by_extent = || {
        let (first, last) = stream.own_extents().first()?.as_ref()?;
        Some(packed::between(last)? - first.as_number()? + 1.0)
    };
    let found = strides.find_map(|(_, by)| packed::between(by));
    found.or_else(by_extent)
}

/// How many components lie before that of a stream, `u(i, j, 3)`, if there are any and numbers say so: a component is as an
/// array of its own, but its first element may be anywhere in a line.
fn place_of_component(stream: &Stream, begin: f64) -> Option<Option<f64>> {
    let [_] = stream.component.0.as_slice() else {
        return None;
    };
    let first = match stream.extents.get(stream.subscripts.len()) {
        Some(Some((first, _))) => first.as_number(),
        _ => Some(begin),
    };
    let number = stream.component.number();
    Some(
        number
            .zip(first)
            .map(|(number, first)| number as f64 - first),
    )
}

/// Elements from one place of a dimension to the next, dimension by dimension, and at last those of the whole array; `None`
/// from the first unknown extent on.
fn pitches(extents: &[Extent]) -> Vec<Option<Expr>> {
    let mut pitches = vec![Some(Expr::from(1.0))];
    let length = |extent: &Extent| {
        extent
            .as_ref()
            .map(|(low, high)| (high - low).expand() + 1.0)
    };
    for extent in extents {
        let pitch = pitches[pitches.len() - 1]
            .clone()
            .zip(length(extent))
            .map(|(pitch, length)| pitch * length);
        pitches.push(pitch);
    }
    pitches
}

/// Makes each unknown stride beside other loops a dimension of its own.
fn separate_long_strides(
    stream: &Stream,
    loops: &[&Loop],
    dimensions: &mut Vec<Vec<(usize, f64)>>,
    pitches: &mut Vec<Option<Expr>>,
    bases: &mut Vec<Expr>,
) {
    for d in 0..dimensions.len() {
        let (kept, long) = kept_and_split(&dimensions[d], |by| by.abs() >= LONG_STRIDE, Reverse);
        dimensions[d] = kept;
        for variable in long.into_iter().rev() {
            dimensions.push(vec![(variable, 1.0)]);
            let by = stream.subscripts[d]
                .terms
                .iter()
                .find(|(name, _)| *name == loops[variable].variable);
            let by = by.map(|(_, by)| by).filter(|by| !is_unknown_stride(by));
            pitches.push(
                pitches[d]
                    .clone()
                    .zip(by)
                    .map(|(pitch, by)| pitch * by.clone()),
            );
            bases.push(Expr::from(0.0));
        }
    }
}

/// A range of a loop of the nest.
fn guarded(range: &GuardRange, loops: &[&Loop]) -> Option<Guarded<Expr>> {
    let variable = loops.iter().rposition(|l| l.variable == range.variable)?;
    let end = |end: &Option<Expr>| end.as_ref().map(|end| affine(end, &loops[..variable]));
    Some(Guarded {
        variable,
        lower: end(&range.lower),
        upper: end(&range.upper),
    })
}

/// Ranges of loops of the nest.
fn condition(when: &When, loops: &[&Loop]) -> Condition<Expr> {
    let of = |ranges: &[GuardRange]| {
        let ranges = ranges.iter().filter_map(|range| guarded(range, loops));
        ranges.collect()
    };
    Condition {
        guards: of(&when.ranges),
        hole: of(&when.hole),
    }
}

/// Elements of a plane that is small: a few lines.
const SMALL_PLANE: f64 = 64.0;

fn are_small_planes(pitches: &[Option<Expr>]) -> bool {
    let plane = pitches.get(2).and_then(Option::as_ref);
    pitches.len() == 3
        && plane
            .and_then(Expr::as_number)
            .is_some_and(|plane| plane <= SMALL_PLANE)
}

/// The stride along the contiguous dimension, where one loop moves along it by what is not a number but known.
fn row_stride(stream: &Stream, dimensions: &[Vec<(usize, f64)>]) -> Option<Expr> {
    let [(_, by)] = dimensions.first()?.as_slice() else {
        return None;
    };
    let [(_, stride)] = stream.subscripts.first()?.terms.as_slice() else {
        return None;
    };
    (*by >= LONG_STRIDE && !is_unknown_stride(stride)).then(|| stride.clone().absolute())
}

impl Guarded<Expr> {
    /// A loop and the one value that it leaves of it.
    fn place(&self) -> Option<(usize, Affine<Expr>)> {
        let (lower, upper) = (self.lower.as_ref()?, self.upper.as_ref()?);
        let is_one = lower.terms == upper.terms && lower.rest == upper.rest;
        is_one.then(|| (self.variable, lower.clone()))
    }
}

impl Reference<Expr> {
    /// Puts the one value of loops that conditions leave no other in their place: `c[i][j]` where `j == n - 1` is `c[i][n-1]`.
    fn pin(&mut self, pinned: &[(usize, Affine<Expr>)]) {
        for (v, place) in pinned {
            let mut others = self.dimensions.iter().flatten();
            if others.any(|(other, _)| other != v) {
                self.replace(*v, place);
            }
        }
    }

    /// Puts a value in the place of a loop.
    fn replace(&mut self, variable: usize, place: &Affine<Expr>) {
        for (terms, base) in self.dimensions.iter_mut().zip(&mut self.bases) {
            let Some(moved) = terms.iter().position(|(v, _)| *v == variable) else {
                continue;
            };
            let (_, by) = terms.remove(moved);
            for (outer, slope) in &place.terms {
                match terms.iter_mut().find(|(v, _)| v == outer) {
                    Some((_, known)) => *known += by * slope,
                    None => terms.push((*outer, by * slope)),
                }
            }
            terms.retain(|(_, by)| *by != 0.0);
            *base = (base.clone() + place.rest.clone() * by).expand();
        }
    }

    /// Where the innermost loop has one value that those around it give, `if (i == j)`, the reference is as one of theirs.
    fn put_in_place(&mut self) {
        let is_place =
            |guard: &Guarded<Expr>| guard.variable + 1 == self.level && guard.place().is_some();
        let Some(at) = self.condition.guards.iter().position(is_place) else {
            return;
        };
        let moves_alone = |v: usize| {
            let mut terms = self.dimensions.iter().flatten();
            terms.all(|(other, _)| *other == v)
        };
        let Some((variable, place)) = self.condition.guards[at].place() else {
            return;
        };
        if moves_alone(variable) && place.terms.is_empty() {
            return;
        }
        self.condition.guards.remove(at);
        self.replace(variable, &place);
        self.level = variable;
    }

    /// Where an element lies that no loop moves makes no difference to its one line: so nothing that only that depends on is
    /// asked for. Elements beside each other are known as far as numbers say it.
    fn forget_place(&mut self) {
        let none = Expr::from(0.0);
        for base in &mut self.bases {
            if base.as_number().is_none() {
                *base = none.clone();
            }
        }
        for size in self.pitches.iter_mut().chain([&mut self.whole]) {
            *size = size.take().filter(|size| size.as_number().is_some());
        }
        self.multiple = None;
        self.condition = Condition::always();
        self.writing = None;
    }

    /// A dimension of one place makes no difference to where an element is: `a(1, 1, 1, k)` of `a(1, 1, 1, n)` are a row.
    fn leave_out_single(&mut self) {
        let mut d = 0;
        while d + 1 < self.dimensions.len() {
            let number = |at: usize| self.pitches[at].as_ref().and_then(Expr::as_number);
            let is_single = number(d).is_some() && number(d) == number(d + 1);
            let mut offsets = self.offsets.iter().chain(&self.written);
            if is_single && self.bases[d].as_number().is_some() && offsets.all(|o| o[d] == 0) {
                self.dimensions.remove(d);
                self.bases.remove(d);
                self.pitches.remove(d + 1);
                for offset in self.offsets.iter_mut().chain(&mut self.written) {
                    offset.remove(d);
                }
            } else {
                d += 1;
            }
        }
    }

    /// A leading dimension that no loop moves, of known length, is joined with the next: structures and
    /// components that lie together.
    fn join_leading(&mut self) {
        while self.dimensions.len() > 1 && self.dimensions[0].is_empty() {
            let Some(length) = self.pitches[1].as_ref().and_then(Expr::as_number) else {
                return;
            };
            if length > 4096.0 {
                return;
            }
            self.dimensions[1]
                .iter_mut()
                .for_each(|(_, c)| *c *= length);
            self.dimensions.remove(0);
            self.join(length);
        }
    }

    /// Rows within a line of each other that no loop walks through are one: components of which a loop takes some
    /// and the source names others.
    fn join_short_rows(&mut self) {
        while self.dimensions.len() > 2 && self.dimensions[1].is_empty() {
            let Some(length) = self.pitches[1].as_ref().and_then(Expr::as_number) else {
                return;
            };
            if length > records::WITHIN {
                return;
            }
            self.dimensions.remove(1);
            self.join(length);
        }
    }

    /// Joins places along the first two dimensions, rows being so long.
    fn join(&mut self, length: f64) {
        let first = self.bases.remove(0);
        self.bases[0] = self.bases[0].clone() * length + first;
        self.pitches.remove(0);
        self.pitches[0] = Some(Expr::from(1.0));
        for offset in self.offsets.iter_mut().chain(&mut self.written) {
            let first = offset.remove(0);
            offset[0] = offset[0] * length as i64 + first;
        }
    }
}
