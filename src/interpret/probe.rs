//! How far the accesses of a nest reach, where declarations do not say it: a run of the corners of its loops.

use super::compile::Code;
use super::layout::{APART, far_apart};
use super::{Access, Sink, run};

/// Loops that carry scalars from one iteration to the next are run in full: up to so many accesses.
const MOST_ACCESSES: u64 = 5_000_000;

/// The least and the largest subscript of each dimension of each array.
pub(super) fn subscripts(code: &Code) -> Vec<Vec<(i64, i64)>> {
    run::corners(code, MOST_ACCESSES, &mut Reach(vec![NOTHING; code.arrays.len()]))
}

/// The first and the last byte of each array, from its beginning. The arrays lie far apart.
pub(super) fn bytes(code: &Code) -> Vec<(i64, i64)> {
    let mut reach = Reach(vec![NOTHING; code.arrays.len()]);
    run::corners(code, MOST_ACCESSES, &mut reach);
    reach.0
}

const NOTHING: (i64, i64) = (i64::MAX, i64::MIN);

struct Reach(Vec<(i64, i64)>);

impl Sink for Reach {
    fn take(&mut self, accesses: &[Access], _: u64) {
        for access in accesses {
            let address = access.address as i64;
            let number = (address / APART - 1).max(0) as usize;
            if let Some((least, most)) = self.0.get_mut(number) {
                let first = address - far_apart(number);
                (*least, *most) = ((*least).min(first), (*most).max(first + i64::from(access.bytes) - 1));
            }
        }
    }
}
