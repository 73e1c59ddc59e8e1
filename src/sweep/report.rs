//! What the rows of a sweep say together: the best configuration of every program, how much worse others are over two
//! axes, what more area buys, and which programs feel memory's latency most.

use std::collections::BTreeMap;

use crate::columns::{Column, setting_name};
use crate::row::{Row, RowKind};
use crate::sensitive::{FirstEpochs, Ranking};

/// An axis of the sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Axis {
    Column(Column),
    /// By position in the manifest.
    Setting(usize),
}

/// Columns that configure a row, in the order in which maps prefer them.
const CONFIGURING: [Column; 5] = [
    Column::Caches,
    Column::LatencyCycles,
    Column::Slots,
    Column::Machine,
    Column::AreaMm2,
];

impl Axis {
    /// As the data set calls it.
    pub fn name(self, settings: &[String]) -> String {
        match self {
            Axis::Column(column) => column.entry().name.to_string(),
            Axis::Setting(position) => setting_name(&settings[position]),
        }
    }

    /// The value of a row; none where it does not apply.
    pub fn value(self, row: &Row) -> Option<AxisValue> {
        match self {
            Axis::Column(column) => match row.text(column) {
                Some(text) => Some(AxisValue::Text(text.to_string())),
                None => row.number(column).map(AxisValue::Number),
            },
            Axis::Setting(position) => row.setting(position).map(AxisValue::Number),
        }
    }
}

/// A value on an axis.
#[derive(Clone, Debug, PartialEq)]
pub enum AxisValue {
    Number(f64),
    Text(String),
}

impl std::fmt::Display for AxisValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            AxisValue::Number(value) => value.fmt(f),
            AxisValue::Text(text) => f.write_str(text),
        }
    }
}

/// Everything together.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepReport {
    pub settings: Vec<String>,
    /// Configurations of whole programs and runs, those of an input together, in the order of the plan.
    pub configurations: Vec<Row>,
    /// Where each input's configurations are, by position, and which of them is the fastest.
    pub inputs: Vec<InputPart>,
    /// Axes with more than one value.
    pub axes: Vec<Axis>,
    /// Time over two axes.
    pub map: Option<Map>,
    /// Positions of the configurations of every input that no other one beats in both time and area, by area.
    pub fronts: Vec<usize>,
    /// The traces, the most sensitive to latency first.
    pub ranking: Ranking,
    /// Shards that failed: the input and why.
    pub failed: Vec<(String, String)>,
}

/// One input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputPart {
    pub name: String,
    pub configurations: std::ops::Range<usize>,
    /// The position of the fastest; the first of those, the smallest first. None if no time is known.
    pub best: Option<usize>,
}

/// How many times as long programs take as with their best configuration, over two axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Map {
    pub across: Axis,
    pub down: Axis,
    pub columns: Vec<AxisValue>,
    pub rows: Vec<AxisValue>,
    /// How many inputs are on the map.
    pub inputs: usize,
    /// Geometric mean over these inputs, each with the best of all other axes, row by row; none where an input has no such
    /// configuration.
    pub slowdowns: Vec<Vec<Option<f64>>>,
}

/// What configurations are compared by.
pub fn time(row: &Row) -> Option<f64> {
    row.number(Column::TimeSeconds)
}

impl SweepReport {
    /// Of rows in the order of the plan; those of nests are passed over. `asked` are axes of the map, by name.
    ///
    /// # Errors
    /// An axis of the map has no such name or only one value: says which there are.
    pub fn of(
        settings: &[String],
        rows: impl Iterator<Item = Row>,
        asked: Option<(&str, &str)>,
    ) -> Result<SweepReport, UnknownAxis> {
        let (mut configurations, mut failed) = (Vec::new(), Vec::new());
        let mut epochs = FirstEpochs::default();
        for row in rows {
            if row.is(RowKind::Program) || row.is(RowKind::Trace) {
                configurations.push(row);
            } else if row.is(RowKind::Epochs) {
                epochs.add(row);
            } else if row.is(RowKind::Error) {
                let text = |column| row.text(column).unwrap_or_default().to_string();
                failed.push((text(Column::Input), text(Column::Error)));
            }
        }
        let inputs = inputs(&configurations);
        let axes = axes(settings.len(), &configurations);
        let named = |name: &str| {
            let axis = axes.iter().find(|axis| axis.name(settings) == name);
            axis.copied().ok_or_else(|| UnknownAxis {
                name: name.to_string(),
                known: axes.iter().map(|axis| axis.name(settings)).collect(),
            })
        };
        let pair = match asked {
            Some((across, down)) => Some((named(across)?, named(down)?)),
            None => first_pair(&axes, &configurations),
        };
        Ok(SweepReport {
            settings: settings.to_vec(),
            map: pair.map(|pair| Map::of(pair, &inputs, &configurations)),
            fronts: fronts(&inputs, &configurations),
            ranking: epochs.ranking(&inputs, &configurations),
            inputs,
            axes,
            configurations,
            failed,
        })
    }
}

