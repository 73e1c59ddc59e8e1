//! Stores, atomics, straddling accesses and several levels, worked by hand.

use loopsheet_cache::AccessKind::{self, Atomic, Load, Store};
use loopsheet_cache::hierarchy::{Atomics, HierarchyError};
use loopsheet_cache::{CacheSpec, Hierarchy, Served};

fn hierarchy(specs: &[&str]) -> Hierarchy {
    let specs: Vec<CacheSpec> = specs
        .iter()
        .map(|text| text.parse().expect("a legal level"))
        .collect();
    Hierarchy::new(&specs).expect("legal levels")
}

/// What each access of eight bytes is served by, 9 for RAM, and the bytes it moves.
fn run(hierarchy: &mut Hierarchy, accesses: &[(u64, AccessKind)]) -> Vec<(u8, u64)> {
    let mut outcome = |(address, kind): &(u64, AccessKind)| {
        let outcome = hierarchy.access(*address, 8, *kind);
        let served = match outcome.served {
            Served::Level(index) => index,
            Served::Memory => 9,
        };
        (served, outcome.ram_bytes)
    };
    accesses.iter().map(&mut outcome).collect()
}

/// One set of two ways. Lines at 0 (A), 64 (B) and 128 (C).
#[test]
fn write_through_stores_touch_nothing() {
    let mut cache = hierarchy(&["128,2way,write-through"]);
    let accesses = [
        (0, Store),  // not brought in
        (0, Load),   // so this misses
        (0, Store),  // goes to RAM all the same
        (0, Load),   // and leaves the line valid
        (64, Load),  // A, B
        (0, Store),  // no use of A
        (128, Load), // so A leaves, unwritten
        (64, Load),
        (0, Load),
    ];
    let expected = [
        (9, 8),
        (9, 64),
        (9, 8),
        (0, 0),
        (9, 64),
        (9, 8),
        (9, 64),
        (0, 0),
        (9, 64),
    ];
    assert_eq!(run(&mut cache, &accesses), expected);
    assert_eq!(
        (cache.ram().bytes_read, cache.ram().bytes_written),
        (256, 24)
    );
    let counters = cache.counters().next().expect("a level");
    assert_eq!(
        (counters.hits, counters.misses, counters.bypasses),
        (2, 4, 3)
    );
    assert_eq!((counters.evictions, counters.write_backs), (2, 0));
    assert_eq!(cache.dirty_bytes(), 0);
}

#[test]
fn write_back_stores_wait_in_the_cache() {
    let mut cache = hierarchy(&["128,2way"]);
    let accesses = [
        (0, Store),   // fetched, dirty
        (8, Load),    // hit
        (64, Load),   // clean
        (128, Load),  // A leaves: 64 in, 64 out
        (192, Store), // B leaves clean
    ];
    assert_eq!(
        run(&mut cache, &accesses),
        [(9, 64), (0, 0), (9, 64), (9, 128), (9, 64)]
    );
    let counters = cache.counters().next().expect("a level");
    assert_eq!((counters.evictions, counters.write_backs), (2, 1));
    assert_eq!((counters.bytes_in, counters.bytes_out), (256, 64));
    assert_eq!(cache.dirty_bytes(), 64);
}

#[test]
fn atomics_are_one_look_up_or_none() {
    let accesses = [(0, Atomic), (0, Atomic), (0, Load)];
    assert_eq!(
        run(&mut hierarchy(&["128,2way"]), &accesses),
        [(9, 64), (0, 0), (0, 0)]
    );
    assert_eq!(
        run(&mut hierarchy(&["128,2way,write-through"]), &accesses),
        [(9, 72), (9, 8), (0, 0)]
    );
    let mut bypassed = hierarchy(&["128,2way,write-through"]).with_atomics(Atomics::Bypass);
    assert_eq!(run(&mut bypassed, &accesses), [(9, 16), (9, 16), (9, 64)]);
}

