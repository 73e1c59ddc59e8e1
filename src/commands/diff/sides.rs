//! One side while it is analysed: its program, and what a cache has of it. Figures that were computed before of the same
//! program, with the same options, are read.

use std::cell::OnceCell;
use std::path::PathBuf;

use anyhow::Context;
use serde::{Deserialize, Serialize};

use super::trees::Tree;
use crate::analysis::facts::Program;
use crate::commands::Voice;
use crate::commands::progress::FileBar;
use crate::commands::project::Project;
use crate::diff::{Function, Side};
use crate::model::parameters::{Kind, Row};
use crate::model::{Detail, Model, Setting, SettingError};
use crate::reading::inputs::{self, Outlined};
use crate::reading::{Outline, Packed, Shelf};
use crate::report::StaticReport;

/// A side that was read.
pub struct Analysed<'t> {
    pub tree: &'t Tree,
    pub project: Project,
    pub outline: Outline,
    /// Filled where it is needed.
    program: OnceCell<Program>,
    shelf: Option<Shelf>,
    /// Where execution starts, as far as it exists.
    entries: Vec<String>,
}

/// A size that nothing gives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Guess {
    pub name: String,
    pub value: f64,
    /// Those that know it.
    pub functions: Vec<String>,
}

/// The figures of a side with some settings, as far as they have been needed.
pub struct Figures<'p> {
    pub guesses: Vec<Guess>,
    /// Settings that name nothing in it.
    pub unknown: Vec<UnknownSetting>,
    settings: Vec<Setting>,
    found: Found<'p>,
}

enum Found<'p> {
    Model(Box<Model<'p>>),
    /// Without its name.
    Side(Box<Side>),
    /// Only what is beside it was needed before.
    Nothing,
}

/// Figures as a cache has them.
#[derive(Serialize, Deserialize)]
struct Entry {
    guesses: Vec<Guess>,
    unknown: Vec<UnknownSetting>,
    side: Option<Packed>,
}

/// A setting that names nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UnknownSetting {
    pub name: String,
    constant_of: Vec<String>,
    near: Vec<String>,
    roots: Vec<String>,
}

