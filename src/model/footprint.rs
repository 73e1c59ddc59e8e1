//! How many distinct elements shifted copies of a block touch together: the exact size of the union
//! as a polynomial in the block's extents.
//!
//! The union of the blocks `s + [0, e)` over all offsets `s` is cut into columns along the
//! contiguous dimension. Across the other dimensions the columns fall into regions: before the core
//! of all blocks, inside it, and after it, one strip between each two neighbouring offsets. In every
//! region the same offsets reach, so a column there is one run of known length.

use std::collections::{BTreeMap, BTreeSet};

/// How a dimension takes part in a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walk {
    /// Stays at one place.
    Fixed,
    /// Advances by this many elements per iteration (the absolute stride, at least 1).
    By(i64),
}

/// A number of columns that all have runs of the same kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Columns {
    /// Elements by which a run is longer than the block's own extent along dimension 0; for a fixed
    /// dimension 0, the length of the run less one.
    pub extra: i64,
    /// Where the run begins along dimension 0, less the block's own place; zero where columns of all
    /// places are taken together.
    pub first: i64,
    /// Number of runs in a column: more than one only if dimension 0 is fixed or strided.
    pub runs: i64,
    /// The offsets of a strided column along dimension 0, ascending; none where columns of all places are taken
    /// together, or all elements of the run are touched.
    pub places: Vec<i64>,
    /// The number of columns: coefficient of each product of block extents. A key holds the
    /// dimensions whose extents are multiplied, ascending.
    pub count: BTreeMap<Vec<usize>, i64>,
}

impl Columns {
    /// Whether some columns are counted less often than they stand in others.
    pub fn takes_away(&self) -> bool {
        self.count.values().any(|coefficient| *coefficient < 0)
    }

    /// Those of a single offset.
    pub fn single(first: i64, walks: &[Walk]) -> Columns {
        let walked: Vec<usize> = (1..walks.len())
            .filter(|d| walks[*d] != Walk::Fixed)
            .collect();
        let places = if is_strided(walks) {
            vec![first]
        } else {
            Vec::new()
        };
        Columns {
            extra: 0,
            first,
            runs: 1,
            places,
            count: BTreeMap::from([(walked, 1)]),
        }
    }
}

/// Offsets further apart than this many elements are taken to be in different cache lines when
/// dimension 0 is fixed or strided.
pub const SAME_LINE_REACH: i64 = 8;

/// Regions that one union may be cut into. Offsets that differ along so many dimensions that there were more are
/// apart along the dimensions that are left: their overlap counts twice.
const MOST_REGIONS: usize = 100_000;

/// Distinct elements that a sweep of a block touches. `offsets` has one entry a dimension in storage
/// order, `walks` says which dimensions the sweep moves along. Exact for extents of at least the
/// span of the offsets along each walked dimension.
pub fn union(offsets: &[Vec<i64>], walks: &[Walk]) -> Vec<Columns> {
    let mut merged: BTreeMap<(i64, i64), BTreeMap<Vec<usize>, i64>> = BTreeMap::new();
    for Columns {
        extra, runs, count, ..
    } in placed(offsets, walks)
    {
        let known = merged.entry((extra, runs)).or_default();
        for (dimensions, coefficient) in count {
            *known.entry(dimensions).or_insert(0) += coefficient;
        }
    }
    merged
        .values_mut()
        .for_each(|count| count.retain(|_, coefficient| *coefficient != 0));
    let kept = merged.into_iter().filter(|(_, count)| !count.is_empty());
    kept.map(|((extra, runs), count)| Columns {
        extra,
        first: 0,
        runs,
        places: Vec::new(),
        count,
    })
    .collect()
}

/// The same, columns that begin at different places apart.
pub fn placed(offsets: &[Vec<i64>], walks: &[Walk]) -> Vec<Columns> {
    let rank = walks.len();
    let mut columns: BTreeMap<(Run, Vec<i64>), BTreeMap<Vec<usize>, i64>> = BTreeMap::new();
    for part in split_fixed(offsets, walks)
        .into_iter()
        .flat_map(|part| split_surplus(part, walks))
    {
        // Along a strided dimension, offsets of different residue never meet.
        for residue in split_residues(&part, walks) {
            let walked: Vec<usize> = (1..rank).filter(|d| walks[*d] != Walk::Fixed).collect();
            regions(
                &residue,
                &walked,
                &mut Vec::new(),
                1,
                &mut |reach, dimensions, length| {
                    let (runs, places) = runs(reach, walks);
                    for run in runs {
                        let count = columns.entry((run, places.clone())).or_default();
                        add_product(count, dimensions, length);
                    }
                },
            );
        }
    }
    let not_empty = |(_, count): &(_, BTreeMap<Vec<usize>, i64>)| !count.is_empty();
    let columns = columns.into_iter().filter(not_empty);
    let column = |((Run { extra, first, runs }, places), count)| Columns {
        extra,
        first,
        runs,
        places,
        count,
    };
    columns.map(column).collect()
}

