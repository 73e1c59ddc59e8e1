//! Where the numbers of points stand in the chart: beside their points, and on no other point or number.

use rust_xlsxwriter::ChartDataLabelPosition;

/// Pixels of a decade across and up in the chart, about.
const DECADE: (f64, f64) = (190.0, 100.0);
/// Half of a point, of a number, and how far its middle is from the point, in pixels.
const POINT: (f64, f64) = (5.0, 5.0);
const NUMBER: (f64, f64) = (9.0, 8.0);
const APART: (f64, f64) = (18.0, 16.0);

/// The places of a number, the best first, by the direction from its point.
const PLACES: [(ChartDataLabelPosition, (f64, f64)); 4] = [
    (ChartDataLabelPosition::Right, (1.0, 0.0)),
    (ChartDataLabelPosition::Above, (0.0, 1.0)),
    (ChartDataLabelPosition::Below, (0.0, -1.0)),
    (ChartDataLabelPosition::Left, (-1.0, 0.0)),
];

/// A box by its middle, and half of its width and height.
type Area = ((f64, f64), (f64, f64));

fn overlap((a, half_a): Area, (b, half_b): Area) -> bool {
    (a.0 - b.0).abs() < half_a.0 + half_b.0 && (a.1 - b.1).abs() < half_a.1 + half_b.1
}

/// For each point, by its intensity and rate, where its number has room; to the right if it has none.
pub(super) fn places(points: &[(f64, f64)]) -> Vec<ChartDataLabelPosition> {
    let middle = |(x, y): &(f64, f64)| (x.log10() * DECADE.0, y.log10() * DECADE.1);
    let middles: Vec<(f64, f64)> = points.iter().map(middle).collect();
    let mut taken: Vec<Area> = middles.iter().map(|at| (*at, POINT)).collect();
    let place = |at: &(f64, f64)| {
        let number = |(across, up): (f64, f64)| {
            let beside = (at.0 + across * APART.0, at.1 + up * APART.1);
            (beside, NUMBER)
        };
        let is_free =
            |(_, to): &&(_, (f64, f64))| taken.iter().all(|area| !overlap(number(*to), *area));
        let (position, to) = PLACES.iter().find(is_free).unwrap_or(&PLACES[0]);
        taken.push(number(*to));
        *position
    };
    middles.iter().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_points_at_one_place_stand_around_it() {
        let same = places(&[(1.0, 1e9); 4]);
        let all = PLACES.map(|(position, _)| position);
        // A position has no text to print where they differ.
        assert!(same == all);
        assert!(places(&[(0.01, 1e9), (1.0, 1e9)]) == [all[0]; 2]);
    }

    #[test]
    fn a_number_is_not_put_on_a_point() {
        // As far to the right of the first as its number would be stands the second.
        let beside = 10f64.powf(APART.0 / DECADE.0);
        let found = places(&[(1.0, 1e9), (beside, 1e9)])[0];
        assert!(found == ChartDataLabelPosition::Above);
    }
}
