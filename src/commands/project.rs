//! What a run is about: the command line and, behind it, the project's `loopsheet.toml`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use globset::Glob;

use super::config::{self, Config};
use super::{Voice, far_memory, parameters};
use crate::analysis::facts::{Origin, Program};
use crate::analysis::inputs::SetSize;
use crate::cli::{SourceArgs, TrafficRule};
use crate::cores;
use crate::diagnostic::Place;
use crate::diff::Budget;
use crate::export::explain;
use crate::machine::MachineModel;
use crate::machine::parameters::{OF_SCENARIOS, SCENARIOS, level_name};
use crate::model::{Setting, SettingError};
use crate::reading::{Cache, Caching, Order, Reading, RunInput, ignored, machine_file};

/// What the commands that read source begin with.
pub struct Project {
    pub machine: MachineModel,
    /// Parameters of the machine as it is read that neither DRAM traffic nor time depends on.
    without_effect: Vec<&'static str>,
    /// Those of the file, then those of the command line, which count more.
    pub settings: Vec<Setting>,
    pub reading: Reading,
    /// Counts of lines of a native run, as the file names them.
    pub counts: Vec<PathBuf>,
    /// Tables of measured times, as the file names them.
    pub measured: Vec<PathBuf>,
    /// What nests may cost at most.
    pub budgets: Vec<Budget>,
    /// The procedures that a run begins with, as the user named them.
    entry: Vec<String>,
    /// Who names them.
    entry_origin: Origin,
    quiet: bool,
    /// Where the file sets parameters.
    places: BTreeMap<String, Place>,
}

impl Project {
    /// Reads the file, if there is one, and says so; the command line wins.
    ///
    /// # Errors
    /// The file or the command line is wrong, or there is no such machine.
    pub fn of(
        machine: Option<&str>,
        source: &SourceArgs,
        paths: &[PathBuf],
        voice: Voice,
    ) -> anyhow::Result<Project> {
        let (path, file) = config::chosen(source, paths)?;
        if let Some(path) = path.filter(|_| !voice.quiet) {
            eprintln!("loopsheet: using the settings of {}", path.display());
        }
        let places = file
            .values
            .iter()
            .map(|v| (v.name.clone(), v.place.clone()));
        let places = places.collect();
        let typed = parameters::settings(&source.settings)?;
        let of_file = file.values.iter().map(|value| Setting {
            name: value.name.clone(),
            value: value.text.clone(),
            origin: Origin::Config,
        });
        let is_typed = |setting: &Setting| typed.iter().any(|typed| typed.name == setting.name);
        let mut settings: Vec<Setting> = of_file.filter(|setting| !is_typed(setting)).collect();
        settings.extend(typed);
        let named = machine.or(file.machine.as_deref());
        let mut machine = machine_file::load_or_default(named)?;
        if let Some(rule) = source.scenarios {
            machine.set(
                SCENARIOS,
                if rule == TrafficRule::Exasat {
                    1.0
                } else {
                    0.0
                },
            )?;
        }
        let mut reading = reading(source, &file)?;
        reading.sizes = parameters::sizes(&settings, &machine);
        let (entry, entry_origin) = match source.entry.is_empty() {
            true => (file.entry.clone(), Origin::Config),
            false => (source.entry.clone(), Origin::Set),
        };
        Ok(Project {
            without_effect: machine.without_effect(),
            machine,
            settings,
            entry,
            entry_origin,
            quiet: voice.quiet,
            reading,
            counts: file.counts,
            measured: file.measured,
            budgets: file.budgets,
            places,
        })
    }

    /// Takes the machine, the settings and the entry of another one.
    pub fn share(&mut self, other: &Project) {
        self.machine = other.machine.clone();
        self.without_effect.clone_from(&other.without_effect);
        self.settings.clone_from(&other.settings);
        self.reading.sizes.clone_from(&other.reading.sizes);
        self.entry.clone_from(&other.entry);
        self.entry_origin = other.entry_origin;
        self.places.clone_from(&other.places);
    }

    /// Variables of these names get their values later.
    pub fn leave_open(&mut self, names: &[String]) {
        let is_open = |size: &SetSize| names.contains(&size.name);
        self.reading.sizes.retain(|size| !is_open(size));
        let of_source = names
            .iter()
            .filter(|name| self.machine.parameter(name).is_none());
        self.reading.sizes.extend(of_source.map(|name| SetSize {
            name: name.clone(),
            value: None,
            origin: Origin::Set,
        }));
    }

    /// Says which of the parameters that were given only the scenarios read, if DRAM traffic does not follow them.
    pub fn remark_without_effect(
        &self,
        machine: &MachineModel,
        settings: &[Setting],
        voice: Voice,
    ) {
        let is_set = |name: &str| settings.iter().any(|setting| setting.is_of_machine(name));
        let names = OF_SCENARIOS.iter().map(|(name, _)| *name);
        let given: Vec<&str> = names
            .filter(|name| is_set(name) || self.without_effect.contains(name))
            .collect();
        if voice.quiet || machine.has_scenarios() || given.is_empty() {
            return;
        }
        let last = machine.levels().last().map_or(1, |level| level.index);
        let [bytes, shared_by] = ["bytes", "shared_by"].map(|what| level_name(last, what));
        eprintln!(
            "loopsheet: {}: DRAM traffic and time do not depend on that, but on the last cache ({bytes}, {shared_by}); \
             with --scenarios exasat they do",
            given.join(", ")
        );
    }

