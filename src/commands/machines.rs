//! `loopsheet machines`: what presets there are, and what one says.

use std::fmt::Write;

use super::{Status, outputs};
use crate::machine::parameters::of_level;
use crate::machine::{MachineModel, preset_names};

pub fn run(name: Option<&str>) -> anyhow::Result<Status> {
    let text = match name {
        None => list()?,
        Some(name) => show(&load(name)?),
    };
    outputs::print(text.as_bytes())?;
    Ok(Status::Done)
}

/// A preset, or a TOML file if the name looks like one.
///
/// # Errors
/// There is no such preset or file, or the file is not a machine.
pub fn load(name: &str) -> anyhow::Result<MachineModel> {
    if !name.ends_with(".toml") && !name.contains(['/', '\\']) {
        return Ok(MachineModel::preset(name)?);
    }
    let text = std::fs::read_to_string(name)
        .map_err(|e| anyhow::anyhow!("cannot read the machine file {name}: {e}"))?;
    Ok(MachineModel::parse(&text, name)?)
}

fn list() -> anyhow::Result<String> {
    let mut text = String::new();
    for name in preset_names() {
        let machine = MachineModel::preset(name)?;
        writeln!(text, "{name:<12} {}", machine.title)?;
    }
    text.push_str(
        "\n`loopsheet machines NAME` shows the parameters and where each figure comes from.\n",
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
