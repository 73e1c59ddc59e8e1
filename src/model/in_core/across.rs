//! Which loop's iterations vectors hold: those of the innermost one, or of one around it, where compilers interchange the
//! two (GCC's loop-interchange at -O3) or write the inner ones out (its cunrolli; guide: static-model, "In-core time").
//! Traffic stays that of the order of the source.

use super::written_out::WRITTEN_OUT;
use super::{Code, calls_procedures, stays, step_of};
use crate::analysis::facts::{Access, Loop, OperationCounts, Stream};
use crate::analysis::in_core::{Chain, Order};
use crate::expr::Expr;

/// The loop that vectors go along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Along {
    Innermost,
    /// That around the innermost one, in whose place it stands.
    Interchanged,
    /// The same, with the innermost one still inside it (GCC's vectorisation of outer loops).
    Around,
    /// That around so many loops that are written out.
    WrittenOut(usize),
}

/// Instructions of all iterations of a loop that compilers write out before they look for vectors (GCC's
/// max-completely-peeled-insns).
const MOST_INSTRUCTIONS: f64 = 200.0;

impl<'a> Code<'a> {
    /// The loop whose iterations vectors hold, by its position.
    pub(super) fn vector_level(&self) -> usize {
        let innermost = self.nest.loops.len() - 1;
        match self.along {
            Along::Innermost => innermost,
            Along::Interchanged | Along::Around => innermost - 1,
            Along::WrittenOut(loops) => innermost - loops,
        }
    }

