//! Statement functions: `f(x) = …` among the declarations, which the grammar takes for assignments.

use tree_sitter::Node;

use super::expression::{Argument, Expr, Reader};
use super::names::field;
use super::scope::{Base, Class, Scope, Symbol, TypeSpec};
use crate::ir::Role as Storage;

/// Takes `f(x) = …` for a statement function unless `f` is a declared array; gives the node back if
/// it is an assignment after all.
pub fn define<'t>(reader: &Reader, node: Node<'t>, scope: &mut Scope) -> Option<Node<'t>> {
    let left = node.child_by_field_name(field::LEFT)?;
    let right = node.child_by_field_name(field::RIGHT)?;
    let Expr::Apply(base, arguments, place) = reader.read(left) else {
        return Some(node);
    };
    let Expr::Name(name) = *base else {
        return Some(node);
    };
    let parameters = arguments.into_iter().map(|argument| match argument {
        Argument::Value(Expr::Name(name)) => Some(name),
        _ => None,
    });
    let Some(parameters) = parameters.collect::<Option<Vec<_>>>() else {
        return Some(node);
    };
    let own = scope.symbols.get(&name);
    let is_scalar = own.is_none_or(|symbol| {
        let is_variable = matches!(symbol.class, Class::Variable(Storage::Local));
        is_variable && symbol.dimensions.is_empty() && !is_character(symbol)
    });
    // With `use` or a host the name may be an array from elsewhere. The file itself has no name.
    let is_hosted = scope
        .host
        .as_ref()
        .is_some_and(|host| !host.name.is_empty());
    if !is_scalar || (own.is_none() && (!scope.uses.is_empty() || is_hosted)) {
        return Some(node);
    }
    let body = Box::new(reader.read(right));
    scope.symbol(&name, &place).class = Class::StatementFunction(parameters, body);
    None
}

fn is_character(symbol: &Symbol) -> bool {
    matches!(symbol.ty, Some(TypeSpec::Intrinsic(Base::Character, _)))
}
