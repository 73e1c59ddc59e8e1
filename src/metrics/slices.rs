//! Weighted slices of a run, as SimPoint chooses them: every figure x is Σ wᵢ·xᵢ over the slices, and what follows from
//! figures follows from these sums (guide: dynamic-model, "Slices").

use std::collections::BTreeMap;

use super::camat::formulas::{LevelFigure, ProgramFigure};
use super::camat::{Camat, Figures as CamatFigures, Program};
use super::formulas::{EdagFigure, Figures, counted};
use super::report::{CacheLevel, Edag, Epochs, Inputs, Reuse, TraceReport};
use crate::cache::LevelCounters;
use crate::trace::isa::Class;

/// How a figure comes from those of the slices.
pub const FORMULA: &str = "Σ wᵢ·xᵢ";

/// What a reader of the figures has to know, whatever the slices.
pub const NOTES: [&str; 2] = [
    "each slice starts with empty caches and without earlier values: the run itself has fewer misses and more \
     dependences",
    "T∞, 𝒟, C∞ and epochs are those of slices one after another: the longest path through all of them is at most as \
     long",
];

/// The slices of one run.
#[derive(Clone, Debug)]
pub struct Slices {
    pub inputs: Inputs,
    /// At least one; all counted with the same settings.
    pub slices: Vec<Slice>,
}

/// One slice.
#[derive(Clone, Debug)]
pub struct Slice {
    pub path: String,
    /// wᵢ: not negative.
    pub weight: f64,
    pub instructions: u64,
    pub mix: BTreeMap<Class, u64>,
    pub cache: Vec<CacheLevel>,
    pub edag: Edag,
    pub reuse: Option<Reuse>,
    pub epochs: Option<Epochs>,
    pub camat: Option<Camat>,
    pub notes: Vec<String>,
}

impl Slice {
    pub fn of(weight: f64, report: TraceReport) -> Slice {
        Slice {
            path: report.trace.path,
            weight,
            instructions: report.trace.instructions,
            mix: report.mix,
            cache: report.cache,
            edag: report.edag,
            reuse: report.reuse,
            epochs: report.epochs,
            camat: report.camat,
            notes: report.notes,
        }
    }
}

/// Touches of lines.
#[derive(Clone, Debug, PartialEq)]
pub struct SlicedReuse {
    /// First ones.
    pub cold: f64,
    /// By bin: from a distance to below another one.
    pub bins: BTreeMap<(u64, u64), f64>,
}

/// A table of epochs, capacity first, then window.
pub type Table = Vec<Vec<f64>>;

impl Slices {
    /// Σ wᵢ·xᵢ; `None` if one of them is not known.
    pub fn sum(&self, of: impl Fn(&Slice) -> Option<f64>) -> Option<f64> {
        let parts = self.slices.iter();
        parts
            .map(|slice| of(slice).map(|value| slice.weight * value))
            .sum()
    }

    fn sum_of(&self, of: impl Fn(&Slice) -> u64) -> f64 {
        let parts = self.slices.iter();
        parts.map(|slice| slice.weight * of(slice) as f64).sum()
    }

    /// Σ wᵢ
    pub fn weights(&self) -> f64 {
        self.slices.iter().map(|slice| slice.weight).sum()
    }

    pub fn instructions(&self) -> f64 {
        self.sum_of(|slice| slice.instructions)
    }

    /// Executed instructions of each class that occurs.
    pub fn mix(&self) -> BTreeMap<Class, f64> {
        let classes = self.slices.iter().flat_map(|slice| slice.mix.keys());
        let of = |class: &Class| self.sum_of(|slice| slice.mix.get(class).copied().unwrap_or(0));
        classes.map(|class| (*class, of(class))).collect()
    }

    /// Counts of the graph are sums; what has a formula is computed from them.
    pub fn figures(&self) -> Figures {
        let count = |figure: EdagFigure| self.sum(|slice| counted(figure, &slice.edag));
        Figures::of_counts(&count, &self.inputs)
    }

