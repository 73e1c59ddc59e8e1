//! `goto`: forward out of loops it ends them early, backward it makes a loop that no header shows.

use rustc_hash::FxHashMap;
use tree_sitter::Node;

use super::fields::children;
use super::scope::Lowering;
use crate::ir::{Jump, Stmt};
use crate::syntax::Role;

impl<'t> Lowering<'t> {
    pub fn goto(&mut self, node: Node<'t>) {
        let label = children(node).first().map(|name| self.text(*name));
        let Some(target) = label.and_then(|label| self.label(node, label)) else {
            return self.jump(node, Jump::Goto);
        };
        let left = self.loops.iter().rev().take_while(|range| !range.contains(&target)).count();
        let is_forward = target > node.start_byte();
        match left {
            0 if is_forward => self.jump(node, Jump::Goto),
            1 if is_forward => self.jump(node, Jump::Exit),
            // Of several loops each may end early.
            _ if is_forward => self.jump(node, Jump::Return),
            _ => {
                let ((), inner) = self.captured(|this| this.jump(node, Jump::Goto));
                let stmt = Stmt::Opaque { place: self.place(node), reason: self.reason("goto", node), inner };
                self.emit(stmt);
            }
        }
    }

    /// Where a label of the function around a node begins; all are found at once.
    fn label(&mut self, node: Node<'t>, name: &str) -> Option<usize> {
        if self.expansion.is_some() {
            return None;
        }
        if self.labels.is_none() {
            let mut function = node;
            while let Some(parent) = function.parent().filter(|_| self.role(function) != Some(Role::Procedure)) {
                function = parent;
            }
            let mut labels = FxHashMap::default();
            let mut left = vec![function];
            while let Some(node) = left.pop() {
                if self.role(node) == Some(Role::Labelled)
                    && let Some(label) = children(node).first()
                {
                    labels.insert(self.text(*label), node.start_byte());
                }
                left.extend(children(node));
            }
            self.labels = Some(labels);
        }
        self.labels.as_ref()?.get(name).copied()
    }
}
