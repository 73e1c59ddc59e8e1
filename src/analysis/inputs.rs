//! Values that the program's own input gives: what a run would read.

use std::collections::{BTreeMap, BTreeSet};

use crate::facts::Origin;

/// Numbers and truth values, by the names that the input gives them, in lower case; and sizes that are set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inputs {
    values: BTreeMap<String, f64>,
    /// What replaces what the program gives its variables.
    pub sizes: Vec<SetSize>,
}

/// A value that the user gives a variable in place of what the program does, `--set`.
#[derive(Clone, Debug, PartialEq)]
pub struct SetSize {
    /// As the user writes it.
    pub name: String,
    /// `None` where it is said later: what follows from the variable then follows from its symbol.
    pub value: Option<f64>,
    pub origin: Origin,
}

impl SetSize {
    /// A setting as it is typed; a value that is not a number is for others to refuse.
    pub fn new(name: &str, value: &str, origin: Origin) -> SetSize {
        let value: Option<f64> = value.trim().parse().ok();
        SetSize {
            name: name.to_string(),
            value: value.filter(|value| value.is_finite()),
            origin,
        }
    }
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
