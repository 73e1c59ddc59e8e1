//! Returns that are not expected to be taken, as nobody who asks for the time of a run means a run that they end.
//!
//! ```text
//! if (n <= 0) return;                                     nothing to do: of what the code behind it needs
//! if (info /= 0) then; call xerbla('F', info); return     says that something is wrong, and does nothing else
//! if (!p) return -1;                                      storage that is not there
//! if (alpha == 0.0) return                                a real number that is exactly some other
//! if (isnan(sum)) …                                       a number that is none
//! ```
//!
//! Every other one is a branch that data decide.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Walker, leaving};
use crate::calls::{Outside, ProcedureId, Target};
use crate::expr::Expr;
use crate::facts::Decision;
use crate::guards;
use crate::intrinsics::{IntrinsicKind, Meaning};
use crate::ir::visit::{InLoop, calls_of, each_value, statements, values_of, variables_of};
use crate::ir::{
    BinaryOp, Control, If, Jump, Passing, Printed, Stmt, Type, UnaryOp, Value, VarId, addressed,
    is_address,
};
use crate::reason::ReasonCode;

/// Parts of conditions and names are followed so far.
pub(super) const DEPTH: u32 = 16;

/// Where variables of a procedure get their values, and what it calls works, once a branch that may end the program asks.
#[derive(Default)]
pub(super) struct Givers {
    outside: OnceCell<Outside>,
    loops: OnceCell<FxHashSet<VarId>>,
    /// Of procedures that are called, with so many calls inside them followed, whether they work.
    work: RefCell<FxHashMap<(ProcedureId, u32), bool>>,
}

