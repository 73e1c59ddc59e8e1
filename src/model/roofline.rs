//! The roofline: what a machine can do at best, and where nests stand below it (Williams, Waterman and Patterson,
//! Roofline: An Insightful Visual Performance Model for Multicore Architectures, CACM 52(4), 2009).
//!
//! At an intensity of I flops a byte no more than min(peak, I · bandwidth) flops a second are possible.

use super::bandwidth::{self, is_known, peak, where_positive};
use super::catalogue::StaticFigure as F;
use super::figures::Figures;
use super::label::Subject;
use super::nest_model::NestModel;
use super::{Model, busiest};
use crate::expr::{Expr, FigureId};
use crate::machine::MachineModel;

/// A bandwidth that limits the rate of operations.
pub struct Roof {
    /// `L1`, `L2` …, `DRAM`.
    pub name: String,
    /// Bytes a second of all cores together.
    pub bandwidth: Expr,
}

/// The levels whose bandwidth is known, nearest to the core first; memory is the last.
pub fn roofs(model: &Model) -> Vec<Roof> {
    let caches = model.machine.levels();
    let known = caches.iter().filter(|cache| cache.gbs.is_some());
    let mut roofs: Vec<Roof> = known
        .map(|cache| Roof {
            name: cache.name.clone(),
            bandwidth: bandwidth::cache(cache),
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
    /// Nests with operations, those with the most work first: position, intensity, flops a second.
    pub points: Vec<(usize, FigureId, FigureId)>,
}

/// From left to right, in flops a byte and flops a second.
pub struct Line {
    pub name: String,
    /// Positive where the ceiling is known; else both of its ends are the right one, or unknown.
    pub known: Option<Expr>,
    pub ends: [(FigureId, FigureId); 2],
}

/// Nests that are drawn.
const DRAWN: usize = 12;
/// Where ceilings begin and end, in flops a byte.
const FROM: f64 = 0.01;
const TO: f64 = 100.0;

impl Chart {
    pub(super) fn define(
        machine: &MachineModel,
        nests: &[NestModel],
        figures: &mut Figures,
    ) -> Chart {
        let [from, to] = [FROM, TO].map(|at| figures.define(F::ChartIntensity, Expr::from(at)));
        let best = figures.define(F::Peak, peak());
        let mut lines = Vec::new();
        for (name, height, known) in [
            ("Peak", Expr::from(best), None),
            ("Without fused multiply-add", Expr::from(best) * 0.5, None),
            (
                "One flop a cycle: neither SIMD nor fused",
                Expr::product([
                    Expr::machine("ghz"),
                    Expr::machine("cores"),
                    Expr::from(1e9),
                ]),
                Some(Expr::machine("ghz")),
            ),
        ] {
            let height = figures.define(F::Ceiling.about(Subject::Ceiling(name.into())), height);
            lines.push(Line {
                name: name.to_string(),
                known,
                ends: [(from, height), (to, height)],
            });
        }
        let caches = machine.possible_levels().into_iter();
        let caches = caches.map(|cache| {
            (
                cache.name.clone(),
                bandwidth::cache(&cache),
                Some(is_known(&cache)),
            )
        });
        let memory = bandwidth::memory(figures);
        for (name, bandwidth, known) in caches.chain([("DRAM".to_string(), memory.clone(), None)]) {
            let level = Subject::Level(name.as_str().into());
            let or_memory =
                |known: &Expr| where_positive(known.clone(), bandwidth.clone(), memory.clone());
            let bandwidth = known.as_ref().map_or_else(|| bandwidth.clone(), or_memory);
            let bandwidth =
                Expr::from(figures.define(F::CeilingBandwidth.about(level.clone()), bandwidth));
            let ridge = figures.define(
                F::Ridge.about(level.clone()),
                Expr::from(best).quotient(bandwidth.clone()),
            );
            let start = known
                .as_ref()
                .map(|known| where_positive(known.clone(), Expr::from(from), Expr::from(ridge)));
            let start = start.map_or(from, |start| {
                figures.define(F::CeilingStart.about(level.clone()), start)
            });
            let height =
                figures.define(F::CeilingHeight.about(level), Expr::from(start) * bandwidth);
            lines.push(Line {
                name,
                known,
                ends: [(start, height), (ridge, best)],
            });
        }
        let has_flops = |nest: &usize| figures.value(nests[*nest].operations.flops) > 0.0;
        let shown: Vec<usize> = busiest(nests, nests.len(), figures)
            .into_iter()
            .filter(has_flops)
            .take(DRAWN)
            .collect();
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

/// Flops a second of a nest, by its estimated time; none without iterations.
pub fn rate(nest: &NestModel) -> Expr {
    let seconds = Expr::from(nest.time.seconds);
    where_positive(
        seconds.clone(),
        Expr::from(nest.operations.flops).quotient(seconds),
        Expr::from(0.0),
    )
}
