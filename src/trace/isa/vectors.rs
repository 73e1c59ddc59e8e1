//! What vector instructions say of lengths: how many elements they ask for, which of them a mask may leave out, and
//! what arithmetic they do on each (RISC-V "V" 1.0, sections 6 to 14).

use super::{Class, Extent, Facts, Register};
use crate::instruction::Instruction;

/// The length that an instruction of class `VectorConfig` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LengthRequest {
    /// The one that there is.
    Keep,
    /// As many as a group of registers holds.
    Most,
    /// This many, or as many as a group holds if those are fewer.
    Number(u8),
    /// What a register says, which traces do not show.
    Register,
}

/// How the addresses of a vector access stand for its elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessLayout {
    /// So many for each element of the vector.
    Elements { fields: u8 },
    /// Whole registers, whatever the length is.
    Registers { number: u8 },
    /// A mask, a bit an element.
    Mask,
}

/// What a vector instruction computes of each element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VectorArithmetic {
    Add,
    Multiply,
    /// One addition and one multiplication.
    Fused,
    Divide,
    SquareRoot,
}

/// By the part of the mnemonic in front of the forms of operands. Reductions add up as many elements as there are, with
/// the one that they begin with. Moves, comparisons, conversions, minima, signs and estimates are no arithmetic, as with
/// scalars.
const ARITHMETIC: &[(VectorArithmetic, &[&str])] = &[
    (
        VectorArithmetic::Add,
        &[
            "vfadd",
            "vfsub",
            "vfrsub",
            "vfwadd",
            "vfwsub",
            "vfredusum",
            "vfredosum",
            "vfwredusum",
            "vfwredosum",
        ],
    ),
    (VectorArithmetic::Multiply, &["vfmul", "vfwmul"]),
    (
        VectorArithmetic::Fused,
        &[
            "vfmadd", "vfnmadd", "vfmsub", "vfnmsub", "vfmacc", "vfnmacc", "vfmsac", "vfnmsac",
            "vfwmacc", "vfwnmacc", "vfwmsac", "vfwnmsac",
        ],
    ),
    (VectorArithmetic::Divide, &["vfdiv", "vfrdiv"]),
    (VectorArithmetic::SquareRoot, &["vfsqrt"]),
];

/// The arithmetic of an instruction of class `VectorFp`, if it is some.
pub fn vector_arithmetic(instruction: &Instruction) -> Option<VectorArithmetic> {
    if instruction.decoded.facts.class != Class::VectorFp {
        return None;
    }
    by_mnemonic(instruction.decoded.mnemonic)
}

fn by_mnemonic(mnemonic: &str) -> Option<VectorArithmetic> {
    let stem = mnemonic.split('.').next()?;
    let row = ARITHMETIC.iter().find(|(_, stems)| stems.contains(&stem));
    row.map(|(arithmetic, _)| *arithmetic)
}

/// What a configuration asks for.
pub fn length_request(instruction: &Instruction) -> Option<LengthRequest> {
    let Facts {
        class,
        reads,
        writes,
        ..
    } = &instruction.decoded.facts;
    if *class != Class::VectorConfig {
        return None;
    }
    let is_integer = |register: Register| (1..32).contains(&register.index());
    let reads_any = |wanted: &dyn Fn(Register) -> bool| {
        let mut read = reads.iter();
        read.any(|operand| wanted(operand.register))
    };
    let writes_integer = writes.iter().any(|operand| is_integer(operand.register));
    Some(match instruction.word {
        // The small number of `vsetivli` is where other instructions name their first register.
        Some(word) if word >> 30 == 3 => LengthRequest::Number((word >> 15 & 31) as u8),
        _ if reads_any(&|one| one == Register::VECTOR_CONFIG) => LengthRequest::Keep,
        Some(_) if !reads_any(&is_integer) && writes_integer => LengthRequest::Most,
        _ => LengthRequest::Register,
    })
}

/// How many addresses a vector access has, if it is one.
pub fn access_layout(facts: &Facts) -> Option<AccessLayout> {
    if !matches!(facts.class, Class::VectorLoad | Class::VectorStore) {
        return None;
    }
    let mut fields = None;
    for operand in facts.reads.iter().chain(facts.writes.iter()) {
        let own = match operand.extent {
            Extent::Fixed(number) => return Some(AccessLayout::Registers { number }),
            Extent::Elements { fields, .. } => fields,
            Extent::Group { numerator, .. } => numerator,
            Extent::One => continue,
        };
        fields = fields.max(Some(own));
    }
    Some(match fields {
        Some(fields) => AccessLayout::Elements { fields },
        None => AccessLayout::Mask,
    })
}

