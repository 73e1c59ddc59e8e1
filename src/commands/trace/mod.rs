//! `loopsheet trace`: an instruction trace to table, workbook, JSON and pictures.

mod address;
mod blame;
mod core;
mod epochs;
mod graph;
pub mod input;
mod libraries;
pub mod outputs;
mod placement;
mod regions;
pub mod settings;
mod several;
mod slices;
mod timeline;
mod write;

use std::path::Path;

use super::{Status, Voice};
use crate::binary::Variable;
use crate::cli::TraceArgs;
use crate::compare::StaticReport;
use crate::graph::Edag;
use crate::metrics::analysis::Analysis;
use crate::metrics::profile::apart;
use crate::metrics::report::TraceReport;
use crate::metrics::settings::Settings;
use crate::trace::{Instruction, RunEnd};
use crate::traced;
use outputs::{Outputs, Report};
use regions::Regions;
use write::{Both, Written};

pub fn run(args: &TraceArgs, voice: Voice) -> anyhow::Result<Status> {
    if let Some(list) = &args.slices {
        return slices::run(args, list, voice);
    }
    if args.trace.is_none() {
        return timeline::run(args, voice);
    }
    if !args.more.is_empty() {
        return several::run(args, voice);
    }
    // Created first, so that a path that cannot be written fails before the work.
    let outputs = Outputs::create(args)?;
    let predicted = regions::static_report(args)?;
    let Traced { report, graph } = analyse(args, predicted.as_ref(), voice)?;
    if voice.verbose || args.unknown == crate::cli::UnknownKind::Warn {
        report
            .notes
            .iter()
            .for_each(|note| eprintln!("loopsheet: {note}"));
    }
    let status = judge(report.trace.end, voice);
    if args.write.is_none() || !outputs.is_empty() {
        outputs.write(Report::Trace(&report, graph.as_ref()), args.top)?;
    }
    Ok(status)
}

/// Says how a run ended that did not end in an orderly way; after a crash its figures are not whole.
pub fn judge(end: Option<RunEnd>, voice: Voice) -> Status {
    if let Some(end) = end.filter(|end| !end.is_orderly() && !voice.quiet) {
        eprintln!("loopsheet: the run ended {end}");
    }
    match end.is_some_and(RunEnd::is_crash) {
        true => Status::WithErrors,
        false => Status::Done,
    }
}

/// What a trace came to.
pub struct Traced {
    pub report: TraceReport,
    /// Of a short trace.
    pub graph: Option<Edag>,
}

/// Checks the settings before there is a trace; returns whether the program has line information.
///
/// # Errors
/// Bad usage.
pub fn check(args: &TraceArgs) -> anyhow::Result<bool> {
    settings::from_arguments(args)?;
    settings::inputs(args)?;
    Ok(regions::sites(args, &[])?.is_some())
}

