//! What would make the costliest nests faster, and by how much: changes of the source that the dependences allow, and
//! larger caches. What a change gives follows from the formulas of the model, evaluated again with what it changes.

mod blocking;
mod evaluate;
mod fusion;
mod interchange;
mod larger_cache;
mod layout;
mod legality;
mod streaming;
mod waiting;
pub mod words;

use super::catalogue::StaticFigure as F;
use super::figures::Figures;
use super::influence;
use super::nest_model::NestModel;
use super::parameters::ParameterTable;
use super::ranking::{Ranking, listed};
use super::summary::define_ratio;
use crate::analysis::facts::{Function, Loop, Program};
use crate::expr::{Expr, FigureId};
use crate::machine::MachineModel;
use evaluate::{Bench, Plan};

pub use super::advice_kind::AdviceKind;
pub use legality::Check;

/// Pieces of advice at most, and nests that are looked at.
const MOST: usize = 10;
/// The least share of the program's time that a nest has, and that a piece of advice saves.
const LEAST_SHARE: f64 = 0.01;

/// One change and what it gives.
pub struct Advice {
    pub change: Change,
    /// The nests that it is about, in program order.
    pub nests: Vec<usize>,
    /// What has to be checked before; nothing if the dependences that were found allow it.
    pub checks: Vec<Check>,
    pub figures: AdviceFigures,
    /// What fits a cache then, and up to where.
    pub fit: Option<Fit>,
    /// Sizes that the figures depend on and that are guessed.
    pub guessed: Vec<String>,
}

/// What to change.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// A loop over blocks around all loops for each of these.
    Block(Vec<BlockedLoop>),
    /// The loops that are nested in another order, by variable, outermost first, as they are and as they should be.
    Interchange {
        from: Vec<String>,
        to: Vec<String>,
    },
    /// Both nests in one, with the arrays that they share.
    Fuse {
        arrays: Vec<String>,
    },
    /// Stores that do not fetch the line: the arrays that are written so.
    StreamingStores {
        arrays: Vec<String>,
    },
    /// What lies a stride apart becomes an array of its own.
    SplitRecords(Vec<Records>),
    LargerCache {
        level: String,
        factor: f64,
    },
    /// Sums that the compiler may add in another order, by what holds them.
    ReorderSums {
        sums: Vec<String>,
    },
    /// Work that does not wait for these: what that gives at most.
    IndependentWork {
        waits: Vec<String>,
    },
}

impl Change {
    pub fn kind(&self) -> AdviceKind {
        match self {
            Change::Block(_) => AdviceKind::Block,
            Change::Interchange { .. } => AdviceKind::Interchange,
            Change::Fuse { .. } => AdviceKind::Fuse,
            Change::StreamingStores { .. } => AdviceKind::StreamingStores,
            Change::SplitRecords(_) => AdviceKind::SplitRecords,
            Change::LargerCache { .. } => AdviceKind::LargerCache,
            Change::ReorderSums { .. } => AdviceKind::ReorderSums,
            Change::IndependentWork { .. } => AdviceKind::IndependentWork,
        }
    }
}

/// One loop that is to be blocked.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockedLoop {
    /// The parameter of the model that blocks it.
    pub parameter: String,
    /// The variable of the loop.
    pub variable: String,
    /// Iterations of a block.
    pub size: f64,
}

/// An array of which a nest uses some elements of every record.
#[derive(Clone, Debug, PartialEq)]
pub struct Records {
    pub array: String,
    /// Elements of a record, and how many of them are used.
    pub elements: u64,
    pub used: u64,
}

/// The figures of one piece of advice; times are over all calls where calls are followed.
pub struct AdviceFigures {
    /// What it changes the inputs to: sizes of blocks, the capacity of a cache.
    pub inputs: Vec<FigureId>,
    /// Seconds of its nests as they are, and if it is followed.
    pub before: FigureId,
    pub after: FigureId,
    /// Seconds that it saves, and as a share of the program's time.
    pub saved: FigureId,
    pub share: FigureId,
    /// Seconds before over seconds after.
    pub speedup: FigureId,
    /// Bytes of memory traffic that it saves.
    pub bytes: FigureId,
}

