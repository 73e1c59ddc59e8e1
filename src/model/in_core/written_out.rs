//! Short innermost loops that compilers write out, inside other loops: what stays in registers meanwhile, and what the loops
//! around carry (guide: static-model, "In-core time").

use super::across::Along;
use super::{Code, stays};
use crate::analysis::facts::Loop;
use crate::analysis::in_core::Chain;
use crate::bandwidth;
use crate::expr::{Comparison, Expr};
use crate::nest::Reference;

/// Iterations, of vectors where there are any, that compilers write out (GCC's max-completely-peel-times), the elements of
/// the longest vectors, and the part of the registers that is left for what stays in them.
pub(super) const WRITTEN_OUT: f64 = 16.0;
const MOST_LANES: f64 = 16.0;
const ROOM: f64 = 0.75;

impl<'a> Code<'a> {
    /// The loop around the innermost one.
    pub(super) fn around(&self) -> Option<&'a Loop> {
        let (_, around) = self.nest.loops.split_last()?;
        Some(around.last()?.facts)
    }

    /// Iterations of a loop that the source fixes.
    pub(super) fn fixed_iterations(&self, one: &Loop) -> Option<f64> {
        let span = one.upper.clone() - one.lower.clone();
        let count = self
            .nest
            .compiled(&span.quotient(one.step.clone()))?
            .floor()
            + 1.0;
        (count >= 1.0 && !one.exits_early).then_some(count)
    }

    /// Iterations of an innermost loop inside another one, if the source fixes them and compilers may write all of them out.
    pub(super) fn written_out(&self) -> Option<Expr> {
        let count = self.fixed_iterations(self.innermost())?;
        let is_short = (2.0..=WRITTEN_OUT * MOST_LANES).contains(&count);
        let is_whole = self.around().is_some();
        let [executions, inside] = self.iterations.last_chunk()?;
        let each = || inside.clone().quotient(executions.clone());
        let where_it_runs = || bandwidth::where_positive(executions.clone(), each(), count.into());
        (is_short && is_whole).then(where_it_runs)
    }

    /// Elements between two branches of the innermost loop; where it is written out, those of all of its iterations.
    pub(super) fn elements_of_a_branch(&self, lanes: &Expr) -> Expr {
        if let Along::WrittenOut(loops) = self.along {
            let depth = self.nest.loops.len();
            return lanes.clone().quotient(self.share(depth - loops));
        }
        match self.written_out() {
            None => lanes.clone(),
            Some(iterations) => {
                let most = lanes.clone() * WRITTEN_OUT;
                let (all, order) = (iterations.clone(), Comparison::LessOrEqual);
                let elements = Expr::choose(order, all, most, iterations, lanes.clone());
                Expr::max([elements, 1.0.into()])
            }
        }
    }

    /// Whether the loop around the innermost one comes to the same elements in each of its iterations, different ones in
    /// each iteration of the innermost one: if all of these are written out, such elements stay in registers.
    pub(super) fn is_kept(&self, reference: &Reference) -> bool {
        let stream = reference.stream.as_ref();
        let innermost = self.nest.loops.len() - 1;
        reference.level == innermost + 1
            && !stays(stream, self.at(innermost))
            && self.around().is_some()
            && stays(stream, self.at(innermost - 1))
    }

    /// How many of the references to elements that may stay in registers are done: those before and after the loop around,
    /// if there is room for all.
    pub(super) fn share_of_kept(&self) -> Option<Expr> {
        let iterations = self.written_out()?;
        let kept = self
            .nest
            .references
            .iter()
            .filter(|reference| self.is_kept(reference));
        let elements = kept
            .map(|reference| reference.stream.accesses.len())
            .sum::<usize>();
        if elements == 0 {
            return None;
        }
        let depth = self.nest.loops.len();
        let room = Expr::machine("fp_registers") * (ROOM / elements as f64);
        let most = Expr::min([WRITTEN_OUT.into(), room]) * self.lanes();
        let executions = self.iterations[depth - 1].clone();
        let share = self.iterations[depth - 2]
            .clone()
            .quotient(executions.clone());
        let share = bandwidth::where_positive(executions, share, 1.0.into());
        Some(Expr::choose(
            Comparison::LessOrEqual,
            iterations,
            most,
            share,
            1.0.into(),
        ))
    }

    /// The same of an iteration of loops around the innermost one, if all iterations of those inside them are written out,
    /// over these.
    pub(super) fn chain_cycles_around(&self, lanes: &Expr) -> Expr {
        let depth = self.nest.loops.len();
        let (mut found, mut written_out) = (Vec::new(), 1.0);
        for level in (0..depth - 1).rev() {
            let inside = self.nest.loops[level + 1].facts;
            written_out *= self.fixed_iterations(inside).unwrap_or(f64::INFINITY);
            if written_out > WRITTEN_OUT * MOST_LANES {
                break;
            }
            let iterations = self.iterations[depth].clone();
            let iterations = iterations.quotient(self.iterations[level + 1].clone());
            let iterations = Expr::max([iterations, 1.0.into()]);
            let carried = self.nest.carried_by(level).into_iter();
            // Elements are others in each iteration where the loops inside move with this one.
            let moves = self.moves_inside(level);
            let moved = |chain: &Chain| moves || chain.iterations_apart != 0;
            let chains = carried.flat_map(|carried| &carried.chains);
            let chains = chains.filter(|chain| !(moved(chain) && self.is_in_memory(chain)));
            found.extend(chains.map(|chain| {
                self.chain_latency(chain, lanes, false)
                    .quotient(iterations.clone())
            }));
        }
        match found.is_empty() {
            true => 0.0.into(),
            false => Expr::max(found),
        }
    }
}
