//! How often loops of the machine code are entered and go round, from the order in which a function's instructions
//! are executed.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::{After, Left as LeftAt};
use loopsheet_regions::{LoopPlace, Spot};

/// Counts of every loop.
#[derive(Default)]
pub struct RoundsMeter {
    /// By number of the loop: the loop around it.
    parents: Vec<Option<u32>>,
    /// By number of the loop: the loop around it, if both share a header.
    sharing: Vec<Option<u32>>,
    loops: Vec<Rounds>,
    /// Entries by the loop, the one left before it, and the site where that was left.
    after: BTreeMap<(u32, u32, u32), u64>,
    /// How often loops were left, by the loop and the site where.
    exits: FxHashMap<(u32, u32), u64>,
}

/// A loop that was left, with those inside it.
#[derive(Clone, Copy, Debug)]
pub struct Left {
    innermost: u32,
    number: u32,
    site: u32,
    /// What the loop around had done.
    around: Option<(u64, u64)>,
}

/// What was counted of a loop.
pub struct Finished {
    pub rounds: Rounds,
    /// The loops that it was entered after.
    pub after: Vec<After>,
    pub left: Vec<LeftAt>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rounds {
    pub entries: u64,
    /// Executions of the first instruction of the header.
    pub begun: u64,
    /// Left by the test at the top, before the round.
    pub refused: u64,
    /// Rounds since the last entry.
    current: u64,
    /// The fewest and the most of an entry.
    pub range: Option<(u64, u64)>,
}

impl RoundsMeter {
    /// Loops known so far.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// More loops.
    pub fn add(&mut self, loops: &[LoopPlace]) {
        self.parents.extend(loops.iter().map(|one| one.parent));
        self.sharing.extend(
            loops
                .iter()
                .map(|one| one.parent.filter(|_| one.shares_header)),
        );
        self.loops.resize(self.parents.len(), Rounds::default());
    }

    /// An instruction is executed; `before` is what its function executed last in the same call, and `left` the loop
    /// that it has left last.
    #[inline]
    pub fn step(&mut self, spot: &Spot, before: Option<&Spot>, left: &mut Option<Left>) {
        match before {
            None => *left = None,
            Some(before) if before.innermost != spot.innermost => {
                *left = self.left(spot, before).or(*left);
            }
            Some(_) => {}
        }
        let mut opens = spot.opens;
        while let Some(opened) = opens {
            let was_inside = before.is_some_and(|before| self.is_inside(before.innermost, opened));
            if let Some(left) = left.filter(|_| !was_inside) {
                self.follow(opened, left);
            }
            let rounds = &mut self.loops[opened as usize];
            if !was_inside {
                rounds.enter();
            }
            rounds.begun += 1;
            rounds.current += 1;
            opens = self.sharing[opened as usize];
        }
        let mut tests = before.and_then(|before| before.tests);
        while let Some(tested) = tests.filter(|tested| !self.is_inside(spot.innermost, *tested)) {
            let rounds = &mut self.loops[tested as usize];
            rounds.refused += 1;
            rounds.current = rounds.current.saturating_sub(1);
            tests = self.sharing[tested as usize];
        }
    }

    /// The outermost loop that was left with the instruction before.
    fn left(&mut self, spot: &Spot, before: &Spot) -> Option<Left> {
        let innermost = before
            .innermost
            .filter(|one| !self.is_inside(spot.innermost, *one))?;
        let mut number = innermost;
        while let Some(outer) =
            self.parents[number as usize].filter(|outer| !self.is_inside(spot.innermost, *outer))
        {
            number = outer;
        }
        let around = self.parents[number as usize].map(|outer| self.round(outer));
        let mut inner = Some(innermost);
        while let Some(one) = inner {
            *self.exits.entry((one, before.site)).or_default() += 1;
            inner = self.parents[one as usize].filter(|_| one != number);
        }
        Some(Left {
            innermost,
            number,
            site: before.site,
            around,
        })
    }

    /// A loop is entered after another was left.
    fn follow(&mut self, opened: u32, left: Left) {
        let parent = self.parents[opened as usize];
        let is_beside = left.number != opened && self.parents[left.number as usize] == parent;
        if is_beside && left.around == parent.map(|outer| self.round(outer)) {
            let mut inner = Some(left.innermost);
            while let Some(one) = inner {
                *self.after.entry((opened, one, left.site)).or_default() += 1;
                inner = self.parents[one as usize].filter(|_| one != left.number);
            }
        }
    }

    /// Entries and rounds begun so far of a loop, with those that share its header taken as one.
    #[inline]
    pub fn round(&self, mut number: u32) -> (u64, u64) {
        while let Some(outer) = self.sharing[number as usize] {
            number = outer;
        }
        let rounds = &self.loops[number as usize];
        (rounds.entries, rounds.begun)
    }

    /// By number of the loop.
    pub fn finish(self) -> impl Iterator<Item = Finished> {
        let RoundsMeter {
            loops,
            after,
            exits,
            ..
        } = self;
        let exits: BTreeMap<(u32, u32), u64> = exits.into_iter().collect();
        (0u32..).zip(loops).map(move |(number, mut rounds)| {
            rounds.close();
            let own = after.range((number, 0, 0)..=(number, u32::MAX, u32::MAX));
            let own = own.map(|((_, machine_loop, site), entries)| After {
                machine_loop: *machine_loop,
                site: *site,
                entries: *entries,
            });
            let places = exits.range((number, 0)..=(number, u32::MAX));
            let places = places.map(|((_, site), times)| LeftAt {
                site: *site,
                times: *times,
            });
            Finished {
                rounds,
                after: own.collect(),
                left: places.collect(),
            }
        })
    }

