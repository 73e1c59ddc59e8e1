//! What a nest does, without the names that it uses: nests are matched by it.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::analysis::facts::AccessClass;
use crate::report::static_report::{ArrayReport, LoopReport, NestReport};
use crate::stride::is_gather;

/// What of a nest stays as it is when names, lines and files change, and when its loops change places.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Structure {
    depth: usize,
    /// Trip counts of its loops, smallest first; `None` for those that are not known.
    trips: Vec<Option<u64>>,
    /// Adds, multiplies, divides and specials as they stand in the source.
    operations: [u64; 4],
    calls: usize,
    /// What it does to arrays, sorted.
    streams: Vec<StreamKey>,
}

/// References to one array.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct StreamKey {
    class: u8,
    element_bytes: Option<u32>,
    is_gather: bool,
    /// Offsets with reads and writes, sorted.
    accesses: Vec<(Vec<i64>, u64, u64)>,
}

/// How much each part of a structure counts for how alike two nests are. They add up to one.
const STREAMS: f64 = 0.4;
const OPERATIONS: f64 = 0.2;
const TRIPS: f64 = 0.15;
const DEPTH: f64 = 0.1;
const NAMES: f64 = 0.15;

impl Structure {
    /// Of a nest whose loops these are.
    pub(crate) fn of(nest: &NestReport, loops: &[&LoopReport]) -> Structure {
        let mut trips: Vec<Option<u64>> = (nest.extents.iter())
            .map(|extent| extent.trip_count.known().map(|trips| trips.round() as u64))
            .collect();
        trips.sort_unstable();
        let mut operations = [0; 4];
        for found in loops {
            let flops = &found.flops.all;
            let own = [flops.adds, flops.multiplies, flops.divides, flops.specials];
            for (sum, own) in operations.iter_mut().zip(own) {
                *sum += own;
            }
        }
        let arrays = loops.iter().flat_map(|found| &found.arrays);
        let mut streams: Vec<StreamKey> = arrays.map(StreamKey::of).collect();
        streams.sort_unstable();
        Structure {
            depth: loops.len(),
            trips,
            operations,
            calls: loops.iter().map(|found| found.calls.len()).sum(),
            streams,
        }
    }

    pub(crate) fn streams(&self) -> &[StreamKey] {
        &self.streams
    }

    /// From 0, nothing in common, to 1, the same; with the names of the arrays of both.
    pub(crate) fn likeness(
        &self,
        other: &Structure,
        names: (&BTreeSet<String>, &BTreeSet<String>),
    ) -> f64 {
        let offsets = |structure: &Structure| {
            let all = structure.streams.iter().flat_map(|key| &key.accesses);
            let mut all: Vec<Vec<i64>> = all.map(|(offset, ..)| offset.clone()).collect();
            all.sort_unstable();
            all
        };
        let classes = |structure: &Structure| {
            let all = structure.streams.iter();
            let mut all: Vec<(u8, bool)> = all.map(|key| (key.class, key.is_gather)).collect();
            all.sort_unstable();
            all
        };
        let streams = (shared(&self.streams, &other.streams)
            + shared(&offsets(self), &offsets(other))
            + shared(&classes(self), &classes(other)))
            / 3.0;
        let operations = self.operations.iter().zip(&other.operations);
        let (least, most) = operations.fold((0, 0), |(least, most), (a, b)| {
            (least + a.min(b), most + a.max(b))
        });
        let names = {
            let common = names.0.intersection(names.1).count();
            ratio(common, names.0.len() + names.1.len() - common)
        };
        STREAMS * streams
            + OPERATIONS * ratio(least as usize, most as usize)
            + TRIPS * shared(&self.trips, &other.trips)
            + DEPTH * ratio(self.depth.min(other.depth), self.depth.max(other.depth))
            + NAMES * names
    }
}

impl StreamKey {
    fn of(array: &ArrayReport) -> StreamKey {
        let accesses = array.accesses.iter();
        let mut accesses: Vec<(Vec<i64>, u64, u64)> = accesses
            .map(|access| (access.offset.clone(), access.reads, access.writes))
            .collect();
        accesses.sort_unstable();
        let class = match array.class {
            None => 0,
            Some(AccessClass::ReadOnly) => 1,
            Some(AccessClass::WriteOnly) => 2,
            Some(AccessClass::ReadWrite) => 3,
            Some(AccessClass::WriteRead) => 4,
        };
        StreamKey {
            class,
            element_bytes: array.element_bytes,
            is_gather: is_gather(array),
            accesses,
        }
    }
}

/// How much of two sorted lists is in both, over what is in either; two empty ones are the same.
fn shared<T: Ord>(one: &[T], other: &[T]) -> f64 {
    let (mut left, mut right, mut common) = (0, 0, 0);
    while left < one.len() && right < other.len() {
        match one[left].cmp(&other[right]) {
            std::cmp::Ordering::Less => left += 1,
            std::cmp::Ordering::Greater => right += 1,
            std::cmp::Ordering::Equal => {
                (left, right, common) = (left + 1, right + 1, common + 1);
            }
        }
    }
    ratio(common, one.len() + other.len() - common)
}

fn ratio(part: usize, whole: usize) -> f64 {
    match whole {
        0 => 1.0,
        whole => part as f64 / whole as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_two_lists_share_is_over_what_either_has() {
        assert!((shared(&[1, 1, 2], &[1, 2, 3]) - 0.5).abs() < 1e-12);
        assert!((shared::<u8>(&[], &[]) - 1.0).abs() < 1e-12);
        assert!(shared(&[1], &[2]).abs() < 1e-12);
    }

    #[test]
    fn the_same_structure_and_names_are_fully_alike_and_nothing_is_alike_to_a_part() {
        let key = |offset: i64| StreamKey {
            class: 1,
            element_bytes: Some(8),
            is_gather: false,
            accesses: vec![(vec![offset], 1, 0)],
        };
        let structure = |offsets: &[i64]| Structure {
            depth: 1,
            trips: vec![Some(10)],
            operations: [offsets.len() as u64, 0, 0, 0],
            calls: 0,
            streams: offsets.iter().map(|offset| key(*offset)).collect(),
        };
        let names = BTreeSet::from(["a".to_string()]);
        let (whole, part) = (structure(&[-1, 0, 1]), structure(&[0]));
        let same = whole.likeness(&whole, (&names, &names));
        let near = whole.likeness(&part, (&names, &names));
        let far = part.likeness(&structure(&[7]), (&names, &BTreeSet::new()));
        assert!((same - 1.0).abs() < 1e-12);
        assert!(same > near && near > far, "{near} {far}");
    }
}
