//! Alternate returns, which the grammar does not read: labels among the arguments of a call, where the procedure may have the
//! caller go on, and stars among its dummy arguments.
//!
//! ```text
//! call solve(a, n, *10, *20)     ►    call solve(a, n          ); goto (10, 20), alternate_return
//! subroutine solve(a, n, *, *)   ►    subroutine solve(a, n      )
//! ```
//!
//! Which of them it is nothing in the caller says.

use std::ops::Range;

/// What is asked for to go to one of the labels: nothing gives it a value.
const CHOICE: &str = "alternate_return";

/// The text without them, if it has some; every line stays one line.
pub(super) fn without(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut out: Vec<u8> = Vec::new();
    let mut written = 0;
    let mut scan = Scan { bytes, at: 0 };
    while let Some((head, open)) = scan.next_list() {
        let Some(list) = scan.list(open) else {
            continue;
        };
        let Some((arguments, labels)) = list.without_stars(bytes, head) else {
            continue;
        };
        out.extend(&bytes[written..open]);
        out.extend(arguments);
        if !labels.is_empty() {
            out.extend(format!("; goto ({}), {CHOICE}", labels.join(", ")).bytes());
        }
        written = list.close + 1;
    }
    if written == 0 {
        return None;
    }
    out.extend(&bytes[written..]);
    String::from_utf8(out).ok()
}

/// What a list of arguments belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Head {
    Call,
    Definition,
}

struct Scan<'t> {
    bytes: &'t [u8],
    at: usize,
}

