//! Two trees of source, analysed with the same options.

use crate::commands::progress::FileBar;
use crate::reading::files;
use crate::reading::inputs;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::analysis::facts::{Origin, Program};
use crate::cli::{DiffArgs, SourceArgs};
use crate::commands::project::Project;
use crate::commands::{Voice, analyze, config, diagnostics, outputs};
use crate::diagnostic::Diagnostic;
use crate::diff::{Difference, Function, Limits, Place, Side, compare};
use crate::model::parameters::{Kind, Row};
use crate::model::{Detail, Model, Setting, SettingError};
use crate::reading::{Order, ignored};
use crate::report::StaticReport;

/// Source of one side.
pub struct Tree {
    /// What people call it.
    pub name: String,
    pub paths: Vec<PathBuf>,
    /// Those of its paths that only the other side has.
    pub absent: Vec<PathBuf>,
    /// Where its paths begin.
    pub root: PathBuf,
    /// Whether nobody has seen the root: files are named without it.
    pub is_hidden: bool,
    /// Where included files are looked for, if not where the command line says.
    pub include: Option<Vec<PathBuf>>,
}

impl Tree {
    /// What lies at a path.
    pub fn at(path: &Path) -> Tree {
        Tree {
            name: path.display().to_string(),
            paths: vec![path.to_path_buf()],
            absent: Vec::new(),
            root: path.to_path_buf(),
            is_hidden: false,
            include: None,
        }
    }

    fn place(&self) -> Place {
        let root = match &*files::name(&self.root) {
            "." => String::new(),
            root => root.to_string(),
        };
        match self.is_hidden {
            true => Place::Hidden(root),
            false => Place::Below(root),
        }
    }

    /// What it lacks of what was asked for.
    fn remarks(&self) -> impl Iterator<Item = String> {
        self.absent.iter().map(|path| {
            let below = path.strip_prefix(&self.root).unwrap_or(path);
            format!("{} has no {}", self.name, below.display())
        })
    }

    /// A file as people know it.
    fn shown(&self, file: &str) -> String {
        let below = Path::new(file).strip_prefix(&self.root);
        match below {
            Ok(below) if self.is_hidden => format!("{}:{}", self.name, below.display()),
            _ => file.to_string(),
        }
    }

    /// The text of a file that people know by this name.
    fn text(&self, shown: &str) -> Option<String> {
        let below = shown.strip_prefix(&format!("{}:", self.name));
        match below.filter(|_| self.is_hidden) {
            Some(below) => analyze::source_text(&self.root.join(below).to_string_lossy()),
            None => analyze::source_text(shown),
        }
    }
}

/// A side while it is analysed.
struct Analysed<'t> {
    tree: &'t Tree,
    project: Project,
    program: Program,
}

/// Analyses both and sets them side by side.
///
/// # Errors
/// As those of `analyze` on either side.
pub fn difference(args: &DiffArgs, trees: &[Tree; 2], voice: Voice) -> anyhow::Result<Difference> {
    let [old, new] = trees;
    let mut new_project = project(args, new, voice)?;
    let mut old_project = project(
        args,
        old,
        Voice {
            quiet: true,
            ..voice
        },
    )?;
    old_project.share(&new_project);
    let machine = new_project.machine.clone();
    let old_root = &old.root;
    let old = read(old, &mut old_project, voice)?;
    let earlier = old.files.iter().map(|file| Path::new(&*file.path));
    let earlier = earlier.map(|path| path.strip_prefix(old_root).unwrap_or(path).to_path_buf());
    new_project.reading.order = Order::new(&new.root, earlier.collect());
    let new = read(new, &mut new_project, voice)?;
    for program in [&old, &new] {
        let outputs = [&args.output, &args.json, &args.markdown, &args.sarif];
        outputs::spare_inputs(
            outputs.into_iter().flatten().map(PathBuf::as_path),
            program.files.iter().map(|file| Path::new(&*file.path)),
            "files to compare",
        )?;
    }
    anyhow::ensure!(
        !old.functions.is_empty() || !new.functions.is_empty(),
        "nothing could be analysed: no function could be read on either side"
    );
    // Of a machine that nobody chose, both sides have the same cores.
    if old_project.machine != new_project.machine {
        old_project.machine = machine.clone();
        new_project.machine = machine;
    }
    if !new_project.counts.is_empty() && !voice.quiet {
        eprintln!("loopsheet: the counts of loopsheet.toml are of one revision: they are left out");
    }
    let limits = Limits {
        thresholds: args.fail_above.clone(),
        budgets: new_project.budgets.clone(),
    };
    let sides = [
        Analysed {
            tree: &trees[0],
            project: old_project,
            program: old,
        },
        Analysed {
            tree: &trees[1],
            project: new_project,
            program: new,
        },
    ];
    let mut notes: Vec<String> = trees.iter().flat_map(Tree::remarks).collect();
    let (old, new) = models(&sides, &mut notes, voice)?;
    limits.fit(&new)?;
    let mut difference = compare(&old, &new, &limits);
    difference.notes.extend(notes);
    Ok(difference)
}

fn project(args: &DiffArgs, tree: &Tree, voice: Voice) -> anyhow::Result<Project> {
    let mut source: SourceArgs = args.source.clone();
    if let Some(include) = &tree.include {
        source.include.clone_from(include);
    }
    // What lies around a revision's files is not of the revision.
    if tree.is_hidden && source.config.is_none() && !source.no_config {
        source.config = config::find_below(Some(&tree.root), &tree.paths)?;
        source.no_config = source.config.is_none();
    }
    let mut project = Project::of(args.machine.as_deref(), &source, &tree.paths, voice)?;
    project.reading.hidden = tree.is_hidden.then(|| tree.root.clone());
    // Patterns are relative to either tree, not only to where the command runs.
    if tree.root.is_dir() {
        let patterns = ignored(&tree.root, &args.source.ignore)?;
        project.reading.ignore.push(patterns);
    }
    Ok(project)
}

