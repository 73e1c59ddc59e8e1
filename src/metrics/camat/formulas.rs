//! What follows from the counts of a timeline: each figure is one expression, which Rust evaluates and the
//! workbook shows. Names are a key and the level, `omega.1`; those of the program have no level.

use std::collections::BTreeMap;

use super::{Camat, LevelCounts, Program};
use crate::expr::{CellNames, Comparison, Excel, Expr, FigureId, Lookup, Symbol};

/// What is counted at a level.
#[derive(Clone, Copy, Debug)]
pub struct Count {
    /// The key in JSON.
    pub key: &'static str,
    pub symbol: &'static str,
    pub label: &'static str,
    pub unit: &'static str,
    /// `None` if the timeline does not tell.
    pub of: fn(&LevelCounts) -> Option<u64>,
}

/// One derived figure of a level or of the program.
#[derive(Clone, Debug)]
pub struct Formula {
    /// The key in JSON.
    pub key: &'static str,
    pub symbol: &'static str,
    pub label: &'static str,
    pub unit: &'static str,
    pub expr: Expr,
    /// The equation of Liu, Espina, Sun 2021.
    pub source: &'static str,
}

macro_rules! counts {
    ($($key:ident $symbol:literal $label:literal $unit:literal;)*) => {
        [$(Count {
            key: stringify!($key),
            symbol: $symbol,
            label: $label,
            unit: $unit,
            of: |level| is_told(stringify!($key), level).then_some(level.$key),
        }),*]
    };
}

/// Whether the timeline tells a count: what secondary misses are is untold at the last level of a log.
fn is_told(key: &str, level: &LevelCounts) -> bool {
    level.untold == 0 || !matches!(key, "secondary" | "secondary_cycles" | "onward")
}

/// All counts; see [`LevelCounts`].
pub const COUNTS: [Count; 17] = counts! {
    alpha "α" "Accesses" "accesses";
    alpha_m "α_m" "Misses, secondary ones too" "accesses";
    alpha_pure "α_M" "Pure misses: with at least one pure miss cycle" "accesses";
    secondary "" "Secondary misses: they wait for another miss" "accesses";
    n "n" "Cycles of the run" "cycles";
    e "e" "Cycles without activity" "cycles";
    h "h" "Pure hit cycles: look-ups only" "cycles";
    m "m" "Pure miss cycles: misses only" "cycles";
    x "x" "Mixed cycles: both" "cycles";
    omega "ω" "Memory active cycles" "cycles";
    onward "" "Cycles in which a miss waits for the next level" "cycles";
    hit_cycles "Σ c⁽ʰ⁾" "Hit cycles of all accesses" "cycles";
    miss_cycles "Σ c⁽ᵐ⁾" "Miss cycles of all accesses" "cycles";
    pure_miss_cycles "Σ_𝕄 c⁽ᵐ⁾" "Miss cycles of all accesses in pure miss cycles" "cycles";
    secondary_cycles "" "Miss cycles of secondary misses" "cycles";
    stay_cycles "Σ c" "Cycles of all accesses" "cycles";
    sharers "" "Harts whose cycles are counted at once" "";
};

/// A figure of a level as a leaf of formulas; levels count from one.
pub fn at(key: &str, level: usize) -> Expr {
    Expr::symbol(&format!("{key}.{level}"))
}

/// `expr`, or zero if there is nothing of what it is an average of.
pub(super) fn none_is_zero(count: Expr, expr: Expr) -> Expr {
    let zero = || Expr::from(0.0);
    Expr::choose(Comparison::Equal, count, zero(), zero(), expr)
}

/// Π μ(i), i < level, over μ(1)·κ(1): what LPMR(level) is of Δ (L 55).
pub(super) fn share_of_stall(level: usize) -> Expr {
    let fractions = (1..level).map(|i| at("mu", i));
    Expr::product(fractions).quotient(at("mu", 1) * at("kappa", 1))
}

