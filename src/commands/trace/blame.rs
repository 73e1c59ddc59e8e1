//! `--blame`: pure miss cycles and epochs, by who causes them.

use super::core::WINDOW;
use crate::cache::CacheSpec;
use crate::cli::TraceArgs;
use crate::metrics::blame::BlameSettings;

/// What to share; `None` without `--blame`. The variables of the program are still missing.
///
/// # Errors
/// There are no caches, m or the window is out of range, or the run counts as another tool does.
pub fn settings(args: &TraceArgs, caches: &[CacheSpec]) -> anyhow::Result<Option<BlameSettings>> {
    if !args.blame && !args.objects {
        return Ok(None);
    }
    anyhow::ensure!(
        !caches.is_empty(),
        "--blame shares the misses of caches: it needs --cache, or --camat, which has some"
    );
    anyhow::ensure!(
        args.compat.is_none(),
        "--compat edan counts as a tool that has no epochs: it cannot be combined with --blame"
    );
    anyhow::ensure!(
        args.slots.fract() == 0.0 && (1.0..=f64::from(u32::MAX)).contains(&args.slots),
        "--slots {}: --blame needs a whole number of misses in an epoch, at least 1",
        args.slots
    );
    let window = args.window.unwrap_or(WINDOW);
    let in_range = (1..=1024).contains(&window);
    anyhow::ensure!(in_range, "--window {window}: must be from 1 to 1024");
    Ok(Some(BlameSettings {
        window: window as u32,
        slots: args.slots as u32,
        variables: Vec::new(),
        with_objects: args.objects,
    }))
}
