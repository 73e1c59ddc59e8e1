//! `--epochs`: which windows, capacities and slots.

use crate::cli::TraceArgs;
use crate::metrics::epoch::{EpochSettings, Stores};
use crate::quantity::parse_bytes;

/// What to profile; `None` without `--epochs`.
///
/// # Errors
/// A list is empty or has something that is not a number, or the run counts as another tool does.
pub fn settings(args: &TraceArgs, line: u64) -> anyhow::Result<Option<EpochSettings>> {
    if !args.epochs {
        return Ok(None);
    }
    anyhow::ensure!(
        args.compat.is_none(),
        "--compat edan counts as a tool that has no epochs: it cannot be combined with --epochs"
    );
    let defaults = EpochSettings::default();
    let whole = |text: &str| {
        text.parse::<u32>()
            .map_err(|_| format!("expected a whole number, at most {}", u32::MAX))
    };
    let bytes = |text: &str| match parse_bytes(text)?.0 {
        size if size < u64::MAX as f64 => Ok(size as u64),
        _ => Err("more than 16 EiB, which no address reaches".to_string()),
    };
    let stores = if args.blocking_stores {
        Stores::Blocking
    } else {
        Stores::Buffered
    };
    Ok(Some(EpochSettings {
        windows: list("--windows", args.windows.as_deref(), whole)?.unwrap_or(defaults.windows),
        capacities: list("--capacities", args.capacities.as_deref(), bytes)?
            .unwrap_or(defaults.capacities),
        slots: list("--epoch-slots", args.epoch_slots.as_deref(), whole)?.unwrap_or(defaults.slots),
        line,
        stores,
    }))
}

/// Entries between commas, in ascending order and each once.
fn list<T: Ord>(
    flag: &str,
    text: Option<&str>,
    parse: impl Fn(&str) -> Result<T, String>,
) -> anyhow::Result<Option<Vec<T>>> {
    let Some(text) = text else { return Ok(None) };
    let entry = |entry: &str| {
        let entry = entry.trim();
        anyhow::ensure!(
            !entry.is_empty(),
            "{flag} {text}: an entry between commas is empty"
        );
        parse(entry).map_err(|error| anyhow::anyhow!("{flag} {text}: `{entry}`: {error}"))
    };
    let mut entries = text
        .split(',')
        .map(entry)
        .collect::<anyhow::Result<Vec<T>>>()?;
    entries.sort();
    entries.dedup();
    Ok(Some(entries))
}
