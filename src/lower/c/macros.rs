//! Macros that stand for constant expressions.

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Node;

use super::fields::{Field, children, part};
use super::misread::{self, TypeNames};
use crate::diagnostic::Place;
use crate::source::SourceText;
use crate::syntax::{Grammar, Role, SyntaxTree};

/// A macro as a declaration that the grammar can read.
pub struct MacroText {
    name: String,
    place: Place,
    declaration: String,
    /// The declaration with its expressions disambiguated, at equal length.
    corrected: String,
}

/// A macro that stands for a constant expression.
pub struct Macro<'t> {
    pub place: Place,
    pub tree: SyntaxTree<'t>,
    /// The text of the tree as it was written.
    pub original: &'t str,
}

/// Macros by name.
#[derive(Default)]
pub struct Macros<'t> {
    constants: FxHashMap<&'t str, Macro<'t>>,
    /// Also those that stand for something else.
    defined: FxHashSet<&'t str>,
}

/// The macros that the preprocessor left as names and those whose definitions still stand in the
/// text. The former win, and of several definitions the first.
pub fn macro_texts(
    grammar: &'static Grammar,
    tree: &SyntaxTree,
    source: &SourceText,
    types: &TypeNames,
) -> Vec<MacroText> {
    let mut found = Vec::new();
    let mut known = FxHashSet::default();
    let mut add = |name: &str, text: &str, place: Place| {
        if !text.trim().is_empty() && known.insert(name.to_string()) {
            // The line break ends a comment that the definition may have carried.
            let declaration = format!("long {name} = ({text}\n);\n");
            let corrected = misread::corrected_with(grammar, declaration.clone(), types);
            found.push(MacroText {
                name: name.to_string(),
                place,
                declaration,
                corrected,
            });
        }
    };
    for constant in &source.macros {
        add(&constant.name, &constant.text, constant.place.clone());
    }
    let mut cursor = tree.root().walk();
    'walk: loop {
        let node = cursor.node();
        if tree.role(node) == Some(Role::Macro) {
            let start = node.start_position();
            if let (Some(name), Some(value)) = (part(node, Field::Name), part(node, Field::Value)) {
                add(
                    tree.text(name),
                    tree.text(value),
                    source.place(start.row, start.column),
                );
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

impl<'t> Macros<'t> {
    /// Keeps the macros whose text is built of literals and other such macros.
    pub fn parse(grammar: &'static Grammar, texts: &'t [MacroText]) -> Macros<'t> {
        let defined: FxHashSet<&str> = texts.iter().map(|text| text.name.as_str()).collect();
        let mut macros = FxHashMap::default();
        for text in texts {
            let tree = grammar.parse(&text.corrected);
            if !tree.root().has_error() {
                macros.insert(
                    text.name.as_str(),
                    Macro {
                        place: text.place.clone(),
                        tree,
                        original: &text.declaration,
                    },
                );
            }
        }
        // What names something unknown is dropped, and so is what names that, and so on.
        loop {
            let unknown = |found: &Macro| {
                !found
                    .value()
                    .is_some_and(|value| is_constant(&found.tree, value, &macros, &defined))
            };
            let dropped = macros
                .iter()
                .filter(|(_, found)| unknown(found))
                .map(|(name, _)| *name)
                .collect::<Vec<_>>();
            if dropped.is_empty() {
                return Macros {
                    constants: macros,
                    defined,
                };
            }
            dropped.iter().for_each(|name| drop(macros.remove(name)));
        }
    }

    pub fn get(&self, name: &str) -> Option<&Macro<'t>> {
        self.constants.get(name)
    }

    pub fn defines(&self, name: &str) -> bool {
        self.defined.contains(name)
    }
}

impl Macro<'_> {
    /// The expression between the parentheses of the declaration.
    pub fn value(&self) -> Option<Node<'_>> {
        let declaration = children(self.tree.root()).into_iter().next()?;
        part(part(declaration, Field::Declarator)?, Field::Value)
    }
}

fn is_constant(
    tree: &SyntaxTree,
    node: Node,
    macros: &FxHashMap<&str, Macro>,
    defined: &FxHashSet<&str>,
) -> bool {
    let mut todo = vec![node];
    while let Some(node) = todo.pop() {
        match tree.role(node) {
            Some(Role::Number | Role::TypeDescriptor) => {}
            Some(Role::LogicalLiteral) if !defined.contains(tree.text(node)) => {}
            Some(Role::LogicalLiteral | Role::Null | Role::Name)
                if macros.contains_key(tree.text(node)) => {}
            Some(
                Role::Binary
                | Role::Unary
                | Role::Parenthesised
                | Role::Cast
                | Role::Conditional
                | Role::Sizeof,
            ) => {
                todo.extend(children(node));
            }
            _ => return false,
        }
    }
    true
}
