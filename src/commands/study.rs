//! `loopsheet study`: analyze, record, trace and compare in one.

use super::progress::FileBar;
use crate::reading::files;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Parser;

use super::outputs::Output;
use super::project::Project;
use super::record::Recorded;
use super::reports::{Format, Reports};
use super::{Status, Voice, analyze, diagnostics, outputs, parameters, record, trace};
use crate::analysis::facts::Program;
use crate::cache::CacheSpec;
use crate::cli::{Cli, Command, RecordArgs, StudyArgs, TraceArgs};
use crate::compare::{Comparison, Run, StaticReport, compare};
use crate::core_levels::one_core;
use crate::diagnostic::{Diagnostic, Severity};
use crate::export::{compare_table, html, json, xlsx};
use crate::machine::MachineModel;
use crate::metrics::report::TraceReport;
use crate::model::parameters::ValueSource;
use crate::model::{Model, Setting};
use crate::reading::inputs;
use crate::regions::RegionMap;
use crate::report::RunReport;
use crate::trace::RunEnd;

pub fn run(args: &StudyArgs, voice: Voice) -> anyhow::Result<Status> {
    let mut project = Project::of(args.machine.as_deref(), &args.source, &args.paths, voice)?;
    let program = Path::new(&args.program[0]);
    let inputs: Vec<&Path> = args
        .paths
        .iter()
        .map(PathBuf::as_path)
        .chain([program])
        .collect();
    let reports = Reports::create(
        args.output.as_ref(),
        &[
            (Format::Page, args.html.as_ref()),
            (Format::Json, args.json.as_ref()),
        ],
        (&inputs, "files to read"),
    )?;
    let directory = tempfile::tempdir().context("cannot make a directory for the trace")?;
    if let Some(keep) = &args.keep {
        std::fs::create_dir_all(keep)
            .with_context(|| format!("cannot make the directory {}", keep.display()))?;
    }
    let place = |name: &str| args.keep.as_deref().unwrap_or(directory.path()).join(name);

    let mut program = inputs::read(
        &as_compiled(&args.paths, program),
        &project.reading,
        &FileBar::new(voice),
    )?;
    project.begin(&mut program)?;
    let machine = &project.machine;
    let found = program
        .files
        .iter()
        .flat_map(|f| &f.diagnostics)
        .collect::<Vec<&Diagnostic>>();
    diagnostics::print(&found, voice, &analyze::source_text);
    anyhow::ensure!(
        !program.functions.is_empty(),
        "nothing could be analysed: no function was read"
    );
    let (mut model, settings) = project.build(voice, |settings| {
        Model::build(&program, machine.clone(), settings)
    })?;
    parameters::remark(&model, &settings, voice);
    project.remark_without_effect(&model.machine, &settings, voice);

    let changed = changed_since_compiled(&program, Path::new(&args.program[0]));
    if let Some(changed) = changed.as_ref().filter(|_| !voice.quiet) {
        eprintln!("loopsheet: {changed}");
    }
    let (recorded, predicted) = (place("trace.execlog.zst"), place("static.json"));
    let trace_arguments = trace_arguments(args, machine, &recorded, &predicted)?;
    // What is wrong with them is found before the program runs.
    let has_lines = trace::check(&trace_arguments)?;
    anyhow::ensure!(
        has_lines,
        "{} has no line information: compile it with -g",
        Path::new(&args.program[0]).display()
    );
    let standard_output = reports.standard_output();
    let recording =
        record::run_beside(&record_arguments(args, &recorded)?, voice, standard_output)?;
    anyhow::ensure!(
        recording != Recorded::Nothing,
        "nothing was recorded, so there is nothing to compare"
    );
    let mut report = StaticReport::from_model(&model);
    let mut traced = trace::analyse(&trace_arguments, Some(&report), voice)?;
    if args.keep.is_none() {
        // The trace itself will be gone.
        traced.report.trace.path = args.program[0].to_string_lossy().into_owned();
    }
    let run = Run::try_from(RunReport::of(&traced.report))?;
    let seen = from_run(args, &report, &run, &settings);
    if !seen.is_empty() {
        model = parameters::rebuild(&program, machine, &settings, &seen)?;
        report = StaticReport::from_model(&model);
    }
    let mut comparison = compare(&report, &run, &|_| true);
    comparison.notes.extend(changed);
    comparison.notes.extend(taken(args, &seen));
    refuse_empty(&comparison, args, &run)?;
    if args.keep.is_some() {
        let kept = [
            (predicted, json::analysis(&model)),
            (place("trace.json"), json::trace(&traced.report)),
            (place("compare.json"), json::comparison(&comparison)),
        ];
        for (path, text) in kept {
            Output::create(&path)?.finish(text.as_bytes())?;
        }
    }
    if reports.is_empty() {
        outputs::print(compare_table::render(&comparison, args.top).as_bytes())?;
    }
    reports.finish(|format| render(format, &model, &traced.report, &comparison))?;
    let has_errors = found.iter().any(|d| d.severity == Severity::Error);
    let has_crashed = run.trace.end.is_some_and(RunEnd::is_crash);
    Ok(if has_errors || has_crashed {
        Status::WithErrors
    } else {
        Status::Done
    })
}

