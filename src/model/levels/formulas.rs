//! The figures of a nest at every cache level: as numbers, or with the formulas that they follow from.
//!
//! Here the [`Profile`] meets the machine. For a level of n bytes, one core's share,
//!
//! ```text
//! fetched      = cold    + Σ [distance > n]·fetched again   − what earlier nests left
//! written back = flushed + Σ [distance > n]·written again   − what they left dirty
//! bytes        = fetched + written back;   seconds = bytes / bandwidth of what is behind the level
//! ```
//!
//! and of the last level less what is written past the caches (`cost_w` below 2). There are two ways to the
//! same figures, and a test that they agree: `values` evaluates the profile at once and defines numbers, which
//! is all that a table needs; `formulas` defines a cell for every reuse and level, so that the workbook follows
//! when an input changes. For a workbook in which the machine can be chosen ([`Detail::AnyMachine`]), a level
//! that some machine lacks has cells too; it then has the capacity of the one before it, which changes nothing.

use std::sync::Arc;

use super::by_array::{ArrayLines, Known};
use super::cells::profile;
use super::conflicts::{self, ConflictFigures};
use super::geometry::Geometry;
use super::neighbours::Neighbours;
use super::number::Number;
use super::pages::{self, Pages};
use super::part_fetched::{COST_W, PartFetched};
use super::reuse_figures::ReuseFigures;
use super::sequence::REUSE_BETWEEN_NESTS;
use super::warm::define_found_again;
use super::{Between, Counting, Irregular, Profile, Reuse, Wanted, condition, profiled};
use crate::arrays::Arrays;
use crate::bandwidth;
use crate::catalogue::StaticFigure as F;
use crate::expr::{Comparison, Expr, FigureId, Lookup, Symbol};
use crate::figures::{Detail, Figures};
use crate::label::{ReuseSubject, Subject};
use crate::levels_of;
use crate::machine::parameters::WARM;
use crate::machine::{Level, MachineModel};
use crate::nest::Nest;
use crate::parameters::ParameterTable;

/// What a nest moves through one cache.
#[derive(Clone)]
pub struct CacheFigures {
    /// `L1`, `L2` …
    pub name: String,
    /// One core's share, in bytes.
    pub capacity: FigureId,
    /// Bytes that it fetches.
    pub fetched: FigureId,
    /// Bytes that it writes back.
    pub written_back: FigureId,
    /// Bytes that it need not fetch, and bytes that are to be written back anyway, because earlier nests in a loop
    /// around both, or in the function, left them there; `None` if there are no such nests, or only numbers were asked
    /// for without them.
    pub left: Option<(FigureId, FigureId)>,
    /// Bytes of the lines fetched that no prefetcher predicts; `None` if the machine does not say what these take.
    pub irregular: Option<FigureId>,
    /// Fetched and written back together.
    pub bytes: FigureId,
    /// At the bandwidth of what is behind it; `None` if that is not known.
    pub seconds: Option<FigureId>,
    /// What stays in it: a position in the names of [`NestLevels::conditions`].
    pub condition: Option<FigureId>,
    /// The same in words, for the values that the parameters have.
    pub condition_text: String,
}

/// All of a nest.
#[derive(Clone, Default)]
pub struct NestLevels {
    /// Nearest cache first.
    pub caches: Vec<CacheFigures>,
    /// Where only numbers were asked for, those of loops with constant ranges.
    pub reuses: Vec<ReuseFigures>,
    /// Bytes of all lines of the nest once; `None` where caches were not asked for.
    pub all: Option<FigureId>,
    /// Bytes that any cache fetches, and that any cache writes back; `None` where only numbers were asked for.
    pub least: Option<(FigureId, FigureId)>,
    /// What a cache may hold, in words.
    pub conditions: Vec<String>,
    /// What earlier nests of the function leave, as numbers; `None` if the switch is off, so that the nest is looked at
    /// alone.
    pub neighbours: Option<Neighbours<f64>>,
    /// Pages of irregular accesses that the TLB does not hold; `None` if there are no such accesses, or
    /// the machine does not say what it holds.
    pub pages: Option<Pages<FigureId>>,
    /// Time of lines that others of their sets evict; `None` if there are none, or the machine does not say what these
    /// take.
    pub conflicts: Option<ConflictFigures>,
    /// Lines of single arrays, where they are told apart.
    pub(super) arrays: Vec<ArrayLines>,
    /// Whether lines that no prefetcher predicts are taken to arrive at the bandwidth, as the machine does not say what
    /// they take, and are more than a few.
    pub has_unrated_lines: bool,
}

