//! Shards of sources: read once, then a model for every machine and every setting.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::Context;
use clap::Parser;

use crate::analysis::facts::Program;
use crate::checking::checked;
use crate::cli::{Cli, Command, SourceArgs};
use crate::commands::Voice;
use crate::commands::parameters::idle_nests;
use crate::commands::progress::FileBar;
use crate::commands::project::Project;
use crate::diagnostic::{Diagnostic, DiagnosticCode, Severity};
use crate::machine::MachineModel;
use crate::model::influence::guessed;
use crate::model::parameters::Kind;
use crate::model::{Detail, KnownTotals, Model, NestModel, Setting, SettingCheck, SettingError};
use crate::reading::{Bodies, Reading, Watch, inputs, machine_file};
use crate::sweep::columns::Column;
use crate::sweep::manifest::{self, SourceWork};
use crate::sweep::ranges::{Unit, plain as plain_number};
use crate::sweep::row::{Row, RowKind};
use crate::sweep::spec::{SpecError, SweepSpec};
use crate::sweep::swept::{SettingOf, SettingRole};
use loopsheet_base::reason::ReasonCode;

/// A source that was read.
pub struct Source {
    name: String,
    project: Project,
    program: Program,
    /// What the check of its nests runs.
    bodies: Bodies,
}

impl Source {
    /// Reads a source as `loopsheet analyze` does that is given nothing else, for a look at its parameters.
    ///
    /// # Errors
    /// It cannot be read, or there is no function in it.
    pub fn read(name: &str, voice: Voice) -> anyhow::Result<Source> {
        Source::read_by(name, voice, |paths, reading, watch| {
            Ok((inputs::read(paths, reading, watch)?, Bodies::default()))
        })
    }

    /// The same with what the check of its nests runs, for rows.
    ///
    /// # Errors
    /// As for [`Source::read`].
    pub fn read_whole(name: &str, voice: Voice) -> anyhow::Result<Source> {
        Source::read_by(name, voice, inputs::read_with_bodies)
    }

