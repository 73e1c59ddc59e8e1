//! Parameters that both sides have, with other values.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use crate::matching;
use crate::model::parameters::{Kind, ValueSource};
use crate::report::Figure;
use crate::side::{Parameter, Side};

/// A size that is another one on the other side.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ParameterChange {
    pub name: String,
    pub old: Figure,
    pub new: Figure,
    pub old_origin: ValueSource,
    pub new_origin: ValueSource,
}

impl ParameterChange {
    /// Whether the source itself says both values, so that the change is one of the program.
    pub fn is_of_source(&self) -> bool {
        let says = |origin| matches!(origin, ValueSource::Source | ValueSource::Derived);
        says(self.old_origin) && says(self.new_origin)
    }
}

/// Those that are the same size with another value: what the source calls the same in functions that became each other.
/// What has a line in its name is left out, and what follows from others.
pub(crate) fn changes(old: &Side, new: &Side) -> Vec<ParameterChange> {
    let is_size = |parameter: &Parameter| {
        let is_of_problem = matches!(
            parameter.kind,
            Kind::Problem | Kind::Real | Kind::Processes | Kind::Neighbours
        );
        is_of_problem && parameter.source != ValueSource::Derived
    };
    let before = Before::of(old, new);
    let change = |(name, new): (&String, &Parameter)| {
        let old = before.find(name, new)?;
        (old.value != new.value && is_size(old) && is_size(new)).then(|| ParameterChange {
            name: name.clone(),
            old: old.value,
            new: new.value,
            old_origin: old.source,
            new_origin: new.source,
        })
    };
    new.parameters.iter().filter_map(change).collect()
}

/// The parameters of the old side, by what they are on the new one.
struct Before<'s> {
    old: &'s Side,
    /// Old parameters by their names in the source, in small letters.
    by_source: HashMap<String, Vec<&'s Parameter>>,
    /// What functions are called on the new side, by their old names.
    renamed: HashMap<&'s str, HashSet<&'s str>>,
}

impl<'s> Before<'s> {
    fn of(old: &'s Side, new: &'s Side) -> Before<'s> {
        let mut renamed: HashMap<&str, HashSet<&str>> = HashMap::new();
        for (one, other) in matching::functions(old, new) {
            let names = renamed.entry(&*old.functions[one].name).or_default();
            names.insert(&*new.functions[other].name);
        }
        let mut by_source: HashMap<String, Vec<&Parameter>> = HashMap::new();
        for parameter in old.parameters.values() {
            let name = parameter.source_name.to_lowercase();
            by_source.entry(name).or_default().push(parameter);
        }
        Before {
            old,
            by_source,
            renamed,
        }
    }

    /// What a parameter of the new side was: of the same name, for choice, and in a function that became one of its own.
    fn find(&self, name: &str, new: &Parameter) -> Option<&'s Parameter> {
        let became = |old: &Parameter| {
            let names = old.functions.iter();
            let mut names = names.filter_map(|name| self.renamed.get(name.as_str()));
            names.any(|names| new.functions.iter().any(|own| names.contains(own.as_str())))
        };
        let is_everywhere = |old: &Parameter| old.functions.is_empty() || new.functions.is_empty();
        let of_name = self.old.parameters.get(name);
        let of_name = of_name.filter(|old| is_everywhere(old) || became(old));
        of_name.or_else(|| {
            let all = self.by_source.get(&new.source_name.to_lowercase())?;
            let mut same = all.iter().copied().filter(|old| became(old));
            // Of several, none is meant more than the others.
            same.next().filter(|_| same.next().is_none())
        })
    }
}
