//! DO loops that end at a label, rewritten as loops that end with `end do`.
//!
//! The grammar does nest labelled loops, but it gives a shared terminal statement to the outermost
//! of them, where the standard has it belong to the innermost (Fortran 77, 11.10.4).

use std::collections::HashMap;
use std::ops::Range;

use super::lexical::{Scanner, number};
use crate::{LineOrigin, SourceText};

/// Rewrites `do 10 i = 1, n` as `do    i = 1, n` and puts one `end do` for each loop that ends at
/// label 10 after the statement that carries it; the statement keeps its label. The new lines have
/// the origin of the last line of that statement. Text is free form.
///
/// Loops whose label is never reached in their program unit stay as they are.
pub fn nest_labelled_do(mut source: SourceText) -> SourceText {
    let edits = Finder::new(&source.text).edits();
    if edits.is_empty() {
        return source;
    }
    let mut text = String::with_capacity(source.text.len() + 32 * edits.len());
    let mut origins: Vec<LineOrigin> = Vec::with_capacity(source.origins.len() + edits.len());
    let (mut byte, mut row) = (0, 0);
    for Edit {
        range,
        text: replacement,
        new_lines,
        row: after,
    } in edits
    {
        text.push_str(&source.text[byte..range.start]);
        text.push_str(&replacement);
        byte = range.end;
        if new_lines > 0
            && let Some(passed) = source.origins.get(row..=after)
        {
            origins.extend_from_slice(passed);
            origins.extend(std::iter::repeat_n(&source.origins[after], new_lines).cloned());
            row = after + 1;
        }
    }
    text.push_str(&source.text[byte..]);
    origins.extend_from_slice(&source.origins[row..]);
    source.text = text;
    source.origins = origins;
    source
}

/// A change of the text.
struct Edit {
    range: Range<usize>,
    text: String,
    /// How many lines `text` adds.
    new_lines: usize,
    /// The row that they follow.
    row: usize,
}

/// A labelled DO whose terminal statement has not come yet.
struct OpenLoop {
    label: usize,
    /// The bytes of the label and of the comma after it.
    label_bytes: Range<usize>,
}

/// What one statement means for labelled loops.
struct Statement {
    label: Option<usize>,
    kind: StatementKind,
    /// Where the text after the label starts.
    start: usize,
}

enum StatementKind {
    LabelledDo(OpenLoop),
    EndDo,
    EndOfUnit,
    Other,
}

struct Finder<'a> {
    text: &'a str,
    open: Vec<OpenLoop>,
    /// How many loops in `open` wait for each label.
    waiting: HashMap<usize, usize>,
    edits: Vec<Edit>,
}

