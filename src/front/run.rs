//! A trace of instructions to its report.

use std::io::Read;

use super::Error;
use crate::cache::CacheSpec;
use crate::metrics::epoch::EpochSettings;
use crate::metrics::report::Inputs;
use crate::metrics::settings::Settings;
use crate::report::RunReport;
use crate::trace::{self as reader, UnknownPolicy};
use crate::traced;

/// What is asked of a trace. Each field is an option of `loopsheet trace`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TraceOptions {
    /// Caches, nearest first, as `32KiB,8way`; without any, every access goes to memory.
    pub caches: Vec<String>,
    /// The most accesses to memory outstanding at once.
    pub slots: f64,
    /// Cycles of an access to memory.
    pub latency: f64,
    /// Cycles of a nanosecond.
    pub ghz: f64,
    /// Processors of the bounds on time.
    pub processors: f64,
    /// Find epochs over windows and capacities.
    pub epochs: bool,
    /// Find reuse distances, in lines of 64 bytes.
    pub reuse: bool,
    /// Count instructions that are not in the table, instead of refusing the trace.
    pub count_unknown: bool,
}

impl Default for TraceOptions {
    /// As on the command line: no cache, four slots, 100 cycles at 1 GHz, four processors.
    fn default() -> TraceOptions {
        TraceOptions {
            caches: Vec::new(),
            slots: 4.0,
            latency: 100.0,
            ghz: 1.0,
            processors: 4.0,
            epochs: false,
            reuse: false,
            count_unknown: false,
        }
    }
}

/// What `loopsheet trace` finds: work, depth, λ, and what else is asked for. The trace may be packed, and is read once, in
/// memory that does not grow with its length. `name` is what the report calls it.
///
/// ```
/// let trace = std::fs::File::open("samples/traces/factorial.execlog")?;
/// let report = loopsheet::trace(trace, "factorial", &loopsheet::TraceOptions::default())?;
/// assert!(report.trace.instructions > 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// A line cannot be read, or a cache is not one.
pub fn trace(
    input: impl Read + Send + 'static,
    name: &str,
    options: &TraceOptions,
) -> Result<RunReport, Error> {
    Ok(read(input, name, options)?)
}

fn read(
    input: impl Read + Send + 'static,
    name: &str,
    options: &TraceOptions,
) -> anyhow::Result<RunReport> {
    let caches = options.caches.iter().map(|text| text.parse::<CacheSpec>());
    let settings = Settings {
        caches: caches.collect::<Result<_, _>>()?,
        reuse_line: options.reuse.then_some(64),
        epochs: options.epochs.then(EpochSettings::default),
        ..Settings::default()
    };
    let inputs = Inputs {
        slots: options.slots,
        latency: options.latency,
        base_latency: options.latency,
        ghz: options.ghz,
        processors: options.processors,
    };
    let reading = reader::Options {
        format: None,
        unknown: match options.count_unknown {
            true => UnknownPolicy::Warn,
            false => UnknownPolicy::Refuse,
        },
    };
    for (name, value, least) in [
        ("slots", inputs.slots, 1.0),
        ("latency", inputs.latency, 0.0),
        ("ghz", inputs.ghz, 0.001),
        ("processors", inputs.processors, 1.0),
    ] {
        let is_sound = value.is_finite() && value >= least;
        anyhow::ensure!(is_sound, "{name} is {value}: it must be at least {least}");
    }
    let (read, counted) = traced::pass(reader::decompressed(input)?, reading, settings.clone())?;
    let report = traced::of(
        name.to_string(),
        &settings,
        &inputs,
        &read,
        counted,
        Vec::new(),
        None,
    );
    Ok(RunReport::of(&report))
}
