//! Pages of all objects, interleaved between RAM and far memory at a share: what latency costs, and what the bandwidth of both
//! together brings (guide: dynamic-model, "Pages interleaved with far memory").
//!
//! T(s) = T − max(T₀, B(0)) + max(T₀ + s·E·(α_far − α), B(s)),  B(s) = L·max((1 − s)·i, s·i_far):
//! T cycles of the run, T₀ those without a limit of bandwidth, E its epochs, L its lines from RAM, i cycles between two lines.

use crate::expr::Expr;
use crate::tables::value;

/// What the run took, and with what memories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// Cycles of the run.
    pub cycles: u64,
    /// The same if RAM delivered as many lines as come.
    pub unlimited_cycles: u64,
    /// α: cycles of a RAM access.
    pub near: u64,
    /// Cycles between two lines from RAM.
    pub near_interval: u64,
    /// Cycles between two lines from far memory.
    pub far_interval: u64,
}

/// What does not depend on the latency of far memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Interleaving {
    pub times: Times,
    /// Of all objects.
    pub epochs: u64,
    /// Lines from RAM: misses of all objects.
    pub lines: u64,
    /// Shares of the pages that are looked at, percent.
    pub shares: Vec<u64>,
}

/// Names of what the formulas are over, as cells of the sheet *Placement* have them.
pub const NAMES: [&str; 7] = [
    "run_cycles",
    "unlimited_cycles",
    "near_latency",
    "all_epochs",
    "all_lines",
    "near_interval",
    "far_interval",
];

fn symbol(name: &str) -> Expr {
    Expr::symbol(name)
}

/// Cycles that the epochs take longer where all is in far memory of that latency.
fn longer(far: &str) -> Expr {
    symbol("all_epochs") * (symbol(far) - symbol("near_latency"))
}

/// What binds the run with all in RAM: latency and the core, or the bandwidth of RAM.
fn bound_near() -> Expr {
    Expr::max([
        symbol("unlimited_cycles"),
        symbol("all_lines") * symbol("near_interval"),
    ])
}

/// Cycles without a limit of bandwidth, with that share of the pages in far memory.
pub fn by_latency(share: &str, far: &str) -> Expr {
    symbol("unlimited_cycles") + symbol(share) * longer(far)
}

/// Cycles in which both memories deliver their lines side by side.
pub fn by_bandwidth(share: &str) -> Expr {
    let stays = Expr::from(1.0) - symbol(share);
    symbol("all_lines")
        * Expr::max([
            stays * symbol("near_interval"),
            symbol(share) * symbol("far_interval"),
        ])
}

/// By what share of its cycles the run takes longer.
pub fn loss(share: &str, far: &str) -> Expr {
    let bound = Expr::max([by_latency(share, far), by_bandwidth(share)]);
    (bound - bound_near()).quotient(symbol("run_cycles"))
}

/// A quotient that is no limit where nothing is divided by.
fn limit(above: Expr, below: Expr) -> Expr {
    let is_limit = below.clone();
    let quotient = above.quotient(Expr::max([below, 1e-9.into()]));
    Expr::choose(
        crate::expr::Comparison::Greater,
        is_limit,
        0.0.into(),
        quotient,
        1.0.into(),
    )
}

/// The largest share that loses no more than the budget.
pub fn largest_share(far: &str) -> Expr {
    let may_take = bound_near() + symbol("loss_budget") * symbol("run_cycles");
    let by_latency = limit(may_take.clone() - symbol("unlimited_cycles"), longer(far));
    let by_bandwidth = limit(may_take, symbol("all_lines") * symbol("far_interval"));
    Expr::min([by_latency, by_bandwidth, 1.0.into()])
}

/// The share with which the run takes the least time: above 0 only where the bandwidth of RAM binds it.
pub fn fastest_share(far: &str) -> Expr {
    let near = || symbol("all_lines") * symbol("near_interval");
    let by_latency = limit(near() - symbol("unlimited_cycles"), longer(far) + near());
    let by_bandwidth = limit(
        symbol("near_interval"),
        symbol("near_interval") + symbol("far_interval"),
    );
    let least = Expr::min([by_latency, by_bandwidth]);
    Expr::max([least, 0.0.into()])
}

