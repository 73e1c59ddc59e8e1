//! The axes of a sweep, as columns of its rows.

use std::collections::HashSet;

use crate::cache::CacheSpec;
use crate::columns::{Column, setting_name};
use crate::quantity::binary_size;
use crate::ranges::plain;
use crate::row::{Row, RowKind};
use crate::swept::SweptSetting;

/// An axis of the sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Axis {
    Column(Column),
    /// By position in the manifest.
    Setting(usize),
}

/// Axes that follow from others: maps have them if they are asked for.
pub const FOLLOWING: [Axis; 5] = [
    Axis::Column(Column::Caches),
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

/// Axes of these configurations, in the order in which maps prefer them: what is chosen (caches, slots, machine, parameters of
/// it), the latency of memory, the problem. Caches are sizes where every size stands for one hierarchy, since sizes have an
/// order.
pub fn configuring(settings: &[SweptSetting], rows: &[Row]) -> Vec<Axis> {
    let caches = Axis::Column(Column::Caches);
    let size = Axis::Column(Column::LastCacheBytes);
    let count = |axis: Axis| values(axis, rows.iter()).len();
    let caches = if count(size) == count(caches) {
        size
    } else {
        caches
    };
    let columns = [Column::Slots, Column::Machine, Column::LatencyCycles].map(Axis::Column);
    let mut axes = vec![caches];
    axes.extend(columns);
    axes.extend((0..settings.len()).map(Axis::Setting));
    // The sort is stable.
    axes.sort_by_key(|axis| !axis.is_choice(settings));
    axes
}

/// Values, each once, in the order of the plan.
pub fn values<'r>(axis: Axis, rows: impl Iterator<Item = &'r Row>) -> Vec<AxisValue> {
    each_once(rows.filter_map(|row| axis.value(row)))
}

/// Values, each once, in their order.
pub(crate) fn each_once(values: impl IntoIterator<Item = AxisValue>) -> Vec<AxisValue> {
    let mut known = HashSet::new();
    let values = values.into_iter();
    values.filter(|value| known.insert(value.key())).collect()
}

/// Where machines are that are compared at latencies of their own.
pub(crate) const OF_MACHINE: &str = "machine";

impl Axis {
    /// Whether somebody may choose its value for the same problem: not the problem, and not the latency of memory.
    pub fn is_choice(self, settings: &[SweptSetting]) -> bool {
        match self {
            Axis::Setting(position) => settings[position].role.is_choice(),
            Axis::Column(column) => column != Column::LatencyCycles,
        }
    }

    /// As the data set calls it.
    pub fn name(self, settings: &[SweptSetting]) -> String {
        match self {
            Axis::Column(column) => column.entry().name.to_string(),
            Axis::Setting(position) => setting_name(&settings[position].name),
        }
    }

    /// What it is, with its unit.
    pub fn meaning(self, settings: &[SweptSetting]) -> String {
        let (meaning, unit) = match self {
            Axis::Setting(position) => return settings[position].meaning(),
            Axis::Column(column) => (column.entry().meaning, column.entry().unit),
        };
        match unit {
            "" => meaning.to_string(),
            unit => format!("{meaning}, in {unit}"),
        }
    }

    /// Values as people read them: sizes in units, caches without what all of them share.
    pub fn labels(self, values: &[AxisValue], settings: &[SweptSetting]) -> Vec<String> {
        let is_size = match self {
            Axis::Column(Column::Caches) => return short(values),
            Axis::Column(column) => column.entry().unit == "B",
            Axis::Setting(position) => settings[position].role.bytes,
        };
        match is_size {
            true => values.iter().map(size).collect(),
            false => values.iter().map(ToString::to_string).collect(),
        }
    }

