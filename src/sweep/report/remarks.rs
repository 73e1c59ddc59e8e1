//! What a report says beside its figures: what they mean, and what is not in them.

use std::collections::HashSet;

use super::SweepReport;
use crate::axis::{Axis, AxisValue};
use crate::columns::Column;
use crate::groups::{Areas, InputPart};
use crate::manifest::Work;
use crate::map::{Map, MapOf};
use crate::row::{Row, RowKind};
use crate::wording::some;

impl SweepReport {
    /// What a map has, and which of its times are lower bounds.
    pub fn map_remark(&self, map: &Map) -> String {
        let meaning = map.meaning(&self.settings);
        let mut machines: Vec<&str> = Vec::new();
        if let MapOf::Time { of, .. } = map.of {
            let rows = self.configurations.iter().filter(|row| row.is(of));
            for row in rows.filter(|row| row.is_lower_bound()) {
                let machine = row.text(Column::Machine).unwrap_or_default();
                if !machines.contains(&machine) {
                    machines.push(machine);
                }
            }
        }
        let meaning = match map.of {
            MapOf::Time { of, .. } => {
                let missing = self.not_computed(Some(of)) + &self.without_time(of);
                meaning + &self.empty(map) + &missing + &self.inexact(of)
            }
            MapOf::Epochs(_) => meaning + &self.empty(map) + &self.failed_traces(),
        };
        match machines.is_empty() {
            true => meaning,
            false => format!(
                "{meaning} * Times on {} are lower bounds, because figures of the machine that would bound them are unknown; where one of \
                 them is the best, the multiples of others are relative to a lower bound.",
                machines.join(", ")
            ),
        }
    }

    /// Why a map has empty cells; empty if it has none.
    fn empty(&self, map: &Map) -> String {
        let machine = Axis::Column(Column::Machine);
        let has_no_clock = |axis: Axis, value: &AxisValue| match value {
            AxisValue::Text(name) => axis == machine && self.without_clock.contains(name),
            AxisValue::Number(_) => false,
        };
        let (mut clockless, mut others) = (Vec::new(), false);
        for (row, figures) in map.rows.iter().zip(&map.values) {
            let empty = map.columns.iter().zip(figures);
            for (column, _) in empty.filter(|(_, figure)| figure.is_none()) {
                match (
                    has_no_clock(map.down, row),
                    has_no_clock(map.across, column),
                ) {
                    (true, _) => clockless.push(row.to_string()),
                    (_, true) => clockless.push(column.to_string()),
                    (false, false) => others = true,
                }
            }
        }
        let names = clockless.iter().map(String::as_str).collect();
        let of_clocks = of_names(names, |names| {
            format!(" {names}: empty, because the clock and so the time in seconds are unknown.")
        });
        let what = match map.of {
            MapOf::Time { .. } => "time",
            MapOf::Epochs(_) => "epochs",
        };
        let others = match others {
            true => format!(" A cell is empty where an input has no {what} with these values."),
            false => String::new(),
        };
        of_clocks + &others
    }

    /// Of equal times which is the best, where areas do not say so; empty if they do.
    pub fn area_remark(&self) -> &'static str {
        let mut groups = self.inputs.iter().flat_map(|input| &input.groups);
        match groups.any(|group| group.areas == Areas::OfSome) {
            true => {
                "The area of some configurations is not known: of equal times that with less cache is the best, whatever the areas."
            }
            false => "",
        }
    }

    /// What the front is, and what is not in it.
    pub fn front_remark(&self) -> String {
        let about = "For each input, the configurations that no other one at the same latency beats in both time and area.";
        let about = match self.without_area {
            0 => about.to_string(),
            1 => format!("{about} One configuration without a known area is left out."),
            count => format!("{about} {count} configurations without a known area are left out."),
        };
        about + &self.not_computed(None)
    }

    /// A sentence on configurations that are not there to compare with, of one kind or of all; empty if all are there.
    fn not_computed(&self, kind: Option<RowKind>) -> String {
        let inputs = self.inputs.iter();
        let inputs = inputs.filter(|input| kind.is_none_or(|kind| input.kind == kind));
        let names: Vec<&str> = inputs
            .filter(|input| input.groups.iter().any(|group| group.missing > 0))
            .map(|input| input.name.as_str())
            .collect();
        of_names(names, |names| {
            format!(" * Not all configurations of {names} were computed; the others are compared.")
        })
    }

    /// The same of traces, also where nothing of one was computed.
    fn failed_traces(&self) -> String {
        let failed = self.failed.iter();
        let failed = failed.filter(|failure| matches!(failure.work, Work::Trace(_)));
        of_names(
            failed.map(|failure| failure.input.as_str()).collect(),
            |names| {
                format!(
                    " * Not all configurations of {names} were computed: the missing ones are in no mean."
                )
            },
        )
    }

    /// Inputs that are not on the map.
    fn without_time(&self, kind: RowKind) -> String {
        let inputs = self.inputs.iter().filter(|input| input.kind == kind);
        let inputs = inputs.filter(|input| input.groups.iter().all(|group| group.best.is_none()));
        let is_idle = |input: &&InputPart| {
            let mut groups = input.groups.iter();
            groups.any(|group| group.idle(&self.configurations).is_some())
        };
        let (idle, unknown): (Vec<&InputPart>, Vec<&InputPart>) = inputs.partition(is_idle);
        let unknown = of_names(names(unknown), |names| {
            format!(" No time is known for {names}: not in the mean.")
        });
        unknown
            + &of_names(names(idle), |names| {
                format!(" Nothing runs of {names}, which is 0 s everywhere: not in the mean.")
            })
    }

    /// Inputs whose times have stars in the table of the best.
    fn inexact(&self, kind: RowKind) -> String {
        const WHY: [Column; 3] = [Column::NotRead, Column::GuessedSizes, Column::Reasons];
        let is_inexact = |row: &&Row| {
            let mut texts = WHY.into_iter().filter_map(|column| row.text(column));
            texts.any(|text| !text.is_empty())
        };
        let rows = self.configurations.iter().filter(|row| row.is(kind));
        let inputs = rows.filter(is_inexact);
        let names = inputs.filter_map(|row| row.text(Column::Input)).collect();
        of_names(names, |names| {
            format!(
                " * Times of {names} are not exact: columns not_read, guessed_sizes and reasons say why."
            )
        })
    }
}

fn names(inputs: Vec<&InputPart>) -> Vec<&str> {
    inputs.into_iter().map(|input| &*input.name).collect()
}

/// A sentence about some inputs, each named once; empty if there are none.
fn of_names(names: Vec<&str>, sentence: impl Fn(String) -> String) -> String {
    const MOST_NAMED: usize = 10;
    let mut known = HashSet::new();
    let mut names = names;
    names.retain(|name| known.insert(*name));
    match names.is_empty() {
        true => String::new(),
        false => sentence(some(&names, MOST_NAMED)),
    }
}