fn is_strided(walks: &[Walk]) -> bool {
    matches!(walks.first(), Some(Walk::By(stride)) if *stride > 1)
}

/// Offsets grouped by their position in the fixed dimensions; dimension 0 never splits.
pub fn split_fixed(offsets: &[Vec<i64>], walks: &[Walk]) -> Vec<Vec<Vec<i64>>> {
    let key = |offset: &Vec<i64>| -> Vec<i64> {
        (1..walks.len())
            .filter(|d| walks[*d] == Walk::Fixed)
            .map(|d| offset[d])
            .collect()
    };
    group_by(offsets, key)
}

/// Offsets that differ along more dimensions than are cut into regions, grouped by their positions in the others.
fn split_surplus(offsets: Vec<Vec<i64>>, walks: &[Walk]) -> Vec<Vec<Vec<i64>>> {
    let mut regions = 1usize;
    let mut surplus = Vec::new();
    for dimension in (1..walks.len()).filter(|d| walks[*d] != Walk::Fixed) {
        let places = offsets
            .iter()
            .map(|offset| offset[dimension])
            .collect::<BTreeSet<i64>>()
            .len();
        match regions
            .checked_mul(2 * places - 1)
            .filter(|more| *more <= MOST_REGIONS)
        {
            Some(more) => regions = more,
            None => surplus.push(dimension),
        }
    }
    match surplus.is_empty() {
        true => vec![offsets],
        false => group_by(&offsets, |offset| {
            surplus.iter().map(|d| offset[*d]).collect()
        }),
    }
}

/// Offsets grouped by their residues in strided dimensions other than 0, divided by the strides.
fn split_residues(offsets: &[Vec<i64>], walks: &[Walk]) -> Vec<Vec<Vec<i64>>> {
    let stride = |d: usize| match walks[d] {
        Walk::By(stride) if d > 0 => stride.max(1),
        _ => 1,
    };
    let key = |offset: &Vec<i64>| {
        (0..offset.len())
            .map(|d| offset[d].rem_euclid(stride(d)))
            .collect::<Vec<i64>>()
    };
    let divided = |offset: Vec<i64>| {
        offset
            .iter()
            .enumerate()
            .map(|(d, o)| o.div_euclid(stride(d)))
            .collect()
    };
    group_by(offsets, key)
        .into_iter()
        .map(|part| part.into_iter().map(divided).collect())
        .collect()
}

fn group_by(offsets: &[Vec<i64>], key: impl Fn(&Vec<i64>) -> Vec<i64>) -> Vec<Vec<Vec<i64>>> {
    let mut groups: BTreeMap<Vec<i64>, Vec<Vec<i64>>> = BTreeMap::new();
    for offset in offsets {
        groups.entry(key(offset)).or_default().push(offset.clone());
    }
    groups.into_values().collect()
}

/// Receives one region: see [`regions`].
type Visit<'a> = dyn FnMut(&[Vec<i64>], &[(usize, i64)], i64) + 'a;

/// Calls `visit(offsets that reach it, dimensions in whose core it lies, number of columns)` for
/// every region across the walked dimensions. The number of columns is to be multiplied by
/// (extent − span) for each dimension in the core; `dimensions` carries the span.
fn regions(
    offsets: &[Vec<i64>],
    walked: &[usize],
    core: &mut Vec<(usize, i64)>,
    length: i64,
    visit: &mut Visit,
) {
    let Some((dimension, rest)) = walked.split_first() else {
        visit(offsets, core, length);
        return;
    };
    let mut values: Vec<i64> = offsets.iter().map(|offset| offset[*dimension]).collect();
    values.sort_unstable();
    values.dedup();
    for pair in values.windows(2) {
        let strip = pair[1] - pair[0];
        // Before the core: blocks that have started. After it: blocks that have not ended.
        let started: Vec<Vec<i64>> = offsets
            .iter()
            .filter(|o| o[*dimension] <= pair[0])
            .cloned()
            .collect();
        regions(&started, rest, core, length * strip, visit);
        let going: Vec<Vec<i64>> = offsets
            .iter()
            .filter(|o| o[*dimension] > pair[0])
            .cloned()
            .collect();
        regions(&going, rest, core, length * strip, visit);
    }
    let span = values[values.len() - 1] - values[0];
    core.push((*dimension, span));
    regions(offsets, rest, core, length, visit);
    core.pop();
}

/// A run along dimension 0, as in [`Columns`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Run {
    extra: i64,
    first: i64,
    runs: i64,
}