    fn read_by(
        name: &str,
        voice: Voice,
        read: impl Fn(&[PathBuf], &Reading, &dyn Watch) -> anyhow::Result<(Program, Bodies)>,
    ) -> anyhow::Result<Source> {
        let paths = [PathBuf::from(name)];
        let mut project = Project::of(None, &plain(name)?, &paths, voice)?;
        let (mut program, bodies) = read(&paths, &project.reading, &FileBar::new(voice))?;
        project.begin(&mut program)?;
        anyhow::ensure!(
            !program.functions.is_empty(),
            "nothing could be analysed: no function could be read"
        );
        Ok(Source {
            name: name.to_string(),
            project,
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
        let of_file = self.project.settings.clone();
        let mut machine: Option<(&Option<String>, MachineModel)> = None;
        let mut rows = Vec::new();
        let mut guessed: Option<Vec<BTreeSet<String>>> = None;
        for model in &work.models {
            let known = machine.take().filter(|(name, _)| *name == &model.machine);
            let (name, values) = match known {
                Some(known) => known,
                None => (&model.machine, self.machine(model.machine.as_deref())?),
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
            // Which sizes are guessed does not follow from what the others are set to.
            let guessed = guessed.get_or_insert_with(|| guessed_sizes(&built));
            add_rows(&self.name, model, (&built, guessed), &mut rows);
            machine = Some((name, values));
        }
        self.project.settings = of_file;
        Ok(rows)
    }

    /// Whether every value of every setting would do, on all machines, and what these set.
    ///
    /// # Errors
    /// There is no such machine, or a setting names nothing or is out of range.
    pub fn check(&self, spec: &SweepSpec) -> anyhow::Result<Vec<SettingRole>> {
        let check = SettingCheck::of(&self.program);
        let axes = axes(spec)?;
        let most = axes.iter().map(|(_, values)| values.len()).max();
        let machines: Vec<Option<&str>> = match &spec.machines[..] {
            [] => vec![None],
            names => names.iter().map(|name| Some(name.as_str())).collect(),
        };
        for machine in machines {
            let machine = self.machine(machine)?;
            for number in 0..most.unwrap_or(0) {
                let setting = |(name, values): &(&String, Vec<f64>)| {
                    let value = values[number.min(values.len() - 1)];
                    Setting::new(name.as_str(), plain_number(value))
                };
                let of_axes: Vec<Setting> = axes.iter().map(setting).collect();
                let built = self.project.build(Voice::silent(), |settings| {
                    let is_set = |setting: &&Setting| spec.set.contains_key(&setting.name);
                    let others = settings.iter().filter(|setting| !is_set(setting)).cloned();
                    let all: Vec<Setting> = others.chain(of_axes.iter().cloned()).collect();
                    check.check(machine.clone(), &all)
                });
                // Where it is written it is called otherwise.
                let named = |error: anyhow::Error| match error.downcast_ref::<SettingError>() {
                    Some(own) if spec.set.contains_key(own.setting()) => {
                        anyhow::anyhow!("{}", own.said_of("set."))
                    }
                    _ => error,
                };
                built.map_err(named)?;
            }
        }
        let machine = &self.project.machine;
        let roles = axes.iter().map(|(name, values)| {
            let setting = Setting::new(name.as_str(), plain_number(values[0]));
            Ok(role(
                name,
                machine,
                &check.set_by(machine.clone(), &setting)?,
            ))
        });
        let roles = roles.collect::<anyhow::Result<Vec<SettingRole>>>()?;
        self.refuse_twice(&check, &axes)?;
        Ok(roles)
    }

    /// # Errors
    /// Two names set the same: values of one would be lost.
    fn refuse_twice(
        &self,
        check: &SettingCheck,
        axes: &[(&String, Vec<f64>)],
    ) -> anyhow::Result<()> {
        let mut known: Vec<(&str, BTreeSet<String>)> = Vec::new();
        for (name, values) in axes {
            let setting = Setting::new(name.as_str(), plain_number(values[0]));
            let set = check.set_by(self.project.machine.clone(), &setting)?;
            let mut set: BTreeSet<String> =
                set.into_iter().map(|(parameter, _)| parameter).collect();
            if set.is_empty() {
                set.insert(format!("machine.{}", of_machine(name)));
            }
            if let Some((first, _)) = known.iter().find(|(_, other)| *other == set) {
                anyhow::bail!(
                    "`set`: {first} is named twice: {name} is the same parameter; leave one of them out"
                );
            }
            known.push((name.as_str(), set));
        }
        Ok(())
    }

    /// Values of sizes that leave loops without an iteration, one sentence for each size. A program that runs nothing takes no
    /// time, which is not what anybody wants to know.
    ///
    /// # Errors
    /// A setting names nothing or is out of range.
    pub fn idle(&self, spec: &SweepSpec, roles: &[SettingRole]) -> anyhow::Result<Vec<String>> {
        const MOST_TRIED: usize = 5;
        let axes = axes(spec)?;
        let mut sentences = Vec::new();
        for (number, (name, values)) in axes.iter().enumerate() {
            if roles[number].is_choice() {
                continue;
            }
            let no_size = values.iter().filter(|value| **value <= 0.0);
            for value in no_size.take(MOST_TRIED) {
                let all = axes.iter().map(|(other, values)| {
                    // That others run nothing, too, is not for this one to say.
                    let runs = values.iter().find(|value| **value > 0.0);
                    let value = match other == name {
                        true => *value,
                        false => *runs.unwrap_or(&values[0]),
                    };
                    Setting::new(other.as_str(), plain_number(value))
                });
                let all: Vec<Setting> = all.collect();
                let built = self.project.build(Voice::silent(), |settings| {
                    let is_set = |setting: &&Setting| spec.set.contains_key(&setting.name);
                    let others = settings.iter().filter(|setting| !is_set(setting)).cloned();
                    let all: Vec<Setting> = others.chain(all.iter().cloned()).collect();
                    let machine = self.project.machine.clone();
                    Model::with(&self.program, machine, &all, Detail::Least)
                });
                let model = built?.0;
                let idle = model.idle_nests();
                if idle > 0 {
                    sentences.push(format!(
                        "{}: with set.{name} = {} {}, which takes no time",
                        self.name,
                        plain_number(*value),
                        idle_nests(idle, model.nests.len())
                    ));
                    break;
                }
            }
        }
        Ok(sentences)
    }

    /// What of it could not be read, one sentence each.
    pub fn unread(&self) -> Vec<String> {
        let remarks = self.program.files.iter().flat_map(|file| &file.diagnostics);
        let unread = remarks.filter(|remark| remark.code == DiagnosticCode::NotRead);
        let sentence = |remark: &Diagnostic| format!("{}: {}", remark.place.file, remark.message);
        unread.map(sentence).collect()
    }

    fn machine(&self, name: Option<&str>) -> anyhow::Result<MachineModel> {
        match name {
            None => Ok(self.project.machine.clone()),
            Some(name) => machine_file::load(name),
        }
    }
}

/// The settings with their values.
fn axes(spec: &SweepSpec) -> Result<Vec<(&String, Vec<f64>)>, SpecError> {
    let axes = spec.set.iter().map(|(name, axis)| {
        let values = axis.values(&format!("set.{name}"), Unit::Bytes)?;
        Ok((name, values))
    });
    axes.collect()
}

/// The parameter of a machine that a setting may name.
fn of_machine(name: &str) -> &str {
    name.strip_prefix("machine.").unwrap_or(name)
}

/// `L1, L2 and L3`.
fn listed(names: &[String]) -> String {
    match names {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => names.concat(),
    }
}

/// What a setting sets, of which the source has these parameters.
fn role(name: &str, machine: &MachineModel, set: &[(String, Kind)]) -> SettingRole {
    let of_machine = machine
        .parameter(of_machine(name))
        .filter(|_| set.is_empty());
    let of = match (of_machine, set) {
        (Some(_), _) => SettingOf::Machine,
        (None, [_, ..]) if set.iter().all(|(_, kind)| *kind == Kind::Block) => SettingOf::Block,
        (None, _) => SettingOf::Problem,
    };
    SettingRole {
        of,
        bytes: of_machine.is_some_and(|parameter| parameter.unit == "B"),
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

/// What the figures of each nest rest on and nothing gives.
fn guessed_sizes(model: &Model) -> Vec<BTreeSet<String>> {
    let nests = model.nests.iter();
    let names = nests.map(|nest| guessed(&nest.nest, &model.parameters));
    names.map(|names| names.into_iter().collect()).collect()
}

/// What the machine leaves unknown and would bound times of these nests: without it they are lower bounds.
fn machine_unknown<'m>(
    model: &Model,
    nests: impl Iterator<Item = &'m NestModel<'m>> + Clone,
) -> String {
    let mut unknown = Vec::new();
    if nests.clone().any(|nest| nest.time.in_core.is_none()) {
        unknown.push("what its cores do in a cycle".to_string());
    }
    let levels = model.machine.levels().into_iter();
    let levels: Vec<String> = levels
        .filter(|level| level.gbs.is_none())
        .map(|level| level.name)
        .collect();
    if !levels.is_empty() {
        unknown.push(format!("the bandwidth of {}", listed(&levels)));
    }
    let has_rates = model.machine.has_irregular_rates();
    let waits = |nest: &NestModel| {
        let is_gathered = nest.reason_codes().contains(&ReasonCode::GatheredElements);
        is_gathered && !has_rates
    };
    if nests.clone().any(waits) {
        unknown.push("how long lines take that no prefetcher foresees".to_string());
    }
    listed(&unknown)
}

fn add_rows(
    input: &str,
    asked: &manifest::Model,
    (model, guessed): (&Model, &[BTreeSet<String>]),
    rows: &mut Vec<Row>,
) {
    let machine = asked.machine.as_deref().unwrap_or(&model.machine.name);
    let row = |kind: RowKind| {
        Row::new(input, kind)
            .with_text(Column::Machine, machine)
            .with_settings(&asked.values)
    };
    let over_calls = KnownTotals::over_calls(&model.nests, &model.ranking, &model.figures);
    let totals = over_calls.unwrap_or_else(|| KnownTotals::of(&model.nests, &model.figures));
    let remarks = model
        .program
        .files
        .iter()
        .flat_map(|file| &file.diagnostics);
    let errors = remarks.filter(|remark| remark.severity == Severity::Error);
    let codes = |index: usize| {
        let codes = model.nests[index].reason_codes().into_iter();
        codes.chain(model.doubts(index))
    };
    let text = |words: BTreeSet<String>, between: &str| -> String {
        words.into_iter().collect::<Vec<_>>().join(between)
    };
    // Those in its sums.
    let counted = (0..model.nests.len()).filter(|nest| !totals.unknown.contains(nest));
    let all_codes = counted.clone().flat_map(codes).map(|code| code.to_string());
    let all_guessed = counted
        .clone()
        .flat_map(|nest| guessed[nest].iter().cloned());
    let of_machine = machine_unknown(model, counted.map(|nest| &model.nests[nest]));
    rows.push(
        row(RowKind::Program)
            .with_text(Column::Reasons, &text(all_codes.collect(), " "))
            .with_text(Column::GuessedSizes, &text(all_guessed.collect(), ", "))
            .with_text(Column::MachineUnknown, &of_machine)
            .with(Column::Flops, totals.flops)
            .with(Column::TrafficBytes, totals.traffic)
            .with(Column::TimeSeconds, totals.seconds)
            .with_count(Column::UnknownNests, totals.unknown.len() as u64)
            .with_count(Column::IdleNests, model.idle_nests() as u64)
            .with_count(Column::ErrorRemarks, errors.count() as u64),
    );
    for (index, nest) in model.nests.iter().enumerate() {
        let function = &model.program.functions[nest.nest.function];
        let head = nest.nest.head();
        let ranked = model.ranking.of(index);
        let calls = ranked.map_or(0.0, |ranked| {
            ranked.calls.map_or(1.0, |calls| model.value(calls))
        });
        let all = ranked.map_or(0.0, |ranked| model.value(ranked.seconds));
        let bound = nest.time.bound_name(model.value(nest.time.bound));
        rows.push(
            row(RowKind::Nest)
                .with_text(Column::Nest, &head.id)
                .with_text(Column::Function, &function.name)
                .with_text(Column::File, &function.file)
                .with_count(Column::Line, u64::from(head.line))
                .with(Column::Iterations, model.value(nest.iterations))
                .with(Column::Flops, model.value(nest.operations.flops))
                .with(Column::TrafficBytes, model.value(nest.traffic.actual))
                .with(
                    Column::IntensityFlopPerByte,
                    model.value(nest.time.intensity),
                )
                .with(Column::TimeSeconds, model.value(nest.time.seconds))
                .with(Column::Calls, calls)
                .with(Column::AllCallsSeconds, all)
                .with_text(Column::BoundBy, bound.unwrap_or(""))
                .with_text(
                    Column::Reasons,
                    &text(codes(index).map(|code| code.to_string()).collect(), " "),
                )
                .with_text(Column::GuessedSizes, &text(guessed[index].clone(), ", "))
                .with_text(
                    Column::MachineUnknown,
                    &machine_unknown(model, std::iter::once(nest)),
                ),
        );
    }
}
