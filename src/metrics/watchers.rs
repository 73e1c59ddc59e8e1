//! The metrics at work: each in a thread of its own while what comes next is resolved, or all in this one where a trace is
//! short. A metric sees every stretch in program order and shares nothing with another one, so figures do not depend on
//! how many threads there are.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use super::counted::RegionId;
use super::metric::{Metric, Program, Stretch};
use super::profile::Moved;
use super::ram::RamUse;
use crate::dataflow::{Block, Operation, Steps};
use crate::trace::Instruction;

/// A stretch of the program order that the metrics have not seen.
#[derive(Default)]
pub(super) struct Ahead {
    /// Instructions that appear in it for the first time.
    pub added: Vec<Added>,
    /// Blocks of them, and of those before.
    pub blocks: Vec<Block>,
    pub steps: Steps<RamUse>,
    pub moved: Vec<Moved>,
}

/// An instruction with what is known of it.
#[derive(Clone)]
pub(super) struct Added {
    pub instruction: Instruction,
    pub operation: Operation,
    pub cycles: u64,
    pub region: RegionId,
    pub is_omitted: bool,
}

impl Program {
    pub(super) fn push(&mut self, added: Added) {
        self.operations.push(added.operation);
        self.cycles.push(added.cycles);
        self.is_omitted.push(added.is_omitted);
        self.regions.push(added.region);
        self.instructions.push(added.instruction);
    }
}

/// Stretches that may be on their way to a metric.
const UNDER_WAY: usize = 3;

/// All metrics of a run.
pub(super) struct Watchers {
    /// Levels of caches whose moved bytes are shown.
    levels: usize,
    /// Those without a thread.
    pub metrics: Vec<Box<dyn Metric>>,
    threads: Vec<Thread>,
    /// Stretches to be used again when nobody looks at them any more.
    used: Vec<Arc<Ahead>>,
}

struct Thread {
    sender: SyncSender<Arc<Ahead>>,
    handle: JoinHandle<Box<dyn Metric>>,
}

impl Watchers {
    pub fn new(metrics: Vec<Box<dyn Metric>>, levels: usize) -> Watchers {
        Watchers {
            levels,
            metrics,
            threads: Vec::new(),
            used: Vec::new(),
        }
    }

    /// Shows the next stretch, behind which there are more; returns an empty one.
    pub fn show(&mut self, ahead: Ahead) -> Ahead {
        if self.threads.is_empty() {
            let levels = self.levels;
            let metrics = self.metrics.drain(..);
            self.threads = metrics.map(|metric| Thread::new(metric, levels)).collect();
        }
        let ahead = Arc::new(ahead);
        for thread in &self.threads {
            // Whoever does not listen any more has panicked, which shows in the end.
            let _ = thread.sender.send(ahead.clone());
        }
        self.used.push(ahead);
        let free = self
            .used
            .iter()
            .position(|used| Arc::strong_count(used) == 1);
        let free = free.and_then(|free| Arc::into_inner(self.used.swap_remove(free)));
        let mut free = free.unwrap_or_default();
        free.added.clear();
        free.blocks.clear();
        free.steps.clear();
        free.moved.clear();
        free
    }

    /// Shows the last stretch; the metrics in their order.
    pub fn finish(mut self, ahead: Ahead) -> Vec<Box<dyn Metric>> {
        if self.threads.is_empty() {
            for metric in &mut self.metrics {
                take(
                    metric.as_mut(),
                    &mut Program::default(),
                    &ahead,
                    self.levels,
                );
            }
            return self.metrics;
        }
        let _ = self.show(ahead);
        let ended = self.threads.into_iter().map(Thread::finish);
        ended.collect()
    }
}

impl Thread {
    fn new(metric: Box<dyn Metric>, levels: usize) -> Thread {
        let (sender, stretches) = sync_channel(UNDER_WAY);
        let handle = std::thread::spawn(move || watch(metric, &stretches, levels));
        Thread { sender, handle }
    }

    fn finish(self) -> Box<dyn Metric> {
        drop(self.sender);
        let ended = self.handle.join();
        ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

fn watch(
    mut metric: Box<dyn Metric>,
    stretches: &Receiver<Arc<Ahead>>,
    levels: usize,
) -> Box<dyn Metric> {
    let mut program = Program::default();
    for ahead in stretches {
        take(metric.as_mut(), &mut program, &ahead, levels);
    }
    metric
}

fn take(metric: &mut dyn Metric, program: &mut Program, ahead: &Ahead, levels: usize) {
    for added in &ahead.added {
        program.push(added.clone());
        metric.add(program);
    }
    program.blocks.extend_from_slice(&ahead.blocks);
    metric.take(&Stretch {
        program,
        steps: &ahead.steps,
        levels,
        moved: &ahead.moved,
    });
}
