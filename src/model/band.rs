//! Between which times does a nest lie, where the source leaves open what decides it?
//!
//! ```text
//!         caches filled by the last execution,       the estimate       caches cold,
//!         vectors, sums in another order                                one element at a time, sums as written
//!  low ◄──────────────────────────────────────────── likely ──────────────────────────────────────────► high
//! ```
//!
//! The estimate takes what the switches of the machine say (`warm`, `vectorise`, `reorder_sums`, `vector_functions`). What
//! neither the source nor flags decide may be otherwise, and both ends show how much that is worth. Sizes and figures of
//! the machine are taken to be right: this is no error of measurement.

use super::bandwidth;
use super::catalogue::StaticFigure as F;
use super::figures::{Detail, Figures};
use super::irregular;
use super::nest_model::NestModel;
use super::ranking::Ranking;
use super::time::whole;
use super::traffic::is_on;
use crate::expr::{Comparison, Expr, FigureId};
use crate::machine::MachineModel;
use crate::machine::parameters::SCENARIOS;

/// The shortest and the longest time of a nest.
#[derive(Clone, Copy)]
pub struct Band {
    pub low: FigureId,
    pub high: FigureId,
    pub open: Open,
}

/// What the source leaves open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Open {
    /// Whether caches have what the last execution left there.
    pub caches: bool,
    /// Whether the code is in vectors.
    pub vectors: bool,
    /// In which order sums are added.
    pub sums: bool,
}

impl Open {
    fn or(self, other: Open) -> Open {
        Open {
            caches: self.caches || other.caches,
            vectors: self.vectors || other.vectors,
            sums: self.sums || other.sums,
        }
    }

    /// What of it is open.
    pub fn all(self) -> impl Iterator<Item = Question> {
        let all = [
            (self.caches, Question::Caches),
            (self.vectors, Question::Vectors),
            (self.sums, Question::Sums),
        ];
        all.into_iter()
            .filter(|(is_open, _)| *is_open)
            .map(|(_, question)| question)
    }
}

/// What a source may leave open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    Caches,
    Vectors,
    Sums,
}

impl Question {
    pub fn name(self) -> &'static str {
        match self {
            Question::Caches => "caches",
            Question::Vectors => "vectors",
            Question::Sums => "sums",
        }
    }

    pub fn in_words(self) -> &'static str {
        match self {
            Question::Caches => "warm or cold caches",
            Question::Vectors => "vectors",
            Question::Sums => "the order of sums",
        }
    }
}

/// Shortest and longest times of nests one after the other, and what is open of any of them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TotalBand {
    pub low: f64,
    pub high: f64,
    pub open: Open,
}

impl TotalBand {
    /// Of all nests whose time is known: as often as they are called where calls are followed, else each once.
    pub fn of(nests: &[NestModel], ranking: &Ranking, figures: &Figures) -> TotalBand {
        let mut total = TotalBand::default();
        for (index, nest) in nests.iter().enumerate() {
            let (Some(band), Some(ranked)) = (nest.time.band, ranking.of(index)) else {
                continue;
            };
            let calls = ranked.calls.map_or(1.0, |calls| figures.value(calls));
            let [low, high] = [band.low, band.high].map(|id| calls * figures.value(id));
            if low.is_finite() && high.is_finite() {
                total.low += low;
                total.high += high;
                total.open = total.open.or(band.open);
            }
        }
        total
    }
}

/// Defines those of all nests.
pub(super) fn define(
    nests: &mut [NestModel],
    ranking: &Ranking,
    machine: &MachineModel,
    figures: &mut Figures,
) {
    for (index, nest) in nests.iter_mut().enumerate() {
        let calls = ranking.of(index).and_then(|ranked| ranked.calls);
        nest.time.band = Some(Band::define(nest, calls, machine, figures));
    }
}

