//! Conditions that only compare variables of the loops around: in which iterations they hold, and how many these are.

use std::borrow::Cow;

use super::counted_loop::Counted;
use super::every;
use super::facts::{Decision, Guard, GuardRange, Share};
use super::symbolic::{compared_by, power_above};
use super::symbols::{Start, Symbols};
use super::totals::{Range, extreme, involved, iterations_where};
use crate::expr::{Expr, Symbol};
use crate::intrinsics::Meaning;
use crate::ir::{BinaryOp, UnaryOp, Value, VarId};

/// What decides a condition.
pub(super) fn decision(symbols: &mut Symbols, condition: &Value) -> Decision {
    match guard(symbols, condition) {
        Some(guard) => Decision::Guard(guard),
        None => parts(symbols, condition),
    }
}

/// The iterations in which a condition holds, if loop variables and what stays the same decide it.
pub(super) fn asked(symbols: &mut Symbols, condition: &Value) -> Option<Guard> {
    if symbols.levels.is_empty() {
        return None;
    }
    guard(symbols, condition)
}

/// A condition that asks whether a whole number is a multiple of another: `mod(step, 10) == 0`, or is not.
pub struct Multiple<'v> {
    pub(super) is_equal: bool,
    /// The number that the remainder is compared with.
    pub(super) compared: &'v Value,
    /// The remainder, and what it is of.
    pub remainder: &'v Value,
    pub dividend: &'v Value,
    pub divisor: Cow<'v, Value>,
    /// Whether bits of a number are asked for, which in data may be flags.
    is_of_bits: bool,
}

impl<'v> Multiple<'v> {
    /// `meaning` says what functions compute.
    pub fn of(
        condition: &'v Value,
        meaning: &dyn Fn(&str) -> Option<Meaning>,
    ) -> Option<Multiple<'v>> {
        const ZERO: &Value = &Value::Integer(0);
        let (is_equal, remainder, other) = match condition {
            Value::Convert(_, inner) => return Multiple::of(inner, meaning),
            Value::Unary(UnaryOp::Not, inner) => match Multiple::of(inner, meaning) {
                Some(multiple) => {
                    return Some(Multiple {
                        is_equal: !multiple.is_equal,
                        ..multiple
                    });
                }
                None => (true, &**inner, ZERO),
            },
            Value::Binary(op @ (BinaryOp::Equal | BinaryOp::NotEqual), left, right) => {
                let (remainder, other) = match **left {
                    Value::Integer(_) | Value::Variable(_) => (right, left),
                    _ => (left, right),
                };
                (*op == BinaryOp::Equal, &**remainder, &**other)
            }
            Value::Binary(BinaryOp::Remainder | BinaryOp::BitAnd, ..) | Value::Call { .. } => {
                (false, condition, ZERO)
            }
            _ => return None,
        };
        let (dividend, divisor) = match remainder {
            Value::Binary(BinaryOp::Remainder, dividend, divisor) => {
                (&**dividend, Cow::Borrowed(&**divisor))
            }
            // What is left of a division by a power of two, which the bits below it are.
            Value::Binary(BinaryOp::BitAnd, value, mask) => {
                (&**value, Cow::Owned(divisor_of_bits(mask, other)?))
            }
            Value::Call {
                name, arguments, ..
            } => match (meaning(name), &arguments[..]) {
                (Some(Meaning::CommonBits), [value, mask]) => {
                    (value, Cow::Owned(divisor_of_bits(mask, other)?))
                }
                (Some(Meaning::Bit), [value, Value::Integer(0)]) => {
                    (value, Cow::Owned(Value::Integer(2)))
                }
                (Some(Meaning::Remainder | Meaning::Modulo), [dividend, divisor]) => {
                    (as_given(dividend), Cow::Borrowed(as_given(divisor)))
                }
                _ => return None,
            },
            _ => return None,
        };
        let is_number = match other {
            // `b % size == rank` shares work out.
            Value::Integer(_) | Value::Variable(_) => true,
            Value::Real(number, _) => *number == 0.0,
            _ => false,
        };
        is_number.then_some(Multiple {
            is_equal,
            compared: other,
            remainder,
            dividend,
            divisor,
            is_of_bits: match remainder {
                Value::Binary(op, ..) => *op == BinaryOp::BitAnd,
                Value::Call { name, .. } => {
                    matches!(meaning(name), Some(Meaning::CommonBits | Meaning::Bit))
                }
                _ => false,
            },
        })
    }

    /// Whether it tells how often the condition holds: of bits only if loops count them.
    pub fn tells(&self, decision: &Decision) -> bool {
        !(self.is_of_bits && matches!(decision, Decision::Data))
    }

    /// Whether it divides whole numbers, which `fmod(step, every)` does, too.
    pub fn is_whole(&self, is_integer: &dyn Fn(&Value) -> bool) -> bool {
        is_integer(self.dividend) && is_integer(&self.divisor)
    }

    /// How often it holds: once in so many times; `excluded` of the remainders are known to be others.
    pub fn share(&self, every: Expr, excluded: usize) -> Expr {
        let left = (every - excluded as f64).expand();
        let share = Expr::from(1.0).quotient(Expr::max([left, Expr::from(1.0)]));
        match self.is_equal {
            true => share,
            false => Expr::from(1.0) - share,
        }
    }
}

