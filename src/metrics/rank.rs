//! Several traces side by side, the most sensitive to memory latency first (guide: dynamic-model, "Several programs").

use crate::expr::{Expr, FigureId, Lookup, Symbol};
use crate::formula::{Catalogue, Source};

use super::formulas::EdagFigure;
use super::report::{Inputs, TraceReport};
use super::tables;

loopsheet_base::catalogue! {
    /// Counts of one trace, inputs, and what follows from them; formulas name what stands before them.
    pub enum RankFigure {
        Instructions "instructions" "I" Instructions "Executed instructions" Source::Counted;
        SlotEpochs "slot_epochs" "E_m" Count "Epochs of the caches' own misses, at most m started in each" Source::Counted;
        Epochs "epochs" "e" Count "The same with any number of misses in an epoch" Source::Counted;
        MemoryWork "memory_work" "𝒲" Accesses "Memory work: accesses that go to RAM" Source::Counted;
        MemoryDepth "memory_depth" "𝒟" Accesses "Memory depth: most of them on one path" Source::Counted;
        NonMemoryCost "non_memory_cost" "C" Cycles "Cost of everything that does not go to RAM" Source::Counted;
        BytesMoved "bytes_moved" "" Bytes "Bytes to and from RAM" Source::Counted;
        ActiveCycles "active_cycles" "ω" Cycles "Cycles of the core with accesses at the nearest level" Source::Counted;
        Accesses "accesses" "α₁" Accesses "Accesses of the nearest level" Source::Counted;
        Cycles "cycles" "" Cycles "Cycles of the core" Source::Counted;
        Slots "slots" "m" Accesses "outstanding RAM accesses; of E_m as it was counted" Source::Given;
        BaseLatency "base_latency" "α₀" Cycles "Latency at which relative sensitivity is taken" Source::Given;
        Ghz "ghz" "" Gigahertz "Clock" Source::Given;
        SlotEpochRate "slot_epochs_per_thousand" "1000·E_m/I" Count "E_m in 1,000 instructions" Source::Definition;
        EpochRate "epochs_per_thousand" "1000·e/I" Count "e in 1,000 instructions" Source::Definition;
        Lambda "lambda" "λ" Accesses "Latency sensitivity of the upper bound" Source::Edan;
        RelativeLambda "relative_lambda" "Λ(α₀)" PerCycle "Relative sensitivity of the upper bound" Source::Edan;
        Overlap "overlap" "𝒲/e" Accesses "Memory-level parallelism: accesses to RAM in an epoch" Source::Definition;
        Camat "CAMAT" "C-AMAT" Cycles "Concurrent average access time at the nearest level" Source::Liu("30");
        Bandwidth "bandwidth" "" BytesPerSecond "Bytes to and from RAM over the cycles of the core" Source::Definition;
    }
}

use RankFigure as F;

impl RankFigure {
    /// Its formula; `None` for counts and inputs.
    pub fn expr(self) -> Option<Expr> {
        let name = |figure: RankFigure| figure.entry().name;
        Some(match self {
            F::SlotEpochRate => tables::per_thousand(name(F::SlotEpochs), name(F::Instructions)),
            F::EpochRate => tables::per_thousand(name(F::Epochs), name(F::Instructions)),
            F::Lambda => EdagFigure::Lambda.expr()?,
            F::RelativeLambda => EdagFigure::RelativeLambda.expr()?,
            F::Overlap => tables::share(name(F::MemoryWork), name(F::Epochs)),
            F::Camat => tables::share(name(F::ActiveCycles), name(F::Accesses)),
            F::Bandwidth => tables::bandwidth(name(F::BytesMoved), name(F::Cycles), name(F::Ghz)),
            _ => return None,
        })
    }
}

/// The traces, and what they were counted with.
#[derive(Clone, Debug)]
pub struct Rank {
    pub inputs: Inputs,
    /// W of the epochs and of the core: instructions.
    pub window: u32,
    /// m of E_m.
    pub slots: u32,
    /// As the command line takes them, nearest first.
    pub caches: Vec<String>,
    /// The most sensitive first.
    pub traces: Vec<RankedTrace>,
    /// What a reader of the figures has to know.
    pub notes: Vec<String>,
}

