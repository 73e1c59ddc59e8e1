//! Handles of values in memory, with a count of the places that hold each. The values themselves are with those who
//! ask for them.

/// Names a value; 0 stands for no value.
pub(super) type Handle = u32;

/// Identities and marks need the numbers above.
const MOST: usize = 1 << 30;

/// Which handles are in use.
pub(super) struct Handles {
    places: Vec<u16>,
    free: Vec<Handle>,
}

impl Handles {
    pub fn new() -> Handles {
        // Handle 0 is nobody's.
        Handles {
            places: vec![0],
            free: Vec::new(),
        }
    }

    /// A handle that has no place yet.
    #[inline(always)]
    pub fn take(&mut self) -> Handle {
        match self.free.pop() {
            Some(handle) => handle,
            None => self.take_new(),
        }
    }

    #[cold]
    fn take_new(&mut self) -> Handle {
        let handle = self.places.len();
        assert!(handle < MOST, "more than 2³⁰ values are in memory at once");
        self.places.push(0);
        handle as Handle
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

    /// One place less; the handle of a value without place is free.
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
