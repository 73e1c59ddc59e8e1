//! What does a loop touch that moves a reference along two dimensions at once?
//!
//! Where it alone moves one of the rows' dimensions, it comes to another row each time, and begins it elsewhere: the
//! distance of two rows is then that of both moves together ([`Reference::oblique`]).
//!
//! ```text
//! a[j][j + i], i < 12, rows of 1000 doubles:   1,001 elements from one row's start to the next one's: each begins one
//!                                              further in a line, though rows themselves all begin with a line
//! ```
//!
//! Where others move every dimension that it moves, but for the contiguous one, the box that these others walk is
//! shifted with it, and the union of all the shifted boxes is no box:
//!
//! ```text
//! a[j + i][i], j < 6, i < 4        rows that a column has: 6; of all columns together: 9
//!
//! x . . .      a line of w columns has the 6 rows of the first of them, and one more for each further one: so rows · lines
//! x x . .      of a row, and (columns − lines of a row) · new rows
//! x x x .
//! x x x x      the rows that a shift adds are those of the box, less those that it has in common with its shifted self
//! …            ([`Shear`]): 6·7 − 5·6 of 6 × 7 rows that are shifted by one along both dimensions
//! ```

use super::domain::{Domain, Given, Shear, Span, Tiles};
use super::geometry::Geometry;
use super::number::Number;
use super::reference::{Extent, LONG_STRIDE, Lines, Reference};
use super::rows::{Row, alignment};
use crate::analysis::facts::Stream;
use crate::expr::{Expr, Lookup, Symbol};
use crate::footprint::Columns;
use crate::nest::Nest;

impl<N: Number> Reference<N> {
    /// The dimension along which a loop counts: the last one that no other one moves, or else the last.
    pub fn own(&self, v: usize, spans: &[Span<N>]) -> Option<usize> {
        let free = |terms: &[(usize, f64)]| terms.iter().filter(|(v, _)| !spans[*v].stands).count();
        let moves = |terms: &[(usize, f64)]| terms.iter().any(|(other, _)| *other == v);
        let alone = self
            .dimensions
            .iter()
            .rposition(|terms| moves(terms) && free(terms) == 1);
        alone.or_else(|| self.dimensions.iter().rposition(|terms| moves(terms)))
    }

    /// The dimensions across rows in which only loops move it that also move it along its rows, but do not walk these: where
    /// a row begins follows from both together.
    pub fn oblique(&self, spans: &[Span<N>], offsets: &[Vec<i64>]) -> Vec<usize> {
        let Some(row) = self.dimensions.first() else {
            return Vec::new();
        };
        let is_both = |(v, by): &(usize, f64)| {
            let along = row.iter().find(|(w, _)| w == v);
            along.is_some_and(|(_, along)| along.abs() < LONG_STRIDE)
                && by.abs() < LONG_STRIDE
                && (spans[*v].stands || self.own(*v, spans) != Some(0))
        };
        let is_known = |d: usize| matches!(self.pitches.get(d), Some(Some(_)));
        let is_even = |d: usize| offsets.iter().all(|offset| offset[d] == offsets[0][d]);
        (1..self.dimensions.len())
            .filter(|d| {
                let terms = &self.dimensions[*d];
                !terms.is_empty() && terms.iter().all(is_both) && is_known(*d) && is_even(*d)
            })
            .collect()
    }

    /// Elements by which a loop that goes on to the next row moves the reference along its other dimensions meanwhile: in
    /// `a(i, j, i, j)` of rows of m, one row follows m·n·m elements later than the next one of the array. `None` if that is
    /// not known.
    pub fn beside(&self, walker: usize) -> Option<N> {
        let by = |d: usize| {
            let terms = self.dimensions[d].iter();
            terms
                .filter(|(v, _)| *v == walker)
                .map(|(_, by)| by)
                .sum::<f64>()
        };
        let across = by(1);
        let mut further = N::of(by(0) * across);
        for d in (2..self.dimensions.len()).filter(|d| by(*d) != 0.0) {
            let pitch = self.pitches.get(d)?.as_ref()?;
            further = further.plus(&pitch.scaled(by(d) * across));
        }
        Some(further)
    }

