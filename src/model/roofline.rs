//! The roofline: what a machine can do at best, and where nests stand below it (Williams, Waterman and Patterson,
//! Roofline: An Insightful Visual Performance Model for Multicore Architectures, CACM 52(4), 2009).
//!
//! At an intensity of I flops per byte no more than min(peak, I · bandwidth) flops per second are possible.

use super::Model;
use super::bandwidth::{self, is_known, peak, where_positive};
use super::catalogue::StaticFigure as F;
use super::figures::Figures;
use super::label::Subject;
use super::nest_model::NestModel;
use super::ranking::Ranking;
use super::runs_on::RunsOn;
use crate::expr::{Expr, FigureId};
use crate::machine::MachineModel;

/// A bandwidth that limits the rate of operations.
pub struct Roof {
    /// `L1`, `L2` …, `DRAM`.
    pub name: String,
    /// Bytes per second of all cores together.
    pub bandwidth: Expr,
}

/// The levels whose bandwidth is known, nearest to the core first; memory is the last.
pub fn roofs(model: &Model) -> Vec<Roof> {
    let caches = model.machine.levels();
    let known = caches.iter().filter(|cache| cache.gbs.is_some());
    let mut roofs: Vec<Roof> = known
        .map(|cache| Roof {
            name: cache.name.clone(),
            bandwidth: bandwidth::cache(cache, RunsOn::AllCores),
        })
        .collect();
    roofs.push(Roof {
        name: "DRAM".into(),
        bandwidth: bandwidth::memory(&model.figures),
    });
    roofs
}

/// What a roofline chart shows, every point of it a figure.
pub struct Chart {
    /// Ceilings, each a line between two points.
    pub lines: Vec<Line>,
    /// Nests with operations, those with the most work first, which no speed of a machine changes: position, intensity,
    /// flops per second.
    pub points: Vec<(usize, FigureId, FigureId)>,
}

/// From left to right, in flops per byte and flops per second.
pub struct Line {
    pub name: String,
    /// Positive where the ceiling is known; else both of its ends are the right one, or unknown.
    pub known: Option<Expr>,
    pub ends: [(FigureId, FigureId); 2],
}

/// Nests that are drawn.
const DRAWN: usize = 10;
/// How far ceilings go on to both sides of what is drawn.
const MARGIN: f64 = 2.0;

impl Chart {
    pub(super) fn define(
        machine: &MachineModel,
        (nests, ranking): (&[NestModel], &Ranking),
        figures: &mut Figures,
    ) -> Chart {
        let has_flops = |nest: &usize| figures.value(nests[*nest].operations.flops) > 0.0;
        let shown: Vec<usize> = ranking
            .busiest(nests, nests.len(), figures)
            .into_iter()
            .filter(has_flops)
            .take(DRAWN)
            .collect();
        let best = figures.define(F::Peak, peak(RunsOn::AllCores));
        let slopes = slopes(machine, best, figures);
        let intensities = shown.iter().map(|nest| nests[*nest].time.intensity);
        let span = span(&slopes, intensities.collect(), figures);
        let mut lines = level_lines(best, span, figures);
        lines.extend((slopes.into_iter()).map(|slope| slope.line(best, span.0, figures)));
        let point = |nest: usize| {
            let rate = figures.define(F::Performance, self::rate(&nests[nest]));
            (nest, nests[nest].time.intensity, rate)
        };
        Chart {
            lines,
            points: shown.into_iter().map(point).collect(),
        }
    }
}

