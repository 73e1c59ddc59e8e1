//! `include` lines of Fortran replaced by the text of the files that they name.

use std::sync::Arc;

use crate::diagnostic::{Diagnostic, DiagnosticCode, Place, Severity};

use super::{LineOrigin, ReadFile, SourceText};

/// How deep files may include each other.
const MAX_DEPTH: usize = 32;

/// How many files may be spliced in altogether; keeps files that include each other twice at every
/// level from growing without end.
const MAX_FILES: usize = 10_000;

/// Headers whose absence hides no code: constants and interfaces of libraries.
const LIBRARY_HEADERS: [&str; 2] = ["mpif.h", "omp_lib.h"];

/// Replaces each `include 'name'` and `#include "name"` line by the text of the file, which `convert`
/// has turned into the form of `source`; its own `include` lines are replaced as well.
///
/// The lines that come from an included file have their origin there. Where a file cannot be put in,
/// the line becomes a comment and there is a diagnostic: `include-not-found`, a warning, or a note for
/// the headers of MPI and OpenMP; `include-cycle`; `include-limit`.
pub fn inline_fortran(
    source: SourceText,
    files: &dyn ReadFile,
    convert: &dyn Fn(SourceText) -> SourceText,
) -> SourceText {
    if !source
        .text
        .lines()
        .any(|line| included_name(line).is_some())
    {
        return source;
    }
    let open = source
        .origins
        .first()
        .map(|origin| origin.file.clone())
        .into_iter()
        .collect();
    let mut splicer = Splicer {
        files,
        convert,
        open,
        spliced: 0,
        out: String::new(),
        origins: Vec::new(),
    };
    let SourceText {
        text,
        origins,
        preprocessing,
        mut macros,
        kinds,
        mut diagnostics,
    } = source;
    splicer.splice(&text, &origins, &mut macros, &mut diagnostics);
    if splicer.out.ends_with('\n') {
        // `splice` ends every line, a text ends none but those before the last.
        splicer.out.pop();
    }
    SourceText {
        text: splicer.out,
        origins: splicer.origins,
        preprocessing,
        macros,
        kinds,
        diagnostics,
    }
}

/// Whether a file may have lines that name others or that a preprocessor reads; `false` is certain.
pub fn may_be_in(bytes: &[u8]) -> bool {
    const WORD: &[u8] = b"include";
    if memchr::memchr(b'#', bytes).is_some() {
        return true;
    }
    // The rarest of its letters.
    memchr::memchr2_iter(b'u', b'U', bytes).any(|at| {
        let start = at.checked_sub(4);
        let word = start.and_then(|start| bytes.get(start..start + WORD.len()));
        let rest = bytes.get(at + 3..).unwrap_or_default();
        word.is_some_and(|word| word.eq_ignore_ascii_case(WORD))
            && matches!(rest.trim_ascii_start().first(), Some(b'\'' | b'"' | b'<'))
    })
}

/// The name in an `include` line, with its position in bytes.
fn included_name(line: &str) -> Option<(usize, &str)> {
    let code = line.trim_start();
    let rest = match code.strip_prefix('#') {
        Some(directive) => directive.trim_start().strip_prefix("include")?,
        None => {
            let (word, rest) = code.split_at_checked(7)?;
            word.eq_ignore_ascii_case("include").then_some(rest)?
        }
    };
    let quoted = rest.trim_start();
    let close = match quoted.chars().next()? {
        quote @ ('\'' | '"') => quote,
        '<' if code.starts_with('#') => '>',
        _ => return None,
    };
    let (name, after) = quoted[1..].split_once(close)?;
    let after = after.trim_start();
    let plain = after.is_empty() || after.starts_with('!') || code.starts_with('#');
    (plain && !name.trim().is_empty()).then(|| (line.len() - quoted.len() + 1, name.trim()))
}

struct Splicer<'a> {
    files: &'a dyn ReadFile,
    convert: &'a dyn Fn(SourceText) -> SourceText,
    /// The files that we are inside of, outermost first.
    open: Vec<Arc<str>>,
    spliced: usize,
    out: String,
    origins: Vec<LineOrigin>,
}

/// That a file which was not found is made from a template when the program is configured.
pub(super) fn made_of(template: Option<Arc<str>>) -> String {
    template.map_or(String::new(), |template| {
        format!("; {template} is there: configure or build the program first, which makes it")
    })
}

