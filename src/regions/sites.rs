//! Sites of a program: source lines within machine loops, to which executions are counted.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::base::load_base;
use super::debug::{Frame, SourceLine};
use super::error::RegionError;
use super::fit::Fit;
use super::flow_graph::{Block, instructions};
use super::libraries::{self, Library};
use super::loops::Loop;
use super::map::{Nest, RegionMap};
use super::statements::Statement;
use crate::binary::Variable;
use crate::trace::Instruction;
use crate::trace::isa::{Flow, control_flow, decode_word, is_move};

/// Where an instruction stands, and what its execution says of loops and calls. All numbers are those of
/// [`Places`], except `function`, which is only told apart from others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spot {
    pub site: u32,
    /// `None` where no symbol covers it.
    pub function: Option<u32>,
    /// The innermost loop around it.
    pub innermost: Option<u32>,
    /// The loop whose rounds begin with it; of several that share a header the innermost.
    pub opens: Option<u32>,
    /// The loop that it may leave before the round has begun: a test at the top.
    pub tests: Option<u32>,
    pub has_line: bool,
    pub is_first_of_function: bool,
    /// What it calls returns to it, or to where its function returns to.
    pub call: Option<CallKind>,
    pub is_return: bool,
}

/// How a function is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallKind {
    Call,
    /// A jump to the beginning of another function, which returns to the caller of this one.
    Tail,
}

/// A line of a function in one of its loops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SitePlace {
    /// As in the symbol table; what is known of it where there is none.
    pub function: String,
    /// The functions that were inlined there, outermost first.
    pub inlined: Vec<String>,
    /// Where the calls stand that these were inlined for, outermost first.
    pub called_from: Vec<SourceLine>,
    /// Their columns, 0 where the compiler does not record it.
    pub call_columns: Vec<u32>,
    pub line: Option<SourceLine>,
    /// In a line that a loop begins on: what stands there may be of several loops.
    pub column: Option<u32>,
    /// The innermost loop of the machine code around it.
    pub machine_loop: Option<u32>,
}

/// A loop of the machine code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopPlace {
    pub name: String,
    pub function: String,
    pub line: Option<SourceLine>,
    pub parent: Option<u32>,
    /// Whether the loop around it begins with the same instruction.
    pub shares_header: bool,
}

/// A statement that begins in a loop of the machine code, or in none.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BegunPlace {
    pub statement: Arc<Statement>,
    pub machine_loop: Option<u32>,
    /// It stands where the rounds of that loop begin: it may be of what comes before the loop and has left no code.
    pub is_at_header: bool,
    /// It goes on with an execution that another mark has begun.
    pub is_continued: bool,
}

/// What numbers stand for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    pub sites: Vec<SitePlace>,
    pub loops: Vec<LoopPlace>,
    /// Statements that begin with an instruction, by the order in which these were asked for.
    pub begun: Vec<Vec<BegunPlace>>,
}

/// Finds the sites of instructions.
pub struct Sites {
    map: RegionMap,
    base: u64,
    fit: Fit,
    libraries: Vec<Library>,
    places: Places,
    numbers: FxHashMap<Key, u32>,
    /// Number of the first loop of each function that was asked for.
    first_loops: FxHashMap<usize, u32>,
}

#[derive(Default, PartialEq, Eq, Hash)]
struct Key {
    function: Option<usize>,
    inlined: Vec<String>,
    called_from: Vec<SourceLine>,
    call_columns: Vec<u32>,
    line: Option<SourceLine>,
    column: Option<u32>,
    machine_loop: Option<u32>,
    /// Why there is no function.
    missing: Option<Missing>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Missing {
    Address,
    Program,
    Symbol,
    /// Of a library: its number, and that of the function if a symbol covers it.
    Library(usize, Option<usize>),
}

fn missing(missing: Option<Missing>) -> Key {
    Key {
        missing,
        ..Key::default()
    }
}

impl Sites {
    /// # Errors
    /// As [`super::Placement::new`] by line.
    pub fn new(data: &[u8], base: Option<u64>) -> Result<Sites, RegionError> {
        let map = RegionMap::read(data)?;
        if !map.has_lines() {
            return Err(RegionError::NoLines);
        }
        let base = load_base(map.binary().position_independent, base)?;
        let places = Places::default();
        let (numbers, first_loops) = (FxHashMap::default(), FxHashMap::default());
        Ok(Sites {
            map,
            base,
            fit: Fit::at(base),
            libraries: Vec::new(),
            places,
            numbers,
            first_loops,
        })
    }

