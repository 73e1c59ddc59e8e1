//! A greedy schedule of the RAM accesses: what the time bounds speak of, carried out.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::num::NonZeroU32;

use petgraph::Direction;
use petgraph::graph::NodeIndex;
use petgraph::visit::EdgeRef;

use super::{Dependence, Edag};
use crate::metrics::report::GreedySchedule;

impl Edag {
    /// Every RAM access that is ready takes one of the free slots for `latency` cycles, in program
    /// order where there are more of them than slots; everything else takes no time (C = 0). The time
    /// lies between max(𝒲/m, 𝒟)·α and ((𝒲−𝒟)/m + 𝒟)·α, as for any greedy schedule (Graham 1969, Brent 1974).
    pub fn greedy_schedule(&self, slots: NonZeroU32, latency: u64) -> GreedySchedule {
        let mut run = Run::new(self);
        let mut under_way: BinaryHeap<Reverse<(u64, NodeIndex)>> = BinaryHeap::new();
        let mut now = 0;
        loop {
            while under_way.len() < slots.get() as usize {
                let Some(Reverse(access)) = run.ready.pop() else {
                    break;
                };
                run.started(access);
                under_way.push(Reverse((now + latency, access)));
            }
            let Some(Reverse((finish, _))) = under_way.peek() else {
                break;
            };
            now = *finish;
            while let Some(Reverse((finish, access))) = under_way.peek().copied() {
                if finish > now {
                    break;
                }
                under_way.pop();
                run.finished(access);
            }
        }
        GreedySchedule { time: now }
    }
}

struct Run<'a> {
    edag: &'a Edag,
    /// Edges that still hold up each vertex.
    waits: Vec<usize>,
    /// RAM accesses that nothing holds up.
    ready: BinaryHeap<Reverse<NodeIndex>>,
}

impl Run<'_> {
    fn new(edag: &Edag) -> Run<'_> {
        let indices = edag.graph.node_indices();
        let waits: Vec<usize> = indices
            .map(|vertex| {
                edag.graph
                    .edges_directed(vertex, Direction::Incoming)
                    .count()
            })
            .collect();
        let mut run = Run {
            edag,
            waits,
            ready: BinaryHeap::new(),
        };
        let free = edag
            .graph
            .node_indices()
            .filter(|vertex| run.waits[vertex.index()] == 0)
            .collect();
        run.proceed(free);
        run
    }

    /// An access starts: whoever only waited for its operands to be read goes on.
    fn started(&mut self, access: NodeIndex) {
        let freed = self.release(access, |kind| kind == Dependence::Anti);
        self.proceed(freed);
    }

    fn finished(&mut self, access: NodeIndex) {
        let freed = self.release(access, |kind| kind != Dependence::Anti);
        self.proceed(freed);
    }

    /// What takes no time is done at once, and so is what follows from it.
    fn proceed(&mut self, mut free: Vec<NodeIndex>) {
        while let Some(vertex) = free.pop() {
            if self.edag.graph[vertex].misses {
                self.ready.push(Reverse(vertex));
            } else {
                free.extend(self.release(vertex, |_| true));
            }
        }
    }

    /// Takes away edges from a vertex; gives the vertices that nothing holds up any more.
    fn release(&mut self, vertex: NodeIndex, kinds: fn(Dependence) -> bool) -> Vec<NodeIndex> {
        let mut freed = Vec::new();
        for edge in self
            .edag
            .graph
            .edges(vertex)
            .filter(|edge| kinds(edge.weight().kind))
        {
            let waits = &mut self.waits[edge.target().index()];
            *waits -= 1;
            if *waits == 0 {
                freed.push(edge.target());
            }
        }
        freed
    }
}