/// An axis that there is not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no axis with several values is called `{name}`; there are {}", if known.is_empty() { "none".to_string() } else { known.join(", ") })]
pub struct UnknownAxis {
    name: String,
    known: Vec<String>,
}

fn inputs(configurations: &[Row]) -> Vec<InputPart> {
    let mut inputs: Vec<InputPart> = Vec::new();
    for (number, row) in configurations.iter().enumerate() {
        let name = row.text(Column::Input).unwrap_or_default();
        match inputs.last_mut() {
            Some(last) if last.name == name => last.configurations.end = number + 1,
            _ => inputs.push(InputPart {
                name: name.to_string(),
                configurations: number..number + 1,
                best: None,
            }),
        }
    }
    for input in &mut inputs {
        let size = |number: &usize| {
            let row = &configurations[*number];
            (time(row).unwrap_or(f64::INFINITY), area(row))
        };
        let known = input.configurations.clone();
        let known = known.filter(|number| time(&configurations[*number]).is_some());
        input.best = known.min_by(|one, other| {
            let ((t, a), (u, b)) = (size(one), size(other));
            t.total_cmp(&u).then(a.total_cmp(&b))
        });
    }
    inputs
}

/// A configuration without an area comes behind those that have one.
fn area(row: &Row) -> f64 {
    row.number(Column::AreaMm2).unwrap_or(f64::INFINITY)
}

fn axes(settings: usize, configurations: &[Row]) -> Vec<Axis> {
    let columns = CONFIGURING.into_iter().map(Axis::Column);
    let all = (0..settings).map(Axis::Setting).chain(columns);
    // The area follows from the caches.
    let is_free = |axis: &Axis| *axis != Axis::Column(Column::AreaMm2);
    all.filter(is_free)
        .filter(|axis| values(*axis, configurations).len() > 1)
        .collect()
}

/// The first two axes that a configuration has a value on: sources have no caches, traces no sizes.
fn first_pair(axes: &[Axis], configurations: &[Row]) -> Option<(Axis, Axis)> {
    let is_on = |pair: &(Axis, Axis)| {
        let on = |row: &Row| pair.0.value(row).is_some() && pair.1.value(row).is_some();
        configurations.iter().any(on)
    };
    let pairs = axes.iter().enumerate().flat_map(|(number, first)| {
        let others = axes[number + 1..].iter();
        others.map(move |second| (*first, *second))
    });
    pairs.into_iter().find(is_on)
}

/// Values in the order of the plan.
fn values(axis: Axis, configurations: &[Row]) -> Vec<AxisValue> {
    let mut found = Vec::new();
    for value in configurations.iter().filter_map(|row| axis.value(row)) {
        if !found.contains(&value) {
            found.push(value);
        }
    }
    found
}

impl Map {
    fn of((across, down): (Axis, Axis), inputs: &[InputPart], configurations: &[Row]) -> Map {
        let (columns, rows) = (values(across, configurations), values(down, configurations));
        let position = |axis: Axis, of: &[AxisValue], row: &Row| {
            let value = axis.value(row)?;
            of.iter().position(|known| *known == value)
        };
        // Sums of logarithms, and of how many inputs.
        let mut sums = vec![vec![(0.0, 0usize); columns.len()]; rows.len()];
        let mut counted = 0;
        for input in inputs {
            let Some(best) = input.best.and_then(|best| time(&configurations[best])) else {
                continue;
            };
            let mut least: BTreeMap<(usize, usize), f64> = BTreeMap::new();
            for row in &configurations[input.configurations.clone()] {
                let place = position(down, &rows, row).zip(position(across, &columns, row));
                if let Some((place, time)) = place.zip(time(row)) {
                    let known = least.entry(place).or_insert(time);
                    *known = known.min(time);
                }
            }
            // Traces have no sizes, sources no caches: such an input is on no place of the map.
            counted += usize::from(!least.is_empty());
            for ((row, column), time) in least {
                let slowdown = if best > 0.0 { time / best } else { 1.0 };
                sums[row][column].0 += slowdown.ln();
                sums[row][column].1 += 1;
            }
        }
        let mean = |(sum, count): &(f64, usize)| {
            (*count == counted && counted > 0).then(|| (sum / counted as f64).exp())
        };
        Map {
            across,
            down,
            columns,
            rows,
            inputs: counted,
            slowdowns: sums
                .iter()
                .map(|row| row.iter().map(mean).collect())
                .collect(),
        }
    }
}

