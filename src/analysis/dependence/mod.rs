//! Which loops must come before which others: dependences through arrays and scalars (guide: static-model,
//! "Dependences and fusion"), which of them can be made one, and the picture of both.
//!
//! Loops are compared within a sequence: the outermost loops of a function, and the loops directly inside one
//! loop, in program order. An edge says that the later one uses what the earlier one wrote, or the other way round,
//! in the same iteration of the loops around both. Uses of parts of an array that cannot meet, other components or
//! ranges, are not a dependence, nor are those of loops in different arms of one branch. A write that covers an earlier
//! use hides it from what follows: the order is complete through the edges between.

pub mod fusion;
mod lattice;
pub mod order;
mod regions;
mod scalars;
mod shared;

use std::collections::{BTreeMap, BTreeSet};

use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;
use serde::{Deserialize, Serialize};

use super::facts::{Block, Component, Function, Item, Loop};
use crate::expr::Expr;
use fusion::Candidate;
use regions::{Reference, Region, references};
use shared::Sharing;

/// The kind of a dependence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
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

/// How one loop depends on another in one way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependence {
    pub kind: Kind,
    pub arrays: Vec<Through>,
    /// Whether a chain of other dependences orders the two loops as well.
    pub is_implied: bool,
}

/// The array of a dependence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Through {
    pub array: String,
    /// It is a scalar, or what straight-line code makes of what the earlier loop computes.
    pub is_scalar: bool,
    /// Per dimension, contiguous first, by how many elements the places of the earlier use are ahead of
    /// those of the later one, at least and at most; `None` if the two do not walk the array alike.
    pub distance: Option<Vec<(i64, i64)>>,
}

/// Loops that follow each other.
#[derive(Debug)]
pub struct Sequence<'p> {
    /// The loop that they are in, if any.
    pub within: Option<&'p Loop>,
    /// In program order; every edge leads from an earlier to a later one.
    pub graph: DiGraph<&'p Loop, Dependence>,
    pub fusions: Vec<Candidate<'p>>,
}

/// The sequences of two and more loops of a function, from the outside in.
pub fn sequences(function: &Function) -> Vec<Sequence<'_>> {
    let changing = changing(function);
    let mut found = Vec::new();
    gather(function, None, &function.body, &changing, &mut found);
    found
}

fn gather<'p>(
    function: &'p Function,
    within: Option<&'p Loop>,
    block: &'p Block,
    changing: &BTreeSet<&str>,
    found: &mut Vec<Sequence<'p>>,
) {
    let mut loops = Vec::new();
    placed_loops(block, &mut Arms::new(), &mut 0, &mut loops);
    if loops.len() > 1 {
        let mut fusions = Vec::new();
        fusion::candidates(block, (changing, &Sharing::new(function)), &mut fusions);
        found.push(Sequence {
            within,
            graph: graph(function, block, &loops, changing),
            fusions,
        });
    }
    for placed in loops {
        gather(
            function,
            Some(placed.facts),
            &placed.facts.body,
            changing,
            found,
        );
    }
}

/// Branches around a loop, by their number within its sequence, with the arm that it is in.
type Arms = Vec<(usize, bool)>;

/// A loop of a sequence.
struct Placed<'p> {
    facts: &'p Loop,
    arms: Arms,
}

fn placed_loops<'p>(
    block: &'p Block,
    arms: &mut Arms,
    branches: &mut usize,
    found: &mut Vec<Placed<'p>>,
) {
    for item in &block.items {
        match item {
            Item::Loop(facts) => found.push(Placed {
                facts,
                arms: arms.clone(),
            }),
            Item::Branch(branch) => {
                let number = *branches;
                *branches += 1;
                for (arm, taken) in [
                    (Some(&branch.then), true),
                    (branch.otherwise.as_ref(), false),
                ] {
                    let Some(arm) = arm else { continue };
                    arms.push((number, taken));
                    placed_loops(arm, arms, branches, found);
                    arms.pop();
                }
            }
        }
    }
}

/// Whether only one of the two can run.
fn exclude_each_other(a: &Arms, b: &Arms) -> bool {
    a.iter()
        .any(|(branch, taken)| b.iter().any(|(other, way)| other == branch && way != taken))
}

/// Scalars that have not one value for the whole function: bounds that mention them cannot be compared.
fn changing(function: &Function) -> BTreeSet<&str> {
    let mut writes: BTreeMap<&str, u64> = BTreeMap::new();
    count_writes(&function.body, false, &mut writes);
    writes
        .into_iter()
        .filter(|(_, count)| *count > 1)
        .map(|(name, _)| name)
        .collect()
}

