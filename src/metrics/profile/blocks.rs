//! Blocks of memory that no variable names, as far as accesses tell them apart: by address, and by the calls of the
//! functions that hand out memory (`malloc`, `realloc`, `free`) in between.

use super::origins::Origin;

/// What one instruction touched, from one of these calls to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    pub low: u64,
    pub high: u64,
    /// Calls so far, when it was touched first and last.
    pub first: u32,
    pub last: u32,
    /// Where it was handed out.
    pub origin: Handed,
}

/// Where memory was handed out, by the site of the call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Handed {
    #[default]
    Unknown,
    At(Origin),
    /// At several.
    AtSome,
}

impl Handed {
    pub fn of(origin: Option<Origin>) -> Handed {
        origin.map_or(Handed::Unknown, Handed::At)
    }

    /// Of both together.
    pub fn and(self, other: Handed) -> Handed {
        match (self, other) {
            (own, Handed::Unknown) => own,
            (Handed::Unknown, other) => other,
            (Handed::At(a), Handed::At(b)) if a == b => self,
            _ => Handed::AtSome,
        }
    }
}

impl Extent {
    pub fn add(&mut self, low: u64, high: u64) {
        (self.low, self.high) = united(Some((self.low, self.high)), low, high);
    }

    fn contains(&self, address: u64) -> bool {
        (self.low..self.high).contains(&address)
    }
}

/// The instruction that touched an extent, by its address and hart; `None` if the trace has no addresses of instructions.
pub type Maker = Option<(u64, u16)>;

/// Between two blocks of a heap there are at least so many bytes.
const LEAST_GAP: u64 = 8;

/// The calls, and where they stored themselves: links between free blocks, copies and zeroes in new ones. What was in
/// use there before has ended.
#[derive(Default)]
pub struct Blocks {
    calls: u32,
    /// By number of the call.
    stores: Vec<(u32, u64)>,
}

/// Stores beyond these are not kept: then what is at one place at different times is taken for one block.
const MOST_STORES: usize = 4096;
/// Of more extents that overlap, or more stores there, time is not looked at.
const MOST_OVERLAPPING: usize = 1000;
const MOST_STORES_THERE: usize = 100;

impl Blocks {
    pub fn begin(&mut self) {
        self.calls = self.calls.saturating_add(1);
    }

    pub fn now(&self) -> u32 {
        self.calls
    }

    pub fn store(&mut self, address: u64) {
        if self.stores.len() < MOST_STORES && self.stores.last() != Some(&(self.calls, address)) {
            self.stores.push((self.calls, address));
        }
    }

    /// Whether what was last touched in one extent has ended when another is touched.
    fn has_ended(&self, earlier: &Extent, now: u32) -> bool {
        let after = self
            .stores
            .partition_point(|(call, _)| *call <= earlier.last);
        ends(&self.stores[after..], earlier, now)
    }

    /// Adds an access to an instruction's extents, the one touched last being the last: to the one that it goes on with,
    /// or as a new one.
    pub fn add(
        &self,
        extents: &mut Vec<Extent>,
        (low, high): (u64, u64),
        origin: Handed,
        most: usize,
    ) {
        let goes_on = |extent: &Extent| {
            low <= extent.high && high >= extent.low && !self.has_ended(extent, self.calls)
        };
        let found = extents
            .iter()
            .rposition(goes_on)
            .or((extents.len() >= most).then(|| extents.len() - 1));
        let mut extent = match found {
            Some(found) => extents.remove(found),
            None => Extent {
                low,
                high,
                first: self.calls,
                last: self.calls,
                origin,
            },
        };
        extent.add(low, high);
        extent.last = self.calls;
        extent.origin = extent.origin.and(origin);
        extents.push(extent);
    }

    /// Extents of one block each, as positions; blocks by address, then by time. `makers` are those of the extents.
    pub fn joined(&self, extents: &[Extent], makers: &[Maker]) -> Vec<Vec<usize>> {
        self.chunks(extents, makers, self.apart(extents))
    }

