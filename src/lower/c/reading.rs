//! The text at hand: the file's tree, or that of a macro while its value is read.

use std::ops::Range;

use tree_sitter::Node;

use super::macros::{Macro, Macros};
use super::mask::{Masked, is_word};
use crate::diagnostic::Place;
use crate::ir::{LoopDirective, Reason};
use crate::reason::ReasonCode;
use crate::source::SourceText;
use crate::syntax::{Role, SyntaxTree};

/// A macro whose value is being read.
struct Expansion<'t> {
    /// Where the macro stands.
    place: Place,
    /// The text of its tree as it was written.
    original: &'t str,
}

/// What is read, and where it stood before macros were expanded and text was masked.
pub struct Reading<'t> {
    tree: &'t SyntaxTree<'t>,
    source: &'t SourceText,
    masked: &'t Masked,
    macros: &'t Macros<'t>,
    expansion: Option<Expansion<'t>>,
}

/// What was read before a macro.
pub struct Outer<'t> {
    tree: &'t SyntaxTree<'t>,
    expansion: Option<Expansion<'t>>,
}

impl<'t> Reading<'t> {
    pub fn new(
        tree: &'t SyntaxTree<'t>,
        source: &'t SourceText,
        masked: &'t Masked,
        macros: &'t Macros<'t>,
    ) -> Reading<'t> {
        Reading {
            tree,
            source,
            masked,
            macros,
            expansion: None,
        }
    }

    /// Goes on with the tree of a macro.
    pub fn enter(&mut self, found: &'t Macro<'t>) -> Outer<'t> {
        let expansion = Expansion {
            place: found.place.clone(),
            original: found.original,
        };
        Outer {
            tree: std::mem::replace(&mut self.tree, &found.tree),
            expansion: self.expansion.replace(expansion),
        }
    }

    /// Goes back to what was read before a macro.
    pub fn leave(&mut self, outer: Outer<'t>) {
        self.tree = outer.tree;
        self.expansion = outer.expansion;
    }

    pub fn is_in_macro(&self) -> bool {
        self.expansion.is_some()
    }

    pub fn tree(&self) -> &'t SyntaxTree<'t> {
        self.tree
    }

    pub fn macro_named(&self, name: &str) -> Option<&'t Macro<'t>> {
        let macros = self.macros;
        macros.get(name)
    }

    /// Whether a name has a definition, even one that is not a constant.
    pub fn defines_macro(&self, name: &str) -> bool {
        self.macros.defines(name)
    }

    pub fn role(&self, node: Node) -> Option<Role> {
        self.tree.role(node)
    }

    pub fn text(&self, node: Node) -> &'t str {
        self.tree.text(node)
    }

    /// Some bytes of the tree's text.
    pub fn text_of(&self, range: Range<usize>) -> &'t str {
        let tree = self.tree;
        tree.text.get(range).unwrap_or("")
    }

    /// The text of a node as it was written; of a name or keyword that was rewritten, all of it.
    pub fn original(&self, node: Node) -> &'t str {
        let text = match &self.expansion {
            Some(expansion) => expansion.original,
            None => self.source.text.as_str(),
        };
        let written = text.get(node.byte_range()).unwrap_or("");
        let rest = text.get(node.end_byte()..).unwrap_or("");
        if !written.ends_with(is_word) {
            return written;
        }
        let end = node.end_byte() + rest.len() - rest.trim_start_matches(is_word).len();
        text.get(node.start_byte()..end).unwrap_or("")
    }

    /// Whether a word stands anywhere in the file.
    pub fn mentions(&self, word: &str) -> bool {
        self.source.text.contains(word)
    }

    pub fn place(&self, node: Node) -> Place {
        if let Some(expansion) = &self.expansion {
            return expansion.place.clone();
        }
        let start = node.start_position();
        self.source.place(start.row, start.column)
    }

    /// The first place of the file.
    pub fn beginning(&self) -> Place {
        self.source.place(0, 0)
    }

    /// The line that a node ends in.
    pub fn end_line(&self, node: Node) -> u32 {
        let end = node.end_position();
        self.source.place(end.row, end.column).line
    }

    /// The directives that distribute a loop.
    pub fn parallel(&self, node: Node) -> Option<LoopDirective> {
        let words = self.masked.parallel(node)?;
        Some(LoopDirective::read(&words))
    }

    /// The largest alignment that members declared there may have; 0 is none.
    pub fn most_aligned(&self, node: Node) -> u32 {
        if self.is_in_macro() {
            return 0;
        }
        self.masked.packing.at(node.start_byte())
    }

    /// A reason with the beginning of a node's text as detail.
    pub fn reason(&self, code: ReasonCode, node: Node) -> Reason {
        let words = self
            .original(node)
            .split_whitespace()
            .take(20)
            .collect::<Vec<_>>()
            .join(" ");
        let detail = match words.char_indices().nth(80) {
            Some((end, _)) => format!("{} …", &words[..end]),
            None => words,
        };
        Reason { code, detail }
    }
}
