//! Weighted slices of a run, schema `loopsheet/slices/1`.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::Figure;
use crate::cache::LevelCounters;
use crate::formula::Catalogue;
use crate::metrics::camat::formulas::LevelFigure;
use crate::metrics::formulas::{EdagFigure, Figures};
use crate::metrics::slices::{FORMULA, NOTES, Slice, Slices, Table};

/// Of the reports of `loopsheet trace --slices`.
pub const SCHEMA: &str = "loopsheet/slices/1";

/// Every figure is the sum of those of the slices times their weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SlicesReport {
    pub schema: String,
    /// How a count comes from those of the slices.
    pub formula: String,
    pub weights: Figure,
    pub instructions: Figure,
    pub mix: IndexMap<String, Figure>,
    /// Nearest first.
    pub cache: Vec<SlicedLevelReport>,
    pub edag: IndexMap<String, Figure>,
    /// Of the figures of `edag` that follow from the sums.
    pub formulas: IndexMap<String, String>,
    pub reuse: Option<SlicedReuseReport>,
    pub epochs: Option<SlicedEpochsReport>,
    /// C-AMAT of each level, nearest first, by the names of its figures; empty if it was not asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub camat: Vec<IndexMap<String, Figure>>,
    pub slices: Vec<SliceReport>,
    #[serde(default)]
    pub notes: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SlicedLevelReport {
    /// As the command line takes it.
    pub spec: String,
    pub accesses: Figure,
    pub hits: Figure,
    pub misses: Figure,
    pub bytes_in: Figure,
    pub bytes_out: Figure,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SlicedReuseReport {
    pub cold: Figure,
    pub histogram: Vec<SlicedBinReport>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SlicedBinReport {
    pub lo: u64,
    pub hi: u64,
    pub count: Figure,
}

/// Tables are indexed capacity first, then window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SlicedEpochsReport {
    pub windows: Vec<u32>,
    pub capacities: Vec<u64>,
    pub epochs: Vec<Vec<Figure>>,
    /// In 1,000 instructions.
    pub epki: Vec<Vec<Figure>>,
    /// Where at most so many misses start in one.
    pub slots: BTreeMap<u32, Vec<Vec<Figure>>>,
}

/// One slice, with its own figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SliceReport {
    pub path: String,
    pub weight: Figure,
    pub instructions: u64,
    pub edag: IndexMap<String, Figure>,
    #[serde(default)]
    pub notes: Vec<String>,
}

impl SlicesReport {
    pub fn of(slices: &Slices) -> SlicesReport {
        let mix = slices.mix().into_iter();
        let formulas = EdagFigure::ALL.iter().filter(|own| own.expr().is_some());
        let slice = |slice: &Slice| SliceReport {
            path: slice.path.clone(),
            weight: slice.weight.into(),
            instructions: slice.instructions,
            edag: figures(&Figures::of(&slice.edag, &slices.inputs)),
            notes: slice.notes.clone(),
        };
        SlicesReport {
            schema: SCHEMA.to_string(),
            formula: FORMULA.to_string(),
            weights: slices.weights().into(),
            instructions: slices.instructions().into(),
            mix: mix
                .map(|(class, count)| (class.name().to_string(), count.into()))
                .collect(),
            cache: levels(slices),
            edag: figures(&slices.figures()),
            formulas: formulas
                .map(|own| (own.entry().name.to_string(), own.text()))
                .collect(),
            reuse: slices.reuse().map(|reuse| SlicedReuseReport {
                cold: reuse.cold.into(),
                histogram: reuse
                    .bins
                    .into_iter()
                    .map(|((lo, hi), count)| SlicedBinReport {
                        lo,
                        hi,
                        count: count.into(),
                    })
                    .collect(),
            }),
            epochs: epochs(slices),
            camat: camat(slices),
            slices: slices.slices.iter().map(slice).collect(),
            notes: NOTES.map(str::to_string).to_vec(),
        }
    }
}

fn figures(figures: &Figures) -> IndexMap<String, Figure> {
    let figure = |figure: &EdagFigure| {
        let name = figure.entry().name.to_string();
        (name, Figure::from(figures.get(*figure)))
    };
    EdagFigure::ALL.iter().map(figure).collect()
}

fn camat(slices: &Slices) -> Vec<IndexMap<String, Figure>> {
    let Some(figures) = slices.camat() else {
        return Vec::new();
    };
    let first = slices.slices.first().and_then(|slice| slice.camat.as_ref());
    let levels = first.map_or(0, |camat| camat.levels.len());
    let level = |level: usize| {
        let figure = |figure: &LevelFigure| {
            let name = figure.entry().name.to_string();
            (name, Figure::from(figures.at(*figure, level)))
        };
        LevelFigure::ALL.iter().map(figure).collect()
    };
    (1..=levels).map(level).collect()
}

fn levels(slices: &Slices) -> Vec<SlicedLevelReport> {
    let specs = slices.slices.first().map(|slice| &slice.cache[..]);
    let counts: [fn(&LevelCounters) -> u64; 5] = [
        LevelCounters::accesses,
        |level| level.hits,
        |level| level.misses,
        |level| level.bytes_in,
        |level| level.bytes_out,
    ];
    let counts = counts.map(|count| slices.of_levels(count));
    let level = |(place, level): (usize, &crate::metrics::report::CacheLevel)| {
        let [accesses, hits, misses, bytes_in, bytes_out] =
            [0, 1, 2, 3, 4].map(|count: usize| Figure::from(counts[count][place]));
        SlicedLevelReport {
            spec: level.spec.to_string(),
            accesses,
            hits,
            misses,
            bytes_in,
            bytes_out,
        }
    };
    let specs = specs.unwrap_or_default().iter().enumerate();
    specs.map(level).collect()
}

fn epochs(slices: &Slices) -> Option<SlicedEpochsReport> {
    let first = slices.slices.first()?.epochs.as_ref()?;
    let mut tables = slices.epochs();
    let all = tables.remove(&None)?;
    let limited = tables.into_iter();
    Some(SlicedEpochsReport {
        windows: first.windows.clone(),
        capacities: first.capacities.clone(),
        epki: rows(&slices.per_thousand(&all)),
        epochs: rows(&all),
        slots: limited
            .filter_map(|(limit, table)| Some((limit?, rows(&table))))
            .collect(),
    })
}

fn rows(table: &Table) -> Vec<Vec<Figure>> {
    let row = |row: &Vec<f64>| row.iter().map(|value| Figure::from(*value)).collect();
    table.iter().map(row).collect()
}
