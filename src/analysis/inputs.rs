//! Values that the program's own input gives: what a run would read.

use std::collections::{BTreeMap, BTreeSet};

/// Numbers and truth values, by the names that the input gives them, in lower case.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inputs {
    values: BTreeMap<String, f64>,
}

impl Inputs {
    /// Adds a value, 1 and 0 for true and false; the last one of a name counts.
    pub fn set(&mut self, name: &str, value: f64) {
        self.values.insert(name.to_lowercase(), value);
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.values.keys().map(String::as_str)
    }

    /// The value for a variable, component or element: `nx`, `grid%nx`, `counts(2)`.
    pub(crate) fn value(&self, name: &str) -> Option<f64> {
        if self.values.is_empty() {
            return None;
        }
        self.values.get(&key(name)).copied()
    }
}

/// What an input calls a variable or component.
fn key(name: &str) -> String {
    let component = name.rsplit('%').next().unwrap_or(name);
    component.to_lowercase()
}

/// The names of an input that some variable of the program took its value from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Used(BTreeSet<String>);

impl Used {
    pub(crate) fn of<'n>(names: impl Iterator<Item = &'n str>) -> Used {
        Used(names.map(key).collect())
    }

    pub fn contains(&self, name: &str) -> bool {
        self.0.contains(&name.to_lowercase())
    }
}
