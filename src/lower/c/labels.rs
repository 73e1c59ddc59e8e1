//! The labels of a function.

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Node;

use super::fields::children;
use super::reading::Reading;
use crate::syntax::Role;

/// The labels of a function, and the jumps to them from their own blocks, or from inside of what stands there.
#[derive(Default)]
pub struct Labels<'t> {
    /// Where each begins.
    places: FxHashMap<&'t str, usize>,
    /// Labels that such a jump goes to.
    reached: FxHashSet<&'t str>,
    /// Where those jumps begin that go back.
    back: FxHashSet<usize>,
    /// The same of those that go forward.
    forward: FxHashSet<usize>,
}

impl<'t> Labels<'t> {
    /// Those of the function around a node.
    pub fn around(reading: &Reading<'t>, node: Node<'t>) -> Labels<'t> {
        let mut function = node;
        while let Some(parent) = function
            .parent()
            .filter(|_| reading.role(function) != Some(Role::Procedure))
        {
            function = parent;
        }
        let (mut found, mut jumps) = (FxHashMap::default(), Vec::new());
        let mut left = vec![function];
        while let Some(node) = left.pop() {
            let name = || children(node).first().map(|name| reading.text(*name));
            match reading.role(node) {
                Some(Role::Labelled) => found.extend(name().map(|name| (name, node))),
                Some(Role::Goto) => jumps.extend(name().map(|name| (name, node.start_byte()))),
                _ => {}
            }
            left.extend(children(node));
        }
        let mut labels = Labels::default();
        for (name, jump) in jumps {
            if let Some(label) = found.get(name)
                && sees(reading, *label, jump)
            {
                labels.reached.insert(name);
                match label.start_byte() < jump {
                    true => labels.back.insert(jump),
                    false => labels.forward.insert(jump),
                };
            }
        }
        labels.places = found
            .into_iter()
            .map(|(name, node)| (name, node.start_byte()))
            .collect();
        labels
    }

    /// Where a label begins.
    pub fn place(&self, label: &str) -> Option<usize> {
        self.places.get(label).copied()
    }

    /// Whether the jump that begins at a byte goes back.
    pub fn is_back(&self, jump: usize) -> bool {
        self.back.contains(&jump)
    }

    /// The same of one that goes forward.
    pub fn is_forward(&self, jump: usize) -> bool {
        self.forward.contains(&jump)
    }

    /// Whether such a jump goes to a label.
    pub fn is_reached(&self, label: &str) -> bool {
        self.reached.contains(label)
    }
}

/// Whether a jump stands in the block of a label or inside of what is in there.
fn sees(reading: &Reading, label: Node, jump: usize) -> bool {
    let mut node = label;
    while let Some(parent) = node.parent() {
        // A block in a block is no more than its statements.
        if !matches!(
            reading.role(parent),
            Some(Role::Block | Role::Labelled | Role::Scope)
        ) {
            return node.byte_range().contains(&jump);
        }
        node = parent;
    }
    true
}
