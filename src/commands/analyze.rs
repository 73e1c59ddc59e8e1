//! `loopsheet analyze`: sources or models to table, workbook, XML and JSON.

use super::progress::FileBar;
use crate::reading::Bodies;
use crate::reading::files;
use crate::reading::inputs;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::outputs::{self, Output};
use super::project::Project;
use super::{
    Status, Voice, budgets, diagnostics, explain, far_memory, parameters, pictures, shards, timings,
};
use crate::analysis::coverage;
use crate::analysis::facts::{File, Program};
use crate::checking::checked;
use crate::cli::{AnalyzeArgs, TablesFormat};
use crate::compare::{LineCounts, Measured, Run, StaticReport, counted_otherwise, measure};
use crate::diagnostic::{Diagnostic, Severity};
use crate::export::{html, json, table, tables, xlsx, xml};
use crate::model::{CountedLoop, Detail, Findings, Model, Setting};
use crate::source::Preprocessing;
use crate::wording::counted;
use anyhow::Context;

/// What an output file holds.
#[derive(Clone, Copy, PartialEq)]
enum Format {
    Workbook,
    Page,
    Xml,
    Json,
}

pub fn run(args: &AnalyzeArgs, voice: Voice) -> anyhow::Result<Status> {
    if let Some(status) = explain::before_reading(args)? {
        return Ok(status);
    }
    if let Some(status) = shards::read(args, voice)? {
        return Ok(status);
    }
    let mut project = Project::of(args.machine.as_deref(), &args.source, &args.paths, voice)?;
    anyhow::ensure!(
        !args.check_budgets || !project.budgets.is_empty(),
        "--check-budgets: there is no [[budget]] in loopsheet.toml (loopsheet guide diff)"
    );
    let requested = requested_outputs(args)?;
    // Created first, so that a path that cannot be written fails before the work.
    refuse_nest_sheets(args, &requested)?;
    let outputs = create(&requested)?;
    for directory in args.dot.iter().chain(&args.svg).chain(&args.tables) {
        std::fs::create_dir_all(directory)
            .with_context(|| format!("cannot make the directory {}", directory.display()))?;
    }
    let (mut program, bodies) = match args.no_check {
        true => (
            inputs::read(&args.paths, &project.reading, &FileBar::new(voice))?,
            Bodies::default(),
        ),
        false => inputs::read_with_bodies(&args.paths, &project.reading, &FileBar::new(voice))?,
    };
    project.begin(&mut program)?;
    spare_inputs(args, &requested, &program)?;
    let found = program
        .files
        .iter()
        .flat_map(|f| &f.diagnostics)
        .collect::<Vec<&Diagnostic>>();
    diagnostics::print(&found, voice, &source_text);
    if voice.verbose {
        program.files.iter().for_each(remark_file);
    }
    refuse_empty(&program, args.source.function.as_deref(), &found)?;
    let detail = detail(args, &requested);
    let (mut measured, mut counted) = (BTreeMap::new(), BTreeMap::new());
    let counts = counts_in_force(&args.counts, &project);
    let mut model = match (&args.parameters_from_trace, counts) {
        (Some(path), _) => {
            let (model, of_run) = with_run(&program, &project, voice, path)?;
            measured = of_run;
            model
        }
        (None, []) => build(&program, &project, voice, detail)?.0,
        (None, counts) => {
            let (model, of_nests) = with_counts(&program, &project, voice, counts)?;
            counted = of_nests;
            model
        }
    };
    let timed = match &args.measured[..] {
        [] => &project.measured[..],
        typed => typed,
    };
    model = far_memory::beside(timings::beside(model, timed, voice)?, args);
    let checked = checked(&model, &bodies)?;
    model.mark(Findings { counted, ..checked });
    drop(bodies);
    parameters::remark(&model, &project.settings, voice);
    project.remark_without_effect(&model.machine, &project.settings, voice);

    let to_stdout = outputs
        .iter()
        .any(|(_, output)| output.is_standard_output());
    remark_on(&model, &outputs, voice);
    let explained = explain::explained(&model, args)?;
    let sheets = explain::nest_sheets(&model, &args.nest_sheet)?;
    let is_over = args.check_budgets && budgets::are_exceeded(&model, &project.budgets, voice)?;
    let rendered = outputs
        .into_iter()
        .map(|(format, output)| Ok((render(&model, (&measured, &sheets), format)?, output)));
    let rendered = rendered.collect::<anyhow::Result<Vec<(Vec<u8>, Output)>>>()?;
    for (bytes, output) in rendered {
        output.finish(&bytes)?;
    }
    pictures::write(args, &model, &sheets)?;
    if let Some(directory) = &args.tables {
        for (name, content) in tables::files(&model, tables_format(args))? {
            Output::create(&directory.join(name))?.finish(&content)?;
        }
    }
    if let Some(text) = explained {
        outputs::print(text.as_bytes())?;
    } else if !to_stdout && (is_silent(args) || args.top.is_some() || args.all) {
        print_table(&model, args, (&project, voice))?;
    }
    let has_errors = found.iter().any(|d| d.severity == Severity::Error);
    Ok(if has_errors || is_over {
        Status::WithErrors
    } else {
        Status::Done
    })
}

