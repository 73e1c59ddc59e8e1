//! Parsing, and the bridge from grammars to meaning. Which node of a syntax tree is a loop, a
//! subscript, a call or a declaration is written in `grammars/*/*.scm` as tree-sitter queries; here
//! they are compiled, and every node that they capture has its [`Role`]. A pattern captures its
//! outermost node.

// The layers below, by their names.
use loopsheet_base::diagnostic;
use loopsheet_source as source;

mod patterns;
pub mod problems;
mod roles;

use std::cell::RefCell;
use std::sync::OnceLock;

use streaming_iterator::StreamingIterator;
use tree_sitter::{Node, Parser, Query, QueryCursor, Tree};

pub use roles::Role;

use crate::source::Language;

/// A language with its compiled queries.
pub struct Grammar {
    pub language: tree_sitter::Language,
    /// What the queries say of each node kind, by kind id.
    kinds: Vec<KindRole>,
    /// The patterns that look into nodes.
    context: Query,
    /// Role of each capture of `context`, by capture index.
    context_roles: Vec<Role>,
}

/// What the queries say of a node kind.
#[derive(Clone, Copy, Default)]
struct KindRole {
    /// Some pattern looks into nodes of this kind; it is asked first.
    in_context: bool,
    plain: Option<Role>,
}

impl Grammar {
    /// The grammar of a language; compiled on first use.
    pub fn of(language: Language) -> &'static Grammar {
        static C: OnceLock<Grammar> = OnceLock::new();
        static FORTRAN: OnceLock<Grammar> = OnceLock::new();
        match language {
            Language::C => C.get_or_init(|| {
                Grammar::new(
                    tree_sitter_c::LANGUAGE.into(),
                    concat!(
                        include_str!("grammars/c/declarations.scm"),
                        include_str!("grammars/c/statements.scm"),
                        include_str!("grammars/c/expressions.scm"),
                    ),
                )
            }),
            Language::Fortran => FORTRAN.get_or_init(|| {
                Grammar::new(
                    tree_sitter_fortran::LANGUAGE.into(),
                    concat!(
                        include_str!("grammars/fortran/declarations.scm"),
                        include_str!("grammars/fortran/statements.scm"),
                        include_str!("grammars/fortran/expressions.scm"),
                    ),
                )
            }),
        }
    }

    /// The queries are part of the program; a test compiles both, so a typo cannot ship.
    fn new(language: tree_sitter::Language, queries: &str) -> Grammar {
        let whole =
            Query::new(&language, queries).expect("the queries in grammars/ fit the grammar");
        let role = |name: &str| {
            Role::parse(name).unwrap_or_else(|| panic!("grammars/ names no role `{name}`"))
        };
        let mut kinds = vec![KindRole::default(); language.node_kind_count()];
        let mut context = String::new();
        let patterns = patterns::split(queries);
        assert_eq!(
            patterns.len(),
            whole.pattern_count(),
            "a pattern in grammars/ captures no outermost node"
        );
        for pattern in patterns {
            match pattern.plain_kinds() {
                // The first pattern that fits a node gives its role.
                Some((names, capture)) => each_kind(&language, &names, |id| {
                    kinds[id].plain.get_or_insert(role(capture));
                }),
                None => {
                    let capture = pattern
                        .role
                        .map_or(String::new(), |name| format!(" @{name}"));
                    context.push_str(&format!("{}{capture}\n", pattern.text));
                }
            }
        }
        for pattern in patterns::split(&context) {
            let root = pattern.text.trim_start_matches(['(', '[', ' ', '\n']);
            let root = root
                .split(|c: char| !(c.is_alphanumeric() || c == '_'))
                .next()
                .unwrap_or("");
            each_kind(&language, &[root], |id| kinds[id].in_context = true);
        }
        let context = Query::new(&language, &context).expect("a part of a query is a query");
        let context_roles = context
            .capture_names()
            .iter()
            .map(|name| role(name))
            .collect();
        Grammar {
            language,
            kinds,
            context,
            context_roles,
        }
    }

    /// Parses `text`. Tree-sitter always yields a tree; what it could not read is found by
    /// [`problems::find`].
    pub fn parse<'t>(&'static self, text: &'t str) -> SyntaxTree<'t> {
        let mut parser = Parser::new();
        parser
            .set_language(&self.language)
            .expect("the grammar fits the tree-sitter library");
        let tree = parser
            .parse(text, None)
            .expect("parsing is neither cancelled nor timed out");
        SyntaxTree {
            text,
            tree,
            grammar: self,
            cursor: RefCell::new(QueryCursor::new()),
        }
    }
}

/// Calls `found` with the id of every named node kind of these names; one name may have several.
fn each_kind(language: &tree_sitter::Language, names: &[&str], mut found: impl FnMut(usize)) {
    for id in 0..language.node_kind_count() {
        let is_named = language.node_kind_is_named(id as u16);
        if is_named
            && language
                .node_kind_for_id(id as u16)
                .is_some_and(|kind| names.contains(&kind))
        {
            found(id);
        }
    }
}

/// A parsed text with the roles of its nodes.
pub struct SyntaxTree<'t> {
    pub text: &'t str,
    tree: Tree,
    grammar: &'static Grammar,
    cursor: RefCell<QueryCursor>,
}

impl<'t> SyntaxTree<'t> {
    pub fn root(&self) -> Node<'_> {
        self.tree.root_node()
    }

    /// The role of a node; `None` for nodes that the queries do not name. Patterns that look into the
    /// node come before those that only name its kind; of each sort the first in the files wins.
    pub fn role(&self, node: Node) -> Option<Role> {
        let kind = self.grammar.kinds.get(usize::from(node.kind_id()))?;
        if kind.in_context {
            self.role_in_context(node).or(kind.plain)
        } else {
            kind.plain
        }
    }

    fn role_in_context(&self, node: Node) -> Option<Role> {
        let mut cursor = self.cursor.borrow_mut();
        cursor.set_max_start_depth(Some(0));
        let mut matches = cursor.matches(&self.grammar.context, node, self.text.as_bytes());
        let mut first: Option<(usize, Role)> = None;
        while let Some(found) = matches.next() {
            let captures = found
                .captures()
                .iter()
                .filter(|capture| capture.node.id() == node.id());
            for capture in captures {
                let role = self.grammar.context_roles[capture.index as usize];
                if first.is_none_or(|(pattern, _)| found.pattern_index < pattern) {
                    first = Some((found.pattern_index, role));
                }
            }
        }
        first.map(|(_, role)| role)
    }

    /// The source text of a node.
    pub fn text(&self, node: Node) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or("")
    }
}

/// Named children that are neither comments nor other extras.
pub fn named_children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor)
        .filter(|child| !child.is_extra())
        .collect()
}
