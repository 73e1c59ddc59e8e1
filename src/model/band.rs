//! Between which times does a nest lie, where the source leaves open what decides it?
//!
//! ```text
//!         caches filled by the last execution,       the estimate       caches cold,
//!         vectors, sums in another order,                               one element at a time, sums as written,
//!         branches predicted                                            branches by random data
//!  low ◄──────────────────────────────────────────── likely ──────────────────────────────────────────► high
//! ```
//!
//! The estimate takes what the switches of the machine say (`warm`, `vectorise`, `reorder_sums`, `vector_functions`, `random_branches`). What
//! neither the source nor flags decide may be otherwise, and both ends show how much that is worth. Sizes and figures of
//! the machine are taken to be right: this is no error of measurement.

use super::bandwidth;
use super::calls::Revisits;
use super::catalogue::StaticFigure as F;
use super::data_time::{Moves, data};
use super::figures::{Detail, Figures};
use super::levels::Pages;
use super::nest_model::NestModel;
use super::open::{Band, Open};
use super::ranking::Ranking;
use super::time::whole;
use super::traffic::is_on;
use crate::expr::{Comparison, Expr, FigureId};
use crate::machine::MachineModel;
use crate::machine::parameters::SCENARIOS;

/// A nest that has so small a part of what is open says nothing of what is.
const LITTLE: f64 = 0.001;

/// Shortest and longest times of nests one after the other, and what is open of any of them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TotalBand {
    pub low: f64,
    pub high: f64,
    pub open: Open,
}

impl TotalBand {
    /// Of those of these nests whose time is known: as often as they are called where calls are followed, else each once.
    pub fn of(
        (nests, which): (&[NestModel], &[usize]),
        ranking: &Ranking,
        figures: &Figures,
    ) -> TotalBand {
        let mut total = TotalBand::default();
        let mut opens = Vec::new();
        for (index, nest) in which.iter().map(|index| (*index, &nests[*index])) {
            let (Some(band), Some(ranked)) = (nest.time.band, ranking.of(index)) else {
                continue;
            };
            let calls = ranked.calls.map_or(1.0, |calls| figures.value(calls));
            let [low, high] = [band.low, band.high].map(|id| calls * figures.value(id));
            let (low, high) = match ranking.revisits(index) {
                None => (low, high),
                // What is shown to be found is no question; the rest is as in one call.
                Some(_) => {
                    let likely = figures.value(ranked.seconds);
                    let cold = calls * figures.value(nest.time.seconds);
                    match band.open == Open::default() {
                        true => (likely, likely),
                        false if cold > 0.0 => (likely * (low / cold).min(1.0), high.max(likely)),
                        false => (low, high),
                    }
                }
            };
            if low.is_finite() && high.is_finite() {
                total.low += low;
                total.high += high;
                opens.push((high - low, band.open));
            }
        }
        let least = LITTLE * (total.high - total.low);
        let matter = opens.iter().filter(|(width, _)| *width > least);
        total.open = matter.fold(Open::default(), |all, (_, open)| all.or(*open));
        total
    }

    /// Of the nests of both.
    pub fn with(self, others: TotalBand) -> TotalBand {
        TotalBand {
            low: self.low + others.low,
            high: self.high + others.high,
            open: self.open.or(others.open),
        }
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
        let known = (calls, ranking.revisits(index));
        let define = |figures: &mut Figures| Band::define(nest, known, machine, figures);
        nest.time.band = Some(figures.define_on(nest.nest.runs_on(), define));
    }
}

