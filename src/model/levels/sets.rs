//! Which lines are pushed out of a cache by others of their sets, though the cache is large enough for all of them?
//!
//! Lines at a stride fall into few sets (`collisions`). Between two touches of its lines a reference walks through others,
//! by the loops that move it. With a period of p bytes, which is the size of the cache over its ways,
//!
//! ```text
//! sets     = ∏ over the loops, those of the longest strides first: min(iterations, g / gcd(stride, g)),  g ← gcd(stride, g)
//!            from g = p on; p is cut at the size of a page, as pages lie anywhere
//! evicted  = lines·(1 − ways·sets / lines walked through), where that is positive
//! ```
//!
//! So many does the best replacement evict; LRU evicts all of them as soon as one set overflows.
//!
//! ```text
//! for i, for j: s += a[j][i]     rows of a: 2,048 B; j walks through 64 lines
//! L1 of 64 sets and 12 ways      p = 4,096, gcd = 2,048: 2 sets, 24 lines; of 64 lines five in eight are evicted
//! ```
//!
//! Each takes what a line of the next cache takes at random places, and no more than a few of one set are under way at
//! once. A store is worse off where the core asks for the lines of later stores ahead: where these are more than the
//! sets hold, a line is gone before its store is done.

use super::number::Number;
use crate::machine::Level;
use crate::machine::parameters::{CONFLICTS, LEVEL_LATENCY, level_name};

/// The lines of a reference that are reused, and what it walks through in between.
#[derive(Clone, Debug)]
pub struct Crowd<N> {
    /// Bytes from one to the next, and how many, by loop, the longest strides first.
    pub strides: Vec<(N, N)>,
    /// The same of the innermost loop that moves it: its lines are under way at once.
    pub innermost: (N, N),
    /// Lines that are reused and not stored to, and those that are.
    pub loaded: N,
    pub stored: N,
}

impl<N> Crowd<N> {
    /// The same over another kind of number.
    pub fn map<M>(&self, value: &dyn Fn(&N) -> M) -> Crowd<M> {
        let stride = |(bytes, count): &(N, N)| (value(bytes), value(count));
        Crowd {
            strides: self.strides.iter().map(stride).collect(),
            innermost: stride(&self.innermost),
            loaded: value(&self.loaded),
            stored: value(&self.stored),
        }
    }
}

/// A cache with ways, and what lines of the next one take.
pub struct Sets<N> {
    pub bytes: N,
    pub ways: N,
    pub line: N,
    pub page: N,
    /// Seconds of a cycle.
    pub cycle: N,
    /// Of the next cache: cycles, and lines under way at once.
    pub latency: N,
    pub at_once: N,
    /// Those of one set, if that is known.
    pub of_set: N,
    /// Cycles of a store to an evicted line, and stores ahead, if that is known and it is the first cache.
    pub store: N,
    pub ahead: N,
}

/// What is not known is nothing: it must not divide.
const LEAST: f64 = 1e-3;

impl<N: Number> Sets<N> {
    /// Of a cache and the one behind it; `value` knows the parameters of the machine.
    pub fn of(cache: &Level, next: &Level, value: &dyn Fn(&str) -> N) -> Sets<N> {
        let own = |what: &str| value(&level_name(cache.index, what));
        let [latency, at_once] = LEVEL_LATENCY.map(|what| value(&level_name(next.index, what)));
        let [of_set, store, ahead] = CONFLICTS.map(value);
        let is_first = cache.index == 1;
        Sets {
            bytes: own("bytes"),
            ways: own("ways"),
            line: value("line_bytes"),
            page: value("page_bytes"),
            cycle: N::of(1e-9).over(&value("ghz").larger(&N::of(LEAST))),
            latency,
            at_once,
            of_set,
            store: if is_first { store } else { N::of(0.0) },
            ahead,
        }
    }

    /// Sets that the lines fall into.
    pub fn reached(&self, crowd: &Crowd<N>) -> N {
        self.reached_by(&crowd.strides)
    }

    fn reached_by(&self, strides: &[(N, N)]) -> N {
        let bytes = self.bytes.larger(&self.line);
        let period = bytes.over(&self.ways.larger(&N::of(1.0)));
        let within = period.smaller(&self.page);
        let places = period.over(&within);
        let mut left = within;
        let mut reached = places;
        for (stride, count) in strides {
            let next = stride.common_divisor(&left);
            reached = reached.times(&count.smaller(&left.over(&next)));
            left = next;
        }
        reached
            .smaller(&period.over(&self.line))
            .larger(&N::of(1.0))
    }

    /// The share of the lines that the best replacement evicts, and that LRU evicts, with so many sets.
    pub fn evicted(&self, crowd: &Crowd<N>, reached: &N) -> [N; 2] {
        let one = N::of(1.0);
        let walked = (crowd.strides.iter()).fold(one.clone(), |all, (_, count)| all.times(count));
        let walked = walked.larger(&one);
        let held = self.ways.times(reached);
        let best = one.minus(&held.over(&walked)).not_negative();
        let lru = walked.if_at_most(&held, &N::of(0.0), &one);
        [best, lru]
    }