/// What the model takes from the run: by default what nothing else gives.
fn from_run(
    args: &StudyArgs,
    report: &StaticReport,
    run: &Run,
    settings: &[Setting],
) -> Vec<Setting> {
    if args.guessed_parameters {
        return Vec::new();
    }
    let mut seen = parameters::from_trace(report, run, settings);
    if !args.parameters_from_trace {
        let is_guessed = |name: &str| {
            let known = report.parameters.get(name);
            known.is_some_and(|parameter| parameter.source == ValueSource::Guessed)
        };
        seen.retain(|setting| is_guessed(&setting.name));
    }
    seen
}

/// Says what was taken from the run without being asked for.
fn taken(args: &StudyArgs, seen: &[Setting]) -> Option<String> {
    if seen.is_empty() || args.parameters_from_trace {
        return None;
    }
    let values: Vec<String> = seen
        .iter()
        .map(|setting| format!("{} = {}", setting.name, setting.value))
        .collect();
    Some(format!(
        "taken from the run, because nothing else gives them: {} (--guessed-parameters leaves them as guessed)",
        values.join(", ")
    ))
}

/// What a report of the study holds.
fn render(
    format: Format,
    model: &Model,
    run: &TraceReport,
    comparison: &Comparison,
) -> anyhow::Result<Vec<u8>> {
    Ok(match format {
        Format::Workbook => {
            xlsx::study_workbook(&model.for_any_machine(xlsx::ROOM), run, comparison)?
        }
        Format::Page => {
            let study = html::Study { run, comparison };
            html::study(model, study, &analyze::source_text).into_bytes()
        }
        Format::Markdown | Format::Sarif => {
            anyhow::bail!("`loopsheet diff` writes it, not `loopsheet study`")
        }
        Format::Json => json::comparison(comparison).into_bytes(),
    })
}

/// Sources that are newer than the program: lines may not be where it has them.
fn changed_since_compiled(program: &Program, binary: &Path) -> Option<String> {
    let time = |path: &Path| {
        std::fs::metadata(path)
            .and_then(|metadata| metadata.modified())
            .ok()
    };
    let compiled = time(binary)?;
    let is_newer = |path: &&str| time(Path::new(path)).is_some_and(|changed| changed > compiled);
    let newer: Vec<&str> = program
        .files
        .iter()
        .map(|file| &*file.path)
        .filter(is_newer)
        .collect();
    (!newer.is_empty()).then(|| {
        format!(
            "{} changed after {} was compiled: compile it again, or lines may be joined to the wrong code",
            newer.join(", "),
            binary.display()
        )
    })
}

