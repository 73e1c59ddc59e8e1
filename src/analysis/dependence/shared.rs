//! Arrays of different names that may be the same storage.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::facts::Function;

/// For each array the storage that it may lie in, its own name included where others name it.
pub struct Sharing<'p> {
    storage: BTreeMap<&'p str, BTreeSet<&'p str>>,
    users: BTreeMap<&'p str, BTreeSet<&'p str>>,
}

impl<'p> Sharing<'p> {
    pub fn new(function: &'p Function) -> Sharing<'p> {
        let mut sharing = Sharing { storage: BTreeMap::new(), users: BTreeMap::new() };
        let pairs = function.shared.iter().flat_map(|(a, b)| [(a, b), (a, a), (b, b)]);
        for (name, storage) in pairs {
            sharing.storage.entry(name).or_default().insert(storage);
            sharing.users.entry(storage).or_default().insert(name);
        }
        sharing
    }

    /// Other arrays that may share storage with one.
    pub fn partners(&self, name: &str) -> BTreeSet<&'p str> {
        let storage = self.storage.get(name).into_iter().flatten();
        let users = storage.filter_map(|storage| self.users.get(storage)).flatten().copied();
        users.filter(|user| *user != name).collect()
    }

    pub fn may_share(&self, a: &str, b: &str) -> bool {
        a != b && self.partners(a).contains(b)
    }
}