    /// Puts together what threads have of one block: extents that the same instruction made on different harts, where
    /// one begins at the end of the other.
    fn chunks(
        &self,
        extents: &[Extent],
        makers: &[Maker],
        blocks: Vec<Vec<usize>>,
    ) -> Vec<Vec<usize>> {
        let mut block_of = vec![0; extents.len()];
        for (number, members) in blocks.iter().enumerate() {
            members.iter().for_each(|&at| block_of[at] = number);
        }
        // By instruction, where extents begin.
        let mut order: Vec<(u64, u64, u16, usize)> = makers
            .iter()
            .enumerate()
            .filter_map(|(at, maker)| maker.map(|(pc, hart)| (pc, extents[at].low, hart, at)))
            .collect();
        order.sort_unstable();
        let mut first: Vec<usize> = (0..blocks.len()).collect();
        for pair in order.windows(2) {
            let [(pc, _, hart, before), (next_pc, low, next_hart, after)] = *pair else {
                continue;
            };
            let (earlier, later) = match extents[before].last <= extents[after].first {
                true => (&extents[before], &extents[after]),
                false => (&extents[after], &extents[before]),
            };
            let touch = (extents[before].high..extents[before].high + LEAST_GAP).contains(&low);
            if pc == next_pc && hart != next_hart && touch && !self.has_ended(earlier, later.first)
            {
                let (one, other) = (first[block_of[before]], first[block_of[after]]);
                let (least, most) = (one.min(other), one.max(other));
                first
                    .iter_mut()
                    .filter(|own| **own == most)
                    .for_each(|own| *own = least);
            }
        }
        let mut all = vec![Vec::new(); blocks.len()];
        for (members, first) in blocks.into_iter().zip(first) {
            all[first].extend(members);
        }
        all.retain(|members| !members.is_empty());
        all
    }

    /// Extents that overlap, apart in time.
    fn apart(&self, extents: &[Extent]) -> Vec<Vec<usize>> {
        let mut order: Vec<usize> = (0..extents.len()).collect();
        order.sort_by_key(|&at| (extents[at].low, extents[at].high, at));
        let mut found: Vec<Vec<usize>> = Vec::new();
        let mut past = 0;
        for at in order {
            match found.last_mut().filter(|_| extents[at].low < past) {
                Some(last) => last.push(at),
                None => found.push(vec![at]),
            }
            past = past.max(extents[at].high);
        }
        let mut stores: Vec<(u64, u32)> = self
            .stores
            .iter()
            .map(|(call, address)| (*address, *call))
            .collect();
        stores.sort_unstable();
        found
            .into_iter()
            .flat_map(|overlapping| apart_in_time(extents, overlapping, &stores))
            .collect()
    }
}

/// Of extents that overlap, and that stores do not tell apart, those of one call that handed out memory, where several did,
/// and all whose call is not known: the last extent of an instruction that goes through many blocks reaches over whatever
/// lies between.
fn by_origin(extents: &[Extent], overlapping: Vec<usize>) -> Vec<Vec<usize>> {
    let mut found: Vec<(Option<Origin>, Vec<usize>)> = Vec::new();
    for &at in &overlapping {
        let origin = match extents[at].origin {
            Handed::At(origin) => Some(origin),
            Handed::Unknown | Handed::AtSome => None,
        };
        match found.iter_mut().find(|(known, _)| *known == origin) {
            Some((_, members)) => members.push(at),
            None => found.push((origin, vec![at])),
        }
    }
    let sites = found.iter().filter(|(origin, _)| origin.is_some());
    match sites.count() {
        0 | 1 => vec![overlapping],
        _ => found.into_iter().map(|(_, members)| members).collect(),
    }
}

/// Whether one of these stores, in the order of calls, ended what an extent was.
fn ends(stores: &[(u32, u64)], earlier: &Extent, now: u32) -> bool {
    let until_now = stores.iter().take_while(|(call, _)| *call <= now);
    until_now
        .filter(|(call, _)| *call > earlier.last)
        .any(|(_, address)| earlier.contains(*address))
}

/// Of extents that overlap those that are of one block: no store between them, by address, ended it.
fn apart_in_time(
    extents: &[Extent],
    mut overlapping: Vec<usize>,
    stores: &[(u64, u32)],
) -> Vec<Vec<usize>> {
    let low = overlapping
        .iter()
        .map(|&at| extents[at].low)
        .min()
        .unwrap_or(0);
    let high = overlapping
        .iter()
        .map(|&at| extents[at].high)
        .max()
        .unwrap_or(0);
    let first = stores.partition_point(|(address, _)| *address < low);
    let there = stores[first..]
        .iter()
        .take_while(|(address, _)| *address < high);
    let mut there: Vec<(u32, u64)> = there.map(|(address, call)| (*call, *address)).collect();
    if there.is_empty() || there.len() > MOST_STORES_THERE || overlapping.len() > MOST_OVERLAPPING {
        return by_origin(extents, overlapping);
    }
    there.sort_unstable();
    overlapping.sort_by_key(|&at| (extents[at].first, extents[at].last, extents[at].low, at));
    let mut blocks: Vec<Vec<usize>> = Vec::new();
    for at in overlapping {
        let one = &extents[at];
        let is_same = |other: &usize| {
            let other = &extents[*other];
            other.low < one.high && one.low < other.high && !ends(&there, other, one.first)
        };
        let mut with: Vec<usize> = vec![at];
        blocks.retain_mut(|block| {
            let joins = block.iter().any(is_same);
            if joins {
                with.append(block);
            }
            !joins
        });
        blocks.push(with);
    }
    blocks.sort_by_key(|block| {
        block
            .iter()
            .map(|&at| (extents[at].first, extents[at].low))
            .min()
    });
    blocks
}

