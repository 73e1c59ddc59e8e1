//! `goto`: forward it passes over what is then conditional, out of loops it ends them early, backward it makes a loop that
//! no header shows.

use tree_sitter::Node;

use super::super::flow::Falls;
use super::fields::children;
use super::labels::Labels;
use super::lowering::Lowering;
use crate::ir::{Jump, Label, Stmt};
use crate::reason::ReasonCode;

impl<'t> Lowering<'t> {
    pub fn goto(&mut self, node: Node<'t>) {
        let label = children(node).first().map(|name| self.text(*name));
        let labels = self.labels(node);
        let is_back = labels.is_some_and(|labels| labels.is_back(node.start_byte()));
        let passes_over = labels.is_some_and(|labels| labels.is_forward(node.start_byte()));
        let target = label
            .zip(labels)
            .and_then(|(label, labels)| Some((label, labels.place(label)?)));
        let Some((label, target)) = target else {
            return self.jump(node, Jump::Goto);
        };
        let labels = vec![Label::Statement(label.into())];
        let left = self.jumps.loops_left(target);
        let is_forward = target > node.start_byte();
        if is_back || passes_over && left == 0 || is_forward && left == 1 {
            let place = self.place(node);
            let mark = self.marks.jump(place, labels, Falls::Never);
            return self.emit(mark);
        }
        match left {
            0 if is_forward => self.jump(node, Jump::Goto),
            // Of several loops each may end early, and what is behind them may be passed over.
            _ if is_forward => self.jump(node, Jump::Return),
            _ => {
                let ((), inner) = self.captured(|this| this.jump(node, Jump::Goto));
                let stmt = Stmt::Opaque {
                    place: self.place(node),
                    reason: self.reason(ReasonCode::Goto, node),
                    inner,
                };
                self.emit(stmt);
            }
        }
    }

    /// A statement with a label.
    pub fn labelled(&mut self, node: Node<'t>) {
        let name = children(node).first().map(|name| self.text(*name));
        let is_reached = |labels: &Labels| name.is_some_and(|name| labels.is_reached(name));
        if let Some(name) = name
            && self.labels(node).is_some_and(is_reached)
        {
            let mark = self
                .marks
                .label(self.place(node), Label::Statement(name.into()));
            self.emit(mark);
        }
        self.statements(children(node));
    }

    /// The labels of the function around a node; all are found at once.
    fn labels(&mut self, node: Node<'t>) -> Option<&Labels<'t>> {
        let reading = self.names.reading();
        if reading.is_in_macro() {
            return None;
        }
        if self.jumps.labels().is_none() {
            self.jumps.set_labels(Labels::around(reading, node));
        }
        self.jumps.labels()
    }
}
