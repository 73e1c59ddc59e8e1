//! What of a nest is compared.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::quantity::{Cost, Quantity};
use crate::report::Figure;
use crate::report::static_report::{
    ArrayReport, CacheFitReport, LayerConditionReport, LoopReport, NestReport, RegisterFileReport,
};
use crate::stride::{Stride, order};
use crate::structure::Structure;

/// A nest of one side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Nest {
    /// Id of the loop that stands for it.
    pub name: String,
    pub file: String,
    pub line: u32,
    pub figures: Vec<(Quantity, Figure)>,
    /// Ids of its loops, outermost first.
    pub(crate) loops: Vec<String>,
    pub(crate) structure: Structure,
    /// Names of its arrays, in small letters.
    pub(crate) arrays: BTreeSet<String>,
    pub(crate) reuses: Vec<Reuse>,
    /// Of the innermost loop.
    pub(crate) walks: Vec<Walk>,
    /// Codes of what keeps it from being understood.
    pub(crate) reasons: Vec<String>,
    /// Names of the sizes that its figures rest on and that nothing gives.
    pub(crate) guessed: Vec<String>,
}

/// A reuse, and the caches that hold what it needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Reuse {
    pub carried_by: String,
    pub in_between: String,
    pub working_set: Figure,
    pub caches: Vec<CacheFitReport>,
}

/// How the innermost loop walks through an array.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Walk {
    pub array: String,
    pub variable: String,
    pub stride: Stride,
    /// Dimensions by loop, outermost loop first.
    pub order: Vec<usize>,
}

impl Nest {
    /// Whether none of its loops runs.
    pub fn is_idle(&self) -> bool {
        let is_none = |(quantity, figure): &(Quantity, Figure)| {
            *quantity == Quantity::Iterations && figure.known().is_some_and(|count| count <= 0.0)
        };
        self.figures.iter().any(is_none)
    }

    /// Of a function in this file with these loops by id.
    pub(crate) fn of(nest: NestReport, file: &str, by_id: &IndexMap<&str, &LoopReport>) -> Nest {
        let loops: Vec<&LoopReport> = (nest.loops.iter())
            .filter_map(|id| by_id.get(id.as_str()).copied())
            .collect();
        let head = by_id.get(nest.head.as_str());
        let arrays = loops.iter().flat_map(|found| &found.arrays);
        Nest {
            file: (head.and_then(|head| head.file.clone())).unwrap_or_else(|| file.to_string()),
            line: head.map_or(0, |head| head.line),
            figures: figures(&nest),
            structure: Structure::of(&nest, &loops),
            arrays: arrays.map(|array| array.name.to_lowercase()).collect(),
            walks: walks(&loops),
            reuses: nest.layer_conditions.into_iter().map(Reuse::of).collect(),
            name: nest.head,
            loops: nest.loops,
            reasons: nest.reasons,
            guessed: nest.guessed,
        }
    }

    /// What is known of a quantity of it.
    pub fn figure(&self, quantity: &Quantity) -> Figure {
        let found = self.figures.iter().find(|(own, _)| own == quantity);
        found.map_or(Figure::UNKNOWN, |(_, figure)| *figure)
    }
}

/// All quantities of a nest, in the order of rows.
fn figures(nest: &NestReport) -> Vec<(Quantity, Figure)> {
    let loops = nest.loops.len() as f64;
    let mut found = vec![
        (Quantity::Loops, loops.into()),
        (Quantity::Iterations, nest.iterations),
        (Quantity::Flops, nest.flops),
        (Quantity::WeightedFlops, nest.weighted_flops),
    ];
    let bytes = |name: &str, bytes: Figure| (Quantity::Bytes(name.to_string()), bytes);
    found.extend(
        nest.levels
            .iter()
            .map(|level| bytes(&level.name, level.bytes)),
    );
    found.push((Quantity::Seconds, nest.seconds));
    found.push((Quantity::Calls, nest.calls));
    found.push((Quantity::AllCalls(Cost::Seconds), nest.all_calls_seconds));
    found.extend((nest.warm_executions.iter()).map(|warm| {
        let level = warm.level.clone();
        (Quantity::Warm(level), warm.executions)
    }));
    if let Some(registers) = &nest.registers {
        let spilled = |file: &RegisterFileReport| file.spilled.known();
        let both = spilled(&registers.integer).zip(spilled(&registers.floating));
        let both = both.map(|(integer, floating)| integer + floating);
        found.push((Quantity::IntegerRegisters, registers.integer.live));
        found.push((Quantity::FloatingRegisters, registers.floating.live));
        found.push((Quantity::SpilledRegisters, both.into()));
    }
    if let Some(core) = &nest.in_core {
        found.push((Quantity::Lanes, core.lanes));
    }
    found
}

/// Of the innermost of these loops.
fn walks(loops: &[&LoopReport]) -> Vec<Walk> {
    let Some(inner) = loops.last() else {
        return Vec::new();
    };
    let variables: Vec<&str> = loops.iter().map(|found| found.var.as_str()).collect();
    let walk = |array: &ArrayReport| Walk {
        array: match array.component.as_str() {
            "" => array.name.clone(),
            component => format!("{}.{component}", array.name),
        },
        variable: inner.var.to_string(),
        stride: Stride::of(array, &inner.var),
        order: order(array, &variables),
    };
    inner.arrays.iter().map(walk).collect()
}

impl Reuse {
    fn of(condition: LayerConditionReport) -> Reuse {
        Reuse {
            carried_by: condition.carried_by,
            in_between: condition.in_between,
            working_set: condition.working_set,
            caches: condition.caches,
        }
    }
}