impl NestLevels {
    pub(crate) fn define(
        nest: &Nest,
        machine: &MachineModel,
        parameters: &ParameterTable,
        neighbours: Option<&Neighbours<Expr>>,
        figures: &mut Figures,
    ) -> NestLevels {
        let has_times = machine
            .levels()
            .iter()
            .skip(1)
            .any(|cache| cache.gbs.is_some());
        match figures.detail() {
            Detail::Least if !has_times && machine.has_scenarios() => NestLevels {
                has_unrated_lines: unrated(nest, machine, (parameters, figures)),
                ..NestLevels::default()
            },
            Detail::Least | Detail::Values => {
                values(nest, machine, parameters, neighbours, figures)
            }
            Detail::Formulas | Detail::AnyMachine => {
                formulas(nest, machine, parameters, neighbours, figures)
            }
        }
    }
}

fn values(
    nest: &Nest,
    machine: &MachineModel,
    parameters: &ParameterTable,
    neighbours: Option<&Neighbours<Expr>>,
    figures: &mut Figures,
) -> NestLevels {
    let neighbours =
        neighbours.map(|all| all.map(&|number| number.as_number().unwrap_or(f64::NAN)));
    let wanted = Wanted {
        counting: Counting::All,
        irregular: Irregular::Counted,
        arrays: figures.arrays(),
        between: Between::All,
    };
    let numbers = with_values(nest, (parameters, figures), |value| {
        let unit = ("line_bytes", wanted);
        let (mut profile, geometry) = profiled(nest, value, neighbours.as_ref(), unit);
        profile.count_few(nest, value);
        let has_pages = machine.has_translation() && !profile.is_foreseen();
        let pages = has_pages.then(|| pages::count(nest, value));
        (profile, geometry, pages)
    });
    let (profile, geometry, pages) = numbers;
    let has_rates = machine.has_irregular_rates();
    let has_unrated_lines = !has_rates && profile.has_unforeseen(machine, figures);
    let line = figures.input("line_bytes").unwrap_or(f64::NAN);
    let cost_w = figures.input(COST_W).unwrap_or(f64::NAN);
    let is_warm = figures.input(WARM).is_some_and(|switch| switch > 0.0);
    let names = geometry.names(nest);
    let caches = machine.levels();
    let runs_on = figures.runs_on();
    let share = |cache: &Level| runs_on.share_value(cache);
    let mut capacities = Vec::new();
    let of = |(position, cache): (usize, &Level)| {
        let ((fetched, written), left) = profile.through_with(share(cache), neighbours.as_ref());
        let level = Subject::Level(cache.name.as_str().into());
        let mut number =
            |kind: F, value: f64| figures.define(kind.about(level.clone()), Expr::from(value));
        let capacity = number(F::Capacity, share(cache));
        capacities.push((Arc::from(cache.name.as_str()), capacity));
        // What is not allocated is written to memory past all caches; only what memory sees of that is modelled.
        let spared = (2.0 - cost_w)
            * profile
                .written_first_through(share(cache))
                .min(fetched - left.0);
        let spared = if position + 1 == caches.len() {
            spared
        } else {
            0.0
        };
        let moves = match is_warm && profile.cold * line <= share(cache) {
            true => 0.0,
            false => 1.0,
        };
        let numbers = [
            (F::Fetched, (fetched - left.0 - spared) * moves),
            (F::WrittenBack, (written - left.1) * moves),
        ];
        let [fetched, written_back] = numbers.map(|(kind, lines)| number(kind, lines * line));
        let irregular = (has_rates && !profile.is_foreseen()).then(|| {
            let lines = profile.unforeseen_through(share(cache)) * moves;
            number(F::Irregular, Number::smaller(&lines, &numbers[0].1) * line)
        });
        let mut left_there = || {
            (
                number(F::LeftByNests, left.0 * line),
                number(F::LeftDirtyByNests, left.1 * line),
            )
        };
        let left = neighbours.is_some().then(&mut left_there);
        finish(
            &caches,
            position,
            (capacity, fetched, written_back, left, irregular),
            figures,
            |capacity| (None, condition(&names, &profile, capacity)),
        )
    };
    let caches: Vec<CacheFigures> = caches.iter().enumerate().map(of).collect();
    let conflicts = conflicts::of_numbers(&profile.reuses, machine, figures);
    let known = (nest, &profile, neighbours.as_ref());
    let arrays = arrays_of_numbers(known, caches.last(), figures);
    let pages = pages.map(|Pages { missed, touched }| Pages {
        missed: figures.define(F::PagesMissed, Expr::from(missed)),
        touched: figures.define(F::PagesTouched, Expr::from(touched)),
    });
    let all = figures.define(F::LeastFetched, Expr::from(profile.cold * line));
    let of_loops = (&geometry, names.as_slice());
    let reuses = shown_reuses(nest, of_loops, &capacities, &profile, parameters, figures);
    NestLevels {
        caches,
        reuses,
        neighbours: neighbours.filter(|_| is_between_nests(figures)),
        pages,
        conflicts,
        all: Some(all),
        has_unrated_lines,
        arrays,
        ..NestLevels::default()
    }
}

