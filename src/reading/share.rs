//! The sources cut into equal shares, so that several processes read them into one cache: what all of them kept, one
//! analysis finds there (guide: sweeps, "One big tree").

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use anyhow::Context;
use rayon::prelude::*;

use super::cache::Cache;
use super::compile_commands::Flags;
use super::headers::HeaderIndex;
use super::included;
use super::input::Input;
use super::lowered::{self, AllModules, Begun, Kept};
use super::prepare::{self, Prepared};
use super::preprocess::Cpp;
use super::remembered::{Known, Memory};
use super::watch::Watch;
use crate::threads::deep_threads;

/// One of several shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// From 1 on.
    pub number: usize,
    pub of: usize,
}

/// What came of a share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShareRead {
    /// Files of the share.
    pub files: usize,
    /// Of these, how many the cache had already.
    pub were_there: usize,
    /// Files of all shares.
    pub all: usize,
}

impl Share {
    /// The positions of the sources that are in it, by the lengths of all sources: the longest first, each to the share
    /// that has the least by then. Every source is in one share.
    fn positions(self, lengths: &[usize]) -> Vec<usize> {
        let mut longest: Vec<usize> = (0..lengths.len()).collect();
        longest.sort_by_key(|position| (Reverse(lengths[*position]), *position));
        // The share with the least is on top.
        let mut shares: BinaryHeap<Reverse<(usize, usize)>> =
            (1..=self.of).map(|number| Reverse((0, number))).collect();
        let mut own = Vec::new();
        for position in longest {
            let Some(mut least) = shares.peek_mut() else {
                break;
            };
            let Reverse((bytes, number)) = &mut *least;
            if *number == self.number {
                own.push(position);
            }
            // Empty files are spread, too.
            *bytes += lengths[position] + 1;
        }
        own.sort_unstable();
        own
    }
}

/// Reads one share of the sources into a cache: first the modules of its own sources, then those of all others, which
/// by then other processes have mostly kept, then the rest of its own.
///
/// # Errors
/// A source that was named cannot be read or is not text. What cannot be kept the cache knows.
pub(super) fn keep(
    inputs: &[&Input],
    flags: &[Flags],
    (headers, cpp): (&HeaderIndex, &Cpp),
    (cache, share): (&Cache, Share),
    watch: &dyn Watch,
) -> anyhow::Result<ShareRead> {
    let memory = Memory::new(cache, None);
    let memory =
        memory.context("cannot distinguish this program file from others of its version")?;
    let read = deep_threads()?.install(|| -> anyhow::Result<ShareRead> {
        let prepared = prepare::all(inputs, flags, headers, cpp)?;
        let prepared = included::left_out(prepared, flags);
        let lengths: Vec<usize> = prepared.iter().map(|p| p.source.text.len()).collect();
        let own = share.positions(&lengths);
        let (begun, modules) = begin_all(&prepared, &own, &memory);
        let is_there = |begun: &Begun| {
            let known = begun.known.as_ref();
            known.is_some_and(|known: &Known| known.bytes_of_unit(&modules.world).is_some())
        };
        let begun = prepared.iter().zip(begun).enumerate();
        let missing = begun.filter(|(position, (_, begun))| {
            own.binary_search(position).is_ok() && !is_there(begun)
        });
        let missing: Vec<(&Prepared, Begun)> = missing.map(|(_, each)| each).collect();
        let (files, all) = (own.len(), prepared.len());
        let were_there = files - missing.len();
        watch.begin(missing.len());
        (missing.into_par_iter()).try_for_each(|(p, begun)| {
            lowered::lower(p, begun, &modules, Some(&memory));
            watch.advance();
            // Files that cannot be kept need not be read.
            if cache.has_failed() { None } else { Some(()) }
        });
        Ok(ShareRead {
            files,
            were_there,
            all,
        })
    })?;
    watch.finish();
    Ok(read)
}

/// The first look at all sources, own ones first; their modules are kept at once.
fn begin_all<'p>(
    prepared: &'p [Prepared],
    own: &[usize],
    memory: &Memory,
) -> (Vec<Begun<'p>>, AllModules) {
    let kept = Kept::default();
    let read = |position: usize| {
        let (begun, modules) = lowered::begin(&prepared[position], Some(memory), &kept);
        if let (Some(known), Some(written)) = (&begun.known, &begun.written) {
            memory.keep_modules(known, written);
        }
        (position, (begun, modules))
    };
    let first: Vec<_> = own.par_iter().map(|position| read(*position)).collect();
    let others = (0..prepared.len()).into_par_iter();
    let others = others.filter(|position| own.binary_search(position).is_err());
    let others: Vec<_> = others.map(read).collect();
    let mut each: Vec<_> = first.into_iter().chain(others).collect();
    each.sort_by_key(|(position, _)| *position);
    lowered::together(each.into_iter().map(|(_, begun)| begun).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_source_is_in_one_share() {
        let lengths = [5, 0, 90, 40, 7, 7, 0, 33, 1, 12];
        for of in [1, 2, 3, 10, 13] {
            let shares = (1..=of).map(|number| Share { number, of }.positions(&lengths));
            let mut all: Vec<usize> = shares.flatten().collect();
            all.sort_unstable();
            assert_eq!(all, (0..lengths.len()).collect::<Vec<_>>(), "{of} shares");
        }
        // 195 bytes: no share has more than the longest file needs beyond half of them.
        let bytes = |number| {
            let own = Share { number, of: 2 }.positions(&lengths);
            own.iter().map(|position| lengths[*position]).sum::<usize>()
        };
        assert_eq!(bytes(1) + bytes(2), 195);
        assert!(bytes(1).abs_diff(bytes(2)) <= 12);
    }
}