/// What a cache holds if advice is followed.
pub struct Fit {
    pub cache: String,
    /// The parameter that it grows with, and the largest value with which it fits.
    pub size: Option<(String, FigureId)>,
}

/// What could be changed, before it has figures.
struct Proposal<'p> {
    change: Change,
    nests: Vec<usize>,
    checks: Vec<Check>,
    plan: Plan<'p>,
    /// Seconds that it saves, about.
    saved: f64,
}

impl Proposal<'_> {
    fn is_interchange(&self) -> bool {
        self.change.kind() == AdviceKind::Interchange
    }
}

/// What advice is found in.
struct Context<'c, 'p> {
    program: &'p Program,
    machine: &'c MachineModel,
    parameters: &'c ParameterTable,
    nests: &'c [NestModel<'p>],
    ranking: &'c Ranking,
    /// The nests that are looked at, the costliest first.
    costliest: Vec<usize>,
    /// Seconds that a piece of advice saves at least.
    least: f64,
}

impl<'p> Context<'_, 'p> {
    fn function(&self, nest: usize) -> &'p Function {
        &self.program.functions[self.nests[nest].nest.function]
    }

    /// The loops of a nest, outermost first.
    fn loops(&self, nest: usize) -> Vec<&'p Loop> {
        self.nests[nest]
            .nest
            .loops
            .iter()
            .map(|l| l.facts)
            .collect()
    }

    /// Seconds of a nest over all calls.
    fn seconds(&self, nest: usize, figures: &Figures) -> f64 {
        let seconds = self.ranking.seconds(nest);
        seconds.map_or(f64::NAN, |id| figures.value(id))
    }
}

/// The advice for a program, that with the largest gain first; nests that are left out take so many `others` seconds.
/// Only with formulas.
pub(super) fn define(
    program: &Program,
    (machine, parameters): (&MachineModel, &ParameterTable),
    (nests, ranking, others): (&[NestModel], &Ranking, f64),
    figures: &mut Figures,
) -> Vec<Advice> {
    let (costliest, least) = costliest((nests, ranking, others), figures);
    if costliest.is_empty() {
        return Vec::new();
    }
    let total = define_total((nests, ranking, others), figures);
    let context = Context {
        program,
        machine,
        parameters,
        nests,
        ranking,
        costliest,
        least,
    };
    let mut proposals = propose(&context, figures);
    proposals.retain(|proposal| proposal.saved >= context.least);
    proposals.sort_by(|a, b| b.saved.total_cmp(&a.saved));
    proposals.truncate(MOST);
    let mut found: Vec<Advice> = Vec::new();
    for proposal in proposals {
        found.extend(define_one(&context, proposal, total, figures));
    }
    found.sort_by(|a, b| {
        let saved = |one: &Advice| figures.value(one.figures.saved);
        saved(b).total_cmp(&saved(a))
    });
    found
}

/// The nests that are looked at, the costliest first, and the seconds that a piece of advice saves at least.
pub(super) fn costliest(
    (nests, ranking, others): (&[NestModel], &Ranking, f64),
    figures: &Figures,
) -> (Vec<usize>, f64) {
    let seconds = |nest: usize| {
        ranking
            .seconds(nest)
            .map_or(f64::NAN, |id| figures.value(id))
    };
    let all = (0..nests.len()).map(seconds);
    let least = LEAST_SHARE * (others + all.filter(|one| one.is_finite()).sum::<f64>());
    let mut found = ranking.costliest(nests, nests.len(), figures);
    found.retain(|nest| seconds(*nest) > 0.0 && seconds(*nest) >= least);
    (listed(nests, found, MOST), least)
}

