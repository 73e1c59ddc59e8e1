//! What one execution of the innermost loop waits for from the one before it: elements that were stored and are loaded
//! again (guide: static-model, "In-core time").

use super::across::Along;
use super::{Code, Switches, stays};
use crate::analysis::facts::{Access, Loop};
use crate::analysis::in_core::Chain;
use crate::bandwidth;
use crate::expr::{Comparison, Expr, Function, Node};

/// Elements of the longest vectors: executions that begin so many apart have their vectors in the same places.
const MOST_LANES: f64 = 16.0;

impl Code<'_> {
    /// Cycles of one iteration of the innermost loop for which its executions wait for each other's stores; 0 where they do
    /// not, or the machine does not say how long that takes.
    pub(super) fn cycles_through_memory(&self) -> Expr {
        let mut chains: Vec<(f64, &Chain)> = self.chains_through_memory().collect();
        chains.sort_by(|a, b| a.0.total_cmp(&b.0));
        let same = chains.chunk_by(|a, b| a.0 == b.0);
        let waits = same.map(|all| {
            let chains: Vec<&Chain> = all.iter().map(|(_, chain)| *chain).collect();
            self.cycles_of(all[0].0, &chains)
        });
        match waits.collect::<Vec<Expr>>() {
            none if none.is_empty() => 0.0.into(),
            all => Expr::max(all),
        }
    }

    /// The same of chains whose executions begin so many iterations apart.
    fn cycles_of(&self, apart: f64, chains: &[&Chain]) -> Expr {
        let depth = self.nest.loops.len();
        let iterations = self.iterations[depth].clone();
        let executions = self.iterations[depth - 1].clone();
        let each = iterations.quotient(executions.clone());
        let forward = Expr::machine("forward_cycles");
        let waits = |passed_on: &Expr| {
            let waits = chains.iter().map(|chain| {
                let cycles = passed_on.clone() + self.latency(chain.steps);
                cycles.quotient(f64::from(chain.distance).into())
            });
            bandwidth::where_positive(passed_on.clone(), Expr::max(waits), 0.0.into())
        };
        let element_by_element = waits(&forward) * self.share_of_wait(apart, &each);
        let is_blocked = apart % MOST_LANES != 0.0
            && self.switches != Switches::AllOn
            && self.written_out_whole() == 0;
        let cycles = match is_blocked {
            false => element_by_element,
            // What is loaded has a part of each of two vectors, so that all elements wait for all.
            true => {
                let blocked = Expr::max([forward, Expr::machine("blocked_load_cycles")]);
                let blocked = self.either(element_by_element.clone(), waits(&blocked));
                let vectors = Expr::from(apart).quotient(self.lanes());
                let (whole, order) = (vectors.clone().floor(), Comparison::NotEqual);
                Expr::choose(order, vectors, whole, blocked, element_by_element)
            }
        };
        let cycles = cycles.quotient(Expr::max([each.clone(), 1.0.into()]));
        // Executions further apart than they are long have no element in common.
        let order = Comparison::LessOrEqual;
        let cycles = Expr::choose(order, Expr::from(apart + 1.0), each, cycles, 0.0.into());
        bandwidth::where_positive(executions, cycles, 0.0.into())
    }

    /// The part of a wait that each execution takes where elements wait for themselves only: each is in a few executions, and
    /// the core begins others meanwhile, as many as it holds.
    fn share_of_wait(&self, apart: f64, each: &Expr) -> Expr {
        if apart == 0.0 {
            return 1.0.into();
        }
        let times = each.clone() * (1.0 / apart);
        Expr::min([1.0.into(), times.quotient(self.executions_at_once())])
    }

    /// Chains that the loop around carries through elements which the innermost loop moves along, with the iterations by
    /// which its executions begin apart in these.
    fn chains_through_memory(&self) -> impl Iterator<Item = (f64, &Chain)> {
        // What is written out stays in registers where it is in the same place each time.
        let stays_in_registers = self.written_out().is_some();
        let passes_memory = matches!(self.along, Along::Innermost);
        let level = self.nest.loops.len().checked_sub(2);
        let level = level.filter(|_| passes_memory);
        let carried = level.and_then(|level| self.nest.carried_by(level));
        let chains = carried.into_iter().flat_map(|carried| &carried.chains);
        let chains = chains.filter(|chain| self.is_in_memory(chain));
        let placed = chains.filter_map(|chain| Some((self.begins_apart(chain)?, chain)));
        placed.filter(move |(apart, _)| *apart != 0.0 || !stays_in_registers)
    }

    /// Whether a chain goes through elements that the innermost loop moves along.
    pub(super) fn is_in_memory(&self, chain: &Chain) -> bool {
        let depth = self.nest.loops.len();
        let mut inside = (self.nest.references.iter())
            .filter(|reference| reference.level == depth)
            .map(|reference| reference.stream.as_ref());
        inside.any(|stream| {
            stream.array.as_str() == chain.name
                && stream.accesses.iter().any(Access::is_written)
                && !stays(stream, self.at(depth - 1))
        })
    }

    /// By how many of its iterations an execution of the innermost loop begins further on, or back, in the elements of a
    /// chain than the one before; `None` where the source does not say that.
    fn begins_apart(&self, chain: &Chain) -> Option<f64> {
        let (innermost, around) = (self.innermost(), self.around()?);
        let by = moves_by(&innermost.lower, around)?;
        let step = innermost.step.as_integer().filter(|step| *step != 0)? as f64;
        Some((by / step + chain.iterations_apart as f64).abs())
    }

    /// Whether the bounds of loops inside the one at this position move with it.
    pub(super) fn moves_inside(&self, level: usize) -> bool {
        let variable = &self.nest.loops[level].facts.variable;
        let mut inside = self.nest.loops[level + 1..].iter();
        inside.any(|one| one.facts.lower.mentions(variable))
    }
}

/// By how much an iteration of a loop moves a bound, where that is a number.
fn moves_by(bound: &Expr, around: &Loop) -> Option<f64> {
    let variable = around.variable.as_str();
    if !bound.mentions(&around.variable) {
        return Some(0.0);
    }
    // At its ends the loop stays in the array: `max(1, j - 4)`.
    if let Node::Call(Function::Max | Function::Min, terms) = bound.node() {
        let mut moving = terms.iter().filter(|term| term.mentions(&around.variable));
        let (first, others) = (moving.next()?, moving.next());
        return others.map_or_else(|| moves_by(first, around), |_| None);
    }
    let linear = bound.linear_in(&[variable])?;
    let by = linear.coefficients.first()?.as_integer()? as f64;
    Some(by * around.step.as_integer()? as f64)
}
