//! Values that the program's own input gives: what a run would read.

use std::collections::{BTreeMap, BTreeSet};

use crate::facts::Origin;

/// Numbers and truth values, by the names that the input gives them, in lower case; and sizes that are set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inputs {
    values: BTreeMap<String, Vec<Run>>,
    /// What replaces what the program gives its variables.
    pub sizes: Vec<SetSize>,
}

/// Equal values, one after the other in storage.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// As it is listed.
    pub name: String,
    /// Where the list begins that they are in.
    pub first: Option<Box<[i64]>>,
    /// How many elements are before them in the list.
    pub before: u64,
    pub times: u64,
    pub told: Told,
}

/// What an input says of a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Told {
    /// One and zero for true and false.
    Value(f64),
    /// The name is all there is on its line: true of a logical variable, nothing of a number.
    NameAlone,
    /// The line behind the name may be its value or not.
    Unclear,
}

impl Told {
    /// What it is for a variable that holds logical values, or another one.
    pub(crate) fn value(self, is_logical: bool) -> Option<f64> {
        match self {
            Told::Value(value) => Some(value),
            Told::NameAlone => is_logical.then_some(1.0),
            Told::Unclear => None,
        }
    }
}

/// The bounds of a dimension of an array that are numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    pub first: Option<i64>,
    pub last: Option<i64>,
}

/// An element of an array.
#[derive(Clone, Copy)]
pub(crate) struct Element<'a> {
    pub subscripts: &'a [i64],
    pub bounds: &'a [Bounds],
}

impl Element<'_> {
    /// How far behind another element of the array it is, the first one without subscripts.
    fn behind(&self, first: Option<&[i64]>) -> Option<i64> {
        let rank = self.subscripts.len();
        if first.is_some_and(|first| first.len() != rank) {
            return None;
        }
        // Of a component, the structures may be an array of another rank than those that are known.
        let is_known = self.bounds.len() == rank;
        let (mut distance, mut stride) = (0i64, Some(1i64));
        for (at, subscript) in self.subscripts.iter().enumerate() {
            let bounds = self.bounds.get(at).filter(|_| is_known);
            let from = match first {
                Some(first) => first[at],
                None => bounds?.first?,
            };
            let steps = subscript.checked_sub(from)?;
            if steps != 0 {
                distance = distance.checked_add(steps.checked_mul(stride?)?)?;
            }
            let extent = || {
                let bounds = bounds?;
                bounds.last?.checked_sub(bounds.first?)?.checked_add(1)
            };
            stride = stride.and_then(|stride| stride.checked_mul(extent()?));
        }
        Some(distance)
    }
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
    /// Adds a value of a scalar, 1 and 0 for true and false; the last one of a name counts.
    pub fn set(&mut self, name: &str, value: f64) {
        let run = Run {
            name: name.to_string(),
            first: None,
            before: 0,
            times: 1,
            told: Told::Value(value),
        };
        self.add(&name.to_lowercase(), run);
    }

    /// Adds values of a variable or array; the last one of an element counts.
    pub fn add(&mut self, name: &str, run: Run) {
        self.values.entry(name.to_string()).or_default().push(run);
    }

    /// The value for a variable or component, by what the source calls it without what holds it: `nx` also of `grid%nx`.
    pub(crate) fn value(&self, name: &str) -> Option<Told> {
        if self.values.is_empty() {
            return None;
        }
        let runs = self.values.get(&name.to_lowercase())?;
        let is_first = |run: &&Run| run.first.is_none() && run.before == 0 && run.times > 0;
        Some(runs.iter().rfind(is_first)?.told)
    }

    /// The value for an element of an array of that name, and what the input calls it.
    pub(crate) fn element(&self, array: &str, element: Element) -> Option<(String, Told)> {
        if self.values.is_empty() {
            return None;
        }
        let runs = self.values.get(&array.to_lowercase())?;
        // Where one of the lists cannot be placed, it may be the one that counts.
        let mut found = None;
        for run in runs {
            let behind = element.behind(run.first.as_deref())?;
            let at = u64::try_from(behind)
                .ok()
                .and_then(|behind| behind.checked_sub(run.before));
            if at.is_some_and(|at| at < run.times) {
                found = Some((run.name.clone(), run.told));
            }
        }
        found
    }
}

/// Which names of an input the program reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Used {
    taken: BTreeSet<String>,
    refused: BTreeSet<String>,
}

impl Used {
    pub(crate) fn take(&mut self, name: &str) {
        self.taken.insert(name.to_lowercase());
    }

    pub(crate) fn refuse(&mut self, name: &str) {
        self.refused.insert(name.to_lowercase());
    }

    /// Whether some variable of the program took its value from it.
    pub fn contains(&self, name: &str) -> bool {
        self.taken.contains(&name.to_lowercase())
    }

    /// Whether a variable reads it, for which the input has no value behind the name.
    pub fn lacks_value(&self, name: &str) -> bool {
        self.refused.contains(&name.to_lowercase())
    }
}