/// Why a file was not put in.
enum Refusal {
    NotFound,
    Cycle,
    Limit,
}

impl Splicer<'_> {
    /// Appends `text` with its includes replaced, every line ended.
    fn splice(
        &mut self,
        text: &str,
        origins: &[LineOrigin],
        macros: &mut Vec<super::MacroConstant>,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        for (line, origin) in text.split('\n').zip(origins) {
            let Some((at, name)) = included_name(line) else {
                self.push(line, origin);
                continue;
            };
            match self.read(&origin.file, name) {
                Ok(included) => {
                    let SourceText {
                        text,
                        mut origins,
                        preprocessing: _,
                        macros: more,
                        kinds: _,
                        diagnostics: remarks,
                    } = included;
                    macros.extend(more);
                    diagnostics.extend(remarks);
                    // The empty line after the last line end is not a line of its own here.
                    if text.ends_with('\n') {
                        origins.pop();
                    }
                    self.splice(&text, &origins, macros, diagnostics);
                    self.open.pop();
                }
                Err(refusal) => {
                    let template = match refusal {
                        Refusal::NotFound => self.files.template(&origin.file, name),
                        Refusal::Cycle | Refusal::Limit => None,
                    };
                    self.push_as_comment(line, origin);
                    let column = line[..at].chars().count() as u32 + 1;
                    let place = Place {
                        file: origin.file.clone(),
                        line: origin.line,
                        column,
                    };
                    diagnostics.push(refusal.report(place, name, template));
                }
            }
        }
    }

    /// Reads and converts a file and counts it as open.
    fn read(&mut self, from: &Arc<str>, name: &str) -> Result<SourceText, Refusal> {
        let (path, text) = self
            .files
            .read_included(from, name)
            .ok_or(Refusal::NotFound)?;
        if self.open.contains(&path) {
            return Err(Refusal::Cycle);
        }
        if self.open.len() > MAX_DEPTH || self.spliced >= MAX_FILES {
            return Err(Refusal::Limit);
        }
        self.spliced += 1;
        let included = (self.convert)(SourceText::verbatim(&path, text));
        self.open.push(path);
        Ok(included)
    }

    fn push(&mut self, line: &str, origin: &LineOrigin) {
        self.out.push_str(line);
        self.out.push('\n');
        self.origins.push(origin.clone());
    }

    fn push_as_comment(&mut self, line: &str, origin: &LineOrigin) {
        self.out.push('!');
        self.push(line.strip_prefix([' ', '\t']).unwrap_or(line), origin);
    }
}

