//! How instructions are told apart by their bits, and where their register numbers are.

use super::Slot;

/// A word is this instruction if `word & mask == bits`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoding {
    pub mask: u32,
    pub bits: u32,
}

impl Encoding {
    pub const fn matches(self, word: u32) -> bool {
        word & self.mask == self.bits
    }

    /// Also fixed: the `mask` bits at `shift`.
    pub const fn and(self, shift: u32, mask: u32, bits: u32) -> Encoding {
        Encoding {
            mask: self.mask | mask << shift,
            bits: self.bits | bits << shift,
        }
    }
}

/// Bits 6:0 alone: U and J formats.
pub const fn opcode(opcode: u32) -> Encoding {
    Encoding {
        mask: 0x7f,
        bits: opcode,
    }
}

/// I, S and B formats.
pub const fn funct3(code: u32, funct3: u32) -> Encoding {
    opcode(code).and(12, 7, funct3)
}

/// R format.
pub const fn funct7(code: u32, f3: u32, funct7: u32) -> Encoding {
    funct3(code, f3).and(25, 0x7f, funct7)
}

/// Shifts by an immediate of six bits.
pub const fn funct6(code: u32, f3: u32, funct6: u32) -> Encoding {
    funct3(code, f3).and(26, 0x3f, funct6)
}

/// I format where the immediate is part of the opcode.
pub const fn funct12(code: u32, f3: u32, funct12: u32) -> Encoding {
    funct3(code, f3).and(20, 0xfff, funct12)
}

/// Nothing is free.
pub const fn exact(word: u32) -> Encoding {
    Encoding {
        mask: u32::MAX,
        bits: word,
    }
}

/// Where the register numbers of an instruction are. Compressed formats of the same layout share a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Every instruction of 32 bits.
    Full,
    /// CR, CI: `rd` = `rs1` in 11:7, `rs2` in 6:2.
    CrCi,
    /// CSS, and CI where it loads: the same, based on the stack pointer.
    Stack,
    /// CIW: `rd'` in 4:2, based on the stack pointer.
    Ciw,
    /// CL, CS: `rd'` or `rs2'` in 4:2, `rs1'` in 9:7.
    ClCs,
    /// CA, CB: `rd'` = `rs1'` in 9:7, `rs2'` in 4:2.
    CaCb,
    /// CJ: none.
    Cj,
}

impl Format {
    /// The register number in a slot.
    pub fn register(self, slot: Slot, word: u32) -> u8 {
        const STACK_POINTER: u8 = 2;
        let wide = |shift: u32| (word >> shift & 31) as u8;
        let narrow = |shift: u32| 8 + (word >> shift & 7) as u8;
        match (self, slot) {
            (Format::Full, Slot::Rd) => wide(7),
            (Format::Full, Slot::Rs1) => wide(15),
            (Format::Full, Slot::Rs2) => wide(20),
            (Format::Full, Slot::Rs3) => wide(27),
            (Format::Stack | Format::Ciw, Slot::Rs1) => STACK_POINTER,
            (Format::CrCi, Slot::Rd | Slot::Rs1) | (Format::Stack, Slot::Rd) => wide(7),
            (Format::CrCi | Format::Stack, Slot::Rs2) => wide(2),
            (Format::CaCb, Slot::Rd | Slot::Rs1) | (Format::ClCs, Slot::Rs1) => narrow(7),
            (Format::ClCs | Format::Ciw, Slot::Rd) | (Format::ClCs | Format::CaCb, Slot::Rs2) => {
                narrow(2)
            }
            _ => unreachable!(
                "{self:?} has no {slot:?}; the test of the table decodes every compressed word"
            ),
        }
    }
}
