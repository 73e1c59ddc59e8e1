//! The attributes of one element by name and type, and a remark for every one that nobody asked for.

use std::cell::RefCell;
use std::str::FromStr;
use std::sync::Arc;

use super::XmlError;
use super::remarks::Remarks;
use super::tree::Element;
use crate::diagnostic::{DiagnosticCode, Place, Severity};
use crate::expr::Expr;

/// Where the lines of a file start.
pub(super) struct Lines {
    path: Arc<str>,
    text: Arc<str>,
    starts: Vec<usize>,
}

impl Lines {
    pub fn new(path: &str, text: &str) -> Lines {
        let starts = std::iter::once(0)
            .chain(text.match_indices('\n').map(|(at, _)| at + 1))
            .collect();
        Lines {
            path: path.into(),
            text: text.into(),
            starts,
        }
    }

    pub fn path(&self) -> &Arc<str> {
        &self.path
    }

    pub fn count(&self) -> usize {
        self.text.lines().count()
    }

    /// The line of a byte of the text.
    pub fn line(&self, at: usize) -> u32 {
        self.starts.partition_point(|start| *start <= at).max(1) as u32
    }

    /// The place of a byte of the text; takes as long as the line is.
    pub fn place(&self, at: usize) -> Place {
        let line = self.line(at);
        let before = self
            .text
            .get(self.starts[line as usize - 1]..at)
            .unwrap_or("");
        Place {
            file: self.path.clone(),
            line,
            column: before.chars().count() as u32 + 1,
        }
    }
}

/// What reading a file needs everywhere.
pub(super) struct Context {
    pub lines: Lines,
    pub remarks: Remarks,
}

/// Elements and attributes of ExaSAT that no part of a `Program` holds.
const NOT_MODELLED: &[(&str, &str, &str)] = &[
    ("array", "ghost", "ghosts follow from the offsets"),
    (
        "array",
        "struct",
        "the name of the member alone names the array",
    ),
    (
        "scalar",
        "struct",
        "the name of the member alone names the scalar",
    ),
    (
        "access",
        "datatype",
        "the type of the array holds for all its accesses",
    ),
    ("funccall", "origname", "calls are known by `name`"),
    ("funccall", "module", "calls are known by `name`"),
    (
        "funccall",
        "flops",
        "the operations of a call are those of the function with its name, if that is in the file",
    ),
    ("arg", "paramname", "arguments are kept as they are passed"),
    (
        "comm",
        "commtype",
        "what a call communicates is known by its name",
    ),
    ("module", "name", "functions are known by their own names"),
];

impl Context {
    pub fn new(path: &str, text: &str) -> Context {
        Context {
            lines: Lines::new(path, text),
            remarks: Remarks::default(),
        }
    }

    /// A remark that an element of ExaSAT has no place in a `Program`.
    pub fn not_modelled(&self, element: &Element, help: &str) {
        let message = format!("`<{}>` has no counterpart in the model", element.name);
        self.note(DiagnosticCode::NotModelled, element.at, message, help);
    }

    /// A warning about an element that nobody knows there.
    pub fn unknown_element(&self, element: &Element, parent: &Element) {
        let message = format!(
            "`<{}>` is unknown in `<{}>` and was not read",
            element.name, parent.name
        );
        let help = "check its spelling and its place against loopsheet.xsd";
        self.warn(DiagnosticCode::UnknownElement, element.at, message, help);
    }

    pub fn note(&self, code: DiagnosticCode, at: usize, message: String, help: &str) {
        self.remarks
            .add(Severity::Note, code, || self.lines.place(at), message, help);
    }

    pub fn warn(&self, code: DiagnosticCode, at: usize, message: String, help: &str) {
        self.remark((Severity::Warning, code), at, message, help);
    }

    pub fn remark(
        &self,
        (severity, code): (Severity, DiagnosticCode),
        at: usize,
        message: String,
        help: &str,
    ) {
        self.remarks
            .add(severity, code, || self.lines.place(at), message, help);
    }
}

/// Typed access to the attributes of an element.
pub(super) struct Fields<'a> {
    pub element: &'a Element,
    pub context: &'a Context,
    asked: RefCell<Vec<&'static str>>,
}

