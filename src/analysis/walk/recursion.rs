//! How deep a procedure calls itself.
//!
//! ```text
//! fib(n)        if (n < 2) return n; return fib(n - 1) + fib(n - 2)       about 2 n / 3 calls, one below the other
//! sort(a, l, h) if (h - l < 2) return; sort(a, l, m); sort(a, m, h)       log2(h - l), each half as large
//! search(d)     if (d == N) return; for (…) if (…) search(d + 1)          N
//! sum(p)        if (!p) return 0; return sum(p->left) + sum(p->right)     a guess
//! ```
//!
//! The model multiplies calls along the depth by what one call makes of itself.

use std::collections::BTreeSet;

use super::Walker;
use crate::calls::{ProcedureId, Target};
use crate::expr::{Expr, Symbol};
use crate::facts::{Block, Constant, Item, Origin, Recursion};
use crate::ir::visit::{InLoop, calls_of, statements, variables_of};
use crate::ir::{BinaryOp, Stmt, Type, UnaryOp, Value, VarId};

/// How deep calls go if nothing says it: a tree of some hundred nodes.
const DEPTH: f64 = 8.0;
/// What is guessed leads to no more calls than these.
const MOST_GUESSED: f64 = 1e6;
const MOST: f64 = 1e9;
/// The size of a grid beside the next finer one: of two dimensions, each halved.
const SMALLER: f64 = 0.25;

/// What a call of itself passes for a dummy argument.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    Same,
    By(i64),
    /// This part of it.
    Over(i64),
    Other,
}

/// Where a condition ends the calls.
struct End {
    line: u32,
    op: BinaryOp,
    limit: Value,
}

