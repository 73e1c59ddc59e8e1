//! What a question keeps of every value that registers and memory hold: in its own lanes, under the handles of the
//! shared dependences.

use super::block::BlockOperation;
use super::dependences::Rules;
use super::handles::Handle;
use super::lanes::{Held, Lanes};
use super::operation::Operation;
use super::registers::{PLACES, Places, SINK};
use super::steps::Registers;
use super::walk::{Accessed, BlockRun, Overwriting, Step};

/// The availability of all values, in the lanes of one question.
pub struct Values<L: Held> {
    rules: Rules,
    harts: Vec<[L; PLACES]>,
    memory: Column<L::Kept>,
    starts: Starts<L>,
}

/// The latest start of those that read a value since it was written; for false dependences.
struct Starts<L: Held> {
    harts: Vec<[L; PLACES]>,
    memory: Column<L::Kept>,
}

/// Goes through a block.
pub trait Through<L: Held, U> {
    /// The later of two.
    fn latest(&mut self, own: L, other: L) -> L;
    /// When the result is available of an operation that starts when its operands are there.
    fn operation(&mut self, operation: &BlockOperation, ready: L) -> L;
    /// The same of one that accesses memory.
    fn access(&mut self, operation: &BlockOperation, accessed: &Accessed<'_, U>, ready: L) -> L;

    /// Reads a value from memory.
    #[inline(always)]
    fn read(&mut self, kept: &mut L::Kept) -> L {
        L::recall(*kept)
    }

    /// Writes a value to memory where there may be one that nothing needs any more.
    #[inline(always)]
    fn write(&mut self, kept: &mut L::Kept, done: L) {
        *kept = done.keep();
    }
}

impl<L: Lanes> Values<L> {
    /// When the operands of an instruction are there.
    #[inline(always)]
    pub fn ready<U: Copy>(&self, step: &Step<'_, U>) -> L {
        self.ready_by(step, &mut L::latest)
    }

    /// Makes the results available of an instruction that started when its operands were there.
    #[inline(always)]
    pub fn complete<U: Copy>(&mut self, step: &Step<'_, U>, started: L, done: L) {
        self.complete_by(step, started, done, &mut L::latest);
    }
}

impl<L: Held> Values<L> {
    pub fn new(rules: Rules) -> Values<L> {
        Values {
            rules,
            harts: Vec::new(),
            memory: Column::default(),
            starts: Starts {
                harts: Vec::new(),
                memory: Column::default(),
            },
        }
    }

    /// Makes room for a hart; to be called before its first instruction.
    pub fn add_hart(&mut self, hart: u16) {
        while self.harts.len() <= hart as usize {
            self.harts.push([L::START; PLACES]);
            if self.rules.false_dependences {
                self.starts.harts.push([L::START; PLACES]);
            }
        }
    }

    /// What the registers of a hart hold, of those in the set.
    #[inline(always)]
    pub fn registers(&self, hart: u16, mut places: Places) -> impl Iterator<Item = L> + '_ {
        let registers = &self.harts[hart as usize];
        std::iter::from_fn(move || {
            let place = places.trailing_zeros();
            places &= places.wrapping_sub(1);
            (place < Places::BITS).then(|| registers[place as usize % PLACES])
        })
    }

    /// Visits what is known of the values of all registers, to look at it or to change it.
    pub fn for_each_register(&mut self, visit: impl FnMut(&mut L)) {
        let registers = self.harts.iter_mut().chain(&mut self.starts.harts);
        registers.flatten().for_each(visit);
    }

    /// What memory holds; perhaps also some that it does not hold any more.
    pub fn memory(&self) -> impl Iterator<Item = &L::Kept> {
        self.memory.chunks.iter().flat_map(|chunk| chunk.iter())
    }

    /// What memory holds, or held, where the value of a step goes.
    #[inline(always)]
    pub fn overwritten<U: Copy>(&self, step: &Step<'_, U>) -> Option<&L::Kept> {
        let written = step.accessed.as_ref()?.written as usize;
        let chunk = self.memory.chunks.get(written >> CHUNK_BITS)?;
        (written != 0).then(|| &chunk[written & (CHUNK - 1)])
    }

