//! Elements and attributes as a tree, and the tree as text.
//!
//! Names without a namespace stand as they are, ours with the prefix `ls:`, any other as
//! `{namespace}name`.

use std::borrow::Cow;
use std::fmt::Display;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, Event};

use super::NAMESPACE;

/// The attribute that lists the attributes of its element whose values hold characters that XML
/// cannot carry; these values write `\` as `\\` and such a character as `\u{…}`.
pub(super) const ESCAPED: &str = "ls:escaped";

/// One element. Positions are bytes from the start of the text, zero in an element that is built.
#[derive(Clone, Debug, Default)]
pub(super) struct Element {
    pub name: String,
    pub at: usize,
    pub attributes: Vec<Attribute>,
    pub children: Vec<Element>,
    /// Where text stands directly inside this element.
    pub text_at: Option<usize>,
}

#[derive(Clone, Debug)]
pub(super) struct Attribute {
    pub name: String,
    pub at: usize,
    pub value: String,
}

impl Element {
    pub fn new(name: &str) -> Element {
        Element {
            name: name.to_string(),
            ..Element::default()
        }
    }

    /// With an attribute; expressions as they are read back.
    pub fn with(mut self, name: &str, value: impl Display) -> Element {
        self.attributes.push(Attribute {
            name: name.to_string(),
            at: 0,
            value: format!("{value:#}"),
        });
        self
    }

    /// With the attribute if there is a value.
    pub fn maybe(self, name: &str, value: Option<impl Display>) -> Element {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    pub fn containing(mut self, children: impl IntoIterator<Item = Element>) -> Element {
        self.children.extend(children);
        self
    }

    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes
            .iter()
            .find(|attribute| attribute.name == name)
    }

    /// The document with this element as its root.
    pub fn to_document(&self) -> String {
        let mut writer = Writer::new_with_indent(Vec::new(), b' ', 1);
        let declaration = Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None));
        writer
            .write_event(declaration)
            .expect("memory takes what is written");
        self.write(&mut writer, true);
        let mut bytes = writer.into_inner();
        bytes.push(b'\n');
        String::from_utf8(bytes).expect("only strings were written")
    }

    fn write(&self, writer: &mut Writer<Vec<u8>>, is_root: bool) {
        let mut start = BytesStart::new(self.name.as_str());
        if is_root {
            start.push_attribute(("xmlns:ls", NAMESPACE));
        }
        let mut escaped = Vec::new();
        for attribute in &self.attributes {
            let value = escape(&attribute.value);
            if let Cow::Owned(_) = value {
                escaped.push(attribute.name.as_str());
            }
            start.push_attribute((attribute.name.as_str(), value));
        }
        if !escaped.is_empty() {
            start.push_attribute((ESCAPED, escaped.join(" ").as_str()));
        }
        let mut event = |event: Event<'_>| {
            writer
                .write_event(event)
                .expect("memory takes what is written");
        };
        if self.children.is_empty() {
            event(Event::Empty(start));
        } else {
            event(Event::Start(start));
            self.children
                .iter()
                .for_each(|child| child.write(writer, false));
            writer
                .write_event(Event::End(BytesEnd::new(self.name.as_str())))
                .expect("memory takes what is written");
        }
    }
}

/// Whether XML 1.0 can carry a character at all, as such or by number.
pub(super) fn is_allowed(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

/// See [`ESCAPED`]; borrowed if there is nothing to escape.
fn escape(value: &str) -> Cow<'_, str> {
    if value.chars().all(is_allowed) {
        return Cow::Borrowed(value);
    }
    let one = |c: char| match c {
        '\\' => "\\\\".to_string(),
        c if is_allowed(c) => c.to_string(),
        c => format!("\\u{{{:x}}}", c as u32),
    };
    Cow::Owned(value.chars().map(one).collect())
}

/// The value that was escaped, `None` if the text is none.
pub(super) fn unescape(text: &str) -> Option<String> {
    let mut value = String::new();
    let mut parts = text.split('\\');
    value.push_str(parts.next()?);
    while let Some(part) = parts.next() {
        if part.is_empty() {
            value.push('\\');
            value.push_str(parts.next()?);
            continue;
        }
        let (code, rest) = part.strip_prefix("u{")?.split_once('}')?;
        value.push(char::from_u32(u32::from_str_radix(code, 16).ok()?)?);
        value.push_str(rest);
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_values_come_back() {
        for value in ["a\u{1}b", "\\\u{0}\\\\", "\u{ffff}", "\\u{1}\u{2}"] {
            let Cow::Owned(text) = escape(value) else {
                panic!("{value:?} holds a character that XML cannot carry")
            };
            assert!(text.chars().all(is_allowed));
            assert_eq!(unescape(&text).as_deref(), Some(value));
        }
        assert!(matches!(escape("a\\b é"), Cow::Borrowed(_)));
        for text in ["\\", "\\x", "\\u{", "\\u{d800}", "\\u{}"] {
            assert_eq!(unescape(text), None, "{text}");
        }
    }
}
