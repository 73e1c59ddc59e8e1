//! What a person writes: the axes of a sweep, `sweep.toml`.

use std::collections::HashSet;

use indexmap::IndexMap;
use serde::Deserialize;

pub use crate::cache_entry::{CacheEntry, Caches};
pub use crate::one_or_many::OneOrMany;
use crate::one_or_many::{Table, settings, some, table};
use crate::ranges::{self, RangeError, Unit, plain};

/// The file, as it stands there.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SweepSpec {
    /// Paths or patterns of traces.
    #[serde(deserialize_with = "some")]
    pub traces: OneOrMany<String>,
    /// Paths or patterns of sources; a directory is one program.
    #[serde(deserialize_with = "some")]
    pub sources: OneOrMany<String>,
    /// Presets or machine files.
    #[serde(deserialize_with = "some")]
    pub machines: OneOrMany<String>,
    /// Values of parameters of sources, by their names for `--set`; in the order of the names.
    #[serde(deserialize_with = "settings")]
    pub set: IndexMap<String, Axis>,
    #[serde(deserialize_with = "table")]
    pub trace: TraceSpec,
    #[serde(deserialize_with = "table")]
    pub area: AreaSpec,
    #[serde(deserialize_with = "table")]
    pub shards: ShardSpec,
}

/// Axes of traces.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TraceSpec {
    /// Hierarchies: levels as for `trace --cache`, joined by ` + `; `none`; `machine`.
    pub caches: Option<OneOrMany<CacheEntry>>,
    /// Cycles of a RAM access, or `machine`.
    pub latencies: Option<Axis>,
    /// the most RAM accesses outstanding at once.
    pub slots: Option<Axis>,
    /// Of epochs, which are counted where there are windows.
    pub windows: Option<Axis>,
    pub capacities: Option<Axis>,
    pub epoch_slots: Option<Axis>,
}

/// What caches take of a chip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AreaSpec {
    /// Of all levels together, where an entry has no area of its own.
    pub mm2_per_mib: Option<f64>,
}

/// How large shards are.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ShardSpec {
    /// Most models of a source in one shard.
    pub models: usize,
    /// Most cache hierarchies that one pass over a trace serves.
    pub caches: usize,
}

impl Default for ShardSpec {
    fn default() -> ShardSpec {
        ShardSpec {
            models: 200,
            caches: 32,
        }
    }
}

/// Values of one axis: a number, a text such as `64..256:64`, or a list of both.
pub type Axis = OneOrMany<Entry>;

/// One entry of an axis.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    Number(f64),
    Text(String),
}

/// A value that a machine may give.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OrMachine {
    Value(f64),
    Machine,
}

/// The word that stands for what the machine has.
pub(crate) const MACHINE: &str = "machine";

impl Table for TraceSpec {
    const EXPECTED: &'static str = "a table of axes, as in `[trace]` with `caches = [\"32KiB,8way\"]` and `latencies = [100]` below it";
}

impl Table for AreaSpec {
    const EXPECTED: &'static str = "a table, as in `[area]` with `mm2_per_mib = 20` below it";
}

impl Table for ShardSpec {
    const EXPECTED: &'static str =
        "a table, as in `[shards]` with `models = 200` or `caches = 32` below it";
}

