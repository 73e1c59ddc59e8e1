//! `loopsheet man`, `loopsheet completions`: what the command line says of itself, for other programs.

use std::path::Path;

use anyhow::Context;
use clap::CommandFactory;
use clap_complete::Shell;

use super::Status;
use super::outputs::{self, Output};
use crate::cli::Cli;

/// Writes `loopsheet.1` and `loopsheet-COMMAND.1` into a directory.
///
/// # Errors
/// The directory cannot be made or written to.
pub fn pages(dir: &Path) -> anyhow::Result<Status> {
    std::fs::create_dir_all(dir).with_context(|| format!("cannot make the directory {}", dir.display()))?;
    let mut whole = Cli::command();
    whole.build();
    let commands = whole.get_subcommands().filter(|command| command.get_name() != "help").cloned();
    for command in commands.chain([whole.clone()]) {
        let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_string();
        let page = clap_mangen::Man::new(command);
        let mut text = Vec::new();
        page.render(&mut text)?;
        Output::create(&dir.join(format!("{name}.1")))?.finish(&text)?;
    }
    Ok(Status::Done)
}

/// Prints the completions for a shell.
///
/// # Errors
/// Standard output cannot be written to.
pub fn completions(shell: Shell) -> anyhow::Result<Status> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "loopsheet", &mut text);
    outputs::print(&text)?;
    Ok(Status::Done)
}
