//! Loops that follow each other as a layered drawing: those that nothing holds up on top, dependences downwards.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::Incoming;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;

use super::arrows::{self, Line};
use super::document::{Anchor, CRITICAL, Document, FAINT, INK, PALE, short};
use super::layers::{self, Layers, Marked};
use crate::analysis::dependence::{Dependence, Kind};
use crate::expr::FigureId;
use crate::loops_dot::{details, edge_details, name};
use crate::model::{Model, SequenceModel};
use crate::quantity::Seconds;
use crate::wording::counted;

const MARGIN: f64 = 24.0;
const TOP: f64 = 108.0;
const BOX_HEIGHT: f64 = 38.0;
const LAYER_HEIGHT: f64 = 92.0;
const CHARACTER: f64 = 7.2;
const LEAST_WIDTH: f64 = 830.0;
/// Longest names of arrays that are written at an edge; the tooltip has all of them.
const LABEL: usize = 24;

struct Vertex {
    label: String,
    time: String,
    tooltip: String,
    is_critical: bool,
}

struct Edge {
    kind: Kind,
    label: String,
    tooltip: String,
    is_critical: bool,
}

impl Marked for Vertex {
    fn is_critical(&self) -> bool {
        self.is_critical
    }
}

impl Marked for Edge {
    fn is_critical(&self) -> bool {
        self.is_critical
    }
}

/// The graph of one sequence: loops with their times, the critical path wide and red, flow as whole lines, anti
/// dotted, output dashed. What follows from other edges is not drawn.
pub fn sequence(model: &Model, sequence: &SequenceModel) -> String {
    sequence_with(model, sequence, &mut |_| String::new())
}

/// The same, where the text that shows a figure has the attributes that `mark` gives.
pub(crate) fn sequence_with(
    model: &Model,
    sequence: &SequenceModel,
    mark: &mut dyn FnMut(FigureId) -> String,
) -> String {
    let graph = drawn(model, sequence);
    let characters = |vertex: &Vertex| {
        vertex
            .label
            .chars()
            .count()
            .max(vertex.time.chars().count())
    };
    let widths: Vec<f64> = graph
        .node_weights()
        .map(|v| characters(v).max(6) as f64 * CHARACTER + 26.0)
        .collect();
    let layers = layers::place(&graph, &widths);
    let title = name(model, sequence);
    let (total, critical) = (model.value(sequence.total), model.value(sequence.critical));
    let hidden = sequence
        .graph
        .edge_weights()
        .filter(|dependence| dependence.is_implied)
        .count();
    let hidden = match hidden {
        1 => "1 dependence that follows from others is".to_string(),
        _ => format!("{hidden} dependences that follow from others are"),
    };
    let about = format!(
        "{}, {}; the critical path takes {}; {hidden} not drawn",
        counted(graph.node_count(), "loop"),
        Seconds(total),
        Seconds(critical)
    );
    let width = (layers.width + 2.0 * MARGIN)
        .max(LEAST_WIDTH)
        .max(2.0 * MARGIN + 7.0 * about.chars().count() as f64);
    let height = TOP + layers.count as f64 * LAYER_HEIGHT + MARGIN;
    let shift = (width - layers.width) / 2.0;
    let at = |(x, layer): (f64, usize)| {
        (
            x + shift,
            TOP + layer as f64 * LAYER_HEIGHT + LAYER_HEIGHT / 2.0,
        )
    };
    let mut document = Document::new(width, height, &title, &about);
    document.text(
        (MARGIN, 30.0),
        Anchor::Start,
        "font-size=\"17\" font-weight=\"bold\"",
        &title,
    );
    document.text(
        (MARGIN, 52.0),
        Anchor::Start,
        &format!("fill=\"{FAINT}\""),
        &about,
    );
    legend(&mut document);
    // What is critical is drawn last, over the rest.
    for critical in [false, true] {
        for edge in graph
            .edge_references()
            .filter(|edge| edge.weight().is_critical == critical)
        {
            let ends = [edge.source().index(), edge.target().index()]
                .map(|index| at(layers.vertices[index]));
            let bends = layers.bends[edge.id().index()].iter().map(|bend| at(*bend));
            document.open("", Some(&edge.weight().tooltip));
            arrows::draw(&mut document, &line(edge.weight()), BOX_HEIGHT, ends, bends);
            document.close();
        }
    }
    write_labels(&mut document, (&graph, &layers), &at);
    for (index, vertex) in graph.node_weights().enumerate() {
        let mark = mark(sequence.loops[index].seconds);
        draw_vertex(
            &mut document,
            (vertex, &mark),
            at(layers.vertices[index]),
            widths[index],
        );
    }
    document.finish()
}

/// The names of arrays beside their edges.
fn write_labels(
    document: &mut Document,
    (graph, layers): (&DiGraph<Vertex, Edge>, &Layers),
    at: &dyn Fn((f64, usize)) -> (f64, f64),
) {
    for edge in graph.edge_references() {
        let bends = &layers.bends[edge.id().index()];
        let [source, target] =
            [edge.source(), edge.target()].map(|vertex| layers.vertices[vertex.index()]);
        let leaving = graph.edges(edge.source()).count();
        let arriving = graph.edges_directed(edge.target(), Incoming).count();
        let is_early = arriving > leaving;
        let (from, to, share) = match is_early {
            true => (source, bends.first().copied().unwrap_or(target), 0.3),
            false => (bends.last().copied().unwrap_or(source), target, 0.7),
        };
        // Lines that cross behind it are left out.
        let attributes = format!(
            "font-size=\"10\" fill=\"{FAINT}\" stroke=\"#fff\" stroke-width=\"3\" paint-order=\"stroke\""
        );
        let (from, to) = (at(from), at(to));
        let (x, y) = on_edge(from, to, share);
        // An edge to the right goes on below what stands right of it, and comes from above what stands left.
        let (place, anchor) = match (to.0 > from.0 + 1.0, is_early) {
            (false, _) => ((x + 5.0, y + 3.0), Anchor::Start),
            (true, true) => ((x - 4.0, y + 8.0), Anchor::End),
            (true, false) => ((x + 3.0, y - 4.0), Anchor::Start),
        };
        document.text(place, anchor, &attributes, &edge.weight().label);
    }
}

