//! The axes of a sweep, as columns of its rows.

use crate::cache::CacheSpec;
use crate::columns::{Column, setting_name};
use crate::quantity::binary_size;
use crate::row::{Row, RowKind};

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

/// Axes of these configurations, in the order in which maps prefer them: settings, caches, latency, slots, machine. Caches
/// are sizes where every size stands for one hierarchy, since sizes have an order.
pub fn configuring(settings: usize, rows: &[Row]) -> Vec<Axis> {
    let caches = Axis::Column(Column::Caches);
    let size = Axis::Column(Column::LastCacheBytes);
    let count = |axis: Axis| values(axis, rows.iter()).len();
    let caches = if count(size) == count(caches) {
        size
    } else {
        caches
    };
    let columns = [Column::LatencyCycles, Column::Slots, Column::Machine];
    (0..settings)
        .map(Axis::Setting)
        .chain([caches])
        .chain(columns.map(Axis::Column))
        .collect()
}

/// Values, each once, in the order of the plan.
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

    /// What it is, with its unit.
    pub fn meaning(self, settings: &[String]) -> String {
        let (meaning, unit) = match self {
            Axis::Setting(position) => return format!("parameter {}", settings[position]),
            Axis::Column(column) => (column.entry().meaning, column.entry().unit),
        };
        match unit {
            "" => meaning.to_string(),
            unit => format!("{meaning}, in {unit}"),
        }
    }

    /// Values as people read them: sizes in units, caches without what all of them share.
    pub fn labels(self, values: &[AxisValue]) -> Vec<String> {
        match self {
            Axis::Column(Column::Caches) => short(values),
            Axis::Column(column) if column.entry().unit == "B" => values.iter().map(size).collect(),
            _ => values.iter().map(ToString::to_string).collect(),
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
    let levels = |value: &AxisValue| -> Option<Vec<CacheSpec>> {
        let text = value.to_string();
        text.split(" + ").map(|level| level.parse().ok()).collect()
    };
    let hierarchies: Vec<Option<Vec<CacheSpec>>> = values.iter().map(levels).collect();
    let all: Vec<CacheSpec> = hierarchies.iter().flatten().flatten().copied().collect();
    let options = |level: &CacheSpec| {
        let text = CacheSpec { bytes: 0, ..*level }.to_string();
        text.split(',')
            .skip(1)
            .map(str::to_string)
            .collect::<Vec<String>>()
    };
    let is_shared = |option: &String| all.iter().all(|level| options(level).contains(option));
    let one = |level: &CacheSpec| {
        let own = options(level)
            .into_iter()
            .filter(|option| !is_shared(option));
        let parts = std::iter::once(binary_size(level.bytes)).chain(own);
        parts.collect::<Vec<String>>().join(" ")
    };
    let of = |(value, levels): (&AxisValue, &Option<Vec<CacheSpec>>)| match levels {
        Some(levels) => levels.iter().map(one).collect::<Vec<String>>().join(" + "),
        None => value.to_string(),
    };
    values.iter().zip(&hierarchies).map(of).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_short() {
        let labels = |column, values: &[AxisValue]| Axis::Column(column).labels(values);
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
