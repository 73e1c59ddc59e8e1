//! Paths to programs: which files are read, in which order, and how each becomes facts.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use anyhow::Context;
use globset::GlobMatcher;
use ignore::gitignore::Gitignore;

use super::bodies::Bodies;
use super::build_files::BuildFiles;
use super::cache::{Cache, Caching};
use super::files::name;
use super::gathered::{Gathered, flags_of};
use super::headers::HeaderIndex;
use super::input::{Input, Kind};
use super::lowered::Units;
use super::opened::Opened;
use super::order::Order;
use super::outline::{Outline, Shelf};
use super::preprocess::Cpp;
use super::run_input::RunInput;
use super::share::{self, Share, ShareRead};
use super::watch::Watch;
use crate::analysis::facts::Program;
use crate::analysis::inputs::{Inputs, SetSize, Used};
use crate::analysis::{self, Statements};
use crate::diagnostic::{Diagnostic, DiagnosticCode, Place, Severity};
use crate::ir::Unit;
use crate::source;

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
    /// Sizes that are set in place of what the program gives its variables.
    pub sizes: Vec<SetSize>,
    /// Whether files that the program opens by name are its input.
    pub follows_opened: bool,
    /// In which order files are read, where that is not the order of their paths.
    pub order: Order,
    /// Where what earlier runs made of files is kept.
    pub caching: Caching,
    /// A directory that nobody has seen: files below it are the same as those below another such.
    pub hidden: Option<PathBuf>,
    /// The directory that the hidden one stands for: compile commands of files there are those of files here.
    pub stands_for: Option<PathBuf>,
}

/// What lies under the paths.
#[derive(Default)]
pub(super) struct Found {
    pub inputs: Vec<Input>,
    pub headers: HeaderIndex,
    pub build: BuildFiles,
    pub unread: BTreeMap<String, usize>,
    pub skipped: Vec<Diagnostic>,
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
    let found = Found::under(paths, reading)?;
    let gathered = Gathered::of(&found, reading)?;
    let units = gathered.units(watch)?;
    Ok(gathered.analysed(paths, units, without_statements)?.0)
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
    let found = Found::under(paths, reading)?;
    let gathered = Gathered::of(&found, reading)?;
    let units = gathered.units(watch)?;
    let (program, bodies, _) = gathered.analysed(paths, units, |units, inputs| {
        let (program, statements, used) = analysis::analyze_given_with_statements(units, inputs);
        (program, Some(statements), used)
    })?;
    Ok((program, bodies))
}

/// A program, or what a cache has of it.
pub struct Outlined {
    pub outline: Outline,
    /// `None` where the cache has the outline.
    pub program: Option<Program>,
    /// The place for what is made of it, if there is a cache for so much source.
    pub shelf: Option<Shelf>,
}

/// Reads everything under `paths`, and analyses it unless the outline is known of the same.
///
/// # Errors
/// As [`read`].
pub fn read_outline(
    paths: &[PathBuf],
    reading: &Reading,
    watch: &dyn Watch,
) -> anyhow::Result<Outlined> {
    let found = Found::under(paths, reading)?;
    let gathered = Gathered::of(&found, reading)?;
    let (units, shelf) = match gathered.units_unless_known(paths, watch)? {
        Units::Lowered(units, shelf) => (units, shelf),
        Units::Recalled(outline, shelf) => {
            return Ok(Outlined {
                outline,
                program: None,
                shelf: Some(shelf),
            });
        }
    };
    let (program, _, opened) = gathered.analysed(paths, units, without_statements)?;
    let outline = Outline::of(&program, opened);
    if let Some(shelf) = &shelf {
        shelf.keep_outline(&outline);
    }
    Ok(Outlined {
        outline,
        program: Some(program),
        shelf,
    })
}

fn without_statements(units: Vec<Unit>, inputs: &Inputs) -> (Program, Option<Statements>, Used) {
    let (program, used) = analysis::analyze_given(units, inputs);
    (program, None, used)
}

impl Outlined {
    /// Of a program that nothing was kept of.
    pub fn of(program: Program) -> Outlined {
        Outlined {
            outline: Outline::of(&program, Opened::default()),
            program: Some(program),
            shelf: None,
        }
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
            let given = [path.to_path_buf()];
            let input = RunInput::read(&given);
            let hint = match input.is_ok_and(|input| input.has_settings()) {
                true => "; if a run of the program reads it, write --input before it",
                false => "",
            };
            anyhow::bail!(
                "{} is neither C or Fortran source nor a model: its extension is none of \
                 .c .h .f .for .ftn .f77 .f90 .f95 .f03 .f08 .xml{hint}",
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

pub(super) fn skip(path: &Path, message: String) -> Diagnostic {
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

/// Whether a file is read for what its name says it is, or would be where it is named.
pub(super) fn is_read(path: &Path) -> bool {
    kind(path).is_some()
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