/// Whether a mask may leave out elements of what an instruction computes or accesses.
pub fn is_masked(instruction: &Instruction) -> bool {
    let Instruction {
        word,
        text,
        decoded,
        ..
    } = instruction;
    let is_vector = matches!(
        decoded.facts.class,
        Class::VectorInteger | Class::VectorFp | Class::VectorLoad | Class::VectorStore
    );
    is_vector
        && match word {
            Some(word) => word >> 25 & 1 == 0,
            None => text.contains("v0.t"),
        }
}

/// Whether an instruction changes the mask.
pub fn writes_mask(facts: &Facts) -> bool {
    let mut written = facts.writes.iter();
    written.any(|operand| operand.register == Register::vector(0))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::isa::{decode_word, encodings};

    /// Names of the manual's instructions that do no arithmetic on floating-point numbers.
    const OTHERS: &[&str] = &[
        "vfmin",
        "vfmax",
        "vfsgnj",
        "vfsgnjn",
        "vfsgnjx",
        "vfslide1up",
        "vfslide1down",
        "vfmerge",
        "vmfeq",
        "vmfle",
        "vmflt",
        "vmfne",
        "vmfgt",
        "vmfge",
        "vfredmin",
        "vfredmax",
        "vfmv",
        "vfcvt",
        "vfwcvt",
        "vfncvt",
        "vfrsqrt7",
        "vfrec7",
        "vfclass",
    ];

    fn instruction(word: u32) -> Instruction {
        Instruction {
            hart: 0,
            pc: None,
            word: Some(word),
            text: "".into(),
            decoded: decode_word(word).expect("an instruction"),
        }
    }

    #[test]
    fn every_instruction_on_floating_point_vectors_is_in_one_list() {
        let mut seen = BTreeSet::new();
        for (mnemonic, _, bits) in encodings() {
            if decode_word(bits).is_none_or(|found| found.facts.class != Class::VectorFp) {
                continue;
            }
            let stem = mnemonic.split('.').next().expect("a stem");
            let lists = ARITHMETIC.iter().filter(|(_, stems)| stems.contains(&stem));
            let found = lists.count() + usize::from(OTHERS.contains(&stem));
            assert_eq!(found, 1, "{mnemonic}");
            seen.insert(stem);
        }
        let listed = ARITHMETIC.iter().flat_map(|(_, stems)| *stems);
        for stem in listed.chain(OTHERS) {
            assert!(seen.contains(stem), "{stem} is no instruction");
        }
    }

    /// Words as the GNU assembler writes them.
    #[test]
    fn configurations() {
        for (word, text, expected) in [
            (
                0x0d90_7757,
                "vsetvli a4,zero,e64,m2,ta,ma",
                LengthRequest::Most,
            ),
            (
                0x0d81_f057,
                "vsetvli zero,gp,e64,m1,ta,ma",
                LengthRequest::Register,
            ),
            (
                0x0c00_7057,
                "vsetvli zero,zero,e8,m1,ta,ma",
                LengthRequest::Keep,
            ),
            (
                0xcd82_7057,
                "vsetivli zero,4,e64,m1,ta,ma",
                LengthRequest::Number(4),
            ),
        ] {
            assert_eq!(length_request(&instruction(word)), Some(expected), "{text}");
        }
        assert_eq!(length_request(&instruction(0x0000_0013)), None);
    }

    #[test]
    fn accesses() {
        for (word, text, expected) in [
            (
                0x2287_8527,
                "vs2r.v v10,(a5)",
                AccessLayout::Registers { number: 2 },
            ),
            (
                0x0205_7407,
                "vle64.v v8,(a0)",
                AccessLayout::Elements { fields: 1 },
            ),
            (
                0x2205_7407,
                "vlseg2e64.v v8,(a0)",
                AccessLayout::Elements { fields: 2 },
            ),
            (0x02b5_0007, "vlm.v v0,(a0)", AccessLayout::Mask),
            (
                0x0685_7407,
                "vluxei64.v v8,(a0),v8",
                AccessLayout::Elements { fields: 1 },
            ),
        ] {
            let found = instruction(word);
            assert_eq!(
                access_layout(&found.decoded.facts),
                Some(expected),
                "{text}"
            );
            assert!(!is_masked(&found), "{text}");
        }
        assert!(is_masked(&instruction(0x0005_7407)), "vle64.v v8,(a0),v0.t");
        assert!(writes_mask(&instruction(0x02b5_0007).decoded.facts));
        assert!(!writes_mask(&instruction(0x0205_7407).decoded.facts));
    }
}
