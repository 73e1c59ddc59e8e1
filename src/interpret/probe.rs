//! How far the accesses of a nest reach, where declarations do not say it: a run of the corners of its loops.

use super::code::Code;
use super::layout::{APART, far_apart};
use super::run::Arms;
use super::{Access, Sink, run};

/// The least and the largest subscript of each dimension of each array.
pub(super) fn subscripts(code: &Code, most: u64) -> Vec<Vec<(i64, i64)>> {
    struct Nowhere;
    impl Sink for Nowhere {
        fn take(&mut self, _: &[Access], _: u64) {}
    }
    run::corners(code, most, Arms::Taken, &mut Nowhere)
}

/// The first and the last byte of each array, from its beginning, and whether it is written. The arrays lie far apart.
pub(super) fn bytes(code: &Code, most: u64) -> (Vec<(i64, i64)>, Vec<bool>) {
    reached(code, most, Arms::Taken)
}

/// The same of what may be accessed, whatever is drawn.
pub(super) fn possible_bytes(code: &Code, most: u64) -> (Vec<(i64, i64)>, Vec<bool>) {
    reached(code, most, Arms::Drawn)
}

/// The first and the last byte that each array has room for: iterations in between may come to arms of branches that none
/// of those that are looked at does.
pub(super) fn room(code: &Code, most: u64, seen: &[(i64, i64)]) -> Vec<(i64, i64)> {
    if code.branches == 0 {
        return seen.to_vec();
    }
    let (wider, _) = reached(code, most, Arms::All);
    let both = seen.iter().zip(wider);
    both.map(|(seen, wider)| (seen.0.min(wider.0), seen.1.max(wider.1)))
        .collect()
}

fn reached(code: &Code, most: u64, arms: Arms) -> (Vec<(i64, i64)>, Vec<bool>) {
    let mut reach = Reach {
        bytes: vec![NOTHING; code.arrays.len()],
        written: vec![false; code.arrays.len()],
    };
    run::corners(code, most, arms, &mut reach);
    (reach.bytes, reach.written)
}

const NOTHING: (i64, i64) = (i64::MAX, i64::MIN);

struct Reach {
    bytes: Vec<(i64, i64)>,
    written: Vec<bool>,
}

impl Sink for Reach {
    fn take(&mut self, accesses: &[Access], _: u64) {
        for access in accesses {
            let address = access.address as i64;
            let number = (address / APART).saturating_sub(1).max(0) as usize;
            if let (Some((least, most)), Some(written)) =
                (self.bytes.get_mut(number), self.written.get_mut(number))
            {
                *written |= access.kind.writes();
                let first = address.wrapping_sub(far_apart(number));
                (*least, *most) = (
                    (*least).min(first),
                    (*most).max(first.wrapping_add(i64::from(access.bytes) - 1)),
                );
            }
        }
    }
}
