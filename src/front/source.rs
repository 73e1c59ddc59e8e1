//! Source to reports.

use std::path::{Path, PathBuf};

use globset::Glob;

use super::Error;
use crate::analysis::facts::Program;
use crate::analysis::inputs::SetSize;
use crate::attempt::attempt;
use crate::checking::checked;
use crate::core_levels::of_machine;
use crate::cores;
use crate::machine::MachineModel;
use crate::model::{Detail, Model, Setting};
use crate::reading::{
    Bodies, Caching, Cpp, Order, Reading, RunInput, Unwatched, ignored, inputs, machine_file,
};
use crate::report::{StaticReport, ValidationReport};
use crate::validate::{self, MOST_ACCESSES, MOST_PROBED, Report, Settings};

/// How source is read, and what the figures are for. Each field is an option of `loopsheet analyze`; no `loopsheet.toml` is
/// read.
///
/// ```
/// let mut options = loopsheet::Options::default();
/// options.machine = Some("xeon-8380".to_string());
/// options.settings.push(("n".to_string(), "2000".to_string()));
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// A preset (`loopsheet machines` lists them) or the path of a machine file; `None` is the default preset, and one core of
    /// it for a program that does nothing in parallel.
    pub machine: Option<String>,
    /// Parameters by name: sizes of the source, machine parameters, probabilities.
    pub settings: Vec<(String, String)>,
    /// Where included files are looked for.
    pub include: Vec<PathBuf>,
    /// `NAME` or `NAME=VALUE`.
    pub define: Vec<String>,
    pub undefine: Vec<String>,
    /// Compiler flags of all sources, in words.
    pub flags: Vec<String>,
    /// Which sources are preprocessed, and by what.
    pub cpp: Cpp,
    /// Leave calls of the BLAS unknown where the sources have no bodies for them.
    pub no_blas: bool,
    /// Patterns of files to leave out, as in `.gitignore`.
    pub ignore: Vec<String>,
    /// List only functions whose name matches the pattern; figures are those of the whole program.
    pub function: Option<String>,
    /// Procedures that a run begins with; without any it is the main program.
    pub entry: Vec<String>,
    /// What a run of the program reads: namelists, lines of `key = value`.
    pub input: Vec<PathBuf>,
    /// Do not check the costliest nests by running them with small sizes.
    pub no_check: bool,
}

/// What `loopsheet analyze` finds in source files, directories and models in XML.
///
/// Remarks about what could not be read are in [`StaticReport::files`]; figures that are not known are unknown
/// ([`crate::report::Figure`]), never zero.
///
/// ```
/// let mut options = loopsheet::Options::default();
/// options.settings.push(("n".to_string(), "512".to_string()));
/// let report = loopsheet::analyze(&["samples/kernels/matmul.c"], &options)?;
/// let nest = &report.functions[0].nests[0];
/// assert_eq!(nest.iterations.known(), Some(512.0 * 512.0 * 512.0));
/// # Ok::<(), loopsheet::Error>(())
/// ```
///
/// # Errors
/// A path cannot be read or is no source, there is no such machine, or a setting names nothing.
pub fn analyze<P: AsRef<Path>>(paths: &[P], options: &Options) -> Result<StaticReport, Error> {
    with_model(paths, options, |model, _| {
        let swept = model.for_sensitivity();
        Ok(StaticReport::with_functions(
            model,
            Some(&swept),
            |function| function,
        ))
    })
}

/// The workbook of `loopsheet analyze -o report.xlsx`, as the bytes of the file.
///
/// # Errors
/// As those of [`analyze`], or the program has more nests than a workbook has room for.
#[cfg(feature = "xlsx")]
pub fn workbook<P: AsRef<Path>>(paths: &[P], options: &Options) -> Result<Vec<u8>, Error> {
    use crate::export::xlsx;
    with_model(paths, options, |model, _| {
        Ok(xlsx::workbook(&model.for_any_machine(xlsx::ROOM))?)
    })
}

/// The page of `loopsheet analyze --html`, whose estimates follow its inputs.
///
/// # Errors
/// As those of [`analyze`].
#[cfg(feature = "html")]
pub fn page<P: AsRef<Path>>(paths: &[P], options: &Options) -> Result<String, Error> {
    use crate::export::html;
    let source_text = |path: &str| {
        let text = crate::reading::files::read(Path::new(path)).ok();
        text.map(crate::reading::files::decode)
    };
    with_detail(paths, options, Detail::Formulas, |model, _| {
        Ok(html::report(model, &source_text))
    })
}

