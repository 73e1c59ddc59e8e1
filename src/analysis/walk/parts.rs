//! Conditions of which a part asks for loops or options and another one for data:
//!
//! ```text
//! if (k < 10 && b[k] > 0) a[k] = 1;          if (k < 10) { if (b[k] > 0) a[k] = 1; }
//! if (k >= 10 || b[k] <= 0) continue;        the same of what is behind it
//! if (k < 10 || b[k] > 0) a[k] = 1;          b is read where k < 10 does not hold
//! if (flag && b[k] > 0) a[k] = 1;            if (flag) { if (b[k] > 0) a[k] = 1; }
//! ```
//!
//! The part that asks for loops says in which iterations the rest is done, and how many these are; one that asks for options
//! is the same in all of them, so that nothing of the rest is done, or all of it. The part behind it is read
//! there only: C promises it, and Fortran, which promises no order, lets compilers branch on one part after the other, as
//! gfortran does in the order of the source from `-O1` on.

use super::Walker;
use crate::calls::Target;
use crate::expr::Expr;
use crate::facts::{Asks, Block, Branch, Decision, Item};
use crate::guards;
use crate::ir::visit::{InLoop, each_value, statements};
use crate::ir::{self, BinaryOp, Stmt, Type, UnaryOp, Value};

/// Statements of an arm that stand on two ways, at most.
const MOST_REPEATED: usize = 4;

/// Parts of a condition that are looked at, at most: more are the labels of a long list.
const MOST_PARTS: usize = 64;

/// One of several conditions, and whether it has to hold.
pub(super) type Part<'v> = (&'v Value, bool);

/// A condition in two parts.
pub(super) struct Parts {
    /// Where it holds, the other part decides.
    first: Value,
    by: By,
    rest: Value,
    reads: Reads,
    /// The arm that is done where both parts say so.
    goal: Goal,
}

/// What decides the first part.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    Loops,
    /// What is the same in all iterations: an option or a size.
    Options,
}

/// What the other part reads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reads {
    /// Nothing where the first part decides.
    InPart,
    Everywhere,
    /// What is counted already.
    Nothing,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Goal {
    Then,
    Otherwise,
    /// Only what the other part reads is known to be in the part.
    ReadsAlone,
}

