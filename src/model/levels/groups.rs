//! After how many iterations of a loop does a reference come back to what a neighbour has touched?
//!
//! Offsets are sorted by their place along the loop, in iterations. Those that can meet at all, because they
//! agree in everything that neither this loop nor one inside moves, are a *family*. In a family neighbours that
//! are at most `gap` iterations apart are a *cluster*: if the cache holds `gap` iterations, the lines that they
//! have in common are fetched once.
//!
//! ```text
//! a[i-2][j]  a[i][j]  a[i+1][j]     along i: −2, 0, 1         gaps 1 and 2
//!
//! gap 1:  {−2} {0, 1}   two clusters: two rows are fetched an iteration
//! gap 2:  {−2, 0, 1}    one cluster: one row
//! ```
//!
//! `reuse` takes every gap that occurs as a distance, and counts the lines of the clusters before and after.

use super::number::Number;
use super::records::WITHIN;
use super::reference::Reference;
use super::reuse::Profiler;

/// Elements that no offsets are apart.
const MOST_APART: f64 = 1e12;

impl<N: Number> Profiler<'_, N> {
    /// Iterations between neighbouring groups.
    pub fn gaps(&self, reference: &Reference<N>, offsets: &[Vec<i64>], level: usize) -> Vec<i64> {
        let families = self.families(reference, offsets, level);
        let places = families
            .iter()
            .flat_map(|family| family.windows(2).map(|pair| pair[1].0 - pair[0].0));
        places.filter(|gap| *gap > 0).collect()
    }

    /// Groups of offsets whose neighbours are at most `gap` iterations apart.
    pub fn clusters(
        &self,
        reference: &Reference<N>,
        offsets: &[Vec<i64>],
        level: usize,
        gap: i64,
    ) -> Vec<Vec<Vec<i64>>> {
        let mut clusters: Vec<Vec<Vec<i64>>> = Vec::new();
        for family in self.families(reference, offsets, level) {
            let mut last = None;
            for (place, offset) in family {
                match clusters.last_mut() {
                    Some(cluster) if last.is_some_and(|last| place - last <= gap) => {
                        cluster.push(offset);
                    }
                    _ => clusters.push(vec![offset]),
                }
                last = Some(place);
            }
        }
        clusters
    }

    /// The contiguous dimension, where the loop goes along it by rows that those inside walk, and offsets are rows apart:
    /// `s[(i - 1)*3000 + j]` beside `s[(i + 1)*3000 + j]`.
    fn along_rows(
        &self,
        reference: &Reference<N>,
        offsets: &[Vec<i64>],
        level: usize,
    ) -> Option<usize> {
        let row = reference.dimensions.first()?;
        let (_, by) = row.iter().find(|(v, _)| *v == level)?;
        let step = self.domain().loops[level].known_step?;
        let stride = by.abs() * step;
        let is_inner = |(v, c): &(usize, f64)| *v <= level || c.abs() < stride;
        let places = || offsets.iter().map(|offset| offset[0]);
        let reach = places().max()? - places().min()?;
        (stride > WITHIN && row.iter().all(is_inner) && reach as f64 >= stride).then_some(0)
    }

    /// Offsets that can meet in the iterations of a loop, with their places along it in iterations,
    /// ascending.
    fn families(
        &self,
        reference: &Reference<N>,
        offsets: &[Vec<i64>],
        level: usize,
    ) -> Vec<Vec<(i64, Vec<i64>)>> {
        let inner = |terms: &Vec<(usize, f64)>| terms.iter().any(|(v, _)| *v > level);
        let own = reference
            .dimensions
            .iter()
            .position(|terms| terms.iter().any(|(v, _)| *v == level) && !inner(terms));
        let along = own.or_else(|| self.along_rows(reference, offsets, level));
        let walks_rows = own.is_none();
        let stride = along.map(|d| {
            let c = reference.dimensions[d]
                .iter()
                .find(|(v, _)| *v == level)
                .map_or(1.0, |(_, c)| *c);
            // Of no step, or one that is not known, all places are one.
            let step = self.domain().loops[level].known_step;
            let stride = step.map_or(MOST_APART, |step| c.abs() * step);
            (stride.min(MOST_APART) as i64).max(1)
        });
        let mut families: std::collections::BTreeMap<Vec<i64>, Vec<(i64, Vec<i64>)>> =
            Default::default();
        for offset in offsets {
            let mut place = 0;
            let mut family = Vec::new();
            for (d, value) in offset.iter().enumerate() {
                match (along, stride) {
                    (Some(at), Some(stride)) if at == d => {
                        // A row further, and a little before or after it.
                        let nearest = if walks_rows { stride / 2 } else { 0 };
                        place = (value + nearest).div_euclid(stride);
                        if d > 0 {
                            family.push(value.rem_euclid(stride));
                        }
                    }
                    _ if d > 0 && !reference.dimensions[d].iter().any(|(v, _)| *v >= level) => {
                        family.push(*value);
                    }
                    _ => {}
                }
            }
            families
                .entry(family)
                .or_default()
                .push((place, offset.clone()));
        }
        families
            .into_values()
            .map(|mut family| {
                family.sort();
                family
            })
            .collect()
    }
}
