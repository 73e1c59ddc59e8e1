//! What follows from the counts of a timeline: each figure is one expression, which Rust evaluates and the
//! workbook shows. Names are those of the catalogue, with the level behind those of a level: `omega.1`.

use std::collections::BTreeMap;

use super::{Camat, LevelCounts, Program};
use crate::expr::{CellNames, Comparison, Excel, Expr, FigureId, Lookup, Symbol};
use crate::formula::{Catalogue, Source};

loopsheet_base::catalogue! {
    /// Inputs of the program and what follows from them and level 1. Cycles are cycles of a hart: one of a level that
    /// several share is one of each of them. With a private nearest level, or one hart, that factor is 1 and the
    /// equations are the printed ones.
    pub enum ProgramFigure {
        Instructions "instructions" "IC" Instructions "Instructions of all harts" Source::Given;
        CpiExe "cpi_exe" "CPI_exe" Cycles "Cycles per instruction without stalls" Source::Given;
        HartCycles "hart_cycles" "" Cycles "Cycles of all harts" Source::Given;
        StallTarget "stall_target" "" Ratio "Target stall time divided by compute time" Source::Given;
        AccessRate "f_mem" "f_mem" Ratio "Accesses per instruction" Source::Liu("2");
        IpcExe "IPC_exe" "IPC_exe" Ratio "Instructions per cycle without stalls" Source::Liu("3");
        ComputeCycles "compute_cycles" "" Cycles "Compute time" Source::Liu("4");
        RunCycles "run_cycles" "" Cycles "Compute time and stalls" Source::Liu("4");
        Delta "Delta" "Δ" Ratio "Stall time divided by compute time" Source::Liu("5");
        Mse "MSE" "MSE" Ratio "Memory system efficiency: 1/(1 + Δ)" Source::Liu("6");
        DeltaCore "Delta_core" "" Ratio "Time of the harts beyond compute time, divided by compute time" Source::Measured;
    }
}

loopsheet_base::catalogue! {
    /// Counts of a level (see [`LevelCounts`]) and what follows from them; formulas name what stands before them, and
    /// figures of levels before.
    pub enum LevelFigure {
        Accesses "alpha" "α" Accesses "Accesses" Source::Counted;
        Misses "alpha_m" "α_m" Accesses "Misses, secondary ones too" Source::Counted;
        PureMisses "alpha_pure" "α_M" Accesses "Pure misses: with at least one pure miss cycle" Source::Counted;
        Secondary "secondary" "" Accesses "Secondary misses: they wait for another miss" Source::Counted;
        Cycles "n" "n" Cycles "Cycles of the run" Source::Counted;
        Idle "e" "e" Cycles "Cycles without activity" Source::Counted;
        HitOnly "h" "h" Cycles "Pure hit cycles: look-ups only" Source::Counted;
        MissOnly "m" "m" Cycles "Pure miss cycles: misses only" Source::Counted;
        Mixed "x" "x" Cycles "Mixed cycles: both" Source::Counted;
        Active "omega" "ω" Cycles "Memory active cycles" Source::Counted;
        Onward "onward" "" Cycles "Cycles in which a miss waits for the next level" Source::Counted;
        HitCycles "hit_cycles" "Σ c⁽ʰ⁾" Cycles "Hit cycles of all accesses" Source::Counted;
        MissCycles "miss_cycles" "Σ c⁽ᵐ⁾" Cycles "Miss cycles of all accesses" Source::Counted;
        PureMissCycles "pure_miss_cycles" "Σ_𝕄 c⁽ᵐ⁾" Cycles "Miss cycles of all accesses in pure miss cycles" Source::Counted;
        SecondaryCycles "secondary_cycles" "" Cycles "Miss cycles of secondary misses" Source::Counted;
        StayCycles "stay_cycles" "Σ c" Cycles "Cycles of all accesses" Source::Counted;
        Sharers "sharers" "" Count "Harts whose cycles are counted at once" Source::Counted;
        Hits "alpha_h" "α_h" Accesses "Hits" Source::Liu("9");
        HitRatio "rho_h" "ρ_h" Ratio "Hit ratio" Source::Liu("7");
        MissRatio "rho_m" "ρ_m" Ratio "Miss ratio" Source::Liu("8");
        PureMissRatio "rho_pure" "ρ_M" Ratio "Pure miss ratio" Source::Liu("17");
        HitShare "phi" "φ" Ratio "Share of hit cycles in active cycles" Source::Liu("13");
        MissShare "mu" "μ" Ratio "Share of miss cycles in active cycles" Source::Liu("14");
        PureShare "kappa" "κ" Ratio "Share of pure miss cycles in miss cycles" Source::Liu("15");
        HitTime "H" "H" Cycles "Hit time" Source::Liu("20");
        MissPenalty "AMP" "AMP" Cycles "Average miss penalty" Source::Liu("21");
        PureMissPenalty "pAMP" "pAMP" Cycles "Average pure miss penalty" Source::Liu("34");
        Concurrency "C" "C" Ratio "Concurrency" Source::Liu("22");
        HitConcurrency "C_H" "C_H" Ratio "Hit concurrency" Source::Liu("23");
        MissConcurrency "C_m" "C_m" Ratio "Miss concurrency" Source::Liu("26");
        PureMissConcurrency "C_M" "C_M" Ratio "Pure miss concurrency" Source::Liu("27");
        Amat "AMAT" "AMAT" Cycles "Average access time" Source::Liu("28");
        Camat "CAMAT" "C-AMAT" Cycles "Concurrent average access time" Source::Liu("30");
        Apc "APC" "APC" PerCycle "Accesses per active cycle" Source::Liu("32");
        StallTime "MST" "MST" Cycles "Stall time per access" Source::Liu("18");
        RequestRate "request_rate" "λ" PerCycle "Request rate: accesses per cycle of stall-free time" Source::Liu("46");
        SupplyRate "supply_rate" "ν" PerCycle "Supply rate" Source::Liu("51");
        Lpmr "LPMR" "LPMR" Ratio "Matching ratio" Source::Liu("43");
        LpmrTarget "LPMR_target" "" Ratio "Matching ratio that the stall target allows" Source::Liu("56-58");
    }
}

