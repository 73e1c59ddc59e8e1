//! The `loopsheet` program: parse the arguments, run, exit status.

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use loopsheet::{cli, commands};
use loopsheet_allocator as _;

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    match commands::run(cli) {
        Ok(status) => ExitCode::from(status as u8),
        Err(error) if commands::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // Where nothing can be said, the status says it.
            let _ = writeln!(std::io::stderr(), "loopsheet: {}", commands::said(&error));
            ExitCode::from(commands::Status::Refused as u8)
        }
    }
}
