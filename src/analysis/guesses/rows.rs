//! How long the rows of a flattened array are, `p[j*stride + 3*i]`, where no loop says it: long enough for what the loops walk.

use super::{Around, Guesses, Unknown};
use crate::facts::{Loop, Stream};

/// Longer ones are none that rows are made for.
const LONGEST: f64 = 1e6;

impl<'p> Guesses<'p> {
    /// Makes rows longer into which the rows before would reach, by the values so far. Of what several functions make a
    /// stride, the largest counts.
    pub(super) fn widen_rows(&mut self) {
        self.each_function(f64::max, &mut |guesses, function, around, inner| {
            let mut chain = around.to_vec();
            chain.push(inner);
            for stream in &inner.body.streams {
                if let Some((unknown, value)) = guesses.widened(function, stream, &chain) {
                    guesses.change(unknown, value);
                }
            }
        });
    }

    /// The one symbol by which rows are too short, and the value by which they are not.
    fn widened(
        &self,
        function: usize,
        stream: &Stream,
        around: Around<'_, 'p>,
    ) -> Option<(Unknown, f64)> {
        let (subscript, (first, last)) = (
            stream.subscripts.first()?,
            stream.extents.first()?.as_ref()?,
        );
        let has_rows = stream.subscripts.len() > 1 && subscript.gather.is_none();
        let mut unknowns = self.unknowns(function, &[last], around);
        let unknown = unknowns.pop().filter(|_| has_rows && unknowns.is_empty())?;
        let before = *self.values.get(&unknown)?;
        let is_only_stride = self.evidence.get(&unknown)?.is_of_no_loop();
        if !is_only_stride || !first.is_zero() || self.is_kept(&unknown) {
            return None;
        }
        let walk = self.walked(function, stream, around)?;
        let length = |value: f64| {
            let changed = Some((&unknown, value));
            self.evaluate(function, last, around, &changed) + 1.0
        };
        let (own, slope) = (length(before), length(before + 1.0) - length(before));
        let value = before + ((walk - own) / slope).ceil();
        (walk > own && slope > 0.0 && value <= LONGEST).then_some((unknown, value))
    }

    /// Elements of a row from the first to the last one that loops walk.
    fn walked(&self, function: usize, stream: &Stream, around: Around<'_, 'p>) -> Option<f64> {
        let at = |expr| self.evaluate(function, expr, around, &None);
        let offsets = || stream.accesses.iter().map(|access| access.offset[0]);
        let (first, last) = (offsets().min()?, offsets().max()?);
        let subscript = &stream.subscripts[0];
        let (mut low, mut high) = (first as f64, last as f64);
        for (name, by) in &subscript.terms {
            let walker: &Loop = around.iter().rev().find(|l| l.variable == *name)?;
            let (first, last) = walker.ends();
            let ends = [at(by) * at(first), at(by) * at(last)];
            low += ends[0].min(ends[1]);
            high += ends[0].max(ends[1]);
        }
        let base = at(&subscript.base);
        // Rows begin at their first element, unless the walk comes before it.
        let (low, high) = (low + base, high + base);
        Some(high - low.min(0.0) + 1.0).filter(|walk| walk.is_finite())
    }
}
