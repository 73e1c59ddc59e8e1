//! Loops that follow each other, in the DOT language of Graphviz.

use std::fmt::Write;

use petgraph::graph::NodeIndex;
use petgraph::visit::EdgeRef;

use super::dot::quoted;
use crate::analysis::dependence::{Dependence, Kind};
use crate::model::{Model, SequenceModel};
use crate::quantity::Seconds;

/// One sequence as DOT: the critical path bold and red, flow as whole lines, anti dotted, output dashed; what
/// follows from other edges is there, but not drawn.
pub fn sequence(model: &Model, sequence: &SequenceModel) -> String {
    let graph = &sequence.graph;
    let path = sequence.critical_path(&model.figures);
    let mut text = format!(
        "digraph {} {{\n  rankdir=TB;\n",
        quoted(&name(model, sequence))
    );
    text.push_str("  node [shape=box, style=\"rounded,filled\", fillcolor=\"#F4F6F9\", fontname=\"DejaVu Sans\"];\n");
    text.push_str("  edge [color=\"#6B7280\", fontname=\"DejaVu Sans\", fontsize=10];\n");
    let critical = "color=\"#D00000\", penwidth=2.5";
    for (node, times) in graph.node_indices().zip(&sequence.loops) {
        let label = quoted(&format!(
            "{}\n{}",
            graph[node].id,
            Seconds(model.value(times.seconds))
        ));
        let tooltip = quoted(&details(model, sequence, node));
        let marked = if path.contains(&node) {
            format!(", {critical}")
        } else {
            String::new()
        };
        let _ = writeln!(
            text,
            "  v{} [label={label}, tooltip={tooltip}{marked}];",
            node.index()
        );
    }
    for edge in graph.edge_references() {
        let Dependence {
            kind,
            arrays,
            is_implied,
        } = edge.weight();
        let is_critical = path
            .windows(2)
            .any(|pair| pair == [edge.source(), edge.target()]);
        let names: Vec<&str> = arrays
            .iter()
            .map(|through| through.array.as_str())
            .collect();
        let (label, tooltip) = (
            quoted(&names.join(", ")),
            quoted(&edge_details(edge.weight())),
        );
        let style = match kind {
            _ if *is_implied && !is_critical => ", style=invis",
            Kind::Flow => "",
            Kind::Output => ", style=dashed",
            Kind::Anti => ", style=dotted",
        };
        let marked = if is_critical {
            format!(", {critical}")
        } else {
            String::new()
        };
        let (source, target) = (edge.source().index(), edge.target().index());
        let _ = writeln!(
            text,
            "  v{source} -> v{target} [label={label}, tooltip={tooltip}{style}{marked}];"
        );
    }
    text.push_str("}\n");
    text
}

/// What a sequence is called: its function, and the loop that it is in.
pub(super) fn name(model: &Model, sequence: &SequenceModel) -> String {
    let function = &model.program.functions[sequence.function].name;
    match sequence.within {
        None => format!("loops of {function}"),
        Some(outer) => format!("loops in {}", outer.id),
    }
}

/// Place and times of a loop, one per line.
pub(super) fn details(model: &Model, sequence: &SequenceModel, node: NodeIndex) -> String {
    let facts = sequence.graph[node];
    let times = sequence.loops[node.index()];
    let value = |id| Seconds(model.value(id));
    format!(
        "{}\n{}:{}\n{}, from {} to {} if only dependences delay it",
        facts.id,
        facts.file,
        facts.line,
        value(times.seconds),
        value(times.start),
        value(times.finish)
    )
}

/// Kind, arrays and distances of a dependence.
pub(super) fn edge_details(dependence: &Dependence) -> String {
    let mut text = dependence.kind.as_str().to_string();
    for through in &dependence.arrays {
        let scalar = if through.is_scalar { " (scalar)" } else { "" };
        let _ = write!(
            text,
            "\n{}{scalar}{}",
            through.array,
            distance_text(through.distance.as_deref())
        );
    }
    text
}

/// ` (-1..1, 0)`, or nothing if it is not known.
pub(super) fn distance_text(distance: Option<&[(i64, i64)]>) -> String {
    let Some(distance) = distance else {
        return String::new();
    };
    let range = |(low, high): &(i64, i64)| {
        if low == high {
            low.to_string()
        } else {
            format!("{low}..{high}")
        }
    };
    format!(
        " ({})",
        distance
            .iter()
            .map(range)
            .collect::<Vec<String>>()
            .join(", ")
    )
}