/// Where all ceilings begin and end, in flops per byte: a margin around the nests and the points where bandwidths meet the
/// peak. What has no intensity has no place.
fn span(
    slopes: &[Slope],
    intensities: Vec<FigureId>,
    figures: &mut Figures,
) -> (FigureId, FigureId) {
    let ridges = || slopes.iter().map(|slope| Expr::from(slope.ridge));
    let [low, high] = [Expr::min(ridges()), Expr::max(ridges())];
    let placed = |otherwise: &Expr| -> Vec<Expr> {
        let place =
            |id: &FigureId| where_positive(Expr::from(*id), Expr::from(*id), otherwise.clone());
        intensities.iter().map(place).collect()
    };
    let (first, last) = (placed(&low), placed(&high));
    let mut at = |expr| figures.define(F::ChartIntensity, expr);
    (
        at(Expr::min(first.into_iter().chain([low])) * (1.0 / MARGIN)),
        at(Expr::max(last.into_iter().chain([high])) * MARGIN),
    )
}

/// The ceilings that no intensity changes.
fn level_lines(
    best: FigureId,
    (from, to): (FigureId, FigureId),
    figures: &mut Figures,
) -> Vec<Line> {
    let ghz = Expr::machine("ghz");
    let one_a_cycle = Expr::product([ghz.clone(), Expr::machine("cores"), Expr::from(1e9)]);
    let ceilings = [
        ("Peak", Expr::from(best), None),
        ("Without fused multiply-add", Expr::from(best) * 0.5, None),
        (
            "One flop per cycle: neither SIMD nor fused",
            one_a_cycle,
            Some(ghz),
        ),
    ];
    let line = |(name, height, known): (&str, Expr, Option<Expr>)| {
        let height = figures.define(F::Ceiling.about(Subject::Ceiling(name.into())), height);
        Line {
            name: name.to_string(),
            known,
            ends: [(from, height), (to, height)],
        }
    };
    ceilings.map(line).into()
}

/// What a bandwidth allows, up to where it meets the peak.
struct Slope {
    name: String,
    known: Option<Expr>,
    bandwidth: Expr,
    ridge: FigureId,
}

fn slopes(machine: &MachineModel, best: FigureId, figures: &mut Figures) -> Vec<Slope> {
    let caches = machine.possible_levels().into_iter();
    let caches = caches.map(|cache| {
        (
            cache.name.clone(),
            bandwidth::cache(&cache, RunsOn::AllCores),
            Some(is_known(&cache)),
        )
    });
    let memory = bandwidth::memory(figures);
    let all = caches.chain([("DRAM".to_string(), memory.clone(), None)]);
    let slope = |(name, bandwidth, known): (String, Expr, Option<Expr>)| {
        let or_memory =
            |known: &Expr| where_positive(known.clone(), bandwidth.clone(), memory.clone());
        let bandwidth = known.as_ref().map_or_else(|| bandwidth.clone(), or_memory);
        let level = Subject::Level(name.as_str().into());
        let bandwidth = figures.define(F::CeilingBandwidth.about(level.clone()), bandwidth);
        let bandwidth = Expr::from(bandwidth);
        let ridge = Expr::from(best).quotient(bandwidth.clone());
        Slope {
            name,
            known,
            bandwidth,
            ridge: figures.define(F::Ridge.about(level), ridge),
        }
    };
    all.map(slope).collect()
}

impl Slope {
    fn line(self, best: FigureId, from: FigureId, figures: &mut Figures) -> Line {
        let level = Subject::Level(self.name.as_str().into());
        let start = match &self.known {
            Some(known) => {
                let start = where_positive(known.clone(), Expr::from(from), Expr::from(self.ridge));
                figures.define(F::CeilingStart.about(level.clone()), start)
            }
            None => from,
        };
        let height = Expr::from(start) * self.bandwidth;
        let height = figures.define(F::CeilingHeight.about(level), height);
        Line {
            name: self.name,
            known: self.known,
            ends: [(start, height), (self.ridge, best)],
        }
    }
}

/// Flops per second of a nest, by its estimated time; none without iterations.
pub fn rate(nest: &NestModel) -> Expr {
    let seconds = Expr::from(nest.time.seconds);
    where_positive(
        seconds.clone(),
        Expr::from(nest.operations.flops).quotient(seconds),
        Expr::from(0.0),
    )
}
