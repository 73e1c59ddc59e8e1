//! What the rows of a sweep say together: the best configuration of every program, how much worse others are over two
//! axes, what more area buys, and which programs feel memory's latency most.

mod remarks;

use std::collections::BTreeSet;

use crate::axis::{Axis, EPOCHS, FOLLOWING, configuring, values};
use crate::columns::{Column, setting_name};
use crate::failure::Failure;
use crate::groups::{Group, InputPart, Latency, TimeUnit, area, inputs};
use crate::map::{Map, are_together, first_pair, usual_pairs};
use crate::plan::Configurations;
use crate::row::{Row, RowKind};
use crate::sensitive::{FirstEpochs, Ranking};
use crate::swept::SweptSetting;

/// Everything together.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepReport {
    /// Parameters of sources that are set.
    pub settings: Vec<SweptSetting>,
    /// Configurations of whole programs and runs, those of an input together, in the order of the plan.
    pub configurations: Vec<Row>,
    /// Where each input's configurations are, by position, and which of them is the fastest.
    pub inputs: Vec<InputPart>,
    /// How many configurations there are of each kind.
    pub counts: Configurations,
    /// Time over two axes, of traces and of sources, and epochs.
    pub maps: Vec<Map>,
    /// Positions of the configurations of every input that no other one at the same latency beats in both time and area, by
    /// latency and area.
    pub fronts: Vec<InFront>,
    /// How many configurations have a time and no area, and are in no front.
    pub without_area: usize,
    /// Clocks in GHz of the machines that run traces, where runs at the same cycles of latency have different ones.
    pub clocks: Vec<(String, f64)>,
    /// Machines whose runs of traces have no time in seconds, since nothing says how fast their clocks are.
    pub without_clock: Vec<String>,
    /// The traces, the most sensitive to latency first.
    pub ranking: Ranking,
    /// Shards that failed.
    pub failed: Vec<Failure>,
}

/// A configuration that no other one beats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InFront {
    /// Its position.
    pub configuration: usize,
    /// The latency at which it is compared.
    pub latency: Option<Latency>,
}

impl SweepReport {
    /// Of rows in the order of the plan; those of nests and errors are passed over. `failed` are the shards of the latter, and
    /// `asked` axes of the map, by name.
    ///
    /// # Errors
    /// An axis of the map has no such name or only one value: says which there are.
    pub fn of(
        settings: &[SweptSetting],
        rows: impl Iterator<Item = Row>,
        failed: Vec<Failure>,
        asked: Option<(&str, &str)>,
    ) -> Result<SweepReport, UnknownAxis> {
        let mut configurations = Vec::new();
        let (mut epochs, mut windows) = (FirstEpochs::default(), Vec::new());
        for row in rows {
            if row.is(RowKind::Program) || row.is(RowKind::Trace) {
                configurations.push(row);
            } else if row.is(RowKind::Epochs) {
                epochs.add(row.clone());
                windows.push(row);
            }
        }
        let inputs = inputs(&configurations, settings, &failed);
        let kinds = [RowKind::Trace, RowKind::Program].map(|kind| {
            let of_kind = configurations.iter().filter(|row| row.is(kind)).cloned();
            (kind, of_kind.collect::<Vec<Row>>())
        });
        let counts = Configurations {
            runs: kinds[0].1.len(),
            models: kinds[1].1.len(),
            epochs: windows.len(),
        };
        let Pairs { of_time, of_epochs } = pairs(settings, &kinds, &windows, asked)?;
        let of_time = of_time.into_iter();
        let maps = of_time.map(|(kind, pair)| Map::of_time(pair, kind, &inputs, &configurations));
        // Where nothing runs, or no time is known, there is nothing to draw.
        let maps = maps.filter(|map| map.inputs > 0);
        let of_epochs = of_epochs.map(|pair| Map::of_epochs(pair, &windows));
        Ok(SweepReport {
            settings: settings.to_vec(),
            maps: maps.chain(of_epochs).collect(),
            fronts: fronts(&inputs, &configurations),
            without_area: without_area(&inputs, &configurations),
            clocks: clocks(&inputs, &configurations),
            without_clock: without_clock(&configurations),
            ranking: epochs.ranking(&inputs, &configurations, &failed),
            inputs,
            counts,
            configurations,
            failed,
        })
    }
}

impl SweepReport {
    /// Sentences on settings that are not of the source, though it has variables of their names.
    pub fn setting_remark(&self) -> String {
        let settings = self
            .settings
            .iter()
            .filter(|setting| !setting.also_of.is_empty());
        let sentences = settings
            .map(|setting| format!("{}: {}.", setting_name(&setting.name), setting.meaning()));
        sentences.collect::<Vec<String>>().join(" ")
    }

