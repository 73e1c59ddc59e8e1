//! How many cores of a machine a program can use.

use crate::analysis::facts::Program;
use crate::machine::MachineModel;

/// How settings name the cores of the machine.
pub const NAMES: [&str; 2] = ["cores", "machine.cores"];

/// Of the machine that nobody chose, a program that does nothing in parallel has one core.
pub fn fit_default(machine: MachineModel, program: &Program) -> MachineModel {
    let is_serial = (program.files.iter()).all(|file| file.is_parallel == Some(false));
    match is_serial {
        true => machine.one_core(),
        false => machine,
    }
}
