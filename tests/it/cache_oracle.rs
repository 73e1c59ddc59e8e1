//! Cache hierarchies against a slow and obvious simulator, stack distances against a list.

use std::ops::Range;

use crate::slow_cache::SlowHierarchy;
use loopsheet_cache::hierarchy::{Atomics, Served};
use loopsheet_cache::spec::{Policy, Ways, WritePolicy};
use loopsheet_cache::{AccessKind, CacheSpec, Hierarchy, ReuseHistogram, StackDistances};
use proptest::prelude::*;

type Access = (u64, u32, AccessKind);

fn any_kind() -> impl Strategy<Value = AccessKind> {
    prop_oneof![
        5 => Just(AccessKind::Load),
        4 => Just(AccessKind::Store),
        1 => Just(AccessKind::Atomic),
    ]
}

/// One level: everything but the size, and the number of sets.
fn any_shape() -> impl Strategy<Value = (u32, u64, u32, Policy, WritePolicy)> {
    let ways = prop_oneof![
        Just(1u32),
        Just(2),
        Just(3),
        Just(4),
        Just(7),
        Just(8),
        Just(16),
        Just(33),
        Just(64)
    ];
    let sets = prop_oneof![2 => Just(0u64), 3 => 1..=8u64];
    let policy = prop_oneof![
        2 => Just(Policy::Lru),
        1 => Just(Policy::Fifo),
        1 => Just(Policy::Plru),
        1 => any::<u64>().prop_map(|seed| Policy::Random { seed }),
    ];
    let write = prop_oneof![2 => Just(WritePolicy::Back), 1 => Just(WritePolicy::Through)];
    (ways, sets, 0..=1u32, policy, write)
}

/// One to four levels, of growing sizes and lines; no sets stand for a fully associative level.
fn any_hierarchy() -> impl Strategy<Value = Vec<CacheSpec>> {
    (2..=5u32, prop::collection::vec(any_shape(), 1..=4)).prop_map(|(mut line_bits, shapes)| {
        let mut specs: Vec<CacheSpec> = Vec::new();
        for (ways, sets, longer, policy, write) in shapes {
            line_bits += if specs.is_empty() { 0 } else { longer };
            let ways = if policy == Policy::Plru {
                ways.next_power_of_two()
            } else {
                ways
            };
            let way = u64::from(ways) << line_bits;
            let mut bytes = way * sets.max(1);
            while specs.last().is_some_and(|nearer| bytes < nearer.bytes) {
                bytes *= 2;
            }
            let ways = if sets == 0 {
                Ways::Full
            } else {
                Ways::Fixed(ways)
            };
            specs.push(CacheSpec {
                bytes,
                ways,
                line: 1 << line_bits,
                policy,
                write,
                latency_cycles: None,
            });
        }
        specs
    })
}

/// Accesses of 1 to 40 bytes that stay in a few hot places or roam over twice the largest level.
fn any_accesses(specs: &[CacheSpec]) -> impl Strategy<Value = Vec<Access>> + use<> {
    let roam: Range<u64> = 0..2 * specs.last().expect("a level").bytes + 64;
    let hot: Range<u64> = 0..specs[0].bytes + 16;
    let address = prop_oneof![roam, hot, (0..64u64)];
    let bytes = prop_oneof![8 => 1..=8u32, 1 => 9..=40u32];
    prop::collection::vec((address, bytes, any_kind()), 1..1500)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn hierarchies_are_the_slow_ones(
        (specs, accesses) in any_hierarchy().prop_flat_map(|specs| {
            let accesses = any_accesses(&specs);
            (Just(specs), accesses)
        }),
        bypass in any::<bool>(),
    ) {
        let atomics = if bypass { Atomics::Bypass } else { Atomics::Cached };
        let mut fast = Hierarchy::new(&specs).expect("legal levels").with_atomics(atomics);
        let mut slow = SlowHierarchy::new(&specs, atomics);
        for (number, (address, bytes, kind)) in accesses.iter().enumerate() {
            let (got, expected) = (fast.access(*address, *bytes, *kind), slow.access(*address, *bytes, *kind));
            prop_assert_eq!(got, expected, "access {} of {:?}", number, specs);
        }
        let counters: Vec<_> = fast.counters().copied().collect();
        prop_assert_eq!(&counters, &slow.counters());
        prop_assert_eq!(fast.ram(), slow.ram);
        prop_assert_eq!(fast.dirty_bytes(), slow.dirty_bytes());
        // What leaves the last level on its far side is what RAM sees.
        let last = counters.last().expect("a level");
        prop_assert_eq!((last.bytes_in, last.bytes_out), (fast.ram().bytes_read, fast.ram().bytes_written));
    }

    /// Mattson et al.: with the same sets and one more way, LRU hits whatever it hit before.
    #[test]
    fn lru_with_more_ways_holds_what_it_held(
        sets in 1..=9u64,
        ways in 1..=40u32,
        addresses in prop::collection::vec(0..6000u64, 1..1200),
    ) {
        let level = |ways| {
            let spec = CacheSpec { ways: Ways::Fixed(ways), ..CacheSpec::of_bytes(sets * u64::from(ways) * 64) };
            Hierarchy::new(&[spec]).expect("a legal level")
        };
        let (mut smaller, mut larger) = (level(ways), level(ways + 1));
        for address in addresses {
            let (small, large) = (
                smaller.access(address, 1, AccessKind::Load).served,
                larger.access(address, 1, AccessKind::Load).served,
            );
            prop_assert!(large <= small);
        }
    }
}

