//! What is compiled, and what is known while that goes on.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Refusal;
use super::blocks::{Blocks, InBlock};
use super::code::{DecidedBy, Draw, Op, Reference, Slot};
use super::layout::ArrayLayout;
use crate::cache::AccessKind;
use crate::ir::{Function, If, Loop, Quantifier, VarId};
use crate::reason::ReasonCode;

/// What is to run, and what it needs to know.
pub struct Source<'a> {
    pub function: &'a Function,
    pub part: Part<'a>,
    /// Values of the symbols of the source: scalars by their names, elements as they are written.
    pub symbol: &'a dyn Fn(&str) -> Option<f64>,
    /// Iterations of loops whose bounds only data decide.
    pub trips: &'a dyn Fn(&Loop) -> u64,
    /// How often a condition on data holds, and where it has another answer.
    pub chance: &'a dyn Fn(&If) -> Chance<'a>,
    /// Whether a procedure reads the element that it gets the place of, and whether it writes it; `None` where it gets the
    /// value.
    pub passed: Passed<'a>,
    /// Bytes between arrays.
    pub gap: i64,
    /// Accesses that are made to see how far arrays reach: loops that carry scalars from one iteration to the next are
    /// run in full.
    pub most_probed: u64,
}

/// How a condition on data is drawn.
pub struct Chance<'a> {
    /// How often it holds.
    pub probability: f64,
    /// The loops around, from the outermost one, in whose iterations its answer may be another one; `None` if all of them are.
    pub loops: Option<&'a BTreeSet<u32>>,
    /// Where parts of it are drawn each by itself: how many have to hold,
    pub holds: Quantifier,
    /// and what of each.
    pub parts: Vec<(f64, &'a BTreeSet<u32>)>,
}

impl Chance<'_> {
    /// Of a condition that may have another answer in each iteration of all loops around.
    pub fn of_all(probability: f64) -> Self {
        Chance {
            probability,
            loops: None,
            holds: Quantifier::All,
            parts: Vec::new(),
        }
    }
}

/// What is done with the element that is passed to a procedure in a place: whether it is read, and whether it is written.
pub type Passed<'a> = &'a dyn Fn(&str, usize) -> Option<(bool, bool)>;

/// Which part of the function runs.
pub enum Part<'a> {
    /// Loops inside each other, outermost first; other loops inside them are left out. What is done around the
    /// loop at index `own` makes no accesses: it belongs to other nests.
    Nest {
        chain: Vec<&'a Loop>,
        own: usize,
        blocks: Blocks,
    },
    /// All statements; loops are told apart by numbers.
    Whole {
        number: &'a dyn Fn(&Loop) -> Option<usize>,
    },
}

/// A nest or function on its way to its compact form.
pub(super) struct Compiler<'a> {
    pub source: &'a Source<'a>,
    pub slots: FxHashMap<VarId, Slot>,
    pub initial: Vec<i64>,
    /// Scalars of whose first values nothing is known: they are taken to be a size.
    pub guessed: FxHashSet<VarId>,
    /// Whether what is compiled is a place in an array.
    pub is_in_subscript: bool,
    /// Pointers that statements assign.
    pub pointers: FxHashSet<VarId>,
    pub arrays: Vec<ArrayLayout>,
    pub array_numbers: FxHashMap<(String, usize), usize>,
    pub refusals: Vec<Refusal>,
    /// Variables whose first value is being looked for.
    pub evaluating: FxHashSet<VarId>,
    pub notes: BTreeSet<String>,
    pub loops: usize,
    pub branches: usize,
    /// What is compiled makes no accesses: it belongs to another nest.
    pub quiet: bool,
    pub in_loop: bool,
    /// The variables of the loops around, from the outermost one: of one that has none, how often it has gone round.
    pub around: Vec<Slot>,
    /// What of the loops at these positions of the nest runs at a time.
    pub in_blocks: FxHashMap<usize, InBlock>,
    /// Line of the statement that is compiled.
    pub line: u32,
}

impl<'a> Compiler<'a> {
    pub fn new(source: &'a Source<'a>) -> Compiler<'a> {
        Compiler {
            source,
            slots: FxHashMap::default(),
            initial: Vec::new(),
            guessed: FxHashSet::default(),
            is_in_subscript: false,
            pointers: FxHashSet::default(),
            arrays: Vec::new(),
            array_numbers: FxHashMap::default(),
            refusals: Vec::new(),
            evaluating: FxHashSet::default(),
            notes: BTreeSet::new(),
            loops: 0,
            branches: 0,
            quiet: false,
            in_loop: false,
            around: Vec::new(),
            in_blocks: FxHashMap::default(),
            line: 0,
        }
    }

    pub fn refuse(&mut self, code: ReasonCode, line: u32, detail: impl Into<String>) {
        let refusal = Refusal {
            code,
            line,
            detail: detail.into(),
        };
        if !self.refusals.contains(&refusal) {
            self.refusals.push(refusal);
        }
    }

    /// The variables of some of the loops around, or of all of them.
    pub fn decided_by(&self, loops: Option<&BTreeSet<u32>>) -> DecidedBy {
        let counts = |level: usize| {
            let is_own = |own: &u32| *own as usize == level;
            loops.is_none_or(|loops| loops.iter().any(is_own))
        };
        let own = self.around.iter().enumerate().filter(|(at, _)| counts(*at));
        let mut others: Vec<Slot> = own.map(|(_, variable)| *variable).collect();
        let is_innermost = self.around.len().checked_sub(1).is_some_and(counts);
        let innermost = is_innermost.then(|| others.pop()).flatten();
        DecidedBy { innermost, others }
    }

    /// A draw of a condition, or of a part of one.
    pub fn draw(&mut self, probability: f64, loops: Option<&BTreeSet<u32>>) -> Draw {
        Draw {
            probability,
            number: self.new_branch(),
            decided_by: Some(self.decided_by(loops)),
        }
    }

    pub fn new_branch(&mut self) -> usize {
        self.branches += 1;
        self.branches - 1
    }

    /// Loops around those that are the nest's own.
    pub fn own(&self) -> usize {
        if let Part::Nest { own, .. } = &self.source.part {
            *own
        } else {
            0
        }
    }

    /// Outside loops, a parameter's value is that of the parameter, whatever is assigned.
    pub fn may_set(&self, id: VarId) -> bool {
        self.in_loop || (self.source.symbol)(&self.source.function.variable(id).name).is_none()
    }

    pub fn access(&mut self, reference: Reference, kind: AccessKind, out: &mut Vec<Op>) {
        if !self.quiet {
            out.push(Op::Access(reference, kind));
        }
    }
}
