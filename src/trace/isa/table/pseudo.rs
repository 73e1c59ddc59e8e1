//! Pseudo-instructions, older names, and operand forms other than the row's own, as objdump, gdb, QEMU
//! and Spike print them and assemblers accept them.

use super::Field::*;
use super::csr::*;
use super::{Field, Slot, Spelling};

const RA: u16 = 1;

const fn alias(
    mnemonic: &'static str,
    operands: &'static [Field],
    of: &'static str,
    fixed: &'static [(Slot, u16)],
) -> Spelling {
    Spelling { mnemonic, operands, of, fixed }
}

#[rustfmt::skip]
pub const PSEUDO: &[Spelling] = &[
    alias("nop",    &[],                "addi",  &[]),
    alias("li",     &[Rd, Number],      "addi",  &[]),
    alias("mv",     &[Rd, Rs1],         "addi",  &[]),
    alias("move",   &[Rd, Rs1],         "addi",  &[]),
    alias("not",    &[Rd, Rs1],         "xori",  &[]),
    alias("neg",    &[Rd, Rs2],         "sub",   &[]),
    alias("negw",   &[Rd, Rs2],         "subw",  &[]),
    alias("sext.w", &[Rd, Rs1],         "addiw", &[]),
    alias("zext.b", &[Rd, Rs1],         "andi",  &[]),
    alias("zext.w", &[Rd, Rs1],         "add.uw", &[]),
    alias("seqz",   &[Rd, Rs1],         "sltiu", &[]),
    alias("snez",   &[Rd, Rs2],         "sltu",  &[]),
    alias("sltz",   &[Rd, Rs1],         "slt",   &[]),
    alias("sgtz",   &[Rd, Rs2],         "slt",   &[]),
    alias("sgt",    &[Rd, Rs2, Rs1],    "slt",   &[]),
    alias("sgtu",   &[Rd, Rs2, Rs1],    "sltu",  &[]),
    alias("la",     &[Rd, Target],      "auipc", &[]),
    alias("lla",    &[Rd, Target],      "auipc", &[]),

    alias("beqz",   &[Rs1, Target],      "beq",  &[]),
    alias("bnez",   &[Rs1, Target],      "bne",  &[]),
    alias("blez",   &[Rs2, Target],      "bge",  &[]),
    alias("bgez",   &[Rs1, Target],      "bge",  &[]),
    alias("bltz",   &[Rs1, Target],      "blt",  &[]),
    alias("bgtz",   &[Rs2, Target],      "blt",  &[]),
    alias("bgt",    &[Rs2, Rs1, Target], "blt",  &[]),
    alias("ble",    &[Rs2, Rs1, Target], "bge",  &[]),
    alias("bgtu",   &[Rs2, Rs1, Target], "bltu", &[]),
    alias("bleu",   &[Rs2, Rs1, Target], "bgeu", &[]),

    alias("j",      &[Target],               "jal",  &[]),
    alias("tail",   &[Target],               "jal",  &[]),
    alias("jal",    &[Target],               "jal",  &[(Slot::Rd, RA)]),
    alias("call",   &[Target],               "jal",  &[(Slot::Rd, RA)]),
    alias("ret",    &[],                     "jalr", &[(Slot::Rs1, RA)]),
    alias("c.ret",  &[],                     "jalr", &[(Slot::Rs1, RA)]),
    alias("jr",     &[Rs1],                  "jalr", &[]),
    alias("jr",     &[JumpOffset],           "jalr", &[]),
    alias("jr",     &[Rs1, JumpImmediate],   "jalr", &[]),
    alias("jalr",   &[Rs1],                  "jalr", &[(Slot::Rd, RA)]),
    alias("jalr",   &[JumpOffset],           "jalr", &[(Slot::Rd, RA)]),
    alias("jalr",   &[Rs1, JumpImmediate],   "jalr", &[(Slot::Rd, RA)]),
    alias("jalr",   &[Rd, Rs1],              "jalr", &[]),
    alias("jalr",   &[Rd, Rs1, JumpImmediate], "jalr", &[]),

    alias("csrr",    &[Rd, CsrNumber],   "csrrs",  &[]),
    alias("csrw",    &[CsrNumber, Rs1],  "csrrw",  &[]),
    alias("csrs",    &[CsrNumber, Rs1],  "csrrs",  &[]),
    alias("csrc",    &[CsrNumber, Rs1],  "csrrc",  &[]),
    alias("csrwi",   &[CsrNumber, Zimm], "csrrwi", &[]),
    alias("csrsi",   &[CsrNumber, Zimm], "csrrsi", &[]),
    alias("csrci",   &[CsrNumber, Zimm], "csrrci", &[]),
    alias("rdcycle",   &[Rd],       "csrrs",  &[(Slot::Csr, CYCLE)]),
    alias("rdtime",    &[Rd],       "csrrs",  &[(Slot::Csr, TIME)]),
    alias("rdinstret", &[Rd],       "csrrs",  &[(Slot::Csr, INSTRET)]),
    alias("frcsr",     &[Rd],       "csrrs",  &[(Slot::Csr, FCSR)]),
    alias("frsr",      &[Rd],       "csrrs",  &[(Slot::Csr, FCSR)]),
    alias("fscsr",     &[Rs1],      "csrrw",  &[(Slot::Csr, FCSR)]),
    alias("fscsr",     &[Rd, Rs1],  "csrrw",  &[(Slot::Csr, FCSR)]),
    alias("fssr",      &[Rs1],      "csrrw",  &[(Slot::Csr, FCSR)]),
    alias("fssr",      &[Rd, Rs1],  "csrrw",  &[(Slot::Csr, FCSR)]),
    alias("frrm",      &[Rd],       "csrrs",  &[(Slot::Csr, FRM)]),
    alias("fsrm",      &[Rs1],      "csrrw",  &[(Slot::Csr, FRM)]),
    alias("fsrm",      &[Rd, Rs1],  "csrrw",  &[(Slot::Csr, FRM)]),
    alias("fsrmi",     &[Zimm],     "csrrwi", &[(Slot::Csr, FRM)]),
    alias("fsrmi",     &[Rd, Zimm], "csrrwi", &[(Slot::Csr, FRM)]),
    alias("frflags",   &[Rd],       "csrrs",  &[(Slot::Csr, FFLAGS)]),
    alias("fsflags",   &[Rs1],      "csrrw",  &[(Slot::Csr, FFLAGS)]),
    alias("fsflags",   &[Rd, Rs1],  "csrrw",  &[(Slot::Csr, FFLAGS)]),
    alias("fsflagsi",  &[Zimm],     "csrrwi", &[(Slot::Csr, FFLAGS)]),
    alias("fsflagsi",  &[Rd, Zimm], "csrrwi", &[(Slot::Csr, FFLAGS)]),
    alias("unimp",     &[],         "csrrw",  &[(Slot::Csr, CYCLE)]),

    alias("fmv.s",   &[Fd, Fs1Fs2],   "fsgnj.s",  &[]),
    alias("fabs.s",  &[Fd, Fs1Fs2],   "fsgnjx.s", &[]),
    alias("fneg.s",  &[Fd, Fs1Fs2],   "fsgnjn.s", &[]),
    alias("fgt.s",   &[Rd, Fs2, Fs1], "flt.s",    &[]),
    alias("fge.s",   &[Rd, Fs2, Fs1], "fle.s",    &[]),
    alias("fmv.d",   &[Fd, Fs1Fs2],   "fsgnj.d",  &[]),
    alias("fabs.d",  &[Fd, Fs1Fs2],   "fsgnjx.d", &[]),
    alias("fneg.d",  &[Fd, Fs1Fs2],   "fsgnjn.d", &[]),
    alias("fgt.d",   &[Rd, Fs2, Fs1], "flt.d",    &[]),
    alias("fge.d",   &[Rd, Fs2, Fs1], "fle.d",    &[]),
    alias("fmv.x.s", &[Rd, Fs1],      "fmv.x.w",  &[]),
    alias("fmv.s.x", &[Fd, Rs1],      "fmv.w.x",  &[]),

    // Assemblers take an immediate where the mnemonic is that of the register form.
    alias("add",  &[Rd, Rs1, Number], "addi",  &[]),
    alias("and",  &[Rd, Rs1, Number], "andi",  &[]),
    alias("or",   &[Rd, Rs1, Number], "ori",   &[]),
    alias("xor",  &[Rd, Rs1, Number], "xori",  &[]),
    alias("sll",  &[Rd, Rs1, Number], "slli",  &[]),
    alias("srl",  &[Rd, Rs1, Number], "srli",  &[]),
    alias("sra",  &[Rd, Rs1, Number], "srai",  &[]),
    alias("slt",  &[Rd, Rs1, Number], "slti",  &[]),
    alias("sltu", &[Rd, Rs1, Number], "sltiu", &[]),
    alias("addw", &[Rd, Rs1, Number], "addiw", &[]),
    alias("sllw", &[Rd, Rs1, Number], "slliw", &[]),
    alias("srlw", &[Rd, Rs1, Number], "srliw", &[]),
    alias("sraw", &[Rd, Rs1, Number], "sraiw", &[]),

    alias("fence",      &[],         "fence", &[]),
    alias("fence",      &[FenceSet], "fence", &[]),
    alias("fence.tso",  &[],         "fence", &[]),
    alias("pause",      &[],         "fence", &[]),
    alias("sfence.vma", &[],         "sfence.vma", &[]),
    alias("sfence.vma", &[Rs1],      "sfence.vma", &[]),
    alias("scall",      &[],         "ecall",  &[]),
    alias("sbreak",     &[],         "ebreak", &[]),

    // Hints for caches: `ori` to x0.
    alias("prefetch.i", &[Offset], "ori", &[]),
    alias("prefetch.r", &[Offset], "ori", &[]),
    alias("prefetch.w", &[Offset], "ori", &[]),

    // objdump's names of hints whose shift is zero.
    alias("c.nop",    &[Number], "addi", &[]),
    alias("c.slli64", &[RdRs1], "slli", &[]),
    alias("c.srli64", &[RdRs1], "srli", &[]),
    alias("c.srai64", &[RdRs1], "srai", &[]),
    alias("nop",      &[Number], "addi", &[]),
];