fn print_table(
    model: &Model,
    args: &AnalyzeArgs,
    (project, voice): (&Project, Voice),
) -> anyhow::Result<()> {
    let shown = match args.all {
        true => table::Shown::All,
        false => args
            .top
            .map_or_else(table::Shown::default, table::Shown::Top),
    };
    let mut text = table::render(model, shown, voice.screen);
    text.push_str(&parameters::input_nearby(
        model,
        (&project.reading, &args.paths),
    ));
    outputs::print(text.as_bytes())
}

/// Says what outputs could hide.
fn remark_on(model: &Model, outputs: &[(Format, Output)], voice: Voice) {
    remark_without_loops(model.program, voice);
    remark_whole(model, outputs, voice);
}

/// Says that there is nothing that costs anything, which figures of zero could hide.
pub fn remark_without_loops(program: &Program, voice: Voice) {
    if voice.quiet || coverage::coverage(program).loops > 0 {
        return;
    }
    let files = match &program.files[..] {
        [one] => one.path.to_string(),
        files => counted(files.len(), "file"),
    };
    let what = match program.functions.is_empty() {
        true => "function",
        false => "loop",
    };
    eprintln!("loopsheet: no {what} was found in {files}: there are no figures");
}

/// Says that XML, which describes a program, has the functions that `--function` leaves out of lists, too.
fn remark_whole(model: &Model, outputs: &[(Format, Output)], voice: Voice) {
    let is_whole = |(format, _): &(Format, Output)| matches!(format, Format::Xml);
    if !voice.quiet && model.program.hides_some() && outputs.iter().any(is_whole) {
        eprintln!("loopsheet: XML has all functions of the program; --function limits lists only");
    }
}

/// Refuses outputs that would replace a file that this run reads.
fn spare_inputs(
    args: &AnalyzeArgs,
    requested: &[(Format, PathBuf)],
    program: &Program,
) -> anyhow::Result<()> {
    let typed = args.paths.iter().chain(&args.measured);
    let read = program.files.iter().map(|file| Path::new(&*file.path));
    outputs::spare_inputs(
        requested.iter().map(|(_, path)| path.as_path()),
        typed.map(PathBuf::as_path).chain(read),
        "files to analyse",
    )
}

/// Remarks how a file was read.
fn remark_file(file: &File) {
    let way = match file.preprocessing {
        Preprocessing::None => "as it stands",
        Preprocessing::Builtin => "preprocessed by loopsheet",
        Preprocessing::External => "preprocessed by the command of --cpp",
    };
    eprintln!(
        "read: {} ({}, {} form, {way})",
        file.path,
        file.language.as_str(),
        file.form.as_str()
    );
}

