//! Where the vertices of a layered drawing go (Sugiyama, Tagawa, Toda 1981): a vertex is a layer below
//! the lowest of its sources, barycentres order the layers, and then every vertex moves as near to its
//! neighbours as order and widths allow. The marked longest path is the spine: it stays in one column.

use petgraph::Direction;
use petgraph::graph::DiGraph;
use petgraph::visit::EdgeRef;

/// Rounds of ordering, and of placing.
const ROUNDS: usize = 24;
/// Most bends that edges may have together; above that edges run straight through the layers.
const MOST_BENDS: usize = 30_000;
/// Width that is kept free for an edge that passes through a layer.
const BEND_WIDTH: f64 = 10.0;
/// Between neighbours in a layer.
const GAP: f64 = 14.0;

/// How much more the spine's place counts than another vertex's.
const SPINE_WEIGHT: f64 = 1000.0;

/// A drawing's coordinates, in pixels from the left and layers from the top.
pub(super) struct Layers {
    /// Middle and layer of each vertex.
    pub vertices: Vec<(f64, usize)>,
    /// For each edge the points between its ends, from the source down.
    pub bends: Vec<Vec<(f64, usize)>>,
    pub width: f64,
    pub count: usize,
}

/// Which neighbours a node wants to be near to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sides {
    /// Those in the layer that was just done; those ahead if it has none there.
    Done,
    /// All. With one side only, drifts add up from layer to layer.
    Both,
}

/// A vertex, or the place where an edge passes through a layer.
struct Node {
    layer: usize,
    width: f64,
    x: f64,
    /// Whether it is on the marked longest path.
    spine: bool,
    above: Vec<usize>,
    below: Vec<usize>,
}

/// What of a graph is on the marked longest path.
pub(super) trait Marked {
    fn is_critical(&self) -> bool;
}

/// Places vertices of the given widths; edges lead from lower to higher indices.
pub(super) fn place<N: Marked, E: Marked>(graph: &DiGraph<N, E>, widths: &[f64]) -> Layers {
    let mut nodes = vertices(graph, widths);
    let chains = chains(graph, &mut nodes);
    let count = nodes.iter().map(|node| node.layer + 1).max().unwrap_or(0);
    let mut layers = vec![Vec::new(); count];
    for (index, node) in nodes.iter().enumerate() {
        layers[node.layer].push(index);
    }
    for layer in &layers {
        pack(layer, &mut nodes);
    }
    for round in 0..ROUNDS {
        sweep(&mut layers, &mut nodes, round, Sides::Done, order);
    }
    for round in 0..ROUNDS {
        sweep(
            &mut layers,
            &mut nodes,
            round,
            Sides::Both,
            |layer, desired, nodes| settle(layer, desired, nodes),
        );
    }
    let left = nodes
        .iter()
        .map(|node| node.x - node.width / 2.0)
        .fold(f64::INFINITY, f64::min);
    let right = nodes
        .iter()
        .map(|node| node.x + node.width / 2.0)
        .fold(f64::NEG_INFINITY, f64::max);
    let at = |index: usize| (nodes[index].x - left, nodes[index].layer);
    Layers {
        vertices: (0..widths.len()).map(at).collect(),
        bends: chains
            .iter()
            .map(|chain| chain.iter().map(|index| at(*index)).collect())
            .collect(),
        width: (right - left).max(0.0),
        count,
    }
}

fn vertices<N: Marked, E>(graph: &DiGraph<N, E>, widths: &[f64]) -> Vec<Node> {
    let mut nodes: Vec<Node> = Vec::with_capacity(widths.len());
    for (vertex, width) in graph.node_indices().zip(widths) {
        let sources = graph.neighbors_directed(vertex, Direction::Incoming);
        let layer = sources
            .map(|source| nodes[source.index()].layer + 1)
            .max()
            .unwrap_or(0);
        let spine = graph[vertex].is_critical();
        nodes.push(Node {
            layer,
            width: *width,
            x: 0.0,
            spine,
            above: Vec::new(),
            below: Vec::new(),
        });
    }
    nodes
}

