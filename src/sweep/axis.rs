//! The axes of a sweep, as columns of its rows.

use crate::columns::{Column, setting_name};
use crate::row::Row;

/// An axis of the sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Axis {
    Column(Column),
    /// By position in the manifest.
    Setting(usize),
}

/// Columns that configure a row, in the order in which maps prefer them.
const CONFIGURING: [Column; 4] = [
    Column::Caches,
    Column::LatencyCycles,
    Column::Slots,
    Column::Machine,
];

/// Axes that follow from others: maps have them if they are asked for.
pub const FOLLOWING: [Axis; 4] = [
    Axis::Column(Column::FirstCacheBytes),
    Axis::Column(Column::LastCacheBytes),
    Axis::Column(Column::AreaMm2),
    Axis::Column(Column::Ghz),
];

/// Axes of epochs.
pub const EPOCHS: [Axis; 3] = [
    Axis::Column(Column::Window),
    Axis::Column(Column::LastCacheBytes),
    Axis::Column(Column::EpochSlots),
];

/// Axes of configurations: so many settings, and the columns.
pub fn configuring(settings: usize) -> Vec<Axis> {
    let columns = CONFIGURING.into_iter().map(Axis::Column);
    (0..settings).map(Axis::Setting).chain(columns).collect()
}

/// Values in the order of the plan.
pub fn values<'r>(axis: Axis, rows: impl Iterator<Item = &'r Row>) -> Vec<AxisValue> {
    let mut found = Vec::new();
    for value in rows.filter_map(|row| axis.value(row)) {
        if !found.contains(&value) {
            found.push(value);
        }
    }
    found
}

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
