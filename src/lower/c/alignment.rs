//! What attributes ask of the layout of structures: `__attribute__((aligned(64)))`, `packed`, `_Alignas(32)`.

use tree_sitter::Node;

use super::fields::{Field, children, part};
use super::names::Names;
use super::record::Alignment;
use crate::syntax::Role;

/// What `aligned` without a number stands for: the largest alignment of any type.
const LARGEST: u32 = 16;

impl<'t> Names<'t> {
    /// What the attributes and qualifiers that are children of the node ask for; `None` if an alignment
    /// has no known value.
    pub fn alignment(&mut self, node: Node<'t>) -> Option<Alignment> {
        let mut asked = Alignment::default();
        for child in children(node) {
            match self.role(child) {
                Some(Role::Attribute) => self.attribute(child, &mut asked)?,
                // `_Alignas` is a type qualifier.
                Some(Role::Qualifier) => {
                    for inner in children(child) {
                        if self.role(inner) != Some(Role::Alignment) {
                            continue;
                        }
                        asked.least = asked
                            .least
                            .max(self.aligned(children(inner).first().copied())?);
                    }
                }
                _ => {}
            }
        }
        Some(asked)
    }

    /// `__attribute__((packed, aligned(64)))`
    fn attribute(&mut self, node: Node<'t>, asked: &mut Alignment) -> Option<()> {
        for list in children(node) {
            for word in children(list) {
                let is_call = self.role(word) == Some(Role::Call);
                let name = if is_call {
                    part(word, Field::Function)?
                } else {
                    word
                };
                match self.text(name).trim_matches('_') {
                    "packed" => asked.is_packed = true,
                    "aligned" if is_call => {
                        let number = part(word, Field::Arguments)
                            .and_then(|list| children(list).first().copied());
                        asked.least = asked.least.max(self.aligned(number)?);
                    }
                    "aligned" => asked.least = asked.least.max(LARGEST),
                    _ => {}
                }
            }
        }
        Some(())
    }

    /// The value of an alignment; a type stands for its own.
    fn aligned(&mut self, node: Option<Node<'t>>) -> Option<u32> {
        let node = node?;
        match self.role(node) {
            Some(Role::TypeDescriptor) => {
                let ty = self.described_type(node);
                Some(self.room_of(&ty)?.alignment)
            }
            _ => u32::try_from(self.constant(node)?)
                .ok()
                .filter(|bytes| bytes.is_power_of_two() || *bytes == 0),
        }
    }
}
