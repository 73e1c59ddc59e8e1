//! Decoding machine words.

use super::Decoded;
use super::facts::{Values, facts};
use super::table::{self, Field, Format, Row};

/// Bytes of the instruction that starts with this word: 2 if its lowest two bits are not 11, else 4.
/// The longer formats that the specification reserves are not told apart.
pub fn length(word: u32) -> u8 {
    if word & 3 == 3 { 4 } else { 2 }
}

/// The instruction of a machine word; of compressed instructions only the lower 16 bits are looked at.
/// `None` if no row matches.
pub fn decode_word(word: u32) -> Option<Decoded> {
    if length(word) == 2 {
        let word = word & 0xffff;
        let short = table::compressed()
            .iter()
            .find(|short| short.matches(word))?;
        let mut values = values(short.spelling.operands, short.format, word);
        for (slot, value) in short.spelling.fixed {
            values.set(*slot, *value);
        }
        let facts = facts(table::row(short.spelling.of), &values);
        return Some(Decoded {
            mnemonic: short.spelling.mnemonic,
            facts,
            has_opcode: true,
        });
    }
    let row: &Row = table::rows().find(|row| row.encoding.matches(word))?;
    Some(Decoded {
        mnemonic: row.mnemonic,
        facts: facts(row, &values(row.operands, Format::Full, word)),
        has_opcode: true,
    })
}

/// Whether the instruction of a machine word copies a register, or a part of one that is a number, and nothing else:
/// `mv` and `fmv`, which are other instructions with certain operands.
pub fn is_move(word: u32) -> bool {
    let field = |from: u32, bits: u32| word >> from & ((1 << bits) - 1);
    let (rd, rs1, rs2) = (field(7, 5), field(15, 5), field(20, 5));
    if length(word) == 2 {
        // `add rd, x0, rs2`
        return word & 0xf003 == 0x8002 && rd != 0 && field(2, 5) != 0;
    }
    match (word & 0x7f, field(12, 3)) {
        // `addi rd, rs1, 0`
        (0x13, 0) => rd != 0 && rs1 != 0 && field(20, 12) == 0,
        // `fsgnj rd, rs1, rs1`
        (0x53, 0) => field(27, 5) == 0b00100 && rs1 == rs2,
        _ => false,
    }
}

fn values(operands: &[Field], format: Format, word: u32) -> Values {
    let mut values = Values::default();
    for field in operands {
        for slot in field.slots() {
            values.set(*slot, u16::from(format.register(*slot, word)));
        }
        match field {
            Field::CsrNumber => values.csr = (word >> 20) as u16,
            Field::Mask => values.masked = word >> 25 & 1 == 0,
            Field::JumpOffset => values.immediate = i64::from(word as i32 >> 20),
            Field::Zimm => values.immediate = i64::from(word >> 15 & 31),
            // vsetivli has one bit less than vsetvli.
            Field::VectorType if word >> 31 == 1 => {
                values.immediate = i64::from(word >> 20 & 0x3ff);
            }
            Field::VectorType => values.immediate = i64::from(word >> 20),
            _ => {}
        }
    }
    values
}
