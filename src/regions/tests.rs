//! Loops of code assembled by GNU as, and of random flow graphs against their dominators.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::algo::dominators::simple_fast;
use petgraph::algo::is_cyclic_directed;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;
use proptest::prelude::*;

use super::code::Code;
use super::flow_graph::{Block, FlowGraph, Step};
use super::loops::{self, find};
use crate::trace::isa::Flow;

const BASE: u64 = 0x1_0000;

/// Header, blocks as `low-high` and header of the loop around, for each loop; addresses from the start of the code.
fn check(words: &[u32], expected: &[&str]) {
    let mut bytes = Vec::new();
    for word in words {
        let length = if word & 3 == 3 { 4 } else { 2 };
        bytes.extend_from_slice(&word.to_le_bytes()[..length]);
    }
    let high = BASE + bytes.len() as u64;
    let graph = FlowGraph::of(&Code::new(vec![(BASE, bytes)]), BASE, high);
    let found = find(&graph);
    let text = |one: &loops::Loop| {
        let low = |block: usize| graph.blocks[block].low - BASE;
        let blocks: Vec<String> = one
            .blocks
            .iter()
            .map(|&b| format!("{:x}-{:x}", low(b), graph.blocks[b].high - BASE))
            .collect();
        let parent = one.parent.map_or(String::new(), |parent| {
            format!(" in {:x}", low(found[parent].header))
        });
        let shares = if one.shares_header { ", sharing" } else { "" };
        format!(
            "{:x}: {}{parent}{shares}",
            low(one.header),
            blocks.join(" ")
        )
    };
    assert_eq!(found.iter().map(text).collect::<Vec<_>>(), expected);
}

#[test]
fn rotated_loops_nest() {
    // li a4,0; 2: li a5,0; 4: addi a5,a5,1; blt a5,a1,4; addi a4,a4,1; blt a4,a0,2; ret
    let words = [
        0x4701,
        0x4781,
        0x0785,
        0xfeb7_cfe3,
        0x0705,
        0xfea7_4be3,
        0x8082,
    ];
    check(&words, &["2: 2-4 4-a a-10", "4: 4-a in 2"]);
}

#[test]
fn a_loop_entered_by_a_jump_to_its_condition_has_its_header_there() {
    // j 4; 2: addi a5,a5,1; 4: blt a5,a0,2; ret
    check(&[0xa011, 0x0785, 0xfea7_cfe3, 0x8082], &["4: 2-4 4-8"]);
}

#[test]
fn what_goes_round_within_a_loop_from_the_same_start_is_told_apart() {
    // 0: lw a4,0(a0); beqz a4,10; addi a0,a0,4; bltz a4,0; beq a4,a1,10; j 0; 10: ret
    let words = [
        0x4118,
        0xc719,
        0x0511,
        0xfe07_4de3,
        0x00b7_0363,
        0xbfcd,
        0x8082,
    ];
    check(&words, &["0: 0-4 4-a a-e e-10", "0: 0-4 4-a in 0, sharing"]);
    // Ways back that have only the start in common are of one loop.
    // 0: beqz a4,6; addi a0,a0,4; j 0; 6: addi a0,a0,8; bnez a4,0; ret
    check(
        &[0xc319, 0x0511, 0xbff5, 0x0521, 0xff65, 0x8082],
        &["0: 0-2 2-6 6-a"],
    );
    // Three, one inside the other: 0: addi a0,a0,4; bltz a4,0; addi a1,a1,4; bltz a3,0; bnez a2,0; ret
    let words = [0x0511, 0xfe07_4fe3, 0x0591, 0xfe06_cce3, 0xfa75, 0x8082];
    check(
        &words,
        &[
            "0: 0-6 6-c c-e",
            "0: 0-6 6-c in 0, sharing",
            "0: 0-6 in 0, sharing",
        ],
    );
}

#[test]
fn calls_go_on_behind_and_distant_blocks_belong_to_the_loop() {
    // mv s0,a0; 2: jal ra,38; beqz a0,e; 8: addi s0,s0,-1; bnez s0,2; ret; e: li a0,1; j 8
    let words = [
        0x842a,
        0x0360_00ef,
        0xc501,
        0x147d,
        0xfc65,
        0x8082,
        0x4505,
        0xbfe5,
    ];
    check(&words, &["2: 2-6 6-8 8-c e-12"]);
}