/// The first level has one line, the second two, so that lines leave the first for the second.
#[test]
fn dirty_lines_go_from_level_to_level() {
    let mut caches = hierarchy(&["64,1way", "128,full"]);
    let accesses = [
        (0, Store),  // A: both levels, dirty in the first
        (64, Load),  // B: both; A is written to the second, no RAM traffic but B
        (128, Load), // C: A, older than B in the second, leaves it dirty
        (64, Load),  // B: hit in the second
    ];
    assert_eq!(
        run(&mut caches, &accesses),
        [(9, 64), (9, 64), (9, 128), (1, 0)]
    );
    let counters: Vec<_> = caches.counters().copied().collect();
    assert_eq!(
        (
            counters[0].misses,
            counters[0].evictions,
            counters[0].write_backs
        ),
        (4, 3, 1)
    );
    assert_eq!(
        (
            counters[1].hits,
            counters[1].misses,
            counters[1].write_backs
        ),
        (1, 3, 1)
    );
    assert_eq!(caches.ram().bytes_written, 64);
}

#[test]
fn write_through_in_front_of_write_back_stores_into_the_second() {
    let mut caches = hierarchy(&["64,1way,write-through", "256,4way"]);
    let accesses = [
        (0, Store), // brought into the second level, dirty there
        (0, Load),  // so the first misses and the second hits
        (0, Store), // ends in the second
        (8, Load),  // the first still has it
    ];
    assert_eq!(
        run(&mut caches, &accesses),
        [(9, 64), (1, 0), (1, 0), (0, 0)]
    );
    assert_eq!((caches.ram().bytes_written, caches.dirty_bytes()), (0, 64));
}

#[test]
fn straddling_accesses_take_the_farther_of_both() {
    let mut caches = hierarchy(&["128,2way", "256,4way"]);
    assert_eq!(
        run(&mut caches, &[(0, Load), (60, Load), (60, Store)]),
        [(9, 64), (9, 64), (0, 0)]
    );
    assert_eq!(caches.dirty_bytes(), 128);
    // The last bytes of the address space; what would lie behind them is left out.
    assert_eq!(
        run(&mut caches, &[(u64::MAX - 3, Load), (u64::MAX - 63, Load)]),
        [(9, 64), (0, 0)]
    );
}

/// Half of a long line may be dirty in a nearer level; RAM is written in long lines.
#[test]
fn longer_lines_behind_are_fetched_whole() {
    let mut caches = hierarchy(&["64,1way", "256,1way,128B"]);
    let accesses = [
        (0, Store),  // 128 bytes from RAM
        (64, Load),  // hit in the second
        (256, Load), // same set of the second: the dirty 128 leave, 128 come
        (0, Store),  // and back
        (256, Load), // the second loses line 0, clean there; then the dirty half comes and fetches it again
    ];
    assert_eq!(
        run(&mut caches, &accesses),
        [(9, 128), (1, 0), (9, 256), (9, 128), (9, 256)]
    );
    assert_eq!(caches.dirty_bytes(), 128);
}

#[test]
fn levels_that_do_not_fit_each_other_are_refused() {
    let new = |specs: &[&str]| {
        let specs: Vec<CacheSpec> = specs
            .iter()
            .map(|text| text.parse().expect("a legal level"))
            .collect();
        Hierarchy::new(&specs).err().expect("no hierarchy")
    };
    assert_eq!(new(&[]), HierarchyError::NoLevel);
    assert_eq!(
        new(&["1KiB"; 5]),
        HierarchyError::TooManyLevels { levels: 5 }
    );
    assert_eq!(
        new(&["2KiB", "1KiB"]),
        HierarchyError::Shrinks {
            level: 2,
            bytes: 1024,
            nearer: 2048
        }
    );
    assert_eq!(
        new(&["1KiB", "2KiB,32B"]),
        HierarchyError::LineShrinks {
            level: 2,
            line: 32,
            nearer: 64
        }
    );
    let broken = CacheSpec {
        line: 48,
        ..CacheSpec::of_bytes(4096)
    };
    assert!(matches!(
        Hierarchy::new(&[broken]).err(),
        Some(HierarchyError::Level { level: 1, .. })
    ));
}
