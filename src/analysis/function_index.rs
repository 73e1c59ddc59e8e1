//! The functions of a program by what calls say of them.

use std::collections::HashMap;

use crate::facts::{Call, Function, FunctionKey};

/// Positions of functions by key and by name.
pub struct FunctionIndex {
    by_key: HashMap<FunctionKey, usize>,
    /// In small letters.
    by_name: HashMap<String, Vec<usize>>,
}

impl FunctionIndex {
    pub fn of(functions: &[Function]) -> FunctionIndex {
        let mut index = FunctionIndex {
            by_key: HashMap::new(),
            by_name: HashMap::new(),
        };
        for (position, function) in functions.iter().enumerate() {
            index.by_key.entry(function.key()).or_insert(position);
            let named = index.by_name.entry(function.name.to_ascii_lowercase());
            named.or_default().push(position);
        }
        index
    }

    /// The functions that a key stands for.
    pub fn keyed(&self, key: &FunctionKey) -> Vec<usize> {
        match self.by_key.get(key) {
            Some(position) => vec![*position],
            // Another copy of it was kept.
            None => self.named(&key.name).to_vec(),
        }
    }

    /// The functions of a name.
    pub fn named(&self, name: &str) -> &[usize] {
        let found = self.by_name.get(&name.to_ascii_lowercase());
        found.map_or(&[], Vec::as_slice)
    }

    /// The functions whose names a call has as arguments: they may be called from wherever it leads.
    pub fn handed<'i>(&'i self, call: &'i Call) -> impl Iterator<Item = usize> + 'i {
        call.arguments.iter().flat_map(|argument| {
            let name = argument.trim_start_matches(['&', '(', ' ']);
            let named = self.named(name.trim_end_matches([')', ' ']));
            named.iter().copied()
        })
    }
}
