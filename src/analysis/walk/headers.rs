//! The headers of loops: ranges, and where a loop ends that says it only in its body.

use std::collections::BTreeMap;

use super::Walker;
use super::iterations::Ends;
use crate::assignments::{count_assignments, is_assigned};
use crate::diagnostic::Place;
use crate::expr::{Expr, Function, Node, Symbol};
use crate::facts::{Constant, Origin};
use crate::ir::{
    self, BinaryOp, Control, Jump, LoopEnds, Sign, Stmt, Tested, Type, Value, VarId, fold, visit,
    wider,
};
use crate::moving::is_unknown_stride;
use crate::reason::{Effect, ReasonCode};
use crate::symbols::{Known, Start};

/// The range of a loop, and what is said of it.
pub(super) struct Header {
    pub variable: String,
    pub lower: Expr,
    pub upper: Expr,
    pub step: Expr,
    /// The bounds are known, so that what the variable is after the loop is known, too.
    pub has_range: bool,
    /// The body changes what the end depends on.
    pub end_moves: bool,
    /// The body changes by how much the variable moves on.
    pub pace_moves: bool,
    /// Where the values of the variable begin that the range does not count.
    pub start: Option<Start>,
    pub reasons: Vec<(ReasonCode, String)>,
}

impl Header {
    /// From one in steps of one.
    fn new(variable: String, upper: Expr) -> Header {
        Header {
            variable,
            lower: Expr::from(1.0),
            upper,
            step: Expr::from(1.0),
            has_range: false,
            end_moves: false,
            pace_moves: false,
            start: None,
            reasons: Vec::new(),
        }
    }

    /// The same where the variable's values begin elsewhere.
    fn from(self, start: Option<Start>) -> Header {
        Header { start, ..self }
    }

    /// Name, first count and step of what counts.
    pub fn counts(&self) -> (&str, &Expr, &Expr) {
        (&self.variable, &self.lower, &self.step)
    }
}

/// Whether a loop goes from one element of an array to another one, as along a row: `first(k), first(k + 1) - 1`. What is
/// known of some element says nothing of how far apart two are.
fn is_row(lower: &Value, upper: &Value) -> bool {
    let without_number = |value: &Value| match value.unconverted() {
        Value::Binary(BinaryOp::Add | BinaryOp::Subtract, left, right)
            if matches!(right.unconverted(), Value::Integer(_)) =>
        {
            left.unconverted().clone()
        }
        other => other.clone(),
    };
    let is_number = |value: &Value| matches!(value.unconverted(), Value::Integer(_));
    let ends = [without_number(lower), without_number(upper)];
    let [
        Value::Element {
            array: first,
            subscripts: of_first,
            ..
        },
        Value::Element {
            array: last,
            subscripts: of_last,
            ..
        },
    ] = &ends
    else {
        return false;
    };
    first == last && of_first != of_last && !of_first.iter().chain(of_last).all(is_number)
}

/// How often a loop runs whose numbers begin again.
#[derive(Clone, Copy, PartialEq)]
enum Rounds {
    Known(f64),
    /// It does not end, or runs longer than anyone counts, for this reason.
    Unknown(&'static str),
}

/// Where numbers of the variable's type begin again so that the end is not reached.
const BEYOND: Rounds = Rounds::Unknown("the variable's type ends before the loop does");

impl Walker<'_> {
    /// What the header of a loop says before its body is looked at.
    pub(super) fn header(&mut self, inner: &ir::Loop, counter: Option<VarId>) -> Header {
        match &inner.control {
            Control::Counted {
                variable,
                lower,
                upper,
                step,
            } => self.counted(inner, *variable, [lower, upper, step]),
            Control::Uncounted { reason, .. } => {
                let function = self.function();
                let name = counter.map(|id| function.variable(id).name.to_string());
                let trips = self.trip_count(&inner.place);
                self.guess_retries(inner, &trips);
                self.guess_list(inner, &trips);
                self.guess_passes(inner, &trips);
                self.guess_steps(inner, &trips);
                Header {
                    reasons: vec![(reason.code, reason.detail.clone())],
                    ..Header::new(name.unwrap_or_default(), trips)
                }
            }
        }
    }

