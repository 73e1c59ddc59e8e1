//! How many iterations loops have together, all of them or those in which conditions on their variables hold.

use super::counted_loop::Counted;
use super::facts::{Guard, GuardRange};
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
        let count = summed_where(Expr::from(1.0), all, loops, MOST_SPLITS)?;
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
    summed_where(trips, conditions, outer, 0)
}

/// Where ends of a range cross each other, both sides are counted on their own so often, one inside another.
const MOST_SPLITS: u32 = 3;

fn summed_where(
    total: Expr,
    mut conditions: Vec<Expr>,
    loops: &[Range],
    splits: u32,
) -> Option<Expr> {
    let Some((range, around)) = loops.split_last() else {
        return Some(guarded(total, conditions));
    };
    let mut total = total;
    let variable = range.variable;
    conditions.retain(|condition| !always_holds(condition, loops));
    let is_moved = |expr: &Expr| expr.mentions(variable);
    if range.step.as_integer().is_none() && !is_moved(&total) && !conditions.iter().any(is_moved) {
        total = total * not_negative(range.iterations());
        return summed_where(total, conditions, around, splits);
    }
    let (lower, upper) = unit_range(range, &mut total, &mut conditions)?;
    let (mut lowers, mut uppers) = (vec![lower], vec![upper]);
    let (narrowing, others): (Vec<Expr>, Vec<Expr>) = conditions
        .into_iter()
        .partition(|condition| condition.mentions(variable));
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
    let crosses = |ends: &[Expr]| {
        let mut others = around.iter();
        splits > 0 && ends.len() > 1 && others.any(|o| ends.iter().any(|e| e.mentions(o.variable)))
    };
    let is_split = crosses(&lowers) || crosses(&uppers);
    let lowers = match crosses(&lowers) {
        true => Ends::each(&lowers, |own, other| own - other),
        false => vec![Ends::together(lowers, Expr::max)],
    };
    let uppers = match crosses(&uppers) {
        true => Ends::each(&uppers, |own, other| other - own),
        false => vec![Ends::together(uppers, Expr::min)],
    };
    let pairs = lowers
        .iter()
        .flat_map(|lower| uppers.iter().map(move |upper| (lower, upper)));
    let of_pair = |(lower, upper): (&Ends, &Ends)| {
        let spans = upper.of.iter().flat_map(|upper| {
            let span = move |lower: &Expr| (upper - lower + 1.0).expand();
            lower.of.iter().map(span)
        });
        let all = others.iter().chain(&lower.where_so).chain(&upper.where_so);
        let conditions = all.cloned().chain(spans).collect();
        let total = total.sum_over(variable, &lower.end, &upper.end)?.expand();
        summed_where(total, conditions, around, splits - u32::from(is_split))
    };
    let sums: Option<Vec<Expr>> = pairs.map(of_pair).collect();
    Some(match sums? {
        mut one if one.len() == 1 => one.remove(0),
        several => Expr::sum(several),
    })
}

/// Where a range begins, or ends.
struct Ends {
    /// The last of several first values, or the first of several last ones.
    end: Expr,
    of: Vec<Expr>,
    /// Affine expressions that are zero or more where it is that.
    where_so: Vec<Expr>,
}

impl Ends {
    fn together(ends: Vec<Expr>, of: fn(Vec<Expr>) -> Expr) -> Ends {
        Ends {
            end: of(ends.clone()),
            of: ends,
            where_so: Vec::new(),
        }
    }

    /// Each of them where it is the one that counts, which it is if it is so far beyond the others; of equals, the last.
    fn each(ends: &[Expr], beyond: fn(&Expr, &Expr) -> Expr) -> Vec<Ends> {
        let of = |at: usize| {
            let others = (0..ends.len()).filter(|other| *other != at);
            let is_beyond = |other: usize| {
                let apart = beyond(&ends[at], &ends[other]);
                (apart - f64::from(u8::from(other > at))).expand()
            };
            Ends {
                end: ends[at].clone(),
                of: vec![ends[at].clone()],
                where_so: others.map(is_beyond).collect(),
            }
        };
        (0..ends.len()).map(of).collect()
    }
}

/// A sum where conditions that no loop is left to narrow hold.
fn guarded(total: Expr, conditions: Vec<Expr>) -> Expr {
    let none = || Expr::from(0.0);
    let is_met = Comparison::GreaterOrEqual;
    let total = total.over_common_denominator();
    extremes(conditions, |a, b| a <= b)
        .into_iter()
        .fold(total, |total, condition| {
            Expr::choose(is_met, condition, none(), total, none())
        })
}

/// Whether a condition (an affine expression ≥ 0) holds wherever the loops around have an iteration: in `k = j, n` inside of
/// `j = 1, i` and `i = 1, n`, `j` never passes `n`.
pub fn always_holds(condition: &Expr, outer: &[Range]) -> bool {
    let least = extreme(condition, outer, false).and_then(|least| least.as_number());
    least.is_some_and(|least| least >= 0.0)
}

/// What a loop runs over, lent.
pub struct Run<'r> {
    variable: &'r str,
    lower: &'r Expr,
    upper: &'r Expr,
    step: &'r Expr,
}

impl<'r> From<&'r Range<'_>> for Run<'r> {
    fn from(range: &'r Range) -> Run<'r> {
        Run {
            variable: range.variable,
            lower: &range.lower,
            upper: &range.upper,
            step: &range.step,
        }
    }
}

impl<'r> From<&&'r Counted> for Run<'r> {
    fn from(counted: &&'r Counted) -> Run<'r> {
        Run {
            variable: &counted.variable,
            lower: &counted.lower,
            upper: &counted.upper,
            step: &counted.step,
        }
    }
}

/// The smallest or largest value of an affine expression in the iterations of some loops, outermost first: their ends are put
/// in for their variables, from inside. `None` where it is not affine, or nobody knows which end comes first.
pub fn extreme<'r, L>(expr: &Expr, loops: &'r [L], largest: bool) -> Option<Expr>
where
    Run<'r>: From<&'r L>,
{
    let mut found = expr.expand();
    for run in loops.iter().rev().map(Run::from) {
        let linear = found.linear_in(&[run.variable])?;
        let slope = &linear.coefficients[0];
        if slope.is_zero() {
            continue;
        }
        let (slope, step) = (slope.as_number()?, run.step.as_number()?);
        let end = match ((slope > 0.0) == largest) == (step > 0.0) {
            true => run.upper,
            false => run.lower,
        };
        found = (linear.rest + end * &Expr::from(slope)).expand();
    }
    Some(found)
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
