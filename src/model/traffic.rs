//! Working sets and traffic of a nest: sums over its streams, and the choice between the scenarios
//! (ExaSAT report of 2012, sections 2.1 and 2.3.3).

use std::sync::Arc;

use super::catalogue::StaticFigure as F;
use super::figures::Figures;
use super::label::{Label, Subject};
use super::levels::NestLevels;
use super::loops::LoopFigures;
use super::nest::NestStream;
use super::stream::{Elements, Extents, StreamFigures, StreamShape};
use crate::analysis::facts::AccessClass;
use crate::expr::{Comparison, Expr, FigureId};
use crate::machine::Level;
use crate::machine::parameters::SCENARIOS;

/// Bytes to keep at each level (0 cells, 1 pencils, 2 planes …), at least three levels.
#[derive(Clone)]
pub struct WorkingSet {
    pub levels: Vec<FigureId>,
}

/// What arrays must keep, by which of them bypass the cache (ExaSAT report, section 2.3.3).
#[derive(Clone)]
pub struct WorkingSets {
    pub naive: WorkingSet,
    /// Written streams bypass the cache.
    pub streaming: WorkingSet,
    /// Streams without reuse bypass it too.
    pub reuse: WorkingSet,
    /// The one that the machine's two switches choose.
    pub actual: WorkingSet,
    /// Cells, pencils, planes … that all streams together must keep.
    pub live: Vec<FigureId>,
    /// Bytes of the whole nest, all sweeps.
    pub footprint: FigureId,
}

/// Bytes between cache and memory over the whole execution.
#[derive(Clone)]
pub struct NestTraffic {
    /// Index is the number of swept loops within which elements are reused: 0 none, 1 within pencils,
    /// 2 between pencils, 3 between planes …; at least four entries.
    pub scenarios: Vec<FigureId>,
    pub between_blocks: FigureId,
    /// That of the scenario that the cache of `cache_bytes` leads to.
    pub by_scenarios: FigureId,
    /// What times are made of: that of the last cache, or that of the scenarios.
    pub actual: FigureId,
}

/// What the streams of a nest are measured against.
pub(super) struct Surroundings<'a> {
    /// Spatial loops, innermost first.
    pub loops: &'a [LoopFigures],
    /// Iterations of code with n loops around it (sweeps included), at index n.
    pub iterations: &'a [Expr],
    /// Probability that the n innermost loops are entered, given the loops around them; index n.
    pub entered: &'a [Expr],
    /// Number of sweeps.
    pub sweeps: FigureId,
}

/// Bytes moved for each byte of a stream.
pub(super) fn cost_of(class: AccessClass) -> Expr {
    Expr::machine(match class {
        AccessClass::ReadOnly => "cost_r",
        AccessClass::ReadWrite => "cost_rw",
        AccessClass::WriteOnly | AccessClass::WriteRead => "cost_w",
    })
}

