//! Arrays without an extent, which have as many elements as what they begin with.
//!
//! ```text
//! int a[] = {1, 2, [5] = 3};      6
//! double t[][2] = {{1}, {2}};     2 rows
//! char s[] = "text";              5, with the byte behind it
//! ```

use tree_sitter::Node;

use super::ctype::{CType, Size};
use super::fields::{Field, children, part, parts};
use super::lists::LONGEST;
use super::names::Names;
use crate::ir::Type;
use crate::syntax::Role;

impl<'t> Names<'t> {
    /// The number of elements that an array has.
    pub fn number_of(&self, size: Size<'t>) -> Option<i64> {
        match size {
            Size::Written(node) => self.constant(node),
            Size::Counted(count) => Some(count),
        }
    }

    /// The type of a variable that begins with a value, if any.
    pub fn completed(&self, ty: CType<'t>, value: Option<Node<'t>>) -> CType<'t> {
        let (CType::Array(element, None), Some(value)) = (&ty, value) else {
            return ty;
        };
        let count = match (self.role(value), &**element) {
            (Some(Role::ArrayConstructor), CType::Arithmetic(Type::Integer(1, _))) => {
                match children(value)[..] {
                    // `char s[] = {"text"}`
                    [only] if self.role(only) == Some(Role::Text) => self.bytes_with_end(only),
                    _ => self.listed_count(element, value),
                }
            }
            (Some(Role::ArrayConstructor), element) => self.listed_count(element, value),
            (Some(Role::Text), CType::Arithmetic(Type::Integer(1, _))) => {
                self.bytes_with_end(value)
            }
            _ => None,
        };
        match count {
            Some(count) => CType::Array(element.clone(), Some(Size::Counted(count))),
            None => ty,
        }
    }

    /// How many bytes a text has, with the one behind it.
    fn bytes_with_end(&self, text: Node<'t>) -> Option<i64> {
        i64::try_from(characters(self.text(text))?.len()).ok()
    }

    /// How many elements a list makes; `None` where their own braces are left out.
    fn listed_count(&self, element: &CType<'t>, list: Node<'t>) -> Option<i64> {
        let is_one = |value: Node<'t>| match (self.role(value), element) {
            (None | Some(Role::PreprocessorIf | Role::PreprocessorElse), _) => false,
            (Some(Role::ArrayConstructor | Role::CompoundLiteral), _) => true,
            (Some(Role::Text), CType::Array(inner, _)) => {
                matches!(**inner, CType::Arithmetic(Type::Integer(1, _)))
            }
            (_, CType::Array(..) | CType::Record(_) | CType::Unknown) => false,
            _ => true,
        };
        let (mut at, mut count) = (0i64, 0i64);
        for item in children(list) {
            let value = match self.role(item) {
                Some(Role::Keyword) => {
                    let (first, times) = self.designated(item)?;
                    at = first + times - 1;
                    part(item, Field::Value)?
                }
                _ => item,
            };
            if !is_one(value) {
                return None;
            }
            at += 1;
            count = count.max(at);
        }
        (count > 0).then_some(count)
    }

    /// The first subscript of a designator, and how many elements it names: `[2]`, `[1 ... 3]`.
    pub fn designated(&self, pair: Node<'t>) -> Option<(i64, i64)> {
        let [designator] = parts(pair, Field::Designator)[..] else {
            return None;
        };
        self.subscripts_of(designator)
    }

    pub fn subscripts_of(&self, designator: Node<'t>) -> Option<(i64, i64)> {
        let (first, last) = match children(designator)[..] {
            [first] if part(designator, Field::Start).is_none() => (first, first),
            [first, last] if part(designator, Field::Start) == Some(first) => (first, last),
            _ => return None,
        };
        let (first, last) = (self.constant(first)?, self.constant(last)?);
        let times = last.checked_sub(first)?.checked_add(1)?;
        (first >= 0 && (1..=LONGEST).contains(&times)).then_some((first, times))
    }
}

/// The bytes of a string, which may have several parts, `"ab" "c"`, with the one behind it; `None` of one with a prefix.
pub fn characters(literals: &str) -> Option<Vec<u8>> {
    let mut rest = literals.trim();
    let mut found = Vec::new();
    while !rest.is_empty() {
        let inside = rest.strip_prefix('"')?;
        rest = literal(inside, &mut found)?.trim_start();
    }
    found.push(0);
    Some(found)
}

/// Adds the bytes up to the quote that ends a literal; what is behind it.
fn literal<'l>(text: &'l str, found: &mut Vec<u8>) -> Option<&'l str> {
    let mut rest = text;
    loop {
        let next = rest.chars().next()?;
        rest = &rest[next.len_utf8()..];
        match next {
            '"' => return Some(rest),
            '\\' => rest = escaped(rest, found)?,
            next => found.extend(next.encode_utf8(&mut [0; 4]).bytes()),
        }
    }
}

/// Adds the bytes of what stands behind a backslash; what is behind that.
fn escaped<'l>(text: &'l str, found: &mut Vec<u8>) -> Option<&'l str> {
    let kind = text.chars().next()?;
    let behind = &text[kind.len_utf8()..];
    let number = |text: &'l str, radix: u32, most: usize| {
        let count = text
            .chars()
            .take(most)
            .take_while(|c| c.is_digit(radix))
            .count();
        let number = u32::from_str_radix(&text[..count], radix).ok()?;
        Some((number, &text[count..]))
    };
    let (byte, behind) = match kind {
        'x' => {
            let (number, behind) = number(behind, 16, usize::MAX)?;
            (u8::try_from(number).ok()?, behind)
        }
        '0'..='7' => {
            let (number, behind) = number(text, 8, 3)?;
            (u8::try_from(number).ok()?, behind)
        }
        'u' | 'U' => {
            let (number, behind) = number(behind, 16, if kind == 'u' { 4 } else { 8 })?;
            found.extend(char::from_u32(number)?.encode_utf8(&mut [0; 4]).bytes());
            return Some(behind);
        }
        'a' => (7, behind),
        'b' => (8, behind),
        'f' => (12, behind),
        'n' => (10, behind),
        'r' => (13, behind),
        't' => (9, behind),
        'v' => (11, behind),
        'e' => (27, behind),
        '\\' | '"' | '\'' | '?' => (kind as u8, behind),
        _ => return None,
    };
    found.push(byte);
    Some(behind)
}

#[cfg(test)]
mod tests {
    use super::characters;

    #[test]
    fn parts_of_texts_add_up() {
        let found = |text: &str| characters(text).map(|bytes| bytes.len());
        assert_eq!(found(r#""""#), Some(1));
        assert_eq!(found(r#""x" "yz""#), Some(4));
        assert_eq!(found("\"one\\n\"\n  \"\\x41\\101\\\"\""), Some(8));
        assert_eq!(found(r#""ab" /* c */ "d""#), None);
        assert_eq!(found(r#"L"wide""#), None);
        assert_eq!(found(r#""\u00e9""#), Some(3));
        assert_eq!(characters(r#""a\0b""#), Some(vec![97, 0, 98, 0]));
    }
}
