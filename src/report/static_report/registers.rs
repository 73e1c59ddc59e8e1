//! Values that an iteration of the innermost loop keeps in registers.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::Figure;
use crate::analysis::facts::RegisterUse;
use crate::model::{FileFigures, Model, RegisterFigures};

/// By kind of register.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RegistersReport {
    pub integer: RegisterFileReport,
    pub floating: RegisterFileReport,
    pub spills: bool,
}

/// Registers of one kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RegisterFileReport {
    /// By what they hold, as [`RegisterUse::NAMES`].
    #[serde(flatten)]
    pub parts: IndexMap<String, Figure>,
    pub live: Figure,
    pub spilled: Figure,
}

impl RegistersReport {
    pub(super) fn of(model: &Model, registers: &RegisterFigures) -> RegistersReport {
        RegistersReport {
            integer: RegisterFileReport::of(model, &registers.integer),
            floating: RegisterFileReport::of(model, &registers.floating),
            spills: model.value(registers.spills) == 1.0,
        }
    }
}

impl RegisterFileReport {
    fn of(model: &Model, file: &FileFigures) -> RegisterFileReport {
        let parts = RegisterUse::NAMES.iter().zip(file.parts);
        RegisterFileReport {
            parts: parts
                .map(|(name, part)| (name.to_string(), Figure::of(model, part)))
                .collect(),
            live: Figure::of(model, file.live),
            spilled: Figure::of(model, file.spilled),
        }
    }
}
