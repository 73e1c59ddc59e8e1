//! How many lines does a reference touch that only some iterations come to, as under `if (j == 3)`?
//!
//! A condition on loop variables leaves a range of a loop ([`Guarded`]). Two cases:
//!
//! ```text
//! loop j is swept        the lines of what the guard leaves of j: [3, 3] in place of [1, n]
//! loop j stands still    the mean over all its places: the lines at a place where the condition holds,
//!                        times the share of such places, 1/n; where loops inside of j repeat something, over
//!                        those of one of three parts: before, at and behind 3 (`narrow`)
//! ```
//!
//! A guard whose end another loop moves (`if (i <= j)`) becomes a bound of the loop, so that the slices that
//! triangles are cut into serve it as well. Conditions on data are not guards: they are probabilities
//! (`touched`). A condition whose two arms cannot be told by ranges is marked in `doubts`.

use super::domain::{Given, Span, Tiles};
use super::number::Number;
use super::reference::{Guarded, Lines, Reference};

impl<N: Number> Lines<'_, N> {
    /// Distinct lines, as [`Lines::of`] has them, of the iterations in which a reference is met: loops run over what the
    /// guards leave of their ranges, and of a loop that stands still it is the mean over all places.
    pub fn guarded(
        &self,
        reference: &Reference<N>,
        offsets: (&[Vec<i64>], Option<&(N, N)>),
        given: &[Given<N>],
        tiles: Tiles,
        sides: bool,
    ) -> N {
        let stands = |guard: &Guarded<N>| given[guard.variable].place().is_some();
        let (shaping, others): (Vec<Guarded<N>>, Vec<Guarded<N>>) = reference
            .guards
            .iter()
            .cloned()
            .partition(|guard| guard.is_coupled() && !stands(guard));
        let (given, share) = self.within(&others, given, tiles);
        let unguarded = Reference {
            guards: Vec::new(),
            ..reference.clone()
        };
        // Ends that other loops move shape the range of the loop, as its own bounds do.
        let mut domain = self.domain.clone();
        for Guarded {
            variable,
            lower,
            upper,
        } in shaping
        {
            domain.loops[variable].lowers.extend(lower);
            domain.loops[variable].uppers.extend(upper);
        }
        let lines = Lines {
            domain: &domain,
            line: self.line.clone(),
            origin: self.origin.clone(),
            name: self.name,
            names: self.names,
        };
        lines
            .of(&unguarded, offsets, &given, tiles, sides)
            .times(&share)
    }

    /// What the guards leave of what is said of the loops, and their share of the places of those that stand still.
    pub fn within(
        &self,
        guards: &[Guarded<N>],
        given: &[Given<N>],
        tiles: Tiles,
    ) -> (Vec<Given<N>>, N) {
        let (mut left, mut share) = (given.to_vec(), N::of(1.0));
        for guard in guards {
            let v = guard.variable;
            let stands = given[v].place().is_some();
            let mut all = left.clone();
            // Its share of the places is asked for, not whether the one at which it stands is among them: all or nothing
            // where it stands in a part that the guard begins or ends.
            match &given[v] {
                Given::At(_) => all[v] = Given::Free,
                Given::AtOf(_, (low, high)) => all[v] = Given::Between(low.clone(), high.clone()),
                Given::Free | Given::Between(..) | Given::Within(..) => {}
            }
            let spans = self.spans(&all, tiles);
            let (low, high) = ends(guard, &spans);
            if stands {
                let some = self.steps(v, &low, &high);
                let whole = spans[v].count.larger(&N::of(1.0));
                share = share.times(&some.over(&whole).smaller(&N::of(1.0)));
            } else {
                let is_fixed = matches!(left[v], Given::Free | Given::Within(..))
                    && !guard.is_coupled()
                    && self.domain.is_fixed(v);
                left[v] = match is_fixed {
                    true => Given::Within(low, high),
                    false => Given::Between(low, high),
                };
            }
        }
        (left, share)
    }

    /// Values of a loop from one to another.
    fn steps(&self, v: usize, low: &N, high: &N) -> N {
        let apart = high.minus(low);
        let steps = match self.domain.loops[v].known_step {
            Some(1.0) => apart,
            _ => apart.over(&self.domain.loops[v].step).floor(),
        };
        steps.shifted(1.0).not_negative()
    }
}

impl<N> Guarded<N> {
    /// Whether loops further out move an end.
    pub fn is_coupled(&self) -> bool {
        let mut ends = [&self.lower, &self.upper].into_iter().flatten();
        ends.any(|end| !end.terms.is_empty())
    }

    /// Whether it makes the range of a loop depend on another one, or another one's on it.
    pub fn shapes(&self, v: usize) -> bool {
        let mut ends = [&self.lower, &self.upper].into_iter().flatten();
        let moves = ends.any(|end| end.terms.iter().any(|(outer, _)| *outer == v));
        moves || (self.variable == v && self.is_coupled())
    }
}

/// First and last value that a guard leaves of a loop.
fn ends<N: Number>(guard: &Guarded<N>, spans: &[Span<N>]) -> (N, N) {
    let span = &spans[guard.variable];
    let low = guard.lower.as_ref().map(|end| end.extreme(spans, false));
    let high = guard.upper.as_ref().map(|end| end.extreme(spans, true));
    (
        low.map_or(span.low.clone(), |low| low.larger(&span.low)),
        high.map_or(span.high.clone(), |high| high.smaller(&span.high)),
    )
}
