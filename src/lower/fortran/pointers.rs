//! Local pointers that are nothing but names for parts of arrays: `row => table(:, k)`, and behind it `row(1)`.
//!
//! Such a name holds from its assignment to the end of the statements around, as that of an `associate` construct does. It
//! is used where the procedure does nothing else with the pointer: wherever that stands but at an assignment of its own, it
//! has subscripts, and an assignment before it among the same statements, or those around, says what they are of.

use std::sync::Arc;

use tree_sitter::Node;

use super::expression::Expr;
use super::names::{field, kind};
use super::procedure::Lowering;
use super::scope::Class;
use crate::ir::{Role as Storage, Value};
use crate::syntax::{Role, named_children};

impl Lowering<'_> {
    /// Makes a pointer another name of what it gets; whether that says all that the assignment does.
    pub fn name_target(&mut self, node: Node) -> bool {
        let [pointer, target] = named_children(node)[..] else {
            return false;
        };
        if pointer.kind() != kind::IDENTIFIER {
            return false;
        }
        let name = self.reader.name(pointer);
        let found = match self.is_only_a_name(&name) {
            true => self.steady_target(node, target),
            false => None,
        };
        let is_named = found.is_some();
        // One that is not known is not the one before, either.
        if is_named || self.aliases.target(&name).is_some() {
            let target = found.unwrap_or_else(|| Expr::Name(name.clone()));
            self.aliases.add(name, target);
        }
        is_named
    }

    /// Notes which array a pointer stands for where that cannot be followed: whatever part of it.
    pub fn note_target(&mut self, assignment: Node, sides: &[Value]) {
        let target = named_children(assignment).into_iter().nth(1);
        let mut names = target.into_iter().flat_map(below);
        let base = names.find(|node| node.kind() == kind::IDENTIFIER);
        let Some((pointer, base)) = sides.first().and_then(Value::variable).zip(base) else {
            return;
        };
        let base = Expr::Name(self.reader.name(base));
        if let Some(target) = self.own_value(&base).variable()
            && pointer != target
            && self.draft.function().aliased.contains(&target)
        {
            self.draft.point(pointer, target);
        }
    }

    /// Whether all that the procedure does with a pointer of its own is to assign it and to subscript it behind that.
    fn is_only_a_name(&self, name: &Arc<str>) -> bool {
        let symbol = self.scope.symbols.get(name);
        let is_local = symbol.is_some_and(|s| matches!(s.class, Class::Variable(Storage::Local)));
        let is_handed_out = self.unit.arguments.contains(name) || self.unit.result == *name;
        if !is_local || is_handed_out || self.has_internal_procedures() {
            return false;
        }
        let mut assigned = Vec::new();
        let mut subscripted = Vec::new();
        for statement in &self.unit.statements {
            for node in below(*statement) {
                let is_it = || self.reader.tree.text(node).eq_ignore_ascii_case(name);
                if node.kind() != kind::IDENTIFIER || !is_it() {
                    continue;
                }
                let Some(parent) = node.parent() else {
                    return false;
                };
                let is_first = named_children(parent).first() == Some(&node);
                match self.reader.tree.role(parent) {
                    Some(Role::PointerAssignment) if is_first => assigned.push(parent),
                    // `p(1:n) => a` gives it other bounds.
                    Some(Role::Call) if is_first && !self.is_pointer_side(parent) => {
                        subscripted.push(node);
                    }
                    _ => return false,
                }
            }
        }
        let is_behind = |node: &Node, assignment: &Node| {
            let end = following(*assignment).last().map(Node::end_byte);
            assignment.end_byte() <= node.start_byte() && Some(node.end_byte()) <= end
        };
        let is_beside = |one: &Node, other: &Node| one.parent() == other.parent();
        let is_under_one = |node: &Node| assigned.iter().any(|one| is_behind(node, one));
        let is_clear = |one: &Node| {
            let mut others = assigned.iter().filter(|other| is_behind(one, other));
            others.all(|other| is_beside(one, other))
        };
        subscripted.iter().all(is_under_one) && assigned.iter().all(is_clear)
    }

    /// Whether a node is the pointer of an assignment.
    fn is_pointer_side(&self, node: Node) -> bool {
        let around = node
            .parent()
            .filter(|around| self.reader.tree.role(*around) == Some(Role::PointerAssignment));
        around.is_some_and(|around| named_children(around).first() == Some(&node))
    }

    fn has_internal_procedures(&self) -> bool {
        let mut parts = named_children(self.unit.node).into_iter();
        parts.any(|part| self.reader.tree.role(part) == Some(Role::InternalProcedures))
    }

    /// An array or a part of one that stays the same to the end of the statements around.
    fn steady_target(&mut self, assignment: Node, target: Node) -> Option<Expr> {
        let mut names = below(target).filter(|node| node.kind() == kind::IDENTIFIER);
        let base = self.reader.name(names.next()?);
        let used: Vec<Arc<str>> = names.map(|node| self.reader.name(node)).collect();
        let counters = self.counters_around(assignment);
        let breaks = |node: Node| match node.kind() {
            // A jump may come here without the assignment.
            kind::STATEMENT_LABEL => true,
            kind::IDENTIFIER => {
                let name = self.reader.name(node);
                let is_open = used.contains(&name) && !counters.contains(&name);
                name == base && self.moves_storage(node) || is_open && self.may_change(node)
            }
            _ => false,
        };
        let mut rest = following(assignment).into_iter().flat_map(below);
        if rest.any(breaks) {
            return None;
        }
        let mut target = self.reader.read(target);
        if let Some(replaced) = self.replace_alias(&target, self.scope) {
            target = replaced;
        }
        let target = self.counted_from_one(&target)?;
        let value = self.own_value(&target);
        let is_array = match &value {
            Value::Element { .. } => true,
            Value::Variable(id) => !self.draft.variable(*id).dimensions.is_empty(),
            _ => false,
        };
        is_array.then_some(target)
    }

    /// The variables that loops around a statement count with.
    fn counters_around(&self, node: Node) -> Vec<Arc<str>> {
        let mut found = Vec::new();
        let mut around = node.parent();
        while let Some(node) = around {
            if self.reader.tree.role(node) == Some(Role::Loop) {
                let header = below(node).find(|part| part.kind() == kind::LOOP_CONTROL);
                let first = header.and_then(|header| named_children(header).into_iter().next());
                found.extend(first.map(|counter| self.reader.name(counter)));
            }
            around = node.parent();
        }
        found
    }

    /// Whether a name stands where its array gets other storage.
    fn moves_storage(&self, name: Node) -> bool {
        let mut around = name.parent();
        while let Some(node) = around {
            match self.reader.tree.role(node) {
                Some(Role::Allocation) => return true,
                Some(Role::PointerAssignment) => {
                    let target = named_children(node).into_iter().next();
                    return target.is_some_and(|target| name.end_byte() <= target.end_byte());
                }
                Some(Role::Assignment | Role::CallStatement | Role::Loop) | None => return false,
                Some(_) => around = node.parent(),
            }
        }
        false
    }

    /// Whether a variable may get another value where its name stands.
    fn may_change(&self, name: Node) -> bool {
        let Some(parent) = name.parent() else {
            return true;
        };
        let is_first = || named_children(parent).first() == Some(&name);
        match (self.reader.tree.role(parent), parent.kind()) {
            _ if self.is_constant(name) => false,
            (Some(Role::Assignment), _) => parent.child_by_field_name(field::LEFT) == Some(name),
            // An operand or the end of a section, which has a value of its own.
            (Some(Role::Binary | Role::Unary | Role::Parenthesised | Role::Range), _) => false,
            (_, kind::LOOP_CONTROL) => is_first(),
            (_, kind::OUTPUT_ITEMS | kind::SIZE) => false,
            (_, kind::ARGUMENT_LIST) => !parent.parent().is_some_and(|call| self.is_element(call)),
            // Other statements and the arguments of procedures: only declarations tell.
            _ => true,
        }
    }

    fn is_constant(&self, name: Node) -> bool {
        let symbol = self.scope.symbols.get(&self.reader.name(name));
        symbol.is_some_and(|symbol| matches!(symbol.class, Class::Constant(_)))
    }

    /// Whether `a(i)` is an element of an array, and no call.
    fn is_element(&self, call: Node) -> bool {
        let first = named_children(call).into_iter().next();
        let name = first.filter(|first| first.kind() == kind::IDENTIFIER);
        let symbol = name.and_then(|name| self.scope.symbols.get(&self.reader.name(name)));
        symbol.is_some_and(|symbol| {
            matches!(symbol.class, Class::Variable(_)) && !symbol.dimensions.is_empty()
        })
    }
}

/// The statements behind one that are executed whenever it is, up to the end of those around.
fn following(statement: Node<'_>) -> Vec<Node<'_>> {
    let around = statement.parent().map(named_children).unwrap_or_default();
    let behind = around
        .into_iter()
        .skip_while(|node| node.start_byte() < statement.end_byte());
    behind
        .take_while(|node| !matches!(node.kind(), kind::ELSE | kind::ELSE_IF))
        .collect()
}

/// A node and all that is inside it, in the order of the text.
fn below(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let mut left = vec![node];
    std::iter::from_fn(move || {
        let node = left.pop()?;
        left.extend(named_children(node).into_iter().rev());
        Some(node)
    })
}