/// Lines from the most to the least recently touched.
#[derive(Default)]
struct List(Vec<u64>);

impl List {
    fn touch(&mut self, line: u64) -> Option<u64> {
        let place = self.0.iter().position(|other| *other == line);
        if let Some(place) = place {
            self.0.remove(place);
        }
        self.0.insert(0, line);
        place.map(|place| place as u64)
    }
}

/// A xorshift generator, for streams that are the same in every run.
struct Stream(u64);

impl Stream {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }
}

/// Runs, jumps and hot spots over so many lines, which lie `stride` apart.
fn touches(seed: u64, lines: u64, count: usize, stride: u64) -> Vec<u64> {
    let mut stream = Stream(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut touches = Vec::with_capacity(count + 32);
    while touches.len() < count {
        let start = stream.below(lines);
        match stream.below(4) {
            0 => {
                touches.extend((start..start + stream.below(32)).map(|line| line % lines * stride))
            }
            1 => touches.extend((0..stream.below(12)).map(|n| (start + n % 3) % lines * stride)),
            2 => touches.push(stream.below(lines.min(20)) * stride),
            _ => touches.push(start * stride),
        }
    }
    touches
}

#[test]
fn stack_distances_are_places_in_a_list() {
    for seed in 0..240 {
        let lines = [1, 2, 7, 8, 9, 10, 30, 100, 500, 1500][seed as usize % 10];
        let stride = [1, 3, 16, 64, 4097, 1 << 40][seed as usize % 6];
        let mut distances = StackDistances::new(64).expect("a line");
        let mut list = List::default();
        for (number, line) in touches(seed, lines, 3000, stride).into_iter().enumerate() {
            assert_eq!(
                distances.touch(line),
                list.touch(line),
                "touch {number} of stream {seed}"
            );
        }
        assert_eq!(distances.distinct_lines(), list.0.len() as u64);
    }
}

/// Long enough that the axis of last touches is moved together many times, and wide enough that it grows.
#[test]
fn stack_distances_last() {
    for (lines, count) in [(20, 200_000), (3000, 300_000), (30_000, 150_000)] {
        let mut distances = StackDistances::new(64).expect("a line");
        let mut list = List::default();
        for (number, line) in touches(lines, lines, count, 5).into_iter().enumerate() {
            assert_eq!(
                distances.touch(line),
                list.touch(line),
                "touch {number} of {lines} lines"
            );
        }
    }
}

#[test]
fn distances_tell_the_misses_of_every_capacity() {
    for seed in 0..40 {
        let touches = touches(seed, 300, 4000, 1);
        let mut distances = StackDistances::new(64).expect("a line");
        let mut histogram = ReuseHistogram::default();
        touches
            .iter()
            .for_each(|line| histogram.record(distances.touch(*line)));
        for capacity in [1, 2, 3, 8, 9, 16, 31, 32, 33, 64, 100, 299, 300, 301] {
            let spec = CacheSpec {
                ways: Ways::Full,
                ..CacheSpec::of_bytes(capacity * 64)
            };
            let mut cache = Hierarchy::new(&[spec]).expect("a legal level");
            let missed = touches.iter().filter(|line| {
                let outcome = cache.access(**line * 64 + 8, 8, AccessKind::Load);
                outcome.served == Served::Memory
            });
            assert_eq!(
                histogram.misses_at(capacity),
                missed.count() as u64,
                "{capacity} lines, stream {seed}"
            );
        }
        assert_eq!(histogram.accesses(), touches.len() as u64);
        assert_eq!(
            histogram.bins().iter().map(|bin| bin.count).sum::<u64>() + histogram.cold(),
            touches.len() as u64
        );
    }
}
