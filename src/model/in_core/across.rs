//! Vectors across the loop around the innermost one, where compilers interchange the two (GCC's loop-interchange at -O3;
//! guide: static-model, "In-core time"). Traffic stays that of the order of the source.

use super::{Code, calls_procedures, stays};
use crate::analysis::facts::{Loop, OperationCounts, Stream, Subscript};
use crate::analysis::in_core::{Chain, Order};

impl<'a> Code<'a> {
    /// The loop whose iterations vectors hold.
    pub(super) fn vector_loop(&self) -> &'a Loop {
        let around = self.around().filter(|_| self.is_across);
        around.unwrap_or_else(|| self.innermost())
    }

    /// Whether that is the loop around: the innermost one jumps from line to line where that one goes along them, its
    /// iterations wait for none of each other, and each of them has as many inside. What the innermost one adds up must be
    /// in memory; what else is done around it becomes loops of its own, if it computes nothing.
    pub(super) fn goes_across(&self) -> bool {
        let Some(around) = self.around() else {
            return false;
        };
        let innermost = self.innermost();
        let streams: Vec<&Stream> = (self.nest.references.iter())
            .filter(|reference| reference.level == self.nest.loops.len())
            .map(|reference| reference.stream.as_ref())
            .collect();
        let goes_along = |stream: &&Stream, one: &Loop| stays(stream, one) || is_along(stream, one);
        let jumps = (streams.iter()).any(|stream| !goes_along(stream, innermost));
        let is_in_memory = |chain: &Chain| {
            let mut arrays = streams.iter().map(|stream| stream.array.as_str());
            arrays.any(|array| array == chain.name)
        };
        let is_straight = self.nest.code().body.items.is_empty()
            && around.body.items.len() == 1
            && around.body.flops.total() == OperationCounts::default()
            && !calls_procedures(&around.body)
            && !around.exits_early
            && !around.variable.is_none();
        let ends = [&innermost.lower, &innermost.upper, &innermost.step];
        let is_even = ends.iter().all(|end| !end.mentions(&around.variable));
        jumps
            && is_straight
            && is_even
            && streams.iter().all(|stream| goes_along(stream, around))
            && self.chains().iter().all(is_in_memory)
            && self.is_free_around()
    }

    /// Whether iterations of the loop around have nothing from each other.
    fn is_free_around(&self) -> bool {
        let level = self.nest.loops.len() - 2;
        self.nest.carried_by(level).is_some_and(|carried| {
            carried.order == Order::Shown && carried.at_once.is_none() && carried.chains.is_empty()
        })
    }
}

/// Whether a loop walks one element after the other, or back.
fn is_along(stream: &Stream, one: &Loop) -> bool {
    let by = |subscript: &Subscript| {
        let found = (subscript.terms.iter()).find(|(name, _)| *name == one.variable);
        found.map(|(_, by)| (by.clone() * one.step.clone()).expand().as_integer())
    };
    let gathers = (stream.subscripts.iter()).any(|subscript| subscript.gather.is_some());
    stream
        .subscripts
        .split_first()
        .is_some_and(|(first, others)| {
            !gathers
                && by(first).flatten().is_some_and(|by| by.abs() == 1)
                && others.iter().all(|other| by(other).is_none())
        })
}
