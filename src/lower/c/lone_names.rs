//! Parentheses around a lone variable, taken away before parsing where they could be read as a cast.
//!
//! `x*(u)+y` is a sum if `u` is a variable and a product with a cast if it is a type. The grammar does
//! not know which and mostly takes the cast, so the sum would be lost. `(u*(u))+y` is even read as a
//! cast to a function type. Macros write such parentheses around every argument.

use std::collections::{BTreeSet, HashSet};
use std::ops::Range;

/// A word, or one character of anything else that is not space, comment or literal.
#[derive(Clone, Copy)]
pub struct Token {
    pub start: usize,
    pub end: usize,
    pub is_name: bool,
}

/// Words that may stand before an expression in parentheses.
const BEFORE_EXPRESSION: &[&str] = &["return", "case", "else", "do"];
/// Words that say nothing of the name behind them; other words before a name declare it.
const BEFORE_ANYTHING: &[&str] = &[
    "const", "volatile", "static", "extern", "register", "inline", "restrict", "struct", "union",
    "enum", "typedef", "auto", "return", "case", "else", "do", "sizeof", "goto",
];
/// Types that the language has words for.
pub const TYPES: &[&str] = &[
    "void", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "_Bool",
    "bool", "_Complex",
];

/// The parentheses to blank, each as its byte position.
pub fn parentheses(source: &str) -> Vec<usize> {
    let candidates = || {
        source
            .as_bytes()
            .windows(2)
            .any(|pair| pair[0] == b')' && b"+-*& \t\r\n".contains(&pair[1]))
    };
    if !candidates() {
        return Vec::new();
    }
    let tokens = tokens(source);
    let text = |token: &Token| &source[token.start..token.end];
    let lone = lone(&tokens, source);
    let suspects: HashSet<&str> = lone.iter().map(|at| text(&tokens[at + 1])).collect();
    if suspects.is_empty() {
        return Vec::new();
    }
    let types = typedef_names(&tokens, source);
    let variables = variables(&tokens, source, &suspects);
    let is_variable =
        |name: &str| variables.contains(name) && !types.contains(name) && !TYPES.contains(&name);
    lone.into_iter()
        .filter(|at| is_variable(text(&tokens[at + 1])))
        .flat_map(|at| [tokens[at].start, tokens[at + 2].start])
        .collect()
}

/// Names alone in parentheses that could be taken for types, each once, by name.
pub fn suspects(source: &str) -> BTreeSet<&str> {
    let tokens = tokens(source);
    let text = |at: usize| &source[tokens[at].start..tokens[at].end];
    let lone = lone(&tokens, source).into_iter();
    lone.map(|at| text(at + 1))
        .filter(|name| !TYPES.contains(name))
        .collect()
}

/// Whether a declaration by itself shows a name to be a type.
pub fn shows_type(declaration: &str, name: &str) -> bool {
    typedef_names(&tokens(declaration), declaration).contains(name)
}

/// Whether a declaration by itself shows a name to be a variable.
pub fn shows_variable(declaration: &str, name: &str) -> bool {
    // What stands before it has ended.
    let text = format!(";{declaration}");
    !variables(&tokens(&text), &text, &HashSet::from([name])).is_empty()
}

/// The words of a text, comments and literals left out.
pub fn words(source: &str) -> impl Iterator<Item = &str> {
    let names = tokens(source).into_iter().filter(|token| token.is_name);
    names.map(|token| &source[token.start..token.end])
}

/// Where the parentheses around lone names open, as indices of tokens.
fn lone(tokens: &[Token], source: &str) -> Vec<usize> {
    (1..tokens.len().saturating_sub(3))
        .filter(|at| is_lone(&tokens[*at - 1..*at + 4], source))
        .collect()
}

/// Whether `before ( name ) after` could be taken for a type.
fn is_lone(window: &[Token], source: &str) -> bool {
    let [before, open, name, close, after] = window else {
        return false;
    };
    let text = |token: &Token| &source[token.start..token.end];
    let may_begin = if before.is_name {
        BEFORE_EXPRESSION.contains(&text(before))
    } else {
        !matches!(text(before), ")" | "]" | "\"" | "'")
    };
    may_begin
        && name.is_name
        && text(open) == "("
        && text(close) == ")"
        && matches!(text(after), "+" | "-" | "*" | "&" | ")")
}

/// Names that a typedef of the text defines, and those that it is made of.
fn typedef_names<'s>(tokens: &[Token], source: &'s str) -> HashSet<&'s str> {
    let mut names = HashSet::new();
    let mut depth = None;
    for token in tokens {
        let text = &source[token.start..token.end];
        match (depth, text) {
            (None, "typedef") => depth = Some(0),
            (Some(0), ";") => depth = None,
            (Some(braces), "{") => depth = Some(braces + 1),
            (Some(braces), "}") => depth = Some(braces - 1),
            (Some(0), _) if token.is_name => {
                names.insert(text);
            }
            _ => {}
        }
    }
    names
}