/// Lines of single arrays, where they are told apart.
fn arrays_of_numbers(
    (nest, profile, neighbours): (&Nest, &Profile<f64>, Option<&Neighbours<f64>>),
    last: Option<&CacheFigures>,
    figures: &mut Figures,
) -> Vec<ArrayLines> {
    let Some(last) = last.filter(|_| !profile.arrays.is_empty()) else {
        return Vec::new();
    };
    let known = |number: &f64| Expr::from(*number);
    let all: Vec<Reuse<Expr>> = profile.reuses.iter().map(|own| own.map(&known)).collect();
    let neighbours = neighbours.map(|all| all.map(&known));
    Known {
        nest,
        arrays: profile.arrays.iter().map(|own| own.map(&known)).collect(),
        reuses: (all.iter().map(|reuse| (reuse, reuse.distance.clone()))).collect(),
        neighbours: neighbours.as_ref(),
        capacity: last.capacity.into(),
    }
    .define(figures)
}

/// Calls with what evaluates expressions of the nest.
fn with_values<T>(
    nest: &Nest,
    (parameters, figures): (&ParameterTable, &Figures),
    then: impl FnOnce(&dyn Fn(&Expr) -> f64) -> T,
) -> T {
    let symbol = |symbol: &Symbol| match parameters.row(nest.function, symbol) {
        Some(row) => Some(row.value),
        None => figures.input(symbol.name()),
    };
    then(&|expr: &Expr| match expr.as_number() {
        Some(number) => number,
        None => expr.evaluate(&symbol as &dyn Lookup).unwrap_or(f64::NAN),
    })
}

/// Whether a nest has lines that no prefetcher predicts, of which the machine does not say what they take.
fn unrated(
    nest: &Nest,
    machine: &MachineModel,
    (parameters, figures): (&ParameterTable, &Figures),
) -> bool {
    let unit = ("line_bytes", Irregular::Counted.into());
    !machine.has_irregular_rates()
        && with_values(nest, (parameters, figures), |value| {
            let (profile, _) = profiled(nest, value, None, unit);
            profile.has_unforeseen(machine, figures)
        })
}

