//! Macro definitions and the table of those in force.

use std::collections::HashMap;

use super::super::Language;
use super::constant::{self, Constant};
use super::token::{Kind, Pool, Token};
use crate::diagnostic::Place;

/// Names one definition; a redefinition gets a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MacroId(u32);

#[derive(Clone)]
pub(super) struct Macro {
    pub name: String,
    pub meaning: Meaning,
    pub place: Place,
    /// How many expansions of it are being rescanned; it is not expanded within one.
    pub active: u32,
    /// A constant whose name was left in the text.
    pub used: bool,
}

#[derive(Clone)]
pub(super) enum Meaning {
    /// A numeric constant, which stays in the text under its name.
    Constant(Vec<Token>, Constant),
    Object(Vec<Token>),
    Function(Function),
    /// `__LINE__`
    Line,
    /// `__FILE__`
    File,
    /// `_Pragma`, dealt with when tokens are printed.
    Pragma,
}

#[derive(Clone)]
pub(super) struct Function {
    pub parameters: usize,
    /// The last parameter takes all remaining arguments.
    pub variadic: bool,
    pub body: Vec<Piece>,
}

/// One element of the replacement list of a function-like macro.
#[derive(Clone, Copy)]
pub(super) enum Piece {
    Token(Token),
    /// The argument, fully expanded first.
    Expanded {
        parameter: usize,
        space: bool,
    },
    /// The argument as it was written: beside `##`.
    Raw {
        parameter: usize,
        space: bool,
    },
    /// `#parameter`
    Quoted {
        parameter: usize,
        space: bool,
    },
    /// The text of the argument inside a literal, as traditional preprocessors put it there.
    Spelled {
        parameter: usize,
    },
    /// `##`
    Paste,
}

/// A definition as written, before it is in force.
pub(super) struct Definition {
    pub name: String,
    pub shape: Shape,
}

pub(super) enum Shape {
    Object(Vec<Token>),
    Function(Function),
}

/// The macros in force, and all that ever were.
#[derive(Clone, Default)]
pub(super) struct MacroTable {
    /// `None` once undefined.
    by_name: HashMap<String, Option<MacroId>>,
    all: Vec<Macro>,
    /// A quick way to say no: for each first byte, which lengths of names (up to 63) are defined.
    filter: Vec<u64>,
}

impl MacroTable {
    pub fn find(&self, name: &str) -> Option<MacroId> {
        let first = usize::from(*name.as_bytes().first()?);
        let lengths = self.filter.get(first)?;
        if lengths & (1 << name.len().min(63)) == 0 {
            return None;
        }
        self.by_name.get(name).copied().flatten()
    }

    pub fn get(&self, id: MacroId) -> &Macro {
        &self.all[id.0 as usize]
    }

    pub fn get_mut(&mut self, id: MacroId) -> &mut Macro {
        &mut self.all[id.0 as usize]
    }

    pub fn define(&mut self, name: String, meaning: Meaning, place: Place) {
        let first = usize::from(name.as_bytes().first().copied().unwrap_or(0));
        self.filter.resize(256, 0);
        self.filter[first] |= 1 << name.len().min(63);
        let id = MacroId(self.all.len() as u32);
        self.by_name.insert(name.clone(), Some(id));
        self.all.push(Macro {
            name,
            meaning,
            place,
            active: 0,
            used: false,
        });
    }

    pub fn undefine(&mut self, name: &str) {
        if let Some(entry) = self.by_name.get_mut(name) {
            *entry = None;
        }
    }

    /// About how much memory the table takes.
    pub fn bytes(&self) -> usize {
        let body = |definition: &Macro| match &definition.meaning {
            Meaning::Constant(body, _) | Meaning::Object(body) => body.len() * size_of::<Token>(),
            Meaning::Function(function) => function.body.len() * size_of::<Piece>(),
            Meaning::Line | Meaning::File | Meaning::Pragma => 0,
        };
        let each = |definition: &Macro| {
            2 * (definition.name.len() + size_of::<Macro>()) + body(definition)
        };
        self.all.iter().map(each).sum()
    }

