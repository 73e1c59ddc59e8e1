//! The eDAG of a run or of a part of it.

use serde::{Deserialize, Serialize};

use crate::Figure;
use crate::metrics::formulas::{EdagFigure, Figures};
use crate::metrics::report::{Edag, EdagMemory, Inputs};

/// What was counted, the inputs, and what follows from both. Counts that need addresses are `None` without them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct EdagReport {
    pub vertices: u64,
    pub edges: u64,
    pub work: u64,
    pub depth: u64,
    pub parallelism: Figure,
    pub memory_work: Option<u64>,
    pub memory_depth: Option<u64>,
    pub non_memory_cost: Option<u64>,
    pub non_memory_span: Option<u64>,
    pub slots: Figure,
    pub latency: Figure,
    pub base_latency: Figure,
    pub ghz: Figure,
    pub lambda: Figure,
    pub lambda_lower: Figure,
    pub relative_lambda: Figure,
    pub time_lower: Figure,
    pub time_upper: Figure,
    pub bytes_moved: Option<u64>,
    pub average_bandwidth: Figure,
    pub brent: BrentReport,
}

/// Brent's bounds on the time with so many processors.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct BrentReport {
    pub processors: Figure,
    pub lower: Figure,
    pub upper: Figure,
}

impl EdagReport {
    pub(super) fn of(edag: &Edag, inputs: &Inputs) -> EdagReport {
        let figures = Figures::of(edag, inputs);
        let figure = |key| Figure::from(figures.get(key));
        let Edag {
            vertices,
            edges,
            work,
            depth,
            memory,
        } = edag;
        let counted = *memory;
        let memory = |part: fn(&EdagMemory) -> u64| memory.as_ref().map(part);
        EdagReport {
            vertices: *vertices,
            edges: *edges,
            work: *work,
            depth: *depth,
            parallelism: figure(EdagFigure::Parallelism),
            memory_work: memory(|m| m.work),
            memory_depth: memory(|m| m.depth),
            non_memory_cost: memory(|m| m.non_memory_cost),
            non_memory_span: memory(|m| m.non_memory_span),
            slots: figure(EdagFigure::Slots),
            latency: figure(EdagFigure::Latency),
            base_latency: figure(EdagFigure::BaseLatency),
            ghz: figure(EdagFigure::Ghz),
            lambda: figure(EdagFigure::Lambda),
            lambda_lower: figure(EdagFigure::LambdaLower),
            relative_lambda: figure(EdagFigure::RelativeLambda),
            time_lower: figure(EdagFigure::TimeLower),
            time_upper: figure(EdagFigure::TimeUpper),
            bytes_moved: counted.and_then(|m| m.bytes_moved),
            average_bandwidth: figure(EdagFigure::AverageBandwidth),
            brent: BrentReport {
                processors: figure(EdagFigure::Processors),
                lower: figure(EdagFigure::BrentLower),
                upper: figure(EdagFigure::BrentUpper),
            },
        }
    }
}
