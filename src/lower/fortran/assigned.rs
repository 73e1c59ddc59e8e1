//! What a procedure assigns to with subscripts, as only an array can stand there: the one clue about a name that no file
//! declares. And the arrays that it gives another length, as their allocation no longer says how long they are:
//!
//! ```text
//! list%items = [list%items, item]
//! items = items(2:)
//! call move_alloc(longer, items)
//! ```

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Node;

use super::expression::{Argument, Expr, Reader};
use super::names::{field, kind};
use super::path::Path;
use crate::syntax::{Role, named_children};

/// The intrinsic subroutine that moves an allocation.
const MOVE_ALLOC: &str = "move_alloc";

/// Paths that the unit assigns to.
#[derive(Debug, Default)]
pub struct Assigned {
    /// Made when first needed.
    found: Option<Found>,
}

#[derive(Debug, Default)]
struct Found {
    /// Ranks of what is assigned to with subscripts.
    ranks: FxHashMap<String, usize>,
    grown: FxHashSet<String>,
    /// Where the last assignment to a name begins.
    last: FxHashMap<String, usize>,
}

impl Assigned {
    /// Whether a path with these subscripts must be an array: it is assigned to with as many
    /// somewhere in the unit, or it has a section among them.
    pub fn has(&mut self, reader: &Reader, unit: Node, path: &str, arguments: &[Argument]) -> bool {
        if arguments.len() > 1 && arguments.iter().any(|a| matches!(a, Argument::Section(_))) {
            return true;
        }
        self.all(reader, unit).ranks.get(path) == Some(&arguments.len())
    }

    /// Whether the unit gives an array another length than it was allocated with.
    pub fn grows(&mut self, reader: &Reader, unit: Node, path: &str) -> bool {
        self.all(reader, unit).grown.contains(path)
    }

    /// Whether an assignment behind a statement gives a name another value.
    pub fn changes_behind(
        &mut self,
        reader: &Reader,
        unit: Node,
        (name, at): (&str, Node),
    ) -> bool {
        let last = self.all(reader, unit).last.get(name);
        last.is_some_and(|last| *last > at.start_byte())
    }

    fn all(&mut self, reader: &Reader, unit: Node) -> &Found {
        self.found.get_or_insert_with(|| collect(reader, unit))
    }
}

/// The array that a statement gives another length: it is assigned its elements and something more, or a part of itself, or
/// gets another array's storage.
pub fn grown(reader: &Reader, statement: Node) -> Option<Expr> {
    match reader.tree.role(statement)? {
        Role::Assignment => made_of_itself(reader, statement),
        Role::CallStatement => moved_to(reader, statement),
        _ => None,
    }
}

fn made_of_itself(reader: &Reader, assignment: Node) -> Option<Expr> {
    let right = assignment.child_by_field_name(field::RIGHT)?;
    // Most assignments are neither, and need not be read for that.
    let may_be = match reader.tree.role(right) {
        Some(Role::ArrayConstructor) => true,
        _ => {
            let text = reader.tree.text(right);
            text.ends_with(')') && text.contains(':')
        }
    };
    if !may_be {
        return None;
    }
    let target = reader.read(assignment.child_by_field_name(field::LEFT)?);
    let own = whole(&target)?;
    let is_other = match reader.read(right) {
        Expr::Array(values) => {
            values.len() > 1 && values.iter().any(|one| whole(one).as_ref() == Some(&own))
        }
        part @ Expr::Apply(..) => {
            let path = Path::of(&part)?;
            let (arguments, _) = path.parts.last()?.applied?;
            let is_part = |one: &Argument| match one {
                Argument::Section(ends) => ends.iter().any(Option::is_some),
                _ => false,
            };
            path.text() == own && arguments.iter().any(is_part)
        }
        _ => false,
    };
    is_other.then_some(target)
}

/// What the intrinsic `move_alloc` gives the storage of its first argument.
fn moved_to(reader: &Reader, call: Node) -> Option<Expr> {
    let subroutine = call.child_by_field_name(field::SUBROUTINE)?;
    if !(reader.tree.text(subroutine)).eq_ignore_ascii_case(MOVE_ALLOC) {
        return None;
    }
    let list = named_children(call)
        .into_iter()
        .find(|part| part.kind() == kind::ARGUMENT_LIST)?;
    let arguments = reader.arguments(list);
    let named = arguments.iter().find_map(|argument| match argument {
        Argument::Keyword(name, to) => (&**name == "to").then_some(to),
        _ => None,
    });
    let to = named.or(match arguments.get(1)? {
        Argument::Value(to) => Some(to),
        _ => None,
    })?;
    whole(to).is_some().then(|| to.clone())
}

/// The path of an array that stands without subscripts.
fn whole(expr: &Expr) -> Option<String> {
    let path = Path::of(expr)?;
    let is_whole = path.parts.last()?.applied.is_none() && path.substring.is_none();
    is_whole.then(|| path.text())
}

fn collect(reader: &Reader, unit: Node) -> Found {
    let mut found = Found::default();
    let mut cursor = unit.walk();
    'walk: loop {
        let node = cursor.node();
        found
            .grown
            .extend(grown(reader, node).as_ref().and_then(whole));
        if reader.tree.role(node) == Some(Role::Assignment)
            && let Some(left) = node.child_by_field_name(field::LEFT)
        {
            let target = reader.read(left);
            if let Some(name) = whole(&target) {
                found.last.insert(name, node.start_byte());
            }
            if let Some(path) = Path::of(&target)
                && let Some((arguments, _)) = path.parts.last().and_then(|part| part.applied)
            {
                found.ranks.insert(path.text(), arguments.len());
            }
        } else if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                break 'walk;
            }
        }
    }
    found
}
