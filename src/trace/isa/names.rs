//! Names of registers.

/// A register file, and a number in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name {
    Integer(u8),
    Float(u8),
    Vector(u8),
}

/// `a0`, `x10`, `fp`, `ft11`, `f31`, `v8`.
pub fn name(text: &str) -> Option<Name> {
    match text {
        "zero" => return Some(Name::Integer(0)),
        "ra" => return Some(Name::Integer(1)),
        "sp" => return Some(Name::Integer(2)),
        "gp" => return Some(Name::Integer(3)),
        "tp" => return Some(Name::Integer(4)),
        "fp" => return Some(Name::Integer(8)),
        _ => {}
    }
    let digits = text.find(|c: char| c.is_ascii_digit())?;
    let (kind, number) = text.split_at(digits);
    let well_formed = number.len() <= 2 && (number == "0" || !number.starts_with('0'));
    let number = number.parse::<u8>().ok().filter(|_| well_formed)?;
    match (kind, number) {
        ("x", 0..32) => Some(Name::Integer(number)),
        ("t", 0..3) => Some(Name::Integer(5 + number)),
        ("t", 3..7) => Some(Name::Integer(25 + number)),
        ("s", 0..2) => Some(Name::Integer(8 + number)),
        ("s", 2..12) => Some(Name::Integer(16 + number)),
        ("a", 0..8) => Some(Name::Integer(10 + number)),
        ("f", 0..32) => Some(Name::Float(number)),
        ("ft", 0..8) => Some(Name::Float(number)),
        ("ft", 8..12) => Some(Name::Float(20 + number)),
        ("fs", 0..2) => Some(Name::Float(8 + number)),
        ("fs", 2..12) => Some(Name::Float(16 + number)),
        ("fa", 0..8) => Some(Name::Float(10 + number)),
        ("v", 0..32) => Some(Name::Vector(number)),
        _ => None,
    }
}

/// Number of an integer register.
pub fn integer(text: &str) -> Option<u8> {
    match name(text)? {
        Name::Integer(number) => Some(number),
        _ => None,
    }
}

/// Number of a floating-point register. QEMU prints the integer register of the same number in `fmv.d`
/// and others, so that a name of either kind will do.
pub fn float(text: &str) -> Option<u8> {
    match name(text)? {
        Name::Float(number) | Name::Integer(number) => Some(number),
        Name::Vector(_) => None,
    }
}

/// Whether it is the name of a floating-point register.
pub fn is_float(text: &str) -> bool {
    matches!(name(text), Some(Name::Float(_)))
}

/// Number of a vector register.
pub fn vector(text: &str) -> Option<u8> {
    match name(text)? {
        Name::Vector(number) => Some(number),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Table of the register convention (RISC-V psABI, chapter 1).
    #[test]
    fn abi_names_in_order_of_their_numbers() {
        let integer = "zero ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 \
                       t3 t4 t5 t6";
        let float = "ft0 ft1 ft2 ft3 ft4 ft5 ft6 ft7 fs0 fs1 fa0 fa1 fa2 fa3 fa4 fa5 fa6 fa7 fs2 fs3 fs4 fs5 fs6 \
                     fs7 fs8 fs9 fs10 fs11 ft8 ft9 ft10 ft11";
        for (number, text) in integer.split_whitespace().enumerate() {
            assert_eq!(name(text), Some(Name::Integer(number as u8)), "{text}");
            assert_eq!(
                name(&format!("x{number}")),
                Some(Name::Integer(number as u8))
            );
        }
        for (number, text) in float.split_whitespace().enumerate() {
            assert_eq!(name(text), Some(Name::Float(number as u8)), "{text}");
            assert_eq!(name(&format!("f{number}")), Some(Name::Float(number as u8)));
            assert_eq!(
                name(&format!("v{number}")),
                Some(Name::Vector(number as u8))
            );
        }
        assert_eq!(name("fp"), name("s0"));
    }

    #[test]
    fn no_names() {
        for text in [
            "", "x", "x32", "f32", "v32", "a8", "t7", "s12", "ft12", "x01", "x-1", "q1", "x1x",
            "1", "x+1",
        ] {
            assert_eq!(name(text), None, "{text}");
        }
    }
}
