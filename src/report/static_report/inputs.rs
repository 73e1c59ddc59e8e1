//! What the figures of a report depend on: the machine and the parameters.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::Figure;
use crate::analysis::facts::Origin;
use crate::machine::MachineModel;
use crate::model::Model;
use crate::model::influence::Influences;
use crate::model::parameters::{Kind, ValueSource};

/// The machine that times are for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
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
#[non_exhaustive]
pub struct ParameterReport {
    pub value: Figure,
    /// Where the value comes from, in a word, and in detail.
    #[serde(rename = "origin")]
    pub source: ValueSource,
    #[serde(rename = "detail")]
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
    /// Whether it depends on it which assignments are made: formulas keep those of the value that it has here.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub decides_assignments: bool,
}

/// Program inputs: a parameter that no other one defines, and on which time to speak of rests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RootReport {
    /// For `--set`.
    pub name: String,
    pub value: Figure,
    #[serde(rename = "origin")]
    pub source: ValueSource,
    #[serde(rename = "detail")]
    pub origin: Origin,
    /// Whether nothing says what its value is.
    pub guessed: bool,
    /// Share of the time of all nests in those whose figures depend on it.
    pub influence: Figure,
    /// File and line of its declaration, where known.
    #[serde(default)]
    pub place: Option<String>,
    /// Whether it depends on it which assignments are made: formulas keep those of the value that it has here.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub decides_assignments: bool,
}

/// The roots, those first that most time rests on.
pub(super) fn roots(influences: &Influences) -> Vec<RootReport> {
    let all = influences.all.iter();
    all.filter(|parameter| parameter.is_root())
        .map(|root| RootReport {
            name: root.row.name.clone(),
            value: root.row.value.into(),
            source: root.row.value_source(),
            origin: root.row.origin,
            guessed: root.row.is_guessed(),
            influence: root.share.into(),
            place: root.row.place.clone(),
            decides_assignments: root.row.decides(),
        })
        .collect()
}

pub(super) fn parameters(model: &Model) -> IndexMap<String, ParameterReport> {
    let rows = model.parameters.rows().iter();
    rows.map(|row| {
        let report = ParameterReport {
            value: row.value.into(),
            source: row.value_source(),
            origin: row.origin,
            source_name: row.symbol.clone(),
            kind: row.kind,
            functions: row.functions.clone(),
            definition: row.definition.as_ref().map(ToString::to_string),
            decides_assignments: row.decides(),
        };
        (row.name.clone(), report)
    })
    .collect()
}
