//! Bandwidth and latency of the levels of the memory hierarchy.

use std::hint::black_box;

use super::conflicts;
use super::irregular::{self, Before};
use super::rounds::{Measured, nanoseconds};
use super::vectors::Vectors;
use super::{Cache, Figure};

/// The figures of a cache, or of memory behind the last one. `installed` are the bytes of the last cache with those that
/// other cores have of it: what is measured of memory must not lie there either. `reach` are the bytes whose pages the TLB
/// holds.
pub fn level(
    vectors: Vectors,
    at: usize,
    caches: &[Cache],
    installed: usize,
    ghz: f64,
    reach: Option<f64>,
) -> Vec<Figure> {
    let bytes = working_set(at, caches, installed);
    let gbs = bandwidth(vectors, bytes, at == 0);
    let (each, latency, bytes_at_random) = waited_for(at, caches, installed, reach);
    let bytes_behind = caches.get(at).map_or(bytes, |_| bytes_at_random);
    let (how_fast, how_long) = (
        format!(
            "the median of load, copy and triad over {} KiB",
            bytes / 1024
        ),
        format!(
            "loads that wait for each other, at random over {} KiB, less what the cache before it has",
            bytes_behind / 1024
        ),
    );
    let lines = latency.over(each);
    let how_many = format!(
        "its latency over the time of one of many loads, at random over {} KiB, less what the cache before it has",
        bytes_behind / 1024,
    );
    match caches.get(at) {
        Some(cache) => vec![
            Figure::new(format!("l{}_gbs", cache.level), gbs, how_fast),
            Figure::new(
                format!("l{}_latency_cycles", cache.level),
                latency.map(|time| (time * ghz).round()),
                how_long,
            ),
        ]
        .into_iter()
        .chain(
            (at > 0)
                .then(|| Figure::new(format!("l{}_irregular_lines", cache.level), lines, how_many)),
        )
        .chain(match at {
            1 => conflicts::of_cache(&caches[0], latency.value, ghz),
            _ => Vec::new(),
        })
        .collect(),
        None => vec![
            Figure::new(
                "access_overlap",
                access_overlap(vectors, bytes, caches, gbs),
                "what nine neighbours in a grid take in memory, less their bytes at dram_gbs, over what they take in L1: loads and stores that do not wait",
            ),
            Figure::new("dram_gbs", gbs, how_fast),
            Figure::new("dram_latency_ns", latency, how_long),
            Figure::new("dram_irregular_lines", lines, how_many),
        ],
    }
}

/// Nanoseconds of one of many loads at random in a level, of one that is waited for, and the bytes that these went over:
/// no more than the TLB reaches, if that is well more than the cache before it has.
fn waited_for(
    at: usize,
    caches: &[Cache],
    installed: usize,
    reach: Option<f64>,
) -> (Measured, Measured, usize) {
    let line = caches.first().map_or(64, |cache| cache.line);
    let all = working_set(at, caches, installed);
    let before = at.checked_sub(1).and_then(|at| caches.get(at));
    let within = |reach: f64| (reach * 0.75) as usize;
    let bytes = match (reach.map(within), before, caches.get(at)) {
        (Some(reach), Some(before), Some(_)) if 2 * reach >= 3 * before.bytes => all.min(reach),
        _ => all,
    };
    let found = (irregular::random(bytes, line), latency(bytes, line));
    let before = before.map(|cache| {
        let inside = working_set(at - 1, caches, installed);
        Before {
            bytes: cache.bytes,
            each: irregular::random(inside, line).value,
            latency: latency(inside, line).value,
        }
    });
    let (each, latency) = irregular::of_level(bytes, found, before);
    (each, latency, bytes)
}

/// The last cache as large as a core really gets it, where others have parts of it: loads beyond are as slow as memory's.
pub fn last_cache(vectors: Vectors, caches: &[Cache]) -> Option<Figure> {
    let [.., before, last] = caches else {
        return None;
    };
    let load_time = |bytes: usize| {
        let n = bytes / size_of::<f64>();
        let a = vec![1e-3; n];
        let time = nanoseconds(|| {
            black_box(load(vectors, black_box(&a)));
        });
        time.value / n as f64
    };
    let bytes = irregular::last_cache(last.clone(), before.clone(), load_time);
    (bytes < last.bytes / 3 * 2).then(|| {
        let measured = Measured {
            value: bytes as f64,
            spread: 0.0,
        };
        let how = format!(
            "loads of more are nearer to memory's speed than to its own; the system says {} KiB, which others share",
            last.bytes / 1024
        );
        Figure::new(format!("l{}_bytes", last.level), measured, how)
    })
}

