//! How far apart are two numbers that calls pass, each call others?
//!
//! ```text
//! do j = n, 1, -1                      sum(first, last):  do k = first + 1, last - 1
//!    first = max(j - reach, 1)
//!    total = total + sum(first, j)
//! ```
//!
//! The largest of each says nothing of the distance, and is often the same number. Where it would leave a loop without
//! iterations, the loop goes along half of what there is.

use super::{Around, Guesses, each_loop};
use crate::expr::{Expr, Symbol, SymbolKind};
use crate::facts::{Block, Call, Constant, Item, Loop, Origin, Program};

/// Names are followed so far.
const NAMES: u32 = 16;

/// A loop, and how often it runs.
pub(super) struct Apart {
    function: usize,
    /// How many loops of the function are before it.
    at: usize,
    iterations: f64,
}

/// The loops of which nothing but the largest numbers that are passed says that they do not run.
pub(super) fn found(guesses: &Guesses) -> Vec<Apart> {
    let mut found = Vec::new();
    let (mut function, mut at) = (usize::MAX, 0);
    each_loop(guesses.program, &mut |number, around, inner| {
        at = if number == function { at + 1 } else { 0 };
        function = number;
        if let Some(iterations) = guesses.apart(number, around, inner) {
            found.push(Apart {
                function,
                at,
                iterations,
            });
        }
    });
    found
}

/// Lets these loops run as often at least as a parameter says.
pub(super) fn give(program: &mut Program, found: Vec<Apart>) {
    for Apart {
        function,
        at,
        iterations,
    } in found
    {
        let function = &mut program.functions[function];
        let (name, mut left) = (function.name.clone(), at);
        let mut given = None;
        loops_of(&mut function.body, &mut |inner| {
            if left == 0 && given.is_none() {
                let trips = Symbol::trip_count(&name, inner.line, 0);
                let last = inner.lower.clone() + Expr::from(trips.clone()) - 1.0;
                inner.upper = Expr::max([inner.upper.clone(), last.expand()]);
                given = Some(trips);
            }
            left = left.wrapping_sub(1);
        });
        function.constants.extend(given.map(|symbol| Constant {
            symbol,
            value: Expr::from(iterations),
            origin: Origin::Default,
        }));
    }
}

/// Visits all loops of a block, each before those inside it.
fn loops_of(block: &mut Block, visit: &mut dyn FnMut(&mut Loop)) {
    for item in &mut block.items {
        match item {
            Item::Loop(inner) => {
                visit(inner);
                loops_of(&mut inner.body, visit);
            }
            Item::Branch(branch) => {
                loops_of(&mut branch.then, visit);
                if let Some(otherwise) = &mut branch.otherwise {
                    loops_of(otherwise, visit);
                }
            }
        }
    }
}

impl Guesses<'_> {
    fn apart(&self, function: usize, around: Around, inner: &Loop) -> Option<f64> {
        let (first, last) = (&inner.lower, &inner.upper);
        let is_fixed = |end: &Expr| !around.iter().any(|l| end.mentions::<str>(&l.variable));
        let differs = |end: &Expr| self.differs_by_call(function, end, NAMES);
        let ends = [first, last];
        let is_apart = inner.step.as_number() == Some(1.0)
            && ends.into_iter().all(is_fixed)
            && ends.into_iter().all(differs);
        if !is_apart || calls(&self.program.functions[function].body, self.name(function)) {
            return None;
        }
        let at = |expr| self.evaluate(function, expr, around, &None);
        let (first, last) = (at(first), at(last));
        let half = (last / 2.0).ceil();
        (last - first < 1.0 && half > 1.0).then_some(half)
    }

    fn name(&self, function: usize) -> &str {
        &self.program.functions[function].name
    }

    /// Whether an expression has numbers in it that differ from call to call, of which the largest counts.
    fn differs_by_call(&self, function: usize, expr: &Expr, depth: u32) -> bool {
        let Some(depth) = depth.checked_sub(1) else {
            return false;
        };
        expr.symbols().iter().any(|symbol| {
            let place = (symbol.kind() == SymbolKind::Place)
                .then(|| self.program.place(symbol))
                .flatten();
            match place {
                Some(place) if place.origin == Origin::Callers => true,
                _ => match self.known(function, symbol) {
                    Some(value) if !value.is_symbol(symbol) => {
                        self.differs_by_call(function, value, depth)
                    }
                    _ => false,
                },
            }
        })
    }
}

/// Whether a block or what is inside it calls a procedure of a name.
fn calls(block: &Block, name: &str) -> bool {
    let is_it = |call: &Call| call.name == *name;
    block.calls.iter().any(is_it)
        || block.items.iter().any(|item| match item {
            Item::Loop(inner) => calls(&inner.body, name),
            Item::Branch(branch) => {
                calls(&branch.then, name)
                    || (branch.otherwise.iter()).any(|block| calls(block, name))
            }
        })
}