/// The power of two of which a mask leaves the remainder, where that may be this number.
fn divisor_of_bits(mask: &Value, remainder: &Value) -> Option<Value> {
    let Value::Integer(mask) = mask else {
        return None;
    };
    let count = power_above(*mask)?;
    let is_possible = matches!(remainder, Value::Integer(n) if (0..count).contains(n));
    is_possible.then_some(Value::Integer(count))
}

/// A number without its conversion to a real one.
fn as_given(value: &Value) -> &Value {
    match value {
        Value::Convert(ty, inner) if ty.is_floating() => as_given(inner),
        _ => value,
    }
}

/// How often a condition holds that asks whether a number is a multiple of another, which the source says: once in so
/// many times, as `mod(step, 10) == 0` does.
pub(super) fn periodic_share(
    symbols: &mut Symbols,
    (condition, excluded, decision): (&Value, usize, &Decision),
) -> Option<(Expr, Share)> {
    let effects = symbols.effects;
    let multiple = Multiple::of(condition, &|name| effects.target(name).meaning())?;
    if !multiple.tells(decision) || !multiple.is_whole(&|value| symbols.is_integer(value)) {
        return None;
    }
    let every = symbols.expression(&multiple.divisor)?;
    // Nothing is guessed of it: whether every time or every hundredth one would be anybody's guess.
    let is_known = |symbol: &Symbol| {
        let known = symbols.constants.get(symbol);
        known.is_some_and(|known| known.value.as_number().is_some())
    };
    if !every.symbols().iter().all(is_known) {
        return None;
    }
    // A number is a multiple of -3 if it is one of 3.
    let constant = |symbol: &Symbol| Some(symbols.constants.get(symbol)?.value.clone());
    let is_negative = (every.substitute(&constant).as_number()).is_some_and(|every| every < 0.0);
    let every = match is_negative {
        true => every.absolute(),
        false => every,
    };
    let counted = match excluded {
        0 => every::share(symbols, &multiple, &every),
        _ => None,
    };
    Some(match counted {
        Some(share) => (share, Share::Counted),
        None => (multiple.share(every, excluded), Share::Estimated),
    })
}

/// The part of a condition that asks whether a number is a multiple of another, if one does.
pub(super) fn periodic_part<'v>(
    condition: &'v Value,
    meaning: &dyn Fn(&str) -> Option<Meaning>,
) -> Option<Multiple<'v>> {
    match condition {
        Value::Binary(BinaryOp::And | BinaryOp::Or, left, right) => {
            let sides = [left, right].map(|side| periodic_part(side, meaning));
            let mut found = sides.into_iter().flatten();
            found.next().filter(|_| found.next().is_none())
        }
        _ => Multiple::of(condition, meaning),
    }
}

