//! What do functions give that are asked about texts which the source fixes?
//!
//! ```text
//! character(*), parameter :: name = 'it''s'
//! len(name)                 ►    4
//! index(name, 's')          ►    4
//! len(name(2:3) // 'ab')    ►    4
//! ```
//!
//! Characters are bytes, as compilers have those of the default kind.

use super::super::fold;
use super::expression::{Argument, Expr};
use super::kinds::DEPTH_LIMIT;
use super::modules::{Found, World};
use super::scope::{Base, Class, Scope, Symbol, TypeSpec};
use crate::ir::{BinaryOp, Type, UnaryOp};

/// Longer texts are not made.
const LONGEST: usize = 1 << 16;

impl<'a> World<'a> {
    /// What a function gives that is asked about constant texts, or about the length of one; `None` of any other, and where
    /// the source leaves it open.
    pub fn asked_of_text(
        &self,
        function: &str,
        arguments: &[Argument],
        scope: &'a Scope,
        depth: usize,
    ) -> Option<i64> {
        let value = |at: usize, keyword: &str| argument(arguments, at, keyword);
        let text = |at: usize, keyword: &str| self.text(value(at, keyword)?, scope, depth);
        let is_back = |at: usize| match value(at, "back") {
            None => Some(false),
            Some(Expr::Logical(is_back)) => Some(*is_back),
            Some(_) => None,
        };
        let number = |length: usize| i64::try_from(length).ok();
        match function {
            "len" => self.text_length(value(0, "string")?, scope, depth),
            "len_trim" => number(trimmed(&text(0, "string")?).len()),
            "ichar" | "iachar" => match text(0, "c")?[..] {
                [byte @ 0..=127] => Some(i64::from(byte)),
                _ => None,
            },
            "index" => {
                let found = place(&text(0, "string")?, &text(1, "substring")?, is_back(2)?);
                number(found.map_or(0, |at| at + 1))
            }
            "scan" | "verify" => {
                let (string, set) = (text(0, "string")?, text(1, "set")?);
                let is_wanted = |byte: &u8| set.contains(byte) == (function == "scan");
                let found = match is_back(2)? {
                    true => string.iter().rposition(is_wanted),
                    false => string.iter().position(is_wanted),
                };
                number(found.map_or(0, |at| at + 1))
            }
            "storage_size" => {
                let length = self.text_length(value(0, "a")?, scope, depth)?;
                length.checked_mul(8)
            }
            _ => None,
        }
    }

    /// The bytes of a constant text.
    fn text(&self, expr: &Expr, scope: &'a Scope, depth: usize) -> Option<Vec<u8>> {
        if depth > DEPTH_LIMIT {
            return None;
        }
        let found = match expr {
            // What goes on in another line has more in it than its characters.
            Expr::Text(text) if !text.contains('\n') => text.clone().into_bytes(),
            Expr::Name(name) => {
                let (symbol, home) = self.constant_text(name, scope)?;
                let Class::Constant(value) = &symbol.class else {
                    return None;
                };
                let mut text = self.text(value, home, depth + 1)?;
                if let Some(length) = self.declared_length(symbol, home, depth + 1) {
                    text.resize(usize::try_from(length).ok()?.min(LONGEST), b' ');
                }
                text
            }
            Expr::Binary(BinaryOp::Other, left, right) => {
                let mut text = self.text(left, scope, depth + 1)?;
                text.extend(self.text(right, scope, depth + 1)?);
                text
            }
            Expr::Apply(base, arguments, _) => match (&**base, &arguments[..]) {
                (Expr::Name(name), [Argument::Section(parts)])
                    if self.constant_text(name, scope).is_some() =>
                {
                    let whole = self.text(base, scope, depth + 1)?;
                    let [first, last] = self.ends(parts, whole.len(), scope, depth + 1)?;
                    whole.get(first..last.max(first))?.to_vec()
                }
                (Expr::Name(name), _) => self.made_text(name, arguments, scope, depth + 1)?,
                _ => return None,
            },
            _ => return None,
        };
        (found.len() < LONGEST).then_some(found)
    }

    /// A text that a function of the language makes of others.
    fn made_text(
        &self,
        function: &str,
        arguments: &[Argument],
        scope: &'a Scope,
        depth: usize,
    ) -> Option<Vec<u8>> {
        if !matches!(self.symbol(scope, function), Found::Nowhere) {
            return None;
        }
        let [Argument::Value(first), rest @ ..] = arguments else {
            return None;
        };
        match (function, rest) {
            ("trim", []) => Some(trimmed(&self.text(first, scope, depth)?).to_vec()),
            ("char" | "achar", []) => {
                let code = self.integer(first, scope, depth)?;
                u8::try_from(code).ok().map(|byte| vec![byte])
            }
            ("repeat", [Argument::Value(copies)]) => {
                let copies = usize::try_from(self.integer(copies, scope, depth)?).ok()?;
                let text = self.text(first, scope, depth)?;
                (copies.checked_mul(text.len())? < LONGEST).then(|| text.repeat(copies))
            }
            _ => None,
        }
    }