use LevelFigure as L;
use ProgramFigure as P;

impl ProgramFigure {
    /// The figure as a leaf of formulas.
    pub fn leaf(self) -> Expr {
        Expr::symbol(self.entry().name)
    }

    /// Its formula; `None` for inputs.
    pub fn expr(self) -> Option<Expr> {
        let v = ProgramFigure::leaf;
        Some(match self {
            P::AccessRate => at(L::Accesses, 1).quotient(v(P::Instructions)),
            P::IpcExe => Expr::from(1.0).quotient(v(P::CpiExe)),
            P::ComputeCycles => v(P::Instructions) * v(P::CpiExe),
            P::RunCycles => {
                v(P::ComputeCycles) + at(L::Accesses, 1) * at(L::StallTime, 1) * at(L::Sharers, 1)
            }
            P::Delta => {
                (at(L::StallTime, 1) * v(P::AccessRate) * at(L::Sharers, 1)).quotient(v(P::CpiExe))
            }
            P::Mse => Expr::from(1.0).quotient(v(P::Delta) + 1.0),
            P::DeltaCore => v(P::HartCycles).quotient(v(P::ComputeCycles)) - 1.0,
            P::Instructions | P::CpiExe | P::HartCycles | P::StallTarget => return None,
        })
    }
}

impl LevelFigure {
    /// Its name among the figures of all levels, which count from one.
    pub fn name_at(self, level: usize) -> String {
        format!("{}.{level}", self.entry().name)
    }

    /// A count of a level; `None` if it is none, or if the timeline does not say: what secondary misses are is unknown
    /// at the last level of a log.
    pub fn count(self, counts: &LevelCounts) -> Option<u64> {
        let is_about_secondary = matches!(self, L::Secondary | L::SecondaryCycles | L::Onward);
        if counts.untold != 0 && is_about_secondary {
            return None;
        }
        Some(match self {
            L::Accesses => counts.alpha,
            L::Misses => counts.alpha_m,
            L::PureMisses => counts.alpha_pure,
            L::Secondary => counts.secondary,
            L::Cycles => counts.n,
            L::Idle => counts.e,
            L::HitOnly => counts.h,
            L::MissOnly => counts.m,
            L::Mixed => counts.x,
            L::Active => counts.omega,
            L::Onward => counts.onward,
            L::HitCycles => counts.hit_cycles,
            L::MissCycles => counts.miss_cycles,
            L::PureMissCycles => counts.pure_miss_cycles,
            L::SecondaryCycles => counts.secondary_cycles,
            L::StayCycles => counts.stay_cycles,
            L::Sharers => counts.sharers,
            _ => return None,
        })
    }

