//! Tests beside programs that must be installed: compilers and an emulator for RISC-V, LibreOffice, a browser, xmllint, a validator of workbooks,
//! pandas. `tests/run` installs these and turns on the feature `components`.

#[path = "../support/mod.rs"]
mod support;

mod compare;
mod control;
mod isa;
mod libraries;
mod memory_depth;
mod objects;
mod packages;
mod page;
mod places;
mod record;
mod regions;
mod studies;
mod study;
mod sweep;
mod tables;
mod validity;
mod workbook;
mod xml;

use std::path::{Path, PathBuf};

/// A file of the tools that `tests/run` installs.
pub(crate) fn tool(path: &str) -> PathBuf {
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
