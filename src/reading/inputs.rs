//! Paths to programs: which files are read, in which order, and how each becomes facts.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use anyhow::Context;
use globset::GlobMatcher;
use ignore::gitignore::Gitignore;

use super::bodies::Bodies;
use super::build_files::BuildFiles;
use super::cache::{Cache, Caching};
use super::compile_commands::{Databases, Flags};
use super::files::{self, name};
use super::headers::HeaderIndex;
use super::input::{Input, Kind};
use super::lowered;
use super::opened;
use super::order::Order;
use super::preprocess::Cpp;
use super::run_input::RunInput;
use super::share::{self, Share, ShareRead};
use super::watch::Watch;
use crate::analysis::facts::Program;
use crate::analysis::inputs::{Inputs, Used};
use crate::analysis::{self, Statements};
use crate::diagnostic::{Diagnostic, DiagnosticCode, Place, Severity};
use crate::export::xml;
use crate::ir::Unit;
use crate::lower;
use crate::source;
use crate::source::optimisation::Optimisation;

/// How sources are to be read.
pub struct Reading {
    pub include: Vec<PathBuf>,
    pub define: Vec<String>,
    pub undefine: Vec<String>,
    /// Compiler flags of all sources, in words, with the directory that their paths are relative to.
    pub flags: Vec<(PathBuf, Vec<String>)>,
    /// `-p`.
    pub database: Option<PathBuf>,
    /// Files and directories that are left out.
    pub ignore: Vec<Gitignore>,
    pub cpp: Cpp,
    /// Whether loopsheet's bodies of the BLAS stand for those that the sources lack.
    pub blas: bool,
    pub function: Option<GlobMatcher>,
    /// What the program would read.
    pub input: RunInput,
    /// Whether files that the program opens by name are its input.
    pub follows_opened: bool,
    /// In which order files are read, where that is not the order of their paths.
    pub order: Order,
    /// Where what earlier runs made of files is kept.
    pub caching: Caching,
    /// A directory that nobody has seen: files below it are the same as those below another such.
    pub hidden: Option<PathBuf>,
}

/// What lies under the paths.
#[derive(Default)]
struct Found {
    inputs: Vec<Input>,
    headers: HeaderIndex,
    build: BuildFiles,
    unread: BTreeMap<String, usize>,
    skipped: Vec<Diagnostic>,
}

impl Found {
    /// # Errors
    /// A path is not there or cannot be read, or there is nothing to read at all.
    fn under(paths: &[PathBuf], reading: &Reading) -> anyhow::Result<Found> {
        let mut found = Found::default();
        for path in paths {
            collect(path, &reading.ignore, &mut found)?;
        }
        let Found { inputs, unread, .. } = &mut found;
        inputs
            .sort_by_cached_key(|input| (reading.order.position(&input.path), input.path.clone()));
        inputs.dedup_by(|a, b| a.path == b.path);
        if inputs.is_empty() {
            let others: Vec<String> = unread
                .iter()
                .map(|(ext, n)| format!("{n} .{ext}"))
                .collect();
            let found = if others.is_empty() {
                String::new()
            } else {
                format!(" (found {})", others.join(", "))
            };
            let paths: Vec<String> = paths.iter().map(|p| p.display().to_string()).collect();
            anyhow::bail!(
                "no C or Fortran source and no model under {}{found}; files are chosen by extension: \
                 .c .h .f .for .ftn .f77 .f90 .f95 .f03 .f08 .xml",
                paths.join(", ")
            );
        }
        Ok(found)
    }
}

/// The sources and models that [`read`] reads, in their order; what they include is not among them.
///
/// # Errors
/// As [`read`].
pub fn paths(paths: &[PathBuf], reading: &Reading) -> anyhow::Result<Vec<PathBuf>> {
    let found = Found::under(paths, reading)?;
    Ok(found.inputs.into_iter().map(|input| input.path).collect())
}

