//! `loopsheet validate`: the model's traffic against simulated caches.

mod settings;

use std::collections::BTreeSet;
use std::path::Path;

use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;

use super::outputs::{self, Output};
use super::progress::FileBar;
use super::project::{self, Project};
use super::{Status, Voice, analyze, diagnostics, parameters};
use crate::cli::ValidateArgs;
use crate::core_levels::of_machine;
use crate::diagnostic::{Diagnostic, Severity};
use crate::export::{json, validate_table};
use crate::model::Model;
use crate::reading::inputs;
use crate::threads::deep_threads;
use crate::validate::{self, Report, Settings};

pub fn run(args: &ValidateArgs, voice: Voice) -> anyhow::Result<Status> {
    let mut project = Project::of(args.machine.as_deref(), &args.source, &args.paths, voice)?;
    let settings = settings::from_arguments(args, &project.machine)?;
    let sizes = settings::combinations(args, &project.settings, &settings.levels)?;
    // Created first, so that a path that cannot be written fails before the work.
    let output = args.json.as_deref().map(Output::create).transpose()?;
    let (mut program, bodies) =
        inputs::read_with_bodies(&args.paths, &project.reading, &FileBar::new(voice))?;
    let bodies = bodies.all();
    project.begin(&mut program)?;
    outputs::spare_inputs(
        args.json.as_deref(),
        program.files.iter().map(|file| Path::new(&*file.path)),
        "files to validate",
    )?;
    let found = program
        .files
        .iter()
        .flat_map(|f| &f.diagnostics)
        .collect::<Vec<&Diagnostic>>();
    diagnostics::print(&found, voice, &analyze::source_text);
    analyze::refuse_empty(&program, args.source.function.as_deref(), &found)?;
    analyze::remark_without_loops(&program, voice);
    let (mut models, mut unknown) = (Vec::new(), BTreeSet::new());
    for sizes in &sizes {
        let (model, others) = settings::build(&program, &bodies, &project, sizes, &mut unknown)?;
        if models.is_empty() {
            parameters::remark(&model, sizes, voice);
        }
        // Parameters may have changed the machine's levels.
        let levels = if args.cache.is_empty() {
            of_machine(&model.machine)?
        } else {
            settings.levels.clone()
        };
        models.push((
            model,
            Settings {
                levels,
                others,
                ..settings.clone()
            },
        ));
    }
    project::remark(&unknown, voice);
    let work = models.iter().flat_map(|model| {
        parts(&model.0, args.whole)
            .into_iter()
            .map(move |part| (model, part))
    });
    let work: Vec<(&(Model, Settings), Vec<usize>)> = work.collect();
    let progress = progress_bar(work.len(), voice);
    let run = |((model, settings), nests): &(&(Model, Settings), Vec<usize>)| {
        let body = nests
            .first()
            .and_then(|nest| bodies[model.nests[*nest].nest.function].as_ref());
        let report = match args.whole {
            true => validate::whole(model, nests, body, settings),
            false => Report::of(
                nests
                    .iter()
                    .map(|nest| validate::nest(model, *nest, body, settings))
                    .collect(),
            ),
        };
        progress.inc(1);
        report
    };
    let pool = deep_threads()?;
    let reports: Vec<Report> = pool.install(|| work.par_iter().map(run).collect());
    progress.finish_and_clear();
    let report = Report::of(reports);
    let has_errors =
        found.iter().any(|d| d.severity == Severity::Error) || !report.skipped.is_empty();
    match output {
        Some(output) => output.finish(json::validation(&report).as_bytes())?,
        None => outputs::print(validate_table::render(&report, args.worst).as_bytes())?,
    }
    Ok(if has_errors {
        Status::WithErrors
    } else {
        Status::Done
    })
}

/// What runs by itself: each nest, or all nests of each function.
fn parts(model: &Model, whole: bool) -> Vec<Vec<usize>> {
    let mut parts: Vec<Vec<usize>> = Vec::new();
    let nests = model.nests.iter().enumerate();
    for (index, nest) in nests.filter(|(_, nest)| nest.nest.is_shown()) {
        match parts.last_mut() {
            Some(part) if whole && model.nests[part[0]].nest.function == nest.nest.function => {
                part.push(index);
            }
            _ => parts.push(vec![index]),
        }
    }
    parts
}

fn progress_bar(length: usize, voice: Voice) -> ProgressBar {
    if voice.quiet {
        return ProgressBar::hidden();
    }
    // Draws on standard error, and only on a terminal.
    let bar = ProgressBar::new(length as u64);
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} nests  {elapsed}");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
