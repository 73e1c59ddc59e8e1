//! What is known of a nest: its facts and all figures of it alone.

use std::ops::Range;

use super::levels::NestLevels;
use super::loops::{LoopCounts, LoopFigures};
use super::nest::Nest;
use super::operations::OperationFigures;
use super::stream::StreamFigures;
use super::time::TimeFigures;
use super::traffic::{NestTraffic, WorkingSets};
use crate::expr::FigureId;

/// The figures of one nest.
pub struct NestModel<'p> {
    pub nest: Nest<'p>,
    /// Trip counts of the sweep loops, outermost first.
    pub sweep_trips: Vec<FigureId>,
    /// Product of the sweep loops' trip counts.
    pub sweeps: FigureId,
    /// Spatial loops, innermost first.
    pub loops: Vec<LoopFigures>,
    /// Iterations of every loop of the chain over the whole execution, outermost first.
    pub counts: Vec<LoopCounts>,
    /// Iterations of the innermost loop over the whole execution, all sweeps.
    pub iterations: FigureId,
    /// Number of blocks of one sweep.
    pub blocks: FigureId,
    pub operations: OperationFigures,
    pub streams: Vec<StreamFigures>,
    pub working_sets: WorkingSets,
    pub traffic: NestTraffic,
    /// Every cache level, by the refined rule.
    pub levels: NestLevels,
    pub time: TimeFigures,
    /// All figures that were defined for the nest alone.
    pub figures: Range<FigureId>,
}
