//! Which instructions are on the deepest chain of RAM accesses: those that make 𝒟 what it is.

mod chains;

use crate::cache::AccessKind;
use crate::dataflow::{Lanes, Rules, Values};
use crate::trace::isa::Register;
use crate::trace::{Instruction, InstructionId};
use loopsheet_regions::SourceLine;

use super::analysis::Counted;
use super::catalogue::Entry;
use super::metric::{Metric, Program, Run, Stretch, ram_use};
use super::profile::Site;

use chains::{ChainId, Chains, EMPTY};

pub(super) const ENTRY: Entry = Entry {
    name: "memory_chain",
    meaning: "which instructions are on the deepest chain of RAM accesses",
    make: |asked| {
        let meter = || Box::new(ChainMeter::new(asked.settings.rules)) as Box<dyn Metric>;
        Ok(asked.settings.memory_chain.then(meter))
    },
};

/// The deepest chain: the RAM accesses of one path with most of them; of several such paths that which the program
/// finished first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryChain {
    /// 𝒟: accesses on the chain.
    pub depth: u64,
    /// By source line, the most accesses first; empty if the program is not known.
    pub lines: Vec<ChainLine>,
    /// The most accesses first, then by first execution.
    pub instructions: Vec<ChainInstruction>,
}

/// The part of a source line, or of a function that has no lines. An atomic counts as load and as store, but as one access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainLine {
    pub function: String,
    pub place: Option<SourceLine>,
    pub accesses: u64,
    pub loads: u64,
    pub stores: u64,
    /// Of the accesses, those relative to the stack pointer: values kept there for want of registers, saved
    /// registers, local arrays.
    pub stack: u64,
}

/// The part of one instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainInstruction {
    pub pc: Option<u64>,
    /// As the trace has it.
    pub text: Box<str>,
    pub kind: AccessKind,
    pub is_on_stack: bool,
    pub accesses: u64,
    /// Function and place, as far as they are known.
    pub function: Option<String>,
    pub place: Option<SourceLine>,
}

impl ChainInstruction {
    /// `None` if the instruction accesses no memory, and so is on no chain.
    fn new(
        instruction: &Instruction,
        accesses: u64,
        site: Option<&Site>,
    ) -> Option<ChainInstruction> {
        let facts = &instruction.decoded.facts;
        let place = site.and_then(|site| {
            Some(SourceLine {
                file: site.file.clone()?,
                line: site.line?,
            })
        });
        Some(ChainInstruction {
            pc: instruction.pc,
            text: instruction.text.clone(),
            kind: facts.access?.kind,
            is_on_stack: facts
                .reads
                .iter()
                .any(|operand| operand.register == Register::STACK_POINTER),
            accesses,
            function: site.map(|site| site.inlined.last().unwrap_or(&site.function).clone()),
            place,
        })
    }
}

impl MemoryChain {
    /// Adds up instructions, given most accesses first, by source line.
    fn of(depth: u64, instructions: Vec<ChainInstruction>) -> MemoryChain {
        let mut lines: Vec<ChainLine> = Vec::new();
        for instruction in &instructions {
            let Some(function) = &instruction.function else {
                continue;
            };
            let is_same =
                |line: &ChainLine| line.function == *function && line.place == instruction.place;
            let at = lines.iter().position(is_same).unwrap_or_else(|| {
                let (function, place) = (function.clone(), instruction.place.clone());
                lines.push(ChainLine {
                    function,
                    place,
                    accesses: 0,
                    loads: 0,
                    stores: 0,
                    stack: 0,
                });
                lines.len() - 1
            });
            let ChainLine {
                accesses,
                loads,
                stores,
                stack,
                ..
            } = &mut lines[at];
            let count = |counts: bool| if counts { instruction.accesses } else { 0 };
            *accesses += instruction.accesses;
            *loads += count(instruction.kind.reads());
            *stores += count(instruction.kind.writes());
            *stack += count(instruction.is_on_stack);
        }
        // Of two that have as many, the one that has the instruction with more stays first.
        lines.sort_by_key(|line| std::cmp::Reverse(line.accesses));
        MemoryChain {
            depth,
            lines,
            instructions,
        }
    }
}

/// RAM accesses on the longest path up to a value, and the chain that they are.
#[derive(Clone, Copy, Debug)]
struct Path {
    depth: u64,
    chain: ChainId,
}

impl Lanes for Path {
    const START: Path = Path {
        depth: 0,
        chain: EMPTY,
    };
    type Kept = (u64, ChainId);

    /// Of two that are as long, the one that is asked first.
    #[inline(always)]
    fn latest(self, other: Path) -> Path {
        if other.depth > self.depth {
            other
        } else {
            self
        }
    }

    #[inline(always)]
    fn keep(self) -> (u64, ChainId) {
        (self.depth, self.chain)
    }

    #[inline(always)]
    fn recall((depth, chain): (u64, ChainId)) -> Path {
        Path { depth, chain }
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
