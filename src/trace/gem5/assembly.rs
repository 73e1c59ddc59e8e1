//! gem5's spelling of RISC-V instructions, put into that of assemblers.
//!
//! The names are those of its decoder, with `_` where assemblers write a dot, and operands are printed as it holds them
//! (`src/arch/riscv/insts` there): sources in the order of its own list, immediates as numbers, no pseudo-instructions.

use std::borrow::Cow;

use crate::isa;

/// The instruction as an assembler writes it; `None` if it is one of 32-bit programs only.
///
/// Vector instructions stay as they are, which the table does not have: gem5 leaves out operands of many of them, and
/// shows one address for all elements of a register.
pub(super) fn assembly(text: &str) -> Option<Cow<'_, str>> {
    let (name, operands) = text.split_once(' ').unwrap_or((text, ""));
    let operands = operands.trim();
    if matches!(name, "c_jal" | "c_flw" | "c_fsw" | "c_flwsp" | "c_fswsp") {
        return None;
    }
    if name.starts_with('v') {
        return Some(Cow::Borrowed(text));
    }
    let mnemonic = name.replace('_', ".");
    let written = |operands: &str| Some(Cow::Owned(format!("{mnemonic} {operands}")));
    match name {
        "c_fsd" | "c_fsdsp" => written(&base_last(operands)),
        "c_jr" | "c_jalr" => written(only_register(operands)),
        "csrrwi" | "csrrsi" | "csrrci" => written(&number_apart(operands)),
        "csrrw" | "csrrs" | "csrrc" => written(&operands.replace("?? (", "").replace(')', "")),
        // Zbb's `zext.h` is this one, which is no instruction of Zbb with other operands.
        "packw" => match operands.strip_suffix(", zero") {
            Some(operands) => Some(Cow::Owned(format!("zext.h {operands}"))),
            None => written(operands),
        },
        _ => written(operands),
    }
}

/// Data and base of compressed floating-point stores, which gem5 has in either order: `sp, 8(fa0)` stores `fa0`.
fn base_last(operands: &str) -> Cow<'_, str> {
    let swapped = || {
        let (base, rest) = operands.split_once(", ")?;
        let (offset, data) = rest.strip_suffix(')')?.split_once('(')?;
        (isa::is_float(data) && !isa::is_float(base)).then(|| format!("{data}, {offset}({base})"))
    };
    swapped().map_or(Cow::Borrowed(operands), Cow::Owned)
}

/// The register of a jump; older versions write `zero, 0(ra)`.
fn only_register(operands: &str) -> &str {
    let based = operands.strip_suffix(')');
    based
        .and_then(|text| text.rsplit_once('('))
        .map_or(operands, |(_, register)| register)
}

/// The number that gem5 prints right behind a control register, whose name is `?? (0x7c0)` if it knows none: `zero,
/// fflags1`. Names that end in digits have no meaning for dependences, so where they end does not matter.
fn number_apart(operands: &str) -> String {
    let Some((before, register)) = operands.rsplit_once(", ") else {
        return operands.to_string();
    };
    let unnamed = register.strip_prefix("?? (");
    let (name, number) = match unnamed.and_then(|rest| rest.split_once(')')) {
        Some(apart) => apart,
        None => {
            let name = register.trim_end_matches(|c: char| c.is_ascii_digit());
            register.split_at(name.len())
        }
    };
    format!("{before}, {name}, {number}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings() {
        for (gem5, expected) in [
            ("c_lw a4, 0(a5)", "lw a4,0(a5)"),
            ("c_fsdsp sp, 8(fa0)", "fsd fa0,8(sp)"),
            ("c_fsd fa0, 8(a1)", "fsd fa0,8(a1)"),
            ("c_fsd a1, 8(fa0)", "fsd fa0,8(a1)"),
            ("fsd fa0, -8(a1)", "fsd fa0,-8(a1)"),
            ("c_add a5, a4", "add a5,a5,a4"),
            ("c_mv a5, a4", "add a5,zero,a4"),
            ("c_sub a5, a4", "sub a5,a5,a4"),
            ("c_addi zero, 0", "nop"),
            ("c_addi16sp sp, -64", "addi sp,sp,-64"),
            ("c_addi4spn s0, sp, 64", "addi s0,sp,64"),
            ("c_lui a5, 1048575", "lui a5,1048575"),
            ("c_jr ra", "ret"),
            ("c_jr zero, 0(ra)", "ret"),
            ("c_jalr a5", "jalr ra,0(a5)"),
            ("c_j 4", "j 4"),
            ("jalr zero, 0(ra)", "ret"),
            ("beq a0, zero, -20", "beqz a0,-20"),
            ("fmadd_d fa0, fa1, fa2, fa3", "fmadd.d fa0,fa1,fa2,fa3"),
            ("fcvt_d_w fa0, a1", "fcvt.d.w fa0,a1"),
            ("sh1add_uw a0, a1, a2", "sh1add.uw a0,a1,a2"),
            ("packw a0, a1, zero", "zext.h a0,a1"),
            ("amoadd_w_aqrl a0, a1, (a2)", "amoadd.w.aqrl a0,a1,(a2)"),
            ("lr_d_aq a0, (a2)", "lr.d a0,(a2)"),
            ("fence rw, w", "fence rw,w"),
            ("fence , w", "fence rw,w"),
            ("fence_i", "fence.i"),
            ("csrrs a0, fcsr, zero", "frcsr a0"),
            ("csrrwi zero, fflags0", "fsflagsi 0"),
            ("csrrsi a0, fflags0", "csrrsi a0,fflags,0"),
            ("csrrsi a0, fflags3", "csrrsi a0,fflags,3"),
            ("csrrwi zero, mhpmcounter315", "csrwi 0x7c0,15"),
            ("csrrw a0, ?? (0x7c0), a1", "csrrw a0,0x7c0,a1"),
            ("csrrwi a0, ?? (0x7c0)3", "csrrwi a0,0x7c0,3"),
            ("ecall", "ecall"),
        ] {
            let own = assembly(gem5).expect("of 64 bits");
            let facts = |text: &str| isa::decode_text(text).map(|decoded| decoded.facts);
            assert_eq!(facts(&own), facts(expected), "{gem5} is {own}");
            assert!(facts(expected).is_ok(), "{expected}");
        }
    }

    #[test]
    fn what_is_not_known_is_not_guessed() {
        for text in [
            "vadd_vv v1, v2, v3",
            "vle32_v v1, (a0)",
            "M5Op",
            "unknown opcode 0x7f",
            "fadd_h fa0, fa1, fa2",
            "packw a0, a1, a2",
            "c_mul a0, a1",
        ] {
            let own = assembly(text).expect("of 64 bits");
            assert!(
                matches!(
                    isa::decode_text(&own),
                    Err(isa::TextError::UnknownMnemonic { .. })
                ),
                "{text}"
            );
        }
        assert_eq!(assembly("c_jal 16"), None);
    }
}
