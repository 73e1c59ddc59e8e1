//! Configurations in words: only what differs between them, and once what all of them have in common.

use crate::axis::{Axis, AxisValue, shared_options, values};
use crate::columns::Column;
use crate::row::{Row, RowKind};
use crate::swept::SweptSetting;

const LATENCY: Axis = Axis::Column(Column::LatencyCycles);

/// How configurations of one kind are written.
pub struct Description<'r> {
    settings: &'r [SweptSetting],
    /// Axes with more than one value, and how their values are written.
    differing: Vec<(Axis, Vec<(AxisValue, String)>)>,
    shared: Vec<String>,
}

impl<'r> Description<'r> {
    pub fn of(kind: RowKind, configurations: &[Row], settings: &'r [SweptSetting]) -> Self {
        let rows: Vec<&Row> = configurations.iter().filter(|row| row.is(kind)).collect();
        let columns = [
            Column::Machine,
            Column::Caches,
            Column::LatencyCycles,
            Column::Slots,
        ];
        let of_settings = (0..settings.len()).map(Axis::Setting);
        let axes = columns.into_iter().map(Axis::Column).chain(of_settings);
        let (mut differing, mut shared) = (Vec::new(), Vec::new());
        for axis in axes {
            let values = values(axis, rows.iter().copied());
            match &values[..] {
                [] => {}
                [AxisValue::Text(text)] if axis == Axis::Column(Column::Caches) => {
                    shared.push(format!("caches {text}"));
                }
                [value] => {
                    let label = axis.labels(std::slice::from_ref(value), settings).concat();
                    shared.push(part(axis, &label, settings));
                }
                _ => {
                    if axis == Axis::Column(Column::Caches) {
                        shared.extend(Some(shared_options(&values)).filter(|all| !all.is_empty()));
                    }
                    let labels = axis.labels(&values, settings);
                    differing.push((axis, values.into_iter().zip(labels).collect()));
                }
            }
        }
        Description {
            settings,
            differing,
            shared,
        }
    }

    /// What all configurations have in common; empty if that is nothing.
    pub fn shared(&self) -> String {
        self.shared.join(", ")
    }

    /// What is chosen of a configuration.
    pub fn choice(&self, row: &Row) -> String {
        self.parts(row, |axis| axis.is_choice(self.settings))
    }

    /// What is given: the problem.
    pub fn problem(&self, row: &Row) -> String {
        self.parts(row, |axis| {
            matches!(axis, Axis::Setting(_)) && !axis.is_choice(self.settings)
        })
    }

    /// All that configures a row.
    pub fn all(&self, row: &Row) -> String {
        self.parts(row, |_| true)
    }

    fn parts(&self, row: &Row, is_wanted: impl Fn(Axis) -> bool) -> String {
        let wanted = self.differing.iter().filter(|(axis, _)| is_wanted(*axis));
        let parts = wanted.filter_map(|(axis, labels)| {
            let value = axis.value(row)?;
            let (_, label) = labels.iter().find(|(known, _)| *known == value)?;
            let own = match row.latency() {
                Some(latency) if *axis == LATENCY && !latency.of.is_number() => " of the machine",
                _ => "",
            };
            Some(part(*axis, label, self.settings) + own)
        });
        parts.collect::<Vec<String>>().join(", ")
    }
}

/// Machines and caches say themselves what they are.
fn part(axis: Axis, label: &str, settings: &[SweptSetting]) -> String {
    match axis {
        Axis::Column(Column::LatencyCycles) => format!("α = {label}"),
        Axis::Column(Column::Slots) => format!("m = {label}"),
        Axis::Column(_) => label.to_string(),
        Axis::Setting(position) => format!("{} = {label}", settings[position].name),
    }
}
