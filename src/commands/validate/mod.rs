//! `loopsheet validate`: the model's traffic against simulated caches.

mod settings;

use std::path::Path;

use anyhow::Context;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;

use super::inputs::{self, Reading};
use super::outputs::{self, Output};
use super::{Status, Voice, diagnostics, machines};
use crate::cli::ValidateArgs;
use crate::diagnostic::{Diagnostic, Severity};
use crate::export::{validate_json, validate_table};
use crate::model::{Detail, Model, Setting};
use crate::validate::{self, Report};

pub fn run(args: &ValidateArgs, voice: Voice) -> anyhow::Result<Status> {
    let machine = machines::load(&args.machine)?;
    let settings = settings::of(args, &machine)?;
    let sizes = settings::combinations(args)?;
    let pattern = args.function.as_deref().map(globset::Glob::new).transpose().context("--function")?;
    let reading = Reading {
        include: &args.include,
        define: &args.define,
        undefine: &args.undefine,
        database: args.database.as_deref(),
        cpp: args.cpp.clone(),
        function: pattern.map(|p| p.compile_matcher()),
    };
    // Created first, so that a path that cannot be written fails before the work.
    let output = args.json.as_deref().map(Output::create).transpose()?;
    let (program, bodies) = inputs::read_with_bodies(&args.paths, &reading, voice)?;
    spare_inputs(args, &program.files.iter().map(|file| &*file.path).collect::<Vec<&str>>())?;
    let found = program.files.iter().flat_map(|f| &f.diagnostics).collect::<Vec<&Diagnostic>>();
    diagnostics::print(&found, voice, &|path| std::fs::read_to_string(path).ok());
    anyhow::ensure!(
        !program.functions.is_empty() || args.function.is_none(),
        "no function fits --function {}",
        args.function.as_deref().unwrap_or("")
    );
    let models =
        sizes.iter().map(|sizes: &Vec<Setting>| Ok(Model::with(&program, machine.clone(), sizes, Detail::Values)?));
    let models = models.collect::<anyhow::Result<Vec<Model>>>()?;
    let work: Vec<(&Model, usize)> =
        models.iter().flat_map(|model| (0..model.nests.len()).map(move |nest| (model, nest))).collect();
    let progress = progress_bar(work.len(), voice);
    let run = |(model, nest): &(&Model, usize)| {
        let body = bodies[model.nests[*nest].nest.function].as_ref();
        let report = validate::run(model, *nest, body, &settings);
        progress.inc(1);
        report
    };
    let reports: Vec<Report> = work.par_iter().map(run).collect();
    progress.finish_and_clear();
    let report = Report::of(reports);
    let has_errors = found.iter().any(|d| d.severity == Severity::Error) || !report.skipped.is_empty();
    match output {
        Some(output) => output.finish(validate_json::render(&report).as_bytes())?,
        None => outputs::print(validate_table::render(&report, args.worst).as_bytes())?,
    }
    Ok(if has_errors { Status::WithErrors } else { Status::Done })
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

/// The output must not take the place of a file that was read.
fn spare_inputs(args: &ValidateArgs, read: &[&str]) -> anyhow::Result<()> {
    let Some(path) = args.json.as_ref().and_then(|path| path.canonicalize().ok()) else { return Ok(()) };
    let is_input = read.iter().any(|file| Path::new(file).canonicalize().is_ok_and(|file| file == path));
    anyhow::ensure!(!is_input, "cannot write {}: it is one of the files to validate", path.display());
    Ok(())
}
