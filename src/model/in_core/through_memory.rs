//! What one execution of the innermost loop waits for from the one before it: elements that were stored and are loaded
//! again (guide: static-model, "In-core time").

use super::across::Along;
use super::{Code, stays};
use crate::analysis::facts::Access;
use crate::analysis::in_core::Chain;
use crate::bandwidth;
use crate::expr::Expr;

impl Code<'_> {
    /// Cycles of one iteration of the innermost loop for which its executions wait for each other's stores; 0 where they do
    /// not, or the machine does not say how long that takes.
    pub(super) fn cycles_through_memory(&self) -> Expr {
        let chains: Vec<&Chain> = self.chains_through_memory().collect();
        if chains.is_empty() {
            return 0.0.into();
        }
        let depth = self.nest.loops.len();
        let iterations = self.iterations[depth].clone();
        let executions = self.iterations[depth - 1].clone();
        let each = Expr::max([iterations.quotient(executions.clone()), 1.0.into()]);
        let forward = Expr::machine("forward_cycles");
        let passed_on = match self.begins_elsewhere() {
            false => forward.clone(),
            true => self.either(
                forward.clone(),
                Expr::max([forward.clone(), Expr::machine("blocked_load_cycles")]),
            ),
        };
        let waits = chains.into_iter().map(|chain| {
            let cycles = passed_on.clone() + self.latency(chain.steps);
            cycles.quotient(f64::from(chain.distance).into())
        });
        let cycles = Expr::max(waits).quotient(each);
        let cycles = bandwidth::where_positive(executions, cycles, 0.0.into());
        bandwidth::where_positive(forward, cycles, 0.0.into())
    }

    /// Chains that the loop around carries through elements which the innermost loop moves along.
    fn chains_through_memory(&self) -> impl Iterator<Item = &Chain> {
        // What is written out stays in registers where it is in the same place each time.
        let passes_memory = self.written_out().is_none() || self.begins_elsewhere();
        let passes_memory = passes_memory && matches!(self.along, Along::Innermost);
        let level = self.nest.loops.len().checked_sub(2);
        let level = level.filter(|_| passes_memory);
        let carried = level.and_then(|level| self.nest.carried_by(level));
        let chains = carried.into_iter().flat_map(|carried| &carried.chains);
        chains.filter(|chain| self.is_in_memory(chain))
    }

    fn is_in_memory(&self, chain: &Chain) -> bool {
        let depth = self.nest.loops.len();
        let mut inside = (self.nest.references.iter())
            .filter(|reference| reference.level == depth)
            .map(|reference| reference.stream.as_ref());
        inside.any(|stream| {
            stream.array.as_str() == chain.name
                && stream.accesses.iter().any(Access::is_written)
                && !stays(stream, self.innermost())
        })
    }

    /// Whether executions begin at other iterations than the one before: then vectors that they load lie across those that
    /// were stored.
    fn begins_elsewhere(&self) -> bool {
        let innermost = self.innermost();
        (self.around()).is_some_and(|around| innermost.lower.mentions(&around.variable))
    }
}
