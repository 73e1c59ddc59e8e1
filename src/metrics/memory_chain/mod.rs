//! Which instructions are on the deepest chain of RAM accesses: those that make 𝒟 what it is.

mod chains;
mod deepest;

use crate::dataflow::{Held, Lanes, Rules, Values};
use crate::trace::InstructionId;

use super::counted::Counted;
use super::entry::Entry;
use super::metric::{Metric, Program, Run, Stretch, ram_use};

use chains::{ChainId, Chains, EMPTY};
pub use deepest::{ChainInstruction, ChainLine, MemoryChain};

pub(super) const ENTRY: Entry = Entry {
    name: "memory_chain",
    meaning: "which instructions are on the deepest chain of RAM accesses",
    make: |asked| {
        let meter = || Box::new(ChainMeter::new(asked.settings.rules)) as Box<dyn Metric>;
        Ok(asked.settings.memory_chain.then(meter))
    },
};

/// RAM accesses on the longest path up to a value, and the chain that they are.
#[derive(Clone, Copy, Debug)]
struct Path {
    depth: u64,
    chain: ChainId,
}

impl Held for Path {
    const START: Path = Path {
        depth: 0,
        chain: EMPTY,
    };
    type Kept = (u64, ChainId);

    #[inline(always)]
    fn keep(self) -> (u64, ChainId) {
        (self.depth, self.chain)
    }

    #[inline(always)]
    fn recall((depth, chain): (u64, ChainId)) -> Path {
        Path { depth, chain }
    }
}

impl Lanes for Path {
    /// Of two that are as long, the one that is asked first.
    #[inline(always)]
    fn latest(self, other: Path) -> Path {
        if other.depth > self.depth {
            other
        } else {
            self
        }
    }
}

/// Follows the chains while the trace goes by.
struct ChainMeter {
    values: Values<Path>,
    chains: Chains,
    deepest: Path,
}

impl ChainMeter {
    fn new(rules: Rules) -> ChainMeter {
        ChainMeter {
            values: Values::new(rules),
            chains: Chains::new(),
            deepest: Path::START,
        }
    }

    #[cold]
    fn join(&mut self) {
        let mut marks = self.chains.mark();
        marks.add(self.deepest.chain);
        self.values
            .for_each_value(&mut |path| marks.add(path.chain));
        let numbers = self.chains.join(marks);
        let renumber = |path: &mut Path| path.chain = numbers[path.chain as usize];
        renumber(&mut self.deepest);
        self.values.for_each_value(&mut |path| renumber(path));
    }

    /// 𝒟, and how often each instruction is on the deepest chain: the most often first, then by first execution.
    fn deepest(self) -> (u64, Vec<(InstructionId, u64)>) {
        let counts = self.chains.counts(self.deepest.chain).into_iter();
        let mut counts: Vec<(InstructionId, u64)> = counts
            .map(|(id, count)| (InstructionId(id), count))
            .collect();
        counts.sort_by_key(|(id, count)| (std::cmp::Reverse(*count), *id));
        (self.deepest.depth, counts)
    }
}

impl Metric for ChainMeter {
    fn add(&mut self, program: &Program) {
        self.values.add_hart(program.last().0.hart);
    }

    fn take(&mut self, stretch: &Stretch<'_>) {
        stretch.for_each(|step| {
            let ready = self.values.ready(&step);
            let done = match ram_use(&step).accesses {
                0 => ready,
                _ => Path {
                    depth: ready.depth + 1,
                    chain: self.chains.extend(ready.chain, step.instruction.0),
                },
            };
            self.values.complete(&step, ready, done);
            self.deepest = self.deepest.latest(done);
            if self.chains.is_full() {
                self.join();
            }
        });
    }

    /// With places, as far as the profile has any.
    fn finish(self: Box<Self>, run: &Run<'_>, counted: &mut Counted) {
        if !run.has_addresses {
            return;
        }
        let profile = counted.profile.as_ref();
        let profile = profile.and_then(|profile| profile.as_ref().ok());
        let (depth, counts) = self.deepest();
        let part = |(id, accesses): (InstructionId, u64)| {
            let number = id.0 as usize;
            let site = counted.sites_of_instructions.get(number);
            let site = profile.zip(site);
            let site = site.map(|(profile, site)| &profile.sites[*site as usize]);
            ChainInstruction::new(&run.program.instructions[number], accesses, site)
        };
        let instructions = counts.into_iter().filter_map(part).collect();
        counted.memory_chain = Some(MemoryChain::of(depth, instructions));
    }
}
