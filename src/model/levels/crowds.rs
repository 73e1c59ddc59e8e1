//! What references walk through between two touches of their lines, by the loops that move them (`sets`).

use super::domain::{Given, Span, Tiles};
use super::number::Number;
use super::reference::Reference;
use super::reuse::{Context, Profiler};
use super::sets::Crowd;
use super::steps::About;
use crate::catalogue::StaticFigure;

impl<N: Number> Profiler<'_, N> {
    /// Those of references that are moved by more than a row while the loops from `level` on run; each fetches and writes
    /// its lines again.
    pub fn crowds(
        &self,
        (references, lines): (&[usize], &[Vec<N>; 2]),
        times: &N,
        (level, context): (usize, &Context<N>),
    ) -> Vec<Crowd<N>> {
        let moves = |r: &usize| moves_far(&self.references[*r], level);
        // They matter where it is known what irregular lines take.
        if self.unforeseen.is_empty() || !references.iter().any(moves) {
            return Vec::new();
        }
        let spans = self.spans_from(level, context);
        let mut found = Vec::new();
        for (at, r) in references.iter().enumerate().filter(|(_, r)| moves(r)) {
            let reference = &self.references[*r];
            let stored = lines[1][at].times(times);
            let loaded = lines[0][at].times(times).minus(&stored).not_negative();
            let strides = self.strides(reference, (level, &spans));
            let last = strides.iter().max_by_key(|(v, ..)| *v);
            let Some((_, bytes, count)) = last.cloned() else {
                continue;
            };
            let strides = strides.into_iter();
            found.push(Crowd {
                strides: strides.map(|(_, bytes, count)| (bytes, count)).collect(),
                innermost: (bytes, count),
                loaded,
                stored,
            });
        }
        found
    }

    /// Values of the loops from one on, while those around it stand still.
    fn spans_from(&self, level: usize, context: &Context<N>) -> Vec<Span<N>> {
        let mut given = context.given.clone();
        let place = |v: usize| self.lines.names.step(StaticFigure::Place, About::Loop(v));
        for v in 0..level {
            if given[v].place().is_none() {
                let span = self.lines.spans(&given, Tiles::Full).swap_remove(v);
                let middle = self.domain().middle(v, &span, 0, 1);
                given[v] = Given::At((self.lines.name)(place(v), middle));
            }
        }
        self.lines.spans(&given, Tiles::Full)
    }

    /// Loops with their strides in bytes and their counts, along the slowest dimension first.
    fn strides(
        &self,
        reference: &Reference<N>,
        (level, spans): (usize, &[Span<N>]),
    ) -> Vec<(usize, N, N)> {
        let line = &self.lines.line;
        let mut found: Vec<(usize, N, N)> = Vec::new();
        for (d, terms) in reference.dimensions.iter().enumerate().rev() {
            let inside = terms.iter().map(|(v, _)| *v);
            for v in inside.filter(|v| (level..reference.level).contains(v)) {
                // A diagonal moves along several dimensions.
                if found.iter().any(|(known, ..)| *known == v) {
                    continue;
                }
                let Some(stride) = self.lines.bytes_apart(reference, v) else {
                    continue;
                };
                let count = spans[v].count.clone();
                found.push(match d {
                    // Lines of a row.
                    0 => {
                        let lines = count.times(&stride).over(line).larger(&N::of(1.0));
                        let count = stride.if_at_most(line, &lines, &count);
                        (v, stride.larger(line), count)
                    }
                    _ => (v, stride, count),
                });
            }
        }
        found
    }
}

/// Whether a loop from this one on moves a reference along another dimension than its rows.
fn moves_far<N>(reference: &Reference<N>, level: usize) -> bool {
    let inside = |terms: &Vec<(usize, f64)>| {
        (terms.iter()).any(|(v, by)| (level..reference.level).contains(v) && *by != 0.0)
    };
    let has_pitches = reference.pitches.iter().skip(1).all(Option::is_some);
    reference.gathered.is_none() && has_pitches && reference.dimensions.iter().skip(1).any(inside)
}
