//! Regions of Fortran.

use super::{About, Region, Regions, about, has_alternatives, name};

pub fn regions(text: &str) -> Option<Regions> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Regions::new();
    // Blocks that are open, with their first lines.
    let mut open: Vec<(String, usize)> = Vec::new();
    let mut continues = false;
    for (at, line) in lines.iter().enumerate() {
        let Some(words) = directive(line) else {
            continue;
        };
        let is_continued = continues || words.starts_with('&');
        continues = words.trim_end().ends_with('&');
        if is_continued {
            continue;
        }
        // What a directive is called may go on in the next line.
        let whole = match continues {
            true => {
                let next = lines.get(at + 1).and_then(|line| directive(line));
                format!("{words} {}", next.unwrap_or_default())
            }
            false => words.to_string(),
        };
        let name = name(&whole);
        match about(&name) {
            About::Nothing => {}
            About::Loop => {
                let last = loop_end(&lines, at + 1).unwrap_or(lines.len() - 1);
                found.push(Region::new(&name, at as u32 + 1..=last as u32 + 1));
            }
            About::Block => open.push((name, at)),
            About::End => {
                let of = name.trim_start_matches("end");
                match about(of) {
                    About::Block => {
                        let begun = open.iter().rposition(|(name, _)| name == of)?;
                        let (_, first) = open.remove(begun);
                        let last = match has_alternatives(lines[first..at].iter().copied()) {
                            true => lines.len() - 1,
                            false => at,
                        };
                        found.push(Region::new(of, first as u32 + 1..=last as u32 + 1));
                    }
                    _ => continue,
                }
            }
        }
    }
    let to_end = open.into_iter();
    found.extend(
        to_end.map(|(name, first)| Region::new(&name, first as u32 + 1..=lines.len() as u32)),
    );
    found.sort_by_key(|region| *region.lines.start());
    Some(found)
}

/// What stands behind the mark of a directive.
fn directive(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let rest = line.strip_prefix(['!', 'c', 'C', '*'])?.strip_prefix('$')?;
    let is_it = rest.get(..3)?.eq_ignore_ascii_case("omp");
    is_it.then(|| &rest[3..])
}

/// Code in lower case, without comments and what is in quotes. A line that only fixed form takes for a comment is one
/// unless it begins a loop with a name.
fn code(line: &str) -> String {
    let code = any_code(line);
    let is_comment = line.starts_with(['c', 'C', '*', '#'])
        && !matches!(statement(&code), (_, Statement::Do(_)));
    match is_comment {
        true => String::new(),
        false => code,
    }
}

fn any_code(line: &str) -> String {
    let mut quote = None;
    let mut code = String::with_capacity(line.len());
    for c in line.chars() {
        match (quote, c) {
            (None, '!') => break,
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) => {}
            (None, _) => code.push(c.to_ascii_lowercase()),
        }
    }
    code
}

/// What a statement does to loops.
enum Statement<'s> {
    Blank,
    /// Until a line with this label, or an `end do`.
    Do(Option<&'s str>),
    EndDo,
    Other,
}

fn statement(code: &str) -> (Option<&str>, Statement<'_>) {
    let trimmed = code.trim();
    if trimmed.is_empty() {
        return (None, Statement::Blank);
    }
    let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
    let (label, rest) = trimmed.split_at(digits);
    let label = (digits > 0).then_some(label);
    let rest = rest.trim_start();
    // The name of a construct.
    let rest = match rest.split_once(':') {
        Some((name, behind))
            if !behind.starts_with(':')
                && name
                    .trim()
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || c == '_') =>
        {
            behind.trim_start()
        }
        _ => rest,
    };
    let kind = match rest.strip_prefix("do") {
        _ if rest.starts_with("enddo") || is_end_do(rest) => Statement::EndDo,
        Some("") => Statement::Do(None),
        // Blanks mean nothing in fixed form.
        Some(behind) if behind.starts_with("while") || is_run_together(behind) => {
            Statement::Do(None)
        }
        Some(behind) if behind.starts_with([' ', '\t']) => {
            let behind = behind.trim_start();
            let digits = behind.bytes().take_while(u8::is_ascii_digit).count();
            let is_loop = behind.contains('=')
                || behind.starts_with("while")
                || behind.starts_with("concurrent");
            match (is_loop, digits) {
                (false, 0) => Statement::Other,
                (_, 0) => Statement::Do(None),
                _ => Statement::Do(Some(&behind[..digits])),
            }
        }
        _ => Statement::Other,
    };
    (label, kind)
}

/// `doi=1,n`
fn is_run_together(behind: &str) -> bool {
    let bounds = behind.split_once('=').filter(|(name, bounds)| {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        name.trim().chars().all(is_name) && bounds.contains(',')
    });
    bounds.is_some() && !behind.starts_with([' ', '\t'])
}

fn is_end_do(rest: &str) -> bool {
    let behind = rest.strip_prefix("end").map(str::trim_start);
    behind.is_some_and(|rest| rest == "do" || rest.starts_with("do "))
}

/// The last line of the loop that is the next statement; `None` if that is not certain.
fn loop_end(lines: &[&str], from: usize) -> Option<usize> {
    let mut depth = 0usize;
    let mut labelled: Option<String> = None;
    // Those of loops inside that a label ends.
    let mut labels: Vec<String> = Vec::new();
    for (at, line) in lines.iter().enumerate().skip(from) {
        let code = code(line);
        let (label, kind) = statement(&code);
        if depth == 0 && labelled.is_none() {
            match kind {
                Statement::Blank => {}
                Statement::Do(Some(until)) => labelled = Some(until.to_string()),
                Statement::Do(None) => depth = 1,
                _ => return None,
            }
            continue;
        }
        if has_alternatives(std::iter::once(*line)) {
            return None;
        }
        if let Some(until) = &labelled {
            if label == Some(until) {
                return Some(at);
            }
            continue;
        }
        match kind {
            Statement::Do(None) => depth += 1,
            Statement::Do(Some(until)) => labels.push(until.to_string()),
            Statement::EndDo if !labels.iter().any(|known| label == Some(known)) => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}