/// One trace.
#[derive(Clone, Debug)]
pub struct RankedTrace {
    pub path: String,
    /// By position in the catalogue.
    values: Vec<Option<f64>>,
    /// What a reader of its figures has to know.
    pub notes: Vec<String>,
}

impl RankedTrace {
    /// Of a run that had epochs of one window with one number of slots, and caches.
    pub fn of(report: &TraceReport) -> RankedTrace {
        let caches = report
            .epochs
            .as_ref()
            .and_then(|epochs| epochs.caches.as_ref());
        let memory = report.edag.memory;
        let nearest = report.camat.as_ref().and_then(|camat| camat.levels.first());
        let cycles = report
            .camat
            .as_ref()
            .map(|camat| camat.run.1 + 1 - camat.run.0);
        let first = |row: &[u64]| row.first().copied();
        let count = |figure| match figure {
            F::Instructions => Some(report.trace.instructions),
            F::SlotEpochs => caches.and_then(|own| first(own.slots.values().next()?)),
            F::Epochs => caches.and_then(|own| first(&own.epochs)),
            F::MemoryWork => memory.map(|own| own.work),
            F::MemoryDepth => memory.map(|own| own.depth),
            F::NonMemoryCost => memory.map(|own| own.non_memory_cost),
            F::BytesMoved => memory.and_then(|own| own.bytes_moved),
            F::ActiveCycles => nearest.map(|level| level.omega),
            F::Accesses => nearest.map(|level| level.alpha),
            F::Cycles => cycles,
            _ => None,
        };
        let mut trace = RankedTrace {
            path: report.trace.path.clone(),
            values: Vec::new(),
            notes: report.notes.clone(),
        };
        for figure in F::ALL {
            let value = match (figure.expr(), figure) {
                (Some(expr), _) => expr.evaluate(&trace).ok(),
                (None, F::Slots) => Some(report.inputs.slots),
                (None, F::BaseLatency) => Some(report.inputs.base_latency),
                (None, F::Ghz) => Some(report.inputs.ghz),
                (None, figure) => count(*figure).map(|count| count as f64),
            };
            trace.values.push(value.filter(|value| value.is_finite()));
        }
        trace
    }

    /// `None` if it is not known.
    pub fn get(&self, figure: RankFigure) -> Option<f64> {
        self.values.get(figure as usize).copied().flatten()
    }
}

impl Lookup for RankedTrace {
    fn symbol(&self, symbol: &Symbol) -> Option<f64> {
        self.get(RankFigure::named(symbol.name())?)
    }

    fn figure(&self, _: FigureId) -> Option<f64> {
        None
    }
}

impl Rank {
    /// What is said of every trace is said once.
    pub fn share_notes(&mut self) {
        let Some((first, others)) = self.traces.split_first() else {
            return;
        };
        let is_shared = |note: &&String| others.iter().all(|trace| trace.notes.contains(note));
        let shared: Vec<String> = first.notes.iter().filter(is_shared).cloned().collect();
        for trace in &mut self.traces {
            trace.notes.retain(|note| !shared.contains(note));
        }
        self.notes.extend(shared);
    }

    /// Puts the traces with most epochs per 1,000 instructions first; those that have as many stay as given, and those
    /// that have no such figure are last.
    pub fn sort(&mut self) {
        let rate = |trace: &RankedTrace| trace.get(F::SlotEpochRate).unwrap_or(-1.0);
        self.traces.sort_by(|a, b| rate(b).total_cmp(&rate(a)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_name_what_stands_before_them() {
        for (number, figure) in F::ALL.iter().enumerate() {
            for leaf in figure.expr().iter().flat_map(Expr::symbols) {
                let leaf = F::named(leaf.name()).expect("leaves are in the catalogue");
                assert!((leaf as usize) < number, "{figure:?} names {leaf:?}");
            }
        }
    }
}
