//! Ordinary lines: copied as they stand, except where a macro is invoked.

use super::super::Language;
use super::Preprocessor;
use super::constant::is_safe_between;
use super::expand::{Constants, Scan};
use super::macros::{MacroId, Meaning};
use super::reader::Reader;
use super::token::{
    Kind, comment_end, find_newline, is_name_part, is_name_start, literal_end, name_end,
    need_space, number_end,
};

/// What the first byte of something means to the copier.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Other,
    Newline,
    Name,
    Digit,
    Quote,
    Slash,
    Bang,
}

static CLASSES: [Class; 256] = classes();

const fn classes() -> [Class; 256] {
    let mut classes = [Class::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'\n' => Class::Newline,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | 0x80.. => Class::Name,
            b'0'..=b'9' => Class::Digit,
            b'"' | b'\'' => Class::Quote,
            b'/' => Class::Slash,
            b'!' => Class::Bang,
            _ => Class::Other,
        };
        byte += 1;
    }
    classes
}

/// Text of the file that is not yet in the output, and what was done to the present line.
struct Copier {
    from: usize,
    /// Something was removed from or expanded on this line.
    touched: bool,
}

impl Preprocessor<'_> {
    /// Copies active lines up to the next directive or the end of the file.
    pub(super) fn copy_text(&mut self, reader: &mut Reader) {
        let bytes = reader.text.as_bytes();
        let fortran = self.language == Language::Fortran;
        let mut copier = Copier {
            from: reader.position,
            touched: false,
        };
        let mut at = if fortran {
            skip_fixed_comment(bytes, reader.position)
        } else {
            reader.position
        };
        while at < bytes.len() {
            match CLASSES[bytes[at] as usize] {
                Class::Other => at += 1,
                Class::Newline => {
                    self.end_text_line(reader, &mut copier, at);
                    at += 1;
                    if reader.directive_at(at) {
                        break;
                    }
                    if fortran {
                        at = skip_fixed_comment(bytes, at);
                    }
                }
                Class::Name => at = self.copy_name(reader, &mut copier, at),
                Class::Digit => {
                    let end = number_end(bytes, at, self.language);
                    if fortran && let Some(kind) = reader.text[at..end].find('_') {
                        self.keep_name(&reader.text[at + kind + 1..end]);
                    }
                    at = end;
                }
                Class::Quote => {
                    let end = literal_end(bytes, at, self.language);
                    self.pass_lines(reader, at, end);
                    at = end;
                }
                Class::Slash => match comment_end(bytes, at, self.language) {
                    Some(end) if fortran => {
                        // No comment of Fortran: a blank in its place.
                        self.flush(reader, &mut copier, at);
                        self.out.text.push(' ');
                        reader.line += count_lines(&bytes[at..end]);
                        (copier.from, copier.touched) = (end, true);
                        at = end;
                    }
                    Some(end) => {
                        self.pass_lines(reader, at, end);
                        at = end;
                    }
                    None => at += 1,
                },
                Class::Bang if fortran && !is_sentinel(&bytes[at..]) => {
                    at += find_newline(&bytes[at..]);
                }
                Class::Bang => at += 1,
            }
        }
        self.flush(reader, &mut copier, at);
        reader.position = at;
    }

    /// Ends the line of output at the line end `at`. A Fortran line that became empty is dropped: it
    /// might stand in the middle of a continued statement.
    fn end_text_line(&mut self, reader: &mut Reader, copier: &mut Copier, at: usize) {
        let mut dropped = false;
        if copier.touched && self.language == Language::Fortran {
            self.flush(reader, copier, at);
            if self.out.at_line_start() {
                self.out.clear_line();
                copier.from = at + 1;
                dropped = true;
            }
        }
        if !dropped {
            self.out.origins.push(reader.origin(reader.output_line));
        }
        copier.touched = false;
        reader.line += 1;
        reader.output_line = reader.line;
    }

    /// Accounts for the line ends within a literal or comment that is copied.
    fn pass_lines(&mut self, reader: &mut Reader, from: usize, to: usize) {
        for _ in 0..count_lines(&reader.text.as_bytes()[from..to]) {
            self.out.origins.push(reader.origin(reader.line));
            reader.line += 1;
            reader.output_line = reader.line;
        }
    }

    /// Copies what is pending up to `to`.
    fn flush(&mut self, reader: &Reader, copier: &mut Copier, to: usize) {
        self.out.text.push_str(&reader.text[copier.from..to]);
        copier.from = to;
    }

    /// A name at `at`: where to go on.
    fn copy_name(&mut self, reader: &mut Reader, copier: &mut Copier, at: usize) -> usize {
        let bytes = reader.text.as_bytes();
        let end = name_end(bytes, at);
        let name = &reader.text[at..end];
        let Some(id) = self.macros.find(name) else {
            return end;
        };
        match &self.macros.get(id).meaning {
            Meaning::Constant(_, _)
                if self.language == Language::C || !after_type_star(&bytes[..at]) =>
            {
                let (pending, rest) = (&reader.text[copier.from..at], &reader.text[end..]);
                let whole = self.out.text.as_str();
                let before = if pending.trim().is_empty() {
                    whole
                } else {
                    pending
                };
                let safe = is_safe_between(before, rest);
                self.keep_constant(id, || safe);
                return end;
            }
            Meaning::Function(_) => {
                reader.position = end;
                if !reader.parenthesis_follows() {
                    return end;
                }
            }
            _ => {}
        }
        if self.exhausted {
            return end;
        }
        self.flush(reader, copier, at);
        self.copy_expansion(reader, id, at, end);
        (copier.from, copier.touched) = (reader.position, true);
        reader.position
    }

    /// Expands the macro named at `at..end` and leaves the reader behind the invocation.
    fn copy_expansion(&mut self, reader: &mut Reader, id: MacroId, at: usize, end: usize) {
        let mark = self.pool.len();
        self.present = reader.place(at);
        self.present_width = (end - at) as u32;
        let constants = match self.macros.get(id).meaning {
            // `real*N`: no name may stand there.
            Meaning::Constant(_, _) => Constants::Expand,
            _ => Constants::Keep,
        };
        let first_line = reader.line;
        reader.position = end;
        let name = self.pool.add(Kind::Name, &reader.text[at..end], false);
        let mut tokens = self.expand(Scan::new(vec![name], Some(reader), constants));
        self.complete_pragma(reader, &mut tokens);
        self.print(reader, &tokens);
        if self.pool_floor <= mark {
            self.pool.truncate(mark);
        }
        if self.language == Language::C {
            for line in first_line..reader.line {
                self.out.end_line(reader.origin(line));
            }
            reader.output_line = reader.line;
            let next = reader.text.as_bytes().get(reader.position);
            if let (Some(last), Some(&next)) = (self.out.last_byte(), next)
                && need_space(last, next)
            {
                self.out.text.push(' ');
            }
        }
    }

    /// Marks a name in text that is copied as it is, should it be a constant.
    pub(super) fn keep_name(&mut self, name: &str) {
        if let Some(id) = self.macros.find(name) {
            self.keep_constant(id, || true);
        }
    }

    /// Marks all constants named in text that is copied as it is.
    pub(super) fn keep_names(&mut self, text: &str) {
        for name in text.split(|letter: char| !letter.is_ascii() || !is_name_part(letter as u8)) {
            self.keep_name(name);
        }
    }
}

