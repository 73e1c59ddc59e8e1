//! `loopsheet man`, `loopsheet completions`: what the command line says of itself, for other programs.

use std::fmt::Write;
use std::path::Path;

use anyhow::Context;
use clap::{Arg, ArgAction, Command, CommandFactory};
use clap_complete::Shell;

use super::Status;
use super::outputs::{self, Output};
use crate::cli::Cli;

/// Writes `loopsheet.1` and `loopsheet-COMMAND.1` into a directory.
///
/// # Errors
/// The directory cannot be made or written to.
pub fn pages(dir: &Path) -> anyhow::Result<Status> {
    std::fs::create_dir_all(dir)
        .with_context(|| format!("cannot make the directory {}", dir.display()))?;
    let mut whole = Cli::command();
    whole.build();
    let commands = whole
        .get_subcommands()
        .filter(|command| command.get_name() != "help")
        .cloned();
    for command in commands.chain([whole.clone()]) {
        let name = command
            .get_display_name()
            .unwrap_or_else(|| command.get_name())
            .to_string();
        let text = page(command)?;
        Output::create(&dir.join(format!("{name}.1")))?.finish(&text)?;
    }
    Ok(Status::Done)
}

/// One manual page: the parts that say what options take, and examples line by line, are our own.
fn page(command: Command) -> std::io::Result<Vec<u8>> {
    let mut text = Vec::new();
    let has_commands = command.get_subcommands().next().is_some();
    let has_version = command.get_version().is_some();
    let (synopsis, notes) = (
        synopsis(&command),
        command.get_after_help().map(ToString::to_string),
    );
    let page = clap_mangen::Man::new(command);
    page.render_title(&mut text)?;
    page.render_name_section(&mut text)?;
    text.extend(synopsis.bytes());
    page.render_description_section(&mut text)?;
    page.render_options_section(&mut text)?;
    if has_commands {
        page.render_subcommands_section(&mut text)?;
    }
    if let Some(notes) = notes {
        let notes = notes
            .trim()
            .strip_prefix("Examples:\n")
            .map_or_else(|| notes.clone(), str::to_string);
        text.extend(b".SH EXAMPLES\n.nf\n");
        notes
            .lines()
            .for_each(|line| text.extend(format!("{}\n", escaped(line)).bytes()));
        text.extend(b".fi\n");
    }
    if has_version {
        page.render_version_section(&mut text)?;
    }
    Ok(text)
}

/// What the command takes, with the names of values: `[-o FILE]`, `PATHS...`.
fn synopsis(command: &Command) -> String {
    let name = command.get_bin_name().unwrap_or_else(|| command.get_name());
    let mut text = format!(".SH SYNOPSIS\n\\fB{}\\fR", escaped(name));
    let (values, options): (Vec<&Arg>, Vec<&Arg>) = command
        .get_arguments()
        .filter(|arg| !arg.is_hide_set())
        .partition(|arg| arg.is_positional());
    for arg in options {
        let short = arg.get_short().map(|short| format!("-{short}"));
        let flag = short
            .or_else(|| arg.get_long().map(|long| format!("--{long}")))
            .unwrap_or_default();
        let takes = if arg.get_action().takes_values() {
            format!(" {}", value_name(arg))
        } else {
            String::new()
        };
        let shown = format!("\\fB{}\\fR{takes}{}", escaped(&flag), repeated(arg));
        let _ = if arg.is_required_set() {
            write!(text, " {shown}")
        } else {
            write!(text, " [{shown}]")
        };
    }
    if command.get_subcommands().next().is_some() {
        text.push_str(" \\fICOMMAND\\fR");
    }
    for arg in values {
        let last = if arg.is_trailing_var_arg_set() {
            "\\-\\- "
        } else {
            ""
        };
        let shown = format!("{last}{}{}", value_name(arg), repeated(arg));
        let _ = if arg.is_required_set() {
            write!(text, " {shown}")
        } else {
            write!(text, " [{shown}]")
        };
    }
    text + "\n"
}

fn value_name(arg: &Arg) -> String {
    let name = arg
        .get_value_names()
        .and_then(|names| names.first())
        .map(ToString::to_string);
    format!(
        "\\fI{}\\fR",
        escaped(&name.unwrap_or_else(|| arg.get_id().as_str().to_uppercase()))
    )
}

/// Dots behind what may be given several times.
fn repeated(arg: &Arg) -> &'static str {
    let is_list = arg.is_positional()
        && arg
            .get_num_args()
            .is_some_and(|range| range.max_values() > 1);
    if is_list || matches!(arg.get_action(), ArgAction::Append) && !arg.is_positional() {
        "..."
    } else {
        ""
    }
}

/// Text as roff has it.
fn escaped(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-");
    if text.starts_with(['.', '\'']) {
        format!("\\&{text}")
    } else {
        text
    }
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