/// Reuses of loops with constant ranges, where numbers are shown.
fn shown_reuses(
    nest: &Nest,
    (geometry, names): (&Geometry, &[String]),
    capacities: &[(Arc<str>, FigureId)],
    profile: &Profile<f64>,
    parameters: &ParameterTable,
    figures: &mut Figures,
) -> Vec<ReuseFigures> {
    let is_shown = |reuse: &&Reuse<f64>| {
        reuse.parts.is_empty() && reuse.fetched + reuse.written >= super::HALF_A_LINE
    };
    let shown = profile
        .reuses
        .iter()
        .filter(is_shown)
        .filter(|_| figures.detail() == Detail::Values);
    let shown: Vec<Reuse<Expr>> = shown
        .map(|reuse| reuse.map(&|number| Expr::from(*number)))
        .collect();
    let define = |reuse: &Reuse<Expr>| {
        ReuseFigures::define(
            (nest, geometry, names),
            reuse,
            capacities,
            parameters,
            figures,
        )
    };
    shown.iter().map(define).collect()
}

/// Lines of arrays that are written first, and irregular ones where these have figures.
fn parts_fetched(
    profile: &Profile<Expr>,
    defined: &[(usize, ReuseFigures)],
    irregular: Irregular,
    figures: &mut Figures,
) -> (Option<PartFetched>, Option<PartFetched>) {
    let mut part = |kind: F, least: &Expr, of: fn(&Reuse<Expr>) -> &Expr| {
        PartFetched::define(kind, least, (profile, of), defined, figures)
    };
    let written_first = part(F::WrittenFirst, &profile.written_first, |reuse| {
        &reuse.written_first
    });
    let unforeseen = match irregular {
        Irregular::Ignored => None,
        Irregular::Counted => part(F::IrregularPart, &profile.unforeseen, |reuse| {
            &reuse.unforeseen
        }),
    };
    (written_first, unforeseen)
}

/// Time of lines that others of their sets evict.
fn define_conflicts(
    (profile, defined): (&Profile<Expr>, &[(usize, ReuseFigures)]),
    machine: (&MachineModel, &[Level]),
    capacities: &[(Arc<str>, FigureId)],
    figures: &mut Figures,
) -> Option<ConflictFigures> {
    let some = profile.reuses.iter().filter(|reuse| reuse.is_some());
    let known = some.zip(defined).map(|(reuse, (_, own))| {
        let subject = ReuseSubject {
            carrier: Some(own.carrier.clone()),
            between: Some(own.between.clone()),
            ..ReuseSubject::default()
        };
        (reuse, Expr::from(own.distance), subject)
    });
    let known: Vec<_> = known.collect();
    conflicts::define(&known, machine, capacities, figures)
}

/// Lines of single arrays, where they are told apart.
fn arrays_of_formulas(
    (nest, profile, neighbours): (&Nest, &Profile<Expr>, Option<&Neighbours<Expr>>),
    defined: &[(usize, ReuseFigures)],
    capacities: &[(Arc<str>, FigureId)],
    figures: &mut Figures,
) -> Vec<ArrayLines> {
    let Some((_, capacity)) = capacities.last().filter(|_| !profile.arrays.is_empty()) else {
        return Vec::new();
    };
    let some = profile.reuses.iter().filter(|reuse| reuse.is_some());
    let distances = defined.iter().map(|(_, reuse)| Expr::from(reuse.distance));
    Known {
        nest,
        arrays: profile.arrays.clone(),
        reuses: some.zip(distances).collect(),
        neighbours,
        capacity: (*capacity).into(),
    }
    .define(figures)
}

