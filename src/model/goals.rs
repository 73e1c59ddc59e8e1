//! Questions the other way round, of one nest: which memory bandwidth makes it so many times as fast, from which cache on
//! the next layer condition holds, and up to which size it does in the cache that is there.
//!
//! With o for `overlap`, c for the time of the core and d for that of data, the slowest of all levels,
//!
//! ```text
//! T(d) = o·max(c, d) + (1 − o)·(c + d)      d(T) = T − (1 − o)·c            where that is c or more
//!                                           d(T) = (T − c)/(1 − o)          else
//! ```
//!
//! and memory may take d(T), if no cache takes longer. Irregular lines come on top of the slowest level: they are taken to
//! last as long as they do now, though more bandwidth may make them faster, too.

use super::bandwidth;
use super::catalogue::StaticFigure as F;
use super::figures::Figures;
use super::label::Subject;
use super::levels::ReuseFigures;
use super::nest_model::NestModel;
use super::runs_on::RunsOn;
use super::scenarios::GOAL;
use super::time::{LevelKind, TimeFigures};
use crate::expr::{Comparison, Expr, FigureId};
use crate::machine::parameters::level_name;

/// Answers for one nest.
pub struct NestGoals {
    /// Bytes per second of memory.
    pub bandwidth: FigureId,
    /// A level each, the nearest first.
    pub levels: Vec<LevelGoals>,
}

/// Answers for one nest and one cache.
pub struct LevelGoals {
    /// `L2`.
    pub name: String,
    /// One core's share of it.
    pub capacity: FigureId,
    /// The size of one instance.
    pub instance: FigureId,
    /// The size that most reuses grow with, and its largest value.
    pub size: Option<(String, FigureId)>,
}

/// Levels that are asked for.
const LEVELS: usize = 3;
/// More bytes than any nest touches.
const BEYOND: f64 = 1e99;

impl NestGoals {
    pub(super) fn define(nest: &NestModel, figures: &mut Figures) -> NestGoals {
        figures.define_on(nest.nest.runs_on(), |figures| {
            let bandwidth = define_bandwidth(&nest.time, figures);
            let levels = (0..nest.levels.caches.len().min(LEVELS))
                .map(|level| LevelGoals::define(nest, level, figures));
            NestGoals {
                bandwidth,
                levels: levels.collect(),
            }
        })
    }
}

fn define_bandwidth(time: &TimeFigures, figures: &mut Figures) -> FigureId {
    let is_memory = |kind: LevelKind| kind == LevelKind::Memory;
    let (memory, caches): (Vec<_>, Vec<_>) =
        (time.levels.iter()).partition(|level| is_memory(level.kind));
    let seconds = |level: &&super::time::LevelFigures| Expr::from(level.seconds);
    let (memory, caches) = (
        Expr::max(memory.iter().map(seconds)),
        Expr::max(caches.iter().map(seconds)),
    );
    let (zero, one) = (Expr::from(0.0), Expr::from(1.0));
    let (core, overlap) = (Expr::from(time.core), Expr::machine("overlap"));
    let target = Expr::from(time.seconds).quotient(Expr::machine(GOAL));
    let apart = one - overlap;
    let hidden = target.clone() - apart.clone() * core.clone();
    let in_turn = bandwidth::where_positive(
        apart.clone(),
        (target - core.clone()).quotient(apart),
        zero.clone(),
    );
    let data = Expr::choose(
        Comparison::GreaterOrEqual,
        hidden.clone(),
        core,
        hidden,
        in_turn,
    );
    let added = Expr::sum(time.behind().all().map(Expr::from));
    let alone = data.clone() - added;
    let needed = Expr::product([bandwidth::memory(figures), memory]).quotient(alone.clone());
    let needed = Expr::choose(
        Comparison::GreaterOrEqual,
        data,
        caches,
        needed,
        zero.clone(),
    );
    let needed = bandwidth::where_positive(alone, needed, zero);
    figures.define(F::NeededBandwidth, needed)
}

impl LevelGoals {
    fn define(nest: &NestModel, level: usize, figures: &mut Figures) -> LevelGoals {
        let cache = &nest.levels.caches[level];
        let subject = || Subject::Level(cache.name.as_str().into());
        let capacity = Expr::from(cache.capacity);
        let reuses = &nest.levels.reuses;
        let beyond = |reuse: &ReuseFigures| {
            let distance = Expr::from(reuse.distance);
            let (over, own) = (Comparison::Greater, distance.clone());
            Expr::choose(over, distance, capacity.clone(), own, BEYOND.into())
        };
        let least = Expr::min(reuses.iter().map(beyond).chain([BEYOND.into()]));
        let none = Expr::from(0.0);
        let next = Expr::choose(
            Comparison::Less,
            least.clone(),
            BEYOND.into(),
            least,
            none.clone(),
        );
        let next = figures.define(F::NextCapacity.about(subject()), next);
        let shared_by = match figures.runs_on() {
            RunsOn::AllCores => Expr::machine(&level_name(level + 1, "shared_by")),
            RunsOn::OneCore => Expr::from(1.0),
        };
        let instance = Expr::product([Expr::from(next), shared_by]);
        let instance = figures.define(F::NextCapacity.about(subject()), instance.ceiling());
        let size = main_size(reuses).map(|name| {
            let largest = |reuse: &ReuseFigures| {
                let (_, largest) = reuse.sizes.iter().find(|(own, _)| *own == name)?;
                Some((Expr::from(reuse.distance), Expr::from(largest[level])))
            };
            let known: Vec<(Expr, Expr)> = reuses.iter().filter_map(largest).collect();
            let of_next = known.iter().map(|(distance, largest)| {
                let (equal, next) = (Comparison::Equal, Expr::from(next));
                let (own, then) = (distance.clone(), largest.clone());
                Expr::choose(equal, own, next, then, none.clone())
            });
            let of_next = Expr::max(of_next);
            let of_all = Expr::min(known.iter().map(|(_, largest)| largest.clone()));
            let size = bandwidth::where_positive(next.into(), of_next, of_all);
            let id = figures.define(F::SizeForNext.about(subject()), size);
            (name, id)
        });
        LevelGoals {
            name: cache.name.clone(),
            capacity: next,
            instance,
            size,
        }
    }
}

/// The size that the most reuses grow with, the first of several.
fn main_size(reuses: &[ReuseFigures]) -> Option<String> {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for (name, _) in reuses.iter().flat_map(|reuse| &reuse.sizes) {
        match counts.iter_mut().find(|(own, _)| own == name) {
            Some((_, count)) => *count += 1,
            None => counts.push((name, 1)),
        }
    }
    let most = counts.iter().map(|(_, count)| *count).max()?;
    let found = counts.iter().find(|(_, count)| *count == most)?;
    Some(found.0.to_string())
}