    /// The range of a loop that counts, as far as its bounds stay the same in the loops around.
    fn counted(
        &mut self,
        inner: &ir::Loop,
        variable: VarId,
        [lower, upper, step]: [&Value; 3],
    ) -> Header {
        let function = self.function();
        let name = function.variable(variable).name.to_string();
        let end = upper;
        self.becomes_counter(variable);
        // `do i = i, n`: what it was is something else than what it counts.
        let earlier = Expr::from(Symbol::earlier(&name, inner.place.line));
        let mut bounds = [lower, upper, step]
            .map(|bound| Some(self.symbols.bound(bound)?.with(&name, &earlier)));
        if let [_, Some(upper), Some(step)] = &mut bounds
            && let Some(end) = upper.as_number().filter(|end| end.fract() != 0.0)
        {
            // A real end between two whole numbers.
            let goes_down = step.as_number().is_some_and(|step| step < 0.0);
            *upper = Expr::from(if goes_down { end.ceil() } else { end.floor() });
        }
        if is_row(lower, upper) {
            (bounds[0], bounds[1]) = (None, None);
        }
        let of_first_turn = self.of_first_turn([lower, upper, step], &mut bounds);
        let mut reasons = Vec::new();
        let begun_again = self.as_compared(variable, end, &mut bounds);
        if let Some(Rounds::Unknown(detail)) = begun_again {
            reasons.push((ReasonCode::StepDirection, detail.to_string()));
        }
        let zero_step = bounds[2].as_ref().is_some_and(Expr::is_zero);
        if zero_step {
            reasons.push((ReasonCode::ZeroStep, "a step of zero".to_string()));
        }
        let mut assigned = BTreeMap::new();
        if function.conventions.loop_ends == LoopEnds::EachIteration {
            count_assignments(&inner.body, self.effects, &mut assigned);
        }
        let moves = |value: &Value| is_assigned(value, &assigned);
        let pace_moves = moves(&Value::Variable(variable)) || moves(step);
        let end_moves = pace_moves || moves(upper);
        if end_moves {
            reasons.push((
                ReasonCode::BoundModified,
                "the loop changes what its end depends on".to_string(),
            ));
        }
        let found = match bounds {
            [Some(lower), Some(upper), Some(step)] if !zero_step && !end_moves => {
                let by = self.shift(&lower, &upper);
                let without = |bound: Expr| match &by {
                    Some(by) => shifted(&bound, by),
                    None => bound,
                };
                Header {
                    lower: without(lower),
                    step,
                    has_range: true,
                    ..Header::new(name, without(upper))
                }
                .from(by.map(Start::Exact))
            }
            // The end moves: how fast is seen from the body.
            [Some(lower), _, Some(step)]
                if end_moves && step.as_integer().is_some_and(|s| s != 0) =>
            {
                let last = (self.trip_count(&inner.place) - 1.0) * step.clone() + lower.clone();
                Header {
                    lower,
                    step,
                    ..Header::new(name, last.expand())
                }
            }
            // Bounds that change in the enclosing loops: the trip count is a parameter.
            [lower_bound, _, step] => {
                let is_data = lower_bound.is_none() && step.as_ref().is_some_and(is_one);
                let trips = self.trip_count(&inner.place);
                if let Some(Rounds::Known(count)) = begun_again {
                    self.give_count(&trips, Expr::from(count), Origin::Derived);
                } else if let Some(count) = of_first_turn {
                    self.give_count(&trips, count, Origin::Default);
                } else if let Some((count, origin)) =
                    self.counted_before(lower, upper, step.as_ref())
                {
                    self.give_count(&trips, count, origin);
                }
                let start = match is_data {
                    true => self.begins((lower, upper), &trips),
                    false => None,
                };
                let step = step.filter(|s| s.as_integer().is_some_and(|s| s != 0));
                let step = step.unwrap_or(Expr::from(1.0));
                let last = (trips - 1.0) * step.clone() + 1.0;
                Header {
                    step,
                    ..Header::new(name, last.expand())
                }
                .from(start.map(Start::Estimated))
            }
        };
        Header {
            end_moves,
            pace_moves,
            reasons,
            ..found
        }
    }

    /// The iterations of a loop whose bounds rest on variables that take turns in the loops around, with what they hold at
    /// first: a guess, as the bounds are others each time, and unknown.
    fn of_first_turn(&self, values: [&Value; 3], bounds: &mut [Option<Expr>; 3]) -> Option<Expr> {
        if !values.into_iter().any(|value| self.asks_for_turns(value)) {
            return None;
        }
        let [lower, upper, step] = std::mem::take(bounds);
        let count = (upper? - lower?).quotient(step?).floor() + 1.0;
        Some(Expr::max([count, Expr::from(0.0)]))
    }

