//! What a machine can do at best: operations, and bytes between its levels, of all cores together.

use super::catalogue::StaticFigure as F;
use super::figures::Figures;
use super::runs_on::RunsOn;
use crate::expr::{Comparison, Expr, FigureId};
use crate::machine::Level;
use crate::machine::parameters::{IRREGULAR, LATENCY_LIMIT, LEVEL_LATENCY, level_name};

/// Flops per second of these cores together.
pub fn peak(on: RunsOn) -> Expr {
    Expr::product([
        Expr::machine("gflops_per_core"),
        on.cores(),
        Expr::from(1e9),
    ])
}

/// Bytes per second that a cache level delivers to these cores together.
pub(super) fn cache(cache: &Level, on: RunsOn) -> Expr {
    Expr::product([
        Expr::machine(&format!("l{}_gbs", cache.index)),
        on.cores(),
        Expr::from(1e9),
    ])
}

/// One of two values: the first if the machine has the level and its bandwidth is known.
pub(super) fn where_known(cache: &Level, known: Expr, unknown: Expr) -> Expr {
    where_positive(is_known(cache), known, unknown)
}

/// Positive if the machine has the level and its bandwidth is known.
pub(super) fn is_known(cache: &Level) -> Expr {
    Expr::min(["bytes", "gbs"].map(|what| Expr::machine(&format!("l{}_{what}", cache.index))))
}

/// The first if the machine has that level.
pub(super) fn where_present(cache: &Level, present: Expr, absent: Expr) -> Expr {
    let bytes = Expr::machine(&format!("l{}_bytes", cache.index));
    where_positive(bytes, present, absent)
}

pub(super) fn where_positive(value: Expr, known: Expr, unknown: Expr) -> Expr {
    Expr::choose(Comparison::Greater, value, Expr::from(0.0), known, unknown)
}

/// Bytes per second between memory and all cores together: what the memory can deliver, limited by the cache lines that
/// all cores can have outstanding in one latency (Little, A Proof for the Queuing Formula L = λW, Operations Research 9(3), 1961).
pub(super) fn define_memory(figures: &mut Figures) -> FigureId {
    figures.share(F::MemoryBandwidth, of_memory(RunsOn::AllCores))
}

/// The same for one core, while the others wait.
pub(super) fn define_memory_of_one_core(figures: &mut Figures) -> FigureId {
    figures.share(F::MemoryBandwidthOfOneCore, of_memory(RunsOn::OneCore))
}

fn of_memory(on: RunsOn) -> Expr {
    let [latency, _] = LATENCY_LIMIT.map(Expr::machine);
    behind_latency(on, (Expr::machine("dram_gbs"), latency))
}

/// The same of any memory with that many 10⁹ bytes per second, so many ns away.
pub(super) fn behind_latency(on: RunsOn, (gbs, latency): (Expr, Expr)) -> Expr {
    let memory = gbs * 1e9;
    let [_, lines] = LATENCY_LIMIT.map(Expr::machine);
    let waited_for = Expr::product([
        lines.clone(),
        on.cores(),
        Expr::machine("line_bytes"),
        Expr::from(1e9),
    ]);
    let limited = Expr::min([memory.clone(), waited_for.quotient(latency.clone())]);
    where_positive(Expr::min([latency, lines]), limited, memory)
}

/// The figure of [`define_memory`], or of one core where figures are of that.
pub(super) fn memory(figures: &Figures) -> Expr {
    memory_of(figures.runs_on(), figures)
}

/// The figure of [`define_memory`], or of one core.
pub(super) fn memory_of(on: RunsOn, figures: &Figures) -> Expr {
    Expr::from(figures.shared(match on {
        RunsOn::AllCores => F::MemoryBandwidth,
        RunsOn::OneCore => F::MemoryBandwidthOfOneCore,
    }))
}

/// A value where the machine says what irregular lines of all of its levels take, else nothing.
pub(super) fn where_irregular_known(levels: &[Level], value: Expr) -> Expr {
    let one = || Expr::from(1.0);
    let of_level = |level: &Level| {
        let [latency, lines] =
            LEVEL_LATENCY.map(|what| Expr::machine(&level_name(level.index, what)));
        let bytes = Expr::machine(&level_name(level.index, "bytes"));
        let known = Expr::min([latency, lines]);
        Expr::choose(Comparison::Greater, bytes, 0.0.into(), known, one())
    };
    let memory = IRREGULAR.map(Expr::machine);
    let all = (levels.iter().skip(1).map(of_level))
        .chain(memory)
        .chain([Expr::machine("ghz")]);
    where_positive(Expr::min(all), value, 0.0.into())
}
