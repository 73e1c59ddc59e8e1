//! Variables of makefiles: `RAND = random`, then `$(RAND).o`. Conditions are not followed: a variable that is given
//! several values has none.

use std::collections::BTreeMap;
use std::path::Path;

use super::files;

/// Makefiles that include others are followed so far.
const DEPTH: usize = 4;
/// Variables that are made of others are expanded so often.
const ROUNDS: usize = 8;
/// An expanded text is no longer.
const LONGEST: usize = 1 << 20;

/// What the variables of a makefile stand for; `None` for several values.
#[derive(Default)]
pub(super) struct Variables(BTreeMap<String, Option<String>>);

impl Variables {
    /// Of a text and of the files that it includes, by paths from the directory.
    pub fn of(text: &str, directory: &Path) -> Variables {
        let mut variables = Variables::default();
        variables.add(text, directory, DEPTH);
        variables
    }

    fn add(&mut self, text: &str, directory: &Path, depth: usize) {
        for line in joined(text).lines() {
            let line = line.split('#').next().unwrap_or("").trim();
            if let Some((name, value)) = assignment(line) {
                let known = self.0.entry(name.to_string());
                let value = Some(value.to_string());
                let first = known.or_insert_with(|| value.clone());
                if *first != value {
                    *first = None;
                }
            } else if let Some(paths) = included(line)
                && depth > 0
            {
                for path in self.expanded(paths).split_whitespace() {
                    if let Ok(text) = files::read_text(&directory.join(path)) {
                        self.add(&text, directory, depth - 1);
                    }
                }
            }
        }
    }

    /// The text with the values of variables in place of them.
    pub fn expanded(&self, text: &str) -> String {
        let mut text = joined(text);
        for _ in 0..ROUNDS {
            let (next, is_changed) = self.once(&text);
            if !is_changed || next.len() > LONGEST {
                break;
            }
            text = next;
        }
        text
    }

    fn once(&self, text: &str) -> (String, bool) {
        let (mut out, mut rest, mut is_changed) = (String::new(), text, false);
        while let Some(at) = rest.find('$') {
            let (before, reference) = rest.split_at(at);
            out.push_str(before);
            let value = reference_in(reference).and_then(|(name, length)| {
                let value = self.0.get(name)?.as_deref()?;
                Some((value, length))
            });
            let taken = match value {
                Some((value, length)) => {
                    out.push_str(value);
                    is_changed = true;
                    length
                }
                None => {
                    out.push('$');
                    1
                }
            };
            rest = &reference[taken..];
        }
        out.push_str(rest);
        (out, is_changed)
    }
}

/// `$(NAME)` or `${NAME}` at the beginning of a text, with its length.
fn reference_in(text: &str) -> Option<(&str, usize)> {
    let (open, close) = match text.as_bytes().get(1)? {
        b'(' => ('(', ')'),
        b'{' => ('{', '}'),
        _ => return None,
    };
    let name = text[1..].strip_prefix(open)?.split(close).next()?;
    (is_name(name) && text[2 + name.len()..].starts_with(close)).then_some((name, name.len() + 3))
}

fn is_name(text: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "_-.".contains(letter);
    !text.is_empty() && text.chars().all(is_letter)
}

/// `NAME = value`, also with `:=` and `?=`. What `+=` adds is no value of its own, and makes the others none.
fn assignment(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once('=')?;
    let name = name.trim_end_matches([':', '?', '+']).trim();
    is_name(name).then_some((name, value.trim()))
}

/// The files that a line includes.
fn included(line: &str) -> Option<&str> {
    let line = line.trim_start_matches('-');
    let rest = line
        .strip_prefix("include")
        .or_else(|| line.strip_prefix("sinclude"))?;
    rest.starts_with([' ', '\t']).then_some(rest)
}

/// Lines that go on as one.
fn joined(text: &str) -> String {
    text.replace("\\\r\n", " ").replace("\\\n", " ")
}