/// Seconds of the program, as far as they are known.
fn define_total(
    (nests, ranking, others): (&[NestModel], &Ranking, f64),
    figures: &mut Figures,
) -> FigureId {
    let seconds = (0..nests.len()).filter_map(|nest| ranking.seconds(nest));
    let known: Vec<FigureId> = seconds
        .filter(|id| figures.value(*id).is_finite())
        .collect();
    let sum = figures.define(
        F::AdvisedTotal,
        Expr::sum(known.into_iter().map(Expr::from)),
    );
    match others > 0.0 {
        true => figures.define(F::AdvisedTotal, Expr::from(sum) + others),
        false => sum,
    }
}

fn propose<'p>(context: &Context<'_, 'p>, figures: &Figures) -> Vec<Proposal<'p>> {
    let bench = Bench { context, figures };
    let mut found = Vec::new();
    for nest in &context.costliest {
        let moved = locality(&bench, *nest);
        // Another order of the loops is said where it is legal.
        if !moved.iter().any(Proposal::is_interchange) {
            found.extend(waiting::propose(&bench, *nest));
        }
        found.extend(moved);
        found.extend(streaming::propose(&bench, *nest));
        found.extend(layout::propose(&bench, *nest));
    }
    found.extend(fusion::propose(&bench));
    found.extend(larger_cache::propose(&bench));
    found
}

/// What gives as much as another change, but for this part of it, is not said beside it if it is harder to do.
const ABOUT: f64 = 0.05;

/// Interchanged loops where that gives as much as blocks do; else both.
fn locality<'p>(bench: &Bench<'_, '_, 'p>, nest: usize) -> Vec<Proposal<'p>> {
    let blocked = blocking::propose(bench, nest);
    let interchanged = interchange::propose(bench, nest);
    let least = (blocked.as_ref()).map_or(0.0, |blocked| (1.0 - ABOUT) * blocked.saved);
    match interchanged {
        Some(interchanged) if interchanged.saved >= least => vec![interchanged],
        interchanged => blocked.into_iter().chain(interchanged).collect(),
    }
}

/// With figures; `None` if it saves too little after all.
fn define_one(
    context: &Context,
    proposal: Proposal,
    total: FigureId,
    figures: &mut Figures,
) -> Option<Advice> {
    let Proposal {
        change,
        nests,
        checks,
        plan,
        ..
    } = proposal;
    let Context {
        parameters,
        ranking,
        ..
    } = context;
    let defined = evaluate::define(context, (change.kind(), &nests), &plan, figures);
    let before = nests.iter().filter_map(|nest| ranking.seconds(*nest));
    let before = figures.define_total(F::AdvisedNests, before);
    let after = Expr::sum(defined.seconds.into_iter().map(Expr::from));
    let after = figures.define(F::TimeAsAdvised, after);
    let saved = Expr::from(before) - Expr::from(after);
    let saved = figures.define(F::AdviceSaving, saved);
    let gain = figures.value(saved);
    if gain.is_nan() || gain < context.least {
        return None;
    }
    let share = define_ratio(F::AdviceShare, (saved, total), figures);
    let speedup = define_ratio(F::AdviceSpeedup, (before, after), figures);
    let bytes = Expr::sum(defined.bytes_saved);
    let bytes = figures.define(F::AdviceTrafficSaving, bytes);
    let mut guessed: Vec<String> = Vec::new();
    for nest in &nests {
        guessed.extend(influence::guessed(&context.nests[*nest].nest, parameters));
    }
    guessed.sort_unstable();
    guessed.dedup();
    Some(Advice {
        change,
        nests,
        checks,
        figures: AdviceFigures {
            inputs: defined.inputs,
            before,
            after,
            saved,
            share,
            speedup,
            bytes,
        },
        fit: defined.fit,
        guessed,
    })
}
