//! How many cores of a machine a program can use.

use crate::analysis::facts::Program;
use crate::machine::MachineModel;

/// How settings name the cores of the machine.
pub const NAMES: [&str; 2] = ["cores", "machine.cores"];

/// Whether a program does nothing in parallel.
pub fn is_serial(program: &Program) -> bool {
    let mut files = program.files.iter();
    files.all(|file| file.is_parallel == Some(false))
}

/// Of the machine that nobody chose, a program that does nothing in parallel has one core.
pub fn fit_default(machine: MachineModel, is_serial: bool) -> MachineModel {
    match is_serial {
        true => machine.one_core(),
        false => machine,
    }
}
