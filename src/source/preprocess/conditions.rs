//! The integer expressions of `#if` (C11 6.10.1, 6.6), already expanded.

use super::token::{Kind, Pool, Token};

/// Parentheses nested deeper than this are an error.
const MAX_NESTING: usize = 200;

/// An `intmax_t` or `uintmax_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Value {
    bits: u64,
    unsigned: bool,
}

impl Value {
    fn truth(holds: bool) -> Value {
        Value {
            bits: u64::from(holds),
            unsigned: false,
        }
    }
}

/// Whether the expression is other than zero; what is wrong with it if it is none.
pub(super) fn evaluate(tokens: &[Token], pool: &Pool) -> Result<bool, String> {
    let mut parser = Parser {
        tokens,
        pool,
        at: 0,
        nesting: 0,
    };
    let value = parser.conditional(true)?;
    match parser.peek() {
        "" => Ok(value.bits != 0),
        text => Err(format!("`{text}` is not expected here")),
    }
}

struct Parser<'a> {
    tokens: &'a [Token],
    pool: &'a Pool,
    at: usize,
    nesting: usize,
}

/// Binary operators, weakest first.
const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", ">", "<=", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl<'a> Parser<'a> {
    /// Text of the next token, empty at the end.
    fn peek(&self) -> &'a str {
        self.tokens
            .get(self.at)
            .map_or("", |&token| self.pool.text(token))
    }

    fn accept(&mut self, text: &str) -> bool {
        let found = self.peek() == text;
        self.at += usize::from(found);
        found
    }

    /// `live` is whether the value counts: where it does not, a division by zero is not an error.
    fn conditional(&mut self, live: bool) -> Result<Value, String> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return Err("the condition is nested too deeply".to_string());
        }
        let condition = self.binary(0, live)?;
        let mut result = condition;
        if self.accept("?") {
            let chosen = condition.bits != 0;
            let yes = self.conditional(live && chosen)?;
            if !self.accept(":") {
                return Err("`:` is missing".to_string());
            }
            let no = self.conditional(live && !chosen)?;
            result = Value {
                bits: if chosen { yes.bits } else { no.bits },
                unsigned: yes.unsigned || no.unsigned,
            };
        }
        self.nesting -= 1;
        Ok(result)
    }

    fn binary(&mut self, level: usize, live: bool) -> Result<Value, String> {
        let Some(operators) = LEVELS.get(level) else {
            return self.unary(live);
        };
        let mut left = self.binary(level + 1, live)?;
        while let Some(&operator) = operators.iter().find(|&&operator| operator == self.peek()) {
            self.at += 1;
            let needed = match operator {
                "||" => left.bits == 0,
                "&&" => left.bits != 0,
                _ => true,
            };
            let right = self.binary(level + 1, live && needed)?;
            left = apply(operator, left, right, live)?;
        }
        Ok(left)
    }

    fn unary(&mut self, live: bool) -> Result<Value, String> {
        let mut operators = Vec::new();
        while let operator @ ("!" | "-" | "+" | "~") = self.peek() {
            operators.push(operator);
            self.at += 1;
        }
        let mut value = self.primary(live)?;
        for operator in operators.into_iter().rev() {
            value = match operator {
                "!" => Value::truth(value.bits == 0),
                "-" => Value {
                    bits: value.bits.wrapping_neg(),
                    ..value
                },
                "~" => Value {
                    bits: !value.bits,
                    ..value
                },
                _ => value,
            };
        }
        Ok(value)
    }

    fn primary(&mut self, live: bool) -> Result<Value, String> {
        let text = self.peek();
        let Some(token) = self.tokens.get(self.at) else {
            return Err("an operand is missing".to_string());
        };
        self.at += 1;
        match token.kind {
            Kind::Number => number(text).ok_or_else(|| format!("`{text}` is not an integer")),
            Kind::Literal => character(text).ok_or_else(|| format!("{text} is not a character")),
            Kind::Name => {
                self.skip_call();
                Ok(Value::truth(text == "true" || text == ".true."))
            }
            _ if text == "(" => {
                let value = self.conditional(live)?;
                if self.accept(")") {
                    Ok(value)
                } else {
                    Err("`)` is missing".to_string())
                }
            }
            _ => Err(format!("`{text}` is not expected here")),
        }
    }

    /// The arguments of an unknown function-like macro, which is zero as every unknown name.
    fn skip_call(&mut self) {
        if self.peek() != "(" {
            return;
        }
        let mut depth = 0;
        while self.at < self.tokens.len() {
            match self.peek() {
                "(" => depth += 1,
                ")" => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return;
            }
        }
    }
}

fn apply(operator: &str, left: Value, right: Value, live: bool) -> Result<Value, String> {
    let unsigned = left.unsigned || right.unsigned;
    let (a, b) = (left.bits, right.bits);
    let (sa, sb) = (a as i64, b as i64);
    let less = |a: u64, b: u64| {
        if unsigned {
            a < b
        } else {
            (a as i64) < (b as i64)
        }
    };
    let arithmetic = |bits: u64| Ok(Value { bits, unsigned });
    match operator {
        "||" => Ok(Value::truth(a != 0 || b != 0)),
        "&&" => Ok(Value::truth(a != 0 && b != 0)),
        "==" => Ok(Value::truth(a == b)),
        "!=" => Ok(Value::truth(a != b)),
        "<" => Ok(Value::truth(less(a, b))),
        ">" => Ok(Value::truth(less(b, a))),
        "<=" => Ok(Value::truth(!less(b, a))),
        ">=" => Ok(Value::truth(!less(a, b))),
        "|" => arithmetic(a | b),
        "^" => arithmetic(a ^ b),
        "&" => arithmetic(a & b),
        "+" => arithmetic(a.wrapping_add(b)),
        "-" => arithmetic(a.wrapping_sub(b)),
        "*" => arithmetic(a.wrapping_mul(b)),
        "<<" | ">>" => Ok(Value {
            bits: shift(operator == "<<", left, right),
            unsigned: left.unsigned,
        }),
        _ if b == 0 && live => Err("division by zero".to_string()),
        _ if b == 0 => arithmetic(0),
        "/" if unsigned => arithmetic(a / b),
        "/" => arithmetic(sa.wrapping_div(sb) as u64),
        _ if unsigned => arithmetic(a % b),
        _ => arithmetic(sa.wrapping_rem(sb) as u64),
    }
}

