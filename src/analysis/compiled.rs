//! What the flags of a file mean for its loops.

use crate::facts::{Block, Item};
use crate::source::optimisation::Optimisation;

/// Says of all loops of a block what they are compiled with.
pub fn compile(block: &mut Block, with: Optimisation) {
    for item in &mut block.items {
        match item {
            Item::Loop(inner) => {
                if let Some(in_core) = &mut inner.in_core {
                    in_core.compiled = with.settled();
                    in_core.notes_errors &= !with.ignores_errors;
                }
                compile(&mut inner.body, with);
            }
            Item::Branch(branch) => {
                compile(&mut branch.then, with);
                let otherwise = branch.otherwise.iter_mut();
                otherwise.for_each(|block| compile(block, with));
            }
        }
    }
}