/// One or nothing, as a condition on sizes holds: `if (n > 0)`. `is_size` says of what.
pub(super) fn share_of_sizes(
    symbols: &mut Symbols,
    condition: &Value,
    is_size: &dyn Fn(&Symbol) -> bool,
) -> Option<Expr> {
    let mut again = |value: &Value| share_of_sizes(symbols, value, is_size);
    match condition {
        Value::Convert(_, inner) => again(inner),
        Value::Unary(UnaryOp::Not, inner) => Some((Expr::from(1.0) - again(inner)?).expand()),
        Value::Binary(BinaryOp::And, left, right) => Some(Expr::min([again(left)?, again(right)?])),
        Value::Binary(BinaryOp::Or, left, right) => Some(Expr::max([again(left)?, again(right)?])),
        Value::Binary(op, left, right) => {
            let comparison = compared_by(*op)?;
            if !symbols.is_integer(left) || !symbols.is_integer(right) {
                return None;
            }
            let (left, right) = symbols.sides(left, right)?;
            let used = [left.symbols(), right.symbols()];
            let are_sizes = used.iter().flatten().all(is_size);
            let (one, none) = (Expr::from(1.0), Expr::from(0.0));
            are_sizes.then(|| Expr::choose(comparison, left, right, one, none))
        }
        _ => None,
    }
}

/// What the parts of a condition that is not a guard depend on.
fn parts(symbols: &mut Symbols, condition: &Value) -> Decision {
    let mut both = |left, right| match (parts(symbols, left), parts(symbols, right)) {
        (Decision::Data, _) | (_, Decision::Data) => Decision::Data,
        (Decision::Fixed, Decision::Fixed) => Decision::Fixed,
        _ => Decision::Loops(Share::Estimated),
    };
    match condition {
        Value::Convert(_, inner) | Value::Unary(UnaryOp::Not, inner) => parts(symbols, inner),
        Value::Binary(BinaryOp::And | BinaryOp::Or, left, right) => match both(left, right) {
            // A part of a loop, and of that every other iteration: `k < 10 && (k & 1)`.
            Decision::Data if asks_for_loops(symbols, condition) => {
                Decision::Loops(Share::Estimated)
            }
            decision => decision,
        },
        Value::Binary(op, left, right) if op.is_comparison() => both(left, right),
        _ if !symbols.is_integer(condition) => Decision::Data,
        _ => match symbols.expression(condition) {
            None => Decision::Data,
            Some(expr) => {
                let function = symbols.function;
                let is_mentioned = |id: &VarId| expr.mentions(function.variable(*id).name.as_str());
                match symbols.loops.iter().any(is_mentioned) {
                    true => Decision::Loops(Share::Estimated),
                    false => Decision::Fixed,
                }
            }
        },
    }
}

/// Whether it asks for variables of loops and numbers alone.
fn asks_for_loops(symbols: &mut Symbols, value: &Value) -> bool {
    match value {
        Value::Convert(_, inner) | Value::Unary(_, inner) => asks_for_loops(symbols, inner),
        Value::Binary(_, left, right) => {
            asks_for_loops(symbols, left) && asks_for_loops(symbols, right)
        }
        Value::Integer(_) => true,
        Value::Variable(id) => {
            symbols.loops.iter().any(|own| own == id) || symbols.expression(value).is_some()
        }
        _ => false,
    }
}

/// The iterations in which a condition holds; `None` if anything but loop variables and what stays the same decides it.
fn guard(symbols: &mut Symbols, condition: &Value) -> Option<Guard> {
    match condition {
        Value::Convert(_, inner) => guard(symbols, inner),
        Value::Unary(UnaryOp::Not, inner) => Some(guard(symbols, inner)?.negated()),
        Value::Binary(BinaryOp::And, left, right) => {
            let [left, right] = [left, right].map(|side| guard(symbols, side));
            match (at_end(symbols, left?), at_end(symbols, right?)) {
                (Guard::Inside(left), Guard::Inside(right)) => {
                    let left = at_places_of(symbols, &right, &left).unwrap_or(left);
                    let right = at_places_of(symbols, &left, &right).unwrap_or(right);
                    Some(Guard::Inside(both(left, right)))
                }
                _ => None,
            }
        }
        Value::Binary(BinaryOp::Or, left, right) => {
            let [left, right] = [left, right].map(|side| guard(symbols, side));
            match (
                at_end(symbols, left?.negated()),
                at_end(symbols, right?.negated()),
            ) {
                (Guard::Inside(left), Guard::Inside(right)) => {
                    Some(Guard::Outside(both(left, right)))
                }
                _ => None,
            }
        }
        Value::Binary(op, left, right) if op.is_comparison() => {
            let known = comparison(symbols, *op, left, right);
            known.or_else(|| of_quotient(symbols, *op, left, right))
        }
        _ => None,
    }
}

