//! Loops while a nest runs: all of their iterations, or those that a window or a look at the corners takes.

use super::code::{self, Body, Op, While};
use super::evaluate::Number;
use super::run::{Flow, Run};
use super::windows::Phase;

/// Parts of a loop of which one iteration is counted.
const PARTS: u64 = 64;

impl Run<'_> {
    pub fn counted(&mut self, inner: &code::Counted) -> Flow {
        let [lower, upper, step] =
            [&inner.lower, &inner.upper, &inner.step].map(|bound| self.integer(bound));
        self.draws_places_unless(lower.known && upper.known && step.known);
        let step = if step.known && step.number != 0 {
            step.number
        } else {
            1
        };
        let (first, trips) = if lower.known && upper.known {
            let trips =
                (i128::from(upper.number) - i128::from(lower.number)) / i128::from(step) + 1;
            let runs = if step > 0 {
                upper.number >= lower.number
            } else {
                upper.number <= lower.number
            };
            (
                lower.number,
                if runs {
                    u64::try_from(trips).unwrap_or(u64::MAX)
                } else {
                    0
                },
            )
        } else {
            (
                if lower.known {
                    lower.number
                } else {
                    self.ends[inner.number]
                },
                inner.trips,
            )
        };
        let after = |count: u64| first.wrapping_add(step.wrapping_mul(count as i64));
        let slot = inner.variable.0 as usize;
        self.known[slot] = true;
        let before = self.iterations[inner.number];
        self.iterations[inner.number] = before.saturating_add(trips);
        let flow = if self
            .windows
            .as_ref()
            .is_some_and(|windows| windows.plan.number == inner.number)
        {
            self.in_windows(inner, (first, step, trips))
        } else if self.corners.is_some() && !inner.carries {
            self.in_corners(inner, (first, step, trips))
        } else {
            self.iterations(inner, (first, step, trips))
        };
        match flow {
            Flow::Next => self.slots[slot] = after(trips),
            Flow::Exit => {}
            other => return other,
        }
        self.ends[inner.number] = self.slots[slot];
        Flow::Next
    }

    /// `trips` iterations, the first with the loop variable at `first`. `Exit` leaves it where it was.
    fn iterations(&mut self, inner: &code::Counted, (first, step, trips): (i64, i64, u64)) -> Flow {
        let slot = inner.variable.0 as usize;
        self.slots[slot] = first;
        match &inner.body {
            Body::Strided(accesses) => {
                let left = self.limit.saturating_sub(self.accesses) / accesses.len() as u64;
                self.strided(accesses, inner.variable, step, trips.min(left));
                if trips > left { Flow::Cut } else { Flow::Next }
            }
            Body::Statements(body) if self.in_parts && !inner.carries && trips > PARTS => {
                self.in_parts(body, slot, (first, step, trips))
            }
            Body::Statements(body) => {
                let before = self.accesses;
                for done in 0..trips {
                    self.slots[slot] = first.wrapping_add(step.wrapping_mul(done as i64));
                    let until_now = self.accesses - before;
                    match self.iteration(body) {
                        Flow::Next => {}
                        Flow::Cut if self.only_count => {
                            self.extrapolate(inner.number, trips, (done, until_now));
                            return Flow::Cut;
                        }
                        other => return other,
                    }
                }
                Flow::Next
            }
        }
    }

    /// Counts iterations in the middle of parts of a loop, each for its whole part.
    fn in_parts(
        &mut self,
        body: &[Op],
        slot: usize,
        (first, step, trips): (i64, i64, u64),
    ) -> Flow {
        let begin = |part: u64| (u128::from(trips) * u128::from(part) / u128::from(PARTS)) as u64;
        for part in 0..PARTS {
            let (begin, end) = (begin(part), begin(part + 1));
            let middle = begin + (end - begin - part % 2) / 2;
            self.slots[slot] = first.wrapping_add(step.wrapping_mul(middle as i64));
            let (accesses, iterations) = (self.accesses, self.iterations.clone());
            match self.iteration(body) {
                Flow::Next => {}
                other => return other,
            }
            let of_all = |now: u64, before: u64| {
                before.saturating_add((now - before).saturating_mul(end - begin))
            };
            self.accesses = of_all(self.accesses, accesses);
            let each = self.iterations.iter_mut().zip(iterations);
            each.for_each(|(now, before)| *now = of_all(*now, before));
        }
        Flow::Next
    }

    /// What a loop would have counted in all its iterations: as in those that were done, or as in the one that was cut.
    fn extrapolate(&mut self, number: usize, trips: u64, (done, accesses): (u64, u64)) {
        let estimate = self.estimate.get_or_insert_default();
        if estimate.iterations.is_empty() {
            estimate.iterations = vec![0; self.iterations.len()];
        }
        let inside = accesses.checked_div(done).unwrap_or(estimate.accesses);
        estimate.accesses = inside.saturating_mul(trips);
        estimate
            .iterations
            .iter_mut()
            .for_each(|count| *count = count.saturating_mul(trips));
        estimate.iterations[number] = trips;
    }

    fn in_corners(&mut self, inner: &code::Counted, (first, step, trips): (i64, i64, u64)) -> Flow {
        let mut done = 0;
        while done < trips {
            let value = first.wrapping_add(step.wrapping_mul(done as i64));
            match self.iterations(inner, (value, step, 1)) {
                Flow::Next => done = next_corner(done, trips),
                other => return other,
            }
        }
        Flow::Next
    }

    /// The iterations that lie in windows.
    fn in_windows(&mut self, inner: &code::Counted, (first, step, trips): (i64, i64, u64)) -> Flow {
        let mut done = 0;
        while done < trips {
            let Some(windows) = &mut self.windows else {
                return Flow::Next;
            };
            let Some(window) = windows.plan.windows.get(windows.next) else {
                return Flow::Cut;
            };
            let unit = windows.unit;
            if unit < window.start {
                let left_out = (window.start - unit).min(trips - done);
                windows.unit += left_out;
                done += left_out;
                continue;
            }
            let until = if unit < window.measured {
                window.measured
            } else {
                window.end
            };
            let count = (until - unit).min(trips - done);
            windows.unit += count;
            let at_end = windows.unit == window.end;
            windows.next += usize::from(at_end);
            let phase = if unit == window.start {
                Some(Phase::WarmUp)
            } else {
                None
            };
            let phase = if unit == window.measured {
                Some(Phase::Measured)
            } else {
                phase
            };
            if let Some(phase) = phase {
                self.flush();
                self.sink.phase(phase);
            }
            let value = first.wrapping_add(step.wrapping_mul(done as i64));
            match self.iterations(inner, (value, step, count)) {
                Flow::Next => done += count,
                other => return other,
            }
            if at_end {
                self.flush();
                self.sink.phase(Phase::End);
            }
        }
        Flow::Next
    }

    /// What a condition says of another round; where only data know it, what was expected.
    fn goes_on(&mut self, condition: Option<Number>, expected: bool) -> bool {
        match condition {
            Some(Number {
                number,
                known: true,
            }) => number != 0,
            _ => {
                self.draws_places_unless(false);
                expected
            }
        }
    }

    pub fn uncounted(&mut self, inner: &While) -> Flow {
        let mut done = 0;
        loop {
            let holds = |run: &mut Self| {
                let value = inner
                    .condition
                    .as_ref()
                    .map(|condition| run.integer(condition));
                run.goes_on(value, done < inner.trips)
            };
            if !inner.tested_last && !holds(self) {
                return Flow::Next;
            }
            self.slots[inner.round.0 as usize] = done as i64;
            match self.iteration(&inner.body) {
                Flow::Next => {}
                Flow::Exit => return Flow::Next,
                other => return other,
            }
            done += 1;
            if inner.tested_last {
                let value = inner
                    .condition
                    .as_ref()
                    .map(|condition| self.integer(condition));
                if !self.goes_on(value, done < inner.trips) {
                    return Flow::Next;
                }
            }
        }
    }
}

/// The first two, the middle and the last two iterations of a loop, then its end: a loop inside may be empty in the first or
/// the last one.
fn next_corner(done: u64, trips: u64) -> u64 {
    let corners = [1, trips / 2, trips.saturating_sub(2), trips - 1];
    let behind = corners.into_iter().find(|corner| *corner > done);
    behind.unwrap_or(trips).min(trips)
}
