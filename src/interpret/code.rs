//! The compact form in which a nest runs: statements without arithmetic on data, addresses as sums over
//! integer slots.

use std::collections::BTreeSet;

use super::layout::ArrayLayout;
use crate::cache::AccessKind;
use crate::ir::{BinaryOp, Jump, Quantifier, UnaryOp};

/// A nest that can be run.
#[derive(Clone, Debug)]
pub struct Code {
    pub body: Vec<Op>,
    /// Values that slots have at the beginning.
    pub initial: Vec<i64>,
    pub arrays: Vec<ArrayLayout>,
    pub loops: usize,
    pub branches: usize,
    /// What had to be assumed, sorted.
    pub notes: BTreeSet<String>,
    /// Some access is outside of what is declared of its array.
    pub is_outside: bool,
    /// Bytes from the first to the last that is touched of every array, as far as the corners of the loops show, and
    /// the same of arrays that are written.
    pub reach: (u64, u64),
}

/// Where an integer scalar or a pointer is kept while the nest runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slot(pub u32);

/// base + Σ coefficient·slot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Affine {
    pub base: i64,
    pub terms: Vec<(Slot, i64)>,
}

impl Affine {
    pub fn constant(base: i64) -> Affine {
        Affine {
            base,
            terms: Vec::new(),
        }
    }

    pub fn slot(slot: Slot) -> Affine {
        Affine {
            base: 0,
            terms: vec![(slot, 1)],
        }
    }

    pub fn plus(mut self, other: &Affine, factor: i64) -> Affine {
        self.base = self.base.wrapping_add(other.base.wrapping_mul(factor));
        for (slot, coefficient) in &other.terms {
            let added = coefficient.wrapping_mul(factor);
            match self.terms.iter_mut().find(|(known, _)| known == slot) {
                Some((_, known)) => *known = known.wrapping_add(added),
                None => self.terms.push((*slot, added)),
            }
        }
        self.terms.retain(|(_, coefficient)| *coefficient != 0);
        self
    }

    pub fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.base)
    }

    pub fn coefficient(&self, slot: Slot) -> i64 {
        self.terms
            .iter()
            .find(|(known, _)| *known == slot)
            .map_or(0, |(_, coefficient)| *coefficient)
    }
}

/// An integer that statements need: in subscripts, bounds and conditions.
#[derive(Clone, Debug)]
pub enum Integer {
    Affine(Affine),
    Binary(BinaryOp, Box<Integer>, Box<Integer>),
    Unary(UnaryOp, Box<Integer>),
    Intrinsic(Intrinsic, Vec<Integer>),
    Select(Box<Integer>, Box<Integer>, Box<Integer>),
    /// An element of an integer array: its access, and its value if the nest wrote it, or a parameter gives it.
    Load(Box<Reference>, Option<i64>),
    /// Where an element lies, without an access to it.
    Address(Box<Reference>),
    /// What only data decides: the reads on the way, then no known value.
    Data(Vec<Op>),
}

/// Integer functions with the same meaning in both languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intrinsic {
    Min,
    Max,
    Absolute,
    /// Fortran's `mod`, C's `%`.
    Remainder,
    /// Fortran's `modulo`: the sign of the divisor.
    Modulo,
}

/// An element of an array.
#[derive(Clone, Debug)]
pub struct Reference {
    pub bytes: u32,
    /// Not an access: it belongs to another nest, and only its value is needed here.
    pub quiet: bool,
    /// Number of the array whose dimensions the subscripts are about.
    pub array: usize,
    /// Beginning of the array or value of the pointer, and all subscripts that are sums over known slots.
    pub start: Affine,
    /// The other subscripts.
    pub subscripts: Vec<Subscript>,
}

/// A subscript that has to be computed: `stride · (value − lower)`; a value that is not known falls within
/// the extent.
#[derive(Clone, Debug)]
pub struct Subscript {
    pub value: Integer,
    pub dimension: usize,
    /// Bytes from one element to the next.
    pub stride: i64,
    pub lower: i64,
    pub extent: i64,
}

#[derive(Clone, Debug)]
pub enum Op {
    Access(Reference, AccessKind),
    Set(Slot, Integer),
    /// An integer array element whose value matters is written.
    Store(Reference, Integer),
    /// Evaluated for its reads.
    Evaluate(Integer),
    Loop(Box<Counted>),
    While(Box<While>),
    Branch(Box<Branch>),
    Jump(Jump),
    Mark(Mark),
}

/// Tells which loop accesses belong to from here on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Into a loop, by its number, or one that has none.
    Enter(Option<usize>),
    /// Back to what was before.
    Leave,
}

#[derive(Clone, Debug)]
pub struct Counted {
    pub variable: Slot,
    pub lower: Integer,
    pub upper: Integer,
    pub step: Integer,
    /// Iterations where the bounds are not known.
    pub trips: u64,
    /// Number of the loop, for what is kept from one execution to the next.
    pub number: usize,
    /// An iteration needs what the one before left in scalars.
    pub carries: bool,
    pub body: Body,
}

/// What a loop does in an iteration.
#[derive(Clone, Debug)]
pub enum Body {
    Statements(Vec<Op>),
    /// Only accesses at addresses that move by the same amount each time.
    Strided(Vec<Strided>),
}

/// An access at an address that is a sum over slots.
#[derive(Clone, Debug)]
pub struct Strided {
    pub address: Affine,
    pub bytes: u32,
    pub kind: AccessKind,
}

#[derive(Clone, Debug)]
pub struct While {
    pub condition: Option<Integer>,
    /// Iterations where the condition is not known.
    pub trips: u64,
    /// The condition is looked at after the body.
    pub tested_last: bool,
    /// Holds how often it has gone round.
    pub round: Slot,
    pub body: Vec<Op>,
}

/// The variables of loops that say which draw of a branch counts.
#[derive(Clone, Debug)]
pub struct DecidedBy {
    /// The innermost loop around the branch: what is drawn for iterations that lie near each other is spread evenly.
    pub innermost: Option<Slot>,
    /// Others: what is drawn for their iterations are independent numbers.
    pub others: Vec<Slot>,
}

impl DecidedBy {
    /// Whether it goes one way in the whole run: the likelier one.
    pub fn is_once(&self) -> bool {
        self.innermost.is_none() && self.others.is_empty()
    }
}

/// How a condition, or a part of one, is drawn.
#[derive(Clone, Debug)]
pub struct Draw {
    /// How often it holds.
    pub probability: f64,
    /// For the sequence of its decisions.
    pub number: usize,
    /// The loops in whose iterations it may be another way; `None` where each decision is another draw.
    pub decided_by: Option<DecidedBy>,
}

#[derive(Clone, Debug)]
pub struct Branch {
    pub condition: Integer,
    /// What is drawn where it is not known: all of it,
    pub holds: Quantifier,
    /// or each of its parts.
    pub draws: Vec<Draw>,
    pub then: Vec<Op>,
    pub otherwise: Vec<Op>,
}
