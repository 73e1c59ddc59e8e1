//! Which value every byte of memory holds.
//!
//! Four bytes make a cell. A cell that was written whole has one handle; one that was written in parts
//! is split into a handle a byte until it is written whole again. Only written memory takes room.

use rustc_hash::FxHashMap;

use super::slab::{Handle, Slab};

const CELL: u64 = 4;
const PAGE_BITS: u32 = 8;
const PAGE: usize = 1 << PAGE_BITS;
const RECENT: usize = 512;
const SPLIT: u32 = 1 << 31;
const NO_PAGE: u32 = u32::MAX;

/// Bytes to values.
pub(super) struct Bytes<K> {
    pub values: Slab<K>,
    #[expect(
        clippy::vec_box,
        reason = "pages are not to be copied when their list grows"
    )]
    pages: Vec<Box<[u32; PAGE]>>,
    index: FxHashMap<u64, u32>,
    /// Page numbers that were asked for lately and where they are, by their low bits.
    recent: Box<[(u64, u32); RECENT]>,
    splits: Vec<[Handle; CELL as usize]>,
    free_splits: Vec<u32>,
}

/// The part of a cell that an access covers.
#[derive(Clone, Copy)]
struct Part {
    cell: u64,
    first: usize,
    last: usize,
}

impl Part {
    fn is_whole(self) -> bool {
        self.first == 0 && self.last == CELL as usize - 1
    }
}

/// The cells of an access; what lies past the end of the address space is left out, as by the caches.
fn parts(address: u64, bytes: u32) -> impl Iterator<Item = Part> {
    let mut done = 0;
    std::iter::from_fn(move || {
        if done >= bytes {
            return None;
        }
        let at = address.checked_add(u64::from(done))?;
        let first = (at % CELL) as usize;
        let count = (CELL as usize - first).min((bytes - done) as usize);
        done += count as u32;
        Some(Part {
            cell: at / CELL,
            first,
            last: first + count - 1,
        })
    })
}

impl<K: Copy> Bytes<K> {
    pub fn new() -> Bytes<K> {
        Bytes {
            values: Slab::new(),
            pages: Vec::new(),
            index: FxHashMap::default(),
            recent: Box::new([(u64::MAX, NO_PAGE); RECENT]),
            splits: Vec::new(),
            free_splits: Vec::new(),
        }
    }

    /// Every value in the bytes, some perhaps more than once.
    #[inline(always)]
    pub fn read(&mut self, address: u64, bytes: u32, mut visit: impl FnMut(Handle, K)) {
        if let Some((low, high)) = self.plain(address, bytes) {
            if low != 0 {
                visit(low, self.values.get(low));
            }
            if high != low && high != 0 {
                visit(high, self.values.get(high));
            }
            return;
        }
        for part in parts(address, bytes) {
            let entry = self.entry(part.cell);
            for byte in part.first..=part.last {
                let handle = if entry & SPLIT == 0 {
                    entry
                } else {
                    self.splits[(entry & !SPLIT) as usize][byte]
                };
                if handle != 0 {
                    visit(handle, self.values.get(handle));
                }
                if entry & SPLIT == 0 {
                    break;
                }
            }
        }
    }

    /// The handles of the low and the high cell of an aligned word or double word that is not split.
    #[inline(always)]
    fn plain(&mut self, address: u64, bytes: u32) -> Option<(Handle, Handle)> {
        let words = u64::from(bytes) / CELL;
        if !address.is_multiple_of(CELL)
            || !u64::from(bytes).is_multiple_of(CELL)
            || !(1..=2).contains(&words)
        {
            return None;
        }
        let cell = address / CELL;
        let place = cell as usize % PAGE;
        let page = self.find_page(cell >> PAGE_BITS);
        if page == NO_PAGE {
            return (place + (words as usize) <= PAGE).then_some((0, 0));
        }
        let page = &self.pages[page as usize];
        let low = page[place];
        let high = *page.get(place + words as usize - 1)?;
        ((low | high) & SPLIT == 0).then_some((low, high))
    }

    /// Makes all bytes hold one value, and tells its handle. Where one value of the same extent was,
    /// the new one takes its place.
    #[inline(always)]
    pub fn write(&mut self, address: u64, bytes: u32, value: K) -> Handle {
        if let Some((low, high)) = self.plain(address, bytes)
            && low == high
            && low != 0
            && u32::from(self.values.places(low)) * CELL as u32 == bytes
        {
            *self.values.slot(low) = value;
            return low;
        }
        let handle = self.values.insert(value);
        self.place(address, bytes, handle);
        handle
    }

    /// Makes all bytes hold the value of a handle; 0 forgets what they held.
    pub fn place(&mut self, address: u64, bytes: u32, handle: Handle) {
        for part in parts(address, bytes) {
            if part.is_whole() {
                let old = std::mem::replace(self.entry_mut(part.cell), handle);
                // Counted before the old one is released, for it may be the same.
                self.values.add_places(handle, 1);
                if old & SPLIT == 0 {
                    self.values.release(old);
                } else {
                    self.release_split(old & !SPLIT);
                }
                continue;
            }
            let split = self.split(part.cell);
            for byte in part.first..=part.last {
                let old = std::mem::replace(&mut self.splits[split][byte], handle);
                self.values.add_places(handle, 1);
                self.values.release(old);
            }
        }
    }

