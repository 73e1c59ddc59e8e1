//! What the figures of a report depend on: the machine and the parameters.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::analysis::facts::Origin;
use crate::machine::MachineModel;
use crate::model::Model;
use crate::model::parameters::Kind;
use crate::report::Figure;

/// The machine that times are for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MachineReport {
    pub name: String,
    #[serde(default)]
    pub title: String,
    /// By name for `--set`, in the order of the machine's file.
    #[serde(flatten)]
    pub parameters: IndexMap<String, Figure>,
}

impl MachineReport {
    pub(super) fn of(machine: &MachineModel) -> MachineReport {
        let parameters = machine.parameters.iter();
        MachineReport {
            name: machine.name.clone(),
            title: machine.title.clone(),
            parameters: parameters
                .map(|parameter| (parameter.name.clone(), parameter.value.into()))
                .collect(),
        }
    }
}

/// A parameter of the program: a size, a probability, a count.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ParameterReport {
    pub value: Figure,
    pub origin: Origin,
    /// As the source writes it.
    pub source_name: String,
    /// What it is for.
    #[serde(default)]
    pub kind: Kind,
    /// Where it stands for that name; everywhere if there are none.
    #[serde(default)]
    pub functions: Vec<String>,
    /// Its value over other parameters, where the source defines it so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<String>,
}

pub(super) fn parameters(model: &Model) -> IndexMap<String, ParameterReport> {
    let rows = model.parameters.rows().iter();
    rows.map(|row| {
        let report = ParameterReport {
            value: row.value.into(),
            origin: row.origin,
            source_name: row.label.clone(),
            kind: row.kind,
            functions: row.functions.clone(),
            definition: row.definition.as_ref().map(ToString::to_string),
        };
        (row.name.clone(), report)
    })
    .collect()
}
