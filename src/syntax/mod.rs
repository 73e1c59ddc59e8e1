//! Parsing, and the bridge from grammars to meaning. Which node of a syntax tree is a loop, a
//! subscript, a call or a declaration is written in `grammars/*/*.scm` as tree-sitter queries; here
//! the queries run once over a tree and every captured node gets its [`Role`].

pub mod problems;
mod roles;

use std::sync::OnceLock;

use rustc_hash::FxHashMap;
use streaming_iterator::StreamingIterator;
use tree_sitter::{Node, Parser, Query, QueryCursor, Tree};

pub use roles::Role;

use crate::source::Language;

/// A language with its compiled queries.
pub struct Grammar {
    pub language: tree_sitter::Language,
    query: Query,
    /// Role of each capture of the query, by capture index.
    roles: Vec<Role>,
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
                        include_str!("../../grammars/c/declarations.scm"),
                        include_str!("../../grammars/c/statements.scm"),
                        include_str!("../../grammars/c/expressions.scm"),
                    ),
                )
            }),
            Language::Fortran => FORTRAN.get_or_init(|| {
                Grammar::new(
                    tree_sitter_fortran::LANGUAGE.into(),
                    concat!(
                        include_str!("../../grammars/fortran/declarations.scm"),
                        include_str!("../../grammars/fortran/statements.scm"),
                        include_str!("../../grammars/fortran/expressions.scm"),
                    ),
                )
            }),
        }
    }

    /// The queries are part of the program; a test compiles both, so a typo cannot ship.
    fn new(language: tree_sitter::Language, queries: &str) -> Grammar {
        let query = Query::new(&language, queries).expect("the queries in grammars/ fit the grammar");
        let role = |name: &&str| Role::parse(name).unwrap_or_else(|| panic!("grammars/ names no role `{name}`"));
        let roles = query.capture_names().iter().map(role).collect();
        Grammar { language, query, roles }
    }

    /// Parses `text`. Tree-sitter always yields a tree; what it could not read is found by
    /// [`problems::find`].
    pub fn parse<'t>(&self, text: &'t str) -> SyntaxTree<'t> {
        let mut parser = Parser::new();
        parser.set_language(&self.language).expect("the grammar fits the tree-sitter library");
        let tree = parser.parse(text, None).expect("parsing is neither cancelled nor timed out");
        let mut roles = FxHashMap::default();
        let mut cursor = QueryCursor::new();
        let mut captures = cursor.captures(&self.query, tree.root_node(), text.as_bytes());
        while let Some((found, index)) = captures.next() {
            let capture = found.captures()[*index];
            roles.entry(capture.node.id()).or_insert(self.roles[capture.index as usize]);
        }
        drop(captures);
        SyntaxTree { text, tree, roles }
    }
}

/// A parsed text with the roles of its nodes.
pub struct SyntaxTree<'t> {
    pub text: &'t str,
    tree: Tree,
    roles: FxHashMap<usize, Role>,
}

impl<'t> SyntaxTree<'t> {
    pub fn root(&self) -> Node<'_> {
        self.tree.root_node()
    }

    /// The role of a node; `None` for nodes that the queries do not name. Where several patterns
    /// capture one node, the first in the query file wins.
    pub fn role(&self, node: Node) -> Option<Role> {
        self.roles.get(&node.id()).copied()
    }

    /// The source text of a node.
    pub fn text(&self, node: Node) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or("")
    }
}

/// Named children that are neither comments nor other extras.
pub fn named_children<'a>(node: Node<'a>) -> Vec<Node<'a>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| !child.is_extra()).collect()
}
