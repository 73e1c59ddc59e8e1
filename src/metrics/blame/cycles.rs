//! Pure miss cycles, by the oldest miss under way.

use std::collections::BTreeMap;

use smallvec::SmallVec;

use super::causes::{Cause, Causes, variable_at};
use super::settings::BlameSettings;
use crate::binary::Variable;
use crate::timeline::{Stay, TimedAccess, TimelineSink};
use crate::trace::InstructionId;

/// Shares the pure miss cycles of the nearest level of every hart, or of all harts together where they share it.
pub struct PureMisses {
    variables: Vec<Variable>,
    is_shared: bool,
    harts: BTreeMap<u16, Oldest>,
    causes: Causes,
    /// Who makes the accesses that come next.
    now: Cause,
    accesses: u64,
}

impl PureMisses {
    pub fn new(settings: &BlameSettings, first_shared: Option<usize>) -> PureMisses {
        PureMisses {
            variables: settings.variables.clone(),
            is_shared: first_shared == Some(0),
            harts: BTreeMap::new(),
            causes: Causes::default(),
            now: (InstructionId(0), None),
            accesses: 0,
        }
    }

    /// The accesses that come next are of this instruction.
    pub fn begin(&mut self, instruction: InstructionId, addresses: &[u64]) {
        let variable = addresses.first();
        let variable = variable.and_then(|address| variable_at(&self.variables, *address));
        self.now = (instruction, variable);
    }

    pub fn finish(mut self) -> Causes {
        let causes = &mut self.causes;
        self.harts
            .values_mut()
            .for_each(|hart| hart.settle(u64::MAX, causes));
        self.causes
    }
}

impl TimelineSink for PureMisses {
    fn access(&mut self, access: &TimedAccess) {
        self.accesses += 1;
        let hart = if self.is_shared { 0 } else { access.hart };
        if let Some(stay) = access.stays.first() {
            let hart = self.harts.entry(hart).or_default();
            hart.stay(access.start, *stay, (self.accesses, self.now));
        }
    }

    fn settled(&mut self, cycle: u64) {
        let causes = &mut self.causes;
        self.harts
            .values_mut()
            .for_each(|hart| hart.settle(cycle, causes));
    }
}

/// What changes at one moment.
#[derive(Default)]
struct Change {
    hits: i64,
    begun: SmallVec<[(u64, Cause); 2]>,
    ended: SmallVec<[u64; 2]>,
}

/// One level, stretch by stretch between two moments at which something changes.
#[derive(Default)]
struct Oldest {
    changes: BTreeMap<u64, Change>,
    counted_to: u64,
    hits: i64,
    /// Misses under way by their number in program order.
    misses: BTreeMap<u64, Cause>,
}

impl Oldest {
    fn stay(&mut self, start: u64, stay: Stay, (number, cause): (u64, Cause)) {
        let looked_up = start + stay.hit;
        if stay.hit > 0 {
            self.changes.entry(start).or_default().hits += 1;
            self.changes.entry(looked_up).or_default().hits -= 1;
        }
        if stay.miss > 0 {
            let begin = self.changes.entry(looked_up).or_default();
            begin.begun.push((number, cause));
            let end = self.changes.entry(looked_up + stay.miss).or_default();
            end.ended.push(number);
        }
    }

    /// Shares everything before that cycle; no later stay begins before it.
    fn settle(&mut self, cycle: u64, causes: &mut Causes) {
        while let Some(first) = self.changes.first_entry()
            && *first.key() <= cycle
        {
            let (moment, change) = first.remove_entry();
            let length = moment - self.counted_to;
            if self.hits == 0
                && let Some(oldest) = self.misses.values().next()
            {
                causes.add(*oldest, length);
            }
            self.counted_to = moment;
            self.hits += change.hits;
            for number in change.ended {
                self.misses.remove(&number);
            }
            self.misses.extend(change.begun);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::WaitsFor;
    use smallvec::smallvec;

    fn access(start: u64, hit: u64, miss: u64) -> TimedAccess {
        TimedAccess {
            hart: 0,
            start,
            stays: smallvec![Stay { hit, miss }],
            waits_for: WaitsFor::Memory,
        }
    }

    fn settings() -> BlameSettings {
        BlameSettings {
            window: 64,
            slots: 8,
            variables: Vec::new(),
            with_objects: false,
        }
    }

    /// Wang and Sun 2012, figure 1: cycles 7 and 8 are pure miss cycles; A3, that misses from 6 to 8, has both, as A4 waits in
    /// cycle 6 only.
    #[test]
    fn the_published_example() {
        let mut blame = PureMisses::new(&settings(), None);
        let accesses = [(1, 0), (1, 0), (3, 3), (3, 1), (4, 0)];
        for (number, (start, miss)) in (1..).zip(accesses) {
            blame.begin(InstructionId(number), &[]);
            blame.access(&access(start, 3, miss));
        }
        let causes = blame.finish().sorted();
        assert_eq!(causes, [((InstructionId(3), None), 2)]);
    }

    /// Cycle by cycle: the first in program order of the outstanding misses, where nothing looks up.
    #[test]
    fn random_stays_cycle_by_cycle() {
        let mut state = 1_u64;
        let mut below = |limit: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % limit
        };
        for _ in 0..500 {
            let mut blame = PureMisses::new(&settings(), None);
            let mut cycles = vec![(false, None); 300];
            let mut floor = 0;
            for number in 0..20_u32 {
                let (start, hit) = (floor + below(12), below(4));
                let miss = below(3) * below(20);
                blame.begin(InstructionId(number), &[]);
                blame.access(&access(start, hit, miss));
                let looked_up = (start + hit) as usize;
                cycles[start as usize..looked_up]
                    .iter_mut()
                    .for_each(|own| own.0 = true);
                for own in &mut cycles[looked_up..looked_up + miss as usize] {
                    own.1.get_or_insert(number);
                }
                if below(3) == 0 {
                    floor += below(5);
                    blame.settled(floor);
                }
            }
            let mut expected = Causes::default();
            for (_, oldest) in cycles.into_iter().filter(|(is_hit, _)| !is_hit) {
                if let Some(oldest) = oldest {
                    expected.add((InstructionId(oldest), None), 1);
                }
            }
            assert_eq!(blame.finish().sorted(), expected.sorted());
        }
    }
}
