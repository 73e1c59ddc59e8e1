//! What calls cost that compilers leave as calls, such as those of procedures with loops of their own, and of `malloc`.

use crate::analysis::called::Called;
use crate::expr::Expr;

/// Calls of a nest by kind, each as often as the branches around it are taken.
#[derive(Clone, Default)]
pub(super) struct Calls {
    procedures: Vec<Expr>,
    allocations: Vec<Expr>,
}

impl Calls {
    pub fn add(&mut self, called: Called, times: &Expr) {
        let Called {
            procedures,
            allocations,
        } = called;
        let kinds = [
            (procedures, &mut self.procedures),
            (allocations, &mut self.allocations),
        ];
        for (count, found) in kinds {
            if count > 0 {
                found.push(times.clone() * count as f64);
            }
        }
    }

    /// Cycles that they take; `None` where there are none.
    pub fn cycles(&self) -> Option<Expr> {
        let kinds = [
            (&self.procedures, "call_cycles"),
            (&self.allocations, "allocation_cycles"),
        ];
        let made = kinds.into_iter().filter(|(calls, _)| !calls.is_empty());
        let cycles = |(calls, cost): (&Vec<Expr>, &str)| {
            Expr::sum(calls.iter().cloned()) * Expr::machine(cost)
        };
        let all: Vec<Expr> = made.map(cycles).collect();
        (!all.is_empty()).then(|| Expr::sum(all))
    }
}
