//! How many cache lines does a nest move through a cache of any size?
//!
//! # The idea
//!
//! A fully associative cache with LRU replacement is decided by distances: an access finds its line if the
//! distinct lines touched since the last access to it fit (Mattson, IBM Systems Journal 9(2), 1970). Nothing is
//! simulated here. Take a loop `l` of the nest and let the loops outside of it stand still. What an iteration
//! of `l` touches and the one `δ` iterations before touched too is reuse that `l` *carries*, and all of it has
//! about one distance: the distinct lines of `δ` iterations of `l`, all arrays together. So a nest is a short
//! list, its [`Profile`]: the lines that any cache fetches, and for every loop and `δ` a distance with the
//! lines that are fetched again if it does not fit. The list is made once; every cache level only compares it
//! with its size.
//!
//! ```text
//! nest ── geometry ──► loops as affine ranges (domain), streams with their addresses (reference)
//!            │ blocks: a loop over blocks around each loop that can be blocked
//!            ▼
//!         reuse: for every loop, outermost first, and every distance of neighbours (groups)
//!            │   overlap               which references to one array touch the same and count once
//!            │   touched ► reference   distinct lines of what counts, while the loops outside stand still
//!            │               ├ guarded   only some iterations come to it (narrow: none come to the others)
//!            │               ├ rows      one run along the contiguous dimension
//!            │               ├ records   the same with gaps, and runs: rows with none in between
//!            │               └ gather    the subscript is data (reuse at any distance)
//!            │   apart                 rows and columns of one array (reuse at any distance)
//!            ▼
//!         Profile: cold, flushed, [(loop, δ, distance, lines)]
//!            │   sequence ► swept, neighbours: what earlier nests have left in the cache
//!            ▼
//!         formulas ► reuse_figures, sizes, cells: figures of every level, as numbers or as cells
//!         doubts: shapes for which all this is not shown to be right
//! ```
//!
//! # Worked example
//!
//! A five-point star over 2,000 × 2,000 doubles, with lines of 64 bytes: a row is 250 lines.
//!
//! ```text
//! void star(int n, double a[n][n], double b[n][n]) {
//!   for (int i = 1; i < n - 1; i++)
//!     for (int j = 1; j < n - 1; j++)
//!       b[i][j] = a[i-1][j] + a[i+1][j] + a[i][j-1] + a[i][j+1] + a[i][j];
//! }
//!
//! carried by   distance   lines fetched again                             lines written again
//! -  (cold)           -      999,500   500,000 of a, 499,500 of b         499,500   of b
//! i            64,000 B      998,500   1,998·750 − 500,000                      0
//! j               272 B   14,968,017   1,998²·4.25 − 1,998·1,000        3,492,504   1,998² − 1,998·250
//! ```
//!
//! - *cold*: 2,000 rows of `a` and 1,998 rows of `b`, each once.
//! - *i*: one iteration touches three rows of `a` and one of `b`: 1,000 lines, 64,000 B. If these fit, two of
//!   the three rows of `a` are still there; else 1,998·750 lines are fetched in place of 500,000.
//! - *j*: one iteration touches one line of the rows above and below, 1.25 on average of the middle one, of
//!   which it reads three neighbours, and one of `b`: 4.25 lines, 272 B.
//!
//! A cache fetches the cold lines and those of every distance that it does not hold. The 48 KiB of L1 of
//! `xeon-8380` hold 272 B but not 64,000 B: 999,500 + 998,500 lines, 127,872,000 B. L2 (1.25 MiB) holds both:
//! 63,968,000 B. Either writes the 499,500 lines of `b` back: 31,968,000 B. A test has these figures
//! (`tests/it/levels.rs`). A cache never fetches more than a smaller one, as every term only falls away.
//!
//! # Source and limits
//!
//! The formulas are in the guide (guide: static-model, "The refined rule: lines", "The refined rule: reuse",
//! "Worked example: a plane that does not fit"). Conflict misses are not in them. Everything is written once
//! over `number::Number`, so that the plain figures and the formulas of the workbook cannot differ.

