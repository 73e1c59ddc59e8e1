//! The time bounds over a grid of latencies: how a program feels slower memory.

use super::formulas::{EdagFigure, Figures};
use super::report::{Edag, Inputs};

/// First latency of the grid, cycles.
pub const START: f64 = 50.0;
/// From one latency to the next, cycles.
pub const STEP: f64 = 5.0;
/// Latencies of the grid: 50 to 300 cycles.
pub const POINTS: usize = 51;

/// The bounds at one latency, cycles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    pub latency: f64,
    pub lower: f64,
    pub upper: f64,
}

/// The bounds over the grid; `None` if they are not known.
pub fn points(edag: &Edag, inputs: &Inputs) -> Option<Vec<Point>> {
    let point = |index: usize| {
        let latency = START + index as f64 * STEP;
        let figures = Figures::of(edag, &Inputs { latency, ..*inputs });
        Some(Point {
            latency,
            lower: figures.get(EdagFigure::TimeLower)?,
            upper: figures.get(EdagFigure::TimeUpper)?,
        })
    };
    (0..POINTS).map(point).collect()
}