/// Reads one share of the sources under `paths` into a cache, and analyses nothing.
///
/// # Errors
/// As [`read`]. What cannot be kept the cache knows.
pub fn keep_share(
    paths: &[PathBuf],
    reading: &Reading,
    cached: (&Cache, Share),
    watch: &dyn Watch,
) -> anyhow::Result<ShareRead> {
    let found = Found::under(paths, reading)?;
    let sources = found.inputs.iter().filter(|i| i.kind != Kind::Model);
    let sources: Vec<&Input> = sources.collect();
    // What is wrong with flags the analysis says.
    let flags = flags_of(&sources, reading, &mut Vec::new())?;
    let read = (&found.headers, &reading.cpp);
    share::keep(&sources, &flags, read, cached, watch)
}

/// Reads and analyses everything under `paths`.
///
/// # Errors
/// A path is not there or cannot be read, is not a source or model, or there is nothing to read at all.
pub fn read(paths: &[PathBuf], reading: &Reading, watch: &dyn Watch) -> anyhow::Result<Program> {
    Ok(read_through(paths, reading, watch, |units, inputs| {
        let (program, used) = analysis::analyze_given(&units, inputs);
        (program, None, used)
    })?
    .0)
}

/// The same, with the statements of every function.
///
/// # Errors
/// As `read`.
pub fn read_with_bodies(
    paths: &[PathBuf],
    reading: &Reading,
    watch: &dyn Watch,
) -> anyhow::Result<(Program, Bodies)> {
    read_through(paths, reading, watch, |units, inputs| {
        let (program, statements, used) = analysis::analyze_given_with_statements(units, inputs);
        (program, Some(statements), used)
    })
}

/// Units to facts, and their statements if they are asked for.
type Analysis = fn(Vec<Unit>, &Inputs) -> (Program, Option<Statements>, Used);

fn read_through(
    paths: &[PathBuf],
    reading: &Reading,
    watch: &dyn Watch,
    analyze: Analysis,
) -> anyhow::Result<(Program, Bodies)> {
    let Found {
        inputs,
        headers,
        build,
        unread,
        mut skipped,
    } = Found::under(paths, reading)?;
    let mut program = Program::default();
    for input in inputs.iter().filter(|i| i.kind == Kind::Model) {
        let text =
            files::read_text(&input.path).with_context(|| format!("cannot read {}", input.name))?;
        append(&mut program, xml::read(&text, &input.name)?);
    }
    analysis::guesses::complete(&mut program);
    let sources: Vec<&Input> = inputs.iter().filter(|i| i.kind != Kind::Model).collect();
    let flags = flags_of(&sources, reading, &mut skipped)?;
    let cache = (&reading.caching, reading.hidden.as_deref());
    let read = (&headers, &reading.cpp);
    let mut units = lowered::units(&sources, &flags, read, cache, watch)?;
    for (unit, source) in units.iter_mut().zip(&sources) {
        unit.is_built = build.name(&source.path);
    }
    if reading.blas {
        units.extend(lower::blas::missing(&units));
    }
    let input = match reading.follows_opened {
        true => &RunInput::opened(&opened::inputs_in(paths, &units)),
        false => &reading.input,
    };
    let (mut analysed, statements, used) = analyze(units, &input.inputs());
    skipped.extend(input.remarks(&used));
    let compiled: HashMap<&str, Optimisation> = (sources.iter().zip(&flags))
        .map(|(source, flags)| (&*source.name, flags.optimisation))
        .collect();
    for function in &mut analysed.functions {
        if let Some(with) = compiled.get(&*function.file) {
            analysis::compiled::compile(&mut function.body, *with);
        }
    }
    // Nothing says who calls what, and whether several cores do, where there is no main program.
    if !analysed.functions.iter().any(|function| function.is_entry) {
        let files = analysed.files.iter_mut();
        files.for_each(|file| file.is_parallel = None);
    }
    // Before any function is left out: what is guessed does not depend on that.
    analysis::guesses::complete(&mut analysed);
    let mut positions = 0..;
    let mut kept = vec![None; program.functions.len()];
    analysed.functions.retain(|function| {
        let position = positions.next();
        let is_kept = reading
            .function
            .as_ref()
            .is_none_or(|pattern| pattern.is_match(&function.name));
        kept.extend(is_kept.then_some(position));
        is_kept
    });
    if reading.function.is_some() {
        analysed.is_part = true;
        analysed.begin_with(&[]);
    }
    append(&mut program, Program { unread, ..analysed });
    if let Some(file) = program.files.first_mut() {
        file.diagnostics.extend(skipped);
    }
    Ok((program, Bodies::new(statements, kept)))
}

