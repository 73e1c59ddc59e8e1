//! Text to elements. Stricter than the pull parser beneath: what XML forbids is an error here, with
//! its place and what to do about it.

use quick_xml::errors::{Error, IllFormedError};
use quick_xml::events::attributes::AttrError;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::ResolveResult;
use quick_xml::{NsReader, XmlVersion};

use super::fields::Lines;
use super::tree::{Attribute, ESCAPED, Element, is_allowed, unescape};
use super::{NAMESPACE, XmlError};

/// Elements inside each other; code is rarely ten deep.
const DEPTH_LIMIT: usize = 256;

const SCHEMA_INSTANCE: &str = "http://www.w3.org/2001/XMLSchema-instance";

/// The outermost element of a document without a byte order mark.
pub(super) fn parse(text: &str, lines: &Lines) -> Result<Element, XmlError> {
    let mut parser = Parser {
        text,
        lines,
        open: Vec::new(),
        root: None,
    };
    if let Some((at, c)) = text.char_indices().find(|(_, c)| !is_allowed(*c)) {
        let what = format!("the character U+{:04X} is not allowed in XML", c as u32);
        return Err(parser.malformed(at, what, "is this a text file in UTF-8?"));
    }
    let mut reader = NsReader::from_str(text);
    reader.config_mut().check_comments = true;
    loop {
        let at = reader.buffer_position() as usize;
        let event = match reader.read_event() {
            Ok(event) => event,
            Err(error) => return Err(parser.syntax(&error, reader.error_position() as usize, at)),
        };
        match event {
            Event::Start(start) => {
                let element = parser.element(&reader, &start, at)?;
                parser.enter(element)?;
            }
            Event::Empty(start) => {
                let element = parser.element(&reader, &start, at)?;
                parser.enter(element)?;
                parser.leave();
            }
            Event::End(_) => parser.leave(),
            Event::Text(content) => parser.stray(&content, at)?,
            Event::CData(content) => parser.stray(&content, at)?,
            Event::GeneralRef(reference) => {
                let known = ["amp", "lt", "gt", "apos", "quot"].contains(&&*reference)
                    || reference
                        .resolve_char_ref()
                        .is_ok_and(|c| c.is_some_and(is_allowed));
                if !known {
                    return Err(parser.malformed(
                        at,
                        format!("unknown entity `&{};`", &*reference),
                        WRITE_AMP,
                    ));
                }
                parser.stray("&", at)?;
            }
            Event::DocType(_) => {
                return Err(XmlError::DocumentType {
                    place: lines.place(at),
                });
            }
            Event::Decl(_) if at == 0 => {}
            Event::Decl(_) => {
                return Err(parser.malformed(
                    at,
                    "`<?xml …?>` is not at the start".into(),
                    "move it to the first line",
                ));
            }
            Event::Comment(_) | Event::PI(_) => {}
            Event::Eof => return parser.finish(text.len()),
        }
    }
}

const WRITE_AMP: &str = "write `&` as `&amp;`";
const WRITE_LT: &str = "write `<` as `&lt;`";

struct Parser<'a> {
    text: &'a str,
    lines: &'a Lines,
    open: Vec<Element>,
    root: Option<Element>,
}

