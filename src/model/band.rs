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
use super::open::{Band, Open};
use super::ranking::Ranking;
use super::time::whole;
use super::traffic::is_on;
use crate::expr::{Comparison, Expr, FigureId};
use crate::machine::MachineModel;
use crate::machine::parameters::SCENARIOS;

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
        let define = |figures: &mut Figures| Band::define(nest, calls, machine, figures);
        nest.time.band = Some(figures.define_on(nest.nest.runs_on(), define));
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
        let cold = data(nest, None, machine, figures);
        let seconds = Expr::from(time.seconds);
        let is_open = fastest != core || slowest != core;
        let high = match is_open {
            true => Expr::max([seconds.clone(), whole((slowest, text.clone(), cold))]),
            false => seconds.clone(),
        };
        let warm = Warm::of(nest, calls);
        let data = data(nest, Some(&warm), machine, figures);
        let low = Expr::min([seconds, whole((fastest, text, data))]);
        let (low, high) = (
            figures.define(F::LowTime, low),
            figures.define(F::HighTime, high),
        );
        let in_core = time.in_core.and_then(|found| found.open);
        let caches = warm.is_open();
        let open = Open {
            caches: caches.evaluate(figures).is_ok_and(|open| open == 1.0),
            vectors: in_core.is_some_and(|open| open.may_be_vectors),
            sums: in_core.is_some_and(|open| open.may_reorder),
        };
        let left_open = figures.define(F::LeftOpen, left_open(nest, caches, open, figures));
        Band {
            low,
            high,
            open,
            left_open,
        }
    }
}

/// Which of `Open::NAMES` it is, counted from one, whatever sizes and machine become; `caches` is 1 where these are open.
fn left_open(nest: &NestModel, caches: Expr, open: Open, figures: &Figures) -> Expr {
    let of_core = Expr::from(2.0 * f64::from(open.vectors) + 4.0 * f64::from(open.sums));
    let core = nest.time.in_core.and_then(|found| found.open);
    let of_core = match (figures.detail(), core) {
        // A machine that does not say what its core does has no such times.
        (Detail::AnyMachine, Some(core)) => {
            bandwidth::where_positive(Expr::from(core.scalar), of_core, 0.0.into())
        }
        _ => of_core,
    };
    Expr::from(1.0) + caches + of_core
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

/// The times of all levels, and of irregular lines on top of the longest; less what a nest finds again if caches are `warm`.
fn data(
    nest: &NestModel,
    warm: Option<&Warm>,
    machine: &MachineModel,
    figures: &Figures,
) -> Vec<Expr> {
    let moves = |cache: usize| warm.map_or(1.0.into(), |warm| warm.moves(cache));
    let regular = nest.time.levels.iter().map(|level| {
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
    let pages = nest.levels.pages.map(|pages| {
        let missed = Expr::from(pages.missed);
        match warm {
            None => missed,
            Some(warm) => warm.unless_held(pages.touched, Expr::machine("tlb_bytes"), missed),
        }
    });
    let irregular = irregular::seconds(machine, &nest.levels, (&moves, pages), figures);
    vec![Expr::max(regular) + irregular.unwrap_or(0.0.into())]
}

/// What caches have of a nest from its last execution.
struct Warm {
    /// All lines of the nest, once.
    all: Option<FigureId>,
    capacities: Vec<FigureId>,
    /// How often it is executed; `None` where nothing says so.
    calls: Option<FigureId>,
}

impl Warm {
    fn of(nest: &NestModel, calls: Option<FigureId>) -> Warm {
        Warm {
            all: nest.levels.all,
            capacities: nest.levels.caches.iter().map(|c| c.capacity).collect(),
            calls,
        }
    }

    /// 0 of a cache that has all, 1 of others.
    fn moves(&self, cache: usize) -> Expr {
        match (self.all, self.capacities.get(cache)) {
            (Some(all), Some(capacity)) => self.unless_held(all, (*capacity).into(), 1.0.into()),
            _ => 1.0.into(),
        }
    }

    /// Nothing where so many bytes have room and the nest was executed before, else what is `moved`.
    fn unless_held(&self, bytes: FigureId, room: Expr, moved: Expr) -> Expr {
        let (bytes, none) = (Expr::from(bytes), Expr::from(0.0));
        let held = Expr::choose(Comparison::LessOrEqual, bytes, room, none, moved.clone());
        // The rule of scenarios knows no execution before.
        let held = is_on(SCENARIOS, moved.clone(), held);
        match self.calls {
            None => held,
            Some(calls) => {
                let (calls, once) = (Expr::from(calls), 1.0.into());
                Expr::choose(Comparison::Greater, calls, once, held, moved)
            }
        }
    }

    /// 1 where some cache has all.
    fn is_open(&self) -> Expr {
        let moved = (0..self.capacities.len()).map(|at| self.moves(at));
        Expr::from(1.0) - Expr::min(moved.chain([1.0.into()]))
    }
}
