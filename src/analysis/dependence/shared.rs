//! Arrays of different names that may be the same storage.

use std::collections::{BTreeMap, BTreeSet};

use crate::facts::{Block, Function, Item};
use crate::ir::Name;

/// For each name of the function's arrays, and for what they may lie in, the other arrays that may share storage.
pub struct Sharing<'p> {
    partners: BTreeMap<&'p str, BTreeSet<&'p str>>,
}

impl<'p> Sharing<'p> {
    pub fn new(function: &'p Function) -> Sharing<'p> {
        let mut storage: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        let mut users: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        let pairs = function
            .shared
            .iter()
            .flat_map(|(a, b)| [(a, b), (a, a), (b, b)]);
        for (name, place) in pairs {
            storage.entry(name).or_default().insert(place);
            users.entry(place).or_default().insert(name);
        }
        let said = |name: &str| {
            let places = storage.get(name).into_iter().flatten();
            places
                .filter_map(|place| users.get(place))
                .flatten()
                .copied()
                .collect::<BTreeSet<&str>>()
        };
        let mut names: BTreeSet<&Name> = function.shared.iter().map(|(name, _)| name).collect();
        names.extend(function.shared.iter().map(|(_, place)| place));
        arrays(&function.body, &mut names);
        let mut by_root: BTreeMap<&str, Vec<&Name>> = BTreeMap::new();
        for name in &names {
            by_root.entry(name.variable()).or_default().push(name);
        }
        let mut partners: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for name in &names {
            let mut of_name = said(name);
            let mut roots = said(name.variable());
            roots.insert(name.variable());
            let own: Vec<&str> = name.members().collect();
            let parts = roots.iter().filter_map(|root| by_root.get(root)).flatten();
            let parts = parts.filter(|other| may_contain(&own, other));
            of_name.extend(parts.map(|other| other.as_str()));
            of_name.remove(name.as_str());
            if !of_name.is_empty() {
                partners.insert(name, of_name);
            }
        }
        Sharing { partners }
    }

    /// Other arrays that may share storage with one.
    pub fn partners(&self, name: &str) -> impl Iterator<Item = &'p str> + '_ {
        self.partners.get(name).into_iter().flatten().copied()
    }

    pub fn may_share(&self, a: &str, b: &str) -> bool {
        self.partners
            .get(a)
            .is_some_and(|partners| partners.contains(b))
    }
}

/// Whether one is the other, or a member of it, by the members that lead to them from the same structure.
fn may_contain(a: &[&str], b: &Name) -> bool {
    a.iter().zip(b.members()).all(|(a, b)| *a == b)
}

fn arrays<'p>(block: &'p Block, found: &mut BTreeSet<&'p Name>) {
    found.extend(block.streams.iter().map(|stream| &stream.array));
    for item in &block.items {
        match item {
            Item::Loop(inner) => arrays(&inner.body, found),
            Item::Branch(branch) => {
                arrays(&branch.then, found);
                branch
                    .otherwise
                    .iter()
                    .for_each(|block| arrays(block, found));
            }
        }
    }
}
