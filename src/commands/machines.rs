//! `loopsheet machines`: what presets there are, and what one says.

use std::fmt::Write;

use super::{Status, outputs};
use crate::machine::parameters::of_level;
use crate::machine::{DEFAULT_PRESET, MachineModel, PresetKind, presets_of};
use crate::reading::machine_file::load;

pub fn run(name: Option<&str>, as_file: bool) -> anyhow::Result<Status> {
    let text = match name {
        None => list()?,
        Some(name) if as_file => load(name)?.to_toml(),
        Some(name) => show(&load(name)?),
    };
    outputs::print(text.as_bytes())?;
    Ok(Status::Done)
}

fn list() -> anyhow::Result<String> {
    let mut text = String::new();
    for (kind, heading) in [
        (PresetKind::Real, "Real machines:"),
        (PresetKind::Paper, "Machines of papers:"),
    ] {
        writeln!(text, "{heading}")?;
        for name in presets_of(kind) {
            let machine = MachineModel::preset(name)?;
            let mark = if name == DEFAULT_PRESET {
                " (default)"
            } else {
                ""
            };
            writeln!(text, "  {name:<12} {}{mark}", machine.title)?;
        }
        text.push('\n');
    }
    text.push_str(
        "`loopsheet machines NAME` shows the parameters and where each figure comes from;\n\
         `loopsheet machines NAME --toml` prints a file to edit, which --machine FILE.toml reads.\n",
    );
    Ok(text)
}

fn show(machine: &MachineModel) -> String {
    let mut text = format!(
        "{}: {}\n\n{}\n\n",
        machine.name,
        machine.title,
        machine.about.trim()
    );
    for parameter in &machine.parameters {
        let value = parameter
            .value
            .map_or("unknown".to_string(), |v| v.to_string());
        let is_absent_level = parameter.value.is_none() && parameter.source.is_empty();
        if is_absent_level && of_level(&parameter.name).is_some() {
            continue;
        }
        let line = format!(
            "  {:<17} {value:>14} {:<9} {}",
            parameter.name, parameter.unit, parameter.source
        );
        text.push_str(line.trim_end());
        text.push('\n');
        if !parameter.note.is_empty() {
            text.push_str(&format!("  {:<42} ({})\n", "", parameter.note));
        }
    }
    text
}
