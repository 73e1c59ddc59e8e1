//! What one hart executed in a stretch of the program order, as every window needs it: prepared once, walked through by
//! each window in a loop of its own.

use super::slots::Wait;

/// Something that can be done while other things are.
pub(super) type Task<'t> = Box<dyn FnOnce() + Send + 't>;

/// One executed instruction.
#[derive(Clone, Copy)]
pub(super) struct Executed<'a> {
    /// How many instructions before it each of its sources is.
    pub sources: &'a [u32],
    /// For each of its accesses how many of the capacities, smallest first, it misses.
    pub misses: &'a [u16],
    /// Lines that it touched.
    pub lines: &'a [u64],
    /// How many of its accesses the run's own caches sent to RAM.
    pub to_ram: u32,
    pub wait: Wait,
    /// How many of the capacities have it wait for a miss.
    pub waits: u16,
}

/// The instructions in program order.
#[derive(Default)]
pub(super) struct HartStretch {
    packed: Vec<Packed>,
    sources: Vec<u32>,
    misses: Vec<u16>,
    lines: Vec<u64>,
}

struct Packed {
    first_source: u32,
    sources: u32,
    misses: u32,
    lines: u32,
    to_ram: u32,
    waits: u16,
    wait: Wait,
}

impl HartStretch {
    pub fn len(&self) -> usize {
        self.packed.len()
    }

    pub fn clear(&mut self) {
        self.packed.clear();
        self.sources.clear();
        self.misses.clear();
        self.lines.clear();
    }

    pub fn push(&mut self, executed: &Executed<'_>) {
        let first_source = self.sources.len() as u32;
        self.sources.extend_from_slice(executed.sources);
        self.misses.extend_from_slice(executed.misses);
        self.lines.extend_from_slice(executed.lines);
        self.packed.push(Packed {
            first_source,
            sources: executed.sources.len() as u32,
            wait: executed.wait,
            waits: executed.waits,
            misses: executed.misses.len() as u32,
            lines: executed.lines.len() as u32,
            to_ram: executed.to_ram,
        });
    }

    #[inline(always)]
    pub fn iter(&self) -> impl Iterator<Item = Executed<'_>> {
        let mut sources = &self.sources[..];
        let mut misses = &self.misses[..];
        let mut lines = &self.lines[..];
        self.packed.iter().map(move |packed| {
            let (own_sources, rest) = sources.split_at(packed.sources as usize);
            sources = rest;
            let (own_misses, rest) = misses.split_at(packed.misses as usize);
            misses = rest;
            let (own_lines, rest) = lines.split_at(packed.lines as usize);
            lines = rest;
            Executed {
                sources: own_sources,
                misses: own_misses,
                lines: own_lines,
                to_ram: packed.to_ram,
                wait: packed.wait,
                waits: packed.waits,
            }
        })
    }

    /// Of some instructions, how many instructions before each its sources are, and how many capacities have it wait.
    #[inline(always)]
    pub fn waits(&self, from: usize, to: usize) -> impl Iterator<Item = (&[u32], usize)> {
        self.packed[from..to].iter().map(|packed| {
            let first = packed.first_source as usize;
            let sources = &self.sources[first..first + packed.sources as usize];
            (sources, usize::from(packed.waits))
        })
    }
}
