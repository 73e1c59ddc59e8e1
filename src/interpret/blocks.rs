//! Nests whose loops are blocked by the model's parameters: a loop over the blocks of every such loop, all of them
//! around the nest's spatial loops.

use super::code::{Affine, Body, Counted, Integer, Intrinsic, Op, Slot};
use super::compiler::{Compiler, Part};
use crate::ir::{Control, Loop};
use crate::reason::ReasonCode;

/// The loops of a nest that run block by block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Blocks {
    /// Loops outside of those over the blocks.
    pub from: usize,
    /// Positions of loops from outside, with the iterations of a block.
    pub sizes: Vec<(usize, i64)>,
}

/// The block that a loop runs over: where it begins, and its iterations.
#[derive(Clone, Copy, Debug)]
pub(super) struct InBlock {
    start: Slot,
    size: i64,
}

impl InBlock {
    /// Bounds and iterations of the loop in the block.
    pub fn narrow(self, upper: Integer, trips: u64) -> (Integer, Integer, u64) {
        let start = Affine::slot(self.start);
        let last = start.clone().plus(&Affine::constant(self.size - 1), 1);
        let upper = Integer::Intrinsic(Intrinsic::Min, vec![Integer::Affine(last), upper]);
        (Integer::Affine(start), upper, trips.min(self.size as u64))
    }
}

impl<'a> Compiler<'a> {
    /// The loops over blocks that stand around the loop at `level`, outermost first, without bodies.
    pub(super) fn loops_over_blocks(&mut self, level: usize) -> Vec<Counted> {
        let Part::Nest { chain, blocks, .. } = &self.source.part else {
            return Vec::new();
        };
        if level != blocks.from || blocks.sizes.is_empty() {
            return Vec::new();
        }
        // The source has no such loops: reading their bounds makes no accesses.
        let quiet = std::mem::replace(&mut self.quiet, true);
        let found = blocks
            .sizes
            .iter()
            .filter_map(|(at, size)| self.over_blocks(chain[*at], *at, *size))
            .collect();
        self.quiet = quiet;
        found
    }

    fn over_blocks(&mut self, inner: &'a Loop, at: usize, size: i64) -> Option<Counted> {
        let Control::Counted { lower, upper, .. } = &inner.control else {
            self.refuse(
                ReasonCode::Blocked,
                inner.place.line,
                "a loop without known bounds cannot be blocked",
            );
            return None;
        };
        let [lower, upper] = [lower, upper].map(|bound| self.integer(bound));
        let step = Integer::Affine(Affine::constant(size));
        let trips = (self.source.trips)(inner).div_ceil(size as u64);
        let (variable, number) = (self.new_slot(0), self.loops);
        self.loops += 1;
        self.in_blocks.insert(
            at,
            InBlock {
                start: variable,
                size,
            },
        );
        let body = Body::Statements(Vec::new());
        Some(Counted {
            variable,
            lower,
            upper,
            step,
            trips,
            number,
            carries: true,
            body,
        })
    }
}

/// Statements inside loops without bodies, outermost first.
pub(super) fn inside(loops: Vec<Counted>, statements: Vec<Op>) -> Vec<Op> {
    loops.into_iter().rev().fold(statements, |inner, over| {
        vec![Op::Loop(Box::new(Counted {
            body: Body::Statements(inner),
            ..over
        }))]
    })
}
