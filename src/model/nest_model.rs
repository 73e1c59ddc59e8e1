//! What is known of a nest: its facts and all figures of it alone.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::in_core::calls_procedures;
use super::levels::{ArrayFigures, Collision, NestLevels};
use super::loops::{LoopCounts, LoopFigures};
use super::nest::Nest;
use super::operations::OperationFigures;
use super::parameters::ParameterTable;
use super::stream::StreamFigures;
use super::time::TimeFigures;
use super::traffic::{NestTraffic, WorkingSets};
use crate::analysis::facts::{Loop, LoopDirective};
use crate::analysis::in_core::{InCore, Order};
use crate::expr::{Expr, FigureId, Symbol, SymbolKind};
use crate::reason::ReasonCode;

/// Stands beside the name of a nest of which not everything is understood or exact.
pub const MARK: &str = " *";

/// The figures of one nest.
pub struct NestModel<'p> {
    pub nest: Nest<'p>,
    /// Trip counts of the sweep loops, outermost first.
    pub sweep_trips: Vec<FigureId>,
    /// Product of the sweep loops' trip counts.
    pub sweeps: FigureId,
    /// Spatial loops, innermost first.
    pub loops: Vec<LoopFigures>,
    /// Iterations of every loop of the chain over the whole execution, outermost first.
    pub counts: Vec<LoopCounts>,
    /// Iterations of the innermost loop over the whole execution, all sweeps.
    pub iterations: FigureId,
    /// Number of blocks of one sweep.
    pub blocks: FigureId,
    pub operations: OperationFigures,
    pub streams: Vec<StreamFigures>,
    pub working_sets: WorkingSets,
    pub traffic: NestTraffic,
    /// Every cache level, by the refined rule.
    pub levels: NestLevels,
    /// What each array has of its memory traffic, where they are told apart.
    pub arrays: Vec<ArrayFigures>,
    pub time: TimeFigures,
    /// All figures that were defined for the nest alone.
    pub figures: Range<FigureId>,
    /// Why its bytes are only about right.
    pub doubts: BTreeSet<ReasonCode>,
    /// What a run with small sizes said of its bytes, if there was one.
    pub checked: Option<Checked>,
    /// Caches whose sets its lines collide in, if it was run with their ways.
    pub conflicts: Vec<Conflict>,
    /// The loop of which a run counted other iterations, if there is one.
    pub counted: Option<CountedLoop>,
    /// Whether guessed sizes give it iterations that no program would have.
    pub is_implausible: bool,
    /// Whether its function is called with several sizes, of which it has the largest.
    pub has_several_sizes: bool,
    /// Whether what it finds of the nests that it shares a loop with is only about right.
    pub shares_roughly: bool,
}

/// A nest's bytes in a run with small sizes, for the cache for which the model is farthest from them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Checked {
    /// Bytes of that cache.
    pub capacity: u64,
    pub simulated_bytes: f64,
    /// The model's bytes over the simulated ones.
    pub ratio: f64,
    /// Whether that is more than the ends of rows and rounding explain.
    pub is_off: bool,
}

/// A loop that went round more often, or less often, in a run than the model says.
#[derive(Clone, Debug, PartialEq)]
pub struct CountedLoop {
    /// Its id.
    pub id: String,
    pub counted: f64,
    pub modelled: f64,
    /// Both are of all calls, not of one.
    pub is_of_all_calls: bool,
}

/// Lines of a nest that push each other out of few sets of a cache, and what that costs, by a run with the sizes that are
/// set.
#[derive(Clone, Debug, PartialEq)]
pub struct Conflict {
    /// The cache's position, the nearest first.
    pub level: usize,
    pub ways: f64,
    pub collision: Collision,
    /// Bytes that a fully associative cache of that size moves.
    pub fully_associative_bytes: f64,
    /// The same with its ways.
    pub set_associative_bytes: f64,
    /// Share of the accesses that was simulated.
    pub share: f64,
}

impl Conflict {
    /// How many times as many bytes the cache moves.
    pub fn ratio(&self) -> f64 {
        self.set_associative_bytes / self.fully_associative_bytes
    }

    /// Whether that is more than a little.
    pub fn is_costly(&self) -> bool {
        self.ratio() > MUCH
    }
}

/// A conflict that costs less is not worth a mark.
const MUCH: f64 = 1.2;

/// What runs of nests say of them, by position among all nests.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    pub checked: BTreeMap<usize, Checked>,
    pub conflicts: BTreeMap<usize, Vec<Conflict>>,
    pub counted: BTreeMap<usize, CountedLoop>,
}

/// No nest of a program that is worth a look has more iterations.
const MOST_ITERATIONS: f64 = 1e15;

