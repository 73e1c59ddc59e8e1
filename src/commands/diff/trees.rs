//! Two trees of source, analysed with the same options.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::sides::{Analysed, Figures, Guess, UnknownSetting};
use crate::analysis::facts::Origin;
use crate::cli::{DiffArgs, SourceArgs};
use crate::commands::project::Project;
use crate::commands::{Voice, analyze, config, diagnostics, outputs, parameters};
use crate::diagnostic::Diagnostic;
use crate::diff::{Difference, Limits, Place, Side, compare};
use crate::machine::CoresUsed;
use crate::model::{Setting, SettingError};
use crate::reading::{Order, files, ignored};

/// Source of one side.
pub struct Tree {
    /// What people call it.
    pub name: String,
    pub paths: Vec<PathBuf>,
    /// Those of its paths that only the other side has.
    pub absent: Vec<PathBuf>,
    /// What of it is not read, and what is not its own.
    pub remarks: Vec<String>,
    /// Where its paths begin.
    pub root: PathBuf,
    /// Whether nobody has seen the root: files are named without it.
    pub is_hidden: bool,
    /// The directory that a hidden root stands for.
    pub stands_for: Option<PathBuf>,
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
            remarks: Vec::new(),
            root: path.to_path_buf(),
            is_hidden: false,
            stands_for: None,
            include: None,
        }
    }

    /// Where paths that are compared begin.
    pub fn place(&self) -> Place {
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
        let absent = self.absent.iter().map(|path| {
            let below = path.strip_prefix(&self.root).unwrap_or(path);
            format!("{} has no {}", self.name, below.display())
        });
        absent.chain(self.remarks.iter().cloned())
    }

    /// A file as people know it.
    fn shown(&self, file: &str) -> String {
        let below = Path::new(file).strip_prefix(&self.root);
        match below {
            Ok(below) if self.is_hidden => format!("{}:{}", self.name, below.display()),
            _ => file.to_string(),
        }
    }

    /// A message that names files as people know them.
    fn with_names(&self, message: &str) -> String {
        match self.is_hidden {
            true => message.replace(
                &format!("{}/", self.root.display()),
                &format!("{}:", self.name),
            ),
            false => message.to_string(),
        }
    }

    /// An error whose messages name files as people know them.
    fn named(&self, error: anyhow::Error) -> anyhow::Error {
        let messages = error
            .chain()
            .map(|cause| self.with_names(&cause.to_string()));
        let mut messages: Vec<String> = messages.collect();
        let first = messages.pop().map_or(error, anyhow::Error::msg);
        messages
            .into_iter()
            .rev()
            .fold(first, anyhow::Error::context)
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
    let mut old = read(old, old_project, voice)?;
    let earlier = old.outline.files.iter().map(|file| Path::new(&*file.path));
    let root = &old.tree.root;
    let earlier = earlier.map(|path| path.strip_prefix(root).unwrap_or(path).to_path_buf());
    new_project.reading.order = Order::new(&new.root, earlier.collect());
    let mut new = read(new, new_project, voice)?;
    for side in [&old, &new] {
        let outputs = [&args.output, &args.json, &args.markdown, &args.sarif];
        outputs::spare_inputs(
            outputs.into_iter().flatten().map(PathBuf::as_path),
            (side.outline.files.iter()).map(|file| Path::new(&*file.path)),
            "files to compare",
        )?;
    }
    anyhow::ensure!(
        [&old, &new]
            .iter()
            .any(|side| !side.outline.functions.is_empty()),
        "nothing could be analysed: no function could be read on either side"
    );
    let mut notes: Vec<String> = trees.iter().flat_map(Tree::remarks).collect();
    // Each side has the cores that `analyze` gives it; one without a function has those of the other.
    let is_empty = |side: &Analysed| side.outline.functions.is_empty();
    let is_serial = |side: &Analysed| side.project.machine.used == CoresUsed::One;
    match (is_empty(&old), is_empty(&new)) {
        (true, _) => old.project.machine = new.project.machine.clone(),
        (_, true) => new.project.machine = old.project.machine.clone(),
        _ if is_serial(&old) != is_serial(&new) => {
            let (parallel, serial) = match is_serial(&new) {
                false => (&new, &old),
                true => (&old, &new),
            };
            let cores = parallel.project.machine.get("cores");
            notes.push(format!(
                "{} runs on one core because nothing in it runs in parallel, {} on {}: --set machine.cores=1 gives both one",
                serial.tree.name,
                parallel.tree.name,
                cores.map_or_else(|| "several".to_string(), |cores| format!("all {cores}")),
            ));
        }
        _ => {}
    }
    if !new.project.counts.is_empty() && !voice.quiet {
        eprintln!(
            "loopsheet: the counts in loopsheet.toml belong to one revision: they are ignored"
        );
    }
    let limits = Limits {
        thresholds: args.fail_above.clone(),
        budgets: new.project.budgets.clone(),
    };
    let (old, new) = figures(&[old, new], &mut notes, voice)?;
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
    if let Some(path) = source
        .config
        .as_ref()
        .filter(|_| tree.is_hidden && !voice.quiet)
    {
        let shown = tree.shown(&path.to_string_lossy());
        eprintln!("loopsheet: using the settings of {shown}");
    }
    let quiet = Voice {
        quiet: voice.quiet || tree.is_hidden,
        ..voice
    };
    let mut project = Project::of(args.machine.as_deref(), &source, &tree.paths, quiet)
        .map_err(|error| tree.named(error))?;
    project.reading.hidden = tree.is_hidden.then(|| tree.root.clone());
    project.reading.stands_for.clone_from(&tree.stands_for);
    // Patterns are relative to either tree, not only to where the command runs.
    if tree.root.is_dir() {
        let patterns = ignored(&tree.root, &args.source.ignore)?;
        project.reading.ignore.push(patterns);
    }
    Ok(project)
}

