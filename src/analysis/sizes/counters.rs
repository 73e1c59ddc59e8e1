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
//!
//! ```text
//! log = 1; power = 2;
//! while (power < n) { power = power * 2; log = log + 1; }      1 + the doublings from 2 to n
//! ```

use rustc_hash::FxHashSet;

use super::candidates::Gap;
use super::resolver::Resolver;
use crate::calls::ProcedureId;
use crate::expr::Expr;
use crate::ir::visit::{InLoop, calls_of, each_value, statements};
use crate::ir::{
    BinaryOp, Control, Function, If, Loop, Passing, Stmt, Type, Value, VarId, addressed,
};
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
    loops: Vec<Rounds<'u>>,
}

/// What says how often a loop runs.
#[derive(Clone, Debug)]
enum Rounds<'u> {
    Counted(&'u Loop),
    /// A variable begins with a number and is doubled as long as it is less than something.
    Doubled {
        first: i64,
        end: &'u Value,
        /// Whether it may also be equal to that.
        with_end: bool,
    },
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
    targets
        .into_iter()
        .filter_map(|target| counter(function, target, &all))
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

/// The counter that a scalar is, of all assignments of a procedure in the order of the source.
fn counter<'u>(function: &Function, target: VarId, all: &[Assigned<'u>]) -> Option<Counter<'u>> {
    let mut own = all.iter().filter(|one| one.target == target);
    let first = own.next()?;
    if !matches!(first.value.unconverted(), Value::Integer(_)) {
        return None;
    }
    let steps: Option<Vec<Step>> = own.map(|one| step(function, (first, one), all)).collect();
    let steps = steps.filter(|steps| !steps.is_empty())?;
    Some(Counter {
        first: first.value,
        steps,
    })
}

/// The step that an assignment is, if it is certain how often it runs from the first one on.
fn step<'u>(
    function: &Function,
    (first, one): (&Assigned<'u>, &Assigned<'u>),
    all: &[Assigned<'u>],
) -> Option<Step<'u>> {
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
    let loops = loops?;
    let loops = match run_as_written(function, &loops) {
        true => loops.into_iter().map(Rounds::Counted).collect(),
        false => match loops[..] {
            [only] => vec![doubled(function, only, first, all)?],
            _ => return None,
        },
    };
    Some(Step {
        value: one.value,
        by,
        loops,
    })
}

/// The `k` of `n = n + k`.
pub(super) fn counted(target: VarId, value: &Value) -> Option<i64> {
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

/// A loop that ends when a variable has been doubled often enough, which begins with a number beside the counter.
fn doubled<'u>(
    function: &Function,
    only: &'u Loop,
    beside: &Assigned<'u>,
    all: &[Assigned<'u>],
) -> Option<Rounds<'u>> {
    let Control::Uncounted {
        condition: Some(condition),
        ..
    } = &only.control
    else {
        return None;
    };
    let Value::Binary(op, left, right) = condition.unconverted() else {
        return None;
    };
    let (variable, end, with_end) = match (op, left.unconverted(), right.unconverted()) {
        (BinaryOp::Less, Value::Variable(id), end) => (*id, end, false),
        (BinaryOp::LessOrEqual, Value::Variable(id), end) => (*id, end, true),
        (BinaryOp::Greater, end, Value::Variable(id)) => (*id, end, false),
        (BinaryOp::GreaterOrEqual, end, Value::Variable(id)) => (*id, end, true),
        _ => return None,
    };
    let mut own = all.iter().filter(|one| one.target == variable);
    let (begin, doubling) = (own.next()?, own.next()?);
    let Value::Integer(first @ 1..) = begin.value.unconverted() else {
        return None;
    };
    let is_beside = begin.around.len() == beside.around.len()
        && (begin.around.iter().zip(&beside.around)).all(|(a, b)| a.is(b));
    let is_inside = doubling.around.len() == begin.around.len() + 1
        && doubling
            .around
            .last()
            .is_some_and(|part| part.is(&Part::Loop(only)));
    let is_own =
        |side: &Value| matches!(side.unconverted(), Value::Variable(id) if *id == variable);
    let is_two = |side: &Value| matches!(side.unconverted(), Value::Integer(2));
    let is_doubled = match doubling.value.unconverted() {
        Value::Binary(BinaryOp::Multiply, left, right) => {
            is_own(left) && is_two(right) || is_two(left) && is_own(right)
        }
        Value::Binary(BinaryOp::Add, left, right) => is_own(left) && is_own(right),
        _ => false,
    };
    let is_certain = own.next().is_none() && is_beside && is_inside && is_doubled;
    (is_certain && is_plain(function, only, end)).then_some(Rounds::Doubled {
        first: *first,
        end,
        with_end,
    })
}

/// Whether a loop does nothing but assign scalars, and none that its end depends on.
fn is_plain(function: &Function, only: &Loop, end: &Value) -> bool {
    let mut changed: FxHashSet<VarId> = FxHashSet::default();
    let mut is_plain = true;
    statements(&only.body, InLoop::Yes, &mut |stmt, _| {
        match stmt {
            Stmt::Assign { target, .. } => changed.extend(target.variable()),
            _ => is_plain = false,
        }
        calls_of(stmt, &mut |_, _| is_plain = false);
    });
    each_value(end, &mut |part| {
        is_plain &= !matches!(part, Value::Call { .. });
        is_plain &= part.variable().is_none_or(|id| !changed.contains(&id));
    });
    is_plain && matches!(end.ty(function), Type::Integer(..))
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

    fn trips(&mut self, id: ProcedureId, rounds: &Rounds, depth: u32) -> Result<Expr, Gap> {
        let counted = match rounds {
            Rounds::Counted(counted) => &counted.control,
            Rounds::Doubled {
                first,
                end,
                with_end,
            } => {
                let end = self.value(id, end, depth)? + f64::from(u8::from(*with_end));
                return Ok(end.quotient(Expr::from(*first)).tree_stages());
            }
        };
        let Control::Counted {
            lower, upper, step, ..
        } = counted
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
