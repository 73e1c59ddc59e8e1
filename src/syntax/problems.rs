//! Regions that the parser could not read.

use tree_sitter::Node;

use super::SyntaxTree;
use crate::diagnostic::{Diagnostic, DiagnosticCode, Severity};
use crate::source::SourceText;

/// More than this many in one file are summed up in one last diagnostic.
const LIMIT: usize = 20;

/// One diagnostic an unreadable region, outermost regions only, in source order.
pub fn find(tree: &SyntaxTree, source: &SourceText) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut more = 0usize;
    each(tree, &mut |node| {
        if found.len() < LIMIT {
            found.push(diagnose(node, tree, source));
        } else {
            more += 1;
        }
    });
    if let (Some(last), true) = (found.last(), more > 0) {
        let message = format!("{more} more regions of this file could not be read");
        found.push(Diagnostic {
            severity: Severity::Error,
            code: DiagnosticCode::SyntaxError,
            message,
            help: None,
            ..last.clone()
        });
    }
    found
}

/// How much of the text could not be read; what is missing counts as one byte.
pub fn unread_bytes(tree: &SyntaxTree) -> usize {
    let mut bytes = 0;
    each(tree, &mut |node| bytes += node.byte_range().len().max(1));
    bytes
}

/// Visits the outermost unreadable regions in source order.
fn each<'t>(tree: &'t SyntaxTree, visit: &mut dyn FnMut(Node<'t>)) {
    let mut cursor = tree.root().walk();
    // Iterative pre-order walk: recursion depth must not depend on the input.
    'walk: loop {
        let node = cursor.node();
        let is_problem = node.is_error() || node.is_missing();
        if is_problem {
            visit(node);
        }
        let below = !is_problem && node.has_error() && cursor.goto_first_child();
        if below {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                break 'walk;
            }
        }
    }
}

fn diagnose(node: Node, tree: &SyntaxTree, source: &SourceText) -> Diagnostic {
    let start = node.start_position();
    let text = tree.text(node);
    let first_line = text.lines().next().unwrap_or("");
    let lines = text.lines().count();
    let message = if node.is_missing() {
        format!("expected `{}` here", node.kind())
    } else if lines > 1 {
        format!("cannot read these {lines} lines")
    } else {
        "cannot read this".to_string()
    };
    Diagnostic {
        severity: Severity::Error,
        code: DiagnosticCode::SyntaxError,
        place: source.place(start.row, start.column),
        width: first_line.chars().count().max(1) as u32,
        message,
        help: Some("loops outside this region are still analysed".to_string()),
    }
}
