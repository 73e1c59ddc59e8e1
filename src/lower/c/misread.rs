//! Expressions that only knowledge of the types tells apart. `(a) - b * c` is a difference if `a` is a
//! variable and a product if `a` is a type; the grammar guesses. A first tree shows which names are
//! types, and the text is rewritten, at equal length, so that the second tree cannot be wrong:
//! parentheses round a variable go, and a typedef name becomes `int`, which the grammar knows to
//! be a type. The original text still says which type it is.

use std::ops::Range;

use rustc_hash::FxHashSet;
use tree_sitter::Node;

use super::ctype::is_library_type;
use super::fields::{CLOSE, Field, children, part, parts};
use crate::syntax::{Grammar, Role, SyntaxTree};

/// A rewritten place may uncover another, but not for ever.
pub const PASSES: usize = 4;
/// What stands for a typedef name; shorter names stay as they are.
const TYPE: &str = "int";

/// Names of types in a file.
#[derive(Default)]
pub struct TypeNames(FxHashSet<String>);

impl TypeNames {
    /// Adds the names that a text uses as types where nothing else can stand.
    pub fn learn(&mut self, tree: &SyntaxTree) {
        let names = &mut self.0;
        walk(tree, |node| {
            let found = match tree.role(node) {
                Some(Role::Typedef) => {
                    names.extend(
                        parts(node, Field::Declarator)
                            .into_iter()
                            .filter_map(|d| declared_type(tree, d)),
                    );
                    part(node, Field::Type)
                }
                Some(Role::Declaration) => part(node, Field::Type),
                Some(Role::TypeDescriptor) => match part(node, Field::Declarator) {
                    Some(declarator) if !is_element(tree, declarator) => part(node, Field::Type),
                    _ => None,
                },
                _ => None,
            };
            let found = found.filter(|node| tree.role(*node) == Some(Role::TypeName));
            names.extend(found.map(|node| tree.text(node).to_string()));
        });
    }

    pub fn into_names(self) -> Vec<String> {
        self.0.into_iter().collect()
    }

    fn contains(&self, name: &str) -> bool {
        self.0.contains(name) || is_library_type(name) || name.ends_with("_t")
    }
}

/// Rewrites a short text, whose types another one declares, until nothing in it is misread.
pub fn corrected_with(grammar: &'static Grammar, mut text: String, types: &TypeNames) -> String {
    for _ in 0..PASSES {
        match rewritten(&grammar.parse(&text), types) {
            Some(rewritten) => text = rewritten,
            None => break,
        }
    }
    text
}

/// The text of a tree with what was misread in it rewritten, if there is any.
pub fn rewritten(tree: &SyntaxTree, types: &TypeNames) -> Option<String> {
    let mut blanks: Vec<Range<usize>> = Vec::new();
    let mut names: Vec<Range<usize>> = Vec::new();
    walk(tree, |node| match tree.role(node) {
        Some(Role::Cast) if is_misread_cast(tree, node, types) => {
            // The parenthesis that closes may stand behind a comment.
            let mut cursor = node.walk();
            let close = node
                .children(&mut cursor)
                .find(|child| child.kind() == CLOSE);
            if let Some(close) = close {
                blanks.extend([node.start_byte()..node.start_byte() + 1, close.byte_range()]);
            }
        }
        Some(Role::Parenthesised) => names.extend(only_name(tree, node, types)),
        Some(Role::Call) => {
            let function = part(node, Field::Function)
                .filter(|function| tree.role(*function) == Some(Role::Name));
            names.extend(
                function
                    .filter(|name| types.0.contains(tree.text(*name)))
                    .map(|name| name.byte_range()),
            );
        }
        _ => {}
    });
    names.retain(|range| range.len() >= TYPE.len());
    if blanks.is_empty() && names.is_empty() {
        return None;
    }
    let mut bytes = tree.text.as_bytes().to_vec();
    for range in blanks {
        bytes[range].fill(b' ');
    }
    for range in names {
        bytes[range.clone()].fill(b' ');
        bytes[range.start..range.start + TYPE.len()].copy_from_slice(TYPE.as_bytes());
    }
    String::from_utf8(bytes).ok()
}

/// Whether `(name) + x` was read as a cast of `+x`, or `(a[i]) + x` as one to an array.
fn is_misread_cast(tree: &SyntaxTree, node: Node, types: &TypeNames) -> bool {
    let (Some(value), Some(descriptor)) = (part(node, Field::Value), part(node, Field::Type))
    else {
        return false;
    };
    let operator = part(value, Field::Operator).map_or("", |operator| tree.text(operator));
    let is_signed = matches!(tree.role(value), Some(Role::Unary | Role::Pointer));
    if !is_signed || !matches!(operator, "+" | "-" | "*" | "&") {
        return false;
    }
    match &children(descriptor)[..] {
        [name] => {
            let is_name = tree.role(*name) == Some(Role::TypeName) && name.child_count() == 0;
            is_name && !types.contains(tree.text(*name))
        }
        [_, declarator] => is_element(tree, *declarator),
        _ => false,
    }
}

/// Whether a declarator without a name makes arrays or functions, to which nothing can be cast.
fn is_element(tree: &SyntaxTree, mut declarator: Node) -> bool {
    for _ in 0..100 {
        if !matches!(
            tree.role(declarator),
            Some(Role::ArrayDeclarator | Role::FunctionDeclarator)
        ) {
            return false;
        }
        match part(declarator, Field::Declarator) {
            Some(inner) => declarator = inner,
            None => return true,
        }
    }
    false
}

/// A typedef name alone in parentheses: `(real)(x)` was read as a call, `(real) -x` as a difference.
fn only_name(tree: &SyntaxTree, node: Node, types: &TypeNames) -> Option<Range<usize>> {
    match &children(node)[..] {
        [name] if tree.role(*name) == Some(Role::Name) && types.0.contains(tree.text(*name)) => {
            Some(name.byte_range())
        }
        _ => None,
    }
}

fn declared_type(tree: &SyntaxTree, mut declarator: Node) -> Option<String> {
    for _ in 0..100 {
        match tree.role(declarator) {
            Some(Role::TypeName) => return Some(tree.text(declarator).to_string()),
            Some(Role::WrappedDeclarator) => declarator = *children(declarator).first()?,
            _ => declarator = part(declarator, Field::Declarator)?,
        }
    }
    None
}

fn walk<'t>(tree: &'t SyntaxTree, mut visit: impl FnMut(Node<'t>)) {
    let mut cursor = tree.root().walk();
    loop {
        visit(cursor.node());
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}