    /// How many characters a text has, which need not be constant itself.
    fn text_length(&self, expr: &Expr, scope: &'a Scope, depth: usize) -> Option<i64> {
        if depth > DEPTH_LIMIT {
            return None;
        }
        if let Some(text) = self.text(expr, scope, depth + 1) {
            return i64::try_from(text.len()).ok();
        }
        let declared = |name: &str| match self.symbol(scope, name) {
            Found::Symbol(symbol, home) => self.declared_length(symbol, home, depth + 1),
            _ => None,
        };
        match expr {
            Expr::Name(name) => declared(name),
            Expr::Binary(BinaryOp::Other, left, right) => {
                let [left, right] =
                    [left, right].map(|side| self.text_length(side, scope, depth + 1));
                left?.checked_add(right?)
            }
            Expr::Apply(base, arguments, _) => match (&**base, &arguments[..]) {
                (Expr::Name(name), [Argument::Section(parts)]) => {
                    let Found::Symbol(symbol, _) = self.symbol(scope, name) else {
                        return None;
                    };
                    // A section of an array has elements of the same length.
                    let length = declared(name)?;
                    if !symbol.dimensions.is_empty() {
                        return Some(length);
                    }
                    let whole = usize::try_from(length).ok()?;
                    let [first, last] = self.ends(parts, whole, scope, depth + 1)?;
                    i64::try_from(last.saturating_sub(first)).ok()
                }
                (Expr::Name(name), _) => match self.symbol(scope, name) {
                    Found::Symbol(symbol, _) if !symbol.dimensions.is_empty() => declared(name),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        }
    }

    /// A named constant that is one text.
    fn constant_text(&self, name: &str, scope: &'a Scope) -> Option<(&'a Symbol, &'a Scope)> {
        match self.symbol(scope, name) {
            Found::Symbol(symbol, home)
                if matches!(symbol.class, Class::Constant(_)) && symbol.dimensions.is_empty() =>
            {
                Some((symbol, home))
            }
            _ => None,
        }
    }

    /// The length that the declaration of a text says.
    fn declared_length(&self, symbol: &Symbol, home: &'a Scope, depth: usize) -> Option<i64> {
        let Some(TypeSpec::Intrinsic(Base::Character, kind)) = &symbol.ty else {
            return None;
        };
        // Below nothing there is nothing.
        self.length(kind.as_ref(), home, depth).map(i64::from)
    }

    /// Where a part of a text begins and ends, counted from nothing.
    fn ends(
        &self,
        parts: &[Option<Expr>; 3],
        whole: usize,
        scope: &'a Scope,
        depth: usize,
    ) -> Option<[usize; 2]> {
        let [first, last, _] = parts;
        let number = |end: &Expr| usize::try_from(self.integer(end, scope, depth)?).ok();
        let first = first.as_ref().map_or(Some(1), number)?.checked_sub(1)?;
        let last = last.as_ref().map_or(Some(whole), number)?;
        (last <= whole || last <= first).then_some([first, last])
    }

    /// What functions of whole numbers give where all of them are known: `sign(5, -3)`, `dim(8, 3)`.
    pub fn asked_of_numbers(
        &self,
        function: &str,
        arguments: &[Argument],
        scope: &'a Scope,
        depth: usize,
    ) -> Option<i64> {
        let number =
            |at: usize, keyword: &str| self.integer_given(arguments, (at, keyword), scope, depth);
        match function {
            "sign" => {
                let (of, by) = (number(0, "a")?.checked_abs()?, number(1, "b")?);
                Some(if by < 0 { -of } else { of })
            }
            "dim" => Some(number(0, "x")?.checked_sub(number(1, "y")?)?.max(0)),
            "abs" => number(0, "a")?.checked_abs(),
            "mod" => fold::arithmetic(BinaryOp::Remainder, number(0, "a")?, number(1, "p")?),
            "modulo" => {
                let (of, by) = (number(0, "a")?, number(1, "p")?);
                let rest = of.checked_rem(by)?;
                Some(if rest != 0 && (rest < 0) != (by < 0) {
                    rest + by
                } else {
                    rest
                })
            }
            _ => None,
        }
    }

    /// Decimal digits, and the largest exponent of ten, that a type of numbers holds.
    pub fn asked_of_type(&self, function: &str, ty: &Type) -> Option<i64> {
        match (function, ty) {
            ("range", Type::Integer(bytes @ (1 | 2 | 4 | 8), _)) => Some(match bytes {
                1 => 2,
                2 => 4,
                4 => 9,
                _ => 18,
            }),
            ("range", Type::Real(4)) => Some(37),
            ("range", Type::Real(8)) => Some(307),
            ("precision", Type::Real(4)) => Some(6),
            ("precision", Type::Real(8)) => Some(15),
            (
                "storage_size",
                Type::Integer(bytes, _) | Type::Real(bytes) | Type::Complex(bytes),
            ) => Some(8 * i64::from(*bytes)),
            _ => None,
        }
    }
}

/// Whether an expression is made of literals alone.
pub fn is_of_literals(expr: &Expr) -> bool {
    match expr {
        Expr::Integer(_) => true,
        Expr::Unary(UnaryOp::Negate, inner) => is_of_literals(inner),
        _ => false,
    }
}

/// An argument by its place or its name.
pub fn argument<'e>(arguments: &'e [Argument], at: usize, keyword: &str) -> Option<&'e Expr> {
    let named = arguments.iter().find_map(|argument| match argument {
        Argument::Keyword(name, value) if **name == *keyword => Some(value),
        _ => None,
    });
    named.or_else(|| match arguments.get(at) {
        Some(Argument::Value(value)) => Some(value),
        _ => None,
    })
}

fn trimmed(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|byte| *byte != b' ');
    &text[..end.map_or(0, |at| at + 1)]
}

/// Where a text is in another one, counted from nothing.
fn place(text: &[u8], part: &[u8], is_back: bool) -> Option<usize> {
    let last = text.len().checked_sub(part.len())?;
    let is_here = |at: &usize| text[*at..].starts_with(part);
    match is_back {
        true => (0..=last).rev().find(is_here),
        false => (0..=last).find(is_here),
    }
}
