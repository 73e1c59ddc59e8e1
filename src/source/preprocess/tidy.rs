//! Makes preprocessed C readable for a parser of standard C: extensions that say nothing about
//! loops become blanks, and so do calls of unknown macros that stand where a statement should.
//!
//! `START_TIMER(x)` on a line of its own, without `;`, would be read as a type and swallow the next
//! statement into a declaration. Everything is overwritten in place, so rows and columns stay.

mod complex;

use self::complex::RealType;
use super::super::{Language, SourceText};
use super::token::{
    comment_end, find_newline, is_name_start, literal_end, name_end, number_end, splice_before,
};
use crate::diagnostic::{Diagnostic, DiagnosticCode, Severity};

/// Extensions that are dropped together with the parentheses after them.
const DROPPED_CALLS: [&str; 4] = ["__attribute__", "__attribute", "__declspec", "__nonnull"];
/// Extensions that are dropped.
const DROPPED: [&str; 5] = [
    "__extension__",
    "__thread",
    "_Thread_local",
    "_Noreturn",
    "__cdecl",
];
/// Spellings that avoid clashes in headers, and the standard ones; never longer.
const RENAMED: [(&str, &str); 12] = [
    ("__restrict__", "restrict"),
    ("__restrict", "restrict"),
    ("__inline__", "inline"),
    ("__inline", "inline"),
    ("__forceinline", "inline"),
    ("__const__", "const"),
    ("__const", "const"),
    ("__volatile__", "volatile"),
    ("__volatile", "volatile"),
    ("__signed__", "signed"),
    ("__signed", "signed"),
    ("__alignof__", "_Alignof"),
];

/// Calls longer than this, in bytes, are left alone.
const LONGEST_CALL: usize = 4096;

/// What the last token was, as far as it shows whether a statement may begin.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    /// Start of the file, `;`, a brace, a label: a statement or declaration begins here.
    Statement,
    /// `)` or `else`: perhaps the head of a statement that needs a body.
    Head,
    Other,
}

/// Blanks or renames what the parser cannot read.
///
/// Complex types become one name, as if by a typedef: `float_Complex`, `double_Complex`,
/// `long_double_Complex`.
pub(super) fn tidy(source: &mut SourceText) {
    if needs_tidying(&source.text) {
        run(source);
    }
}

/// The same for a part of a text that begins where a declaration may begin; whether one may behind it.
pub(super) fn tidy_part(source: &mut SourceText) -> bool {
    run(source)
}