    fn is_inside(&self, innermost: Option<u32>, outer: u32) -> bool {
        let mut place = innermost;
        while let Some(number) = place {
            if number == outer {
                return true;
            }
            place = self.parents[number as usize];
        }
        false
    }
}

impl Rounds {
    fn enter(&mut self) {
        self.close();
        self.entries += 1;
        self.current = 0;
    }

    /// The rounds since the last entry were all of it.
    fn close(&mut self) {
        if self.entries > 0 {
            let (fewest, most) = self.range.unwrap_or((self.current, self.current));
            self.range = Some((fewest.min(self.current), most.max(self.current)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(parent: Option<u32>, shares_header: bool) -> LoopPlace {
        LoopPlace {
            name: String::new(),
            function: String::new(),
            line: None,
            parent,
            shares_header,
        }
    }

    fn spot(innermost: Option<u32>, opens: Option<u32>) -> Spot {
        Spot {
            site: 0,
            function: Some(0),
            innermost,
            opens,
            tests: None,
            has_line: true,
            is_first_of_function: false,
            call: None,
            is_return: false,
        }
    }

    /// What a meter of loops at these places has seen of a run.
    fn walked(places: &[LoopPlace], run: &[Spot]) -> RoundsMeter {
        let mut meter = RoundsMeter::default();
        meter.add(places);
        let mut left = None;
        for (at, spot) in run.iter().enumerate() {
            let before = at.checked_sub(1).map(|before| &run[before]);
            meter.step(spot, before, &mut left);
        }
        meter
    }

    #[test]
    fn of_loops_that_share_a_header_the_outer_has_the_rounds_of_both() {
        let (before, header, rest) = (
            spot(None, None),
            spot(Some(1), Some(1)),
            spot(Some(0), None),
        );
        // Entered once; three rounds, of which the inner loop goes round four times, once and twice.
        let run = [
            before, header, header, header, header, rest, header, rest, header, header, rest,
            before,
        ];
        let meter = walked(&[place(None, false), place(Some(0), true)], &run);
        let found: Vec<Rounds> = meter.finish().map(|one| one.rounds).collect();
        assert_eq!(
            (found[0].entries, found[0].begun, found[0].range),
            (1, 7, Some((7, 7)))
        );
        assert_eq!(
            (found[1].entries, found[1].begun, found[1].range),
            (3, 7, Some((1, 4)))
        );
    }

    #[test]
    fn loops_that_are_left_at_once_are_all_told() {
        // Loop 1 holds loop 2; both are left from there, and loop 3 beside loop 1 is entered.
        let inner = Spot {
            site: 7,
            ..spot(Some(2), Some(2))
        };
        let run = [
            spot(None, None),
            spot(Some(0), Some(0)),
            spot(Some(1), Some(1)),
            inner,
            spot(Some(3), Some(3)),
        ];
        let meter = walked(
            &[
                place(None, false),
                place(Some(0), false),
                place(Some(1), false),
                place(Some(0), false),
            ],
            &run,
        );
        let found: Vec<Vec<After>> = meter.finish().map(|one| one.after).collect();
        let from = |machine_loop| After {
            machine_loop,
            site: 7,
            entries: 1,
        };
        assert_eq!(found[3], [from(1), from(2)]);
    }

    #[test]
    fn where_loops_are_left_is_counted() {
        // Left twice at site 7, the second time with the loop around it.
        let exit = Spot {
            site: 7,
            ..spot(Some(1), None)
        };
        let (outer, inner) = (spot(Some(0), Some(0)), spot(Some(1), Some(1)));
        let run = [outer, inner, exit, outer, inner, exit, spot(None, None)];
        let meter = walked(&[place(None, false), place(Some(0), false)], &run);
        let found: Vec<Vec<LeftAt>> = meter.finish().map(|one| one.left).collect();
        let at = |times| vec![LeftAt { site: 7, times }];
        assert_eq!(found, [at(1), at(2)]);
    }

    #[test]
    fn an_entry_after_another_loop_tells_where_that_was_left() {
        // Loops 1 and 2 in loop 0; each round of that one goes through the first, which is left at site 7, and two of
        // three through the second.
        let around = spot(Some(0), Some(0));
        let (first, second) = (spot(Some(1), Some(1)), spot(Some(2), Some(2)));
        let exit = Spot {
            site: 7,
            ..spot(Some(1), None)
        };
        let run = [
            around, first, exit, second, second, around, first, exit, around, first, exit, second,
        ];
        let meter = walked(
            &[
                place(None, false),
                place(Some(0), false),
                place(Some(0), false),
            ],
            &run,
        );
        let found: Vec<Vec<After>> = meter.finish().map(|one| one.after).collect();
        assert_eq!(
            found,
            [
                vec![],
                vec![],
                vec![After {
                    machine_loop: 1,
                    site: 7,
                    entries: 2
                }]
            ]
        );
    }
}
