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

    /// The value for a variable, component or element, by what the source calls it without what holds it: `nx` also of
    /// `grid%nx`, `counts(2)`.
    pub(crate) fn value(&self, name: &str) -> Option<f64> {
        if self.values.is_empty() {
            return None;
        }
        self.values.get(&name.to_lowercase()).copied()
    }
}

/// The names of an input that some variable of the program took its value from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Used(BTreeSet<String>);

impl Used {
    pub(crate) fn of<'n>(names: impl Iterator<Item = &'n str>) -> Used {
        Used(names.map(str::to_lowercase).collect())
    }

    pub fn contains(&self, name: &str) -> bool {
        self.0.contains(&name.to_lowercase())
    }
}