/// Whether irregular lines have figures, and what a profile tells apart.
fn wanted(machine: &MachineModel, figures: &Figures) -> (Irregular, Wanted) {
    let irregular = counted(machine, figures.detail());
    let arrays = figures.arrays();
    let wanted = Wanted {
        counting: Counting::All,
        // Of single arrays it is said whether they have such lines.
        irregular: match arrays {
            Arrays::Apart => Irregular::Counted,
            Arrays::Together => irregular,
        },
        arrays,
        between: Between::All,
    };
    (irregular, wanted)
}

/// Whether irregular lines are told apart: where the machine says what they take, or any machine may.
fn counted(machine: &MachineModel, detail: Detail) -> Irregular {
    match detail == Detail::AnyMachine || machine.has_irregular_rates() {
        true => Irregular::Counted,
        false => Irregular::Ignored,
    }
}

/// Bytes and seconds of one cache.
fn finish(
    caches: &[Level],
    position: usize,
    (capacity, fetched, written_back, left, irregular): (
        FigureId,
        FigureId,
        FigureId,
        Option<(FigureId, FigureId)>,
        Option<FigureId>,
    ),
    figures: &mut Figures,
    condition: impl FnOnce(f64) -> (Option<FigureId>, String),
) -> CacheFigures {
    let name = caches[position].name.clone();
    let sum = Expr::from(fetched) + Expr::from(written_back);
    let level = Subject::Level(name.as_str().into());
    let bytes = figures.define(F::CacheTraffic.about(level.clone()), sum);
    let rate = rate_behind(caches, position, figures);
    let seconds = rate.map(|rate| {
        figures.define(
            F::TimeBehindCache.about(level),
            Expr::from(bytes).quotient(rate),
        )
    });
    let (condition, condition_text) = condition(figures.value(capacity));
    CacheFigures {
        name,
        capacity,
        fetched,
        written_back,
        left,
        irregular,
        bytes,
        seconds,
        condition,
        condition_text,
    }
}