    /// Seconds of evicted lines that the whole cache would hold, and of those that it would not: of the latter, without
    /// what they take as lines at random places.
    pub fn seconds(&self, crowd: &Crowd<N>) -> [N; 2] {
        let (_, count) = &crowd.innermost;
        let reached = self.reached_by(std::slice::from_ref(&crowd.innermost));
        let none = N::of(0.0);
        let in_sets = self.at_once.smaller(&self.of_set.times(&reached));
        let at_once = self.of_set.if_at_most(&none, &self.at_once, &in_sets);
        let least = |lines: &N| lines.larger(&N::of(LEAST));
        let at_random = self.latency.over(&least(&self.at_once));
        let load = self.latency.over(&least(&at_once));
        let held = self.ways.times(&reached);
        let stored = self.store.larger(&load);
        let ahead = self.ahead.smaller(count);
        let store = ahead.if_at_most(&held, &load, &stored);
        let all = |load: &N, store: &N| {
            let cycles = crowd.loaded.times(load).plus(&crowd.stored.times(store));
            cycles.times(&self.cycle)
        };
        [
            all(&load, &store),
            all(&load.minus(&at_random), &store.minus(&at_random)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first_cache() -> Sets<f64> {
        Sets {
            bytes: 49152.0,
            ways: 12.0,
            line: 64.0,
            page: 4096.0,
            cycle: 0.25,
            latency: 16.0,
            at_once: 8.0,
            of_set: 2.0,
            store: 30.0,
            ahead: 96.0,
        }
    }

    fn walked(strides: &[(f64, f64)]) -> Crowd<f64> {
        Crowd {
            strides: strides.to_vec(),
            innermost: strides[0],
            loaded: 1000.0,
            stored: 0.0,
        }
    }

    #[test]
    fn strides_lead_to_sets() {
        let cache = first_cache();
        let sets = |strides: &[(f64, f64)]| cache.reached(&walked(strides));
        assert_eq!(sets(&[(4096.0, 100.0)]), 1.0);
        assert_eq!(sets(&[(2048.0, 100.0)]), 2.0);
        assert_eq!(sets(&[(1536.0, 100.0)]), 8.0);
        assert_eq!(sets(&[(4160.0, 100.0)]), 64.0);
        // Strides of parts of lines reach all sets, too.
        assert_eq!(sets(&[(4104.0, 1000.0)]), 64.0);
        assert_eq!(sets(&[(4096.0, 1.0)]), 1.0);
        // Planes of 8 KiB with rows of 256 B, of which three lines are walked through.
        assert_eq!(sets(&[(8192.0, 32.0), (256.0, 32.0), (64.0, 3.0)]), 48.0);
    }

    #[test]
    fn pages_lie_anywhere() {
        let mut second = first_cache();
        (second.bytes, second.ways) = (1048576.0, 16.0);
        assert_eq!(second.reached(&walked(&[(65536.0, 100.0)])), 16.0);
        second.page = 2097152.0;
        assert_eq!(second.reached(&walked(&[(65536.0, 100.0)])), 1.0);
    }

    #[test]
    fn what_the_sets_do_not_hold_is_evicted() {
        let cache = first_cache();
        let evicted = |strides: &[(f64, f64)]| {
            let crowd = walked(strides);
            cache.evicted(&crowd, &cache.reached(&crowd))
        };
        assert_eq!(evicted(&[(4096.0, 12.0)]), [0.0, 0.0]);
        assert_eq!(evicted(&[(4096.0, 16.0)]), [0.25, 1.0]);
        assert_eq!(evicted(&[(2048.0, 64.0)]), [0.625, 1.0]);
        assert_eq!(evicted(&[(64.0, 768.0)]), [0.0, 0.0]);
    }

    #[test]
    fn one_set_has_few_lines_under_way() {
        let cache = first_cache();
        // 16 cycles over 2 lines of a set, and over 8 of four sets.
        let loaded = |stride: f64| cache.seconds(&walked(&[(stride, 100.0)]));
        assert_eq!(loaded(4096.0), [2000.0, 1500.0]);
        assert_eq!(loaded(1024.0), [500.0, 0.0]);
        let stored = |stride: f64, count: f64| {
            let crowd = Crowd {
                loaded: 0.0,
                stored: 1000.0,
                ..walked(&[(stride, count)])
            };
            cache.seconds(&crowd)[0]
        };
        // 8 sets hold 96 lines, as many as the core looks ahead.
        assert_eq!(stored(1024.0, 100.0), 7500.0);
        assert_eq!(stored(512.0, 100.0), 500.0);
        // And 12 lines stay, however far it looks.
        assert_eq!(stored(4096.0, 12.0), 2000.0);
    }
}
