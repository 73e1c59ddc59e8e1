//! Machines as the model sees them: one value a parameter, each with its source.
//!
//! A machine comes from a preset in `templates/machines` or from a file of the same form; see the
//! head of `templates/machines/exasat.toml`. Every machine has every parameter of the table in
//! `parameters.rs`, in its order; a value may be unknown, and is then never taken for zero.

// The layers below, by their names.
use loopsheet_base::{diagnostic, quantity};

mod file;
pub mod parameters;
mod write;

use thiserror::Error;

use crate::diagnostic::Place;
use crate::quantity::parse_bytes;
use parameters::{
    CONFLICTS, IRREGULAR, LEVEL_LATENCY, MAX_LEVELS, OF_SCENARIOS, ParameterKind, SCENARIOS,
    TRANSLATION, level_name,
};

/// What a preset describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PresetKind {
    /// A machine that can be bought or computed on.
    Real,
    /// A machine that a paper assumes or simulates: its published figures are checked against it.
    Paper,
}

/// The machine of a command that names none.
///
/// Perlmutter's and LUMI's CPU nodes have two of it, and all large clouds offer parts of the same design. It has what most
/// servers have now: own caches on two levels, a third one that a few cores share, and far more arithmetic than memory
/// bandwidth; and what its vendor publishes names every figure that the model needs.
pub const DEFAULT_PRESET: &str = "epyc-7763";

/// The presets: name, kind and text, in the order in which they are listed.
const PRESETS: &[(&str, PresetKind, &str)] = &[
    (
        "epyc-7763",
        PresetKind::Real,
        include_str!("templates/epyc-7763.toml"),
    ),
    (
        "xeon-8380",
        PresetKind::Real,
        include_str!("templates/xeon-8380.toml"),
    ),
    (
        "a64fx",
        PresetKind::Real,
        include_str!("templates/a64fx.toml"),
    ),
    (
        "grace",
        PresetKind::Real,
        include_str!("templates/grace.toml"),
    ),
    (
        "sg2042",
        PresetKind::Real,
        include_str!("templates/sg2042.toml"),
    ),
    (
        "exasat",
        PresetKind::Paper,
        include_str!("templates/exasat.toml"),
    ),
    (
        "edan",
        PresetKind::Paper,
        include_str!("templates/edan.toml"),
    ),
    (
        "camat",
        PresetKind::Paper,
        include_str!("templates/camat.toml"),
    ),
];

/// A machine: all parameters of the table, in its order.
#[derive(Clone, Debug, PartialEq)]
pub struct MachineModel {
    /// As `--machine` takes it.
    pub name: String,
    pub title: String,
    /// What is modelled and what kind of figures these are.
    pub about: String,
    pub parameters: Vec<MachineParameter>,
    pub used: CoresUsed,
}

/// How much of a machine a program uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CoresUsed {
    /// What its parameters say.
    #[default]
    All,
    /// One core, as nothing in the program runs in parallel.
    One,
    /// As many cores as were set.
    Given,
}

const CORES: &str = "cores";

/// One parameter of a machine.
#[derive(Clone, Debug, PartialEq)]
pub struct MachineParameter {
    /// As in `--set` and the workbook's defined names.
    pub name: String,
    /// In `unit`; `None` is unknown.
    pub value: Option<f64>,
    pub unit: &'static str,
    /// Heading in the sheet.
    pub label: String,
    pub description: &'static str,
    pub kind: ParameterKind,
    /// Smallest and largest allowed value.
    pub range: (f64, f64),
    /// Document that the value is from; empty when the value is unknown.
    pub source: String,
    /// How it was derived, what it leaves out; often empty.
    pub note: String,
}

