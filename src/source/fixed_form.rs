//! Fixed-form Fortran rewritten as free form, one line for one line, so that a free-form grammar can
//! read it and every column that held code before column 73 still holds it.

mod columns;
mod labelled_do;
mod lexical;

use crate::diagnostic::{Diagnostic, DiagnosticCode, Severity};

use super::SourceText;
use super::flags::FortranFlags;
use columns::{Kind, Line};
use lexical::Scanner;

pub use columns::Columns;
pub use labelled_do::nest_labelled_do;

/// Free-form text of a fixed-form file.
///
/// Lines map one to one, so `origins` stays as it was. Comments become `!` comments and keep their
/// text, OpenMP and OpenACC sentinels become `!$omp` and `!$acc` with free-form continuation, `#`
/// lines stay. A continued line gets `&` at its end, a continuation line `&` in place of its mark.
///
/// Text past column 72 is dropped, as the standard has it, unless parentheses or quotes of some
/// statement balance only with it: then the file is taken as one compiled with wide lines, nothing
/// is dropped, and one note with the code `fixed-form-long-lines` says so. A width that `flags` give is what it is.
///
/// Blanks are taken as significant, except where a word runs across the end of a full line:
/// `do10i=1,n` and the like stay as they are.
pub fn to_free_form(mut source: SourceText, flags: &FortranFlags) -> SourceText {
    if flags.debug_lines {
        source.text = with_debug_lines(&source.text);
    }
    let width = flags.columns.unwrap_or(Columns::STANDARD);
    let mut lines = columns::classify(&source.text, width);
    if flags.columns.is_none()
        && let Some(row) = first_statement_that_needs_wide_lines(&lines)
    {
        lines = columns::classify(&source.text, Columns::All);
        let column = Columns::STANDARD.width();
        let width = lines[row]
            .text
            .chars()
            .count()
            .saturating_sub(column)
            .max(1) as u32;
        source.diagnostics.push(Diagnostic {
            severity: Severity::Note,
            code: DiagnosticCode::FixedFormLongLines,
            place: source.place(row, column),
            width,
            message:
                "this fixed-form file has code past column 72; its lines are read to their ends"
                    .into(),
            help: None,
        });
    }
    let mut out = String::with_capacity(source.text.len() + source.text.len() / 32 + lines.len());
    Writer::default().write(&lines, &mut out);
    source.text = out;
    source
}

/// The text with code for the lines that begin with `d`.
fn with_debug_lines(text: &str) -> String {
    let as_code = |line: &str| match line.strip_prefix(['d', 'D']) {
        Some(rest) => format!(" {rest}"),
        None => line.to_string(),
    };
    text.split('\n').map(as_code).collect::<Vec<_>>().join("\n")
}

/// The row of the first cut line of a statement whose parentheses and quotes balance with the text
/// past column 72 but not without it.
fn first_statement_that_needs_wide_lines(lines: &[Line]) -> Option<usize> {
    let mut start = 0;
    while start < lines.len() {
        let mut end = start + 1;
        while end < lines.len() && !matches!(lines[end].kind, Kind::Initial) {
            end += 1;
        }
        let statement = &lines[start..end];
        let cut = statement
            .iter()
            .position(|line| line.is_code() && line.is_cut());
        if let Some(cut) = cut
            && !balances(statement.iter().map(Line::body))
            && balances(statement.iter().map(Line::uncut_body))
        {
            return Some(start + cut);
        }
        start = end;
    }
    None
}

/// Whether the lines of one statement close every parenthesis and quote that they open.
fn balances<'a>(bodies: impl Iterator<Item = &'a str>) -> bool {
    let mut scanner = Scanner::default();
    for body in bodies {
        scanner.feed(body.as_bytes(), |_| {});
    }
    scanner.balanced()
}

/// The state that writing a file carries from line to line.
#[derive(Default)]
struct Writer {
    /// Whether there has been a statement that could be continued.
    started: bool,
    /// Knows whether the statement so far ends inside a string.
    scanner: Scanner,
    /// How many bytes of the next continuation line were moved up to complete a word.
    moved: usize,
}

