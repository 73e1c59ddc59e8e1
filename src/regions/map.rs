//! From an address, as linked, to function, source line and innermost loop.

use std::sync::Arc;

use object::Endianness;
use object::read::elf::ElfFile64;
use rustc_hash::{FxHashMap, FxHashSet};

use super::code::Code;
use super::continued::{self, Continued};
use super::debug::{Debug, Frame, SourceLine};
use super::flow_graph::{Block, FlowGraph, instructions};
use super::loops::{self, Loop};
use super::names::{self, LoopName};
use super::sites::{self, Tests};
use super::statements::Statement;
use crate::binary::{Binary, BinaryError, Function};

/// What a program's file says of its instructions.
pub struct RegionMap {
    binary: Binary,
    code: Code,
    debug: Option<Debug>,
    /// Loops of the functions that were asked for, by number of the function.
    nests: FxHashMap<usize, Nest>,
}

/// The loops of one function.
pub struct Nest {
    pub graph: FlowGraph,
    /// Each after those around it.
    pub loops: Vec<Loop>,
    /// By number of the loop.
    pub names: Vec<LoopName>,
    /// Lines that loops are named after.
    pub(super) lines: FxHashSet<SourceLine>,
    /// See [`sites::tests`].
    pub(super) tests: Tests,
    /// See [`continued`].
    pub(super) continued: Continued,
    innermost: Vec<Option<usize>>,
}

impl Nest {
    /// Number of the innermost loop with the instruction at this address.
    pub fn loop_at(&self, address: u64) -> Option<usize> {
        self.innermost[self.graph.block_at(address)?]
    }

    /// The same, loops that share a header taken as one: without the source, it is not known whether they are.
    pub fn whole_loop_at(&self, address: u64) -> Option<usize> {
        let mut number = self.loop_at(address)?;
        while self.loops[number].shares_header {
            number = self.loops[number].parent?;
        }
        Some(number)
    }

    /// Number of the loop whose header begins with the instruction at this address.
    pub fn opens(&self, address: u64) -> Option<usize> {
        let block = self
            .graph
            .block_at(address)
            .filter(|&block| self.graph.blocks[block].low == address)?;
        self.loops.iter().rposition(|one| one.header == block)
    }
}

impl RegionMap {
    /// Reads symbols, code and debug sections of an ELF file.
    ///
    /// # Errors
    /// It is not a linked 64-bit RISC-V program, or damaged.
    pub fn read(data: &[u8]) -> Result<RegionMap, BinaryError> {
        let mut binary = Binary::read(data)?;
        let file = ElfFile64::<Endianness>::parse(data)
            .map_err(|error| BinaryError::Damaged(error.to_string()))?;
        let code = Code::read(&file, data).map_err(BinaryError::Damaged)?;
        let debug = Debug::read(&file).map_err(BinaryError::Damaged)?;
        if let Some(debug) = &debug {
            binary.variables = debug.divided(&binary.variables);
        }
        Ok(RegionMap {
            binary,
            code,
            debug,
            nests: FxHashMap::default(),
        })
    }

    pub fn binary(&self) -> &Binary {
        &self.binary
    }

    pub fn code(&self) -> &Code {
        &self.code
    }

    /// Whether the program was compiled with line tables.
    pub fn has_lines(&self) -> bool {
        self.debug.is_some()
    }

    /// Files that have lines in the program, ascending.
    pub fn files(&self) -> Vec<String> {
        self.debug.as_ref().map_or_else(Vec::new, Debug::files)
    }

    pub fn function(&self, number: usize) -> &Function {
        &self.binary.functions[number]
    }

    /// Number of the function with the instruction at this address, in the order of [`Binary::functions`]. Of
    /// several names for it that with the fewest leading underscores, then the shortest, then the first.
    pub fn function_at(&self, address: u64) -> Option<usize> {
        let functions = &self.binary.functions;
        let after = functions.partition_point(|function| function.low <= address);
        let low = functions[..after].last()?.low;
        let first = functions.partition_point(|function| function.low < low);
        let plainness = |&number: &usize| {
            let name = &functions[number].name;
            (
                name.len() - name.trim_start_matches('_').len(),
                name.len(),
                name,
            )
        };
        (first..after)
            .filter(|&number| address < functions[number].high)
            .min_by_key(plainness)
    }

    /// The line that the instruction at this address was written at: in the callee, where a call was inlined.
    pub fn line_at(&self, address: u64) -> Option<SourceLine> {
        self.debug.as_ref()?.line(address)
    }

    /// The statements of the source that begin at this address.
    pub fn statements_at(&self, address: u64) -> &[Arc<Statement>] {
        self.debug
            .as_ref()
            .map_or(&[], |debug| debug.statements(address))
    }

    /// The function with the instruction at this address, then those inlined there, the innermost last.
    pub fn frames_at(&self, address: u64) -> Vec<Frame> {
        self.debug
            .as_ref()
            .map_or_else(Vec::new, |debug| debug.frames(address))
    }

    /// Where a function begins in the source.
    pub fn place_of(&self, function: usize) -> Option<SourceLine> {
        self.debug
            .as_ref()?
            .frames(self.binary.functions[function].low)
            .into_iter()
            .next()?
            .place
    }

    /// The loops of a function, found when first asked for.
    pub fn nest(&mut self, function: usize) -> &Nest {
        let RegionMap {
            binary,
            code,
            debug,
            nests,
        } = self;
        nests.entry(function).or_insert_with(|| {
            let function = &binary.functions[function];
            let graph = FlowGraph::of(code, function.low, function.high);
            let loops = loops::find(&graph);
            let names = names::of(function, code, &graph, &loops, debug.as_ref());
            let innermost = loops::innermost(&loops, graph.blocks.len());
            let marks = |block: &Block| -> Vec<_> {
                let at = |address: u64| {
                    let there = debug
                        .as_ref()
                        .map_or(&[][..], |debug| debug.statements(address));
                    there.iter().map(move |one| (address, one.clone()))
                };
                let own = instructions(code, block.low, block.high);
                own.flat_map(|(address, _)| at(address)).collect()
            };
            let continued = continued::find(&graph, &marks);
            let lines = names.iter().filter_map(|name| name.place.clone()).collect();
            let mut nest = Nest {
                graph,
                loops,
                names,
                innermost,
                lines,
                tests: Tests::default(),
                continued,
            };
            nest.tests = sites::tests(
                &|address| {
                    debug
                        .as_ref()
                        .map_or_else(Vec::new, |debug| debug.frames(address))
                },
                &nest,
                code,
            );
            nest
        })
    }
}
