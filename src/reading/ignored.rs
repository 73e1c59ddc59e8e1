//! Files and directories that are left out.

use std::path::Path;

use anyhow::Context;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// Patterns as in `.gitignore`, of paths below a directory.
///
/// # Errors
/// A pattern is malformed, or there is no such directory.
pub fn ignored(directory: &Path, patterns: &[String]) -> anyhow::Result<Gitignore> {
    let directory = match directory.as_os_str().is_empty() {
        true => Path::new("."),
        false => directory,
    };
    let root = directory
        .canonicalize()
        .with_context(|| format!("cannot read the directory {}", directory.display()))?;
    let mut builder = GitignoreBuilder::new(root);
    for pattern in patterns {
        builder
            .add_line(None, pattern)
            .with_context(|| format!("the pattern `{pattern}` of files to ignore"))?;
    }
    Ok(builder.build()?)
}
