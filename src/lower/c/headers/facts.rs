//! What one declaration of a header says, read from its own tree.

use rustc_hash::FxHashMap;
use tree_sitter::Node;

use super::super::ctype::is_library_type;
use super::super::fields::{Field, children, part, parts};
use super::super::lone_names;
use super::super::mask::Masked;
use super::super::misread::TypeNames;
use crate::source::Language;
use crate::syntax::{Grammar, Role, SyntaxTree};

/// Structures nested more deeply are not looked into.
const DEPTH: u32 = 50;

/// A word of the sources, as a small number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Word(u32);

/// The words that declarations of headers are made of.
#[derive(Default)]
pub struct Words {
    known: FxHashMap<Box<str>, Word>,
}

impl Words {
    pub fn get(&self, text: &str) -> Option<Word> {
        self.known.get(text).copied()
    }

    fn add(&mut self, text: &str) -> Word {
        if let Some(word) = self.get(text) {
            return word;
        }
        let word = Word(self.known.len() as u32);
        self.known.insert(text.into(), word);
        word
    }

    /// Those words of a text that a header has too.
    pub fn of(&self, text: &str) -> Vec<Word> {
        let known = lone_names::words(text).filter_map(|word| self.get(word));
        each_once(known.collect())
    }

    /// All words of a text.
    pub fn all_of(&mut self, text: &str) -> Vec<Word> {
        each_once(lone_names::words(text).map(|word| self.add(word)).collect())
    }
}

fn each_once(mut words: Vec<Word>) -> Vec<Word> {
    words.sort_unstable();
    words.dedup();
    words.shrink_to_fit();
    words
}

/// Whether a declaration may be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It declares names and does nothing else.
    Plain,
    /// It does more than that, or how it is read depends on what stands elsewhere.
    Bound,
    /// The grammar cannot read it.
    Unread,
}

/// What a declaration says.
pub struct Facts {
    pub standing: Standing,
    /// Variables that it declares at file scope, and tags of structures: later declarations may complete them.
    pub variables: Vec<Word>,
    /// Functions, types and enumerators that it declares: only the first declaration of one counts.
    pub settled: Vec<Word>,
    /// Those that it declares as types.
    pub typedefs: Vec<Word>,
    /// Types that must be declared before it, or there is a remark.
    pub needs: Vec<Word>,
    /// Names that it shows to be types by the way it uses them.
    pub shows_as_type: Vec<Word>,
    /// Every word in it.
    pub mentions: Vec<Word>,
}

/// The same, in the words themselves.
pub struct Read<'t> {
    standing: Standing,
    variables: Vec<&'t str>,
    settled: Vec<&'t str>,
    typedefs: Vec<&'t str>,
    needs: Vec<&'t str>,
    shows_as_type: Vec<String>,
    mentions: Vec<&'t str>,
}

/// Reads a declaration from its text.
pub fn read(text: &str) -> Read<'_> {
    let mut read = Read {
        standing: Standing::Bound,
        variables: Vec::new(),
        settled: Vec::new(),
        typedefs: Vec::new(),
        needs: Vec::new(),
        shows_as_type: Vec::new(),
        mentions: lone_names::words(text).collect(),
    };
    // Words of other letters, escapes and directives inside of it are left to the whole text.
    if !text.is_ascii() || text.contains(['\\', '#']) {
        return read;
    }
    let masked = Masked::new(text);
    let tree = Grammar::of(Language::C).parse(&masked.text);
    if tree.root().has_error() {
        read.standing = Standing::Unread;
        return read;
    }
    let mut types = TypeNames::default();
    types.learn(&tree);
    read.shows_as_type = types.into_names();
    // Of these the grammar knows it.
    let is_builtin = |name: &String| {
        let mut words = name.split_whitespace();
        words.all(|word| lone_names::TYPES.contains(&word))
    };
    read.shows_as_type.retain(|name| !is_builtin(name));
    let reader = Reader { text, tree: &tree };
    if reader.is_plain() {
        let mut is_shallow = true;
        for node in children(tree.root()) {
            is_shallow &= reader.declaration(node, &mut read);
        }
        if is_shallow {
            read.standing = Standing::Plain;
        }
    }
    read
}

