//! What a procedure assigns to with subscripts, as only an array can stand there: the one clue about a name that no file
//! declares. And the arrays that it makes longer, as their allocation no longer says how long they are:
//!
//! ```text
//! list%items = [list%items, item]
//! ```

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Node;

use super::expression::{Argument, Expr, Reader};
use super::names::field;
use super::path::Path;
use crate::syntax::Role;

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

    /// Whether the unit makes an array longer.
    pub fn grows(&mut self, reader: &Reader, unit: Node, path: &str) -> bool {
        self.all(reader, unit).grown.contains(path)
    }

    fn all(&mut self, reader: &Reader, unit: Node) -> &Found {
        self.found.get_or_insert_with(|| collect(reader, unit))
    }
}

/// The array that an assignment makes longer: its elements and something more are assigned to it as a whole.
pub fn grown(reader: &Reader, assignment: Node) -> Option<Expr> {
    let right = assignment.child_by_field_name(field::RIGHT)?;
    if reader.tree.role(right) != Some(Role::ArrayConstructor) {
        return None;
    }
    let target = reader.read(assignment.child_by_field_name(field::LEFT)?);
    let own = whole(&target)?;
    let Expr::Array(values) = reader.read(right) else {
        return None;
    };
    let has_own = values.iter().any(|one| whole(one).as_ref() == Some(&own));
    (has_own && values.len() > 1).then_some(target)
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
        if reader.tree.role(node) == Some(Role::Assignment)
            && let Some(left) = node.child_by_field_name(field::LEFT)
        {
            let target = reader.read(left);
            if let Some(path) = Path::of(&target)
                && let Some((arguments, _)) = path.parts.last().and_then(|part| part.applied)
            {
                found.ranks.insert(path.text(), arguments.len());
            }
            found
                .grown
                .extend(grown(reader, node).as_ref().and_then(whole));
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
