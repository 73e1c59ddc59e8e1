//! The eDAG of a short trace held in memory: for pictures, and for the schedule that the time bounds
//! are checked against. Dependences are found byte by byte and register by register, the slow and
//! obvious way; long traces are never materialised.

// The layers below, by their names.
use loopsheet_cache as cache;
use loopsheet_metrics as metrics;
use loopsheet_trace as trace;

mod schedule;

use petgraph::Direction;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;
use rustc_hash::FxHashMap;

use crate::cache::AccessKind;
use crate::trace::isa::{Extent, Facts, Operand, Register};

/// One executed instruction.
#[derive(Clone, Debug)]
pub struct Step {
    pub facts: Facts,
    /// The instruction as a person reads it.
    pub label: String,
    pub pc: Option<u64>,
    pub accesses: Vec<Touch>,
    /// Harts have registers of their own and share memory.
    pub hart: u32,
    /// Whether it goes to RAM.
    pub misses: bool,
    /// t(v), for the depth T∞.
    pub cycles: u64,
}

/// Bytes that an instruction reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    pub address: u64,
    pub bytes: u32,
    pub kind: AccessKind,
}

/// What of an instruction the graph keeps.
#[derive(Clone, Debug)]
pub struct Vertex {
    pub label: String,
    pub pc: Option<u64>,
    pub accesses: Vec<Touch>,
    pub hart: u32,
    pub misses: bool,
    pub cycles: u64,
    /// Cycles before it starts when nothing but its dependences holds it up.
    pub start: u64,
    /// Whether it is on the marked longest path.
    pub critical: bool,
}

impl Vertex {
    /// When it is done: its start and its cycles.
    pub fn finish(&self) -> u64 {
        self.start + self.cycles
    }
}

/// Why one instruction waits for another; where there are several reasons, the first of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dependence {
    /// Read after write: it starts when the value is there.
    True,
    /// Write after write: it starts when the first write is done.
    Output,
    /// Write after read: it may start together with the reader, which takes its operands at the start.
    Anti,
}

/// One edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    pub kind: Dependence,
    /// Whether it is on the marked longest path.
    pub critical: bool,
}

/// Which dependences become edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dependences {
    True,
    /// False ones too: write after write and write after read.
    All,
}

/// The eDAG. Vertices are in program order, so every edge goes from a lower to a higher index.
#[derive(Clone, Debug)]
pub struct Edag {
    graph: DiGraph<Vertex, Link>,
}

/// Why there is no graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    /// A trace of more than [`Edag::LIMIT`] instructions.
    #[error(
        "{vertices} instructions are too many for a graph: at most {} can be drawn; cut a part out of the trace",
        Edag::LIMIT
    )]
    TooLarge { vertices: usize },
}

impl Edag {
    /// The most vertices that a graph may have.
    pub const LIMIT: usize = 5000;

    /// The graph of instructions in program order. Vector groups are taken to have LMUL 1.
    ///
    /// # Errors
    /// More instructions than [`Edag::LIMIT`].
    pub fn new(steps: &[Step], dependences: Dependences) -> Result<Edag, GraphError> {
        if steps.len() > Edag::LIMIT {
            return Err(GraphError::TooLarge {
                vertices: steps.len(),
            });
        }
        let mut graph = DiGraph::with_capacity(steps.len(), 2 * steps.len());
        let mut places: FxHashMap<Place, Users> = FxHashMap::default();
        for step in steps {
            let vertex = graph.add_node(Vertex::new(step));
            for (source, kind) in sources(step, vertex, dependences, &mut places) {
                graph.add_edge(
                    source,
                    vertex,
                    Link {
                        kind,
                        critical: false,
                    },
                );
            }
            graph[vertex].start = constraints(&graph, vertex)
                .map(|(_, time)| time)
                .max()
                .unwrap_or(0);
        }
        let mut edag = Edag { graph };
        edag.mark_critical_path();
        Ok(edag)
    }

    /// Vertices and edges for whoever draws them.
    pub fn graph(&self) -> &DiGraph<Vertex, Link> {
        &self.graph
    }

    /// T₁, cycles.
    pub fn work(&self) -> u64 {
        self.graph.node_weights().map(|vertex| vertex.cycles).sum()
    }

    /// T∞, cycles.
    pub fn depth(&self) -> u64 {
        self.graph
            .node_weights()
            .map(Vertex::finish)
            .max()
            .unwrap_or(0)
    }

    /// 𝒲: vertices that go to RAM.
    pub fn memory_work(&self) -> u64 {
        self.graph
            .node_weights()
            .filter(|vertex| vertex.misses)
            .count() as u64
    }

