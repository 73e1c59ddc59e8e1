//! Macro expansion: arguments, rescanning, and the rule that no macro is expanded within itself.

use super::Preprocessor;
use super::constant::Constant;
use super::directives::Condition;
use super::macros::{MacroId, Meaning};
use super::reader::{Next, Reader};
use super::substitute::{self, Argument};
use super::token::{Kind, Token};
use crate::diagnostic::{DiagnosticCode, Severity};

/// Arguments nested deeper than this are not expanded.
const MAX_NESTING: usize = 100;

/// What becomes of numeric constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Constants {
    /// They stay in the text under their names.
    Keep,
    /// They are replaced: in `#if`, and for `#` and `##`.
    Expand,
}

/// Tokens waiting to be scanned, innermost expansion last.
pub(super) struct Scan<'s, 't> {
    stack: Vec<Context>,
    /// The file, if arguments may come from it once the tokens are used up.
    source: Option<&'s mut Reader<'t>>,
    constants: Constants,
    nesting: usize,
    /// The conditional groups before the first directive between the present arguments.
    conditions: Option<Vec<Condition>>,
}

/// The rest of one replacement, and the macro that it belongs to.
struct Context {
    tokens: Vec<Token>,
    next: usize,
    owner: Option<MacroId>,
}

impl<'s, 't> Scan<'s, 't> {
    pub fn new(
        tokens: Vec<Token>,
        source: Option<&'s mut Reader<'t>>,
        constants: Constants,
    ) -> Scan<'s, 't> {
        Scan {
            stack: vec![Context {
                tokens,
                next: 0,
                owner: None,
            }],
            source,
            constants,
            nesting: 0,
            conditions: None,
        }
    }
}

