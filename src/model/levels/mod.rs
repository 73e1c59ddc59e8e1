//! Traffic through caches of any capacity, neighbour by neighbour: for every loop
//! that carries reuse, what the nest touches in between, and how many lines move if that does not fit.

mod blocks;
mod cells;
mod domain;
mod doubts;
mod extents;
mod formulas;
mod gather;
mod geometry;
mod groups;
mod guarded;
mod neighbours;
mod number;
mod overlap;
mod records;
mod reference;
mod reuse;
mod reuse_figures;
mod rows;
mod runs;
mod sequence;
mod sizes;
mod swept;
mod touched;

use super::nest::Nest;
use crate::catalogue::StaticFigure;
use crate::expr::Expr;

use geometry::Geometry;
use number::Number;
use overlap::Counted;
use reference::{Lines, Reference};
use reuse::{Covered, Profiler};

pub(crate) use blocks::block_symbol;
pub(crate) use doubts::doubts;
pub use formulas::{CacheFigures, NestLevels};
pub(crate) use formulas::{last_share, share};
pub use neighbours::{Found, Neighbours};
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
    let (profile, geometry) = profiled(nest, value, neighbours);
    (profile, geometry.names(nest))
}

/// The same with the loops that it is about.
fn profiled(
    nest: &Nest,
    value: &dyn Fn(&Expr) -> f64,
    neighbours: Option<&Neighbours<f64>>,
) -> (Profile<f64>, Geometry) {
    let is_blocked = !blocked(nest, value).is_empty();
    let geometry = Geometry::of(nest).blocked(nest, &|_| is_blocked);
    let mut profile = compute(
        &geometry,
        value,
        value(&Expr::machine("line_bytes")),
        &|_, number| number,
    );
    if let Some(neighbours) = neighbours {
        neighbours.mark(&mut profile, &|v| geometry.original(nest, v));
        for reuse in &mut profile.reuses {
            reuse.distance = reuse
                .shared
                .map_or(reuse.distance, |body| body.max(reuse.distance));
        }
    }
    (profile, geometry)
}

/// The loops of a nest that are blocked, by their position from outside, with the iterations of a block.
pub fn blocked(nest: &Nest, value: &dyn Fn(&Expr) -> f64) -> Vec<(usize, f64)> {
    let size = |v: usize| value(&Expr::from(blocks::block_symbol(nest, v)));
    let chosen = Geometry::of(nest).chosen(nest, &|block| value(&Expr::from(block.clone())) > 0.0);
    chosen.into_iter().map(|v| (v, size(v))).collect()
}

/// The loops of a nest that can be blocked, by their position from outside.
pub(crate) fn blockable(nest: &Nest) -> Vec<usize> {
    Geometry::of(nest).chosen(nest, &|_| true)
}

/// The profile over any kind of number.
fn compute<N: Number>(
    geometry: &Geometry,
    value: &dyn Fn(&Expr) -> N,
    line: N,
    name: &dyn Fn(StaticFigure, N) -> N,
) -> Profile<N> {
    let covered = cover(geometry, value);
    let (domain, references) = geometry.map(value);
    let lines = Lines::new(&domain, line, name);
    Profiler {
        lines,
        references: &references,
        covered: &covered,
    }
    .profile()
}

fn cover<N: Number>(geometry: &Geometry, value: &dyn Fn(&Expr) -> N) -> Covered<N> {
    let Geometry {
        domain, references, ..
    } = geometry;
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
        ..references[*r].clone()
    };
    let writers: Vec<Reference<Expr>> = written.iter().map(only_written).collect();
    let writers: Vec<&Reference<Expr>> = writers.iter().collect();
    let spread = |level: usize| {
        let mut all: Vec<Counted<N>> = vec![
            Counted {
                offsets: Vec::new(),
                row: None,
                taken: None,
            };
            references.len()
        ];
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

/// Less than this is no reuse.
const HALF_A_LINE: f64 = 0.5;
/// As good as everything.
const ALL: f64 = 0.999;
