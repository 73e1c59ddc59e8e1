//! Shards of sources: read once, then a model for every machine and every setting.

mod axes;
mod rows;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::Context;
use clap::Parser;

use self::rows::{Marks, add_rows, guesses};
use crate::analysis::coverage::coverage;
use crate::analysis::facts::Program;
use crate::checking::checked;
use crate::cli::{Cli, Command, SourceArgs};
use crate::commands::Voice;
use crate::commands::progress::FileBar;
use crate::commands::project::Project;
use crate::cores;
use crate::diagnostic::{DiagnosticCode, Severity};
use crate::machine::MachineModel;
use crate::model::{Detail, Model, Setting};
use crate::reading::{Bodies, Reading, Watch, inputs, machine_file};
use crate::sweep::manifest::{NotRead, NotReadWhy, SourceWork};
use crate::sweep::ranges::plain as plain_number;
use crate::sweep::row::Row;

/// Remarks on what figures are without.
const WITHOUT: [DiagnosticCode; 4] = [
    DiagnosticCode::NotRead,
    DiagnosticCode::IncludeNotFound,
    DiagnosticCode::IncludeDepth,
    DiagnosticCode::IncludeLimit,
];

/// A source that was read.
pub struct Source {
    name: String,
    project: Project,
    /// The project's, however much of it the program uses.
    whole_machine: MachineModel,
    program: Program,
    /// What the check of its nests runs.
    bodies: Bodies,
}

impl Source {
    /// Reads a source as `loopsheet analyze` does that is given nothing else, for a look at its parameters. What variables
    /// of the names in `set` are made into follows from them.
    ///
    /// # Errors
    /// It cannot be read, or there is no function in it.
    pub fn read(name: &str, set: &[String], voice: Voice) -> anyhow::Result<Source> {
        Source::read_by(name, (set, voice), |paths, reading, watch| {
            Ok((inputs::read(paths, reading, watch)?, Bodies::default()))
        })
    }

    /// The same with what the check of its nests runs, for rows.
    ///
    /// # Errors
    /// As for [`Source::read`].
    pub fn read_whole(name: &str, set: &[String], voice: Voice) -> anyhow::Result<Source> {
        Source::read_by(name, (set, voice), inputs::read_with_bodies)
    }

    fn read_by(
        name: &str,
        (set, voice): (&[String], Voice),
        read: impl Fn(&[PathBuf], &Reading, &dyn Watch) -> anyhow::Result<(Program, Bodies)>,
    ) -> anyhow::Result<Source> {
        let paths = [PathBuf::from(name)];
        let mut project = Project::of(None, &plain(name)?, &paths, voice)?;
        project.leave_open(set);
        let (mut program, bodies) = read(&paths, &project.reading, &FileBar::new(voice))?;
        let whole_machine = project.machine.clone();
        project.begin(&mut program)?;
        anyhow::ensure!(
            !program.functions.is_empty(),
            "nothing could be analysed: no function could be read"
        );
        Ok(Source {
            name: name.to_string(),
            project,
            whole_machine,
            program,
            bodies,
        })
    }

    /// The rows of all models, program by program, the nests behind each.
    ///
    /// # Errors
    /// There is no such machine, or a setting names nothing or is out of range.
    pub fn rows(
        &mut self,
        work: &SourceWork,
        settings: &[String],
        voice: Voice,
    ) -> anyhow::Result<Vec<Row>> {
        let not_read = self.not_read();
        let of_file = self.project.settings.clone();
        let mut machine: Option<(&Option<String>, MachineModel)> = None;
        let mut rows = Vec::new();
        let mut guessed: Option<Vec<BTreeSet<String>>> = None;
        for model in &work.models {
            let known = machine.take().filter(|(name, _)| *name == &model.machine);
            let (name, values) = match known {
                Some(known) => known,
                None => (
                    &model.machine,
                    self.machine(model.machine.as_deref(), settings)?,
                ),
            };
            let typed = settings.iter().zip(&model.values);
            let typed = typed.map(|(name, value)| Setting::new(name, plain_number(*value)));
            let is_of_file = |setting: &&Setting| !settings.contains(&setting.name);
            self.project.settings = of_file.iter().filter(is_of_file).cloned().collect();
            self.project.settings.extend(typed);
            let built = self.project.build(voice, |settings| {
                Model::with(&self.program, values.clone(), settings, Detail::Least)
            });
            let mut built = built?.0;
            built.mark(checked(&built, &self.bodies)?);
            // What is guessed does not follow from what the others are set to.
            let guessed = guessed.get_or_insert_with(|| guesses(&built));
            let marks = Marks {
                guessed,
                not_read: &not_read,
            };
            add_rows(&self.name, model, (&built, marks), &mut rows);
            machine = Some((name, values));
        }
        self.project.settings = of_file;
        Ok(rows)
    }

    /// Whether there is a loop in it, without which no time is known.
    pub fn has_loops(&self) -> bool {
        coverage(&self.program).loops > 0
    }

    /// What it is analysed without: places that are not read, and what is missing.
    pub fn not_read(&self) -> Vec<NotRead> {
        let remarks = self.program.files.iter().flat_map(|file| &file.diagnostics);
        let mut errors: BTreeMap<&str, usize> = BTreeMap::new();
        let mut missing: BTreeSet<(&str, &str)> = BTreeSet::new();
        for remark in remarks {
            let file: &str = &remark.place.file;
            if remark.severity == Severity::Error {
                *errors.entry(file).or_default() += 1;
            } else if WITHOUT.contains(&remark.code) {
                missing.insert((file, &remark.message));
            }
        }
        let errors = errors.into_iter();
        let errors = errors.map(|(file, count)| (file, NotReadWhy::Errors(count)));
        let missing = missing.into_iter();
        let missing = missing.map(|(file, what)| (file, NotReadWhy::Remark(what.to_string())));
        let all = errors.chain(missing).map(|(file, why)| NotRead {
            input: self.name.clone(),
            file: file.to_string(),
            why,
        });
        all.collect()
    }

    /// What the program uses of a machine, with settings of these names beside those of its file.
    fn machine(&self, name: Option<&str>, settings: &[String]) -> anyhow::Result<MachineModel> {
        let machine = match name {
            None => self.whole_machine.clone(),
            Some(name) => machine_file::load(name)?,
        };
        let of_file = (self.project.settings.iter()).map(|setting| setting.name.as_str());
        let names = of_file.chain(settings.iter().map(String::as_str));
        Ok(cores::fit(machine, cores::is_serial(&self.program), names))
    }
}

/// Paths of the sources that are there now.
///
/// # Errors
/// They cannot be read.
pub fn paths(name: &str) -> anyhow::Result<Vec<PathBuf>> {
    let paths = [PathBuf::from(name)];
    let project = Project::of(None, &plain(name)?, &paths, Voice::silent())?;
    inputs::paths(&paths, &project.reading)
}

/// The arguments of a command line that has nothing but the source.
fn plain(name: &str) -> anyhow::Result<SourceArgs> {
    let cli = Cli::try_parse_from(["loopsheet", "analyze", "--", name])?;
    match cli.command {
        Command::Analyze(args) => Ok(args.source),
        _ => None.context("analyze"),
    }
}
