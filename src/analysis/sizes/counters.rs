//! How far does a procedure count?
//!
//! ```text
//! count = 0;
//! for (i = x - 1; i <= x + 1; i++)
//!   for (j = y - 1; j <= y + 1; j++)
//!     list[count++] = …;
//! return count;                        3 · 3 = 9
//! ```
//!
//! A scalar that is set to a number once and only counted up by numbers ends at that number and the sum of what the loops
//! around each statement add. Followed is only what is certain: no condition around the statement that is not around the
//! first one as well, nothing that leaves the loops, and bounds that nothing in the loops changes.

use rustc_hash::FxHashSet;

use super::candidates::Gap;
use super::resolver::Resolver;
use crate::calls::ProcedureId;
use crate::expr::Expr;
use crate::ir::visit::{InLoop, calls_of, each_value, statements};
use crate::ir::{BinaryOp, Control, Function, If, Loop, Passing, Stmt, Value, VarId, addressed};
use crate::symbolic::integer_quotient;

/// A scalar that a procedure sets to a number once and counts up.
#[derive(Clone, Debug)]
pub struct Counter<'u> {
    /// The number that it is set to.
    pub first: &'u Value,
    pub steps: Vec<Step<'u>>,
}

/// A statement that counts up.
#[derive(Clone, Debug)]
pub struct Step<'u> {
    pub value: &'u Value,
    by: i64,
    /// The loops around it that are not around the statement that sets the number, the outermost first.
    loops: Vec<&'u Loop>,
}

impl Counter<'_> {
    /// Whether the counter has the value from one of its statements, and which of these comes first.
    pub fn role(&self, value: &Value) -> Option<Role> {
        match &self.steps[..] {
            [step, ..] if std::ptr::eq(step.value, value) => Some(Role::FirstStep),
            steps => {
                let is_own = std::ptr::eq(self.first, value)
                    || steps.iter().any(|step| std::ptr::eq(step.value, value));
                is_own.then_some(Role::Other)
            }
        }
    }
}

/// What a statement is to a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    FirstStep,
    Other,
}

/// What is around a statement.
#[derive(Clone, Copy)]
enum Part<'u> {
    Loop(&'u Loop),
    Arm(&'u If, bool),
    Unknown,
}

impl Part<'_> {
    fn is(&self, other: &Part) -> bool {
        match (self, other) {
            (Part::Loop(one), Part::Loop(other)) => std::ptr::eq(*one, *other),
            (Part::Arm(one, arm), Part::Arm(other, of)) => std::ptr::eq(*one, *other) && arm == of,
            _ => false,
        }
    }
}

/// An assignment to a scalar.
struct Assigned<'u> {
    target: VarId,
    value: &'u Value,
    around: Vec<Part<'u>>,
}

/// The counters among the scalars of a procedure.
pub(super) fn counters(function: &Function) -> Vec<Counter<'_>> {
    let mut all = Vec::new();
    gather(&function.body, &mut Vec::new(), &mut all);
    let mut targets: Vec<VarId> = all.iter().map(|one: &Assigned| one.target).collect();
    targets.sort();
    targets.dedup();
    let of = |target: VarId| all.iter().filter(move |one| one.target == target);
    targets
        .into_iter()
        .filter_map(|target| counter(function, of(target)))
        .collect()
}

fn gather<'u>(block: &'u [Stmt], around: &mut Vec<Part<'u>>, found: &mut Vec<Assigned<'u>>) {
    for stmt in block {
        let inside: Vec<(Part, &[Stmt])> = match stmt {
            Stmt::Assign {
                target: Value::Variable(target),
                value,
                ..
            } => {
                found.push(Assigned {
                    target: *target,
                    value,
                    around: around.clone(),
                });
                Vec::new()
            }
            Stmt::Loop(inner) => vec![(Part::Loop(inner), &inner.body)],
            Stmt::If(branch) => vec![
                (Part::Arm(branch, true), &branch.then),
                (Part::Arm(branch, false), &branch.otherwise),
            ],
            Stmt::Opaque { inner, .. } => vec![(Part::Unknown, inner)],
            _ => Vec::new(),
        };
        for (part, block) in inside {
            around.push(part);
            gather(block, around, found);
            around.pop();
        }
    }
}

/// The counter that a scalar is, whose assignments are these in the order of the source.
fn counter<'a, 'u: 'a>(
    function: &Function,
    mut all: impl Iterator<Item = &'a Assigned<'u>>,
) -> Option<Counter<'u>> {
    let first = all.next()?;
    if !matches!(first.value.unconverted(), Value::Integer(_)) {
        return None;
    }
    let steps: Option<Vec<Step>> = all.map(|one| step(function, first, one)).collect();
    let steps = steps.filter(|steps| !steps.is_empty())?;
    Some(Counter {
        first: first.value,
        steps,
    })
}

