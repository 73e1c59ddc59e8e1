//! Bytes to and from RAM over the as-soon-as-possible schedule, in intervals that grow with it.

use super::report::Movement;

/// So many intervals at most, and at least half as many when the schedule is long enough.
const INTERVALS: usize = 512;

/// Collects bytes by the cycle in which they start to move.
#[derive(Clone, Debug, Default)]
pub(super) struct MovementMeter {
    interval_bits: u32,
    bytes: Vec<u64>,
}

impl MovementMeter {
    #[inline]
    pub fn add(&mut self, start: u64, bytes: u64) {
        let mut place = (start >> self.interval_bits) as usize;
        while place >= INTERVALS {
            self.double_interval();
            place = (start >> self.interval_bits) as usize;
        }
        if place >= self.bytes.len() {
            self.bytes.resize(place + 1, 0);
        }
        self.bytes[place] += bytes;
    }

    fn double_interval(&mut self) {
        self.interval_bits += 1;
        self.bytes = self.bytes.chunks(2).map(|pair| pair.iter().sum()).collect();
    }

    /// The intervals up to the end of the schedule at `depth` cycles.
    pub fn finish(mut self, depth: u64) -> Movement {
        while (depth >> self.interval_bits) as usize >= INTERVALS {
            self.double_interval();
        }
        let interval = 1 << self.interval_bits;
        self.bytes.resize(depth.div_ceil(interval) as usize, 0);
        Movement {
            interval,
            bytes: self.bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_byte_is_lost_when_intervals_grow() {
        let mut meter = MovementMeter::default();
        for start in 0..10_000 {
            meter.add(start, 8);
        }
        meter.add(3, 100);
        let movement = meter.finish(10_001);
        assert_eq!(movement.interval, 32);
        assert_eq!(movement.bytes.iter().sum::<u64>(), 80_100);
        assert_eq!(movement.bytes[..2], [32 * 8 + 100, 32 * 8]);
        assert_eq!(movement.bytes.len(), 10_001usize.div_ceil(32));
    }
}