    /// Whether the name is or was defined.
    pub fn was_defined(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// Every definition there was, in order.
    pub fn history(&self) -> impl Iterator<Item = &Macro> {
        self.all.iter()
    }
}

/// Reads what follows `#define`. `None` if no name stands there or the parameters are malformed.
pub(super) fn parse_definition(
    tokens: &[Token],
    pool: &mut Pool,
    language: Language,
) -> Option<Definition> {
    let (first, rest) = tokens.split_first()?;
    if first.kind != Kind::Name {
        return None;
    }
    let name = pool.text(*first).to_string();
    match rest.first() {
        Some(open) if !open.space && pool.text(*open) == "(" => {
            let close = rest.iter().position(|&token| pool.text(token) == ")")?;
            let (parameters, variadic) = parse_parameters(&rest[1..close], pool)?;
            let body = pieces(&rest[close + 1..], &parameters, pool, language);
            Some(Definition {
                name,
                shape: Shape::Function(Function {
                    parameters: parameters.len(),
                    variadic,
                    body,
                }),
            })
        }
        _ => {
            let mut body = paste_object(rest, pool, language);
            if let Some(first) = body.first_mut() {
                first.space = false;
            }
            Some(Definition {
                name,
                shape: Shape::Object(body),
            })
        }
    }
}

/// Names of the parameters, and whether the last one is variadic.
fn parse_parameters(tokens: &[Token], pool: &Pool) -> Option<(Vec<String>, bool)> {
    let mut names = Vec::new();
    let mut variadic = false;
    let mut name_expected = true;
    for (index, &token) in tokens.iter().enumerate() {
        let text = pool.text(token);
        let last = index + 1 == tokens.len();
        match (token.kind, text) {
            (Kind::Name, _) if name_expected => names.push(text.to_string()),
            (_, ",") if !name_expected && !last => {}
            (_, "...") if last => {
                variadic = true;
                if name_expected {
                    names.push("__VA_ARGS__".to_string());
                }
            }
            _ => return None,
        }
        name_expected = text == ",";
    }
    Some((names, variadic))
}

/// The replacement list of a function-like macro.
fn pieces(
    body: &[Token],
    parameters: &[String],
    pool: &mut Pool,
    language: Language,
) -> Vec<Piece> {
    let parameter_of = |text: &str| parameters.iter().position(|name| name == text);
    let mut pieces = Vec::with_capacity(body.len());
    let mut index = 0;
    while let Some(&token) = body.get(index) {
        let text = pool.text(token);
        let beside = |at: Option<usize>| {
            at.and_then(|at| body.get(at))
                .is_some_and(|&token| pool.text(token) == "##")
        };
        let pasted = beside(index.checked_sub(1)) || beside(Some(index + 1));
        index += 1;
        if text == "##" {
            pieces.push(Piece::Paste);
        } else if let (Kind::Name, Some(parameter)) = (token.kind, parameter_of(text)) {
            let space = token.space;
            pieces.push(if pasted {
                Piece::Raw { parameter, space }
            } else {
                Piece::Expanded { parameter, space }
            });
        } else if let ("#", Some(&next)) = (text, body.get(index))
            && let Some(parameter) = parameter_of(pool.text(next))
        {
            pieces.push(Piece::Quoted {
                parameter,
                space: token.space,
            });
            index += 1;
        } else if token.kind == Kind::Literal && language == Language::Fortran {
            spelled_literal(token, &parameter_of, pool, &mut pieces);
        } else {
            pieces.push(Piece::Token(token));
        }
    }
    pieces
}

/// A literal of a traditional macro body: parameters within it are replaced too.
fn spelled_literal(
    token: Token,
    parameter_of: &impl Fn(&str) -> Option<usize>,
    pool: &mut Pool,
    pieces: &mut Vec<Piece>,
) {
    let text = pool.text(token).to_string();
    let mut space = token.space;
    let mut from = 0;
    let mut rest = text.split_inclusive(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let mut at = 0;
    let mut found = false;
    for part in rest.by_ref() {
        let word = part.trim_end_matches(|letter: char| !letter.is_alphanumeric() && letter != '_');
        if let Some(parameter) = parameter_of(word) {
            pieces.push(Piece::Token(pool.add(
                Kind::Punctuator,
                &text[from..at],
                space,
            )));
            pieces.push(Piece::Spelled { parameter });
            (space, found) = (false, true);
            from = at + word.len();
        }
        at += part.len();
    }
    let kind = if found {
        Kind::Punctuator
    } else {
        Kind::Literal
    };
    pieces.push(Piece::Token(pool.add(kind, &text[from..], space)));
}

/// Carries out the `##` of an object-like macro, once.
fn paste_object(body: &[Token], pool: &mut Pool, language: Language) -> Vec<Token> {
    if !body.iter().any(|&token| pool.text(token) == "##") {
        return body.to_vec();
    }
    let mut result: Vec<Token> = Vec::new();
    let mut pasting = false;
    for &token in body {
        if pool.text(token) == "##" && !pasting && !result.is_empty() {
            pasting = true;
        } else if pasting && let Some(left) = result.pop() {
            result.extend(super::substitute::paste(left, token, pool, language));
            pasting = false;
        } else {
            result.push(token);
        }
    }
    result
}

/// Classifies a definition whose replacement is known.
pub(super) fn meaning_of(shape: Shape, pool: &Pool, is_constant: impl Fn(&str) -> bool) -> Meaning {
    match shape {
        Shape::Function(function) => Meaning::Function(function),
        Shape::Object(body) => match constant::classify(&body, pool, is_constant) {
            Some(constant) => Meaning::Constant(body, constant),
            None => Meaning::Object(body),
        },
    }
}
