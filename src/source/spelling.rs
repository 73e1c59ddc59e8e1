//! Valid Fortran that the grammar does not read, in other words of the same meaning. Text is free form, and every line
//! stays one line; columns stay where the other words are as long.

mod alternate;
mod fixed;
mod late_data;
mod line;

use crate::{Form, SourceText};
use line::Line;

/// Respells what the grammar does not read:
///
/// - `common // x` without the slashes, and a later `//` as a statement of its own;
/// - units below zero, `open(-10)`, without the sign, as no unit has a meaning here;
/// - masks of `forall` that are functions or arrays as a logical expression, and its type without meaning left out;
/// - `%val(n)`, `%ref(n)` and `%loc(n)` as `(n)`;
/// - `[t :: x]` without a type that the program defines, as the elements have it;
/// - `final f` as `final::f`;
/// - `4Habcd` outside of formats as a string;
/// - `x'1f'` and `'1f'x` as `z'1f'`, and the other letters behind their digits before them;
/// - `character*4, name` without the comma;
/// - `PRIVATE` in small letters, as it must be among the procedures of a type;
/// - labels among arguments, `call s(*10)`, as a `goto` behind the call, and stars among dummy arguments left out;
/// - `data` amid statements that are carried out, behind the declarations before it;
/// - scale factors of formats without their sign, `-2pf5.1`, as no format has a meaning here;
/// - `dowhile` as two words;
/// - labels of `end block`, `end associate`, `end where` and `end critical` on a `continue` of their own;
/// - in what was fixed form, words that run on into the next, `do10i=1,n`, and names and statements of one word with
///   blanks inside, `r e t u r n`.
pub fn respell(mut source: SourceText, form: Form) -> SourceText {
    let mut quote = None;
    let mut out = String::new();
    let mut written = 0;
    let mut start = 0;
    for text in source.text.split('\n') {
        let end = start + text.len();
        if let Some(line) = Line::read(text, &mut quote)
            && let Some(other) = respelled(line, form)
        {
            out.push_str(&source.text[written..start]);
            out.push_str(&other);
            written = end;
        }
        start = end + 1;
    }
    if written > 0 {
        out.push_str(&source.text[written..]);
        source.text = out;
    }
    if let Some(text) = alternate::without(&source.text) {
        source.text = text;
    }
    if late_data::may_be_in(&source.text) {
        source.text = late_data::moved(&source.text);
    }
    source
}

/// The line in other words; `None` if it may stay as it is.
fn respelled(mut line: Line, form: Form) -> Option<String> {
    if form == Form::Fixed {
        fixed::words(&mut line);
    }
    let word = line.first_word();
    match line.lower(word.clone()) {
        "common" => common(&mut line, word.end),
        "forall" => forall(&mut line, word.end),
        "final" => final_procedure(&mut line, word.end),
        "character" => comma(&mut line, word.end),
        "private" if line.is_blank(word.end..line.len()) => line.replace(word, "private"),
        "open" | "close" | "read" | "write" | "inquire" | "backspace" | "endfile" | "rewind"
        | "flush" => unit(&mut line, word.end),
        "end" | "endblock" | "endassociate" | "endwhere" | "endcritical" => {
            label(&mut line, word.start);
        }
        "dowhile" if line.byte(line.skip_blanks(word.end)) == Some(b'(') => {
            line.replace(word.start + 2..word.start + 2, " ");
        }
        "format" => {
            scales(&mut line);
            return line.changed();
        }
        _ => {}
    }
    if line.holds(b'%') {
        passing(&mut line);
    }
    if line.holds(b'-') {
        scales(&mut line);
    }
    if line.holds(b'\'') || line.holds(b'"') {
        constants(&mut line);
    }
    if line.has_pair(b"::") {
        constructors(&mut line);
    }
    if line.holds(b'h') {
        holleriths(&mut line);
    }
    line.changed()
}

