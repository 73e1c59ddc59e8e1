//! One file a sub-command. Only here are files opened, text printed and progress shown.

mod analyze;
mod budgets;
mod compare;
mod config;
mod demo;
mod diagnostics;
mod diff;
mod explain;
mod far_memory;
mod guide;
mod list_parameters;
mod machines;
mod manual;
mod measure;
mod outputs;
mod parameters;
mod pictures;
mod progress;
mod project;
mod rank;
#[cfg(target_os = "linux")]
mod record;
mod reports;
mod samples;
mod shards;
mod slurm;
#[cfg(target_os = "linux")]
mod study;
mod sweep;
mod timings;
mod trace;
#[cfg(target_os = "linux")]
mod unfinished;
mod validate;

use std::io::IsTerminal;

use crate::attempt::attempt;
use crate::cli::{Cli, ColorChoice, Command, MachineCommand};
use crate::export::table::Screen;

/// Exit statuses (guide: outputs, "Exit status").
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    Done = 0,
    /// Done, with diagnostics of severity error.
    WithErrors = 1,
    /// Bad usage or input; nothing was written.
    Refused = 2,
}

/// How much to say, and how.
#[derive(Clone, Copy, Debug)]
pub struct Voice {
    pub quiet: bool,
    pub verbose: bool,
    /// Colours on standard error.
    pub color: bool,
    /// What tables on standard output are shown on.
    pub screen: Screen,
}

impl Voice {
    /// For work that others speak of.
    pub fn silent() -> Voice {
        Voice {
            quiet: true,
            verbose: false,
            color: false,
            screen: Screen {
                has_colour: false,
                width: None,
            },
        }
    }
}

/// Characters of a line on standard output: what `COLUMNS` says, else what the terminal has. A file or a pipe has room
/// for all.
fn width() -> Option<usize> {
    let said = std::env::var("COLUMNS")
        .ok()
        .and_then(|text| text.trim().parse().ok())
        .filter(|columns| *columns > 0);
    said.or_else(|| {
        let (terminal_size::Width(columns), _) =
            terminal_size::terminal_size_of(std::io::stdout())?;
        Some(usize::from(columns)).filter(|columns| *columns > 0)
    })
}

/// Runs the command.
///
/// # Errors
/// Bad usage or input: nothing was written, and the message says what, where and what to do.
pub fn run(cli: Cli) -> anyhow::Result<Status> {
    let color = |is_terminal: bool| match cli.color {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => {
            is_terminal && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
        }
    };
    let (color, output_color) = (
        color(std::io::stderr().is_terminal()),
        color(std::io::stdout().is_terminal()),
    );
    let screen = Screen {
        has_colour: output_color,
        width: width(),
    };
    let voice = Voice {
        quiet: cli.quiet,
        verbose: cli.verbose,
        color,
        screen,
    };
    attempt(|| command(cli.command, voice)).unwrap_or_else(|defect| {
        Err(anyhow::anyhow!(
            "a defect of loopsheet stopped it: {defect}; please report this message; leave files out with --ignore to find the one that shows it"
        ))
    })
}

fn command(command: Command, voice: Voice) -> anyhow::Result<Status> {
    // What records passes signals on to the program that it runs.
    #[cfg(target_os = "linux")]
    if !matches!(command, Command::Record(_) | Command::Study(_)) {
        unfinished::remove_on_signals()?;
    }
    match command {
        Command::Analyze(args) => analyze::run(&args, voice),
        #[cfg(target_os = "linux")]
        Command::Record(args) => record::run(&args, voice),
        #[cfg(not(target_os = "linux"))]
        Command::Record(_) => {
            anyhow::bail!("recording needs Linux, which QEMU's user-mode emulation runs on")
        }
        Command::Trace(args) => trace::run(&args, voice),
        Command::Rank(args) => rank::run(&args, voice),
        Command::Compare(args) => compare::run(&args, voice),
        #[cfg(target_os = "linux")]
        Command::Study(args) => study::run(&args, voice),
        #[cfg(not(target_os = "linux"))]
        Command::Study(_) => {
            anyhow::bail!("recording needs Linux, which QEMU's user-mode emulation runs on")
        }
        Command::Validate(args) => validate::run(&args, voice),
        Command::Diff(args) => diff::run(&args, voice),
        Command::Sweep { command } => sweep::run(&command, voice),
        Command::Parameters(args) => list_parameters::run(&args, voice),
        Command::Guide { topic } => guide::run(topic),
        Command::Machines { name, toml } => machines::run(name.as_deref(), toml),
        Command::Machine { command } => match command {
            MachineCommand::Measure(args) => measure::run(&args, voice),
        },
        Command::Man { dir } => manual::pages(&dir),
        Command::Completions { shell } => manual::completions(shell),
        Command::Demo { dir } => demo::run(&dir, voice),
    }
}

/// What is wrong, in words: without the number that the system has for it.
pub fn said(error: &anyhow::Error) -> String {
    const NUMBER: &str = " (os error ";
    let mut said = format!("{error:#}");
    while let Some(begin) = said.find(NUMBER) {
        let Some(length) = said[begin..].find(')') else {
            break;
        };
        said.replace_range(begin..=begin + length, "");
    }
    said
}

/// Whether the reader of our standard output went away, which is not an error.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let broken = |e: &std::io::Error| e.kind() == std::io::ErrorKind::BrokenPipe;
    error
        .chain()
        .any(|cause| cause.downcast_ref::<std::io::Error>().is_some_and(broken))
}
