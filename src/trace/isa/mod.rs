//! The RISC-V instruction set as facts: which registers an instruction reads and writes, what it does
//! to memory, and what kind of work it is. One table; from text and from machine words.

mod class_name;
mod facts;
mod flow;
mod names;
mod operands;
mod table;
mod text;
mod vectors;
mod word;

pub use flow::control_flow;
pub(crate) use names::is_float;
pub use table::{encodings, pseudo_mnemonics};
pub use text::{TextError, decode_text, unknown};
pub use vectors::{
    AccessLayout, LengthRequest, VectorArithmetic, access_layout, is_masked, length_request,
    vector_arithmetic, writes_mask,
};
pub use word::{decode_word, is_move, length};

use crate::cache::AccessKind;

/// A register that can carry a dependence. `x0` is not one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Register(u8);

impl Register {
    /// How many numbers registers have, from 0; number 0 stands for `x0` and is never used.
    pub const COUNT: usize = 98;
    /// `fcsr` with its parts `frm` and `fflags`, read or written by the instructions that name it.
    /// Arithmetic that reads the rounding mode or accrues exceptions is not said to depend on it.
    pub const FLOAT_STATUS: Register = Register(96);
    /// `vl` and `vtype`.
    pub const VECTOR_CONFIG: Register = Register(97);

    /// `x2`, by the calling convention.
    pub const STACK_POINTER: Register = Register(2);

    /// `x{number}`; `None` for `x0`.
    pub fn integer(number: u8) -> Option<Register> {
        (1..32).contains(&number).then_some(Register(number))
    }

    /// `f{number}`, number below 32.
    pub fn float(number: u8) -> Register {
        debug_assert!(number < 32);
        Register(32 + number)
    }

    pub fn is_float(self) -> bool {
        (32..64).contains(&self.0)
    }

    /// `v{number}`, number below 32.
    pub fn vector(number: u8) -> Register {
        debug_assert!(number < 32);
        Register(64 + number)
    }

    /// By its index; `None` if there is no such register.
    pub fn numbered(index: usize) -> Option<Register> {
        (1..Register::COUNT)
            .contains(&index)
            .then_some(Register(index as u8))
    }

    /// From 1 to `COUNT - 1`.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// How many registers from the named one on an operand takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extent {
    /// One register: all scalars, vector masks, elements of reductions.
    One,
    /// A fixed number of vector registers: whole-register moves, loads and stores.
    Fixed(u8),
    /// A vector group of LMUL × numerator / denominator registers, at least one: 1/1 for most, 2/1 for
    /// the wide operand of widening operations, a part for `vzext.vf4` and the like, the number of fields for
    /// indexed segments (where LMUL is fractional each field takes a register of its own, which this does not say).
    Group { numerator: u8, denominator: u8 },
    /// A vector group whose elements have this many bits: LMUL × bits / SEW registers, at least one, and
    /// `fields` times as many for segments.
    Elements { bits: u8, fields: u8 },
}

/// One register operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operand {
    pub register: Register,
    pub extent: Extent,
}

/// The register operands that an instruction reads or writes: at most `Operands::MOST`, none twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Operands([Option<Operand>; Operands::MOST]);

impl Operands {
    pub const MOST: usize = 6;

    /// Adds an operand unless it is there. Operands stand in the order of their registers, so that equal
    /// sets are equal.
    pub fn insert(&mut self, operand: Operand) {
        if self.iter().any(|other| other == operand) {
            return;
        }
        let count = self.iter().count();
        let place = self
            .iter()
            .take_while(|other| other.register <= operand.register)
            .count();
        self.0[place..=count].rotate_right(1);
        self.0[place] = Some(operand);
    }

    pub fn iter(&self) -> impl Iterator<Item = Operand> + '_ {
        self.0.iter().map_while(|operand| *operand)
    }
}

/// What an instruction does to memory, if anything. Vector accesses have one address per element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    pub kind: AccessKind,
    /// Bytes of one element; 0 for indexed vector accesses, whose elements have the bits of SEW.
    pub bytes: u8,
    /// Whether the trace may show no address, or several: `sc` that failed, vector accesses under a mask.
    pub count: AccessCount,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessCount {
    One,
    /// Store-conditional: none when it failed.
    AtMostOne,
    /// Vectors: one per element.
    Any,
}

/// What kind of work an instruction is; the classes that cost tables and mixes speak of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Integer arithmetic and logic, moves, constants, bit manipulation.
    Integer,
    Multiply,
    Divide,
    /// Floating-point addition and subtraction.
    FpAdd,
    FpMultiply,
    /// Fused multiply-add, one addition and one multiplication.
    FpFma,
    FpDivide,
    FpSqrt,
    /// Comparison, conversion, sign, minimum, move between register files.
    FpOther,
    Load,
    FpLoad,
    Store,
    FpStore,
    /// `lr`, `sc` and atomic memory operations.
    Atomic,
    Branch,
    /// Unconditional jumps, calls and returns.
    Jump,
    Csr,
    Fence,
    /// `ecall`, `ebreak` and privileged instructions.
    System,
    Nop,
    VectorConfig,
    VectorInteger,
    VectorFp,
    VectorLoad,
    VectorStore,
    /// An operation of a trace that has no opcodes.
    Unclassified,
    /// A mnemonic that is not in the table, where that is allowed.
    Unknown,
}

impl Class {
    /// Whether an instruction writes memory, or may raise a floating-point exception.
    pub fn has_effects(self) -> bool {
        use Class::{
            Atomic, FpAdd, FpDivide, FpFma, FpMultiply, FpSqrt, FpStore, Store, VectorFp,
            VectorStore,
        };
        matches!(
            self,
            Store
                | FpStore
                | Atomic
                | FpAdd
                | FpMultiply
                | FpFma
                | FpDivide
                | FpSqrt
                | VectorFp
                | VectorStore
        )
    }
}

/// `sew` and `lmul` as a vector configuration instruction sets them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VectorType {
    /// Bits of an element.
    pub sew: u8,
    /// Eighths of a register: LMUL 1 is 8, LMUL 1/2 is 4.
    pub lmul_eighths: u8,
}

/// Everything that the analyses ask of an instruction. Text, alias and machine word of the same
/// instruction give equal facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Facts {
    pub class: Class,
    pub reads: Operands,
    pub writes: Operands,
    pub access: Option<Access>,
    /// What `vsetvli` and `vsetivli` set.
    pub sets_vector_type: Option<VectorType>,
    /// `nop`, `ret` and `ecall`, for which EDAN makes no vertex.
    pub edan_omits: bool,
}

/// A decoded instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// As in the table; an alias from text keeps its own name.
    pub mnemonic: &'static str,
    pub facts: Facts,
    /// Whether the trace says which operation it is: ChampSim's records say only what it does to registers and memory.
    pub has_opcode: bool,
}

/// Where an instruction may go besides to the next one; from its machine word only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flow {
    Next,
    /// Conditional branch to this offset in bytes from the instruction.
    Branch(i32),
    /// Jump without a link, to this offset.
    Jump(i32),
    /// Call: a jump that links.
    Call(Option<i32>),
    /// Jump to a register without a link: a return, or a jump table.
    Indirect,
}

#[cfg(test)]
mod tests;
