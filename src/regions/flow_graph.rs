//! The control flow of a function, from its machine words: basic blocks and where each goes on.

use std::collections::BTreeSet;

use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::Dfs;

use super::code::Code;
use crate::trace::isa::{Flow, control_flow, length};

/// Instructions that are executed one after the other: addresses `low..high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    pub low: u64,
    pub high: u64,
    /// Address and flow of the last instruction.
    pub last: u64,
    pub flow: Flow,
    /// Whether a path leads here from the start of the function.
    pub is_reached: bool,
}

/// How sure a step from one block to the next is, the surest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// A branch, a jump, or simply the next instruction.
    Sure,
    /// From a jump table to code that nothing else leads to; tables are not read.
    Table,
    /// Past a call, which may never return.
    AfterCall,
}

/// Blocks are numbered by address; the first is the start.
#[derive(Clone, Debug)]
pub struct FlowGraph {
    pub blocks: Vec<Block>,
    /// Nodes have the numbers of blocks.
    pub steps: DiGraph<(), Step>,
}

impl FlowGraph {
    /// Of the function at `low..high`. Control that leaves it ends there; what is called is left out.
    pub fn of(code: &Code, low: u64, high: u64) -> FlowGraph {
        let mut blocks = blocks(code, low, high);
        let mut steps = DiGraph::with_capacity(blocks.len(), 2 * blocks.len());
        for _ in &blocks {
            steps.add_node(());
        }
        let at = |address: u64| {
            blocks
                .binary_search_by_key(&address, |block| block.low)
                .ok()
        };
        for (number, block) in blocks.iter().enumerate() {
            let mut add = |to: Option<usize>, step: Step| {
                if let Some(to) = to {
                    steps.update_edge(NodeIndex::new(number), NodeIndex::new(to), step);
                }
            };
            let target = |offset: i32| at(block.last.wrapping_add_signed(i64::from(offset)));
            match block.flow {
                Flow::Next => add(at(block.high), Step::Sure),
                Flow::Call(_) => add(at(block.high), Step::AfterCall),
                Flow::Jump(offset) => add(target(offset), Step::Sure),
                Flow::Branch(offset) => {
                    add(at(block.high), Step::Sure);
                    add(target(offset), Step::Sure);
                }
                Flow::Indirect => {}
            }
        }
        add_tables(code, &blocks, &mut steps);
        let mut reached = Dfs::new(&steps, NodeIndex::new(0));
        while !blocks.is_empty()
            && let Some(node) = reached.next(&steps)
        {
            blocks[node.index()].is_reached = true;
        }
        FlowGraph { blocks, steps }
    }

    /// The block with this instruction.
    pub fn block_at(&self, address: u64) -> Option<usize> {
        let number = self
            .blocks
            .partition_point(|block| block.low <= address)
            .checked_sub(1)?;
        (address < self.blocks[number].high).then_some(number)
    }
}

/// Addresses and words of the instructions at `low..high`.
pub fn instructions(code: &Code, low: u64, high: u64) -> impl Iterator<Item = (u64, u32)> + '_ {
    let mut address = low;
    std::iter::from_fn(move || {
        let word = code.word(address).filter(|_| address < high)?;
        let this = address;
        address += u64::from(length(word));
        Some((this, word))
    })
}

fn blocks(code: &Code, low: u64, high: u64) -> Vec<Block> {
    let mut starts = BTreeSet::from([low]);
    for (address, word) in instructions(code, low, high) {
        let flow = control_flow(word);
        if flow != Flow::Next {
            starts.insert(address + u64::from(length(word)));
        }
        if let Flow::Branch(offset) | Flow::Jump(offset) = flow {
            starts.insert(address.wrapping_add_signed(i64::from(offset)));
        }
    }
    let mut blocks: Vec<Block> = Vec::new();
    for (address, word) in instructions(code, low, high) {
        let (after, flow) = (address + u64::from(length(word)), control_flow(word));
        match blocks.last_mut().filter(|_| !starts.contains(&address)) {
            Some(block) => (block.high, block.last, block.flow) = (after, address, flow),
            None => blocks.push(Block {
                low: address,
                high: after,
                last: address,
                flow,
                is_reached: false,
            }),
        }
    }
    blocks
}

/// Code that nothing leads to is what the jump table before it leads to.
fn add_tables(code: &Code, blocks: &[Block], steps: &mut DiGraph<(), Step>) {
    let is_table = |block: &Block| {
        block.flow == Flow::Indirect && !code.word(block.last).is_some_and(is_return)
    };
    let mut table = None;
    for (number, block) in blocks.iter().enumerate() {
        let node = NodeIndex::new(number);
        if let Some(table) = table
            && steps
                .neighbors_directed(node, petgraph::Incoming)
                .next()
                .is_none()
        {
            steps.update_edge(table, node, Step::Table);
        }
        if is_table(block) {
            table = Some(node);
        }
    }
}

/// Of a call: whether what it calls returns to it, by one of the registers for that. Stubs of shared libraries link
/// by another one, and the function that they lead to returns to their caller.
pub(super) fn is_returned_to(word: u32) -> bool {
    length(word) == 2 || matches!(word >> 7 & 31, 1 | 5)
}

/// Of an indirect jump: whether it goes to the address in a link register, `ra` or `t0`.
pub(super) fn is_return(word: u32) -> bool {
    let register = if length(word) == 2 {
        word >> 7 & 31
    } else {
        word >> 15 & 31
    };
    register == 1 || register == 5
}