/// Where an edge is at a share of its way: near the loop with fewer edges, those of the other have parted.
fn on_edge(from: (f64, f64), to: (f64, f64), share: f64) -> (f64, f64) {
    let (start, end) = (from.1 + BOX_HEIGHT / 2.0, to.1 - BOX_HEIGHT / 2.0);
    let rest = 1.0 - share;
    let across = share * share * (3.0 * rest + share);
    let down = 1.5 * share * rest + share * share * share;
    (
        from.0 + across * (to.0 - from.0),
        start + down * (end - start),
    )
}

/// What is drawn of a sequence.
fn drawn(model: &Model, sequence: &SequenceModel) -> DiGraph<Vertex, Edge> {
    let path = sequence.critical_path(&model.figures);
    let mut graph = DiGraph::new();
    for (node, times) in sequence.graph.node_indices().zip(&sequence.loops) {
        graph.add_node(Vertex {
            label: sequence.graph[node].id.clone(),
            time: Seconds(model.value(times.seconds)).to_string(),
            tooltip: details(model, sequence, node),
            is_critical: path.contains(&node),
        });
    }
    let follows = |a, b| path.windows(2).any(|pair| pair == [a, b]);
    // One line a pair of loops: flow before anti before output.
    let mut pairs: BTreeMap<(NodeIndex, NodeIndex), Vec<&Dependence>> = BTreeMap::new();
    for edge in sequence.graph.edge_references() {
        if !edge.weight().is_implied || follows(edge.source(), edge.target()) {
            pairs
                .entry((edge.source(), edge.target()))
                .or_default()
                .push(edge.weight());
        }
    }
    for ((source, target), dependences) in pairs {
        let kind = dependences
            .iter()
            .map(|dependence| dependence.kind)
            .min()
            .unwrap_or(Kind::Flow);
        let arrays = dependences.iter().flat_map(|dependence| &dependence.arrays);
        let names: BTreeSet<&str> = arrays.map(|through| through.array.as_str()).collect();
        let names: Vec<&str> = names.into_iter().collect();
        let label = names.join(", ");
        let label = match label.chars().count() > LABEL {
            true => format!("{} +{}", names[0], names.len() - 1),
            false => label,
        };
        let tooltip = dependences
            .iter()
            .map(|dependence| edge_details(dependence))
            .collect::<Vec<String>>()
            .join("\n");
        graph.add_edge(
            source,
            target,
            Edge {
                kind,
                label,
                tooltip,
                is_critical: follows(source, target),
            },
        );
    }
    graph
}

fn line(edge: &Edge) -> Line {
    let dash = match edge.kind {
        Kind::Flow => "",
        Kind::Output => "7 4",
        Kind::Anti => "2 3",
    };
    Line {
        is_critical: edge.is_critical,
        dash,
    }
}

fn draw_vertex(
    document: &mut Document,
    (vertex, mark): (&Vertex, &str),
    (x, y): (f64, f64),
    width: f64,
) {
    let stroke = if vertex.is_critical {
        (CRITICAL, 3)
    } else {
        (INK, 1)
    };
    let place = format!(
        "x=\"{}\" y=\"{}\"",
        short(x - width / 2.0),
        short(y - BOX_HEIGHT / 2.0)
    );
    let size = format!(
        "width=\"{}\" height=\"{}\" rx=\"7\"",
        short(width),
        short(BOX_HEIGHT)
    );
    document.open("", Some(&vertex.tooltip));
    let stroke = format!("stroke=\"{}\" stroke-width=\"{}\"", stroke.0, stroke.1);
    document.element("rect", &format!("{place} {size} fill=\"{PALE}\" {stroke}"));
    document.text(
        (x, y - 3.0),
        Anchor::Middle,
        "font-weight=\"bold\"",
        &vertex.label,
    );
    let attributes = format!("font-size=\"11\" fill=\"{FAINT}\" {mark}");
    document.text(
        (x, y + 13.0),
        Anchor::Middle,
        attributes.trim_end(),
        &vertex.time,
    );
    document.close();
}

fn legend(document: &mut Document) {
    let mut x = MARGIN;
    let entries = [
        ("flow: written, then read", FAINT, "stroke-width=\"1.1\""),
        (
            "anti: read, then written",
            FAINT,
            "stroke-width=\"1.1\" stroke-dasharray=\"2 3\"",
        ),
        (
            "output: written twice",
            FAINT,
            "stroke-width=\"1.1\" stroke-dasharray=\"7 4\"",
        ),
        ("critical path", CRITICAL, "stroke-width=\"3.2\""),
    ];
    for (text, colour, attributes) in entries {
        document.line(
            (x, 78.0),
            (x + 30.0, 78.0),
            &format!("stroke=\"{colour}\" {attributes}"),
        );
        document.text((x + 38.0, 82.0), Anchor::Start, "", text);
        x += 62.0 + text.chars().count() as f64 * 6.8;
    }
}
