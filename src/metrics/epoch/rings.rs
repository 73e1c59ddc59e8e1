//! The last W instructions in a window of W: for each the epoch from which its result can be used and the
//! epoch in which it retires, one lane a capacity. An older producer has retired before the instruction
//! enters and cannot hold it up.
//!
//! Lanes are relative to bases that move: nothing enters before the oldest of the window has retired.

use pulp::{Arch, NullaryFnOnce};

/// Lanes of one vector.
pub(super) const LANES: usize = 8;

/// A signed number of some width, never below 0: that compares fastest.
pub(super) trait Lane: Copy + Ord + Default {
    /// The difference, 0 if it is below.
    fn less(self, moved: Self) -> Self;
    fn wide(self) -> u64;
}

macro_rules! lane {
    ($($type:ty)*) => {$(
        impl Lane for $type {
            #[inline(always)]
            fn less(self, moved: $type) -> $type {
                (self - moved).max(0)
            }

            #[inline(always)]
            fn wide(self) -> u64 {
                self.unsigned_abs().into()
            }
        }
    )*};
}
lane! { i16 i32 }

/// Lanes of an instruction, N vectors.
pub(super) type Row<T, const N: usize> = [[T; LANES]; N];

/// One window; rows of N vectors, one per instruction.
pub(super) struct Ring<T> {
    size: usize,
    chunks: usize,
    /// Row of the next instruction; that of the one `size` before it is there until then.
    next: usize,
    done: Vec<[T; LANES]>,
    retired: Vec<[T; LANES]>,
    bases: Vec<u64>,
}

impl<T: Lane> Ring<T> {
    pub fn new(size: u32, chunks: usize) -> Ring<T> {
        let rows = vec![[T::default(); LANES]; size as usize * chunks];
        Ring {
            size: size as usize,
            chunks,
            next: 0,
            done: rows.clone(),
            retired: rows,
            bases: vec![0; chunks * LANES],
        }
    }

    /// All rows, to be gone through.
    #[inline(always)]
    pub fn rows<const N: usize>(&mut self) -> Rows<'_, T, N> {
        let before = self.before();
        let (done, _) = self.done.as_chunks_mut::<N>();
        let (retired, _) = self.retired.as_chunks_mut::<N>();
        Rows {
            last: retired[before],
            size: self.size,
            next: &mut self.next,
            done,
            retired,
            bases: &self.bases,
        }
    }

    /// The epoch in which the last instruction retired.
    pub fn last(&self, lane: usize) -> u64 {
        let row = &self.retired[self.before() * self.chunks..];
        self.bases[lane] + row[lane / LANES][lane % LANES].wide()
    }

    fn before(&self) -> usize {
        if self.next == 0 {
            self.size - 1
        } else {
            self.next - 1
        }
    }

    /// Makes the retirement of the oldest the base; what is earlier becomes as late.
    pub fn rebase(&mut self) {
        let oldest = self.retired[self.next * self.chunks..][..self.chunks].to_vec();
        for (base, moved) in self.bases.iter_mut().zip(oldest.iter().flatten()) {
            *base += moved.wide();
        }
        for rows in [&mut self.done, &mut self.retired] {
            for row in rows.chunks_exact_mut(self.chunks) {
                for (lanes, moved) in row.iter_mut().zip(&oldest) {
                    for (lane, moved) in lanes.iter_mut().zip(moved) {
                        *lane = lane.less(*moved);
                    }
                }
            }
        }
    }
}

/// A ring at work: what it needs for every instruction, at hand.
pub(super) struct Rows<'r, T, const N: usize> {
    size: usize,
    next: &'r mut usize,
    /// retire(i−1)
    last: Row<T, N>,
    done: &'r mut [Row<T, N>],
    retired: &'r mut [Row<T, N>],
    /// What each lane is relative to.
    pub bases: &'r [u64],
}

impl<T: Lane, const N: usize> Rows<'_, T, N> {
    /// enter(i) = retire(i−W).
    #[inline(always)]
    pub fn entered(&self) -> &Row<T, N> {
        &self.retired[*self.next]
    }

    /// The next instruction, whose sources are so many instructions back; `done` says when it is done if it is issued then,
    /// issue(i) = max(enter(i), avail of the sources).
    #[inline(always)]
    pub fn advance(
        &mut self,
        sources: &[u32],
        done: impl FnOnce(Row<T, N>, &Rows<'_, T, N>) -> Row<T, N>,
    ) {
        let next = *self.next;
        let mut issued = self.retired[next];
        wait_for(&mut issued, sources, (next, self.size), |at| &self.done[at]);
        let done = done(issued, self);
        // retire(i) = max(retire(i−1), done(i))
        later(&mut self.last, &done);
        self.done[next] = done;
        self.retired[next] = self.last;
        *self.next = if next + 1 == self.size { 0 } else { next + 1 };
    }
}

/// Until the sources are done that are in a ring of that size, so many instructions back from its next place.
#[inline(always)]
fn wait_for<'d, T: Lane + 'd, const N: usize>(
    issued: &mut Row<T, N>,
    sources: &[u32],
    (next, size): (usize, usize),
    done: impl Fn(usize) -> &'d Row<T, N>,
) {
    for &distance in sources {
        let distance = distance as usize;
        if distance < size {
            let wrapped = if distance <= next { 0 } else { size };
            later(issued, done(next + wrapped - distance));
        }
    }
}

#[inline(always)]
fn later<T: Lane, const N: usize>(lanes: &mut Row<T, N>, others: &Row<T, N>) {
    for (lanes, others) in lanes.iter_mut().zip(others) {
        for (lane, other) in lanes.iter_mut().zip(others) {
            *lane = (*lane).max(*other);
        }
    }
}

/// Work on rows of N vectors.
pub(super) trait OnRows {
    fn run<const N: usize>(self);
}

/// Work on rows of so many vectors, from 1 to 8, compiled for the widest vectors of the machine.
pub(super) struct Widest<W> {
    pub chunks: usize,
    pub work: W,
}

impl<W: OnRows> NullaryFnOnce for Widest<W> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        match self.chunks {
            1 => self.work.run::<1>(),
            2 => self.work.run::<2>(),
            3 => self.work.run::<3>(),
            4 => self.work.run::<4>(),
            5 => self.work.run::<5>(),
            6 => self.work.run::<6>(),
            7 => self.work.run::<7>(),
            _ => self.work.run::<8>(),
        }
    }
}

impl<W: OnRows> Widest<W> {
    pub fn run(self) {
        Arch::new().dispatch(self);
    }
}
