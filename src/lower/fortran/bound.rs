//! Procedures that belong to a type: `call field%advance(dt)`.
//!
//! The declared type of the object decides which procedure is meant. If an extension of that type among the files has
//! its own, the run decides, and the call stays one of an unknown procedure.

use std::borrow::Cow;
use std::sync::Arc;

use tree_sitter::Node;

use super::expression::Reader;
use super::modules::{Found, World};
use super::names::kind;
use super::path::Path;
use super::procedure::Lowering;
use super::scope::{Binding, Passed, Scope, Symbol, Target};
use crate::ir::{Type, Value};
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
                    (text, Some(named)) if text.starts_with("pass") => passed = Passed::Named(named),
                    _ => {}
                }
            }
            kind::METHOD_NAME | kind::BINDING => {
                let Some((name, procedure)) = names(reader, part) else { continue };
                let target = match is_deferred {
                    true => Target::Deferred,
                    false => Target::Procedure { name: procedure, passed: passed.clone() },
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
    let part = |kind: &str| parts.iter().find(|n| n.kind() == kind).map(|n| reader.name(*n));
    Some((part(kind::BINDING_NAME)?, part(kind::METHOD_NAME)?))
}

fn generic(reader: &Reader, statement: Node) -> Option<Binding> {
    let list = named_children(statement).into_iter().find(|n| n.kind() == kind::BINDING_LIST)?;
    let parts = named_children(list);
    let name = parts.iter().find(|n| n.kind() == kind::BINDING_NAME)?;
    let specific = parts.iter().filter(|n| n.kind() == kind::METHOD_NAME).map(|n| reader.name(*n));
    Some(Binding { name: reader.name(*name), target: Target::Generic(specific.collect()) })
}

/// The procedure that a binding leads to.
struct Bound<'a> {
    /// Of the binding itself, not of a generic one.
    binding: &'a str,
    name: &'a Arc<str>,
    passed: &'a Passed,
    symbol: &'a Symbol,
    home: &'a Scope,
}

impl<'a> World<'a> {
    /// The binding of a type or of what it extends, with the scope that defines it.
    fn binding(&self, ty: &str, scope: &'a Scope, name: &str) -> Option<(&'a Binding, &'a Scope)> {
        self.ancestry(ty, scope).find_map(|(definition, home)| {
            let binding = definition.bindings.iter().find(|binding| *binding.name == *name)?;
            Some((binding, home))
        })
    }

    /// Whether an extension of a type has another procedure of that name.
    fn is_overridden(&self, ty: &str, scope: &'a Scope, name: &str) -> bool {
        let Some((definition, _)) = self.derived_type(scope, ty) else { return false };
        self.all_types().any(|(other, other_definition, home)| {
            other_definition.bindings.iter().any(|binding| *binding.name == *name)
                && self.ancestry(other, home).skip(1).any(|(ancestor, _)| std::ptr::eq(ancestor, definition))
        })
    }

    fn bound(&self, ty: &str, scope: &'a Scope, name: &str, given: usize) -> Option<Bound<'a>> {
        let (binding, home) = self.binding(ty, scope, name)?;
        let Target::Generic(specific) = &binding.target else { return self.bound_procedure(ty, scope, name) };
        // Of several procedures the one that takes as many arguments.
        let mut fitting = specific.iter().filter_map(|name| self.bound_procedure(ty, home, name)).filter(|bound| {
            let object = usize::from(!matches!(bound.passed, Passed::Nowhere));
            specific.len() == 1 || bound.symbol.arguments.len() == given + object
        });
        fitting.next().filter(|_| fitting.next().is_none())
    }

    fn bound_procedure(&self, ty: &str, scope: &'a Scope, name: &str) -> Option<Bound<'a>> {
        let (binding, home) = self.binding(ty, scope, name)?;
        let Target::Procedure { name: procedure, passed } = &binding.target else { return None };
        if self.is_overridden(ty, scope, name) {
            return None;
        }
        let Found::Symbol(symbol, home) = self.symbol(home, procedure) else { return None };
        Some(Bound { binding: &binding.name, name: procedure, passed, symbol, home })
    }
}

impl<'a> Lowering<'a> {
    /// A reference to the procedure that a path ends in; `owner` is the type of the object before that.
    pub fn bound_call(&mut self, path: &Path, owner: Option<(Arc<str>, &'a Scope)>, scope: &'a Scope) -> Value {
        let name = path.text();
        let Some((last, object)) = path.parts.split_last() else { return Value::opaque("unknown_expression", name) };
        let arguments = last.applied.map_or(&[][..], |(arguments, _)| arguments);
        let bound = owner.and_then(|(ty, home)| self.world.bound(&ty, home, last.name, arguments.len()));
        let Some(Bound { binding, name: procedure, passed, symbol, home }) = bound else {
            return Value::Call { name, arguments: self.bounds_of(arguments, scope), ty: Type::Unknown };
        };
        let ty = match &symbol.ty {
            Some(spec) => self.resolve(spec, home),
            None => Type::Unknown,
        };
        let at = match passed {
            Passed::First => Some(0),
            Passed::Named(dummy) => symbol.arguments.iter().position(|name| name == dummy),
            Passed::Nowhere => None,
        };
        let mut dummies = symbol.arguments.clone();
        if let Some(at) = at.filter(|at| *at < dummies.len()) {
            dummies.remove(at);
        }
        let arguments = super::keywords::ordered(&dummies, Cow::Borrowed(arguments));
        let mut values = self.bounds_of(&arguments, scope);
        if let Some(at) = at {
            let object = Path { parts: object.iter().map(super::component::copy).collect(), substring: None };
            let object = self.path_or_name(&object, scope);
            values.insert(at.min(values.len()), object);
        }
        let callee = super::value::callee(home, procedure);
        // Behind one generic name there may be another procedure in the next call.
        let name = format!("{}{binding}", name.strip_suffix(&**last.name).unwrap_or(&name));
        let name = match self.function.callees.get(&name) {
            Some(known) if *known != callee => format!("{}::{procedure}", home.name),
            _ => name,
        };
        self.function.callees.insert(name.clone(), callee);
        Value::Call { name, arguments: values, ty }
    }
}
