//! One pass for all capacities against the simulator at each of them.

use loopsheet_cache::{AccessKind, CacheSpec, EveryCapacity, Hierarchy, split_mix};

/// Every capacity by itself: the simulator of one level, emptied at the end.
fn simulated(accesses: &[(u64, bool)], lines: u64) -> (u64, u64) {
    let spec: CacheSpec = format!("{},full", lines * 64).parse().expect("a cache");
    let mut cache = Hierarchy::new(&[spec]).expect("one level");
    for (line, writes) in accesses {
        let kind = if *writes {
            AccessKind::Store
        } else {
            AccessKind::Load
        };
        cache.access(line * 64, 8, kind);
    }
    (
        cache.ram().bytes_read / 64,
        (cache.ram().bytes_written + cache.dirty_bytes()) / 64,
    )
}

#[test]
fn equals_a_simulation_of_each_capacity() {
    for seed in 0..200 {
        let mut state = seed;
        let mut next = |below: u64| {
            state += 1;
            split_mix(state * 7919 + seed) % below
        };
        let (count, distinct) = (next(400), 1 + next(40));
        let accesses: Vec<(u64, bool)> =
            (0..count).map(|_| (next(distinct), next(4) == 0)).collect();
        let mut all = EveryCapacity::new(64).expect("a line");
        accesses
            .iter()
            .for_each(|(line, writes)| all.access(line * 64, 8, *writes, 1));
        for lines in 1..45 {
            assert_eq!(
                (all.moved(0).fetched(lines), all.moved(0).written(lines)),
                simulated(&accesses, lines),
                "seed {seed}, {lines}"
            );
        }
    }
}

#[test]
fn lines_are_fetched_for_who_needs_them_and_written_for_who_changed_them() {
    let mut all = EveryCapacity::new(64).expect("a line");
    for (part, line, writes) in [
        (0, 1, true),
        (0, 2, false),
        (1, 1, false),
        (1, 2, true),
        (2, 1, false),
    ] {
        all.attribute(part);
        all.access(line * 64, 8, writes, 1);
    }
    let moved = |lines: u64| {
        [0, 1, 2, 3].map(|part| {
            (
                all.moved(part).fetched(lines),
                all.moved(part).written(lines),
            )
        })
    };
    assert_eq!(moved(1), [(2, 1), (2, 1), (1, 0), (0, 0)]);
    assert_eq!(moved(2), [(2, 1), (0, 1), (0, 0), (0, 0)]);
}

/// a b c, thrice in all, b written: the third round counts for all later ones.
#[test]
fn later_rounds_of_the_same_lines_can_be_counted_at_once() {
    let round = [(5, false), (9, true), (2, false), (9, false)];
    let mut all = EveryCapacity::new(64).expect("a line");
    for weight in [1, 1, 6] {
        round
            .iter()
            .for_each(|(line, writes)| all.access(line * 64, 8, *writes, weight));
    }
    let accesses: Vec<(u64, bool)> = (0..8).flat_map(|_| round).collect();
    for lines in 1..5 {
        assert_eq!(
            (all.moved(0).fetched(lines), all.moved(0).written(lines)),
            simulated(&accesses, lines),
            "{lines} lines"
        );
    }
}

/// What is forgotten when counting begins anew is that the lines before were moved, not that they are there.
#[test]
fn a_part_of_a_run_has_the_write_backs_that_it_causes() {
    let mut all = EveryCapacity::new(64).expect("a line");
    (0..100).for_each(|line| all.access(line * 64, 8, true, 1));
    all.count_from_here();
    (50..200).for_each(|line| all.access(line * 64, 8, true, 1));
    let moved = |lines| (all.moved(0).fetched(lines), all.moved(0).written(lines));
    // Caches of at most 49 lines fetch lines 50 to 99 again; larger ones still have them, dirty.
    assert_eq!(
        [10, 49, 50, 51, 1000].map(moved),
        [(150, 150), (150, 150), (100, 100), (100, 100), (100, 100)]
    );
}
