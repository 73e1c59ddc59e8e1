//! What has to agree, whatever the timeline: the equations of Liu, Espina, Sun 2021 that say one thing in two
//! ways. Asserted on every run in debug builds, and shown side by side in the workbook.

use super::Camat;
use super::formulas::{Figures, at, none_is_zero, share_of_stall};
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
    let v = |key: &str| at(key, level);
    let mut add = |name, left, right, exact| {
        found.push(IdentityFormula {
            name,
            level,
            left,
            right,
            exact,
        })
    };
    add(
        "n = e + h + m + x",
        v("n"),
        v("e") + v("h") + v("m") + v("x"),
        true,
    );
    add("L 12", v("omega"), v("h") + v("m") + v("x"), true);
    add("L 9", v("alpha"), v("alpha_h") + v("alpha_m"), true);
    add(
        "L 19 summed",
        v("stay_cycles"),
        v("hit_cycles") + v("miss_cycles"),
        true,
    );
    // As a sum: 1 - φ would lose digits where φ is near 1.
    let miss_cycles = v("m") + v("x");
    let pure_share = none_is_zero(miss_cycles.clone(), v("mu") * v("kappa"));
    add(
        "L 16, as φ + μκ = 1",
        v("phi") + pure_share.clone(),
        Expr::from(1.0),
        false,
    );
    add(
        "L 24",
        v("alpha") * v("H"),
        (v("h") + v("x")) * v("C_H"),
        false,
    );
    add(
        "L 29 = L 28",
        v("H") + none_is_zero(v("alpha_m"), v("rho_m") * v("AMP")),
        v("AMAT"),
        false,
    );
    add("L 31", v("CAMAT"), v("AMAT").quotient(v("C")), false);
    add(
        "L 32",
        v("APC"),
        Expr::from(1.0).quotient(v("CAMAT")),
        false,
    );
    let hit_part = none_is_zero(v("h") + v("x"), v("H").quotient(v("C_H")));
    let pure_part = none_is_zero(v("m"), v("rho_pure") * v("pAMP").quotient(v("C_M")));
    add("L 33 = L 30", hit_part + pure_part, v("CAMAT"), false);
    add("L 35 = L 18", pure_share * v("CAMAT"), v("MST"), false);
    let ratios = [("rho_pure", "rho_m"), ("pAMP", "AMP"), ("C_m", "C_M")];
    let ratios = ratios.map(|(a, b)| v(a).quotient(v(b)));
    add("L 40", v("kappa"), Expr::product(ratios), false);
    add(
        "L 52",
        v("LPMR"),
        (v("omega") * v("sharers")).quotient(Expr::symbol("compute_cycles")),
        false,
    );
}

/// From a level to the next one.
fn between(level: usize, same_harts: bool, passes_on: bool, found: &mut Vec<IdentityFormula>) {
    let v = |key: &str| at(key, level);
    let next = |key: &str| at(key, level + 1);
    let mut add = |name, left, right, exact| {
        found.push(IdentityFormula {
            name,
            level,
            left,
            right,
            exact,
        })
    };
    add(
        "L 36 without secondary misses",
        next("alpha"),
        v("alpha_m") - v("secondary"),
        true,
    );
    add(
        "L 37 without secondary misses",
        next("stay_cycles"),
        v("miss_cycles") - v("secondary_cycles"),
        true,
    );
    let amat_beyond = none_is_zero(
        next("alpha"),
        next("alpha").quotient(v("alpha")) * next("AMAT"),
    );
    if !passes_on {
        let waits = v("secondary_cycles").quotient(v("alpha"));
        add(
            "L 39 with secondary misses",
            v("AMAT"),
            v("H") + amat_beyond.clone() + waits,
            false,
        );
    }
    if same_harts {
        add(
            "L 38, waiting for the next level",
            next("omega"),
            v("onward"),
            true,
        );
    }
    if passes_on {
        add("L 38", next("omega"), v("m") + v("x"), true);
        add(
            "L 38, ω(l) - h(l)",
            next("omega"),
            v("omega") - v("h"),
            true,
        );
        add(
            "L 39",
            v("AMAT"),
            v("H") + none_is_zero(next("alpha"), v("rho_m") * next("AMAT")),
            false,
        );
        let hit_part = none_is_zero(v("h") + v("x"), v("H").quotient(v("C_H")));
        let miss_part = none_is_zero(next("alpha"), v("rho_m") * v("kappa") * next("CAMAT"));
        add("L 41", v("CAMAT"), hit_part + miss_part, false);
        add("L 52, recursion", next("LPMR"), v("mu") * v("LPMR"), false);
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
        })
    };
    let growth = Expr::product(before().map(|i| at("mu", i).quotient(at("rho_m", i))));
    if level > 1 {
        add("L 42", at("CAMAT", level), at("CAMAT", 1) * growth);
    }
    let shares = Expr::product(before().map(|i| at("mu", i)));
    let v = Expr::symbol;
    add(
        "L 53 = L 52",
        at("LPMR", level),
        v("IPC_exe") * v("f_mem") * at("sharers", 1) * at("CAMAT", 1) * shares,
    );
    add(
        "L 55 = L 52",
        at("LPMR", level),
        v("Delta") * share_of_stall(level),
    );
}
