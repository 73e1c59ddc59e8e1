//! Values that several places of memory share, with a count of the places.

/// Where a value is; 0 stands for no value.
pub(super) type Handle = u32;

const CHUNK_BITS: u32 = 12;
/// Identities and marks need the numbers above.
const MOST: usize = 1 << 30;
const CHUNK: usize = 1 << CHUNK_BITS;

/// Values in pieces that never move, so that growing does not copy.
pub(super) struct Slab<K> {
    chunks: Vec<Box<[K]>>,
    places: Vec<u16>,
    free: Vec<Handle>,
}

impl<K: Copy> Slab<K> {
    pub fn new() -> Slab<K> {
        // Handle 0 is nobody's.
        Slab {
            chunks: Vec::new(),
            places: vec![0],
            free: Vec::new(),
        }
    }

    /// Keeps a value that has no place yet.
    #[inline(always)]
    pub fn insert(&mut self, value: K) -> Handle {
        if let Some(handle) = self.free.pop() {
            *self.slot(handle) = value;
            return handle;
        }
        self.insert_new(value)
    }

    #[cold]
    fn insert_new(&mut self, value: K) -> Handle {
        let handle = self.places.len();
        if handle >> CHUNK_BITS >= self.chunks.len() {
            self.chunks.push(vec![value; CHUNK].into_boxed_slice());
        }
        self.places.push(0);
        assert!(handle < MOST, "more than 2³⁰ values are in memory at once");
        let handle = handle as Handle;
        *self.slot(handle) = value;
        handle
    }

    #[inline(always)]
    pub fn get(&self, handle: Handle) -> K {
        self.chunks[handle as usize >> CHUNK_BITS][handle as usize & (CHUNK - 1)]
    }

    #[inline(always)]
    pub fn slot(&mut self, handle: Handle) -> &mut K {
        &mut self.chunks[handle as usize >> CHUNK_BITS][handle as usize & (CHUNK - 1)]
    }

    /// All values that have a place.
    pub fn in_use_mut(&mut self) -> impl Iterator<Item = &mut K> {
        let values = self
            .chunks
            .iter_mut()
            .flat_map(|chunk| chunk.iter_mut())
            .zip(&self.places);
        values
            .filter(|(_, places)| **places > 0)
            .map(|(value, _)| value)
    }

    #[inline(always)]
    pub fn places(&self, handle: Handle) -> u16 {
        self.places[handle as usize]
    }

    #[inline(always)]
    pub fn add_places(&mut self, handle: Handle, count: u16) {
        if handle != 0 {
            self.places[handle as usize] += count;
        }
    }

    /// One place less; a value without place is gone.
    #[inline(always)]
    pub fn release(&mut self, handle: Handle) {
        if handle == 0 {
            return;
        }
        let places = &mut self.places[handle as usize];
        *places -= 1;
        if *places == 0 {
            self.free.push(handle);
        }
    }
}