impl Walker<'_> {
    /// The parts of a condition, if loops decide one in a way that has a closed form, or options do, and data the other one.
    pub(super) fn parts_of(&mut self, branch: &ir::If, arms: [&[Stmt]; 2]) -> Option<Parts> {
        let is_joined =
            |part: &Value| matches!(part, Value::Binary(BinaryOp::And | BinaryOp::Or, ..));
        let condition = branch.condition.unconverted();
        let inner = match condition {
            Value::Unary(UnaryOp::Not, operand) => operand.unconverted(),
            _ => condition,
        };
        if !is_joined(inner)
            || self.symbols.levels.is_empty()
            || guards::asked(&mut self.symbols, condition).is_some()
            || self.sizes.turn(&branch.place).is_some()
            || self.answered(condition).is_some()
        {
            return None;
        }
        let [then, otherwise] = arms.map(|arm| !arm.is_empty());
        let goals = [
            (Goal::Then, true, then),
            (Goal::Otherwise, false, otherwise),
        ];
        let [of_then, of_otherwise] = [true, false].map(|holds| all_of(condition, holds));
        if of_then.len().max(of_otherwise.len()) > MOST_PARTS {
            return None;
        }
        let of = |(goal, holds, has_arm)| {
            let parts = if holds { &of_then } else { &of_otherwise };
            let other = if holds { arms[1] } else { arms[0] };
            (parts.len() > 1 && may_be_repeated(other)).then_some((goal, parts, has_arm))
        };
        let goals: Vec<(Goal, &Vec<Part>, bool)> = goals.into_iter().filter_map(of).collect();
        // Arms that do something come first; of one that does nothing, the other one is done wherever the first part says so.
        let (first, others): (Vec<_>, Vec<_>) = goals.iter().partition(|(.., has_arm)| *has_arm);
        for by in [By::Loops, By::Options] {
            for (goal, parts, _) in first.iter().chain(&others) {
                let found = self.split(by, parts, *goal);
                if found.is_some() {
                    return found;
                }
            }
        }
        if !first.is_empty() {
            return None;
        }
        let parts = if of_then.len() > 1 {
            of_then
        } else {
            of_otherwise
        };
        let found = self.split(By::Loops, &parts, Goal::ReadsAlone)?;
        (found.reads == Reads::InPart).then_some(found)
    }

    /// The first parts that loops, or options, decide apart from the others, or all of them where the others are read in any
    /// case.
    fn split(&mut self, by: By, parts: &[Part], goal: Goal) -> Option<Parts> {
        let own: Vec<bool> = (parts.iter())
            .map(|part| self.is_decided(by, part.0))
            .collect();
        let leading = own.iter().take_while(|own| **own).count();
        let (reads, mut chosen): (Reads, Vec<usize>) = match leading {
            1.. => (Reads::InPart, (0..leading).collect()),
            0 => (
                Reads::Everywhere,
                (0..parts.len()).filter(|at| own[*at]).collect(),
            ),
        };
        let all_hold = |chosen: &[usize]| {
            let own = chosen.iter().map(|at| stated(parts[*at]));
            joined(BinaryOp::And, own)
        };
        // Of several that have no closed form together, the others are parts of the rest.
        let first = loop {
            let found = all_hold(&chosen)?;
            if self.is_decided(by, &found) {
                break found;
            }
            chosen.pop();
        };
        let rest = (0..parts.len()).filter(|at| !chosen.contains(at));
        let rest: Vec<Part> = rest.map(|at| parts[at]).collect();
        if rest.iter().any(|part| self.calls(part.0)) {
            return None;
        }
        // The condition itself, of the arm that is done where it does not hold.
        let (op, turns) = match goal {
            Goal::Otherwise => (BinaryOp::Or, true),
            Goal::Then | Goal::ReadsAlone => (BinaryOp::And, false),
        };
        let rest = rest.into_iter().map(|(part, holds)| (part, holds != turns));
        let rest = joined(op, rest.map(stated))?;
        let is_of_data = guards::decision(&mut self.symbols, &rest) == Decision::Data
            && (by == By::Options || reads_memory(&rest));
        is_of_data.then_some(Parts {
            first,
            by,
            rest,
            reads,
            goal,
        })
    }

    fn is_decided(&mut self, by: By, condition: &Value) -> bool {
        match by {
            By::Loops => self.has_share(condition),
            By::Options => {
                guards::decision(&mut self.symbols, condition) == Decision::Fixed
                    && self.asks_for_options(condition)
            }
        }
    }

    /// Whether a condition asks for nothing but whole numbers and truths. Pointers are not null, as a rule.
    fn asks_for_options(&self, condition: &Value) -> bool {
        let mut only_those = true;
        each_value(condition, &mut |part| {
            only_those &= match part {
                Value::Variable(id) => {
                    let variable = self.function().variable(*id);
                    variable.dimensions.is_empty()
                        && matches!(variable.ty, Type::Integer(..) | Type::Logical(_))
                }
                Value::Element { .. } | Value::Call { .. } => false,
                _ => true,
            }
        });
        only_those
    }

    /// Whether loops decide a condition in a way that has a closed form, so that its share is known.
    fn has_share(&mut self, condition: &Value) -> bool {
        match guards::decision(&mut self.symbols, condition) {
            Decision::Guard(guard) => self.share_of_guard(&guard).is_some(),
            decision @ Decision::Loops(_) => {
                let asked = (condition, 0, &decision);
                guards::periodic_share(&mut self.symbols, asked).is_some()
            }
            _ => false,
        }
    }

    /// Whether reading a value may change others.
    fn calls(&self, value: &Value) -> bool {
        let mut found = false;
        each_value(value, &mut |part| {
            if let Value::Call { name, .. } = part {
                found |= !matches!(self.effects.target(name), Target::Library(_));
            }
        });
        found
    }

    /// Adds a branch on the part that asks for loops or options, and inside of it one on the other part.
    pub(super) fn branch_in_parts(
        &mut self,
        branch: &ir::If,
        parts: Parts,
        arms: [&[Stmt]; 2],
        block: &mut Block,
    ) -> Expr {
        let then_cycles = std::mem::take(&mut self.then_cycles);
        match parts.reads {
            Reads::Nothing => {}
            Reads::Everywhere => self.read(&branch.place, &branch.condition, block),
            Reads::InPart => self.read(&branch.place, &parts.first, block),
        }
        if parts.goal != Goal::ReadsAlone {
            self.decides(&branch.condition, block);
        }
        let at = block.items.len();
        let asked = guards::asked(&mut self.symbols, &parts.first);
        let conditions = self.conditions.len();
        self.conditions.extend(asked);
        let before = self.symbols.known.clone();
        let answers = self.answer(&parts.first, true, arms.concat().as_slice());
        let mut then = Block::default();
        let inner = ir::If {
            condition: parts.rest.clone(),
            ..branch.clone()
        };
        self.then_cycles = then_cycles && parts.goal != Goal::ReadsAlone;
        let stays_inside = match (parts.goal, parts.reads) {
            (Goal::ReadsAlone, _) => {
                self.read(&branch.place, &parts.rest, &mut then);
                Expr::from(1.0)
            }
            (_, Reads::InPart) => self.branch(&inner, arms[0], arms[1], &mut then),
            (_, Reads::Everywhere | Reads::Nothing) => match self.parts_of(&inner, arms) {
                Some(inside) if inside.goal != Goal::ReadsAlone => {
                    let inside = Parts {
                        reads: Reads::Nothing,
                        ..inside
                    };
                    self.branch_in_parts(&inner, inside, arms, &mut then)
                }
                _ => self.branch_that_is_read(&inner, arms, &mut then),
            },
        };
        self.forget(answers);
        self.conditions.truncate(conditions);
        let other = match parts.goal {
            Goal::Then => arms[1],
            Goal::Otherwise => arms[0],
            Goal::ReadsAlone => &[],
        };
        // The branch itself has its usual parameter, and the part another one.
        let of_all = (parts.goal == Goal::ReadsAlone).then(|| {
            self.then_cycles = then_cycles;
            self.branch_that_is_read(branch, arms, block)
        });
        // What is known behind it is what the branch inside has found: it has both arms.
        let behind = std::mem::replace(&mut self.symbols.known, before);
        let outer = ir::If {
            condition: parts.first,
            ..branch.clone()
        };
        let (probability, decision) = match parts.by {
            By::Loops => {
                self.decision(&outer, ([&[], &[]], (None, &|_| None)), [Some(&then), None])
            }
            By::Options => self.decision_of_option(&outer, &then),
        };
        let condition = self.symbols.text(&outer.condition);
        let (decision, loops) = self.decided_in(&outer.condition, decision);
        let changed = self.parts_changed_in(&outer.condition, &decision);
        let otherwise = (!other.is_empty()).then(|| self.block(other));
        self.symbols.known = behind;
        let stays_outside = match then_cycles && parts.goal == Goal::Otherwise {
            true => Expr::from(0.0),
            false => Expr::from(1.0),
        };
        let stays = super::leaving::stays(&probability, [stays_inside, stays_outside]);
        let outer = Branch {
            line: branch.place.line,
            condition,
            probability,
            decision,
            loops,
            parts: changed,
            asks: Asks::Loops,
            then,
            otherwise,
            then_lines: None,
            otherwise_lines: None,
        };
        // What it reads comes first.
        block.items.insert(at, Item::Branch(Box::new(outer)));
        of_all.unwrap_or(stays)
    }
}

