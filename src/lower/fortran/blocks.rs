//! Names that `block` constructs have for themselves, where the procedure around them has others of the name.
//!
//! ```text
//! block
//!   integer, parameter :: n = 5       n
//! end block
//! block
//!   integer, parameter :: n = 20      n_2, as everything that is computed goes by names
//! end block
//! ```

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashSet;
use tree_sitter::Node;

use super::names::{field, kind};
use crate::syntax::{Role, SyntaxTree};

/// A name that stands for another one in a part of the source.
pub struct Renamed {
    bytes: Range<usize>,
    name: String,
    to: Arc<str>,
}

/// The names that have to be told apart, those of inner constructs first.
pub fn renamed(tree: &SyntaxTree) -> Vec<Renamed> {
    let mut found = Vec::new();
    for (unit, blocks) in blocks_by_unit(tree) {
        let mut mentioned = Vec::new();
        identifiers(tree, unit, &mut mentioned);
        let mut taken: FxHashSet<String> = mentioned.iter().map(|(_, name)| name.clone()).collect();
        // The first keeps its names where nothing else has them.
        for block in blocks.into_iter().rev() {
            for name in declared(tree, block) {
                let is_elsewhere = |(byte, other): &(usize, String)| {
                    *other == name && !block.byte_range().contains(byte)
                };
                if mentioned.iter().any(is_elsewhere) {
                    let numbered = |number: usize| format!("{name}_{number}");
                    let is_free = |name: &String| !taken.contains(name);
                    let Some(to) = (2..).map(numbered).find(is_free) else {
                        continue;
                    };
                    mentioned.retain(|mention| is_elsewhere(mention) || mention.1 != name);
                    taken.insert(to.clone());
                    found.push(Renamed {
                        bytes: block.byte_range(),
                        name,
                        to: to.into(),
                    });
                }
            }
        }
    }
    found.sort_by_key(|renamed: &Renamed| renamed.bytes.len());
    found
}

/// What a name stands for where it is written.
pub fn meant(renamed: &[Renamed], node: Node, name: &str) -> Option<Arc<str>> {
    if renamed.is_empty() || node.kind() != kind::IDENTIFIER || is_keyword(node) {
        return None;
    }
    let start = node.start_byte();
    let is_it = |renamed: &&Renamed| renamed.name == name && renamed.bytes.contains(&start);
    renamed.iter().find(is_it).map(|renamed| renamed.to.clone())
}

/// Program units with the constructs in them, outer ones first.
fn blocks_by_unit<'t>(tree: &'t SyntaxTree) -> Vec<(Node<'t>, Vec<Node<'t>>)> {
    let mut found: Vec<(Node, Vec<Node>)> = Vec::new();
    let mut pending = vec![(tree.root(), tree.root())];
    while let Some((node, unit)) = pending.pop() {
        let unit = match tree.role(node) {
            Some(Role::Procedure) => node,
            _ => unit,
        };
        if node.kind() == kind::BLOCK_CONSTRUCT {
            match found.iter_mut().find(|(known, _)| *known == unit) {
                Some((_, blocks)) => blocks.push(node),
                None => found.push((unit, vec![node])),
            }
        }
        let mut cursor = node.walk();
        let inner: Vec<Node> = node.named_children(&mut cursor).collect();
        pending.extend(inner.into_iter().rev().map(|node| (node, unit)));
    }
    found
}

/// Where variables are named, in small letters.
fn identifiers(tree: &SyntaxTree, node: Node, found: &mut Vec<(usize, String)>) {
    let mut pending = vec![node];
    while let Some(node) = pending.pop() {
        if node.kind() == kind::IDENTIFIER && !is_keyword(node) {
            found.push((node.start_byte(), tree.text(node).to_ascii_lowercase()));
        }
        let mut cursor = node.walk();
        pending.extend(node.named_children(&mut cursor));
    }
}

/// The variables that a construct declares, in small letters.
fn declared(tree: &SyntaxTree, block: Node) -> Vec<String> {
    let mut cursor = block.walk();
    let is_declaration = |node: &Node| tree.role(*node) == Some(Role::Declaration);
    let declarations: Vec<Node> = block
        .named_children(&mut cursor)
        .filter(is_declaration)
        .collect();
    let mut found: Vec<String> = Vec::new();
    for declaration in declarations {
        let mut cursor = declaration.walk();
        for declarator in declaration.children_by_field_name(field::DECLARATOR, &mut cursor) {
            let mut node = Some(declarator);
            while let Some(inner) = node.filter(|node| node.kind() != kind::IDENTIFIER) {
                node = inner.named_child(0);
            }
            let name = node.map(|node| tree.text(node).to_ascii_lowercase());
            found.extend(name.filter(|name| !found.contains(name)));
        }
    }
    found
}

/// Whether a name is that of an argument: `f(n=3)`.
fn is_keyword(node: Node) -> bool {
    let around = node.parent();
    around.is_some_and(|around| {
        around.kind() == kind::KEYWORD_ARGUMENT && around.named_child(0) == Some(node)
    })
}
