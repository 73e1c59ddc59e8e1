//! `--timeline`: C-AMAT of another simulator's log, beside a trace or on its own.

use anyhow::Context;

use super::input;
use super::outputs::{Outputs, Report};
use crate::cli::TraceArgs;
use crate::commands::{Status, Voice};
use crate::metrics::camat::file::Timeline;
use crate::metrics::camat::{Camat, Program};
use crate::metrics::report::TimelineReport;

/// A run without a trace.
pub fn run(args: &TraceArgs, voice: Voice) -> anyhow::Result<Status> {
    refuse_what_needs_a_trace(args)?;
    let outputs = Outputs::create(args)?;
    let camat = camat(args, None, voice)?.context("a trace or --timeline is needed")?;
    let path = args
        .timeline
        .as_ref()
        .map_or_else(String::new, |path| path.display().to_string());
    outputs.write(Report::Timeline(&TimelineReport { path, camat }), args.top)?;
    Ok(Status::Done)
}

/// What the timeline says, if there is one; `instructions` are those of the trace.
///
/// # Errors
/// It cannot be read, or an argument is out of range.
pub fn camat(
    args: &TraceArgs,
    instructions: Option<u64>,
    voice: Voice,
) -> anyhow::Result<Option<Camat>> {
    let Some(path) = &args.timeline else {
        return Ok(None);
    };
    let both = path.as_os_str() == "-"
        && args
            .trace
            .as_ref()
            .is_some_and(|trace| trace.as_os_str() == "-");
    anyhow::ensure!(
        !both,
        "trace and timeline cannot both come from standard input"
    );
    let program = program(args, instructions)?;
    let timeline = Timeline::read(input::open(path, voice)?).with_context(|| super::name(path))?;
    if let Some(level) = args.shared_level {
        let levels = timeline.levels;
        anyhow::ensure!(
            (1..=levels).contains(&level),
            "--shared-level {level}: the timeline has levels 1 to {levels}"
        );
    }
    let mut camat = timeline
        .counted(args.shared_level.map(|level| level - 1))
        .finish(program, None);
    if let Some(kept) = &mut camat.accesses {
        *kept = timeline.accesses;
    }
    Ok(Some(camat))
}

pub fn program(args: &TraceArgs, instructions: Option<u64>) -> anyhow::Result<Program> {
    let instructions = args.instructions.or(instructions);
    anyhow::ensure!(
        args.instructions != Some(0),
        "--instructions 0: must be 1 or more"
    );
    if let Some(cpi) = args.cpi_exe {
        anyhow::ensure!(
            (1e-6..=1e6).contains(&cpi),
            "--cpi-exe {cpi}: must be from 0.000001 to 1000000"
        );
    }
    let target = args.stall_target;
    anyhow::ensure!(
        (1e-6..=1e6).contains(&target),
        "--stall-target {target}: must be from 0.000001 to 1000000"
    );
    Ok(Program {
        instructions,
        cpi_exe: args.cpi_exe,
        hart_cycles: None,
        stall_target: target / 100.0,
    })
}

fn refuse_what_needs_a_trace(args: &TraceArgs) -> anyhow::Result<()> {
    let asked = [
        (!args.cache.is_empty(), "--cache"),
        (args.costs.is_some(), "--costs"),
        (args.reuse, "--reuse"),
        (args.elf.is_some(), "--elf"),
        (args.graph.is_some(), "--graph"),
        (args.sweep.is_some(), "--sweep"),
        (args.compat.is_some(), "--compat"),
        (args.remote_share.is_some(), "--remote-share"),
        (args.epochs, "--epochs"),
        (args.window.is_some(), "--window"),
        (args.issue_width.is_some(), "--issue-width"),
        (!args.ports.is_empty(), "--ports"),
        (!args.mshrs.is_empty(), "--mshrs"),
        (args.ram_interval.is_some(), "--ram-interval"),
        (args.far_interval.is_some(), "--far-interval"),
    ];
    let asked: Vec<&str> = asked
        .into_iter()
        .filter(|(asked, _)| *asked)
        .map(|(_, flag)| flag)
        .collect();
    anyhow::ensure!(
        asked.is_empty(),
        "{} needs a trace, and only a timeline is given",
        asked.join(", ")
    );
    Ok(())
}