    /// Goes through a block, whose dependences are true ones.
    #[inline(always)]
    pub fn run<U: Copy + Default>(
        &mut self,
        run: &mut BlockRun<'_, '_, U>,
        through: &mut impl Through<L, U>,
    ) {
        let registers = &mut self.harts[run.block.hart() as usize];
        for operation in run.block.operations() {
            let [first, second, third] = operation.sources;
            let mut ready = registers[first as usize % PLACES];
            // Places of absent operands are at the start.
            if second != 0 {
                ready = through.latest(ready, registers[second as usize % PLACES]);
                if third != 0 {
                    ready = through.latest(ready, registers[third as usize % PLACES]);
                }
            }
            let done = match run.accessed(operation) {
                None => through.operation(operation, ready),
                Some(accessed) => {
                    for handle in accessed.sources {
                        let value = through.read(self.memory.known(*handle));
                        ready = through.latest(ready, value);
                    }
                    let done = through.access(operation, &accessed, ready);
                    if accessed.written != 0 {
                        through.write(self.memory.slot::<L>(accessed.written), done);
                    }
                    done
                }
            };
            registers[operation.destination as usize % PLACES] = done;
        }
    }

    /// When the operands of an instruction are there, where `latest` finds the later of two.
    #[inline(always)]
    pub fn ready_by<U: Copy>(&self, step: &Step<'_, U>, latest: &mut impl FnMut(L, L) -> L) -> L {
        let mut ready = L::START;
        self.sources(step, |lanes| ready = latest(ready, lanes));
        if self.rules.false_dependences {
            let parts = (step.operation, step.registers, overwriting(step));
            ready = self.wait_to_overwrite(parts, ready, latest);
        }
        ready
    }

    /// Visits the value of every source, each instruction's once, and those that were there before the trace. True
    /// dependences only.
    #[inline(always)]
    pub fn sources<U: Copy>(&self, step: &Step<'_, U>, mut visit: impl FnMut(L)) {
        let lanes = &self.harts[step.operation.hart as usize];
        match step.registers {
            None => step
                .operation
                .sources
                .iter()
                .for_each(|place| visit(lanes[*place as usize % PLACES])),
            Some(registers) => registers.reads[..registers.sources]
                .iter()
                .for_each(|place| visit(lanes[*place as usize % PLACES])),
        }
        if let Some(accessed) = &step.accessed {
            for handle in accessed.sources {
                visit(L::recall(self.memory.get(*handle)));
            }
        }
    }

    /// Waits for the last writer of everything that an instruction overwrites, and for those who read it since. Takes the
    /// parts of a step: a reference to the whole would write every step to memory.
    #[inline(never)]
    fn wait_to_overwrite(
        &self,
        (operation, registers, overwriting): Parts<'_>,
        mut ready: L,
        latest: &mut impl FnMut(L, L) -> L,
    ) -> L {
        let hart = operation.hart as usize;
        let (lanes, starts) = (&self.harts[hart], &self.starts.harts[hart]);
        let destination = [operation.destination];
        let writes = registers.map_or(&destination[..], |own| &own.writes);
        for place in writes.iter().map(|place| *place as usize) {
            if place != SINK {
                ready = latest(ready, lanes[place]);
                ready = latest(ready, starts[place]);
            }
        }
        if let Some(overwriting) = overwriting {
            for handle in overwriting.written {
                ready = latest(ready, L::recall(self.memory.get(*handle)));
            }
            for handle in overwriting.read {
                ready = latest(ready, L::recall(self.starts.memory.get(*handle)));
            }
        }
        ready
    }

    /// Makes the results available of an instruction that started when its operands were there, where `latest` finds
    /// the later of two.
    #[inline(always)]
    pub fn complete_by<U: Copy>(
        &mut self,
        step: &Step<'_, U>,
        started: L,
        done: L,
        latest: &mut impl FnMut(L, L) -> L,
    ) {
        if self.rules.false_dependences {
            let parts = (step.operation, step.registers, overwriting(step));
            self.note_reads(parts, started, latest);
        }
        if let Some(accessed) = &step.accessed
            && accessed.written != 0
        {
            *self.memory.slot::<L>(accessed.written) = done.keep();
        }
        let hart = step.operation.hart as usize;
        match step.registers {
            None => self.write_register(hart, step.operation.destination, done),
            Some(registers) => {
                for place in &registers.writes {
                    self.write_register(hart, *place, done);
                }
            }
        }
    }

