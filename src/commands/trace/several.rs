//! Several traces with `--epochs`: the profile of each, and their mean.

use std::path::PathBuf;

use crate::cli::TraceArgs;
use crate::commands::{Status, Voice, outputs};
use crate::export::{json, svg, trace_table, xlsx};
use crate::metrics::analysis::Analysis;
use crate::metrics::profiles::Profiles;
use crate::metrics::settings::Settings;
use crate::trace;

use super::outputs::{Kind, Outputs};
use super::{input, name, settings};

/// Traces whose mean is a formula that fits into a cell.
const MOST_IN_WORKBOOK: usize = 500;

pub fn run(args: &TraceArgs, voice: Voice) -> anyhow::Result<Status> {
    refuse_others(args)?;
    let settings = Settings {
        keep: 0,
        core: None,
        by_latency: false,
        by_bandwidth: None,
        blame: None,
        ..settings::from_arguments(args)?
    };
    let paths: Vec<&PathBuf> = args.trace.iter().chain(&args.more).collect();
    let files = Outputs::create(args)?;
    anyhow::ensure!(
        !files.has(Kind::Workbook) || paths.len() <= MOST_IN_WORKBOOK,
        "a workbook takes at most {MOST_IN_WORKBOOK} traces; for more there are .json and --heatmap"
    );
    let mut traces = Vec::new();
    for path in paths {
        let mut analysis = Analysis::new(settings.clone(), None)?;
        let read = trace::stream(
            input::open(path, voice)?,
            settings::options(args),
            &mut analysis,
        )
        .map_err(|error| anyhow::anyhow!("{}: {error}", name(path)))?;
        settings::refuse_memory(args, &read)
            .map_err(|error| anyhow::anyhow!("{}: {error}", name(path)))?;
        traces.extend(
            analysis
                .finish(true)
                .epochs
                .map(|epochs| (path.display().to_string(), epochs)),
        );
    }
    let profiles = Profiles { traces };
    if files.is_empty() {
        outputs::print(trace_table::profiles(&profiles).as_bytes())?;
        return Ok(Status::Done);
    }
    files.finish(&|kind| match kind {
        Kind::HeatMapSvg => svg::mean_epochs(&profiles)
            .map(String::into_bytes)
            .ok_or_else(|| anyhow::anyhow!("--heatmap: there are no epochs without instructions")),
        Kind::Workbook => Ok(xlsx::profiles_workbook(&profiles)?),
        _ => Ok(json::profiles(&profiles).into_bytes()),
    })?;
    Ok(Status::Done)
}

/// What is about one trace and no epochs.
fn refuse_others(args: &TraceArgs) -> anyhow::Result<()> {
    let given = [
        (args.reuse, "--reuse"),
        (args.timeline.is_some(), "--timeline"),
    ];
    let own = given.into_iter().find(|(given, _)| *given);
    if let Some(flag) = settings::of_one_trace(args).or(own.map(|(_, flag)| flag)) {
        anyhow::bail!("{flag} takes one trace; of several, only epochs are reported");
    }
    let from_stdin = args
        .trace
        .iter()
        .chain(&args.more)
        .filter(|path| path.as_os_str() == "-")
        .count();
    anyhow::ensure!(
        from_stdin <= 1,
        "only one trace can come from standard input"
    );
    Ok(())
}
