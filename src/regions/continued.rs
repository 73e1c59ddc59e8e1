//! Which marks of a statement go on with the same execution of it?
//!
//! A macro with several statements has all of them where it is used: at one line and column, marked one after the
//! other. Each of these marks is passed, but the source passes that place once:
//!
//! ```text
//! 12:5  a mark ── code ── 12:5 a mark ── branch ──┬── 12:5 a mark ──┬── 13:5      one execution of 12:5
//!                                                 └─────────────────┘
//! ```
//!
//! A mark goes on with an execution if on every way to it the mark before is one of the same statement. Copies of a
//! loop's body have marks of other statements in between.

use std::sync::Arc;

use petgraph::Incoming;
use petgraph::graph::NodeIndex;
use rustc_hash::FxHashSet;

use super::flow_graph::{Block, FlowGraph};
use super::statements::Statement;

/// A mark by its address and statement.
pub(super) type Mark = (u64, Arc<Statement>);

/// Those that go on.
pub(super) type Continued = FxHashSet<Mark>;

/// The mark before a place.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Before {
    /// Not known yet.
    Open,
    /// One of this statement on every way.
    Only(Arc<Statement>),
    /// Not on every way the same, or none.
    Any,
}

impl Before {
    fn and(self, other: &Before) -> Before {
        match (&self, other) {
            (_, Before::Open) => self,
            (Before::Open, _) => other.clone(),
            (one, other) if one == other => self,
            _ => Before::Any,
        }
    }
}

/// Of the function with these blocks; `marks` has those of one, in their order.
pub(super) fn find(graph: &FlowGraph, marks: &dyn Fn(&Block) -> Vec<Mark>) -> Continued {
    let marks: Vec<Vec<Mark>> = graph.blocks.iter().map(marks).collect();
    let mut found = Continued::default();
    if marks.iter().all(Vec::is_empty) {
        return found;
    }
    let mut ends = vec![Before::Open; graph.blocks.len()];
    let begin = |block: usize, ends: &[Before]| {
        let before = graph
            .steps
            .neighbors_directed(NodeIndex::new(block), Incoming);
        let from = before.fold(Before::Open, |all, one| all.and(&ends[one.index()]));
        // The start of a function, and what nothing leads to, is entered from elsewhere.
        let is_entered = block == 0 || !graph.blocks[block].is_reached;
        if is_entered { Before::Any } else { from }
    };
    let mut is_settled = false;
    while !is_settled {
        is_settled = true;
        for block in 0..graph.blocks.len() {
            let end = match marks[block].last() {
                Some((_, last)) => Before::Only(last.clone()),
                None => begin(block, &ends),
            };
            is_settled &= end == ends[block];
            ends[block] = end;
        }
    }
    for (block, marks) in marks.into_iter().enumerate() {
        let mut before = begin(block, &ends);
        for (address, statement) in marks {
            if before == Before::Only(statement.clone()) {
                found.insert((address, statement.clone()));
            }
            before = Before::Only(statement);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use petgraph::graph::DiGraph;

    use super::super::debug::SourceLine;
    use super::super::flow_graph::Step;
    use super::*;
    use crate::trace::isa::Flow;

    fn statement(line: u32) -> Arc<Statement> {
        let file = "a.c".to_string();
        Arc::new(Statement {
            line: SourceLine { file, line },
            column: 5,
        })
    }

    /// Blocks of one address each with the lines of their marks, and the steps between them; addresses and lines of
    /// the marks that go on.
    fn continued(lines: &[&[u32]], steps: &[(u32, u32)]) -> Vec<(u64, u32)> {
        let block = |number: usize| Block {
            low: number as u64,
            high: number as u64 + 1,
            last: number as u64,
            flow: Flow::Next,
            is_reached: true,
        };
        let mut graph = DiGraph::new();
        lines.iter().for_each(|_| {
            graph.add_node(());
        });
        for (from, to) in steps {
            graph.add_edge(NodeIndex::from(*from), NodeIndex::from(*to), Step::Sure);
        }
        let graph = FlowGraph {
            blocks: (0..lines.len()).map(block).collect(),
            steps: graph,
        };
        let marks = |block: &Block| {
            let own = lines[block.low as usize].iter();
            own.map(|line| (block.low, statement(*line))).collect()
        };
        let found = find(&graph, &marks);
        let mut found: Vec<(u64, u32)> = (found.into_iter())
            .map(|(address, statement)| (address, statement.line.line))
            .collect();
        found.sort_unstable();
        found
    }

    #[test]
    fn statements_of_a_macro_are_one_also_behind_a_branch() {
        let lines: [&[u32]; 4] = [&[12], &[12], &[12, 13], &[12]];
        // Block 3 comes after line 13: another execution.
        let steps = [(0, 1), (0, 2), (1, 2), (2, 3)];
        assert_eq!(continued(&lines, &steps), [(1, 12), (2, 12)]);
    }

    #[test]
    fn copies_of_a_body_are_executions_of_their_own() {
        // Unrolled twice, with the step on line 11; and a loop whose first round comes from elsewhere.
        assert_eq!(
            continued(&[&[10], &[12, 11, 12, 11]], &[(0, 1), (1, 1)]),
            []
        );
        assert_eq!(continued(&[&[10], &[12]], &[(0, 1), (1, 1)]), []);
    }
}