/// Memory that is measured behind a last cache of unknown size or a small one, and at most.
const LEAST_OF_MEMORY: usize = 64 << 20;
const MOST_OF_MEMORY: usize = 512 << 20;

/// Bytes that fill a level and none before it.
fn working_set(at: usize, caches: &[Cache], installed: usize) -> usize {
    match (
        caches.get(at),
        at.checked_sub(1).and_then(|before| caches.get(before)),
    ) {
        (Some(cache), None) => cache.bytes / 2,
        // Not all of it is this program's; well more than the level before.
        (Some(cache), Some(before)) => (cache.bytes / 4).max(2 * before.bytes).min(cache.bytes),
        (None, Some(last)) => {
            (4 * installed.max(last.bytes)).clamp(LEAST_OF_MEMORY, MOST_OF_MEMORY)
        }
        (None, None) => LEAST_OF_MEMORY,
    }
}

/// Bytes a nanosecond between a level and the one before it. The first level has no lines to fetch before a store and to
/// write back.
fn bandwidth(vectors: Vectors, bytes: usize, is_first: bool) -> Measured {
    let elements = |arrays: usize| bytes / size_of::<f64>() / arrays;
    let stored = if is_first { 1.0 } else { 2.0 };
    let rates = [
        {
            let n = elements(1);
            let a = vec![1e-3; n];
            let time = nanoseconds(|| {
                black_box(load(vectors, black_box(&a)));
            });
            time.map(|time| 8.0 * n as f64 / time)
        },
        {
            let n = elements(2);
            let (from, mut to) = (vec![1.0; n], vec![0.0; n]);
            let time = nanoseconds(|| {
                copy(vectors, &mut to, black_box(&from));
                black_box(&mut to);
            });
            time.map(|time| 8.0 * (1.0 + stored) * n as f64 / time)
        },
        {
            let n = elements(3);
            let (b, c, mut a) = (vec![1.0; n], vec![2.0; n], vec![0.0; n]);
            let factor = black_box(0.5);
            let time = nanoseconds(|| {
                triad(vectors, &mut a, black_box(&b), black_box(&c), factor);
                black_box(&mut a);
            });
            time.map(|time| 8.0 * (2.0 + stored) * n as f64 / time)
        },
    ];
    let mut sorted = rates;
    sorted.sort_by(|one, other| one.value.total_cmp(&other.value));
    if is_first { sorted[2] } else { sorted[1] }
}

/// The share of loads and stores that proceed while lines arrive from memory: of sums of nine neighbours, which load much
/// more than they fetch.
fn access_overlap(vectors: Vectors, bytes: usize, caches: &[Cache], gbs: Measured) -> Measured {
    // Five rows of both arrays fit the first cache.
    let first = caches.first().map_or(32 << 10, |cache| cache.bytes);
    let width = (first / size_of::<f64>() / 12).max(32);
    let in_memory = neighbours(vectors, width, bytes / 2 / size_of::<f64>() / width);
    let in_cache = neighbours(vectors, width, 5);
    // Fetched, fetched to be written, and written back.
    let fetched = 24.0 / gbs.value;
    Measured {
        value: (1.0 - (in_memory.value - fetched) / in_cache.value).clamp(0.0, 1.0),
        spread: in_memory.spread + in_cache.spread + gbs.spread,
    }
}

/// Nanoseconds of the sum of nine neighbours of an element of a grid of so many rows.
fn neighbours(vectors: Vectors, width: usize, rows: usize) -> Measured {
    let (from, mut to) = (vec![1e-3; width * rows], vec![0.0; width * rows]);
    // As often as makes the time of a call small, in a grid that a cache holds.
    let times = (LEAST_SUMS / (width * rows)).max(1);
    let time = nanoseconds(|| {
        for _ in 0..times {
            let from = black_box(&from);
            for (at, to) in to
                .chunks_exact_mut(width)
                .enumerate()
                .skip(1)
                .take(rows - 2)
            {
                let row = |row: usize| &from[row * width..(row + 1) * width];
                sum_neighbours(vectors, to, [row(at - 1), row(at), row(at + 1)]);
            }
            black_box(&mut to);
        }
    });
    time.map(|time| time / (times * (rows - 2) * (width - 2)) as f64)
}

