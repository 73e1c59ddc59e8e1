//! Where control goes after an instruction.

use super::Flow;
use super::word::length;

/// Where the instruction of a machine word may go besides to the next one. Words that are no
/// instruction go to the next one. Returns from traps count as indirect jumps.
pub fn control_flow(word: u32) -> Flow {
    if length(word) == 2 {
        compressed(word & 0xffff)
    } else {
        full(word)
    }
}

fn full(word: u32) -> Flow {
    const SRET: u32 = 0x1020_0073;
    const MRET: u32 = 0x3020_0073;
    let links = word >> 7 & 31 != 0;
    let funct3 = word >> 12 & 7;
    match word & 0x7f {
        0x63 if funct3 != 2 && funct3 != 3 => Flow::Branch(gather(
            word,
            &[(31, 1, 12), (25, 6, 5), (8, 4, 1), (7, 1, 11)],
        )),
        0x6f => {
            let offset = gather(word, &[(31, 1, 20), (21, 10, 1), (20, 1, 11), (12, 8, 12)]);
            if links {
                Flow::Call(Some(offset))
            } else {
                Flow::Jump(offset)
            }
        }
        0x67 if funct3 == 0 => {
            if links {
                Flow::Call(None)
            } else {
                Flow::Indirect
            }
        }
        0x73 if word == SRET || word == MRET => Flow::Indirect,
        _ => Flow::Next,
    }
}

fn compressed(word: u32) -> Flow {
    let register = word >> 7 & 31;
    match (word & 0xe003, word & 0xf07f) {
        (0xa001, _) => Flow::Jump(gather(
            word,
            &[
                (12, 1, 11),
                (11, 1, 4),
                (9, 2, 8),
                (8, 1, 10),
                (7, 1, 6),
                (6, 1, 7),
                (3, 3, 1),
                (2, 1, 5),
            ],
        )),
        (0xc001 | 0xe001, _) => Flow::Branch(gather(
            word,
            &[(12, 1, 8), (10, 2, 3), (5, 2, 6), (3, 2, 1), (2, 1, 5)],
        )),
        (_, 0x8002) if register != 0 => Flow::Indirect,
        (_, 0x9002) if register != 0 => Flow::Call(None),
        _ => Flow::Next,
    }
}

/// Puts an offset together from pieces (lowest bit in the word, bits, lowest bit in the offset), the
/// sign first.
fn gather(word: u32, pieces: &[(u32, u32, u32)]) -> i32 {
    let value = pieces.iter().fold(0, |value, (from, bits, to)| {
        value | (word >> from & ((1 << bits) - 1)) << to
    });
    let above_sign = 31 - pieces[0].2;
    (value << above_sign) as i32 >> above_sign
}