    #[inline(always)]
    fn write_register(&mut self, hart: usize, place: u8, done: L) {
        // What goes to the sink is read by nobody.
        self.harts[hart][place as usize % PLACES] = done;
        if self.rules.false_dependences {
            self.starts.harts[hart][place as usize] = L::START;
        }
    }

    /// Remembers when operands were read, for those that will overwrite them.
    #[inline(never)]
    fn note_reads(
        &mut self,
        (operation, registers, overwriting): Parts<'_>,
        started: L,
        latest: &mut impl FnMut(L, L) -> L,
    ) {
        let starts = &mut self.starts.harts[operation.hart as usize];
        let reads = registers.map_or(&operation.sources[..], |own| &own.reads);
        // Place 0 is always at the start.
        for place in reads.iter().filter(|place| **place != 0) {
            let place = &mut starts[*place as usize];
            *place = latest(*place, started);
        }
        for (before, now) in overwriting.iter().flat_map(|own| own.readers) {
            let last = match before {
                0 => started,
                before => latest(L::recall(self.starts.memory.get(*before)), started),
            };
            *self.starts.memory.slot::<L>(*now) = last.keep();
        }
    }

    /// Visits everything that is known of any value, to look at it or to change it: of registers, of memory, and of
    /// readers where these count; perhaps also of some that nothing holds any more.
    pub fn for_each_value(&mut self, visit: &mut dyn FnMut(&mut L)) {
        self.for_each_register(&mut *visit);
        let Values { memory, starts, .. } = self;
        for kept in memory.iter_mut().chain(starts.memory.iter_mut()) {
            let mut lanes = L::recall(*kept);
            visit(&mut lanes);
            *kept = lanes.keep();
        }
    }
}

/// Of a step, what concerns false dependences.
type Parts<'a> = (
    &'a Operation,
    Option<&'a Registers>,
    Option<Overwriting<'a>>,
);

#[inline(always)]
fn overwriting<'a, U: Copy>(step: &Step<'a, U>) -> Option<Overwriting<'a>> {
    step.accessed.as_ref().and_then(|own| own.overwriting)
}

const CHUNK_BITS: u32 = 12;
const CHUNK: usize = 1 << CHUNK_BITS;

/// One value for each handle, in pieces that never move, so that growing does not copy.
struct Column<K> {
    chunks: Vec<Box<[K]>>,
}

impl<K> Default for Column<K> {
    fn default() -> Column<K> {
        Column { chunks: Vec::new() }
    }
}

impl<K: Copy> Column<K> {
    #[inline(always)]
    fn get(&self, handle: Handle) -> K {
        self.chunks[handle as usize >> CHUNK_BITS][handle as usize & (CHUNK - 1)]
    }

    /// Where the value of a handle is kept that has one.
    #[inline(always)]
    fn known(&mut self, handle: Handle) -> &mut K {
        &mut self.chunks[handle as usize >> CHUNK_BITS][handle as usize & (CHUNK - 1)]
    }

    /// Where the value of a handle is kept, one that was there before the trace if it has none yet.
    #[inline(always)]
    fn slot<L: Held<Kept = K>>(&mut self, handle: Handle) -> &mut K {
        let chunk = handle as usize >> CHUNK_BITS;
        if chunk >= self.chunks.len() {
            self.grow(chunk, L::START.keep());
        }
        &mut self.chunks[chunk][handle as usize & (CHUNK - 1)]
    }

    #[cold]
    fn grow(&mut self, chunk: usize, value: K) {
        while self.chunks.len() <= chunk {
            self.chunks.push(vec![value; CHUNK].into_boxed_slice());
        }
    }

    fn iter_mut(&mut self) -> impl Iterator<Item = &mut K> {
        self.chunks.iter_mut().flat_map(|chunk| chunk.iter_mut())
    }
}
