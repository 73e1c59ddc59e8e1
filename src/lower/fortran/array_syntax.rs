//! Array syntax and `where` as loops.

use tree_sitter::Node;

use super::procedure::Lowering;
use crate::ir::{Stmt, Value};

impl<'a> Lowering<'a> {
    /// An assignment, whatever its shape.
    pub fn assign(&mut self, node: Node, target: Value, value: Value) -> Stmt {
        let place = self.place(node);
        Stmt::Assign { place, target, value }
    }

    pub fn where_statement(&mut self, node: Node, out: &mut Vec<Stmt>) {
        let inner = self.body(node);
        out.push(self.opaque(node, "where", self.first_line(node), inner));
    }
}