    /// The value of a row; none where it does not apply.
    pub fn value(self, row: &Row) -> Option<AxisValue> {
        match self {
            // Without caches a run has none of any size.
            Axis::Column(column @ (Column::FirstCacheBytes | Column::LastCacheBytes))
                if row.is(RowKind::Trace) =>
            {
                Some(AxisValue::Number(row.number(column).unwrap_or(0.0)))
            }
            Axis::Column(column) => match row.text(column) {
                Some(text) => Some(AxisValue::Text(text.to_string())),
                None => row.number(column).map(AxisValue::Number),
            },
            Axis::Setting(position) => row.setting(position).map(AxisValue::Number),
        }
    }
}

fn size(value: &AxisValue) -> String {
    match value {
        AxisValue::Number(0.0) => "no cache".to_string(),
        AxisValue::Number(bytes) => binary_size(*bytes as u64),
        AxisValue::Text(text) => text.clone(),
    }
}

/// Hierarchies by their sizes, and those options that differ between any of their levels.
fn short(values: &[AxisValue]) -> Vec<String> {
    let all = all_levels(values);
    let is_shared = |option: &String| all.iter().all(|level| options(level).contains(option));
    let one = |level: &CacheSpec| {
        let own = options(level)
            .into_iter()
            .filter(|option| !is_shared(option));
        let parts = std::iter::once(binary_size(level.bytes)).chain(own);
        parts.collect::<Vec<String>>().join(" ")
    };
    let label = |value: &AxisValue| match levels(value) {
        Some(levels) => levels.iter().map(one).collect::<Vec<String>>().join(" + "),
        None => value.to_string(),
    };
    values.iter().map(label).collect()
}

/// What labels of hierarchies leave out, since all levels have it: `caches 8way, 64B, lru`; empty if that is nothing.
pub(crate) fn shared_options(values: &[AxisValue]) -> String {
    let all = all_levels(values);
    let first = all.first().map(options).unwrap_or_default();
    let is_shared = |option: &&String| all.iter().all(|level| options(level).contains(option));
    let shared: Vec<&str> = (first.iter().filter(is_shared))
        .map(String::as_str)
        .collect();
    match shared.is_empty() {
        true => String::new(),
        false => format!("caches {}", shared.join(" ")),
    }
}

/// None of what is not a hierarchy.
fn levels(value: &AxisValue) -> Option<Vec<CacheSpec>> {
    let text = value.to_string();
    text.split(" + ").map(|level| level.parse().ok()).collect()
}

fn all_levels(values: &[AxisValue]) -> Vec<CacheSpec> {
    values.iter().filter_map(levels).flatten().collect()
}

/// All but the size.
fn options(level: &CacheSpec) -> Vec<String> {
    let text = CacheSpec { bytes: 0, ..*level }.to_string();
    text.split(',').skip(1).map(str::to_string).collect()
}

/// A value on an axis.
#[derive(Clone, Debug, PartialEq)]
pub enum AxisValue {
    Number(f64),
    Text(String),
}

/// What values are the same by.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    Bits(u64),
    Text(String),
}

impl AxisValue {
    fn key(&self) -> Key {
        match self {
            // Both zeros are one value.
            AxisValue::Number(value) => Key::Bits((value + 0.0).to_bits()),
            AxisValue::Text(text) => Key::Text(text.clone()),
        }
    }
}

impl std::fmt::Display for AxisValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            AxisValue::Number(value) => f.write_str(&plain(*value)),
            AxisValue::Text(text) => f.write_str(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_short() {
        let labels = |column, values: &[AxisValue]| Axis::Column(column).labels(values, &[]);
        let sizes = [0.0, 1024.0, 1_048_576.0].map(AxisValue::Number);
        let expected = ["no cache", "1 KiB", "1 MiB"];
        assert_eq!(labels(Column::LastCacheBytes, &sizes), expected);
        let caches = [
            "none",
            "1KiB,4way,64B,lru,write-back",
            "1KiB,4way,64B,lru,write-back + 16KiB,8way,64B,fifo,write-back",
        ];
        let caches = caches.map(|text| AxisValue::Text(text.to_string()));
        let expected = [
            "none",
            "1 KiB 4way lru",
            "1 KiB 4way lru + 16 KiB 8way fifo",
        ];
        assert_eq!(labels(Column::Caches, &caches), expected);
    }
}