/// A cache level.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// Counted from one, nearest to the core first.
    pub index: usize,
    /// `L1`, `L2` …
    pub name: String,
    /// Capacity of one instance, in bytes.
    pub bytes: f64,
    /// Line, in bytes.
    pub line: f64,
    /// Bandwidth to one core, in 10⁹ bytes per second; `None` is unknown.
    pub gbs: Option<f64>,
    /// Lines in a set; `None` is fully associative, as far as is known.
    pub ways: Option<f64>,
    /// Load to use on a hit, in cycles of the core; `None` is unknown.
    pub latency_cycles: Option<f64>,
    /// Cores that share one instance.
    pub shared_by: f64,
}

impl Level {
    /// One core's share of the level, in bytes.
    pub fn share(&self) -> f64 {
        self.bytes / self.shared_by
    }
}

/// Why a value cannot be that of a parameter.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ParameterError {
    #[error("no machine parameter is called `{name}`{}", did_you_mean(near))]
    Unknown { name: String, near: Vec<String> },
    #[error("`{name}` = {value} is out of range: {} to {}{} are allowed", range.0, range.1, after_space(unit))]
    OutOfRange {
        name: String,
        value: f64,
        unit: &'static str,
        range: (f64, f64),
    },
    #[error("`{name}` = {value} must be a whole number{}", of_unit(unit))]
    NotWhole {
        name: String,
        value: f64,
        unit: &'static str,
    },
    #[error("`{name}` = `{text}`: {reason}")]
    NotANumber {
        name: String,
        text: String,
        reason: String,
    },
}

/// Why there is no such machine.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum MachineError {
    #[error("no machine is called `{name}`{}; the presets are {}; a path ending in .toml reads a file", did_you_mean(near), known.join(", "))]
    UnknownMachine {
        name: String,
        near: Vec<String>,
        known: Vec<&'static str>,
    },
    /// A value from outside a file.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    #[error("{place}: {error}")]
    ParameterInFile { place: Place, error: ParameterError },
    #[error("{place}: {message}")]
    Malformed { place: Place, message: String },
    /// What `base` names is not a machine; `error` says why.
    #[error("{place}: base = \"{base}\": {error}")]
    Base {
        place: Place,
        base: String,
        error: String,
    },
    #[error("{origin}: not given: {}", names.join(", "))]
    Missing { origin: String, names: Vec<String> },
}

/// Names of the presets, in the order in which they are listed.
pub fn preset_names() -> impl Iterator<Item = &'static str> {
    PRESETS.iter().map(|(name, ..)| *name)
}

/// Names of the presets of one kind, in the order in which they are listed.
pub fn presets_of(kind: PresetKind) -> impl Iterator<Item = &'static str> {
    PRESETS
        .iter()
        .filter(move |(_, known, _)| *known == kind)
        .map(|(name, ..)| *name)
}

/// Whether the text names a file with a machine rather than a preset: it ends in `.toml` or has a directory in it.
pub fn names_file(text: &str) -> bool {
    text.ends_with(".toml") || text.contains(['/', '\\'])
}

impl MachineModel {
    /// The preset of that name.
    ///
    /// # Errors
    /// `UnknownMachine` with the near names and all names.
    pub fn preset(name: &str) -> Result<MachineModel, MachineError> {
        match PRESETS.iter().find(|(known, ..)| *known == name) {
            Some((known, _, text)) => {
                MachineModel::parse(text, &format!("templates/machines/{known}.toml"))
            }
            None => Err(MachineError::UnknownMachine {
                name: name.to_string(),
                near: near_names(name, preset_names()),
                known: preset_names().collect(),
            }),
        }
    }

    /// Reads a machine file; `origin` is its path as the user knows it and appears in errors. Its `base` may be a preset.
    ///
    /// # Errors
    /// Malformed TOML, unknown keys, values of the wrong type or out of range: with line and column.
    /// Parameters that must be there and are not: all their names.
    pub fn parse(text: &str, origin: &str) -> Result<MachineModel, MachineError> {
        MachineModel::parse_with_base(text, origin, &|base| {
            MachineModel::preset(base).map_err(|error| error.to_string())
        })
    }

