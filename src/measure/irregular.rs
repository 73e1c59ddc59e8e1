//! Lines that no prefetcher predicts: how many of a level are under way at once, what the TLB holds, and
//! what a page that it does not hold takes.

use std::hint::black_box;

use super::rounds::{Measured, nanoseconds};
use super::{Cache, Figure};

/// Bytes of a page, which the operating system maps memory with.
pub const PAGE: usize = 4096;

/// What is known of the levels before the one that is measured.
#[derive(Clone, Copy, Debug)]
pub struct Before {
    /// Bytes of the cache before it.
    pub bytes: usize,
    /// Nanoseconds of one of many loads, and of one that the next one waits for, at random within that cache.
    pub each: f64,
    pub latency: f64,
}

/// Nanoseconds of one of many loads at random over so many bytes, a line each.
pub fn random(bytes: usize, line: usize) -> Measured {
    let places: Vec<u32> = (0..(bytes / line).max(2) as u32)
        .map(|at| at * (line / size_of::<f64>()) as u32)
        .collect();
    gathered(places)
}

/// The same of one line in each of so many pages, no two beside each other in the place that they have in theirs.
fn one_a_page(pages: usize, line: usize) -> Measured {
    let lines = PAGE / line;
    let place = |page: usize| (page * PAGE + page % lines * line) / size_of::<f64>();
    gathered((0..pages).map(|page| place(page) as u32).collect())
}

/// Nanoseconds of a load of one of the elements, in a random order.
pub fn gathered(mut places: Vec<u32>) -> Measured {
    /// Loads of a run, and sums, so that additions wait little for each other.
    const LOADS: usize = 1 << 15;
    const SUMS: usize = 8;
    let last = places.iter().copied().max().unwrap_or(0) as usize;
    let array = vec![1e-3_f64; last + 1];
    shuffle(&mut places);
    let mut begin = 0;
    let loads = LOADS.min(places.len()) / SUMS * SUMS;
    let time = nanoseconds(|| {
        if begin + loads > places.len() {
            begin = 0;
        }
        let mut sums = [0.0_f64; SUMS];
        for places in black_box(&places[begin..begin + loads])
            .as_chunks::<SUMS>()
            .0
        {
            for (sum, place) in sums.iter_mut().zip(places) {
                *sum += array[*place as usize];
            }
        }
        begin += loads;
        black_box(sums);
    });
    time.map(|time| time / loads as f64)
}

/// In a random order that is the same every time.
pub fn shuffle(places: &mut [u32]) {
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    for at in (1..places.len()).rev() {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        places.swap(at, (random % (at as u64 + 1)) as usize);
    }
}

/// Pages that are gone through, one line each; all of these lines fit a second cache.
const PAGES: [usize; 12] = [
    256, 512, 768, 1024, 1280, 1536, 2048, 2560, 3072, 4096, 6144, 8192,
];
/// A page miss takes longer than this, in nanoseconds, or pages are longer than they are taken to be.
const LEAST_MISS: f64 = 0.5;

/// Figures of the TLB; none if nothing is seen of it.
pub fn translation(line: usize) -> Vec<Figure> {
    let extra = |pages: usize| {
        let (apart, together) = (one_a_page(pages, line), random(pages * line, line));
        (pages, apart.value - together.value, apart.spread)
    };
    let Some((held, miss, spread)) = held(&PAGES.map(extra)) else {
        return Vec::new();
    };
    let figure = |parameter: &str, value: f64, spread, how: &str| {
        Figure::new(parameter, Measured { value, spread }, how)
    };
    let reach = (held * PAGE) as f64;
    vec![
        figure(
            "tlb_bytes",
            reach,
            0.0,
            "pages whose lines, one of each at random, take no longer than as many lines side by side",
        ),
        figure(
            "tlb_miss_ns",
            miss,
            spread,
            "by which one of many such loads takes longer in more pages",
        ),
    ]
}

/// The most pages of which fewer than half of a miss is seen, and what a miss takes: of pages at random, as many are held
/// as there is room for.
fn held(extras: &[(usize, f64, f64)]) -> Option<(usize, f64, f64)> {
    let &(most, extra, spread) = extras.last()?;
    let first = extras
        .iter()
        .position(|(_, found, _)| *found > extra / 2.0)?;
    let held = extras.get(first.checked_sub(1)?)?.0;
    let miss = extra / (1.0 - held as f64 / most as f64);
    (miss > LEAST_MISS).then_some((held, miss, spread))
}

