//! What is too much: thresholds on what a change adds, and budgets.

use std::fmt;
use std::str::FromStr;

use globset::Glob;
use serde::Serialize;

use crate::difference::{NestDifference, NestPlace, Row};
use crate::quantity::{Cost, Quantity, as_key};
use crate::report::Figure;
use crate::report::static_report::MachineReport;
use crate::side::Side;

/// All limits of a difference.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Limits {
    pub thresholds: Vec<Threshold>,
    pub budgets: Vec<Budget>,
}

/// How much a figure may grow, of any nest and in total.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Threshold {
    pub percent: f64,
    /// All of them where none is named.
    pub of: Option<Cost>,
}

/// What nests may cost at most on the new side, in one call.
#[derive(Clone, Debug, PartialEq)]
pub struct Budget {
    /// Fits the names of nests, as `pdv_kernel@12`.
    pub nests: Glob,
    pub bounds: Vec<Bound>,
}

/// The most that a quantity may be.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    pub quantity: Quantity,
    pub most: f64,
}

/// A limit that was exceeded.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Exceeded {
    pub limit: Limit,
    /// `None` for the totals.
    pub nest: Option<NestPlace>,
    #[serde(serialize_with = "as_key")]
    pub quantity: Quantity,
    pub old: Figure,
    /// Unknown where nothing says that the limit is kept.
    pub new: Figure,
    /// The most that it may be.
    pub most: Figure,
}

/// Which limit it was.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Limit {
    Threshold {
        percent: f64,
    },
    /// With the pattern of nests.
    Budget {
        nests: String,
    },
}

/// Why a text is not a threshold.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected N% or N%:time, N%:bytes, N%:flops, for example 5% or 2.5%:bytes")]
pub struct ThresholdError;

impl FromStr for Threshold {
    type Err = ThresholdError;

    fn from_str(text: &str) -> Result<Threshold, ThresholdError> {
        let (number, of) = match text.split_once(':') {
            None => (text, None),
            Some((number, "time")) => (number, Some(Cost::Seconds)),
            Some((number, "bytes")) => (number, Some(Cost::Bytes)),
            Some((number, "flops")) => (number, Some(Cost::Flops)),
            Some(_) => return Err(ThresholdError),
        };
        let number = number.strip_suffix('%').ok_or(ThresholdError)?;
        let percent: f64 = number.trim().parse().map_err(|_| ThresholdError)?;
        let is_sound = percent.is_finite() && percent >= 0.0;
        is_sound
            .then_some(Threshold { percent, of })
            .ok_or(ThresholdError)
    }
}

impl Threshold {
    /// Whether it is about this quantity.
    fn is_of(self, quantity: &Quantity) -> bool {
        let cost = match quantity {
            Quantity::Flops => Cost::Flops,
            Quantity::Seconds => Cost::Seconds,
            Quantity::AllCalls(cost) => *cost,
            bytes if bytes.is_memory_bytes() => Cost::Bytes,
            _ => return false,
        };
        self.of.is_none_or(|of| of == cost)
    }

    /// Of a row of a nest, or of the totals. What was known and is not any more cannot be said to be kept.
    fn check(self, row: &Row, nest: Option<&NestPlace>) -> Option<Exceeded> {
        let old = row.old.known().filter(|_| self.is_of(&row.quantity))?;
        let most = old * (1.0 + self.percent / 100.0);
        let is_kept = match row.new.known() {
            Some(new) => !row.has_changed() || new <= most,
            None => false,
        };
        (!is_kept).then(|| Exceeded {
            limit: Limit::Threshold {
                percent: self.percent,
            },
            nest: nest.cloned(),
            quantity: row.quantity.clone(),
            old: row.old,
            new: row.new,
            most: most.into(),
        })
    }
}

/// A budget for a level that the machine lacks.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("the budget of {nests} bounds {quantity}, but {machine} has only {levels}")]
pub struct UnknownLevel {
    pub nests: String,
    pub quantity: Quantity,
    pub machine: String,
    /// The levels there are, with commas.
    pub levels: String,
}

