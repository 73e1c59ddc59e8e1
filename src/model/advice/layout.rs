//! Arrays of records of which a nest uses few members: an array for each member has no others in its lines.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::evaluate::{Bench, Plan};
use super::{Change, Check, Proposal, Records};
use crate::analysis::facts::{Access, AccessClass, Component, Stream, Subscript};
use crate::expr::Expr;
use crate::nest::{Nest, Reference};

/// An array for each member that is used, of all arrays of which the nest uses half of the members or fewer.
pub(super) fn propose<'p>(bench: &Bench<'_, '_, 'p>, nest: usize) -> Option<Proposal<'p>> {
    let context = bench.context;
    let model = &context.nests[nest].nest;
    let names: BTreeSet<&str> = (model.streams.iter())
        .map(|used| used.stream.array.as_str())
        .collect();
    let records: Vec<Records> = names
        .into_iter()
        .filter_map(|name| records(model, name))
        .filter(|records| 2 * records.used <= records.elements)
        .collect();
    if records.is_empty() {
        return None;
    }
    let split = |reference: &Reference<'p>| {
        let array = reference.stream.array.as_str();
        match records.iter().find(|records| records.array == array) {
            None => vec![reference.clone()],
            Some(records) => members(&reference.stream, records.elements as i64)
                .into_iter()
                .map(|stream| Reference {
                    stream: Cow::Owned(stream),
                    ..reference.clone()
                })
                .collect(),
        }
    };
    let references = model.references.iter().flat_map(split);
    let changed = model.changed(
        model.loops.clone(),
        model.contents.clone(),
        references.collect(),
    );
    let seconds = bench.of(&[nest], &changed);
    let others = |records: &Records| Check::OtherUses {
        array: records.array.clone(),
        nests: other_uses(bench, nest, &records.array),
    };
    Some(Proposal {
        checks: records.iter().map(others).collect(),
        change: Change::SplitRecords(records),
        nests: vec![nest],
        plan: Plan::Nest(Box::new(changed)),
        saved: bench.saved(nest, seconds),
    })
}

/// Nests of the same function that use the array; what other functions call it is not known here.
fn other_uses(bench: &Bench, nest: usize, array: &str) -> usize {
    let nests = bench.context.nests;
    let uses = |other: &Nest| other.streams.iter().any(|used| used.stream.array == array);
    let function = nests[nest].nest.function;
    let others = nests
        .iter()
        .enumerate()
        .filter(|(at, other)| *at != nest && other.nest.function == function && uses(&other.nest));
    others.count()
}

/// The records that an array consists of, if the nest walks it by a fixed number of elements along lines.
fn records(nest: &Nest, array: &str) -> Option<Records> {
    let streams = || {
        nest.streams
            .iter()
            .filter(move |used| used.stream.array == array)
    };
    let strides: Option<Vec<u64>> = streams().map(|used| stride(&used.stream)).collect();
    let elements = strides?
        .into_iter()
        .reduce(gcd)
        .filter(|elements| *elements > 1)?;
    let offsets = streams().flat_map(|used| &used.stream.accesses);
    let used: BTreeSet<i64> = offsets
        .map(|access| access.offset[0].rem_euclid(elements as i64))
        .collect();
    Some(Records {
        array: array.to_string(),
        elements,
        used: used.len() as u64,
    })
}

/// By how many elements loops move along lines: a common divisor of what all of them do.
fn stride(stream: &Stream) -> Option<u64> {
    let first = stream.subscripts.first()?;
    if first.gather.is_some() || stream.accesses.is_empty() || first.base.as_number() != Some(0.0) {
        return None;
    }
    let steps = first
        .terms
        .iter()
        .map(|(_, by)| by.as_integer().map(i64::unsigned_abs));
    let steps: Option<Vec<u64>> = steps.collect();
    steps?.into_iter().filter(|by| *by > 0).reduce(gcd)
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// An array for every member of the records.
fn members(stream: &Stream, elements: i64) -> Vec<Stream> {
    let mut by_member: BTreeMap<i64, Vec<Access>> = BTreeMap::new();
    for access in &stream.accesses {
        let mut moved = access.clone();
        let member = access.offset[0].rem_euclid(elements);
        moved.offset[0] = (access.offset[0] - member) / elements;
        by_member.entry(member).or_default().push(moved);
    }
    let factor = 1.0 / elements as f64;
    let subscript = |(dimension, one): (usize, &Subscript)| match dimension {
        0 => Subscript {
            terms: (one.terms.iter())
                .map(|(name, by)| (name.clone(), by.clone() * factor))
                .collect(),
            ..one.clone()
        },
        _ => one.clone(),
    };
    let member = |(member, accesses): (i64, Vec<Access>)| {
        let component = stream.component.0.iter().cloned();
        let mut extents = stream.extents.clone();
        if let Some(first) = extents.first_mut() {
            *first = first.take().map(|(low, high)| {
                let records = ((high - low.clone()) + 1.0) * factor;
                (low.clone(), low + records - 1.0)
            });
        }
        Stream {
            component: Component(component.chain([Expr::from(member)]).collect()),
            class: class(stream, &accesses),
            subscripts: stream
                .subscripts
                .iter()
                .enumerate()
                .map(subscript)
                .collect(),
            accesses,
            extents,
            ..stream.clone()
        }
    };
    by_member.into_iter().map(member).collect()
}

/// How some of the accesses of a stream use it.
fn class(stream: &Stream, accesses: &[Access]) -> AccessClass {
    let reads = accesses.iter().any(|access| access.reads > 0);
    let writes = accesses.iter().any(|access| access.writes > 0);
    match (reads, writes) {
        (_, false) => AccessClass::ReadOnly,
        (false, true) => AccessClass::WriteOnly,
        (true, true) => match stream.class {
            AccessClass::WriteRead => AccessClass::WriteRead,
            _ => AccessClass::ReadWrite,
        },
    }
}
