//! Writes expanded tokens into the text.

use super::super::Language;
use super::Preprocessor;
use super::constant::is_safe_between;
use super::reader::{Next, Reader};
use super::token::{Kind, Token, need_space};

impl Preprocessor<'_> {
    /// `_Pragma` written out in the file: its parenthesis and string are still there.
    pub(super) fn complete_pragma(&mut self, reader: &mut Reader, tokens: &mut Vec<Token>) {
        let named = tokens
            .last()
            .is_some_and(|&token| self.pool.text(token) == "_Pragma");
        if named && reader.parenthesis_follows() {
            let (position, line) = (reader.position, reader.line);
            let length = tokens.len();
            for _ in 0..3 {
                if let Next::Token(token) = reader.next(&mut self.pool) {
                    tokens.push(token);
                }
            }
            if tokens
                .last()
                .is_none_or(|&token| self.pool.text(token) != ")")
            {
                tokens.truncate(length);
                (reader.position, reader.line) = (position, line);
            }
        }
    }

    /// Writes expanded tokens, spaces only where they were or are needed.
    pub(super) fn print(&mut self, reader: &Reader, tokens: &[Token]) {
        let mut index = 0;
        while let Some(&token) = tokens.get(index) {
            let text = self.pool.text(token);
            if text == "_Pragma"
                && let [open, string, close, ..] = tokens[index + 1..]
                && [self.pool.text(open), self.pool.text(close)] == ["(", ")"]
                && string.kind == Kind::Literal
            {
                self.print_pragma(reader, string);
                index += 4;
                continue;
            }
            let first = text.as_bytes().first().copied().unwrap_or(b' ');
            let joined = |last| self.language == Language::C && need_space(last, first);
            if (token.space && index > 0) || self.out.last_byte().is_some_and(joined) {
                self.out.text.push(' ');
            }
            self.out.text.push_str(text);
            if token.kept
                && let Some(id) = self.macros.find(text)
            {
                let before = &self.out.text[..self.out.text.len() - text.len()];
                let after = match tokens.get(index + 1) {
                    Some(&next) => self.pool.text(next),
                    None => &reader.text[reader.position..],
                };
                let safe = is_safe_between(before, after);
                self.keep_constant(id, || safe);
            }
            index += 1;
        }
    }

    /// `_Pragma("text")` as a line of its own, if a statement may begin here.
    fn print_pragma(&mut self, reader: &Reader, string: Token) {
        let literal = self.pool.text(string);
        let inner = literal
            .trim_start_matches(|letter| letter != '"')
            .trim_matches('"');
        let pragma = format!(
            "#pragma {}",
            inner
                .replace("\\\"", "\"")
                .replace("\\\\", "\\")
                .replace('\n', " ")
        );
        let origin = reader.origin(reader.output_line);
        if !self.out.at_line_start() {
            let before = self.out.open_line().trim_end();
            if !before.ends_with([';', '{', '}', ')']) {
                return;
            }
            self.out.end_line(origin.clone());
        }
        self.out.text.push_str(&pragma);
        self.out.end_line(origin);
    }
}