/// A shift by a negative amount goes the other way; one past the width leaves the sign.
fn shift(left: bool, value: Value, by: Value) -> u64 {
    let negative = !by.unsigned && (by.bits as i64) < 0;
    let amount = if negative {
        by.bits.wrapping_neg()
    } else {
        by.bits
    };
    let signed = !value.unsigned;
    match (left != negative, amount) {
        (true, 64..) => 0,
        (true, _) => value.bits << amount,
        (false, _) if signed => ((value.bits as i64) >> amount.min(63)) as u64,
        (false, 64..) => 0,
        (false, _) => value.bits >> amount,
    }
}

/// Decimal, octal, hexadecimal, binary; suffixes.
fn number(text: &str) -> Option<Value> {
    let lower = text.to_ascii_lowercase().replace('\'', "");
    let digits = lower.trim_end_matches(['u', 'l']);
    let suffix = &lower[digits.len()..];
    let bits = if let Some(hexadecimal) = digits.strip_prefix("0x") {
        u64::from_str_radix(hexadecimal, 16)
    } else if let Some(binary) = digits.strip_prefix("0b") {
        u64::from_str_radix(binary, 2)
    } else if digits.len() > 1 && digits.starts_with('0') {
        u64::from_str_radix(digits, 8)
    } else {
        digits.parse()
    };
    let bits = bits.ok()?;
    Some(Value {
        bits,
        unsigned: suffix.contains('u') || bits > i64::MAX as u64,
    })
}

/// A character constant; several characters are packed as GCC packs them.
fn character(text: &str) -> Option<Value> {
    let inner = text.strip_prefix('\'')?.strip_suffix('\'')?;
    let mut letters = inner.chars().peekable();
    let mut bits: i64 = 0;
    let mut count = 0;
    while let Some(letter) = letters.next() {
        let code = if letter == '\\' {
            escape(&mut letters)?
        } else {
            letter as i64
        };
        bits = if count == 0 {
            code
        } else {
            (bits << 8) | (code & 0xff)
        };
        count += 1;
    }
    (count > 0).then_some(Value {
        bits: bits as u64,
        unsigned: false,
    })
}

fn escape(letters: &mut std::iter::Peekable<std::str::Chars>) -> Option<i64> {
    let letter = letters.next()?;
    let (radix, mut code, most) = match letter {
        'n' => return Some(10),
        't' => return Some(9),
        'r' => return Some(13),
        'a' => return Some(7),
        'b' => return Some(8),
        'f' => return Some(12),
        'v' => return Some(11),
        'x' => (16, 0, 8),
        '0'..='7' => (8, i64::from(letter.to_digit(8)?), 2),
        _ => return Some(letter as i64),
    };
    for _ in 0..most {
        let Some(digit) = letters.peek().and_then(|letter| letter.to_digit(radix)) else {
            break;
        };
        code = code * i64::from(radix) + i64::from(digit);
        letters.next();
    }
    // A plain char is signed on the machines that are modelled.
    Some(if code <= 0xff {
        i64::from(code as u8 as i8)
    } else {
        code
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;

    fn holds(text: &str) -> Result<bool, String> {
        let mut pool = Pool::default();
        let tokens = pool.add_line(text, Language::C);
        evaluate(&tokens, &pool)
    }

    #[test]
    fn operators_have_the_precedence_of_c() {
        for text in [
            "1 + 2 * 3 == 7",
            "(1 + 2) * 3 == 9",
            "1 << 2 + 1 == 8",
            "-1 < 0",
            "-1 > 0u",
            "0x10 == 16 && 010 == 8 && 'A' == 65 && '\\n' == 10",
            "'\\xff' < 0",
            "7 % 4 == 3 && -7 / 2 == -3",
            "(5 & 3 | 8 ^ 1) == (1 | 9)",
            "1 ? 2 : 0",
            "0 ? 0 : 1 ? 3 : 0",
            "!0 && ~0 == -1",
            "0 || 2 > 1",
            "1 || 1 / 0",
            "!(0 && 1 / 0)",
            "0 ? 1 / 0 : 1",
            "18446744073709551615u == -1",
            "unknown == 0",
            "!unknown_macro(1, (2))",
        ] {
            assert_eq!(holds(text), Ok(true), "{text}");
        }
    }

    #[test]
    fn what_is_no_expression_is_an_error() {
        for text in [
            "", "1 +", "(1", "1 / 0", "1.5", "\"a\"", "1 2", "? 1 : 2", "1 ? 2",
        ] {
            assert!(holds(text).is_err(), "{text}");
        }
        assert!(holds(&"(".repeat(100_000)).is_err());
    }
}