/// Makes a bend in every layer that an edge passes through, and joins neighbours.
fn chains<N, E: Marked>(graph: &DiGraph<N, E>, nodes: &mut Vec<Node>) -> Vec<Vec<usize>> {
    let mut ends = Vec::with_capacity(graph.edge_count());
    for edge in graph.edge_references() {
        ends.push((
            edge.source().index(),
            edge.target().index(),
            edge.weight().is_critical(),
        ));
    }
    let length = |(source, target, _): &(usize, usize, bool)| {
        nodes[*target].layer - nodes[*source].layer - 1
    };
    let bent = ends.iter().map(length).sum::<usize>() <= MOST_BENDS;
    let mut chains = Vec::with_capacity(ends.len());
    for (source, target, spine) in ends {
        let first = nodes.len();
        if bent {
            for layer in nodes[source].layer + 1..nodes[target].layer {
                nodes.push(Node {
                    layer,
                    width: BEND_WIDTH,
                    x: 0.0,
                    spine,
                    above: Vec::new(),
                    below: Vec::new(),
                });
            }
        }
        let chain: Vec<usize> = (first..nodes.len()).collect();
        let path: Vec<usize> = [source]
            .into_iter()
            .chain(chain.iter().copied())
            .chain([target])
            .collect();
        for pair in path.windows(2) {
            nodes[pair[0]].below.push(pair[1]);
            nodes[pair[1]].above.push(pair[0]);
        }
        chains.push(chain);
    }
    chains
}

/// Side by side in their order, the middle at zero.
fn pack(layer: &[usize], nodes: &mut [Node]) {
    let total: f64 = layer.iter().map(|index| nodes[*index].width + GAP).sum();
    let mut left = -total / 2.0;
    for index in layer {
        nodes[*index].x = left + (nodes[*index].width + GAP) / 2.0;
        left += nodes[*index].width + GAP;
    }
}

/// Goes down the layers in even rounds and up in odd ones; every node wants to be at the mean of its
/// neighbours.
fn sweep(
    layers: &mut [Vec<usize>],
    nodes: &mut [Node],
    round: usize,
    sides: Sides,
    step: impl Fn(&mut Vec<usize>, &[f64], &mut [Node]),
) {
    let down = round.is_multiple_of(2);
    let count = layers.len();
    for position in 0..count {
        let layer = &mut layers[if down { position } else { count - 1 - position }];
        let desired = |index: &usize| {
            let node = &nodes[*index];
            let (done, ahead) = if down {
                (&node.above, &node.below)
            } else {
                (&node.below, &node.above)
            };
            let ahead = if sides == Sides::Both || done.is_empty() {
                ahead.as_slice()
            } else {
                &[]
            };
            let total: f64 = done.iter().chain(ahead).map(|other| nodes[*other].x).sum();
            match done.len() + ahead.len() {
                _ if node.spine => 0.0,
                0 => node.x,
                count => total / count as f64,
            }
        };
        let desired: Vec<f64> = layer.iter().map(desired).collect();
        step(layer, &desired, nodes);
    }
}

fn order(layer: &mut Vec<usize>, desired: &[f64], nodes: &mut [Node]) {
    let mut wanted: Vec<(f64, usize)> =
        desired.iter().copied().zip(layer.iter().copied()).collect();
    // Stable: equal wishes keep their order.
    wanted.sort_by(|a, b| a.0.total_cmp(&b.0));
    *layer = wanted.into_iter().map(|(_, index)| index).collect();
    pack(layer, nodes);
}

/// Least squares: positions as near to the desired ones as the order and the widths allow, by pooling
/// neighbours that would overlap.
fn settle(layer: &[usize], desired: &[f64], nodes: &mut [Node]) {
    let mut offset = 0.0;
    // Mean, weight and size of runs of nodes that touch each other; offsets taken out.
    let mut runs: Vec<(f64, f64, usize)> = Vec::new();
    let mut offsets = Vec::with_capacity(layer.len());
    for (position, wish) in desired.iter().enumerate() {
        if position > 0 {
            offset += (nodes[layer[position - 1]].width + nodes[layer[position]].width) / 2.0 + GAP;
        }
        offsets.push(offset);
        let weight = if nodes[layer[position]].spine {
            SPINE_WEIGHT
        } else {
            1.0
        };
        runs.push((wish - offset, weight, 1));
        while let [.., (a, u, n), (b, v, m)] = runs[..]
            && a > b
        {
            runs.truncate(runs.len() - 2);
            runs.push(((a * u + b * v) / (u + v), u + v, n + m));
        }
    }
    let places = runs
        .into_iter()
        .flat_map(|(mean, _, size)| std::iter::repeat_n(mean, size));
    for ((index, offset), place) in layer.iter().zip(offsets).zip(places) {
        nodes[*index].x = place + offset;
    }
}