impl Parser<'_> {
    fn malformed(&self, at: usize, what: String, help: &'static str) -> XmlError {
        XmlError::Malformed {
            place: self.lines.place(at),
            what,
            help,
        }
    }

    fn syntax(&self, error: &Error, at: usize, event_at: usize) -> XmlError {
        match error {
            Error::IllFormed(IllFormedError::MismatchedEndTag { expected, found }) => {
                let opened = self
                    .open
                    .last()
                    .map_or(0, |element| self.lines.line(element.at));
                let what = format!(
                    "`</{found}>` where `</{expected}>` must come, for the element of line {opened}"
                );
                self.malformed(
                    event_at,
                    what,
                    "close the elements in the reverse order of their opening",
                )
            }
            Error::IllFormed(IllFormedError::UnclosedReference) => self.malformed(
                event_at.max(at),
                "`&` without a name and `;`".into(),
                WRITE_AMP,
            ),
            Error::IllFormed(what) => self.malformed(
                event_at.max(at),
                what.to_string(),
                "every element needs both its tags, or `/>`",
            ),
            Error::Syntax(what) => self.malformed(at, what.to_string(), "the file may be cut off"),
            other => self.malformed(
                event_at.max(at),
                other.to_string(),
                "correct the tag or the text there",
            ),
        }
    }

    fn enter(&mut self, element: Element) -> Result<(), XmlError> {
        if self.open.is_empty() && self.root.is_some() {
            let what = format!("a second outermost element `<{}>`", element.name);
            return Err(self.malformed(
                element.at,
                what,
                "a document has one; write one file each",
            ));
        }
        if self.open.len() >= DEPTH_LIMIT {
            return Err(XmlError::TooDeep {
                place: self.lines.place(element.at),
                limit: DEPTH_LIMIT,
            });
        }
        self.open.push(element);
        Ok(())
    }

    fn leave(&mut self) {
        let Some(element) = self.open.pop() else {
            return;
        };
        match self.open.last_mut() {
            Some(parent) => parent.children.push(element),
            None => self.root = Some(element),
        }
    }

    fn stray(&mut self, content: &str, at: usize) -> Result<(), XmlError> {
        let inside = content.trim_start();
        if inside.is_empty() {
            return Ok(());
        }
        let at = at + content.len() - inside.len();
        match self.open.last_mut() {
            Some(element) => {
                element.text_at.get_or_insert(at);
                Ok(())
            }
            None if self.root.is_none() => Err(self.malformed(
                at,
                "text before the first element".into(),
                "this may not be an XML file at all",
            )),
            None => Err(self.malformed(at, "text after the last element".into(), "delete it")),
        }
    }

    fn finish(self, at: usize) -> Result<Element, XmlError> {
        if let Some(element) = self.open.last() {
            let line = self.lines.line(element.at);
            let what = format!(
                "`<{}>` of line {line} is not closed before the end",
                element.name
            );
            return Err(self.malformed(at, what, "the file may be cut off"));
        }
        match self.root {
            Some(root) => Ok(root),
            None => Err(XmlError::Malformed {
                place: self.lines.place(at),
                what: "there is no element".into(),
                help: "the file may be empty or not be XML at all",
            }),
        }
    }

    fn element(
        &self,
        reader: &NsReader<&[u8]>,
        start: &BytesStart<'_>,
        at: usize,
    ) -> Result<Element, XmlError> {
        let raw_name = start.name().0;
        if !is_name(raw_name) {
            return Err(self.malformed(at, format!("`<{raw_name}` starts no element"), WRITE_LT));
        }
        let (namespace, local) = reader.resolver().resolve_element(start.name());
        let name = self.name(namespace, local.as_ref(), at)?;
        let mut element = Element {
            name,
            at,
            ..Element::default()
        };
        let mut cursor = at + 1 + raw_name.len();
        for attribute in start.attributes() {
            let attribute = attribute.map_err(|error| self.bad_attribute(&error, at + 1))?;
            let key = attribute.key.0;
            let key_at = self.text[cursor..]
                .find(key)
                .map_or(cursor, |found| cursor + found);
            cursor = self.text[key_at + key.len()..]
                .find(&*attribute.value)
                .map_or(key_at + key.len(), |found| {
                    key_at + key.len() + found + attribute.value.len()
                });
            if !is_name(key) {
                return Err(self.malformed(
                    key_at,
                    format!("`{key}` names no attribute"),
                    "letters, digits, `_-.:`",
                ));
            }
            if attribute.value.contains('<') {
                return Err(self.malformed(
                    key_at,
                    format!("`<` in the value of `{key}`"),
                    WRITE_LT,
                ));
            }
            let value = attribute
                .normalized_value(XmlVersion::Implicit1_0)
                .map_err(|error| {
                    self.malformed(
                        key_at,
                        format!("in the value of `{key}`: {error}"),
                        WRITE_AMP,
                    )
                })?;
            if !value.chars().all(is_allowed) {
                let what = format!("the value of `{key}` names a character that XML cannot carry");
                return Err(self.malformed(key_at, what, "leave it out"));
            }
            if attribute.key.as_namespace_binding().is_some() {
                continue;
            }
            let (namespace, local) = reader.resolver().resolve_attribute(attribute.key);
            let name = self.name(namespace, local.as_ref(), key_at)?;
            if name.starts_with(&format!("{{{SCHEMA_INSTANCE}}}")) || key.starts_with("xml:") {
                continue;
            }
            if element.attribute(&name).is_some() {
                return Err(self.malformed(
                    key_at,
                    format!("`{name}` is given twice"),
                    "delete one of the two",
                ));
            }
            element.attributes.push(Attribute {
                name,
                at: key_at,
                value: value.into_owned(),
            });
        }
        self.unescape(&mut element)?;
        Ok(element)
    }

    fn name(
        &self,
        namespace: ResolveResult<'_>,
        local: &str,
        at: usize,
    ) -> Result<String, XmlError> {
        match namespace {
            ResolveResult::Unbound => Ok(local.to_string()),
            ResolveResult::Bound(namespace) if namespace.0 == NAMESPACE => {
                Ok(format!("ls:{local}"))
            }
            ResolveResult::Bound(namespace) => Ok(format!("{{{}}}{local}", namespace.0)),
            ResolveResult::Unknown(prefix) => Err(self.malformed(
                at,
                format!("the prefix `{prefix}:` is not declared"),
                "ours is declared by xmlns:ls=\"urn:loopsheet:xml:1\" in `<program>`",
            )),
        }
    }

    fn unescape(&self, element: &mut Element) -> Result<(), XmlError> {
        let Some(index) = element
            .attributes
            .iter()
            .position(|attribute| attribute.name == ESCAPED)
        else {
            return Ok(());
        };
        let list = element.attributes.remove(index);
        for name in list.value.split_whitespace() {
            let attribute = element
                .attributes
                .iter_mut()
                .find(|attribute| attribute.name == name);
            let value =
                attribute.and_then(|attribute| Some((unescape(&attribute.value)?, attribute)));
            let Some((value, attribute)) = value else {
                let what = format!("`{ESCAPED}` lists `{name}`, whose value is not escaped");
                return Err(self.malformed(
                    list.at,
                    what,
                    "write `\\` as `\\\\` and the character as `\\u{1}`",
                ));
            };
            attribute.value = value;
        }
        Ok(())
    }

    /// `base` is where the positions in the error count from.
    fn bad_attribute(&self, error: &AttrError, base: usize) -> XmlError {
        let (offset, what, help) = match error {
            AttrError::ExpectedEq(at) => (*at, "an attribute without `=`", "write name=\"value\""),
            AttrError::ExpectedValue(at) => {
                (*at, "an attribute without a value", "write name=\"value\"")
            }
            AttrError::UnquotedValue(at) => (
                *at,
                "an attribute value without quotes",
                "write name=\"value\"",
            ),
            AttrError::ExpectedQuote(at, _) => (
                *at,
                "an attribute value without its closing quote",
                "close it",
            ),
            AttrError::Duplicated(at, _) => {
                (*at, "an attribute is given twice", "delete one of the two")
            }
        };
        self.malformed(base + offset, what.to_string(), help)
    }
}

fn is_name(text: &str) -> bool {
    let part = |c: char| !c.is_ascii() || c.is_ascii_alphanumeric() || "_-.:".contains(c);
    !text.starts_with(|c: char| c.is_ascii_digit() || "-.:".contains(c))
        && !text.is_empty()
        && text.chars().all(part)
}
