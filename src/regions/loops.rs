//! Loops of a function: the natural loops of its control flow, and how they nest.

use std::collections::BTreeSet;

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;

use super::flow_graph::{FlowGraph, Step};

/// A loop: the blocks that control can go round in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// Number of the block through which it is entered.
    pub header: usize,
    /// Numbers of all its blocks, those of inner loops too, ascending.
    pub blocks: Vec<usize>,
    /// Number of the next loop around it.
    pub parent: Option<usize>,
    /// Whether the loop around it begins with the same block: two loops of the source may, and so may one of which some
    /// rounds are cut short (`continue`).
    pub shares_header: bool,
}

/// Loops with more ways back to their header are not looked through for several that share it.
const MOST_LATCHES: usize = 8;

/// The loops of a function, each after those around it.
///
/// A loop is a strongly connected part of the flow graph; the inner loops are those that remain without the steps
/// to its header. Where every loop has one entry this gives the natural loops; of those that share a header the ones
/// that hold another are loops of their own. A loop with several entries, which has no natural loop, is entered by the surest of them: code past
/// a call that never returns seems to enter any loop that happens to stand behind it.
pub fn find(graph: &FlowGraph) -> Vec<Loop> {
    let mut loops: Vec<Loop> = Vec::new();
    let mut work: Vec<(Vec<usize>, Option<usize>)> =
        vec![((0..graph.blocks.len()).collect(), None)];
    while let Some((blocks, parent)) = work.pop() {
        let header_around = parent.map(|parent: usize| loops[parent].header);
        for part in cycles(graph, &blocks, header_around) {
            let number = loops.len();
            let header = header(graph, &part);
            let inner = sharing_header(graph, &part, header);
            loops.push(Loop {
                header,
                blocks: part.clone(),
                parent,
                shares_header: false,
            });
            let mut left = part;
            for (number, part) in (number..).zip(inner) {
                left.retain(|block| part.binary_search(block).is_err());
                work.push((std::mem::replace(&mut left, part.clone()), Some(number)));
                loops.push(Loop {
                    header,
                    blocks: part,
                    parent: Some(number),
                    shares_header: true,
                });
            }
            if left.len() > 1 {
                work.push((left, Some(loops.len() - 1)));
            }
        }
    }
    loops
}

/// Natural loops with this header inside the loop that has these blocks, each inside the one before: what the ways back
/// to the header go through, if all longer ways go through it too.
fn sharing_header(graph: &FlowGraph, blocks: &[usize], header: usize) -> Vec<Vec<usize>> {
    let is_inside = |block: &usize| blocks.binary_search(block).is_ok();
    let back = graph
        .steps
        .neighbors_directed(NodeIndex::new(header), petgraph::Incoming);
    let latches: Vec<usize> = back
        .map(petgraph::prelude::NodeIndex::index)
        .filter(is_inside)
        .collect();
    if !(2..=MOST_LATCHES).contains(&latches.len()) {
        return Vec::new();
    }
    let mut natural: Vec<(usize, Vec<usize>)> = latches
        .iter()
        .map(|&latch| (latch, natural_loop(graph, blocks, header, latch)))
        .collect();
    natural.sort_by_key(|(latch, blocks)| (blocks.len(), *latch));
    let mut found: Vec<Vec<usize>> = Vec::new();
    while natural.len() > 1 {
        let (_, smallest) = natural.remove(0);
        natural.retain(|(latch, _)| smallest.binary_search(latch).is_err());
        let holds = |outer: &[usize]| {
            smallest
                .iter()
                .all(|block| outer.binary_search(block).is_ok())
        };
        if !natural.is_empty() && natural.iter().all(|(_, outer)| holds(outer)) {
            found.push(smallest);
        }
    }
    found.reverse();
    found
}

/// The header, and the blocks among these from which the latch is reached without it; ascending.
fn natural_loop(graph: &FlowGraph, blocks: &[usize], header: usize, latch: usize) -> Vec<usize> {
    let mut found = BTreeSet::from([header, latch]);
    let mut work = vec![latch];
    while let Some(block) = work.pop().filter(|block| *block != header) {
        for before in graph
            .steps
            .neighbors_directed(NodeIndex::new(block), petgraph::Incoming)
        {
            if blocks.binary_search(&before.index()).is_ok() && found.insert(before.index()) {
                work.push(before.index());
            }
        }
    }
    found.into_iter().collect()
}

/// The innermost loop of every block.
pub fn innermost(loops: &[Loop], blocks: usize) -> Vec<Option<usize>> {
    let mut innermost = vec![None; blocks];
    for (number, found) in loops.iter().enumerate() {
        for &block in &found.blocks {
            innermost[block] = Some(number);
        }
    }
    innermost
}

/// Strongly connected parts with a cycle among these blocks, without steps to the header of the loop around.
fn cycles(graph: &FlowGraph, blocks: &[usize], header_around: Option<usize>) -> Vec<Vec<usize>> {
    let mut part = DiGraph::<usize, ()>::with_capacity(blocks.len(), 2 * blocks.len());
    for &block in blocks {
        part.add_node(block);
    }
    for (from, &block) in blocks.iter().enumerate() {
        for to in graph.steps.neighbors(NodeIndex::new(block)) {
            if Some(to.index()) != header_around
                && let Ok(to) = blocks.binary_search(&to.index())
            {
                part.add_edge(NodeIndex::new(from), NodeIndex::new(to), ());
            }
        }
    }
    let has_cycle =
        |nodes: &Vec<NodeIndex>| nodes.len() > 1 || part.contains_edge(nodes[0], nodes[0]);
    let mut cycles: Vec<Vec<usize>> = kosaraju_scc(&part)
        .into_iter()
        .filter(has_cycle)
        .map(|nodes| {
            let mut blocks: Vec<usize> = nodes.into_iter().map(|node| part[node]).collect();
            blocks.sort_unstable();
            blocks
        })
        .collect();
    cycles.sort();
    cycles
}

/// The block with the surest step from outside; of equals the first. The start of the function is entered by
/// every call.
fn header(graph: &FlowGraph, blocks: &[usize]) -> usize {
    let surest = |&&block: &&usize| {
        let entries = graph
            .steps
            .edges_directed(NodeIndex::new(block), petgraph::Incoming);
        let from_outside =
            entries.filter(|step| blocks.binary_search(&step.source().index()).is_err());
        let sureness = |step: Step, is_reached: bool| if is_reached { step as usize } else { 3 };
        let best = from_outside
            .map(|s| sureness(*s.weight(), graph.blocks[s.source().index()].is_reached))
            .min();
        if block == 0 { 0 } else { best.unwrap_or(4) }
    };
    blocks
        .iter()
        .min_by_key(surest)
        .copied()
        .unwrap_or(blocks[0])
}
