//! What do names mean, and what stands behind the names of types: all that declarations say.
//!
//! Ordinary names (variables, functions, typedefs, enumerators) and tags have spaces of their own, in scopes
//! that blocks open and close. Whether a name is a type decides how the text around it is read (`misread`).

use rustc_hash::FxHashMap;
use tree_sitter::Node;

use super::ctype::CType;
use super::literals;
use super::macros::Macro;
use super::reading::{Outer, Reading};
use super::record::{RecordId, Records};
use crate::diagnostic::{Diagnostic, DiagnosticCode, Place, Severity};
use crate::ir::{Reason, VarId};
use crate::reason::ReasonCode;
use crate::syntax::{Role, SyntaxTree};

/// Deeper nesting of statements and expressions becomes opaque. Threads have stacks of 2 MB and a
/// level takes up to 12 kB of it in a build without optimisation.
const DEPTH: u32 = 150;

/// What a name of ordinary identifiers stands for.
#[derive(Clone, Debug)]
pub enum Symbol<'t> {
    /// A variable of the function at hand.
    Local(VarId),
    /// One that is a named constant, with its value if that is an integer.
    LocalConstant {
        id: VarId,
        value: Option<i64>,
    },
    /// A variable of file scope, with the initial value if it is a named constant.
    Global {
        ty: CType<'t>,
        constant: Option<Node<'t>>,
        /// What it has before the program runs.
        initial: Option<Node<'t>>,
        /// Whether other files have no part in it.
        is_static: bool,
        /// Whether it is only declared, and defined elsewhere.
        is_extern: bool,
        name: Node<'t>,
    },
    Enumerator {
        value: EnumeratorValue<'t>,
        name: Node<'t>,
    },
    Typedef(CType<'t>),
    /// A function with the type of its result.
    Function(CType<'t>),
}

#[derive(Clone, Copy, Debug)]
pub enum EnumeratorValue<'t> {
    Known(i64),
    Expression(Node<'t>),
    Unknown,
}

/// Of a name that is one of an enumeration the node that declares it: blocks may have enumerations of their own.
pub type Enumerator = Option<usize>;

/// One block's names.
#[derive(Default)]
pub struct Scope<'t> {
    names: FxHashMap<&'t str, Symbol<'t>>,
    tags: FxHashMap<&'t str, RecordId>,
}

/// The names of one file.
pub struct Names<'t> {
    reading: Reading<'t>,
    /// File scope first, innermost block last.
    scopes: Vec<Scope<'t>>,
    pub(super) records: Records<'t>,
    diagnostics: Vec<Diagnostic>,
    depth: u32,
}

/// The scopes of blocks while only the names of file scope count.
pub struct Blocks<'t>(Vec<Scope<'t>>);

impl<'t> Names<'t> {
    pub fn new(reading: Reading<'t>) -> Names<'t> {
        Names {
            reading,
            scopes: vec![Scope::default()],
            records: Records::default(),
            diagnostics: Vec::new(),
            depth: 0,
        }
    }

    /// What was remarked upon.
    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.diagnostics
    }