impl Walker<'_> {
    /// How often a branch is taken of which an arm leaves the procedure: never, or always, where that is not expected to
    /// happen; `None` for any other.
    pub(super) fn expected(&self, branch: &If, rest: &[Stmt]) -> Option<Expr> {
        let (leaves_if, arm) = arm_that_leaves(branch)?;
        let asked = Asked {
            walker: self,
            arm,
            rest,
        };
        let is_unexpected = self.is_failure(arm)
            || self.function().is_main && (!self.works(arm) || self.reports_failure(arm))
            || asked.expected(&branch.condition, DEPTH) == Some(!leaves_if);
        is_unexpected.then(|| Expr::from(f64::from(u8::from(!leaves_if))))
    }

    /// The same of a branch of which a jump has left the first arm empty, or with a message, with what it passes over in the
    /// other one.
    pub(super) fn expected_to_pass_over(
        &self,
        branch: &If,
        [arm, rest]: [&[Stmt]; 2],
    ) -> Option<Expr> {
        if self.depth() > 0 || rest.is_empty() {
            return None;
        }
        let is_unexpected = match arm {
            [] => {
                let walker = self;
                let asked = Asked { walker, arm, rest };
                asked.expected(&branch.condition, DEPTH) == Some(false)
            }
            _ => self.is_failure(arm) && self.works(rest) && arm.iter().any(writes_text),
        };
        is_unexpected.then(|| Expr::from(0.0))
    }

    /// Whether nobody expects a branch in loops to go the way to an end of the program: something of the same value in all
    /// iterations decides against it, or what the program has from outside would have to be wrong.
    pub(super) fn is_unexpected(&mut self, branch: &If, holds: bool) -> bool {
        let arm = match holds {
            true => &branch.then,
            false => &branch.otherwise,
        };
        if self.depth() == 0 || !leaving::may_end(arm) && !holds_body_call(arm, self) {
            return false;
        }
        let condition = &branch.condition;
        let truth = self
            .answered(condition)
            .or_else(|| (self.sizes).truth(self.procedure, self.function(), condition));
        if let Some(truth) = truth {
            return truth != holds;
        }
        if guards::asked(&mut self.symbols, condition).is_some() {
            return false;
        }
        if self.expected_of_numbers(condition) == Some(!holds) {
            return true;
        }
        let is_same = guards::decision(&mut self.symbols, condition) == Decision::Fixed;
        if is_same && self.is_failure(arm) && !self.is_set_in_loops(condition) {
            return true;
        }
        let asked = Asked {
            walker: self,
            arm,
            rest: &[],
        };
        asked.expected(condition, DEPTH) == Some(!holds)
            || self.asks_for_option(condition)
            || !self.ends_well(arm) && self.asks_outside(condition)
    }

    /// Whether a condition asks for something that the program has from outside.
    fn asks_outside(&self, condition: &Value) -> bool {
        let target = |name: &str| self.effects.target(name);
        self.outside(&target)
            .is_asked(self.function(), condition, &target)
    }

    /// Whether a condition asks for an option of the command line. Of those that end the program (`-h`, `--version`), nobody
    /// means a run.
    pub(super) fn asks_for_option(&self, condition: &Value) -> bool {
        let target = |name: &str| self.effects.target(name);
        self.outside(&target)
            .is_option(self.function(), condition, &target)
    }

    fn outside(&self, target: &dyn Fn(&str) -> Target) -> &Outside {
        let outside = || Outside::of(self.function(), target);
        self.givers.outside.get_or_init(outside)
    }

    /// Whether a loop gives something new values that a condition asks for.
    fn is_set_in_loops(&self, condition: &Value) -> bool {
        let mut found = false;
        let mut used = BTreeSet::new();
        variables_of(condition, &mut used);
        each_value(condition, &mut |part| {
            if let Value::Call { name, .. } = part {
                found |= self.effects.target(name).meaning().is_none();
            }
        });
        let loops = || set_in_loops(&self.function().body);
        let set = self.givers.loops.get_or_init(loops);
        found || (used.iter()).any(|id| self.outputs.contains(id) || set.contains(id))
    }

    /// Whether statements end the program with a status that says that all went well.
    fn ends_well(&self, arm: &[Stmt]) -> bool {
        let mut found = false;
        statements(arm, InLoop::No, &mut |stmt, _| {
            if let Stmt::Call {
                name, arguments, ..
            } = stmt
                && let Target::Library(known) = self.effects.target(name)
                && known.kind == IntrinsicKind::Termination
            {
                let status = arguments.first().and_then(|status| self.number(status));
                found |= status == Some(0);
            }
        });
        found
    }

    /// Whether the arm of a branch that leaves the procedure outside of loops says that something is wrong.
    pub(super) fn ends_with_failure(&self, branch: &If) -> bool {
        let leaving = arm_that_leaves(branch).filter(|_| self.depth() == 0);
        leaving.is_some_and(|(_, arm)| self.is_failure(arm))
    }

    /// Whether statements run loops, or call procedures that may.
    pub(super) fn works(&self, block: &[Stmt]) -> bool {
        self.works_within(block, 2)
    }

    fn works_within(&self, block: &[Stmt], calls: u32) -> bool {
        let mut found = false;
        statements(block, InLoop::No, &mut |stmt, _| {
            found |= matches!(stmt, Stmt::Loop(_));
            if !found {
                calls_of(stmt, &mut |name, _| {
                    found |= match self.effects.target(name) {
                        _ if found => true,
                        Target::Body(callee) if calls > 0 => self.body_works(callee, calls - 1),
                        Target::Body(_) | Target::Recursive(_) => true,
                        Target::Unknown => !self.effects.candidates(name).is_empty(),
                        Target::Library(_) | Target::Communication(_) => false,
                    };
                });
            }
        });
        found
    }

    fn body_works(&self, callee: ProcedureId, calls: u32) -> bool {
        let known = self.givers.work.borrow().get(&(callee, calls)).copied();
        known.unwrap_or_else(|| {
            let body = &self.procedures.get(callee).function.body;
            let works = self.works_within(body, calls);
            self.givers.work.borrow_mut().insert((callee, calls), works);
            works
        })
    }

    /// Whether the procedure may return in a loop, for something else than that it goes wrong.
    pub(super) fn may_return(&self, statements: &[Stmt]) -> bool {
        statements.iter().any(|statement| match statement {
            Stmt::Jump { kind, .. } => *kind == Jump::Return,
            Stmt::If(branch) => {
                let mut arms = [&branch.then, &branch.otherwise].into_iter();
                arms.any(|arm| self.may_return(arm) && !self.is_failure(arm))
            }
            Stmt::Loop(inner) => self.may_return(&inner.body),
            Stmt::Opaque { inner, .. } => self.may_return(inner),
            Stmt::Assign { .. } | Stmt::Call { .. } | Stmt::Mark { .. } | Stmt::Evaluate { .. } => {
                false
            }
        })
    }

    /// Whether statements say that something is wrong, and do nothing else: they write a message, pass a text, or give an
    /// integer a number that is not zero.
    pub(super) fn is_failure(&self, arm: &[Stmt]) -> bool {
        let mut says_so = false;
        self.only_says(arm, &mut says_so) && says_so
    }

    fn only_says(&self, arm: &[Stmt], says_so: &mut bool) -> bool {
        arm.iter().enumerate().all(|(at, stmt)| match stmt {
            Stmt::Assign { target, value, .. } => {
                let function = self.function();
                let is_code = matches!(target.ty(function), Type::Integer(..));
                let number = self.number(value);
                *says_so |= is_code && number.is_some_and(|number| number != 0);
                is_code && number.is_some() || matches!(value, Value::Logical(_) | Value::Text(_))
            }
            Stmt::Evaluate {
                values, printed, ..
            } => {
                let is_returned = matches!(
                    arm.get(at + 1),
                    Some(Stmt::Jump {
                        kind: Jump::Return,
                        ..
                    })
                );
                let is_negative = |value: &Value| self.number(value).is_some_and(|n| n < 0);
                *says_so |= *printed == Printed::AsText
                    || is_returned && values.iter().any(|v| is_negative(v) || is_null(v));
                let holds_call = |value: &Value| {
                    let mut found = false;
                    each_value(value, &mut |part| {
                        found |= matches!(part, Value::Call { .. });
                    });
                    found
                };
                !values.iter().any(holds_call)
            }
            Stmt::Call {
                name, arguments, ..
            } => {
                let is_text = |argument: &Value| matches!(argument, Value::Text(_));
                *says_so |= arguments.iter().any(is_text);
                let target = self.effects.target(name);
                matches!(target, Target::Library(known) if known.kind != IntrinsicKind::Memory)
                    || self.effects.ends_program(name)
                    || !self.works(std::slice::from_ref(stmt))
                        && (arguments.iter().any(is_text) || matches!(target, Target::Unknown))
            }
            Stmt::If(branch) => {
                self.only_says(&branch.then, says_so) && self.only_says(&branch.otherwise, says_so)
            }
            Stmt::Jump { kind, .. } => {
                *says_so |= *kind == Jump::Stop;
                matches!(kind, Jump::Return | Jump::Stop)
            }
            Stmt::Loop(_) | Stmt::Mark { .. } | Stmt::Opaque { .. } => false,
        })
    }

    /// Whether the main program ends there with a status that is not zero.
    fn reports_failure(&self, arm: &[Stmt]) -> bool {
        let [.., Stmt::Evaluate { values, .. }, Stmt::Jump { kind, .. }] = arm else {
            return false;
        };
        let is_failure = |value: &Value| self.number(value).is_some_and(|status| status != 0);
        *kind == Jump::Return && values.iter().any(is_failure)
    }

    /// Whether a condition is expected to hold because numbers are expected to be numbers, and finite ones; `None` if it
    /// asks for something else.
    pub(super) fn expected_of_numbers(&self, condition: &Value) -> Option<bool> {
        self.of_numbers(condition, DEPTH)
    }

    fn of_numbers(&self, condition: &Value, depth: u32) -> Option<bool> {
        let depth = depth.checked_sub(1)?;
        match condition.unconverted() {
            Value::Unary(UnaryOp::Not, operand) => {
                self.of_numbers(operand, depth).map(|holds| !holds)
            }
            Value::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                op.joined([left, right].map(|side| self.of_numbers(side, depth)))
            }
            // What is no number differs from itself.
            Value::Binary(op @ (BinaryOp::Equal | BinaryOp::NotEqual), left, right) => {
                let is_equal = *op == BinaryOp::Equal;
                match left == right && left.ty(self.function()).is_floating() {
                    true => Some(is_equal),
                    false if self.number(right) == Some(0) => {
                        let holds = self.of_numbers(left, depth)?;
                        Some(holds != is_equal)
                    }
                    false => None,
                }
            }
            Value::Call { name, .. } => match self.effects.target(name).meaning()? {
                Meaning::Finite => Some(true),
                Meaning::NotFinite => Some(false),
                _ => None,
            },
            _ => None,
        }
    }

    /// A literal whole number, or a named constant that is one.
    pub(super) fn number(&self, value: &Value) -> Option<i64> {
        match value.unconverted() {
            Value::Integer(number) => Some(*number),
            Value::Unary(UnaryOp::Negate, operand) => self.number(operand)?.checked_neg(),
            Value::Variable(id) => {
                let constant = self.function().variable(*id).constant.as_ref();
                constant.and_then(|constant| match constant.unconverted() {
                    Value::Integer(number) => Some(*number),
                    _ => None,
                })
            }
            _ => None,
        }
    }
}