    /// The same with a `base` that `find_base` gives, by the text that the file has for it.
    ///
    /// # Errors
    /// As for [`MachineModel::parse`], and what `find_base` complains of.
    pub fn parse_with_base(
        text: &str,
        origin: &str,
        find_base: &dyn Fn(&str) -> Result<MachineModel, String>,
    ) -> Result<MachineModel, MachineError> {
        file::parse(text, origin, find_base)
    }

    /// A file with every parameter that is known, its source and its note: [`MachineModel::parse`] reads the same machine
    /// from it.
    pub fn to_toml(&self) -> String {
        write::file(self)
    }

    /// Value of the parameter; `None` where it is unknown or no parameter is called so.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.parameter(name)?.value
    }

    /// The parameter of that name.
    pub fn parameter(&self, name: &str) -> Option<&MachineParameter> {
        self.parameters
            .iter()
            .find(|parameter| parameter.name == name)
    }

    /// Gives the parameter another value, in its unit. `cache_bytes` does not follow the levels.
    ///
    /// # Errors
    /// The name is unknown, the value is out of range or must be whole.
    pub fn set(&mut self, name: &str, value: f64) -> Result<(), MachineError> {
        let parameter = self.find(name)?;
        parameter.check(value)?;
        parameter.value = Some(value);
        parameter.source = "set with --set".to_string();
        parameter.note.clear();
        if name == CORES {
            self.used = CoresUsed::Given;
        }
        Ok(())
    }

    /// As `set`, with the value as typed: `2.5`, for sizes also `48 KiB`, for switches also `true`.
    ///
    /// # Errors
    /// Those of `set`, and text that is no such value.
    pub fn set_text(&mut self, name: &str, text: &str) -> Result<(), MachineError> {
        let value = self.find(name)?.read(text)?;
        self.set(name, value)
    }

    /// The machine as a program sees it that runs on one of its cores, while the others do nothing: all of every cache and of
    /// the memory is that core's.
    #[must_use]
    pub fn one_core(&self) -> MachineModel {
        let levels = self.levels();
        let mut machine = self.clone();
        machine.used = CoresUsed::One;
        let cores = self.get(CORES).unwrap_or(1.0);
        // A machine with one core is described as that core sees it.
        if cores <= 1.0 {
            return machine;
        }
        let mut put = |name: &str, value: f64, note: &str| {
            let of_machine = self.get(name);
            let found = machine.parameters.iter_mut().find(|p| p.name == name);
            if let Some(parameter) = found.filter(|_| of_machine.is_some_and(|old| old != value)) {
                parameter.value = Some(value);
                parameter.note = note.to_string();
            }
        };
        put(
            CORES,
            1.0,
            &format!(
                "one of the machine's {cores}, because nothing in the sources runs in parallel"
            ),
        );
        for level in &levels {
            let name = parameters::level_name(level.index, "shared_by");
            put(&name, 1.0, "only one core runs and has all of it");
        }
        if let Some(last) = levels.last() {
            put(
                "cache_bytes",
                last.bytes,
                "all of the last level, because only one core runs",
            );
        }
        let title = &self.title;
        machine.title = format!("{title}, one core: nothing in the sources runs in parallel");
        machine
    }

    /// As much of this machine as a program uses of another one.
    #[must_use]
    pub fn used_as(self, other: &MachineModel) -> MachineModel {
        match other.used {
            CoresUsed::All => self,
            CoresUsed::One => self.one_core(),
            CoresUsed::Given => match other.get(CORES) {
                Some(cores) => self.at_most(cores),
                None => self,
            },
        }
    }

    /// The machine with no more cores than these in use.
    fn at_most(mut self, cores: f64) -> MachineModel {
        let found = self.parameters.iter_mut().find(|p| p.name == CORES);
        let has_more =
            |parameter: &&mut MachineParameter| parameter.value.is_some_and(|own| own > cores);
        if let Some(parameter) = found.filter(has_more) {
            parameter.value = Some(cores);
            parameter.note = "as many as are set for the machine that is compared".to_string();
        }
        self
    }

    /// The cache levels whose size is known, nearest to the core first.
    pub fn levels(&self) -> Vec<Level> {
        let Some(line) = self.get("line_bytes") else {
            return Vec::new();
        };
        let level = |(index, bytes, shared_by)| Level {
            index,
            name: format!("L{index}"),
            bytes,
            line,
            gbs: self.get(&level_name(index, "gbs")),
            ways: self.get(&level_name(index, "ways")),
            latency_cycles: self.get(&level_name(index, "latency_cycles")),
            shared_by,
        };
        self.level_sizes().into_iter().map(level).collect()
    }

    /// Whether it says what lines take that no prefetcher predicts: of every level behind the first cache.
    pub fn has_irregular_rates(&self) -> bool {
        let is_known = |name: &str| self.get(name).is_some_and(|value| value > 0.0);
        let of_level = |level: &Level| {
            LEVEL_LATENCY
                .iter()
                .all(|what| is_known(&level_name(level.index, what)))
        };
        IRREGULAR.iter().all(|name| is_known(name))
            && is_known("ghz")
            && self.levels().iter().skip(1).all(of_level)
    }

    /// Whether it also says what lines take that evict each other from few sets.
    pub fn has_conflict_rates(&self) -> bool {
        let [set_lines, ..] = CONFLICTS;
        self.has_irregular_rates() && self.get(set_lines).is_some()
    }

    /// Whether it also says what the TLB holds.
    pub fn has_translation(&self) -> bool {
        self.has_irregular_rates() && TRANSLATION.iter().all(|name| self.get(name).is_some())
    }

    /// Its levels and those that a preset may have instead: formulas with all of them hold for every machine. One
    /// that it lacks has no bytes.
    pub fn possible_levels(&self) -> Vec<Level> {
        static OF_PRESETS: std::sync::LazyLock<usize> = std::sync::LazyLock::new(|| {
            let levels = preset_names()
                .filter_map(|name| MachineModel::preset(name).ok())
                .map(|preset| preset.levels());
            levels
                .filter_map(|levels| levels.last().map(|last| last.index))
                .max()
                .unwrap_or(0)
        });
        let known = self.levels();
        let last = known.last().map_or(0, |level| level.index).max(*OF_PRESETS);
        let of = |index| {
            known
                .iter()
                .find(|level| level.index == index)
                .cloned()
                .unwrap_or_else(|| Level {
                    index,
                    name: format!("L{index}"),
                    bytes: 0.0,
                    line: self.get("line_bytes").unwrap_or(f64::NAN),
                    gbs: None,
                    ways: None,
                    latency_cycles: None,
                    shared_by: 1.0,
                })
        };
        (1..=last).map(of).collect()
    }

    /// Whether DRAM traffic follows ExaSAT's scenarios, not the refined rule.
    pub fn has_scenarios(&self) -> bool {
        self.get(SCENARIOS).is_some_and(|switch| switch > 0.0)
    }

    /// Parameters that nothing of DRAM traffic and time follows from although they differ from what is taken in their
    /// place: the scenarios are off, which alone read them.
    pub fn without_effect(&self) -> Vec<&'static str> {
        let share = self.levels().last().map(|level| level.share().floor());
        let differs = |(name, taken): &(&str, Option<f64>)| {
            let taken = taken.or(share);
            self.get(name)
                .is_some_and(|value| taken.is_some_and(|taken| taken != value))
        };
        match self.has_scenarios() {
            true => Vec::new(),
            false => OF_SCENARIOS
                .iter()
                .filter(|row| differs(row))
                .map(|(name, _)| *name)
                .collect(),
        }
    }

    /// As much of a preset as is used of this machine, to compare it with: the next real one of the list with another memory bandwidth, the first such
    /// one for a machine that is not real.
    pub fn counterpart(&self) -> MachineModel {
        let real: Vec<&str> = presets_of(PresetKind::Real).collect();
        let own = real.iter().position(|name| *name == self.name);
        let next = own.map_or(0, |own| own + 1);
        let preset = |name: &&&str| {
            let preset = MachineModel::preset(name).expect("presets are sound");
            preset.used_as(self)
        };
        let others = real.iter().cycle().skip(next).take(real.len());
        let others = others.filter(|name| **name != self.name);
        // Of the preset, whatever is set: an edit in the sheet does not pick another machine.
        let shipped = own.map(|own| preset(&&real[own]));
        let bandwidth = shipped.as_ref().unwrap_or(self).get("dram_gbs");
        let differs = |other: &MachineModel| other.get("dram_gbs") != bandwidth;
        let mut others = others.map(|name| preset(&name));
        let first = others.next();
        match first {
            Some(first) if differs(&first) => first,
            first => (others.find(differs).or(first)).unwrap_or_else(|| preset(&&DEFAULT_PRESET)),
        }
    }

    /// Index, size of one instance in bytes and cores that share it, of the levels whose size is known.
    fn level_sizes(&self) -> Vec<(usize, f64, f64)> {
        let size = |index: usize| {
            let bytes = self.get(&level_name(index, "bytes"))?;
            Some((
                index,
                bytes,
                self.get(&level_name(index, "shared_by")).unwrap_or(1.0),
            ))
        };
        (1..=MAX_LEVELS).filter_map(size).collect()
    }

    fn find(&mut self, name: &str) -> Result<&mut MachineParameter, ParameterError> {
        match self
            .parameters
            .iter()
            .position(|parameter| parameter.name == name)
        {
            Some(index) => Ok(&mut self.parameters[index]),
            None => Err(ParameterError::Unknown {
                name: name.to_string(),
                near: near_names(
                    name,
                    self.parameters
                        .iter()
                        .map(|parameter| parameter.name.as_str()),
                ),
            }),
        }
    }
}

