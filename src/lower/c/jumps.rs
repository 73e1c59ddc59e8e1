//! `goto`: forward out of loops it ends them early, backward it makes a loop that no header shows.

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Node;

use super::super::flow::Falls;
use super::super::jumps;
use super::fields::children;
use super::scope::Lowering;
use crate::ir::{Jump, Stmt};
use crate::reason::ReasonCode;
use crate::syntax::Role;

/// The labels of a function, and the jumps back to them.
#[derive(Default)]
pub struct Labels<'t> {
    /// Where each begins.
    places: FxHashMap<&'t str, usize>,
    /// Labels that a jump goes back to from the same block, or from inside of what follows there.
    repeated: FxHashSet<&'t str>,
    /// Where those jumps begin.
    back: FxHashSet<usize>,
}

impl<'t> Lowering<'t> {
    pub fn goto(&mut self, node: Node<'t>) {
        let label = children(node).first().map(|name| self.text(*name));
        let labels = self.labels(node);
        let is_back = labels.is_some_and(|labels| labels.back.contains(&node.start_byte()));
        let target = label
            .zip(labels)
            .and_then(|(label, labels)| Some((label, *labels.places.get(label)?)));
        let Some((label, target)) = target else {
            return self.jump(node, Jump::Goto);
        };
        if is_back {
            self.has_marks = true;
            let mark = jumps::jump(self.place(node), &[label.to_string()], Falls::Never);
            return self.emit(mark);
        }
        let left = self
            .loops
            .iter()
            .rev()
            .take_while(|range| !range.contains(&target))
            .count();
        let is_forward = target > node.start_byte();
        match left {
            0 if is_forward => self.jump(node, Jump::Goto),
            1 if is_forward => self.jump(node, Jump::Exit),
            // Of several loops each may end early.
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
        let is_repeated = |labels: &Labels| name.is_some_and(|name| labels.repeated.contains(name));
        if let Some(name) = name
            && self.labels(node).is_some_and(is_repeated)
        {
            self.emit(jumps::label(self.place(node), name));
        }
        self.statements(children(node));
    }

    /// The labels of the function around a node; all are found at once.
    fn labels(&mut self, node: Node<'t>) -> Option<&Labels<'t>> {
        if self.expansion.is_some() {
            return None;
        }
        if self.labels.is_none() {
            self.labels = Some(self.find_labels(node));
        }
        self.labels.as_ref()
    }

    fn find_labels(&self, node: Node<'t>) -> Labels<'t> {
        let mut function = node;
        while let Some(parent) = function
            .parent()
            .filter(|_| self.role(function) != Some(Role::Procedure))
        {
            function = parent;
        }
        let (mut found, mut jumps) = (FxHashMap::default(), Vec::new());
        let mut left = vec![function];
        while let Some(node) = left.pop() {
            let name = || children(node).first().map(|name| self.text(*name));
            match self.role(node) {
                Some(Role::Labelled) => found.extend(name().map(|name| (name, node))),
                Some(Role::Goto) => jumps.extend(name().map(|name| (name, node.start_byte()))),
                _ => {}
            }
            left.extend(children(node));
        }
        let mut labels = Labels::default();
        for (name, jump) in jumps {
            if let Some(label) = found.get(name)
                && label.start_byte() < jump
                && self.sees(*label, jump)
            {
                labels.repeated.insert(name);
                labels.back.insert(jump);
            }
        }
        labels.places = found
            .into_iter()
            .map(|(name, node)| (name, node.start_byte()))
            .collect();
        labels
    }

    /// Whether a jump stands in the block of a label or inside of what is in there.
    fn sees(&self, label: Node<'t>, jump: usize) -> bool {
        let mut node = label;
        while let Some(parent) = node.parent() {
            // A block in a block is no more than its statements.
            if !matches!(
                self.role(parent),
                Some(Role::Block | Role::Labelled | Role::Scope)
            ) {
                return node.byte_range().contains(&jump);
            }
            node = parent;
        }
        true
    }
}