impl Refusal {
    fn report(self, place: Place, name: &str, template: Option<Arc<str>>) -> Diagnostic {
        let file_name = name.rsplit('/').next().unwrap_or(name);
        let library = LIBRARY_HEADERS
            .iter()
            .any(|header| header.eq_ignore_ascii_case(file_name));
        let (severity, code, message, help) = match self {
            Refusal::NotFound if library => (
                Severity::Note,
                DiagnosticCode::IncludeNotFound,
                format!("included file `{name}` was not found; its constants are unknown"),
                None,
            ),
            Refusal::NotFound => (
                Severity::Warning,
                DiagnosticCode::IncludeNotFound,
                format!(
                    "included file `{name}` was not found; what it declares is unknown{}",
                    made_of(template)
                ),
                Some("pass -I DIR with the directory that holds it".to_owned()),
            ),
            Refusal::Cycle => (
                Severity::Warning,
                DiagnosticCode::IncludeCycle,
                format!("`{name}` is included from within itself"),
                None,
            ),
            Refusal::Limit => (
                Severity::Warning,
                DiagnosticCode::IncludeLimit,
                format!(
                    "`{name}` is left out: more than {MAX_DEPTH} nested or {MAX_FILES} included files"
                ),
                None,
            ),
        };
        let width = name.chars().count().max(1) as u32;
        Diagnostic {
            severity,
            code,
            place,
            width,
            message,
            help,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::super::fixed_form::to_free_form;
    use super::super::flags::FortranFlags;
    use super::*;

    struct Files(HashMap<&'static str, &'static str>);

    impl ReadFile for Files {
        fn read_included(&self, _from: &str, name: &str) -> Option<(Arc<str>, String)> {
            self.0
                .get(name)
                .map(|text| (format!("inc/{name}").into(), text.to_string()))
        }
    }

    /// The text after inlining, each line after its origin, and then the diagnostics.
    fn inlined(text: &str, files: &[(&'static str, &'static str)]) -> String {
        let source = SourceText::verbatim(&"main.f".into(), text.to_owned());
        let files = Files(files.iter().copied().collect());
        let result = inline_fortran(source, &files, &|source| {
            to_free_form(source, &FortranFlags::default())
        });
        assert_eq!(result.text.split('\n').count(), result.origins.len());
        let lines = result.text.split('\n').zip(&result.origins);
        let lines = lines.map(|(line, origin)| format!("{}:{}|{line}\n", origin.file, origin.line));
        let remarks = result.diagnostics.iter();
        let remarks = remarks.map(|d| {
            format!(
                "{} {} {} {}\n",
                d.place,
                d.severity.as_str(),
                d.code,
                d.width
            )
        });
        lines.chain(remarks).collect()
    }

    #[test]
    fn text_of_the_file_takes_the_place_of_the_line() {
        let header = "c sizes\n      integer n\n";
        let text = "      real x\n      INCLUDE 'size.h' ! sizes\n#include \"size.h\"\n      end\n";
        let expected = "main.f:1|      real x\n\
                        inc/size.h:1|! sizes\n\
                        inc/size.h:2|      integer n\n\
                        inc/size.h:1|! sizes\n\
                        inc/size.h:2|      integer n\n\
                        main.f:4|      end\n\
                        main.f:5|\n";
        assert_eq!(inlined(text, &[("size.h", header)]), expected);
    }

    #[test]
    fn included_files_include_others_and_may_lack_a_last_line_end() {
        let files = [
            ("a.h", "      include 'b.h'\n      integer a"),
            ("b.h", "      integer b"),
        ];
        let expected = "inc/b.h:1|      integer b\ninc/a.h:2|      integer a\nmain.f:2|      end\n";
        assert_eq!(inlined("      include 'a.h'\n      end", &files), expected);
    }

    #[test]
    fn file_that_is_not_there_becomes_a_comment_and_a_diagnostic() {
        let text = "      include 'gone.h'\n      include 'mpif.h'\ninclude \"x.inc\"";
        let expected = "main.f:1|!     include 'gone.h'\n\
                        main.f:2|!     include 'mpif.h'\n\
                        main.f:3|!include \"x.inc\"\n\
                        main.f:1:16 warning include-not-found 6\n\
                        main.f:2:16 note include-not-found 6\n\
                        main.f:3:10 warning include-not-found 5\n";
        assert_eq!(inlined(text, &[]), expected);
    }

    #[test]
    fn cycle_ends_with_a_diagnostic() {
        let files = [
            ("a.h", "      include 'b.h'\n"),
            ("b.h", "      include 'a.h'\n"),
        ];
        let expected =
            "inc/b.h:1|!     include 'a.h'\nmain.f:2|\ninc/b.h:1:16 warning include-cycle 3\n";
        assert_eq!(inlined("      include 'a.h'\n", &files), expected);
    }

    #[test]
    fn growth_without_end_is_cut() {
        let names = [
            "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p",
        ];
        let text = |next: &str| -> &'static str {
            format!("      include '{next}'\n      include '{next}'\n").leak()
        };
        let files: Vec<_> = names
            .windows(2)
            .map(|pair| (pair[0], text(pair[1])))
            .collect();
        let result = inlined("      include 'a'\n", &files);
        assert!(result.contains("include-limit"));
        assert!(result.lines().count() < 3 * MAX_FILES);
    }

    #[test]
    fn other_lines_stay() {
        for line in [
            "      include = 'a'",
            "      x = 'include ''a'''",
            "      include 'a' // 'b'",
            "!     include 'a'",
            "",
        ] {
            assert_eq!(
                inlined(line, &[("a", "      wrong")]),
                format!("main.f:1|{line}\n")
            );
        }
    }

    #[test]
    fn files_that_include_are_noticed() {
        for line in [
            "include 'a.inc'",
            "      INCLUDE\t\"a.inc\" ! all",
            "#include <a.inc>",
            " # include 'a.inc'",
            "x = 1; iNcLuDe 'a.inc'",
        ] {
            assert!(may_be_in(line.as_bytes()), "{line}");
        }
        for text in [
            "",
            "u",
            "includ",
            "c     these include the rest\n",
            "call include(x)",
        ] {
            assert!(!may_be_in(text.as_bytes()), "{text}");
            assert_eq!(included_name(text), None);
        }
    }
}