mod anywhere;
mod apart;
mod array_figures;
mod blocks;
mod by_array;
mod cells;
mod chance;
mod collisions;
mod conflicts;
mod crowds;
mod domain;
mod doubts;
mod ends;
mod extents;
mod few_rows;
mod followed;
mod forms;
mod formulas;
mod gather;
mod geometry;
mod groups;
mod guarded;
mod literal;
mod met;
mod narrow;
mod neighbours;
mod number;
mod of_array;
mod order;
mod overlap;
mod pages;
mod part_fetched;
mod records;
mod reference;
mod reuse;
mod reuse_figures;
mod rows;
mod runs;
mod sequence;
mod sets;
mod sizes;
mod skew;
mod small;
mod steps;
mod swept;
mod taken;
mod touched;
mod undecided;
mod unforeseen;
mod warm;
mod widths;

use super::nest::Nest;
use crate::arrays::Arrays;
use crate::expr::Expr;

use domain::Domain;
use geometry::Geometry;
use number::Number;
use overlap::Counted;
use reference::{Lines, Reference};
use reuse::{Covered, Profiler};
use steps::NameStep;

pub use array_figures::ArrayFigures;
pub(crate) use array_figures::define_bytes as define_bytes_of_arrays;
pub(crate) use blocks::block_symbol;
pub(crate) use chance::decides_distances;
pub(crate) use collisions::collision;
pub use collisions::{Collision, SetAssociative};
pub use conflicts::ConflictFigures;
pub(crate) use doubts::doubts;
pub use formulas::{CacheFigures, NestLevels};
pub use neighbours::{Found, Neighbours};
pub use pages::Pages;
pub use reuse::{Profile, Reuse};
pub use reuse_figures::ReuseFigures;
pub(crate) use sequence::{REUSE_BETWEEN_NESTS, neighbours};

/// The profile of a nest as numbers; `value` knows the symbols of the source and of the machine. Where a loop is
/// blocked, all that can be have a loop over blocks, as in the formulas, if only over one block. With `neighbours`,
/// loops around several nests come back to a line after all of these.
pub fn profile(
    nest: &Nest,
    value: &dyn Fn(&Expr) -> f64,
    neighbours: Option<&Neighbours<f64>>,
) -> (Profile<f64>, Vec<String>) {
    let unit = ("line_bytes", Irregular::Ignored.into());
    let (mut profile, geometry) = profiled(nest, value, neighbours, unit);
    profile.count_few(nest, value);
    (profile, geometry.names(nest))
}

/// The same with the loops that it is about, of lines or of pages.
fn profiled(
    nest: &Nest,
    value: &dyn Fn(&Expr) -> f64,
    neighbours: Option<&Neighbours<f64>>,
    (unit, wanted): (&str, Wanted),
) -> (Profile<f64>, Geometry) {
    let geometry = Geometry::of(nest);
    let is_blocked = is_blocked(&geometry, nest, value);
    let geometry = geometry.blocked(nest, &|_| is_blocked);
    let mut profile = compute(
        &geometry,
        value,
        (value(&Expr::machine(unit)), wanted),
        &|_, number| number,
    );
    if let Some(neighbours) = neighbours {
        neighbours.mark(&mut profile, &|v| geometry.original(nest, v));
        for reuse in &mut profile.reuses {
            // Until the shared loop comes back, the nests beside this one have had their turn.
            reuse.distance = reuse
                .shared
                .map_or(reuse.distance, |body| body.max(reuse.distance));
        }
    }
    (profile, geometry)
}

/// Whether lines that no prefetcher predicts are counted apart: only where machines say what these take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Irregular {
    Counted,
    Ignored,
}

/// How much of what data decide lies between two uses of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Between {
    /// All that could be met.
    All,
    /// As much as one round meets, as if each round met the same.
    Met,
}

