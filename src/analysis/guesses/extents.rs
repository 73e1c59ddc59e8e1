//! Other guesses where loops would have no iterations by the first ones, or far too many.
//!
//! Each function is looked at with the guesses that all of them had before, and what they ask for is joined
//! afterwards: so nothing depends on the order of functions, nor on what their variables are called.

use std::collections::BTreeMap;

use super::{Around, FEW, Guesses, NOMINAL, Unknown, each_loop_of};
use crate::facts::Loop;

/// What a size is guessed to be at most so that a loop runs.
const LONGEST: f64 = 64.0 * NOMINAL;
/// A nest of more iterations has loops that count components.
const MOST_ITERATIONS: f64 = 5e8;
/// More loops of one nest that have the same size make it a method that is only used for small ones.
const MOST_SHARING: usize = 4;

impl<'p> Guesses<'p> {
    /// Makes loops run that have no iterations, or one, by the values so far; whether any did not. Of what several
    /// functions make a size, the largest counts.
    pub(super) fn stretch(&mut self) -> bool {
        self.each_function(f64::max, &mut |guesses, function, around, inner| {
            for (unknown, value) in guesses.stretched(function, inner, around) {
                guesses.change(unknown, value);
            }
        })
    }

    /// Lets loops around three others count few, and makes sizes smaller that many loops share, where a nest would never end
    /// else.
    pub(super) fn shrink(&mut self) {
        self.each_function(f64::min, &mut |guesses, function, around, inner| {
            let mut chain = around.to_vec();
            chain.push(inner);
            guesses.shrink_nest(function, &chain);
        });
    }

    /// What each function makes of the values that all of them had before, joined; whether any made something.
    pub(super) fn each_function(
        &mut self,
        join: fn(f64, f64) -> f64,
        look: &mut dyn FnMut(&mut Self, usize, Around<'_, 'p>, &'p Loop),
    ) -> bool {
        let program = self.program;
        let mut joined: BTreeMap<Unknown, f64> = BTreeMap::new();
        for (number, function) in program.functions.iter().enumerate() {
            each_loop_of(&function.body, &mut Vec::new(), &mut |around, inner| {
                look(self, number, around, inner);
            });
            for (unknown, before) in std::mem::take(&mut self.changed) {
                let own = match before {
                    Some(before) => self.values.insert(unknown.clone(), before),
                    None => self.values.remove(&unknown),
                };
                if let Some(own) = own {
                    let all = joined.entry(unknown).or_insert(own);
                    *all = join(*all, own);
                }
            }
        }
        let any = !joined.is_empty();
        self.values.extend(joined);
        any
    }

    /// Another value, for the function at hand.
    pub(super) fn change(&mut self, unknown: Unknown, value: f64) {
        let before = self.values.insert(unknown.clone(), value);
        self.changed.entry(unknown).or_insert(before);
    }

    /// The sizes that a loop needs to run. Those count that most ranges need; of several, all become larger.
    fn stretched(
        &self,
        function: usize,
        inner: &'p Loop,
        around: Around<'_, 'p>,
    ) -> Vec<(Unknown, f64)> {
        let (first, last) = inner.ends();
        let extent = |changed: &Option<(&Unknown, f64)>| {
            let at = |expr| self.evaluate(function, expr, around, changed);
            at(last) - at(first) + 1.0
        };
        let before = extent(&None);
        if before.is_nan() || before > 1.0 {
            return Vec::new();
        }
        let missing = NOMINAL - before;
        let candidates = self.unknowns(function, &[first, last], around).into_iter();
        let candidate = |unknown: Unknown| {
            let evidence = self.evidence.get(&unknown)?;
            if evidence.wider > 0 || evidence.longer <= evidence.shorter || self.is_kept(&unknown) {
                return None;
            }
            let value = self.values.get(&unknown).copied().unwrap_or(NOMINAL);
            let raised = extent(&Some((&unknown, value + NOMINAL)));
            let slope = (raised - before) / NOMINAL;
            (slope > 0.0).then(|| (evidence.longer - evidence.shorter, slope, unknown, value))
        };
        let candidates: Vec<_> = candidates.filter_map(candidate).collect();
        let Some(most) = candidates.iter().map(|candidate| candidate.0).max() else {
            return Vec::new();
        };
        let needed = || candidates.iter().filter(|candidate| candidate.0 == most);
        let slopes: f64 = needed().map(|candidate| candidate.1).sum();
        let by = (missing / slopes).ceil();
        if needed().any(|candidate| candidate.3 + by > LONGEST) {
            // The loop would not run with the longest either: what it needs is no size.
            return Vec::new();
        }
        let larger =
            |(_, _, unknown, value): &(u32, f64, Unknown, f64)| (unknown.clone(), value + by);
        needed().map(larger).collect()
    }

    fn shrink_nest(&mut self, function: usize, chain: &[&'p Loop]) {
        self.shrink_shared(function, chain);
        for at in 0..chain.len() {
            let all = self.guessed_iterations(function, chain);
            if all.is_nan() || all <= MOST_ITERATIONS {
                return;
            }
            for unknown in self.unknowns_of(function, chain, at) {
                let is_far = (self.evidence.get(&unknown)).is_some_and(|e| e.far > e.near);
                if is_far
                    && !self.is_kept(&unknown)
                    && self.values.get(&unknown).is_some_and(|value| *value > FEW)
                {
                    self.change(unknown, FEW);
                }
            }
        }
    }

    /// Makes a size smaller that more than four loops of a nest share: with the usual one no run of it would end.
    fn shrink_shared(&mut self, function: usize, chain: &[&'p Loop]) {
        let mut shared: BTreeMap<Unknown, usize> = BTreeMap::new();
        for at in 0..chain.len() {
            for unknown in self.unknowns_of(function, chain, at) {
                *shared.entry(unknown).or_default() += 1;
            }
        }
        shared.retain(|unknown, loops| *loops > MOST_SHARING && !self.is_kept(unknown));
        for (unknown, loops) in shared {
            let all = self.guessed_iterations(function, chain);
            if all.is_nan() || all <= MOST_ITERATIONS {
                return;
            }
            let Some(before) = self.values.get(&unknown).copied() else {
                continue;
            };
            let fewer = (MOST_ITERATIONS / all).powf(1.0 / loops as f64);
            let value = (before * fewer).floor().max(FEW);
            if value < before {
                self.change(unknown, value);
            }
        }
    }

    /// The iterations of the loops of a nest whose sizes are guessed: what is known of it says nothing of these.
    fn guessed_iterations(&self, function: usize, chain: &[&'p Loop]) -> f64 {
        let extent = |at: usize| {
            let (first, last) = chain[at].ends();
            let value = |expr| self.evaluate(function, expr, &chain[..at], &None);
            (value(last) - value(first) + 1.0).max(1.0)
        };
        let guessed =
            (0..chain.len()).filter(|at| !self.unknowns_of(function, chain, *at).is_empty());
        guessed.map(extent).product()
    }

    fn unknowns_of(&self, function: usize, chain: &[&'p Loop], at: usize) -> Vec<Unknown> {
        let (first, last) = chain[at].ends();
        self.unknowns(function, &[first, last], &chain[..at])
    }
}
