//! What must agree, whatever the timeline: the equations of Liu, Espina, Sun 2021 that say one thing in two
//! ways. Asserted on every run in debug builds, and shown side by side in the workbook.

use super::Camat;
use super::formulas::{
    Figures, LevelFigure as L, ProgramFigure as P, at, none_is_zero, share_of_stall,
};
use crate::expr::Expr;

/// Two expressions of one quantity.
#[derive(Clone, Debug)]
pub struct IdentityFormula {
    /// The equation.
    pub name: &'static str,
    /// Counted from one.
    pub level: usize,
    pub left: Expr,
    pub right: Expr,
    /// Both sides are whole numbers.
    pub exact: bool,
}

/// An identity with its values.
#[derive(Clone, Debug, PartialEq)]
pub struct Identity {
    pub name: &'static str,
    /// Counted from one.
    pub level: usize,
    pub left: f64,
    pub right: f64,
    pub exact: bool,
}

impl Identity {
    /// Equal: whole numbers exactly, ratios to 1e-12 of the larger side.
    pub fn holds(&self) -> bool {
        let tolerance = if self.exact { 0.0 } else { 1e-12 };
        (self.left - self.right).abs() <= tolerance * self.left.abs().max(self.right.abs())
    }
}

/// Every identity of the timeline whose two sides are known: without misses, say, there is no penalty to speak of.
pub fn identities(camat: &Camat) -> Vec<Identity> {
    let figures = Figures::of(camat);
    let valued = |formula: IdentityFormula| {
        let IdentityFormula {
            name,
            level,
            left,
            right,
            exact,
        } = formula;
        Some(Identity {
            name,
            level,
            left: figures.value(&left)?,
            right: figures.value(&right)?,
            exact,
        })
    };
    identity_formulas(camat)
        .into_iter()
        .filter_map(valued)
        .collect()
}

/// The identities that apply. Those that step from a level to the next as printed in the paper want that all that
/// misses at the one is all that the other sees ([`Camat::passes_on`]); with secondary misses their general form
/// takes their place.
pub fn identity_formulas(camat: &Camat) -> Vec<IdentityFormula> {
    let mut found = Vec::new();
    let mut passed_on = true;
    for level in 1..=camat.levels.len() {
        within(level, &mut found);
        if passed_on {
            from_the_first(level, &mut found);
        }
        let same_harts =
            |next: &super::LevelCounts| next.sharers == camat.levels[level - 1].sharers;
        if let Some(next) = camat.levels.get(level) {
            between(
                level,
                same_harts(next),
                camat.passes_on(level - 1),
                &mut found,
            );
        }
        passed_on &= camat.passes_on(level - 1);
    }
    found
}

/// At one level.
fn within(level: usize, found: &mut Vec<IdentityFormula>) {
    let v = |figure| at(figure, level);
    let mut add = |name, left, right, exact| {
        found.push(IdentityFormula {
            name,
            level,
            left,
            right,
            exact,
        });
    };
    add(
        "n = e + h + m + x",
        v(L::Cycles),
        v(L::Idle) + v(L::HitOnly) + v(L::MissOnly) + v(L::Mixed),
        true,
    );
    add(
        "L 12",
        v(L::Active),
        v(L::HitOnly) + v(L::MissOnly) + v(L::Mixed),
        true,
    );
    add("L 9", v(L::Accesses), v(L::Hits) + v(L::Misses), true);
    add(
        "L 19 summed",
        v(L::StayCycles),
        v(L::HitCycles) + v(L::MissCycles),
        true,
    );
    // As a sum: 1 - φ would lose digits where φ is near 1.
    let miss_cycles = v(L::MissOnly) + v(L::Mixed);
    let pure_share = none_is_zero(miss_cycles.clone(), v(L::MissShare) * v(L::PureShare));
    add(
        "L 16, as φ + μκ = 1",
        v(L::HitShare) + pure_share.clone(),
        Expr::from(1.0),
        false,
    );
    add(
        "L 24",
        v(L::Accesses) * v(L::HitTime),
        (v(L::HitOnly) + v(L::Mixed)) * v(L::HitConcurrency),
        false,
    );
    add(
        "L 29 = L 28",
        v(L::HitTime) + none_is_zero(v(L::Misses), v(L::MissRatio) * v(L::MissPenalty)),
        v(L::Amat),
        false,
    );
    add(
        "L 31",
        v(L::Camat),
        v(L::Amat).quotient(v(L::Concurrency)),
        false,
    );
    add(
        "L 32",
        v(L::Apc),
        Expr::from(1.0).quotient(v(L::Camat)),
        false,
    );
    let hit_part = none_is_zero(
        v(L::HitOnly) + v(L::Mixed),
        v(L::HitTime).quotient(v(L::HitConcurrency)),
    );
    let pure_part = none_is_zero(
        v(L::MissOnly),
        v(L::PureMissRatio) * v(L::PureMissPenalty).quotient(v(L::PureMissConcurrency)),
    );
    add("L 33 = L 30", hit_part + pure_part, v(L::Camat), false);
    add(
        "L 35 = L 18",
        pure_share * v(L::Camat),
        v(L::StallTime),
        false,
    );
    let ratios = [
        (L::PureMissRatio, L::MissRatio),
        (L::PureMissPenalty, L::MissPenalty),
        (L::MissConcurrency, L::PureMissConcurrency),
    ];
    let ratios = ratios.map(|(a, b)| v(a).quotient(v(b)));
    add("L 40", v(L::PureShare), Expr::product(ratios), false);
    add(
        "L 52",
        v(L::Lpmr),
        (v(L::Active) * v(L::Sharers)).quotient(P::ComputeCycles.leaf()),
        false,
    );
}

