//! Stencils to be drawn: the offsets of a stream as cells of a grid, a slice for each offset beyond the second dimension.

use std::collections::BTreeMap;

use crate::model::{Model, NestModel, StreamFigures};

/// Streams that are drawn.
const DRAWN: usize = 4;
/// How far from the middle offsets may be to be drawn.
const FARTHEST: i64 = 8;
const SLICES: usize = 9;

/// The offsets of one stream.
pub(crate) struct Stencil {
    /// Of the array, with the component that is used.
    pub name: String,
    pub points: usize,
    /// `None` if it is too wide to draw.
    pub grid: Option<Grid>,
}

/// The contiguous dimension goes to the right, the next one up.
pub(crate) struct Grid {
    /// Cells on each side of the middle.
    pub across: i64,
    pub up: i64,
    pub slices: Vec<Slice>,
}

/// The offsets whose further dimensions are the same.
pub(crate) struct Slice {
    /// These, if there are any: `+1` or `0, −1`.
    pub label: String,
    pub offsets: Vec<(i64, i64)>,
}

/// The name of the array of a stream, with the component that is used.
pub(crate) fn stream_name(nest: &NestModel, figures: &StreamFigures) -> String {
    let used = &nest.nest.streams[figures.index].stream;
    match used.component.is_empty() {
        true => used.array.to_string(),
        false => format!("{}[{}]", used.array, used.component),
    }
}

/// The streams of a nest, the largest ones first.
pub(crate) fn by_footprint<'n>(model: &Model, nest: &'n NestModel) -> Vec<&'n StreamFigures> {
    let size = |figures: &StreamFigures| model.value(figures.footprint);
    let mut streams: Vec<&StreamFigures> = nest.streams.iter().collect();
    streams.sort_by(|a, b| size(b).total_cmp(&size(a)));
    streams
}

/// The largest streams with several offsets.
pub(crate) fn stencils(model: &Model, nest: &NestModel) -> Vec<Stencil> {
    let streams = by_footprint(model, nest).into_iter();
    let several = streams.filter(|figures| figures.shape.offsets.len() > 1);
    let stencil = |figures: &StreamFigures| Stencil {
        name: stream_name(nest, figures),
        points: figures.shape.offsets.len(),
        grid: grid(&figures.shape.offsets, figures.shape.rank),
    };
    several.take(DRAWN).map(stencil).collect()
}

fn grid(offsets: &[Vec<i64>], rank: usize) -> Option<Grid> {
    let mut slices: BTreeMap<Vec<i64>, Vec<(i64, i64)>> = BTreeMap::new();
    let (mut across, mut up) = (0, 0);
    for offset in offsets {
        let at = |dimension: usize| match dimension < rank {
            true => offset.get(dimension).copied().unwrap_or(0),
            false => 0,
        };
        let (x, y) = (at(0), at(1));
        across = across.max(x.abs());
        up = up.max(y.abs());
        let mut further: Vec<i64> = (2..rank).map(at).collect();
        // The outermost dimension decides the order.
        further.reverse();
        slices.entry(further).or_default().push((x, y));
    }
    if across.max(up) > FARTHEST || slices.len() > SLICES {
        return None;
    }
    let label = |further: &[i64]| {
        let signed = |value: &i64| match value {
            0 => "0".to_string(),
            _ => format!("{value:+}").replace('-', "−"),
        };
        let each: Vec<String> = further.iter().rev().map(signed).collect();
        each.join(", ")
    };
    let slices = slices.into_iter().map(|(further, offsets)| Slice {
        label: label(&further),
        offsets,
    });
    Some(Grid {
        across,
        up,
        slices: slices.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seven_points_are_three_slices() {
        let offsets = [
            [0, 0, -1],
            [0, -1, 0],
            [-1, 0, 0],
            [0, 0, 0],
            [1, 0, 0],
            [0, 1, 0],
            [0, 0, 1],
        ];
        let grid = grid(&offsets.map(Vec::from), 3).expect("small enough");
        assert_eq!((grid.across, grid.up), (1, 1));
        let slices: Vec<(&str, usize)> = (grid.slices.iter())
            .map(|slice| (slice.label.as_str(), slice.offsets.len()))
            .collect();
        assert_eq!(slices, [("−1", 1), ("0", 5), ("+1", 1)]);
    }

    #[test]
    fn what_is_far_away_is_not_drawn() {
        assert!(grid(&[vec![0], vec![9]], 1).is_none());
        let flat = grid(&[vec![0], vec![8]], 1).expect("small enough");
        assert_eq!((flat.across, flat.up, flat.slices.len()), (8, 0, 1));
        assert_eq!(flat.slices[0].label, "");
    }
}
