//! Two nests that follow each other, in one: what both use is moved once.

use std::borrow::Cow;

use super::evaluate::{Bench, Plan};
use super::{Change, Proposal};
use crate::analysis::dependence::{self, fusion::Candidate, fusion::Verdict};
use crate::analysis::facts::{GuardRange, Loop, Stream, Subscript};
use crate::expr::{Expr, Symbol};
use crate::nest::{Nest, Reference};

/// Pairs of nests all of whose loops can be made one.
pub(super) fn propose<'p>(bench: &Bench<'_, '_, 'p>) -> Vec<Proposal<'p>> {
    let context = bench.context;
    let mut functions: Vec<usize> = (context.costliest.iter())
        .map(|nest| context.nests[*nest].nest.function)
        .collect();
    functions.sort_unstable();
    functions.dedup();
    let mut found = Vec::new();
    for function in functions {
        let sequences = dependence::sequences(&context.program.functions[function]);
        let candidates = sequences.iter().flat_map(|sequence| &sequence.fusions);
        found.extend(candidates.filter_map(|candidate| one(bench, function, candidate)));
    }
    found
}

fn one<'p>(
    bench: &Bench<'_, '_, 'p>,
    function: usize,
    candidate: &Candidate<'p>,
) -> Option<Proposal<'p>> {
    let context = bench.context;
    let Verdict::Fuses { loops } = candidate.verdict else {
        return None;
    };
    let of = |head: &Loop| {
        let is_it = |nest: &Nest| nest.function == function && std::ptr::eq(nest.head(), head);
        let mut found = (0..context.nests.len()).filter(|at| is_it(&context.nests[*at].nest));
        // Several nests begin with a loop that holds several.
        let only = found.next().filter(|_| found.next().is_none())?;
        let nest = &context.nests[only].nest;
        let innermost = nest.loops.last()?.facts;
        let is_whole = nest.loops.len() == nest.own + loops && innermost.body.loops().is_empty();
        is_whole.then_some(only)
    };
    let (first, second) = (of(candidate.first)?, of(candidate.second)?);
    let (a, b) = (&context.nests[first].nest, &context.nests[second].nest);
    if ![first, second]
        .iter()
        .any(|nest| context.costliest.contains(nest))
    {
        return None;
    }
    let arrays = shared(a, b);
    if arrays.is_empty() {
        return None;
    }
    let changed = fused(a, b);
    let seconds = bench.of(&[first, second], &changed);
    let [once, other] = [first, second].map(|nest| bench.value(context.nests[nest].time.seconds));
    // The second takes no time of its own any more, and the first that of both.
    let saved = bench.saved(first, seconds - other);
    (once.is_finite() && other.is_finite()).then(|| Proposal {
        change: Change::Fuse { arrays },
        nests: vec![first, second],
        checks: Vec::new(),
        plan: Plan::Nest(Box::new(changed)),
        saved,
    })
}

/// Arrays that both use, by name.
fn shared(a: &Nest, b: &Nest) -> Vec<String> {
    let used = |nest: &Nest, name: &str| nest.streams.iter().any(|used| used.stream.array == name);
    let names = a.streams.iter().map(|used| used.stream.array.to_string());
    let mut names: Vec<String> = names.filter(|name| used(b, name)).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn fused<'p>(a: &Nest<'p>, b: &Nest<'p>) -> Nest<'p> {
    let names: Vec<(&str, &str)> = b
        .loops
        .iter()
        .zip(&a.loops)
        .map(|(from, to)| (from.facts.variable.as_str(), to.facts.variable.as_str()))
        .filter(|(from, to)| from != to)
        .collect();
    let renamed = |reference: &Reference<'p>| match names.as_slice() {
        [] => reference.clone(),
        names => Reference {
            stream: Cow::Owned(rename(&reference.stream, names)),
            guards: reference
                .guards
                .iter()
                .map(|range| renamed_range(range, names))
                .collect(),
            hole: (reference.hole.iter())
                .map(|range| renamed_range(range, names))
                .collect(),
            ..reference.clone()
        },
    };
    let later: Vec<Reference<'p>> = b.references.iter().map(renamed).collect();
    a.changed(
        a.loops.clone(),
        [a.contents.as_slice(), &b.contents].concat(),
        [a.references.as_slice(), &later].concat(),
    )
}

fn other_name(variable: &str, names: &[(&str, &str)]) -> String {
    let found = names.iter().find(|(from, _)| *from == variable);
    found.map_or(variable, |(_, to)| to).to_string()
}

fn renamed_expr(expr: &Expr, names: &[(&str, &str)]) -> Expr {
    expr.substitute(&|symbol: &Symbol| {
        let (_, to) = names.iter().find(|(from, _)| symbol.is_source(from))?;
        Some(Expr::symbol(to))
    })
}

fn renamed_range(range: &GuardRange, names: &[(&str, &str)]) -> GuardRange {
    let end = |end: &Option<Expr>| end.as_ref().map(|end| renamed_expr(end, names));
    GuardRange {
        variable: other_name(&range.variable, names),
        lower: end(&range.lower),
        upper: end(&range.upper),
    }
}

/// With other names of loop variables.
fn rename(stream: &Stream, names: &[(&str, &str)]) -> Stream {
    let subscript = |one: &Subscript| Subscript {
        terms: (one.terms.iter())
            .map(|(variable, by)| (other_name(variable, names), renamed_expr(by, names)))
            .collect(),
        base: renamed_expr(&one.base, names),
        gather: one.gather.clone(),
    };
    let held = stream.held.iter();
    Stream {
        subscripts: stream.subscripts.iter().map(subscript).collect(),
        held: held.map(|range| renamed_range(range, names)).collect(),
        ..stream.clone()
    }
}
