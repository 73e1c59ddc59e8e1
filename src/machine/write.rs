//! Writes a machine as a file to edit, which `file` reads back.

use std::fmt::Write;

use super::parameters::ParameterKind;
use super::{MachineModel, MachineParameter};

/// See `MachineModel::to_toml`.
pub(super) fn file(machine: &MachineModel) -> String {
    let mut text = String::from(
        "# A machine file: --machine FILE.toml reads it. Leave out what you do not change by beginning with base = \"NAME\".\n\n",
    );
    for (key, value) in [
        ("name", &machine.name),
        ("title", &machine.title),
        ("about", &machine.about),
    ] {
        if !value.is_empty() {
            let _ = writeln!(text, "{key} = {}", quoted(value));
        }
    }
    for parameter in &machine.parameters {
        let Some(value) = parameter.value else {
            continue;
        };
        let unit = match parameter.unit {
            "" => String::new(),
            unit => format!(" [{unit}]"),
        };
        let _ = writeln!(
            text,
            "\n# {}{unit}: {}\n[{}]\nvalue = {}",
            parameter.label,
            parameter.description,
            parameter.name,
            number(parameter, value)
        );
        for (key, value) in [("source", &parameter.source), ("note", &parameter.note)] {
            if !value.is_empty() {
                let _ = writeln!(text, "{key} = {}", quoted(value));
            }
        }
    }
    text
}

/// Whole KiB and MiB as people write sizes, anything else as a plain number.
fn number(parameter: &MachineParameter, value: f64) -> String {
    const KIB: f64 = 1024.0;
    let sizes = [(KIB * KIB, "MiB"), (KIB, "KiB")];
    let whole = sizes.into_iter().find(|(bytes, _)| {
        parameter.kind == ParameterKind::Size && value > 0.0 && value % bytes == 0.0
    });
    match whole {
        Some((bytes, unit)) => format!("\"{} {unit}\"", value / bytes),
        None => value.to_string(),
    }
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_string()).to_string()
}
