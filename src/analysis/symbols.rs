//! What is known of the variables of a function where the walk stands.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::assignments::Effects;
use super::counted_loop::Counted;
use super::facts::Constant;
use crate::expr::{Expr, Symbol};
use crate::ir::{Function, Name, Value, VarId};

/// What is known of an integer variable where the walk stands.
#[derive(Clone, Debug, PartialEq)]
pub enum Known {
    /// Its value in terms of loop variables and symbols.
    Is(Expr),
    /// Every iteration of the loop at this depth (one is the outermost) gives it another value, in a
    /// way that has no expression.
    Changes {
        depth: usize,
        /// The value was loaded from an array, or made from such a value: an index for a gather.
        loaded: bool,
    },
    /// A pointer to this element.
    Points(Address),
    /// One of a few values, as branches chose: upwind or downwind.
    OneOf(Vec<Alternative>),
}

/// An element of an array.
#[derive(Clone, Debug, PartialEq)]
pub struct Address {
    pub array: VarId,
    /// In storage order, without those of the dimensions inside the thing that is pointed to.
    pub subscripts: Vec<Expr>,
}

/// Which way branches went, by their numbers.
pub type Ways = BTreeMap<u32, bool>;

/// The value of a variable if branches went these ways.
#[derive(Clone, Debug, PartialEq)]
pub struct Alternative {
    pub ways: Ways,
    pub value: Expr,
}

/// Where the values of a loop's variable begin, over the variables of the loops around.
#[derive(Clone, Debug, PartialEq)]
pub enum Start {
    /// The loops around shift the range by this.
    Exact(Expr),
    /// The first value is data: about as far as the iterations before have walked. No bound or step is made of it.
    Estimated(Expr),
}

/// One loop around the walk.
pub struct Level {
    /// The variable that counts its iterations.
    pub counter: Option<VarId>,
    /// A loop that counts by one, up or down.
    pub has_unit_step: bool,
    /// What its counter runs over.
    pub counted: Counted,
    /// Variables that the body gives no other values than their own and something more.
    pub advanced: BTreeSet<VarId>,
    /// Arrays of which the body may give elements other values.
    pub stored: BTreeSet<VarId>,
}

/// Names to expressions, for one function.
pub struct Symbols<'f> {
    pub function: &'f Function,
    /// What its calls stand for.
    pub effects: &'f Effects<'f>,
    /// What the function is called in the names of parameters.
    pub own_name: &'f str,
    /// Variables whose value is not just their own symbol.
    pub known: BTreeMap<VarId, Known>,
    /// Variables of the enclosing loops that have one, outermost first.
    pub loops: Vec<VarId>,
    /// All enclosing loops.
    pub levels: Vec<Level>,
    /// What is to be added to what the ranges of loops count, so that it is the value of their variables.
    pub starts: BTreeMap<VarId, Start>,
    /// Whether expressions may hold variables that move by an unknown stride with an outer loop. In
    /// subscripts they may; a trip count must be known.
    pub may_move: bool,
    /// Variables that loops around advance in some iterations only: where in its array such an index is at most.
    pub halting: BTreeSet<VarId>,
    /// Arrays of one dimension whose subscripts stand for several.
    pub flattened: BTreeSet<Name>,
    /// Constants that expressions have mentioned so far.
    pub constants: BTreeMap<Symbol, Constant>,
    /// What symbols that stand for variables and elements were made from.
    pub mentioned: BTreeMap<Symbol, Value>,
    /// Scalars with one assignment in the whole function, outside loops: their value, if the program has it.
    pub assigned_once: Rc<BTreeMap<VarId, Option<Value>>>,
    /// Scalars that statements may give values through pointers.
    pub pointed_to: Rc<BTreeSet<VarId>>,
    /// Scalars that the user sets.
    pub set: Rc<BTreeSet<VarId>>,
    /// Members that are reached through a pointer (`p->x`, `p[2].x`), with the pointer.
    pub roots: Rc<BTreeMap<VarId, VarId>>,
    /// Pointers that are loaded from memory somewhere: `p = p->next`.
    pub chased: Rc<BTreeSet<VarId>>,
    /// Variables that one statement sets: the loops that may have it give them another value in each iteration.
    pub chosen_in: BTreeMap<VarId, BTreeSet<u32>>,
    /// Those variables.
    pub set_once: Rc<BTreeSet<VarId>>,
    /// Whether some variable is, or was, one of a few values.
    pub has_alternatives: bool,
}

impl<'f> Symbols<'f> {
    /// Outside of all loops of a function, of which nothing is known.
    pub fn outside_loops(
        function: &'f Function,
        effects: &'f Effects<'f>,
        own_name: &'f str,
    ) -> Symbols<'f> {
        Symbols {
            function,
            effects,
            own_name,
            known: BTreeMap::new(),
            loops: Vec::new(),
            levels: Vec::new(),
            starts: BTreeMap::new(),
            may_move: false,
            halting: BTreeSet::new(),
            flattened: BTreeSet::new(),
            constants: BTreeMap::new(),
            mentioned: BTreeMap::new(),
            assigned_once: Rc::default(),
            pointed_to: Rc::default(),
            set: Rc::default(),
            roots: Rc::default(),
            chased: Rc::default(),
            chosen_in: BTreeMap::new(),
            set_once: Rc::default(),
            has_alternatives: false,
        }
    }
}

impl Symbols<'_> {
    /// The pointer that the loops load, if an array is what it points to, as whatever type that is read.
    pub fn chased_by(&self, array: VarId) -> Option<VarId> {
        let pointer = self.function.viewed(array).unwrap_or(array);
        let changes = matches!(self.known.get(&pointer), Some(Known::Changes { .. }));
        (changes && self.chased.contains(&pointer)).then_some(pointer)
    }

    /// Whether what an array of pointers has says where the loops go next: `p = *p`, `t = t->kids[c]`.
    pub fn leads_on(&self, array: VarId) -> bool {
        let is_chased = |root: &VarId| self.chased.contains(root) && self.root_changes(array);
        self.chased_by(array).is_some() || self.roots.get(&array).is_some_and(is_chased)
    }

    /// Whether a variable is a member reached through a pointer that changes in the loops.
    pub fn root_changes(&self, member: VarId) -> bool {
        self.roots
            .get(&member)
            .is_some_and(|root| self.known.contains_key(root))
    }
}
