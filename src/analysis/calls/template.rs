//! What can stand in place of calls, or in front of them, and where what stands there comes from.
//!
//! A template is made once for each procedure (`straight`) and instantiated for each call (`instance`). Origins
//! are kept because the expanded text must still answer questions about the source: which calls there were, and
//! in which procedure a branch was written, as its probability is one parameter however often the body is
//! copied.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::target::Target;
use crate::diagnostic::Place;
use crate::ir::visit::{InLoop, statements};
use crate::ir::{self, Stmt, Value, VarId};

/// The statements of a body, without loops and jumps.
pub struct Template {
    pub covers: Covers,
    /// Whether it is nothing but a whole number that follows from its arguments.
    pub is_whole_number: bool,
    /// The variables of the body; its own `body` is the structured one.
    pub function: ir::Function,
    pub formals: Vec<VarId>,
    /// How many values the body has.
    pub size: usize,
    /// How often a variable is read or written as a whole.
    pub uses: FxHashMap<VarId, usize>,
    pub assigned: FxHashSet<VarId>,
    /// Arrays that elements of are assigned.
    pub stored: FxHashSet<VarId>,
    /// What the names of the calls stand for that stay calls.
    pub calls: Vec<(String, Target)>,
    pub expansion: Origins,
}

/// How much of what a body does its template does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Covers {
    /// All: it stands in place of calls.
    All,
    /// What the body does outside its loops, without calls: it stands in front of calls, which stay.
    OutsideLoops,
}

impl Template {
    /// Whether the value of a variable is used.
    pub(super) fn reads(&self, id: VarId) -> bool {
        let mut written = 0;
        statements(&self.function.body, InLoop::No, &mut |stmt, _| {
            if let Stmt::Assign {
                target: Value::Variable(target),
                ..
            } = stmt
            {
                written += usize::from(*target == id);
            }
        });
        self.uses.get(&id).is_some_and(|uses| *uses > written)
    }
}

/// Where the statements of an expanded procedure come from.
#[derive(Clone, Debug, Default)]
pub struct Origins {
    /// Call statements that are followed by the body that they call; kept to be listed.
    pub(super) expanded: FxHashSet<(Place, String)>,
    /// Calls that stay behind what their bodies do outside loops.
    pub(super) in_front: FxHashSet<(Place, String)>,
    /// Procedures that branches were written in, by file and line.
    pub(super) branches: FxHashMap<(Arc<str>, u32), Arc<str>>,
    /// What the names of calls stand for that are left of bodies in place of theirs.
    pub(super) targets: FxHashMap<String, Target>,
}

impl Origins {
    /// Whether a call statement only stands for the body after it.
    pub fn is_expanded(&self, place: &Place, name: &str) -> bool {
        !self.expanded.is_empty() && self.expanded.contains(&(place.clone(), name.to_string()))
    }

    /// Whether what the body of a call does outside its loops stands in front of the call.
    pub fn is_in_front(&self, place: &Place, name: &str) -> bool {
        !self.in_front.is_empty() && self.in_front.contains(&(place.clone(), name.to_string()))
    }

    /// Whether any bodies stand in place of their calls.
    pub fn any_expanded(&self) -> bool {
        !self.expanded.is_empty()
    }

    /// What a name stands for that only a body in place of its call calls.
    pub fn target(&self, name: &str) -> Option<Target> {
        if self.targets.is_empty() {
            None
        } else {
            self.targets.get(name).copied()
        }
    }

    /// Whether calls are left of bodies in place of theirs.
    pub fn has_calls(&self) -> bool {
        !self.targets.is_empty()
    }

    /// The procedure that a branch was written in, if that is not the one it is in now.
    pub fn written_in(&self, branch: &Place) -> Option<&str> {
        if self.branches.is_empty() {
            return None;
        }
        self.branches
            .get(&(branch.file.clone(), branch.line))
            .map(|name| &**name)
    }
}