fn count_writes<'p>(block: &'p Block, is_repeated: bool, writes: &mut BTreeMap<&'p str, u64>) {
    for scalar in block.scalars.iter().filter(|scalar| scalar.writes > 0) {
        *writes.entry(&scalar.name).or_default() += if is_repeated { 2 } else { scalar.writes };
    }
    for item in &block.items {
        match item {
            Item::Loop(inner) => count_writes(&inner.body, true, writes),
            Item::Branch(branch) => {
                count_writes(&branch.then, true, writes);
                branch
                    .otherwise
                    .iter()
                    .for_each(|block| count_writes(block, true, writes));
            }
        }
    }
}

/// More uses of one array than these are not kept apart: older ones are taken to meet everything.
const MOST_USES: usize = 64;

/// Of sequences of more loops than these no edge is marked as implied.
const MOST_REDUCED: usize = 1000;

/// What a loop does to one array.
struct Use<'p> {
    node: NodeIndex,
    arms: Arms,
    component: Component,
    reference: Reference<'p>,
}

type Edges = BTreeMap<(NodeIndex, Kind), BTreeMap<String, Option<Vec<(i64, i64)>>>>;

fn graph<'p>(
    function: &Function,
    block: &Block,
    loops: &[Placed<'p>],
    changing: &BTreeSet<&str>,
) -> DiGraph<&'p Loop, Dependence> {
    let mut graph = DiGraph::new();
    let sharing = Sharing::new(function);
    let mut through_scalars = scalars::edges(block, &sharing).into_iter();
    let mut seen: BTreeMap<&str, Vec<Use<'p>>> = BTreeMap::new();
    for Placed { facts, arms } in loops {
        let node = graph.add_node(*facts);
        let mut edges = Edges::new();
        let mut added: Vec<Use> = Vec::new();
        for reference in references(facts, changing) {
            let later = Use {
                node,
                arms: arms.clone(),
                component: component(function, &reference),
                reference,
            };
            for earlier in seen
                .get(later.reference.stream.array.as_str())
                .into_iter()
                .flatten()
                .rev()
            {
                if connect(earlier, &later, &mut edges) {
                    break;
                }
            }
            for partner in sharing.partners(&later.reference.stream.array) {
                seen.get(partner)
                    .into_iter()
                    .flatten()
                    .for_each(|earlier| connect_shared(earlier, &later, &mut edges));
            }
            added.push(later);
        }
        for later in added {
            let uses = seen.entry(&later.reference.stream.array).or_default();
            if uses.len() >= MOST_USES {
                forget_oldest(uses, node, &mut edges);
            }
            uses.push(later);
        }
        let mut all: BTreeMap<(NodeIndex, Kind), Vec<Through>> = BTreeMap::new();
        for (edge, arrays) in edges {
            let through = arrays.into_iter().map(|(array, distance)| Through {
                array,
                is_scalar: false,
                distance,
            });
            all.entry(edge).or_default().extend(through);
        }
        for ((from, kind), names) in through_scalars.next().unwrap_or_default() {
            let through = all.entry((NodeIndex::new(from), kind)).or_default();
            let is_new = |name: &String, through: &[Through]| {
                through.iter().all(|known| known.array != *name)
            };
            for array in names {
                if is_new(&array, through) {
                    through.push(Through {
                        array,
                        is_scalar: true,
                        distance: None,
                    });
                }
            }
        }
        for ((from, kind), arrays) in all {
            graph.add_edge(
                from,
                node,
                Dependence {
                    kind,
                    arrays,
                    is_implied: false,
                },
            );
        }
    }
    mark_implied(&mut graph);
    graph
}

/// A component by its number, where the function has one for its name.
fn component(function: &Function, reference: &Reference) -> Component {
    let number = |subscript: &Expr| {
        let mut constants = function.constants.iter();
        let named = constants.find(|constant| Expr::from(constant.symbol.clone()) == *subscript);
        let number = named.filter(|constant| constant.value.as_integer().is_some());
        number.map_or_else(|| subscript.clone(), |constant| constant.value.clone())
    };
    Component(reference.stream.component.0.iter().map(number).collect())
}