impl<'a> Fields<'a> {
    pub fn new(element: &'a Element, context: &'a Context) -> Fields<'a> {
        Fields {
            element,
            context,
            asked: RefCell::new(Vec::new()),
        }
    }

    pub fn text(&self, name: &'static str) -> Option<&'a str> {
        self.asked.borrow_mut().push(name);
        self.element
            .attribute(name)
            .map(|attribute| attribute.value.as_str())
    }

    pub fn required(&self, name: &'static str) -> Result<&'a str, XmlError> {
        self.text(name).ok_or_else(|| self.missing(name))
    }

    pub fn missing(&self, name: &str) -> XmlError {
        XmlError::MissingAttribute {
            place: self.place(),
            element: self.element.name.clone(),
            attribute: name.to_string(),
        }
    }

    pub fn place(&self) -> Place {
        self.context.lines.place(self.element.at)
    }

    pub fn line(&self) -> u32 {
        self.context.lines.line(self.element.at)
    }

    pub fn at(&self, name: &str) -> usize {
        self.element
            .attribute(name)
            .map_or(self.element.at, |attribute| attribute.at)
    }

    pub fn bad(&self, name: &str, expected: impl ToString) -> XmlError {
        XmlError::BadValue {
            place: self.context.lines.place(self.at(name)),
            element: self.element.name.clone(),
            attribute: name.to_string(),
            text: self
                .element
                .attribute(name)
                .map_or(String::new(), |attribute| attribute.value.clone()),
            expected: expected.to_string().into(),
        }
    }

    /// A whole number.
    pub fn number<T: FromStr>(&self, name: &'static str) -> Result<Option<T>, XmlError> {
        let Some(text) = self.text(name) else {
            return Ok(None);
        };
        text.trim()
            .parse()
            .map(Some)
            .map_err(|_| self.bad(name, "a whole number that is not negative nor too large"))
    }

    /// One of a few words.
    pub fn word<T>(
        &self,
        name: &'static str,
        parse: impl Fn(&str) -> Option<T>,
        expected: &str,
    ) -> Result<Option<T>, XmlError> {
        let Some(text) = self.text(name) else {
            return Ok(None);
        };
        parse(text)
            .map(Some)
            .ok_or_else(|| self.bad(name, format!("one of {expected}")))
    }

    /// An expression in an attribute of ours.
    pub fn expression(&self, name: &'static str) -> Result<Option<Expr>, XmlError> {
        let Some(text) = self.text(name) else {
            return Ok(None);
        };
        Expr::parse(text)
            .map(Some)
            .map_err(|error| XmlError::BadExpression {
                place: self.context.lines.place(self.at(name)),
                element: self.element.name.clone(),
                attribute: name.to_string(),
                error: Box::new(error),
            })
    }

    /// A bound as it stands in somebody's source: what is not an expression of ours becomes a parameter
    /// with the text as its name.
    pub fn bound(&self, name: &'static str) -> Result<Option<Expr>, XmlError> {
        let Some(text) = self.text(name) else {
            return Ok(None);
        };
        if text.trim().is_empty() {
            return Err(self.bad(name, "a number, a name or an expression"));
        }
        Ok(Some(Expr::parse(text).unwrap_or_else(|_| {
            let message = format!(
                "`{text}` cannot be read as an expression; it becomes a parameter of that name"
            );
            let help = "give the parameter a value, or write the expression with + - * / ^ min max";
            self.context.note(
                DiagnosticCode::UnreadExpression,
                self.at(name),
                message,
                help,
            );
            Expr::symbol(text)
        })))
    }

    /// Remarks on the attributes that nobody asked for and on text inside the element.
    pub fn finish(&self) {
        let asked = self.asked.borrow();
        for attribute in &self.element.attributes {
            if asked.iter().any(|name| *name == attribute.name) {
                continue;
            }
            let (element, name) = (&self.element.name, &attribute.name);
            match NOT_MODELLED
                .iter()
                .find(|(of, known, _)| of == element && known == name)
            {
                Some(_) if attribute.value.is_empty() => {}
                Some((.., help)) => {
                    let message =
                        format!("`{name}` of `<{element}>` has no counterpart in the model");
                    self.context
                        .note(DiagnosticCode::NotModelled, attribute.at, message, help);
                }
                None => {
                    let message = format!(
                        "the attribute `{name}` of `<{element}>` is unknown and was not read"
                    );
                    let help = "check its spelling against loopsheet.xsd";
                    self.context.warn(
                        DiagnosticCode::UnknownAttribute,
                        attribute.at,
                        message,
                        help,
                    );
                }
            }
        }
        if let Some(at) = self.element.text_at {
            let message = format!("text inside `<{}>` was not read", self.element.name);
            self.context.warn(
                DiagnosticCode::UnknownText,
                at,
                message,
                "use attributes instead; a comment may hold text",
            );
        }
    }
}
