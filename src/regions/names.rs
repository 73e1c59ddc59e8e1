//! Names of loops: the function and the line that a person would look for.

use std::collections::BTreeMap;

use petgraph::graph::NodeIndex;

use super::code::Code;
use super::debug::{Debug, Frame, SourceLine};
use super::flow_graph::{FlowGraph, instructions};
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
pub fn of(function: &Function, code: &Code, graph: &FlowGraph, loops: &[Loop], debug: Option<&Debug>) -> Vec<LoopName> {
    let found: Vec<LoopName> = loops.iter().map(|one| name(function, code, graph, one, debug)).collect();
    number_equals(found, loops, graph)
}

fn name(function: &Function, code: &Code, graph: &FlowGraph, one: &Loop, debug: Option<&Debug>) -> LoopName {
    let by_address = || format!("{}+{:#x}", function.name, graph.blocks[one.header].low - function.low);
    let Some(debug) = debug else { return LoopName { name: by_address(), place: None } };
    let mut frames = BTreeMap::new();
    for &block in &one.blocks {
        let block = graph.blocks[block];
        for (address, _) in instructions(code, block.low, block.high) {
            frames.insert(address, debug.frames(address));
        }
    }
    frames.retain(|_, found| found.last().is_some_and(|frame| frame.place.is_some()));
    let depth = common_depth(&frames);
    let lines: BTreeMap<u64, &SourceLine> =
        frames.iter().filter_map(|(address, found)| Some((*address, found.get(depth)?.place.as_ref()?))).collect();
    let Some(place) = line(graph, one, &lines) else { return LoopName { name: by_address(), place: None } };
    let inlined = frames.values().next().and_then(|found| found[depth].function.as_ref()).filter(|_| depth > 0);
    let name = match inlined {
        Some(inlined) => format!("{inlined}@{} (in {})", place.line, function.name),
        None => format!("{}@{}", function.name, place.line),
    };
    LoopName { name, place: Some(place) }
}

/// How deep the function whose loop this is was inlined: all its instructions come from the same calls down to there.
fn common_depth(frames: &BTreeMap<u64, Vec<Frame>>) -> usize {
    let Some(first) = frames.values().next() else { return 0 };
    let same_down_to = |depth: usize| {
        frames.values().all(|other| {
            other.get(depth).is_some_and(|frame| frame.function == first[depth].function)
                && other[depth - 1].place == first[depth - 1].place
        })
    };
    (1..first.len()).take_while(|&depth| same_down_to(depth)).last().unwrap_or(0)
}

/// The first line with an instruction that decides whether the loop goes on: that of `for`, `do` or `while`. The
/// smallest line of all would mislead where constants set before the loop are made anew inside. If most of the loop
/// stands above, as in `do … while`, it is the smallest line after all.
fn line(graph: &FlowGraph, one: &Loop, lines: &BTreeMap<u64, &SourceLine>) -> Option<SourceLine> {
    let mut files: BTreeMap<&str, usize> = BTreeMap::new();
    for place in lines.values() {
        *files.entry(&place.file).or_default() += 1;
    }
    let own = files.iter().max_by_key(|(_, count)| **count).map(|(file, _)| *file)?;
    let in_own: Vec<u32> = lines.values().filter(|place| place.file == own).map(|place| place.line).collect();
    let smallest = in_own.iter().copied().min()?;
    let decides = |&&block: &&usize| {
        let is_jump = matches!(graph.blocks[block].flow, Flow::Branch(_) | Flow::Jump(_));
        let leaves_or_repeats = |to: NodeIndex| to.index() == one.header || one.blocks.binary_search(&to.index()).is_err();
        is_jump && graph.steps.neighbors(NodeIndex::new(block)).any(leaves_or_repeats)
    };
    let deciding = one.blocks.iter().filter(decides).filter_map(|&block| lines.get(&graph.blocks[block].last));
    let control = deciding.filter(|place| place.file == own).map(|place| place.line).min();
    let line = control.filter(|control| in_own.iter().filter(|line| *line < control).count() * 2 <= in_own.len());
    Some(SourceLine { file: own.to_string(), line: line.unwrap_or(smallest) })
}

/// In the order of addresses; a loop comes before those inside it.
fn number_equals(mut names: Vec<LoopName>, loops: &[Loop], graph: &FlowGraph) -> Vec<LoopName> {
    let mut order: Vec<usize> = (0..loops.len()).collect();
    order.sort_by_key(|&number| (graph.blocks[loops[number].blocks[0]].low, number));
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    for number in order {
        let count = seen.entry(names[number].name.clone()).or_default();
        *count += 1;
        if *count > 1 {
            let suffix = format!("#{count}");
            let name = &mut names[number].name;
            let at = name.find(" (in ").unwrap_or(name.len());
            name.insert_str(at, &suffix);
        }
    }
    names
}