/// What statements in loops assign.
fn set_in_loops(body: &[Stmt]) -> FxHashSet<VarId> {
    let mut found = FxHashSet::default();
    statements(body, InLoop::No, &mut |stmt, in_loop| {
        if let Stmt::Assign { target, .. } = stmt
            && in_loop == InLoop::Yes
        {
            found.extend(target.variable());
        }
    });
    found
}

/// Whether statements call procedures of the program.
fn holds_body_call(arm: &[Stmt], walker: &Walker) -> bool {
    let mut found = false;
    statements(arm, InLoop::No, &mut |stmt, _| {
        calls_of(stmt, &mut |name, _| {
            found |= matches!(walker.effects.target(name), Target::Body(_));
        });
    });
    found
}

/// Whether a statement writes a message.
fn writes_text(statement: &Stmt) -> bool {
    matches!(
        statement,
        Stmt::Evaluate {
            printed: Printed::AsText,
            ..
        }
    )
}

/// The arm of a branch that leaves the procedure, where the other one does not, and when it is taken.
fn arm_that_leaves(branch: &If) -> Option<(bool, &[Stmt])> {
    let leaves_if = leaving::leaving_arm(branch)?;
    Some(match leaves_if {
        true => (true, &branch.then),
        false => (false, &branch.otherwise),
    })
}

