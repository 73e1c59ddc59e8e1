//! Names of loops: the function and the line that a person would look for.

use std::collections::BTreeMap;

use petgraph::graph::NodeIndex;

use super::code::Code;
use super::debug::{Debug, Frame, SourceLine};
use super::flow_graph::{Block, FlowGraph, instructions};
use super::loops::Loop;
use crate::binary::Function;
use crate::trace::isa::Flow;

/// What a loop is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopName {
    /// `function@line`, `function@line (in caller)` where the function was inlined, or `function+0xoffset` of the
    /// header without line information; from the second of the same name on with `#2`, `#3` …
    pub name: String,
    pub place: Option<SourceLine>,
}

/// A name for every loop, in their order.
pub fn of(
    function: &Function,
    code: &Code,
    graph: &FlowGraph,
    loops: &[Loop],
    debug: Option<&Debug>,
) -> Vec<LoopName> {
    let found: Vec<Parts> = loops
        .iter()
        .map(|one| parts(function, code, graph, one, debug))
        .collect();
    numbered(found, loops, graph)
}

/// What a loop's name is made of.
struct Parts {
    own: String,
    /// The function that the loop's was inlined in.
    caller: Option<String>,
    place: Option<SourceLine>,
}

fn parts(
    function: &Function,
    code: &Code,
    graph: &FlowGraph,
    one: &Loop,
    debug: Option<&Debug>,
) -> Parts {
    let place = debug.and_then(|debug| own_frame(code, graph, one, debug));
    let Some((frame, place)) = place else {
        let header = graph.blocks[one.header].low;
        return Parts {
            own: format!("{}+{:#x}", function.name, header - function.low),
            caller: None,
            place: None,
        };
    };
    let caller = frame.is_some().then(|| function.name.clone());
    let written_in = frame.unwrap_or_else(|| function.name.clone());
    Parts {
        own: format!("{written_in}@{}", place.line),
        caller,
        place: Some(place),
    }
}

/// Where a loop was written, and the function there if it was inlined.
fn own_frame(
    code: &Code,
    graph: &FlowGraph,
    one: &Loop,
    debug: &Debug,
) -> Option<(Option<String>, SourceLine)> {
    let mut frames = BTreeMap::new();
    for &block in &one.blocks {
        let block = graph.blocks[block];
        for (address, _) in instructions(code, block.low, block.high) {
            frames.insert(address, debug.frames(address));
        }
    }
    frames.retain(|_, found: &mut Vec<Frame>| {
        found.last().is_some_and(|frame| frame.place.is_some())
    });
    let deciding = |address: &u64| {
        graph
            .block_at(*address)
            .is_some_and(|block| decides(graph, one, block, *address))
    };
    let mut witnesses: Vec<&Vec<Frame>> = frames
        .iter()
        .filter(|(at, _)| deciding(at))
        .map(|(_, f)| f)
        .collect();
    if witnesses.is_empty() {
        witnesses = frames.values().collect();
    }
    let depth = common_depth(&witnesses);
    let first: &[Frame] = witnesses.first()?;
    let lines: BTreeMap<u64, &SourceLine> = frames
        .iter()
        .filter(|(_, other)| is_same_down_to(depth, first, other))
        .filter_map(|(address, found)| Some((*address, found[depth].place.as_ref()?)))
        .collect();
    let control = lines
        .iter()
        .filter(|(at, _)| deciding(at))
        .map(|(_, place)| place.line)
        .min();
    let inlined = first[depth].function.clone().filter(|_| depth > 0);
    Some((inlined, line(control, lines.values().copied())?))
}

/// Whether the instruction at this address, of this block, leaves the loop or begins the next round.
fn decides(graph: &FlowGraph, one: &Loop, block: usize, address: u64) -> bool {
    let Block { last, flow, .. } = graph.blocks[block];
    let ends =
        |to: NodeIndex| to.index() == one.header || one.blocks.binary_search(&to.index()).is_err();
    address == last
        && matches!(flow, Flow::Branch(_) | Flow::Jump(_))
        && graph.steps.neighbors(NodeIndex::new(block)).any(ends)
}

/// How deep the function whose loop this is was inlined: the instructions come from the same calls down to there.
/// Only those that decide on another round are asked, as others may have been moved there from around the loop.
fn common_depth(witnesses: &[&Vec<Frame>]) -> usize {
    let Some(first) = witnesses.first() else {
        return 0;
    };
    (1..first.len())
        .take_while(|&depth| {
            witnesses
                .iter()
                .all(|other| is_same_down_to(depth, first, other))
        })
        .last()
        .unwrap_or(0)
}

fn is_same_down_to(depth: usize, one: &[Frame], other: &[Frame]) -> bool {
    let calls_agree = (0..depth).all(|d| {
        other
            .get(d)
            .is_some_and(|frame| frame.place == one[d].place)
    });
    calls_agree
        && other
            .get(depth)
            .is_some_and(|frame| depth == 0 || frame.function == one[depth].function)
}

/// The first line of the instructions that decide on another round: that of `for`, `do` or `while`. The smallest
/// line of all would mislead where constants set before the loop are made again inside. If most of the loop stands
/// above, as in `do … while`, it is the smallest line after all.
fn line<'l>(
    control: Option<u32>,
    lines: impl Iterator<Item = &'l SourceLine>,
) -> Option<SourceLine> {
    let mut files: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for place in lines {
        files.entry(&place.file).or_default().push(place.line);
    }
    let (file, lines) = files.iter().max_by_key(|(_, lines)| lines.len())?;
    let smallest = *lines.iter().min()?;
    let control = control
        .filter(|control| lines.iter().filter(|line| *line < control).count() * 2 <= lines.len());
    Some(SourceLine {
        file: (*file).to_string(),
        line: control.unwrap_or(smallest),
    })
}

/// Names with the numbers of equal ones, in the order of addresses; a loop comes before those inside it.
fn numbered(parts: Vec<Parts>, loops: &[Loop], graph: &FlowGraph) -> Vec<LoopName> {
    let mut order: Vec<usize> = (0..loops.len()).collect();
    order.sort_by_key(|&number| (graph.blocks[loops[number].blocks[0]].low, number));
    let mut seen: BTreeMap<(&str, &Option<String>), u32> = BTreeMap::new();
    let mut counts = vec![0; parts.len()];
    for number in order {
        let Parts { own, caller, .. } = &parts[number];
        let count = seen.entry((own, caller)).or_default();
        *count += 1;
        counts[number] = *count;
    }
    let name = |(parts, count): (Parts, u32)| {
        let number = match count {
            1 => String::new(),
            count => format!("#{count}"),
        };
        let caller = parts.caller.map(|caller| format!(" (in {caller})"));
        LoopName {
            name: format!("{}{number}{}", parts.own, caller.unwrap_or_default()),
            place: parts.place,
        }
    };
    parts.into_iter().zip(counts).map(name).collect()
}
