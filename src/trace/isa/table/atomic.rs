//! A: load-reserved, store-conditional and atomic memory operations. The ordering bits `aq` and `rl` are
//! suffixes in text, `amoadd.w.aqrl`, which the text decoder takes off.

use super::Field::*;
use super::base::{access, row};
use super::encoding::*;
use super::{Access, Class::Atomic, Row};
use crate::cache::AccessKind;
use crate::isa::AccessCount;

/// Width as the encoding has it.
const WORD: u32 = 2;
const DOUBLE: u32 = 3;

const fn amo(mnemonic: &'static str, width: u32, funct5: u32) -> Row {
    let row = row(
        mnemonic,
        funct3(0x2f, width).and(27, 0x1f, funct5),
        &[Rd, Rs2, Base],
        Atomic,
    );
    access(row, AccessKind::Atomic, 1 << width)
}

const fn load_reserved(mnemonic: &'static str, width: u32) -> Row {
    let row = row(
        mnemonic,
        funct3(0x2f, width).and(27, 0x1f, 0x02).and(20, 0x1f, 0),
        &[Rd, Base],
        Atomic,
    );
    access(row, AccessKind::Load, 1 << width)
}

const fn store_conditional(mnemonic: &'static str, width: u32) -> Row {
    let access = Access {
        kind: AccessKind::Store,
        bytes: 1 << width,
        count: AccessCount::AtMostOne,
    };
    Row {
        access: Some(access),
        ..amo(mnemonic, width, 0x03)
    }
}

#[rustfmt::skip]
pub const ATOMIC: &[Row] = &[
    load_reserved("lr.w",     WORD),
    load_reserved("lr.d",     DOUBLE),
    store_conditional("sc.w", WORD),
    store_conditional("sc.d", DOUBLE),
    amo("amoadd.w",  WORD,   0x00),
    amo("amoswap.w", WORD,   0x01),
    amo("amoxor.w",  WORD,   0x04),
    amo("amoor.w",   WORD,   0x08),
    amo("amoand.w",  WORD,   0x0c),
    amo("amomin.w",  WORD,   0x10),
    amo("amomax.w",  WORD,   0x14),
    amo("amominu.w", WORD,   0x18),
    amo("amomaxu.w", WORD,   0x1c),
    amo("amoadd.d",  DOUBLE, 0x00),
    amo("amoswap.d", DOUBLE, 0x01),
    amo("amoxor.d",  DOUBLE, 0x04),
    amo("amoor.d",   DOUBLE, 0x08),
    amo("amoand.d",  DOUBLE, 0x0c),
    amo("amomin.d",  DOUBLE, 0x10),
    amo("amomax.d",  DOUBLE, 0x14),
    amo("amominu.d", DOUBLE, 0x18),
    amo("amomaxu.d", DOUBLE, 0x1c),
];
