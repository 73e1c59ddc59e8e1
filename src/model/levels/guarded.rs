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

use super::domain::{Affine, Given, Span, Tiles};
use super::number::Number;
use super::reference::{Condition, Guarded, Lines, Reference};

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
        if !reference.condition.hole.is_empty() {
            return self.around(reference, offsets, given, tiles, sides);
        }
        let stands = |guard: &Guarded<N>| given[guard.variable].place().is_some();
        let (shaping, others): (Vec<Guarded<N>>, Vec<Guarded<N>>) = reference
            .condition
            .guards
            .iter()
            .cloned()
            .partition(|guard| guard.is_coupled() && !stands(guard));
        let (given, share) = self.within(&others, given, tiles);
        let unguarded = Reference {
            condition: Condition::always(),
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

    /// Lines outside of a hole: those of the slabs around it, first before and behind it along one loop, then along the next
    /// one in what is left. Where a loop comes back to the same elements outside of the hole, the hole leaves out nothing.
    fn around(
        &self,
        reference: &Reference<N>,
        offsets: (&[Vec<i64>], Option<&(N, N)>),
        given: &[Given<N>],
        tiles: Tiles,
        sides: bool,
    ) -> N {
        let guards = &reference.condition.guards;
        let with = |more: &[Guarded<N>]| Reference {
            condition: Condition {
                guards: [guards, more].concat(),
                hole: Vec::new(),
            },
            ..reference.clone()
        };
        let of = |more: &[Guarded<N>]| self.of(&with(more), offsets, given, tiles, sides);
        let Some(hole) = sides_of_a_hole(reference, given) else {
            return of(&[]);
        };
        let ends = hole.split_last().and_then(|(own, others)| {
            let (row, apart) = self.both_ends(reference, offsets.0, own, given, tiles)?;
            let rows: Vec<Vec<i64>> = (offsets.0.iter())
                .map(|offset| [&[0], &offset[1..]].concat())
                .collect();
            let joined = self.of(&with(others), (&rows, Some(&row)), given, tiles, sides);
            Some((apart, joined))
        });
        let of_slabs = |at: usize| {
            let (inside, own) = (&hole[..at], &hole[at]);
            let slabs = own.sides().into_iter().flatten();
            N::sum(slabs.map(|side| of(&[inside, &[side]].concat())))
        };
        let last = hole.len() - 1;
        let along = match ends {
            Some((apart, joined)) => apart.if_at_most(&N::of(0.0), &joined, &of_slabs(last)),
            None => of_slabs(last),
        };
        N::sum((0..last).map(of_slabs)).plus(&along)
    }

    /// A reference to what lies outside of a hole along several loops, slab by slab, none of which has a hole.
    pub fn slabs(reference: &Reference<N>, given: &[Given<N>]) -> Option<Vec<Reference<N>>> {
        let hole = sides_of_a_hole(reference, given).filter(|hole| hole.len() > 1)?;
        let of_slab = |at: usize, side: Guarded<N>| {
            let guards = [&reference.condition.guards[..], &hole[..at], &[side]].concat();
            Reference {
                condition: Condition {
                    guards,
                    hole: Vec::new(),
                },
                ..reference.clone()
            }
        };
        let each = (0..hole.len()).flat_map(|at| {
            let sides = hole[at].sides().into_iter().flatten();
            sides.map(move |side| (at, side))
        });
        Some(each.map(|(at, side)| of_slab(at, side)).collect())
    }

    /// What a hole leaves at both ends of rows, as one: the end of a row and the beginning of the next one. Gives where that
    /// begins and its length, and the elements that lie between the two.
    fn both_ends(
        &self,
        reference: &Reference<N>,
        offsets: &[Vec<i64>],
        own: &Guarded<N>,
        given: &[Given<N>],
        tiles: Tiles,
    ) -> Option<((N, N), N)> {
        let (v, first) = (own.variable, offsets.first()?.first()?);
        let range = &self.domain.loops[v];
        let spans = self.spans(given, tiles);
        let (along, across) = reference.dimensions.split_first()?;
        let goes_on = across.first()?.iter().any(|(w, _)| !spans[*w].stands);
        let mut others = across.iter().flatten();
        let is_plain = *along == [(v, 1.0)]
            && others.all(|(w, _)| *w != v)
            && range.known_step == Some(1.0)
            && offsets.iter().all(|offset| offset[0] == *first)
            && !own.is_coupled()
            && (0..spans.len()).all(|w| w == v || !self.domain.coupled(v, w))
            && goes_on;
        if !is_plain || spans[v].stands {
            return None;
        }
        let pitch = reference.pitches.get(1)?.as_ref()?;
        let before = own.lower.as_ref()?.rest.minus(&spans[v].low).not_negative();
        let behind = spans[v]
            .high
            .minus(&own.upper.as_ref()?.rest)
            .not_negative();
        let begin = reference.bases[0]
            .plus(&spans[v].low)
            .shifted(*first as f64);
        let row = (begin.minus(&behind), before.plus(&behind));
        Some((row, pitch.minus(&spans[v].count)))
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
            let (low, high) = self.on_its_steps(v, ends(guard, &spans), &spans[v]);
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

    /// The ends of a part of a loop by steps, of which the first value is one that it takes.
    fn on_its_steps(&self, v: usize, (low, high): (N, N), span: &Span<N>) -> (N, N) {
        let range = &self.domain.loops[v];
        let Some(step) = range.known_step.filter(|step| *step != 1.0) else {
            return (low, high);
        };
        // Rounded up, as ⌊−n⌋ = −⌈n⌉.
        let steps = |less: &N, more: &N| less.minus(more).scaled(1.0 / step).floor().scaled(step);
        match range.descending {
            true => (low, span.high.plus(&steps(&high, &span.high))),
            false => (span.low.minus(&steps(&span.low, &low)), high),
        }
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

/// The ranges of a hole, those along rows last; nothing where a loop comes back to the same elements outside of it.
fn sides_of_a_hole<N: Number>(
    reference: &Reference<N>,
    given: &[Given<N>],
) -> Option<Vec<Guarded<N>>> {
    let moves = |guard: &Guarded<N>| {
        let v = guard.variable;
        let mut dimensions = reference.dimensions.iter();
        given[v].place().is_some() || dimensions.any(|d| matches!(d[..], [(w, _)] if w == v))
    };
    let mut hole = reference.condition.hole.clone();
    if !hole.iter().all(moves) {
        return None;
    }
    hole.sort_by_key(|guard| {
        let mut row = reference.dimensions[0].iter();
        (row.any(|(v, _)| *v == guard.variable), guard.variable)
    });
    Some(hole)
}

impl<N: Number> Guarded<N> {
    /// The ranges before and behind it.
    fn sides(&self) -> [Option<Guarded<N>>; 2] {
        let end = |end: &Option<Affine<N>>, by: f64| {
            let Affine { terms, rest } = end.clone()?;
            let rest = rest.shifted(by);
            Some(Affine { terms, rest })
        };
        let side = |lower: Option<Affine<N>>, upper: Option<Affine<N>>| Guarded {
            variable: self.variable,
            lower,
            upper,
        };
        [
            end(&self.lower, -1.0).map(|upper| side(None, Some(upper))),
            end(&self.upper, 1.0).map(|lower| side(Some(lower), None)),
        ]
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
