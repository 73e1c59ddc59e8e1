//! The function at hand on its way to the IR, and the names of its file.

use tree_sitter::Node;

use super::super::draft::Draft;
use super::super::jumps::Marks;
use super::context::{Code, Jumps, Variables};
use super::names::Names;
use super::ranks;
use super::reading::Reading;
use crate::diagnostic::{Diagnostic, Place};
use crate::ir::{Conventions, Function, Reason, Stmt};
use crate::reason::ReasonCode;
use crate::syntax::Role;

/// Lowers the functions of one file, one after the other. Each part owns one thing.
pub struct Lowering<'t> {
    /// What declarations say.
    pub(super) names: Names<'t>,
    /// The function at hand.
    pub(super) draft: Draft,
    pub(super) variables: Variables<'t>,
    pub(super) code: Code,
    pub(super) jumps: Jumps<'t>,
    pub(super) marks: Marks,
}

impl<'t> Lowering<'t> {
    pub fn new(reading: Reading<'t>) -> Lowering<'t> {
        Lowering {
            draft: Draft::new(String::new(), reading.beginning(), Conventions::C),
            names: Names::new(reading),
            variables: Variables::default(),
            code: Code::default(),
            jumps: Jumps::default(),
            marks: Marks::default(),
        }
    }

    /// Forgets the function at hand and starts another.
    pub fn start_function(&mut self, name: String, place: Place) {
        self.draft = Draft::new(name, place, Conventions::C);
        self.names.leave_blocks();
        self.variables = Variables::default();
        self.code = Code::default();
        self.jumps = Jumps::default();
        self.marks = Marks::default();
    }

    pub fn finish_function(&mut self) -> Function {
        let blank = Draft::new(
            String::new(),
            self.names.reading().beginning(),
            Conventions::C,
        );
        let mut draft = std::mem::replace(&mut self.draft, blank);
        // The language's own name for where a run begins.
        let is_main = draft.function().name == "main" && !draft.function().is_private;
        draft.set_main(is_main);
        let mut body = self.code.begin();
        ranks::complete(&mut body, &draft.function().variables);
        draft.set_body(body, &self.marks);
        draft.finish()
    }

    /// What was remarked upon.
    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.names.into_diagnostics()
    }

    pub fn role(&self, node: Node) -> Option<Role> {
        self.names.role(node)
    }

    pub fn text(&self, node: Node) -> &'t str {
        self.names.text(node)
    }

    pub fn place(&self, node: Node) -> Place {
        self.names.place(node)
    }

    /// A reason with the beginning of a node's text as detail.
    pub fn reason(&self, code: ReasonCode, node: Node) -> Reason {
        self.names.reason(code, node)
    }

    /// Runs one level deeper; `None` when that is too deep.
    pub fn deeper<R>(&mut self, inner: impl FnOnce(&mut Self) -> R) -> Option<R> {
        if self.names.is_too_deep() {
            return None;
        }
        Some(self.deeper_by(1, inner))
    }

    /// Runs some levels deeper, whether or not that is too deep.
    pub fn deeper_by<R>(&mut self, levels: u32, inner: impl FnOnce(&mut Self) -> R) -> R {
        self.names.descend(levels);
        let result = inner(self);
        self.names.ascend(levels);
        result
    }

    pub fn emit(&mut self, stmt: Stmt) {
        self.code.emit(stmt);
    }

    /// The statements that `inner` emits, as a block of their own, with its result.
    pub fn captured<R>(&mut self, inner: impl FnOnce(&mut Self) -> R) -> (R, Vec<Stmt>) {
        let outer = self.code.begin();
        let result = inner(self);
        (result, self.code.end(outer))
    }

    pub fn scoped<R>(&mut self, inner: impl FnOnce(&mut Self) -> R) -> R {
        self.names.enter_block();
        let result = inner(self);
        self.names.leave_block();
        result
    }

    /// Runs with the names of file scope only, as the declarations there were meant.
    pub fn at_file_scope<R>(&mut self, inner: impl FnOnce(&mut Self) -> R) -> R {
        let blocks = self.names.leave_blocks();
        let result = inner(self);
        self.names.enter_blocks(blocks);
        result
    }
}
