//! Procedures that programs call and seldom bring along: the BLAS. Their bodies are in
//! `templates/blas.f90`; see its head.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use super::fortran;
use crate::diagnostic::{Diagnostic, DiagnosticCode, Place, Severity};
use crate::ir::{self, Role, Stmt, Value, visit};
use crate::source::{Form, Language, SourceText};

const TEMPLATE: &str = include_str!("blas.f90");

/// How reports name the file of these bodies.
pub const FILE: &str = "(loopsheet)/blas.f90";

/// A type with the real type of its precision, in the order of the template's names.
const TYPES: [(&str, &str); 4] = [
    ("real(4)", "real(4)"),
    ("real(8)", "real(8)"),
    ("complex(4)", "real(4)"),
    ("complex(8)", "real(8)"),
];

/// One procedure of the template for one type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Body {
    /// Which block of the template, and which of its types.
    block: usize,
    of_type: usize,
    arguments: usize,
}

/// The template, cut into blocks.
struct Library {
    /// Line of the template where each begins, counted from zero, and its text.
    blocks: Vec<(usize, String)>,
    by_name: BTreeMap<&'static str, Body>,
}

impl Library {
    fn get() -> &'static Library {
        static LIBRARY: OnceLock<Library> = OnceLock::new();
        LIBRARY.get_or_init(Library::read)
    }

    fn read() -> Library {
        let (mut blocks, mut by_name) = (Vec::new(), BTreeMap::new());
        let mut names: Vec<(usize, &'static str)> = Vec::new();
        let mut lines = TEMPLATE.lines().enumerate().peekable();
        while let Some((_, line)) = lines.next() {
            let Some(heads) = line.strip_prefix("!@") else {
                continue;
            };
            names.extend(
                heads
                    .split_whitespace()
                    .enumerate()
                    .filter(|(_, name)| *name != "-"),
            );
            let Some((start, _)) = lines
                .peek()
                .copied()
                .filter(|(_, next)| !next.starts_with("!@"))
            else {
                continue;
            };
            let mut text = String::new();
            while let Some((_, line)) = lines.next_if(|(_, line)| !line.starts_with("!@")) {
                text.push_str(line);
                text.push('\n');
            }
            let list = text.split(['(', ')']).nth(1).unwrap_or_default();
            let arguments = list
                .split(',')
                .filter(|name| !name.trim().is_empty())
                .count();
            let block = blocks.len();
            by_name.extend(names.drain(..).map(|(of_type, name)| {
                (
                    name,
                    Body {
                        block,
                        of_type,
                        arguments,
                    },
                )
            }));
            blocks.push((start, text));
        }
        Library { blocks, by_name }
    }

    /// The body that a call means: by its name, also as Fortran compilers write it for C, and by the number of its
    /// arguments; C passes the lengths of texts after the others.
    fn meant(
        &self,
        language: Language,
        name: &str,
        arguments: usize,
    ) -> Option<(&'static str, Body)> {
        let plain = match language {
            Language::Fortran => name.to_string(),
            Language::C => name.strip_suffix('_')?.to_ascii_lowercase(),
        };
        let (name, body) = self.by_name.get_key_value(plain.as_str())?;
        let fits = match language {
            Language::Fortran => arguments == body.arguments,
            Language::C => arguments >= body.arguments,
        };
        fits.then_some((*name, *body))
    }

    /// Bodies as source, each at the line where the template has it.
    fn source(&self, name: &str, body: Body, file: &Arc<str>) -> SourceText {
        let (start, text) = &self.blocks[body.block];
        let (of_type, real) = TYPES[body.of_type];
        let text = text
            .replace("@name", name)
            .replace("@type", of_type)
            .replace("@real", real);
        let mut source = SourceText::verbatim(file, text);
        source
            .origins
            .iter_mut()
            .for_each(|origin| origin.line += *start as u32);
        source
    }
}

/// The bodies of what the units call and none of them has; nothing if there is no such call.
pub fn missing(units: &[ir::Unit]) -> Option<ir::Unit> {
    let library = Library::get();
    let functions = || {
        units
            .iter()
            .flat_map(|unit| unit.functions.iter().map(move |function| (unit, function)))
    };
    let mut wanted: BTreeMap<&str, Body> = BTreeMap::new();
    for (unit, function) in functions() {
        let is_data = |name: &str| {
            function
                .variables
                .iter()
                .any(|v| v.name == name && v.role == Role::Argument)
        };
        let mut call = |name: &str, arguments: &[Value]| {
            if let Some((known, body)) = library.meant(unit.language, name, arguments.len())
                && !is_data(name)
            {
                wanted.insert(known, body);
            }
        };
        visit::statements(&function.body, visit::InLoop::No, &mut |stmt, _| {
            if let Stmt::Call {
                name, arguments, ..
            } = stmt
            {
                call(name, arguments);
            }
            visit::values_of(stmt, &mut |value| {
                if let Value::Call {
                    name, arguments, ..
                } = value
                {
                    call(name, arguments);
                }
            });
        });
    }
    let defined: BTreeSet<&str> = functions()
        .filter(|(_, function)| !function.is_private)
        .flat_map(|(_, function)| std::iter::once(&function.name).chain(&function.entries))
        .map(|name| name.strip_suffix('_').unwrap_or(name))
        .chain(
            units
                .iter()
                .flat_map(|unit| unit.generics.keys().map(String::as_str)),
        )
        .collect();
    wanted.retain(|name, _| !defined.contains(name));
    let file: Arc<str> = FILE.into();
    let lowered = wanted.into_iter().map(|(name, body)| {
        let source = library.source(name, body, &file);
        fortran::lower(&file, Form::Free, &source, &fortran::Modules::default())
    });
    let mut whole = lowered.reduce(|mut whole, unit| {
        whole.functions.extend(unit.functions);
        whole.diagnostics.extend(unit.diagnostics);
        whole
    })?;
    whole.lines = TEMPLATE.lines().count();
    let names: Vec<&str> = whole
        .functions
        .iter()
        .map(|function| function.name.as_str())
        .collect();
    whole.diagnostics.push(Diagnostic {
        severity: Severity::Note,
        code: DiagnosticCode::Blas,
        place: Place {
            file,
            line: 1,
            column: 1,
        },
        width: 1,
        message: format!(
            "called without a body in these sources: {}",
            names.join(", ")
        ),
        help: Some(
            "bodies of loopsheet's own stand for them; --no-blas leaves them out".to_string(),
        ),
    });
    Some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_body_is_read_without_a_remark() {
        let library = Library::get();
        assert_eq!(library.by_name.len(), 162);
        let file: Arc<str> = FILE.into();
        for (name, body) in &library.by_name {
            let source = library.source(name, *body, &file);
            let unit = fortran::lower(&file, Form::Free, &source, &fortran::Modules::default());
            assert!(
                unit.diagnostics.is_empty(),
                "{name}: {:?}",
                unit.diagnostics
            );
            assert_eq!(unit.functions.len(), 1, "{name}");
            assert_eq!(unit.functions[0].name, *name);
        }
    }

    #[test]
    fn a_call_means_a_body_by_name_and_arguments() {
        let library = Library::get();
        assert!(library.meant(Language::Fortran, "daxpy", 6).is_some());
        assert!(library.meant(Language::Fortran, "daxpy", 5).is_none());
        assert!(library.meant(Language::C, "daxpy", 6).is_none());
        assert!(library.meant(Language::C, "daxpy_", 6).is_some());
        assert!(library.meant(Language::C, "DGEMM_", 15).is_some());
    }
}
