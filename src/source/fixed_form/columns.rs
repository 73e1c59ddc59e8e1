//! What the columns of one fixed-form line say: comment, directive, first line of a statement or
//! continuation, and which of its bytes are code.

/// How many columns of a line are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Columns {
    /// So many, 72 by the standard.
    First(u32),
    /// All of them, as `-ffixed-line-length-none` has it.
    All,
}

impl Columns {
    pub(super) const STANDARD: Columns = Columns::First(72);

    /// The last column whose text counts; strings that go on in the next line are blank up to it.
    pub(super) fn width(self) -> usize {
        match self {
            Columns::First(columns) => columns as usize,
            Columns::All => 132,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Blank,
    /// A comment by its first column.
    Comment,
    /// A comment that starts with `!` further right.
    Remark,
    /// A `#` line, or one that such a line goes on in.
    Preprocessor,
    /// An OpenMP or OpenACC line.
    Directive {
        continues: bool,
    },
    /// The first line of a statement.
    Initial,
    /// A line that goes on with a statement; `mark` is the byte of its continuation character.
    Continuation {
        mark: usize,
    },
}

/// A line of a fixed-form file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    /// Without line end.
    pub(super) text: &'a str,
    pub(super) kind: Kind,
    /// The byte where code starts.
    pub(super) start: usize,
    /// The byte after the last column that is read.
    limit: usize,
    /// The column, counted from zero, of the byte at `start`.
    column: usize,
    columns: Columns,
}

/// All lines of a file.
pub(super) fn classify(text: &str, columns: Columns) -> Vec<Line<'_>> {
    let mut lines: Vec<Line> = Vec::new();
    for line in text.split('\n') {
        let goes_on = lines
            .last()
            .is_some_and(|last| last.kind == Kind::Preprocessor && last.text.ends_with('\\'));
        lines.push(Line::new(line, goes_on, columns));
    }
    lines
}

impl<'a> Line<'a> {
    fn new(text: &'a str, in_preprocessor_line: bool, columns: Columns) -> Line<'a> {
        let text = text.strip_suffix('\r').unwrap_or(text);
        let (kind, start, column) = if in_preprocessor_line {
            (Kind::Preprocessor, text.len(), 0)
        } else {
            kind_of(text)
        };
        let room = columns.width().saturating_sub(column);
        let limit = match columns {
            Columns::First(_) if text.len() - start > room => {
                let mut ends = text[start..].char_indices();
                ends.nth(room).map_or(text.len(), |(at, _)| start + at)
            }
            _ => text.len(),
        };
        Line {
            text,
            kind,
            start,
            limit,
            column,
            columns,
        }
    }

    /// What stands before the code: blanks or a label, without a zero in column 6, which means a blank.
    pub(super) fn label(&self) -> &'a str {
        let label = &self.text[..self.start];
        let zero = self.start == 6
            && label.ends_with('0')
            && !label[..5].ends_with(|c: char| c.is_ascii_digit());
        if zero { &label[..5] } else { label }
    }

    pub(super) fn is_code(&self) -> bool {
        matches!(self.kind, Kind::Initial | Kind::Continuation { .. })
    }

    /// Whether there is anything past the last column that is read.
    pub(super) fn is_cut(&self) -> bool {
        !self.text[self.limit..].trim().is_empty()
    }

    /// The text from the first column of code to the last that is read; empty if there is no code.
    pub(super) fn body(&self) -> &'a str {
        &self.text[self.start..self.limit]
    }

    /// The text from the first column of code to the end of the line.
    pub(super) fn uncut_body(&self) -> &'a str {
        &self.text[self.start..]
    }

    /// Whether the body is blank or a comment.
    pub(super) fn is_idle(&self) -> bool {
        let body = self.body().trim_start();
        body.is_empty() || body.starts_with('!')
    }

    /// How many columns lie between the end of `code`, which starts the body, and the last column.
    pub(super) fn missing_columns(&self, code: &str) -> usize {
        self.columns
            .width()
            .saturating_sub(self.column + code.chars().count())
    }
}

/// The kind of a line, the byte where its code starts and the column of that byte.
fn kind_of(text: &str) -> (Kind, usize, usize) {
    let bytes = text.as_bytes();
    let none = |kind| (kind, text.len(), 0);
    let Some(first) = bytes.iter().position(|&b| !is_blank(b)) else {
        return none(Kind::Blank);
    };
    match bytes[0] {
        b'#' => return none(Kind::Preprocessor),
        b'!' | b'c' | b'C' | b'*' => return directive(bytes).unwrap_or(none(Kind::Comment)),
        b'd' | b'D' => return none(Kind::Comment),
        _ => {}
    }
    // Columns 1 to 5 hold blanks or a label; a tab among the first six ends them early.
    let field = bytes
        .iter()
        .take(6)
        .position(|&b| !(is_blank(b) || b.is_ascii_digit()) || b == b'\t');
    match field {
        _ if bytes[first] == b'!' && (first != 5 || bytes[..5].contains(&b'\t')) => {
            none(Kind::Remark)
        }
        Some(tab) if bytes[tab] == b'\t' => match bytes.get(tab + 1) {
            Some(b'1'..=b'9') if first > tab => (Kind::Continuation { mark: tab + 1 }, tab + 2, 6),
            _ => (Kind::Initial, tab + 1, 6),
        },
        Some(5) if first == 5 => {
            // The mark may be any character, so also one of several bytes.
            let mark = text[5..].chars().next().map_or(1, char::len_utf8);
            (Kind::Continuation { mark: 5 }, 5 + mark, 6)
        }
        None if first == 5 && bytes[5] != b'0' => (Kind::Continuation { mark: 5 }, 6, 6),
        None if bytes.len() >= 6 => (Kind::Initial, 6, 6),
        None => (Kind::Initial, bytes.len(), bytes.len()),
        // Code where the label belongs: no valid fixed form, but its meaning is plain.
        Some(at) => (Kind::Initial, at, at),
    }
}

/// Kind and start of a comment that is a directive: `!$omp`, `c$acc` …
fn directive(bytes: &[u8]) -> Option<(Kind, usize, usize)> {
    let sentinel = bytes.get(1..5)?;
    if !(sentinel.eq_ignore_ascii_case(b"$omp") || sentinel.eq_ignore_ascii_case(b"$acc")) {
        return None;
    }
    match bytes.get(5) {
        None => Some((Kind::Directive { continues: false }, 5, 5)),
        Some(b' ' | b'0' | b'\t') => Some((Kind::Directive { continues: false }, 6, 6)),
        // `!$omp` is followed by a mark; a longer word is some other comment.
        Some(mark) if mark.is_ascii_alphabetic() && !bytes.get(6).is_some_and(|&b| is_blank(b)) => {
            None
        }
        Some(mark) if mark.is_ascii() => Some((Kind::Directive { continues: true }, 6, 6)),
        Some(_) => None,
    }
}

/// Blanks, and the control characters that old editors left behind (form feed, end of file).
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c | 0x1a)
}