    /// Elements by which a step of a loop moves a reference along some dimensions.
    pub fn across(&self, v: usize, dimensions: &[usize]) -> Option<N> {
        let step = |d: &usize| {
            let (_, by) = self.dimensions[*d].iter().find(|(w, _)| *w == v)?;
            Some(self.pitches.get(*d)?.as_ref()?.scaled(*by))
        };
        dimensions.iter().filter_map(step).reduce(|a, b| a.plus(&b))
    }

    /// Elements before the first place of some dimensions.
    pub fn before(&self, dimensions: &[usize], offset: &[i64]) -> N {
        let place = |d: &usize| {
            let pitch = self.pitches.get(*d)?.as_ref()?;
            Some(self.bases[*d].shifted(offset[*d] as f64).times(pitch))
        };
        N::sum(dimensions.iter().filter_map(place))
    }

    /// The loops that move it along several dimensions, none of which but the contiguous one they move alone.
    pub fn shears(&self, spans: &[Span<N>]) -> Vec<Shear> {
        let moves = |d: usize, v: usize| self.dimensions[d].iter().any(|(w, _)| *w == v);
        let further = |d: usize, v: usize| (d + 1..self.dimensions.len()).any(|e| moves(e, v));
        let all = self.dimensions.iter().enumerate();
        let mut variables: Vec<usize> = all
            .flat_map(|(d, terms)| terms.iter().map(move |(v, _)| (d, *v)))
            .filter(|(d, v)| !spans[*v].stands && further(*d, *v))
            .map(|(_, v)| v)
            .collect();
        variables.sort_unstable();
        variables.dedup();
        let free = |d: usize| {
            let terms = self.dimensions[d].iter();
            terms.filter(|(v, _)| !spans[*v].stands).count()
        };
        let shear = |v: usize| {
            let moved: Vec<usize> = (0..self.dimensions.len())
                .filter(|d| moves(*d, v))
                .collect();
            let is_shear = moved.iter().all(|d| *d == 0 || free(*d) > 1);
            is_shear.then_some(Shear {
                variable: v,
                along: moved[0] == 0,
            })
        };
        variables.into_iter().filter_map(shear).collect()
    }

    /// The one loop that shifts the box that others walk, if there is only one, and no other one walks along the rows that
    /// it walks.
    pub fn shear(&self, spans: &[Span<N>]) -> Option<Shear> {
        let [shear] = self.shears(spans)[..] else {
            return None;
        };
        let mut row = self.dimensions[0].iter();
        (!shear.along || row.all(|(v, _)| *v == shear.variable || spans[*v].stands))
            .then_some(shear)
    }
}

impl<N: Number> Lines<'_, N> {
    /// The lines of rows that a loop shifts, beyond those of the rows that it finds at its first place.
    pub fn shifted(
        &self,
        (reference, shear): (&Reference<N>, Shear),
        (columns, row, extents): (&[Columns], &Row<N>, &[Extent<N>]),
        spans: &[Span<N>],
    ) -> N {
        let none = N::of(0.0);
        let by = |d: usize| {
            let term = reference.dimensions[d]
                .iter()
                .find(|(v, _)| *v == shear.variable);
            term.map_or(0.0, |term| self.stride(term)) / extents[d].stride
        };
        // A box that is shifted between its own places has none in common with itself.
        let is_apart = (1..extents.len()).any(|d| by(d).fract() != 0.0);
        let left = |d: usize| {
            extents[d]
                .positions
                .shifted(-by(d).min(LONG_STRIDE))
                .not_negative()
        };
        N::sum(columns.iter().map(|column| {
            let count = |positions: &dyn Fn(usize) -> N| {
                N::sum(column.count.iter().map(|(walked, coefficient)| {
                    let product = walked.iter().map(|d| positions(*d));
                    product.fold(N::of(*coefficient as f64), |n, extent| n.times(&extent))
                }))
            };
            let all = count(&|d| extents[d].positions.clone());
            let in_common = match is_apart {
                true => none.clone(),
                false => (1..extents.len()).fold(count(&left), |rows, d| match by(d) {
                    0.0 => rows,
                    _ => left(d).if_at_most(&none, &none, &rows),
                }),
            };
            let new = all.minus(&in_common).not_negative();
            let lines = row.lines(column, true);
            let further = match shear.along {
                true => row.length.minus(&lines),
                false => spans[shear.variable].count.shifted(-1.0).times(&lines),
            };
            new.times(&further.not_negative())
        }))
    }
}