impl<'a> Finder<'a> {
    fn new(text: &'a str) -> Finder<'a> {
        Finder {
            text,
            open: Vec::new(),
            waiting: HashMap::new(),
            edits: Vec::new(),
        }
    }

    /// All changes, in the order of the text.
    fn edits(mut self) -> Vec<Edit> {
        let mut scanner = Scanner::default();
        // Where the statement that goes on in this line began.
        let mut begun: Option<usize> = None;
        let mut semicolons = Vec::new();
        let mut line_start = 0;
        for (row, line) in self.text.split('\n').enumerate() {
            let line_end = line_start + line.len();
            let code = line.trim_ascii_start();
            if !(code.is_empty() || code.starts_with(['!', '#'])) {
                let mut start = begun.unwrap_or(line_start);
                if begun.is_none() {
                    scanner = Scanner::default();
                }
                semicolons.clear();
                let end = scanner.feed(line.as_bytes(), |at| semicolons.push(line_start + at));
                for &semicolon in &semicolons {
                    self.statement(start..semicolon, semicolon, row, Position::BeforeSemicolon);
                    start = semicolon + 1;
                }
                let goes_on = line[..end].trim_ascii_end().ends_with('&');
                if !goes_on {
                    self.statement(start..line_start + end, line_end, row, Position::LastInLine);
                }
                begun = goes_on.then_some(start);
            }
            line_start = line_end + 1;
        }
        self.edits.sort_by_key(|edit| edit.range.start);
        self.edits
    }

    /// Takes note of the statement in `range`. `end do` would go to byte `end`, in `row`.
    fn statement(&mut self, range: Range<usize>, end: usize, row: usize, position: Position) {
        let Statement { label, kind, start } = parse(self.text.as_bytes(), range);
        match kind {
            StatementKind::LabelledDo(new) => {
                *self.waiting.entry(new.label).or_default() += 1;
                return self.open.push(new);
            }
            StatementKind::EndOfUnit => {
                self.waiting.clear();
                return self.open.clear();
            }
            StatementKind::EndDo | StatementKind::Other => {}
        }
        let Some(label) = label else { return };
        let mut end_do_lines_needed: usize = 0;
        while self.waiting.get(&label).is_some_and(|&loops| loops > 0) {
            let Some(innermost) = self.open.pop() else {
                break;
            };
            self.waiting
                .entry(innermost.label)
                .and_modify(|loops| *loops -= 1);
            if innermost.label == label {
                let blanks = " ".repeat(innermost.label_bytes.len());
                self.edits.push(Edit {
                    range: innermost.label_bytes,
                    text: blanks,
                    new_lines: 0,
                    row,
                });
                end_do_lines_needed += 1;
            }
            // Any other loop never ends, as far as its label goes; it stays as it is.
        }
        if matches!(kind, StatementKind::EndDo) {
            end_do_lines_needed = end_do_lines_needed.saturating_sub(1);
        }
        if end_do_lines_needed == 0 {
            return;
        }
        let (text, new_lines) = match position {
            Position::BeforeSemicolon => ("; end do".repeat(end_do_lines_needed), 0),
            Position::LastInLine => {
                let line_start = self.text[..start]
                    .rfind('\n')
                    .map_or(0, |newline| newline + 1);
                let column = self.text[line_start..start].chars().count();
                let line = format!("\n{:column$}end do", "");
                (line.repeat(end_do_lines_needed), end_do_lines_needed)
            }
        };
        self.edits.push(Edit {
            range: end..end,
            text,
            new_lines,
            row,
        });
    }
}

/// Where a statement stands in its last line.
#[derive(Clone, Copy)]
enum Position {
    BeforeSemicolon,
    LastInLine,
}

/// Reads as much of a statement as labelled loops need. `bytes` is the whole text, so that positions
/// are positions in it.
fn parse(bytes: &[u8], range: Range<usize>) -> Statement {
    let mut words = Words {
        bytes: &bytes[..range.end],
        at: range.start,
    };
    words.blanks();
    let digits = words.digits();
    let label = (!digits.is_empty()).then(|| number(&bytes[digits]));
    words.blanks();
    let start = words.at;
    let mut word = words.word();
    words.blanks();
    if words.next_is(b':') && bytes.get(words.at + 1) != Some(&b':') {
        words.at += 1;
        words.blanks();
        word = words.word();
        words.blanks();
    }
    let kind = if word.eq_ignore_ascii_case(b"do") {
        words.labelled_do()
    } else if word.eq_ignore_ascii_case(b"enddo") {
        StatementKind::EndDo
    } else if word.len() >= 3 && word[..3].eq_ignore_ascii_case(b"end") {
        let what = if word.len() > 3 {
            &word[3..]
        } else {
            words.word()
        };
        let is = |name: &&[u8]| what.eq_ignore_ascii_case(name);
        if is(&&b"do"[..]) {
            StatementKind::EndDo
        } else if UNITS.iter().any(is) || (what.is_empty() && words.at == range.end) {
            StatementKind::EndOfUnit
        } else {
            StatementKind::Other
        }
    } else {
        StatementKind::Other
    };
    Statement { label, kind, start }
}

/// What `end` may be followed by where a program unit or procedure ends.
const UNITS: [&[u8]; 6] = [
    b"subroutine",
    b"function",
    b"program",
    b"module",
    b"submodule",
    b"procedure",
];

/// Steps through the words of a statement.
struct Words<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Words<'a> {
    fn skip(&mut self, belongs: impl Fn(&u8) -> bool) -> Range<usize> {
        let start = self.at;
        self.at += self.bytes[start..]
            .iter()
            .take_while(|byte| belongs(byte))
            .count();
        start..self.at
    }

    fn blanks(&mut self) {
        self.skip(u8::is_ascii_whitespace);
    }

    fn digits(&mut self) -> Range<usize> {
        self.skip(u8::is_ascii_digit)
    }

    fn word(&mut self) -> &'a [u8] {
        let range = self.skip(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        &self.bytes[range]
    }

    fn next_is(&self, byte: u8) -> bool {
        self.bytes.get(self.at) == Some(&byte)
    }

    /// What follows the word `do` and blanks: is it a label and a loop control?
    fn labelled_do(&mut self) -> StatementKind {
        let digits = self.digits();
        let label = number(&self.bytes[digits.clone()]);
        if label == 0 {
            return StatementKind::Other;
        }
        self.blanks();
        let mut end = digits.end;
        if self.next_is(b',') {
            self.at += 1;
            end = self.at;
            self.blanks();
        }
        // `do 10 i = …`, `do 10 while (…)`, `do 10 concurrent (…)`, or `do 10` alone.
        let followed = self.next_is(b'&') || !self.word().is_empty();
        self.blanks();
        if followed == (self.at == self.bytes.len()) {
            return StatementKind::Other;
        }
        StatementKind::LabelledDo(OpenLoop {
            label,
            label_bytes: digits.start..end,
        })
    }
}