/// Which lines are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Counting {
    All,
    /// Those only that any cache fetches.
    Cold,
}

/// What is counted, and told apart.
#[derive(Clone, Copy, Debug)]
struct Wanted {
    counting: Counting,
    irregular: Irregular,
    arrays: Arrays,
    between: Between,
}

impl From<Irregular> for Wanted {
    fn from(irregular: Irregular) -> Wanted {
        Wanted {
            counting: Counting::All,
            irregular,
            arrays: Arrays::Together,
            between: Between::All,
        }
    }
}

/// The loops of a nest that are blocked, by their position from outside, with the iterations of a block.
pub fn blocked(nest: &Nest, value: &dyn Fn(&Expr) -> f64) -> Vec<(usize, f64)> {
    let size = |v: usize| value(&Expr::from(blocks::block_symbol(nest, v)));
    let chosen = blocked_loops(&Geometry::of(nest), nest, value);
    chosen.into_iter().map(|v| (v, size(v))).collect()
}

/// Whether some of its loops are.
fn is_blocked(geometry: &Geometry, nest: &Nest, value: &dyn Fn(&Expr) -> f64) -> bool {
    !blocked_loops(geometry, nest, value).is_empty()
}

fn blocked_loops(geometry: &Geometry, nest: &Nest, value: &dyn Fn(&Expr) -> f64) -> Vec<usize> {
    geometry.chosen(nest, &|block| value(&Expr::from(block.clone())) > 0.0)
}

/// The loops of a nest that can be blocked, by their position from outside.
pub(crate) fn blockable(nest: &Nest) -> Vec<usize> {
    Geometry::of(nest).chosen(nest, &|_| true)
}

/// The profile over any kind of number.
fn compute<N: Number>(
    geometry: &Geometry,
    value: &dyn Fn(&Expr) -> N,
    (line, wanted): (N, Wanted),
    name: NameStep<N>,
) -> Profile<N> {
    let covered = cover((&geometry.domain, &geometry.references), value);
    let (mut domain, mut references) = geometry.map(value);
    let names = &geometry.step_names;
    geometry.name_blocks(&mut domain, name);
    reference::name_sizes(&mut references, (name, names));
    let lines = Lines::new(&domain, line, (name, names));
    let unforeseen = match wanted.irregular {
        Irregular::Counted => lines.unforeseen(&references),
        Irregular::Ignored => Vec::new(),
    };
    let profiler = Profiler {
        lines,
        references: &references,
        covered: &covered,
        unforeseen,
        arrays: wanted.arrays,
        between: wanted.between,
    };
    let mut profile = profiler.compulsory_lines();
    if wanted.counting == Counting::All {
        profiler.add_reuse(&mut profile);
    }
    if !geometry.fixed.is_empty() {
        let mut fixed = geometry::map_all(&geometry.fixed, value);
        reference::name_sizes(&mut fixed, (name, names));
        let covered = cover((&geometry.domain, &geometry.fixed), value);
        let once = Profiler {
            lines: profiler.lines,
            references: &fixed,
            covered: &covered,
            unforeseen: Vec::new(),
            arrays: Arrays::Together,
            between: wanted.between,
        };
        once.fetch_once(&mut profile);
    }
    let written = geometry.written_beside();
    profile.flushed = profile.flushed.shifted(written);
    profile
}