/// From a level to the next one.
fn between(level: usize, same_harts: bool, passes_on: bool, found: &mut Vec<IdentityFormula>) {
    let v = |figure| at(figure, level);
    let next = |figure| at(figure, level + 1);
    let mut add = |name, left, right, exact| {
        found.push(IdentityFormula {
            name,
            level,
            left,
            right,
            exact,
        });
    };
    add(
        "L 36 without secondary misses",
        next(L::Accesses),
        v(L::Misses) - v(L::Secondary),
        true,
    );
    add(
        "L 37 without secondary misses",
        next(L::StayCycles),
        v(L::MissCycles) - v(L::SecondaryCycles),
        true,
    );
    let amat_beyond = none_is_zero(
        next(L::Accesses),
        next(L::Accesses).quotient(v(L::Accesses)) * next(L::Amat),
    );
    if !passes_on {
        let waits = v(L::SecondaryCycles).quotient(v(L::Accesses));
        add(
            "L 39 with secondary misses",
            v(L::Amat),
            v(L::HitTime) + amat_beyond.clone() + waits,
            false,
        );
    }
    if same_harts {
        add(
            "L 38, waiting for the next level",
            next(L::Active),
            v(L::Onward),
            true,
        );
    }
    if passes_on {
        add("L 38", next(L::Active), v(L::MissOnly) + v(L::Mixed), true);
        add(
            "L 38, ω(l) - h(l)",
            next(L::Active),
            v(L::Active) - v(L::HitOnly),
            true,
        );
        add(
            "L 39",
            v(L::Amat),
            v(L::HitTime) + none_is_zero(next(L::Accesses), v(L::MissRatio) * next(L::Amat)),
            false,
        );
        let hit_part = none_is_zero(
            v(L::HitOnly) + v(L::Mixed),
            v(L::HitTime).quotient(v(L::HitConcurrency)),
        );
        let miss_part = none_is_zero(
            next(L::Accesses),
            v(L::MissRatio) * v(L::PureShare) * next(L::Camat),
        );
        add("L 41", v(L::Camat), hit_part + miss_part, false);
        add(
            "L 52, recursion",
            next(L::Lpmr),
            v(L::MissShare) * v(L::Lpmr),
            false,
        );
    }
}

/// From the nearest level to this one.
fn from_the_first(level: usize, found: &mut Vec<IdentityFormula>) {
    let before = || 1..level;
    let mut add = |name, left, right| {
        found.push(IdentityFormula {
            name,
            level,
            left,
            right,
            exact: false,
        });
    };
    let growth = Expr::product(before().map(|i| at(L::MissShare, i).quotient(at(L::MissRatio, i))));
    if level > 1 {
        add("L 42", at(L::Camat, level), at(L::Camat, 1) * growth);
    }
    let shares = Expr::product(before().map(|i| at(L::MissShare, i)));
    add(
        "L 53 = L 52",
        at(L::Lpmr, level),
        P::IpcExe.leaf() * P::AccessRate.leaf() * at(L::Sharers, 1) * at(L::Camat, 1) * shares,
    );
    add(
        "L 55 = L 52",
        at(L::Lpmr, level),
        P::Delta.leaf() * share_of_stall(level),
    );
}