    /// Builds something with the settings. Those of the file that name nothing here are left out, as a project's file is
    /// for all of its sources; a remark names them.
    ///
    /// # Errors
    /// A setting of the command line names nothing, or a value is not one of its parameter.
    pub fn build<T>(
        &self,
        voice: Voice,
        build: impl Fn(&[Setting]) -> Result<T, SettingError>,
    ) -> anyhow::Result<(T, Vec<Setting>)> {
        let mut settings = self.settings.clone();
        let mut unknown = BTreeSet::new();
        let built = loop {
            match build(&settings) {
                Ok(built) => break built,
                Err(error) => self.leave_out(&mut settings, error, &mut unknown)?,
            }
        };
        remark(&unknown, voice);
        Ok((built, settings))
    }

    /// Leaves out the setting of the file that names nothing.
    ///
    /// # Errors
    /// It is another error, or not a setting of the file.
    pub fn leave_out(
        &self,
        settings: &mut Vec<Setting>,
        error: SettingError,
        unknown: &mut BTreeSet<String>,
    ) -> anyhow::Result<()> {
        let is_meant =
            |setting: &Setting| setting.origin == Origin::Config && setting.name == error.setting();
        let Some(position) = settings.iter().rposition(is_meant) else {
            return Err(far_memory::with_option(error));
        };
        let name = settings.remove(position).name;
        if !matches!(error, SettingError::Unknown { .. }) {
            let place = self.places.get(&name).map(ToString::to_string);
            return Err(anyhow::Error::new(error).context(place.unwrap_or(name)));
        }
        unknown.insert(match self.places.get(&name) {
            Some(place) => format!("{name} ({place})"),
            None => name,
        });
        Ok(())
    }

    /// What the program uses of the machine.
    pub fn fit_machine(&mut self, is_serial: bool) {
        let names = self.settings.iter().map(|setting| setting.name.as_str());
        self.machine = cores::fit(self.machine.clone(), is_serial, names);
    }

    /// Lets runs of a program begin where the user says, on the machine that it can use.
    ///
    /// # Errors
    /// The command line names a procedure that is not there.
    pub fn begin(&mut self, program: &mut Program) -> anyhow::Result<()> {
        self.fit_machine(cores::is_serial(program));
        let names = program.functions.iter().map(|function| &*function.name);
        let entries = self.entries(names)?;
        if !entries.is_empty() {
            program.begin_with(&entries);
        }
        Ok(())
    }

    /// The procedures that a run begins with, of those that are there. The file's may be in other sources.
    ///
    /// # Errors
    /// The command line names one that is not there.
    pub fn entries<'n>(
        &self,
        names: impl Iterator<Item = &'n str> + Clone,
    ) -> anyhow::Result<Vec<String>> {
        let (known, unknown): (Vec<String>, Vec<String>) = (self.entry.iter().cloned())
            .partition(|entry| names.clone().any(|name| name.eq_ignore_ascii_case(entry)));
        let missing = unknown.first().filter(|_| self.entry_origin == Origin::Set);
        if let Some(missing) = missing {
            let near = explain::did_you_mean(missing, names);
            anyhow::bail!("--entry {missing}: no procedure has this name{near}");
        }
        if !unknown.is_empty() && self.entry_origin == Origin::Config && !self.quiet {
            eprintln!(
                "loopsheet: `entry` of the settings: no procedure here is called {}",
                unknown.join(", ")
            );
        }
        Ok(known)
    }
}

/// What the command line says, then what the project's file says.
///
/// # Errors
/// A pattern of `--function` or of files to ignore is malformed.
fn reading(args: &SourceArgs, file: &Config) -> anyhow::Result<Reading> {
    let pattern = args
        .function
        .as_deref()
        .map(Glob::new)
        .transpose()
        .context("--function")?;
    let mut words = Vec::new();
    for text in &args.flags {
        let split = shlex::split(text);
        words.extend(split.with_context(|| format!("--flags '{text}': a quote is not closed"))?);
    }
    let given = [&file.input[..], &args.input].concat();
    Ok(Reading {
        include: [&args.include[..], &file.include].concat(),
        // The last definition of a name counts.
        define: [&file.define[..], &args.define].concat(),
        undefine: args.undefine.clone(),
        flags: vec![
            (file.directory.clone(), file.flags.clone()),
            (PathBuf::new(), words),
        ],
        database: args.database.clone(),
        ignore: vec![
            ignored(&file.directory, &file.ignore)?,
            ignored(Path::new(""), &args.ignore)?,
        ],
        cpp: args.cpp.clone(),
        blas: !args.no_blas,
        function: pattern.map(|pattern| pattern.compile_matcher()),
        follows_opened: given.is_empty() && !args.no_input,
        input: RunInput::read(&given)?,
        sizes: Vec::new(),
        order: Order::default(),
        caching: caching(args)?,
        hidden: None,
        stands_for: None,
    })
}

/// # Errors
/// The directory of `--cache-dir` cannot be used.
fn caching(args: &SourceArgs) -> anyhow::Result<Caching> {
    Ok(match &args.cache_dir {
        _ if args.no_cache => Caching::Off,
        None => Caching::OfUser,
        Some(directory) => {
            let what = || {
                format!(
                    "--cache-dir {}: cannot make this directory",
                    directory.display()
                )
            };
            Caching::At(Arc::new(Cache::at(directory).with_context(what)?))
        }
    })
}

/// Says which settings of the file name nothing.
pub fn remark(unknown: &BTreeSet<String>, voice: Voice) {
    if !unknown.is_empty() && !voice.quiet {
        let names: Vec<&str> = unknown.iter().map(String::as_str).collect();
        eprintln!(
            "loopsheet: no parameter of these sources is called {}",
            names.join(", ")
        );
    }
}