fn run(source: &mut SourceText) -> bool {
    let mut tidier = Tidier {
        bytes: std::mem::take(&mut source.text).into_bytes(),
        at: 0,
        row: 0,
        line_start: 0,
        first_on_line: true,
        before: Before::Statement,
        braces: 0,
        parentheses: 0,
        real_type: None,
        unknown: Vec::new(),
    };
    tidier.run();
    let is_finished = tidier.before == Before::Statement
        && (tidier.braces, tidier.parentheses) == (0, 0)
        && tidier.first_on_line;
    // Only whole tokens were overwritten, with ASCII: the text is still UTF-8.
    source.text = String::from_utf8(tidier.bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    for (row, column, name) in tidier.unknown {
        source.diagnostics.push(Diagnostic {
            severity: Severity::Note,
            code: DiagnosticCode::UnknownMacro,
            place: source.place(row, column),
            width: name.len() as u32,
            message: format!("`{name}(…)` is taken for a macro without definition and left out"),
            help: Some("pass -D or -I so that its definition is found".to_string()),
        });
    }
    is_finished
}

/// Whether the text has anything to do for: a quick look, a byte at a time.
fn needs_tidying(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut upper_line = false;
    let mut line_start = true;
    for (at, &byte) in bytes.iter().enumerate() {
        match byte {
            b'\n' => {
                line_start = true;
                upper_line = false;
                continue;
            }
            b' ' | b'\t' => continue,
            b'(' if upper_line => return true,
            b'_' if matches!(bytes.get(at + 1), Some(b'_' | b'N' | b'T' | b'C')) => return true,
            b'x' if bytes[..at].ends_with(b"comple") => return true,
            _ => {}
        }
        upper_line |= line_start && byte.is_ascii_uppercase();
        line_start = false;
    }
    false
}

struct Tidier {
    bytes: Vec<u8>,
    at: usize,
    row: usize,
    line_start: usize,
    /// Only white space and comments stand before the position on its line.
    first_on_line: bool,
    before: Before,
    braces: usize,
    parentheses: usize,
    /// The last token, if it was `float` or `double`: where the type begins.
    real_type: Option<(usize, RealType)>,
    /// Row, column and name of each call that was left out.
    unknown: Vec<(usize, usize, String)>,
}

impl Tidier {
    fn run(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' => self.advance(self.at + 1),
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c | b'\\' => self.at += 1,
                b'#' if self.first_on_line => self.skip_directive(),
                b'/' if comment_end(&self.bytes, self.at, Language::C).is_some() => {
                    let end =
                        comment_end(&self.bytes, self.at, Language::C).unwrap_or(self.bytes.len());
                    self.advance(end);
                }
                b'"' | b'\'' => {
                    let end = literal_end(&self.bytes, self.at, Language::C);
                    self.advance(end);
                    self.saw(Before::Other);
                }
                _ if is_name_start(byte) => self.name(),
                b'0'..=b'9' => {
                    self.at = number_end(&self.bytes, self.at, Language::C);
                    self.saw(Before::Other);
                }
                _ => self.punctuator(byte),
            }
        }
    }

    fn saw(&mut self, before: Before) {
        self.before = before;
        self.first_on_line = false;
        self.real_type = None;
    }

    fn punctuator(&mut self, byte: u8) {
        self.at += 1;
        match byte {
            b'(' | b'[' => self.parentheses += 1,
            b')' | b']' => self.parentheses = self.parentheses.saturating_sub(1),
            b'{' => self.braces += 1,
            b'}' => self.braces = self.braces.saturating_sub(1),
            _ => {}
        }
        if byte == b'{' || byte == b'}' {
            self.parentheses = 0;
        }
        self.saw(match byte {
            b';' | b'{' | b'}' => Before::Statement,
            b')' | b':' => Before::Head,
            _ => Before::Other,
        });
    }

    /// Moves to `end` over line ends.
    fn advance(&mut self, end: usize) {
        while let Some(offset) = self.bytes[self.at..end]
            .iter()
            .position(|&byte| byte == b'\n')
        {
            self.at += offset + 1;
            self.row += 1;
            self.line_start = self.at;
            self.first_on_line = true;
        }
        self.at = end;
    }

    fn skip_directive(&mut self) {
        let mut end = self.at;
        loop {
            end += find_newline(&self.bytes[end..]);
            if end >= self.bytes.len() || splice_before(&self.bytes, end).is_none() {
                return self.advance(end);
            }
            end += 1;
        }
    }

    fn name(&mut self) {
        let end = name_end(&self.bytes, self.at);
        let name = &self.bytes[self.at..end];
        let is = |text: &&str| text.as_bytes() == name;
        if name[0] == b'_' && DROPPED_CALLS.iter().any(is) {
            let close = self.closing_parenthesis(end).unwrap_or(end);
            if !self.is_of_structure(close) {
                self.blank(close);
            }
            return self.advance(close);
        }
        if name[0] == b'_' && DROPPED.iter().any(is) {
            self.blank(end);
            return self.advance(end);
        }
        if name[0] == b'_'
            && let Some((_, standard)) = RENAMED.iter().find(|(text, _)| is(text))
        {
            let start = self.at;
            self.blank(end);
            self.bytes[start..start + standard.len()].copy_from_slice(standard.as_bytes());
        } else if let Some(close) = self.unknown_macro(end) {
            let text = String::from_utf8_lossy(name).into_owned();
            self.unknown
                .push((self.row, self.at - self.line_start, text));
            let start = self.at;
            self.blank(close);
            if self.before == Before::Head {
                self.bytes[start] = b';';
                self.before = Before::Statement;
            }
            return self.advance(close);
        }
        if self.complex_type(end) {
            return;
        }
        let name = &self.bytes[self.at..end];
        let head = name == b"else" || name == b"do";
        let real_type = complex::real_type(&self.bytes, self.at, end);
        self.at = end;
        self.saw(if head { Before::Head } else { Before::Other });
        self.real_type = real_type;
    }

    /// Whether the attribute from here on says how a structure is laid out: behind `struct`, `union` or the
    /// members, where the parser knows attributes.
    fn is_of_structure(&self, close: usize) -> bool {
        const WORDS: [&[u8]; 2] = [b"aligned", b"packed"];
        let before = self.bytes[..self.at].trim_ascii_end();
        let follows_structure = [b"struct".as_slice(), b"union", b"}"]
            .iter()
            .any(|end| before.ends_with(end));
        let says = |word: &&[u8]| {
            self.bytes[self.at..close]
                .windows(word.len())
                .any(|part| part == *word)
        };
        follows_structure && WORDS.iter().any(says)
    }

    /// Overwrites the text up to `end` with blanks, line ends excepted.
    fn blank(&mut self, end: usize) {
        for byte in &mut self.bytes[self.at..end] {
            if *byte != b'\n' && *byte != b'\r' {
                *byte = b' ';
            }
        }
    }

    /// Position after the parenthesis that closes the one that comes next, if one comes.
    fn closing_parenthesis(&self, from: usize) -> Option<usize> {
        let mut at = self.skip_blank(from);
        if self.bytes.get(at) != Some(&b'(') {
            return None;
        }
        let mut depth = 0_usize;
        let limit = at + LONGEST_CALL;
        while at < limit {
            match *self.bytes.get(at)? {
                b'(' => depth += 1,
                b')' if depth == 1 => return Some(at + 1),
                b')' => depth -= 1,
                b'"' | b'\'' => {
                    at = literal_end(&self.bytes, at, Language::C);
                    continue;
                }
                b';' | b'{' | b'}' => return None,
                _ => {}
            }
            at += 1;
        }
        None
    }

    fn skip_blank(&self, from: usize) -> usize {
        super::token::skip_blank(&self.bytes, from, Language::C).0
    }

    /// If the name that ends at `end` is the call of an unknown macro that would swallow what
    /// follows: the end of the call.
    fn unknown_macro(&self, end: usize) -> Option<usize> {
        let name = &self.bytes[self.at..end];
        let upper = name
            .iter()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_');
        if !upper
            || name.len() < 2
            || !self.first_on_line
            || self.parentheses > 0
            || self.before == Before::Other
        {
            return None;
        }
        let close = self.closing_parenthesis(end)?;
        let next = self.skip_blank(close);
        let line_end = close + find_newline(&self.bytes[close..]);
        if next < line_end || (self.braces == 0 && self.before == Before::Head) {
            return None;
        }
        let swallows = match self.bytes.get(next) {
            None => true,
            Some(b'}' | b'#' | b'"') => true,
            Some(b'+' | b'-') => self.bytes.get(next) == self.bytes.get(next + 1),
            Some(&byte) => is_name_start(byte) || byte.is_ascii_digit(),
        };
        // At file scope `EXPORT(int)` may be the type of the function on the next line.
        let word = name_end(&self.bytes, next.min(self.bytes.len()));
        let function = self.braces == 0 && self.bytes.get(self.skip_blank(word)) == Some(&b'(');
        (swallows && !function).then_some(close)
    }
}