/// The sources as the program's lines name them: a file that the program does not know stands for the one that a link
/// leads to, or that is a link to it.
fn as_compiled(paths: &[PathBuf], program: &Path) -> Vec<PathBuf> {
    let mut known: Option<Vec<String>> = None;
    let mut named = |path: &PathBuf| {
        let files = known.get_or_insert_with(|| {
            let map = files::read(program)
                .ok()
                .and_then(|data| RegionMap::read(&data).ok());
            map.map_or_else(Vec::new, |map| map.files())
        });
        let is_known = |path: &Path| {
            files
                .iter()
                .any(|file| Path::new(file).file_name() == path.file_name())
        };
        if !path.is_file() || is_known(path) {
            return None;
        }
        let file = std::fs::canonicalize(path).ok()?;
        let target = std::fs::read_link(path)
            .ok()
            .map(|target| path.parent().unwrap_or(Path::new("")).join(target));
        let is_same =
            |other: &&String| std::fs::canonicalize(other).is_ok_and(|other| other == file);
        target
            .filter(|target| is_known(target))
            .or_else(|| files.iter().find(is_same).map(PathBuf::from))
    };
    paths
        .iter()
        .map(|path| named(path).unwrap_or_else(|| path.clone()))
        .collect()
}

fn refuse_empty(comparison: &Comparison, args: &StudyArgs, run: &Run) -> anyhow::Result<()> {
    let program = Path::new(&args.program[0]).display();
    let sites = run.source.sites.iter();
    let files: BTreeSet<&str> = sites.filter_map(|site| site.file.as_deref()).collect();
    let shown: Vec<&str> = files.iter().copied().take(MOST_FILES).collect();
    let more = if files.len() > MOST_FILES { " …" } else { "" };
    anyhow::ensure!(
        !comparison.nests.is_empty(),
        "nothing to compare: no instruction that {program} executed lies in a loop of this source; was it compiled from \
         it, with -g, under this name? What was executed has lines of {}{more}",
        shown.join(", ")
    );
    Ok(())
}

/// More are not listed.
const MOST_FILES: usize = 4;

/// The caches as `trace` takes them: as given, or the machine's as one core has them.
fn caches(args: &StudyArgs, machine: &MachineModel) -> anyhow::Result<Vec<String>> {
    if !args.cache.is_empty() || args.camat {
        return Ok(args.cache.clone());
    }
    let levels = machine.levels();
    let specs = levels
        .iter()
        .map(one_core)
        .collect::<anyhow::Result<Vec<CacheSpec>>>()?;
    Ok(specs.iter().map(ToString::to_string).collect())
}

fn trace_arguments(
    args: &StudyArgs,
    machine: &MachineModel,
    recorded: &Path,
    predicted: &Path,
) -> anyhow::Result<TraceArgs> {
    let mut typed: Vec<OsString> = vec![
        "trace".into(),
        recorded.into(),
        "--elf".into(),
        args.program[0].clone(),
    ];
    typed.extend(["--by", "nest", "--reuse", "--static"].map(OsString::from));
    typed.push(predicted.into());
    for cache in caches(args, machine)? {
        typed.extend(["--cache".into(), cache.into()]);
    }
    typed.extend(["--slots".into(), args.slots.to_string().into()]);
    if let Some(latency) = args.latency {
        typed.extend(["--latency".into(), latency.to_string().into()]);
    }
    typed.extend(args.epochs.then(|| "--epochs".into()));
    typed.extend(args.memory_chain.then(|| "--memory-chain".into()));
    typed.extend(args.camat.then(|| "--camat".into()));
    match parse(typed)? {
        Command::Trace(args) => Ok(*args),
        _ => anyhow::bail!("a trace is asked for"),
    }
}

fn record_arguments(args: &StudyArgs, recorded: &Path) -> anyhow::Result<RecordArgs> {
    let mut typed: Vec<OsString> = vec!["record".into(), "-o".into(), recorded.into()];
    for function in &args.record_function {
        typed.extend(["--function".into(), function.into()]);
    }
    if let Some(limit) = args.limit {
        typed.extend(["--limit".into(), limit.to_string().into()]);
    }
    typed.push("--".into());
    typed.extend(args.program.iter().cloned());
    match parse(typed)? {
        Command::Record(args) => Ok(*args),
        _ => anyhow::bail!("a recording is asked for"),
    }
}

/// Arguments as a person would type them.
fn parse(typed: Vec<OsString>) -> anyhow::Result<Command> {
    let cli = Cli::try_parse_from(std::iter::once(OsString::from("loopsheet")).chain(typed));
    Ok(cli.map_err(|error| anyhow::anyhow!("{error}"))?.command)
}