/// `i/2 == 3`: a whole quotient compared with a number above zero, as the range of the dividend.
fn of_quotient(symbols: &mut Symbols, op: BinaryOp, left: &Value, right: &Value) -> Option<Guard> {
    let (
        Value::Binary(BinaryOp::Divide | BinaryOp::ShiftRight, dividend, divisor),
        Value::Integer(number),
    ) = (left, right)
    else {
        return None;
    };
    let Value::Integer(divisor) = **divisor else {
        return None;
    };
    if divisor < 1 || *number < 1 || !symbols.is_integer(dividend) {
        return None;
    }
    let first = number.checked_mul(divisor)?;
    let last = first.checked_add(divisor - 1)?;
    let mut compared = |op, with| comparison(symbols, op, dividend, &Value::Integer(with));
    match op {
        BinaryOp::Less => compared(BinaryOp::Less, first),
        BinaryOp::LessOrEqual => compared(BinaryOp::LessOrEqual, last),
        BinaryOp::Greater => compared(BinaryOp::Greater, last),
        BinaryOp::GreaterOrEqual => compared(BinaryOp::GreaterOrEqual, first),
        BinaryOp::Equal | BinaryOp::NotEqual => {
            let ends = [
                compared(BinaryOp::GreaterOrEqual, first)?,
                compared(BinaryOp::LessOrEqual, last)?,
            ];
            let [Guard::Inside(from), Guard::Inside(until)] = ends else {
                return None;
            };
            let inside = Guard::Inside(both(from, until));
            Some(match op {
                BinaryOp::Equal => inside,
                _ => inside.negated(),
            })
        }
        _ => None,
    }
}

/// All but the first or the last place of a loop, or one outside of it, as the range of the others: `i != 0` of a loop from
/// zero or one is `i > 0`.
fn at_end(symbols: &Symbols, guard: Guard) -> Guard {
    let Guard::Outside(ranges) = &guard else {
        return guard;
    };
    let [
        GuardRange {
            variable,
            lower: Some(place),
            upper: Some(same),
        },
    ] = ranges.as_slice()
    else {
        return guard;
    };
    let mut levels = symbols.levels.iter();
    let own = levels.rposition(|level| level.counted.variable == *variable);
    let has_direction = |at: &usize| symbols.levels[*at].counted.step.as_number().is_some();
    let Some(at) = own.filter(|at| has_direction(at) && place == same) else {
        return guard;
    };
    let around: Vec<&Counted> = (symbols.levels[..at].iter())
        .map(|level| &level.counted)
        .collect();
    let (first, last) = symbols.levels[at].counted.ends();
    let is_never = |below: Expr| is_never_negative(&below.expand(), &around);
    let (lower, upper) = if is_never(first.clone() - place.clone()) {
        (Some((place.clone() + 1.0).expand()), None)
    } else if is_never(place.clone() - last.clone()) {
        (None, Some((place.clone() - 1.0).expand()))
    } else {
        return guard;
    };
    Guard::Inside(vec![GuardRange {
        variable: variable.clone(),
        lower,
        upper,
    }])
}

/// `variable + rest` compared with another one.
fn comparison(symbols: &mut Symbols, op: BinaryOp, left: &Value, right: &Value) -> Option<Guard> {
    if !symbols.is_integer(left) || !symbols.is_integer(right) {
        return None;
    }
    let (left, right) = symbols.sides(left, right)?;
    compared_with_zero(symbols, op, (left - right).expand())
}

/// Ranges of variables which other ranges hold at a place, as those of the loops that move their ends: `i + j < n` is
/// `i < 1` where `j == n - 1`.
fn at_places_of(
    symbols: &Symbols,
    others: &[GuardRange],
    ranges: &[GuardRange],
) -> Option<Vec<GuardRange>> {
    let function = symbols.function;
    let is_moved = |end: &Expr| {
        let mut loops = symbols.loops.iter();
        loops.any(|id| end.mentions(function.variable(*id).name.as_str()))
    };
    let mut all = Vec::new();
    for mut range in ranges.iter().cloned() {
        let other = others.iter().find(|own| own.variable == range.variable);
        if let Some(place) = other.and_then(GuardRange::place) {
            let ends = [
                (&mut range.lower, BinaryOp::LessOrEqual),
                (&mut range.upper, BinaryOp::GreaterOrEqual),
            ];
            for (end, op) in ends {
                if let Some(end) = end.take_if(|end| is_moved(end)) {
                    let Guard::Inside(moved) =
                        compared_with_zero(symbols, op, (end - place.clone()).expand())?
                    else {
                        return None;
                    };
                    all = both(all, moved);
                }
            }
        }
        if range.lower.is_some() || range.upper.is_some() {
            all = both(all, vec![range]);
        }
    }
    Some(all)
}

