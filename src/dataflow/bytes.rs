//! Which value every byte of memory holds, by its handle.
//!
//! Four bytes make a cell. A cell that was written whole has one handle; one that was written in parts
//! is split into a handle a byte until it is written whole again. Only written memory takes room.

use rustc_hash::FxHashMap;

use super::handles::{Handle, Handles};

const CELL: u64 = 4;
const PAGE_BITS: u32 = 8;
const PAGE: usize = 1 << PAGE_BITS;
const RECENT: usize = 512;
const SPLIT: u32 = 1 << 31;
const NO_PAGE: u32 = u32::MAX;

/// Bytes to handles.
pub(super) struct Bytes {
    pub values: Handles,
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

impl Bytes {
    pub fn new() -> Bytes {
        Bytes {
            values: Handles::new(),
            pages: Vec::new(),
            index: FxHashMap::default(),
            recent: Box::new([(u64::MAX, NO_PAGE); RECENT]),
            splits: Vec::new(),
            free_splits: Vec::new(),
        }
    }

    /// Every value in the bytes, some perhaps more than once.
    #[inline(always)]
    pub fn read(&mut self, address: u64, bytes: u32, mut visit: impl FnMut(Handle)) {
        if let Some((low, high)) = self.plain(address, bytes) {
            if low != 0 {
                visit(low);
            }
            if high != low && high != 0 {
                visit(high);
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
                    visit(handle);
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

    /// Makes all bytes hold one new value, and returns its handle. Where one value of the same extent was, the new
    /// one has the same handle.
    #[inline(always)]
    pub fn write(&mut self, address: u64, bytes: u32) -> Handle {
        if let Some((low, high)) = self.plain(address, bytes)
            && low == high
            && low != 0
            && u32::from(self.values.places(low)) * CELL as u32 == bytes
        {
            return low;
        }
        let handle = self.values.take();
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

    /// Gives every byte a new value of its own, places that share one together; visits the handles of the old value,
    /// 0 if there was none, and of the new one.
    pub fn change(&mut self, address: u64, bytes: u32, mut visit: impl FnMut(Handle, Handle)) {
        for part in parts(address, bytes) {
            let entry = self.entry(part.cell);
            if part.is_whole() && entry & SPLIT == 0 {
                let at = part.cell.wrapping_mul(CELL);
                visit(entry, self.write(at, CELL as u32));
                continue;
            }
            let split = self.split(part.cell);
            for byte in part.first..=part.last {
                let old = self.splits[split][byte];
                let handle = self.values.take();
                self.splits[split][byte] = handle;
                visit(old, handle);
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

    /// Bytes with the values beside them.
    struct Valued {
        bytes: Bytes,
        values: FxHashMap<Handle, u64>,
    }

    impl Valued {
        fn new() -> Valued {
            Valued {
                bytes: Bytes::new(),
                values: FxHashMap::default(),
            }
        }

        fn write(&mut self, address: u64, count: u32, value: u64) {
            let handle = self.bytes.write(address, count);
            self.values.insert(handle, value);
        }

        fn held(&mut self, address: u64, count: u32) -> Vec<u64> {
            let mut found = Vec::new();
            let values = &self.values;
            self.bytes
                .read(address, count, |handle| found.push(values[&handle]));
            found.dedup();
            found
        }
    }

    #[test]
    fn parts_of_a_word_are_written_and_read_apart() {
        let mut bytes = Valued::new();
        bytes.write(0x1000, 8, 1);
        assert_eq!(bytes.held(0x1000, 8), [1]);
        bytes.write(0x1002, 1, 2);
        assert_eq!(bytes.held(0x1000, 4), [1, 2, 1]);
        assert_eq!(bytes.held(0x1003, 4), [1]);
        bytes.write(0x1001, 8, 3);
        assert_eq!(bytes.held(0x1000, 16), [1, 3]);
        bytes.write(0x1000, 4, 4);
        assert_eq!(bytes.held(0x1000, 16), [4, 3]);
        assert_eq!(bytes.held(0x1009, 4), Vec::<u64>::new());
    }

    #[test]
    fn pages_are_crossed_and_the_address_space_ends() {
        let mut bytes = Valued::new();
        bytes.write(0x13fc, 8, 1);
        assert_eq!(bytes.held(0x13fc, 8), [1]);
        assert_eq!(bytes.held(0x1400, 4), [1]);
        bytes.write(u64::MAX - 1, 4, 2);
        assert_eq!(bytes.held(u64::MAX, 1), [2]);
        assert!(bytes.held(0, 8).is_empty());
    }

    #[test]
    fn rewriting_takes_no_more_room() {
        let mut bytes = Bytes::new();
        for round in 0..1000 {
            for address in (0..256).step_by(3) {
                bytes.write(address, 1 << (round % 4));
            }
        }
        assert!(bytes.values.take() < 300);
        assert!(bytes.splits.len() < 70);
    }
}