fn common(line: &mut Line, from: usize) {
    let mut is_first = true;
    let mut at = from;
    while let Some(open) = line.find(b'/', at) {
        let Some(close) = line.find(b'/', open + 1) else {
            return;
        };
        at = close + 1;
        if !line.is_blank(open + 1..close) {
            is_first = false;
            continue;
        }
        if is_first {
            line.blank(open..at);
        } else {
            let before = line.skip_blanks_back(open);
            let start = match line.byte(before.wrapping_sub(1)) {
                Some(b',') => before - 1,
                _ => before,
            };
            line.replace(start..at, "; common ");
            at = start + 9;
        }
        is_first = false;
    }
}

fn unit(line: &mut Line, from: usize) {
    let mut at = line.skip_blanks(from);
    if line.byte(at) == Some(b'(') {
        at = line.skip_blanks(at + 1);
    }
    if line.starts_with(at, "unit") {
        at = line.skip_blanks(at + 4);
        if line.byte(at) != Some(b'=') {
            return;
        }
        at = line.skip_blanks(at + 1);
    }
    if line.byte(at) == Some(b'-') {
        line.blank(at..at + 1);
    }
}

fn forall(line: &mut Line, from: usize) {
    let open = line.skip_blanks(from);
    let Some(close) = line.closing(open) else {
        return;
    };
    let commas = line.at_depth(open + 1..close, b',');
    let last = commas.last().map_or(open + 1, |comma| comma + 1);
    let is_mask = !commas.is_empty() && line.at_depth(last..close, b'=').is_empty();
    let is_expression = [b'.', b'<', b'>', b'/']
        .into_iter()
        .any(|byte| !line.at_depth(last..close, byte).is_empty());
    if is_mask && !is_expression {
        line.replace(close..close, ".or..false.");
    }
    if let Some(colon) = line.find(b':', open).filter(|colon| {
        *colon < close
            && line.byte(colon + 1) == Some(b':')
            && line.starts_with(line.skip_blanks(open + 1), "integer")
    }) {
        line.blank(open + 1..colon + 2);
    }
}

fn final_procedure(line: &mut Line, from: usize) {
    let name = line.skip_blanks(from);
    let is_list = (name..line.len()).all(|at| {
        line.byte(at)
            .is_some_and(|byte| line::is_in_name(byte) || matches!(byte, b' ' | b',' | b'&'))
    });
    if name > from && line.byte(name).is_some_and(line::is_in_name) && is_list {
        line.replace(from..from + 1, "::");
    }
}

/// The comma that may follow a length.
fn comma(line: &mut Line, from: usize) {
    let star = line.skip_blanks(from);
    if line.byte(star) != Some(b'*') || line.has_pair(b"::") {
        return;
    }
    let length = line.skip_blanks(star + 1);
    let end = match line.byte(length) {
        Some(b'(') => line.closing(length).map_or(length, |close| close + 1),
        _ => line.word_at(length).end,
    };
    let comma = line.skip_blanks(end);
    if end > length && line.byte(comma) == Some(b',') {
        line.blank(comma..comma + 1);
    }
}

fn label(line: &mut Line, end: usize) {
    let digits = line.skip_blanks(0);
    let mut rest = line.skip_blanks(end + 3);
    let name = line.word_at(rest);
    rest = name.end;
    let is_block = ["block", "associate", "where", "critical"].contains(&line.lower(name));
    let is_end = is_block
        && matches!(
            line.byte(line.skip_blanks(rest)),
            None | Some(b'a'..=b'z' | b'_')
        );
    if is_end && line.byte(digits).is_some_and(|byte| byte.is_ascii_digit()) {
        line.replace(end..end, "continue; ");
    }
}

fn passing(line: &mut Line) {
    let mut at = 0;
    while let Some(percent) = line.find(b'%', at) {
        at = percent + 1;
        let before = line.skip_blanks_back(percent);
        let is_argument = matches!(line.byte(before.wrapping_sub(1)), Some(b'(' | b','));
        let is_known = ["val", "ref", "loc"]
            .iter()
            .any(|word| line.starts_with(at, word));
        let parenthesis = line.skip_blanks(at + 3);
        if is_argument && is_known && line.byte(parenthesis) == Some(b'(') {
            line.blank(percent..parenthesis);
        }
    }
}