/// What the outputs need. The workbook has a model of its own, made from this one.
fn detail(args: &AnalyzeArgs, requested: &[(Format, PathBuf)]) -> Detail {
    let is = |wanted: Format| move |(format, _): &(Format, PathBuf)| *format == wanted;
    let has_graphs = args.dot.is_some() || args.svg.is_some();
    let explains_nest = matches!(args.explain, Some(Some(_)));
    if explains_nest || args.tables.is_some() || requested.iter().any(is(Format::Page)) {
        Detail::Formulas
    } else if args.check_budgets {
        Detail::Values
    } else if is_silent(args) || !has_graphs && requested.iter().all(is(Format::Workbook)) {
        Detail::Least
    } else {
        Detail::Values
    }
}

/// The model on the project's machine, and the settings that it took.
fn build<'p>(
    program: &'p Program,
    project: &Project,
    voice: Voice,
    detail: Detail,
) -> anyhow::Result<(Model<'p>, Vec<Setting>)> {
    project.build(voice, |settings| {
        Model::with(program, project.machine.clone(), settings, detail)
    })
}

/// The model with the parameters that a run tells, and what it did.
fn with_run<'p>(
    program: &'p Program,
    project: &Project,
    voice: Voice,
    path: &Path,
) -> anyhow::Result<(Model<'p>, Counters)> {
    let what = || format!("--parameters-from-trace {}", path.display());
    let run = Run::parse(&files::read_text(path).with_context(what)?).with_context(what)?;
    let (model, settings) = build(program, project, voice, Detail::Values)?;
    let predicted = StaticReport::from_model(&model);
    let seen = parameters::from_trace(&predicted, &run, &settings);
    Ok((
        parameters::rebuild(program, &project.machine, &settings, &seen)?,
        measure(&predicted, &run),
    ))
}

/// The counts that were typed, or else those of the project.
pub(super) fn counts_in_force<'c>(typed: &'c [PathBuf], project: &'c Project) -> &'c [PathBuf] {
    match typed {
        [] => &project.counts,
        typed => typed,
    }
}

/// The model with the parameters that counts of lines tell, and the loops of which they say otherwise than it does.
pub(super) fn with_counts<'p>(
    program: &'p Program,
    project: &Project,
    voice: Voice,
    paths: &[PathBuf],
) -> anyhow::Result<(Model<'p>, BTreeMap<usize, CountedLoop>)> {
    let mut counts = LineCounts::default();
    let mut read = BTreeSet::new();
    for path in paths {
        let what = || format!("--counts {}", path.display());
        let is_new = path.canonicalize().map_or(true, |path| read.insert(path));
        anyhow::ensure!(
            is_new,
            "{}: it is named twice, and counts of several files add up",
            what()
        );
        let text = files::read_unpacked(path).with_context(what)?;
        counts.add(&text).with_context(what)?;
    }
    let counts = counts.with_branches().context("--counts")?;
    let (model, settings) = build(program, project, voice, Detail::Values)?;
    let predicted = StaticReport::from_model(&model);
    let seen = parameters::from_counts(&predicted, &counts, &settings)?;
    let model = parameters::rebuild(program, &project.machine, &settings, &seen)?;
    let otherwise = counted_otherwise(&StaticReport::from_model(&model), &counts);
    let of_nests = otherwise.into_iter().filter_map(|found| {
        let loop_of_nest = CountedLoop {
            id: found.id,
            counted: found.counted,
            modelled: found.predicted,
            is_of_all_calls: found.is_of_all_calls,
        };
        Some((model.nest_of(found.function, found.nest)?, loop_of_nest))
    });
    let of_nests = of_nests.collect();
    Ok((model, of_nests))
}

/// What a run did in each loop, by function and id.
type Counters = BTreeMap<(String, String), Measured>;

fn tables_format(args: &AnalyzeArgs) -> tables::TablesFormat {
    match args.tables_format {
        TablesFormat::Csv => tables::TablesFormat::Csv,
        TablesFormat::Parquet => tables::TablesFormat::Parquet,
    }
}

/// Nothing is written anywhere, so that the table is what was asked for.
fn is_silent(args: &AnalyzeArgs) -> bool {
    args.output.is_none() && !has_reports(args)
}