#[test]
fn a_call_that_may_not_return_does_not_move_the_header() {
    // blez a0,6; j c; 6: jal ra,26; a: addi a1,a1,1; c: addi a0,a0,-1; bnez a0,a; ret
    let words = [
        0x00a0_5363,
        0xa021,
        0x0200_00ef,
        0x0585,
        0x157d,
        0xfd75,
        0x8082,
    ];
    check(&words, &["c: a-c c-10"]);
}

#[test]
fn cases_of_a_jump_table_belong_to_the_loop_around() {
    // 0: lw a5,0(a0); jr a5; 4: addi a1,a1,1; j a; 8: addi a1,a1,2; a: addi a2,a2,-1; bnez a2,0; ret
    let words = [
        0x411c, 0x8782, 0x0585, 0xa011, 0x0589, 0x167d, 0xfa75, 0x8082,
    ];
    check(&words, &["0: 0-4 4-8 8-a a-e"]);
}

#[test]
fn one_instruction_can_be_a_loop_and_a_tail_call_is_none() {
    // 0: bnez a0,0; j 4
    check(&[0xe101, 0xa009], &["0: 0-2"]);
    check(&[], &[]);
}

/// Natural loops by definition: a step to a dominator is one back; its loop is what reaches its start without passing
/// its end. `None` if there are loops with several entries.
fn natural_loops(steps: &DiGraph<(), Step>) -> Option<BTreeMap<usize, BTreeSet<usize>>> {
    let root = NodeIndex::new(0);
    let dominators = simple_fast(steps, root);
    let is_reached = |node: NodeIndex| dominators.dominators(node).is_some();
    let mut forward = DiGraph::<(), ()>::new();
    for _ in steps.node_indices() {
        forward.add_node(());
    }
    let mut found: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for step in steps
        .edge_references()
        .filter(|step| is_reached(step.source()))
    {
        let is_back = dominators
            .dominators(step.source())
            .is_some_and(|mut above| above.any(|d| d == step.target()));
        if !is_back {
            forward.add_edge(step.source(), step.target(), ());
            continue;
        }
        let body = found.entry(step.target().index()).or_default();
        body.insert(step.target().index());
        let mut work = vec![step.source()];
        while let Some(node) = work.pop() {
            if body.insert(node.index()) {
                work.extend(
                    steps
                        .neighbors_directed(node, petgraph::Incoming)
                        .filter(|&node| is_reached(node)),
                );
            }
        }
    }
    (!is_cyclic_directed(&forward)).then_some(found)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn where_loops_have_one_entry_they_are_the_natural_ones(
        forward in prop::collection::vec((0usize..14, 1usize..5), 0..24),
        back in prop::collection::vec((0usize..14, 0usize..14), 0..6),
    ) {
        const BLOCKS: usize = 14;
        let mut steps = DiGraph::new();
        for _ in 0..BLOCKS {
            steps.add_node(());
        }
        let ends = forward.iter().map(|(from, by)| (*from, (from + by).min(BLOCKS - 1)));
        for (from, to) in (1..BLOCKS).map(|to| (to - 1, to)).chain(ends).chain(back) {
            steps.update_edge(NodeIndex::new(from), NodeIndex::new(to), Step::Sure);
        }
        let block = |number: usize| {
            let low = 2 * number as u64;
            Block { low, high: low + 2, last: low, flow: Flow::Next, is_reached: true }
        };
        let graph = FlowGraph { blocks: (0..BLOCKS).map(block).collect(), steps };
        let found = find(&graph);
        for (number, one) in found.iter().enumerate() {
            prop_assert!(one.blocks.contains(&one.header));
            if let Some(parent) = one.parent {
                prop_assert!(parent < number);
                prop_assert!(one.blocks.iter().all(|block| found[parent].blocks.contains(block)));
                prop_assert_eq!(one.blocks.contains(&found[parent].header), one.shares_header);
                prop_assert_eq!(one.header == found[parent].header, one.shares_header);
                prop_assert!(one.blocks.len() < found[parent].blocks.len());
            }
        }
        if let Some(natural) = natural_loops(&graph.steps) {
            let whole: Vec<&loops::Loop> = found.iter().filter(|one| !one.shares_header).collect();
            prop_assert_eq!(whole.len(), natural.len());
            for one in whole {
                prop_assert_eq!(natural.get(&one.header), Some(&one.blocks.iter().copied().collect()));
            }
        }
    }
}
