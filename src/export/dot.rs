//! The eDAG in the DOT language of Graphviz.

use std::fmt::Write;

use petgraph::visit::EdgeRef;

use crate::cache::AccessKind;
use crate::graph::{Dependence, Edag, Vertex};

/// The graph as DOT: instructions in program order, RAM accesses as filled hexagons, other accesses as
/// hexagons, the marked longest path bold and red, false dependences dashed.
pub fn edag(edag: &Edag) -> String {
    let graph = edag.graph();
    let mut text = String::from("digraph edag {\n  rankdir=TB;\n");
    text.push_str(
        "  node [shape=box, style=\"rounded,filled\", fillcolor=\"#EEF2F7\", color=\"#4A5A6A\", ",
    );
    text.push_str("fontname=\"DejaVu Sans Mono\", fontsize=10];\n");
    text.push_str("  edge [color=\"#6B7280\", arrowsize=0.6];\n");
    for index in graph.node_indices() {
        let vertex = &graph[index];
        let shape = match (vertex.misses, vertex.accesses.is_empty()) {
            (true, _) => ", shape=hexagon, style=filled, fillcolor=\"#E69F00\"",
            (false, false) => ", shape=hexagon, style=filled, fillcolor=\"#CFE8F7\"",
            (false, true) => "",
        };
        let critical = if vertex.critical {
            ", color=\"#D00000\", penwidth=2.5"
        } else {
            ""
        };
        let (label, tooltip) = (quoted(&vertex.label), quoted(&details(vertex)));
        let _ = writeln!(
            text,
            "  v{} [label={label}, tooltip={tooltip}{shape}{critical}];",
            index.index()
        );
    }
    for edge in graph.edge_references() {
        let kind = match edge.weight().kind {
            Dependence::True => "",
            Dependence::Output => "style=dashed, tooltip=\"write after write\"",
            Dependence::Anti => "style=dotted, tooltip=\"write after read\"",
        };
        let critical = if edge.weight().critical {
            "color=\"#D00000\", penwidth=2.5"
        } else {
            ""
        };
        let attributes = [kind, critical]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join(", ");
        let (source, target) = (edge.source().index(), edge.target().index());
        let attributes = if attributes.is_empty() {
            attributes
        } else {
            format!(" [{attributes}]")
        };
        let _ = writeln!(text, "  v{source} -> v{target}{attributes};");
    }
    text.push_str("}\n");
    text
}

/// Instruction, place, accesses and times of a vertex, one per line.
pub(super) fn details(vertex: &Vertex) -> String {
    let mut text = vertex.label.clone();
    if let Some(pc) = vertex.pc {
        let _ = write!(text, "\npc {pc:#x}");
    }
    for access in &vertex.accesses {
        let kind = match access.kind {
            AccessKind::Load => "loads",
            AccessKind::Store => "stores",
            AccessKind::Atomic => "loads and stores",
        };
        let _ = write!(text, "\n{kind} {} B at {:#x}", access.bytes, access.address);
    }
    if vertex.misses {
        text.push_str("\ngoes to RAM");
    }
    let _ = write!(
        text,
        "\nhart {}, cycles {} to {}",
        vertex.hart,
        vertex.start,
        vertex.finish()
    );
    text
}

/// A double-quoted string; what DOT reads as an escape is taken as it stands.
pub(super) fn quoted(text: &str) -> String {
    let escaped = text
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n");
    format!("\"{escaped}\"")
}