/// `-2pf5.1` of a format, which may go on from the line before: nothing else has a number right before a letter `p`.
fn scales(line: &mut Line) {
    let mut at = 0;
    while let Some(sign) = line.find(b'-', at) {
        let digits = line.skip_blanks(sign + 1);
        at = digits;
        while line.byte(at).is_some_and(|byte| byte.is_ascii_digit()) {
            at += 1;
        }
        let before = line.skip_blanks_back(sign);
        let is_item = matches!(line.byte(before.wrapping_sub(1)), Some(b'(' | b',' | b'/'));
        if is_item && at > digits && line.byte(at) == Some(b'p') {
            line.blank(sign..sign + 1);
        }
    }
}

/// Digits in quotes with the letter of their base.
fn constants(line: &mut Line) {
    for string in line.strings() {
        let before = line.byte(string.start.wrapping_sub(1));
        let has_letter_before = before == Some(b'x')
            && !line
                .byte(string.start.wrapping_sub(2))
                .is_some_and(line::is_in_name);
        if has_letter_before {
            line.set(string.start - 1, b'z');
            continue;
        }
        let is_alone = !before.is_some_and(line::is_in_name);
        let is_last = !line.byte(string.end + 1).is_some_and(line::is_in_name);
        if let (true, true, Some(letter @ (b'x' | b'z' | b'o' | b'b'))) =
            (is_alone, is_last, line.byte(string.end))
        {
            let letter = if letter == b'x' { b'z' } else { letter };
            let text = format!("{}{}", char::from(letter), line.text(string.clone()));
            line.replace(string.start..string.end + 1, &text);
        }
    }
}

/// `[t :: …]` and `(/ t :: … /)`.
fn constructors(line: &mut Line) {
    const INTRINSIC: [&str; 8] = [
        "integer",
        "real",
        "double",
        "complex",
        "logical",
        "character",
        "type",
        "class",
    ];
    let mut at = 0;
    while let Some(colons) = line.find(b':', at) {
        at = colons + 1;
        if line.byte(at) != Some(b':') {
            continue;
        }
        at += 1;
        let mut end = line.skip_blanks_back(colons);
        if line.byte(end.wrapping_sub(1)) == Some(b')') {
            let Some(open) = line.opening(end - 1) else {
                continue;
            };
            end = line.skip_blanks_back(open);
        }
        let mut start = end;
        while line
            .byte(start.wrapping_sub(1))
            .is_some_and(line::is_in_name)
        {
            start -= 1;
        }
        let open = line.skip_blanks_back(start);
        let opens = line.byte(open.wrapping_sub(1)) == Some(b'[')
            || open >= 2 && line.starts_with(open - 2, "(/");
        let has_elements = !matches!(
            line.byte(line.skip_blanks(at)),
            None | Some(b']' | b'/' | b'&')
        );
        if opens && start < end && has_elements && !INTRINSIC.contains(&line.lower(start..end)) {
            line.blank(start..at);
        }
    }
}

/// `4Habcd` as `'abcd'`, which is as long.
fn holleriths(line: &mut Line) {
    let mut at = 0;
    while let Some(letter) = line.find(b'h', at) {
        at = letter + 1;
        let mut start = letter;
        while line
            .byte(start.wrapping_sub(1))
            .is_some_and(|byte| byte.is_ascii_digit())
        {
            start -= 1;
        }
        let count = line.lower(start..letter).parse::<usize>().unwrap_or(0);
        let before = line.skip_blanks_back(start);
        let follows = matches!(
            line.byte(before.wrapping_sub(1)),
            Some(b'(' | b',' | b'/' | b'*' | b'=')
        );
        let content = line.text(at..at + count);
        if count == 0 || !follows || content.len() != count {
            continue;
        }
        let quote = if content.contains('\'') { '"' } else { '\'' };
        let content = content.replace('"', if quote == '"' { "'" } else { "\"" });
        let text = format!("{quote}{content}{quote}{:1$}", "", letter - start - 1);
        line.replace(start..at + count, &text);
        at += count;
    }
}

#[cfg(test)]
mod tests;