    /// Makes the bounds of a loop what its variable holds and is compared with. Where numbers begin again, the end is no bound:
    /// gives how often the loop runs then.
    fn as_compared(
        &self,
        variable: VarId,
        end: &Value,
        bounds: &mut [Option<Expr>; 3],
    ) -> Option<Rounds> {
        let function = self.function();
        let [Some(lower), Some(upper), Some(step)] = bounds else {
            return None;
        };
        let ty = &function.variable(variable).ty;
        *lower = self.symbols.fitted(ty, lower.clone());
        let both = wider(ty.clone(), compared_type(end, function));
        let found = if both.is_unsigned()
            && self.is_empty_without_sign(&both, (&*lower, &*upper, &*step))
        {
            *upper = (lower.clone() - step.clone()).expand();
            None
        } else if both.is_unsigned() && self.symbols.goes_below_zero(lower) {
            Some(Rounds::Unknown(
                "the variable begins below zero and is compared without a sign",
            ))
        } else if function.conventions.loop_ends != LoopEnds::EachIteration {
            None
        } else if let Some(large) = self.without_end(&both, upper) {
            *upper = large;
            self.beyond_type(ty, [lower, upper, step])
        } else {
            Some(BEYOND)
        };
        if found.is_some() {
            bounds[1] = None;
        }
        found
    }

    /// The end as it is compared without a sign, where it is a number below zero; `None` of one that is more than a whole
    /// number of ours holds. One below zero is what is left of an end that is not reached: `u < 0`.
    fn without_end(&self, both: &Type, upper: &Expr) -> Option<Expr> {
        let is_below = |end: f64| end < -1.0;
        if !both.is_unsigned() || !self.symbols.number(upper).is_some_and(is_below) {
            return Some(upper.clone());
        }
        let large = self.symbols.fitted(both, upper.clone());
        (large != *upper).then_some(large)
    }

    /// How often a loop runs whose steps lead beyond what the type of its variable holds, where numbers begin again.
    fn beyond_type(&self, ty: &Type, range: [&Expr; 3]) -> Option<Rounds> {
        const LONGEST: u32 = 1 << 20;
        let Type::Integer(bytes, sign) = ty else {
            return None;
        };
        // Nothing is said of what becomes of a number with a sign that is too large to compute with.
        if *bytes >= 4 && *sign == Sign::Signed {
            return None;
        }
        let mut numbers = [0; 3];
        for (number, of) in numbers.iter_mut().zip(range) {
            *number = Expr::from(self.symbols.number(of)?).as_integer()?;
        }
        let [first, end, step] = numbers;
        let holds = |at: i64| if step > 0 { at <= end } else { at >= end };
        if step == 0 || !holds(first) {
            return None;
        }
        let regular = (end - first) / step + 1;
        let next = first.checked_add(regular.checked_mul(step)?)?;
        if *bytes > 4 {
            return (next < 0).then_some(BEYOND);
        }
        let mut at = ty.wrapped(next).filter(|left| *left != next)?;
        for more in 0..LONGEST {
            if !holds(at) {
                return Some(Rounds::Known((regular + i64::from(more)) as f64));
            }
            at = ty.wrapped(at + step)?;
        }
        Some(BEYOND)
    }

    /// Whether a loop that counts up begins with a number below zero, which is beyond its end where they are compared without
    /// a sign.
    fn is_empty_without_sign(
        &self,
        ty: &Type,
        (lower, upper, step): (&Expr, &Expr, &Expr),
    ) -> bool {
        let number = |expr: &Expr| self.symbols.number(expr);
        let first = number(lower).filter(|first| *first < 0.0);
        let goes_up = number(step).is_some_and(|step| step > 0.0);
        first.is_some() && goes_up && {
            let first = self.symbols.without_negative(ty, lower.clone());
            let ends = (number(&first), number(upper));
            !matches!(ends, (Some(first), Some(last)) if last >= first)
        }
    }

    /// What the loops around add to both ends of a range, in steps that are not numbers: `i*s` where `k` runs from `i*s`
    /// to `(i + 1)*s - 1`. Without it the range is the same each time, and an element `a(k)` lies at `i*s` and what is
    /// counted.
    fn shift(&self, lower: &Expr, upper: &Expr) -> Option<Expr> {
        let function = self.function();
        let name = |id: &VarId| function.variable(*id).name.as_str();
        let around: Vec<&str> = self.symbols.loops.iter().map(name).collect();
        let first = lower.linear_in(&around)?;
        let ends = upper.alternatives(Function::Min);
        let last: Vec<_> = ends
            .iter()
            .filter_map(|end| end.linear_in(&around))
            .collect();
        let is_shared = |at: usize, by: &Expr| last.iter().any(|end| end.coefficients[at] == *by);
        let shared = (around.iter().zip(&first.coefficients).enumerate())
            .filter(|(at, (_, by))| by.as_number().is_none() && is_shared(*at, by));
        let by = Expr::sum(shared.map(|(_, (name, by))| by * &Expr::symbol(name)));
        (!by.is_zero()).then(|| by.expand())
    }