impl Band {
    fn define(
        nest: &NestModel,
        (calls, revisits): (Option<FigureId>, Option<&Revisits>),
        machine: &MachineModel,
        figures: &mut Figures,
    ) -> Band {
        let time = &nest.time;
        let core = Expr::from(time.core);
        let text = time.text.map(Expr::from);
        let (fastest, slowest) = core_ends(nest, figures);
        let [least_waiting, most_waiting] = waiting_ends(nest);
        let (pages, conflicts) = (nest.levels.pages, nest.time.conflicts());
        let all_move = Moves {
            of_cache: &|_| 1.0.into(),
            pages: pages.map(|pages| pages.missed.into()),
            conflicts: conflicts.map(|found| found.most.into()),
            waiting: most_waiting,
        };
        let cold = data(nest, all_move, machine, figures);
        let seconds = Expr::from(time.seconds);
        let is_open = fastest != core || slowest != core || conflicts.is_some();
        let high = match is_open {
            true => Expr::max([seconds.clone(), whole((slowest, text.clone(), cold))]),
            false => seconds.clone(),
        };
        let warm = Warm::of(nest, calls, revisits);
        let room = Expr::machine("tlb_bytes");
        let held = |pages: Pages<FigureId>| {
            warm.unless_held(pages.touched, room.clone(), pages.missed.into())
        };
        let some_move = Moves {
            of_cache: &|cache| warm.moves(cache),
            pages: pages.map(held),
            conflicts: None,
            waiting: least_waiting,
        };
        let data = data(nest, some_move, machine, figures);
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
            conflicts: conflicts.is_some_and(|found| figures.value(found.most) > 0.0),
            branches: (time.branches()).is_some_and(|found| figures.value(found.most) > 0.0),
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

/// One and what each of `Open::NAMES` that is open counts, whatever sizes and machine become; `caches` is 1 where these are open.
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
    let of_conflicts = nest.time.conflicts().map(|found| {
        let most = Expr::from(found.most);
        bandwidth::where_positive(most, 8.0.into(), 0.0.into())
    });
    let of_branches = nest.time.branches().map(|found| {
        let most = Expr::from(found.most);
        bandwidth::where_positive(most, 16.0.into(), 0.0.into())
    });
    Expr::sum(
        [Expr::from(1.0), caches, of_core]
            .into_iter()
            .chain(of_conflicts)
            .chain(of_branches),
    )
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

/// The least and the most that loads and stores wait for memory: of other code than is assumed, no longer than the core takes.
fn waiting_ends(nest: &NestModel) -> [Option<Expr>; 2] {
    let time = &nest.time;
    let Some(waiting) = time.waiting.map(Expr::from) else {
        return [None, None];
    };
    let open = time.in_core.and_then(|found| found.open);
    let others = (open.iter().flat_map(|open| [open.vectors, open.scalar]))
        .map(|core| super::time::waiting(core, &time.levels));
    let all: Vec<Expr> = others.chain([waiting]).collect();
    [Some(Expr::min(all.clone())), Some(Expr::max(all))]
}

/// What caches have of a nest from its last execution.
struct Warm {
    /// All lines of the nest, once.
    all: Option<FigureId>,
    capacities: Vec<FigureId>,
    /// How often it is executed; `None` where nothing says so.
    calls: Option<FigureId>,
    /// Executions that find nothing, by cache, where some are shown to find all.
    cold: Vec<FigureId>,
}

impl Warm {
    fn of(nest: &NestModel, calls: Option<FigureId>, revisits: Option<&Revisits>) -> Warm {
        Warm {
            all: nest.levels.all,
            capacities: nest.levels.caches.iter().map(|c| c.capacity).collect(),
            calls,
            cold: revisits.map_or_else(Vec::new, |found| found.cold.clone()),
        }
    }

    /// 0 of a cache that has all, 1 of others; also 1 where it is shown which executions find it there, as one call finds
    /// nothing then.
    fn moves(&self, cache: usize) -> Expr {
        let (Some(all), Some(capacity)) = (self.all, self.capacities.get(cache)) else {
            return 1.0.into();
        };
        let moves = self.unless_held(all, (*capacity).into(), 1.0.into());
        match (self.cold.get(cache), self.calls) {
            (Some(cold), Some(calls)) => {
                let (cold, calls) = (Expr::from(*cold), Expr::from(calls));
                Expr::choose(Comparison::Less, cold, calls, 1.0.into(), moves)
            }
            _ => moves,
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

    /// 1 where some cache has all, and it is not shown which executions find it there.
    fn is_open(&self) -> Expr {
        let moved = (0..self.capacities.len()).map(|at| self.moves(at));
        Expr::from(1.0) - Expr::min(moved.chain([1.0.into()]))
    }
}
