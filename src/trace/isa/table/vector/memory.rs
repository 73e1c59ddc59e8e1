//! Loads and stores: unit-stride, strided, indexed, of segments, fault-first, of whole registers and of
//! masks.
//!
//! The width in the mnemonic is that of the elements in memory, but of the indices where there are any:
//! then elements are SEW wide, and the access has 0 bytes here. A fault-first load may shorten `vl`.

use super::super::Class::{VectorLoad, VectorStore};
use super::super::Field::*;
use super::super::base::row;
use super::super::encoding::{Encoding, funct3};
use super::super::{Access, Extent, Field, Row};
use super::Families;
use super::shape::ONE;
use crate::cache::AccessKind;
use crate::isa::AccessCount;

/// Addressing modes, `mop`.
const UNIT: u32 = 0;
const INDEXED_UNORDERED: u32 = 1;
const STRIDED: u32 = 2;
const INDEXED_ORDERED: u32 = 3;

const LOAD: u32 = 0x07;
const STORE: u32 = 0x27;

/// `width` 0, 5, 6, 7 stands for 8, 16, 32, 64 bits.
const fn memory(code: u32, width: u32, fields: u32, mop: u32) -> Encoding {
    funct3(code, width)
        .and(29, 7, fields - 1)
        .and(28, 1, 0)
        .and(26, 3, mop)
}

/// The mode among unit-stride accesses, `lumop` and `sumop`, in the place of `rs2`.
const fn unit(code: u32, width: u32, fields: u32, mode: u32) -> Encoding {
    memory(code, width, fields, UNIT).and(20, 0x1f, mode)
}

const fn load(
    mnemonic: &'static str,
    encoding: Encoding,
    operands: &'static [Field],
    bytes: u8,
) -> Row {
    let access = Access {
        kind: AccessKind::Load,
        bytes,
        count: AccessCount::Any,
    };
    Row {
        access: Some(access),
        ..row(mnemonic, encoding, operands, VectorLoad)
    }
}

const fn store(
    mnemonic: &'static str,
    encoding: Encoding,
    operands: &'static [Field],
    bytes: u8,
) -> Row {
    let access = Access {
        kind: AccessKind::Store,
        bytes,
        count: AccessCount::Any,
    };
    Row {
        access: Some(access),
        ..row(mnemonic, encoding, operands, VectorStore)
    }
}

/// All that access memory element by element: `accesses!(width, bits, fields, segment)`, where `segment` is
/// the part of the mnemonics that gives the number of fields.
macro_rules! accesses {
    ($width:literal, $bits:literal, $fields:literal, $segment:literal) => {{
        const DATA: Extent = Extent::Elements {
            bits: $bits,
            fields: $fields,
        };
        const INDEX: Extent = Extent::Elements {
            bits: $bits,
            fields: 1,
        };
        const INDEXED: Extent = Extent::Group {
            numerator: $fields,
            denominator: 1,
        };
        const BYTES: u8 = $bits / 8;
        &[
            load(
                concat!("vl", $segment, "e", $bits, ".v"),
                unit(LOAD, $width, $fields, 0x00),
                &[Vd(DATA), Base, Mask, ReadsConfig],
                BYTES,
            ),
            load(
                concat!("vl", $segment, "e", $bits, "ff.v"),
                unit(LOAD, $width, $fields, 0x10),
                &[Vd(DATA), Base, Mask, ReadsConfig, WritesConfig],
                BYTES,
            ),
            store(
                concat!("vs", $segment, "e", $bits, ".v"),
                unit(STORE, $width, $fields, 0x00),
                &[Vs3(DATA), Base, Mask, ReadsConfig],
                BYTES,
            ),
            load(
                concat!("vls", $segment, "e", $bits, ".v"),
                memory(LOAD, $width, $fields, STRIDED),
                &[Vd(DATA), Base, Rs2, Mask, ReadsConfig],
                BYTES,
            ),
            store(
                concat!("vss", $segment, "e", $bits, ".v"),
                memory(STORE, $width, $fields, STRIDED),
                &[Vs3(DATA), Base, Rs2, Mask, ReadsConfig],
                BYTES,
            ),
            load(
                concat!("vlux", $segment, "ei", $bits, ".v"),
                memory(LOAD, $width, $fields, INDEXED_UNORDERED),
                &[Vd(INDEXED), Base, Vs2(INDEX), Mask, ReadsConfig],
                0,
            ),
            load(
                concat!("vlox", $segment, "ei", $bits, ".v"),
                memory(LOAD, $width, $fields, INDEXED_ORDERED),
                &[Vd(INDEXED), Base, Vs2(INDEX), Mask, ReadsConfig],
                0,
            ),
            store(
                concat!("vsux", $segment, "ei", $bits, ".v"),
                memory(STORE, $width, $fields, INDEXED_UNORDERED),
                &[Vs3(INDEXED), Base, Vs2(INDEX), Mask, ReadsConfig],
                0,
            ),
            store(
                concat!("vsox", $segment, "ei", $bits, ".v"),
                memory(STORE, $width, $fields, INDEXED_ORDERED),
                &[Vs3(INDEXED), Base, Vs2(INDEX), Mask, ReadsConfig],
                0,
            ),
        ]
    }};
}

