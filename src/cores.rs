//! How many cores of a machine a program uses: one if nothing in it runs in parallel, whatever the machine and however it
//! came to be chosen, unless the settings say how many; else all.

use crate::analysis::facts::Program;
use crate::machine::MachineModel;

/// How settings name the cores of the machine.
pub const NAMES: [&str; 2] = ["cores", "machine.cores"];

/// Whether a program does nothing in parallel.
pub fn is_serial(program: &Program) -> bool {
    let mut files = program.files.iter();
    files.all(|file| file.is_parallel == Some(false))
}

/// What a program uses of a machine, with settings of these names.
pub fn fit<'n>(
    machine: MachineModel,
    is_serial: bool,
    mut settings: impl Iterator<Item = &'n str>,
) -> MachineModel {
    match is_serial && !settings.any(|name| NAMES.contains(&name)) {
        true => machine.one_core(),
        false => machine,
    }
}