    /// One count of each cache level, nearest first.
    pub fn of_levels(&self, count: impl Fn(&LevelCounters) -> u64) -> Vec<f64> {
        let levels = self.slices.first().map_or(0, |slice| slice.cache.len());
        let of = |level: usize| self.sum_of(|slice| count(&slice.cache[level].counters));
        (0..levels).map(of).collect()
    }

    /// C-AMAT, from the sums of counts of each level; `None` if it was not asked for. How many harts share a level is not
    /// summed: it is unknown if slices differ in it.
    pub fn camat(&self) -> Option<CamatFigures> {
        let first = self.slices.first()?.camat.as_ref()?;
        let of_program = |part: fn(&Program) -> Option<f64>| {
            self.sum(|slice| part(&slice.camat.as_ref()?.program))
        };
        let instructions = of_program(|own| own.instructions.map(|count| count as f64));
        let perfect = of_program(|own| Some(own.instructions? as f64 * own.cpi_exe?));
        let inputs = [
            (ProgramFigure::Instructions, instructions),
            (
                ProgramFigure::CpiExe,
                perfect
                    .zip(instructions)
                    .map(|(cycles, count)| cycles / count),
            ),
            (
                ProgramFigure::HartCycles,
                of_program(|own| own.hart_cycles.map(|cycles| cycles as f64)),
            ),
            (ProgramFigure::StallTarget, Some(first.program.stall_target)),
        ];
        let count = |figure: LevelFigure, level: usize| {
            let of = |slice: &Slice| {
                let count = figure.count(slice.camat.as_ref()?.levels.get(level - 1)?)?;
                Some(count as f64)
            };
            match figure {
                LevelFigure::Sharers => {
                    let sharers = of(self.slices.first()?);
                    let is_same = self.slices.iter().all(|slice| of(slice) == sharers);
                    sharers.filter(|_| is_same)
                }
                _ => self.sum(of),
            }
        };
        Some(CamatFigures::of_counts(inputs, first.levels.len(), &count))
    }

    /// Reuse distances; `None` if that was not asked for.
    pub fn reuse(&self) -> Option<SlicedReuse> {
        let cold = self.sum(|slice| Some(slice.reuse.as_ref()?.cold as f64))?;
        let mut bins = BTreeMap::new();
        for slice in &self.slices {
            for bin in slice.reuse.iter().flat_map(|reuse| &reuse.histogram) {
                *bins.entry((bin.lo, bin.hi)).or_insert(0.0) += slice.weight * bin.count as f64;
            }
        }
        Some(SlicedReuse { cold, bins })
    }

    /// Epochs without a limit of misses in one (`None`), and with each; empty if they were not asked for.
    pub fn epochs(&self) -> BTreeMap<Option<u32>, Table> {
        let Some(first) = self.slices.first().and_then(|slice| slice.epochs.as_ref()) else {
            return BTreeMap::new();
        };
        let limits = first.slots.keys().map(|limit| Some(*limit));
        let of = |limit: Option<u32>| (limit, self.table(first, limit));
        std::iter::once(None).chain(limits).map(of).collect()
    }

    fn table(&self, first: &Epochs, limit: Option<u32>) -> Table {
        let value = |c: usize, w: usize| {
            self.sum_of(|slice| {
                slice.epochs.as_ref().map_or(0, |epochs| match limit {
                    None => epochs.epochs[c][w],
                    Some(limit) => epochs.slots[&limit][c][w],
                })
            })
        };
        let windows = first.windows.len();
        let row = |c: usize| (0..windows).map(|w| value(c, w)).collect();
        (0..first.capacities.len()).map(row).collect()
    }

    /// Epochs per 1,000 instructions, of a table of [`Slices::epochs`].
    pub fn per_thousand(&self, table: &Table) -> Table {
        let instructions = self.instructions();
        let rate = |epochs: &f64| 1000.0 * epochs / instructions;
        let row = |row: &Vec<f64>| row.iter().map(rate).collect();
        table.iter().map(row).collect()
    }
}