impl Interleaving {
    /// In the order of [`NAMES`].
    pub fn values(&self) -> [u64; 7] {
        let Times {
            cycles,
            unlimited_cycles,
            near,
            near_interval,
            far_interval,
        } = self.times;
        [
            cycles,
            unlimited_cycles,
            near,
            self.epochs,
            self.lines,
            near_interval,
            far_interval,
        ]
    }

    /// A formula with far memory of that latency.
    pub fn value(&self, formula: &Expr, far: u64, more: &[(&str, f64)]) -> f64 {
        let mut known: Vec<(&str, f64)> = NAMES
            .into_iter()
            .zip(self.values().map(|value| value as f64))
            .collect();
        known.push(("far", far as f64));
        known.extend(more);
        let found = value(formula, &known);
        // A run without cycles has no epochs either.
        if found.is_finite() { found } else { 0.0 }
    }

    /// By what share of its cycles the run takes longer with that share of its pages in far memory.
    pub fn loss(&self, share: f64, far: u64) -> f64 {
        self.value(&loss("share", "far"), far, &[("share", share)])
    }

    /// The largest share of the pages that loses no more than the budget.
    pub fn largest_share(&self, far: u64, budget: f64) -> f64 {
        self.value(&largest_share("far"), far, &[("loss_budget", budget)])
    }

    /// The share of the pages with which the run takes the least time.
    pub fn fastest_share(&self, far: u64) -> f64 {
        self.value(&fastest_share("far"), far, &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(unlimited_cycles: u64, lines: u64) -> Interleaving {
        Interleaving {
            times: Times {
                cycles: 10_000,
                unlimited_cycles,
                near: 100,
                near_interval: 10,
                far_interval: 30,
            },
            epochs: 20,
            lines,
            shares: Vec::new(),
        }
    }

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }

    /// By hand: half of 20 epochs take 200 cycles more; bandwidth needs 100 · 30 at most, which is no limit.
    #[test]
    fn latency_costs_by_share() {
        let run = run(10_000, 100);
        near(run.loss(0.0, 300), 0.0);
        near(run.loss(0.5, 300), 0.2);
        near(run.loss(1.0, 300), 0.4);
        near(run.largest_share(300, 0.05), 0.125);
        near(run.fastest_share(300), 0.0);
    }

    /// By hand: 1,000 lines need 10,000 cycles from RAM alone. A quarter elsewhere needs 7,500 of both: the sum of the
    /// bandwidths is 4/3 of that of RAM. With latency that counts, 9,000 + 4,000·s meets 10,000·(1 − s) at 1/14.
    #[test]
    fn bandwidths_add_up() {
        let bound = run(7_000, 1000);
        near(bound.loss(0.25, 100), -0.25);
        near(bound.fastest_share(100), 0.25);
        near(bound.loss(1.0, 100), 2.0);
        near(bound.largest_share(100, 0.05), 0.35);
        let late = run(9_000, 1000);
        near(late.fastest_share(300), 1.0 / 14.0);
        near(late.loss(1.0 / 14.0, 300), -1.0 / 14.0);
    }

    /// The closed forms against all shares, one by one.
    #[test]
    fn shares_are_those_of_a_search() {
        for unlimited in [2_000, 7_000, 9_990, 10_000] {
            for lines in [0, 10, 300, 990, 1000] {
                for far in [100, 200, 5000] {
                    let run = run(unlimited, lines);
                    let share = |number: u64| number as f64 / 10_000.0;
                    let all = || (0..=10_000).map(share);
                    let fits = |share: &f64| run.loss(*share, far) <= 0.05 + 1e-12;
                    let largest = all().rfind(fits).expect("none loses nothing");
                    let found = run.largest_share(far, 0.05);
                    assert!((found - largest).abs() < 1.1e-4, "{found} {largest}");
                    let least = all().map(|share| run.loss(share, far));
                    let least = least.fold(f64::INFINITY, f64::min);
                    let found = run.loss(run.fastest_share(far), far);
                    assert!((found - least).abs() < 1e-3, "{found} {least}");
                }
            }
        }
    }
}