    /// Where the loop ends, if the body says that; what is known of variables must be that of an iteration's beginning.
    pub(super) fn find_end(
        &mut self,
        inner: &ir::Loop,
        header: &mut Header,
        before: &BTreeMap<VarId, Known>,
    ) -> Ends {
        if let Some(trips) = fixed_trips(self.function(), inner) {
            (header.upper, header.has_range) = (Expr::from(trips), true);
            return Ends::AtBound;
        }
        match &inner.control {
            Control::Uncounted {
                condition: Some(condition),
                ..
            } => {
                // What another loop moves by an unknown amount says nothing about how far it is to the end.
                let counted = self.iterations(inner, condition, &header.variable, before);
                if let Some((trips, ends)) = counted.filter(|(trips, _)| !is_unknown_stride(trips))
                {
                    (header.upper, header.has_range) = (trips, true);
                    return ends;
                }
                match self.doublings(inner, condition, before) {
                    Some(trips) => header.upper = trips,
                    None => self.guess_bisection(inner, &header.upper, before),
                }
            }
            Control::Counted {
                variable: own,
                upper: bound,
                ..
            } if header.end_moves && !header.pace_moves => {
                let counted = self.towards((inner, before), *own, bound, header.counts());
                if let Some(trips) = counted.filter(|trips| !is_unknown_stride(trips)) {
                    let last = (trips - 1.0) * header.step.clone() + header.lower.clone();
                    header.upper = last.expand();
                }
            }
            Control::Uncounted {
                condition: None, ..
            }
            | Control::Counted { .. } => {}
        }
        Ends::AtBound
    }

    /// Where what the body does gives the iterations after all, nothing is estimated.
    pub(super) fn drop_estimates(&mut self, inner: &ir::Loop, header: &mut Header, ends: Ends) {
        let is_estimate = |reason: &(ReasonCode, String)| reason.0.effect() == Effect::Estimates;
        if !header.reasons.iter().any(is_estimate) {
            return;
        }
        let parameter = self.trip_count(&inner.place);
        let mut symbols = parameter.symbols().into_iter();
        let is_parameter = symbols.any(|name| header.upper.mentions(&name));
        if !is_parameter && ends == Ends::AtBound {
            header.reasons.retain(|reason| !is_estimate(reason));
        }
    }

    /// The parameter that stands for how often a loop runs: one for every loop, also of those in one line.
    pub(super) fn trip_count(&mut self, place: &Place) -> Expr {
        let columns = self.trip_counts.entry(place.line).or_default();
        let at = columns
            .iter()
            .position(|column| *column == place.column)
            .unwrap_or_else(|| {
                columns.push(place.column);
                columns.len() - 1
            });
        Expr::from(Symbol::trip_count(self.symbols.own_name, place.line, at))
    }

    /// How often a loop runs over what a procedure has counted just before: `n = neighbours(box, list)`, then `i < n`.
    fn counted_before(
        &self,
        lower: &Value,
        upper: &Value,
        step: Option<&Expr>,
    ) -> Option<(Expr, Origin)> {
        let first = match (lower.unconverted(), step?.as_integer()) {
            (Value::Integer(first), Some(1)) => *first,
            _ => return None,
        };
        let (counted, more) = match upper.unconverted() {
            Value::Binary(BinaryOp::Subtract, left, right) => match right.unconverted() {
                Value::Integer(less) => (left.unconverted(), -*less),
                _ => return None,
            },
            variable => (variable, 0),
        };
        let (procedure, function) = (self.procedure, self.function());
        let (count, origin) = match counted {
            Value::Variable(_) => {
                let count = self.sizes.count(procedure, function, counted)?;
                (count, Origin::Derived)
            }
            // Whether the element has got it is not known.
            Value::Element { .. } => {
                let count = self.sizes.of_elements(procedure, function, counted)?;
                (count, Origin::Default)
            }
            _ => return None,
        };
        Some(((count + (more - first + 1) as f64).expand(), origin))
    }

