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
        Some(bytes_of(self.text(text))? + 1)
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

/// The bytes of a string, which may have several parts: `"ab" "c"`; `None` of one with a prefix or names of characters.
fn bytes_of(literals: &str) -> Option<i64> {
    let mut rest = literals.trim();
    let mut count = 0;
    while !rest.is_empty() {
        let inside = rest.strip_prefix('"')?;
        let (bytes, behind) = literal(inside)?;
        count += bytes;
        rest = behind.trim_start();
    }
    Some(count)
}

/// The bytes up to the quote that ends a literal, and what is behind it.
fn literal(text: &str) -> Option<(i64, &str)> {
    let mut bytes = text.bytes().enumerate().peekable();
    let mut count = 0;
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'"' => return Some((count, &text[at + 1..])),
            b'\\' => match bytes.next()?.1 {
                b'x' => {
                    while bytes
                        .next_if(|(_, byte)| byte.is_ascii_hexdigit())
                        .is_some()
                    {}
                }
                b'0'..=b'7' => {
                    for _ in 0..2 {
                        bytes.next_if(|(_, byte)| matches!(byte, b'0'..=b'7'));
                    }
                }
                b'u' | b'U' | b'N' | b'\n' | b'\r' => return None,
                _ => {}
            },
            _ => {}
        }
        count += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::bytes_of;

    #[test]
    fn parts_of_texts_add_up() {
        assert_eq!(bytes_of(r#""""#), Some(0));
        assert_eq!(bytes_of(r#""x" "yz""#), Some(3));
        assert_eq!(bytes_of("\"one\\n\"\n  \"\\x41\\101\\\"\""), Some(7));
        assert_eq!(bytes_of(r#""ab" /* c */ "d""#), None);
        assert_eq!(bytes_of(r#"L"wide""#), None);
        assert_eq!(bytes_of(r#""\u00e9""#), None);
    }
}
