//! `data` statements amid statements that are carried out, which Fortran allows and the grammar does not read: each
//! moves behind the last declaration before it, as it holds before anything runs wherever it stands.

use super::line::Line;

/// What declarations begin with.
const DECLARATIONS: [&str; 29] = [
    "integer",
    "real",
    "double",
    "doubleprecision",
    "complex",
    "logical",
    "character",
    "type",
    "class",
    "dimension",
    "common",
    "parameter",
    "data",
    "save",
    "external",
    "intrinsic",
    "equivalence",
    "implicit",
    "allocatable",
    "pointer",
    "target",
    "optional",
    "intent",
    "namelist",
    "interface",
    "endinterface",
    "endtype",
    "enumerator",
    "endenum",
];
/// What declarations of several lines end with, behind `end`.
const DECLARED: [&str; 3] = ["type", "interface", "enum"];
/// What program units begin with.
const HEADS: [&str; 4] = ["program", "subroutine", "function", "module"];

/// What a statement is to one that may have to move.
enum Kind {
    Head,
    Declaration,
    Data,
    /// The end of a program unit, or of its own statements.
    End,
    /// May stand among both.
    Neutral,
    CarriedOut,
}

/// Whether some statement may be one: looked at first, as few texts have any.
pub(super) fn may_be_in(text: &str) -> bool {
    let is_data = |line: &str| {
        let word = line.trim_start().as_bytes().get(..4);
        word.is_some_and(|word| word.eq_ignore_ascii_case(b"data"))
    };
    text.lines().any(is_data)
}

/// The text with such statements moved; every line stays one line.
pub(super) fn moved(text: &str) -> String {
    let mut lines: Vec<String> = text.split('\n').map(String::from).collect();
    // The last line of the last declaration of the unit, and whether something was carried out since.
    let (mut declared, mut has_begun): (Option<usize>, bool) = (None, false);
    let mut quote = None;
    let mut at = 0;
    while at < lines.len() {
        let Some(first) = Line::read(&lines[at], &mut quote) else {
            at += 1;
            continue;
        };
        let kind = kind(&first);
        let Statement { parts, is_whole } = statement(&lines, at, &mut quote);
        let end = parts.last().map_or(at, |(line, _)| *line);
        let behind = declared.filter(|_| has_begun && is_whole);
        match (kind, behind) {
            (Kind::Data, Some(behind)) => {
                let text: Vec<&str> = parts.iter().map(|(_, code)| code.as_str()).collect();
                let text = format!("; {}", text.concat());
                let place = code_end(&lines[behind]);
                lines[behind].insert_str(place, &text);
                parts.iter().for_each(|(line, _)| lines[*line].clear());
            }
            (Kind::Head | Kind::Declaration | Kind::Data, _) => {
                (declared, has_begun) = (Some(end), false);
            }
            (Kind::End, _) => (declared, has_begun) = (None, false),
            (Kind::CarriedOut, _) => has_begun = true,
            (Kind::Neutral, _) => {}
        }
        at = end + 1;
    }
    lines.join("\n")
}

/// The lines of a statement, each with its code without marks that it goes on.
struct Statement {
    parts: Vec<(usize, String)>,
    /// Whether no string goes on from one line to the next, and no line among them is of another kind.
    is_whole: bool,
}

/// The statement that begins on a line.
fn statement(lines: &[String], first: usize, quote: &mut Option<u8>) -> Statement {
    let (mut parts, mut is_whole) = (Vec::new(), true);
    for (at, line) in lines.iter().enumerate().skip(first) {
        let is_read = at == first || Line::read(line, quote).is_some();
        if !is_read {
            // Directives, and letters that no name has.
            is_whole &= line.trim().is_empty() || line.trim_start().starts_with('!');
            continue;
        }
        is_whole &= quote.is_none();
        let code = line[..code_end(line)].trim();
        let goes_on = code.ends_with('&');
        let code = code.strip_suffix('&').unwrap_or(code);
        let code = code
            .strip_prefix('&')
            .filter(|_| at > first)
            .unwrap_or(code);
        parts.push((at, code.to_string()));
        if !goes_on {
            break;
        }
    }
    Statement { parts, is_whole }
}

/// Where the code of a line ends: before blanks and a comment.
fn code_end(line: &str) -> usize {
    let mut quote = None;
    let mut end = line.len();
    for (at, byte) in line.bytes().enumerate() {
        match quote {
            Some(open) if byte == open => quote = None,
            Some(_) => {}
            None if matches!(byte, b'\'' | b'"') => quote = Some(byte),
            None if byte == b'!' => {
                end = at;
                break;
            }
            None => {}
        }
    }
    line[..end].trim_end().len()
}

fn kind(line: &Line) -> Kind {
    let word = line.first_word();
    let text = line.lower(word.clone());
    let is_data = text == "data" && line.find(b'/', word.end).is_some();
    if is_assignment(line, word.end) {
        return Kind::CarriedOut;
    }
    match text {
        "" | "format" | "entry" | "include" | "use" | "import" => Kind::Neutral,
        "data" if is_data => Kind::Data,
        "contains" | "endsubroutine" | "endfunction" | "endprogram" | "endmodule" => Kind::End,
        "end" => {
            let next = line.word_at(line.skip_blanks(word.end));
            let next = line.lower(next);
            match next {
                _ if next.is_empty() || HEADS.contains(&next) => Kind::End,
                _ if DECLARED.contains(&next) => Kind::Declaration,
                _ => Kind::CarriedOut,
            }
        }
        _ if HEADS.contains(&text) => Kind::Head,
        _ if DECLARATIONS.contains(&text) => Kind::Declaration,
        _ => Kind::CarriedOut,
    }
}

/// Whether the word that ends at a place is what gets a value: a name, an element or a component.
fn is_assignment(line: &Line, word_end: usize) -> bool {
    let mut at = line.skip_blanks(word_end);
    if line.byte(at) == Some(b'(') {
        let Some(close) = line.closing(at) else {
            return false;
        };
        at = line.skip_blanks(close + 1);
    }
    matches!(line.byte(at), Some(b'=' | b'%'))
}