impl Scan<'_> {
    /// The next parenthesis behind `call name` or `subroutine name`.
    fn next_list(&mut self) -> Option<(Head, usize)> {
        while let Some(byte) = self.bytes.get(self.at) {
            match byte {
                b'\'' | b'"' => self.at = self.behind_string(self.at),
                b'!' => self.at = self.line_end(self.at),
                byte if is_name(*byte) => {
                    let start = self.at;
                    let end = self.behind_name(start);
                    self.at = end;
                    let head = match self.bytes[start..end].to_ascii_lowercase().as_slice() {
                        b"call" => Head::Call,
                        b"subroutine" | b"entry" => Head::Definition,
                        _ => continue,
                    };
                    let name = self.behind_blanks(end);
                    let mut behind = self.behind_name(name);
                    while self.bytes.get(behind) == Some(&b'%') {
                        behind = self.behind_name(behind + 1);
                    }
                    let open = self.behind_blanks(behind);
                    if behind > name && self.bytes.get(open) == Some(&b'(') {
                        self.at = open + 1;
                        return Some((head, open));
                    }
                }
                _ => self.at += 1,
            }
        }
        None
    }

    /// The list that begins with a parenthesis, over lines that are continued; `None` if it does not end.
    fn list(&self, open: usize) -> Option<List> {
        let (mut depth, mut at) = (0usize, open);
        let (mut commas, mut is_continued) = (Vec::new(), false);
        while let Some(byte) = self.bytes.get(at) {
            match byte {
                b'\'' | b'"' => {
                    at = self.behind_string(at);
                    continue;
                }
                b'!' => {
                    at = self.line_end(at);
                    continue;
                }
                b'&' => is_continued = true,
                b'\n' => {
                    let rest = &self.bytes[at + 1..self.line_end(at + 1).max(at + 1)];
                    let is_empty = rest.trim_ascii().first().is_none_or(|byte| *byte == b'!');
                    if !is_continued {
                        return None;
                    }
                    is_continued = is_empty;
                }
                b'(' => depth += 1,
                b')' => {
                    depth -= 1;
                    if depth == 0 {
                        let close = at;
                        return Some(List {
                            open,
                            commas,
                            close,
                        });
                    }
                }
                b',' if depth == 1 => commas.push(at),
                _ => {}
            }
            at += 1;
        }
        None
    }

    fn behind_string(&self, quote: usize) -> usize {
        let mut at = quote + 1;
        while let Some(byte) = self.bytes.get(at) {
            at += 1;
            if *byte == self.bytes[quote] || *byte == b'\n' {
                break;
            }
        }
        at
    }

    fn line_end(&self, from: usize) -> usize {
        let rest = self.bytes.get(from..).unwrap_or_default();
        let end = rest.iter().position(|byte| *byte == b'\n');
        end.map_or(self.bytes.len(), |end| from + end)
    }

    fn behind_name(&self, from: usize) -> usize {
        let rest = self.bytes.get(from..).unwrap_or_default();
        from + rest.iter().take_while(|byte| is_name(**byte)).count()
    }

    fn behind_blanks(&self, from: usize) -> usize {
        let rest = self.bytes.get(from..).unwrap_or_default();
        from + rest
            .iter()
            .take_while(|byte| matches!(byte, b' ' | b'\t'))
            .count()
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Where a list of arguments stands in a text.
struct List {
    open: usize,
    commas: Vec<usize>,
    close: usize,
}

impl List {
    /// The list with blanks in place of stars, and the labels; `None` if it has no stars.
    fn without_stars(&self, bytes: &[u8], head: Head) -> Option<(Vec<u8>, Vec<String>)> {
        let starts = std::iter::once(self.open).chain(self.commas.iter().copied());
        let ends = self.commas.iter().copied().chain([self.close]);
        let arguments: Vec<Range<usize>> = starts.zip(ends).map(|(a, b)| a + 1..b).collect();
        let stars: Vec<Option<Star>> = (arguments.iter())
            .map(|argument| star(bytes, argument.clone(), head))
            .collect();
        if stars.iter().all(Option::is_none) {
            return None;
        }
        let mut out = bytes[self.open..=self.close].to_vec();
        let mut blank = |range: Range<usize>| {
            out[range.start - self.open..range.end - self.open].fill(b' ');
        };
        for star in stars.iter().flatten() {
            blank(star.range.clone());
        }
        let mut is_first = true;
        for (at, star) in stars.iter().enumerate() {
            let is_kept = star.is_none();
            if at > 0 && (is_first || !is_kept) {
                blank(self.commas[at - 1]..self.commas[at - 1] + 1);
            }
            is_first &= !is_kept;
        }
        let labels = stars.into_iter().flatten().filter_map(|star| star.label);
        Some((out, labels.collect()))
    }
}

/// A star among arguments, with the label behind it.
struct Star {
    range: Range<usize>,
    label: Option<String>,
}

fn star(bytes: &[u8], argument: Range<usize>, head: Head) -> Option<Star> {
    let own = &bytes[argument.clone()];
    let is_filling = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b'&');
    let start = own.iter().position(|byte| !is_filling(byte))?;
    let end = own.iter().rposition(|byte| !is_filling(byte))? + 1;
    let text = std::str::from_utf8(&own[start..end]).ok()?;
    let label = text.strip_prefix('*')?.trim();
    let is_label = !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_digit());
    let is_star = match head {
        Head::Call => is_label,
        Head::Definition => label.is_empty(),
    };
    is_star.then(|| Star {
        range: argument.start + start..argument.start + end,
        label: is_label.then(|| label.to_string()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_become_a_choice_behind_the_call() {
        for (text, expect) in [
            (
                "call s(i, *10, *20)",
                "call s(i          ); goto (10, 20), alternate_return",
            ),
            (
                "  CALL S (*10, x) ! (*",
                "  CALL S (     x); goto (10), alternate_return ! (*",
            ),
            ("call s(*10)", "call s(   ); goto (10), alternate_return"),
            (
                "call s(a(1, 2), & ! first\n\n  & '*', *7)\nx = 1",
                "call s(a(1, 2), & ! first\n\n  & '*'    ); goto (7), alternate_return\nx = 1",
            ),
            ("subroutine s(k, *, *)", "subroutine s(k      )"),
            ("entry e(*, k)", "entry e(   k)"),
        ] {
            assert_eq!(without(text).as_deref(), Some(expect), "{text}");
        }
        for text in [
            "call s(a * 10)",
            "call s(n, 2*10)",
            "write (*, *) x",
            "subroutine s(a)\nreal :: a(*)",
            "! call s(*10)",
            "call s('(*10)', b",
        ] {
            assert_eq!(without(text), None, "{text}");
        }
    }
}
