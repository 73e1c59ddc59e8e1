//! Branches of which each is for other values of one number: `if (k == 1) … else if (k == 2) …`, and the cases of
//! `switch` and `select case`.
//!
//! Nested conditionals that are guessed one by one would give the first arm one half, the second one a quarter, and so
//! on. But no arm is more likely for being tried first: each has a share of its own, by the numbers that the program gives
//! what is asked (`sizes/few`), or else by those that the conditions name. What says that something is wrong has none.

use std::collections::{BTreeMap, BTreeSet};

use super::{Walker, leaving};
use crate::expr::Expr;
use crate::facts::Decision;
use crate::guards;
use crate::guesses::NOMINAL;
use crate::ir::visit::{each_value, variables_of};
use crate::ir::{BinaryOp, If, Stmt, UnaryOp, Value, VarId};
use crate::symbols::Known;

/// The arms of a chain of conditions, and what runs where none of these holds.
struct Chain<'s> {
    arms: Vec<&'s If>,
    otherwise: &'s [Stmt],
}

impl<'s> Chain<'s> {
    fn of(first: &'s If) -> Chain<'s> {
        let mut arms = vec![first];
        let mut otherwise = &first.otherwise[..];
        while let [before @ .., Stmt::If(next)] = otherwise
            && (before.iter()).all(|stmt| matches!(stmt, Stmt::Evaluate { .. }))
        {
            arms.push(next);
            otherwise = &next.otherwise;
        }
        Chain { arms, otherwise }
    }

    /// As far as conditions ask for the same value as the first one: what comes behind these is the rest.
    fn on(mut self, walker: &Walker, subject: &Value) -> Chain<'s> {
        let is_other = |arm: &&If| walker.subject(&arm.condition) != Some(subject);
        if let Some(end) = self.arms.iter().position(is_other) {
            self.arms.truncate(end);
            self.otherwise = self.arms.last().map_or(&[], |last| &last.otherwise);
        }
        self
    }
}