    /// Sentences on what times of traces are, where that does not go without saying.
    pub fn clock_remark(&self) -> String {
        let mut sentences = Vec::new();
        if !self.clocks.is_empty() {
            let clocks = self.clocks.iter();
            let clocks: Vec<String> = clocks
                .map(|(machine, ghz)| format!("{machine} {ghz} GHz"))
                .collect();
            sentences.push(format!(
                "Latencies are in cycles of each machine's own clock, so equal cycles are different times where clocks differ: {}.",
                clocks.join(", ")
            ));
        }
        if !self.without_clock.is_empty() {
            let machines = &self.without_clock;
            let are = match machines.len() {
                1 => "clock of {} is",
                _ => "clocks of {} are",
            };
            let are = are.replace("{}", &machines.join(", "));
            let others = match self.is_beside_clocks() {
                true => {
                    "not compared with other machines: they are neither among the best nor on maps"
                }
                false => "in cycles, and compared only with one another",
            };
            sentences.push(format!(
                "* The {are} unknown, so times of traces there are not known in seconds. They are {others}."
            ));
        }
        let in_cycles = self.inputs.iter().flat_map(|input| &input.groups);
        let mut in_cycles = in_cycles.filter(|group| group.unit == TimeUnit::Cycles);
        let is_nameless =
            |number: usize| self.configurations[number].text(Column::Machine).is_none();
        if in_cycles.any(|group| group.best.is_some_and(is_nameless)) {
            sentences.push(
                "Times of traces are in cycles, because no machine with a known clock is named."
                    .to_string(),
            );
        }
        sentences.join(" ")
    }
}

impl SweepReport {
    /// Whether machines of unknown clocks stand beside others, with which nothing of theirs can be compared.
    fn is_beside_clocks(&self) -> bool {
        let groups = self.inputs.iter().flat_map(|input| &input.groups);
        let mut in_seconds = groups.filter(|group| group.unit == TimeUnit::Seconds);
        in_seconds.any(|group| {
            let mut rows = group.configurations.iter();
            rows.any(|number| {
                let machine = self.configurations[*number].text(Column::Machine);
                machine.is_some_and(|machine| self.without_clock.iter().any(|m| m == machine))
            })
        })
    }
}

/// The axes of all maps.
struct Pairs {
    of_time: Vec<(RowKind, (Axis, Axis))>,
    of_epochs: Option<(Axis, Axis)>,
}

/// The axes that are asked for, or else the usual ones.
fn pairs(
    settings: &[SweptSetting],
    kinds: &[(RowKind, Vec<Row>); 2],
    windows: &[Row],
    asked: Option<(&str, &str)>,
) -> Result<Pairs, UnknownAxis> {
    let epochs = several(EPOCHS.to_vec(), windows);
    let usual_epochs = first_pair(&epochs, windows);
    let Some(asked) = asked else {
        let of_time = kinds.iter().flat_map(|(kind, rows)| {
            let axes = several(configuring(settings, rows), rows);
            let pairs = usual_pairs(&axes, settings, rows).into_iter();
            pairs.map(|pair| (*kind, pair))
        });
        return Ok(Pairs {
            of_time: of_time.collect(),
            of_epochs: usual_epochs,
        });
    };
    let pair = |known: &[Axis], rows: &[Row]| {
        let named = |name: &str| known.iter().find(|axis| axis.name(settings) == name);
        let pair = named(asked.0).copied().zip(named(asked.1).copied());
        pair.filter(|pair| are_together(*pair, rows))
    };
    let mut known = Vec::new();
    let mut of_time = Vec::new();
    for (kind, rows) in kinds {
        let mut axes = configuring(settings, rows);
        axes.extend(
            FOLLOWING
                .iter()
                .filter(|axis| !axes.contains(axis))
                .copied()
                .collect::<Vec<Axis>>(),
        );
        let axes = several(axes, rows);
        of_time.extend(pair(&axes, rows).map(|pair| (*kind, pair)));
        known.extend(axes);
    }
    let nobody_chooses = |axis: Axis| !axis.is_choice(settings);
    if let Some((_, (across, down))) = of_time.first()
        && nobody_chooses(*across)
        && nobody_chooses(*down)
    {
        return Err(UnknownAxis::NoChoice {
            across: across.name(settings),
            down: down.name(settings),
        });
    }
    match pair(&epochs, windows) {
        _ if !of_time.is_empty() => Ok(Pairs {
            of_time,
            of_epochs: usual_epochs,
        }),
        Some(pair) => {
            let usual = pairs(settings, kinds, windows, None)?;
            Ok(Pairs {
                of_time: usual.of_time,
                of_epochs: Some(pair),
            })
        }
        None => Err(unknown(asked, [&known, &epochs], settings)),
    }
}

