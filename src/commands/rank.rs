//! `loopsheet rank`: several traces in one table, the most sensitive to latency first.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Parser, ValueEnum};

use super::trace::outputs::{Kind, Outputs, by_extension};
use super::trace::settings::caches;
use super::{Status, Voice, outputs, trace};
use crate::cache::CacheSpec;
use crate::cache::spec::WritePolicy;
use crate::cli::{Cli, Command, RankArgs, TraceArgs};
use crate::export::{json, rank_table, svg, xlsx};
use crate::metrics::rank::{Rank, RankedTrace};
use crate::metrics::report::Inputs;

pub fn run(args: &RankArgs, voice: Voice) -> anyhow::Result<Status> {
    let from_stdin = args.traces.iter().filter(|path| path.as_os_str() == "-");
    anyhow::ensure!(
        from_stdin.count() <= 1,
        "only one trace can come from standard input"
    );
    // Created first, so that a path that cannot be written fails before the work.
    let files = files(args)?;
    let asked = Asked::of(args)?;
    let mut rank = Rank {
        inputs: asked.inputs()?,
        window: args.window,
        slots: args.slots,
        caches: asked.caches.iter().map(ToString::to_string).collect(),
        traces: Vec::new(),
        notes: asked.notes.clone(),
    };
    let mut status = Status::Done;
    for path in &args.traces {
        let report = trace::analyse(&asked.trace(path), None, voice)?.report;
        status = status.max(trace::judge(report.trace.end, voice));
        rank.traces.push(RankedTrace::of(&report));
    }
    rank.share_notes();
    rank.sort();
    if files.is_empty() {
        outputs::print(rank_table::render(&rank).as_bytes())?;
        return Ok(status);
    }
    files.finish(&|kind| {
        Ok(match kind {
            Kind::Workbook => xlsx::rank_workbook(&rank)?,
            Kind::RankSvg => svg::rank(&rank).into_bytes(),
            _ => json::rank(&rank).into_bytes(),
        })
    })?;
    Ok(status)
}

fn files(args: &RankArgs) -> anyhow::Result<Outputs> {
    let mut requested: Vec<(Kind, &PathBuf)> = Vec::new();
    if let Some(path) = &args.output {
        let kinds = [("xlsx", Kind::Workbook), ("json", Kind::Json)];
        requested.push((by_extension("-o", path, &kinds)?, path));
    }
    requested.extend(args.json.iter().map(|path| (Kind::Json, path)));
    if let Some(path) = &args.svg {
        requested.push((
            by_extension("--svg", path, &[("svg", Kind::RankSvg)])?,
            path,
        ));
    }
    let inputs = args.traces.iter().chain(&args.costs);
    Outputs::of(&requested, &[], inputs)
}

/// What every trace is asked.
struct Asked {
    /// Arguments of `trace`, of which the trace is another one each time.
    args: TraceArgs,
    caches: Vec<CacheSpec>,
    notes: Vec<String>,
}

impl Asked {
    /// # Errors
    /// Bad usage.
    fn of(args: &RankArgs) -> anyhow::Result<Asked> {
        anyhow::ensure!(
            args.cache.iter().all(|text| text != "none"),
            "--cache none: traces are ranked by the misses of caches; without --cache they are those of the machine of \
             `trace --camat`"
        );
        anyhow::ensure!(
            args.slots > 0,
            "--slots 0: at least 1 is needed for a miss to start"
        );
        let mut typed = typed(args);
        let is_timed = |spec: &CacheSpec| {
            spec.latency_cycles.is_some_and(|cycles| cycles > 0) && spec.write == WritePolicy::Back
        };
        let caches = caches(&parse(&typed, args.cache.is_empty())?)?;
        let has_core = caches.iter().all(is_timed);
        let mut notes = Vec::new();
        match has_core {
            true => typed.extend(core(args)),
            false => {
                if let Some(own) = core(args).get(COMMON) {
                    anyhow::bail!(
                        "{}: a core needs write-back caches with the cycles of a hit, such as --cache 32KiB,4cycles",
                        own.to_string_lossy()
                    );
                }
                notes.push(
                    "C-AMAT and bandwidth need write-back caches with the cycles of a hit, such as --cache 32KiB,4cycles: \
                     unknown"
                        .to_string(),
                );
            }
        }
        // Only epochs of the caches' own misses are shown; those of one capacity come with them.
        let largest = caches
            .iter()
            .map(|spec| spec.bytes)
            .max()
            .unwrap_or(1 << 20);
        typed.extend(["--capacities".into(), largest.max(64).to_string().into()]);
        Ok(Asked {
            args: parse(&typed, false)?,
            caches,
            notes,
        })
    }