/// Sums in a run at least.
const LEAST_SUMS: usize = 1 << 14;

fn sum_neighbours(vectors: Vectors, to: &mut [f64], rows: [&[f64]; 3]) {
    vectors.dispatch(
        #[inline(always)]
        || {
            let inside = 1..to.len() - 1;
            let [above, here, below] = rows.map(|row| &row[..to.len()]);
            for at in inside {
                let three = |row: &[f64]| row[at - 1] + row[at] + row[at + 1];
                to[at] = three(above) + three(here) + three(below);
            }
        },
    );
}

/// Sums of every 64th element, so that additions wait little for each other.
fn load(vectors: Vectors, array: &[f64]) -> [f64; 64] {
    let mut sums = [0.0; 64];
    vectors.dispatch(
        #[inline(always)]
        || {
            for block in array.as_chunks::<64>().0 {
                for (sum, element) in sums.iter_mut().zip(block) {
                    *sum += element;
                }
            }
        },
    );
    sums
}

/// Additions keep it from becoming a call of memcpy, which may write past the caches.
fn copy(vectors: Vectors, to: &mut [f64], from: &[f64]) {
    vectors.dispatch(
        #[inline(always)]
        || {
            for (to, from) in to.iter_mut().zip(from) {
                *to = from + 1.0;
            }
        },
    );
}

fn triad(vectors: Vectors, a: &mut [f64], b: &[f64], c: &[f64], factor: f64) {
    vectors.dispatch(
        #[inline(always)]
        || {
            for ((a, b), c) in a.iter_mut().zip(b).zip(c) {
                *a = b + factor * c;
            }
        },
    );
}

/// Nanoseconds of a load whose address the load before it has given.
fn latency(bytes: usize, line: usize) -> Measured {
    const LOADS: usize = 4096;
    let (next, apart) = ring(bytes, line);
    let loads = LOADS.min(next.len() / apart * 4).max(256);
    let mut at = 0;
    let time = nanoseconds(|| {
        let mut here = at;
        for _ in 0..loads {
            here = next[here] as usize;
        }
        at = black_box(here);
    });
    time.map(|time| time / loads as f64)
}

/// A ring through all lines in a random order: the index of the next line at the beginning of each. Also how many
/// indices a line has.
fn ring(bytes: usize, line: usize) -> (Vec<u32>, usize) {
    let apart = (line / size_of::<u32>()).max(1);
    let lines = (bytes / line).max(2);
    let mut order: Vec<u32> = (0..lines as u32).collect();
    // Sattolo's algorithm gives one ring: Information Processing Letters 22(6), 1986.
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    for at in (1..lines).rev() {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        order.swap(at, (random % at as u64) as usize);
    }
    let mut next = vec![0_u32; lines * apart];
    for (at, to) in order.iter().enumerate() {
        next[at * apart] = to * apart as u32;
    }
    (next, apart)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_comes_to_every_line_once() {
        for bytes in [128, 4096, 64 * 1000] {
            let (next, apart) = ring(bytes, 64);
            let mut at = 0;
            let mut seen = vec![false; next.len() / apart];
            for _ in 0..seen.len() {
                assert!(!std::mem::replace(&mut seen[at / apart], true));
                at = next[at] as usize;
            }
            assert_eq!(at, 0);
        }
    }

    #[test]
    fn working_sets_are_beyond_the_level_before() {
        let cache = |level, bytes| Cache {
            level,
            bytes,
            ways: None,
            line: 64,
            shared_by: 1,
        };
        let caches = [cache(1, 32 << 10), cache(2, 1 << 20), cache(3, 32 << 20)];
        let sets = |installed| -> Vec<usize> {
            (0..=3)
                .map(|at| working_set(at, &caches, installed))
                .collect()
        };
        assert_eq!(sets(32 << 20), [16 << 10, 256 << 10, 8 << 20, 128 << 20]);
        // Others share the last cache: memory lies beyond all of it.
        assert_eq!(sets(64 << 20), [16 << 10, 256 << 10, 8 << 20, 256 << 20]);
        assert_eq!(working_set(0, &[], 0), LEAST_OF_MEMORY);
    }
}
