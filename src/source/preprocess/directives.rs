//! Directives: definitions and conditional groups.

use std::sync::Arc;

use super::super::{Language, LineOrigin};
use super::Preprocessor;
use super::conditions::evaluate;
use super::expand::{Constants, Scan};
use super::macros::{self, Meaning};
use super::reader::Reader;
use super::token::{Kind, Token};
use crate::diagnostic::{DiagnosticCode, Severity};

/// One open `#if`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Condition {
    /// The present group is read.
    active: bool,
    /// A group of it was read, or none may be.
    decided: bool,
    /// `#else` was seen.
    last: bool,
    /// Where its first group begins, if only macros that nothing defines keep it from being read.
    first_group: Option<Spot>,
}

/// A position in a file.
#[derive(Clone, Copy, Debug)]
struct Spot {
    position: usize,
    line: usize,
}

/// What a removed line leaves behind.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trace {
    BlankLines,
    Nothing,
}

impl Preprocessor<'_> {
    /// Whether the present lines are read.
    pub(super) fn is_active(&self) -> bool {
        self.conditions
            .last()
            .is_none_or(|condition| condition.active)
    }

    /// Carries out the directive at the reader's position, the beginning of a line.
    pub(super) fn directive(&mut self, reader: &mut Reader) {
        let end = reader.directive_end();
        let line = reader.logical_line(end);
        let (keyword, rest) = split_directive(&line);
        if self.is_active() && self.keep_line(reader, keyword, rest, end) {
            return;
        }
        self.present = reader.place(reader.position + (line.len() - line.trim_start().len()));
        self.present_width = keyword.len() as u32 + 1;
        if let (0, Some(sharing)) = (self.depth, &mut self.sharing) {
            sharing.directive(keyword, rest);
        }
        let included = self.carry_out(keyword, rest);
        self.remove_until(reader, (end + 1).min(reader.text.len()));
        match keyword {
            "if" | "ifdef" => self.remember_group(reader, keyword, rest),
            "else" => self.instead_of_error(reader),
            _ => {}
        }
        if let Some((path, text)) = included {
            self.include_shared(path, &text);
        }
    }

    /// Carries out a directive between the arguments of a macro, where it can leave nothing behind.
    pub(super) fn directive_among_arguments(&mut self, reader: &mut Reader) {
        let end = reader.directive_end();
        let line = reader.logical_line(end);
        let (keyword, rest) = split_directive(&line);
        if let Some(sharing) = &mut self.sharing {
            sharing.end();
        }
        if keyword != "include" {
            self.carry_out(keyword, rest);
            self.pool_floor = self.pool.len();
        }
        // The line end stays, so that the next directive is seen.
        reader.advance(end);
        if !self.is_active() && !reader.at_end() {
            reader.advance(end + 1);
        }
    }

    /// Removes lines, leaving blank ones in the main file in C.
    pub(super) fn remove_until(&mut self, reader: &mut Reader, end: usize) {
        let first = reader.line;
        reader.advance(end);
        if self.trace() == Trace::BlankLines {
            for line in first..reader.line {
                self.out.end_line(reader.origin(line));
            }
        }
        reader.output_line = reader.line;
    }

    fn trace(&self) -> Trace {
        match (self.language, self.depth) {
            (Language::C, 0) => Trace::BlankLines,
            _ => Trace::Nothing,
        }
    }

    /// `#pragma`, which compilers read, stays in the text.
    fn keep_line(&mut self, reader: &mut Reader, keyword: &str, rest: &str, end: usize) -> bool {
        if keyword != "pragma" || rest.trim() == "once" {
            return false;
        }
        self.keep_names(rest);
        let (first, before) = (reader.line, self.out.text.len());
        self.out.text.push_str(&reader.text[reader.position..end]);
        reader.advance((end + 1).min(reader.text.len()));
        let lines = first..first + self.out.text[before..].matches('\n').count() + 1;
        self.out
            .origins
            .extend(lines.map(|line| reader.origin(line)));
        self.out.text.push('\n');
        reader.output_line = reader.line;
        true
    }

    /// Does what a directive says; returns the file that it includes.
    fn carry_out(&mut self, keyword: &str, rest: &str) -> Option<(Arc<str>, String)> {
        let mark = self.pool.len();
        let mut included = None;
        match keyword {
            "if" | "ifdef" | "ifndef" => {
                let active = self.is_active() && self.condition(keyword, rest);
                let decided = active || !self.is_active();
                self.conditions.push(Condition {
                    active,
                    decided,
                    last: false,
                    first_group: None,
                });
            }
            "elif" | "elifdef" | "elifndef" | "else" => self.next_group(keyword, rest),
            "endif" => {
                if self.conditions.len() > self.base_conditions {
                    self.conditions.pop();
                } else {
                    self.report_here(
                        Severity::Warning,
                        DiagnosticCode::UnbalancedConditional,
                        "`#endif` without `#if`",
                        None,
                    );
                }
            }
            _ if !self.is_active() => {}
            "define" => {
                self.define(rest);
                return None;
            }
            "undef" => self.undefine(rest),
            "include" | "include_next" | "import" => included = self.include(keyword, rest),
            "pragma" => {
                self.once.insert(self.present.file.clone());
            }
            "error" => {
                let message = format!("#error {}", rest.trim());
                self.report_here(
                    Severity::Note,
                    DiagnosticCode::ErrorDirective,
                    message,
                    Some("define what it asks for with -D"),
                );
            }
            _ => {}
        }
        self.pool.truncate(mark);
        included
    }

    fn next_group(&mut self, keyword: &str, rest: &str) {
        let outer_active = match self.conditions.len() {
            0 | 1 => true,
            count => self.conditions[count - 2].active,
        };
        let open = self.conditions.len() > self.base_conditions;
        let Some(condition) = self
            .conditions
            .last()
            .copied()
            .filter(|condition| open && !condition.last)
        else {
            let message = format!("`#{keyword}` without `#if`");
            self.report_here(
                Severity::Warning,
                DiagnosticCode::UnbalancedConditional,
                message,
                None,
            );
            return;
        };
        let undecided = !condition.decided && outer_active;
        let active = undecided && (keyword == "else" || self.condition(&keyword[2..], rest));
        let next = Condition {
            active,
            decided: condition.decided || active,
            last: keyword == "else",
            first_group: condition.first_group,
        };
        if let Some(condition) = self.conditions.last_mut() {
            *condition = next;
        }
    }

    /// Remembers where the group of an `#if` begins that is only left out because nothing defines a macro of the project.
    fn remember_group(&mut self, reader: &Reader, keyword: &str, rest: &str) {
        let name = match keyword {
            "ifdef" => rest.split_whitespace().next(),
            _ => only_defined(rest),
        };
        // Names with an underscore in front are those of compilers and systems.
        let is_open = name.is_some_and(|name| {
            name.starts_with(|first: char| first.is_ascii_alphabetic())
                && self.macros.find(name).is_none()
        });
        let spot = Spot {
            position: reader.position,
            line: reader.line,
        };
        if let Some(condition) = self.conditions.last_mut() {
            condition.first_group = (is_open && !condition.decided).then_some(spot);
        }
    }

    /// Where nothing but `#error` is left to be read, as no macro chooses one of the groups before: the first of them is
    /// read, since no program can be compiled otherwise.
    fn instead_of_error(&mut self, reader: &mut Reader) {
        let Some(condition) = self.conditions.last_mut() else {
            return;
        };
        let rest = reader.text[reader.position..].trim_start();
        let directive = rest.strip_prefix('#').map(str::trim_start);
        let Some(spot) = condition.first_group.take() else {
            return;
        };
        if !condition.active || !directive.is_some_and(|text| text.starts_with("error")) {
            return;
        }
        condition.last = false;
        reader.position = spot.position;
        reader.line = spot.line;
        reader.output_line = spot.line;
        self.report_here(
            Severity::Warning,
            DiagnosticCode::ErrorDirective,
            "no macro chooses one of the groups before this, and `#error` follows: the first of them is read",
            Some("choose one with -D"),
        );
    }

    /// Whether the condition of a group holds; one that cannot be evaluated does not.
    fn condition(&mut self, keyword: &str, rest: &str) -> bool {
        let tokens = self.pool.add_line(rest, self.language);
        let name = tokens.first().map_or("", |&token| self.pool.text(token));
        match keyword {
            "ifdef" => return self.macros.find(name).is_some(),
            "ifndef" => return self.macros.find(name).is_none(),
            "def" => return self.macros.find(name).is_some(),
            "ndef" => return self.macros.find(name).is_none(),
            _ => {}
        }
        let tokens = self.answer_queries(&tokens);
        let tokens = self.expand(Scan::new(tokens, None, Constants::Expand));
        match evaluate(&tokens, &self.pool) {
            Ok(holds) => holds,
            Err(why) => {
                let message =
                    format!("this condition cannot be evaluated and counts as false: {why}");
                self.report_here(
                    Severity::Warning,
                    DiagnosticCode::BadCondition,
                    message,
                    None,
                );
                false
            }
        }
    }

    /// Replaces `defined X`, `defined(X)`, `__has_include(…)` by one or zero.
    fn answer_queries(&mut self, tokens: &[Token]) -> Vec<Token> {
        let mut answered = Vec::with_capacity(tokens.len());
        let mut at = 0;
        while let Some(&token) = tokens.get(at) {
            at += 1;
            let text_at = |pool: &super::token::Pool, at: usize| {
                tokens
                    .get(at)
                    .map_or(String::new(), |&token| pool.text(token).to_string())
            };
            let answer = match self.pool.text(token) {
                "defined" => {
                    let parenthesised = text_at(&self.pool, at) == "(";
                    let name = text_at(&self.pool, at + usize::from(parenthesised));
                    at += if parenthesised { 3 } else { 1 };
                    name.starts_with("__has_include") || self.macros.find(&name).is_some()
                }
                "__has_include" | "__has_include_next" => {
                    let close = tokens[at..]
                        .iter()
                        .position(|&token| self.pool.text(token) == ")");
                    let close = close.map_or(tokens.len(), |offset| at + offset);
                    let name: String = (at + 1..close).map(|at| text_at(&self.pool, at)).collect();
                    at = close + 1;
                    let name = name.trim_matches('"');
                    self.read_file(name).is_some()
                }
                _ => {
                    answered.push(token);
                    continue;
                }
            };
            answered.push(
                self.pool
                    .add(Kind::Number, if answer { "1" } else { "0" }, true),
            );
        }
        answered
    }

    /// Puts `#define rest` in force.
    pub(super) fn define(&mut self, rest: &str) {
        let mark = self.pool.len();
        let tokens = self.pool.add_line(rest, self.language);
        let Some(definition) = macros::parse_definition(&tokens, &mut self.pool, self.language)
        else {
            self.report_here(
                Severity::Warning,
                DiagnosticCode::BadDefinition,
                "this is not a macro definition",
                None,
            );
            return;
        };
        let name = definition.name;
        if name == "defined" {
            return;
        }
        // A redefinition that names others could close a circle of constants.
        let first = !self.macros.was_defined(&name) && !self.varying.contains(&name);
        let constants_allowed = !self.varying.contains(&name);
        let table = &self.macros;
        let is_constant = |other: &str| {
            let found = table.find(other).map(|id| &table.get(id).meaning);
            first && other != name && matches!(found, Some(Meaning::Constant(_, _)))
        };
        let mut meaning = macros::meaning_of(definition.shape, &self.pool, is_constant);
        if let (Meaning::Constant(body, _), false) = (&meaning, constants_allowed) {
            meaning = Meaning::Object(body.clone());
        }
        if let Some(old) = self.macros.find(&name).map(|id| self.macros.get(id))
            && let Meaning::Constant(old_body, _) = &old.meaning
        {
            let new_body = match &meaning {
                Meaning::Constant(body, _) | Meaning::Object(body) => body.as_slice(),
                _ => &[],
            };
            if self.pool.same_text(old_body, new_body) {
                self.pool.truncate(mark);
                return;
            }
            if old.used {
                self.varying.insert(name.clone());
            }
        }
        self.macros.define(name, meaning, self.present.clone());
    }

    fn undefine(&mut self, rest: &str) {
        let name = rest.split_whitespace().next().unwrap_or("");
        if let Some(old) = self.macros.find(name).map(|id| self.macros.get(id))
            && old.used
        {
            self.varying.insert(name.to_string());
        }
        self.macros.undefine(name);
    }

    /// Reports `#if`s that were never closed, and closes them.
    pub(super) fn close_conditions(&mut self, reader: &Reader) {
        if self.conditions.len() > self.base_conditions {
            let LineOrigin { file, line } = reader.origin(reader.line);
            self.present = crate::diagnostic::Place {
                file,
                line,
                column: 1,
            };
            self.present_width = 1;
            self.report_here(
                Severity::Warning,
                DiagnosticCode::UnbalancedConditional,
                "an `#if` has no `#endif`",
                None,
            );
            self.conditions.truncate(self.base_conditions);
        }
    }
}

/// The `X` of `defined(X)`, `defined X` or `X`, where a condition is nothing else.
fn only_defined(condition: &str) -> Option<&str> {
    let condition = condition.trim();
    let name = condition.strip_prefix("defined").unwrap_or(condition);
    let name = name.trim().trim_start_matches('(').trim_end_matches(')');
    let name = name.trim();
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    name.chars().all(is_name).then_some(name)
}

/// Keyword and rest of a directive; both empty for a lone `#`.
fn split_directive(line: &str) -> (&str, &str) {
    let after = line.trim_start().trim_start_matches('#');
    let blank = super::token::skip_blank(after.as_bytes(), 0, Language::C).0;
    let after = &after[blank..];
    let end = after
        .find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
        .unwrap_or(after.len());
    after.split_at(end)
}
