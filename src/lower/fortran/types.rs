//! Type specifiers and derived-type definitions.

use std::sync::Arc;

use tree_sitter::Node;

use super::bindings::bindings;
use super::declarators::{bounds, declared, sized};
use super::expression::{Argument, Expr, Reader};
use super::names::{field, kind};
use super::scope::{Base, Bounds, Component, DerivedType, KindSpec, Scope, TypeSpec, has_initial};
use crate::syntax::{Role, named_children};

/// The type that a specifier such as `real(dp)` or `type(tile)` names; `None` for procedures.
pub fn type_spec(reader: &Reader, node: Node) -> Option<TypeSpec> {
    match node.kind() {
        kind::INTRINSIC_TYPE => Some(intrinsic(reader, node)),
        kind::DERIVED_TYPE => {
            let parts = named_children(node);
            if parts
                .iter()
                .any(|n| n.kind() == kind::UNLIMITED_POLYMORPHIC)
            {
                return Some(TypeSpec::Anything);
            }
            let name = node.child_by_field_name(field::NAME)?;
            match name.kind() {
                kind::INTRINSIC_TYPE => Some(intrinsic(reader, node)),
                _ => Some(TypeSpec::Derived(reader.name(name))),
            }
        }
        _ => None,
    }
}

fn intrinsic(reader: &Reader, node: Node) -> TypeSpec {
    let name = node.child_by_field_name(field::NAME).unwrap_or(node);
    let mut word = reader.tree.text(name).to_ascii_lowercase();
    word.retain(|c| !c.is_whitespace());
    let bases = [
        ("byte", Base::Byte),
        ("integer", Base::Integer),
        ("real", Base::Real),
        ("doubleprecision", Base::DoublePrecision),
        ("complex", Base::Complex),
        ("doublecomplex", Base::DoubleComplex),
        ("logical", Base::Logical),
        ("character", Base::Character),
    ];
    let base = bases
        .into_iter()
        .find(|(text, _)| word.starts_with(text))
        .map_or(Base::Integer, |(_, base)| base);
    let kind = node.child_by_field_name(field::KIND);
    let read = if base == Base::Character {
        length
    } else {
        kind_spec
    };
    TypeSpec::Intrinsic(base, kind.and_then(|kind| read(reader, kind)))
}

/// The length of characters: `*8`, `(8)`, `(len=8)`; one that is open or assumed evaluates to nothing.
fn length(reader: &Reader, node: Node) -> Option<KindSpec> {
    let text = reader.tree.text(node).trim_start_matches('*').trim();
    if let Ok(bytes) = text.parse() {
        return Some(KindSpec::Bytes(Expr::Integer(bytes)));
    }
    let arguments = reader.arguments(node);
    let named = arguments.iter().find_map(|argument| match argument {
        Argument::Keyword(name, length) if **name == *"len" => Some(length.clone()),
        _ => None,
    });
    // The star of `*(8)` is one of them.
    let mut given = arguments
        .into_iter()
        .filter(|argument| !matches!(argument, Argument::Star));
    let length = named.or_else(|| match given.next()? {
        Argument::Value(length) => Some(length),
        Argument::Keyword(..) => Some(Expr::Integer(1)),
        Argument::Section(_) | Argument::Star => None,
    });
    Some(KindSpec::Bytes(
        length.unwrap_or_else(|| Expr::Name("*".into())),
    ))
}

/// `*8`, `(8)`, `(kind=dp)`.
fn kind_spec(reader: &Reader, node: Node) -> Option<KindSpec> {
    if reader.tree.text(node).starts_with('*') {
        let size = named_children(node)
            .first()
            .map(|size| reader.read(*size))?;
        return Some(KindSpec::Bytes(size));
    }
    match reader.arguments(node).into_iter().next()? {
        Argument::Value(kind) | Argument::Keyword(_, kind) => Some(KindSpec::Kind(kind)),
        Argument::Section(_) | Argument::Star => None,
    }
}

