//! Figures over two axes.

use std::collections::{BTreeMap, BTreeSet};

use crate::axis::{Axis, AxisValue, EPOCHS, OF_MACHINE, each_once, values};
use crate::columns::Column;
use crate::groups::{Group, InputPart, Latency};
use crate::row::{Row, RowKind};
use crate::swept::SweptSetting;
use crate::wording::counted;

/// What a map shows.
#[derive(Clone, Debug, PartialEq)]
pub enum MapOf {
    /// How many times as long as with the best configuration for the same problem at the same latency a program takes:
    /// geometric mean over the inputs and problems, each with the best of all other axes.
    Time {
        of: RowKind,
        /// The parameters that are the problem, by position.
        problem: Vec<usize>,
        /// The one latency that it is for, where that is no axis.
        at: Option<Latency>,
    },
    /// Epochs per 1,000 instructions: mean over the inputs, with these values of other axes; none is no limit.
    Epochs(Vec<(Axis, Option<AxisValue>)>),
}

/// A figure over two axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Map {
    pub of: MapOf,
    pub across: Axis,
    pub down: Axis,
    pub columns: Vec<AxisValue>,
    pub rows: Vec<AxisValue>,
    /// How many inputs are on the map.
    pub inputs: usize,
    /// Inputs, each with every problem that is not on the map.
    pub problems: usize,
    /// Row by row; none where an input has no such configuration.
    pub values: Vec<Vec<Option<f64>>>,
    /// Which of them have a star: what they are made of is not exact.
    pub inexact: Vec<Vec<bool>>,
}

/// An input by position, and the values of its problem that are not on the map.
type Sample = (usize, Vec<u64>);

/// By row and column of a map: how many times as long as the best, and whether that is not exact.
type Slowdowns = BTreeMap<(usize, usize), (f64, bool)>;

/// A sum over inputs.
#[derive(Clone, Copy, Default)]
struct Sum {
    sum: f64,
    count: usize,
    /// Whether a part of it is not exact.
    is_inexact: bool,
}

impl Sum {
    fn add(&mut self, value: f64, is_inexact: bool) {
        self.sum += value;
        self.count += 1;
        self.is_inexact |= is_inexact;
    }
}

type Sums = Vec<Vec<Sum>>;

impl Map {
    /// Of the inputs of this kind.
    pub(crate) fn of_time(
        axes: (Axis, Axis),
        of: RowKind,
        inputs: &[InputPart],
        configurations: &[Row],
    ) -> Map {
        let is_on = |axis: Axis| axes.0 == axis || axes.1 == axis;
        let over_latencies = is_on(Axis::Column(Column::LatencyCycles));
        let inputs = inputs.iter().filter(|input| input.kind == of);
        let inputs: Vec<&InputPart> = inputs.collect();
        let shown = |input: &InputPart| -> Vec<Group> {
            let first = input.groups.first().and_then(|group| group.latency);
            let is_shown = |group: &&Group| over_latencies || group.latency == first;
            input.groups.iter().filter(is_shown).cloned().collect()
        };
        let groups: Vec<Vec<Group>> = inputs.iter().map(|input| shown(input)).collect();
        let rows = groups.iter().flatten().flat_map(|group| {
            let numbers = group.configurations.iter();
            numbers.map(move |number| (&configurations[*number], group.latency))
        });
        let places = Places::of(axes, rows);
        // Of each input and problem, as far as that is not on the map.
        let mut samples: BTreeMap<Sample, Slowdowns> = BTreeMap::new();
        let mut with_times = BTreeSet::new();
        for (input, groups) in groups.iter().enumerate() {
            for group in groups {
                let off = group.problem.iter();
                let off = off.filter(|(position, _)| !is_on(Axis::Setting(*position)));
                let key = (input, off.map(|(_, value)| value.to_bits()).collect());
                let best = group.best.and_then(|best| {
                    let row = &configurations[best];
                    Some((group.time(row)?, !row.doubts().is_empty()))
                });
                for number in &group.configurations {
                    let row = &configurations[*number];
                    let place = places.place((row, group.latency));
                    let found = place.zip(group.time(row)).zip(best);
                    if let Some(((place, time), (best, is_inexact))) = found {
                        let slowdown = if best > 0.0 { time / best } else { 1.0 };
                        let found = (slowdown, is_inexact || !row.doubts().is_empty());
                        let least = samples.entry(key.clone()).or_default();
                        let known = least.entry(place).or_insert(found);
                        if found.0 < known.0 {
                            *known = found;
                        }
                        with_times.insert(input);
                    }
                }
            }
        }
        // Of logarithms.
        let mut sums = places.sums();
        for ((row, column), (slowdown, is_inexact)) in samples.values().flatten() {
            sums[*row][*column].add(slowdown.ln(), *is_inexact);
        }
        let first = groups.iter().flatten().next();
        let at = first
            .and_then(|group| group.latency)
            .filter(|_| !over_latencies);
        let problem = first.map_or(&[][..], |group| &group.problem);
        let problem = problem.iter().map(|(position, _)| *position).collect();
        let of = MapOf::Time { of, at, problem };
        let counts = (with_times.len(), samples.len());
        places.map(of, counts, &sums, f64::exp)
    }

