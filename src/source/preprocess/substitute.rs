//! Puts arguments into the replacement list of a macro: `#`, `##`, and plain parameters.

use super::super::Language;
use super::macros::{Function, Piece};
use super::token::{Kind, Pool, Token, token_end};

/// The two forms of one argument.
pub(super) struct Argument {
    /// As written, kept constants replaced by their values: for `#` and `##`.
    pub raw: Vec<Token>,
    /// After its own expansion.
    pub expanded: Vec<Token>,
}

/// The replacement list with the arguments in place. `space` is whether white space stood before the
/// name of the macro.
pub(super) fn substitute(
    function: &Function,
    arguments: &[Argument],
    space: bool,
    pool: &mut Pool,
    language: Language,
) -> Vec<Token> {
    let mut result: Vec<Token> = Vec::new();
    let mut pasting = false;
    for piece in &function.body {
        let mut added = match *piece {
            Piece::Paste => {
                pasting = !result.is_empty();
                continue;
            }
            Piece::Token(token) => vec![token],
            Piece::Expanded { parameter, space } => spaced(&arguments[parameter].expanded, space),
            Piece::Raw { parameter, space } => {
                let raw = &arguments[parameter].raw;
                let comma = pasting && result.last().is_some_and(|&token| pool.text(token) == ",");
                if comma && function.variadic && parameter + 1 == function.parameters {
                    // `, ## __VA_ARGS__` drops its comma when there are no arguments.
                    pasting = false;
                    if raw.is_empty() {
                        result.pop();
                    }
                    spaced(&arguments[parameter].expanded, space)
                } else if raw.is_empty() {
                    vec![pool.add(Kind::Placemarker, "", space)]
                } else {
                    spaced(raw, space)
                }
            }
            Piece::Quoted { parameter, space } => {
                let text = quote(&arguments[parameter].raw, pool, language);
                vec![pool.add(Kind::Literal, &text, space)]
            }
            Piece::Spelled { parameter } => {
                let text = pool.spelling(&arguments[parameter].raw);
                vec![pool.add(Kind::Punctuator, &text, false)]
            }
        };
        if pasting && !added.is_empty() {
            pasting = false;
            if let Some(left) = result.pop() {
                result.extend(paste(left, added.remove(0), pool, language));
            }
        }
        result.append(&mut added);
    }
    result.retain(|token| token.kind != Kind::Placemarker);
    if let Some(first) = result.first_mut() {
        first.space = space;
    }
    result
}

/// How much `substitute` will make, in tokens, texts that it builds counted by their bytes.
pub(super) fn size(function: &Function, arguments: &[Argument], pool: &Pool) -> u64 {
    let piece_size = |piece: &Piece| match *piece {
        Piece::Token(_) | Piece::Paste => 1,
        Piece::Expanded { parameter, .. } => arguments[parameter].expanded.len(),
        Piece::Raw { parameter, .. } => arguments[parameter].raw.len(),
        Piece::Quoted { parameter, .. } | Piece::Spelled { parameter } => arguments[parameter]
            .raw
            .iter()
            .map(|&token| pool.text(token).len())
            .sum(),
    };
    function
        .body
        .iter()
        .map(|piece| piece_size(piece) as u64)
        .sum()
}

/// A copy whose first token has white space before it or not.
fn spaced(tokens: &[Token], space: bool) -> Vec<Token> {
    let mut copy = tokens.to_vec();
    if let Some(first) = copy.first_mut() {
        first.space = space;
    }
    copy
}

/// `left ## right`: one token, or both side by side if they make none.
pub(super) fn paste(left: Token, right: Token, pool: &mut Pool, language: Language) -> Vec<Token> {
    if left.kind == Kind::Placemarker {
        return vec![Token {
            space: left.space,
            ..right
        }];
    }
    if right.kind == Kind::Placemarker {
        return vec![left];
    }
    let text = format!("{}{}", pool.text(left), pool.text(right));
    let (kind, end) = token_end(text.as_bytes(), 0, language);
    if end == text.len() {
        return vec![pool.add(kind, &text, left.space)];
    }
    vec![
        left,
        Token {
            space: false,
            ..right
        },
    ]
}

/// `#argument`: a string literal with the argument's text.
fn quote(tokens: &[Token], pool: &Pool, language: Language) -> String {
    let mut text = String::from("\"");
    for (index, &token) in tokens.iter().enumerate() {
        if index > 0 && token.space {
            text.push(' ');
        }
        let escaped = token.kind == Kind::Literal && language == Language::C;
        for letter in pool.text(token).chars() {
            if escaped && (letter == '"' || letter == '\\') {
                text.push('\\');
            }
            text.push(letter);
        }
    }
    text.push('"');
    text
}
