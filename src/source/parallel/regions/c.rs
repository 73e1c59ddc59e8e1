//! Regions of C.

use super::{About, Region, Regions, about, has_alternatives, name};

pub fn regions(text: &str) -> Option<Regions> {
    // A macro may hold a directive.
    if text.contains("_Pragma") {
        return None;
    }
    let code = without_comments(text);
    let starts: Vec<usize> = std::iter::once(0)
        .chain(code.match_indices('\n').map(|(at, _)| at + 1))
        .collect();
    let lines: Vec<&str> = code.split('\n').collect();
    let statements = without_directives(&lines);
    let line_of = |at: usize| starts.partition_point(|start| *start <= at);
    let mut found = Regions::new();
    let mut next = 0;
    while next < lines.len() {
        let first = next;
        let (directive, behind) = joined(&lines, next);
        next = behind;
        let words = directive
            .trim_start()
            .strip_prefix('#')
            .and_then(|rest| rest.trim_start().strip_prefix("pragma"))
            .map(str::trim_start)
            .and_then(|rest| rest.strip_prefix("omp"));
        let Some(words) = words else { continue };
        let name = name(words);
        let kind = about(&name);
        if !matches!(kind, About::Loop | About::Block) {
            continue;
        }
        let begin = starts.get(behind).copied().unwrap_or(code.len());
        let last = statement_end(&statements, begin).map_or(lines.len(), line_of);
        let last = match has_alternatives(lines[behind.min(last)..last].iter().copied()) {
            true => lines.len(),
            false => last,
        };
        found.push(Region::new(&name, first as u32 + 1..=last as u32));
    }
    Some(found)
}

/// A line with those that continue it, and the number of the one behind.
fn joined(lines: &[&str], first: usize) -> (String, usize) {
    let mut text = lines[first].trim_end().to_string();
    let mut next = first + 1;
    while text.ends_with('\\') && next < lines.len() {
        text.pop();
        text.push(' ');
        text.push_str(lines[next].trim_end());
        next += 1;
    }
    (text, next)
}

/// Of the same length, with blanks in place of comments and of what is in quotes.
fn without_comments(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = match (bytes[at], bytes.get(at + 1)) {
            (b'/', Some(b'/')) => find(&bytes, at, b"\n"),
            (b'/', Some(b'*')) => (find(&bytes, at + 2, b"*/") + 2).min(bytes.len()),
            (b'"' | b'\'', _) => quoted(&bytes, at),
            _ => {
                at += 1;
                continue;
            }
        };
        let blanked = bytes[at..end].iter_mut().filter(|byte| **byte != b'\n');
        blanked.for_each(|byte| *byte = b' ');
        at = end;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn find(bytes: &[u8], from: usize, what: &[u8]) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    let found = rest.windows(what.len()).position(|part| part == what);
    found.map_or(bytes.len(), |at| from + at)
}

/// Behind the closing quote, or at the end of the line.
fn quoted(bytes: &[u8], at: usize) -> usize {
    let mut next = at + 1;
    while next < bytes.len() && bytes[next] != b'\n' {
        match bytes[next] {
            b'\\' => next += 1,
            byte if byte == bytes[at] => return next + 1,
            _ => {}
        }
        next += 1;
    }
    next.min(bytes.len())
}

/// The text without lines of the preprocessor, of the same length.
fn without_directives(lines: &[&str]) -> Vec<u8> {
    let mut code = Vec::new();
    let mut continues = false;
    for line in lines {
        let is_directive = continues || line.trim_start().starts_with('#');
        continues = is_directive && line.trim_end().ends_with('\\');
        match is_directive {
            true => code.resize(code.len() + line.len(), b' '),
            false => code.extend_from_slice(line.as_bytes()),
        }
        code.push(b'\n');
    }
    code
}

/// The last byte of the statement that begins there; `None` if it does not end.
fn statement_end(code: &[u8], from: usize) -> Option<usize> {
    let begin = from
        + code
            .get(from..)?
            .iter()
            .position(|b| !b.is_ascii_whitespace())?;
    if code[begin] == b'{' {
        return closing(code, begin);
    }
    let word = code[begin..]
        .iter()
        .take_while(|b| b.is_ascii_alphanumeric() || **b == b'_');
    let behind = begin + word.count();
    match &code[begin..behind] {
        b"for" | b"while" | b"switch" => {
            let open = behind + code[behind..].iter().position(|b| *b == b'(')?;
            statement_end(code, closing(code, open)? + 1)
        }
        b"if" => {
            let open = behind + code[behind..].iter().position(|b| *b == b'(')?;
            let then = statement_end(code, closing(code, open)? + 1)?;
            let rest = code.get(then + 1..)?;
            let blank = rest.iter().position(|b| !b.is_ascii_whitespace());
            let otherwise = blank.filter(|at| rest[*at..].starts_with(b"else"));
            match otherwise {
                Some(at) => statement_end(code, then + 1 + at + b"else".len()),
                None => Some(then),
            }
        }
        // Whatever is in braces on the way belongs to it.
        _ => {
            let mut at = begin;
            while code.get(at)? != &b';' {
                at = match code[at] {
                    b'(' | b'{' | b'[' => closing(code, at)?,
                    _ => at,
                } + 1;
            }
            Some(at)
        }
    }
}

/// What closes a bracket.
fn closing(code: &[u8], open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (at, byte) in code.iter().enumerate().skip(open) {
        match byte {
            b'(' | b'{' | b'[' => depth += 1,
            b')' | b'}' | b']' => depth = depth.checked_sub(1)?,
            _ => continue,
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}
