//! The input of a run of the analysed program: a namelist, or lines of `key = value`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;

use super::designator::Designator;
use super::files;
use super::lists;
use super::opened::{Opened, OpenedFile};
use crate::analysis::Item;
use crate::analysis::inputs::{Inputs, Run, SetSize, Told, Used};
use crate::diagnostic::{Diagnostic, DiagnosticCode, Place, Severity};
use crate::ir::Unit;
use crate::wording::some;

/// What the files of `--input` give.
#[derive(Clone, Debug, Default)]
pub struct RunInput {
    settings: Vec<Setting>,
    origin: FoundBy,
    /// What the program opens by name and reads.
    opened: Vec<Arc<str>>,
    /// Files that the user gives, with what is in them.
    given: Vec<(PathBuf, String)>,
}

/// Who says that a file is the input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum FoundBy {
    /// `--input`, or the project's settings.
    #[default]
    User,
    /// The program opens it by name.
    Program,
}

/// One value, or several equal ones.
#[derive(Clone, Debug, PartialEq)]
struct Setting {
    /// As it is listed.
    key: String,
    /// `None` for what is neither a number nor a truth value, or the name of no element.
    given: Option<Given>,
    place: Place,
}

/// Which value an input gives what.
#[derive(Clone, Debug, PartialEq)]
struct Given {
    designator: Designator,
    /// How many elements of an array are before it in the list of values.
    before: u64,
    times: u64,
    told: Told,
}

/// So many names are listed.
const NAMES: usize = 12;

impl RunInput {
    /// Reads files.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn read(files: &[PathBuf]) -> anyhow::Result<RunInput> {
        let (mut settings, mut given) = (Vec::new(), Vec::new());
        for file in files {
            let text = text_of(file)?;
            settings.extend(of_text(&text, &files::name(file)));
            given.push((file.clone(), text));
        }
        Ok(RunInput {
            settings,
            origin: FoundBy::User,
            opened: Vec::new(),
            given,
        })
    }

    /// Whether files have values with names.
    pub fn has_settings(&self) -> bool {
        !self.settings.is_empty()
    }

    /// The same with what the program reads in order from files that the user gives.
    ///
    /// # Errors
    /// There is no value in a file.
    pub fn in_order(mut self, units: &[Unit]) -> anyhow::Result<RunInput> {
        for (path, text) in std::mem::take(&mut self.given) {
            let name = files::name(&path);
            let found = ordered((&text, &name), &Opened::order_of(&path, units));
            if !found.is_empty() {
                self.settings.retain(|setting| setting.place.file != name);
                self.settings.extend(found);
            }
            anyhow::ensure!(
                self.settings
                    .iter()
                    .any(|setting| setting.place.file == name),
                "--input {}: it has neither a namelist nor a line of the form key = value, nor a key with its value on the next line, and the program does not read it by lists of scalars",
                path.display()
            );
        }
        Ok(self)
    }

    /// Reads files that the program opens: what has no settings is something else.
    pub fn opened(files: &[OpenedFile]) -> RunInput {
        let in_order = |file| in_order(file).filter(|found| !found.is_empty());
        let read = files
            .iter()
            .filter_map(|file| in_order(file).or_else(|| of_file(&file.path).ok()));
        let texts =
            (files.iter()).filter(|file| file.is_read && files::read_text(&file.path).is_ok());
        RunInput {
            settings: read.flatten().collect(),
            origin: FoundBy::Program,
            opened: texts.map(|file| files::name(&file.path)).collect(),
            given: Vec::new(),
        }
    }

    /// The numbers and truth values by name.
    pub fn inputs(&self) -> Inputs {
        let mut inputs = Inputs::default();
        for setting in &self.settings {
            if let Some(given) = &setting.given {
                let Designator { name, subscripts } = &given.designator;
                let run = Run {
                    name: setting.key.clone(),
                    first: subscripts.clone(),
                    before: given.before,
                    times: given.times,
                    told: given.told,
                };
                inputs.add(name, run);
            }
        }
        inputs
    }

    /// Why nothing is taken from a file that the program reads, if that is so, and nothing in it is set in its place.
    fn unused(&self, file: &Arc<str>, used: &Used, set: &[SetSize]) -> Option<Diagnostic> {
        let own = |setting: &&Setting| setting.place.file == *file;
        let mut names: Vec<&str> = (self.settings.iter().filter(own))
            .map(|setting| setting.key.as_str())
            .collect();
        let is_set = |name: &str| set.iter().any(|size| size.name.eq_ignore_ascii_case(name));
        if names.iter().any(|name| used.contains(name) || is_set(name)) {
            return None;
        }
        names.sort_unstable();
        names.dedup();
        let why = match names.is_empty() {
            true => "it is neither a namelist nor lines of the form key = value, and the program does not read it by lists of \
                     scalars from its beginning"
                .to_string(),
            false => format!(
                "the program reads no number or logical value of these names: {}",
                some(&names, NAMES)
            ),
        };
        let place = Place {
            file: file.clone(),
            line: 1,
            column: 1,
        };
        Some(Diagnostic {
            severity: Severity::Note,
            code: DiagnosticCode::InputNotTaken,
            place,
            width: 1,
            message: format!("nothing is taken from this file, which the program opens: {why}"),
            help: None,
        })
    }

    /// Which names some variable of the program took its value from, and which not, for each file; and which it would have
    /// taken if they had a value.
    pub fn remarks(&self, used: &Used, set: &[SetSize]) -> Vec<Diagnostic> {
        let files = self.settings.chunk_by(|a, b| a.place.file == b.place.file);
        let remarks = files.map(|settings| remark(settings, used, self.origin));
        let without_value = self.settings.iter().filter_map(|own| own.lack(used));
        let unused = self
            .opened
            .iter()
            .filter_map(|file| self.unused(file, used, set));
        (remarks.flatten().chain(without_value).chain(unused)).collect()
    }
}

