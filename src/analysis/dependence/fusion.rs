//! Loops that follow each other and may become one: the same iterations, and no dependence that a fused
//! loop would turn round (Kennedy, McKinley 1993, "Maximizing loop parallelism and improving data
//! locality via loop fusion and distribution").

use std::collections::{BTreeMap, BTreeSet};

use super::regions::{Reference, Region, references};
use super::shared::Sharing;
use crate::expr::Expr;
use crate::facts::{Access, AccessClass, Block, Body, Call, Item, Loop, Stream, Subscript};

/// Two neighbours and what stands in the way of making them one.
#[derive(Clone, Debug)]
pub struct Candidate<'p> {
    pub first: &'p Loop,
    pub second: &'p Loop,
    pub verdict: Verdict,
}

/// Scalars whose values are not the same everywhere, and arrays that may share storage.
type Names<'n> = (&'n BTreeSet<&'n str>, &'n Sharing<'n>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Legal, for so many of their outer loops.
    Fuses {
        loops: usize,
    },
    Prevented {
        why: String,
    },
}

/// Every pair of loops that follow each other in a block, with nothing but straight-line code between.
pub fn candidates<'p>(block: &'p Block, names: Names, found: &mut Vec<Candidate<'p>>) {
    for pair in block.items.windows(2) {
        if let [Item::Loop(first), Item::Loop(second)] = pair {
            let verdict = match verdict(block, first, second, names) {
                Ok(loops) => Verdict::Fuses { loops },
                Err(why) => Verdict::Prevented { why },
            };
            found.push(Candidate {
                first,
                second,
                verdict,
            });
        }
    }
    for item in &block.items {
        match item {
            Item::Loop(inner) => candidates(&inner.body, names, found),
            Item::Branch(branch) => {
                candidates(&branch.then, names, found);
                branch
                    .otherwise
                    .iter()
                    .for_each(|block| candidates(block, names, found));
            }
        }
    }
}

/// How many outer loops can be made one, or why none can.
fn verdict(
    block: &Block,
    first: &Loop,
    second: &Loop,
    (changing, sharing): Names,
) -> Result<usize, String> {
    for facts in [first, second] {
        obstacle(facts)?;
    }
    if first.parallel != second.parallel {
        return Err("only one of them is parallel, or they are in different ways".into());
    }
    let is_between = |call: &&Call| (first.end_line..=second.line).contains(&call.line);
    if let Some(call) = block.calls.iter().filter(is_opaque).find(is_between) {
        return Err(format!("{} is called between them", call.name));
    }
    let (chain, other) = (chain(first), chain(second));
    let renamed = |expr: &Expr| {
        let names: BTreeMap<&str, &str> = other
            .iter()
            .zip(&chain)
            .map(|(o, c)| (o.variable.as_str(), c.variable.as_str()))
            .collect();
        expr.substitute(&|symbol| {
            let (_, name) = names.iter().find(|(own, _)| symbol.is_source(own))?;
            Some(Expr::symbol(name))
        })
    };
    let same = |(a, b): &(&&Loop, &&Loop)| {
        let equal = |a: &Expr, b: &Expr| renamed(b).distance(a) == Some(0.0);
        !a.variable.is_none()
            && equal(&a.lower, &b.lower)
            && equal(&a.upper, &b.upper)
            && equal(&a.step, &b.step)
    };
    let depth = chain.iter().zip(&other).take_while(same).count();
    if depth == 0 {
        return Err("their ranges differ".into());
    }
    scalars(block, first, second)?;
    let (before, after) = (references(first, changing), references(second, changing));
    between(block, before.iter().chain(&after))?;
    let mut most = depth;
    for a in &before {
        let conflicts = |b: &&Reference| a.written.is_some() || b.written.is_some();
        let name = &a.stream.array;
        if let Some(b) = after
            .iter()
            .filter(conflicts)
            .find(|b| sharing.may_share(name, &b.stream.array))
        {
            return Err(format!(
                "`{name}` and `{}` may share storage",
                b.stream.array
            ));
        }
        for b in after.iter().filter(|b| b.stream.array == a.stream.array) {
            let writes = a.written.is_some() || b.written.is_some();
            if !writes || components_differ(a, b) || never_meet(a, b) {
                continue;
            }
            most = most.min(fusable(a, b, &chain[..depth], &other[..depth]));
            // An iteration that waits for another one would not be parallel any more.
            if first.parallel.is_some()
                && !stays_in_iteration(a, b, &chain[..depth], &other[..depth])
            {
                return Err(format!(
                    "`{}` is used in other iterations of a parallel loop",
                    a.stream.array
                ));
            }
            if most == 0 {
                return Err(format!(
                    "`{}` would be used before its time",
                    a.stream.array
                ));
            }
        }
    }
    Ok(most)
}