impl Walker<'_> {
    /// How often a condition holds of which a part asks whether a count is a multiple of a period: whatever else it asks,
    /// about as often. A period of which no number is known is taken to be as long as a loop.
    pub(super) fn guessed_period(&self, condition: &Value, decision: &Decision) -> Option<Expr> {
        let meaning = |name: &str| self.effects.target(name).meaning();
        let multiple = guards::periodic_part(condition, &meaning)?;
        if !multiple.tells(decision) {
            return None;
        }
        let varies = match decision {
            Decision::Data | Decision::Loops(_) => true,
            Decision::Fixed => {
                (self.sizes).counts(self.procedure, self.function(), multiple.dividend)
            }
            Decision::Guard(_) | Decision::Once(_) | Decision::PerhapsOnce(_) => false,
        };
        let divisor = multiple.divisor.unconverted();
        let mut used = BTreeSet::new();
        variables_of(divisor, &mut used);
        if used.iter().any(|id| self.changes_in_loops(*id)) {
            return None;
        }
        let number = (self.sizes).period_number(self.procedure, self.function(), divisor);
        let every = match (number.filter(|every| *every > 1.0), divisor) {
            (Some(every), _) => every,
            (None, Value::Variable(_)) => NOMINAL,
            (None, _) => return None,
        };
        let is_followed = varies && multiple.is_whole(&|value| self.symbols.is_integer(value));
        is_followed.then(|| multiple.share(Expr::from(every), self.excluded(condition)))
    }

    pub(super) fn changes_in_loops(&self, id: VarId) -> bool {
        self.symbols.loops.contains(&id)
            || matches!(self.symbols.known.get(&id), Some(Known::Changes { .. }))
    }

    /// How often a branch is taken that is one of several on one number, of those times in which it is asked.
    pub(super) fn share_of_choice(&mut self, branch: &If) -> Option<Expr> {
        let key = &branch.place;
        let known = |known: &(Value, Expr)| (known.0 == branch.condition).then(|| known.1.clone());
        if let Some(share) = self.choices.get(key).and_then(known) {
            return Some(share);
        }
        let subject = self.subject(&branch.condition)?.clone();
        let chain = Chain::of(branch).on(self, &subject);
        let weights = self.weights(&chain, &subject)?;
        for (arm, at) in chain.arms.iter().zip(0..) {
            let left: f64 = weights[at..].iter().sum();
            if left > 0.0 {
                let share = (arm.condition.clone(), Expr::from(weights[at] / left));
                self.choices.insert(arm.place.clone(), share);
            }
        }
        self.choices.get(key).and_then(known)
    }

    /// What is given to each arm, and to what runs where none is taken.
    fn weights(&mut self, chain: &Chain, subject: &Value) -> Option<Vec<f64>> {
        let numbers = self
            .sizes
            .few_numbers(self.procedure, self.function(), subject)
            .filter(|numbers| numbers.len() > 1);
        let mut weights = match numbers {
            Some(numbers) => self.shares_of_numbers(chain, numbers)?,
            None if chain.arms.len() > 1 => self.shares_of_labels(chain)?,
            None => return None,
        };
        self.leave_out_answered(chain, &mut weights);
        let ends = |name: &str| self.effects.ends_program(name);
        // A run ends at most once, however often the choice is made.
        let fails = |arm: &[Stmt]| {
            leaving::leaves_program(arm, &ends)
                || leaving::leaves_all(arm, &ends) && self.is_failure(arm)
        };
        for (arm, weight) in chain.arms.iter().zip(&mut weights) {
            if fails(&arm.then) {
                *weight = 0.0;
            }
        }
        if (self.is_failure(chain.otherwise) || leaving::leaves_program(chain.otherwise, &ends))
            && let Some(last) = weights.last_mut()
        {
            *last = 0.0;
        }
        weights
            .iter()
            .any(|weight| *weight > 0.0)
            .then_some(weights)
    }

    /// Nothing comes to an arm whose condition cannot hold behind those before, nor to what is behind one that always does.
    fn leave_out_answered(&mut self, chain: &Chain, weights: &mut [f64]) {
        let before = self.answers.len();
        for (arm, at) in chain.arms.iter().zip(0..) {
            match self.answered(&arm.condition) {
                Some(true) => weights[at + 1..].fill(0.0),
                Some(false) => weights[at] = 0.0,
                None => {}
            }
            self.answer_in_chain(&arm.condition);
        }
        self.forget(before);
    }

    /// As many as the numbers that conditions name, or one of each.
    fn shares_of_labels(&self, chain: &Chain) -> Option<Vec<f64>> {
        let labels = |arm: &&If| {
            let mut found = BTreeSet::new();
            self.only_equal(&arm.condition, &mut |label| {
                found.extend(self.number(label));
            })
            .then_some(found)
        };
        let labels: Vec<Option<BTreeSet<i64>>> = chain.arms.iter().map(labels).collect();
        let count = |labels: &Option<BTreeSet<i64>>| {
            (labels.as_ref()).map_or(1.0, |labels| labels.len().max(1) as f64)
        };
        let mut weights: Vec<f64> = labels.iter().map(count).collect();
        let all: Option<Vec<&BTreeSet<i64>>> = labels.iter().map(Option::as_ref).collect();
        // One number after the other: nothing is left for what has no arm.
        let is_enumeration = all.is_some_and(|all| {
            let all: BTreeSet<i64> = all.into_iter().flatten().copied().collect();
            let ends = all.first().zip(all.last());
            let span = ends.and_then(|(first, last)| last.checked_sub(*first));
            span.and_then(|span| usize::try_from(span).ok())
                .is_some_and(|span| span + 1 == all.len() && all.len() > 1)
        });
        let rest = match chain.otherwise {
            [] if is_enumeration => 0.0,
            _ => 1.0,
        };
        weights.push(rest);
        Some(weights)
    }
}

