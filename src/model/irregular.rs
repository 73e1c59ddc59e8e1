//! Time of lines that no prefetcher predicts: each takes the latency of the level that has it, over the lines that a core
//! waits for at once (guide: static-model, "Irregular lines").

use super::bandwidth;
use super::catalogue::StaticFigure as F;
use super::figures::{Detail, Figures};
use super::in_core::{Across, InCoreFigures, load_latency};
use super::levels::{ConflictFigures, NestLevels};
use super::runs_on::RunsOn;
use crate::expr::{Expr, FigureId};
use crate::machine::parameters::{IRREGULAR, LEVEL_LATENCY, level_name};
use crate::machine::{Level, MachineModel};

/// Irregular lines of a nest; none where it has none, or the machine does not say what they take.
#[derive(Clone, Copy)]
pub struct IrregularFigures {
    /// Seconds of all of them, and of lines that others of their sets evict.
    pub seconds: FigureId,
    /// Those of the latter; `None` if there are none, or the machine does not say what these take.
    pub conflicts: Option<ConflictFigures>,
    /// Loads that wait for each other; `None` where there are none.
    pub in_turn: Option<InTurn>,
}

/// Loads of which each says where the next one goes.
#[derive(Clone, Copy)]
pub struct InTurn {
    /// Bytes of their lines, at most.
    pub lines: FigureId,
    /// Seconds in which iterations wait for each other with all lines in the first cache: what others take longer is
    /// added.
    pub chains: FigureId,
}

impl IrregularFigures {
    pub(super) fn define(
        machine: &MachineModel,
        nest: &NestLevels,
        in_core: Option<InCoreFigures>,
        figures: &mut Figures,
    ) -> Option<IrregularFigures> {
        let always = |_: usize| Expr::from(1.0);
        let pages = nest.pages.map(|pages| Expr::from(pages.missed));
        // What vectors hold of a line is touched once.
        let of_vectors = |seconds: FigureId| match in_core.map(|found| (found.across, found.lanes))
        {
            None | Some((Across::No, _)) => None,
            Some((Across::InItsPlace, _)) => {
                let switch = Expr::machine("vectorise");
                Some(bandwidth::where_positive(
                    switch,
                    0.0.into(),
                    seconds.into(),
                ))
            }
            Some((Across::AroundIt, lanes)) => {
                let lanes = Expr::max([Expr::from(lanes), 1.0.into()]);
                Some(Expr::from(seconds).quotient(lanes))
            }
        };
        let unless_across = |kind: F, seconds: FigureId, figures: &mut Figures| {
            of_vectors(seconds).map_or(seconds, |seconds| figures.define(kind, seconds))
        };
        let conflicts = nest.conflicts.map(|found| ConflictFigures {
            seconds: unless_across(F::ConflictTime, found.seconds, figures),
            most: unless_across(F::LongestConflictTime, found.most, figures),
        });
        let waiting = conflicts.map(|found| found.seconds.into());
        let in_turn = in_core.and_then(|found| {
            Some(InTurn {
                lines: found.in_turn?,
                chains: found.chains,
            })
        });
        let parts = Parts {
            moves: &always,
            pages,
            conflicts: waiting,
            in_turn,
        };
        let seconds = seconds(machine, nest, parts, figures)?;
        let seconds = figures.define(F::IrregularTime, seconds);
        Some(IrregularFigures {
            seconds,
            conflicts,
            in_turn,
        })
    }
}

/// What takes the time of irregular lines.
pub(super) struct Parts<'m> {
    /// The part of each cache's lines that moves.
    pub moves: &'m dyn Fn(usize) -> Expr,
    /// Pages that the TLB does not hold.
    pub pages: Option<Expr>,
    /// Seconds of lines that others of their sets evict.
    pub conflicts: Option<Expr>,
    /// As in [`IrregularFigures`].
    pub in_turn: Option<InTurn>,
}

/// Seconds of all irregular lines, with those of lines that others of their sets evict.
pub(super) fn seconds(
    machine: &MachineModel,
    nest: &NestLevels,
    mut parts: Parts,
    figures: &Figures,
) -> Option<Expr> {
    let conflicts = parts.conflicts.take();
    match (lines(machine, nest, parts, figures), conflicts) {
        (Some(lines), Some(conflicts)) => Some(lines + conflicts),
        (lines, conflicts) => lines.or(conflicts),
    }
}

