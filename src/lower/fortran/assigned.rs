//! What a procedure assigns to with subscripts. Only an array can stand there: the one clue about a
//! name that no file declares.

use rustc_hash::FxHashMap;
use tree_sitter::Node;

use super::expression::{Argument, Reader};
use super::names::field;
use super::path::Path;
use crate::syntax::Role;

/// Ranks of what the unit assigns to with subscripts, by path.
#[derive(Debug, Default)]
pub struct Assigned {
    /// Made when first needed.
    ranks: Option<FxHashMap<String, usize>>,
}

impl Assigned {
    /// Whether a path with these subscripts must be an array: it is assigned to with as many
    /// somewhere in the unit, or it has a section among them.
    pub fn has(&mut self, reader: &Reader, unit: Node, path: &str, arguments: &[Argument]) -> bool {
        if arguments.len() > 1 && arguments.iter().any(|a| matches!(a, Argument::Section(_))) {
            return true;
        }
        let ranks = self.ranks.get_or_insert_with(|| collect(reader, unit));
        ranks.get(path) == Some(&arguments.len())
    }
}

fn collect(reader: &Reader, unit: Node) -> FxHashMap<String, usize> {
    let mut found = FxHashMap::default();
    let mut cursor = unit.walk();
    'walk: loop {
        let node = cursor.node();
        if reader.tree.role(node) == Some(Role::Assignment)
            && let Some(left) = node.child_by_field_name(field::LEFT)
        {
            let target = reader.read(left);
            if let Some(path) = Path::of(&target)
                && let Some((arguments, _)) = path.parts.last().and_then(|part| part.applied)
            {
                found.insert(path.text(), arguments.len());
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