/// The runs of a column along dimension 0, and its offsets if that is strided.
fn runs(reach: &[Vec<i64>], walks: &[Walk]) -> (Vec<Run>, Vec<i64>) {
    let mut values: Vec<i64> = reach
        .iter()
        .filter_map(|offset| offset.first().copied())
        .collect();
    values.sort_unstable();
    values.dedup();
    let Some((first, last)) = values.first().copied().zip(values.last().copied()) else {
        return Default::default();
    };
    let whole = |runs: i64| Run {
        extra: last - first,
        first,
        runs,
    };
    match walks.first().copied().unwrap_or(Walk::Fixed) {
        Walk::By(1) => (vec![whole(1)], Vec::new()),
        // Strided: the run covers the gaps; the separate elements are kept beside.
        Walk::By(_) => (vec![whole(values.len() as i64)], values),
        Walk::Fixed => {
            let mut found = Vec::new();
            let mut start = first;
            for pair in values.windows(2) {
                if pair[1] - pair[0] > SAME_LINE_REACH {
                    found.push(Run {
                        extra: pair[0] - start,
                        first: start,
                        runs: 1,
                    });
                    start = pair[1];
                }
            }
            found.push(Run {
                extra: last - start,
                first: start,
                runs: 1,
            });
            (found, Vec::new())
        }
    }
}

/// Adds `length · Π (extent_d − span_d)` to a polynomial.
fn add_product(count: &mut BTreeMap<Vec<usize>, i64>, core: &[(usize, i64)], length: i64) {
    let whole = core
        .iter()
        .filter(|(_, span)| *span == 0)
        .map(|(dimension, _)| *dimension)
        .collect::<Vec<usize>>();
    let core = core
        .iter()
        .filter(|(_, span)| *span != 0)
        .collect::<Vec<_>>();
    let subsets = 1usize << core.len();
    for subset in 0..subsets {
        let mut coefficient = length;
        let mut dimensions = whole.clone();
        for (bit, (dimension, span)) in core.iter().enumerate() {
            if subset >> bit & 1 == 1 {
                dimensions.push(*dimension);
            } else {
                coefficient *= -span;
            }
        }
        dimensions.sort_unstable();
        let sum = count.get(&dimensions).copied().unwrap_or(0) + coefficient;
        if sum == 0 {
            count.remove(&dimensions);
        } else {
            count.insert(dimensions, sum);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evaluate(columns: &[Columns], extents: &[i64]) -> i64 {
        let total = |c: &Columns| {
            let count: i64 = c
                .count
                .iter()
                .map(|(ds, k)| k * ds.iter().map(|d| extents[*d]).product::<i64>())
                .sum();
            count * (extents[0] + c.extra)
        };
        columns.iter().map(total).sum()
    }

    #[test]
    fn a_star_is_what_the_formula_says() {
        // axc·by·bz + bxc·ay·bz + bxc·by·az − 2·bxc·by·bz without rounding, 16×16×128.
        let star: Vec<Vec<i64>> = [
            [0, 0, 0],
            [1, 0, 0],
            [-1, 0, 0],
            [0, 1, 0],
            [0, -1, 0],
            [0, 0, 1],
            [0, 0, -1],
        ]
        .map(|o| o.to_vec())
        .into();
        let columns = union(&star, &[Walk::By(1); 3]);
        let expected = 18 * 16 * 128 + 16 * 18 * 128 + 16 * 16 * 130 - 2 * 16 * 16 * 128;
        assert_eq!(evaluate(&columns, &[16, 16, 128]), expected);
    }

    #[test]
    fn offsets_that_differ_along_twenty_dimensions() {
        let offsets = [vec![0; 20], vec![1; 20]];
        let columns = union(&offsets, &[Walk::By(1); 20]);
        // With one element along eighteen of the dimensions, the two blocks do not meet.
        let extents = [[2; 2].as_slice(), &[1; 18]].concat();
        assert_eq!(evaluate(&columns, &extents), 8);
    }

    #[test]
    fn gaps_and_strides() {
        let offsets: Vec<Vec<i64>> = [[0, -2], [0, -1], [0, 1], [0, 2]]
            .map(|o| o.to_vec())
            .into();
        assert_eq!(
            evaluate(&union(&offsets, &[Walk::By(1), Walk::By(1)]), &[10, 10]),
            140
        );
        // Every second row: rows −1 and 1 meet, row 0 stays apart.
        let offsets: Vec<Vec<i64>> = [[0, -1], [0, 0], [0, 1]].map(|o| o.to_vec()).into();
        assert_eq!(
            evaluate(&union(&offsets, &[Walk::By(1), Walk::By(2)]), &[10, 10]),
            10 * (11 + 10)
        );
    }
}
