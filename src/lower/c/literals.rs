//! Literals of C.

use crate::ir::{Sign, Type, Value};
use crate::reason::ReasonCode;

/// The value of a number or character literal, with the sign that the grammar may have made part
/// of it. `1.5f` has 4 bytes, `1.5` 8, `1.5L` 16.
pub fn number(text: &str) -> Value {
    let text = text.trim().replace(
        '\'',
        if text.contains(['"', '\\']) || text.ends_with('\'') {
            "'"
        } else {
            ""
        },
    );
    if text.ends_with('\'') {
        return character(&text);
    }
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(&text)),
    };
    let lower = digits.to_ascii_lowercase();
    let value = match lower.strip_prefix("0x") {
        Some(hex) if hex.contains(['.', 'p']) => {
            hexadecimal_real(hex).map(|(x, bytes)| Value::Real(sign as f64 * x, bytes))
        }
        Some(hex) => integer(hex, 16, sign),
        None => match lower.strip_prefix("0b") {
            Some(binary) => integer(binary, 2, sign),
            None if lower.contains(['.', 'e']) => {
                real(&lower).map(|(x, bytes)| Value::Real(sign as f64 * x, bytes))
            }
            None if lower.len() > 1 && lower.starts_with('0') => integer(&lower, 8, sign),
            None => integer(&lower, 10, sign),
        },
    };
    match value {
        // The sign that the grammar made part of it is an operation on a number that has none.
        Some(Value::Integer(number)) if number < 0 => match type_of(digits) {
            unsigned @ Type::Integer(_, Sign::Unsigned) => {
                Value::Integer(unsigned.wrapped(number).unwrap_or(number))
            }
            _ => Value::Integer(number),
        },
        Some(value) => value,
        None => Value::opaque(ReasonCode::UnreadableNumber, text),
    }
}

/// The type of a number or character literal: the smallest that holds it, of those that its suffix leaves.
pub fn type_of(text: &str) -> Type {
    let value = match number(text) {
        Value::Real(_, bytes) => return Type::Real(bytes),
        Value::Integer(n) => n,
        // Too large for anything else.
        _ => return Type::integer(8),
    };
    let lower = text.to_ascii_lowercase();
    if lower.ends_with('\'') {
        return Type::integer(4);
    }
    let digits = lower.trim_start_matches(['-', '+']);
    let suffix = digits.trim_start_matches(|c: char| c != 'u' && c != 'l');
    let may_be_unsigned = suffix.contains('u') || digits.len() > 1 && digits.starts_with('0');
    let largest = match may_be_unsigned {
        true => i64::from(u32::MAX),
        false => i64::from(i32::MAX),
    };
    let is_long = suffix.contains('l') || value.abs() > largest;
    let bytes = if is_long { 8 } else { 4 };
    let is_beyond = !is_long && value > i64::from(i32::MAX);
    match suffix.contains('u') || is_beyond {
        true => Type::Integer(bytes, Sign::Unsigned),
        false => Type::integer(bytes),
    }
}

/// The number that `true`, `TRUE`, `false` or `FALSE` usually is.
pub fn truth(text: &str) -> i64 {
    i64::from(text.eq_ignore_ascii_case("true"))
}

/// `None` when the value does not fit 64 bits.
fn integer(text: &str, radix: u32, sign: i64) -> Option<Value> {
    let digits = text.trim_end_matches(['u', 'l', 'z', 'w']);
    i64::from_str_radix(digits, radix)
        .ok()
        .map(|n| Value::Integer(sign * n))
}

fn real(text: &str) -> Option<(f64, u32)> {
    let digits = text.trim_end_matches(['f', 'l', 'd', 'w', 'q']);
    let bytes = size(&text[digits.len()..]);
    digits.parse().ok().map(|x| (x, bytes))
}

fn size(suffix: &str) -> u32 {
    match suffix {
        "f" => 4,
        "l" | "q" | "w" => 16,
        _ => 8,
    }
}

/// `1.8p3` without its `0x`.
fn hexadecimal_real(text: &str) -> Option<(f64, u32)> {
    let (mantissa, exponent) = text.split_once('p').unwrap_or((text, "0"));
    let power = exponent.trim_end_matches(['f', 'l']);
    let bytes = size(&exponent[power.len()..]);
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut value = 0.0;
    for digit in whole.chars().chain(fraction.chars()) {
        value = value * 16.0 + f64::from(digit.to_digit(16)?);
    }
    let power: i32 = power.parse().ok()?;
    Some((value * 2f64.powi(power - 4 * fraction.len() as i32), bytes))
}

fn character(text: &str) -> Value {
    let inner = text
        .split_once('\'')
        .map_or("", |(_, rest)| rest.trim_end_matches('\''));
    let mut characters = inner.chars();
    let code = match (characters.next(), characters.next()) {
        (Some('\\'), Some(escaped)) => match escaped {
            'n' => Some(10),
            't' => Some(9),
            'r' => Some(13),
            '0'..='7' => i64::from_str_radix(&inner[1..], 8)
                .ok()
                .and_then(as_character),
            'x' => i64::from_str_radix(&inner[2..], 16)
                .ok()
                .and_then(as_character),
            'a' => Some(7),
            'b' => Some(8),
            'f' => Some(12),
            'v' => Some(11),
            other => Some(i64::from(u32::from(other))),
        },
        (Some('\\'), None) | (None, _) => Some(39),
        (Some(c), None) => Some(i64::from(u32::from(c))),
        _ => None,
    };
    code.map_or_else(
        || Value::opaque(ReasonCode::UnreadableNumber, text),
        Value::Integer,
    )
}

/// A code as a character holds it, which has a sign.
fn as_character(code: i64) -> Option<i64> {
    Type::integer(1).wrapped(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_have_value_and_size() {
        let text = |source: &str| match number(source) {
            Value::Integer(n) => n.to_string(),
            Value::Real(x, bytes) => format!("{x}_{bytes}"),
            Value::Opaque { reason, .. } => reason.code.to_string(),
            other => panic!("{other:?}"),
        };
        for (source, expected) in [
            ("10", "10"),
            ("-3", "-3"),
            ("010", "8"),
            ("0", "0"),
            ("0x1FuLL", "31"),
            ("0b101", "5"),
            ("1'000", "1000"),
            ("1.5f", "1.5_4"),
            ("1.", "1_8"),
            (".5", "0.5_8"),
            ("1e-3", "0.001_8"),
            ("2.0L", "2_16"),
            ("0x1.8p3", "12_8"),
            ("0x1p-2f", "0.25_4"),
            ("'a'", "97"),
            ("'\\n'", "10"),
            ("'\\''", "39"),
            ("'\\0'", "0"),
            ("'\\xff'", "-1"),
            ("-5u", "4294967291"),
            ("99999999999999999999", "unreadable_number"),
        ] {
            assert_eq!(text(source), expected, "{source}");
        }
    }
}