fn count_lines(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte == b'\n').count()
}

/// `!$omp`, `!$acc`, `!dir$`: comments that compilers read.
fn is_sentinel(comment: &[u8]) -> bool {
    comment.get(1) == Some(&b'$') || comment.get(4) == Some(&b'$')
}

/// Skips a comment of the fixed form. As the free form lets a statement begin there too, `c` counts
/// only where no assignment or component can follow.
fn skip_fixed_comment(bytes: &[u8], line: usize) -> usize {
    let marked = match bytes.get(line) {
        Some(b'*') => true,
        Some(b'c' | b'C') => {
            let rest = &bytes[line + 1..];
            let next = rest.iter().find(|byte| !matches!(byte, b' ' | b'\t'));
            rest.first().is_some_and(|&byte| !is_name_part(byte))
                && !matches!(next, Some(b'=' | b'(' | b'%' | b'$' | b'&'))
        }
        _ => false,
    };
    if marked {
        line + find_newline(&bytes[line..])
    } else {
        line
    }
}

/// Whether `real*`, `integer*` and the like end the text: what follows must be a number.
fn after_type_star(before: &[u8]) -> bool {
    let Some(rest) = before.trim_ascii_end().strip_suffix(b"*") else {
        return false;
    };
    let rest = rest.trim_ascii_end();
    let start = rest
        .iter()
        .rposition(|&byte| !is_name_start(byte))
        .map_or(0, |at| at + 1);
    let word = rest[start..].to_ascii_lowercase();
    [
        b"real".as_slice(),
        b"integer",
        b"complex",
        b"logical",
        b"character",
    ]
    .contains(&word.as_slice())
}
