//! Words of fixed form, in which blanks mean nothing: those that run on into the next are set apart, and those with
//! blanks inside joined.

use super::line::{Line, is_in_name};

/// What a statement may begin with that runs on into what follows.
const BEGINNINGS: [&str; 18] = [
    "doubleprecision",
    "subroutine",
    "dimension",
    "character",
    "intrinsic",
    "external",
    "function",
    "program",
    "integer",
    "logical",
    "complex",
    "common",
    "assign",
    "call",
    "goto",
    "real",
    "data",
    "save",
];

/// Statements of one word, which may have blanks inside.
const WHOLE: [&str; 4] = ["return", "continue", "stop", "else"];

pub(super) fn words(line: &mut Line) {
    let word = line.first_word();
    if whole(line, word.start) {
        return;
    }
    let after = line.skip_blanks(word.end);
    let equals = line.at_depth(word.end..line.len(), b'=').first().copied();
    let equals = equals.filter(|at| line.byte(at + 1) != Some(b'='));
    match equals {
        Some(equals) if line.starts_with(word.start, "do") && after == equals => {
            counted(line, word.start, equals);
        }
        Some(equals) if after == equals || line.byte(after) == Some(b'(') => {
            if line
                .closing(after)
                .is_none_or(|close| line.skip_blanks(close + 1) == equals)
            {
                join(line, equals + 1);
            }
        }
        Some(_) => {}
        None => apart(line, word.start, word.end),
    }
    if !line.starts_with(word.start, "format") {
        numbers(line);
        exponents(line);
    }
}

/// `r e t u r n`: nothing else has these letters.
fn whole(line: &mut Line, start: usize) -> bool {
    let text = line.text(start..line.len()).trim_end();
    let end = start + text.len();
    let letters: String = text.split(' ').collect();
    let is_spaced = letters.len() < text.len();
    let is_whole = is_spaced && WHOLE.iter().any(|word| letters.eq_ignore_ascii_case(word));
    if is_whole {
        let blanks = " ".repeat(end - start - letters.len());
        line.replace(start..end, &format!("{letters}{blanks}"));
    }
    is_whole
}

/// `100 000`: no two numbers stand side by side.
fn numbers(line: &mut Line) {
    let is_digit = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_digit());
    let mut at = 0;
    while let Some(gap) = line.find(b' ', at) {
        let next = line.skip_blanks(gap);
        at = next.max(gap + 1);
        if gap > 0 && is_digit(line.byte(gap - 1)) && is_digit(line.byte(next)) {
            let mut end = next;
            while is_digit(line.byte(end)) {
                end += 1;
            }
            let digits = line.text(next..end).to_string();
            let blanks = " ".repeat(next - gap);
            line.replace(gap..end, &format!("{digits}{blanks}"));
            at = gap + digits.len();
        }
    }
}

/// `1. E0`: a number with a point, and what can only be its exponent.
fn exponents(line: &mut Line) {
    let is_digit = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_digit());
    let mut at = 0;
    while let Some(gap) = line.find(b' ', at) {
        let next = line.skip_blanks(gap);
        at = next.max(gap + 1);
        let sign = matches!(line.byte(next + 1), Some(b'+' | b'-'));
        let digits = next + 1 + usize::from(sign);
        let mut end = digits;
        while is_digit(line.byte(end)) {
            end += 1;
        }
        let is_exponent = matches!(line.byte(next), Some(b'e' | b'd'))
            && end > digits
            && !line.byte(end).is_some_and(is_in_name);
        if is_exponent && ends_real(line, gap) {
            let exponent = line.text(next..end).to_string();
            let blanks = " ".repeat(next - gap);
            line.replace(gap..end, &format!("{exponent}{blanks}"));
            at = gap + exponent.len();
        }
    }
}

/// Whether digits with a point among them, and no name or operator such as `.eq.`, end at a place.
fn ends_real(line: &Line, end: usize) -> bool {
    let mut start = end;
    let is_part = |byte: u8| byte.is_ascii_digit() || byte == b'.';
    while start > 0 && line.byte(start - 1).is_some_and(is_part) {
        start -= 1;
    }
    let number = line.lower(start..end);
    let is_free = start == 0 || !line.byte(start - 1).is_some_and(is_in_name);
    is_free && number.len() > 1 && number.matches('.').count() == 1
}

/// `do10i=1,n` and `doi=1,n`: only a loop has a comma.
fn counted(line: &mut Line, start: usize, equals: usize) {
    if line.at_depth(equals..line.len(), b',').is_empty() {
        return;
    }
    let digits = start + 2;
    let mut name = digits;
    while line.byte(name).is_some_and(|byte| byte.is_ascii_digit()) {
        name += 1;
    }
    if name < line.skip_blanks_back(equals) {
        if name > digits {
            line.replace(name..name, " ");
        }
        line.replace(digits..digits, " ");
    }
}

/// `externalfoo,bar`: a statement without `=` begins with a word that is known.
fn apart(line: &mut Line, start: usize, end: usize) {
    let word = line.lower(start..end);
    let found = BEGINNINGS
        .iter()
        .find(|beginning| word.len() > beginning.len() && word.starts_with(**beginning));
    let Some(beginning) = found else {
        return;
    };
    let rest = &word[beginning.len()..];
    let is_label = rest.bytes().all(|byte| byte.is_ascii_digit());
    let fits = match *beginning {
        "goto" => is_label,
        "assign" => false,
        _ => rest.starts_with(|c: char| c.is_ascii_alphabetic()),
    };
    if fits {
        let at = start + beginning.len();
        line.replace(at..at, " ");
    }
}

/// Names of what is assigned, without blanks: in an expression no two names stand side by side.
fn join(line: &mut Line, from: usize) {
    let mut at = from;
    while let Some(gap) = line.find(b' ', at) {
        let next = line.skip_blanks(gap);
        at = next.max(gap + 1);
        let is_gap = gap > from
            && line.byte(gap - 1).is_some_and(is_in_name)
            && line.byte(next).is_some_and(is_in_name);
        if is_gap {
            let word = line.word_at(next);
            let text = line.text(word.clone()).to_string();
            let blanks = " ".repeat(next - gap);
            line.replace(gap..word.end, &format!("{text}{blanks}"));
            at = gap + text.len();
        }
    }
}