fn append(program: &mut Program, other: Program) {
    let Program {
        files,
        functions,
        is_part,
        places,
        unmentioned,
        unread,
    } = other;
    program.is_part |= is_part;
    program.files.extend(files);
    program.places.extend(places);
    program.functions.extend(functions);
    for (name, of) in unmentioned {
        program.unmentioned.entry(name).or_default().extend(of);
    }
    for (extension, count) in unread {
        *program.unread.entry(extension).or_insert(0) += count;
    }
}

/// Extensions of languages that are named in the report as not read.
const NOT_READ: [&str; 10] = [
    "cc", "cpp", "cxx", "C", "hh", "hpp", "hxx", "cu", "cuh", "f2py",
];

fn collect(path: &Path, ignore: &[Gitignore], found: &mut Found) -> anyhow::Result<()> {
    let Found {
        inputs,
        headers,
        build,
        unread,
        skipped,
    } = found;
    let metadata =
        std::fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?;
    if metadata.is_file() {
        let Some(kind) = kind(path) else {
            anyhow::bail!(
                "{} is neither C or Fortran source nor a model: its extension is none of \
                 .c .h .f .for .ftn .f77 .f90 .f95 .f03 .f08 .xml",
                path.display()
            );
        };
        inputs.push(Input {
            path: path.to_path_buf(),
            name: name(path),
            kind,
            is_named: true,
        });
        return Ok(());
    }
    anyhow::ensure!(
        metadata.is_dir(),
        "{} is neither a file nor a directory; devices, pipes and sockets are not read",
        path.display()
    );
    std::fs::read_dir(path)
        .with_context(|| format!("cannot read the directory {}", path.display()))?;
    let (root, whole, ignore) = (path.to_path_buf(), path.canonicalize()?, ignore.to_vec());
    let is_wanted = move |entry: &ignore::DirEntry| {
        let is_directory = entry.file_type().is_some_and(|kind| kind.is_dir());
        let path =
            (entry.path().strip_prefix(&root)).map_or(whole.clone(), |path| whole.join(path));
        let is_ignored = |patterns: &Gitignore| {
            path.starts_with(patterns.path()) && patterns.matched(&path, is_directory).is_ignore()
        };
        entry.depth() == 0 || !ignore.iter().any(is_ignored)
    };
    let (root, first, mut has_links) = (path, inputs.len(), false);
    for entry in ignore::WalkBuilder::new(path)
        .sort_by_file_path(Path::cmp)
        .filter_entry(is_wanted)
        .follow_links(true)
        .build()
    {
        let entry = match entry {
            Ok(entry) => entry,
            // A link to a directory around it: what is there is read anyway.
            Err(error) if is_circle(&error) => continue,
            Err(error) => {
                skipped.push(skip(
                    path,
                    format!("cannot read a part of this directory: {error}"),
                ));
                continue;
            }
        };
        has_links |= entry.path_is_symlink();
        if !entry.file_type().is_some_and(|t| t.is_file()) {
            continue;
        }
        let path = entry.path();
        build.add(path);
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
        headers.add(path);
        match kind(path) {
            // A model lies beside many sources by chance; it is read only where it is named.
            Some(Kind::Model) => {}
            Some(kind) => inputs.push(Input {
                path: path.to_path_buf(),
                name: name(path),
                kind,
                is_named: false,
            }),
            None => {
                if NOT_READ.contains(&extension) {
                    *unread.entry(extension.to_string()).or_insert(0) += 1;
                }
            }
        }
    }
    if has_links {
        let found = inputs.split_off(first);
        inputs.extend(each_once(found, root)?);
    }
    Ok(())
}