/// The step that an assignment is, if it is certain how often it runs from the first one on.
fn step<'u>(function: &Function, first: &Assigned<'u>, one: &Assigned<'u>) -> Option<Step<'u>> {
    let by = counted(one.target, one.value)?;
    let is_around = one.around.len() >= first.around.len()
        && (first.around.iter().zip(&one.around)).all(|(a, b)| a.is(b));
    if !is_around {
        return None;
    }
    let between = &one.around[first.around.len()..];
    let loops: Option<Vec<&Loop>> = between
        .iter()
        .map(|part| match part {
            Part::Loop(inner) => Some(*inner),
            Part::Arm(..) | Part::Unknown => None,
        })
        .collect();
    let loops = loops.filter(|loops| run_as_written(function, loops))?;
    Some(Step {
        value: one.value,
        by,
        loops,
    })
}

/// The `k` of `n = n + k`.
fn counted(target: VarId, value: &Value) -> Option<i64> {
    let Value::Binary(BinaryOp::Add, left, right) = value.unconverted() else {
        return None;
    };
    match (left.unconverted(), right.unconverted()) {
        (Value::Variable(id), Value::Integer(by @ 1..))
        | (Value::Integer(by @ 1..), Value::Variable(id))
            if *id == target =>
        {
            Some(*by)
        }
        _ => None,
    }
}

/// Whether loops, each around the next, are counted, nothing leaves them, and nothing in them changes their bounds.
fn run_as_written(function: &Function, loops: &[&Loop]) -> bool {
    let Some(outer) = loops.first() else {
        return true;
    };
    let mut changed: FxHashSet<VarId> = counting(outer).into_iter().collect();
    let mut calls = false;
    let mut is_plain = true;
    let mut visit = |stmt: &Stmt| {
        match stmt {
            Stmt::Loop(inner) => {
                is_plain &= counting(inner).is_some();
                changed.extend(counting(inner));
            }
            Stmt::Assign { target, .. } => changed.extend(target.variable()),
            Stmt::Jump { .. } | Stmt::Mark { .. } | Stmt::Opaque { .. } => is_plain = false,
            Stmt::If(_) | Stmt::Call { .. } | Stmt::Evaluate { .. } => {}
        }
        calls_of(stmt, &mut |_, arguments| {
            calls = true;
            let by_place = function.conventions.passing == Passing::Places;
            changed.extend(
                arguments
                    .iter()
                    .filter_map(|argument| match addressed(argument) {
                        None if by_place => argument.variable(),
                        target => target?.variable(),
                    }),
            );
        });
    };
    statements(&outer.body, InLoop::Yes, &mut |stmt, _| visit(stmt));
    let is_fixed = |bound: &Value| {
        let mut is_fixed = true;
        each_value(bound, &mut |part| match part {
            Value::Call { .. } => is_fixed = false,
            part => {
                if let Some(id) = part.variable() {
                    is_fixed &= !changed.contains(&id);
                    is_fixed &= !calls || !function.homes.contains_key(&id);
                }
            }
        });
        is_fixed
    };
    is_plain
        && loops.iter().all(|inner| match &inner.control {
            Control::Counted {
                lower, upper, step, ..
            } => [lower, upper, step].into_iter().all(is_fixed),
            Control::Uncounted { .. } => false,
        })
}

/// The variable of a counted loop.
fn counting(counted: &Loop) -> Option<VarId> {
    match &counted.control {
        Control::Counted { variable, .. } => Some(*variable),
        Control::Uncounted { .. } => None,
    }
}

impl Resolver<'_, '_> {
    /// Where a counter ends, and where it begins.
    pub(super) fn counted_up(
        &mut self,
        id: ProcedureId,
        counter: &Counter,
        depth: u32,
    ) -> Result<[Expr; 2], Gap> {
        let first = self.value(id, counter.first, depth)?;
        let mut last = first.clone();
        for step in &counter.steps {
            let mut times = Expr::from(step.by);
            for inner in &step.loops {
                times = times * self.trips(id, inner, depth)?;
            }
            last = last + times;
        }
        Ok([last.expand(), first])
    }

    fn trips(&mut self, id: ProcedureId, counted: &Loop, depth: u32) -> Result<Expr, Gap> {
        let Control::Counted {
            lower, upper, step, ..
        } = &counted.control
        else {
            return Err(Gap::Unfollowed);
        };
        let lower = self.value(id, lower, depth)?;
        let upper = self.value(id, upper, depth)?;
        let step = self.value(id, step, depth)?;
        match step.as_integer() {
            Some(0) => Err(Gap::Unfollowed),
            _ => {
                let length = (upper - lower + step.clone()).expand();
                Ok(integer_quotient(length, step))
            }
        }
    }
}