    /// With libraries that the program uses.
    #[must_use]
    pub fn with_libraries(mut self, libraries: Vec<Library>) -> Sites {
        self.libraries = libraries;
        self
    }

    /// Addresses of the program's file at run time, from the lowest to past the highest.
    pub fn image(&self) -> (u64, u64) {
        let (low, high) = self.map.binary().image;
        (
            low.saturating_add(self.base),
            high.saturating_add(self.base),
        )
    }

    /// Source files of the program.
    pub fn files(&self) -> Vec<String> {
        self.map.files()
    }

    /// Global variables at run time, by address.
    pub fn variables(&self) -> impl Iterator<Item = Variable> + '_ {
        let loaded = |v: &Variable| Variable {
            low: v.low + self.base,
            high: v.high + self.base,
            name: v.name.clone(),
        };
        self.map.binary().variables.iter().map(loaded)
    }

    /// The loops that have appeared after so many.
    pub fn loops_after(&self, known: usize) -> &[LoopPlace] {
        &self.places.loops[known..]
    }

    /// The function of a site, as in the symbol table.
    pub fn function_of(&self, site: u32) -> &str {
        &self.places.sites[site as usize].function
    }

    pub fn spot_of(&mut self, instruction: &Instruction) -> Spot {
        self.places.begun.push(Vec::new());
        let Some(address) = self.fit.address(instruction, self.map.code()) else {
            if let Some(spot) = self.in_library(instruction) {
                return spot;
            }
            let why = if instruction.pc.is_none() {
                Missing::Address
            } else {
                Missing::Program
            };
            return Spot {
                site: self.number(missing(Some(why))),
                ..Spot::default()
            };
        };
        let word = self.map.code().word(address);
        let flow = word.map_or(Flow::Next, control_flow);
        let is_return = word.is_some_and(super::flow_graph::is_return);
        let call = self.call(address, flow);
        let known = Spot {
            call,
            is_return: flow == Flow::Indirect && is_return,
            ..Spot::default()
        };
        let frames = self.map.frames_at(address);
        let line = frames.last().and_then(|frame| frame.place.clone());
        let known = Spot {
            has_line: line.is_some(),
            ..known
        };
        let calls = &frames[..frames.len().saturating_sub(1)];
        let calls = calls
            .iter()
            .filter_map(|frame| Some((frame.place.clone()?, frame.column.unwrap_or(0))));
        let (called_from, call_columns) = calls.unzip();
        let own_column = frames.last().and_then(|frame| frame.column);
        let inlined = frames
            .into_iter()
            .skip(1)
            .filter_map(|frame| frame.function)
            .collect();
        let Some(function) = self.map.function_at(address) else {
            return Spot {
                site: self.number(Key {
                    inlined,
                    called_from,
                    call_columns,
                    line,
                    ..missing(Some(Missing::Symbol))
                }),
                ..known
            };
        };
        let first = self.first_loop(function);
        let statements = self.map.statements_at(address).to_vec();
        let nest = self.map.nest(function);
        let number = |found: usize| first + found as u32;
        let innermost = nest.loop_at(address).map(number);
        let opens = nest.opens(address).map(number);
        let tests = nest.tests.get(&address).copied().map(number);
        let begins_loop = line.as_ref().is_some_and(|line| nest.lines.contains(line));
        let column = own_column.filter(|_| begins_loop);
        let machine_loop = innermost;
        let begin = |statement: Arc<Statement>| BegunPlace {
            machine_loop,
            is_at_header: opens.is_some(),
            is_continued: nest.continued.contains(&(address, statement.clone())),
            statement,
        };
        let begun = statements.into_iter().map(begin).collect();
        let low = self.map.function(function).low;
        let function = Some(function);
        if let Some(last) = self.places.begun.last_mut() {
            *last = begun;
        }
        let key = Key {
            function,
            inlined,
            called_from,
            call_columns,
            line,
            column,
            machine_loop,
            ..missing(None)
        };
        Spot {
            site: self.number(key),
            function: function.map(|function| function as u32),
            innermost,
            opens,
            tests,
            is_first_of_function: address == low,
            ..known
        }
    }

