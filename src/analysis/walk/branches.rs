//! Branches, and what is known of variables where their sides meet again.

use std::collections::{BTreeMap, BTreeSet};

use super::{Undecided, Walker, leaving, records};
use crate::alternatives::either;
use crate::coverage;
use crate::expr::{Expr, Symbol};
use crate::facts::{Block, Branch, Constant, Decision, Item, Origin};
use crate::guards::{self, Counted};
use crate::ir::visit::variables_of;
use crate::ir::{self, BinaryOp, Function, Role, Stmt, UnaryOp, Value, VarId};
use crate::sizes::Turn;
use crate::symbols::Known;

impl Walker<'_> {
    pub(super) fn branch(
        &mut self,
        branch: &ir::If,
        then: &[Stmt],
        otherwise: &[Stmt],
        block: &mut Block,
    ) {
        self.read(&branch.place, &branch.condition, block);
        self.decides(&branch.condition, block);
        let before = self.symbols.known.clone();
        let compared_before = self.compared_known();
        let then_block = self.block(then);
        let after_then = std::mem::replace(&mut self.symbols.known, before.clone());
        let compared_then = self.compared_from(compared_before);
        let otherwise_block = if otherwise.is_empty() {
            None
        } else {
            Some(self.block(otherwise))
        };
        let after_otherwise = std::mem::replace(&mut self.symbols.known, before);
        self.vary(then, self.depth());
        self.vary(otherwise, self.depth());
        self.join(after_then, after_otherwise);
        self.join_compared(compared_then);
        let blocks = [Some(&then_block), otherwise_block.as_ref()];
        let (probability, decision) = self.decision(branch, (then, otherwise), blocks);
        block.items.push(Item::Branch(Box::new(Branch {
            line: branch.place.line,
            condition: self.symbols.text(&branch.condition),
            probability,
            decision,
            then: then_block,
            otherwise: otherwise_block,
            then_lines: ir::lines(then),
            otherwise_lines: ir::lines(otherwise),
        })));
    }

    /// The parameter that holds how often a branch is taken, and what decides that.
    fn decision(
        &mut self,
        branch: &ir::If,
        arms: (&[Stmt], &[Stmt]),
        blocks: [Option<&Block>; 2],
    ) -> (Symbol, Decision) {
        let written_in = self
            .effects
            .origins
            .written_in(&branch.place)
            .unwrap_or(self.symbols.own_name);
        let outcome = truth(&branch.condition, self.function(), 32);
        let usual = Symbol::probability(written_in, branch.place.line, outcome);
        let turn = self.sizes.turn(&branch.place).filter(|_| outcome.is_none());
        if let Some(Turn::Once(taken) | Turn::OnceOfSeveral(taken)) = turn {
            let probability = self.own_probability(&usual);
            let decision = match turn {
                Some(Turn::OnceOfSeveral(_)) => Decision::OnceOfSeveral(taken),
                _ => Decision::Once(taken),
            };
            return (probability, decision);
        }
        let decision = match outcome {
            Some(_) => Decision::Fixed,
            None => guards::decision(&mut self.symbols, &branch.condition),
        };
        let share = match (&decision, outcome) {
            (_, Some(is_taken)) => Some(Expr::from(f64::from(u8::from(is_taken)))),
            (Decision::Guard(guard), None) => {
                let loops: Vec<&Counted> = self.symbols.levels.iter().map(|l| &l.counted).collect();
                guard.share(&loops)
            }
            (
                Decision::Data | Decision::Loops | Decision::Once(_) | Decision::OnceOfSeveral(_),
                None,
            ) => guards::periodic_share(&mut self.symbols, &branch.condition),
            (Decision::Fixed, None) => {
                let sizes = sizes_in(blocks.into_iter().flatten());
                let is_size = |symbol: &Symbol| sizes.contains(symbol);
                let share = guards::share_of_sizes(&mut self.symbols, &branch.condition, &is_size);
                share.filter(|_| !self.may_be_reset(&branch.condition))
            }
        };
        let Some(value) = share else {
            let truth = match turn {
                Some(Turn::Always(truth)) => Some(truth),
                _ => (self.sizes).truth(self.procedure, self.function(), &branch.condition),
            };
            let probability = self.undecided_probability(&usual, truth);
            self.undecided.push(Undecided {
                probability: probability.clone(),
                condition: branch.condition.clone(),
                truth,
                decision: decision.clone(),
                usual: leaving::share(arms, &self.symbols.levels, self.function().is_main)
                    .or_else(|| records::share(&self.symbols, &branch.condition, arms)),
            });
            let decision = match (leaving::ends_program(arms, &self.symbols.levels), decision) {
                (Some(taken), _) if truth.is_none() => Decision::Once(taken),
                (_, Decision::Guard(_)) => Decision::Loops,
                (_, other) => other,
            };
            return (probability, decision);
        };
        let probability = self.free_probability(&usual, &value);
        let origin = match outcome {
            Some(_) => Origin::Constant,
            None => Origin::Derived,
        };
        let constant = Constant {
            symbol: probability.clone(),
            value,
            origin,
        };
        self.symbols.constants.insert(probability.clone(), constant);
        (probability, decision)
    }

    /// Whether a value rests on the last one that the function itself gives a variable, and a procedure without a body may
    /// give it another one.
    fn may_be_reset(&mut self, value: &Value) -> bool {
        let mut used = BTreeSet::new();
        variables_of(value, &mut used);
        used.into_iter().any(|id| {
            let known = |known: Expr| known.symbols().is_empty();
            self.handed_out.contains(&id)
                && self
                    .symbols
                    .expression(&Value::Variable(id))
                    .is_some_and(known)
        })
    }

    /// The name of a probability, or the same with a number where another branch of the line has another value.
    fn free_probability(&self, usual: &Symbol, value: &Expr) -> Symbol {
        self.first_free(usual, |symbol| {
            let known = self.symbols.constants.get(symbol).map(|known| &known.value);
            let is_undecided = || (self.undecided.iter()).any(|other| other.probability == *symbol);
            let is_free = known.is_none() && !is_undecided() && !self.once.contains(symbol);
            known == Some(value) || is_free
        })
    }

    /// The same of a branch that neither literals nor loops decide: others of the line that the options of the program
    /// decide in the same way, or not at all, have its probability.
    fn undecided_probability(&self, usual: &Symbol, truth: Option<bool>) -> Symbol {
        self.first_free(usual, |symbol| {
            let others = self.undecided.iter();
            let mut others = others.filter(|other| other.probability == *symbol);
            let is_free =
                !self.symbols.constants.contains_key(symbol) && !self.once.contains(symbol);
            is_free && others.all(|other| other.truth == truth)
        })
    }

    /// The same of a branch whose probability no other one has.
    fn own_probability(&mut self, usual: &Symbol) -> Symbol {
        let found = self.first_free(usual, |symbol| {
            let is_undecided = (self.undecided.iter()).any(|other| other.probability == *symbol);
            !self.symbols.constants.contains_key(symbol)
                && !self.once.contains(symbol)
                && !is_undecided
        });
        self.once.insert(found.clone());
        found
    }

    fn first_free(&self, usual: &Symbol, is_free: impl Fn(&Symbol) -> bool) -> Symbol {
        let others = (2..).map(|number| usual.renamed(&format!("{}_{number}", usual.name())));
        let mut names = std::iter::once(usual.clone()).chain(others);
        names
            .find(|symbol| is_free(symbol))
            .unwrap_or_else(|| usual.clone())
    }

    /// Keeps what the branches say of a variable: the value if they agree, else the few values that it
    /// may have, and that a value was loaded in either. What only one branch advances counts as advanced.
    fn join(&mut self, mut then: BTreeMap<VarId, Known>, mut otherwise: BTreeMap<VarId, Known>) {
        self.branches += 1;
        for (id, known) in &mut self.symbols.known {
            let Known::Changes { loaded, .. } = known else {
                continue;
            };
            let sides = [then.remove(id), otherwise.remove(id)];
            *loaded |= sides
                .iter()
                .flatten()
                .any(|k| matches!(k, Known::Changes { loaded: true, .. }));
            if let [Some(a), Some(b)] = sides {
                match (a, b) {
                    (a, _)
                        if self.conditional.contains(id) && !matches!(a, Known::Changes { .. }) =>
                    {
                        *known = a;
                    }
                    (a, b) if a == b => *known = a,
                    (a, b) => {
                        if let Some(values) = either(self.branches, a, b) {
                            *known = values;
                            self.symbols.has_alternatives = true;
                        }
                    }
                }
            }
        }
    }
}