    /// Changes the value of every byte by itself, places that share one value together.
    pub fn change(&mut self, address: u64, bytes: u32, change: impl Fn(Option<K>) -> K) {
        for part in parts(address, bytes) {
            let entry = self.entry(part.cell);
            if part.is_whole() && entry & SPLIT == 0 {
                let at = part.cell.wrapping_mul(CELL);
                self.write(
                    at,
                    CELL as u32,
                    change((entry != 0).then(|| self.values.get(entry))),
                );
                continue;
            }
            let split = self.split(part.cell);
            for byte in part.first..=part.last {
                let old = self.splits[split][byte];
                let value = change((old != 0).then(|| self.values.get(old)));
                let handle = self.values.insert(value);
                self.splits[split][byte] = handle;
                self.values.release(old);
                self.values.add_places(handle, 1);
            }
        }
    }

    #[inline(always)]
    fn find_page(&mut self, page: u64) -> u32 {
        let slot = page as usize % RECENT;
        if self.recent[slot].0 == page {
            return self.recent[slot].1;
        }
        let found = self.index.get(&page).copied().unwrap_or(NO_PAGE);
        self.recent[slot] = (page, found);
        found
    }

    #[inline(always)]
    fn entry(&mut self, cell: u64) -> u32 {
        match self.find_page(cell >> PAGE_BITS) {
            NO_PAGE => 0,
            page => self.pages[page as usize][cell as usize % PAGE],
        }
    }

    #[inline(always)]
    fn entry_mut(&mut self, cell: u64) -> &mut u32 {
        let number = cell >> PAGE_BITS;
        let mut page = self.find_page(number);
        if page == NO_PAGE {
            page = self.pages.len() as u32;
            self.pages.push(Box::new([0; PAGE]));
            self.index.insert(number, page);
            self.recent[number as usize % RECENT] = (number, page);
        }
        &mut self.pages[page as usize][cell as usize % PAGE]
    }

    /// The split of a cell, made if it has none.
    fn split(&mut self, cell: u64) -> usize {
        let entry = *self.entry_mut(cell);
        if entry & SPLIT != 0 {
            return (entry & !SPLIT) as usize;
        }
        // One place becomes four.
        self.values.add_places(entry, CELL as u16 - 1);
        let handles = [entry; CELL as usize];
        let split = match self.free_splits.pop() {
            Some(split) => {
                self.splits[split as usize] = handles;
                split
            }
            None => {
                self.splits.push(handles);
                self.splits.len() as u32 - 1
            }
        };
        *self.entry_mut(cell) = split | SPLIT;
        split as usize
    }

    fn release_split(&mut self, split: u32) {
        for handle in self.splits[split as usize] {
            self.values.release(handle);
        }
        self.free_splits.push(split);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(bytes: &mut Bytes<u64>, address: u64, count: u32) -> Vec<u64> {
        let mut found = Vec::new();
        bytes.read(address, count, |_, value| found.push(value));
        found.dedup();
        found
    }

    #[test]
    fn parts_of_a_word_are_written_and_read_apart() {
        let mut bytes = Bytes::new();
        bytes.write(0x1000, 8, 1);
        assert_eq!(held(&mut bytes, 0x1000, 8), [1]);
        bytes.write(0x1002, 1, 2);
        assert_eq!(held(&mut bytes, 0x1000, 4), [1, 2, 1]);
        assert_eq!(held(&mut bytes, 0x1003, 4), [1]);
        bytes.write(0x1001, 8, 3);
        assert_eq!(held(&mut bytes, 0x1000, 16), [1, 3]);
        bytes.write(0x1000, 4, 4);
        assert_eq!(held(&mut bytes, 0x1000, 16), [4, 3]);
        assert_eq!(held(&mut bytes, 0x1009, 4), Vec::<u64>::new());
    }

    #[test]
    fn pages_are_crossed_and_the_address_space_ends() {
        let mut bytes = Bytes::new();
        bytes.write(0x13fc, 8, 1);
        assert_eq!(held(&mut bytes, 0x13fc, 8), [1]);
        assert_eq!(held(&mut bytes, 0x1400, 4), [1]);
        bytes.write(u64::MAX - 1, 4, 2);
        assert_eq!(held(&mut bytes, u64::MAX, 1), [2]);
        assert!(held(&mut bytes, 0, 8).is_empty());
    }

    #[test]
    fn rewriting_takes_no_more_room() {
        let mut bytes = Bytes::new();
        for round in 0..1000 {
            for address in (0..256).step_by(3) {
                bytes.write(address, 1 << (round % 4), round);
            }
        }
        assert!(bytes.values.insert(0) < 300);
        assert!(bytes.splits.len() < 70);
    }
}