/// The model's traffic beside what the caches of the machine move when nests are run literally (`loopsheet validate`).
///
/// # Errors
/// As those of [`analyze`], or the machine's caches are not a hierarchy.
pub fn validate<P: AsRef<Path>>(paths: &[P], options: &Options) -> Result<ValidationReport, Error> {
    // The check of every analysis is a short validation.
    let options = &Options {
        no_check: true,
        ..options.clone()
    };
    with_model(paths, options, |model, bodies| {
        let settings = Settings {
            levels: of_machine(&model.machine)?,
            most_accesses: MOST_ACCESSES,
            most_probed: MOST_PROBED,
            gap: 0,
            others: Vec::new(),
            whole: false,
        };
        let bodies = bodies.all();
        let cases = (0..model.nests.len()).map(|nest| {
            let body = bodies[model.nests[nest].nest.function].as_ref();
            validate::nest(model, nest, body, &settings)
        });
        Ok(ValidationReport::of(&Report::of(cases.collect())))
    })
}

/// What is made of a model and the statements of its functions.
type Made<'m, T> = &'m dyn Fn(&Model, &Bodies) -> anyhow::Result<T>;

fn with_model<P: AsRef<Path>, T>(
    paths: &[P],
    options: &Options,
    make: impl Fn(&Model, &Bodies) -> anyhow::Result<T>,
) -> Result<T, Error> {
    with_detail(paths, options, Detail::Values, make)
}

fn with_detail<P: AsRef<Path>, T>(
    paths: &[P],
    options: &Options,
    detail: Detail,
    make: impl Fn(&Model, &Bodies) -> anyhow::Result<T>,
) -> Result<T, Error> {
    let paths: Vec<PathBuf> = paths
        .iter()
        .map(|path| path.as_ref().to_path_buf())
        .collect();
    // What stops the analysis by a defect is an error like any other.
    let made = attempt(|| build(&paths, options, detail, &make));
    Ok(made.unwrap_or_else(|defect| Err(anyhow::anyhow!("a defect of loopsheet: {defect}")))?)
}

fn build<T>(
    paths: &[PathBuf],
    options: &Options,
    detail: Detail,
    make: Made<T>,
) -> anyhow::Result<T> {
    let settings: Vec<Setting> = (options.settings.iter())
        .map(|(name, value)| Setting::new(name.as_str(), value.as_str()))
        .collect();
    let machine = machine_file::load_or_default(options.machine.as_deref())?;
    let of_source = (settings.iter()).filter(|set| machine.parameter(&set.name).is_none());
    let sizes = of_source.map(|set| SetSize::new(&set.name, &set.value, set.origin));
    let reading = Reading {
        sizes: sizes.collect(),
        ..reading(options)?
    };
    let (mut program, bodies) = inputs::read_with_bodies(paths, &reading, &Unwatched)?;
    begin(&mut program, options)?;
    let machine = fit(machine, &program, options);
    let mut model = Model::with(&program, machine, &settings, detail)?;
    if !options.no_check {
        model.mark(checked(&model, &bodies)?);
    }
    make(&model, &bodies)
}

fn reading(options: &Options) -> anyhow::Result<Reading> {
    let pattern = options.function.as_deref().map(Glob::new).transpose()?;
    Ok(Reading {
        include: options.include.clone(),
        define: options.define.clone(),
        undefine: options.undefine.clone(),
        flags: vec![(PathBuf::new(), options.flags.clone())],
        database: None,
        ignore: vec![ignored(Path::new(""), &options.ignore)?],
        cpp: options.cpp.clone(),
        blas: !options.no_blas,
        function: pattern.map(|pattern| pattern.compile_matcher()),
        follows_opened: options.input.is_empty(),
        input: RunInput::read(&options.input)?,
        sizes: Vec::new(),
        order: Order::default(),
        caching: Caching::Off,
        hidden: None,
        stands_for: None,
    })
}

/// Lets runs of the program begin where the options say.
fn begin(program: &mut Program, options: &Options) -> anyhow::Result<()> {
    let is_named = |entry: &&String| {
        let mut names = program.functions.iter().map(|function| &function.name);
        names.any(|name| name.eq_ignore_ascii_case(entry))
    };
    let missing = options.entry.iter().find(|entry| !is_named(entry));
    anyhow::ensure!(
        missing.is_none(),
        "no procedure has the name {}",
        missing.map_or("", String::as_str)
    );
    if !options.entry.is_empty() {
        program.begin_with(&options.entry);
    }
    Ok(())
}

/// The machine that the program can use.
fn fit(machine: MachineModel, program: &Program, options: &Options) -> MachineModel {
    let names = options.settings.iter().map(|(name, _)| name.as_str());
    cores::fit(machine, cores::is_serial(program), names)
}