/// Defines the figures of one stream. `gaps` are the largest gaps of all arrays that are read, by level.
pub(super) fn define_stream(
    index: usize,
    NestStream {
        stream,
        level: written_at,
        ..
    }: &NestStream,
    shape: StreamShape,
    gaps: &[i64],
    around: &Surroundings,
    figures: &mut Figures,
) -> StreamFigures {
    let depth = shape.depth;
    let name: Arc<str> = match stream.component.is_empty() {
        true => stream.array.as_str().into(),
        false => format!("{}[{}]", stream.array, stream.component).into(),
    };
    let array = || Subject::Array(name.clone());
    let group = |m: usize| Subject::ArrayGroup(name.clone(), m as u32);
    let sweep = |m: usize| Subject::ArraySweep(name.clone(), m as u32);
    // Unknown types are reported as a reason; eight bytes is the usual word.
    let bytes = f64::from(stream.element_bytes.unwrap_or(8));
    let width = figures.define(F::ElementSize.about(array()), Expr::from(bytes));
    let cost = figures.define(F::CostPerByte.about(array()), cost_of(stream.class));
    let levels = gaps.len();
    let mut count =
        |kind: F, m: usize, value: i64| figures.define(kind.about(group(m)), Expr::from(value));
    let groups: Vec<FigureId> = (0..levels)
        .map(|m| count(F::ArrayGroups, m, shape.groups(m) as i64))
        .collect();
    let live: Vec<FigureId> = (0..levels)
        .map(|m| count(F::LiveArrayGroups, m, shape.live_groups(m, gaps[m])))
        .collect();
    let elements = Elements::new(&shape, around.loops, width);
    let distinct: Vec<FigureId> = (0..=depth)
        .map(|m| {
            let label = F::DistinctElements.about(sweep(m));
            figures.define(label, elements.swept(m, Extents::Block))
        })
        .collect();
    let working_set = (0..levels).map(|m| {
        let width = Expr::from(width);
        let at = m.min(depth);
        let held = Expr::from(distinct[at]);
        let waiting = Expr::from(live[m]) - Expr::from(groups[m]);
        let bytes = if m == 0
            || shape.gathered
            || shape.live_groups(m, gaps[m]) == shape.groups(m) as i64
        {
            width * held
        } else {
            width * (held + waiting * elements.single(at))
        };
        figures.define(F::ArrayWorkingSet.about(group(m)), bytes)
    });
    let working_set = working_set.collect();
    let sweeps = if shape.swept {
        Expr::from(around.sweeps)
    } else {
        Expr::from(1.0)
    };
    let whole = elements.swept(depth, Extents::Whole);
    let footprint = Expr::product([sweeps, Expr::from(width), whole]);
    let footprint = figures.define(F::ArrayFootprint.about(array()), footprint);
    let rate = || [Expr::from(cost), Expr::from(width)];
    let traffic = (0..=depth).map(|m| {
        let (times, moved) = match m {
            // Code above the innermost loop runs less often.
            0 => (
                around.iterations[*written_at].clone(),
                unreused(&shape, width),
            ),
            _ => {
                let outer = &around.iterations[around.iterations.len() - 1 - m];
                (
                    outer * &around.entered[m],
                    elements.swept(m, Extents::AllBlocks),
                )
            }
        };
        figures.define(
            F::ArrayTraffic.about(sweep(m)),
            Expr::product(rate().into_iter().chain([times, moved])),
        )
    });
    let traffic = traffic.collect();
    let compulsory = Expr::product([
        Expr::from(cost),
        Expr::from(footprint),
        around.entered[depth].clone(),
    ]);
    let compulsory = figures.define(F::CompulsoryArrayTraffic.about(array()), compulsory);
    StreamFigures {
        index,
        shape,
        width,
        cost,
        groups,
        live,
        elements: distinct,
        working_set,
        footprint,
        traffic,
        compulsory,
    }
}

/// Elements moved an iteration if nothing is reused: single elements where the innermost loop runs
/// along cache lines or stays in place, whole lines where it does not.
fn unreused(shape: &StreamShape, width: FigureId) -> Expr {
    let count = shape.offsets.len() as f64;
    let line = || Expr::machine("line_bytes").quotient(Expr::from(width));
    if shape.is_chosen_by(0) {
        return Expr::machine("gather_lines") * count * line();
    }
    let moves = shape
        .dimensions
        .iter()
        .any(|d| d.iter().any(|(p, _)| *p == 0));
    let along_row = shape
        .dimensions
        .first()
        .and_then(|d| d.iter().find(|(p, _)| *p == 0));
    match along_row {
        // A stride shares a line with its neighbours until it is as long as one.
        Some((_, 1)) => Expr::from(count),
        Some((_, stride)) => Expr::min([Expr::from(*stride), line()]) * count,
        None if moves => line() * count,
        None => Expr::from(count),
    }
}