/// What `apart (op) 0` leaves of a loop.
fn compared_with_zero(symbols: &Symbols, op: BinaryOp, apart: Expr) -> Option<Guard> {
    let function = symbols.function;
    let name = |id| function.variable(id).name.as_str();
    let names: Vec<&str> = symbols.loops.iter().copied().map(name).collect();
    let linear = apart.linear_in(&names)?;
    let used = || (names.iter().zip(&linear.coefficients)).filter(|(_, slope)| !slope.is_zero());
    // Where the values of a variable begin is to be known.
    let is_estimated = |id: &VarId| {
        let name = function.variable(*id).name.as_str();
        matches!(symbols.starts.get(id), Some(Start::Estimated(_)))
            && used().any(|(n, _)| *n == name)
    };
    if symbols.loops.iter().any(is_estimated) {
        return None;
    }
    let (innermost, slope) = used().next_back()?;
    let slope = slope.as_integer().filter(|slope| *slope != 0)?;
    // Several times a variable are compared with what no loop moves: rounded.
    let is_alone = used().nth(1).is_none();
    if slope.abs() != 1 && !is_alone {
        return None;
    }
    let variable = Expr::symbol(innermost);
    let times = slope.abs() as f64;
    let bound = match slope > 0 {
        true => variable * times - apart,
        false => variable * times + apart,
    }
    .expand();
    let op = if slope > 0 { op } else { op.mirrored() };
    let rounded = |bound: Expr| match times {
        1.0 => bound.expand(),
        _ => bound.expand().quotient(Expr::from(times)).floor(),
    };
    // The largest value up to a bound, and the smallest one from a bound on.
    let until = |bound: Expr| Some(rounded(bound));
    let from = |bound: Expr| Some(rounded(bound + (times - 1.0)));
    let range = |lower: Option<Expr>, upper: Option<Expr>| {
        let variable = innermost.to_string();
        Guard::Inside(vec![GuardRange {
            variable,
            lower,
            upper,
        }])
    };
    Some(match op {
        BinaryOp::Less => range(None, until(bound - 1.0)),
        BinaryOp::LessOrEqual => range(None, until(bound)),
        BinaryOp::Greater => range(from(bound + 1.0), None),
        BinaryOp::GreaterOrEqual => range(from(bound), None),
        BinaryOp::Equal => range(from(bound.clone()), until(bound)),
        BinaryOp::NotEqual => range(from(bound.clone()), until(bound)).negated(),
        _ => return None,
    })
}

/// All ranges, those of one variable as one.
fn both(mut all: Vec<GuardRange>, others: Vec<GuardRange>) -> Vec<GuardRange> {
    let join = |a: Option<Expr>, b: Option<Expr>, of: fn([Expr; 2]) -> Expr| match (a, b) {
        (Some(a), Some(b)) => Some(of([a, b])),
        (a, b) => a.or(b),
    };
    for other in others {
        match all
            .iter_mut()
            .find(|known| known.variable == other.variable)
        {
            Some(known) => {
                known.lower = join(known.lower.take(), other.lower, Expr::max);
                known.upper = join(known.upper.take(), other.upper, Expr::min);
            }
            None => all.push(other),
        }
    }
    all
}

impl Guard {
    /// Where the condition does not hold.
    pub fn negated(self) -> Guard {
        match self {
            Guard::Inside(mut ranges) => match ranges.as_mut_slice() {
                [range] => match (range.lower.take(), range.upper.take()) {
                    (Some(lower), None) => {
                        range.upper = Some((lower - 1.0).expand());
                        Guard::Inside(ranges)
                    }
                    (None, Some(upper)) => {
                        range.lower = Some((upper + 1.0).expand());
                        Guard::Inside(ranges)
                    }
                    (lower, upper) => {
                        (range.lower, range.upper) = (lower, upper);
                        Guard::Outside(ranges)
                    }
                },
                _ => Guard::Outside(ranges),
            },
            Guard::Outside(ranges) => Guard::Inside(ranges),
        }
    }

