//! What placements cost in machines nearly like the core (`Layouts`), and between what these ran with
//! (guide: dynamic-model, "Objects in far memory").

use crate::expr::{Comparison, Expr};

/// Cycles of the run in machines nearly like the core, with far memory of one latency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Estimated {
    /// With all in RAM.
    pub near: u64,
    /// By position among the objects: with this one alone there; `None` where its addresses are not known, or it has next to no
    /// misses.
    pub alone: Vec<Option<u64>>,
    /// By position among the interleaved shares: with so many of all pages there.
    pub interleaved: Vec<Option<u64>>,
}

/// Names of cycles of the run, in the order of what they depend on.
pub const KNOTS: [&str; 9] = [
    "cycles_near",
    "cycles_a",
    "cycles_b",
    "cycles_c",
    "cycles_d",
    "cycles_e",
    "cycles_f",
    "cycles_g",
    "cycles_h",
];

/// Cycles of the run at some latency, from [`KNOTS`] at these, ascending: straight between two of them, and on beyond the last
/// as before it.
fn cycles_at(at: &str, latencies: &[f64]) -> Expr {
    let mut cycles = Expr::symbol(KNOTS[0]);
    for (number, pair) in latencies.windows(2).enumerate() {
        let grown = Expr::symbol(KNOTS[number + 1]) - Expr::symbol(KNOTS[number]);
        let mut until = Expr::symbol(at);
        if number > 0 {
            until = Expr::max([until, pair[0].into()]);
        }
        if number + 2 < latencies.len() {
            until = Expr::min([until, pair[1].into()]);
        }
        let part = grown * (until - pair[0]);
        cycles = cycles + part.quotient((pair[1] - pair[0]).into());
    }
    cycles
}

/// By what share the run takes longer, from [`KNOTS`] with far memory of these latencies, ascending.
pub fn loss(far: &str, near: &str, latencies: &[f64]) -> Expr {
    cycles_at(far, latencies).quotient(cycles_at(near, latencies)) - 1.0
}

/// The name of the loss with one of several shares of the pages in far memory.
pub fn loss_name(share: usize) -> String {
    format!("loss_{share}")
}

/// The losses with these shares, ascending, behind that with none.
fn points(shares: &[f64]) -> Vec<(Expr, f64)> {
    let named = shares.iter().enumerate();
    let named = named.map(|(number, share)| (Expr::symbol(&loss_name(number)), *share));
    std::iter::once((0.0.into(), 0.0)).chain(named).collect()
}

/// The largest share that loses no more than the budget, from the losses with these, ascending: straight between two of them.
pub fn largest_share(budget: &str, shares: &[f64]) -> Expr {
    let budget = || Expr::symbol(budget);
    let points = points(shares);
    let mut largest = Expr::from(0.0);
    for pair in points.windows(2) {
        let ((below, before), (above, share)) = (pair[0].clone(), pair[1].clone());
        let part = (budget() - below.clone()).quotient(above.clone() - below.clone());
        let inside = part * (share - before) + before;
        let inside = Expr::choose(Comparison::Greater, below, budget(), largest, inside);
        largest = Expr::choose(Comparison::Greater, above, budget(), inside, share.into());
    }
    largest
}

/// The loss with that of these shares with which the run takes the least time; 0 where it takes the least with none.
pub fn least_loss(shares: &[f64]) -> Expr {
    Expr::min(points(shares).into_iter().map(|(loss, _)| loss))
}

/// That share; of several the smallest.
pub fn fastest_share(shares: &[f64]) -> Expr {
    let mut fastest = Expr::from(0.0);
    for (loss, share) in points(shares).into_iter().rev() {
        fastest = Expr::choose(
            Comparison::Greater,
            loss,
            least_loss(shares),
            fastest,
            share.into(),
        );
    }
    fastest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::value;

    fn at(far: f64, cycles: [f64; 3]) -> f64 {
        let mut known: Vec<(&str, f64)> = KNOTS.into_iter().zip(cycles).collect();
        known.extend([("far", far), ("near", 100.0)]);
        value(&loss("far", "near", &[100.0, 200.0, 400.0]), &known)
    }

    /// By hand: 1,000 cycles at 100, 1,100 at 200 and 1,700 at 400.
    #[test]
    fn losses_are_straight_between_latencies() {
        let found =
            [100.0, 150.0, 200.0, 300.0, 400.0, 500.0].map(|far| at(far, [1000.0, 1100.0, 1700.0]));
        for (found, expected) in found.into_iter().zip([0.0, 0.05, 0.1, 0.4, 0.7, 1.0]) {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    }

    /// By hand: with 25, 50, 75 and 100 % of the pages −10, −6, 14 and 4 %. 5 % are lost with all, 4 % with all too, 3 % at
    /// 50 + 25·9/20.
    #[test]
    fn shares_are_found_between_those_that_ran() {
        let shares = [0.25, 0.5, 0.75, 1.0];
        let names: Vec<String> = (0..4).map(loss_name).collect();
        let with = |formula: &Expr, losses: [f64; 4], budget: f64| {
            let mut known: Vec<(&str, f64)> =
                names.iter().map(String::as_str).zip(losses).collect();
            known.push(("budget", budget));
            value(formula, &known)
        };
        let largest = largest_share("budget", &shares);
        let gains = [-0.1, -0.06, 0.14, 0.04];
        for (budget, expected) in [(0.05, 1.0), (0.04, 1.0), (0.03, 0.6125), (0.0, 0.575)] {
            let found = with(&largest, gains, budget);
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
        assert_eq!(with(&fastest_share(&shares), gains, 0.0), 0.25);
        assert_eq!(with(&least_loss(&shares), gains, 0.0), -0.1);
        let losses = [0.1, 0.2, 0.3, 0.4];
        assert_eq!(with(&fastest_share(&shares), losses, 0.0), 0.0);
        assert!((with(&largest, losses, 0.05) - 0.125).abs() < 1e-12);
    }
}
