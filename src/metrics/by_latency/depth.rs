//! T∞ as a function of the latency of RAM or of the time that a byte takes, and what follows from it.

use crate::expr::Expr;
use crate::tables::value;

/// Percentages of growth that reports ask for.
pub const GROWTHS: [u32; 4] = [1, 5, 10, 50];

/// T∞(α) = max(slope·α + intercept) over the pieces, for every latency α ≥ 0 of a RAM access that takes the place of
/// the vertex's own cycles. By ascending slope; each is the highest from [`DepthByLatency::from`] to where the next
/// one begins. As a function of the time β that a byte takes, slopes are bytes, and intercepts have the latency of the
/// accesses that move them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DepthByLatency {
    pub pieces: Vec<Piece>,
}

/// A straight piece of T∞(α).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Vertices that go to RAM on the longest path: the memory depth 𝒟 there.
    pub slope: u64,
    /// Cycles of the other vertices on it.
    pub intercept: u64,
}

/// Where a piece begins, from those of it and the one before: slope, intercept.
pub fn from(before: (&str, &str), own: (&str, &str)) -> Expr {
    let lower = Expr::symbol(before.1) - Expr::symbol(own.1);
    lower.quotient(Expr::symbol(own.0) - Expr::symbol(before.0))
}

/// A piece at a latency, cycles.
pub fn height(slope: &str, intercept: &str, latency: &str) -> Expr {
    Expr::symbol(slope) * Expr::symbol(latency) + Expr::symbol(intercept)
}

/// The latency at which a piece reaches a depth that has grown by so many percent.
pub fn reaches(slope: &str, intercept: &str, depth: &str, percent: &str) -> Expr {
    let growth = Expr::symbol(depth) * Expr::symbol(percent);
    let target = Expr::symbol(depth) + growth.quotient(Expr::from(100.0));
    (target - Expr::symbol(intercept)).quotient(Expr::symbol(slope))
}

impl Piece {
    /// Its height at a latency, cycles.
    pub fn at(self, latency: f64) -> f64 {
        let known = [
            ("slope", self.slope as f64),
            ("intercept", self.intercept as f64),
            ("latency", latency),
        ];
        value(&height("slope", "intercept", "latency"), &known)
    }
}

impl DepthByLatency {
    /// The latency from which on a piece is the highest; the first is from 0 on.
    ///
    /// # Panics
    /// There is no such piece.
    pub fn from(&self, number: usize) -> f64 {
        let own = self.pieces[number];
        match number.checked_sub(1) {
            None => 0.0,
            Some(before) => {
                let before = self.pieces[before];
                let known = [
                    ("slope_before", before.slope),
                    ("intercept_before", before.intercept),
                    ("slope", own.slope),
                    ("intercept", own.intercept),
                ];
                value(
                    &from(("slope_before", "intercept_before"), ("slope", "intercept")),
                    &known.map(|(name, value)| (name, value as f64)),
                )
            }
        }
    }

    /// T∞ at a latency, cycles.
    pub fn at(&self, latency: f64) -> f64 {
        let of = |piece: &Piece| piece.at(latency);
        self.pieces.iter().map(of).fold(0.0, f64::max)
    }

    /// The memory depth 𝒟 of the longest path at a latency; where two pieces meet, that of the longer latencies.
    pub fn slope_at(&self, latency: f64) -> u64 {
        let below = (0..self.pieces.len()).take_while(|number| self.from(*number) <= latency);
        below.last().map_or(0, |number| self.pieces[number].slope)
    }

    /// The latency at which T∞ is so many percent more than at this one: the least of where a piece reaches it. `None` if
    /// none ever does, as no path goes to RAM.
    pub fn grown_by(&self, percent: f64, latency: f64) -> Option<f64> {
        let depth = self.at(latency);
        let reaches = reaches("slope", "intercept", "depth", "percent");
        let of = |piece: &Piece| {
            let known = [
                ("slope", piece.slope as f64),
                ("intercept", piece.intercept as f64),
                ("depth", depth),
                ("percent", percent),
            ];
            value(&reaches, &known)
        };
        let rising = self.pieces.iter().filter(|piece| piece.slope > 0);
        rising.map(of).reduce(f64::min)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_hand() -> DepthByLatency {
        let piece = |(slope, intercept)| Piece { slope, intercept };
        DepthByLatency {
            pieces: [(0, 100), (2, 60), (5, 0)].map(piece).to_vec(),
        }
    }

    /// By hand: 100 = 2·20 + 60, and 2·20 + 60 = 5·20 + 0, so the middle piece is a point; the same with 70 in place of 60
    /// begins at 15 and ends at 23⅓.
    #[test]
    fn pieces_begin_where_they_meet_the_one_before() {
        let mut depth = by_hand();
        assert_eq!([0, 1, 2].map(|piece| depth.from(piece)), [0.0, 20.0, 20.0]);
        depth.pieces[1].intercept = 70;
        assert_eq!(
            [0, 1, 2].map(|piece| depth.from(piece)),
            [0.0, 15.0, 70.0 / 3.0]
        );
        assert_eq!(
            [0.0, 15.0, 20.0, 100.0].map(|at| depth.at(at)),
            [100.0, 100.0, 110.0, 500.0]
        );
        assert_eq!(
            [0.0, 15.0, 20.0, 100.0].map(|at| depth.slope_at(at)),
            [0, 2, 2, 5]
        );
    }

    /// By hand: at 10 the depth is 100; 110 is reached at 20 by 2·α + 70, 150 at 30 by 5·α.
    #[test]
    fn growth_is_reached_by_the_first_piece_that_does() {
        let mut depth = by_hand();
        depth.pieces[1].intercept = 70;
        assert_eq!(depth.grown_by(10.0, 10.0), Some(20.0));
        assert_eq!(depth.grown_by(50.0, 10.0), Some(30.0));
        depth.pieces.truncate(1);
        assert_eq!(depth.grown_by(1.0, 10.0), None);
    }
}
