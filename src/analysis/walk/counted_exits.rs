//! Counters that end a loop inside its body:
//!
//! ```text
//! while (1) {                                    do
//!     relax(u, v);                                  call relax(u, res)
//!     if (++it >= most) break;                      if (res < tol .or. it == 20) exit
//! }                                                 it = it + 1
//!                                                end do
//! ```
//!
//! Where the branch stands says how many rounds that makes: one is under way when it leaves.

use std::collections::BTreeSet;
use std::slice;

use super::Walker;
use super::headers::Header;
use super::iterations::Around;
use super::leaving;
use crate::expr::{Expr, Symbol};
use crate::inductions::{inductions, may_skip};
use crate::ir::visit::{InLoop, statements, variables_of};
use crate::ir::{self, BinaryOp, Control, Jump, Stmt, UnaryOp, Value, VarId};

impl Walker<'_> {
    /// Ends a range where a counter leaves the loop; what that ends besides, if it is not expected of the loop. What is
    /// known of variables must be that of an iteration's beginning.
    pub(super) fn end_at_exits(&mut self, around: Around, header: &mut Header) -> Cut {
        let (inner, _) = around;
        let is_counted = matches!(inner.control, Control::Counted { .. });
        if header.variable.is_empty() || is_counted && (header.end_moves || !header.has_range) {
            return Cut::Nothing;
        }
        let Some(step) = header.step.as_integer().filter(|step| *step != 0) else {
            return Cut::Nothing;
        };
        let exits = self.rounds_before_exits(around, header, is_counted);
        let cuts = exits.iter().map(|exit| exit.cut);
        let cut = cuts.max().unwrap_or(Cut::Nothing);
        let by = Expr::from(step);
        let first = header.lower.clone();
        let last = |exit: Exit| ((exit.rounds - 1.0) * by.clone() + first.clone()).expand();
        let mut ends: Vec<Expr> = exits.into_iter().map(last).collect();
        if ends.is_empty() {
            return Cut::Nothing;
        }
        if header.has_range {
            ends.insert(0, header.upper.clone());
        }
        header.upper = match step > 0 {
            true => Expr::min(ends),
            false => Expr::max(ends),
        };
        header.has_range = true;
        cut
    }

    /// Rounds that a loop has by each comparison that leaves it.
    fn rounds_before_exits(
        &mut self,
        around: Around,
        header: &Header,
        is_counted: bool,
    ) -> Vec<Exit> {
        let (inner, _) = around;
        let mut found = Vec::new();
        for (at, stmt) in inner.body.iter().enumerate() {
            if let Stmt::If(branch) = stmt
                && let Some((leaves_if, arm)) = leaving_arm(branch)
            {
                let is_failure = is_counted && self.is_failure(arm);
                let is_end = leaving::leaves_program(arm, &|name| self.effects.ends_program(name));
                let mut parts = Vec::new();
                goes_on(&branch.condition, leaves_if, &mut parts);
                for part in parts {
                    let at = (at, &branch.condition);
                    let Some(rounds) = self.rounds_until(around, at, &part, header) else {
                        continue;
                    };
                    let cut = match is_failure || is_end {
                        // Nobody expects it to go wrong, unless numbers say that it does.
                        true if is_failure && !self.comes_first(&rounds, header) => continue,
                        true => self.cut(inner, at.0),
                        false => Cut::Nothing,
                    };
                    found.push(Exit { rounds, cut });
                }
            }
            if may_skip(slice::from_ref(stmt)) {
                break;
            }
        }
        found
    }

    /// Whether a loop that comes to its end by numbers has had that many rounds before.
    fn comes_first(&self, rounds: &Expr, header: &Header) -> bool {
        let all = (header.upper.clone() - header.lower.clone() + header.step.clone())
            .quotient(header.step.clone());
        let both = self.known_number(rounds).zip(self.known_number(&all));
        both.is_some_and(|(rounds, all)| rounds < all)
    }

    /// The number that an expression over sizes is, as far as the program says that for certain.
    pub(super) fn known_number(&self, expr: &Expr) -> Option<f64> {
        let number = |symbol: &Symbol| {
            let constant = self.symbols.constants.get(symbol);
            if let Some(number) = constant.and_then(|known| known.value.as_number()) {
                return Some(number);
            }
            let value = self.symbols.mentioned.get(symbol)?;
            let number = self.sizes.number(self.procedure, self.function(), value)?;
            Some(number as f64)
        };
        expr.evaluate(&number).ok()
    }

    /// What a branch at this place of the body cuts off that ends the procedure, or the program.
    fn cut(&self, inner: &ir::Loop, at: usize) -> Cut {
        let is_first = (inner.body[..at].iter()).all(|stmt| self.is_marker(stmt));
        match is_first && self.works(&inner.body[at + 1..]) {
            true => Cut::BeforeWork,
            false => Cut::InIteration,
        }
    }

    /// Whether a statement does nothing: it stands for a call that is followed by its body.
    fn is_marker(&self, stmt: &Stmt) -> bool {
        match stmt {
            Stmt::Call { place, name, .. } => self.effects.origins.is_expanded(place, name),
            stmt => matches!(stmt, Stmt::Mark { .. }),
        }
    }

    /// Rounds until a comparison in the statement at this place of the body no longer holds, if a counter says when.
    fn rounds_until(
        &mut self,
        around: Around,
        (at, condition): (usize, &Value),
        part: &Value,
        header: &Header,
    ) -> Option<Expr> {
        let (inner, _) = around;
        let mut used = BTreeSet::new();
        variables_of(part, &mut used);
        let mut moved = BTreeSet::new();
        for one in inductions(&inner.body, self.effects) {
            if used.contains(&one.variable) {
                moved.insert(one.variable);
            }
        }
        let own = match inner.control {
            Control::Counted { variable, .. } => used.contains(&variable).then_some(variable),
            Control::Uncounted { .. } => None,
        };
        let mut places = Vec::new();
        for (place, stmt) in inner.body.iter().enumerate() {
            if moved.iter().any(|id| assigns(stmt, *id)) {
                places.push(place);
            }
        }
        let comes_first = match (own.is_some(), &places[..]) {
            (true, []) => false,
            (false, [_, ..]) if places.iter().all(|place| *place < at) => true,
            (false, [_, ..]) if places.iter().all(|place| *place > at) => false,
            _ => return None,
        };
        // `a || ++it > n` counts where `a` does not hold, which is wherever the loop goes on.
        let is_guarded = places[..].last() == at.checked_sub(1).as_ref()
            && places.len() == 1
            && is_guard_of(&inner.body[at - 1], condition);
        let outer = (self.conditional.clone(), self.symbols.halting.clone());
        if is_guarded {
            let halts = |id: &VarId| !moved.contains(id);
            self.conditional.retain(halts);
            self.symbols.halting.retain(halts);
        }
        // In the loop its own variable is what it counts, whatever it was before.
        let before = own.and_then(|own| Some((own, self.symbols.known.remove(&own)?)));
        let holds = self.until_false(around, part, header.counts());
        self.symbols.known.extend(before);
        (self.conditional, self.symbols.halting) = outer;
        let holds = match holds.as_ref()?.as_number() {
            // It has passed that number before it starts.
            Some(rounds)
                if rounds < 0.0 && matches!(part, Value::Binary(BinaryOp::NotEqual, ..)) =>
            {
                return None;
            }
            Some(rounds) => Expr::from(rounds.max(if comes_first { 1.0 } else { 0.0 })),
            None => holds?,
        };
        let begun = if comes_first { holds } else { holds + 1.0 };
        let is_partial = !self.works(&inner.body[..at])
            && (self.works(&inner.body[at + 1..]) || counts_only(&inner.body[..at], &moved));
        Some(if is_partial { begun - 1.0 } else { begun }.expand())
    }
}

