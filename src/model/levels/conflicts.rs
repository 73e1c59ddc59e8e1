//! Time of lines that others of their sets evict (`sets`), as numbers or as formulas.

use std::sync::Arc;

use super::number::Number;
use super::reuse::Reuse;
use super::sets::Sets;
use crate::bandwidth;
use crate::catalogue::StaticFigure as F;
use crate::expr::{Expr, FigureId};
use crate::figures::{Detail, Figures};
use crate::label::{ReuseSubject, Subject};
use crate::machine::{Level, MachineModel};

/// Seconds in which evicted lines are waited for.
#[derive(Clone, Copy)]
pub struct ConflictFigures {
    /// Of those that the best replacement evicts.
    pub seconds: FigureId,
    /// Of those that LRU evicts.
    pub most: FigureId,
}

/// A cache of which it is known what its evicted lines take: its position, its sets and its bytes.
struct Cache<N> {
    at: usize,
    sets: Sets<N>,
    capacity: N,
}

/// All caches but the last one, of which other cores and its own hash of addresses decide where lines lie.
fn caches<N: Number>(
    levels: &[Level],
    capacities: &[N],
    any_machine: bool,
    value: &dyn Fn(&str) -> N,
) -> Vec<Cache<N>> {
    let pairs = levels.windows(2).zip(capacities).enumerate();
    let known = pairs.filter(|(_, (pair, _))| any_machine || pair[0].ways.is_some());
    known
        .map(|(at, (pair, capacity))| Cache {
            at,
            sets: Sets::of(&pair[0], &pair[1], value),
            capacity: capacity.clone(),
        })
        .collect()
}

/// Seconds of one cache for one core, with the best replacement and with LRU; `reuses` come with the bytes in between.
fn seconds<N: Number>(
    cache: &Cache<N>,
    reuses: &[(&Reuse<N>, N)],
    name: &mut dyn FnMut(usize, N) -> N,
) -> [N; 2] {
    let mut found = [Vec::new(), Vec::new()];
    for (at, (reuse, distance)) in reuses.iter().enumerate() {
        for crowd in &reuse.crowds {
            let reached = name(at, cache.sets.reached(crowd));
            let [held, beyond] = cache.sets.seconds(crowd);
            let each = distance.if_at_most(&cache.capacity, &held, &beyond);
            let shares = cache.sets.evicted(crowd, &reached);
            for (share, found) in shares.into_iter().zip(&mut found) {
                found.push(share.times(&each));
            }
        }
    }
    found.map(N::sum)
}

/// As numbers; `None` where no line is evicted.
pub(super) fn of_numbers(
    reuses: &[Reuse<f64>],
    machine: &MachineModel,
    figures: &mut Figures,
) -> Option<ConflictFigures> {
    let levels = machine.levels();
    let runs_on = figures.runs_on();
    let capacities: Vec<f64> = levels.iter().map(|one| runs_on.share_value(one)).collect();
    let reuses: Vec<(&Reuse<f64>, f64)> = reuses.iter().map(|one| (one, one.distance)).collect();
    let is_some = |(reuse, _): &(&Reuse<f64>, f64)| !reuse.crowds.is_empty();
    if !machine.has_conflict_rates() || !reuses.iter().any(is_some) {
        return None;
    }
    let value = |name: &str| figures.input(name).unwrap_or(0.0);
    let cores = Expr::from(1.0).quotient(runs_on.cores());
    let cores = cores.evaluate(&*figures).unwrap_or(f64::NAN);
    let mut all = [0.0; 2];
    for cache in caches(&levels, &capacities, false, &value) {
        let found = seconds(&cache, &reuses, &mut |_, number| number);
        all = [all[0] + found[0], all[1] + found[1]];
    }
    let [seconds, most] = all.map(|one| one * cores);
    (most > 0.0).then(|| ConflictFigures {
        seconds: figures.define(F::ConflictTime, Expr::from(seconds)),
        most: figures.define(F::LongestConflictTime, Expr::from(most)),
    })
}

/// As formulas; `None` where no reference is moved far. Each reuse comes with what it is called and the bytes in between.
pub(super) fn define(
    reuses: &[(&Reuse<Expr>, Expr, ReuseSubject)],
    (machine, levels): (&MachineModel, &[Level]),
    capacities: &[(Arc<str>, FigureId)],
    figures: &mut Figures,
) -> Option<ConflictFigures> {
    let any_machine = figures.detail() == Detail::AnyMachine;
    // Other machines may have them, but these formulas are a quarter of a workbook.
    if !machine.has_conflict_rates() || reuses.iter().all(|(reuse, ..)| reuse.crowds.is_empty()) {
        return None;
    }
    let value = |name: &str| match machine.get(name) {
        None if !any_machine => Expr::from(0.0),
        _ => Expr::machine(name),
    };
    let of_capacities: Vec<Expr> = capacities.iter().map(|(_, id)| Expr::from(*id)).collect();
    let known: Vec<(&Reuse<Expr>, Expr)> = (reuses.iter())
        .map(|(reuse, distance, _)| (*reuse, distance.clone()))
        .collect();
    let mut all = [Vec::new(), Vec::new()];
    for cache in caches(levels, &of_capacities, any_machine, &value) {
        let level = &capacities[cache.at].0;
        let mut name = |at: usize, reached: Expr| {
            let here = ReuseSubject {
                level: Some(level.clone()),
                ..reuses[at].2.clone()
            };
            let label = F::SetsReached.about(Subject::Reuse(Arc::new(here)));
            Expr::from(figures.define(label, reached))
        };
        let found = seconds(&cache, &known, &mut name);
        for (found, all) in found.into_iter().zip(&mut all) {
            all.push(match any_machine {
                true => where_sets(&levels[cache.at..=cache.at + 1], found),
                false => found,
            });
        }
    }
    let cores = figures.runs_on().cores();
    let [seconds, most] = all.map(|parts| {
        let seconds = Expr::sum(parts).quotient(cores.clone());
        match any_machine {
            true => bandwidth::where_irregular_known(levels, seconds),
            false => seconds,
        }
    });
    Some(ConflictFigures {
        seconds: figures.define(F::ConflictTime, seconds),
        most: figures.define(F::LongestConflictTime, most),
    })
}

/// Nothing of a cache that a machine may lack, of the last one, and of one whose ways are not known.
fn where_sets(pair: &[Level], seconds: Expr) -> Expr {
    let ways = Expr::machine(&format!("l{}_ways", pair[0].index));
    let known = bandwidth::where_positive(ways, seconds, 0.0.into());
    bandwidth::where_present(&pair[1], known, 0.0.into())
}