/// Whether some reference of a nest is shifted in a way that the rule does not know: by several loops, at several offsets,
/// with ends that move, or so that rows begin at the same place of a line though they are no lines apart.
pub fn is_doubtful(
    nest: &Nest,
    geometry: &Geometry,
    value: &dyn Fn(&Symbol) -> Option<f64>,
) -> bool {
    // So in most nests, which need not be taken apart.
    let moves_two = |stream: &Stream| {
        let names = |at: usize| stream.subscripts[at].terms.iter().map(|(name, _)| name);
        (1..stream.subscripts.len())
            .any(|at| names(at).any(|name| (0..at).any(|b| names(b).any(|other| other == name))))
    };
    if !nest.streams.iter().any(|used| moves_two(&used.stream)) {
        return false;
    }
    let all = vec![Given::Free; geometry.domain.loops.len()];
    let spans = geometry.domain.spans(&all, Tiles::Full);
    let is_sheared = |reference: &Reference<Expr>| {
        reference.gathered.is_none() && !reference.shears(&spans).is_empty()
    };
    if !geometry.references.iter().any(is_sheared) {
        return false;
    }
    let number = |expr: &Expr| expr.evaluate(&value as &dyn Lookup).unwrap_or(f64::NAN);
    let (domain, references) = geometry.map(&number);
    let spans = domain.spans(&vec![Given::Free; domain.loops.len()], Tiles::Full);
    let sheared = geometry.references.iter().zip(&references);
    let mut sheared = sheared.filter(|(reference, _)| is_sheared(reference));
    sheared.any(|(_, reference)| !is_known(&domain, reference, &spans))
}

/// Whether the rule is right about a reference that some loop shifts.
fn is_known(domain: &Domain<f64>, reference: &Reference<f64>, spans: &[Span<f64>]) -> bool {
    let Some(shear) = reference.shear(spans) else {
        return false;
    };
    let v = shear.variable;
    let across = || {
        let dimensions = reference.dimensions.iter().enumerate().skip(1);
        dimensions.filter_map(|(d, terms)| {
            let (_, by) = terms.iter().find(|(w, _)| *w == v)?;
            Some((d, *by, terms.iter().filter(move |(w, _)| *w != v)))
        })
    };
    let is_one = reference
        .offsets
        .iter()
        .all(|offset| offset[..] == reference.offsets[0][..]);
    let is_even = |w: usize| w == v || !domain.coupled(w, v) && !domain.coupled(v, w);
    let mut moving = reference.dimensions.iter().flatten();
    if !is_one || !moving.all(|(w, by)| is_even(*w) && by.abs() < LONG_STRIDE) {
        return false;
    }
    // Between the places of the others there is room for all that it is shifted by, or it is shifted from one to another.
    let step = |w: usize, by: f64| domain.loops[w].known_step.map(|step| (step * by).abs());
    let fits = |(by, others): (f64, Vec<(usize, f64)>)| {
        let shift = step(v, by)?;
        let [(w, other)] = others[..] else {
            return (shift == 1.0).then_some(true);
        };
        let place = step(w, other)?;
        // A place that several shifts come to is found again later than the rule has it.
        Some(shift == place || shift * (spans[v].count - 1.0) < place)
    };
    let mut all = across();
    let all_fit = all.all(|(_, by, others)| fits((by, others.copied().collect())).unwrap_or(false));
    // Rows that are no lines apart may still begin at one place of a line each, with what shifts them.
    let line = LINE / reference.width;
    let along = reference.dimensions[0].iter().find(|(w, _)| *w == v);
    let is_spread = along.is_none_or(|(_, along)| {
        across().all(|(d, by, _)| {
            let pitch = reference.pitches.get(d).copied().flatten();
            pitch.is_none_or(|pitch| {
                alignment(&[pitch], &line) >= alignment(&[pitch + along / by], &line)
            })
        })
    });
    all_fit && is_spread
}

/// Bytes of a line.
const LINE: f64 = 64.0;