    /// The share of the iterations of the loops around, outermost first, in which the condition holds; `None` if it has
    /// no closed form.
    pub(super) fn share(&self, loops: &[&Counted]) -> Option<Expr> {
        let all: Vec<Range> = loops.iter().map(|counted| counted.range()).collect();
        let asked = involved(self, &all);
        let moves = |inner: &&Counted| {
            let mut asked = asked.iter();
            !asked.clone().any(|own| **own == inner.variable)
                && asked.any(|own| inner.mentions(own))
        };
        // A loop inside that is longer where it holds than elsewhere has more of the iterations there.
        match loops.iter().any(moves) {
            true => self.share_where(&[], loops),
            false => (self.share_of_own(loops)).or_else(|| self.share_where(&[], loops)),
        }
    }

    /// The share of those iterations in which other conditions hold, too.
    pub(super) fn share_where(&self, around: &[Guard], loops: &[&Counted]) -> Option<Expr> {
        let ranges: Vec<Range> = loops.iter().map(|counted| counted.range()).collect();
        let mut own = self
            .ranges()
            .iter()
            .chain(around.iter().flat_map(Guard::ranges));
        // Variables of other loops stand for nothing here.
        if !own.all(|range| ranges.iter().any(|one| one.variable == range.variable)) {
            return None;
        }
        let all = iterations_where(&ranges, around)?;
        let some = iterations_where(&ranges, &[around, std::slice::from_ref(self)].concat())?;
        Some(over(some, all))
    }

    /// The conditions around on which it depends whether it holds, as they ask for the same variables.
    pub(super) fn related(&self, around: &[Guard], loops: &[&Counted]) -> Vec<Guard> {
        let ranges: Vec<Range> = loops.iter().map(|counted| counted.range()).collect();
        let mut asked = involved(self, &ranges);
        let mut others: Vec<&Guard> = around.iter().collect();
        let mut found = Vec::new();
        loop {
            let (related, left): (Vec<&Guard>, Vec<&Guard>) =
                others.into_iter().partition(|guard| {
                    let mut of_other = involved(guard, &ranges).into_iter();
                    of_other.any(|variable| asked.contains(&variable))
                });
            if related.is_empty() {
                return found;
            }
            asked.extend(related.iter().flat_map(|guard| involved(guard, &ranges)));
            found.extend(related.into_iter().cloned());
            others = left;
        }
    }

    fn ranges(&self) -> &[GuardRange] {
        let (Guard::Inside(ranges) | Guard::Outside(ranges)) = self;
        ranges
    }

    fn share_of_own(&self, loops: &[&Counted]) -> Option<Expr> {
        let (ranges, is_inside) = match self {
            Guard::Inside(ranges) => (ranges, true),
            Guard::Outside(ranges) => (ranges, false),
        };
        let shares = ranges.iter().map(|range| share(range, loops));
        let shares: Vec<Expr> = shares.collect::<Option<_>>()?;
        // What one range says of another one's loop would have to be counted together.
        let is_alone = |range: &GuardRange| {
            let at = loops
                .iter()
                .position(|counted| counted.variable == range.variable);
            let depends = |other: &GuardRange| other.mentions(&range.variable);
            let moves =
                at.is_some_and(|at| loops[at + 1..].iter().any(|l| l.mentions(&range.variable)));
            ranges.len() == 1 || (!ranges.iter().any(depends) && !moves)
        };
        let all = Expr::product(shares);
        ranges.iter().all(is_alone).then(|| {
            if is_inside {
                all
            } else {
                Expr::from(1.0) - all
            }
        })
    }
}

impl GuardRange {
    /// The one value that it leaves.
    fn place(&self) -> Option<&Expr> {
        self.lower
            .as_ref()
            .filter(|lower| self.upper.as_ref() == Some(*lower))
    }

    pub(super) fn mentions(&self, variable: &str) -> bool {
        let ends = [&self.lower, &self.upper];
        ends.into_iter().flatten().any(|end| end.mentions(variable))
    }
}

impl Counted {
    fn mentions(&self, variable: &str) -> bool {
        let ends = [&self.lower, &self.upper, &self.step];
        ends.into_iter().any(|end| end.mentions(variable))
    }

    /// First and last value, the smaller one first.
    fn ends(&self) -> (&Expr, &Expr) {
        match self.step.as_number().is_some_and(|step| step < 0.0) {
            true => (&self.upper, &self.lower),
            false => (&self.lower, &self.upper),
        }
    }
}