impl Setting {
    /// What is said of a name that the program reads, and that has no value here.
    fn lack(&self, used: &Used) -> Option<Diagnostic> {
        let given = self
            .given
            .as_ref()
            .filter(|_| used.lacks_value(&self.key))?;
        let why = match given.told {
            Told::Value(_) => return None,
            Told::NameAlone => "stands alone on its line, and the next line is not its value",
            Told::Unclear => {
                "stands alone on its line, and whether the next line is its value is not clear"
            }
        };
        Some(Diagnostic {
            severity: Severity::Warning,
            code: DiagnosticCode::RunInput,
            place: self.place.clone(),
            width: self.key.chars().count() as u32,
            message: format!("`{}` {why}: nothing is taken for it", self.key),
            help: Some(format!(
                "write `{} = VALUE`, or say it with --set",
                self.key
            )),
        })
    }
}

fn remark(settings: &[Setting], used: &Used, origin: FoundBy) -> Option<Diagnostic> {
    let is_used = |setting: &&Setting| setting.given.is_some() && used.contains(&setting.key);
    let (taken, others): (Vec<&Setting>, Vec<&Setting>) = (settings.iter())
        .filter(|own| own.lack(used).is_none())
        .partition(is_used);
    let listed = |settings: &[&Setting]| {
        let mut names: Vec<&str> = settings.iter().map(|s| s.key.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        match names.is_empty() {
            true => "nothing".to_string(),
            false => some(&names, NAMES),
        }
    };
    let (severity, input) = match (taken.is_empty(), origin) {
        (true, FoundBy::User) => (Severity::Warning, "this input"),
        (false, FoundBy::User) => (Severity::Note, "this input"),
        // It may be anything that is not an input.
        (true, FoundBy::Program) => return None,
        (false, FoundBy::Program) => (
            Severity::Note,
            "this input, which the program opens by name (--no-input ignores it)",
        ),
    };
    Some(Diagnostic {
        severity,
        code: DiagnosticCode::RunInput,
        place: settings[0].place.clone(),
        width: 1,
        message: format!(
            "taken from {input}: {}; not taken, because the program reads no number or logical value of that name: {}",
            listed(&taken),
            listed(&others)
        ),
        help: None,
    })
}

/// What a file gives values, in lower case and without subscripts; nothing where most of it is something else than settings.
pub(super) fn names(path: &Path) -> BTreeSet<String> {
    let Ok(text) = files::read_text(path) else {
        return BTreeSet::new();
    };
    let found = of_text(&text, &files::name(path));
    let given: Vec<(u32, Given)> = (found.into_iter())
        .filter_map(|setting| Some((setting.place.line, setting.given?)))
        .filter(|(_, given)| matches!(given.told, Told::Value(_)))
        .collect();
    let lines: BTreeSet<u32> = given.iter().map(|(line, _)| *line).collect();
    let is_namelist = has_group(&text);
    let is_said = |line: &&str| {
        let said = without_comment(line, is_namelist).trim();
        !said.is_empty() && !(is_namelist && (said == "/" || has_group(said)))
    };
    if 2 * lines.len() < text.lines().filter(is_said).count() {
        return BTreeSet::new();
    }
    given
        .into_iter()
        .map(|(_, given)| given.designator.name)
        .collect()
}

fn of_file(path: &Path) -> anyhow::Result<Vec<Setting>> {
    Ok(of_text(&text_of(path)?, &files::name(path)))
}

fn text_of(path: &Path) -> anyhow::Result<String> {
    files::read_text(path)
        .with_context(|| format!("--input {}: cannot read it as text", path.display()))
}

/// What the lists that a program reads from a file give names.
fn in_order(file: &OpenedFile) -> Option<Vec<Setting>> {
    let text = files::read_text(&file.path).ok()?;
    Some(ordered((&text, &files::name(&file.path)), &file.lists))
}

fn ordered((text, path): (&str, &Arc<str>), lists: &[Vec<Item>]) -> Vec<Setting> {
    let mut found = Vec::new();
    for (name, line, told) in lists::values(text, lists) {
        let pair = Pair {
            told: Some(Told::Value(told)),
            ..Pair::new(name, "")
        };
        found.push(pair.setting(&Place {
            file: path.clone(),
            line,
            column: 1,
        }));
    }
    found
}

/// Whether a line begins a namelist.
fn has_group(text: &str) -> bool {
    let is_group = |line: &str| {
        let line = line.trim_start();
        let name = line.strip_prefix(['&', '$']);
        name.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))
    };
    text.lines().any(is_group)
}

