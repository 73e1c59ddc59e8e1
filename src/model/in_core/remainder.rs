//! What is left of a loop that no whole vector holds: compilers have one vector of half the length for it, and do the rest
//! one by one (GCC's epilogues; guide: static-model, "In-core time").

use super::Code;
use crate::bandwidth;
use crate::expr::{Comparison, Expr};

/// Shorter vectors have no halves.
const LEAST_HALVED: f64 = 4.0;

/// Of the iterations of a loop, what vectors take as a multiple of whole ones, and the share that is done one by one.
struct Shares {
    vectors: Expr,
    single: Expr,
}

impl Code<'_> {
    /// Cycles of one iteration on average, from those of one in a whole vector.
    pub(super) fn with_remainder(&self, lanes: &Expr, in_vectors: Expr) -> Expr {
        if self.vectorised.is_zero() {
            return in_vectors;
        }
        let scalar = Code {
            vectorised: 0.0.into(),
            ..self.clone()
        };
        let alone = scalar.issue_cycles(1.0.into());
        let Shares { vectors, single } = self.shares(lanes);
        vectors * in_vectors + single * alone
    }

    fn shares(&self, lanes: &Expr) -> Shares {
        let level = self.vector_level();
        let one = self.vector_loop();
        let [executions, inside] = [level, level + 1].map(|at| self.iterations[at].clone());
        let length =
            bandwidth::where_positive(executions.clone(), inside.quotient(executions), 0.0.into());
        let length = Expr::max([length, 1.0.into()]);
        let half = lanes.clone() * 0.5;
        let around = self.nest.loops[..level]
            .iter()
            .map(|one| &one.facts.variable);
        let span = (one.upper.clone() - one.lower.clone()).expand();
        let is_even = !around
            .into_iter()
            .any(|variable| span.mentions(variable) || one.step.mentions(variable));
        let (rest, in_half) = match is_even {
            true => {
                let vectors = length.clone().quotient(lanes.clone()).floor();
                let rest = length.clone() - vectors * lanes.clone();
                let in_half = rest.clone().quotient(half.clone()).floor() * half;
                (rest, in_half)
            }
            // Of all lengths, as many have each remainder.
            false => {
                let rest = (lanes.clone() - 1.0) * 0.5;
                let rest = Expr::min([rest, length.clone()]);
                let share = half.quotient(Expr::max([lanes.clone() - 1.0, 1.0.into()]));
                (rest.clone(), rest * share)
            }
        };
        // Of single elements none is left.
        let (one, none) = (Expr::from(1.0), Expr::from(0.0));
        let rest = Expr::choose(Comparison::Greater, lanes.clone(), one, rest, none);
        let (order, least) = (Comparison::GreaterOrEqual, LEAST_HALVED.into());
        let in_half = Expr::choose(order, lanes.clone(), least, in_half, 0.0.into());
        // A half takes as long as a whole one.
        let in_vectors = length.clone() - rest.clone() + in_half.clone() * 2.0;
        Shares {
            vectors: in_vectors.quotient(length.clone()),
            single: (rest - in_half).quotient(length),
        }
    }
}