    /// Axes that are not on the map stay at the first row's value; m at the first that there is, as in the ranking, or without
    /// one: no limit of outstanding misses.
    pub(crate) fn of_epochs(pair: (Axis, Axis), epochs: &[Row]) -> Map {
        let others = EPOCHS
            .into_iter()
            .filter(|axis| *axis != pair.0 && *axis != pair.1);
        let first = |axis: Axis| match axis {
            Axis::Column(Column::EpochSlots) => epochs.iter().find_map(|row| axis.value(row)),
            _ => epochs.first().and_then(|row| axis.value(row)),
        };
        let others: Vec<(Axis, Option<AxisValue>)> =
            others.map(|axis| (axis, first(axis))).collect();
        let places = Places::of(pair, epochs.iter().map(|row| (row, None)));
        let mut sums = places.sums();
        let mut inputs: Vec<&str> = Vec::new();
        for row in epochs {
            let input = row.text(Column::Input).unwrap_or_default();
            if inputs.last() != Some(&input) {
                inputs.push(input);
            }
            let is_chosen = others.iter().all(|(axis, value)| axis.value(row) == *value);
            let place = places.place((row, None));
            let found = place.zip(row.number(Column::EpochsPerThousand));
            if let Some(((at, column), frequency)) = found.filter(|_| is_chosen) {
                sums[at][column].add(frequency, !row.doubts().is_empty());
            }
        }
        let counts = (inputs.len(), inputs.len());
        places.map(MapOf::Epochs(others), counts, &sums, |mean| mean)
    }

    /// What it shows, in words.
    pub fn meaning(&self, settings: &[SweptSetting]) -> String {
        let inputs = counted(self.inputs, "input");
        let of = match &self.of {
            MapOf::Time { at, of, problem } => {
                let (at, same) = match (at, of) {
                    (_, RowKind::Program) => (String::new(), same(problem, settings)),
                    (Some(at), _) => (format!("At {at}: "), String::new()),
                    (None, _) => (String::new(), " at the same latency".to_string()),
                };
                let over = match self.problems == self.inputs {
                    true => inputs,
                    false => format!("{} of {inputs}", counted(self.problems, "problem")),
                };
                format!(
                    "{at}Time of a program relative to its best configuration{same}: geometric mean over {over}, each with the best \
                     of all other axes."
                )
            }
            MapOf::Epochs(others) => {
                let others: String = (others.iter())
                    .map(|(axis, value)| match value {
                        Some(value) => {
                            let label = axis.labels(std::slice::from_ref(value), settings);
                            format!(", {} {}", axis.name(settings), label.concat())
                        }
                        None => format!(", {} without limit", axis.name(settings)),
                    })
                    .collect();
                format!("Epochs per 1,000 instructions: mean over {inputs}{others}.")
            }
        };
        let axis = |axis: Axis| format!("{} ({})", axis.name(settings), axis.meaning(settings));
        format!(
            "{of} Across: {}. Down: {}.",
            axis(self.across),
            axis(self.down)
        )
    }

    /// What it is of, as the beginning of a title.
    pub fn title(&self) -> &'static str {
        match self.of {
            MapOf::Time {
                of: RowKind::Program,
                ..
            } => "Time of sources",
            MapOf::Time { .. } => "Time of traces",
            MapOf::Epochs(_) => "Epochs",
        }
    }
}

/// What is the same for all that are compared.
fn same(problem: &[usize], settings: &[SweptSetting]) -> String {
    let names = problem.iter().map(|at| settings[*at].name.as_str());
    match &names.collect::<Vec<&str>>()[..] {
        [] => String::new(),
        [first @ .., last] if !first.is_empty() => {
            format!(" for the same {} and {last}", first.join(", "))
        }
        names => format!(" for the same {}", names.concat()),
    }
}