fn of_text(text: &str, file: &Arc<str>) -> Vec<Setting> {
    let mut group = has_group(text).then(Group::default);
    let has_group = group.is_some();
    let lines = (text.lines().zip(1..)).map(|(line, at)| (without_comment(line, has_group), at));
    let found: Vec<(u32, Pair)> = match &mut group {
        Some(group) => lines
            .flat_map(|(line, at)| group.line(line).into_iter().map(move |pair| (at, pair)))
            .collect(),
        None => of_lines(lines),
    };
    let setting = |(line, pair): (u32, Pair)| {
        pair.setting(&Place {
            file: file.clone(),
            line,
            column: 1,
        })
    };
    found.into_iter().map(setting).collect()
}

/// Pairs of lines that are no namelist. A key may be on one line and its value on the next one; where a value stands on a
/// line of its own without a key before it, which key it belongs to is not clear, nor of any other.
fn of_lines<'l>(lines: impl Iterator<Item = (&'l str, u32)>) -> Vec<(u32, Pair)> {
    let lines = lines.map(|(line, at)| (tokens(line), at));
    let lines: Vec<(Vec<String>, u32)> = lines.filter(|(words, _)| !words.is_empty()).collect();
    let (mut found, mut is_unclear) = (Vec::new(), false);
    let mut at = 0;
    while let Some((words, line)) = lines.get(at) {
        at += 1;
        match &words[..] {
            [key] if is_name(key) => {
                let next = lines.get(at).map(|(words, _)| &words[..]);
                let behind = lines.get(at + 1).map(|(words, _)| &words[..]);
                let told = match next {
                    Some([text]) if is_own_value(text, behind) => {
                        at += 1;
                        value(text).map(Told::Value)
                    }
                    Some([first, ..]) if !is_name(first) => Some(Told::Unclear),
                    _ => Some(Told::NameAlone),
                };
                let is_on_next_line = !matches!(told, Some(Told::NameAlone));
                found.push((
                    *line,
                    is_on_next_line,
                    Pair {
                        told,
                        ..Pair::new(key, "")
                    },
                ));
            }
            [text] => is_unclear |= value(text).is_some(),
            words => found.extend(of_line(words).into_iter().map(|pair| (*line, false, pair))),
        }
    }
    let settled = found.into_iter().map(|(line, is_on_next_line, pair)| {
        let told = match pair.told {
            Some(_) if is_unclear && is_on_next_line => Some(Told::Unclear),
            told => told,
        };
        (line, Pair { told, ..pair })
    });
    settled.collect()
}

