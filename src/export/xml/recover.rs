//! Text that is nearly XML, as ExaSAT's compilers printed it, made XML line for line. Each change is a remark with its line.

use std::fmt::Write;

use crate::diagnostic::Severity;

/// What was changed, and at which byte of the new text.
pub(super) struct Repair {
    pub at: usize,
    pub message: String,
    /// An error where parts of the description are missing.
    pub severity: Severity,
}

/// The text with what can be mended mended; `None` if nothing needs it, or no description begins in it.
///
/// - Text before the first element and after the last is left out.
/// - `&` and `<` in values of attributes are escaped, values without quotes get them, and attributes without a value are
///   left out.
/// - Elements that the end of the file leaves open are closed there; a tag that it cuts is left out.
pub(super) fn repaired(text: &str) -> Option<(String, Vec<Repair>)> {
    let start = ["<?xml", "<program"]
        .iter()
        .filter_map(|beginning| text.find(beginning))
        .min()?;
    let mut mender = Mender {
        rest: &text[start..],
        out: text[..start].chars().filter(|c| *c == '\n').collect(),
        open: Vec::new(),
        repairs: Vec::new(),
    };
    if !text[..start].trim().is_empty() {
        mender.note("text before the first element was left out".to_string());
    }
    mender.document();
    let Mender { out, repairs, .. } = mender;
    (!repairs.is_empty()).then_some((out, repairs))
}

struct Mender<'t> {
    rest: &'t str,
    out: String,
    /// Names of the elements around, outermost first.
    open: Vec<&'t str>,
    repairs: Vec<Repair>,
}

impl Mender<'_> {
    fn note(&mut self, message: String) {
        self.note_as(Severity::Warning, message);
    }

    fn note_as(&mut self, severity: Severity, message: String) {
        let at = self.out.len();
        self.repairs.push(Repair {
            at,
            message,
            severity,
        });
    }

    /// Copies a part as it is.
    fn copy(&mut self, length: usize) {
        let (part, rest) = self.rest.split_at(length);
        self.out.push_str(part);
        self.rest = rest;
    }

    /// Leaves a part out but for its ends of lines.
    fn drop(&mut self, length: usize) {
        let (part, rest) = self.rest.split_at(length);
        self.out.extend(part.chars().filter(|c| *c == '\n'));
        self.rest = rest;
    }

    fn document(&mut self) {
        let mut is_begun = false;
        while !self.rest.is_empty() {
            if is_begun && self.open.is_empty() {
                if self.rest.contains('<') {
                    return self.copy(self.rest.len());
                }
                if !self.rest.trim().is_empty() {
                    self.note("text after the last element was left out".to_string());
                }
                return self.drop(self.rest.len());
            }
            let other = [("<!--", "-->"), ("<?", "?>"), ("<![CDATA[", "]]>")]
                .into_iter()
                .find(|(begin, _)| self.rest.starts_with(begin));
            if let Some((_, end)) = other {
                match self.rest.find(end) {
                    Some(at) => self.copy(at + end.len()),
                    None => break,
                }
            } else if self.rest.starts_with("</") {
                let Some(end) = self.rest.find('>') else {
                    break;
                };
                self.open.pop();
                self.copy(end + 1);
            } else if self.rest.starts_with('<') {
                if self.tag().is_none() {
                    break;
                }
                is_begun = true;
            } else {
                let end = self.rest.find('<').unwrap_or(self.rest.len());
                self.copy(end);
            }
        }
        self.close();
    }

    /// Ends what the end of the file leaves open.
    fn close(&mut self) {
        if !self.rest.is_empty() {
            self.note("the file ends inside a tag, which was left out".to_string());
            self.drop(self.rest.len());
        }
        if let Some(name) = self.open.last() {
            let message =
                format!("the file ends inside `<{name}>`: what may have followed is missing");
            self.note_as(Severity::Error, message);
        }
        while let Some(name) = self.open.pop() {
            let _ = write!(self.out, "</{name}>");
        }
    }

    /// One tag with its attributes; `None`, and nothing is read, if the file ends before it does.
    fn tag(&mut self) -> Option<()> {
        let (whole, length, count) = (self.rest, self.out.len(), self.repairs.len());
        let end = self.rest[1..]
            .find(|c: char| !is_in_name(c))
            .map(|at| at + 1);
        let name = &whole[1..end.unwrap_or(whole.len())];
        self.copy(1 + name.len());
        loop {
            let blanks = self.rest.len() - self.rest.trim_start().len();
            self.copy(blanks);
            if self.rest.starts_with("/>") {
                self.copy(2);
                return Some(());
            }
            if self.rest.starts_with('>') {
                self.copy(1);
                self.open.push(name);
                return Some(());
            }
            if self.attribute(name).is_none() {
                self.rest = whole;
                self.out.truncate(length);
                self.repairs.truncate(count);
                return None;
            }
        }
    }

    fn attribute(&mut self, element: &str) -> Option<()> {
        let end = self.rest.find(|c: char| !is_in_name(c))?;
        let key = &self.rest[..end];
        if key.is_empty() {
            // What names no attribute the parser complains about.
            let next = self.rest.chars().next()?;
            self.copy(next.len_utf8());
            return Some(());
        }
        let after = self.rest[end..].trim_start();
        let Some(value) = after.strip_prefix('=').map(str::trim_start) else {
            self.note(format!(
                "`{key}` of `<{element}>` has no value and was left out"
            ));
            self.drop(end);
            return Some(());
        };
        let value_at = self.rest.len() - value.len();
        let quote = value.chars().next()?;
        if matches!(quote, '"' | '\'') {
            let length = value[1..].find(quote)?;
            self.copy(value_at + 1);
            self.value(length, key, element);
            self.copy(1);
            return Some(());
        }
        let length = value.find(|c: char| c.is_whitespace() || c == '>')?;
        let length = length
            - usize::from(value[..length].ends_with('/') && value[length..].starts_with('>'));
        if length == 0 {
            self.note(format!(
                "`{key}` of `<{element}>` has no value and was left out"
            ));
            self.drop(value_at);
            return Some(());
        }
        self.note(format!(
            "the value of `{key}` of `<{element}>` has no quotes"
        ));
        self.copy(value_at);
        self.out.push('"');
        self.value(length, key, element);
        self.out.push('"');
        Some(())
    }

    /// Copies a value with what XML does not allow in it escaped.
    fn value(&mut self, length: usize, key: &str, element: &str) {
        let (value, rest) = self.rest.split_at(length);
        self.rest = rest;
        let mut is_escaped = false;
        for (at, c) in value.char_indices() {
            let escape = match c {
                '<' => "&lt;",
                '"' => "&quot;",
                '&' if !is_entity(&value[at..]) => "&amp;",
                _ => {
                    self.out.push(c);
                    continue;
                }
            };
            is_escaped |= c != '"';
            self.out.push_str(escape);
        }
        if is_escaped {
            self.note(format!(
                "`&` or `<` in the value of `{key}` of `<{element}>` is not escaped, and is taken literally"
            ));
        }
    }
}

/// Whether a text that begins with `&` begins with an entity that XML knows.
fn is_entity(text: &str) -> bool {
    let name = text[1..].split_once(';').map_or("", |(name, _)| name);
    ["amp", "lt", "gt", "apos", "quot"].contains(&name)
        || name
            .strip_prefix('#')
            .is_some_and(|code| !code.is_empty() && code.chars().all(|c| c.is_ascii_alphanumeric()))
}

fn is_in_name(c: char) -> bool {
    !c.is_ascii() || c.is_ascii_alphanumeric() || "_-.:".contains(c)
}