/// What the bounds of the loops in some blocks mention.
fn sizes_in<'b>(blocks: impl Iterator<Item = &'b Block>) -> BTreeSet<Symbol> {
    let mut sizes = BTreeSet::new();
    for block in blocks {
        coverage::each_loop(block, &mut |inner| {
            sizes.extend(inner.lower.symbols());
            sizes.extend(inner.upper.symbols());
        });
    }
    sizes
}

/// What a condition is that literals and named constants decide: `if (0)`, `if (debug)`.
fn truth(condition: &Value, function: &Function, depth: u32) -> Option<bool> {
    let again = |value: &Value| truth(value, function, depth.checked_sub(1)?);
    match condition {
        Value::Integer(n) => Some(*n != 0),
        Value::Logical(is_true) => Some(*is_true),
        Value::Convert(_, operand) => again(operand),
        Value::Unary(UnaryOp::Not, operand) => again(operand).map(|is_true| !is_true),
        Value::Binary(BinaryOp::And, left, right) => match (again(left), again(right)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        },
        Value::Binary(BinaryOp::Or, left, right) => match (again(left), again(right)) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        },
        Value::Variable(id) => {
            let variable = function.variable(*id);
            let is_constant = matches!(variable.role, Role::Constant(_));
            again(variable.constant.as_ref().filter(|_| is_constant)?)
        }
        _ => None,
    }
}