    /// Notes that the parameter for how often a loop runs has a value.
    pub(super) fn give_count(&mut self, trips: &Expr, value: Expr, origin: Origin) {
        if let Node::Symbol(symbol) = trips.node() {
            let constant = Constant {
                symbol: symbol.clone(),
                value,
                origin,
            };
            self.symbols.constants.insert(symbol.clone(), constant);
        }
    }

    /// What a variable is where a loop begins, by what was known before it.
    pub(super) fn begins_as(&self, id: VarId, before: &BTreeMap<VarId, Known>) -> Option<Expr> {
        match before.get(&id) {
            Some(Known::Is(expr)) => Some(expr.clone()),
            Some(_) => None,
            None => Some(Expr::symbol(&self.function().variable(id).name)),
        }
    }

    /// The condition of a loop that nothing but a condition ends, where its parameter for how often it runs has no value yet.
    pub(super) fn ungiven<'l>(&self, inner: &'l ir::Loop, trips: &Expr) -> Option<&'l Value> {
        match &inner.control {
            Control::Uncounted {
                condition: Some(condition),
                ..
            } if !self.is_given(trips) => Some(condition),
            _ => None,
        }
    }

    /// Whether how often a loop runs is no parameter, or one that has a value.
    pub(super) fn is_given(&self, trips: &Expr) -> bool {
        match trips.node() {
            Node::Symbol(symbol) => self.symbols.constants.contains_key(symbol),
            _ => true,
        }
    }

    /// Where a loop begins that walks through one row after another, `for (k = rows[i]; k < rows[i + 1]; k++)`: behind
    /// what the rows before have walked through, all taken to be as long.
    fn begins(&mut self, (lower, upper): (&Value, &Value), trips: &Expr) -> Option<Expr> {
        let ((row, here), (next_row, next)) = (self.row(lower)?, self.row(upper)?);
        let apart = (next - here.clone()).expand().as_integer()?;
        if row != next_row || apart.abs() != 1 {
            return None;
        }
        let function = self.function();
        let around: Vec<&str> = self
            .symbols
            .loops
            .iter()
            .map(|id| function.variable(*id).name.as_str())
            .collect();
        let linear = here.linear_in(&around)?;
        let terms = around
            .iter()
            .zip(linear.coefficients)
            .map(|(name, by)| by * Expr::symbol(name) * trips.clone());
        Some(Expr::sum(terms).expand()).filter(|start| !start.is_zero())
    }
}

/// The type in which the variable of a loop is compared with its end: what is one less, or more, than one without a sign has
/// room for a number below zero.
fn compared_type(end: &Value, function: &ir::Function) -> Type {
    if let Value::Binary(BinaryOp::Subtract | BinaryOp::Add, left, right) = end
        && let (Value::Convert(Type::Integer(8, Sign::Signed), bound), Value::Integer(1)) =
            (&**left, &**right)
        && let ty @ Type::Integer(4, Sign::Unsigned) = bound.ty(function)
    {
        return ty;
    }
    end.ty(function)
}

/// A bound less what the loops around add to it.
fn shifted(bound: &Expr, by: &Expr) -> Expr {
    let ends = bound.alternatives(Function::Min);
    Expr::min(ends.into_iter().map(|end| (end - by.clone()).expand()))
}

/// By one, up or down.
fn is_one(step: &Expr) -> bool {
    step.as_integer().is_some_and(|step| step.abs() == 1)
}

/// Iterations of a loop whose condition is a literal: none of `while (0) …`, one of `for (;;) { …; break; }`, whose body always
/// ends with a jump out of it, and goes on with no other iteration before.
fn fixed_trips(function: &ir::Function, inner: &ir::Loop) -> Option<f64> {
    let Control::Uncounted {
        condition, tested, ..
    } = &inner.control
    else {
        return None;
    };
    let holds = match condition {
        None => true,
        Some(Value::Logical(holds)) => *holds,
        Some(condition) => fold::value(function, condition)? != 0,
    };
    let leaves = |stmt: &Stmt| match stmt {
        Stmt::Jump { kind, .. } => *kind != Jump::Cycle,
        _ => false,
    };
    let may_go_on = visit::jumps(&inner.body, |kind| matches!(kind, Jump::Cycle | Jump::Goto));
    match (holds, *tested) {
        (false, Tested::BeforeBody) => Some(0.0),
        (false, Tested::AfterBody) => Some(1.0),
        _ => (inner.body.last().is_some_and(leaves) && !may_go_on).then_some(1.0),
    }
}
