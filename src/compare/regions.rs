//! Which figures of a nest has only the run, because they do not add up from lines? The eDAG of its
//! instructions, steps of its reuse curve, epochs, C-AMAT. They come from the trace report's own regions and
//! make rows with one side.

use super::comparison::Row;
use super::quantity::Quantity;
use super::rows::row;
use super::run::Run;
use super::tolerance::REUSE_STEP;
use crate::formula::Catalogue;
use crate::metrics::camat::formulas::LevelFigure;
use crate::metrics::formulas::EdagFigure;
use crate::report::Figure;
use crate::report::run_report::{CamatLevelReport, EdagReport, EpochsReport, RegionReport};

/// Window in instructions at which epochs are shown, if it was asked for; else the nearest.
const WINDOW: f64 = 64.0;
/// Capacity in bytes at which they are shown without caches.
const CAPACITY: f64 = 32.0 * 1024.0;

/// Figures of the eDAG that are shown.
const EDAG: [EdagFigure; 6] = [
    EdagFigure::MemoryWork,
    EdagFigure::MemoryDepth,
    EdagFigure::Lambda,
    EdagFigure::Parallelism,
    EdagFigure::TimeLower,
    EdagFigure::TimeUpper,
];
/// Figures of the nearest cache that are shown.
const CAMAT: [LevelFigure; 4] = [
    LevelFigure::Amat,
    LevelFigure::Camat,
    LevelFigure::Concurrency,
    LevelFigure::Apc,
];

/// Rows without a static side.
pub fn rows(region: &RegionReport, run: &Run) -> Vec<Row> {
    let edag = EDAG.into_iter().filter_map(|figure| {
        let value = of_edag(&region.edag, figure)?;
        Some(seen(Quantity::Edag(figure), value))
    });
    let epochs = region.epochs.as_ref();
    let epochs = epochs.and_then(|epochs| epochs_at(epochs, run));
    let nearest = region.camat.as_ref().and_then(|camat| camat.levels.first());
    let camat = CAMAT.into_iter().filter_map(|figure| {
        let value = of_level(nearest?, figure)?;
        Some(seen(Quantity::Camat(figure), value))
    });
    edag.chain(epochs).chain(camat).collect()
}

fn of_edag(edag: &EdagReport, figure: EdagFigure) -> Option<f64> {
    let count = |count: Option<u64>| count.map(|count| count as f64);
    match figure {
        EdagFigure::MemoryWork => count(edag.memory_work),
        EdagFigure::MemoryDepth => count(edag.memory_depth),
        EdagFigure::Lambda => edag.lambda.known(),
        EdagFigure::Parallelism => edag.parallelism.known(),
        EdagFigure::TimeLower => edag.time_lower.known(),
        EdagFigure::TimeUpper => edag.time_upper.known(),
        _ => None,
    }
}

fn of_level(level: &CamatLevelReport, figure: LevelFigure) -> Option<f64> {
    let value = level.figures.get(figure.entry().name).copied();
    value.and_then(Figure::known)
}

fn seen(quantity: Quantity, value: f64) -> Row {
    row(quantity, None, Some(value))
}

/// Epochs at the window and the capacity that are nearest to a usual core and the nearest cache.
fn epochs_at(report: &EpochsReport, run: &Run) -> Option<Row> {
    let EpochsReport {
        windows,
        capacities,
        epochs,
        ..
    } = report;
    let wanted = run
        .cache
        .first()
        .map_or(CAPACITY, |cache| cache.size as f64);
    let nearest = |values: Vec<f64>, wanted: f64| {
        let distance = |value: f64| (value / wanted).ln().abs();
        (0..values.len()).min_by(|a, b| distance(values[*a]).total_cmp(&distance(values[*b])))
    };
    let window = nearest(windows.iter().map(|w| f64::from(*w)).collect(), WINDOW)?;
    let capacity = nearest(capacities.iter().map(|c| *c as f64).collect(), wanted)?;
    let value = *epochs.get(capacity)?.get(window)?;
    let quantity = Quantity::Epochs {
        window: windows[window],
        capacity: capacities[capacity],
    };
    Some(seen(quantity, value as f64))
}

/// Bytes at the step of the region's reuse curve that is nearest to a working set: a cache of that size holds what
/// the step's touches need. The mean of the step's distances; bins double, so it is known to within them.
pub fn step_near(region: &RegionReport, working_set: f64) -> Option<f64> {
    let reuse = region.reuse.as_ref()?;
    let touches: u64 = reuse.histogram.iter().map(|bin| bin.count).sum();
    let steps = reuse
        .histogram
        .iter()
        .filter(|bin| bin.count as f64 >= REUSE_STEP * touches as f64 && bin.lo >= 1);
    // A cache holds a touch if it has more lines than the distance.
    let bytes = steps.map(|bin| (bin.lo as f64 * bin.hi as f64).sqrt() * reuse.line as f64);
    let distance = |bytes: f64| (bytes / working_set).ln().abs();
    bytes.min_by(|a, b| distance(*a).total_cmp(&distance(*b)))
}