    pub fn reading(&self) -> &Reading<'t> {
        &self.reading
    }

    /// What a node is. `TRUE`, `false`, `NULL` and the like are names where the program defines them otherwise.
    pub fn role(&self, node: Node) -> Option<Role> {
        self.role_in(self.reading.tree(), node)
    }

    /// The same of a node of some tree, such as that of a macro.
    pub fn role_in(&self, tree: &SyntaxTree, node: Node) -> Option<Role> {
        let role = tree.role(node)?;
        let usual = match role {
            Role::LogicalLiteral => literals::truth(tree.text(node)),
            Role::Null => 0,
            _ => return Some(role),
        };
        let is_name = self.defines_otherwise(tree.text(node), usual);
        Some(if is_name { Role::Name } else { role })
    }

    pub fn text(&self, node: Node) -> &'t str {
        self.reading.text(node)
    }

    /// The text of a node as it was written.
    pub fn original(&self, node: Node) -> &'t str {
        self.reading.original(node)
    }

    pub fn place(&self, node: Node) -> Place {
        self.reading.place(node)
    }

    /// A reason with the beginning of a node's text as detail.
    pub fn reason(&self, code: ReasonCode, node: Node) -> Reason {
        self.reading.reason(code, node)
    }

    /// Goes on with the tree of a macro.
    pub fn enter_macro(&mut self, found: &'t Macro<'t>) -> Outer<'t> {
        self.reading.enter(found)
    }

    /// Goes back to what was read before a macro.
    pub fn leave_macro(&mut self, outer: Outer<'t>) {
        self.reading.leave(outer);
    }

    /// Runs one level deeper; `None` when that is too deep.
    pub fn deeper<R>(&mut self, inner: impl FnOnce(&mut Self) -> R) -> Option<R> {
        if self.is_too_deep() {
            return None;
        }
        self.descend(1);
        let result = inner(self);
        self.ascend(1);
        Some(result)
    }

    /// Whether nothing may be nested more deeply.
    pub fn is_too_deep(&self) -> bool {
        self.depth >= DEPTH
    }

    /// Some levels deeper, whether or not that is too deep.
    pub fn descend(&mut self, levels: u32) {
        self.depth += levels;
    }

    pub fn ascend(&mut self, levels: u32) {
        self.depth -= levels;
    }

    pub fn enter_block(&mut self) {
        self.scopes.push(Scope::default());
    }

    pub fn leave_block(&mut self) {
        self.scopes.pop();
    }

    /// Hides the names of blocks.
    pub fn leave_blocks(&mut self) -> Blocks<'t> {
        Blocks(self.scopes.split_off(1))
    }

    /// Shows the names of blocks again.
    pub fn enter_blocks(&mut self, blocks: Blocks<'t>) {
        self.scopes.truncate(1);
        self.scopes.extend(blocks.0);
    }

    /// Gives a name a meaning in the innermost scope. At file scope the first meaning stays, except
    /// that a later declaration may complete an array.
    pub fn define(&mut self, name: &'t str, symbol: Symbol<'t>) {
        let at_file_scope = self.scopes.len() == 1;
        let Some(scope) = self.scopes.last_mut() else {
            return;
        };
        if at_file_scope {
            match (scope.names.get(name), &symbol) {
                (None, _) => {}
                (
                    Some(Symbol::Global {
                        ty: CType::Array(_, None),
                        ..
                    }),
                    Symbol::Global { .. },
                ) => {}
                (
                    Some(Symbol::Global {
                        is_extern: true, ..
                    }),
                    Symbol::Global {
                        is_extern: false, ..
                    },
                ) => {}
                (
                    Some(Symbol::Global { constant: None, .. }),
                    Symbol::Global {
                        constant: Some(_), ..
                    },
                ) => {}
                (
                    Some(Symbol::Global { initial: None, .. }),
                    Symbol::Global {
                        initial: Some(_), ..
                    },
                ) => {}
                _ => return,
            }
        }
        scope.names.insert(name, symbol);
    }

    pub fn define_tag(&mut self, tag: &'t str, id: RecordId) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.tags.insert(tag, id);
        }
    }

    pub fn tag(&self, tag: &str) -> Option<RecordId> {
        self.scopes
            .iter()
            .rev()
            .find_map(|scope| scope.tags.get(tag))
            .copied()
    }

    pub fn symbol(&self, name: &str) -> Option<&Symbol<'t>> {
        self.scopes
            .iter()
            .rev()
            .find_map(|scope| scope.names.get(name))
    }

    /// The node that declares the enumerator that a name stands for.
    pub fn enumerator(&self, name: &str) -> Enumerator {
        match self.symbol(name) {
            Some(Symbol::Enumerator { name, .. }) => Some(name.id()),
            _ => None,
        }
    }

    /// Whether a block around has a variable of this name, which another one would hide.
    pub fn is_local(&self, name: &str) -> bool {
        matches!(self.symbol(name), Some(Symbol::Local(_)))
    }

    pub fn typedef(&self, name: &str) -> Option<&CType<'t>> {
        match self.symbol(name) {
            Some(Symbol::Typedef(ty)) => Some(ty),
            _ => None,
        }
    }

    /// Says something about a node; the same about the same only once.
    pub fn remark(
        &mut self,
        severity: Severity,
        code: DiagnosticCode,
        node: Node,
        message: String,
        help: &str,
    ) {
        if self
            .diagnostics
            .iter()
            .any(|known| known.code == code && known.message == message)
        {
            return;
        }
        let width = self
            .text(node)
            .lines()
            .next()
            .map_or(1, |line| line.chars().count().max(1)) as u32;
        self.diagnostics.push(Diagnostic {
            severity,
            code,
            place: self.place(node),
            width,
            message,
            help: Some(help.to_string()),
        });
    }
}
