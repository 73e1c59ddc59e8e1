//! How a run ended that was recorded: the last line of its trace.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What ended a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunEnd {
    /// By itself; any but 0 says that it failed.
    ExitStatus(i32),
    /// By its number on Linux.
    Signal(i32),
    /// The recording ended the program after so many instructions.
    Limit(u64),
}

/// How the line begins.
const REMARK: &str = "# end: ";
const STATUS: &str = "exit status ";
const SIGNAL: &str = "signal ";
const LIMIT: &str = "limit ";

/// Signals that programs die of, with their numbers on Linux.
const SIGNALS: [(i32, &str); 11] = [
    (1, "SIGHUP"),
    (2, "SIGINT"),
    (3, "SIGQUIT"),
    (4, "SIGILL"),
    (5, "SIGTRAP"),
    (6, "SIGABRT"),
    (7, "SIGBUS"),
    (8, "SIGFPE"),
    (9, "SIGKILL"),
    (11, "SIGSEGV"),
    (15, "SIGTERM"),
];

impl RunEnd {
    /// Whether the program did all that it was to do.
    pub fn is_orderly(self) -> bool {
        self == RunEnd::ExitStatus(0)
    }

    /// Whether the program crashed or was killed: what it would still have done is missing.
    pub fn is_crash(self) -> bool {
        matches!(self, RunEnd::Signal(_))
    }

    /// The last line of a trace, with its newline.
    pub fn line(self) -> String {
        let text = match self {
            RunEnd::ExitStatus(status) => format!("{STATUS}{status}"),
            RunEnd::Signal(number) => format!("{SIGNAL}{number}"),
            RunEnd::Limit(instructions) => format!("{LIMIT}{instructions}"),
        };
        format!("{REMARK}{text}\n")
    }

    /// What such a line says; `None` for any other one.
    pub(super) fn of_line(line: &[u8]) -> Option<RunEnd> {
        let text = std::str::from_utf8(line)
            .ok()?
            .strip_prefix(REMARK)?
            .trim_end();
        let number = |prefix: &str| text.strip_prefix(prefix);
        let status = number(STATUS).and_then(|text| text.parse().ok());
        let signal = number(SIGNAL).and_then(|text| text.parse().ok());
        let limit = number(LIMIT).and_then(|text| text.parse().ok());
        (status.map(RunEnd::ExitStatus))
            .or(signal.map(RunEnd::Signal))
            .or(limit.map(RunEnd::Limit))
    }
}

/// As the end of "the run ended …".
impl fmt::Display for RunEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunEnd::ExitStatus(status) => write!(f, "with exit status {status}"),
            RunEnd::Signal(number) => {
                let known = SIGNALS.iter().find(|(known, _)| known == number);
                let name = known.map_or_else(String::new, |(_, name)| format!(", {name}"));
                write!(
                    f,
                    "with signal {number}{name}: what it would have done after that is missing"
                )
            }
            RunEnd::Limit(instructions) => write!(
                f,
                "at the limit of {instructions} instructions: loops in progress then have fewer iterations than in a complete run"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_back() {
        for end in [
            RunEnd::ExitStatus(0),
            RunEnd::ExitStatus(3),
            RunEnd::Signal(11),
            RunEnd::Limit(1000),
        ] {
            let line = end.line();
            assert_eq!(RunEnd::of_line(line.trim_end().as_bytes()), Some(end));
        }
        assert_eq!(RunEnd::of_line(b"# end: of the day"), None);
        assert_eq!(RunEnd::of_line(b"0, 0x104be"), None);
    }
}