    pub(super) fn vector_loop(&self) -> &'a Loop {
        self.nest.loops[self.vector_level()].facts
    }

    /// A loop of the nest, with its place from the outside.
    pub(super) fn at(&self, level: usize) -> (&'a Loop, usize) {
        (self.nest.loops[level].facts, level)
    }

    /// What compilers would rather have vectors go along than the innermost loop.
    pub(super) fn other_loop(&self) -> Option<Along> {
        if self.goes_across() {
            return Some(Along::Interchanged);
        }
        if self.goes_around() {
            return Some(Along::Around);
        }
        let written_out = self.written_out_whole();
        (written_out > 0 && self.goes_along_outside(written_out))
            .then_some(Along::WrittenOut(written_out))
    }

    /// Innermost loops that are written out whole, inside of another one.
    pub(super) fn written_out_whole(&self) -> usize {
        let depth = self.nest.loops.len();
        let references = self.streams_from(depth - 1).map(|stream| {
            let accesses = stream.accesses.len();
            accesses as f64
        });
        let flops = self.nest.code().body.flops.total().flops();
        let mut instructions = references.sum::<f64>() + flops as f64;
        let (mut found, mut level) = (0, depth);
        while level > 1 {
            level -= 1;
            let iterations = self.fixed_iterations(self.nest.loops[level].facts);
            let Some(iterations) = iterations.filter(|count| *count <= WRITTEN_OUT) else {
                break;
            };
            instructions *= iterations;
            if instructions > MOST_INSTRUCTIONS {
                break;
            }
            found += 1;
        }
        found
    }

    /// References inside the loop at this position.
    fn streams_from(&self, level: usize) -> impl Iterator<Item = &'a Stream> {
        let references = self.nest.references.iter();
        references
            .filter(move |reference| reference.level > level)
            .map(|reference| reference.stream.as_ref())
    }

    /// Whether that is the loop around: the innermost one jumps from line to line by distances that the source says, where
    /// that one goes along lines, its iterations wait for none of each other, and each of them has as many inside. What the
    /// innermost one adds up must be in memory; what else is done around it becomes loops of its own, if it computes
    /// nothing.
    fn goes_across(&self) -> bool {
        let Some(around) = self.around() else {
            return false;
        };
        let level = self.nest.loops.len() - 1;
        let is_in_memory = |chain: &Chain| {
            let mut arrays = self.streams_from(level).map(|stream| stream.array.as_str());
            arrays.any(|array| array == chain.name)
        };
        around.body.flops.total() == OperationCounts::default()
            && self.chains().iter().all(is_in_memory)
            && self.may_go_along(around, |_| false)
    }

    /// Whether that is the loop around with the innermost one inside it: as for an interchange, but what stands beside the
    /// innermost one is in the vectors too, and so are sums that each of its executions begins.
    fn goes_around(&self) -> bool {
        let Some(around) = self.around() else {
            return false;
        };
        let level = self.nest.loops.len() - 1;
        let is_own = |chain: &Chain| {
            let mut streams = self.streams_from(level);
            let moves = |stream: &Stream| !stays(stream, self.at(level - 1));
            self.is_set_inside(level - 1, &chain.name)
                || streams.any(|stream| stream.array.as_str() == chain.name && moves(stream))
        };
        let begins = |chain: &Chain| self.is_set_inside(level - 1, &chain.name);
        let is_along = |stream: &Stream| goes_along(stream, self.at(level - 1));
        self.chains().iter().all(is_own)
            && self.streams_from(level - 1).all(is_along)
            && self.may_go_along(around, begins)
    }

    /// Whether vectors may hold iterations of the loop around, which have nothing from each other but for chains that may
    /// be.
    fn may_go_along(&self, around: &Loop, may_be: impl Fn(&Chain) -> bool) -> bool {
        let innermost = self.innermost();
        let level = self.nest.loops.len() - 1;
        let mut streams = self.streams_from(level);
        let jumps = streams.any(|stream| !goes_along(stream, self.at(level)));
        let is_said = |extent: &Option<(Expr, Expr)>| {
            let span = extent
                .as_ref()
                .map(|(low, high)| high.clone() - low.clone());
            span.is_some_and(|span| self.nest.compiled(&span).is_some())
        };
        let is_known = |stream: &Stream| stream.shape().all(is_said);
        // What several of its iterations store in one place has an order.
        let is_kept = |stream: &Stream| {
            stays(stream, self.at(level - 1)) && stream.accesses.iter().any(Access::is_written)
        };
        let ends = [&innermost.lower, &innermost.upper, &innermost.step];
        let is_even = ends.iter().all(|end| !end.mentions(&around.variable));
        let is_always = self.nest.loops[level].weight.is_empty();
        jumps
            && is_always
            && is_even
            && self.is_straight(level - 1)
            && !self.meets_its_stores(level)
            && (self.streams_from(level))
                .all(|stream| goes_along(stream, self.at(level - 1)) && is_known(stream))
            && !self.streams_from(level - 1).any(is_kept)
            && self.is_free(level - 1, may_be)
    }

    /// Whether the loop at this position moves a reference to an array to which the code inside the loop around stores by
    /// another one: no compiler shows that iterations of that loop do not meet there.
    fn meets_its_stores(&self, level: usize) -> bool {
        let mut moved = self.streams_from(level);
        moved.any(|stream| {
            let is_other = |other: &Stream| {
                other.array.as_str() == stream.array.as_str()
                    && !std::ptr::eq(other, stream)
                    && other.accesses.iter().any(Access::is_written)
            };
            !stays(stream, self.at(level)) && self.streams_from(level - 1).any(is_other)
        })
    }

    /// Whether vectors can hold the iterations of the loop around so many that are written out.
    fn goes_along_outside(&self, written_out: usize) -> bool {
        let level = self.nest.loops.len() - 1 - written_out;
        let begins = |chain: &Chain| self.is_set_inside(level, &chain.name);
        self.is_straight(level)
            && !self.moves_inside(level)
            && self
                .streams_from(level)
                .all(|stream| goes_along(stream, self.at(level)))
            && self.is_free(level, begins)
    }

    /// Whether nothing but loops and straight code is inside this loop, one loop in another, and nothing leaves it.
    fn is_straight(&self, level: usize) -> bool {
        let inside = &self.nest.loops[level..self.nest.loops.len() - 1];
        let one = self.nest.loops[level].facts;
        self.nest.code().body.items.is_empty()
            && (inside.iter()).all(|around| {
                around.facts.body.items.len() == 1 && !calls_procedures(&around.facts.body)
            })
            && !one.exits_early
            && !one.variable.is_none()
    }

    /// Whether iterations of a loop around have nothing from each other, but for chains that may be.
    fn is_free(&self, level: usize, may_be: impl Fn(&Chain) -> bool) -> bool {
        self.nest.carried_by(level).is_some_and(|carried| {
            carried.order == Order::Shown
                && carried.at_once.is_none()
                && carried.chains.iter().all(may_be)
        })
    }
}

fn goes_along(stream: &Stream, one: (&Loop, usize)) -> bool {
    stays(stream, one) || is_along(stream, one)
}

/// Whether a loop walks one element after the other, or back.
fn is_along(stream: &Stream, one: (&Loop, usize)) -> bool {
    let step = step_of(stream, one).and_then(|step| step.expand().as_integer());
    step.is_some_and(|step| step.abs() == 1)
}
