//! Machines by their names: presets, and files with what these are based on.

use std::path::{Path, PathBuf};

use anyhow::Context;

use super::files;
use crate::machine::{DEFAULT_PRESET, MachineModel, names_file};

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
