//! The roofline: what a machine can do at best, and where nests stand below it (Williams, Waterman and Patterson,
//! Roofline: An Insightful Visual Performance Model for Multicore Architectures, CACM 52(4), 2009).
//!
//! At an intensity of I flops a byte no more than min(peak, I · bandwidth) flops a second are possible.

use super::build::NestModel;
use crate::expr::{Comparison, Expr};
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
    Expr::product([Expr::symbol("gflops_per_core"), Expr::symbol("cores"), Expr::from(1e9)])
}

/// Bytes a second that a cache level delivers to all cores together.
pub(super) fn cache_bandwidth(cache: &Level) -> Expr {
    Expr::product([Expr::symbol(&format!("l{}_gbs", cache.index)), Expr::symbol("cores"), Expr::from(1e9)])
}

/// One of two values: the first if the machine has the level and its bandwidth is known.
pub(super) fn where_known(cache: &Level, known: Expr, unknown: Expr) -> Expr {
    let figures = ["bytes", "gbs"].map(|what| Expr::symbol(&format!("l{}_{what}", cache.index)));
    Expr::choose(Comparison::Greater, Expr::min(figures), Expr::from(0.0), known, unknown)
}

/// Bytes a second between memory and all cores together.
pub(super) fn memory_bandwidth() -> Expr {
    Expr::symbol("dram_gbs") * 1e9
}

/// The levels whose bandwidth is known, nearest to the core first; memory is the last.
pub fn roofs(machine: &MachineModel) -> Vec<Roof> {
    let caches = machine.levels();
    let known = caches.iter().filter(|cache| cache.gbs.is_some());
    let mut roofs: Vec<Roof> =
        known.map(|cache| Roof { name: cache.name.clone(), bandwidth: cache_bandwidth(cache) }).collect();
    roofs.push(Roof { name: "DRAM".into(), bandwidth: memory_bandwidth() });
    roofs
}

/// Flops a second of a nest, by its estimated time.
pub fn rate(nest: &NestModel) -> Expr {
    Expr::from(nest.operations.flops).quotient(Expr::from(nest.time.seconds))
}