/// A row, and the latency at which it is compared.
type Compared<'r> = (&'r Row, Option<Latency>);

/// Where it is on an axis: machines at latencies of their own have them in common.
fn value(axis: Axis, (row, latency): Compared) -> Option<AxisValue> {
    match (axis, latency) {
        (Axis::Column(Column::LatencyCycles), Some(Latency::OfMachine)) => {
            Some(AxisValue::Text(OF_MACHINE.to_string()))
        }
        _ => axis.value(row),
    }
}

/// The places of a map.
struct Places {
    axes: (Axis, Axis),
    columns: Vec<AxisValue>,
    rows: Vec<AxisValue>,
}

impl Places {
    /// Of rows that are on both axes.
    fn of<'r>((across, down): (Axis, Axis), all: impl Iterator<Item = Compared<'r>>) -> Places {
        let (mut columns, mut rows) = (Vec::new(), Vec::new());
        for compared in all {
            if let Some((column, row)) = value(across, compared).zip(value(down, compared)) {
                columns.push(column);
                rows.push(row);
            }
        }
        Places {
            axes: (across, down),
            columns: in_order(each_once(columns)),
            rows: in_order(each_once(rows)),
        }
    }

    fn sums(&self) -> Sums {
        vec![vec![Sum::default(); self.columns.len()]; self.rows.len()]
    }

    /// Row and column.
    fn place(&self, compared: Compared) -> Option<(usize, usize)> {
        let position = |axis: Axis, of: &[AxisValue]| {
            let value = value(axis, compared)?;
            of.iter().position(|known| *known == value)
        };
        position(self.axes.1, &self.rows).zip(position(self.axes.0, &self.columns))
    }

    /// Means where all inputs are.
    fn map(
        self,
        of: MapOf,
        (inputs, problems): (usize, usize),
        sums: &Sums,
        finish: impl Fn(f64) -> f64,
    ) -> Map {
        let mean = |sum: &Sum| {
            (sum.count == problems && problems > 0).then(|| finish(sum.sum / problems as f64))
        };
        let values = sums.iter().map(|row| row.iter().map(mean).collect());
        let inexact = sums
            .iter()
            .map(|row| row.iter().map(|sum| sum.is_inexact).collect());
        Map {
            of,
            across: self.axes.0,
            down: self.axes.1,
            columns: self.columns,
            rows: self.rows,
            inputs,
            problems,
            values: values.collect(),
            inexact: inexact.collect(),
        }
    }
}

/// Numbers by size, behind them texts as they come.
fn in_order(mut values: Vec<AxisValue>) -> Vec<AxisValue> {
    let key = |value: &AxisValue| match value {
        AxisValue::Number(value) => *value,
        AxisValue::Text(_) => f64::INFINITY,
    };
    values.sort_by(|one, other| key(one).total_cmp(&key(other)));
    values
}

/// Pairs of axes, each with more than one value, that have a map if nothing is asked for. Across is what is chosen and has the
/// most values, down every other axis, those with the most values first: maps over two things that nobody chooses would
/// compare nothing.
pub(crate) fn usual_pairs(
    axes: &[Axis],
    settings: &[SweptSetting],
    rows: &[Row],
) -> Vec<(Axis, Axis)> {
    let count = |axis: &Axis| values(*axis, rows.iter()).len();
    let mut by_count: Vec<(Axis, usize)> = axes.iter().map(|axis| (*axis, count(axis))).collect();
    by_count.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let mut chosen = by_count.iter().map(|(axis, _)| *axis);
    let Some(across) = chosen.find(|axis| axis.is_choice(settings)) else {
        return Vec::new();
    };
    let others = by_count.iter().map(|(axis, _)| (across, *axis));
    others
        .filter(|pair| pair.1 != across && are_together(*pair, rows))
        .collect()
}

/// The first two axes that a row has a value on.
pub(crate) fn first_pair(axes: &[Axis], rows: &[Row]) -> Option<(Axis, Axis)> {
    let pairs = axes.iter().enumerate().flat_map(|(number, first)| {
        let others = axes[number + 1..].iter();
        others.map(move |second| (*first, *second))
    });
    pairs.into_iter().find(|pair| are_together(*pair, rows))
}

/// Whether a row has values on both.
pub(crate) fn are_together((one, other): (Axis, Axis), rows: &[Row]) -> bool {
    let is_on = |row: &Row| one.value(row).is_some() && other.value(row).is_some();
    rows.iter().any(is_on)
}
