//! The table: one row an instruction, with its encoding, its operands in the order of assembler text,
//! its class and what it does to memory. Beside the rows stand other spellings of the same
//! instructions: compressed forms (`compressed`) and pseudo-instructions (`pseudo`).
//!
//! An operand is named by its role, and the role says what it means for dependences: `Rd` is written,
//! `Rs1` is read. Both decoders fill [`Values`](super::facts::Values), one from bits and one from text;
//! the facts are derived from the row and the values in one place, so that they cannot differ.

mod atomic;
mod base;
mod bitmanip;
mod compressed;
pub(super) mod csr;
mod encoding;
mod float;
mod pseudo;
mod vector;

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::{Access, Class, Extent};
pub(super) use compressed::Compressed;
pub(super) use encoding::{Encoding, Format};

/// An instruction of 32 bits.
#[derive(Debug)]
pub struct Row {
    pub mnemonic: &'static str,
    pub encoding: Encoding,
    pub operands: &'static [Field],
    pub class: Class,
    pub access: Option<Access>,
}

/// Another way to write an instruction: operands that are not there are `fixed` or zero.
#[derive(Debug)]
pub struct Spelling {
    pub mnemonic: &'static str,
    pub operands: &'static [Field],
    /// Mnemonic of the row that it stands for.
    pub of: &'static str,
    pub fixed: &'static [(Slot, u16)],
}

/// A place in a machine word that holds a number of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// Bits 11:7: destinations, and the data of vector stores.
    Rd,
    Rs1,
    Rs2,
    Rs3,
    /// The number of the control and status register, which aliases fix.
    Csr,
}

/// The role of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Integer registers: written, read.
    Rd,
    Rs1,
    Rs2,
    /// One integer register in both places, as in `c.addi`.
    RdRs1,
    /// Floating-point registers: written, read.
    Fd,
    Fs1,
    Fs2,
    Fs3,
    /// One floating-point register in both places, as in `fmv.d`.
    Fs1Fs2,
    /// Vector registers: written; read and written; read.
    Vd(Extent),
    VdAlso(Extent),
    Vs1(Extent),
    Vs2(Extent),
    /// The data of a store, where others have `Vd`.
    Vs3(Extent),
    /// One vector register in two or three places, as in `vmmv.m` and `vmclr.m`.
    Vs1Vs2,
    VdVs1Vs2,
    /// The mask register as an ordinary source: `v0` in `vadc.vvm`.
    V0,
    /// `v0.t` or nothing: with it `v0` is read, and the destination, whose other elements stay.
    Mask,
    /// `8(sp)`.
    Offset,
    /// `(a0)`, also `0(a0)`.
    Base,
    /// `8(a5)` of `jalr`, whose offset distinguishes a return from other jumps.
    JumpOffset,
    /// That offset alone: `jalr ra,a5,0`.
    JumpImmediate,
    /// A number that no fact depends on.
    Number,
    /// The number of `csrrwi` and the like: whether it is zero matters.
    Zimm,
    /// An address, a distance or a symbol.
    Target,
    CsrNumber,
    /// `e32,m1,ta,ma`: from here to the last operand.
    VectorType,
    /// `rtz` and the like, or nothing; first (QEMU) or last.
    Rounding,
    /// `rw`.
    FenceSet,
    /// `vl` and `vtype` are read, written. Not in the text.
    ReadsConfig,
    WritesConfig,
}