    /// Its formula at a level, counted from one; `None` for counts.
    pub fn expr(self, level: usize) -> Option<Expr> {
        let v = |figure| at(figure, level);
        let over = |a: Expr, b: Expr| a.quotient(b);
        Some(match self {
            L::Hits => v(L::Accesses) - v(L::Misses),
            L::HitRatio => over(v(L::Hits), v(L::Accesses)),
            L::MissRatio => over(v(L::Misses), v(L::Accesses)),
            L::PureMissRatio => over(v(L::PureMisses), v(L::Accesses)),
            L::HitShare => over(v(L::HitOnly) + v(L::Mixed), v(L::Active)),
            L::MissShare => over(v(L::MissOnly) + v(L::Mixed), v(L::Active)),
            L::PureShare => over(v(L::MissOnly), v(L::MissOnly) + v(L::Mixed)),
            L::HitTime => over(v(L::HitCycles), v(L::Accesses)),
            L::MissPenalty => over(v(L::MissCycles), v(L::Misses)),
            L::PureMissPenalty => over(v(L::PureMissCycles), v(L::PureMisses)),
            L::Concurrency => over(v(L::HitCycles) + v(L::MissCycles), v(L::Active)),
            L::HitConcurrency => over(v(L::HitCycles), v(L::HitOnly) + v(L::Mixed)),
            L::MissConcurrency => over(v(L::MissCycles), v(L::MissOnly) + v(L::Mixed)),
            L::PureMissConcurrency => over(v(L::PureMissCycles), v(L::MissOnly)),
            L::Amat => over(v(L::HitCycles) + v(L::MissCycles), v(L::Accesses)),
            L::Camat => over(v(L::Active), v(L::Accesses)),
            L::Apc => over(v(L::Accesses), v(L::Active)),
            L::StallTime => over(v(L::MissOnly), v(L::Accesses)),
            L::RequestRate => over(v(L::Accesses) * v(L::Sharers), P::ComputeCycles.leaf()),
            L::SupplyRate => over(v(L::Accesses), v(L::Active)),
            L::Lpmr => over(v(L::RequestRate), v(L::SupplyRate)),
            L::LpmrTarget => P::StallTarget.leaf() * share_of_stall(level),
            _ => return None,
        })
    }
}

/// A figure of a level as a leaf of formulas; levels count from one.
pub fn at(figure: LevelFigure, level: usize) -> Expr {
    Expr::symbol(&figure.name_at(level))
}

/// `expr`, or zero if there is nothing of what it is an average of.
pub(super) fn none_is_zero(count: Expr, expr: Expr) -> Expr {
    let zero = || Expr::from(0.0);
    Expr::choose(Comparison::Equal, count, zero(), zero(), expr)
}

/// Π μ(i), i < level, over μ(1)·κ(1): what LPMR(level) is of Δ (L 55).
pub(super) fn share_of_stall(level: usize) -> Expr {
    let fractions = (1..level).map(|i| at(L::MissShare, i));
    Expr::product(fractions).quotient(at(L::MissShare, 1) * at(L::PureShare, 1))
}

