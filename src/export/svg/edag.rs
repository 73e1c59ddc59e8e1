//! The eDAG as a layered drawing: instructions that could run first on top, edges downwards.

use petgraph::visit::EdgeRef;

use super::arrows::{self, Line};
use super::document::{Anchor, CRITICAL, Document, FAINT, INK, ORANGE, PALE, SKY, point, short};
use super::layers::{self, Marked};
use crate::dot::details;
use crate::graph::{Dependence, Edag, Link, Vertex};

const MARGIN: f64 = 24.0;
const TOP: f64 = 112.0;
const BOX_HEIGHT: f64 = 26.0;
const LAYER_HEIGHT: f64 = 58.0;
const CHARACTER: f64 = 6.7;
/// Longest label that is shown whole; the tooltip has all of it.
const LABEL: usize = 30;
/// Room that the legend takes.
const LEAST_WIDTH: f64 = 1030.0;

impl Marked for Vertex {
    fn is_critical(&self) -> bool {
        self.critical
    }
}

impl Marked for Link {
    fn is_critical(&self) -> bool {
        self.critical
    }
}

/// The graph with its marked longest path. Shapes tell accesses from other instructions and fill tells
/// those that go to RAM; the longest path is wide and red; false dependences are dashed.
pub fn edag(edag: &Edag, title: &str) -> String {
    let graph = edag.graph();
    let labels: Vec<String> = graph
        .node_weights()
        .map(|vertex| label(&vertex.label))
        .collect();
    let widths: Vec<f64> = labels
        .iter()
        .map(|text| text.chars().count().max(4) as f64 * CHARACTER + 26.0)
        .collect();
    let layers = layers::place(graph, &widths);
    let width = (layers.width + 2.0 * MARGIN).max(LEAST_WIDTH);
    let height = TOP + layers.count as f64 * LAYER_HEIGHT + MARGIN;
    let shift = (width - layers.width) / 2.0;
    let counts = format!(
        "{} instructions, {} dependences",
        graph.node_count(),
        graph.edge_count()
    );
    let mut document = Document::new(width, height, title, &format!("Execution DAG: {counts}."));
    document.text(
        (MARGIN, 30.0),
        Anchor::Start,
        "font-size=\"17\" font-weight=\"bold\"",
        title,
    );
    document.text(
        (MARGIN, 52.0),
        Anchor::Start,
        &format!("fill=\"{FAINT}\""),
        &subtitle(edag, &counts),
    );
    legend(
        &mut document,
        graph
            .edge_weights()
            .any(|link| link.kind != Dependence::True),
    );
    let at = |(x, layer): (f64, usize)| {
        (
            x + shift,
            TOP + layer as f64 * LAYER_HEIGHT + LAYER_HEIGHT / 2.0,
        )
    };
    document.open("fill=\"none\"", None);
    // What is critical is drawn last, over the rest.
    for critical in [false, true] {
        for edge in graph
            .edge_references()
            .filter(|edge| edge.weight().critical == critical)
        {
            let ends = [edge.source().index(), edge.target().index()]
                .map(|index| at(layers.vertices[index]));
            let bends = layers.bends[edge.id().index()].iter().map(|bend| at(*bend));
            arrows::draw(&mut document, &line(edge.weight()), BOX_HEIGHT, ends, bends);
        }
    }
    document.close();
    document.open(
        "font-family=\"'DejaVu Sans Mono', monospace\" font-size=\"11\"",
        None,
    );
    for (index, vertex) in graph.node_weights().enumerate() {
        document.open("", Some(&details(vertex)));
        let middle = at(layers.vertices[index]);
        shape(
            &mut document,
            middle,
            widths[index],
            Kind::of(vertex),
            vertex.critical,
        );
        document.text(
            (middle.0, middle.1 + 4.0),
            Anchor::Middle,
            "",
            &labels[index],
        );
        document.close();
    }
    document.close();
    document.finish()
}

fn line(link: &Link) -> Line {
    let dash = match link.kind {
        Dependence::True => "",
        Dependence::Output => "7 4",
        Dependence::Anti => "2 3",
    };
    Line {
        is_critical: link.critical,
        dash,
    }
}