impl Walker<'_> {
    /// How the procedure calls itself, with this body; `None` if it does not.
    pub(super) fn recursion(&mut self, body: &Block) -> Option<Recursion> {
        let function = self.function();
        let calls = calls_of_itself(&function.body, self.procedure, &|name| {
            self.effects.target(name)
        });
        if calls.is_empty() {
            return None;
        }
        let dummies = self.procedures.formals(self.procedure);
        let found = self
            .by_counter(&dummies, &calls)
            .or_else(|| self.by_range(&dummies, &calls));
        let most = match found {
            Some(_) => MOST,
            None => MOST_GUESSED,
        };
        let (depth, size, lines) =
            found.unwrap_or_else(|| (self.guessed_depth(), 1.0.into(), BTreeSet::new()));
        let mut ends = Vec::new();
        probabilities(body, &lines, &mut ends);
        Some(Recursion {
            depth: Expr::max([depth, 0.0.into()]),
            size,
            most: most.into(),
            ends,
        })
    }

    /// A parameter, with a guess.
    fn guessed_depth(&mut self) -> Expr {
        let symbol = Symbol::depth(self.symbols.own_name);
        let constant = Constant {
            symbol: symbol.clone(),
            value: DEPTH.into(),
            origin: Origin::Default,
        };
        self.symbols.constants.insert(symbol.clone(), constant);
        symbol.into()
    }

    /// By a dummy argument that every call of itself passes one more, one less, or a part of, until a condition ends it.
    fn by_counter(
        &mut self,
        dummies: &[VarId],
        calls: &[&[Value]],
    ) -> Option<(Expr, Expr, BTreeSet<u32>)> {
        for (position, dummy) in dummies.iter().enumerate() {
            let steps: Vec<Step> = (calls.iter())
                .map(|arguments| {
                    let passed = arguments.get(position);
                    passed.map_or(Step::Other, |passed| self.step(*dummy, passed))
                })
                .collect();
            let by = |step: &Step| match step {
                Step::By(by) if *by != 0 => Some(*by),
                _ => None,
            };
            let over = |step: &Step| match step {
                Step::Over(over) if *over > 1 => Some(*over),
                _ => None,
            };
            let by: Option<Vec<i64>> = steps.iter().map(by).collect();
            let over: Option<Vec<i64>> = steps.iter().map(over).collect();
            let ends = self.ends_of(*dummy);
            let lines: BTreeSet<u32> = ends.iter().map(|end| end.line).collect();
            if let Some(over) = over
                && !ends.is_empty()
            {
                let first = self.symbols.expression(&Value::Variable(*dummy))?;
                let base = over.iter().copied().max().unwrap_or(2) as f64;
                let depth = first.tree_stages().quotient(base.log2().into());
                return Some((depth, Expr::from(1.0 / base), lines));
            }
            if let Some(by) = by
                && (by.iter().all(|by| *by > 0) || by.iter().all(|by| *by < 0))
            {
                let mean = by.iter().sum::<i64>() as f64 / by.len() as f64;
                let depth = ends.iter().find_map(|end| self.levels(*dummy, end, mean));
                if let Some(depth) = depth {
                    let size = match self.selects_grid(*dummy) {
                        true => SMALLER,
                        false => 1.0,
                    };
                    return Some((depth, size.into(), lines));
                }
            }
        }
        None
    }

    /// Whether calls are passed elements of that number which are no numbers themselves: the grids of a level.
    fn selects_grid(&self, dummy: VarId) -> bool {
        let function = self.function();
        let mut found = false;
        statements(&function.body, InLoop::No, &mut |stmt, _| {
            calls_of(stmt, &mut |_, arguments| {
                for argument in arguments {
                    let Value::Element { subscripts, .. } = argument.unconverted() else {
                        continue;
                    };
                    let mut used = BTreeSet::new();
                    subscripts
                        .iter()
                        .for_each(|one| variables_of(one, &mut used));
                    let ty = argument.ty(function);
                    let is_number = ty.is_floating() || matches!(ty, Type::Integer(..));
                    found |= used.contains(&dummy) && !is_number;
                }
            });
        });
        found
    }

    /// How many steps it takes from what a call from elsewhere passes to the end.
    fn levels(&mut self, dummy: VarId, end: &End, mean: f64) -> Option<Expr> {
        use BinaryOp::{Greater, GreaterOrEqual, Less, LessOrEqual};
        let limit = self.symbols.expression(&end.limit)?;
        let way = if mean > 0.0 {
            let beyond = matches!(end.op, Greater | LessOrEqual);
            let first = self.first_passed(dummy).map_or(0.0, |first| first as f64);
            limit + f64::from(u8::from(beyond)) - first
        } else {
            let beyond = matches!(end.op, Less | GreaterOrEqual);
            let first = self.symbols.expression(&Value::Variable(dummy))?;
            first - limit + f64::from(u8::from(beyond))
        };
        Some(way.quotient(mean.abs().into()))
    }

    /// The least number that calls from elsewhere pass.
    fn first_passed(&self, dummy: VarId) -> Option<i64> {
        let position =
            (self.procedures.formals(self.procedure).iter()).position(|d| *d == dummy)?;
        self.procedures.least_passed(self.procedure, position)
    }

    /// By a range, of which every call of itself passes a part.
    fn by_range(
        &mut self,
        dummies: &[VarId],
        calls: &[&[Value]],
    ) -> Option<(Expr, Expr, BTreeSet<u32>)> {
        let pairs = dummies.windows(2);
        let mut found = None;
        for pair in pairs {
            let [low, high] = [pair[0], pair[1]];
            let at = dummies.iter().position(|dummy| *dummy == low)?;
            let is_part = calls.iter().all(|arguments| {
                let steps = [(low, at), (high, at + 1)].map(|(dummy, at)| {
                    let passed = arguments.get(at);
                    passed.map_or(Step::Other, |passed| self.step(dummy, passed))
                });
                matches!(steps, [Step::Same, Step::Other] | [Step::Other, Step::Same])
            });
            let lines = self.lines_comparing(&[low, high]);
            if is_part && !lines.is_empty() {
                found = Some((low, high, lines));
                break;
            }
        }
        let (low, high, lines) = found?;
        let passed = [low, high].map(|dummy| self.first_passed(dummy).map(Expr::from));
        let [low, passed] = passed;
        let low = low.unwrap_or_else(|| 0.0.into());
        let high = match passed {
            Some(passed) => passed,
            None => self.symbols.expression(&Value::Variable(high))?,
        };
        let depth = Expr::max([high - low, 1.0.into()]).tree_stages();
        Some((depth, 0.5.into(), lines))
    }

    fn step(&self, dummy: VarId, passed: &Value) -> Step {
        use BinaryOp::{Add, Divide, ShiftRight, Subtract};
        let is_dummy = |side: &Value| *side.unconverted() == Value::Variable(dummy);
        match passed.unconverted() {
            value if is_dummy(value) => Step::Same,
            Value::Binary(op @ (Add | Subtract | Divide | ShiftRight), left, right)
                if is_dummy(left) =>
            {
                match (op, self.number(right)) {
                    (Add, Some(by)) => Step::By(by),
                    (Subtract, Some(by)) => Step::By(by.saturating_neg()),
                    (Divide, Some(by)) => Step::Over(by),
                    (ShiftRight, Some(by @ 1..32)) => Step::Over(1 << by),
                    _ => Step::Other,
                }
            }
            Value::Binary(Add, left, right) if is_dummy(right) => {
                self.number(left).map_or(Step::Other, Step::By)
            }
            _ => Step::Other,
        }
    }

    /// Where conditions compare a dummy argument with something else.
    fn ends_of(&self, dummy: VarId) -> Vec<End> {
        let mut found = Vec::new();
        statements(&self.function().body, InLoop::No, &mut |stmt, _| {
            if let Stmt::If(branch) = stmt {
                compared(&branch.condition, dummy, branch.place.line, &mut found);
            }
        });
        found
    }

    /// The lines of conditions that compare these with each other, and ask for nothing else.
    fn lines_comparing(&self, dummies: &[VarId]) -> BTreeSet<u32> {
        let mut lines = BTreeSet::new();
        statements(&self.function().body, InLoop::No, &mut |stmt, _| {
            if let Stmt::If(branch) = stmt {
                let mut used = BTreeSet::new();
                variables_of(&branch.condition, &mut used);
                if used.len() == dummies.len() && dummies.iter().all(|d| used.contains(d)) {
                    lines.insert(branch.place.line);
                }
            }
        });
        lines
    }
}