macro_rules! whole_load {
    ($mnemonic:literal, $width:literal, $registers:literal, $bytes:literal) => {
        load(
            $mnemonic,
            unit(LOAD, $width, $registers, 0x08).and(25, 1, 1),
            &[Vd(Extent::Fixed($registers)), Base],
            $bytes,
        )
    };
}

macro_rules! whole_store {
    ($mnemonic:literal, $registers:literal) => {
        store(
            $mnemonic,
            unit(STORE, 0, $registers, 0x08).and(25, 1, 1),
            &[Vs3(Extent::Fixed($registers)), Base],
            1,
        )
    };
}

#[rustfmt::skip]
pub const MEMORY: Families = &[
    //        width bits fields name
    accesses!(0,  8, 1, ""), accesses!(0,  8, 2, "seg2"), accesses!(0,  8, 3, "seg3"), accesses!(0,  8, 4, "seg4"),
    accesses!(0,  8, 5, "seg5"), accesses!(0,  8, 6, "seg6"), accesses!(0,  8, 7, "seg7"), accesses!(0,  8, 8, "seg8"),
    accesses!(5, 16, 1, ""), accesses!(5, 16, 2, "seg2"), accesses!(5, 16, 3, "seg3"), accesses!(5, 16, 4, "seg4"),
    accesses!(5, 16, 5, "seg5"), accesses!(5, 16, 6, "seg6"), accesses!(5, 16, 7, "seg7"), accesses!(5, 16, 8, "seg8"),
    accesses!(6, 32, 1, ""), accesses!(6, 32, 2, "seg2"), accesses!(6, 32, 3, "seg3"), accesses!(6, 32, 4, "seg4"),
    accesses!(6, 32, 5, "seg5"), accesses!(6, 32, 6, "seg6"), accesses!(6, 32, 7, "seg7"), accesses!(6, 32, 8, "seg8"),
    accesses!(7, 64, 1, ""), accesses!(7, 64, 2, "seg2"), accesses!(7, 64, 3, "seg3"), accesses!(7, 64, 4, "seg4"),
    accesses!(7, 64, 5, "seg5"), accesses!(7, 64, 6, "seg6"), accesses!(7, 64, 7, "seg7"), accesses!(7, 64, 8, "seg8"),
    &[
        load("vlm.v",  unit(LOAD, 0, 1, 0x0b).and(25, 1, 1),  &[Vd(ONE), Base, ReadsConfig],  1),
        store("vsm.v", unit(STORE, 0, 1, 0x0b).and(25, 1, 1), &[Vs3(ONE), Base, ReadsConfig], 1),
        whole_load!("vl1re8.v", 0, 1, 1), whole_load!("vl1re16.v", 5, 1, 2),
        whole_load!("vl1re32.v", 6, 1, 4), whole_load!("vl1re64.v", 7, 1, 8),
        whole_load!("vl2re8.v", 0, 2, 1), whole_load!("vl2re16.v", 5, 2, 2),
        whole_load!("vl2re32.v", 6, 2, 4), whole_load!("vl2re64.v", 7, 2, 8),
        whole_load!("vl4re8.v", 0, 4, 1), whole_load!("vl4re16.v", 5, 4, 2),
        whole_load!("vl4re32.v", 6, 4, 4), whole_load!("vl4re64.v", 7, 4, 8),
        whole_load!("vl8re8.v", 0, 8, 1), whole_load!("vl8re16.v", 5, 8, 2),
        whole_load!("vl8re32.v", 6, 8, 4), whole_load!("vl8re64.v", 7, 8, 8),
        whole_store!("vs1r.v", 1), whole_store!("vs2r.v", 2), whole_store!("vs4r.v", 4), whole_store!("vs8r.v", 8),
    ],
];