/// The loop and those perfectly nested in it.
pub(super) fn chain(facts: &Loop) -> Vec<&Loop> {
    let mut chain = vec![facts];
    loop {
        let body = &chain[chain.len() - 1].body;
        let is_plain =
            body.streams.is_empty() && body.scalars.is_empty() && body.flops.by_type.is_empty();
        match body.items.as_slice() {
            [Item::Loop(inner)] if is_plain => chain.push(inner),
            _ => return chain,
        }
    }
}

/// What makes a loop one of which not all effects are known.
pub(super) fn obstacle(facts: &Loop) -> Result<(), String> {
    let mut found = Ok(());
    each_loop(facts, &mut |inner| {
        if inner.exits_early && found.is_ok() {
            found = Err(format!("{} may end early", inner.id));
        }
    });
    everywhere(&facts.body, &mut |block| {
        if let (Ok(()), Some(call)) = (&found, block.calls.iter().find(is_opaque)) {
            found = Err(format!("{} calls {}", facts.id, call.name));
        }
        let gap = block.reasons.iter().find(|r| !r.code.is_understood());
        if let (Ok(()), Some(reason)) = (&found, gap) {
            found = Err(format!(
                "{}: {} at line {}",
                facts.id, reason.code, reason.line
            ));
        }
    });
    found
}

/// A call whose body does not stand in its place: what it touches is not known here.
fn is_opaque(call: &&Call) -> bool {
    call.body != Body::Expanded
}

fn everywhere<'p>(block: &'p Block, visit: &mut dyn FnMut(&'p Block)) {
    visit(block);
    for item in &block.items {
        match item {
            Item::Loop(inner) => everywhere(&inner.body, visit),
            Item::Branch(branch) => {
                everywhere(&branch.then, visit);
                branch
                    .otherwise
                    .iter()
                    .for_each(|block| everywhere(block, visit));
            }
        }
    }
}

/// Scalars by name with how the loop uses them.
fn scalars_of(facts: &Loop) -> BTreeMap<&str, AccessClass> {
    let mut found: BTreeMap<&str, AccessClass> = BTreeMap::new();
    everywhere(&facts.body, &mut |block| {
        for scalar in &block.scalars {
            found
                .entry(&scalar.name)
                .and_modify(|class| *class = class.then(scalar.class))
                .or_insert(scalar.class);
        }
    });
    found
}

/// A value that one loop leaves to the other keeps them apart, and so does one that straight-line code sets for the
/// second: where that code stands, between the loops or before them, is not known here.
fn scalars(block: &Block, first: &Loop, second: &Loop) -> Result<(), String> {
    use AccessClass::{ReadOnly, ReadWrite};
    let (before, after) = (scalars_of(first), scalars_of(second));
    for (name, class) in &before {
        let Some(later) = after.get(name) else {
            continue;
        };
        let passes_on = *class != ReadOnly && matches!(later, ReadOnly | ReadWrite);
        let overwrites = matches!(class, ReadOnly | ReadWrite) && *later != ReadOnly;
        if passes_on || overwrites {
            return Err(format!("scalar `{name}`"));
        }
    }
    let (variables, own) = (variables(first), variables(second));
    let mut needed = symbols(second);
    needed.extend(after.keys().map(std::string::ToString::to_string));
    if let Some(name) = variables
        .iter()
        .find(|name| needed.contains(**name) && !own.contains(*name))
    {
        return Err(format!("the last value of `{name}`"));
    }
    for scalar in &block.scalars {
        let name = scalar.name.as_str();
        if variables.contains(name) || own.contains(name) {
            return Err(format!("`{name}` is used outside the loops too"));
        }
        if scalar.class != ReadOnly && needed.contains(name) {
            return Err(format!("scalar `{name}` is set outside the loops too"));
        }
    }
    Ok(())
}

/// Variables of the loop and of those inside it.
fn variables(facts: &Loop) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    each_loop(facts, &mut |inner| {
        found.insert(inner.variable.as_str());
    });
    found
}

/// Names in bounds and subscripts.
fn symbols(facts: &Loop) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut add =
        |expr: &Expr| found.extend(expr.symbols().iter().map(std::string::ToString::to_string));
    each_loop(facts, &mut |inner| {
        [&inner.lower, &inner.upper, &inner.step]
            .into_iter()
            .for_each(&mut add);
    });
    everywhere(&facts.body, &mut |block| {
        for subscript in block.streams.iter().flat_map(|stream| &stream.subscripts) {
            add(&subscript.base);
            subscript
                .terms
                .iter()
                .for_each(|(_, coefficient)| add(coefficient));
        }
    });
    found
}

fn each_loop<'p>(facts: &'p Loop, visit: &mut dyn FnMut(&'p Loop)) {
    visit(facts);
    facts
        .body
        .loops()
        .into_iter()
        .for_each(|inner| each_loop(inner, visit));
}

/// Straight-line code of the block that uses what the loops write, or writes what they use.
fn between<'r>(block: &Block, used: impl Iterator<Item = &'r Reference<'r>>) -> Result<(), String> {
    for reference in used {
        let conflicts =
            |class: AccessClass| class != AccessClass::ReadOnly || reference.written.is_some();
        let same = |stream: &&Stream| stream.array == reference.stream.array;
        if block
            .streams
            .iter()
            .filter(same)
            .any(|stream| conflicts(stream.class))
        {
            return Err(format!(
                "`{}` is used outside the loops too",
                reference.stream.array
            ));
        }
    }
    Ok(())
}