/// A condition under which a procedure returns, with what it does then and what it does else.
pub(super) struct Asked<'w, 'f> {
    pub walker: &'w Walker<'f>,
    pub arm: &'w [Stmt],
    pub rest: &'w [Stmt],
}

impl Asked<'_, '_> {
    /// Whether the condition is expected to hold.
    fn expected(&self, condition: &Value, depth: u32) -> Option<bool> {
        let depth = depth.checked_sub(1)?;
        let function = self.walker.function();
        let condition = condition.unconverted();
        match condition {
            Value::Unary(UnaryOp::Not, operand) => match self.size(operand) {
                Some(size) if self.is_needed(size) => Some(false),
                _ => self.expected(operand, depth).map(|holds| !holds),
            },
            Value::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                let decides = *op == BinaryOp::Or;
                let sides = [left, right].map(|side| self.expected(side, depth));
                op.joined(sides).or_else(|| match sides {
                    // What else is asked of sizes beside an empty one is of its kind.
                    [Some(_), None] if self.compares_sizes(right, depth) => Some(!decides),
                    [None, Some(_)] if self.compares_sizes(left, depth) => Some(!decides),
                    [None, None]
                        if decides && [left, right].iter().all(|side| self.asks_for_none(side)) =>
                    {
                        Some(false)
                    }
                    _ => None,
                })
            }
            Value::Binary(op, left, right) if op.is_comparison() => {
                match self.walker.number(right).is_none() && self.walker.number(left).is_some() {
                    true => self.compared(op.mirrored(), right, left),
                    false => self.compared(*op, left, right),
                }
            }
            Value::Call { name, .. } => {
                let is_there =
                    self.walker.effects.target(name).meaning() == Some(Meaning::HasStorage);
                is_there.then_some(true)
            }
            _ if self.is_pointer(condition) => Some(true),
            Value::Variable(id) => match function.variable(*id).ty {
                Type::Logical(_) => self.expected(self.only_value(*id)?, depth),
                _ => self.is_status(*id).then_some(false),
            },
            _ => None,
        }
    }

    pub(super) fn compared(&self, op: BinaryOp, left: &Value, right: &Value) -> Option<bool> {
        let function = self.walker.function();
        let unequal = match op {
            BinaryOp::Equal => Some(false),
            BinaryOp::NotEqual => Some(true),
            _ => None,
        };
        let is_zero = || is_null(right) || self.walker.number(right) == Some(0);
        if self.is_pointer(left) {
            return unequal.filter(|_| is_zero());
        }
        let is_real =
            |value: &Value| matches!(value.ty(function), Type::Real(_) | Type::Complex(_));
        if is_real(left) {
            return match op {
                // A norm that is nothing.
                BinaryOp::LessOrEqual => self.is_nothing(right).then_some(false),
                _ => unequal.filter(|_| self.is_constant(right)),
            };
        }
        let number = self.walker.number(right)?;
        if number < 0 {
            return unequal;
        }
        let sizes = self.smallest_of(left);
        let needs_one = || sizes.iter().any(|id| self.is_needed(*id));
        match (op, number) {
            (BinaryOp::Less, 0 | 1) | (BinaryOp::LessOrEqual, 0) if !sizes.is_empty() => {
                Some(false)
            }
            (BinaryOp::Less, 2) | (BinaryOp::LessOrEqual | BinaryOp::Equal, 0 | 1)
                if needs_one() =>
            {
                Some(false)
            }
            (BinaryOp::NotEqual | BinaryOp::Greater, 0) if self.is_status(self.size(left)?) => {
                Some(false)
            }
            _ => None,
        }
    }

    /// Whether a condition asks for a variable being zero.
    fn asks_for_none(&self, condition: &Value) -> bool {
        match condition.unconverted() {
            Value::Binary(BinaryOp::Equal, left, right) => {
                self.size(left).is_some() && self.walker.number(right) == Some(0)
            }
            _ => false,
        }
    }

    /// Whether a condition only compares whole numbers that are variables.
    fn compares_sizes(&self, condition: &Value, depth: u32) -> bool {
        let Some(depth) = depth.checked_sub(1) else {
            return false;
        };
        let is_size = |value: &Value| {
            self.walker.number(value).is_some() || !self.smallest_of(value).is_empty()
        };
        match condition.unconverted() {
            Value::Binary(BinaryOp::And | BinaryOp::Or, left, right) => {
                self.compares_sizes(left, depth) && self.compares_sizes(right, depth)
            }
            Value::Binary(op, left, right) if op.is_comparison() => is_size(left) && is_size(right),
            _ => false,
        }
    }

    /// The whole numbers of which a value is the smallest; one, if it is a variable.
    fn smallest_of(&self, value: &Value) -> Vec<VarId> {
        let minimum = |value: &Value| -> Option<Vec<VarId>> {
            let Value::Call {
                name, arguments, ..
            } = value.unconverted()
            else {
                return None;
            };
            let meaning = self.walker.effects.target(name).meaning();
            let all = arguments.iter().map(|argument| self.size(argument));
            all.collect::<Option<Vec<VarId>>>()
                .filter(|_| meaning == Some(Meaning::Minimum))
        };
        let Some(id) = self.size(value) else {
            return minimum(value).unwrap_or_default();
        };
        let of = self.only_value(id).and_then(minimum).unwrap_or_default();
        [vec![id], of].concat()
    }

    /// A real constant that is zero.
    fn is_nothing(&self, value: &Value) -> bool {
        match value.unconverted() {
            Value::Real(number, _) => *number == 0.0,
            Value::Integer(number) => *number == 0,
            Value::Variable(id) => {
                let constant = self.walker.function().variable(*id).constant.as_ref();
                constant.is_some_and(|value| self.is_nothing(value))
            }
            _ => false,
        }
    }

    /// The whole number that a value is the name of.
    pub(super) fn size(&self, value: &Value) -> Option<VarId> {
        let function = self.walker.function();
        let is_whole = |id: &VarId| {
            let variable = function.variable(*id);
            matches!(variable.ty, Type::Integer(..)) && variable.dimensions.is_empty()
        };
        match value.unconverted() {
            Value::Variable(id) => Some(*id).filter(is_whole),
            _ => None,
        }
    }

    pub(super) fn is_pointer(&self, value: &Value) -> bool {
        let function = self.walker.function();
        function.conventions.has_pointers() && is_address(value.unconverted(), function)
    }

    fn is_constant(&self, value: &Value) -> bool {
        let function = self.walker.function();
        match value.unconverted() {
            Value::Real(..) | Value::Integer(_) => true,
            Value::Unary(UnaryOp::Negate, operand) => self.is_constant(operand),
            Value::Variable(id) => function.variable(*id).constant.is_some(),
            Value::Call { arguments, .. } => {
                arguments.iter().all(|argument| self.is_constant(argument))
            }
            _ => false,
        }
    }

    /// Whether what follows has loops that end at a number, or passes it on.
    fn is_needed(&self, id: VarId) -> bool {
        let mentions = |value: &Value| {
            let mut found = false;
            each_value(value, &mut |part| found |= *part == Value::Variable(id));
            found
        };
        let mut found = false;
        statements(self.rest, InLoop::No, &mut |stmt, _| {
            if let Stmt::Loop(inner) = stmt {
                found |= match &inner.control {
                    Control::Counted { lower, upper, .. } => mentions(lower) || mentions(upper),
                    Control::Uncounted { condition, .. } => {
                        condition.as_ref().is_some_and(mentions)
                    }
                };
            }
            calls_of(stmt, &mut |_, arguments| {
                found |= arguments.iter().any(mentions);
            });
        });
        found
    }

    /// Whether a number says how a call went: the call puts it there, or it is what the call returned and is returned in turn.
    pub(super) fn is_status(&self, id: VarId) -> bool {
        let walker = self.walker;
        let function = walker.function();
        let is_it = |value: &Value| *value.unconverted() == Value::Variable(id);
        let mut returns_it = false;
        statements(self.arm, InLoop::No, &mut |stmt, _| {
            values_of(stmt, &mut |value| returns_it |= is_it(value));
        });
        let mut found = false;
        statements(&function.body, InLoop::No, &mut |stmt, _| {
            if let Stmt::Assign { target, value, .. } = stmt
                && is_it(target)
            {
                found |= returns_it && matches!(value.unconverted(), Value::Call { .. });
            }
            // The body of such a call works on what it got the place of.
            let is_replaced = matches!(stmt, Stmt::Call { place, name, .. }
                if walker.effects.origins.is_expanded(place, name));
            let by_place = is_replaced || function.conventions.passing == Passing::Places;
            calls_of(stmt, &mut |name, arguments| {
                for (position, argument) in arguments.iter().enumerate() {
                    let is_passed = match addressed(argument) {
                        Some(target) => is_it(target),
                        None => by_place && is_it(argument),
                    };
                    let uses = walker.effects.uses(name, position);
                    found |= is_passed && uses.is_none_or(|(_, is_written)| is_written);
                }
            });
        });
        found
    }

    /// The value that a variable is given in one place of the procedure.
    pub(super) fn only_value(&self, id: VarId) -> Option<&Value> {
        let mut values: Vec<&Value> = Vec::new();
        statements(&self.walker.function().body, InLoop::No, &mut |stmt, _| {
            if let Stmt::Assign { target, value, .. } = stmt
                && *target == Value::Variable(id)
            {
                values.push(value);
            }
        });
        match values[..] {
            [only] => Some(only),
            _ => None,
        }
    }
}

/// C's null pointer.
fn is_null(value: &Value) -> bool {
    let reason = value.unconverted().reason();
    reason.is_some_and(|reason| reason.code == ReasonCode::Null)
}