impl<'t> Analysed<'t> {
    /// Reads a side.
    ///
    /// # Errors
    /// As `analyze`.
    pub fn read(
        tree: &'t Tree,
        mut project: Project,
        voice: Voice,
    ) -> anyhow::Result<Analysed<'t>> {
        let of_tree = || tree.name.clone();
        let there = there(tree);
        let read = match there.is_empty() {
            true => Outlined::of(Program::default()),
            false => inputs::read_outline(&there, &project.reading, &FileBar::new(voice))
                .with_context(of_tree)?,
        };
        project.fit_machine(read.outline.is_serial);
        let names = read.outline.functions.iter().map(String::as_str);
        let entries = project.entries(names).with_context(of_tree)?;
        let program = OnceCell::new();
        if let Some(read) = read.program {
            let _ = program.set(begun(read, &entries));
        }
        Ok(Analysed {
            tree,
            project,
            outline: read.outline,
            program,
            shelf: read.shelf,
            entries,
        })
    }

    /// All of the program.
    fn program(&self) -> anyhow::Result<&Program> {
        if let Some(program) = self.program.get() {
            return Ok(program);
        }
        let program = inputs::read(
            &there(self.tree),
            &self.project.reading,
            &FileBar::new(Voice::silent()),
        )?;
        Ok(self.program.get_or_init(|| begun(program, &self.entries)))
    }

    /// Its figures with these settings.
    ///
    /// # Errors
    /// A setting has a value that its parameter cannot have, or the side cannot be read again.
    pub fn figures(&self, settings: &[Setting]) -> anyhow::Result<Figures<'_>> {
        if let Some(kept) = self.recall(settings) {
            return Ok(kept);
        }
        let figures = self.computed(settings)?;
        self.keep(&figures, None);
        Ok(figures)
    }

    fn computed(&self, settings: &[Setting]) -> anyhow::Result<Figures<'_>> {
        let mut known = settings.to_vec();
        let mut unknown = Vec::new();
        let model = loop {
            let machine = self.project.machine.clone();
            match Model::with(self.program()?, machine, &known, Detail::Values) {
                Ok(model) => break model,
                Err(SettingError::Unknown {
                    name,
                    constant_of,
                    near,
                    roots,
                }) => {
                    known.retain(|setting| setting.name != name);
                    unknown.push(UnknownSetting {
                        name,
                        constant_of,
                        near,
                        roots,
                    });
                }
                Err(error) => return Err(error.into()),
            }
        };
        unknown.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Figures {
            guesses: guesses(&model),
            unknown,
            settings: settings.to_vec(),
            found: Found::Model(Box::new(model)),
        })
    }

    /// What is compared.
    ///
    /// # Errors
    /// The side cannot be read again.
    pub fn side(&self, figures: Figures) -> anyhow::Result<Side> {
        let side = match &figures.found {
            Found::Side(side) => Side::clone(side),
            Found::Model(model) => {
                let report = StaticReport::with_functions(model, None, Function::from);
                let side = Side::of(report, "", &self.tree.place());
                self.keep(&figures, Some(&side));
                side
            }
            Found::Nothing => return self.side(self.computed(&figures.settings)?),
        };
        Ok(Side {
            name: self.tree.name.clone(),
            ..side
        })
    }

    /// All that figures depend on beside the program.
    fn options(&self, settings: &[Setting]) -> String {
        let (machine, entries, place) = (&self.project.machine, &self.entries, self.tree.place());
        format!("diff {machine:?} {settings:?} {entries:?} {place:?}")
    }

    fn recall(&self, settings: &[Setting]) -> Option<Figures<'_>> {
        let shelf = self.shelf.as_ref()?;
        let bytes = shelf.load(&self.outline, &self.options(settings))?;
        let entry: Entry = postcard::from_bytes(&bytes).ok()?;
        let found = match entry.side {
            Some(Packed(side)) => Found::Side(Box::new(Side::from_bytes(&side)?)),
            None => Found::Nothing,
        };
        Some(Figures {
            guesses: entry.guesses,
            unknown: entry.unknown,
            settings: settings.to_vec(),
            found,
        })
    }

    fn keep(&self, figures: &Figures, side: Option<&Side>) {
        let Some(shelf) = &self.shelf else {
            return;
        };
        let entry = Entry {
            guesses: figures.guesses.clone(),
            unknown: figures.unknown.clone(),
            side: side.and_then(Side::to_bytes).map(Packed),
        };
        if let Ok(bytes) = postcard::to_stdvec(&entry) {
            let options = self.options(&figures.settings);
            shelf.store(&self.outline, &options, &bytes);
            shelf.tidy();
        }
    }
}

impl From<UnknownSetting> for SettingError {
    fn from(setting: UnknownSetting) -> SettingError {
        let UnknownSetting {
            name,
            constant_of,
            near,
            roots,
        } = setting;
        SettingError::Unknown {
            name,
            constant_of,
            near,
            roots,
        }
    }
}

/// The paths of a tree that it has.
fn there(tree: &Tree) -> Vec<PathBuf> {
    let there = tree.paths.iter().filter(|path| !tree.absent.contains(path));
    there.cloned().collect()
}

fn begun(mut program: Program, entries: &[String]) -> Program {
    if !entries.is_empty() {
        program.begin_with(entries);
    }
    program
}

/// The sizes that nothing gives.
fn guesses(model: &Model) -> Vec<Guess> {
    let is_guess =
        |row: &&Row| row.kind == Kind::Problem && row.is_guessed() && row.definition.is_none();
    let rows = model.parameters.rows().iter().filter(is_guess);
    rows.map(|row| Guess {
        name: row.name.clone(),
        value: row.value,
        functions: row.functions.clone(),
    })
    .collect()
}