/// Adds the comparisons of a variable in a condition with what does not mention it.
fn compared(condition: &Value, dummy: VarId, line: u32, found: &mut Vec<End>) {
    use BinaryOp::{And, Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual, Or};
    let is_dummy = |side: &Value| *side.unconverted() == Value::Variable(dummy);
    let mut end = |op, limit: &Value| {
        let limit = limit.clone();
        found.push(End { line, op, limit });
    };
    match condition.unconverted() {
        value if is_dummy(value) => end(NotEqual, &Value::Integer(0)),
        Value::Unary(UnaryOp::Not, inner) => compared(inner, dummy, line, found),
        Value::Binary(And | Or, left, right) => {
            compared(left, dummy, line, found);
            compared(right, dummy, line, found);
        }
        Value::Binary(op, left, right) if op.is_comparison() => {
            let op = *op;
            let mirrored = match op {
                Less => Greater,
                LessOrEqual => GreaterOrEqual,
                Greater => Less,
                GreaterOrEqual => LessOrEqual,
                Equal | NotEqual => op,
                other => other,
            };
            let mentions = |side: &Value| {
                let mut used = BTreeSet::new();
                variables_of(side, &mut used);
                used.contains(&dummy)
            };
            if is_dummy(left) && !mentions(right) {
                end(op, right);
            } else if is_dummy(right) && !mentions(left) {
                end(mirrored, left);
            }
        }
        _ => {}
    }
}

/// What a procedure passes to itself.
fn calls_of_itself<'s>(
    body: &'s [Stmt],
    procedure: ProcedureId,
    target: &dyn Fn(&str) -> Target,
) -> Vec<&'s [Value]> {
    let mut found = Vec::new();
    statements(body, InLoop::No, &mut |stmt, _| {
        calls_of(stmt, &mut |name, arguments| {
            if matches!(target(name), Target::Recursive(callee) if callee == procedure) {
                found.push(arguments);
            }
        });
    });
    found
}

/// The probabilities of branches in these lines.
fn probabilities(block: &Block, lines: &BTreeSet<u32>, found: &mut Vec<Symbol>) {
    for item in &block.items {
        match item {
            Item::Loop(inner) => probabilities(&inner.body, lines, found),
            Item::Branch(branch) => {
                if lines.contains(&branch.line) && !found.contains(&branch.probability) {
                    found.push(branch.probability.clone());
                }
                probabilities(&branch.then, lines, found);
                branch
                    .otherwise
                    .iter()
                    .for_each(|arm| probabilities(arm, lines, found));
            }
        }
    }
}
