//! Names that may stand for the same storage: what `equivalence`, unions and assigned pointers say.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::calls::Procedures;
use super::facts::{Block, Item};
use crate::ir::visit::{InLoop, statements};
use crate::ir::{Function, Home, Name, Stmt, Value, VarId, addressed, is_left_out};

/// Pairs of an array that the body uses under its name and storage that it may lie in. Two arrays may share
/// storage if one names the other's, or both name the same.
pub fn shared_storage(function: &Function, body: &Block) -> Vec<(Name, Name)> {
    let direct = direct(function);
    if direct.is_empty() {
        return Vec::new();
    }
    let mut used = BTreeSet::new();
    names(body, &mut used);
    let mut pairs = Vec::new();
    for start in direct
        .keys()
        .filter(|id| used.contains(function.variable(**id).name.variable()))
    {
        // Pointers lead to pointers.
        let (mut reached, mut left) = (BTreeSet::new(), vec![*start]);
        while let Some(id) = left.pop() {
            left.extend(
                direct
                    .get(&id)
                    .into_iter()
                    .flatten()
                    .filter(|target| reached.insert(**target)),
            );
        }
        let name = |id: &VarId| function.variable(*id).name.clone();
        pairs.extend(
            reached
                .iter()
                .filter(|id| *id != start)
                .map(|id| (name(start), name(id))),
        );
    }
    pairs
}

/// By array, pointer or other name: all that may be the same storage.
pub fn same_storage(function: &Function) -> BTreeMap<VarId, BTreeSet<VarId>> {
    let mut both = direct(function);
    for (pointer, targets) in both.clone() {
        for target in targets {
            both.entry(target).or_default().insert(pointer);
        }
    }
    let reached = reached(&both);
    // What has two names has members by both.
    for (one, others) in &reached {
        let own = members(function, *one);
        for other in others.iter().filter(|_| !own.is_empty()) {
            for (way, id) in members(function, *other) {
                let same = own.iter().filter(|(own, _)| *own == way);
                both.entry(id).or_default().extend(same.map(|(_, own)| own));
            }
        }
    }
    self::reached(&both)
}

/// What is inside of a structure or behind a pointer to one, by the members that lead to it.
fn members(function: &Function, of: VarId) -> Vec<(Vec<&str>, VarId)> {
    let of = &function.variable(of).name;
    let way: Vec<&str> = of.members().collect();
    let inside = |(id, name): (VarId, &'_ Name)| {
        let is_inside = name.variable() == of.variable() && name.members().count() > way.len();
        (is_inside && way.iter().copied().eq(name.members().take(way.len()))).then_some(id)
    };
    let all = (0..).map(VarId).zip(&function.variables);
    all.filter_map(|(id, variable)| inside((id, &variable.name)))
        .map(|id| {
            let rest = function.variable(id).name.members().skip(way.len());
            (rest.collect(), id)
        })
        .collect()
}

/// All that names lead to, by one or several others.
fn reached(both: &BTreeMap<VarId, BTreeSet<VarId>>) -> BTreeMap<VarId, BTreeSet<VarId>> {
    let all = |start: &VarId| {
        let (mut reached, mut left) = (BTreeSet::new(), vec![*start]);
        while let Some(id) = left.pop() {
            let next = both.get(&id).into_iter().flatten();
            left.extend(next.filter(|target| reached.insert(**target)));
        }
        (*start, reached)
    };
    both.keys().map(all).collect()
}

/// By name: the storage that it may lie in as `equivalence` or one assignment says it.
fn direct(function: &Function) -> BTreeMap<VarId, BTreeSet<VarId>> {
    let mut direct: BTreeMap<VarId, BTreeSet<VarId>> = BTreeMap::new();
    for (a, b) in &function.shared {
        direct.entry(*a).or_default().insert(*b);
    }
    if function.conventions.has_pointers() {
        statements(&function.body, InLoop::No, &mut |stmt, _| {
            if let Stmt::Assign {
                target: Value::Variable(pointer),
                value,
                ..
            } = stmt
                && !function.variable(*pointer).dimensions.is_empty()
            {
                pointed_to(value, function, &mut |target| {
                    if target != *pointer {
                        direct.entry(*pointer).or_default().insert(target);
                    }
                });
            }
        });
    }
    direct
}

/// Common blocks whose members do not have the same names everywhere.
pub(crate) fn commons(known: &Procedures) -> FxHashSet<Arc<str>> {
    let mut layouts: FxHashMap<&Arc<str>, BTreeSet<&Arc<str>>> = FxHashMap::default();
    let mut found = FxHashSet::default();
    for id in known.ids() {
        let mut own: FxHashMap<&Arc<str>, BTreeSet<&Arc<str>>> = FxHashMap::default();
        for home in known.get(id).function.homes.values() {
            if let Home::Common { block, name } = home {
                own.entry(block).or_default().insert(name);
            }
        }
        for (block, names) in own {
            match layouts.get(block) {
                Some(known) if *known != names => {
                    found.insert(block.clone());
                }
                Some(_) => {}
                None => {
                    layouts.insert(block, names);
                }
            }
        }
    }
    found
}

/// The arrays that an address may lie in.
fn pointed_to(value: &Value, function: &Function, found: &mut dyn FnMut(VarId)) {
    match value {
        Value::Variable(id) if !function.variable(*id).dimensions.is_empty() => found(*id),
        Value::Element {
            array, subscripts, ..
        } if subscripts.iter().any(is_left_out) => found(*array),
        Value::Binary(_, left, right) => [left, right]
            .into_iter()
            .for_each(|v| pointed_to(v, function, found)),
        Value::Select(_, then, otherwise) => [then, otherwise]
            .into_iter()
            .for_each(|v| pointed_to(v, function, found)),
        Value::Convert(_, operand) => pointed_to(operand, function, found),
        _ => {
            if let Some(Value::Element { array, .. } | Value::Variable(array)) = addressed(value) {
                found(*array);
            }
        }
    }
}

fn names<'b>(block: &'b Block, found: &mut BTreeSet<&'b str>) {
    found.extend(block.streams.iter().map(|stream| stream.array.variable()));
    for item in &block.items {
        match item {
            Item::Loop(inner) => names(&inner.body, found),
            Item::Branch(branch) => {
                names(&branch.then, found);
                branch
                    .otherwise
                    .iter()
                    .for_each(|block| names(block, found));
            }
        }
    }
}
