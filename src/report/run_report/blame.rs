//! Who causes pure miss cycles and epochs.

use serde::{Deserialize, Serialize};

use crate::metrics::blame::{Blame, BlamedInstruction, BlamedLine, BlamedObject, Units};

/// Each list adds up to its total exactly, as do `lines` and `objects`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BlameReport {
    /// W of the epochs: instructions.
    pub window: u32,
    /// m: most misses that start in an epoch.
    pub slots: u32,
    pub total: UnitsReport,
    /// By instruction and what it accessed, the most first; empty without the core of `--camat`.
    pub pure_miss_cycles: Vec<BlamedReport>,
    pub epochs: Vec<BlamedReport>,
    pub lines: Vec<BlamedLineReport>,
    pub objects: Vec<BlamedObjectReport>,
}

/// Units of both kinds; pure miss cycles are unknown without a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct UnitsReport {
    pub pure_miss_cycles: Option<u64>,
    pub epochs: u64,
}

/// One instruction, where it accessed one thing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BlamedReport {
    /// In hexadecimal.
    pub pc: Option<String>,
    pub text: String,
    pub function: Option<String>,
    pub file: Option<String>,
    pub line: Option<u32>,
    pub object: Option<String>,
    pub count: u64,
}

/// One source line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BlamedLineReport {
    pub function: Option<String>,
    pub file: Option<String>,
    pub line: Option<u32>,
    #[serde(flatten)]
    pub units: UnitsReport,
}

/// What was accessed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BlamedObjectReport {
    pub name: Option<String>,
    #[serde(flatten)]
    pub units: UnitsReport,
}

impl BlameReport {
    pub(super) fn of(blame: &Blame) -> BlameReport {
        let Blame {
            window,
            slots,
            epochs,
            pure_miss_cycles,
            instructions,
            lines,
            objects,
        } = blame;
        let has_core = pure_miss_cycles.is_some();
        let units = |units: Units| UnitsReport {
            pure_miss_cycles: has_core.then_some(units.pure_miss_cycles),
            epochs: units.epochs,
        };
        let line = |own: &BlamedLine| BlamedLineReport {
            function: own.function.clone(),
            file: own.place.as_ref().map(|place| place.file.clone()),
            line: own.place.as_ref().map(|place| place.line),
            units: units(own.units),
        };
        let object = |own: &BlamedObject| BlamedObjectReport {
            name: own.name.clone(),
            units: units(own.units),
        };
        BlameReport {
            window: *window,
            slots: *slots,
            total: UnitsReport {
                pure_miss_cycles: *pure_miss_cycles,
                epochs: *epochs,
            },
            pure_miss_cycles: sorted(instructions, |units| units.pure_miss_cycles),
            epochs: sorted(instructions, |units| units.epochs),
            lines: lines.iter().map(line).collect(),
            objects: objects.iter().map(object).collect(),
        }
    }
}

/// The most first; those with none are left out.
fn sorted(instructions: &[BlamedInstruction], count: fn(&Units) -> u64) -> Vec<BlamedReport> {
    let blamed = |own: &BlamedInstruction| BlamedReport {
        pc: own.pc.map(|pc| format!("{pc:#x}")),
        text: own.text.to_string(),
        function: own.function.clone(),
        file: own.place.as_ref().map(|place| place.file.clone()),
        line: own.place.as_ref().map(|place| place.line),
        object: own.object.clone(),
        count: count(&own.units),
    };
    let mut all: Vec<BlamedReport> = instructions.iter().map(blamed).collect();
    all.retain(|own| own.count > 0);
    all.sort_by_key(|own| std::cmp::Reverse(own.count));
    all
}
