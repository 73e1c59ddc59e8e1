//! Branches that data decide: what a core that predicted them wrongly loses (guide: static-model, "Branches").

use super::{Code, Switches, Values};
use crate::analysis::facts::Loop;
use crate::bandwidth;
use crate::expr::Expr;
use crate::machine::parameters::WARM;
use crate::nest::{ChainLoop, Decided, Nest, Turn, weight_expr};

impl Code<'_> {
    /// Mispredicted branches of the whole execution; `None` where data decide none.
    pub(super) fn mispredicted_of(&self, known: Values) -> Option<Expr> {
        let random = match self.switches {
            Switches::AsSet => Expr::machine("random_branches"),
            Switches::AllOn => 0.0.into(),
            Switches::AllOff => 1.0.into(),
        };
        let open = self.decided_by_data(known)?;
        let first = open * random;
        Some(match self.switches {
            Switches::AllOn => 0.0.into(),
            Switches::AllOff => first,
            Switches::AsSet => {
                let again = first.clone() * forgotten(&first);
                bandwidth::where_positive(Expr::machine(WARM), again, first)
            }
        })
    }

    /// Branches that would go another way than most of their kind: of one with the probability p, a share of min(p, 1 - p);
    /// and the end of every loop of which data say how often it runs.
    fn decided_by_data(&self, known: Values) -> Option<Expr> {
        let Nest {
            turns,
            loops,
            decisions,
            ..
        } = self.nest;
        let depth = loops.len();
        let of_turn = |turn: &Turn| {
            let taken = (known.symbol)(&turn.branch);
            let rarer = Expr::min([taken.clone(), Expr::from(1.0) - taken]);
            let met = weight_expr(&turn.weight, known.symbol);
            let each = met * self.iterations[turn.level].clone();
            let decided = Decided::find(decisions, &turn.branch);
            let decided_in = decided.map_or(turn.level, |one| one.decided_in(turn.level));
            if decided_in < turn.level {
                // The core sees once which way it goes now; compilers put it around a loop in vectors.
                return rarer * Expr::min([each, self.iterations[decided_in].clone()]);
            }
            // In vectors both sides are computed.
            match turn.level == depth {
                true => self.either(rarer * each, 0.0.into()),
                false => rarer * each,
            }
        };
        let of_loop = |(level, one): (usize, &ChainLoop)| {
            let begun = weight_expr(&one.weight, known.symbol) * self.iterations[level].clone();
            one.facts
                .is_estimated()
                .then(|| Expr::min([begun, self.iterations[level + 1].clone()]))
        };
        let ends = loops.iter().enumerate().filter_map(of_loop);
        let all: Vec<Expr> = turns.iter().map(of_turn).chain(ends).collect();
        (!all.is_empty()).then(|| Expr::sum(all))
    }

    /// How many executions of the innermost loop overlap: one where the end of each depends on what it computes, and the core
    /// did not foresee it.
    pub(super) fn executions_in_flight(&self) -> Expr {
        let at_once = self.executions_at_once();
        let depth = self.nest.loops.len();
        let innermost = self.innermost();
        if !ends_by_its_values(innermost) {
            return at_once;
        }
        let Some(mispredicted) = &self.mispredicted else {
            return at_once;
        };
        let begun = self.iterations[depth - 1].clone();
        let share = Expr::min([1.0.into(), mispredicted.clone().quotient(begun.clone())]);
        let share = bandwidth::where_positive(begun, share, 0.0.into());
        let one = Expr::from(1.0);
        one.clone() + (at_once - one.clone()) * (one - share)
    }
}

/// Whether a loop ends by what its iterations compute or load.
fn ends_by_its_values(innermost: &Loop) -> bool {
    innermost.exits_early || (innermost.variable.is_none() && innermost.is_estimated())
}

/// The share of so many mispredicted branches that the core does not remember when the same data come again.
fn forgotten(first: &Expr) -> Expr {
    let remembered = Expr::machine("branches_remembered");
    let square = |number: Expr| number.clone() * number;
    let all = square(first.clone()) + square(remembered);
    let share = square(first.clone()).quotient(all.clone());
    bandwidth::where_positive(all, share, 0.0.into())
}