/// Enters `type … end type` into a scope.
pub fn define_type(reader: &Reader, node: Node, scope: &mut Scope) {
    let (mut name, mut parent): (Option<Arc<str>>, _) = (None, None);
    let mut access = None;
    let (mut fields, mut procedures) = (Vec::new(), Vec::new());
    let mut has_parameters = false;
    let mut pending = named_children(node);
    pending.reverse();
    while let Some(child) = pending.pop() {
        match (reader.tree.role(child), child.kind()) {
            (_, kind::DERIVED_TYPE_STATEMENT) => {
                let parts = named_children(child);
                name = parts
                    .iter()
                    .find(|n| n.kind() == kind::TYPE_NAME)
                    .map(|n| reader.name(*n));
                let base = child.child_by_field_name(field::BASE);
                let base = base.and_then(|base| named_children(base).into_iter().next());
                parent = base.map(|base| reader.name(base));
                access = child
                    .child_by_field_name(field::ACCESS)
                    .map(|access| reader.tree.text(access).to_ascii_lowercase());
            }
            (Some(Role::Declaration), _) => {
                components(reader, child, &mut fields, &mut has_parameters);
            }
            (_, kind::DERIVED_TYPE_PROCEDURES) => procedures = bindings(reader, child),
            (Some(Role::Block), _) => pending.extend(named_children(child).into_iter().rev()),
            _ => {}
        }
    }
    if let Some(name) = name {
        let visibility = &mut scope.visibility;
        match access.as_deref() {
            Some("public") => visibility.public.insert(name.clone()),
            Some("private") => visibility.private.insert(name.clone()),
            _ => false,
        };
        let definition = DerivedType {
            id: scope.type_id(&name),
            parent,
            components: fields,
            bindings: procedures,
        };
        scope.types.insert(name, definition);
    }
}

/// Adds the components of a declaration. `has_parameters` is whether the type has parameters of its own so far, as
/// `integer, len :: n`: each object has others, which its declaration gives, so that neither they nor what has their length
/// is known here.
fn components(
    reader: &Reader,
    node: Node,
    components: &mut Vec<Component>,
    has_parameters: &mut bool,
) {
    let spec = node
        .child_by_field_name(field::TYPE)
        .and_then(|ty| type_spec(reader, ty));
    let text = node
        .child_by_field_name(field::TYPE)
        .map(|ty| reader.tree.text(ty).to_ascii_lowercase());
    let polymorphic = text.is_some_and(|text| text.starts_with("class"));
    let (mut dimensions, mut indirect) = (Vec::new(), spec.is_none());
    let mut is_parameter = false;
    let mut cursor = node.walk();
    for attribute in node.children_by_field_name(field::ATTRIBUTE, &mut cursor) {
        let text = reader.tree.text(attribute).to_ascii_lowercase();
        indirect |= text.starts_with("pointer") || text.starts_with("allocatable");
        is_parameter |= matches!(&*text, "len" | "kind");
        if text.starts_with("dimension") {
            let list = named_children(attribute)
                .into_iter()
                .find(|n| n.kind() == kind::ARGUMENT_LIST);
            dimensions = list.map(|list| bounds(reader, list)).unwrap_or_default();
        }
    }
    let mut cursor = node.walk();
    for declarator in node.children_by_field_name(field::DECLARATOR, &mut cursor) {
        let (named, value) = match reader.tree.role(declarator) {
            Some(Role::Initialised) => (
                declarator.child_by_field_name(field::LEFT),
                declarator.child_by_field_name(field::RIGHT),
            ),
            _ => (Some(declarator), None),
        };
        let Some((name, own)) = named.and_then(|n| declared(reader, n)) else {
            continue;
        };
        let spec = spec
            .as_ref()
            .map(|spec| named.map_or_else(|| spec.clone(), |n| sized(reader, n, spec)));
        let mut dimensions = own.unwrap_or_else(|| dimensions.clone());
        if *has_parameters {
            dimensions.iter_mut().for_each(without_names);
        }
        *has_parameters |= is_parameter;
        let is_followed = !indirect && !is_parameter && dimensions.is_empty() && has_initial(&spec);
        components.push(Component {
            name,
            ty: spec.unwrap_or(TypeSpec::Anything),
            dimensions,
            initial: value.filter(|_| is_followed).map(|v| reader.read(v)),
            indirect,
            polymorphic,
        });
    }
}

/// Leaves of bounds what is a number.
fn without_names(bounds: &mut Bounds) {
    let is_number = |bound: &Expr| matches!(bound, Expr::Integer(_) | Expr::IntegerOf(..));
    if let Some(upper) = &bounds.upper
        && !is_number(upper)
    {
        *bounds = Bounds {
            lower: bounds.lower.take().filter(is_number),
            upper: None,
        };
    }
}
