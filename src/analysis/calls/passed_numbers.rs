//! Whole numbers that calls pass.

use super::procedures::{LeastPassed, Procedures};
use super::target::{ProcedureId, Target};
use crate::ir::fold;
use crate::ir::visit::{InLoop, calls_of, statements};

impl Procedures<'_> {
    /// The least whole number that other procedures pass as the argument at this position.
    pub fn least_passed(&self, to: ProcedureId, position: usize) -> Option<i64> {
        let all = self.least_passed.get_or_init(|| least_passed(self));
        all.get(&(to, position)).copied()
    }
}

fn least_passed(known: &Procedures) -> LeastPassed {
    let mut found = LeastPassed::default();
    for caller in known.ids() {
        let function = known.get(caller).function;
        statements(&function.body, InLoop::No, &mut |stmt, _| {
            calls_of(stmt, &mut |name, arguments| {
                let mut numbers = (arguments.iter().enumerate())
                    .filter_map(|(position, passed)| {
                        Some((position, fold::value(function, passed)?))
                    })
                    .peekable();
                if numbers.peek().is_none() {
                    return;
                }
                let Target::Body(callee) = known.target(caller, name) else {
                    return;
                };
                for (position, number) in numbers {
                    let least = found.entry((callee, position)).or_insert(number);
                    *least = number.min(*least);
                }
            });
        });
    }
    found
}
