//! Which variable of the IR a name of the source has become.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::scope::ScopeId;
use crate::ir::VarId;

/// What is known of the procedure's variables beside what the IR keeps.
#[derive(Debug, Default)]
pub struct Variables {
    /// By the scope that declares them, or that a path is seen from, and their path there.
    declared: FxHashMap<ScopeId, FxHashMap<Arc<str>, VarId>>,
    /// Constants that the preprocessor left in the text.
    macros: FxHashMap<Arc<str>, VarId>,
    /// Loop variables of our own, by number.
    indices: FxHashMap<usize, VarId>,
    /// Variables that may be of a type that extends their own.
    polymorphic: FxHashSet<VarId>,
    /// Variables that `equivalence` lays over a common block: they may reach into its other members.
    overlays: Vec<VarId>,
}

impl Variables {
    /// The variable of a name or path in a scope, if it has been made.
    pub fn get(&self, scope: ScopeId, path: &str) -> Option<VarId> {
        self.declared.get(&scope)?.get(path).copied()
    }

    pub fn insert(&mut self, scope: ScopeId, path: &Arc<str>, id: VarId) {
        let known = self.declared.entry(scope).or_default();
        known.insert(path.clone(), id);
    }

    pub fn of_macro(&self, name: &str) -> Option<VarId> {
        self.macros.get(name).copied()
    }

    pub fn insert_macro(&mut self, name: &Arc<str>, id: VarId) {
        self.macros.insert(name.clone(), id);
    }

    /// The loop variable of that number, if it has been made.
    pub fn index(&self, at: usize) -> Option<VarId> {
        self.indices.get(&at).copied()
    }

    pub fn insert_index(&mut self, at: usize, id: VarId) {
        self.indices.insert(at, id);
    }

    /// Notes that a variable may be of a type that extends its own.
    pub fn set_polymorphic(&mut self, id: VarId) {
        self.polymorphic.insert(id);
    }

    pub fn is_polymorphic(&self, id: VarId) -> bool {
        self.polymorphic.contains(&id)
    }

    /// Notes variables that lie over members of a common block.
    pub fn add_overlays(&mut self, ids: impl IntoIterator<Item = VarId>) {
        self.overlays.extend(ids);
    }

    pub fn overlays(&self) -> &[VarId] {
        &self.overlays
    }
}