impl Preprocessor<'_> {
    /// Expands the waiting tokens, and what they make call from the file, completely.
    pub(super) fn expand(&mut self, mut scan: Scan) -> Vec<Token> {
        let mut done = Vec::new();
        while let Some(mut token) = self.pop(&mut scan) {
            let found = match token.kind {
                Kind::Name if !token.painted => self.macros.find(self.pool.text(token)),
                _ => None,
            };
            let Some(id) = found.filter(|_| self.spend(1)) else {
                done.push(token);
                continue;
            };
            let definition = self.macros.get(id);
            let body = match &definition.meaning {
                _ if definition.active > 0 => {
                    token.painted = true;
                    done.push(token);
                    continue;
                }
                Meaning::Constant(_, _) if scan.constants == Constants::Keep => {
                    token.kept = true;
                    done.push(token);
                    continue;
                }
                Meaning::Constant(body, _) | Meaning::Object(body) => {
                    let mut body = body.clone();
                    if !self.spend(body.len() as u64) {
                        done.push(token);
                        continue;
                    }
                    if let Some(first) = body.first_mut() {
                        first.space = token.space;
                    }
                    body
                }
                Meaning::Function(_) => match self.invoke(&mut scan, id, token) {
                    Some(body) => body,
                    None => {
                        done.push(token);
                        continue;
                    }
                },
                Meaning::Pragma => {
                    done.push(token);
                    continue;
                }
                Meaning::Line => {
                    vec![
                        self.pool
                            .add(Kind::Number, &self.present.line.to_string(), token.space),
                    ]
                }
                Meaning::File => {
                    vec![self.pool.add(
                        Kind::Literal,
                        &format!("{:?}", &*self.present.file),
                        token.space,
                    )]
                }
            };
            self.macros.get_mut(id).active += 1;
            scan.stack.push(Context {
                tokens: body,
                next: 0,
                owner: Some(id),
            });
        }
        done
    }

    /// The next waiting token. The macros whose replacement ends before it may be expanded again.
    fn pop(&mut self, scan: &mut Scan) -> Option<Token> {
        self.close_contexts(scan);
        let context = scan.stack.last_mut()?;
        context.next += 1;
        Some(context.tokens[context.next - 1])
    }

    fn close_contexts(&mut self, scan: &mut Scan) {
        while let Some(context) = scan
            .stack
            .pop_if(|context| context.next >= context.tokens.len())
        {
            if let Some(owner) = context.owner {
                self.macros.get_mut(owner).active -= 1;
            }
        }
    }

    /// The replacement of a function-like macro with its arguments, or `None` if no arguments follow
    /// its name or they do not fit.
    fn invoke(&mut self, scan: &mut Scan, id: MacroId, name: Token) -> Option<Vec<Token>> {
        self.close_contexts(scan);
        let opens = match scan.stack.last() {
            Some(context) => self.pool.text(context.tokens[context.next]) == "(",
            None => scan
                .source
                .as_ref()
                .is_some_and(|source| source.parenthesis_follows()),
        };
        if !opens {
            return None;
        }
        let Meaning::Function(function) = &self.macros.get(id).meaning else {
            return None;
        };
        let (parameters, variadic) = (function.parameters, function.variadic);
        let raw = self.collect_arguments(scan, id, parameters, variadic)?;
        let arguments = raw
            .into_iter()
            .map(|raw| self.argument(raw, scan))
            .collect::<Vec<_>>();
        let Meaning::Function(function) = &self.macros.get(id).meaning else {
            return None;
        };
        let size = substitute::size(function, &arguments, &self.pool);
        if !self.spend(size) {
            let tokens = self.written_out(arguments);
            scan.stack.push(Context {
                tokens,
                next: 0,
                owner: None,
            });
            return None;
        }
        let Meaning::Function(function) = &self.macros.get(id).meaning else {
            return None;
        };
        Some(substitute::substitute(
            function,
            &arguments,
            name.space,
            &mut self.pool,
            self.language,
        ))
    }

    /// Arguments as they stood in the text, for an invocation that is not carried out after all.
    fn written_out(&mut self, arguments: Vec<Argument>) -> Vec<Token> {
        let mut tokens = Vec::new();
        for argument in arguments {
            let separator = if tokens.is_empty() { "(" } else { "," };
            tokens.push(self.pool.add(Kind::Punctuator, separator, false));
            tokens.extend(argument.raw);
        }
        tokens.push(self.pool.add(Kind::Punctuator, ")", false));
        tokens
    }

    /// Both forms of an argument.
    fn argument(&mut self, raw: Vec<Token>, scan: &Scan) -> Argument {
        let mut expanded = raw.clone();
        if scan.nesting < MAX_NESTING && raw.iter().any(|token| token.kind == Kind::Name) {
            let mut inner = Scan::new(raw.clone(), None, scan.constants);
            inner.nesting = scan.nesting + 1;
            expanded = self.expand(inner);
        }
        let mut valued = raw;
        if valued.iter().any(|token| token.kept) {
            let values = valued.iter().flat_map(|&token| {
                if !token.kept {
                    return vec![token];
                }
                self.expand(Scan::new(
                    vec![Token {
                        kept: false,
                        ..token
                    }],
                    None,
                    Constants::Expand,
                ))
            });
            valued = values.collect();
        }
        Argument {
            raw: valued,
            expanded,
        }
    }

    /// The arguments of an invocation whose parenthesis comes next. On failure everything is where
    /// it was.
    fn collect_arguments(
        &mut self,
        scan: &mut Scan,
        id: MacroId,
        parameters: usize,
        variadic: bool,
    ) -> Option<Vec<Vec<Token>>> {
        let start = scan
            .source
            .as_ref()
            .map(|source| (source.position, source.line));
        scan.conditions = None;
        let mut consumed: Vec<Token> = Vec::new();
        let mut arguments = vec![Vec::new()];
        let mut depth = 0_usize;
        let complete = loop {
            let token = match self.pop(scan) {
                Some(token) => {
                    consumed.push(token);
                    token
                }
                None => match self.next_from_file(scan) {
                    Some(token) => token,
                    None => break false,
                },
            };
            if !self.spend(1) {
                break false;
            }
            let open_ended = variadic && arguments.len() == parameters;
            match (token.kind, self.pool.text(token)) {
                (Kind::Punctuator, "(") => {
                    depth += 1;
                    if depth == 1 {
                        continue;
                    }
                }
                (Kind::Punctuator, ")") => {
                    depth -= 1;
                    if depth == 0 {
                        break true;
                    }
                }
                (Kind::Punctuator, ",") if depth == 1 && !open_ended => {
                    arguments.push(Vec::new());
                    continue;
                }
                _ => {}
            }
            arguments.last_mut()?.push(token);
        };
        if variadic && arguments.len() + 1 == parameters {
            arguments.push(Vec::new());
        }
        let fits = arguments.len() == parameters
            || (parameters == 0 && arguments.len() == 1 && arguments[0].is_empty());
        if complete && fits {
            return Some(arguments);
        }
        if !self.exhausted {
            let name = self.macros.get(id).name.clone();
            let message = match complete {
                true => format!(
                    "macro `{name}` takes {parameters} arguments, not {}",
                    arguments.len()
                ),
                false => format!("the arguments of macro `{name}` are not closed"),
            };
            self.report_here(
                Severity::Warning,
                DiagnosticCode::MacroArguments,
                message,
                None,
            );
        }
        if let (Some(source), Some((position, line))) = (scan.source.as_mut(), start) {
            (source.position, source.line) = (position, line);
        }
        if let Some(conditions) = scan.conditions.take() {
            self.conditions = conditions;
        }
        scan.stack.push(Context {
            tokens: consumed,
            next: 0,
            owner: None,
        });
        None
    }

    /// The next active token of the file; conditional directives between arguments are obeyed.
    fn next_from_file(&mut self, scan: &mut Scan) -> Option<Token> {
        let source = scan.source.as_mut()?;
        loop {
            match source.next(&mut self.pool) {
                Next::Token(token) => return Some(token),
                Next::End => return None,
                Next::Directive => {
                    scan.conditions
                        .get_or_insert_with(|| self.conditions.clone());
                    self.directive_among_arguments(source);
                    while !self.is_active() && !source.at_end() {
                        match source.directive_at(source.position) {
                            true => self.directive_among_arguments(source),
                            false => source.advance(source.inactive_end()),
                        }
                    }
                }
            }
        }
    }

    /// Marks a constant as used in the text, with the constants that its value names. False if the
    /// name cannot stand for the value there; the whole text is then preprocessed again without it.
    pub(super) fn keep_constant(&mut self, id: MacroId, safe_if_loose: impl FnOnce() -> bool) {
        let definition = self.macros.get(id);
        let Meaning::Constant(_, class) = &definition.meaning else {
            return;
        };
        if *class == Constant::Loose && !safe_if_loose() {
            self.varying.insert(definition.name.clone());
        }
        let mut unmarked = vec![id];
        while let Some(id) = unmarked.pop() {
            let definition = self.macros.get_mut(id);
            let Meaning::Constant(body, _) = &definition.meaning else {
                continue;
            };
            if std::mem::replace(&mut definition.used, true) {
                continue;
            }
            let body = body.clone();
            for name in body.into_iter().filter(|token| token.kind == Kind::Name) {
                match self.macros.find(self.pool.text(name)) {
                    Some(inner)
                        if matches!(self.macros.get(inner).meaning, Meaning::Constant(_, _)) =>
                    {
                        unmarked.push(inner);
                    }
                    _ => {
                        self.varying.insert(self.macros.get(id).name.clone());
                    }
                }
            }
        }
    }
}