/// The suspects that stand somewhere where only a variable can.
fn variables<'s>(
    tokens: &[Token],
    source: &'s str,
    suspects: &HashSet<&'s str>,
) -> HashSet<&'s str> {
    let text = |token: &Token| &source[token.start..token.end];
    let mut found = HashSet::new();
    for window in tokens
        .windows(3)
        .filter(|window| window[1].is_name && suspects.contains(text(&window[1])))
    {
        let before = text(&window[0]);
        let declared = window[0].is_name && !BEFORE_ANYTHING.contains(&before);
        let operand = matches!(
            before,
            "*" | "/" | "+" | "-" | "=" | "<" | "[" | "&" | "|" | "?" | "!" | "%"
        );
        let used = matches!(
            text(&window[2]),
            "=" | ";" | "[" | "/" | "+" | "-" | "]" | "." | "<" | ">" | "%" | "?" | "|" | "^"
        );
        if declared || operand || used {
            found.insert(text(&window[1]));
        }
    }
    found
}

/// The tokens of a text, directives, comments and literals left out.
pub fn tokens(source: &str) -> Vec<Token> {
    let bytes = source.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    let mut line_start = true;
    while at < bytes.len() {
        let start = at;
        match bytes[at] {
            b'\n' => {
                line_start = true;
                at += 1;
                continue;
            }
            byte if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'#' if line_start => at = directive_end(bytes, at),
            b'/' if bytes.get(at + 1) == Some(&b'/') => at = find(bytes, at, b"\n"),
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                at = (find(bytes, at + 2, b"*/") + 2).min(bytes.len());
            }
            quote @ (b'"' | b'\'') => {
                at = literal_end(bytes, at, quote);
                tokens.push(Token {
                    start,
                    end: start + 1,
                    is_name: false,
                });
            }
            byte if is_word(byte) => {
                at += bytes[at..].iter().take_while(|b| is_word(**b)).count();
                tokens.push(Token {
                    start,
                    end: at,
                    is_name: !byte.is_ascii_digit(),
                });
            }
            _ => {
                at += 1;
                tokens.push(Token {
                    start,
                    end: at,
                    is_name: false,
                });
            }
        }
        line_start = false;
    }
    // Tokens of text that is not ASCII are single bytes and never compared.
    tokens.retain(|token| {
        source
            .get(Range {
                start: token.start,
                end: token.end,
            })
            .is_some()
    });
    tokens
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Where `what` begins at or after `from`; the length if nowhere.
pub fn find(bytes: &[u8], from: usize, what: &[u8]) -> usize {
    let rest = bytes.get(from..).unwrap_or(&[]);
    rest.windows(what.len())
        .position(|window| window == what)
        .map_or(bytes.len(), |n| from + n)
}

/// The end of a directive or `//` comment with its continuation lines.
pub fn directive_end(bytes: &[u8], mut at: usize) -> usize {
    loop {
        at = find(bytes, at, b"\n");
        let before = bytes[..at].strip_suffix(b"\r").unwrap_or(&bytes[..at]);
        if at >= bytes.len() || !before.ends_with(b"\\") {
            return at;
        }
        at += 1;
    }
}

/// The end of a string or character literal, which ends with its line at the latest.
pub fn literal_end(bytes: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != b'\n' {
        match bytes[at] {
            b'\\' => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    at.min(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::parentheses;

    fn check(source: &str, expected: &str) {
        let mut bytes = source.as_bytes().to_vec();
        parentheses(source)
            .into_iter()
            .for_each(|at| bytes[at] = b' ');
        assert_eq!(String::from_utf8(bytes).expect("ASCII stays"), expected);
    }

    #[test]
    fn variables_lose_their_parentheses() {
        check("double u; x = y*(u)+z*(u);", "double u; x = y* u +z*(u);");
        check(
            "f(double u) { return (u)\n  *y; }",
            "f(double u) { return  u \n  *y; }",
        );
        check("double u; x = (u*(u))+y;", "double u; x = (u* u )+y;");
        check("x = (i)&1; i = 2;", "x =  i &1; i = 2;");
        check(
            "double é = 1, u; x = 'é'*(u)-z;",
            "double é = 1, u; x = 'é'* u -z;",
        );
    }

    #[test]
    fn types_calls_and_statements_keep_them() {
        for source in [
            "typedef double real; x = y*(real)+z;",
            "typedef struct { double u; } real; real r; x = (real)-r.u;",
            "x = (real)-1 + (real) *p; real y; real *q;",
            "f(u)+g[0](u)*2; double u;",
            "if (u) *p = 1; double u;",
            "x = sizeof (u)*2; double u;",
            "x = (double)-1;",
            "#define S(u) x*(u)+y\nint i = u;",
            "/* (u)+1 */ char *s = \"(u)+1\"; int u = 2;",
        ] {
            check(source, source);
        }
    }
}
