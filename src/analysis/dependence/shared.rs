//! Arrays of different names that may be the same storage.

use std::collections::{BTreeMap, BTreeSet};

use crate::facts::{Block, Function, Item};
use crate::shared::{members, root};

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
        let mut names: BTreeSet<&str> = storage.keys().copied().collect();
        arrays(&function.body, &mut names);
        let mut by_root: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for name in &names {
            by_root.entry(root(name)).or_default().push(name);
        }
        let mut partners: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for name in &names {
            let mut of_name = said(name);
            let mut roots = said(root(name));
            roots.insert(root(name));
            let own = members(name);
            let parts = roots.iter().filter_map(|root| by_root.get(root)).flatten();
            of_name.extend(parts.filter(|other| may_contain(&own, &members(other))));
            of_name.remove(name);
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
fn may_contain(a: &[&str], b: &[&str]) -> bool {
    a.iter().zip(b).all(|(a, b)| a == b)
}

fn arrays<'p>(block: &'p Block, found: &mut BTreeSet<&'p str>) {
    found.extend(block.streams.iter().map(|stream| stream.array.as_str()));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_of_names() {
        assert_eq!((root("g->a"), members("g->a")), ("g", vec!["a"]));
        assert_eq!((root("p[].v.x"), members("p[].v.x")), ("p", vec!["v", "x"]));
        assert_eq!((root("a(real4 *)"), members("a(real4 *)")), ("a", vec![]));
        assert_eq!(
            (root("q%c(1)%rho"), members("q%c(1)%rho")),
            ("q", vec!["c", "rho"])
        );
    }
}