/// Those of the axes that have more than one value.
fn several(axes: Vec<Axis>, rows: &[Row]) -> Vec<Axis> {
    let is_several = |axis: &Axis| values(*axis, rows.iter()).len() > 1;
    axes.into_iter().filter(is_several).collect()
}

/// Axes of a map that there are not, or not together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownAxis {
    #[error("no axis with several values is called `{name}`; there are {}", known.join(", "))]
    Name { name: String, known: Vec<String> },
    #[error(
        "there is no map over `{name}`: no column has more than one value in this sweep, so there is nothing to compare"
    )]
    Nothing { name: String },
    #[error(
        "a map over `{across}` and `{down}` would compare nothing: one of the two must be something that is chosen, such as caches or machine"
    )]
    NoChoice { across: String, down: String },
    #[error("there is no map over `{across}` and `{down}`: no row has both")]
    Apart { across: String, down: String },
}

fn unknown(
    (across, down): (&str, &str),
    known: [&[Axis]; 2],
    settings: &[SweptSetting],
) -> UnknownAxis {
    let mut names: Vec<String> = Vec::new();
    for axis in known.concat() {
        let name = axis.name(settings);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let is_missing = |name: &&str| !names.iter().any(|known| known == name);
    match [across, down].into_iter().find(is_missing) {
        Some(name) if names.is_empty() => UnknownAxis::Nothing {
            name: name.to_string(),
        },
        Some(name) => UnknownAxis::Name {
            name: name.to_string(),
            known: names,
        },
        None => UnknownAxis::Apart {
            across: across.to_string(),
            down: down.to_string(),
        },
    }
}

fn without_area(inputs: &[InputPart], configurations: &[Row]) -> usize {
    let groups = inputs.iter().flat_map(|input| &input.groups);
    let has_no_area = |group: &Group, number: usize| {
        let row = &configurations[number];
        group.time(row).is_some() && row.number(Column::AreaMm2).is_none()
    };
    let numbers = groups.flat_map(|group| {
        let own = group.configurations.iter().copied();
        own.filter(move |number| has_no_area(group, *number))
    });
    // One may be in two groups.
    numbers.collect::<BTreeSet<usize>>().len()
}

/// The machines of a group at one number of cycles, if their clocks differ.
fn clocks(inputs: &[InputPart], configurations: &[Row]) -> Vec<(String, f64)> {
    let groups = inputs.iter().flat_map(|input| &input.groups);
    let at_cycles = groups.filter(|group| matches!(group.latency, Some(Latency::Cycles(_))));
    for group in at_cycles {
        let mut found: Vec<(String, f64)> = Vec::new();
        for number in &group.configurations {
            let row = &configurations[*number];
            let machine = row.text(Column::Machine).zip(row.number(Column::Ghz));
            let Some((machine, ghz)) = machine else {
                continue;
            };
            if !found.iter().any(|(known, _)| known == machine) {
                found.push((machine.to_string(), ghz));
            }
        }
        if found.iter().any(|(_, ghz)| *ghz != found[0].1) {
            return found;
        }
    }
    Vec::new()
}

fn without_clock(configurations: &[Row]) -> Vec<String> {
    let mut machines: Vec<String> = Vec::new();
    let runs = configurations.iter().filter(|row| row.is(RowKind::Trace));
    for row in runs.filter(|row| row.number(Column::Ghz).is_none()) {
        let machine = row.text(Column::Machine).unwrap_or_default();
        if !machine.is_empty() && !machines.iter().any(|known| known == machine) {
            machines.push(machine.to_string());
        }
    }
    machines
}

fn fronts(inputs: &[InputPart], configurations: &[Row]) -> Vec<InFront> {
    let mut front = Vec::new();
    for group in inputs.iter().flat_map(|input| &input.groups) {
        let known = |number: &usize| {
            let row = &configurations[*number];
            group.time(row).is_some() && row.number(Column::AreaMm2).is_some()
        };
        let own = group.configurations.iter().copied();
        let mut numbers: Vec<usize> = own.filter(known).collect();
        let key = |number: usize| {
            let row = &configurations[number];
            (area(row), group.time(row).unwrap_or(f64::INFINITY))
        };
        numbers.sort_by(|one, other| {
            let ((a, t), (b, u)) = (key(*one), key(*other));
            a.total_cmp(&b).then(t.total_cmp(&u))
        });
        let mut least = f64::INFINITY;
        for number in numbers {
            let (_, time) = key(number);
            if time < least {
                least = time;
                front.push(InFront {
                    configuration: number,
                    latency: group.latency,
                });
            }
        }
    }
    front
}

#[cfg(test)]
mod tests;
