//! Where the programs are that `tests/run` installs.

use std::path::{Path, PathBuf};

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