/// Figures of the program, from level 1 and the inputs `instructions`, `cpi_exe`, `hart_cycles` and `stall_target`. Cycles are
/// cycles of a hart: one of a level that several share is one of each of them. With a private nearest level, or one
/// hart, that factor is 1 and the equations are the printed ones.
pub fn of_program() -> Vec<Formula> {
    let v = Expr::symbol;
    let formula = |key, symbol, label, unit, expr, source| Formula {
        key,
        symbol,
        label,
        unit,
        expr,
        source,
    };
    vec![
        formula(
            "f_mem",
            "f_mem",
            "Accesses per instruction",
            "",
            at("alpha", 1).quotient(v("instructions")),
            "L 2",
        ),
        formula(
            "IPC_exe",
            "IPC_exe",
            "Instructions per cycle without stalls",
            "",
            Expr::from(1.0).quotient(v("cpi_exe")),
            "L 3",
        ),
        formula(
            "compute_cycles",
            "",
            "Compute time",
            "cycles",
            v("instructions") * v("cpi_exe"),
            "L 4",
        ),
        formula(
            "run_cycles",
            "",
            "Compute time and stalls",
            "cycles",
            v("compute_cycles") + at("alpha", 1) * at("MST", 1) * at("sharers", 1),
            "L 4",
        ),
        formula(
            "Delta",
            "Δ",
            "Stall time over compute time",
            "",
            (at("MST", 1) * v("f_mem") * at("sharers", 1)).quotient(v("cpi_exe")),
            "L 5",
        ),
        formula(
            "MSE",
            "MSE",
            "Memory system efficiency: 1/(1 + Δ)",
            "",
            Expr::from(1.0).quotient(v("Delta") + 1.0),
            "L 6",
        ),
        formula(
            "Delta_core",
            "",
            "What the harts took beyond compute time, over it",
            "",
            v("hart_cycles").quotient(v("compute_cycles")) - 1.0,
            "measured",
        ),
    ]
}

/// Figures of a level, counted from one; later ones may name earlier ones, and those of levels before.
pub fn of_level(level: usize) -> Vec<Formula> {
    let v = |key: &str| at(key, level);
    let over = |a: Expr, b: Expr| a.quotient(b);
    let formula = |key, symbol, label, unit, expr, source| Formula {
        key,
        symbol,
        label,
        unit,
        expr,
        source,
    };
    vec![
        formula(
            "alpha_h",
            "α_h",
            "Hits",
            "accesses",
            v("alpha") - v("alpha_m"),
            "L 9",
        ),
        formula(
            "rho_h",
            "ρ_h",
            "Hit ratio",
            "",
            over(v("alpha_h"), v("alpha")),
            "L 7",
        ),
        formula(
            "rho_m",
            "ρ_m",
            "Miss ratio",
            "",
            over(v("alpha_m"), v("alpha")),
            "L 8",
        ),
        formula(
            "rho_pure",
            "ρ_M",
            "Pure miss ratio",
            "",
            over(v("alpha_pure"), v("alpha")),
            "L 17",
        ),
        formula(
            "phi",
            "φ",
            "Share of hit cycles in active cycles",
            "",
            over(v("h") + v("x"), v("omega")),
            "L 13",
        ),
        formula(
            "mu",
            "μ",
            "Share of miss cycles in active cycles",
            "",
            over(v("m") + v("x"), v("omega")),
            "L 14",
        ),
        formula(
            "kappa",
            "κ",
            "Share of pure miss cycles in miss cycles",
            "",
            over(v("m"), v("m") + v("x")),
            "L 15",
        ),
        formula(
            "H",
            "H",
            "Hit time",
            "cycles",
            over(v("hit_cycles"), v("alpha")),
            "L 20",
        ),
        formula(
            "AMP",
            "AMP",
            "Average miss penalty",
            "cycles",
            over(v("miss_cycles"), v("alpha_m")),
            "L 21",
        ),
        formula(
            "pAMP",
            "pAMP",
            "Average pure miss penalty",
            "cycles",
            over(v("pure_miss_cycles"), v("alpha_pure")),
            "L 34",
        ),
        formula(
            "C",
            "C",
            "Concurrency",
            "",
            over(v("hit_cycles") + v("miss_cycles"), v("omega")),
            "L 22",
        ),
        formula(
            "C_H",
            "C_H",
            "Hit concurrency",
            "",
            over(v("hit_cycles"), v("h") + v("x")),
            "L 23",
        ),
        formula(
            "C_m",
            "C_m",
            "Miss concurrency",
            "",
            over(v("miss_cycles"), v("m") + v("x")),
            "L 26",
        ),
        formula(
            "C_M",
            "C_M",
            "Pure miss concurrency",
            "",
            over(v("pure_miss_cycles"), v("m")),
            "L 27",
        ),
        formula(
            "AMAT",
            "AMAT",
            "Average access time",
            "cycles",
            over(v("hit_cycles") + v("miss_cycles"), v("alpha")),
            "L 28",
        ),
        formula(
            "CAMAT",
            "C-AMAT",
            "Concurrent average access time",
            "cycles",
            over(v("omega"), v("alpha")),
            "L 30",
        ),
        formula(
            "APC",
            "APC",
            "Accesses per active cycle",
            "1/cycle",
            over(v("alpha"), v("omega")),
            "L 32",
        ),
        formula(
            "MST",
            "MST",
            "Stall time per access",
            "cycles",
            over(v("m"), v("alpha")),
            "L 18",
        ),
        formula(
            "request_rate",
            "λ",
            "Request rate: accesses per cycle of stall-free time",
            "1/cycle",
            over(v("alpha") * v("sharers"), Expr::symbol("compute_cycles")),
            "L 46",
        ),
        formula(
            "supply_rate",
            "ν",
            "Supply rate",
            "1/cycle",
            over(v("alpha"), v("omega")),
            "L 51",
        ),
        formula(
            "LPMR",
            "LPMR",
            "Matching ratio",
            "",
            over(v("request_rate"), v("supply_rate")),
            "L 43",
        ),
        formula(
            "LPMR_target",
            "",
            "Matching ratio that the stall target allows",
            "",
            Expr::symbol("stall_target") * share_of_stall(level),
            "L 56-58",
        ),
    ]
}