/// Adds the edges from an earlier use; whether nothing before it can matter to the later one.
fn connect(earlier: &Use, later: &Use, edges: &mut Edges) -> bool {
    if exclude_each_other(&earlier.arms, &later.arms) {
        return false;
    }
    let same_component = earlier.component == later.component;
    let numbers = (earlier.component.number(), later.component.number());
    let are_different = matches!(numbers, (Some(one), Some(other)) if one != other);
    if are_different && earlier.reference.stays() && later.reference.stays() {
        return false;
    }
    let (a, b) = (&earlier.reference, &later.reference);
    let meets = |x: &Option<Region>, y: &Option<Region>| match (x, y) {
        (Some(x), Some(y)) => !x.is_apart_from(y),
        _ => false,
    };
    let kinds = [
        (&a.written, &b.read, Kind::Flow),
        (&a.read, &b.written, Kind::Anti),
        (&a.written, &b.written, Kind::Output),
    ];
    for (x, y, kind) in kinds {
        let ways = (kind != Kind::Anti, kind != Kind::Flow);
        if meets(x, y) && !lattice::are_apart(a, b, ways) {
            let distance = distance(a, b, kind).filter(|_| same_component);
            let arrays = edges.entry((earlier.node, kind)).or_default();
            let name = a.stream.array.as_str();
            let joined = match (arrays.get(name), distance) {
                (None, distance) => distance,
                (Some(Some(known)), Some(distance)) if known.len() == distance.len() => {
                    let join = |(a, b): (&(i64, i64), &(i64, i64))| (a.0.min(b.0), a.1.max(b.1));
                    Some(known.iter().zip(&distance).map(join).collect())
                }
                _ => None,
            };
            arrays.insert(name.to_string(), joined);
        }
    }
    let covers = |y: &Option<Region>| match (&a.written, y) {
        (Some(x), Some(y)) => x.covers(y),
        (_, None) => true,
        (None, Some(_)) => false,
    };
    let runs_before = earlier.arms.iter().all(|arm| later.arms.contains(arm));
    runs_before
        && a.writes_all
        && a.written.is_some()
        && same_component
        && covers(&b.read)
        && covers(&b.written)
}

/// Adds the edges between arrays of different names that may be the same.
fn connect_shared(earlier: &Use, later: &Use, edges: &mut Edges) {
    if exclude_each_other(&earlier.arms, &later.arms) {
        return;
    }
    let (a, b) = (&earlier.reference, &later.reference);
    let kinds = [
        (a.written.is_some() && b.read.is_some(), Kind::Flow),
        (a.read.is_some() && b.written.is_some(), Kind::Anti),
        (a.written.is_some() && b.written.is_some(), Kind::Output),
    ];
    for (_, kind) in kinds.into_iter().filter(|(meets, _)| *meets) {
        edges
            .entry((earlier.node, kind))
            .or_default()
            .insert(a.stream.array.to_string(), None);
    }
}

/// Between the places of two references that walk an array alike.
fn distance(a: &Reference, b: &Reference, kind: Kind) -> Option<Vec<(i64, i64)>> {
    let level = |reference: &Reference, name: &str| {
        reference
            .loops
            .iter()
            .position(|facts| facts.variable == name)
    };
    let (s, t) = (&a.stream.subscripts, &b.stream.subscripts);
    let alike = a.stream.has_shape_of(b.stream)
        && s.iter().zip(t).all(|(s, t)| {
            s.gather.is_none()
                && t.gather.is_none()
                && s.base == t.base
                && s.terms.len() == t.terms.len()
                && s.terms
                    .iter()
                    .zip(&t.terms)
                    .all(|(x, y)| x.1 == y.1 && level(a, &x.0) == level(b, &y.0))
        });
    if !alike {
        return None;
    }
    let ends = |reference: &Reference, writes: bool, dimension: usize| {
        let used = reference
            .stream
            .accesses
            .iter()
            .filter(|x| if writes { x.writes > 0 } else { x.reads > 0 });
        let offsets = used.map(|access| access.offset[dimension]);
        offsets.fold((i64::MAX, i64::MIN), |(least, most), at| {
            (least.min(at), most.max(at))
        })
    };
    let of_dimension = |dimension: usize| {
        let (low, high) = ends(a, kind != Kind::Anti, dimension);
        let (other_low, other_high) = ends(b, kind != Kind::Flow, dimension);
        (
            low.saturating_sub(other_high),
            high.saturating_sub(other_low),
        )
    };
    Some((0..s.len()).map(of_dimension).collect())
}

/// Makes room: what the oldest use would keep from overtaking is ordered behind it now.
fn forget_oldest(uses: &mut Vec<Use>, node: NodeIndex, edges: &mut Edges) {
    let oldest = uses.remove(0);
    if oldest.node == node {
        return;
    }
    let kind = if oldest.reference.written.is_some() {
        Kind::Flow
    } else {
        Kind::Anti
    };
    edges
        .entry((oldest.node, kind))
        .or_default()
        .insert(oldest.reference.stream.array.to_string(), None);
}

/// Marks edges between loops that are ordered through others as well (transitive reduction).
fn mark_implied(graph: &mut DiGraph<&Loop, Dependence>) {
    if graph.node_count() > MOST_REDUCED {
        return;
    }
    let implied: Vec<_> = graph
        .edge_references()
        .filter(|edge| reaches_otherwise(graph, edge.source(), edge.target()))
        .map(|edge| edge.id())
        .collect();
    for edge in implied {
        graph[edge].is_implied = true;
    }
}

