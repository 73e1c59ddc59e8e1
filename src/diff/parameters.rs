//! Parameters that both sides have, with other values.

use serde::Serialize;

use crate::model::parameters::{Kind, ValueSource};
use crate::report::Figure;
use crate::report::static_report::ParameterReport;
use crate::side::Side;

/// A size that is another one on the other side.
#[derive(Clone, Debug, PartialEq, Serialize)]
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

/// Those of the same name and another value. What has a line in its name is left out, and what follows from others.
pub(crate) fn changes(old: &Side, new: &Side) -> Vec<ParameterChange> {
    let is_size = |parameter: &ParameterReport| {
        let is_of_problem = matches!(
            parameter.kind,
            Kind::Problem | Kind::Real | Kind::Processes | Kind::Neighbours
        );
        is_of_problem && parameter.source != ValueSource::Derived
    };
    let change = |(name, new): (&String, &ParameterReport)| {
        let old = old.parameters.get(name)?;
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