/// Reads a trace and counts what is asked for; by nest those of `predicted`.
///
/// # Errors
/// Bad usage, or a line that cannot be read.
pub fn analyse(
    args: &TraceArgs,
    predicted: Option<&StaticReport>,
    voice: Voice,
) -> anyhow::Result<Traced> {
    let Some(trace) = &args.trace else {
        anyhow::bail!("no trace is given")
    };
    let mut settings = settings::from_arguments(args)?;
    let core = settings
        .core
        .as_ref()
        .map(|(model, _)| core::in_words(model));
    let inputs = settings::inputs(args)?;
    let input = input::open(trace, voice)?;
    let libraries = libraries::read(args, settings::options(args), voice)?;
    let sites = regions::sites(args, &libraries)?;
    let variables = sites.as_ref().map(|sites| apart(sites.variables()));
    let variables = variables.unwrap_or_default();
    let profiled = || regions::sites(args, &libraries);
    let places = placement::places(args, &variables, (&profiled, &settings))?;
    let placed = placement::in_words(&places.own);
    if let Some((core, _)) = &mut settings.core {
        places.place(core, &mut settings.other_places);
    }
    if let Some(blame) = &mut settings.blame {
        blame.variables.clone_from(&variables);
    }
    let mut regions = Regions::of(args, predicted, &libraries)?;
    let mut region_of = regions
        .as_mut()
        .map(|regions| |instruction: &Instruction| regions.region_of(instruction));
    let mut analysis = Analysis::new(
        settings.clone(),
        region_of.as_mut().map(|region_of| region_of as _),
    )?;
    if predicted.is_some() {
        analysis = analysis.with_region_details();
    }
    if let Some(sites) = sites {
        analysis = analysis.with_profile(sites);
    }
    let mut written = args.write.as_deref().map(Written::create).transpose()?;
    let mut both = Both {
        analysis: &mut analysis,
        written: written.as_mut(),
    };
    let read = crate::trace::stream(input, settings::options(args), &mut both)
        .map_err(|error| anyhow::anyhow!("{}: {error}", name(trace)))?;
    settings::refuse_memory(args, &read)
        .map_err(|error| anyhow::anyhow!("{}: {error}", name(trace)))?;
    if let Some(written) = written {
        written.finish(&read, voice)?;
    }
    let mut counted = analysis.finish(read.has_addresses);
    settings::refuse_too_long(args, &counted)?;
    if !read.format.has_opcodes() && counted.cache.is_empty() {
        counted.forget_bytes();
    }
    let regions = match regions {
        Some(regions) => regions.finish(std::mem::take(&mut counted.regions))?,
        None => Vec::new(),
    };
    let source = counted
        .profile
        .take()
        .transpose()
        .map_err(|error| libraries::in_words(error, &format!("--elf of {}", name(trace))))?;
    let graph = graph::drawn(args, &counted)?;
    let cycles = counted.core.as_ref().map(|core| core.cycles.cycles);
    let compared = placement::placed(cycles, &counted.placed_cycles);
    let timed = counted.core.take().map(|core| core::camat(args, core));
    let objects = counted.objects.take();
    let unlimited_cycles = counted.unlimited_cycles;
    let path = trace.display().to_string();
    let mut report = traced::of(
        path,
        &settings,
        &inputs,
        &read,
        counted,
        regions,
        graph.as_ref(),
    );
    report.notes.extend(not_known(
        args,
        &report,
        (source.is_some(), read.has_addresses),
    ));
    report.notes.extend(libraries::unused(&libraries));
    // What operations there are, and so flops, is not known without opcodes.
    report.source = source.filter(|_| read.format.has_opcodes());
    report.notes.extend(core);
    report.notes.extend(placed);
    report
        .notes
        .extend(compared.as_ref().map(placement::compared));
    report.placed = compared;
    let model = settings.core.as_ref().map(|(model, _)| model);
    let model = model.map(|model| (model, unlimited_cycles));
    report.objects =
        placement::objects(args, objects, report.blame.as_ref(), timed.as_ref(), model);
    confirm(args, &mut report, &variables, &settings)?;
    report.camat = timed.or(timeline::camat(args, Some(read.instructions), voice)?);
    report.notes.extend(core::below_bound(&report));
    Ok(Traced { report, graph })
}

/// What was asked for that the trace or the program does not say.
fn not_known(
    args: &TraceArgs,
    report: &TraceReport,
    (has_lines, has_addresses): (bool, bool),
) -> Vec<String> {
    let mut notes = Vec::new();
    if args.by_bandwidth && report.depth_by_bandwidth.is_none() && has_addresses {
        notes.push(
            "the depth for every bandwidth is not known: the trace has no widths of accesses, and without --cache no lines"
                .to_string(),
        );
    }
    if !has_lines && args.elf.is_some() {
        notes.push(
            "the program of --elf has no line information (-g), so nothing is counted by source line".to_string(),
        );
    }
    notes
}

/// Asks the core what it loses with objects in slower memory, if there are objects.
///
/// # Errors
/// The trace cannot be read again.
fn confirm(
    args: &TraceArgs,
    report: &mut TraceReport,
    variables: &[Variable],
    settings: &Settings,
) -> anyhow::Result<()> {
    if let Some(objects) = &mut report.objects {
        let data = report.source.as_ref().map(|source| &source.data[..]);
        let data = data.unwrap_or_default();
        let named = placement::Named { variables, data };
        let said = placement::estimate(args, objects, named, settings)?;
        report.notes.extend(said);
        let said = placement::confirm(args, objects, named, settings)?;
        report.notes.extend(said);
    }
    Ok(())
}

/// The trace as messages name it.
fn name(path: &Path) -> String {
    if path.as_os_str() == "-" {
        "standard input".to_string()
    } else {
        path.display().to_string()
    }
}