    /// What is known of an instruction that lies in a library: its function, calls and returns.
    fn in_library(&mut self, instruction: &Instruction) -> Option<Spot> {
        let (number, address) = libraries::holding(&mut self.libraries, instruction)?;
        let (before, library) = (&self.libraries[..number], &self.libraries[number].map);
        // Functions of the program, then those of each library.
        let maps = before.iter().map(|library| &library.map).chain([&self.map]);
        let before: usize = maps.map(|map| map.binary().functions.len()).sum();
        let function = library.function_at(address);
        let word = library.code().word(address);
        let flow = word.map_or(Flow::Next, control_flow);
        let is_returned_to = word.is_some_and(super::flow_graph::is_returned_to);
        let spot = Spot {
            function: function.map(|function| (before + function) as u32),
            is_first_of_function: function.is_some_and(|own| library.function(own).low == address),
            call: matches!(flow, Flow::Call(_))
                .then_some(CallKind::Call)
                .filter(|_| is_returned_to),
            is_return: flow == Flow::Indirect && word.is_some_and(super::flow_graph::is_return),
            ..Spot::default()
        };
        let site = self.number(missing(Some(Missing::Library(number, function))));
        Some(Spot { site, ..spot })
    }

    fn call(&self, address: u64, flow: Flow) -> Option<CallKind> {
        let is_returned_to = || {
            self.map
                .code()
                .word(address)
                .is_some_and(super::flow_graph::is_returned_to)
        };
        match flow {
            Flow::Call(_) => is_returned_to().then_some(CallKind::Call),
            Flow::Jump(offset) => {
                let target = address.wrapping_add_signed(offset.into());
                let function = self.map.function_at(target)?;
                let is_other = self.map.function_at(address) != Some(function);
                (is_other && self.map.function(function).low == target).then_some(CallKind::Tail)
            }
            _ => None,
        }
    }

    /// What the numbers stand for.
    ///
    /// # Errors
    /// The trace is not one of this program at this base.
    pub fn finish(self) -> Result<Places, RegionError> {
        libraries::judge((&self.fit, &self.map, self.base), &self.libraries)?;
        Ok(self.places)
    }

    fn first_loop(&mut self, function: usize) -> u32 {
        if let Some(first) = self.first_loops.get(&function) {
            return *first;
        }
        let first = self.places.loops.len() as u32;
        let name = self.map.function(function).name.clone();
        let Nest { loops, names, .. } = self.map.nest(function);
        for (found, named) in loops.iter().zip(names) {
            self.places.loops.push(LoopPlace {
                name: named.name.clone(),
                function: name.clone(),
                line: named.place.clone(),
                parent: found.parent.map(|parent| first + parent as u32),
                shares_header: found.shares_header,
            });
        }
        self.first_loops.insert(function, first);
        first
    }

    fn number(&mut self, key: Key) -> u32 {
        if let Some(number) = self.numbers.get(&key) {
            return *number;
        }
        let number = self.places.sites.len() as u32;
        let function = match (key.function, key.missing) {
            (Some(function), _) => self.map.function(function).name.clone(),
            (None, Some(Missing::Address)) => "no instruction addresses in the trace".to_string(),
            (None, Some(Missing::Program)) => "outside the program".to_string(),
            (None, Some(Missing::Library(number, Some(function)))) => {
                self.libraries[number].map.function(function).name.clone()
            }
            (None, Some(Missing::Library(number, None))) => {
                self.libraries[number].qualified("no symbol")
            }
            (None, _) => "no symbol".to_string(),
        };
        let place = SitePlace {
            function,
            inlined: key.inlined.clone(),
            called_from: key.called_from.clone(),
            call_columns: key.call_columns.clone(),
            line: key.line.clone(),
            column: key.column,
            machine_loop: key.machine_loop,
        };
        self.places.sites.push(place);
        self.numbers.insert(key, number);
        number
    }
}