fn label(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() <= LABEL {
        text
    } else {
        text.chars().take(LABEL - 1).chain(['…']).collect()
    }
}

fn subtitle(edag: &Edag, counts: &str) -> String {
    format!(
        "{counts}; work T₁ = {}, depth T∞ = {} cycles; {} go to RAM, at most {} of them on one path",
        edag.work(),
        edag.depth(),
        edag.memory_work(),
        edag.memory_depth()
    )
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Other,
    Hit,
    Ram,
}

impl Kind {
    fn of(vertex: &Vertex) -> Kind {
        match (vertex.misses, vertex.accesses.is_empty()) {
            (true, _) => Kind::Ram,
            (false, false) => Kind::Hit,
            (false, true) => Kind::Other,
        }
    }
}

/// Rounded boxes, pointed at the sides if they access memory, with a second outline if they go to RAM.
fn shape(document: &mut Document, (x, y): (f64, f64), width: f64, kind: Kind, critical: bool) {
    let stroke = if critical { (CRITICAL, 3) } else { (INK, 1) };
    let stroke = format!("stroke=\"{}\" stroke-width=\"{}\"", stroke.0, stroke.1);
    let (half, tall) = (width / 2.0, BOX_HEIGHT / 2.0);
    match kind {
        Kind::Other => {
            let place = format!("x=\"{}\" y=\"{}\"", short(x - half), short(y - tall));
            let size = format!(
                "width=\"{}\" height=\"{}\" rx=\"7\"",
                short(width),
                short(BOX_HEIGHT)
            );
            document.element("rect", &format!("{place} {size} fill=\"{PALE}\" {stroke}"));
        }
        Kind::Hit => document.element(
            "polygon",
            &format!(
                "points=\"{}\" fill=\"{SKY}\" {stroke}",
                hexagon(x, y, half, tall)
            ),
        ),
        Kind::Ram => {
            document.element(
                "polygon",
                &format!(
                    "points=\"{}\" fill=\"{ORANGE}\" {stroke}",
                    hexagon(x, y, half, tall)
                ),
            );
            let inner = hexagon(x, y, half - 4.5, tall - 3.0);
            document.element(
                "polygon",
                &format!("points=\"{inner}\" fill=\"none\" stroke=\"{INK}\" stroke-width=\"0.8\""),
            );
        }
    }
}

fn hexagon(x: f64, y: f64, half: f64, tall: f64) -> String {
    let point_width = tall * 0.8;
    let corners = [
        (x - half, y),
        (x - half + point_width, y - tall),
        (x + half - point_width, y - tall),
        (x + half, y),
        (x + half - point_width, y + tall),
        (x - half + point_width, y + tall),
    ];
    corners.map(point).join(" ")
}

fn legend(document: &mut Document, has_false: bool) {
    let y = 82.0;
    let mut x = MARGIN;
    for (kind, text) in [
        (Kind::Other, "no memory access"),
        (Kind::Hit, "access"),
        (Kind::Ram, "access that goes to RAM"),
    ] {
        shape(document, (x + 22.0, y), 44.0, kind, false);
        document.text((x + 52.0, y + 4.0), Anchor::Start, "", text);
        x += 76.0 + text.chars().count() as f64 * 6.6;
    }
    let mut lines = vec![("a longest path", CRITICAL, "stroke-width=\"3.2\"")];
    if has_false {
        lines.push((
            "write after write",
            FAINT,
            "stroke-width=\"1.1\" stroke-dasharray=\"7 4\"",
        ));
        lines.push((
            "write after read",
            FAINT,
            "stroke-width=\"1.1\" stroke-dasharray=\"2 3\"",
        ));
    } else {
        lines.push(("uses a value of", FAINT, "stroke-width=\"1.1\""));
    }
    for (text, colour, attributes) in lines {
        document.line(
            (x, y),
            (x + 30.0, y),
            &format!("stroke=\"{colour}\" {attributes}"),
        );
        document.text((x + 38.0, y + 4.0), Anchor::Start, "", text);
        x += 60.0 + text.chars().count() as f64 * 6.6;
    }
}