fn formulas(
    nest: &Nest,
    machine: &MachineModel,
    parameters: &ParameterTable,
    neighbours: Option<&Neighbours<Expr>>,
    figures: &mut Figures,
) -> NestLevels {
    // Which loops are blocked is for the workbook's reader to choose.
    let geometry = Geometry::of(nest).blocked(nest, &|_| true);
    let names = geometry.names(nest);
    let line = Expr::machine("line_bytes");
    let (irregular, wanted) = wanted(machine, figures);
    let line_unit = (&line, wanted);
    let mut profile = profile(nest, &geometry, line_unit, parameters, figures);
    with_values(nest, (parameters, figures), |value| {
        profile.count_few(nest, value)
    });
    if let Some(neighbours) = neighbours {
        neighbours.mark(&mut profile, &|v| geometry.original(nest, v));
    }
    let caches = levels_of(machine, figures.detail());
    let capacities = define_capacities(&caches, figures);
    let mut bytes = |kind: F, lines: &Expr| figures.define(kind, lines * &line);
    let cold = bytes(F::LeastFetched, &profile.cold);
    let flushed = bytes(F::LeastWrittenBack, &profile.flushed);
    let found_again = define_found_again(cold, figures);
    let of_nest = (nest, &geometry, names.as_slice());
    let defined = define_reuses(of_nest, &profile, &capacities, parameters, figures);
    let of_machine = (machine, caches.as_slice());
    let conflicts = define_conflicts((&profile, &defined), of_machine, &capacities, figures);
    let conditions = conditions(&names);
    let (written_first, unforeseen) = parts_fetched(&profile, &defined, irregular, figures);
    let of = |(position, (name, capacity)): (usize, &(Arc<str>, FigureId))| {
        let switch = Expr::machine(REUSE_BETWEEN_NESTS);
        let held = neighbours.map(|neighbours| neighbours.held(&Expr::from(*capacity), &switch));
        let level = Subject::Level(name.clone());
        let mut total = |[again, left, all_of_it]: [F; 3],
                         least: FigureId,
                         held: Option<Expr>,
                         each: &dyn Fn(&ReuseFigures) -> FigureId| {
            let again = figures.define_total(
                again.about(level.clone()),
                defined.iter().map(|(_, reuse)| each(reuse)),
            );
            let all = Expr::from(least) + Expr::from(again);
            let left = held.map(|held| {
                let bytes = Expr::min([held * line.clone(), all.clone()]);
                figures.define(left.about(level.clone()), bytes)
            });
            let all = left.map_or(all.clone(), |left| all - Expr::from(left));
            let (found, capacity) = (Expr::from(found_again), Expr::from(*capacity));
            let all = Expr::choose(Comparison::LessOrEqual, found, capacity, 0.0.into(), all);
            (figures.define(all_of_it.about(level.clone()), all), left)
        };
        let (held, dirty) = held.unzip();
        let (fetched, left) = total(
            [F::AllFetchedAgain, F::LeftByNests, F::Fetched],
            cold,
            held,
            &|reuse| reuse.caches[position].0,
        );
        let (written_back, left_dirty) = total(
            [F::AllWrittenBackAgain, F::LeftDirtyByNests, F::WrittenBack],
            flushed,
            dirty,
            &|reuse| reuse.caches[position].1,
        );
        let left = left.zip(left_dirty);
        let fetched = written_first.as_ref().map_or(fetched, |found| {
            found.spared(&caches, position, (*capacity, fetched), figures)
        });
        let irregular = unforeseen.as_ref().map(|part| {
            part.irregular((&caches, found_again), (name, *capacity), fetched, figures)
        });
        let held = define_condition(&names, (position, name), &defined, figures);
        // What is not known is not a position.
        let text = (figures.value(held) as usize)
            .checked_sub(1)
            .and_then(|at| conditions.get(at));
        let text = text.cloned().unwrap_or_default();
        finish(
            &caches,
            position,
            (*capacity, fetched, written_back, left, irregular),
            figures,
            |_| (Some(held), text),
        )
    };
    let caches: Vec<CacheFigures> = capacities.iter().enumerate().map(of).collect();
    let of_nest = (nest, &profile, neighbours);
    let arrays = arrays_of_formulas(of_nest, &defined, &capacities, figures);
    let pages = unforeseen
        .as_ref()
        .and_then(|_| pages::define(nest, (&geometry, machine), parameters, figures));
    let neighbours =
        neighbours.map(|all| all.map(&|expr| expr.evaluate(&*figures).unwrap_or(f64::NAN)));
    NestLevels {
        caches,
        reuses: defined.into_iter().map(|(_, reuse)| reuse).collect(),
        all: Some(cold),
        least: Some((cold, flushed)),
        conditions,
        neighbours: neighbours.filter(|_| is_between_nests(figures)),
        pages,
        conflicts,
        has_unrated_lines: unrated(nest, machine, (parameters, figures)),
        arrays,
    }
}

/// Reuses of something, with the loops that carry them.
fn define_reuses(
    of_nest: (&Nest, &Geometry, &[String]),
    profile: &Profile<Expr>,
    capacities: &[(Arc<str>, FigureId)],
    parameters: &ParameterTable,
    figures: &mut Figures,
) -> Vec<(usize, ReuseFigures)> {
    let some = profile.reuses.iter().filter(|reuse| reuse.is_some());
    some.map(|reuse| {
        let defined = ReuseFigures::define(of_nest, reuse, capacities, parameters, figures);
        (reuse.carrier, defined)
    })
    .collect()
}

/// Whether nests find what others left that have only the function in common.
fn is_between_nests(figures: &Figures) -> bool {
    let switch = figures.input(REUSE_BETWEEN_NESTS);
    switch.is_some_and(|switch| switch > 0.0)
}

