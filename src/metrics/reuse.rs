//! Reuse distances of all accesses.

use super::report::Reuse;
use crate::cache::spec::SpecError;
use crate::cache::{ReuseHistogram, StackDistances};
use crate::trace::isa::Access;

/// Collects the stack distance of every line that an access touches.
pub(super) struct ReuseMeter {
    line: u64,
    distances: StackDistances,
    histogram: ReuseHistogram,
}

impl ReuseMeter {
    /// # Errors
    /// `line` is no length of a cache line.
    pub fn new(line: u64) -> Result<ReuseMeter, SpecError> {
        Ok(ReuseMeter {
            line,
            distances: StackDistances::new(line)?,
            histogram: ReuseHistogram::default(),
        })
    }

    /// `own` is the histogram of the region that makes the access.
    pub fn access(
        &mut self,
        access: Access,
        addresses: &[u64],
        mut own: Option<&mut ReuseHistogram>,
    ) {
        for address in addresses {
            for line in self.distances.lines(*address, u32::from(access.bytes)) {
                let distance = self.distances.touch(line);
                self.histogram.record(distance);
                if let Some(own) = &mut own {
                    own.record(distance);
                }
            }
        }
    }

    pub fn finish(self) -> Reuse {
        Reuse {
            line: self.line,
            cold: self.histogram.cold(),
            histogram: self.histogram.bins(),
            exact: self.histogram.exact().collect(),
        }
    }
}