/// Counts, inputs and derived figures.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    program: BTreeMap<ProgramFigure, f64>,
    /// Levels count from one.
    levels: BTreeMap<(usize, LevelFigure), f64>,
    /// What the names in formulas mean.
    leaves: BTreeMap<String, Leaf>,
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
        let inputs = [
            (P::Instructions, instructions.map(|count| count as f64)),
            (P::CpiExe, cpi_exe),
            (P::HartCycles, hart_cycles.map(|cycles| cycles as f64)),
            (P::StallTarget, Some(stall_target)),
        ];
        let count = |figure: LevelFigure, level: usize| {
            let count = figure.count(&camat.levels[level - 1])?;
            Some(count as f64)
        };
        Figures::of_counts(inputs, camat.levels.len(), &count)
    }

    /// The same of counts of so many levels that are not those of one run; levels count from one.
    pub fn of_counts(
        inputs: [(ProgramFigure, Option<f64>); 4],
        levels: usize,
        count: &dyn Fn(LevelFigure, usize) -> Option<f64>,
    ) -> Figures {
        let mut figures = Figures {
            leaves: leaves(levels),
            ..Figures::default()
        };
        for (figure, value) in inputs {
            figures.program.extend(value.map(|value| (figure, value)));
        }
        for level in 1..=levels {
            let counts = LevelFigure::counts()
                .filter_map(|figure| Some(((level, figure), count(figure, level)?)));
            figures.levels.extend(counts);
        }
        // Levels want the compute time, the program wants the nearest level: each in turn finds what it needs.
        for pass in 0..2 {
            for number in 1..=levels {
                for figure in LevelFigure::derived() {
                    let value = figure.expr(number).and_then(|expr| figures.value(&expr));
                    let value = value.map(|value| ((number, figure), value));
                    figures.levels.extend(value);
                }
            }
            if pass == 0 {
                for figure in ProgramFigure::derived() {
                    let value = figure.expr().and_then(|expr| figures.value(&expr));
                    figures.program.extend(value.map(|value| (figure, value)));
                }
            }
        }
        figures
    }

    /// A figure of the program; `None` if it is not known.
    pub fn get(&self, figure: ProgramFigure) -> Option<f64> {
        self.program.get(&figure).copied()
    }

    /// A figure of a level, counted from one; `None` if it is not known.
    pub fn at(&self, figure: LevelFigure, level: usize) -> Option<f64> {
        self.levels.get(&(level, figure)).copied()
    }

    /// The value of an expression over the names; `None` if it is not known or not finite.
    pub fn value(&self, expr: &Expr) -> Option<f64> {
        expr.evaluate(self).ok().filter(|value| value.is_finite())
    }
}

impl Lookup for Figures {
    fn symbol(&self, symbol: &Symbol) -> Option<f64> {
        match *self.leaves.get(symbol.name())? {
            Leaf::Program(figure) => self.get(figure),
            Leaf::Level(figure, level) => self.at(figure, level),
        }
    }

    fn figure(&self, _: FigureId) -> Option<f64> {
        None
    }
}

/// What a name in a formula means.
#[derive(Clone, Copy, Debug)]
enum Leaf {
    Program(ProgramFigure),
    Level(LevelFigure, usize),
}

/// The names of formulas over so many levels.
fn leaves(levels: usize) -> BTreeMap<String, Leaf> {
    let name = |figure: &ProgramFigure| (figure.entry().name.to_string(), Leaf::Program(*figure));
    let of_program = ProgramFigure::ALL.iter().map(name);
    let of_level = |level: usize| {
        let name = move |figure: &LevelFigure| (figure.name_at(level), Leaf::Level(*figure, level));
        LevelFigure::ALL.iter().map(name)
    };
    of_program.chain((1..=levels).flat_map(of_level)).collect()
}

impl Figures {
    /// An expression with the symbols of the paper: `ω(1)/α(1)`.
    pub fn text(&self, expr: &Expr) -> String {
        self.printed(expr, true)
    }

    /// The same for an expression of one level that is valid at every level: `ω/α`.
    pub fn text_of_any_level(&self, expr: &Expr) -> String {
        self.printed(expr, false)
    }

    fn printed(&self, expr: &Expr, with_level: bool) -> String {
        let leaves = &self.leaves;
        let names = &Symbols { leaves, with_level };
        Excel { expr, names }.to_string()
    }
}

struct Symbols<'f> {
    leaves: &'f BTreeMap<String, Leaf>,
    with_level: bool,
}

impl CellNames for Symbols<'_> {
    fn figure(&self, id: FigureId) -> String {
        format!("figure {}", id.0)
    }

    fn symbol(&self, name: &str) -> String {
        match self.leaves.get(name) {
            None => name.to_string(),
            Some(Leaf::Program(figure)) => figure.entry().printed().to_string(),
            Some(Leaf::Level(figure, level)) if self.with_level => {
                format!("{}({level})", figure.entry().printed())
            }
            Some(Leaf::Level(figure, _)) => figure.entry().printed().to_string(),
        }
    }

    fn range(&self, _: &[FigureId]) -> Option<String> {
        None
    }
}