impl Limits {
    /// Whether the machine of a side has every level that a budget bounds, be there nests or none.
    ///
    /// # Errors
    /// One of them is none of the machine's.
    pub fn fit(&self, side: &Side) -> Result<(), UnknownLevel> {
        let levels = levels(&side.machine);
        let all = self.budgets.iter().flat_map(|budget| {
            let bounds = budget.bounds.iter();
            bounds.map(move |bound| (budget, &bound.quantity))
        });
        let is_unknown = |quantity: &Quantity| {
            matches!(quantity, Quantity::Bytes(_)) && !levels.contains(quantity)
        };
        let mut unknown = all.filter(|(_, quantity)| is_unknown(quantity));
        let Some((budget, quantity)) = unknown.next() else {
            return Ok(());
        };
        let known: Vec<String> = levels.iter().map(ToString::to_string).collect();
        Err(UnknownLevel {
            nests: budget.nests.to_string(),
            quantity: quantity.clone(),
            machine: side.machine.name.clone(),
            levels: known.join(", "),
        })
    }

    /// What of the nests and totals exceeds a limit. Nests that were added or removed have no old or new figures of
    /// their own to compare: the totals have them.
    pub(crate) fn exceeded_by(&self, nests: &[NestDifference], totals: &[Row]) -> Vec<Exceeded> {
        let mut found = Vec::new();
        for threshold in &self.thresholds {
            found.extend(totals.iter().filter_map(|row| threshold.check(row, None)));
            for nest in nests.iter().filter(|nest| nest.old.is_some()) {
                let Some(place) = &nest.new else { continue };
                let rows = nest.rows.iter();
                found.extend(rows.filter_map(|row| threshold.check(row, Some(place))));
            }
        }
        found
    }
}

/// The levels of a machine that serve its nests: caches of known size and bandwidth, nearest first, and memory.
fn levels(machine: &MachineReport) -> Vec<Quantity> {
    let is_known = |name: &str| {
        let figure = machine.parameters.get(name);
        figure.is_some_and(|figure| figure.known().is_some())
    };
    let size = |index: &u32| format!("l{index}_bytes");
    let is_level = |index: &u32| {
        is_known("line_bytes") && is_known(&size(index)) && is_known(&format!("l{index}_gbs"))
    };
    let caches = (1..).take_while(|index| machine.parameters.contains_key(&size(index)));
    let caches = caches
        .filter(is_level)
        .map(|index| Quantity::Bytes(format!("L{index}")));
    caches.chain([Quantity::memory_bytes()]).collect()
}

impl Budget {
    /// What of a nest with these figures exceeds it. What is unknown cannot be said to be kept.
    pub(crate) fn check(
        &self,
        place: &NestPlace,
        figures: impl Fn(&Quantity) -> (Figure, Figure),
    ) -> Vec<Exceeded> {
        let bounds = self.bounds.iter().filter_map(|bound| {
            let (old, new) = figures(&bound.quantity);
            let is_kept = new.known().is_some_and(|new| new <= bound.most);
            (!is_kept).then(|| Exceeded {
                limit: Limit::Budget {
                    nests: self.nests.to_string(),
                },
                nest: Some(place.clone()),
                quantity: bound.quantity.clone(),
                old,
                new,
                most: bound.most.into(),
            })
        });
        bounds.collect()
    }
}

impl fmt::Display for Exceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |figure: Figure| {
            let value = figure.known();
            value.map_or_else(|| "unknown".to_string(), |value| self.quantity.shown(value))
        };
        let what = match &self.nest {
            Some(nest) => nest.to_string(),
            None => "in total".to_string(),
        };
        let (quantity, new, most) = (&self.quantity, shown(self.new), shown(self.most));
        match &self.limit {
            Limit::Threshold { percent } => write!(
                f,
                "{what}: {quantity} {} to {new}, more than {percent} % above ({most})",
                shown(self.old)
            ),
            Limit::Budget { nests } => write!(
                f,
                "{what}: {quantity} {new}, the budget of {nests} is {most}"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_percentages_of_something() {
        let read = |text: &str| text.parse::<Threshold>();
        let expected = |percent, of| Ok(Threshold { percent, of });
        assert_eq!(read("5%"), expected(5.0, None));
        assert_eq!(read("0%:time"), expected(0.0, Some(Cost::Seconds)));
        assert_eq!(read("2.5%:bytes"), expected(2.5, Some(Cost::Bytes)));
        for wrong in [
            "5",
            "5%:",
            "5%:lines",
            "-5%",
            "%",
            "inf%",
            "NaN%",
            "5%:time:bytes",
        ] {
            assert_eq!(read(wrong), Err(ThresholdError), "{wrong}");
        }
    }
}