/// Reads a side and prints the remarks about it.
fn read(tree: &Tree, project: Project, voice: Voice) -> anyhow::Result<Analysed<'_>> {
    let side = Analysed::read(tree, project, voice).map_err(|error| tree.named(error))?;
    let found = (side.outline.files.iter()).flat_map(|file| &file.diagnostics);
    let found: Vec<Diagnostic> = found
        .map(|diagnostic| {
            let mut diagnostic = diagnostic.clone();
            diagnostic.place.file = tree.shown(&diagnostic.place.file).into();
            diagnostic.message = tree.with_names(&diagnostic.message);
            diagnostic
        })
        .collect();
    let found: Vec<&Diagnostic> = found.iter().collect();
    diagnostics::print(&found, voice, &|file| tree.text(file));
    Ok(side)
}

/// Both sides with the same values of what they have in common.
fn figures<'s>(
    sides: &'s [Analysed; 2],
    notes: &mut Vec<String>,
    voice: Voice,
) -> anyhow::Result<(Side, Side)> {
    let settings = sides.each_ref().map(|side| &side.project.settings);
    let [mut old, mut new] = [
        sides[0].figures(settings[0])?,
        sides[1].figures(settings[1])?,
    ];
    let guesses = common_guesses(&old.guesses, &new.guesses);
    remark_unknown(sides, [&old.unknown, &new.unknown], notes, voice)?;
    let mut common = Vec::new();
    for (name, values) in &guesses {
        let value = values[0].max(values[1]);
        notes.push(format!(
            "{name} is guessed as {} in {} and {} in {}: both sides use {value}",
            values[0], sides[0].tree.name, values[1], sides[1].tree.name
        ));
        common.push(Setting {
            name: name.clone(),
            value: value.to_string(),
            origin: Origin::Default,
        });
    }
    if !common.is_empty() {
        let with_common = |side: &'s Analysed, figures: &Figures| {
            let is_known = |set: &&Setting| {
                figures
                    .unknown
                    .iter()
                    .all(|unknown| unknown.name != set.name)
            };
            let own = side.project.settings.iter().filter(is_known);
            let all: Vec<Setting> = own.chain(&common).cloned().collect();
            side.figures(&all)
        };
        (old, new) = (with_common(&sides[0], &old)?, with_common(&sides[1], &new)?);
    }
    let [old, new] = [sides[0].side(old)?, sides[1].side(new)?];
    for (side, settings) in [(&old, settings[0]), (&new, settings[1])] {
        let nests = side.functions.iter().flat_map(|function| &function.nests);
        let idle = nests.clone().filter(|nest| nest.is_idle()).count();
        let idle = parameters::idle_by_negative(settings, idle, nests.count());
        notes.extend(idle.map(|idle| format!("{}: {idle}", side.name)));
    }
    Ok((old, new))
}

/// Says which settings one side has no parameter for, or both.
fn remark_unknown(
    sides: &[Analysed; 2],
    [of_old, of_new]: [&[UnknownSetting]; 2],
    notes: &mut Vec<String>,
    voice: Voice,
) -> anyhow::Result<()> {
    let mut of_none = BTreeSet::new();
    let note = |name: &str, has: &Analysed, lacks: &Analysed| {
        let (has, lacks) = (&has.tree.name, &lacks.tree.name);
        format!(
            "{name} is set, but only {has} has a parameter of that name; in {lacks} nothing is set"
        )
    };
    let is_in = |unknown: &[UnknownSetting], name: &str| unknown.iter().any(|own| own.name == name);
    for unknown in of_old {
        let name = &unknown.name;
        if !is_in(of_new, name) {
            notes.push(note(name, &sides[1], &sides[0]));
            continue;
        }
        let mut settings = sides[1].project.settings.iter();
        if settings.any(|set| set.name == *name && set.origin == Origin::Set) {
            return Err(SettingError::from(unknown.clone()).into());
        }
        of_none.insert(name.clone());
    }
    let only_new = of_new
        .iter()
        .filter(|unknown| !is_in(of_old, &unknown.name));
    for unknown in only_new {
        notes.push(note(&unknown.name, &sides[0], &sides[1]));
    }
    crate::commands::project::remark(&of_none, voice);
    Ok(())
}

/// Sizes that nothing gives on either side, and whose guesses differ. The larger one lets loops run on both.
fn common_guesses(old: &[Guess], new: &[Guess]) -> BTreeMap<String, [f64; 2]> {
    let before: BTreeMap<&str, &Guess> = (old.iter())
        .map(|guess| (guess.name.as_str(), guess))
        .collect();
    let both = new.iter().filter_map(|guess| {
        let old = *before.get(guess.name.as_str())?;
        let mut own = old.functions.iter();
        // Another function may call something else so.
        let is_same = own.any(|name| guess.functions.contains(name))
            || old.functions.is_empty() && guess.functions.is_empty();
        (is_same && old.value != guess.value)
            .then(|| (guess.name.clone(), [old.value, guess.value]))
    });
    both.collect()
}
