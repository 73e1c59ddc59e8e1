//! Lines that evict each other from few sets of the first cache: how many of one set are under way at once, what a store to
//! one takes, and how many stores ahead lines are fetched.

use std::hint::black_box;

use super::irregular::gathered;
use super::rounds::{Measured, nanoseconds};
use super::{Cache, Figure};

/// So many times the lines that the sets hold are gone through.
const CROWD: usize = 8;
/// The same while it is looked for how many sets there must be.
const FEWER: usize = 3;
/// What takes fewer nanoseconds more in few sets than in many is no cost of its own.
const LEAST: f64 = 0.5;

/// Figures of a cache; `latency` are the nanoseconds of a line of the next one.
pub fn of_cache(cache: &Cache, latency: f64, ghz: f64) -> Vec<Figure> {
    let Some(ways) = cache.ways else {
        return Vec::new();
    };
    let sets = cache.bytes / cache.line / ways;
    if sets < 8 || !sets.is_power_of_two() {
        return Vec::new();
    }
    let period = sets * cache.line;
    let each = loads(CROWD * ways, period);
    let lines = each.map(|time| (latency / time).max(1.0));
    let mut found = vec![Figure::new(
        "set_lines",
        lines,
        "the latency of L2 over the time of one of many loads at random of lines that share a set of L1",
    )];
    let time = |reached: usize, crowd: usize| stores(crowd * ways * reached, period / reached);
    let mut few = [1, 2, 4].map(|reached| time(reached, CROWD));
    few.sort_by(|a, b| a.value.total_cmp(&b.value));
    let reached: Vec<usize> = (0..sets.ilog2()).map(|doublings| 1 << doublings).collect();
    let times: Vec<(usize, f64)> = reached
        .into_iter()
        .map(|reached| (ways * reached, time(reached, FEWER).value))
        .collect();
    if let Some(ahead) = ahead(&times) {
        found.push(Figure::new(
            "evicted_store_cycles",
            few[1].map(|time| time * ghz),
            "stores to lines that share one, two or four sets of L1, the middle one",
        ));
        found.push(Figure::new(
            "stores_ahead",
            Measured {
                value: ahead,
                spread: 0.0,
            },
            "lines of the sets from which on stores to more of them take little: between the last power of two that does not and the next",
        ));
    }
    found
}

/// Nanoseconds of one of many loads, so many bytes apart, in a random order.
fn loads(lines: usize, stride: usize) -> Measured {
    let apart = stride / size_of::<f64>();
    gathered((0..lines).map(|line| (line * apart) as u32).collect())
}

/// Nanoseconds of one of many stores, so many bytes apart.
fn stores(lines: usize, stride: usize) -> Measured {
    let apart = stride / size_of::<f64>();
    let mut array = vec![1e-3_f64; lines * apart];
    let mut value = 0.0;
    let time = nanoseconds(|| {
        value += 1.0;
        let array = black_box(&mut array);
        for element in array.iter_mut().step_by(apart) {
            *element = value;
        }
    });
    time.map(|time| time / lines as f64)
}

/// Stores whose lines are fetched ahead, from what stores take by the lines that their sets hold: with fewer they take
/// longer than the middle of the longest and the shortest.
fn ahead(times: &[(usize, f64)]) -> Option<f64> {
    let each = || times.iter().map(|(_, time)| *time);
    let (least, most) = (
        each().fold(f64::INFINITY, f64::min),
        each().fold(0.0, f64::max),
    );
    let middle = (least * most).sqrt();
    let last = times.iter().rposition(|(_, time)| *time > middle)?;
    let (held, _) = times[last];
    (most - least > LEAST && last + 1 < times.len()).then_some(1.5 * held as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_ahead_lie_between_two_numbers_of_sets() {
        let times = [
            (12, 8.0),
            (24, 7.0),
            (48, 5.0),
            (96, 2.5),
            (192, 0.3),
            (384, 0.3),
        ];
        assert_eq!(ahead(&times), Some(144.0));
        assert_eq!(ahead(&[(12, 0.4), (24, 0.3), (48, 0.3)]), None);
        // Where no number of sets is enough, nothing is known of more.
        assert_eq!(ahead(&[(12, 8.0), (24, 0.3), (48, 8.0)]), None);
    }
}