impl Field {
    /// The places in the word that the operand takes.
    pub(super) fn slots(self) -> &'static [Slot] {
        match self {
            Field::Rd | Field::Fd | Field::Vd(_) | Field::VdAlso(_) | Field::Vs3(_) => &[Slot::Rd],
            Field::Rs1
            | Field::Fs1
            | Field::Vs1(_)
            | Field::Offset
            | Field::Base
            | Field::JumpOffset => &[Slot::Rs1],
            Field::Rs2 | Field::Fs2 | Field::Vs2(_) => &[Slot::Rs2],
            Field::Fs3 => &[Slot::Rs3],
            Field::RdRs1 => &[Slot::Rd, Slot::Rs1],
            Field::Fs1Fs2 | Field::Vs1Vs2 => &[Slot::Rs1, Slot::Rs2],
            Field::VdVs1Vs2 => &[Slot::Rd, Slot::Rs1, Slot::Rs2],
            Field::V0
            | Field::Mask
            | Field::JumpImmediate
            | Field::Number
            | Field::Zimm
            | Field::Target
            | Field::CsrNumber
            | Field::VectorType
            | Field::Rounding
            | Field::FenceSet
            | Field::ReadsConfig
            | Field::WritesConfig => &[],
        }
    }

    /// Whether assembler text shows the operand.
    pub(super) fn is_written_out(self) -> bool {
        !matches!(self, Field::ReadsConfig | Field::WritesConfig)
    }

    /// Whether assembler text must show the operand.
    pub(super) fn is_required(self) -> bool {
        self.is_written_out() && !matches!(self, Field::Mask | Field::Rounding)
    }
}

/// All rows, extension by extension.
pub(super) fn rows() -> impl Iterator<Item = &'static Row> {
    let scalar = [
        base::BASE,
        base::MULTIPLY,
        atomic::ATOMIC,
        float::SINGLE,
        float::DOUBLE,
        bitmanip::BITMANIP,
    ];
    scalar.into_iter().flatten().chain(vector::rows())
}

pub(super) fn compressed() -> &'static [Compressed] {
    compressed::COMPRESSED
}

pub(super) fn pseudo() -> impl Iterator<Item = &'static Spelling> {
    pseudo::PSEUDO.iter().chain(vector::PSEUDO)
}

/// Mnemonic, mask and bits of everything that a machine word can be, 16 bits wide where the lowest two bits
/// are not 11.
pub fn encodings() -> impl Iterator<Item = (&'static str, u32, u32)> {
    let full = rows().map(|row| (row.mnemonic, row.encoding));
    let short = compressed()
        .iter()
        .map(|short| (short.spelling.mnemonic, short.encoding));
    full.chain(short)
        .map(|(mnemonic, Encoding { mask, bits })| (mnemonic, mask, bits))
}

/// The mnemonics that only text has. A few are also the name of a row, with other operands.
pub fn pseudo_mnemonics() -> impl Iterator<Item = &'static str> {
    pseudo().map(|spelling| spelling.mnemonic)
}

/// One way to write operands after a mnemonic, and the row that gives them meaning.
#[derive(Clone, Copy, Debug)]
pub(super) struct Syntax {
    pub mnemonic: &'static str,
    pub operands: &'static [Field],
    pub fixed: &'static [(Slot, u16)],
    pub row: &'static Row,
}

/// The ways to write a mnemonic, the row's own first; empty if the mnemonic is not known.
pub(super) fn syntaxes(mnemonic: &str) -> &'static [Syntax] {
    static BY_MNEMONIC: LazyLock<FxHashMap<&'static str, Vec<Syntax>>> = LazyLock::new(|| {
        let mut all: FxHashMap<&'static str, Vec<Syntax>> = FxHashMap::default();
        for row in rows() {
            let Row {
                mnemonic, operands, ..
            } = *row;
            all.entry(mnemonic).or_default().push(Syntax {
                mnemonic,
                operands,
                fixed: &[],
                row,
            });
        }
        for spelling in compressed()
            .iter()
            .map(|short| &short.spelling)
            .chain(pseudo())
        {
            let Spelling {
                mnemonic,
                operands,
                of,
                fixed,
            } = *spelling;
            all.entry(mnemonic).or_default().push(Syntax {
                mnemonic,
                operands,
                fixed,
                row: row(of),
            });
        }
        all
    });
    BY_MNEMONIC.get(mnemonic).map_or(&[], Vec::as_slice)
}

/// The row of a mnemonic that the table itself names.
pub(super) fn row(mnemonic: &str) -> &'static Row {
    static BY_MNEMONIC: LazyLock<FxHashMap<&'static str, &'static Row>> =
        LazyLock::new(|| rows().map(|row| (row.mnemonic, row)).collect());
    BY_MNEMONIC
        .get(mnemonic)
        .expect("a test looks every such mnemonic up")
}

#[cfg(test)]
mod tests;
