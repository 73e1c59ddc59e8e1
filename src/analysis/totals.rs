//! How many iterations loops have together, all of them or those in which conditions on their variables hold.

use super::facts::{Guard, GuardRange};
use super::guards::Counted;
use crate::expr::{Comparison, Expr, Function};

/// What a loop runs over.
#[derive(Clone)]
pub struct Range<'a> {
    pub variable: &'a str,
    pub lower: Expr,
    pub upper: Expr,
    pub step: Expr,
}

impl Range<'_> {
    pub fn mentions(&self, variable: &str) -> bool {
        [&self.lower, &self.upper, &self.step]
            .iter()
            .any(|end| end.mentions(variable))
    }

    /// ⌊(upper − lower)/step⌋ + 1; may be negative for an empty loop.
    pub fn iterations(&self) -> Expr {
        let Range {
            lower, upper, step, ..
        } = self;
        let span = (upper - lower).expand();
        match step.as_integer() {
            Some(1) => span + 1.0,
            Some(-1) => (-span) + 1.0,
            Some(_) => span.quotient(step.clone()).floor() + 1.0,
            // A step of zero never ends; as the value of a parameter it is not a loop at all.
            None => {
                let trips = span.quotient(step.clone()).floor() + 1.0;
                let (none, zero) = (Expr::from(0.0), Expr::from(0.0));
                Expr::choose(Comparison::NotEqual, step.clone(), zero, trips, none)
            }
        }
    }
}

impl Counted {
    pub fn range(&self) -> Range<'_> {
        Range {
            variable: &self.variable,
            lower: self.lower.clone(),
            upper: self.upper.clone(),
            step: self.step.clone(),
        }
    }
}

/// More conditions that leave ranges out than these are not counted: each doubles the sums.
const MOST_LEFT_OUT: usize = 6;

/// The iterations of loops, outermost first, in which all of some conditions hold; `None` if that has no closed form.
pub fn iterations_where(loops: &[Range], guards: &[Guard]) -> Option<Expr> {
    let (mut inside, mut outside) = (Vec::new(), Vec::new());
    for guard in guards {
        match guard {
            Guard::Inside(ranges) => inside.extend(conditions(ranges)),
            Guard::Outside(ranges) => outside.push(conditions(ranges)),
        }
    }
    if outside.len() > MOST_LEFT_OUT {
        return None;
    }
    // What all of some ranges leave out is taken away once too often by each of the others.
    let chosen = |set: u32| (0..outside.len()).filter(move |at| set >> at & 1 == 1);
    let of_set = |set: u32| {
        let left_out = chosen(set).flat_map(|at| outside[at].clone());
        let all = inside.iter().cloned().chain(left_out).collect();
        let count = summed_where(Expr::from(1.0), all, loops)?;
        Some(match set.count_ones() % 2 {
            0 => count,
            _ => -count,
        })
    };
    let counts: Option<Vec<Expr>> = (0..1 << outside.len()).map(of_set).collect();
    Some(Expr::sum(counts?).expand())
}

/// Affine expressions that are zero or more where all variables are in their ranges.
fn conditions(ranges: &[GuardRange]) -> Vec<Expr> {
    let of = |range: &GuardRange| {
        let variable = || Expr::symbol(&range.variable);
        let ends =
            |end: &Option<Expr>, of| end.as_ref().map_or(Vec::new(), |end| end.alternatives(of));
        let lowers = ends(&range.lower, Function::Max).into_iter();
        let uppers = ends(&range.upper, Function::Min).into_iter();
        let after = lowers.map(move |lower| (variable() - lower).expand());
        let before = uppers.map(move |upper| (upper - variable()).expand());
        after.chain(before).collect::<Vec<Expr>>()
    };
    ranges.iter().flat_map(of).collect()
}

/// The variables of loops that say where a condition holds, with those that move the ends of their loops.
pub fn involved<'l>(guard: &Guard, loops: &[Range<'l>]) -> Vec<&'l str> {
    let (Guard::Inside(ranges) | Guard::Outside(ranges)) = guard;
    let is_asked = |variable: &str| {
        let mut ranges = ranges.iter();
        ranges.any(|range| range.variable == variable || range.mentions(variable))
    };
    with_movers(&is_asked, loops)
}

/// The variables of loops that are meant, with those that move the ends of their loops.
pub fn with_movers<'l>(is_meant: &dyn Fn(&str) -> bool, loops: &[Range<'l>]) -> Vec<&'l str> {
    let mut found: Vec<&str> = Vec::new();
    for at in (0..loops.len()).rev() {
        let variable = loops[at].variable;
        let moves = |inner: &Range| found.contains(&inner.variable) && inner.mentions(variable);
        if is_meant(variable) || loops[at + 1..].iter().any(moves) {
            found.push(variable);
        }
    }
    found
}

/// A count that no empty loop makes less than nothing.
pub fn not_negative(trips: Expr) -> Expr {
    Expr::max([trips, Expr::from(0.0)])
}

