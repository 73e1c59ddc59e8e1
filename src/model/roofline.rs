//! The roofline: what a machine can do at best, and where nests stand below it (Williams, Waterman and Patterson,
//! Roofline: An Insightful Visual Performance Model for Multicore Architectures, CACM 52(4), 2009).
//!
//! At an intensity of I flops a byte no more than min(peak, I · bandwidth) flops a second are possible.

use super::build::NestModel;
use super::figures::{Figures, Unit};
use super::{Model, busiest};
use crate::expr::{Comparison, Expr, FigureId};
use crate::machine::parameters::LATENCY_LIMIT;
use crate::machine::{Level, MachineModel};

/// A bandwidth that limits the rate of operations.
pub struct Roof {
    /// `L1`, `L2` …, `DRAM`.
    pub name: String,
    /// Bytes a second of all cores together.
    pub bandwidth: Expr,
}

/// Flops a second of all cores together.
pub fn peak() -> Expr {
    Expr::product([
        Expr::machine("gflops_per_core"),
        Expr::machine("cores"),
        Expr::from(1e9),
    ])
}

/// Bytes a second that a cache level delivers to all cores together.
pub(super) fn cache_bandwidth(cache: &Level) -> Expr {
    Expr::product([
        Expr::machine(&format!("l{}_gbs", cache.index)),
        Expr::machine("cores"),
        Expr::from(1e9),
    ])
}

/// One of two values: the first if the machine has the level and its bandwidth is known.
pub(super) fn where_known(cache: &Level, known: Expr, unknown: Expr) -> Expr {
    where_positive(is_known(cache), known, unknown)
}

/// Positive if the machine has the level and its bandwidth is known.
fn is_known(cache: &Level) -> Expr {
    Expr::min(["bytes", "gbs"].map(|what| Expr::machine(&format!("l{}_{what}", cache.index))))
}

fn where_positive(value: Expr, known: Expr, unknown: Expr) -> Expr {
    Expr::choose(Comparison::Greater, value, Expr::from(0.0), known, unknown)
}

/// What figures call it.
pub(super) const MEMORY_BANDWIDTH: &str = "memory bandwidth";

/// Bytes a second between memory and all cores together: what the memory can do, and no more than the lines that all
/// cores wait for at once in one latency (Little, A Proof for the Queuing Formula L = λW, Operations Research 9(3), 1961).
pub(super) fn define_memory_bandwidth(figures: &mut Figures) -> FigureId {
    let memory = Expr::machine("dram_gbs") * 1e9;
    let [latency, lines] = LATENCY_LIMIT.map(Expr::machine);
    let waited_for = Expr::product([
        lines.clone(),
        Expr::machine("cores"),
        Expr::machine("line_bytes"),
        Expr::from(1e9),
    ]);
    let limited = Expr::min([memory.clone(), waited_for.quotient(latency.clone())]);
    let bandwidth = where_positive(Expr::min([latency, lines]), limited, memory);
    figures.share(MEMORY_BANDWIDTH, Unit::BytesPerSecond, bandwidth)
}

/// The figure of [`define_memory_bandwidth`].
pub(super) fn memory_bandwidth(figures: &Figures) -> Expr {
    Expr::from(figures.shared(MEMORY_BANDWIDTH))
}

/// The levels whose bandwidth is known, nearest to the core first; memory is the last.
pub fn roofs(model: &Model) -> Vec<Roof> {
    let caches = model.machine.levels();
    let known = caches.iter().filter(|cache| cache.gbs.is_some());
    let mut roofs: Vec<Roof> = known
        .map(|cache| Roof {
            name: cache.name.clone(),
            bandwidth: cache_bandwidth(cache),
        })
        .collect();
    roofs.push(Roof {
        name: "DRAM".into(),
        bandwidth: memory_bandwidth(&model.figures),
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
/// How far ceilings go on to both sides of what is drawn.
const MARGIN: f64 = 2.0;

impl Chart {
    pub(super) fn define(
        machine: &MachineModel,
        nests: &[NestModel],
        figures: &mut Figures,
    ) -> Chart {
        let has_flops = |nest: &usize| figures.value(nests[*nest].operations.flops) > 0.0;
        let shown: Vec<usize> = busiest(nests, nests.len(), figures)
            .into_iter()
            .filter(has_flops)
            .take(DRAWN)
            .collect();
        let best = figures.define("peak", Unit::FlopsPerSecond, peak());
        let slopes = slopes(machine, best, figures);
        let intensities = shown.iter().map(|nest| nests[*nest].time.intensity);
        let span = span(&slopes, intensities.collect(), figures);
        let mut lines = level_lines(best, span, figures);
        lines.extend((slopes.into_iter()).map(|slope| slope.line(best, span.0, figures)));
        let point = |nest: usize| {
            let rate = figures.define(
                "flops a second",
                Unit::FlopsPerSecond,
                self::rate(&nests[nest]),
            );
            (nest, nests[nest].time.intensity, rate)
        };
        Chart {
            lines,
            points: shown.into_iter().map(point).collect(),
        }
    }
}

/// Where all ceilings begin and end, in flops a byte: a margin around the nests and the points where bandwidths meet the
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
    let mut at = |expr| figures.define("intensity", Unit::FlopsPerByte, expr);
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
            "One flop a cycle: neither SIMD nor fused",
            one_a_cycle,
            Some(ghz),
        ),
    ];
    let line = |(name, height, known): (&str, Expr, Option<Expr>)| {
        let height = figures.define(name, Unit::FlopsPerSecond, height);
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
            cache_bandwidth(&cache),
            Some(is_known(&cache)),
        )
    });
    let memory = memory_bandwidth(figures);
    let all = caches.chain([("DRAM".to_string(), memory.clone(), None)]);
    let slope = |(name, bandwidth, known): (String, Expr, Option<Expr>)| {
        let or_memory =
            |known: &Expr| where_positive(known.clone(), bandwidth.clone(), memory.clone());
        let bandwidth = known.as_ref().map_or_else(|| bandwidth.clone(), or_memory);
        let label = format!("bandwidth, {name}");
        let bandwidth = Expr::from(figures.define(label, Unit::BytesPerSecond, bandwidth));
        let ridge = Expr::from(best).quotient(bandwidth.clone());
        Slope {
            name,
            known,
            bandwidth,
            ridge: figures.define("ridge", Unit::FlopsPerByte, ridge),
        }
    };
    all.map(slope).collect()
}

impl Slope {
    fn line(self, best: FigureId, from: FigureId, figures: &mut Figures) -> Line {
        let start = match &self.known {
            Some(known) => {
                let start = where_positive(known.clone(), Expr::from(from), Expr::from(self.ridge));
                figures.define("start", Unit::FlopsPerByte, start)
            }
            None => from,
        };
        let height = Expr::from(start) * self.bandwidth;
        let height = figures.define("ceiling", Unit::FlopsPerSecond, height);
        Line {
            name: self.name,
            known: self.known,
            ends: [(start, height), (self.ridge, best)],
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
