//! Time of a piece of work, as the first quartile of rounds: what else runs on a core makes it slower only.

/// A figure and how far it varies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    pub value: f64,
    /// The distance of the quartiles, as a share of the median.
    pub spread: f64,
}

impl Measured {
    /// The median and the quartiles of these, of which there is at least one.
    pub(crate) fn of(values: &mut [f64]) -> Measured {
        values.sort_by(f64::total_cmp);
        let [quarter, half, three] = [1, 2, 3].map(|at| values[at * (values.len() - 1) / 4]);
        Measured {
            value: half,
            spread: match half {
                0.0 => 0.0,
                half => (three - quarter) / half,
            },
        }
    }

    /// Another figure that follows from this one.
    #[must_use]
    pub fn map(self, value: impl Fn(f64) -> f64) -> Measured {
        Measured {
            value: value(self.value),
            spread: self.spread,
        }
    }

    /// The quotient of two figures.
    #[must_use]
    pub fn over(self, other: Measured) -> Measured {
        Measured {
            value: self.value / other.value,
            spread: self.spread + other.spread,
        }
    }
}

const ROUNDS: usize = 9;
/// Seconds of a round: much longer than it takes to read the clock, shorter than a slice of the scheduler.
const ROUND: f64 = 0.002;

/// Seconds that this thread has run for: what else runs on its core does not count.
#[cfg(unix)]
fn seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Seconds since some moment.
#[cfg(not(unix))]
fn seconds() -> f64 {
    static BEGIN: std::sync::LazyLock<std::time::Instant> =
        std::sync::LazyLock::new(std::time::Instant::now);
    BEGIN.elapsed().as_secs_f64()
}

/// Nanoseconds of one run of the work.
pub fn nanoseconds(mut work: impl FnMut()) -> Measured {
    let mut time = |runs: u32| {
        let begin = seconds();
        for _ in 0..runs {
            work();
        }
        seconds() - begin
    };
    // So often that a round is long enough; this also warms the caches up.
    let mut runs = 1;
    loop {
        let taken = time(runs);
        if taken >= ROUND || runs >= 1 << 24 {
            break;
        }
        let missing = (ROUND / taken.max(1e-9)).min(16.0);
        runs = (f64::from(runs) * missing.max(1.2)).ceil() as u32;
    }
    let mut rounds: Vec<f64> = (0..ROUNDS)
        .map(|_| time(runs) / f64::from(runs) * 1e9)
        .collect();
    let all = Measured::of(&mut rounds);
    Measured {
        value: rounds[ROUNDS / 4],
        ..all
    }
}
