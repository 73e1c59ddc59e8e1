//! What a call does to scalars of its caller, and whether all of it is known. `effects` makes summaries;
//! bounds, sizes and dependences read them.

use std::collections::BTreeSet;
use std::sync::Arc;

/// So many global scalars are told apart; a procedure that assigns more is taken to assign any.
const MOST_GLOBALS: usize = 64;

/// The effects of one call.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// By position: whether the value of a scalar that is passed there is used.
    pub reads: Vec<bool>,
    /// By position: whether a scalar that is passed there by reference may get another value.
    pub writes: Vec<bool>,
    /// By position: the members of a structure that are given values through a pointer that is passed there.
    pub members: Vec<BTreeSet<Arc<str>>>,
    /// By position: whether an array or an address is expected there.
    pub takes_array: Vec<bool>,
    /// By position: whether an address that is passed there may be kept, for others to write through.
    pub keeps: Vec<bool>,
    /// Names of global scalars that may get another value.
    pub globals: Globals,
    /// Common blocks whose members procedures call differently, of which one may get another value.
    pub blocks: BTreeSet<Arc<str>>,
    /// Why the effects are not fully known: a body that was not read, somewhere down the calls.
    pub gap: Option<Arc<str>>,
    /// The call by which the procedure, or one that it calls, leads back to itself.
    pub recursion: Option<Arc<str>>,
}

#[derive(Clone, Debug)]
pub enum Globals {
    Only(BTreeSet<Arc<str>>),
    Any,
}

impl Default for Globals {
    fn default() -> Globals {
        Globals::Only(BTreeSet::new())
    }
}

impl Globals {
    pub fn contains(&self, name: &str) -> bool {
        match self {
            Globals::Only(names) => names.contains(name),
            Globals::Any => true,
        }
    }

    pub fn is_empty(&self) -> bool {
        matches!(self, Globals::Only(names) if names.is_empty())
    }

    pub fn add(&mut self, name: Arc<str>) {
        if let Globals::Only(names) = self {
            names.insert(name);
            if names.len() > MOST_GLOBALS {
                *self = Globals::Any;
            }
        }
    }

    pub fn add_all(&mut self, other: &Globals) {
        match other {
            Globals::Only(names) => names.iter().for_each(|name| self.add(name.clone())),
            Globals::Any => *self = Globals::Any,
        }
    }
}
