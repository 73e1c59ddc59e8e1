//! What names mean: scopes of the source on one side, the variables of the function at hand on the
//! other. A name of file scope enters a function when the function uses it.

use rustc_hash::FxHashMap;
use tree_sitter::Node;

use super::constants::Macros;
use super::jumps::Labels;
use super::mask::{Masked, is_word};
use super::records::{Record, RecordId};
use super::types::CType;
use crate::diagnostic::{Diagnostic, Place, Severity};
use crate::ir::{Function, Reason, Stmt, Type, VarId};
use crate::reason::ReasonCode;
use crate::source::SourceText;
use crate::syntax::{Role, SyntaxTree};

/// Deeper nesting of statements and expressions becomes opaque. Threads have stacks of 2 MB and a
/// level takes up to 12 kB of it in a build without optimisation.
const DEPTH: u32 = 150;

/// What a name of ordinary identifiers stands for.
#[derive(Clone, Debug)]
pub enum Symbol<'t> {
    /// A variable of the function at hand.
    Local(VarId),
    /// A variable of file scope, with the initial value if it is a named constant.
    Global {
        ty: CType<'t>,
        constant: Option<Node<'t>>,
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

/// One block's names.
#[derive(Default)]
pub struct Scope<'t> {
    names: FxHashMap<&'t str, Symbol<'t>>,
    tags: FxHashMap<&'t str, RecordId>,
}

/// The state of lowering one file.
pub struct Lowering<'t> {
    /// The tree that roles and texts are read from; a macro's own while its value is read.
    pub(super) tree: &'t SyntaxTree<'t>,
    pub(super) source: &'t SourceText,
    pub(super) masked: &'t Masked,
    pub(super) macros: &'t Macros<'t>,
    /// File scope first, innermost block last.
    pub(super) scopes: Vec<Scope<'t>>,
    pub(super) records: Vec<Record<'t>>,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) function: Function,
    /// Types of the function's variables, by id.
    pub(super) types: Vec<CType<'t>>,
    /// Names of file scope, macros and undeclared names that the function uses.
    pub(super) imported: FxHashMap<&'t str, VarId>,
    /// Variables made of a variable and the members selected from it.
    pub(super) components: FxHashMap<(VarId, String), VarId>,
    /// The first variable made of a member of a union, by the union.
    pub(super) unions: FxHashMap<(VarId, String), VarId>,
    /// The statements of the block at hand, so far.
    pub(super) block: Vec<Stmt>,
    /// Where the increment of `i++` may wait for the end of the statement; `None` where the value is
    /// needed before that.
    pub(super) deferred: Option<Vec<Stmt>>,
    /// Variables whose address was taken, in order.
    pub(super) addressed: Vec<VarId>,
    /// What `break` leaves.
    pub(super) leaves_switch: bool,
    /// The loops around, innermost last, by their bytes.
    pub(super) loops: Vec<std::ops::Range<usize>>,
    /// The labels of the function; read when first needed.
    pub(super) labels: Option<Labels<'t>>,
    /// Whether marks of labels and jumps stand in the body.
    pub(super) has_marks: bool,
    /// Constants whose values are being read.
    pub(super) expanding: Vec<&'t str>,
    /// Where the macro stands whose value is being read, and the text of its tree as it was written.
    pub(super) expansion: Option<(Place, &'t str)>,
    depth: u32,
}

