//! Which macros are numeric constants, and where their name may stand for their value.
//!
//! A name that stays in the text is read as one operand. Replacement text such as `8*1024` is more
//! than one: beside an operator, as in `n/SIZE`, the C standard regroups it. Such a use is *unsafe*
//! for the name, and the macro is then expanded everywhere.

use super::token::{Kind, Pool, Token};

/// What is known of the replacement of a numeric constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Constant {
    /// One operand: a number, a name, or something in parentheses, with a sign at most.
    Operand,
    /// An operator of arithmetic outside all parentheses.
    Loose,
}

/// Whether the replacement is a numeric constant: numbers, other constants, arithmetic, parentheses.
pub(super) fn classify(
    body: &[Token],
    pool: &Pool,
    is_constant: impl Fn(&str) -> bool,
) -> Option<Constant> {
    let (mut depth, mut after_operand, mut class, mut operands) =
        (0_usize, false, Constant::Operand, 0);
    for &token in body {
        let text = pool.text(token);
        match (token.kind, text) {
            (Kind::Number, _) if !after_operand && is_number(text) => after_operand = true,
            (Kind::Name, _) if !after_operand && is_constant(text) => after_operand = true,
            (_, "(") if !after_operand => depth += 1,
            (_, ")") if after_operand && depth > 0 => depth -= 1,
            (_, "+" | "-" | "*" | "/" | "%" | "<<" | ">>" | "**") if after_operand => {
                after_operand = false;
                if depth == 0 {
                    class = Constant::Loose;
                }
            }
            (_, "&" | "|" | "^" | "<" | ">" | "<=" | ">=" | "==" | "!=")
                if after_operand && depth > 0 =>
            {
                after_operand = false;
            }
            (_, "+" | "-" | "~") if !after_operand => {}
            _ => return None,
        }
        operands += usize::from(after_operand);
    }
    (depth == 0 && after_operand && operands > 0).then_some(class)
}

/// Whether a preprocessing number is a number of C or Fortran.
fn is_number(text: &str) -> bool {
    let bytes = text.as_bytes();
    if text.starts_with("0x") || text.starts_with("0X") {
        let digits = text[2..].trim_end_matches(['u', 'U', 'l', 'L']);
        return !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    }
    let digits = |from: usize| {
        bytes[from..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count()
    };
    let mut at = digits(0);
    if bytes.get(at) == Some(&b'.') {
        at += 1 + digits(at + 1);
    }
    if matches!(bytes.get(at), Some(b'e' | b'E' | b'd' | b'D' | b'q' | b'Q')) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let exponent = digits((at + 1 + sign).min(bytes.len()));
        if exponent == 0 {
            return false;
        }
        at += 1 + sign + exponent;
    }
    let suffix = &text[at..];
    suffix.starts_with('_') || suffix.bytes().all(|byte| b"uUlLfF".contains(&byte))
}

/// Whether a loose constant may keep its name between these two texts.
pub(super) fn is_safe_between(before: &str, after: &str) -> bool {
    let before = before.trim_end();
    let after = after.trim_start_matches([' ', '\t', '\r']);
    let comparison = |text: &str| !text.starts_with("<<") && !text.starts_with(">>");
    let left = match before.as_bytes().last() {
        None | Some(b'(' | b'[' | b'{' | b'}' | b',' | b';' | b'=' | b'?' | b':') => true,
        Some(b'<') => !before.ends_with("<<"),
        Some(b'>') => !before.ends_with(">>"),
        Some(b'&') => before.ends_with("&&"),
        Some(b'|') => before.ends_with("||"),
        _ => before.ends_with("return"),
    };
    let right = match after.as_bytes().first() {
        None | Some(b')' | b']' | b'}' | b'{' | b',' | b';' | b'=' | b'?' | b':' | b'\n') => true,
        Some(b'<' | b'>') => comparison(after),
        Some(b'!') => true,
        Some(b'&') => after.starts_with("&&"),
        Some(b'|') => after.starts_with("||"),
        _ => false,
    };
    left && right
}