impl NestModel<'_> {
    /// What the flags of its file let the compiler do with the innermost loop, by the names of the machine's switches.
    pub fn by_flags(&self) -> Vec<&'static str> {
        let innermost = self.nest.loops.last();
        let in_core = innermost.and_then(|inner| inner.facts.in_core.as_ref());
        in_core.map_or(Vec::new(), |known| known.compiled.names())
    }

    /// Why some loop of the chain is not fully understood, or its figures are only estimates: codes, sorted.
    pub fn reason_codes(&self) -> BTreeSet<ReasonCode> {
        let mut codes = self.nest.reason_codes();
        codes.extend(&self.doubts);
        codes.extend(self.disagreement().map(|_| ReasonCode::CheckFailed));
        codes.extend(self.counted.as_ref().map(|_| ReasonCode::CountsDiffer));
        let has_conflicts = self.conflicts.iter().any(Conflict::is_costly);
        codes.extend(has_conflicts.then_some(ReasonCode::ConflictMisses));
        codes.extend(self.is_implausible.then_some(ReasonCode::ImplausibleSize));
        codes.extend(self.has_several_sizes.then_some(ReasonCode::SeveralSizes));
        codes.extend(self.shares_roughly.then_some(ReasonCode::SharedLoop));
        let is_open = self.time.in_core.is_some() && self.order_is_unknown();
        codes.extend(is_open.then_some(ReasonCode::UnknownDependence));
        let is_too_fast = self.levels.has_unrated_lines;
        codes.extend(is_too_fast.then_some(ReasonCode::UnknownLatency));
        codes
    }

    /// Whether it is not known which iterations of the innermost loop wait for others. Where it calls procedures, nothing
    /// is said of chains.
    fn order_is_unknown(&self) -> bool {
        let innermost = self.nest.loops.last().map(|inner| inner.facts);
        innermost.is_some_and(|inner| {
            let is_unknown = |in_core: &InCore| in_core.carried.order == Order::Unknown;
            let directive = inner.parallel.as_ref();
            let is_asked_for = directive.is_some_and(LoopDirective::asks_for_vectors);
            let is_open = inner.in_core.as_ref().is_some_and(is_unknown);
            is_open && !is_asked_for && !calls_procedures(&inner.body)
        })
    }

    /// The mark beside the name of the nest, wherever its figures are read: a star if not everything of it is understood or
    /// exact, as [`NestModel::reason_codes`] say.
    pub fn mark(&self) -> &'static str {
        match self.reason_codes().is_empty() {
            true => "",
            false => MARK,
        }
    }

    /// Takes what runs said of the nest at that position.
    pub(super) fn take(&mut self, findings: &Findings, position: usize) {
        self.checked = findings.checked.get(&position).copied();
        self.conflicts = findings
            .conflicts
            .get(&position)
            .cloned()
            .unwrap_or_default();
        self.counted = findings.counted.get(&position).cloned();
    }

    /// The model's bytes over those of a run with small sizes, where the two do not agree.
    pub fn disagreement(&self) -> Option<f64> {
        let checked = self.checked.filter(|checked| checked.is_off);
        checked.map(|checked| checked.ratio)
    }

    /// Whether a condition that never holds leaves the nest out, whatever its sizes.
    pub fn is_never_reached(&self, parameters: &ParameterTable) -> bool {
        let value = |branch: &Symbol| Some(parameters.row(self.nest.function, branch)?.value);
        is_left_out(&self.nest, &value)
    }

    /// Whether guessed sizes, and not the source, make a nest run for ever or not at all.
    pub(super) fn is_implausible(
        nest: &Nest,
        (iterations, trips): (f64, &[f64]),
        parameters: &ParameterTable,
    ) -> bool {
        let is_guess = |symbol: &Symbol| {
            let row = parameters.row(nest.function, symbol);
            row.is_some_and(|row| row.rests_on_guess)
        };
        let ends = |l: &Loop| [&l.lower, &l.upper, &l.step].map(Expr::symbols);
        let mut symbols = nest.loops.iter().flat_map(|l| ends(l.facts)).flatten();
        // One that is empty by a size that is no guess says why the nest is.
        let is_known = |l: &Loop| {
            let symbols: Vec<Symbol> = ends(l).into_iter().flatten().collect();
            let is_size = |symbol: &Symbol| parameters.row(nest.function, symbol).is_some();
            symbols.iter().any(is_size) && !symbols.iter().any(is_guess)
        };
        let mut loops = nest.loops.iter().zip(trips);
        if loops.any(|(l, trip)| *trip < 1.0 && is_known(l.facts)) {
            return false;
        }
        let value = |branch: &Symbol| Some(parameters.row(nest.function, branch)?.value);
        // That a loop without a count runs once is a guess by what it does.
        let is_meant =
            |symbol: &Symbol| iterations == 1.0 && symbol.kind() == SymbolKind::TripCount;
        (iterations <= 1.0 && !is_left_out(nest, &value) || iterations > MOST_ITERATIONS)
            && symbols.any(|symbol| is_guess(&symbol) && !is_meant(&symbol))
    }
}

/// Whether one of the branches on the way into the loops of a nest never goes there.
fn is_left_out(nest: &Nest, value: &dyn Fn(&Symbol) -> Option<f64>) -> bool {
    let mut ways = nest.loops.iter().flat_map(|chain| &chain.weight);
    ways.any(|(branch, taken)| value(branch) == Some(f64::from(u8::from(!taken))))
}