fn reaches_otherwise(graph: &DiGraph<&Loop, Dependence>, from: NodeIndex, to: NodeIndex) -> bool {
    let mut seen = BTreeSet::new();
    let mut left: Vec<NodeIndex> = graph.neighbors(from).filter(|next| *next < to).collect();
    while let Some(node) = left.pop() {
        if node == to {
            return true;
        }
        if seen.insert(node) {
            left.extend(graph.neighbors(node).filter(|next| *next <= to));
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::facts::{AccessClass, ElementType, Flops, Stream};
    use super::super::loop_variable::LoopVariable;
    use super::*;

    fn stream((array, component, class): (&str, &str, AccessClass)) -> Stream {
        Stream {
            array: array.into(),
            component: Component(Expr::parse(component).into_iter().collect()),
            ty: ElementType::Real(8),
            element_bytes: Some(8),
            class,
            subscripts: Vec::new(),
            accesses: Vec::new(),
            extents: Vec::new(),
            held: Vec::new(),
        }
    }

    /// Array, component, class.
    type Use = (&'static str, &'static str, AccessClass);

    fn function(loops: &[(&str, &[Use])]) -> Function {
        let one = |(id, streams): &(&str, &[Use])| {
            let body = Block {
                streams: streams.iter().copied().map(stream).collect(),
                ..Block::default()
            };
            Item::Loop(Box::new(Loop {
                id: id.to_string(),
                file: "x.c".into(),
                line: 1,
                end_line: 1,
                variable: LoopVariable::of_source("i".into()),
                lower: Expr::from(1.0),
                upper: Expr::symbol("n"),
                step: Expr::from(1.0),
                parallel: None,
                is_serial: false,
                needs: None,
                exits_early: false,
                tests_last: false,
                steps_time: false,
                beside: Default::default(),
                registers: None,
                in_core: None,
                repeated: Default::default(),
                body,
            }))
        };
        let body = Block {
            items: loops.iter().map(one).collect(),
            flops: Flops {
                by_type: BTreeMap::new(),
            },
            ..Block::default()
        };
        Function {
            name: "f".into(),
            file: "x.c".into(),
            line: 1,
            end_line: None,
            is_entry: false,
            is_shown: true,
            given_by: Vec::new(),
            recursion: None,
            constants: Vec::new(),
            shared: Vec::new(),
            pointed: Vec::new(),
            objects: Vec::new(),
            body,
        }
    }

    /// From, to, kind and arrays of every edge of the first sequence, sorted.
    fn edges(function: &Function) -> Vec<(String, String, Kind, String)> {
        let sequences = sequences(function);
        let graph = &sequences[0].graph;
        let mut edges: Vec<_> = graph
            .edge_references()
            .map(|edge| {
                let arrays: Vec<&str> = edge
                    .weight()
                    .arrays
                    .iter()
                    .map(|through| through.array.as_str())
                    .collect();
                let [from, to] = [edge.source(), edge.target()].map(|node| graph[node].id.clone());
                (from, to, edge.weight().kind, arrays.join(","))
            })
            .collect();
        edges.sort();
        edges
    }

    #[test]
    fn flow_anti_and_output_through_arrays_and_components() {
        use AccessClass::{ReadOnly, WriteOnly};
        let function = function(&[
            ("a", &[("u", "", ReadOnly), ("q", "1", WriteOnly)]),
            ("b", &[("q", "2", WriteOnly), ("v", "", WriteOnly)]),
            (
                "c",
                &[
                    ("q", "1", ReadOnly),
                    ("u", "", WriteOnly),
                    ("v", "", WriteOnly),
                ],
            ),
        ]);
        let expected = [
            ("a", "c", Kind::Flow, "q"),
            ("a", "c", Kind::Anti, "u"),
            ("b", "c", Kind::Output, "v"),
        ];
        assert_eq!(
            edges(&function),
            expected.map(|(a, b, k, x)| (a.into(), b.into(), k, x.into()))
        );
    }

    /// What covers an earlier write hides it, and an edge that follows from others is marked.
    #[test]
    fn a_covering_write_hides_what_was_before() {
        use AccessClass::{ReadOnly, WriteOnly};
        let function = function(&[
            ("a", &[("u", "", WriteOnly), ("v", "", WriteOnly)]),
            ("b", &[("u", "", WriteOnly)]),
            ("c", &[("u", "", ReadOnly), ("v", "", ReadOnly)]),
        ]);
        let expected = [
            ("a", "b", Kind::Output, "u"),
            ("a", "c", Kind::Flow, "v"),
            ("b", "c", Kind::Flow, "u"),
        ];
        assert_eq!(
            edges(&function),
            expected.map(|(a, b, k, x)| (a.into(), b.into(), k, x.into()))
        );
        let sequences = sequences(&function);
        let implied: Vec<bool> = sequences[0]
            .graph
            .edge_weights()
            .map(|edge| edge.is_implied)
            .collect();
        assert_eq!(implied.iter().filter(|implied| **implied).count(), 1);
    }
}
