//! `loopsheet machines`: what presets there are, and what one says.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::{Status, files, outputs};
use crate::machine::parameters::of_level;
use crate::machine::{DEFAULT_PRESET, MachineModel, PresetKind, names_file, presets_of};

pub fn run(name: Option<&str>, as_file: bool) -> anyhow::Result<Status> {
    let text = match name {
        None => list()?,
        Some(name) if as_file => load(name)?.to_toml(),
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
    if names_file(name) {
        file(Path::new(name), &[])
    } else {
        Ok(MachineModel::preset(name)?)
    }
}

/// The machine that `--machine` names, or the default one.
///
/// # Errors
/// As for [`load`].
pub fn load_or_default(name: Option<&str>) -> anyhow::Result<MachineModel> {
    load(name.unwrap_or(DEFAULT_PRESET))
}

/// Reads a machine file and the files that it is based on; `above` are those that lead to it.
fn file(path: &Path, above: &[PathBuf]) -> anyhow::Result<MachineModel> {
    let what = || format!("cannot read the machine file {}", path.display());
    let text = files::read_text(path).with_context(what)?;
    let here = path.canonicalize().with_context(what)?;
    anyhow::ensure!(
        !above.contains(&here),
        "{} is based on itself: follow `base` from file to file",
        path.display()
    );
    let above = [above, &[here]].concat();
    let find_base = |base: &str| {
        let found = if names_file(base) {
            file(&path.parent().unwrap_or(Path::new("")).join(base), &above)
        } else {
            MachineModel::preset(base).map_err(anyhow::Error::from)
        };
        found.map_err(|error| format!("{error:#}"))
    };
    Ok(MachineModel::parse_with_base(
        &text,
        &path.display().to_string(),
        &find_base,
    )?)
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
