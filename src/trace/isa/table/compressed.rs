//! C: the compressed forms, each a spelling of an instruction of 32 bits.

use super::Field::*;
use super::encoding::{Encoding, Format, Format::*};
use super::{Field, Slot, Spelling};

/// An instruction of 16 bits.
#[derive(Debug)]
pub struct Compressed {
    pub spelling: Spelling,
    pub encoding: Encoding,
    /// Words that match and are another instruction, or reserved.
    pub unless: &'static [Encoding],
    pub format: Format,
}

impl Compressed {
    pub fn matches(&self, word: u32) -> bool {
        self.encoding.matches(word) && !self.unless.iter().any(|other| other.matches(word))
    }
}

const fn bits(mask: u32, bits: u32) -> Encoding {
    Encoding { mask, bits }
}

/// Tells instructions apart by `funct3` and the lowest two bits.
const FUNCT3: u32 = 0xe003;

/// `rd` or `rs1`, `rs2`, and immediates, where they are zero.
const RD_ZERO: Encoding = bits(0x0f80, 0);
const RD_SP: Encoding = bits(0x0f80, 0x0100);
const RS2_ZERO: Encoding = bits(0x007c, 0);
const CI_ZERO: Encoding = bits(0x107c, 0);
const CIW_ZERO: Encoding = bits(0x1fe0, 0);

const fn short(
    mnemonic: &'static str,
    encoding: Encoding,
    format: Format,
    operands: &'static [Field],
    of: &'static str,
) -> Compressed {
    Compressed {
        spelling: Spelling {
            mnemonic,
            operands,
            of,
            fixed: &[],
        },
        encoding,
        unless: &[],
        format,
    }
}

const fn unless(unless: &'static [Encoding], row: Compressed) -> Compressed {
    Compressed { unless, ..row }
}

/// With `ra` where the text shows no destination.
const fn linking(row: Compressed) -> Compressed {
    Compressed {
        spelling: Spelling {
            fixed: &[(Slot::Rd, 1)],
            ..row.spelling
        },
        ..row
    }
}

/// Reserved for ever, like `unimp`.
const fn undefined(mnemonic: &'static str, encoding: Encoding) -> Compressed {
    let row = short(mnemonic, encoding, Cj, &[], "csrrw");
    Compressed {
        spelling: Spelling {
            fixed: &[(Slot::Csr, super::csr::CYCLE)],
            ..row.spelling
        },
        ..row
    }
}

#[rustfmt::skip]
pub const COMPRESSED: &[Compressed] = &[
    short("c.lw",    bits(FUNCT3, 0x4000), ClCs,  &[Rd, Offset],  "lw"),
    short("c.ld",    bits(FUNCT3, 0x6000), ClCs,  &[Rd, Offset],  "ld"),
    short("c.fld",   bits(FUNCT3, 0x2000), ClCs,  &[Fd, Offset],  "fld"),
    short("c.sw",    bits(FUNCT3, 0xc000), ClCs,  &[Rs2, Offset], "sw"),
    short("c.sd",    bits(FUNCT3, 0xe000), ClCs,  &[Rs2, Offset], "sd"),
    short("c.fsd",   bits(FUNCT3, 0xa000), ClCs,  &[Fs2, Offset], "fsd"),
    unless(&[RD_ZERO],
    short("c.lwsp",  bits(FUNCT3, 0x4002), Stack, &[Rd, Offset],  "lw")),
    unless(&[RD_ZERO],
    short("c.ldsp",  bits(FUNCT3, 0x6002), Stack, &[Rd, Offset],  "ld")),
    short("c.fldsp", bits(FUNCT3, 0x2002), Stack, &[Fd, Offset],  "fld"),
    short("c.swsp",  bits(FUNCT3, 0xc002), Stack, &[Rs2, Offset], "sw"),
    short("c.sdsp",  bits(FUNCT3, 0xe002), Stack, &[Rs2, Offset], "sd"),
    short("c.fsdsp", bits(FUNCT3, 0xa002), Stack, &[Fs2, Offset], "fsd"),

    short("c.nop",      bits(0xef83, 0x0001), CrCi, &[],                 "addi"),
    unless(&[RD_ZERO],
    short("c.addi",     bits(FUNCT3, 0x0001), CrCi, &[RdRs1, Number],    "addi")),
    unless(&[RD_ZERO],
    short("c.addiw",    bits(FUNCT3, 0x2001), CrCi, &[RdRs1, Number],    "addiw")),
    short("c.li",       bits(FUNCT3, 0x4001), CrCi, &[Rd, Number],       "addi"),
    unless(&[CI_ZERO],
    short("c.addi16sp", bits(0xef83, 0x6101), CrCi, &[RdRs1, Number],    "addi")),
    unless(&[CI_ZERO, RD_SP],
    short("c.lui",      bits(FUNCT3, 0x6001), CrCi, &[Rd, Number],       "lui")),
    unless(&[CIW_ZERO],
    short("c.addi4spn", bits(FUNCT3, 0x0000), Ciw,  &[Rd, Rs1, Number],  "addi")),
    short("c.slli",     bits(FUNCT3, 0x0002), CrCi, &[RdRs1, Number],    "slli"),
    short("c.srli",     bits(0xec03, 0x8001), CaCb, &[RdRs1, Number],    "srli"),
    short("c.srai",     bits(0xec03, 0x8401), CaCb, &[RdRs1, Number],    "srai"),
    short("c.andi",     bits(0xec03, 0x8801), CaCb, &[RdRs1, Number],    "andi"),
    short("c.sub",      bits(0xfc63, 0x8c01), CaCb, &[RdRs1, Rs2],       "sub"),
    short("c.xor",      bits(0xfc63, 0x8c21), CaCb, &[RdRs1, Rs2],       "xor"),
    short("c.or",       bits(0xfc63, 0x8c41), CaCb, &[RdRs1, Rs2],       "or"),
    short("c.and",      bits(0xfc63, 0x8c61), CaCb, &[RdRs1, Rs2],       "and"),
    short("c.subw",     bits(0xfc63, 0x9c01), CaCb, &[RdRs1, Rs2],       "subw"),
    short("c.addw",     bits(0xfc63, 0x9c21), CaCb, &[RdRs1, Rs2],       "addw"),
    unless(&[RS2_ZERO],
    short("c.mv",       bits(0xf003, 0x8002), CrCi, &[Rd, Rs2],          "add")),
    unless(&[RS2_ZERO],
    short("c.add",      bits(0xf003, 0x9002), CrCi, &[RdRs1, Rs2],       "add")),

    short("c.j",        bits(FUNCT3, 0xa001), Cj,   &[Target],           "jal"),
    short("c.beqz",     bits(FUNCT3, 0xc001), CaCb, &[Rs1, Target],      "beq"),
    short("c.bnez",     bits(FUNCT3, 0xe001), CaCb, &[Rs1, Target],      "bne"),
    unless(&[RD_ZERO],
    short("c.jr",       bits(0xf07f, 0x8002), CrCi, &[Rs1],              "jalr")),
    unless(&[RD_ZERO], linking(
    short("c.jalr",     bits(0xf07f, 0x9002), CrCi, &[Rs1],              "jalr"))),
    short("c.ebreak",   bits(0xffff, 0x9002), Cj,   &[],                 "ebreak"),
    undefined("c.unimp", bits(0xffff, 0x0000)),
];