/// Instructions that may leave a loop before its round has begun, with the number of the loop: the branches at the
/// end of a header that is nothing but the loop's own test, in the line that the loop is named after, and of the blocks
/// that follow it and are of that line too. Other lines' leave a round that has begun (`break`). Where the test lies in
/// the middle of the code, the header may do in advance some of the body that has no effect.
pub(super) fn tests(
    frames: &dyn Fn(u64) -> Vec<Frame>,
    nest: &Nest,
    code: &super::code::Code,
) -> Tests {
    let mut found = Tests::default();
    let map_line = |address: u64| frames(address).pop().and_then(|frame| frame.place);
    for (number, (one, name)) in nest.loops.iter().zip(&nest.names).enumerate() {
        let last = nest.graph.blocks[one.header].last;
        let own = map_line(last);
        let is_own =
            name.place.is_none() || frames(last).iter().any(|frame| frame.place == name.place);
        let is_other = |address: u64| map_line(address) != own;
        // Before a test in the middle of the code, some of the body may be done in advance.
        let Block { low: begin, .. } = nest.graph.blocks[one.header];
        let is_entered_inside = one
            .blocks
            .iter()
            .any(|block| nest.graph.blocks[*block].low < begin)
            && !is_guarded(nest, one, &|address| map_line(address) == own)
            && one.blocks.iter().any(|block| {
                *block != one.header && does_anything(code, &nest.graph.blocks[*block], &is_other)
            });
        let is_of_line = |block: usize| {
            let Block {
                low, high, last, ..
            } = nest.graph.blocks[block];
            let is_allowed =
                |word: u32| is_entered_inside && map_line(last) == own && is_in_advance(word);
            instructions(code, low, high)
                .all(|(address, word)| map_line(address) == own || is_allowed(word))
        };
        if !is_own || one.blocks.len() < 2 {
            continue;
        }
        let has_body = one
            .blocks
            .iter()
            .any(|block| map_line(nest.graph.blocks[*block].low) != own);
        let (mut work, mut seen) = (vec![one.header], BTreeSet::new());
        while let Some(block) = work.pop() {
            if !is_of_line(block) {
                continue;
            }
            let Block { last, flow, .. } = nest.graph.blocks[block];
            let steps = || {
                nest.graph
                    .steps
                    .neighbors(petgraph::graph::NodeIndex::new(block))
                    .map(petgraph::prelude::NodeIndex::index)
            };
            let leaves = steps().any(|to| one.blocks.binary_search(&to).is_err());
            let comes_back = steps().any(|to| to == one.header);
            if matches!(flow, Flow::Branch(_)) && leaves && !comes_back {
                found.insert(last, number);
            }
            // Where body and head are on one line, nothing distinguishes a second test from a condition of the body.
            let inside = steps()
                .filter(|to| has_body && one.blocks.binary_search(to).is_ok() && *to != one.header);
            work.extend(inside.filter(|to| seen.insert(*to)));
        }
    }
    found
}

/// Whether a loop is entered behind a test of its own: then that at its header comes after a round.
fn is_guarded(nest: &Nest, found: &Loop, is_own: &dyn Fn(u64) -> bool) -> bool {
    let before = |block: usize| {
        let from = nest
            .graph
            .steps
            .neighbors_directed(petgraph::graph::NodeIndex::new(block), petgraph::Incoming);
        from.map(petgraph::prelude::NodeIndex::index)
            .filter(|from| found.blocks.binary_search(from).is_err())
    };
    let (mut work, mut seen): (Vec<usize>, BTreeSet<usize>) =
        (before(found.header).collect(), BTreeSet::new());
    while let Some(number) = work.pop() {
        let block = nest.graph.blocks[number];
        match block.flow {
            Flow::Branch(_) if is_own(block.last) => return true,
            Flow::Branch(_) => {}
            _ => work.extend(before(number).filter(|from| seen.insert(*from))),
        }
    }
    false
}

/// Whether a block has more of the body than moves between registers, which a round that is over leaves for the next.
fn does_anything(code: &super::code::Code, block: &Block, is_body: &dyn Fn(u64) -> bool) -> bool {
    instructions(code, block.low, block.high)
        .any(|(address, word)| is_body(address) && !is_move(word))
}

/// Whether an instruction may be executed in vain.
fn is_in_advance(word: u32) -> bool {
    decode_word(word)
        .is_some_and(|known| !known.facts.class.has_effects() && known.facts.access.is_none())
}

/// By address of the branch.
pub(super) type Tests = FxHashMap<u64, usize>;