/// Of all levels; one that a machine may lack has what the one before it has, so that it changes nothing.
fn define_capacities(caches: &[Level], figures: &mut Figures) -> Vec<(Arc<str>, FigureId)> {
    let mut capacities: Vec<(Arc<str>, FigureId)> = Vec::new();
    for cache in caches {
        let before = capacities.last().map(|(_, before)| Expr::from(*before));
        let capacity = (figures.runs_on()).capacity(cache, before, figures.detail());
        let name: Arc<str> = cache.name.as_str().into();
        let label = F::Capacity.about(Subject::Level(name.clone()));
        capacities.push((name, figures.define(label, capacity)));
    }
    capacities
}

/// Bytes per second of what is behind a cache; `None` if it is not known.
fn rate_behind(caches: &[Level], position: usize, figures: &Figures) -> Option<Expr> {
    let memory = bandwidth::memory(figures);
    let cache = |cache: &Level| bandwidth::cache(cache, figures.runs_on());
    let behind = &caches[position + 1..];
    match behind.first() {
        _ if figures.detail() == Detail::AnyMachine => {
            Some(behind.iter().rev().fold(memory, |rate, next| {
                bandwidth::where_present(next, cache(next), rate)
            }))
        }
        Some(Level { gbs: None, .. }) => None,
        Some(next) => Some(cache(next)),
        None => Some(memory),
    }
}

/// What [`define_condition`] counts.
fn conditions(names: &[String]) -> Vec<String> {
    let carried = names
        .iter()
        .map(|name| format!("loop {name} carries reuse"));
    ["all reuse stays".to_string()]
        .into_iter()
        .chain(carried)
        .chain(["nothing stays".to_string()])
        .collect()
}

/// The outermost loop whose reuse fits as good as completely.
fn define_condition(
    loops: &[String],
    (cache, level): (usize, &Arc<str>),
    reuses: &[(usize, ReuseFigures)],
    figures: &mut Figures,
) -> FigureId {
    let mut sums = |carrier: Option<usize>| {
        let of = || {
            reuses
                .iter()
                .filter(|(own, _)| carrier.is_none_or(|carrier| carrier == *own))
                .map(|(_, r)| r)
        };
        let all = Expr::sum(of().flat_map(|r| [Expr::from(r.fetched), Expr::from(r.written_back)]));
        let again = Expr::sum(
            of().flat_map(|r| [Expr::from(r.caches[cache].0), Expr::from(r.caches[cache].1)]),
        );
        let subject = Subject::Reuse(Arc::new(ReuseSubject {
            carrier: carrier.map(|carrier| loops[carrier].clone()),
            level: Some(level.clone()),
            ..ReuseSubject::default()
        }));
        let all = Expr::from(figures.define(F::CarriedReuse.about(subject.clone()), all));
        (
            all,
            Expr::from(figures.define(F::ReuseNotHeld.about(subject), again)),
        )
    };
    let holds = |(all, again): (Expr, Expr), then: f64, otherwise: Expr| {
        let limit = all * (1.0 - super::ALL);
        Expr::choose(
            Comparison::LessOrEqual,
            again,
            limit,
            Expr::from(then),
            otherwise,
        )
    };
    let nothing = Expr::from(loops.len() as f64 + 2.0);
    let carried = (0..loops.len()).rev().fold(nothing, |otherwise, carrier| {
        if reuses.iter().all(|(own, _)| *own != carrier) {
            return otherwise;
        }
        let (all, again) = sums(Some(carrier));
        let held = holds(
            (all.clone(), again),
            carrier as f64 + 2.0,
            otherwise.clone(),
        );
        let least = Expr::machine("line_bytes") * super::HALF_A_LINE;
        Expr::choose(Comparison::Less, all, least, otherwise, held)
    });
    let all = holds(sums(None), 1.0, carried);
    figures.define(F::WhatStays.about(Subject::Level(level.clone())), all)
}