impl Walker<'_> {
    /// The share of the numbers that come to each arm, and to none.
    fn shares_of_numbers(&self, chain: &Chain, numbers: BTreeMap<i64, f64>) -> Option<Vec<f64>> {
        let mut left: Vec<(i64, f64)> = numbers.into_iter().collect();
        let mut weights = Vec::new();
        for arm in &chain.arms {
            let holds = |(number, _): &(i64, f64)| self.holds(&arm.condition, *number);
            let taken: Vec<bool> = left.iter().map(holds).collect::<Option<_>>()?;
            let shares = left.iter().zip(&taken).filter(|(_, taken)| **taken);
            weights.push(shares.map(|((_, share), _)| share).sum());
            let mut taken = taken.into_iter();
            left.retain(|_| taken.next() != Some(true));
        }
        weights.push(left.iter().map(|(_, share)| share).sum());
        Some(weights)
    }

    /// What a condition compares with constants, if that is one value, whose operators say which they are.
    fn subject<'v>(&self, condition: &'v Value) -> Option<&'v Value> {
        let subject = self.compared_value(condition)?;
        let mut is_known = true;
        each_value(subject, &mut |part| {
            is_known &= !matches!(part, Value::Binary(BinaryOp::Other, ..));
        });
        is_known.then_some(subject)
    }

    fn compared_value<'v>(&self, condition: &'v Value) -> Option<&'v Value> {
        match condition.unconverted() {
            Value::Unary(UnaryOp::Not, operand) => self.compared_value(operand),
            Value::Binary(BinaryOp::And | BinaryOp::Or, left, right) => {
                let (left, right) = (self.compared_value(left)?, self.compared_value(right)?);
                (left == right).then_some(left)
            }
            Value::Binary(op, left, right) if op.is_comparison() => {
                let (left, right) = (left.unconverted(), right.unconverted());
                match (self.is_constant(left), self.is_constant(right)) {
                    (false, true) => Some(left),
                    (true, false) => Some(right),
                    _ => None,
                }
            }
            value @ Value::Variable(_) => (!self.is_constant(value)).then_some(value),
            _ => None,
        }
    }

    fn is_constant(&self, value: &Value) -> bool {
        match value.unconverted() {
            Value::Integer(_) | Value::Real(..) | Value::Logical(_) | Value::Text(_) => true,
            Value::Unary(UnaryOp::Negate, operand) => self.is_constant(operand),
            Value::Variable(id) => self.function().variable(*id).constant.is_some(),
            _ => false,
        }
    }

    /// Whether a condition on one value holds where that is this number.
    fn holds(&self, condition: &Value, number: i64) -> Option<bool> {
        match condition.unconverted() {
            Value::Unary(UnaryOp::Not, operand) => self.holds(operand, number).map(|it| !it),
            Value::Binary(BinaryOp::And, left, right) => {
                Some(self.holds(left, number)? && self.holds(right, number)?)
            }
            Value::Binary(BinaryOp::Or, left, right) => {
                Some(self.holds(left, number)? || self.holds(right, number)?)
            }
            Value::Binary(op, left, right) if op.is_comparison() => {
                let (op, label) = match self.number(right) {
                    Some(label) => (*op, label),
                    None => (op.mirrored(), self.number(left)?),
                };
                Some(op.holds_of(number.cmp(&label)))
            }
            Value::Variable(_) => Some(number != 0),
            _ => None,
        }
    }

    /// Whether a condition only asks whether a value is one of several; visits these.
    fn only_equal<'v>(&self, condition: &'v Value, visit: &mut dyn FnMut(&'v Value)) -> bool {
        match condition.unconverted() {
            Value::Binary(BinaryOp::Or, left, right) => {
                self.only_equal(left, visit) && self.only_equal(right, visit)
            }
            Value::Binary(BinaryOp::Equal, left, right) => {
                visit(match self.is_constant(right) {
                    true => right,
                    false => left,
                });
                true
            }
            _ => false,
        }
    }
}