pub fn united(range: Option<(u64, u64)>, low: u64, high: u64) -> (u64, u64) {
    range.map_or((low, high), |(first, past)| {
        (first.min(low), past.max(high))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extent(low: u64, high: u64, first: u32, last: u32) -> Extent {
        Extent {
            low,
            high,
            first,
            last,
            origin: Handed::Unknown,
        }
    }

    #[test]
    fn an_instruction_goes_on_where_it_was_or_begins_anew() {
        let mut blocks = Blocks::default();
        let mut extents = Vec::new();
        let add = |blocks: &Blocks, extents: &mut Vec<Extent>, low| {
            blocks.add(extents, (low, low + 8), Handed::Unknown, 3);
        };
        add(&blocks, &mut extents, 0x100);
        blocks.begin();
        // The next element, in a block that has grown.
        add(&blocks, &mut extents, 0x108);
        assert_eq!(extents, [extent(0x100, 0x110, 0, 1)]);
        blocks.begin();
        // Another block.
        add(&blocks, &mut extents, 0x200);
        assert_eq!(
            extents,
            [extent(0x100, 0x110, 0, 1), extent(0x200, 0x208, 2, 2)]
        );
        // Then the first again, and again after its memory was handed out again.
        blocks.begin();
        add(&blocks, &mut extents, 0x100);
        blocks.begin();
        blocks.store(0x100);
        add(&blocks, &mut extents, 0x100);
        let first = extent(0x100, 0x110, 0, 3);
        assert_eq!(
            extents,
            [
                extent(0x200, 0x208, 2, 2),
                first,
                extent(0x100, 0x108, 4, 4)
            ]
        );
        // Beyond the most it is one with the last.
        blocks.begin();
        add(&blocks, &mut extents, 0x300);
        assert_eq!(extents.last(), Some(&extent(0x100, 0x308, 4, 5)));
    }

    #[test]
    fn blocks_are_apart_by_address_and_by_time() {
        let mut blocks = Blocks::default();
        let extents = [
            extent(0x100, 0x180, 0, 0),
            extent(0x200, 0x280, 0, 3),
            extent(0x108, 0x180, 1, 1),
            extent(0x100, 0x140, 3, 3),
            extent(0x138, 0x160, 3, 3),
        ];
        assert_eq!(blocks.apart(&extents), [vec![3, 0, 2, 4], vec![1]]);
        // The second call stores into the first block: what is there from then on is another.
        blocks.begin();
        blocks.begin();
        blocks.store(0x110);
        let found = blocks.apart(&extents);
        let sorted: Vec<Vec<usize>> = found
            .into_iter()
            .map(|mut block| {
                block.sort_unstable();
                block
            })
            .collect();
        assert_eq!(sorted, [vec![0, 2], vec![3, 4], vec![1]]);
    }

    /// Two harts with half of an array each, and with a buffer each, which is a block of its own; the same by another
    /// instruction; a later array in the same place.
    #[test]
    fn chunks_of_harts_are_one_block() {
        let mut blocks = Blocks::default();
        let extents = [
            extent(0x100, 0x180, 0, 0),
            extent(0x180, 0x200, 0, 0),
            extent(0x300, 0x380, 0, 0),
            extent(0x388, 0x400, 0, 0),
            extent(0x400, 0x480, 0, 0),
        ];
        let makers = [
            Some((8, 0)),
            Some((8, 1)),
            Some((8, 0)),
            Some((8, 1)),
            Some((4, 0)),
        ];
        let expected = [vec![0, 1], vec![2], vec![3], vec![4]];
        assert_eq!(blocks.joined(&extents, &makers), expected);
        assert_eq!(blocks.joined(&extents[..2], &[Some((8, 1)); 2]).len(), 2);
        assert_eq!(blocks.joined(&extents[..2], &[None; 2]).len(), 2);
        let later = [extent(0x100, 0x180, 0, 0), extent(0x180, 0x200, 1, 1)];
        assert_eq!(blocks.joined(&later, &makers[..2]), [[0, 1]]);
        blocks.begin();
        blocks.store(0x100);
        assert_eq!(blocks.joined(&later, &makers[..2]), [[0], [1]]);
    }
}
