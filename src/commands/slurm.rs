//! What Slurm says to its tasks.

use anyhow::Context;

/// Number of the task of an array.
///
/// # Errors
/// This is not a task of one.
pub fn task() -> anyhow::Result<usize> {
    const NAME: &str = "SLURM_ARRAY_TASK_ID";
    let Ok(text) = std::env::var(NAME) else {
        anyhow::bail!("{NAME} is not set; only tasks of an array have it");
    };
    text.trim()
        .parse()
        .with_context(|| format!("{NAME} is `{text}`, which is not a number"))
}
