//! What is said of an input: which values it may have, what it is for, where its value comes from.

use crate::analysis::facts::Origin;
use crate::machine::MachineParameter;
use crate::machine::parameters::ParameterKind;
use crate::model::Model;
use crate::model::parameters::{Kind, Row};

/// Allowed values in words.
pub(crate) fn allowed(parameter: &MachineParameter) -> String {
    let (least, most) = parameter.range;
    match parameter.kind {
        ParameterKind::Switch => "0 or 1".to_string(),
        ParameterKind::Real => format!("{} to {}", short(least), short(most)),
        ParameterKind::Integer | ParameterKind::Size => {
            format!("{} to {}, whole", short(least), short(most))
        }
    }
}

/// Powers of ten for what has many digits.
fn short(value: f64) -> String {
    if value != 0.0 && !(1e-3..1e6).contains(&value) {
        format!("{value:e}")
    } else {
        value.to_string()
    }
}

/// What a parameter is for, in words.
pub(crate) fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Block => "block size",
        Kind::Problem | Kind::Real | Kind::Processes | Kind::Neighbours => "problem",
        Kind::TripCount => "trip count",
        Kind::Probability => "probability",
    }
}

/// The parameters, each with its position in the model, in an order that edits of values do not change: sizes of blocks,
/// what the program is given, how often loops run and branches are taken, and what follows from others.
pub(crate) fn ordered<'m>(model: &'m Model) -> Vec<(usize, &'m Row)> {
    let mut rows: Vec<(usize, &Row)> = model.parameters.rows().iter().enumerate().collect();
    rows.sort_by_key(|(_, row)| match row.kind {
        Kind::Block => 0,
        _ if row.is_root() => 1,
        Kind::TripCount => 2,
        Kind::Probability => 3,
        Kind::Problem | Kind::Real | Kind::Processes | Kind::Neighbours => 4,
    });
    rows
}

/// Where a value comes from, in words.
pub(crate) fn origin(origin: Origin) -> &'static str {
    match origin {
        Origin::Constant => "constant of the source",
        Origin::Macro => "macro",
        Origin::Assigned => "assigned once, outside of loops",
        Origin::Derived => "follows from other values of the program",
        Origin::Initial => "initial value",
        Origin::Given => "read from outside of the program",
        Origin::Alone => "as on one process that runs alone",
        Origin::Input => "read from the program's input",
        Origin::Caller => "what every call passes",
        Origin::Callers => "calls or statements give different values: the largest",
        Origin::Default => "default: the source gives no value",
        Origin::Set => "set by the user",
        Origin::Config => "loopsheet.toml",
        Origin::Traced => "seen in a run",
        Origin::Counted => "counted in native runs",
    }
}