/// Sums the streams and chooses the scenario for a cache of `cache_bytes`.
pub(super) fn define_nest(
    (streams, caches): (&[(AccessClass, StreamFigures)], &[Level]),
    depth: usize,
    levels: usize,
    figures: &mut Figures,
) -> (WorkingSets, NestTraffic) {
    let sum = |label: Label, figures: &mut Figures, figure: &dyn Fn(&StreamFigures) -> FigureId| {
        figures.define_total(label, streams.iter().map(|(_, s)| figure(s)))
    };
    let group = |m: usize| Subject::Group(m as u32);
    let variant = |kind: F,
                   figures: &mut Figures,
                   holds: &dyn Fn(AccessClass, &StreamFigures, usize) -> bool| {
        let level = |m: usize, figures: &mut Figures| {
            let held = streams
                .iter()
                .filter(|(class, s)| holds(*class, s, m))
                .map(|(_, s)| s.working_set[m]);
            let bytes = Expr::sum(held.map(Expr::from));
            figures.define(kind.about(group(m)), bytes)
        };
        WorkingSet {
            levels: (0..levels).map(|m| level(m, figures)).collect(),
        }
    };
    let naive = variant(F::NaiveWorkingSet, figures, &|_, _, _| true);
    let streaming = variant(F::StreamingWorkingSet, figures, &|class, _, _| {
        class == AccessClass::ReadOnly
    });
    let reuse = variant(F::ReuseWorkingSet, figures, &|class, s, m| {
        class == AccessClass::ReadOnly && s.shape.has_reuse(m)
    });
    let actual = (0..levels).map(|m| {
        let without_hints = is_on(
            "streaming_writes",
            streaming.levels[m].into(),
            naive.levels[m].into(),
        );
        let chosen = is_on("nta_hints", reuse.levels[m].into(), without_hints);
        figures.define(F::ActualWorkingSet.about(group(m)), chosen)
    });
    let actual = WorkingSet {
        levels: actual.collect(),
    };
    let live = (0..levels).map(|m| {
        let label = F::LiveGroups.about(group(m));
        figures.define_total(label, streams.iter().map(|(_, s)| s.live[m]))
    });
    let live = live.collect();
    let footprint = sum(F::Footprint.into(), figures, &|s| s.footprint);
    let scenario = |m: usize, figures: &mut Figures| {
        let label = F::ScenarioTraffic.about(Subject::Scenario(m as u32));
        sum(label, figures, &|s| s.traffic[m.min(depth)])
    };
    let scenarios: Vec<FigureId> = (0..=levels).map(|m| scenario(m, figures)).collect();
    let between_blocks = sum(F::CompulsoryTraffic.into(), figures, &|s| s.compulsory);
    let sets = WorkingSets {
        naive,
        streaming,
        reuse,
        actual,
        live,
        footprint,
    };
    let mut traffic = NestTraffic {
        scenarios,
        between_blocks,
        by_scenarios: between_blocks,
        actual: between_blocks,
    };
    let part = (figures.runs_on()).of_last_share(caches, figures.detail());
    let chosen = traffic.through(&sets, depth, Expr::machine("cache_bytes") * part);
    traffic.by_scenarios = figures.define(F::TrafficByScenarios, chosen);
    (sets, traffic)
}

impl NestTraffic {
    /// Takes the last cache's traffic as that of memory, or leaves it at the scenarios', as the machine's switch says.
    pub(super) fn choose(&mut self, levels: &NestLevels, figures: &mut Figures) {
        let by_scenarios = Expr::from(self.by_scenarios);
        let chosen = match levels.caches.last() {
            Some(cache) => is_on(SCENARIOS, by_scenarios, cache.bytes.into()),
            None => by_scenarios,
        };
        self.actual = figures.define(F::MemoryTraffic, chosen);
    }

    /// Bytes that pass a cache of the given capacity: compulsory if the whole nest fits, else the best
    /// of the scenarios whose working set fits.
    pub fn through(&self, sets: &WorkingSets, depth: usize, capacity: Expr) -> Expr {
        let best = |m: usize| Expr::min((0..=m).rev().map(|i| Expr::from(self.scenarios[i])));
        let fits = |set: FigureId, then: Expr, otherwise: Expr| {
            Expr::choose(
                Comparison::Less,
                Expr::from(set),
                capacity.clone(),
                then,
                otherwise,
            )
        };
        let nested = (0..depth).fold(best(0), |otherwise, m| {
            fits(sets.actual.levels[m], best(m + 1), otherwise)
        });
        fits(sets.footprint, Expr::from(self.between_blocks), nested)
    }
}

/// The first of two values where a switch of the machine is on.
pub(super) fn is_on(switch: &str, then: Expr, otherwise: Expr) -> Expr {
    Expr::choose(
        Comparison::NotEqual,
        Expr::machine(switch),
        Expr::from(0.0),
        then,
        otherwise,
    )
}
