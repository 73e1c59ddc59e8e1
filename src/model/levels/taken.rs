//! How many of a reference's lines are touched where a branch on data decides whether it is met?
//!
//! Of the iterations in which it could be met it is in a share p. A line to which several iterations come is left out only if
//! it is met in none of them: of k iterations of the innermost loop, over which those that meet it are spread evenly, and as
//! many times independently as other loops come back to the line:
//!
//! ```text
//! if (b[i] > 0) x[i] = 0;            k = 8, the doubles of a line    all lines, unless p is below an eighth
//! if (b[i] > 0) x[8*i] = 0;          k = 1                           p of the lines
//! if (b[j] > 0) x[8*j] = 0; in i     k = 1, n iterations of i        1 − (1 − p)ⁿ
//!
//! touched = 1 − (1 − min(1, p·k))^m
//! k, m: of a loop that does not move it, all iterations; of one that moves it by less than a line, line / bytes
//! ```
//!
//! Branches that ask for loops in a way that has no closed form are such as well: `if (i % 8 == 0)`. Those that go the same
//! way in all iterations are taken always or never, and a guard, as far as it is one here, may leave nothing.

use super::domain::{Affine, Given, Span, Tiles};
use super::number::Number;
use super::reference::{Guarded, Reference};
use super::reuse::Profiler;
use crate::analysis::facts::Decision;
use crate::expr::{Comparison, Expr, Symbol};
use crate::nest::{Weight, weight_expr};

/// How often a reference is met, of the iterations that its loops and guards leave.
#[derive(Clone, Debug, PartialEq)]
pub struct Taken<N> {
    /// One or nothing, as the branches around it are ever taken or never; where some iterations may decide otherwise than
    /// others, the share of these.
    share: N,
    /// Whether it may be a share.
    is_partial: bool,
}

impl<N> Taken<N> {
    pub fn map<M>(&self, value: &dyn Fn(&N) -> M) -> Taken<M> {
        Taken {
            share: value(&self.share),
            is_partial: self.is_partial,
        }
    }
}

impl Taken<Expr> {
    /// Of ways that lead to it, each through all of its branches.
    pub fn of(ways: &[Weight], decisions: &[(Symbol, Decision)]) -> Taken<Expr> {
        let goes_both_ways = |branch: &Symbol| {
            let decision = decisions.iter().find(|(known, _)| known == branch);
            decision.is_some_and(|(_, one)| matches!(one, Decision::Data | Decision::Loops))
        };
        let mut branches = ways.iter().flatten();
        if !branches.any(|(branch, _)| goes_both_ways(branch)) {
            return Taken {
                share: ever(ways.iter()),
                is_partial: false,
            };
        }
        // A way that goes on where another one ends adds nothing to it.
        let goes_on = |way: &Weight| {
            let mut others = ways.iter().filter(|other| other.len() < way.len());
            others.any(|other| other.iter().all(|step| way.contains(step)))
        };
        let share = |way: &Weight| {
            let (some, all): (Weight, Weight) =
                (way.iter().cloned()).partition(|(branch, _)| goes_both_ways(branch));
            let share = weight_expr(&some, &|branch| Expr::from(branch.clone()));
            match all.is_empty() {
                true => share,
                false => share * ever([&all].into_iter()),
            }
        };
        let shares: Vec<Expr> = ways.iter().filter(|way| !goes_on(way)).map(share).collect();
        Taken {
            share: match shares.as_slice() {
                [share] => share.clone(),
                _ => Expr::min([Expr::from(1.0), Expr::sum(shares)]),
            },
            is_partial: true,
        }
    }

    /// Where one of two is met.
    pub fn or(self, other: Taken<Expr>) -> Taken<Expr> {
        let is_partial = self.is_partial || other.is_partial;
        let share = match self.share == other.share {
            true => self.share,
            false if is_partial => Expr::min([Expr::from(1.0), self.share + other.share]),
            false => Expr::max([self.share, other.share]),
        };
        Taken { share, is_partial }
    }
}

impl Taken<f64> {
    pub fn is_never(&self) -> bool {
        self.share == 0.0
    }

    pub fn is_all_or_nothing(&self) -> bool {
        self.share == 0.0 || self.share == 1.0
    }
}

