//! `loopsheet guide`: the documentation, where there is no network.

use std::fmt::Write as _;
use std::io::{IsTerminal, Write as _};
use std::process::{Command, Stdio};

use super::{Status, outputs};
use crate::guide::Topic;

pub fn run(topic: Option<Topic>) -> anyhow::Result<Status> {
    let text = match topic {
        Some(topic) => topic.text(),
        None => &list(),
    };
    let is_shown = topic.is_some() && std::io::stdout().is_terminal() && show_in_pager(text);
    if !is_shown {
        outputs::print(text.as_bytes())?;
    }
    Ok(Status::Done)
}

fn list() -> String {
    let mut text = "Topics of the guide:\n".to_string();
    let width = Topic::ALL
        .iter()
        .map(|topic| topic.name().len())
        .max()
        .unwrap_or(0);
    for topic in Topic::ALL {
        let _ = writeln!(text, "  {:<width$} {}", topic.name(), topic.about());
    }
    text.push_str("\n`loopsheet guide TOPIC` shows one.\n");
    text
}

/// Gives the text to the program that `PAGER` names, or to less; false if that cannot be started.
fn show_in_pager(text: &str) -> bool {
    let pager = std::env::var("PAGER").unwrap_or_else(|_| "less".to_string());
    let Some((program, arguments)) = shlex::split(&pager).and_then(|words| {
        let (program, arguments) = words.split_first()?;
        Some((program.clone(), arguments.to_vec()))
    }) else {
        return false;
    };
    let mut command = Command::new(program);
    let Ok(mut child) = command.args(arguments).stdin(Stdio::piped()).spawn() else {
        return false;
    };
    if let Some(mut input) = child.stdin.take() {
        // A reader who leaves before the end has seen enough.
        let _ = input.write_all(text.as_bytes());
    }
    child.wait().is_ok()
}