/// Why the file says nothing that can be done.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SpecError {
    #[error("{0}")]
    Toml(String),
    #[error("there is nothing to sweep over: `traces` or `sources` has to name some")]
    Nothing,
    #[error("`set.{0}`: sizes are for sources, and there are none")]
    IdleSet(String),
    #[error("`trace`: its axes are for traces, and there are none")]
    IdleTrace,
    #[error("`{axis}`: {error}")]
    Axis { axis: String, error: RangeError },
    #[error("`{axis}`: the list is empty")]
    Empty { axis: String },
    #[error("`{axis}`: {} is not possible; it must be {expected}", plain(*value))]
    Value {
        axis: String,
        value: f64,
        expected: &'static str,
    },
    #[error("`trace.caches`: `{text}`: {reason}")]
    Cache { text: String, reason: String },
    #[error("`trace.caches`: {error}{}", if error.text() == text { String::new() } else { format!(", in `{text}`") })]
    CacheSize { text: String, error: RangeError },
    #[error("`trace.caches`: `{caches}` has two areas, {} and {} mm²: give it one", plain(*one), plain(*other))]
    Areas {
        caches: String,
        one: f64,
        other: f64,
    },
    #[error("`{axis}` says \"machine\", but `machines` names none")]
    NoMachine { axis: &'static str },
    #[error("`trace.{0}` needs `trace.windows`, for which epochs are counted")]
    NoWindows(&'static str),
    #[error("`shards`: at least one model and one cache have to fit into a shard")]
    Shards,
}

impl SweepSpec {
    /// # Errors
    /// It is not such a file, or names nothing to look at.
    pub fn parse(text: &str) -> Result<SweepSpec, SpecError> {
        let spec: SweepSpec = toml::from_str(text)
            .map_err(|error| SpecError::Toml(in_plain_words(error.to_string().trim_end())))?;
        if spec.traces.is_empty() && spec.sources.is_empty() {
            return Err(SpecError::Nothing);
        }
        if let Some(name) = spec.set.keys().next().filter(|_| spec.sources.is_empty()) {
            return Err(SpecError::IdleSet(name.clone()));
        }
        if spec.traces.is_empty() && spec.trace != TraceSpec::default() {
            return Err(SpecError::IdleTrace);
        }
        if let Some(value) = spec.area.mm2_per_mib.filter(|value| !is_area(*value)) {
            return Err(SpecError::Value {
                axis: "area.mm2_per_mib".into(),
                value,
                expected: "an area: 0 or more",
            });
        }
        if spec.shards.models == 0 || spec.shards.caches == 0 {
            return Err(SpecError::Shards);
        }
        Ok(spec)
    }
}

/// What the TOML reader says, without the names that types of numbers have in programs.
fn in_plain_words(said: &str) -> String {
    let said = said.replace(" as i128", "").replace(" as u128", "");
    let said = said.replace("expected usize", "expected a whole number");
    said.replace("expected f64", "expected a number")
}

/// Each value once, where it came first; those that are no numbers are one.
fn once_each<T: Copy>(values: Vec<T>, number: impl Fn(T) -> Option<f64>) -> Vec<T> {
    let mut known = HashSet::new();
    // Both zeros are one value.
    let bits = |value: T| number(value).map(|number| (number + 0.0).to_bits());
    let mut kept = values;
    kept.retain(|value| known.insert(bits(*value)));
    kept
}

/// Whether it is a number of square millimetres.
pub(crate) fn is_area(value: f64) -> bool {
    value.is_finite() && value >= 0.0
}

impl Axis {
    /// Its values, each once, in the order in which they are written.
    ///
    /// # Errors
    /// One is not a number, or there is none.
    pub fn values(&self, axis: &str, unit: Unit) -> Result<Vec<f64>, SpecError> {
        let mut values = Vec::new();
        for entry in self.iter() {
            match entry {
                Entry::Number(value) => values.push(*value),
                Entry::Text(text) => values.extend(in_axis(axis, ranges::values(text, unit))?),
            }
        }
        once(axis, values, Some)
    }

    /// The same, where a value may be the machine's.
    ///
    /// # Errors
    /// As for [`Axis::values`].
    pub fn values_or_machine(&self, axis: &str) -> Result<Vec<OrMachine>, SpecError> {
        let mut values = Vec::new();
        for entry in self.iter() {
            match entry {
                Entry::Number(value) => values.push(OrMachine::Value(*value)),
                Entry::Text(text) if text == MACHINE => values.push(OrMachine::Machine),
                Entry::Text(text) => {
                    let numbers = in_axis(axis, ranges::values(text, Unit::None))?;
                    values.extend(numbers.into_iter().map(OrMachine::Value));
                }
            }
        }
        once(axis, values, |value| match value {
            OrMachine::Value(value) => Some(value),
            OrMachine::Machine => None,
        })
    }
}

pub(crate) fn in_axis<T>(axis: &str, result: Result<T, RangeError>) -> Result<T, SpecError> {
    result.map_err(|error| SpecError::Axis {
        axis: axis.to_string(),
        error,
    })
}

fn once<T: Copy>(
    axis: &str,
    values: Vec<T>,
    number: impl Fn(T) -> Option<f64>,
) -> Result<Vec<T>, SpecError> {
    let kept: Vec<T> = once_each(values, number);
    match kept.is_empty() {
        true => Err(SpecError::Empty {
            axis: axis.to_string(),
        }),
        false => Ok(kept),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_an_axis() {
        let spec = SweepSpec::parse(
            "sources = [\"a.c\"]\n[set]\nn = [64, \"128..256:x2\"]\nm = 7\nl1_bytes = \"16KiB..64KiB:x2\"\n",
        )
        .expect("sound");
        // By name: l1_bytes, m, n.
        let values: Vec<Vec<f64>> = spec
            .set
            .iter()
            .map(|(name, axis)| axis.values(name, Unit::Bytes).expect("numbers"))
            .collect();
        assert_eq!(
            values,
            [
                vec![16384.0, 32768.0, 65536.0],
                vec![7.0],
                vec![64.0, 128.0, 256.0]
            ]
        );
    }

    /// As the command line has them, `machine.l2_bytes` and `g1.n` may stand without quotes.
    #[test]
    fn names_with_dots_need_no_quotes() {
        let spec = SweepSpec::parse(
            "sources = [\"a.c\"]\n[set]\nmachine.l2_bytes = [\"1MiB\", \"2MiB\"]\nmachine.ghz = 2\ng1.n = \"1..3\"\n\"a.b\" = 7\n",
        )
        .expect("sound");
        let names: Vec<&str> = spec.set.keys().map(String::as_str).collect();
        assert_eq!(names, ["a.b", "g1.n", "machine.ghz", "machine.l2_bytes"]);
        let values = spec.set["machine.l2_bytes"].values("", Unit::Bytes);
        assert_eq!(values, Ok(vec![1_048_576.0, 2_097_152.0]));
        let twice = "sources = [\"a.c\"]\n[set]\na.b = 1\n\"a.b\" = 2\n";
        let error = SweepSpec::parse(twice).expect_err("twice").to_string();
        assert!(error.contains("`a.b` is set twice"), "{error}");
    }

    #[test]
    fn what_would_do_nothing_is_refused() {
        let says = |text: &str, why: &str| {
            let error = SweepSpec::parse(text).expect_err(text).to_string();
            assert!(error.contains(why), "{text}: {error}");
        };
        says("", "nothing to sweep over");
        says("traces = [\"t\"]\n[set]\nn = 1\n", "sizes are for sources");
        says(
            "sources = [\"a.c\"]\n[trace]\nslots = 4\n",
            "there are none",
        );
        says(
            "sources = [\"a.c\"]\nmachine = \"x\"\n",
            "unknown field `machine`",
        );
        says(
            "sources = [\"a.c\"]\n[set]\nn = true\n",
            "expected a number",
        );
        // What a list means is for the tables' keys to say.
        for name in ["trace", "area", "shards"] {
            let text = format!("traces = [\"t\"]\n{name} = [[\"32KiB\"]]\n");
            says(&text, "expected a table");
            says(&text, &format!("`[{name}]` with"));
            says(
                &format!("traces = [\"t\"]\n{name} = 4\n"),
                "expected a table",
            );
        }
        says("traces = [\"\"]\n", "a name is empty");
        says(
            "traces = [\"t\"]\n[shards]\nmodels = -1\n",
            "expected a whole number",
        );
        says(
            "traces = [\"t\"]\n[area]\nmm2_per_mib = \"2\"\n",
            "expected a number",
        );
        says(
            "traces = [\"t\"]\n[area]\nmm2_per_mib = -1e300\n",
            "-1e300 is not possible",
        );
        for name in ["traces", "sources", "machines"] {
            let other = if name == "sources" {
                "traces"
            } else {
                "sources"
            };
            says(
                &format!("{name} = []\n{other} = 't'\n"),
                "the list is empty",
            );
        }
    }
}
