//! Which outermost loops of a function must come before which others: dependences through arrays, by
//! name and component (static.md section 8 describes the finer kind).
//!
//! Edges join neighbours: a read depends on the last write before it, a write on the last write and on
//! the reads since. What an older loop wrote reaches later ones through those between, so the order
//! that the edges ask for is complete. Index ranges are not told apart; components of one array are, if
//! their numbers are known.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::graph::{DiGraph, NodeIndex};

use super::facts::{AccessClass, Block, Function, Item, Loop};

/// The kind of a dependence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Written, then read.
    Flow,
    /// Read, then written.
    Anti,
    /// Written twice.
    Output,
}

impl Kind {
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Flow => "flow",
            Kind::Anti => "anti",
            Kind::Output => "output",
        }
    }
}

/// The arrays through which one loop depends on another in one way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependence {
    pub kind: Kind,
    pub arrays: Vec<String>,
}

/// The outermost loops of a function, in program order, with their dependences. Loops in different
/// branches of one condition are ordered as they are written.
pub fn graph(function: &Function) -> DiGraph<&Loop, Dependence> {
    let mut graph = DiGraph::new();
    let loops: Vec<(NodeIndex, Uses)> =
        function.body.loops().into_iter().map(|facts| (graph.add_node(facts), Uses::of(facts, function))).collect();
    let whole = without_components(loops.iter().map(|(_, uses)| uses));
    let mut seen: BTreeMap<Part, Seen> = BTreeMap::new();
    for (node, uses) in loops {
        let mut edges: BTreeMap<(NodeIndex, Kind), BTreeSet<String>> = BTreeMap::new();
        let parts = |set: &BTreeSet<Part>| -> BTreeSet<Part> { set.iter().map(|part| narrow(part, &whole)).collect() };
        let (read, written) = (parts(&uses.read), parts(&uses.written));
        for part in read.union(&written) {
            let earlier = seen.entry(part.clone()).or_default();
            let mut edge = |from: NodeIndex, kind| edges.entry((from, kind)).or_default().insert(part.0.clone());
            if let Some(writer) = earlier.writer {
                if read.contains(part) {
                    edge(writer, Kind::Flow);
                }
                if written.contains(part) {
                    edge(writer, Kind::Output);
                }
            }
            if written.contains(part) {
                for reader in std::mem::take(&mut earlier.readers) {
                    edge(reader, Kind::Anti);
                }
                earlier.writer = Some(node);
            }
            if read.contains(part) {
                earlier.readers.push(node);
            }
        }
        for ((from, kind), arrays) in edges {
            graph.add_edge(from, node, Dependence { kind, arrays: arrays.into_iter().collect() });
        }
    }
    graph
}

/// Who used a part of an array last.
#[derive(Default)]
struct Seen {
    writer: Option<NodeIndex>,
    /// Since the last write.
    readers: Vec<NodeIndex>,
}

/// Arrays of which some component is not a known number: it may be any of them.
fn without_components<'u>(uses: impl Iterator<Item = &'u Uses>) -> BTreeSet<String> {
    let parts = uses.flat_map(|uses| uses.read.union(&uses.written));
    parts.filter(|(_, component)| component.parse::<i64>().is_err()).map(|(array, _)| array.clone()).collect()
}

fn narrow((array, component): &Part, whole: &BTreeSet<String>) -> Part {
    let component = if whole.contains(array) { String::new() } else { component.clone() };
    (array.clone(), component)
}

/// Array and component.
type Part = (String, String);

#[derive(Default)]
struct Uses {
    read: BTreeSet<Part>,
    written: BTreeSet<Part>,
}

impl Uses {
    fn of(facts: &Loop, function: &Function) -> Uses {
        let number = |name: &str| {
            let constant = function.constants.iter().find(|c| c.name == name)?;
            Some(constant.value.as_integer()?.to_string())
        };
        let mut uses = Uses::default();
        uses.add(&facts.body, &number);
        uses
    }

    fn add(&mut self, block: &Block, number: &dyn Fn(&str) -> Option<String>) {
        for stream in &block.streams {
            let component = || number(&stream.component).unwrap_or_else(|| stream.component.clone());
            let part = || (stream.array.clone(), component());
            if stream.class != AccessClass::WriteOnly {
                self.read.insert(part());
            }
            if stream.class != AccessClass::ReadOnly {
                self.written.insert(part());
            }
        }
        for item in &block.items {
            match item {
                Item::Loop(inner) => self.add(&inner.body, number),
                Item::Branch(branch) => {
                    self.add(&branch.then, number);
                    branch.otherwise.iter().for_each(|block| self.add(block, number));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::facts::{Flops, Stream};
    use super::*;
    use crate::expr::Expr;

    fn stream((array, component, class): (&str, &str, AccessClass)) -> Stream {
        Stream {
            array: array.into(),
            component: component.into(),
            ty: "real8".into(),
            element_bytes: Some(8),
            class,
            subscripts: Vec::new(),
            accesses: Vec::new(),
            extents: Vec::new(),
        }
    }

    /// Array, component, class.
    type Use = (&'static str, &'static str, AccessClass);

    fn function(loops: &[(&str, &[Use])]) -> Function {
        let one = |(id, streams): &(&str, &[Use])| {
            let body = Block { streams: streams.iter().copied().map(stream).collect(), ..Block::default() };
            Item::Loop(Box::new(Loop {
                id: id.to_string(),
                file: "x.c".into(),
                line: 1,
                end_line: 1,
                variable: "i".into(),
                lower: Expr::from(1.0),
                upper: Expr::symbol("n"),
                step: Expr::from(1.0),
                parallel: None,
                exits_early: false,
                body,
            }))
        };
        let body = Block {
            items: loops.iter().map(one).collect(),
            flops: Flops { by_type: BTreeMap::new() },
            ..Block::default()
        };
        Function { name: "f".into(), file: "x.c".into(), line: 1, constants: Vec::new(), body }
    }

    #[test]
    fn flow_anti_and_output_through_arrays_and_components() {
        use AccessClass::{ReadOnly, WriteOnly};
        let function = function(&[
            ("a", &[("u", "", ReadOnly), ("q", "1", WriteOnly)]),
            ("b", &[("q", "2", WriteOnly), ("v", "", WriteOnly)]),
            ("c", &[("q", "1", ReadOnly), ("u", "", WriteOnly), ("v", "", WriteOnly)]),
        ]);
        let graph = graph(&function);
        let mut edges: Vec<_> = graph
            .edge_indices()
            .map(|e| {
                let (from, to) = graph.edge_endpoints(e).unwrap();
                (graph[from].id.as_str(), graph[to].id.as_str(), graph[e].kind, graph[e].arrays.join(","))
            })
            .collect();
        edges.sort();
        let expected = [("a", "c", Kind::Flow, "q"), ("a", "c", Kind::Anti, "u"), ("b", "c", Kind::Output, "v")];
        assert_eq!(edges, expected.map(|(a, b, k, x)| (a, b, k, x.to_string())));
    }
}
