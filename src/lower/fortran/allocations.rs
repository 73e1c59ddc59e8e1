//! Bounds of module arrays that one procedure allocates and others use.

use serde::{Deserialize, Serialize};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Node;

use super::assigned::grown;
use super::declarators::bounds;
use super::expression::{Argument, Expr, Reader};
use super::modules::{Found, World};
use super::names::{field, kind};
use super::path::Path;
use super::scope::{Bounds, Scope};
use crate::interned;
use crate::interned_as_they_are;
use crate::syntax::{Role, named_children};

/// What the procedures of some files allocate, by name.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Allocations {
    #[serde(with = "interned")]
    by_name: FxHashMap<Arc<str>, Vec<Allocation>>,
    /// The procedures that give arrays from elsewhere, or components, a length, by the names of these.
    #[serde(with = "interned")]
    setters: FxHashMap<Arc<str>, FxHashSet<Arc<str>>>,
}

/// One `allocate(name(bounds))`, or a statement that gives the array another length, without bounds; and the scope that its names
/// belong to.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Allocation {
    #[serde(with = "interned")]
    scope: Arc<Scope>,
    #[serde(with = "interned")]
    bounds: Arc<[Bounds]>,
}

interned_as_they_are!(Allocation);

impl Allocations {
    pub fn merge(&mut self, other: Allocations) {
        for (name, found) in other.by_name {
            self.by_name.entry(name).or_default().extend(found);
        }
        for (name, found) in other.setters {
            self.setters.entry(name).or_default().extend(found);
        }
    }

    /// Whether a procedure of that name gives an array, or a component, of this name a length.
    fn is_set_by(&self, name: &str, procedure: &str) -> bool {
        let setters = self.setters.get(name);
        setters.is_some_and(|setters| setters.contains(procedure))
    }

    /// Notes that a procedure gives what stands there a length, unless that is its own.
    fn set(&mut self, reader: &Reader, node: Node, scope: &Arc<Scope>) {
        let target = reader.read(node);
        let Some(path) = Path::of(&target) else {
            return;
        };
        let Some(last) = path.parts.last() else {
            return;
        };
        if path.parts.len() > 1 || !scope.symbols.contains_key(&**last.name) {
            let setters = self.setters.entry(last.name.clone()).or_default();
            setters.insert(scope.name.clone());
        }
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        let names = self.by_name.keys().chain(self.setters.keys());
        names.map(|name| &**name)
    }

    /// Adds what the statements of a procedure allocate.
    pub fn read(&mut self, reader: &Reader, statements: &[Node], scope: &Arc<Scope>) {
        for statement in statements {
            let mut cursor = statement.walk();
            'walk: loop {
                let node = cursor.node();
                let role = reader.tree.role(node);
                if role == Some(Role::Allocation) {
                    self.statement(reader, node, scope);
                }
                if let Some(Role::Assignment | Role::CallStatement) = role {
                    self.growth(reader, node, scope);
                }
                let is_flat = matches!(
                    role,
                    Some(Role::Assignment | Role::CallStatement | Role::Allocation)
                );
                if !is_flat && cursor.goto_first_child() {
                    continue;
                }
                while !cursor.goto_next_sibling() {
                    if !cursor.goto_parent() {
                        break 'walk;
                    }
                }
            }
        }
    }

    fn growth(&mut self, reader: &Reader, node: Node, scope: &Arc<Scope>) {
        let is_list = |right: Node| reader.tree.role(right) == Some(Role::ArrayConstructor);
        if let Some(left) = node.child_by_field_name(field::LEFT)
            && node.child_by_field_name(field::RIGHT).is_some_and(is_list)
        {
            self.set(reader, left, scope);
        }
        if let Some(Expr::Name(name)) = grown(reader, node)
            && !scope.symbols.contains_key(&*name)
        {
            self.by_name.entry(name).or_default().push(Allocation {
                scope: scope.clone(),
                bounds: Vec::new().into(),
            });
        }
    }

    fn statement(&mut self, reader: &Reader, node: Node, scope: &Arc<Scope>) {
        for [object, size] in sized(node) {
            self.set(reader, object, scope);
            let name = reader.name(object);
            if object.kind() == kind::IDENTIFIER && !scope.symbols.contains_key(&name) {
                let bounds = bounds(reader, size).into();
                self.by_name.entry(name).or_default().push(Allocation {
                    scope: scope.clone(),
                    bounds,
                });
            }
        }
    }
}

/// What a statement allocates with bounds, and these; `[*]` behind them says nothing more.
pub fn sized<'t>(statement: Node<'t>) -> Vec<[Node<'t>; 2]> {
    let mut cursor = statement.walk();
    let allocations = statement.children_by_field_name(field::ALLOCATION, &mut cursor);
    let of_image = |allocation: Node<'t>| match allocation.kind() {
        kind::COARRAY_ALLOCATION => named_children(allocation).into_iter().next(),
        _ => Some(allocation),
    };
    allocations
        .filter_map(of_image)
        .filter(|allocation| allocation.kind() == kind::SIZED_ALLOCATION)
        .filter_map(|allocation| named_children(allocation)[..].try_into().ok())
        .collect()
}

impl<'a> World<'a> {
    /// The bounds of a module variable, if one statement allocates it and its bounds name nothing
    /// that belongs to the allocating procedure alone.
    pub fn allocated(&self, name: &str, home: &'a Scope) -> Option<(&'a [Bounds], &'a Scope)> {
        let own = self.only_allocation(self.own_allocations(), name, home);
        let others = || self.only_allocation(self.other_allocations(name), name, home);
        let found = own.or_else(others)?;
        let is_open = |bounds: &Bounds| {
            [&bounds.lower, &bounds.upper]
                .into_iter()
                .flatten()
                .all(|e| self.is_shared(e, &found.scope, 0))
        };
        found
            .bounds
            .iter()
            .all(is_open)
            .then_some((&*found.bounds, &*found.scope))
    }

    /// Whether a procedure of that name gives an array, or a component, of this name a length.
    pub fn sets_length(&self, procedure: &str, name: &str) -> bool {
        self.own_allocations().is_set_by(name, procedure)
            || self.other_allocations(name).is_set_by(name, procedure)
    }

    fn only_allocation(
        &self,
        all: &'a Allocations,
        name: &str,
        home: &'a Scope,
    ) -> Option<&'a Allocation> {
        let is_same = |allocation: &&Allocation| match self.symbol(&allocation.scope, name) {
            Found::Symbol(_, found) => found.id == home.id,
            _ => false,
        };
        let mut found = all.by_name.get(name)?.iter().filter(is_same);
        found.next().filter(|_| found.next().is_none())
    }

    /// Whether an expression of `scope` means the same outside of it.
    fn is_shared(&self, expr: &Expr, scope: &Scope, depth: usize) -> bool {
        let inside = |e: &Expr| depth < 20 && self.is_shared(e, scope, depth + 1);
        match expr {
            Expr::Integer(_) | Expr::Macro(_) => true,
            Expr::IntegerOf(_, kind) => inside(kind),
            Expr::Name(name) => !scope.symbols.contains_key(name) && scope.declares_elsewhere(name),
            Expr::Unary(_, operand) => inside(operand),
            Expr::Binary(_, left, right) => inside(left) && inside(right),
            Expr::Member(base, _) => inside(base),
            Expr::Apply(base, arguments, _) => {
                inside(base)
                    && arguments
                        .iter()
                        .all(|a| matches!(a, Argument::Value(e) if inside(e)))
            }
            _ => false,
        }
    }
}