/// One if any of some ways is ever taken.
fn ever<'w>(ways: impl Iterator<Item = &'w Weight>) -> Expr {
    let way = |weight: &Weight| weight_expr(weight, &|branch| Expr::from(branch.clone()));
    let (none, one) = (Expr::from(0.0), Expr::from(1.0));
    let all = Expr::sum(ways.map(way));
    Expr::choose(Comparison::LessOrEqual, all, none.clone(), none, one)
}

impl<N: Number> Profiler<'_, N> {
    /// The share of the lines of a reference that are touched, with the loops from `level` on swept; `offsets` are those that
    /// count.
    pub fn met(
        &self,
        (reference, offsets): (&Reference<N>, &[Vec<i64>]),
        taken: &Option<Taken<N>>,
        (level, given, tiles): (usize, &[Given<N>], Tiles),
    ) -> N {
        let Some(Taken { share, is_partial }) = taken else {
            return N::of(1.0);
        };
        let (none, one) = (N::of(0.0), N::of(1.0));
        if !is_partial {
            return share.clone();
        }
        // From one use to the next are as many iterations more as are left out: what lies in between is nearly all of it.
        if tiles == Tiles::Full {
            return share.if_at_most(&none, &none, &one);
        }
        let (given, _) = (self.lines).within(&reference.condition.guards, given, Tiles::Mean);
        let spans = self.lines.spans(&given, Tiles::Mean);
        let swept = (level..reference.level).filter(|v| !spans[*v].stands);
        // Of places that are data, each is met once, if the array has as many.
        if reference.gathered.is_some() {
            let Some(whole) = &reference.whole else {
                return share.clone();
            };
            let all = swept.fold(one.clone(), |all, v| all.times(&spans[v].count));
            let visits = all.times(&self.lines.line).over(whole).larger(&one);
            return share.times(&visits).smaller(&one);
        }
        let visits = |v: usize| {
            let count = spans[v].count.larger(&one);
            match self.lines.bytes_apart(reference, v) {
                None => count,
                Some(bytes) => {
                    let of_line = self.lines.line.over(&bytes.larger(&one)).larger(&one);
                    of_line.smaller(&count)
                }
            }
        };
        // Beside a hole, there are the two ends of it, and lines go on from one row to the next.
        let innermost = swept.clone().next_back();
        let ends = |v: usize| match reference.condition.hole.as_slice() {
            [hole] if hole.variable == v => {
                let both = self.outside(hole, &spans[v]);
                Some(self.in_a_line(reference, both))
            }
            _ => None,
        };
        let (mut in_a_row, mut apart) = (one.clone(), one.clone());
        for v in swept.clone() {
            match ends(v) {
                Some(ends) => apart = apart.times(&visits(v).smaller(&ends)),
                None if Some(v) == innermost => in_a_row = visits(v),
                None => apart = apart.times(&visits(v)),
            }
        }
        // Iterations of a loop that moves rows come to the same row at several offsets.
        let moves_rows = |v: usize| {
            let mut across = reference.dimensions.iter().skip(1).flatten();
            across.any(|(w, _)| *w == v)
        };
        let mut rows: Vec<&[i64]> = offsets.iter().map(|offset| &offset[1..]).collect();
        rows.sort_unstable();
        rows.dedup();
        if swept.clone().any(moves_rows) {
            apart = apart.scaled(rows.len() as f64);
        }
        let once = share.times(&in_a_row).smaller(&one);
        if apart.is_one() {
            return once;
        }
        one.minus(&one.minus(&once).power(&apart))
    }

    /// Of elements at both ends of rows, those that lie in one line: one end's where rows begin with lines.
    fn in_a_line(&self, reference: &Reference<N>, both: N) -> N {
        let Some(Some(pitch)) = reference.pitches.get(1) else {
            return both;
        };
        let apart = pitch.scaled(reference.width).over(&self.lines.line);
        let one_end = both.scaled(0.5).larger(&N::of(1.0));
        apart.fraction().if_at_most(&N::of(0.0), &one_end, &both)
    }

    /// Iterations of a loop that a hole in it leaves, one at least.
    fn outside(&self, hole: &Guarded<N>, span: &Span<N>) -> N {
        let end = |end: &Option<Affine<N>>, other: &N| match end {
            Some(end) if end.terms.is_empty() => end.rest.clone(),
            _ => other.clone(),
        };
        let first = end(&hole.lower, &span.low).larger(&span.low);
        let last = end(&hole.upper, &span.high).smaller(&span.high);
        let inside = last.minus(&first).shifted(1.0).not_negative();
        span.count.minus(&inside).larger(&N::of(1.0))
    }
}
