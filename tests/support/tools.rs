//! Where the programs are that `tests/run` installs, and what programs print.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A file of the tools that `tests/run` installs.
pub fn tool(path: &str) -> PathBuf {
    let tools = std::env::var_os("LOOPSHEET_TEST_TOOLS").expect(
        "LOOPSHEET_TEST_TOOLS is the directory of the tools that check workbooks and make packages; tests/run installs them and sets it",
    );
    let tool = Path::new(&tools).join(path);
    assert!(
        tool.exists(),
        "{} is missing; tests/run installs it",
        tool.display()
    );
    tool
}

/// What a command prints; it must succeed.
pub fn printed(command: &mut Command) -> String {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {text}\n{complaint}");
    text
}