pub(super) fn components_differ(a: &Reference, b: &Reference) -> bool {
    matches!((a.component(), b.component()), (Some(a), Some(b)) if a != b)
}

/// No conflicting uses are of the same elements.
pub(super) fn never_meet(a: &Reference, b: &Reference) -> bool {
    let apart = |x: &Option<Region>, y: &Option<Region>| match (x, y) {
        (Some(x), Some(y)) => x.is_apart_from(y),
        _ => true,
    };
    apart(&a.written, &b.written) && apart(&a.written, &b.read) && apart(&a.read, &b.written)
}

/// Whether all conflicting uses of an element are in the same iteration of the outermost loop.
fn stays_in_iteration(a: &Reference, b: &Reference, chain: &[&Loop], other: &[&Loop]) -> bool {
    a.stream.accesses.iter().all(|x| {
        b.stream
            .accesses
            .iter()
            .filter(|y| x.writes > 0 || y.writes > 0)
            .all(|y| match distances((a, x), (b, y), chain, other) {
                Distance::Never => true,
                Distance::Of(entries) => entries[0] == Some(0.0),
            })
    })
}

/// How many of the outer loops may be made one as far as these two references are concerned: with
/// all distances lexicographically not negative.
fn fusable(a: &Reference, b: &Reference, chain: &[&Loop], other: &[&Loop]) -> usize {
    let mut most = chain.len();
    let uses = |access: &Access, writes: bool| {
        if writes {
            access.writes > 0
        } else {
            access.reads > 0
        }
    };
    for (a_writes, b_writes) in [(true, true), (true, false), (false, true)] {
        for x in a
            .stream
            .accesses
            .iter()
            .filter(|access| uses(access, a_writes))
        {
            for y in b
                .stream
                .accesses
                .iter()
                .filter(|access| uses(access, b_writes))
            {
                most = most.min(legal_prefix(&distances((a, x), (b, y), chain, other)));
            }
        }
    }
    most
}

/// Iterations by which the second use of an element comes after the first, loop by loop.
pub(super) enum Distance {
    /// They never use the same element.
    Never,
    /// Per loop; `None` where it may be anything.
    Of(Vec<Option<f64>>),
}

fn legal_prefix(distance: &Distance) -> usize {
    let Distance::Of(entries) = distance else {
        return usize::MAX;
    };
    for (level, entry) in entries.iter().enumerate() {
        match entry {
            Some(steps) if *steps > 0.0 => return usize::MAX,
            Some(0.0) => {}
            _ => return level,
        }
    }
    usize::MAX
}

pub(super) fn distances(
    (a, x): (&Reference, &Access),
    (b, y): (&Reference, &Access),
    chain: &[&Loop],
    other: &[&Loop],
) -> Distance {
    let mut entries = vec![None; chain.len()];
    if !a.stream.has_shape_of(b.stream) {
        return Distance::Of(entries);
    }
    let pairs = a
        .stream
        .subscripts
        .iter()
        .zip(&b.stream.subscripts)
        .enumerate();
    for (dimension, (s, t)) in pairs {
        let Some(shift) = t
            .base
            .distance(&s.base)
            .map(|bases| bases + (y.offset[dimension] - x.offset[dimension]) as f64)
        else {
            continue;
        };
        match (variable(s), variable(t)) {
            (Moves::Not, Moves::Not) if shift != 0.0 => return Distance::Never,
            (Moves::With(name, slope), Moves::With(later, other_slope)) if slope == other_slope => {
                let level = chain.iter().position(|facts| facts.variable == name);
                let same = level.filter(|level| other[*level].variable == later);
                let step = same
                    .and_then(|level| chain[level].step.as_number())
                    .filter(|step| *step != 0.0);
                let (Some(level), Some(step)) = (same, step) else {
                    continue;
                };
                // slope·p + s = slope·q + t for iterations p of the first and q of the second.
                let steps = -shift / (slope * step);
                if steps.fract() != 0.0 || entries[level].is_some_and(|known| known != steps) {
                    return Distance::Never;
                }
                entries[level] = Some(steps);
            }
            _ => {}
        }
    }
    Distance::Of(entries)
}

/// Which loop moves a subscript.
enum Moves<'s> {
    Not,
    /// One, by so many elements per iteration.
    With(&'s str, f64),
    Otherwise,
}

fn variable(subscript: &Subscript) -> Moves<'_> {
    match subscript.terms.as_slice() {
        _ if subscript.gather.is_some() => Moves::Otherwise,
        [] => Moves::Not,
        [(name, coefficient)] => match coefficient.as_number() {
            Some(slope) if slope != 0.0 => Moves::With(name, slope),
            _ => Moves::Otherwise,
        },
        _ => Moves::Otherwise,
    }
}
