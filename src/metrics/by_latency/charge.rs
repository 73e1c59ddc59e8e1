//! What a vertex adds to the paths through it.

use super::super::counted::Counted;
use super::super::ram::RamUse;
use super::super::region_details::RegionDetail;
use super::depth::DepthByLatency;
use super::hulls::Envelope;

/// What the depth is a function of.
pub(super) trait Charge: Copy + Send + 'static {
    /// The paths go on through a vertex of so many cycles, or with accesses to RAM.
    fn then(self, ready: Envelope, cycles: u64, used: RamUse, sums: &mut Sums) -> Envelope;

    /// Whether no path can be longer than an [`Envelope`] holds, nor get so in the next stretch.
    fn fits(sums: &Sums) -> bool;

    fn of_trace(counted: &mut Counted) -> &mut Option<DepthByLatency>;

    fn of_region(detail: &mut RegionDetail) -> &mut Option<DepthByLatency>;
}

/// Of all vertices, where a charge needs to know: no path has more.
#[derive(Default)]
pub(super) struct Sums {
    cycles: u64,
    bytes: u64,
}

/// Of the latency, which each vertex that goes to RAM takes once in place of its own cycles.
#[derive(Clone, Copy)]
pub(super) struct Each;

impl Charge for Each {
    #[inline(always)]
    fn then(self, ready: Envelope, cycles: u64, used: RamUse, _: &mut Sums) -> Envelope {
        match used.accesses > 0 {
            true => ready.then(1, 0),
            false => ready.then(0, cycles),
        }
    }

    /// A trace with so many instructions would take years.
    fn fits(_: &Sums) -> bool {
        true
    }

    fn of_trace(counted: &mut Counted) -> &mut Option<DepthByLatency> {
        &mut counted.depth_by_latency
    }

    fn of_region(detail: &mut RegionDetail) -> &mut Option<DepthByLatency> {
        &mut detail.depth_by_latency
    }
}

/// Of the time that a byte takes: a vertex that goes to RAM takes the latency, and that time for each byte that it moves.
#[derive(Clone, Copy)]
pub(super) struct ByByte {
    /// Cycles.
    pub latency: u64,
}

impl Charge for ByByte {
    #[inline(always)]
    fn then(self, ready: Envelope, cycles: u64, used: RamUse, sums: &mut Sums) -> Envelope {
        let (bytes, cycles) = match used.accesses > 0 {
            true => (used.bytes, self.latency),
            false => (0, cycles),
        };
        sums.bytes += bytes;
        sums.cycles += cycles;
        ready.then(bytes, cycles)
    }

    fn fits(sums: &Sums) -> bool {
        Envelope::holds(2 * sums.bytes, 2 * sums.cycles)
    }

    fn of_trace(counted: &mut Counted) -> &mut Option<DepthByLatency> {
        &mut counted.depth_by_bandwidth
    }

    fn of_region(detail: &mut RegionDetail) -> &mut Option<DepthByLatency> {
        &mut detail.depth_by_bandwidth
    }
}