fn read(tree: &Tree, project: &mut Project, voice: Voice) -> anyhow::Result<Program> {
    use anyhow::Context;
    let there = tree.paths.iter().filter(|path| !tree.absent.contains(path));
    let there: Vec<PathBuf> = there.cloned().collect();
    if there.is_empty() {
        return Ok(Program::default());
    }
    let mut program = inputs::read(&there, &project.reading, &FileBar::new(voice))
        .with_context(|| tree.name.clone())?;
    project
        .begin(&mut program)
        .with_context(|| tree.name.clone())?;
    let found = program.files.iter().flat_map(|file| &file.diagnostics);
    let found: Vec<Diagnostic> = found
        .map(|diagnostic| {
            let mut diagnostic = diagnostic.clone();
            diagnostic.place.file = tree.shown(&diagnostic.place.file).into();
            diagnostic
        })
        .collect();
    let found: Vec<&Diagnostic> = found.iter().collect();
    diagnostics::print(&found, voice, &|file| tree.text(file));
    Ok(program)
}

/// Both sides with the same values of what they have in common.
fn models(
    sides: &[Analysed; 2],
    notes: &mut Vec<String>,
    voice: Voice,
) -> anyhow::Result<(Side, Side)> {
    let mut settings = sides.each_ref().map(|side| side.project.settings.clone());
    let mut unknown = [BTreeMap::new(), BTreeMap::new()];
    let built = |number: usize, settings: &mut Vec<Setting>, unknown: &mut _| {
        build(&sides[number], settings, unknown)
    };
    let mut old = built(0, &mut settings[0], &mut unknown[0])?;
    let mut new = built(1, &mut settings[1], &mut unknown[1])?;
    remark_unknown(sides, unknown, notes, voice)?;
    let guesses = common_guesses(&old, &new);
    for (name, values) in &guesses {
        let common = values[0].max(values[1]);
        notes.push(format!(
            "{name} is guessed, as {} in {} and {} in {}: both sides are for {common}",
            values[0], sides[0].tree.name, values[1], sides[1].tree.name
        ));
        for settings in &mut settings {
            settings.push(Setting {
                name: name.clone(),
                value: common.to_string(),
                origin: Origin::Default,
            });
        }
    }
    if !guesses.is_empty() {
        old = built(0, &mut settings[0], &mut BTreeMap::new())?;
        new = built(1, &mut settings[1], &mut BTreeMap::new())?;
    }
    let side = |model: &Model, side: &Analysed| {
        let report = StaticReport::with_functions(model, None, Function::from);
        Side::of(report, &side.tree.name, &side.tree.place())
    };
    Ok((side(&old, &sides[0]), side(&new, &sides[1])))
}

/// The model with the settings that it knows; the others are taken out of them.
fn build<'p>(
    side: &'p Analysed,
    settings: &mut Vec<Setting>,
    unknown: &mut BTreeMap<String, SettingError>,
) -> anyhow::Result<Model<'p>> {
    loop {
        let machine = side.project.machine.clone();
        match Model::with(&side.program, machine, settings, Detail::Values) {
            Ok(model) => return Ok(model),
            Err(error @ SettingError::Unknown { .. }) => {
                let name = error.setting().to_string();
                settings.retain(|setting| setting.name != name);
                unknown.insert(name, error);
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// Says which settings one side has no parameter for, or both.
fn remark_unknown(
    sides: &[Analysed; 2],
    unknown: [BTreeMap<String, SettingError>; 2],
    notes: &mut Vec<String>,
    voice: Voice,
) -> anyhow::Result<()> {
    let [of_old, mut of_new] = unknown;
    let mut of_none = BTreeSet::new();
    let note = |name: &str, has: &Analysed, lacks: &Analysed| {
        let (has, lacks) = (&has.tree.name, &lacks.tree.name);
        format!(
            "{name} is set, and only {has} has a parameter of that name; in {lacks} nothing is set"
        )
    };
    for (name, error) in of_old {
        if of_new.remove(&name).is_none() {
            notes.push(note(&name, &sides[1], &sides[0]));
            continue;
        }
        let settings = sides[1].project.settings.iter();
        let is_typed = |set: &Setting| set.name == name && set.origin == Origin::Set;
        if settings.into_iter().any(is_typed) {
            return Err(error.into());
        }
        of_none.insert(name);
    }
    for name in of_new.keys() {
        notes.push(note(name, &sides[0], &sides[1]));
    }
    crate::commands::project::remark(&of_none, voice);
    Ok(())
}

/// Sizes that nothing gives on either side, and whose guesses differ. The larger one lets loops run on both.
fn common_guesses(old: &Model, new: &Model) -> BTreeMap<String, [f64; 2]> {
    let is_guess =
        |row: &&Row| row.kind == Kind::Problem && row.is_guessed() && row.definition.is_none();
    let before: BTreeMap<&str, &Row> = (old.parameters.rows().iter().filter(is_guess))
        .map(|row| (row.name.as_str(), row))
        .collect();
    let after = new.parameters.rows().iter().filter(is_guess);
    let both = after.filter_map(|row| {
        let old = *before.get(row.name.as_str())?;
        let mut own = old.functions.iter();
        // Another function may call something else so.
        let is_same = own.any(|name| row.functions.contains(name))
            || old.functions.is_empty() && row.functions.is_empty();
        (is_same && old.value != row.value).then(|| (row.name.clone(), [old.value, row.value]))
    });
    both.collect()
}
