//! The registers of one hart: who produced what they hold.

use crate::trace::isa::{Extent, Operand, Register, VectorType};

/// Who produced a value.
pub(super) type Identity = u32;

/// Nobody: it was there before the trace.
pub(super) const NOBODY: Identity = 0;
/// An instruction with no other value.
pub(super) const SOMEBODY: Identity = 1;
/// Identities from here on are handles of values that have several places.
pub(super) const FIRST_SHARED: Identity = 2;

/// Place 0 is always at the start, so that absent operands cost nothing and change nothing; writes to
/// `x0` go to the place behind the last register.
/// There are more than that: a power of two, so that no place of eight bits is out of range.
pub(super) const PLACES: usize = (Register::COUNT + 1).next_power_of_two();
pub(super) const SINK: usize = Register::COUNT;

/// A set of places.
pub type Places = u128;
const _: () = assert!(PLACES <= Places::BITS as usize);

/// Who produced the value of each register.
pub(super) struct RegisterFile {
    pub producers: [Identity; PLACES],
    /// The registers whose producers have no other value.
    pub plain: Places,
    /// Those whose producers have.
    pub shared: Places,
    pub vector_type: Option<VectorType>,
}

impl RegisterFile {
    pub fn new() -> RegisterFile {
        RegisterFile {
            producers: [NOBODY; PLACES],
            plain: 0,
            shared: 0,
            vector_type: None,
        }
    }

    /// Who produces what a place holds from now on; returns who did.
    #[inline(always)]
    pub fn write(&mut self, place: u8, identity: Identity) -> Identity {
        let place = place as usize % PLACES;
        let old = std::mem::replace(&mut self.producers[place], identity);
        if old != identity {
            let (own, others) = (1 << place, !(1 << place));
            self.plain &= others;
            self.shared &= others;
            match identity {
                NOBODY => {}
                SOMEBODY => self.plain |= own,
                _ => self.shared |= own,
            }
        }
        old
    }

    /// Instructions with no other value produce what these places hold, none of which holds a shared one.
    #[cold]
    pub fn write_plain(&mut self, places: Places) {
        for place in (0..PLACES).filter(|place| places >> place & 1 != 0) {
            self.producers[place] = SOMEBODY;
        }
        self.plain |= places;
    }

    /// The places of an operand. Vector groups follow what the last configuration instruction set, LMUL 1
    /// if the trace did not show it.
    pub fn places(&self, operand: Operand) -> std::ops::Range<usize> {
        const VECTORS_END: usize = 96;
        let first = operand.register.index();
        let registers = |eighths: u32| (eighths.div_ceil(8)).max(1) as usize;
        let lmul = self
            .vector_type
            .map_or(8, |set| u32::from(set.lmul_eighths));
        let count = match operand.extent {
            Extent::One => return first..first + 1,
            Extent::Fixed(count) => count as usize,
            Extent::Group {
                numerator,
                denominator,
            } => registers(lmul * u32::from(numerator) / u32::from(denominator.max(1))),
            Extent::Elements { bits, fields } => {
                let one = match self.vector_type {
                    Some(set) => registers(lmul * u32::from(bits) / u32::from(set.sew.max(1))),
                    None => 1,
                };
                one * fields.max(1) as usize
            }
        };
        first..(first + count).min(VECTORS_END)
    }
}