fn is_circle(error: &ignore::Error) -> bool {
    match error {
        ignore::Error::Loop { .. } => true,
        ignore::Error::WithPath { err, .. }
        | ignore::Error::WithDepth { err, .. }
        | ignore::Error::WithLineNumber { err, .. } => is_circle(err),
        _ => false,
    }
}

/// The files under a directory without those that links lead to a second time; a file's own path counts before others.
fn each_once(inputs: Vec<Input>, root: &Path) -> anyhow::Result<Vec<Input>> {
    let whole = root.canonicalize()?;
    let own = |input: &Input| {
        let file = input.path.canonicalize().unwrap_or_default();
        let path = input.path.strip_prefix(root);
        let is_linked = path.map_or(true, |path| whole.join(path) != file);
        (is_linked, file)
    };
    let mut inputs: Vec<((bool, PathBuf), Input)> = (inputs.into_iter())
        .map(|input| (own(&input), input))
        .collect();
    inputs.sort_by_key(|((is_linked, _), _)| *is_linked);
    let mut seen = HashSet::new();
    inputs.retain(|((_, file), _)| seen.insert(file.clone()));
    Ok(inputs.into_iter().map(|(_, input)| input).collect())
}

fn skip(path: &Path, message: String) -> Diagnostic {
    let place = Place {
        file: name(path),
        line: 1,
        column: 1,
    };
    Diagnostic {
        severity: Severity::Warning,
        code: DiagnosticCode::NotRead,
        place,
        width: 1,
        message,
        help: None,
    }
}

fn kind(path: &Path) -> Option<Kind> {
    if path.extension().is_some_and(|e| e == "xml") {
        return Some(Kind::Model);
    }
    let (language, form, preprocessed) = source::classify(path)?;
    Some(Kind::Source {
        language,
        form,
        preprocessed,
    })
}

/// The flags of every input: its own from `compile_commands.json`, then those of the command line.
fn flags_of<'i>(
    inputs: &[&'i Input],
    reading: &Reading,
    skipped: &mut Vec<Diagnostic>,
) -> anyhow::Result<Vec<Flags>> {
    let mut databases = Databases::open(reading.database.as_deref())?;
    let mut not_heeded: BTreeMap<String, Vec<&Input>> = BTreeMap::new();
    let mut flags = |input: &&'i Input| {
        let mut flags = databases.flags(&input.path).unwrap_or_default();
        for (directory, words) in &reading.flags {
            flags.read(words, directory);
        }
        flags.include.splice(0..0, reading.include.iter().cloned());
        reading.define.iter().for_each(|text| flags.define(text));
        reading
            .undefine
            .iter()
            .for_each(|name| flags.undefine(name));
        for (_, flag) in (flags.not_heeded.iter()).filter(|(language, _)| input.is_in(*language)) {
            not_heeded.entry(flag.clone()).or_default().push(input);
        }
        flags
    };
    let flags = inputs.iter().map(&mut flags).collect();
    skipped.extend(not_heeded.iter().map(|(flag, files)| unheeded(flag, files)));
    for (path, why) in databases.unreadable {
        skipped.push(skip(&path, format!("not used: {why}")));
    }
    Ok(flags)
}

/// The remark about a flag that changes figures in a way that is not known.
fn unheeded(flag: &str, files: &[&Input]) -> Diagnostic {
    let files_have = match files.len() {
        1 => "1 file is".to_string(),
        more => format!("{more} files are"),
    };
    Diagnostic {
        severity: Severity::Warning,
        code: DiagnosticCode::FlagNotHeeded,
        place: Place {
            file: files[0].name.clone(),
            line: 1,
            column: 1,
        },
        width: 1,
        message: format!(
            "{files_have} compiled with `{flag}`, which changes sizes of types, where members lie or which columns count: \
             figures are as without it"
        ),
        help: None,
    }
}
