//! The chains behind many values at once, as a tree: every value names the last link of its chain, every link the
//! one before it.
//!
//! Links that nothing but one other link names are joined with it now and then, as counts by instruction. What is left
//! branches or is named by a value, so there are at most twice as many links as values, however long the chains.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

/// The last link of a chain; 0 is the chain without links.
pub(super) type ChainId = u32;

pub(super) const EMPTY: ChainId = 0;

/// Links up to which nothing is joined.
const FEW: usize = 1 << 20;
/// Marks a link that stands for several.
const JOINED: u32 = 1 << 31;

#[derive(Clone, Copy)]
struct Link {
    before: ChainId,
    /// The number of an instruction, or a place in `joined`.
    what: u32,
}

/// Counts by instruction, ascending.
type Counts = Box<[(u32, u64)]>;

pub(super) struct Chains {
    /// Each after the one before it in its chain.
    links: Vec<Link>,
    joined: Vec<Counts>,
    /// Links up to which nothing is joined this time.
    limit: usize,
    few: usize,
}

impl Chains {
    pub fn new() -> Chains {
        Chains::joining_after(FEW)
    }

    /// Joins whenever there are more than so many links, and more than twice as many as were left the last time.
    pub fn joining_after(few: usize) -> Chains {
        // Link 0 is nobody's.
        Chains {
            links: vec![Link {
                before: EMPTY,
                what: 0,
            }],
            joined: Vec::new(),
            limit: few,
            few,
        }
    }

    /// The chain that has one more link, of this instruction.
    #[inline]
    pub fn extend(&mut self, before: ChainId, instruction: u32) -> ChainId {
        debug_assert!(instruction & JOINED == 0 && self.links.len() < u32::MAX as usize);
        self.links.push(Link {
            before,
            what: instruction,
        });
        (self.links.len() - 1) as ChainId
    }

    /// Whether it is time to join links.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.links.len() > self.limit
    }

    /// Nothing is named so far.
    pub fn mark(&self) -> Marks {
        Marks(vec![false; self.links.len()])
    }

    /// Forgets links that belong to no chain that a value names, and joins those that only one other link names.
    /// Tells the new number of every chain that was marked.
    pub fn join(&mut self, marks: Marks) -> Vec<ChainId> {
        let Marks(named) = marks;
        let followers = self.followers(&named);
        let old = std::mem::replace(
            &mut self.links,
            vec![Link {
                before: EMPTY,
                what: 0,
            }],
        );
        let mut joined = std::mem::take(&mut self.joined);
        let mut numbers = vec![EMPTY; old.len()];
        // Links that will be part of the one that follows: what comes before them, and their counts.
        let mut pending: FxHashMap<ChainId, (ChainId, FxHashMap<u32, u64>)> = FxHashMap::default();
        for (number, link) in old.iter().enumerate().skip(1) {
            if !named[number] && followers[number] == 0 {
                continue;
            }
            let own: Counts = match link.what & JOINED {
                0 => Box::new([(link.what, 1)]),
                _ => std::mem::take(&mut joined[(link.what & !JOINED) as usize]),
            };
            let (before, counts) = match pending.remove(&link.before) {
                None => (numbers[link.before as usize], None),
                Some((before, mut counts)) => {
                    own.iter().for_each(|(instruction, count)| {
                        *counts.entry(*instruction).or_default() += count;
                    });
                    (before, Some(counts))
                }
            };
            if !named[number] && followers[number] == 1 {
                pending.insert(
                    number as ChainId,
                    (
                        before,
                        counts.unwrap_or_else(|| own.iter().copied().collect()),
                    ),
                );
                continue;
            }
            let own = counts.map_or(own, sorted);
            numbers[number] = self.push(before, own);
        }
        self.limit = self.few.max(2 * self.links.len());
        numbers
    }

    /// How many links that are part of a chain name each link.
    fn followers(&self, named: &[bool]) -> Vec<u32> {
        let mut followers = vec![0; self.links.len()];
        for number in (1..self.links.len()).rev() {
            if named[number] || followers[number] > 0 {
                followers[self.links[number].before as usize] += 1;
            }
        }
        followers
    }

    fn push(&mut self, before: ChainId, counts: Counts) -> ChainId {
        if let [(instruction, 1)] = *counts {
            return self.extend(before, instruction);
        }
        self.joined.push(counts);
        self.links.push(Link {
            before,
            what: (self.joined.len() - 1) as u32 | JOINED,
        });
        (self.links.len() - 1) as ChainId
    }

    /// How often each instruction is in the chain.
    pub fn counts(&self, chain: ChainId) -> BTreeMap<u32, u64> {
        let mut counts = BTreeMap::new();
        let mut at = chain;
        while at != EMPTY {
            let Link { before, what } = self.links[at as usize];
            match what & JOINED {
                0 => *counts.entry(what).or_default() += 1,
                _ => {
                    let joined = self.joined[(what & !JOINED) as usize].iter();
                    joined.for_each(|(instruction, count)| {
                        *counts.entry(*instruction).or_default() += count;
                    });
                }
            }
            at = before;
        }
        counts
    }

    #[cfg(test)]
    pub fn links(&self) -> usize {
        self.links.len() - 1
    }
}

fn sorted(counts: FxHashMap<u32, u64>) -> Counts {
    let mut counts: Vec<(u32, u64)> = counts.into_iter().collect();
    counts.sort_unstable();
    counts.into()
}

/// Which chains values name.
pub(super) struct Marks(Vec<bool>);

impl Marks {
    pub fn add(&mut self, chain: ChainId) {
        self.0[chain as usize] = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::split_mix;

    /// Values whose chains are extended at random, beside the same chains written out.
    #[test]
    fn joined_chains_count_as_those_written_out() {
        for seed in 0..200 {
            let mut random = seed;
            let mut draw = |below: u64| {
                random = split_mix(random);
                random % below
            };
            let values = 1 + draw(12) as usize;
            let mut chains = Chains::joining_after(8);
            let mut held: Vec<(ChainId, Vec<u32>)> = vec![(EMPTY, Vec::new()); values];
            for _ in 0..600 {
                let (from, to) = (draw(values as u64) as usize, draw(values as u64) as usize);
                let instruction = draw(5) as u32;
                let mut longer = held[from].clone();
                longer.0 = chains.extend(longer.0, instruction);
                longer.1.push(instruction);
                held[to] = longer;
                if chains.is_full() {
                    let mut marks = chains.mark();
                    held.iter().for_each(|(chain, _)| marks.add(*chain));
                    let numbers = chains.join(marks);
                    held.iter_mut()
                        .for_each(|(chain, _)| *chain = numbers[*chain as usize]);
                    assert!(
                        chains.links() <= 2 * values,
                        "{} links of {values} values",
                        chains.links()
                    );
                }
            }
            for (chain, written) in held {
                let mut expected = BTreeMap::new();
                written
                    .into_iter()
                    .for_each(|instruction| *expected.entry(instruction).or_default() += 1);
                assert_eq!(chains.counts(chain), expected, "seed {seed}");
            }
        }
    }
}