impl<'t> Lowering<'t> {
    pub fn new(
        tree: &'t SyntaxTree<'t>,
        source: &'t SourceText,
        masked: &'t Masked,
        macros: &'t Macros<'t>,
    ) -> Lowering<'t> {
        let place = source.place(0, 0);
        Lowering {
            tree,
            source,
            masked,
            macros,
            scopes: vec![Scope::default()],
            records: Vec::new(),
            diagnostics: Vec::new(),
            function: Function::new(String::new(), place),
            types: Vec::new(),
            imported: FxHashMap::default(),
            components: FxHashMap::default(),
            unions: FxHashMap::default(),
            block: Vec::new(),
            deferred: None,
            addressed: Vec::new(),
            leaves_switch: false,
            loops: Vec::new(),
            labels: None,
            has_marks: false,
            expanding: Vec::new(),
            expansion: None,
            depth: 0,
        }
    }

    /// Forgets the function at hand and starts another.
    pub fn start_function(&mut self, name: String, place: Place) {
        self.function = Function::new(name, place);
        self.scopes.truncate(1);
        self.types.clear();
        self.imported.clear();
        self.components.clear();
        self.unions.clear();
        self.block.clear();
        self.addressed.clear();
        self.deferred = None;
        self.leaves_switch = false;
        self.loops.clear();
        self.labels = None;
        self.has_marks = false;
    }

    pub fn role(&self, node: Node) -> Option<Role> {
        self.tree.role(node)
    }

    pub fn text(&self, node: Node) -> &'t str {
        self.tree.text(node)
    }

    /// The text of a node as it was written; of a name or keyword that was rewritten, all of it.
    pub fn original(&self, node: Node) -> &'t str {
        let text = self
            .expansion
            .as_ref()
            .map_or(self.source.text.as_str(), |(_, text)| text);
        let written = text.get(node.byte_range()).unwrap_or("");
        let rest = text.get(node.end_byte()..).unwrap_or("");
        if !written.ends_with(is_word) {
            return written;
        }
        let end = node.end_byte() + rest.len() - rest.trim_start_matches(is_word).len();
        text.get(node.start_byte()..end).unwrap_or("")
    }

    pub fn place(&self, node: Node) -> Place {
        if let Some((place, _)) = &self.expansion {
            return place.clone();
        }
        let start = node.start_position();
        self.source.place(start.row, start.column)
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

    /// Runs one level deeper; `None` when that is too deep.
    pub fn deeper<R>(&mut self, inner: impl FnOnce(&mut Self) -> R) -> Option<R> {
        if self.depth >= DEPTH {
            return None;
        }
        Some(self.deeper_by(1, inner))
    }

    /// Runs some levels deeper, whether or not that is too deep.
    pub fn deeper_by<R>(&mut self, levels: u32, inner: impl FnOnce(&mut Self) -> R) -> R {
        self.depth += levels;
        let result = inner(self);
        self.depth -= levels;
        result
    }

    pub fn emit(&mut self, stmt: Stmt) {
        self.block.push(stmt);
    }

    /// The statements that `inner` emits, as a block of their own, with its result.
    pub fn captured<R>(&mut self, inner: impl FnOnce(&mut Self) -> R) -> (R, Vec<Stmt>) {
        let outer = std::mem::take(&mut self.block);
        let result = inner(self);
        (result, std::mem::replace(&mut self.block, outer))
    }

    pub fn scoped<R>(&mut self, inner: impl FnOnce(&mut Self) -> R) -> R {
        self.scopes.push(Scope::default());
        let result = inner(self);
        self.scopes.pop();
        result
    }

    /// Runs with the names of file scope only, as the declarations there were meant.
    pub fn at_file_scope<R>(&mut self, inner: impl FnOnce(&mut Self) -> R) -> R {
        let locals = self.scopes.split_off(1);
        let result = inner(self);
        self.scopes.truncate(1);
        self.scopes.extend(locals);
        result
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
                    Some(Symbol::Global { constant: None, .. }),
                    Symbol::Global {
                        constant: Some(_), ..
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

    pub fn typedef(&self, name: &str) -> Option<&CType<'t>> {
        match self.symbol(name) {
            Some(Symbol::Typedef(ty)) => Some(ty),
            _ => None,
        }
    }

    pub fn type_of_variable(&self, id: VarId) -> CType<'t> {
        self.types[id.0 as usize].clone()
    }

    pub fn type_of_name(&self, name: &str) -> CType<'t> {
        match self.symbol(name) {
            Some(Symbol::Local(id)) => self.type_of_variable(*id),
            Some(Symbol::Global { ty, .. }) => ty.clone(),
            Some(Symbol::Enumerator { .. }) => CType::Arithmetic(Type::Integer(4)),
            Some(Symbol::Function(result)) => CType::Function(Box::new(result.clone())),
            Some(Symbol::Typedef(_)) | None => CType::Unknown,
        }
    }

    /// Says something about a node; the same about the same only once.
    pub fn remark(
        &mut self,
        severity: Severity,
        code: &str,
        node: Node,
        message: String,
        help: &str,
    ) {
        if self
            .diagnostics
            .iter()
            .any(|known| *known.code == *code && known.message == message)
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
            code: code.into(),
            place: self.place(node),
            width,
            message,
            help: Some(help.to_string()),
        });
    }
}