/// Counts, inputs and derived figures by name.
#[derive(Clone, Debug)]
pub struct Figures {
    values: BTreeMap<String, f64>,
}

impl Figures {
    /// Evaluates every formula. What depends on an input that is not given has no value, nor has a division by
    /// zero.
    pub fn of(camat: &Camat) -> Figures {
        let Program {
            instructions,
            cpi_exe,
            hart_cycles,
            stall_target,
        } = camat.program;
        let mut figures = Figures {
            values: BTreeMap::new(),
        };
        figures.put(
            "instructions".into(),
            instructions.map(|count| count as f64),
        );
        figures.put("cpi_exe".into(), cpi_exe);
        figures.put(
            "hart_cycles".into(),
            hart_cycles.map(|cycles| cycles as f64),
        );
        figures.put("stall_target".into(), Some(stall_target));
        for (number, level) in (1..).zip(&camat.levels) {
            for count in COUNTS {
                figures.put(
                    format!("{}.{number}", count.key),
                    (count.of)(level).map(|count| count as f64),
                );
            }
        }
        // Levels want the compute time, the program wants the nearest level: each in turn finds what it needs.
        for pass in 0..2 {
            for number in 1..=camat.levels.len() {
                for formula in of_level(number) {
                    figures.put(
                        format!("{}.{number}", formula.key),
                        figures.value(&formula.expr),
                    );
                }
            }
            if pass == 0 {
                for formula in of_program() {
                    figures.put(formula.key.to_string(), figures.value(&formula.expr));
                }
            }
        }
        figures
    }

    fn put(&mut self, name: String, value: Option<f64>) {
        if let Some(value) = value {
            self.values.insert(name, value);
        }
    }

    /// A figure of the program; `None` if it is not known.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.values.get(name).copied()
    }

    /// A figure of a level, counted from one; `None` if it is not known.
    pub fn at(&self, key: &str, level: usize) -> Option<f64> {
        self.get(&format!("{key}.{level}"))
    }

    /// The value of an expression over the names; `None` if it is not known or not finite.
    pub fn value(&self, expr: &Expr) -> Option<f64> {
        let known = |symbol: &Symbol| self.get(symbol.name());
        expr.evaluate(&known as &dyn Lookup)
            .ok()
            .filter(|value| value.is_finite())
    }
}

/// An expression with the symbols of the paper: `ω(1)/α(1)`.
pub fn text(expr: &Expr) -> String {
    Excel {
        expr,
        names: &Symbols { with_level: true },
    }
    .to_string()
}

/// The same for an expression of one level that is valid at every level: `ω/α`.
pub fn text_of_any_level(expr: &Expr) -> String {
    Excel {
        expr,
        names: &Symbols { with_level: false },
    }
    .to_string()
}

struct Symbols {
    with_level: bool,
}

impl CellNames for Symbols {
    fn figure(&self, id: FigureId) -> String {
        format!("figure {}", id.0)
    }

    fn symbol(&self, name: &str) -> String {
        let (key, level) = name
            .split_once('.')
            .map_or((name, None), |(key, level)| (key, Some(level)));
        let counts = COUNTS.iter().map(|count| (count.key, count.symbol));
        let of_level: Vec<Formula> = of_level(1);
        let formulas = of_level.iter().map(|formula| (formula.key, formula.symbol));
        let inputs = [
            ("instructions", "IC"),
            ("cpi_exe", "CPI_exe"),
            ("Delta", "Δ"),
        ];
        let mut known = counts
            .chain(formulas)
            .chain(inputs)
            .filter(|(_, symbol)| !symbol.is_empty());
        let symbol = known
            .find(|(known, _)| *known == key)
            .map_or(key, |(_, symbol)| symbol);
        match level {
            Some(level) if self.with_level => format!("{symbol}({level})"),
            _ => symbol.to_string(),
        }
    }

    fn range(&self, _: &[FigureId]) -> Option<String> {
        None
    }
}
