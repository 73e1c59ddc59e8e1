//! What watches a trace: the interface between the one pass over it and every metric.
//!
//! The pass ([`super::analysis`]) resolves dependences and RAM accesses once and shows them to the metrics, a stretch of
//! the program order at a time: a metric is called once a stretch and walks through it in a loop of its own, so that
//! nothing is looked up in a table of functions for each instruction. Metrics walk at the same time, each in a thread of
//! its own if there are as many. What a metric wants to know of values that
//! registers and memory hold it keeps in [`crate::dataflow::Values`], beside the shadow that all share.
//!
//! A new metric is
//!
//! 1. its own file here, with a type that implements [`Metric`], the type of its part, and its `ENTRY`;
//! 2. a line in [`super::catalogue`];
//! 3. a test of what it counts.
//!
//! Nothing else of the pass, of the dependences or of the other metrics is touched; `tests/it/own_metric.rs` shows it with a
//! metric from outside of this crate, which [`super::analysis::Analysis::with`] lets watch. A part of a kind that no
//! report has yet also has a field in [`Counted`] and in [`super::report::TraceReport`], and a place in the exports.

use super::counted::{Counted, RegionId};
use super::profile::Moved;
use super::ram::RamUse;
use crate::dataflow::{Block, Operation, Step, Steps, Visitor};
use crate::trace::{Instruction, InstructionId};

/// Watches a trace: takes what was executed, with the dependences that are resolved once for all metrics, and gives its
/// part of what was counted. [`super::catalogue`] lists those that a run may ask for.
pub trait Metric: Send {
    /// Takes note of an instruction, the last one of the program, which appears for the first time.
    fn add(&mut self, program: &Program);

    /// Takes the next stretch of the program order.
    fn take(&mut self, stretch: &Stretch<'_>);

    /// Counts by region too, if that is more than a picture of the whole; called before the first instruction.
    fn split_by_region(&mut self) {}

    /// Whether it looks at [`Stretch::levels_moved`].
    fn watches_levels(&self) -> bool {
        false
    }

    /// Puts its part among what was counted. What was counted by region has an entry for every region by then.
    fn finish(self: Box<Self>, run: &Run<'_>, counted: &mut Counted);
}

/// The instructions that appeared so far, by their number.
#[derive(Default)]
pub struct Program {
    pub instructions: Vec<Instruction>,
    /// Cycles of each on the eDAG.
    pub cycles: Vec<u64>,
    /// The region of each; all in region 0 if nobody asks.
    pub regions: Vec<RegionId>,
    /// Whether the rules have no vertex for it: it is executed, but is in no stretch.
    pub(super) is_omitted: Vec<bool>,
    pub(super) operations: Vec<Operation>,
    pub(super) blocks: Vec<Block>,
}

impl Program {
    /// The instruction that was added last, with its region.
    ///
    /// # Panics
    /// There is none.
    pub fn last(&self) -> (&Instruction, RegionId) {
        let last = self.instructions.len() - 1;
        (&self.instructions[last], self.regions[last])
    }

    pub fn cycles(&self, instruction: InstructionId) -> u64 {
        self.cycles[instruction.0 as usize]
    }

    pub fn region(&self, instruction: InstructionId) -> RegionId {
        self.regions[instruction.0 as usize]
    }
}

/// What was executed after what the metrics have seen so far.
pub struct Stretch<'a> {
    pub program: &'a Program,
    pub(super) steps: &'a Steps<RamUse>,
    pub(super) levels: usize,
    pub(super) moved: &'a [Moved],
}

impl<'a> Stretch<'a> {
    /// Every executed instruction, in program order.
    #[inline(always)]
    pub fn for_each(&self, visit: impl FnMut(Step<'_, RamUse>)) {
        let Program {
            operations, blocks, ..
        } = self.program;
        self.steps.for_each(operations, blocks, visit);
    }

    /// The same, but blocks of instructions together.
    #[inline(always)]
    pub(super) fn for_each_piece(&self, visitor: &mut impl Visitor<RamUse>) {
        let Program {
            operations, blocks, ..
        } = self.program;
        self.steps.for_each_piece(operations, blocks, visitor);
    }

    /// What each cache level has moved from and to what is behind it since the trace began, nearest first: after each
    /// step that left the nearest level ([`RamUse::left_nearest`]). Empty unless a metric watches levels.
    pub fn levels_moved(&self) -> LevelsMoved<'a> {
        LevelsMoved {
            levels: self.levels,
            rest: self.moved,
        }
    }
}

/// See [`Stretch::levels_moved`].
pub struct LevelsMoved<'a> {
    levels: usize,
    rest: &'a [Moved],
}

impl<'a> LevelsMoved<'a> {
    /// Those after the next step that left the nearest level.
    pub fn after_next(&mut self) -> &'a [Moved] {
        let (next, rest) = self.rest.split_at(self.levels);
        self.rest = rest;
        next
    }
}

/// The whole run, once it is over.
pub struct Run<'a> {
    pub program: &'a Program,
    /// How often each instruction was executed.
    pub executions: &'a [u64],
    /// Without addresses nothing is said of memory.
    pub has_addresses: bool,
}

/// RAM accesses of a step.
pub(super) fn ram_use(step: &Step<'_, RamUse>) -> RamUse {
    step.accessed
        .map(|accessed| accessed.used)
        .unwrap_or_default()
}