/// Whether reports are asked for by their formats.
pub(super) fn has_reports(args: &AnalyzeArgs) -> bool {
    let files = [
        &args.html,
        &args.xml,
        &args.json,
        &args.dot,
        &args.svg,
        &args.tables,
    ];
    files.into_iter().any(Option::is_some)
}

/// The text of a file that was analysed, if it is still there.
pub(super) fn source_text(path: &str) -> Option<String> {
    files::read(Path::new(path)).ok().map(files::decode)
}

/// `sheets` are the nests that have a sheet of their own in the workbook.
fn render(
    model: &Model,
    (measured, sheets): (&Counters, &[usize]),
    format: Format,
) -> anyhow::Result<Vec<u8>> {
    Ok(match format {
        Format::Workbook => {
            let whole = model.for_any_machine_with(xlsx::ROOM, sheets);
            let there = sheets.iter().map(|nest| &model.nests[*nest]);
            let there: Vec<usize> = there.filter_map(|nest| whole.position_of(nest)).collect();
            xlsx::workbook_with_nests(&whole, (&there, &source_text))?
        }
        Format::Page => html::report(model, &source_text).into_bytes(),
        Format::Xml => {
            let program = model.parameters.settled(model.program);
            xml::write_measured(&program, measured).into_bytes()
        }
        Format::Json => json::report(model).into_bytes(),
    })
}

fn requested_outputs(args: &AnalyzeArgs) -> anyhow::Result<Vec<(Format, PathBuf)>> {
    let mut requested = Vec::new();
    if let Some(path) = &args.output {
        let format = match path
            .extension()
            .and_then(|e| e.to_str())
            .map(str::to_lowercase)
            .as_deref()
        {
            Some("xlsx") => Format::Workbook,
            Some("html" | "htm") => Format::Page,
            Some("xml") => Format::Xml,
            Some("json") => Format::Json,
            _ => {
                anyhow::bail!(
                    "-o {}: the extension says what to write; it may be .xlsx, .html, .xml or .json",
                    path.display()
                )
            }
        };
        requested.push((format, path.clone()));
    }
    requested.extend(args.html.iter().map(|path| (Format::Page, path.clone())));
    requested.extend(args.xml.iter().map(|path| (Format::Xml, path.clone())));
    requested.extend(args.json.iter().map(|path| (Format::Json, path.clone())));
    let to_stdout = requested.iter().filter(|(_, path)| path == Path::new("-"));
    let to_stdout = to_stdout.count() + usize::from(args.explain.is_some());
    anyhow::ensure!(
        to_stdout <= 1,
        "only one output can go to standard output; --explain prints there, too"
    );
    outputs::refuse_equal(
        &requested
            .iter()
            .map(|(_, path)| path.as_path())
            .collect::<Vec<&Path>>(),
    )?;
    Ok(requested)
}

/// Sheets of nests are in a workbook only.
fn refuse_nest_sheets(args: &AnalyzeArgs, requested: &[(Format, PathBuf)]) -> anyhow::Result<()> {
    let has_workbook = requested
        .iter()
        .any(|(format, _)| *format == Format::Workbook);
    match args.nest_sheet.first() {
        Some(name) if !has_workbook => anyhow::bail!(
            "--nest-sheet {name}: the sheet is part of the workbook; add -o FILE.xlsx"
        ),
        _ => Ok(()),
    }
}

fn create(requested: &[(Format, PathBuf)]) -> anyhow::Result<Vec<(Format, Output)>> {
    requested
        .iter()
        .map(|(format, path)| Ok((*format, Output::create(path)?)))
        .collect()
}

/// Nothing to analyse is an error; functions without loops are not.
pub fn refuse_empty(
    program: &Program,
    function: Option<&str>,
    found: &[&Diagnostic],
) -> anyhow::Result<()> {
    if program.shows_some() {
        return Ok(());
    }
    if let Some(pattern) = function {
        anyhow::bail!("no function matches --function {pattern}");
    }
    if found.iter().any(|d| d.severity == Severity::Error) {
        anyhow::bail!("nothing could be analysed: no function could be read");
    }
    Ok(())
}