/// Sums the trip count over the ranges of the loops around, innermost first. Where a loop is empty,
/// its count must not go below zero: the condition that it is not (an affine expression ≥ 0) narrows
/// the range of the next loop outside that it depends on, or else guards the whole sum.
pub fn summed(trips: Expr, outer: &[Range]) -> Option<Expr> {
    let conditions = vec![trips.clone()];
    summed_where(trips, conditions, outer)
}

fn summed_where(trips: Expr, mut conditions: Vec<Expr>, outer: &[Range]) -> Option<Expr> {
    let mut total = trips;
    for (at, range) in outer.iter().enumerate().rev() {
        let variable = range.variable;
        conditions.retain(|condition| !always_holds(condition, &outer[..=at]));
        let is_moved = |expr: &Expr| expr.mentions(variable);
        if range.step.as_integer().is_none()
            && !is_moved(&total)
            && !conditions.iter().any(is_moved)
        {
            total = total * not_negative(range.iterations());
            continue;
        }
        let (lower, upper) = unit_range(range, &mut total, &mut conditions)?;
        let (mut lowers, mut uppers) = (vec![lower], vec![upper]);
        let (narrowing, others): (Vec<Expr>, Vec<Expr>) = conditions
            .into_iter()
            .partition(|condition| condition.mentions(variable));
        conditions = others;
        for condition in narrowing {
            // slope·variable + rest ≥ 0
            let linear = condition.linear_in(&[variable])?;
            let slope = linear.coefficients[0].as_integer()?;
            let crossing = match slope.abs() {
                1 => linear.rest,
                steepness => linear.rest.quotient(Expr::from(steepness)).floor(),
            };
            match slope > 0 {
                true => lowers.push((-crossing).expand()),
                false => uppers.push(crossing),
            }
        }
        let lowers = extremes(lowers, |a, b| a >= b);
        let uppers = extremes(uppers, |a, b| a <= b);
        let spans = uppers.iter().flat_map(|upper| {
            lowers
                .iter()
                .map(move |lower| (upper - lower + 1.0).expand())
        });
        conditions.extend(spans);
        total = total
            .sum_over(variable, &Expr::max(lowers), &Expr::min(uppers))?
            .expand();
    }
    let total = total.over_common_denominator();
    let guarded = |total: Expr, condition: Expr| {
        Expr::choose(
            Comparison::GreaterOrEqual,
            condition,
            Expr::from(0.0),
            total,
            Expr::from(0.0),
        )
    };
    Some(
        extremes(conditions, |a, b| a <= b)
            .into_iter()
            .fold(total, guarded),
    )
}

/// Whether a condition (an affine expression ≥ 0) holds wherever the loops around have an iteration: in `k = j, n` inside of
/// `j = 1, i` and `i = 1, n`, `j` never passes `n`.
pub fn always_holds(condition: &Expr, outer: &[Range]) -> bool {
    let mut least = condition.clone();
    for range in outer.iter().rev() {
        let Some(linear) = least.linear_in(&[range.variable]) else {
            return false;
        };
        let (Some(slope), Some(step)) =
            (linear.coefficients[0].as_number(), range.step.as_number())
        else {
            return false;
        };
        let bound = if (slope > 0.0) == (step > 0.0) {
            &range.lower
        } else {
            &range.upper
        };
        least = (linear.rest + bound * &Expr::from(slope)).expand();
    }
    least.as_number().is_some_and(|least| least >= 0.0)
}

/// The range of a loop in steps of one, ascending. With any other step the loop variable is replaced
/// by one that counts the iterations from zero.
fn unit_range(range: &Range, total: &mut Expr, conditions: &mut [Expr]) -> Option<(Expr, Expr)> {
    let (lower, upper) = (range.lower.clone(), range.upper.clone());
    match range.step.as_integer()? {
        1 => Some((lower, upper)),
        -1 => Some((upper, lower)),
        step => {
            let value = &lower + &(&Expr::symbol(range.variable) * &Expr::from(step));
            let replace = |expr: &Expr| expr.with(range.variable, &value).expand();
            *total = replace(total);
            conditions
                .iter_mut()
                .for_each(|condition| *condition = replace(condition));
            Some((Expr::from(0.0), range.iterations() - 1.0))
        }
    }
}

/// The expressions without those that another one makes needless: `wins(a, b)` says whether `a` does
/// that to `b`, where their difference is a number.
fn extremes(candidates: Vec<Expr>, wins: fn(f64, f64) -> bool) -> Vec<Expr> {
    let mut kept: Vec<Expr> = Vec::new();
    for candidate in candidates {
        let beats = |a: &Expr, b: &Expr| a.distance(b).is_some_and(|distance| wins(distance, 0.0));
        if !kept.iter().any(|other| beats(other, &candidate)) {
            kept.retain(|other| !beats(&candidate, other));
            kept.push(candidate);
        }
    }
    kept
}