/// Whether a line of one word is the value of the key before it. `t` and `f` may be keys, too.
fn is_own_value(text: &str, behind: Option<&[String]>) -> bool {
    let is_number = |words: &[String]| matches!(words, [one] if !is_name(one));
    match is_name(text) {
        false => !is_mark(text),
        true => value(text).is_some() && !behind.is_some_and(is_number),
    }
}

/// A line before what begins a comment, outside of quotes.
fn without_comment(line: &str, is_namelist: bool) -> &str {
    let starts: &[char] = if is_namelist {
        &['!']
    } else {
        &['!', '#', ';']
    };
    let mut quote = None;
    for (at, c) in line.char_indices() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if c == '\'' || c == '"' => quote = Some(c),
            None if starts.contains(&c) || line[at..].starts_with("//") => return &line[..at],
            None => {}
        }
    }
    line
}

/// A name and its value.
struct Pair {
    key: String,
    /// How many elements of an array have come before it.
    before: u64,
    times: u64,
    /// `None` for what is neither a number nor a truth value.
    told: Option<Told>,
}

impl Pair {
    fn new(key: &str, text: &str) -> Pair {
        let (key, told) = (key.to_string(), value(text).map(Told::Value));
        let (before, times) = (0, 1);
        Pair {
            key,
            before,
            times,
            told,
        }
    }

    fn setting(self, place: &Place) -> Setting {
        let Pair {
            key,
            before,
            times,
            told,
        } = self;
        let designator = Designator::new(&key);
        // The second value of `cells(2) = 8, 9` is that of `cells(3)`.
        let listed = match designator.as_ref().map(|one| one.subscripts.as_deref()) {
            _ if before == 0 => key,
            Some(None) => format!("{}({})", key.trim_end_matches("(:)"), before + 1),
            Some(Some([first])) if !key.contains('%') => {
                let name = key.split('(').next().unwrap_or(&key);
                format!("{name}({})", first.saturating_add_unsigned(before))
            }
            _ => key,
        };
        let given = designator.zip(told).map(|(designator, told)| Given {
            designator,
            before,
            times,
            told,
        });
        Setting {
            key: listed,
            given,
            place: place.clone(),
        }
    }
}

/// Pairs of `key = value` or `key: value`, or a key and a value with a blank between them.
fn of_line(words: &[String]) -> Vec<Pair> {
    match words {
        [key, text] if is_name(key) && !is_mark(text) => vec![Pair::new(key, text)],
        _ => words
            .windows(3)
            .filter(|part| is_name(&part[0]) && is_mark(&part[1]) && !is_mark(&part[2]))
            .map(|part| Pair::new(&part[0], &part[2]))
            .collect(),
    }
}

/// Where the reading of namelists is.
#[derive(Default)]
struct Group {
    is_inside: bool,
    /// The variable whose values come, and how many have come.
    variable: Option<(String, u64)>,
    /// Whether a value or a comma would be the first one behind a comma or the name.
    is_open: bool,
}

