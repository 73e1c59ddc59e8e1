//! How many of a reference's lines are touched where a branch on data decides whether it is met?
//!
//! Of the iterations in which it could be met it is in a share p. A line to which several iterations come is left out only if
//! it is met in none of them: of k iterations of the innermost loop, over which those that meet it are spread evenly, and as
//! many times independently as other loops come back to the line:
//!
//! ```text
//! if (b[i] > 0) x[i] = 0;            k = 8, the doubles of a line    all lines, unless p is below an eighth
//! if (b[i] > 0) x[8*i] = 0;          k = 1                           p of the lines, also in a loop that does not change b
//! if (c[i][j] > 0) x[8*j] = 0;       k = 1, n iterations of i        1 − (1 − p)ⁿ
//!
//! touched = 1 − (1 − min(1, p·k))^m
//! k, m: of a loop that does not move it, all iterations; of one that moves it by less than a line, line / bytes; of one in
//!       which the branch goes the same way in all iterations, one
//! ```
//!
//! Of branches inside each other, of which the inner one is decided in more loops, p of the outer one is that share of its own
//! times what is touched by the inner one in those.
//!
//! Of those that no loop changes together, `row[i] && column[j]`, what each touches is multiplied.
//!
//! A guard, as far as it is one here, may leave nothing.

use super::Between;
use super::domain::{Affine, Given, Span, Tiles};
use super::number::Number;
use super::reference::{Guarded, Reference};
use super::reuse::Profiler;
use super::taken::{Chain, Draw, Taken};

impl<N: Number> Profiler<'_, N> {
    /// The share of the lines of a reference that are touched, with the loops from `level` on swept; `offsets` are those that
    /// count.
    pub fn met(
        &self,
        (reference, offsets): (&Reference<N>, &[Vec<i64>]),
        taken: &Option<Taken<N>>,
        (level, given, tiles): (usize, &[Given<N>], Tiles),
    ) -> N {
        let Some(taken) = taken else {
            return N::of(1.0);
        };
        let Taken { share, chains } = taken;
        let (none, one) = (N::of(0.0), N::of(1.0));
        if !taken.is_partial() {
            return share.clone();
        }
        // From one use to the next are as many iterations more as are left out, unless the same are met each time: what lies
        // in between is nearly all of it.
        let is_another = level
            .checked_sub(1)
            .is_none_or(|around| taken.is_decided_in(around));
        if tiles == Tiles::Full && self.between == Between::All && is_another {
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
        // Iterations of a loop that moves rows come to the same row at several offsets.
        let moves_rows = |v: usize| {
            let mut across = reference.dimensions.iter().skip(1).flatten();
            across.any(|(w, _)| *w == v)
        };
        let mut rows: Vec<&[i64]> = offsets.iter().map(|offset| &offset[1..]).collect();
        rows.sort_unstable();
        rows.dedup();
        // Of the two ends of rows in a line, one belongs to the next row.
        let is_decided = |draw: &Draw<N>, v: usize| {
            let by_rows = || v > level && ends(v).is_some() && draw.is_decided_in(v - 1);
            draw.is_decided_in(v) || by_rows()
        };
        let of_chain = |draws: &Chain<N>| {
            let mut touched = one.clone();
            for (at, draw) in draws.iter().enumerate().rev() {
                let before = at.checked_sub(1).map(|at| &draws[at]);
                let is_own = |v: &usize| {
                    is_decided(draw, *v) && before.is_none_or(|outer| !is_decided(outer, *v))
                };
                let (mut in_a_row, mut apart) = (one.clone(), one.clone());
                for v in swept.clone().filter(is_own) {
                    match ends(v) {
                        Some(ends) => apart = apart.times(&visits(v).smaller(&ends)),
                        None if Some(v) == innermost => in_a_row = visits(v),
                        None => apart = apart.times(&visits(v)),
                    }
                }
                if swept.clone().filter(is_own).any(moves_rows) {
                    apart = apart.scaled(rows.len() as f64);
                }
                let once = draw.share.times(&touched).times(&in_a_row).smaller(&one);
                touched = match apart.is_one() {
                    true => once,
                    false => one.minus(&one.minus(&once).power(&apart)),
                };
            }
            touched
        };
        let all = chains.iter().map(of_chain);
        all.reduce(|all, next| all.times(&next)).unwrap_or(one)
    }

    /// Of elements at both ends of rows, those that lie in one line: one end's where rows begin with lines.
    fn in_a_line(&self, reference: &Reference<N>, both: N) -> N {
        let Some(Some(pitch)) = reference.pitches.get(1) else {
            return both;
        };
        let apart = pitch.scaled(reference.width).over(&self.lines.line);
        let one_end = both.scaled(0.5).larger(&N::of(1.0));
        // Some rows do begin with lines: two ends lie in a little more than one line.
        let lines = (N::of(reference.width).over(&self.lines.line)).shifted(1.0);
        let in_a_line = both.over(&lines);
        (apart.fraction()).if_at_most(&N::of(0.0), &one_end, &in_a_line)
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
