//! Diagnostics on standard error, with the source line underlined.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use indexmap::IndexMap;

use super::Voice;
use crate::diagnostic::{Diagnostic, DiagnosticCode, Severity};

/// Remarks of one code with so many texts that each of them has a line; of more, the first one has.
const TEXTS: usize = 3;

/// Errors of one code that are shown in full.
const FULL_ERRORS: usize = 3;

/// Prints the diagnostics that the voice asks for. `source` gives the text of a file. What repeats itself has one line
/// with its number, unless everything is asked for.
pub fn print(diagnostics: &[&Diagnostic], voice: Voice, source: &dyn Fn(&str) -> Option<String>) {
    let least = match (voice.quiet, voice.verbose) {
        (true, _) => Severity::Error,
        (_, true) => Severity::Note,
        _ => Severity::Warning,
    };
    let wanted = diagnostics.iter().filter(|d| d.severity >= least);
    let mut printer = Printer {
        renderer: match voice.color {
            true => Renderer::styled(),
            false => Renderer::plain(),
        },
        texts: HashMap::new(),
        source,
    };
    if voice.verbose {
        wanted.for_each(|diagnostic| printer.in_full(diagnostic));
        return;
    }
    let mut by_code: IndexMap<(Severity, DiagnosticCode), Vec<&Diagnostic>> = IndexMap::new();
    for diagnostic in wanted {
        let key = (diagnostic.severity, diagnostic.code);
        by_code.entry(key).or_default().push(diagnostic);
    }
    let mut is_cut = false;
    for ((severity, _), group) in by_code {
        let in_full = match severity {
            _ if group.len() == 1 => 1,
            Severity::Error => FULL_ERRORS,
            Severity::Warning | Severity::Note => 0,
        };
        let (first, rest) = group.split_at(in_full.min(group.len()));
        first
            .iter()
            .for_each(|diagnostic| printer.in_full(diagnostic));
        is_cut |= !rest.is_empty();
        lines(rest, first.len())
            .iter()
            .for_each(|line| eprintln!("{line}"));
    }
    if is_cut {
        eprintln!("--verbose shows each of them; so do the reports (--json, sheet Notes)");
    }
}

/// Remarks of one code, a line for each text or one for all of them. `shown` were there before.
fn lines(group: &[&Diagnostic], shown: usize) -> Vec<String> {
    let mut by_text: IndexMap<&str, Vec<&Diagnostic>> = IndexMap::new();
    for diagnostic in group {
        by_text
            .entry(&diagnostic.message)
            .or_default()
            .push(diagnostic);
    }
    if by_text.len() > TEXTS {
        return vec![line(group, shown, " for example")];
    }
    by_text
        .values()
        .map(|group| line(group, shown, ""))
        .collect()
}

/// `warning[code], 12 times in 3 files: text (a.c:1:2)`
fn line(group: &[&Diagnostic], shown: usize, example: &str) -> String {
    let first = group[0];
    let files: HashSet<&Arc<str>> = group
        .iter()
        .map(|diagnostic| &diagnostic.place.file)
        .collect();
    let more = if shown > 0 { "more " } else { "" };
    let number = match (group.len(), files.len()) {
        (1, _) => String::new(),
        (times, 1) => format!(", {times} {more}times in 1 file"),
        (times, files) => format!(", {times} {more}times in {files} files"),
    };
    format!(
        "{}[{}]{number}:{example} {} ({})",
        first.severity.as_str(),
        first.code,
        first.message,
        first.place
    )
}

/// Shows diagnostics with the source line underlined.
struct Printer<'s> {
    renderer: Renderer,
    texts: HashMap<Arc<str>, Option<String>>,
    source: &'s dyn Fn(&str) -> Option<String>,
}

impl Printer<'_> {
    fn in_full(&mut self, diagnostic: &Diagnostic) {
        let file = &diagnostic.place.file;
        let text = (self.texts.entry(file.clone())).or_insert_with(|| (self.source)(file));
        eprintln!("{}", render(diagnostic, text.as_deref(), &self.renderer));
    }
}

fn render(diagnostic: &Diagnostic, text: Option<&str>, renderer: &Renderer) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let place = &diagnostic.place;
    let line = text.and_then(|text| text.lines().nth(place.line.saturating_sub(1) as usize));
    let title = level
        .primary_title(diagnostic.message.as_str())
        .id(diagnostic.code.as_str());
    let group = match line {
        Some(line) => {
            let start = line
                .char_indices()
                .nth(place.column.saturating_sub(1) as usize)
                .map_or(line.len(), |(i, _)| i);
            let end = line[start..]
                .char_indices()
                .nth(diagnostic.width as usize)
                .map_or(line.len(), |(i, _)| start + i);
            let snippet = Snippet::source(line)
                .line_start(place.line as usize)
                .path(&*place.file)
                .annotation(AnnotationKind::Primary.span(start..end.max(start)));
            title.element(snippet)
        }
        None => {
            title.element(annotate_snippets::Origin::path(&*place.file).line(place.line as usize))
        }
    };
    let group = match &diagnostic.help {
        Some(help) => group.element(Level::HELP.message(help.as_str())),
        None => group,
    };
    renderer.render(&[group])
}
