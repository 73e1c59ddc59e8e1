//! Figures over two axes.

use std::collections::BTreeMap;

use crate::axis::{Axis, AxisValue, EPOCHS, values};
use crate::columns::Column;
use crate::report::{InputPart, time};
use crate::row::Row;

/// What a map shows.
#[derive(Clone, Debug, PartialEq)]
pub enum MapOf {
    /// How many times as long as with its best configuration a program takes: geometric mean over the inputs, each with
    /// the best of all other axes.
    Time,
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
    /// Row by row; none where an input has no such configuration.
    pub values: Vec<Vec<Option<f64>>>,
}

/// Sums over inputs, and of how many.
type Sums = Vec<Vec<(f64, usize)>>;

impl Map {
    pub(crate) fn of_time(axes: (Axis, Axis), inputs: &[InputPart], configurations: &[Row]) -> Map {
        let places = Places::of(axes, configurations);
        // Of logarithms.
        let mut sums = places.sums();
        let mut counted = 0;
        for input in inputs {
            let Some(best) = input.best.and_then(|best| time(&configurations[best])) else {
                continue;
            };
            let mut least: BTreeMap<(usize, usize), f64> = BTreeMap::new();
            for row in &configurations[input.configurations.clone()] {
                if let Some((place, time)) = places.place(row).zip(time(row)) {
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
        places.map(MapOf::Time, counted, &sums, f64::exp)
    }

    /// Axes that are not on the map stay at the first row's value, or without one: no limit of misses under way.
    pub(crate) fn of_epochs(pair: (Axis, Axis), epochs: &[Row]) -> Map {
        let others = EPOCHS
            .into_iter()
            .filter(|axis| *axis != pair.0 && *axis != pair.1);
        let others: Vec<(Axis, Option<AxisValue>)> = others
            .map(|axis| (axis, epochs.first().and_then(|row| axis.value(row))))
            .collect();
        let places = Places::of(pair, epochs);
        let mut sums = places.sums();
        let mut inputs: Vec<&str> = Vec::new();
        for row in epochs {
            let input = row.text(Column::Input).unwrap_or_default();
            if inputs.last() != Some(&input) {
                inputs.push(input);
            }
            let is_chosen = others.iter().all(|(axis, value)| axis.value(row) == *value);
            let found = places.place(row).zip(row.number(Column::EpochsPerThousand));
            if let Some(((row, column), frequency)) = found.filter(|_| is_chosen) {
                sums[row][column].0 += frequency;
                sums[row][column].1 += 1;
            }
        }
        places.map(MapOf::Epochs(others), inputs.len(), &sums, |mean| mean)
    }

    /// What it shows, in words.
    pub fn meaning(&self, settings: &[String]) -> String {
        let inputs = self.inputs;
        match &self.of {
            MapOf::Time => format!(
                "How many times as long as with its best configuration a program takes: geometric mean over {inputs} inputs, \
                 each with the best of all other axes."
            ),
            MapOf::Epochs(others) => {
                let others: String = (others.iter())
                    .map(|(axis, value)| match value {
                        Some(value) => format!(", {} {value}", axis.name(settings)),
                        None => format!(", {} without limit", axis.name(settings)),
                    })
                    .collect();
                format!("Epochs per 1,000 instructions: mean over {inputs} inputs{others}.")
            }
        }
    }

    /// What it is of, as the beginning of a title.
    pub fn title(&self) -> &'static str {
        match self.of {
            MapOf::Time => "Time",
            MapOf::Epochs(_) => "Epochs",
        }
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
    fn of((across, down): (Axis, Axis), all: &[Row]) -> Places {
        let is_on = |row: &&Row| across.value(row).is_some() && down.value(row).is_some();
        let on = || all.iter().filter(is_on);
        Places {
            axes: (across, down),
            columns: values(across, on()),
            rows: values(down, on()),
        }
    }

    fn sums(&self) -> Sums {
        vec![vec![(0.0, 0); self.columns.len()]; self.rows.len()]
    }

    /// Row and column.
    fn place(&self, row: &Row) -> Option<(usize, usize)> {
        let position = |axis: Axis, of: &[AxisValue]| {
            let value = axis.value(row)?;
            of.iter().position(|known| *known == value)
        };
        position(self.axes.1, &self.rows).zip(position(self.axes.0, &self.columns))
    }

    /// Means where all inputs are.
    fn map(self, of: MapOf, inputs: usize, sums: &Sums, finish: impl Fn(f64) -> f64) -> Map {
        let mean = |(sum, count): &(f64, usize)| {
            (*count == inputs && inputs > 0).then(|| finish(sum / inputs as f64))
        };
        let values = sums.iter().map(|row| row.iter().map(mean).collect());
        Map {
            of,
            across: self.axes.0,
            down: self.axes.1,
            columns: self.columns,
            rows: self.rows,
            inputs,
            values: values.collect(),
        }
    }
}

/// The first two axes that a row has a value on: sources have no caches, traces no sizes.
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
