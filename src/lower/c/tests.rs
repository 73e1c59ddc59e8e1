//! The IR's text form of small C sources, and what no source may break.

mod access;
mod declarations;
mod expressions;
mod loops;
mod robustness;
mod statements;

use std::sync::Arc;

use expect_test::Expect;

use crate::ir::Unit;
use crate::source::SourceText;

fn lowered(input: &str) -> Unit {
    let path: Arc<str> = "test.c".into();
    super::lower(&path, &SourceText::verbatim(&path, input.to_string()))
}

/// Compares the IR of a source, with the diagnostics behind it.
fn check(input: &str, expected: Expect) {
    let unit = lowered(input);
    let mut text = unit.to_string();
    for diagnostic in &unit.diagnostics {
        text.push_str(&format!(
            "{} {}: {}\n",
            diagnostic.place, diagnostic.code, diagnostic.message
        ));
    }
    expected.assert_eq(&text);
}