/// The parts that all have to hold, or not to, for a condition to hold, or not to.
pub(super) fn all_of(condition: &Value, holds: bool) -> Vec<Part<'_>> {
    match condition.unconverted() {
        Value::Unary(UnaryOp::Not, operand) => all_of(operand, !holds),
        Value::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right)
            if (*op == BinaryOp::And) == holds =>
        {
            [left, right]
                .into_iter()
                .flat_map(|side| all_of(side, holds))
                .collect()
        }
        _ => vec![(condition, holds)],
    }
}

fn reads_memory(value: &Value) -> bool {
    let mut found = false;
    each_value(value, &mut |part| {
        found |= matches!(part, Value::Element { .. })
    });
    found
}

fn stated((part, holds): Part) -> Value {
    match holds {
        true => part.clone(),
        false => Value::Unary(UnaryOp::Not, Box::new(part.clone())),
    }
}

fn joined(op: BinaryOp, parts: impl Iterator<Item = Value>) -> Option<Value> {
    parts.reduce(|left, right| Value::binary(op, left, right))
}

/// Whether an arm is so short, and has so little in it, that it may stand on two ways.
fn may_be_repeated(arm: &[Stmt]) -> bool {
    let mut count = 0;
    let mut is_plain = true;
    statements(arm, InLoop::No, &mut |stmt, _| {
        count += 1;
        is_plain &= matches!(stmt, Stmt::Assign { .. });
    });
    is_plain && count <= MOST_REPEATED
}
