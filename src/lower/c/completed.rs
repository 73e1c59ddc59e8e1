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
            (Some(Role::ArrayConstructor), element) => self.listed_count(element, value),
            (Some(Role::Text), CType::Arithmetic(Type::Integer(1))) => {
                bytes_of(self.text(value)).map(|bytes| bytes + 1)
            }
            _ => None,
        };
        match count {
            Some(count) => CType::Array(element.clone(), Some(Size::Counted(count))),
            None => ty,
        }
    }

    /// How many elements a list makes; `None` where their own braces are left out.
    fn listed_count(&self, element: &CType<'t>, list: Node<'t>) -> Option<i64> {
        let is_one = |value: Node<'t>| match (self.role(value), element) {
            (None | Some(Role::PreprocessorIf | Role::PreprocessorElse), _) => false,
            (Some(Role::ArrayConstructor | Role::CompoundLiteral), _) => true,
            (Some(Role::Text), CType::Array(inner, _)) => {
                matches!(**inner, CType::Arithmetic(Type::Integer(1)))
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

/// The bytes of a string literal; `None` of one with a prefix or with names of characters.
fn bytes_of(literal: &str) -> Option<i64> {
    let inside = literal.strip_prefix('"')?.strip_suffix('"')?;
    let mut bytes = inside.bytes().peekable();
    let mut count = 0;
    while let Some(byte) = bytes.next() {
        count += 1;
        if byte != b'\\' {
            continue;
        }
        match bytes.next()? {
            b'x' => while bytes.next_if(u8::is_ascii_hexdigit).is_some() {},
            b'0'..=b'7' => {
                let is_octal = |byte: &u8| matches!(byte, b'0'..=b'7');
                for _ in 0..2 {
                    bytes.next_if(is_octal);
                }
            }
            b'u' | b'U' | b'N' | b'\n' | b'\r' => return None,
            _ => {}
        }
    }
    Some(count)
}