impl Band {
    fn define(
        nest: &NestModel,
        calls: Option<FigureId>,
        machine: &MachineModel,
        figures: &mut Figures,
    ) -> Band {
        let time = &nest.time;
        let core = Expr::from(time.core);
        let text = time.text.map(Expr::from);
        let (fastest, slowest) = core_ends(nest, figures);
        let cold = data(nest, &|_| 1.0.into(), machine, figures);
        let seconds = Expr::from(time.seconds);
        let is_open = fastest != core || slowest != core;
        let high = match is_open {
            true => Expr::max([seconds.clone(), whole((slowest, text.clone(), cold))]),
            false => seconds.clone(),
        };
        let warm = data(nest, &moves(nest, calls), machine, figures);
        let low = Expr::min([seconds, whole((fastest, text, warm))]);
        let (low, high) = (
            figures.define(F::LowTime, low),
            figures.define(F::HighTime, high),
        );
        let in_core = time.in_core.and_then(|found| found.open);
        let open = Open {
            caches: are_caches_open(nest, calls, figures),
            vectors: in_core.is_some_and(|open| open.may_be_vectors),
            sums: in_core.is_some_and(|open| open.may_reorder),
        };
        Band { low, high, open }
    }
}

/// The shortest and the longest time of the core.
fn core_ends(nest: &NestModel, figures: &Figures) -> (Expr, Expr) {
    let core = Expr::from(nest.time.core);
    let Some(open) = nest.time.in_core.and_then(|found| found.open) else {
        return (core.clone(), core);
    };
    let (vectors, scalar) = (Expr::from(open.vectors), Expr::from(open.scalar));
    let all = [core.clone(), vectors, scalar.clone()];
    let (least, most) = (Expr::min(all.clone()), Expr::max(all));
    match figures.detail() {
        // A machine that does not say what its core does has no such times.
        Detail::AnyMachine => (bandwidth::where_positive(scalar, least, core), most),
        _ => (least, most),
    }
}

/// The times of all levels, and of irregular lines on top of the longest; of every cache only that part of what it fetches
/// and writes back which `moves` says.
fn data(
    nest: &NestModel,
    moves: &dyn Fn(usize) -> Expr,
    machine: &MachineModel,
    figures: &Figures,
) -> Vec<Expr> {
    let levels = &nest.time.levels;
    let regular = levels.iter().map(|level| {
        let seconds = Expr::from(level.seconds);
        match level.behind {
            Some(cache) => seconds * moves(cache),
            None => seconds,
        }
    });
    let regular: Vec<Expr> = regular.collect();
    if nest.time.irregular.is_none() {
        return regular;
    }
    let reach = Expr::machine("tlb_bytes");
    let is_cold = nest
        .levels
        .all
        .is_none_or(|_| moves(0).as_number() == Some(1.0));
    let pages = nest.levels.pages.map(|pages| {
        let missed = Expr::from(pages.missed);
        match is_cold {
            true => missed,
            false => {
                let (touched, none) = (Expr::from(pages.touched), 0.0.into());
                Expr::choose(
                    Comparison::LessOrEqual,
                    touched,
                    reach.clone(),
                    none,
                    missed,
                )
            }
        }
    });
    let irregular = irregular::seconds(machine, &nest.levels, (moves, pages), figures);
    vec![Expr::max(regular) + irregular.unwrap_or(0.0.into())]
}

/// 0 of a cache that holds all of the nest's data from its last execution, 1 of others, and of nests that are executed
/// once.
fn moves(nest: &NestModel, calls: Option<FigureId>) -> impl Fn(usize) -> Expr {
    let all = nest.levels.all;
    let capacities: Vec<FigureId> = nest.levels.caches.iter().map(|c| c.capacity).collect();
    move |cache: usize| {
        let (Some(all), Some(capacity)) = (all, capacities.get(cache)) else {
            return 1.0.into();
        };
        let (all, capacity) = (Expr::from(all), Expr::from(*capacity));
        let held = Expr::choose(
            Comparison::LessOrEqual,
            all,
            capacity,
            0.0.into(),
            1.0.into(),
        );
        // The rule of scenarios knows no execution before.
        let held = is_on(SCENARIOS, 1.0.into(), held);
        match calls {
            None => held,
            Some(calls) => {
                let (calls, once) = (Expr::from(calls), 1.0.into());
                Expr::choose(Comparison::Greater, calls, once, held, 1.0.into())
            }
        }
    }
}

fn are_caches_open(nest: &NestModel, calls: Option<FigureId>, figures: &Figures) -> bool {
    let moves = moves(nest, calls);
    let mut caches = 0..nest.levels.caches.len();
    caches.any(|at| moves(at).evaluate(figures).is_ok_and(|moves| moves == 0.0))
}