/// What one of many loads takes in a level, and what one that is waited for: of those over so many bytes, less those that
/// the cache before it has. Pages that the TLB does not hold are looked up meanwhile.
pub fn of_level(
    bytes: usize,
    (each, latency): (Measured, Measured),
    before: Option<Before>,
) -> (Measured, Measured) {
    let without = |time: f64, before: f64, held: f64| (time - held * before) / (1.0 - held);
    let Some(before) = before else {
        return (each, latency);
    };
    let held = (before.bytes as f64 / bytes as f64).min(0.9);
    let least = |time: f64, found: f64| found.max(time / 10.0);
    (
        each.map(|time| least(time, without(time, before.each, held))),
        latency.map(|time| least(time, without(time, before.latency, held))),
    )
}

/// Bytes of the last cache that a core really gets: as much as loads are nearer to its own speed than to that of memory.
pub fn last_cache(last: Cache, before: Cache, load: impl Fn(usize) -> f64) -> usize {
    let least = 2 * before.bytes;
    let most = last.bytes.clamp(2 * least, MOST);
    let steps = ((most as f64 / least as f64).log2() * 2.0).floor() as i32;
    let sizes: Vec<usize> = (0..=steps)
        .map(|step| (least as f64 * 2_f64.powf(f64::from(step) / 2.0)) as usize / PAGE * PAGE)
        .collect();
    let times: Vec<(usize, f64)> = sizes.into_iter().map(|size| (size, load(size))).collect();
    match end(&times) {
        Some(size) => size.min(last.bytes),
        None => last.bytes,
    }
}

/// More is not looked at.
const MOST: usize = 512 << 20;

/// The size from which on times of lines are nearer to the longest than to the shortest; `None` if they hardly differ.
fn end(times: &[(usize, f64)]) -> Option<usize> {
    let shortest = times
        .iter()
        .map(|(_, time)| *time)
        .fold(f64::INFINITY, f64::min);
    let longest = times.last()?.1;
    let middle = (shortest * longest).sqrt();
    let first = times.iter().position(|(_, time)| *time > middle)?;
    let held = times.get(first.checked_sub(1)?)?.0;
    (longest > 1.25 * shortest).then_some(held)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_held_up_to_where_half_of_a_miss_is_seen() {
        // 2048 of 8192 pages are held: a quarter of the loads take nothing more, so that 3 ns on average are 4 ns each.
        let extras = [
            (512, 0.1, 0.0),
            (1024, 0.2, 0.0),
            (2048, 0.4, 0.0),
            (4096, 2.0, 0.0),
            (8192, 3.0, 0.1),
        ];
        assert_eq!(held(&extras), Some((2048, 4.0, 0.1)));
        assert_eq!(
            held(&[(512, 0.1, 0.0), (1024, 0.1, 0.0), (2048, 0.2, 0.0)]),
            None
        );
    }

    #[test]
    fn a_level_is_what_the_one_before_it_leaves() {
        let measured = |value| Measured { value, spread: 0.0 };
        let before = Before {
            bytes: 1 << 20,
            each: 1.0,
            latency: 4.0,
        };
        // A quarter hits the cache before: (4 − ¼·1)/¾.
        let (each, latency) = of_level(4 << 20, (measured(4.0), measured(31.0)), Some(before));
        assert_eq!((each.value, latency.value), (5.0, 40.0));
        let (each, _) = of_level(4 << 20, (measured(4.0), measured(31.0)), None);
        assert_eq!(each.value, 4.0);
    }

    #[test]
    fn a_cache_ends_where_loads_become_slow() {
        let times = [
            (4, 2.1),
            (6, 2.1),
            (8, 2.2),
            (11, 2.5),
            (16, 3.5),
            (23, 4.0),
        ];
        assert_eq!(end(&times), Some(11));
        assert_eq!(end(&[(4, 2.1), (8, 2.1), (16, 2.2)]), None);
    }
}
