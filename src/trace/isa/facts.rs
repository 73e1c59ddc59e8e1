//! From the operands of a row to dependences: the one place where both decoders meet.

use super::table::{Field, Row, Slot, csr};
use super::{Class, Extent, Facts, Operand, Operands, Register, VectorType};

/// Everything in an instruction that its facts depend on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Values {
    pub rd: u8,
    pub rs1: u8,
    pub rs2: u8,
    pub rs3: u8,
    /// Number of the control and status register.
    pub csr: u16,
    /// Offset of `jalr`, small number of `csrrwi`, vector type of `vsetvli`; else 0.
    pub immediate: i64,
    /// `v0.t` is there.
    pub masked: bool,
}

impl Values {
    pub fn set(&mut self, slot: Slot, value: u16) {
        match slot {
            Slot::Rd => self.rd = value as u8,
            Slot::Rs1 => self.rs1 = value as u8,
            Slot::Rs2 => self.rs2 = value as u8,
            Slot::Rs3 => self.rs3 = value as u8,
            Slot::Csr => self.csr = value,
        }
    }
}

/// Facts of an instruction.
///
/// Hints keep the class of the instruction whose encoding they borrow, and write nothing; only `addi`
/// from `x0` to `x0` is a nop, whatever its number.
pub fn facts(row: &Row, values: &Values) -> Facts {
    let Values {
        rd, rs1, rs2, rs3, ..
    } = *values;
    let mut set = Sets::default();
    for field in row.operands {
        match *field {
            Field::Rd => set.write_integer(rd),
            Field::Rs1 | Field::Offset | Field::Base | Field::JumpOffset => set.read_integer(rs1),
            Field::Rs2 => set.read_integer(rs2),
            Field::Fd => set.write(Register::float(rd), Extent::One),
            Field::Fs1 => set.read(Register::float(rs1), Extent::One),
            Field::Fs2 => set.read(Register::float(rs2), Extent::One),
            Field::Fs3 => set.read(Register::float(rs3), Extent::One),
            Field::Vd(extent) => {
                set.write(Register::vector(rd), extent);
                if values.masked {
                    set.read(Register::vector(rd), extent);
                }
            }
            Field::VdAlso(extent) => {
                set.read(Register::vector(rd), extent);
                set.write(Register::vector(rd), extent);
            }
            Field::Vs1(extent) => set.read(Register::vector(rs1), extent),
            Field::Vs2(extent) => set.read(Register::vector(rs2), extent),
            Field::Vs3(extent) => set.read(Register::vector(rd), extent),
            Field::V0 => set.read(Register::vector(0), Extent::One),
            Field::Mask if values.masked => set.read(Register::vector(0), Extent::One),
            Field::CsrNumber => set.control_register(row, values),
            Field::ReadsConfig => set.read(Register::VECTOR_CONFIG, Extent::One),
            Field::WritesConfig => {
                set.write(Register::VECTOR_CONFIG, Extent::One);
                // vsetvl with x0 twice changes the type and keeps the length.
                if row.class == Class::VectorConfig
                    && row.operands.contains(&Field::Rs1)
                    && rd == 0
                    && rs1 == 0
                {
                    set.read(Register::VECTOR_CONFIG, Extent::One);
                }
            }
            Field::Mask
            | Field::JumpImmediate
            | Field::Number
            | Field::Zimm
            | Field::Target
            | Field::VectorType
            | Field::Rounding
            | Field::FenceSet => {}
            Field::RdRs1 | Field::Fs1Fs2 | Field::Vs1Vs2 | Field::VdVs1Vs2 => {
                unreachable!("spellings repeat an operand, rows do not")
            }
        }
    }
    let class = class(row, values);
    Facts {
        class,
        reads: set.reads,
        writes: set.writes,
        access: row.access,
        sets_vector_type: vector_type(row, values),
        edan_omits: class == Class::Nop || row.mnemonic == "ecall" || is_return(row, values),
    }
}

/// Registers that are read and written.
#[derive(Default)]
struct Sets {
    reads: Operands,
    writes: Operands,
}

impl Sets {
    fn read(&mut self, register: Register, extent: Extent) {
        self.reads.insert(Operand { register, extent });
    }

    fn write(&mut self, register: Register, extent: Extent) {
        self.writes.insert(Operand { register, extent });
    }

    fn read_integer(&mut self, number: u8) {
        if let Some(register) = Register::integer(number) {
            self.read(register, Extent::One);
        }
    }

    fn write_integer(&mut self, number: u8) {
        if let Some(register) = Register::integer(number) {
            self.write(register, Extent::One);
        }
    }

    /// A swap does not read the register if `rd` is `x0`; setting and clearing bits does not write it if
    /// the source is `x0` or zero (RISC-V unprivileged specification, Zicsr).
    fn control_register(&mut self, row: &Row, values: &Values) {
        let register = match values.csr {
            csr::FFLAGS | csr::FRM | csr::FCSR => Register::FLOAT_STATUS,
            csr::VL | csr::VTYPE => Register::VECTOR_CONFIG,
            _ => return,
        };
        let swaps = matches!(row.mnemonic, "csrrw" | "csrrwi");
        if !swaps || values.rd != 0 {
            self.read(register, Extent::One);
        }
        if swaps || values.rs1 != 0 || values.immediate != 0 {
            self.write(register, Extent::One);
        }
    }
}

/// The class of the row but for two encodings that have a meaning of their own.
fn class(row: &Row, values: &Values) -> Class {
    match row.mnemonic {
        "addi" if values.rd == 0 && values.rs1 == 0 => Class::Nop,
        // `unimp`: a write to a counter that cannot be written.
        "csrrw" if values.rd == 0 && values.csr == csr::CYCLE && values.rs1 == 0 => Class::System,
        _ => row.class,
    }
}

fn is_return(row: &Row, values: &Values) -> bool {
    row.mnemonic == "jalr" && values.rd == 0 && values.rs1 == 1 && values.immediate == 0
}

/// `vtype` as the V specification, section 3.4, lays it out: LMUL in bits 2:0, SEW in 5:3. `None` if the
/// instruction sets none or takes it from a register, and for reserved values.
fn vector_type(row: &Row, values: &Values) -> Option<VectorType> {
    if !row.operands.contains(&Field::VectorType) || values.immediate >> 8 != 0 {
        return None;
    }
    let sew = match values.immediate >> 3 & 7 {
        exponent @ 0..=3 => 8 << exponent,
        _ => return None,
    };
    let lmul_eighths = match values.immediate & 7 {
        exponent @ 0..=3 => 8 << exponent,
        exponent @ 5..=7 => 1 << (exponent - 5),
        _ => return None,
    };
    Some(VectorType { sew, lmul_eighths })
}