/// Where a loop is left.
struct Exit {
    rounds: Expr,
    cut: Cut,
}

/// What an exit cuts off that ends more than its loop where numbers say that a run gets there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Cut {
    Nothing,
    /// Loops and procedures around, before the last iteration has done anything.
    BeforeWork,
    /// The same in the middle of the last iteration.
    InIteration,
}

/// The arm of a branch that leaves the loop around it, and whether that is where the condition holds.
fn leaving_arm(branch: &ir::If) -> Option<(bool, &[Stmt])> {
    let leaves = |arm: &[Stmt]| {
        let last = arm.last();
        matches!(last, Some(Stmt::Jump { kind, .. }) if matches!(kind, Jump::Exit | Jump::Return | Jump::Stop))
    };
    match (leaves(&branch.then), leaves(&branch.otherwise)) {
        (true, false) => Some((true, &branch.then)),
        (false, true) => Some((false, &branch.otherwise)),
        _ => None,
    }
}

/// What all has to hold for a loop to go on that is left where a condition holds, or where it does not.
fn goes_on(condition: &Value, leaves_if: bool, found: &mut Vec<Value>) {
    match condition.unconverted() {
        Value::Unary(UnaryOp::Not, inner) => goes_on(inner, !leaves_if, found),
        // Of several that would have to hold together, each may fail as long as another does not.
        Value::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right)
            if (*op == BinaryOp::Or) == leaves_if =>
        {
            goes_on(left, leaves_if, found);
            goes_on(right, leaves_if, found);
        }
        Value::Binary(op, left, right) if op.is_comparison() => {
            let op = if leaves_if { op.negated() } else { *op };
            found.push(Value::binary(op, (**left).clone(), (**right).clone()));
        }
        _ => {}
    }
}

/// Whether a statement does something only where the other sides of an `or` in a condition do not hold.
fn is_guard_of(stmt: &Stmt, condition: &Value) -> bool {
    let Stmt::If(branch) = stmt else {
        return false;
    };
    let Value::Unary(UnaryOp::Not, guard) = &branch.condition else {
        return false;
    };
    let mut part = condition.unconverted();
    while let Value::Binary(BinaryOp::Or, left, _) = part {
        if left == guard {
            return branch.otherwise.is_empty();
        }
        part = left.unconverted();
    }
    false
}

fn assigns(stmt: &Stmt, id: VarId) -> bool {
    let mut found = false;
    statements(slice::from_ref(stmt), InLoop::No, &mut |stmt, _| {
        found |= matches!(stmt, Stmt::Assign { target, .. } if *target == Value::Variable(id));
    });
    found
}

/// Whether statements do nothing but move counters on.
fn counts_only(block: &[Stmt], counters: &BTreeSet<VarId>) -> bool {
    block.iter().all(|stmt| match stmt {
        Stmt::Assign { target, .. } => {
            (target.variable()).is_some_and(|target| counters.contains(&target))
        }
        Stmt::Mark { .. } => true,
        _ => false,
    })
}