    /// 𝒟: most of the vertices that go to RAM on one path.
    pub fn memory_depth(&self) -> u64 {
        let mut finish = vec![0; self.graph.node_count()];
        let mut start = finish.clone();
        for vertex in self.graph.node_indices() {
            let time = |edge: petgraph::graph::EdgeReference<Link>| match edge.weight().kind {
                Dependence::Anti => start[edge.source().index()],
                _ => finish[edge.source().index()],
            };
            let incoming = self.graph.edges_directed(vertex, Direction::Incoming);
            let latest = incoming.map(time).max().unwrap_or(0);
            start[vertex.index()] = latest;
            finish[vertex.index()] = latest + u64::from(self.graph[vertex].misses);
        }
        finish.into_iter().max().unwrap_or(0)
    }

    /// Marks one longest path from its end: the earliest instruction of those that could be next.
    fn mark_critical_path(&mut self) {
        let depth = self.depth();
        let mut next = self
            .graph
            .node_indices()
            .find(|vertex| self.graph[*vertex].finish() == depth);
        while let Some(vertex) = next {
            self.graph[vertex].critical = true;
            let start = self.graph[vertex].start;
            let binding = constraints(&self.graph, vertex).filter(|(_, time)| *time == start);
            next = binding.map(|(source, _)| source).min();
            if let Some(edge) = next.and_then(|source| self.graph.find_edge(source, vertex)) {
                self.graph[edge].critical = true;
            }
        }
    }
}

impl Vertex {
    fn new(step: &Step) -> Vertex {
        Vertex {
            label: step.label.clone(),
            pc: step.pc,
            accesses: step.accesses.clone(),
            hart: step.hart,
            misses: step.misses,
            cycles: step.cycles,
            start: 0,
            critical: false,
        }
    }
}

/// What can carry a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    Register { hart: u32, index: usize },
    Byte(u64),
}

/// Who wrote a place last and who read it since.
#[derive(Default)]
struct Users {
    writer: Option<NodeIndex>,
    readers: Vec<NodeIndex>,
}

/// Earlier instructions that one has to wait for, each once, ascending; its own reads and writes are
/// entered.
fn sources(
    step: &Step,
    vertex: NodeIndex,
    dependences: Dependences,
    places: &mut FxHashMap<Place, Users>,
) -> Vec<(NodeIndex, Dependence)> {
    let mut found = Vec::new();
    for place in touched(step, step.facts.reads.iter(), AccessKind::reads) {
        let users = places.entry(place).or_default();
        found.extend(users.writer.map(|writer| (writer, Dependence::True)));
        users.readers.push(vertex);
    }
    for place in touched(step, step.facts.writes.iter(), AccessKind::writes) {
        let users = places.entry(place).or_default();
        if dependences == Dependences::All {
            found.extend(users.writer.map(|writer| (writer, Dependence::Output)));
            let readers = users.readers.iter().filter(|reader| **reader != vertex);
            found.extend(readers.map(|reader| (*reader, Dependence::Anti)));
        }
        *users = Users {
            writer: Some(vertex),
            readers: Vec::new(),
        };
    }
    found.sort();
    found.dedup_by_key(|(source, _)| *source);
    found
}

/// The registers and bytes that a step reads, or those that it writes.
fn touched(
    step: &Step,
    operands: impl Iterator<Item = Operand>,
    counts: fn(AccessKind) -> bool,
) -> Vec<Place> {
    let hart = step.hart;
    let registers = operands.flat_map(|operand| {
        let first = operand.register.index();
        first..(first + length(operand.extent)).min(Register::COUNT)
    });
    let accesses = step.accesses.iter().filter(|access| counts(access.kind));
    let bytes = accesses.flat_map(|access| {
        (0..u64::from(access.bytes)).map(|byte| access.address.wrapping_add(byte))
    });
    registers
        .map(|index| Place::Register { hart, index })
        .chain(bytes.map(Place::Byte))
        .collect()
}

/// Registers of an operand where LMUL is 1.
fn length(extent: Extent) -> usize {
    match extent {
        Extent::One => 1,
        Extent::Fixed(count) => usize::from(count),
        Extent::Group {
            numerator,
            denominator,
        } => usize::from(numerator / denominator.max(1)).max(1),
        Extent::Elements { fields, .. } => usize::from(fields).max(1),
    }
}

/// The sources of a vertex and the cycle before which each does not let it start.
fn constraints(
    graph: &DiGraph<Vertex, Link>,
    vertex: NodeIndex,
) -> impl Iterator<Item = (NodeIndex, u64)> + '_ {
    graph
        .edges_directed(vertex, Direction::Incoming)
        .map(|edge| {
            let source = &graph[edge.source()];
            let time = match edge.weight().kind {
                Dependence::Anti => source.start,
                Dependence::True | Dependence::Output => source.finish(),
            };
            (edge.source(), time)
        })
}

#[cfg(test)]
mod tests;