impl Read<'_> {
    /// The same with words as numbers.
    pub fn with_words(self, words: &mut Words) -> Facts {
        let mut numbers =
            |texts: Vec<&str>| each_once(texts.into_iter().map(|text| words.add(text)).collect());
        let shown = self.shows_as_type.iter().map(String::as_str).collect();
        Facts {
            standing: self.standing,
            variables: numbers(self.variables),
            settled: numbers(self.settled),
            typedefs: numbers(self.typedefs),
            needs: numbers(self.needs),
            shows_as_type: numbers(shown),
            mentions: numbers(self.mentions),
        }
    }
}

struct Reader<'t, 'r> {
    /// The text as it was written, of the length of the tree's.
    text: &'t str,
    tree: &'r SyntaxTree<'r>,
}

impl<'t> Reader<'t, '_> {
    /// Whether nothing but declarations stands at file scope, and nothing in them that other declarations may
    /// show to be misread.
    fn is_plain(&self) -> bool {
        let declares = |node: &Node| {
            matches!(
                self.tree.role(*node),
                Some(
                    Role::Declaration
                        | Role::Typedef
                        | Role::TypeDefinition
                        | Role::Union
                        | Role::Enumeration
                )
            )
        };
        if !children(self.tree.root()).iter().all(declares) {
            return false;
        }
        let mut cursor = self.tree.root().walk();
        loop {
            match self.tree.role(cursor.node()) {
                Some(Role::Procedure | Role::Cast | Role::Call | Role::Alignment) => return false,
                Some(Role::Parenthesised) => {
                    let inside = children(cursor.node());
                    let is_name = |node: &Node| self.tree.role(*node) == Some(Role::Name);
                    if inside.len() == 1 && inside.iter().all(is_name) {
                        return false;
                    }
                }
                _ => {}
            }
            if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return true;
                }
            }
        }
    }

    fn text(&self, node: Node) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or("")
    }

    /// What a node at file scope declares; false if it is nested too deeply.
    fn declaration(&self, node: Node, read: &mut Read<'t>) -> bool {
        let role = self.tree.role(node);
        if let Some(Role::TypeDefinition | Role::Union | Role::Enumeration) = role {
            return self.specifier(node, read, 0);
        }
        for declarator in parts(node, Field::Declarator) {
            let Some((name, is_function)) = self.declared(declarator) else {
                return false;
            };
            match role {
                Some(Role::Typedef) => {
                    read.settled.push(name);
                    read.typedefs.push(name);
                }
                _ if is_function => read.settled.push(name),
                _ => read.variables.push(name),
            }
        }
        part(node, Field::Type).is_none_or(|ty| self.specifier(ty, read, 0))
    }

    /// What the type of a declaration declares and needs; false if it is nested too deeply.
    fn specifier(&self, node: Node, read: &mut Read<'t>, depth: u32) -> bool {
        if depth > DEPTH {
            return false;
        }
        if self.tree.role(node) == Some(Role::TypeName) {
            let name = self.text(node);
            if !is_library_type(name) {
                read.needs.push(name);
            }
            return true;
        }
        let Some(body) = part(node, Field::Body) else {
            return true;
        };
        if let Some(name) = part(node, Field::Name) {
            read.variables.push(self.text(name));
        }
        children(body)
            .into_iter()
            .all(|child| match self.tree.role(child) {
                Some(Role::Enumerator) => {
                    let name = part(child, Field::Name);
                    read.settled.extend(name.map(|name| self.text(name)));
                    true
                }
                Some(Role::Declaration) => part(child, Field::Type)
                    .is_none_or(|inner| self.specifier(inner, read, depth + 1)),
                _ => false,
            })
    }

    /// The name that a declarator declares, and whether as a function.
    fn declared(&self, mut declarator: Node) -> Option<(&'t str, bool)> {
        let mut is_function = false;
        for _ in 0..DEPTH {
            match self.tree.role(declarator) {
                Some(Role::Name | Role::TypeName) => {
                    return Some((self.text(declarator), is_function));
                }
                Some(Role::WrappedDeclarator) => declarator = *children(declarator).first()?,
                role => {
                    is_function = role == Some(Role::FunctionDeclarator);
                    declarator = part(declarator, Field::Declarator)?;
                }
            }
        }
        None
    }
}