impl MachineParameter {
    /// Whether the value is allowed.
    fn check(&self, value: f64) -> Result<(), ParameterError> {
        let (min, max) = self.range;
        if !(min..=max).contains(&value) {
            return Err(ParameterError::OutOfRange {
                name: self.name.clone(),
                value,
                unit: self.unit,
                range: self.range,
            });
        }
        if self.kind != ParameterKind::Real && value.fract() != 0.0 {
            return Err(ParameterError::NotWhole {
                name: self.name.clone(),
                value,
                unit: self.unit,
            });
        }
        Ok(())
    }

    /// What is the matter with something that is not a number.
    fn not_a_number(&self) -> String {
        format!("not a number{}", of_unit(self.unit))
    }

    /// The value that the text writes.
    fn read(&self, text: &str) -> Result<f64, ParameterError> {
        let refuse = |reason: String| ParameterError::NotANumber {
            name: self.name.clone(),
            text: text.to_string(),
            reason,
        };
        match (self.kind, text) {
            (ParameterKind::Size, _) => parse_bytes(text).map(|bytes| bytes.0).map_err(refuse),
            (ParameterKind::Switch, "true") => Ok(1.0),
            (ParameterKind::Switch, "false") => Ok(0.0),
            _ => text.trim().parse().map_err(|_| refuse(self.not_a_number())),
        }
    }
}

fn of_unit(unit: &str) -> String {
    match unit.strip_prefix("1/") {
        Some(other) => format!(" per {other}"),
        None if unit.is_empty() => String::new(),
        None => format!(" of {unit}"),
    }
}

fn after_space(unit: &str) -> String {
    if unit.is_empty() {
        String::new()
    } else {
        format!(" {unit}")
    }
}

/// Up to three names that a person may have meant, best first.
fn near_names<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut scored: Vec<(f64, &str)> = known
        .map(|candidate| (strsim::jaro_winkler(name, candidate), candidate))
        .filter(|(score, _)| *score > 0.8)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored
        .into_iter()
        .take(3)
        .map(|(_, candidate)| candidate.to_string())
        .collect()
}

fn did_you_mean(near: &[String]) -> String {
    if near.is_empty() {
        String::new()
    } else {
        format!(" (did you mean {}?)", near.join(" or "))
    }
}

#[cfg(test)]
mod tests;
