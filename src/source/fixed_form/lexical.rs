//! Where strings, Hollerith constants, comments and parentheses begin and end in a statement.

/// Reads a statement line by line.
#[derive(Clone, Debug, Default)]
pub(super) struct Scanner {
    /// The quote that opened the string we are in.
    quote: Option<u8>,
    /// The quote that closed a string with the last byte read.
    just_closed: Option<u8>,
    /// How many characters of a Hollerith constant are still to come.
    hollerith: usize,
    depth: i64,
    closed_too_much: bool,
}

impl Scanner {
    /// Reads one line of a statement, passes `at_semicolon` each position of a `;` that ends a
    /// statement, and returns where the comment at its end begins, or else the length.
    pub(super) fn feed(&mut self, line: &[u8], mut at_semicolon: impl FnMut(usize)) -> usize {
        let mut at = 0;
        let mut in_word = false;
        self.just_closed = None;
        while let Some(&byte) = line.get(at) {
            let after_word =
                std::mem::replace(&mut in_word, byte.is_ascii_alphanumeric() || byte == b'_');
            if self.hollerith > 0 {
                // Count characters, not bytes.
                self.hollerith -= usize::from(byte & 0xc0 != 0x80);
                in_word = false;
                at += 1;
                continue;
            }
            if let Some(quote) = self.quote {
                if byte == quote {
                    self.quote = None;
                    self.just_closed = (at + 1 == line.len()).then_some(quote);
                }
                at += 1;
                continue;
            }
            match byte {
                b'\'' | b'"' => self.quote = Some(byte),
                b'!' => return at,
                b'(' => self.depth += 1,
                b')' => {
                    self.depth -= 1;
                    self.closed_too_much |= self.depth < 0;
                }
                b';' => at_semicolon(at),
                b'0'..=b'9' if !after_word => {
                    let digits = line[at..].iter().take_while(|b| b.is_ascii_digit()).count();
                    at += digits;
                    if matches!(line.get(at), Some(b'h' | b'H')) {
                        self.hollerith = number(&line[at - digits..at]);
                        at += 1;
                    }
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
        line.len()
    }

    /// Whether the text so far ends inside a string or a Hollerith constant.
    pub(super) fn in_string(&self) -> bool {
        self.quote.is_some() || self.hollerith > 0
    }

    /// The quote that closed a string with the very last byte read.
    pub(super) fn just_closed(&self) -> Option<u8> {
        self.just_closed
    }

    /// Counts blanks that were read in place of text that is not there.
    pub(super) fn skip_blanks(&mut self, count: usize) {
        self.hollerith = self.hollerith.saturating_sub(count);
    }

    /// Whether everything that was opened is closed.
    pub(super) fn balanced(&self) -> bool {
        !self.in_string() && self.depth == 0 && !self.closed_too_much
    }
}

/// The value of decimal digits; zero for a number too large to mean anything here.
pub(super) fn number(digits: &[u8]) -> usize {
    if digits.len() > 6 {
        return 0;
    }
    digits
        .iter()
        .fold(0, |value, digit| value * 10 + usize::from(digit - b'0'))
}