/// The share of the iterations of one loop that are in a range.
fn share(range: &GuardRange, loops: &[&Counted]) -> Option<Expr> {
    let at = loops
        .iter()
        .position(|counted| counted.variable == range.variable)?;
    let (around, own) = (&loops[..at], loops[at]);
    let depends =
        |outer: &Counted| range.mentions(&outer.variable) || own.mentions(&outer.variable);
    let moving: Vec<usize> = (0..at).filter(|outer| depends(around[*outer])).collect();
    let (first, last) = own.ends();
    if moving.is_empty() {
        return Some(even_share(range, own));
    }
    if own.step.as_integer().is_none_or(|step| step.abs() != 1) {
        return None;
    }
    let low = later(range.lower.as_ref(), first, around)?;
    let high = earlier(range.upper.as_ref(), last, around)?;
    let (mut some, mut all) = ((high - low + 1.0).expand(), (last - first + 1.0).expand());
    // A range that ends before it begins would count less than nothing.
    if !is_never_negative(&some, around) || !is_never_negative(&all, around) {
        return None;
    }
    for outer in around.iter().rev() {
        if !some.mentions(&outer.variable) && !all.mentions(&outer.variable) {
            continue;
        }
        outer.step.as_integer().filter(|step| step.abs() == 1)?;
        let (low, high) = outer.ends();
        some = some.sum_over(&outer.variable, low, high)?.expand();
        all = all.sum_over(&outer.variable, low, high)?.expand();
    }
    Some(over(some, all))
}

/// The same where the ends of both are always the same.
fn even_share(range: &GuardRange, own: &Counted) -> Expr {
    let (first, last) = own.ends();
    let step = own.step.clone().absolute();
    let low = match &range.lower {
        Some(lower) => Expr::max([lower.clone(), first.clone()]),
        None => first.clone(),
    };
    let high = match &range.upper {
        Some(upper) => Expr::min([upper.clone(), last.clone()]),
        None => last.clone(),
    };
    let (some, all) = match step.as_integer() {
        Some(1) => (high - low + 1.0, last - first + 1.0),
        _ => {
            // Counted from where the loop begins.
            let (begin, sign) = match own.step.as_number().is_some_and(|step| step < 0.0) {
                true => (last, -1.0),
                false => (first, 1.0),
            };
            let steps = |end: Expr| ((end - begin.clone()) * sign).quotient(step.clone());
            let (near, far) = if sign > 0.0 { (low, high) } else { (high, low) };
            let end = if sign > 0.0 { last } else { first };
            (
                steps(far).floor() - steps(near).ceiling() + 1.0,
                steps(end.clone()).floor() + 1.0,
            )
        }
    };
    over(Expr::max([some.expand(), Expr::from(0.0)]), all.expand())
}

/// A share of what may be nothing.
fn over(some: Expr, all: Expr) -> Expr {
    Expr::min([
        some.quotient(Expr::max([all, Expr::from(1.0)])),
        Expr::from(1.0),
    ])
}

/// The later of two first values, where one is the later one in every iteration of the loops around.
fn later(given: Option<&Expr>, first: &Expr, around: &[&Counted]) -> Option<Expr> {
    let Some(given) = given else {
        return Some(first.clone());
    };
    if is_never_negative(&(given - first), around) {
        Some(given.clone())
    } else if is_never_negative(&(first - given), around) {
        Some(first.clone())
    } else {
        None
    }
}

fn earlier(given: Option<&Expr>, last: &Expr, around: &[&Counted]) -> Option<Expr> {
    let Some(given) = given else {
        return Some(last.clone());
    };
    if is_never_negative(&(last - given), around) {
        Some(given.clone())
    } else if is_never_negative(&(given - last), around) {
        Some(last.clone())
    } else {
        None
    }
}

/// Whether an affine expression is zero or more in every iteration of the loops around, sizes being one or more.
fn is_never_negative(expr: &Expr, around: &[&Counted]) -> bool {
    let Some(least) = extreme(expr, around, false) else {
        return false;
    };
    let constant_at_one = least
        .monomials()
        .into_iter()
        .try_fold(0.0, |sum, (monomial, by)| {
            (monomial.is_empty() || by >= 0.0).then_some(sum + by)
        });
    constant_at_one.is_some_and(|least| least >= 0.0)
}