fn fronts(inputs: &[InputPart], configurations: &[Row]) -> Vec<usize> {
    let mut front = Vec::new();
    for input in inputs {
        let known = |number: &usize| {
            let row = &configurations[*number];
            time(row).is_some() && row.number(Column::AreaMm2).is_some()
        };
        let mut numbers: Vec<usize> = input.configurations.clone().filter(known).collect();
        let key = |number: usize| {
            let row = &configurations[number];
            (area(row), time(row).unwrap_or(f64::INFINITY))
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
                front.push(number);
            }
        }
    }
    front
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(input: &str, caches: &str, latency: f64, (time, area): (f64, f64)) -> Row {
        Row::new(input, RowKind::Trace)
            .with_text(Column::Caches, caches)
            .with(Column::LatencyCycles, latency)
            .with(Column::TimeSeconds, time)
            .with(Column::AreaMm2, area)
            .with(Column::RelativeLambda, 1.0 / time)
    }

    fn report() -> SweepReport {
        let rows = [
            run("a", "small", 50.0, (8.0, 1.0)),
            run("a", "small", 100.0, (16.0, 1.0)),
            run("a", "large", 50.0, (4.0, 2.0)),
            run("a", "large", 100.0, (4.0, 2.0)),
            run("b", "small", 50.0, (1.0, 1.0)),
            run("b", "small", 100.0, (2.0, 1.0)),
            run("b", "large", 50.0, (1.0, 2.0)),
            run("b", "large", 100.0, (8.0, 2.0)),
            Row::new("c", RowKind::Error).with_text(Column::Error, "why"),
        ];
        SweepReport::of(&[], rows.into_iter(), None).expect("a report")
    }

    #[test]
    fn the_best_is_the_fastest_and_of_those_the_smallest() {
        let report = report();
        let best: Vec<Option<usize>> = report.inputs.iter().map(|input| input.best).collect();
        assert_eq!(best, [Some(2), Some(4)]);
        assert_eq!(report.failed, [("c".to_string(), "why".to_string())]);
    }

    /// Means of 2 and 1, 4 and 2, 1 and 1, 1 and 8.
    #[test]
    fn a_map_has_geometric_means_of_slowdowns() {
        let map = report().map.expect("two axes");
        assert_eq!((map.columns.len(), map.inputs), (2, 2));
        let rounded: Vec<Vec<f64>> = map
            .slowdowns
            .iter()
            .map(|row| {
                row.iter()
                    .map(|value| (value.expect("known").powi(2) * 1e6).round() / 1e6)
                    .collect()
            })
            .collect();
        // Caches across, latencies down; squares.
        assert_eq!(rounded, [[2.0, 1.0], [8.0, 8.0]]);
    }

    /// No configuration has both a size and caches.
    #[test]
    fn a_map_is_over_axes_that_go_together() {
        let source = |size| {
            let row = Row::new("s", RowKind::Program).with(Column::TimeSeconds, size);
            row.with_settings(&[size])
        };
        let rows = [
            source(1.0),
            source(2.0),
            run("a", "small", 50.0, (1.0, 1.0)),
            run("a", "small", 100.0, (1.0, 1.0)),
            run("a", "large", 50.0, (1.0, 2.0)),
        ];
        let report = SweepReport::of(&["n".to_string()], rows.into_iter(), None);
        let map = report.expect("a report").map.expect("two axes");
        assert_eq!(map.across, Axis::Column(Column::Caches));
        assert_eq!(map.down, Axis::Column(Column::LatencyCycles));
        assert_eq!((map.inputs, map.slowdowns[1][1]), (1, None));
    }

    #[test]
    fn fronts_leave_out_what_others_beat_in_both() {
        assert_eq!(report().fronts, [0, 2, 4]);
        let ranked = report().ranking.traces;
        let order: Vec<usize> = ranked.iter().map(|trace| trace.configuration).collect();
        assert_eq!(order, [4, 0]);
    }

    #[test]
    fn an_unknown_axis_names_those_there_are() {
        let rows = [
            run("a", "x", 1.0, (1.0, 1.0)),
            run("a", "y", 1.0, (1.0, 1.0)),
        ];
        let error = SweepReport::of(&[], rows.into_iter(), Some(("caches", "slots")));
        let error = error.expect_err("slots has one value").to_string();
        assert!(error.contains("`slots`; there are caches"), "{error}");
    }
}
