//! The procedures that a type definition binds to its type, as written.

use std::sync::Arc;

use tree_sitter::Node;

use super::expression::Reader;
use super::names::kind;
use super::scope::{Binding, Passed, Target};
use super::spelling::generic_name;
use crate::syntax::named_children;

/// The bindings of `contains … end type`.
pub fn bindings(reader: &Reader, node: Node) -> Vec<Binding> {
    let mut found = Vec::new();
    for statement in named_children(node) {
        match statement.kind() {
            kind::PROCEDURE_STATEMENT => procedures(reader, statement, &mut found),
            kind::GENERIC_STATEMENT => found.extend(generic(reader, statement)),
            _ => {}
        }
    }
    found
}

fn procedures(reader: &Reader, statement: Node, found: &mut Vec<Binding>) {
    let mut passed = Passed::First;
    let mut is_deferred = false;
    for part in named_children(statement) {
        match part.kind() {
            kind::PROCEDURE_ATTRIBUTE => {
                let named = named_children(part).first().map(|n| reader.name(*n));
                match (reader.tree.text(part).to_ascii_lowercase().as_str(), named) {
                    ("nopass", _) => passed = Passed::Nowhere,
                    ("deferred", _) => is_deferred = true,
                    (text, Some(named)) if text.starts_with("pass") => {
                        passed = Passed::Named(named);
                    }
                    _ => {}
                }
            }
            kind::METHOD_NAME | kind::BINDING => {
                let Some((name, procedure)) = names(reader, part) else {
                    continue;
                };
                let target = match is_deferred {
                    true => Target::Deferred,
                    false => Target::Procedure {
                        name: procedure,
                        passed: passed.clone(),
                    },
                };
                found.push(Binding { name, target });
            }
            _ => {}
        }
    }
}

/// The name of a binding and of its procedure.
fn names(reader: &Reader, node: Node) -> Option<(Arc<str>, Arc<str>)> {
    if node.kind() == kind::METHOD_NAME {
        return Some((reader.name(node), reader.name(node)));
    }
    let parts = named_children(node);
    let part = |kind: &str| {
        parts
            .iter()
            .find(|n| n.kind() == kind)
            .map(|n| reader.name(*n))
    };
    Some((part(kind::BINDING_NAME)?, part(kind::METHOD_NAME)?))
}

fn generic(reader: &Reader, statement: Node) -> Option<Binding> {
    let list = named_children(statement)
        .into_iter()
        .find(|n| n.kind() == kind::BINDING_LIST)?;
    let parts = named_children(list);
    let name = parts.iter().find(|n| n.kind() == kind::BINDING_NAME)?;
    let specific = parts
        .iter()
        .filter(|n| n.kind() == kind::METHOD_NAME)
        .map(|n| reader.name(*n));
    Some(Binding {
        name: generic_name(reader.tree.text(*name)),
        target: Target::Generic(specific.collect()),
    })
}