impl Writer {
    fn write(&mut self, lines: &[Line], out: &mut String) {
        for (row, line) in lines.iter().enumerate() {
            if row > 0 {
                out.push('\n');
            }
            match line.kind {
                Kind::Blank => {}
                // Inside an open string the grammar would take a comment for a part of the string.
                Kind::Comment | Kind::Remark | Kind::Directive { .. }
                    if self.scanner.in_string() => {}
                Kind::Comment => {
                    out.push('!');
                    out.push_str(&line.text[1..]);
                }
                Kind::Remark | Kind::Preprocessor => out.push_str(line.text),
                Kind::Directive { .. } => write_directive(line, &lines[row + 1..], out),
                Kind::Initial => {
                    *self = Writer {
                        started: true,
                        ..Writer::default()
                    };
                    let label = line.label();
                    out.push_str(label);
                    (label.len()..line.start).for_each(|_| out.push(' '));
                    self.write_code(line, &lines[row + 1..], out);
                }
                Kind::Continuation { mark } => {
                    let idle = line.is_idle() && !self.scanner.in_string();
                    out.push_str(&line.text[..mark]);
                    out.push(if self.started && !idle { '&' } else { ' ' });
                    if idle {
                        out.push_str(line.body());
                    } else {
                        self.started = true;
                        self.write_code(line, &lines[row + 1..], out);
                    }
                }
            }
        }
    }

    /// Writes the body of one line of a statement; `rest` are the lines after it.
    fn write_code(&mut self, line: &Line, rest: &[Line], out: &mut String) {
        let moved = std::mem::take(&mut self.moved);
        (0..moved).for_each(|_| out.push(' '));
        let body = &line.body()[moved..];
        let end = self.scanner.feed(body.as_bytes(), |_| {});
        let (code, remark) = (&body[..end], &line.uncut_body()[moved + end..]);
        let remark = if remark.starts_with('!') { remark } else { "" };

        let next = continuation(rest, self.scanner.in_string());
        let Some(next) = next else {
            self.scanner = Scanner::default();
            out.push_str(code);
            out.push_str(remark);
            return;
        };
        let missing = line.missing_columns(code).saturating_sub(moved);
        // A doubled quote may be split by the end of the line.
        let splits_quote = missing == 0
            && self
                .scanner
                .just_closed()
                .is_some_and(|quote| next.body().as_bytes().first() == Some(&quote));
        if self.scanner.in_string() || splits_quote {
            out.push_str(code);
            (0..missing).for_each(|_| out.push(' '));
            self.scanner.skip_blanks(missing);
            out.push('&');
            return;
        }
        out.push_str(code.trim_end());
        if missing == 0 && code.ends_with(is_word) {
            self.moved = next
                .body()
                .find(|c| !is_word(c))
                .unwrap_or(next.body().len());
            out.push_str(&next.body()[..self.moved]);
        }
        out.push_str(" &");
        if !remark.is_empty() {
            out.push(' ');
            out.push_str(remark);
        }
    }
}

/// Characters of names, numbers and dotted operators.
fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '.'
}

/// The next line that continues the statement before `rest`, if any. Inside a string even a blank
/// line with a continuation mark does.
fn continuation<'a, 'b>(rest: &'b [Line<'a>], in_string: bool) -> Option<&'b Line<'a>> {
    rest.iter()
        .take_while(|line| line.kind != Kind::Initial)
        .find(|line| {
            matches!(line.kind, Kind::Continuation { .. }) && (in_string || !line.is_idle())
        })
}

/// Writes a directive line in free form; `rest` are the lines after it.
fn write_directive(line: &Line, rest: &[Line], out: &mut String) {
    let continues = line.kind == Kind::Directive { continues: true };
    out.push('!');
    out.push_str(&line.text[1..5]);
    out.push(if continues { '&' } else { ' ' });
    let body = line.body();
    let (code, remark) = body.split_at(body.find('!').unwrap_or(body.len()));
    let next = rest
        .iter()
        .find(|line| !matches!(line.kind, Kind::Blank | Kind::Comment | Kind::Remark));
    if next.is_some_and(|next| next.kind == Kind::Directive { continues: true })
        && !code.trim_end().ends_with('&')
    {
        out.push_str(code.trim_end());
        out.push_str(if remark.is_empty() { " &" } else { " & " });
    } else {
        out.push_str(code);
    }
    out.push_str(remark);
}

#[cfg(test)]
mod tests;