impl Group {
    fn line(&mut self, line: &str) -> Vec<Pair> {
        let mut found: Vec<Pair> = Vec::new();
        let tokens = tokens_of_group(line);
        let mut words = tokens.iter().map(String::as_str).peekable();
        while let Some(word) = words.next() {
            let is_start = word.starts_with(['&', '$']);
            if word == "/" || (is_start && word[1..].eq_ignore_ascii_case("end")) {
                (self.is_inside, self.variable) = (false, None);
            } else if is_start {
                (self.is_inside, self.variable) = (true, None);
            } else if self.is_inside && words.peek() == Some(&"=") {
                (self.variable, self.is_open) = (Some((word.to_string(), 0)), true);
                words.next();
            } else if let Some((name, count)) = self.variable.as_mut().filter(|_| self.is_inside) {
                if word == "," {
                    // Nothing between two commas: the element keeps what it has.
                    *count += u64::from(self.is_open);
                    self.is_open = true;
                    continue;
                }
                self.is_open = false;
                let (times, text) = repeated(word);
                if !text.is_empty() {
                    found.push(Pair {
                        key: name.clone(),
                        before: *count,
                        times,
                        told: value(text).map(Told::Value),
                    });
                }
                *count = count.saturating_add(times);
            }
        }
        found
    }
}

/// `3*0.5` is three times the value, `3*` three elements that keep what they have.
pub(super) fn repeated(word: &str) -> (u64, &str) {
    let parts = word.split_once('*');
    let times = parts.and_then(|(times, text)| Some((times.parse().ok()?, text)));
    times.unwrap_or((1, word))
}

/// Words of a namelist, quoted ones as one, subscripts and complex numbers with their brackets; `=`, `,` and the `/` at the
/// end stand alone.
fn tokens_of_group(line: &str) -> Vec<String> {
    let (mut found, mut word): (Vec<String>, String) = Default::default();
    let (mut quote, mut depth) = (None, 0u32);
    for c in line.chars() {
        let is_mark = matches!(c, '=' | ',' | '/');
        if let Some(open) = quote {
            word.push(c);
            quote = (c != open).then_some(open);
        } else if c == '\'' || c == '"' {
            quote = Some(c);
            word.push(c);
        } else if c == '(' || depth > 0 {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            word.extend((!c.is_whitespace()).then_some(c));
        } else if is_mark || c.is_whitespace() {
            found.push(std::mem::take(&mut word));
            found.extend(is_mark.then(|| c.to_string()));
        } else {
            word.push(c);
        }
    }
    found.push(word);
    found.retain(|word| !word.is_empty());
    found
}

/// Words, quoted ones as one; `=`, `:` and the `/` that ends a namelist stand alone.
fn tokens(line: &str) -> Vec<String> {
    let (mut found, mut word, mut quote) = (Vec::new(), String::new(), None);
    for c in line.chars() {
        let is_mark = c == '=' || c == ':' || (c == '/' && word.is_empty());
        if let Some(open) = quote {
            word.push(c);
            quote = (c != open).then_some(open);
        } else if c == '\'' || c == '"' {
            quote = Some(c);
            word.push(c);
        } else if is_mark || c.is_whitespace() || c == ',' {
            found.push(std::mem::take(&mut word));
            found.extend(is_mark.then(|| c.to_string()));
        } else {
            word.push(c);
        }
    }
    found.push(word);
    found.retain(|word| !word.is_empty());
    found
}

fn is_mark(word: &str) -> bool {
    matches!(word, "=" | ":" | "/")
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && word
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "_%()".contains(c))
}

/// A number, or one and zero for true and false.
pub(super) fn value(text: &str) -> Option<f64> {
    let lower = text.to_ascii_lowercase();
    match lower.as_str() {
        ".true." | "true" | "t" | ".t." | "yes" | "on" => Some(1.0),
        ".false." | "false" | "f" | ".f." | "no" | "off" => Some(0.0),
        _ => {
            let number: f64 = lower.replace('d', "e").parse().ok()?;
            (number.abs() < 1e15).then_some(number)
        }
    }
}