fn cover<N: Number>(
    (domain, references): (&Domain<Expr>, &[Reference<Expr>]),
    value: &dyn Fn(&Expr) -> N,
) -> Covered<N> {
    let all: Vec<&Reference<Expr>> = references.iter().collect();
    let levels = 0..=domain.loops.len();
    let map = |counted: &Counted<Expr>| counted.map(value);
    let any = levels
        .clone()
        .map(|level| {
            overlap::counted(domain, &all, level)
                .iter()
                .map(map)
                .collect()
        })
        .collect();
    let written: Vec<usize> = (0..references.len())
        .filter(|r| !references[*r].written.is_empty())
        .collect();
    let only_written = |r: &usize| Reference {
        offsets: references[*r].written.clone(),
        taken: references[*r].writes.clone(),
        condition: references[*r].writing().clone(),
        ..references[*r].clone()
    };
    let writers: Vec<Reference<Expr>> = written.iter().map(only_written).collect();
    let writers: Vec<&Reference<Expr>> = writers.iter().collect();
    let spread = |level: usize| {
        let none = Counted {
            offsets: Vec::new(),
            apart: Vec::new(),
            row: None,
            taken: None,
        };
        let mut all: Vec<Counted<N>> = vec![none; references.len()];
        for (r, counted) in written
            .iter()
            .zip(overlap::counted(domain, &writers, level))
        {
            all[*r] = counted.map(value);
        }
        all
    };
    Covered {
        any,
        written: levels.map(spread).collect(),
    }
}

impl Profile<f64> {
    /// Lines fetched and lines written back by a cache of so many bytes.
    pub fn through(&self, capacity: f64) -> (f64, f64) {
        let missed = self.reuses.iter().filter(|reuse| reuse.distance > capacity);
        missed.fold((self.cold, self.flushed), |(fetched, written), reuse| {
            (fetched + reuse.fetched, written + reuse.written)
        })
    }

    /// The same, and how many of them earlier nests left in the cache.
    pub fn through_with(
        &self,
        capacity: f64,
        neighbours: Option<&Neighbours<f64>>,
    ) -> ((f64, f64), (f64, f64)) {
        let all = self.through(capacity);
        let Some(neighbours) = neighbours else {
            return (all, (0.0, 0.0));
        };
        let held = neighbours.held(&capacity, &1.0);
        (all, (held.0.min(all.0), held.1.min(all.1)))
    }

    /// Of the lines fetched, those of arrays that are only written, or before they are read.
    pub fn written_first_through(&self, capacity: f64) -> f64 {
        let missed = self.reuses.iter().filter(|reuse| reuse.distance > capacity);
        missed.fold(self.written_first, |lines, reuse| {
            lines + reuse.written_first
        })
    }

    /// Whether prefetchers foresee all lines.
    pub fn is_foreseen(&self) -> bool {
        self.unforeseen == 0.0 && self.reuses.iter().all(|reuse| reuse.unforeseen == 0.0)
    }

    /// Of the lines fetched, those that no prefetcher predicts.
    pub fn unforeseen_through(&self, capacity: f64) -> f64 {
        let missed = self.reuses.iter().filter(|reuse| reuse.distance > capacity);
        missed.fold(self.unforeseen, |lines, reuse| lines + reuse.unforeseen)
    }
}

/// What a cache of so many bytes holds, in words; `names` are those of the loops.
pub fn condition(names: &[String], profile: &Profile<f64>, capacity: f64) -> String {
    let held = |carrier: usize| {
        let of = profile
            .reuses
            .iter()
            .filter(move |reuse| reuse.carrier == carrier);
        of.fold((0.0, 0.0), |(all, held), reuse| {
            let lines = reuse.fetched + reuse.written;
            (
                all + lines,
                held + if reuse.distance <= capacity {
                    lines
                } else {
                    0.0
                },
            )
        })
    };
    let mut unheld = false;
    for (carrier, name) in names.iter().enumerate() {
        let (all, held) = held(carrier);
        if all < HALF_A_LINE {
            continue;
        }
        if held >= ALL * all {
            return if unheld {
                format!("loop {name} carries reuse")
            } else {
                "all reuse stays".to_string()
            };
        }
        if held > 0.0 {
            return format!("loop {name} carries part of its reuse");
        }
        unheld = true;
    }
    if unheld {
        "nothing stays".to_string()
    } else {
        "nothing is reused".to_string()
    }
}

/// Less than this does not count as reuse.
const HALF_A_LINE: f64 = 0.5;
/// As good as everything.
const ALL: f64 = 0.999;
