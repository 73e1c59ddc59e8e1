//! What stands around a name in a declaration: bounds, sizes, attributes.

use std::sync::Arc;

use tree_sitter::Node;

use super::expression::{Argument, Expr, Reader};
use super::names::{field, kind};
use super::scope::{Bounds, KindSpec, TypeSpec};
use crate::syntax::{Role, named_children};

/// `real x*8`: the size behind the name counts.
pub fn sized(reader: &Reader, declarator: Node, spec: &TypeSpec) -> TypeSpec {
    let length = named_children(declarator)
        .into_iter()
        .find(|n| n.kind() == kind::CHARACTER_LENGTH);
    let bytes = length.and_then(|n| {
        reader
            .tree
            .text(n)
            .trim_start_matches('*')
            .trim()
            .parse()
            .ok()
    });
    match (spec, bytes) {
        (TypeSpec::Intrinsic(base, _), Some(bytes)) => {
            TypeSpec::Intrinsic(*base, Some(KindSpec::Bytes(Expr::Integer(bytes))))
        }
        _ => spec.clone(),
    }
}

/// Attributes of a declaration that matter here.
#[derive(Default)]
pub struct Attributes {
    pub dimensions: Option<Vec<Bounds>>,
    pub parameter: bool,
    pub external: bool,
    pub private: bool,
    pub public: bool,
    pub optional: bool,
    pub target: bool,
    pub read_only: bool,
    /// Whether it begins without what is passed: `intent(out)`.
    pub renewed: bool,
    pub allocatable: bool,
}

/// The attributes of a declaration.
pub fn attributes(reader: &Reader, node: Node) -> Attributes {
    let mut attributes = Attributes::default();
    let mut cursor = node.walk();
    for attribute in node.children_by_field_name(field::ATTRIBUTE, &mut cursor) {
        let text = reader.tree.text(attribute).to_ascii_lowercase();
        let word = text
            .split(|c: char| !c.is_ascii_alphabetic())
            .next()
            .unwrap_or("");
        match word {
            "dimension" => {
                let list = named_children(attribute)
                    .into_iter()
                    .find(|n| n.kind() == kind::ARGUMENT_LIST);
                attributes.dimensions = list.map(|list| bounds(reader, list));
            }
            "parameter" => attributes.parameter = true,
            "external" => attributes.external = true,
            "private" => attributes.private = true,
            "public" => attributes.public = true,
            "optional" => attributes.optional = true,
            "target" => attributes.target = true,
            "allocatable" => attributes.allocatable = true,
            "intent" => {
                attributes.read_only |= is_only_in(&text);
                attributes.renewed |= is_only_out(&text);
            }
            _ => {}
        }
    }
    attributes
}

/// Whether an intent is `in`, and not `in out`.
pub fn is_only_in(intent: &str) -> bool {
    direction(intent).eq_ignore_ascii_case("in")
}

/// Whether an intent is `out`.
pub fn is_only_out(intent: &str) -> bool {
    direction(intent).eq_ignore_ascii_case("out")
}

fn direction(intent: &str) -> &str {
    let inside = intent.split_once('(').map_or("", |(_, inside)| inside);
    inside.split(')').next().unwrap_or_default().trim()
}

/// The name that a declarator declares, and its bounds if it has some.
pub fn declared(reader: &Reader, node: Node) -> Option<(Arc<str>, Option<Vec<Bounds>>)> {
    let mut name = None;
    let mut dimensions = None;
    let mut pending = vec![node];
    while let Some(node) = pending.pop() {
        match node.kind() {
            kind::IDENTIFIER => name = Some(reader.name(node)),
            kind::SIZE => dimensions = Some(bounds(reader, node)),
            kind::COARRAY_DECLARATOR => pending.extend(named_children(node)),
            _ if reader.tree.role(node) == Some(Role::ArrayDeclarator) => {
                pending.extend(named_children(node));
            }
            _ => {}
        }
    }
    Some((name?, dimensions))
}

/// Bounds from the list between parentheses.
pub fn bounds(reader: &Reader, list: Node) -> Vec<Bounds> {
    let one = || Some(Expr::Integer(1));
    let bounds = |argument| match argument {
        Argument::Value(upper) | Argument::Keyword(_, upper) => Bounds {
            lower: one(),
            upper: Some(upper),
        },
        Argument::Star => Bounds {
            lower: one(),
            upper: None,
        },
        Argument::Section(parts) => {
            let [lower, upper, _] = *parts;
            Bounds { lower, upper }
        }
    };
    reader.arguments(list).into_iter().map(bounds).collect()
}