    fn inputs(&self) -> anyhow::Result<Inputs> {
        trace::settings::inputs(&self.args)
    }

    fn trace(&self, path: &Path) -> TraceArgs {
        TraceArgs {
            trace: Some(path.to_path_buf()),
            ..self.args.clone()
        }
    }
}

/// As a person would type it.
fn typed(args: &RankArgs) -> Vec<OsString> {
    let mut typed: Vec<OsString> = vec!["--epochs".into()];
    let name = |value: &dyn ToString| OsString::from(value.to_string());
    typed.extend(["--windows".into(), name(&args.window)]);
    typed.extend(["--epoch-slots".into(), name(&args.slots)]);
    typed.extend(["--slots".into(), name(&args.slots)]);
    typed.extend([OsString::from(format!("--ghz={}", args.ghz))]);
    let values = [
        ("--latency", args.latency),
        ("--base-latency", args.base_latency),
    ];
    for (flag, value) in values {
        typed.extend(value.map(|value| OsString::from(format!("{flag}={value}"))));
    }
    for cache in &args.cache {
        typed.extend(["--cache".into(), cache.into()]);
    }
    if let Some(costs) = &args.costs {
        typed.extend(["--costs".into(), costs.into()]);
    }
    let value_of = |value: Option<clap::builder::PossibleValue>| {
        value.map(|value| OsString::from(value.get_name()))
    };
    let format = value_of(args.format.to_possible_value());
    typed.extend(
        format
            .into_iter()
            .flat_map(|format| ["--format".into(), format]),
    );
    let unknown = value_of(args.unknown.to_possible_value());
    typed.extend(
        unknown
            .into_iter()
            .flat_map(|unknown| ["--unknown".into(), unknown]),
    );
    typed.extend(args.blocking_stores.then(|| "--blocking-stores".into()));
    typed
}

/// Arguments of the core that are always there.
const COMMON: usize = 2;

/// What concerns the core only.
fn core(args: &RankArgs) -> Vec<OsString> {
    let mut typed: Vec<OsString> = vec!["--camat".into()];
    typed.push(format!("--window={}", args.window).into());
    let numbers = [
        (
            "--issue-width",
            args.issue_width.map(|number| number.to_string()),
        ),
        ("--ports", args.ports.clone()),
        ("--mshrs", args.mshrs.clone()),
        (
            "--ram-interval",
            args.ram_interval.map(|number| number.to_string()),
        ),
    ];
    for (flag, value) in numbers {
        typed.extend(value.map(|value| OsString::from(format!("{flag}={value}"))));
    }
    typed
}

/// Arguments of `trace` with a trace that stands for any.
fn parse(typed: &[OsString], with_core: bool) -> anyhow::Result<TraceArgs> {
    let mut all: Vec<OsString> = vec!["loopsheet".into(), "trace".into()];
    all.extend(typed.iter().cloned());
    all.extend(with_core.then(|| "--camat".into()));
    all.extend(["--".into(), "-".into()]);
    match Cli::try_parse_from(all)
        .map_err(|error| anyhow::anyhow!("{error}"))?
        .command
    {
        Command::Trace(args) => Ok(*args),
        _ => anyhow::bail!("a trace is asked for"),
    }
}