/// Those of lines that no prefetcher predicts.
fn lines(
    machine: &MachineModel,
    nest: &NestLevels,
    parts: Parts,
    figures: &Figures,
) -> Option<Expr> {
    let fetched: Vec<Expr> = (nest.caches.iter().enumerate())
        .filter_map(|(at, cache)| Some(Expr::from(cache.irregular?) * (parts.moves)(at)))
        .collect();
    if fetched.is_empty() {
        return None;
    }
    let levels = super::levels_of(machine, figures.detail());
    let any_machine = figures.detail() == Detail::AnyMachine;
    let memory = bandwidth::memory(figures);
    let on = figures.runs_on();
    // What the next cache does not have, comes from behind it.
    let behind = |bytes: &dyn Fn(&Expr) -> Expr, at: usize| match fetched.get(at + 1) {
        Some(next) => bytes(&fetched[at]) - bytes(next),
        None => bytes(&fetched[at]),
    };
    let time = |at: usize| {
        let bytes = behind(&Expr::clone, at);
        let (waiting, rate) = match levels.get(at + 1) {
            Some(level) => (of_level(level), rate(level, any_machine, on)),
            None => (of_memory(), Some(memory.clone())),
        };
        let [waiting, in_turn] = match any_machine {
            true => [waiting.each(on), waiting.alone(on)].map(|time| waiting.where_known(time)),
            false => [waiting.each(on), waiting.alone(on)],
        };
        let waiting = match parts.in_turn {
            None => bytes.clone() * waiting,
            Some(found) => {
                let most = Expr::from(found.lines);
                let of_chain = |bytes: &Expr| Expr::min([bytes.clone(), most.clone()]);
                let of_chain = behind(&of_chain, at);
                (bytes.clone() - of_chain.clone()) * waiting + of_chain * in_turn
            }
        };
        match rate {
            Some(rate) => Expr::max([waiting, bytes * Expr::from(1.0).quotient(rate)]),
            None => waiting,
        }
    };
    let beside = (parts.in_turn).map(|found| {
        // A line that comes from elsewhere does not take what one in the first cache would.
        let missed = Expr::min([fetched[0].clone(), found.lines.into()]);
        let held = missed * of_first_cache(machine, any_machine).alone(on);
        let beside = Expr::max([Expr::from(found.chains) - held, 0.0.into()]);
        match any_machine {
            true => bandwidth::where_irregular_known(&levels, beside),
            false => beside,
        }
    });
    let lines = Expr::sum((0..fetched.len()).map(time).chain(beside));
    let pages =
        (parts.pages).map(|pages| pages * Expr::machine("tlb_miss_ns").quotient(on.cores() * 1e9));
    // Pages are looked up while other lines arrive.
    Some(Expr::max([lines].into_iter().chain(pages)))
}

/// Seconds that a core waits for a line, and the lines that it waits for at once.
struct Waiting {
    latency: Expr,
    lines: Expr,
}

impl Waiting {
    /// Seconds of a byte of these cores together.
    fn each(&self, on: RunsOn) -> Expr {
        let lines = self.lines.clone();
        let at_once = Expr::product([lines, on.cores(), Expr::machine("line_bytes")]);
        self.latency.clone().quotient(at_once)
    }

    /// Seconds of a byte where each core has only one line outstanding.
    fn alone(&self, on: RunsOn) -> Expr {
        let at_once = on.cores() * Expr::machine("line_bytes");
        self.latency.clone().quotient(at_once)
    }

    /// Nothing of a level that a machine may lack.
    fn where_known(&self, seconds: Expr) -> Expr {
        bandwidth::where_positive(self.lines.clone(), seconds, 0.0.into())
    }
}

/// Of the first cache, one line after the other.
fn of_first_cache(machine: &MachineModel, any_machine: bool) -> Waiting {
    let cycles = load_latency(machine, any_machine);
    Waiting {
        latency: cycles.quotient(Expr::machine("ghz") * 1e9),
        lines: 1.0.into(),
    }
}

fn of_level(level: &Level) -> Waiting {
    let [cycles, lines] = LEVEL_LATENCY.map(|what| Expr::machine(&level_name(level.index, what)));
    let latency = cycles.quotient(Expr::machine("ghz") * 1e9);
    Waiting { latency, lines }
}

fn of_memory() -> Waiting {
    let [latency, _] = IRREGULAR.map(Expr::machine);
    of_memory_at(latency)
}

/// Of memory so many ns away.
fn of_memory_at(latency: Expr) -> Waiting {
    let [_, lines] = IRREGULAR.map(Expr::machine);
    let latency = latency * 1e-9;
    Waiting { latency, lines }
}

/// Seconds of a byte of irregular lines from memory so many ns away that delivers so many bytes per second; no waiting on
/// machines that do not say how many lines a core waits for.
pub(super) fn seconds_of_byte(on: RunsOn, (latency, bandwidth): (Expr, Expr)) -> Expr {
    let waiting = of_memory_at(latency);
    let waiting = waiting.where_known(waiting.each(on));
    Expr::max([waiting, Expr::from(1.0).quotient(bandwidth)])
}

/// Bytes per second of a cache, if they are known.
fn rate(level: &Level, any_machine: bool, on: RunsOn) -> Option<Expr> {
    const MORE_THAN_ANY: f64 = 1e99;
    let rate = bandwidth::cache(level, on);
    match (any_machine, level.gbs) {
        (true, _) => Some(bandwidth::where_known(level, rate, MORE_THAN_ANY.into())),
        (false, Some(_)) => Some(rate),
        (false, None) => None,
    }
}
